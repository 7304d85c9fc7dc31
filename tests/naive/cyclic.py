"""A cycle played repeatedly, one frame at a time, from its definition. Imports nothing from segue."""

from __future__ import annotations

import itertools
import math

from naive.quaternions import product

Pose = list[list[float]]
"""Joints of four numbers."""


def played(
    poses: list[Pose], roots: list[list[float]], period: int, step: tuple[float, float, float], frames: int
) -> tuple[list[Pose], list[list[float]]]:
    """Frames of a repeating cycle: after the last row of a period the first one follows, moved by the step.

    ``step`` turns about the vertical through the origin and shifts along x and z; each round applies it once more.
    """
    out_poses, out_roots = [], []
    for frame in range(frames):
        row, times = frame, 0
        while row >= period:
            row, times = row - period, times + 1
        pose, place = [list(q) for q in poses[row]], list(roots[row])
        for _ in range(times):
            pose[0] = product([math.cos(step[0] / 2), 0.0, math.sin(step[0] / 2), 0.0], pose[0])
            x, y, z = place
            place = [
                math.cos(step[0]) * x + math.sin(step[0]) * z + step[1],
                y,
                -math.sin(step[0]) * x + math.cos(step[0]) * z + step[2],
            ]
        out_poses.append(pose)
        out_roots.append(place)
    return out_poses, out_roots


def step(a: Pose, b: Pose) -> float:
    """Root mean square of all joints' rotations between two poses, radians, including the heading."""
    turns = [_turn(q, other) for q, other in zip(a, b, strict=True)]
    return math.sqrt(sum(turn * turn for turn in turns) / len(turns))


def apart(a: Pose, b: Pose) -> float:
    """Root mean square of all joints' rotations between two poses, radians, without the heading.

    The root's heading difference is the turn about the vertical that leaves the smallest rotation; it is found by
    search.
    """
    turns = []
    for joint, (q, other) in enumerate(zip(a, b, strict=True)):
        if joint:
            turns.append(_turn(q, other))
            continue
        low, high = -math.pi, math.pi
        for _ in range(60):
            tried = [low + (high - low) * k / 12 for k in range(13)]
            left = [_turn(product([math.cos(t / 2), 0.0, math.sin(t / 2), 0.0], q), other) for t in tried]
            best = left.index(min(left))
            low, high = tried[max(best - 1, 0)], tried[min(best + 1, 12)]
        turns.append(min(left))
    return math.sqrt(sum(turn * turn for turn in turns) / len(turns))


def _turn(a: list[float], b: list[float]) -> float:
    """Smallest rotation from one orientation to another, by chords."""
    near, far = math.dist(a, b), math.dist(a, [-x for x in b])
    return 4 * math.asin(min(1.0, min(near, far) / 2))


def wraps(frames: list[float], period: float, usual: float) -> list[bool]:
    """Whether each frame after the first continues its source, counted cyclically, or is a cut."""
    out = []
    for before, after in itertools.pairwise(frames):
        gaps = [after - before + turns * period for turns in (-1, 0, 1)]
        out.append(any(abs(gap - usual) < 0.5 * usual for gap in gaps))
    return out
