"""Pieces of motions joined along the ground, frame by frame. Imports nothing from segue."""

from __future__ import annotations

import math

from naive.band import fast_band, with_fast_band
from naive.blending import Pose, about_vertical, by_displacement, crossfade, heading
from naive.planar import moved
from naive.quaternions import product

Ground = tuple[float, float, float]
"""Turn about the vertical, then shift along x and z."""
Join = tuple[int, int, int, int, int, Ground]
"""Clip left, its first blended frame, clip entered, its first blended frame, blended frames, ground motion."""
Source = list[tuple[int, int, float]]
"""Clip, frame and weight of each source of one frame."""


def placed(pose: Pose, motions: list[Ground]) -> Pose:
    """A pose moved along the ground by several ground motions in turn."""
    rotations, root = pose
    turned = rotations[0]
    for turn, x, z in motions:
        turned = product(about_vertical(turn), turned)
        root = moved(turn, x, z, root)
    return [turned, *rotations[1:]], root


def starts(i: int, j: int, k: int, kind: str) -> tuple[int, int]:
    """First frames of A and B in a blend of k frames at the point (i, j).

    Start-end: A_i ... A_(i+k-1) with B_(j-k+1) ... B_j. Aligned: i and j are the frames with weight one half or, where
    no frame has it, the last ones before.
    """
    if k == 0:
        return i, j
    if kind == "start_end":
        return i, j - k + 1
    t = 0
    for p in range(k):
        if (p + 1) / k <= 0.5:
            t = p
    return i - t, j - t


def assemble(
    clips: list[list[Pose]],
    clip: int,
    first: int,
    joins: list[Join],
    end: int,
    *,
    root: str = "position",
    fps: float = 0.0,
) -> tuple[list[Pose], list[Source]]:
    """Play, blend, play and so on; return the poses and the sources of each frame.

    A clip is moved by its own join's ground motion, then by the ground motions of the clip before it. With a frame
    rate, blends keep the fast band of both motions.
    """
    motions: list[Ground] = []
    out: list[Pose] = []
    sources: list[Source] = []
    at = first
    for a_clip, a_start, b_clip, b_start, k, ground in joins:
        while at < a_start:
            out.append(placed(clips[clip][at], motions))
            sources.append([(clip, at, 1.0)])
            at += 1
        there = [ground, *motions]
        a = [placed(clips[a_clip][a_start + t], motions) for t in range(k)]
        b = [placed(clips[b_clip][b_start + t], there) for t in range(k)]
        if root == "position" or k == 0:
            blended = crossfade(a, b)
        else:
            a_before = placed(clips[a_clip][max(a_start - 1, 0)], motions)
            b_before = placed(clips[b_clip][max(b_start - 1, 0)], there)
            blended = by_displacement(a, b, a_before, b_before)
        if fps and k:
            sides = (clips[a_clip], a_start, motions), (clips[b_clip], b_start, there)
            bands = [band_of(*side, k, fps, root) for side in sides]
            blended = with_fast_band(blended, bands[0], bands[1])
        if root == "displacement" and k:
            there = [*there, alignment(b[-1], blended[-1])]
        for t in range(k):
            x = (t + 1) / k
            w = 2 * x**3 - 3 * x**2 + 1
            sources.append([(a_clip, a_start + t, w), (b_clip, b_start + t, 1 - w)])
        out += blended
        motions, clip, at = there, b_clip, b_start + k
    while at < end:
        out.append(placed(clips[clip][at], motions))
        sources.append([(clip, at, 1.0)])
        at += 1
    return out, sources


def band_of(
    clip: list[Pose], start: int, motions: list[Ground], k: int, fps: float, root: str
) -> list[list[list[float]]]:
    """Fast band of k frames, the root's rotated as the clip is placed; by displacement, only the root's height."""
    band = fast_band(clip, start, k, fps)
    for row in band:
        for turn, _, _ in motions:
            row[-1] = moved(turn, 0.0, 0.0, row[-1])
        if root == "displacement":
            row[-1] = [0.0, row[-1][1], 0.0]
    return band


def alignment(pose: Pose, target: Pose) -> Ground:
    """Ground motion that carries a pose's root position and heading to those of a target."""
    turn = heading(target[0][0]) - heading(pose[0][0])
    x, _, z = moved(turn, 0.0, 0.0, pose[1])
    return math.remainder(turn, 2 * math.pi), target[1][0] - x, target[1][2] - z
