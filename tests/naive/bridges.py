"""Blends whose two sides have lengths of their own, frame by frame. Imports nothing from segue."""

from __future__ import annotations

import math

from naive.assemble import Ground, placed
from naive.band import fast_band, with_fast_band
from naive.blending import Pose, crossfade
from naive.planar import moved
from naive.quaternions import slerp

Side = tuple[list[Pose], int, int]
"""A motion, the first frame that a blend uses of it, and the frame after the last."""


def slower(poses: list[Pose], n: int) -> list[Pose]:
    """Poses resampled to n frames: the first and the last stay, the others are interpolated between neighbours."""
    out = []
    for t in range(n):
        at = t * (len(poses) - 1) / (n - 1)
        low = min(math.floor(at + 1e-9), len(poses) - 1)
        high = min(low + 1, len(poses) - 1)
        share = max(at - low, 0.0)
        turned = [slerp(p, q, share) for p, q in zip(poses[low][0], poses[high][0], strict=True)]
        root = [(1 - share) * p + share * q for p, q in zip(poses[low][1], poses[high][1], strict=True)]
        out.append((turned, root))
    return out


def bridge(a: Side, b: Side, n: int, ground: Ground, *, fps: float = 0.0) -> list[Pose]:
    """Blend of n frames from all of A to all of B; B is moved along the ground.

    With a frame rate, the fast band of both sides, each resampled to the blend, is kept.
    """
    one, other = (clip[first:stop] for clip, first, stop in (a, b))
    made = crossfade(slower(one, n), slower([placed(pose, [ground]) for pose in other], n))
    if not fps:
        return made
    bands = [band_of(side, n, fps) for side in (a, b)]
    for row in bands[1]:
        row[-1] = moved(ground[0], 0.0, 0.0, row[-1])
    return with_fast_band(made, bands[0], bands[1])


def band_of(side: Side, n: int, fps: float) -> list[list[list[float]]]:
    """Fast band of a side; a resampled side has no frames around it."""
    clip, first, stop = side
    if stop - first == n:
        return fast_band(clip, first, n, fps)
    return fast_band(slower(clip[first:stop], n), 0, n, fps)
