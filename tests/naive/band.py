"""Fast motion of two blended motions by its formulas, one frame and one joint at a time. Imports nothing from segue."""

from __future__ import annotations

import math

from naive.blending import Pose, alpha
from naive.quaternions import product

SPREAD = 0.0375
Vectors = list[list[list[float]]]
"""Frames of joints of three numbers; the root's position is last."""


def reach(fps: float) -> int:
    """Frames on each side that one smoothing pass uses."""
    return math.ceil(3 * SPREAD * fps)


def frame_at(clip: list[Pose], t: int) -> Pose:
    """A frame of a motion; beyond its ends, the frame inside, reflected through the end frame."""
    end = min(max(t, 0), len(clip) - 1)
    if t == end:
        return clip[t]
    mirror = min(max(2 * end - t, 0), len(clip) - 1)
    rotations = []
    for q, r in zip(clip[end][0], clip[mirror][0], strict=True):
        sign = -1.0 if sum(x * y for x, y in zip(q, r, strict=True)) < 0 else 1.0
        rotations.append([2 * x - sign * y for x, y in zip(q, r, strict=True)])
    return rotations, [2 * x - y for x, y in zip(clip[end][1], clip[mirror][1], strict=True)]


def smoothed(rows: list[list[float]], fps: float) -> list[list[float]]:
    """Rows after one Gaussian pass over each column, without the rows at the ends that lack neighbours."""
    h = reach(fps)
    bell = [math.exp(-0.5 * (k / (SPREAD * fps)) ** 2) for k in range(-h, h + 1)]
    total = sum(bell)
    return [
        [sum(bell[k] / total * rows[t + k][c] for k in range(2 * h + 1)) for c in range(len(rows[0]))]
        for t in range(len(rows) - 2 * h)
    ]


def slow(rows: list[list[float]], fps: float) -> list[list[float]]:
    """Twicing: the smoothed rows plus the smoothed residual."""
    h = reach(fps)
    once = smoothed(rows, fps)
    rest = [
        [x - y for x, y in zip(row, low, strict=True)]
        for row, low in zip(rows[h : len(rows) - h], once, strict=True)
    ]
    again = smoothed(rest, fps)
    return [
        [x + y for x, y in zip(one, two, strict=True)]
        for one, two in zip(once[h : len(once) - h], again, strict=True)
    ]


def fast_band(clip: list[Pose], start: int, n: int, fps: float) -> Vectors:
    """Vector parts of the rotations from slow to captured, in each joint's own frame; the root's position last."""
    m = 2 * reach(fps)
    poses = [frame_at(clip, t) for t in range(start - m, start + n + m)]
    out: Vectors = [[] for _ in range(n)]
    for joint in range(len(clip[0][0])):
        rows: list[list[float]] = []
        for pose in poses:
            q = pose[0][joint]
            flip = bool(rows) and sum(x * y for x, y in zip(q, rows[-1], strict=True)) < 0
            rows.append([-x for x in q] if flip else list(q))
        for t, low in enumerate(slow(rows, fps)):
            size = math.sqrt(sum(x * x for x in low))
            back = [low[0] / size, -low[1] / size, -low[2] / size, -low[3] / size]
            out[t].append(product(back, rows[t + m])[1:])
    for t, low in enumerate(slow([pose[1] for pose in poses], fps)):
        out[t].append([x - y for x, y in zip(poses[t + m][1], low, strict=True)])
    return out


def power(a: list[list[float]], b: list[list[float]]) -> float:
    """Inner product of two fast bands of one frame over all joints, without the root's position."""
    return sum(x * y for u, v in zip(a[:-1], b[:-1], strict=True) for x, y in zip(u, v, strict=True))


def with_fast_band(made: list[Pose], one: Vectors, other: Vectors) -> list[Pose]:
    """Crossfade plus the part of both fast bands that averaging removes."""
    n = len(made)
    p, q = (sum(power(a, a) for a in band) for band in (one, other))
    common = max(sum(power(a, b) for a, b in zip(one, other, strict=True)), 0.0)
    lost = max(math.sqrt(p * q) - common, 0.0)
    mean: Vectors = []
    more = []
    for t in range(n):
        w = alpha(t, n)
        left = w * w * p + (1 - w) ** 2 * q + 2 * w * (1 - w) * common
        more.append(math.sqrt(1 + 2 * w * (1 - w) * lost / left) - 1 if left else 0.0)
        mean.append(
            [
                [w * x + (1 - w) * y for x, y in zip(u, v, strict=True)]
                for u, v in zip(one[t], other[t], strict=True)
            ]
        )
    share = no_more(more, [power(v, v) for v in mean], max(p, q))
    out = []
    for t, (rotations, root) in enumerate(made):
        extra = [[share * more[t] * x for x in v] for v in mean[t]]
        turned = []
        for q0, (a, b, c) in zip(rotations, extra[:-1], strict=True):
            r = product(q0, [1.0, a, b, c])
            size = math.sqrt(sum(x * x for x in r))
            turned.append([x / size for x in r])
        out.append((turned, [x + y for x, y in zip(root, extra[-1], strict=True)]))
    return out


def no_more(more: list[float], sizes: list[float], most: float) -> float:
    """Share of the raise ``more`` at which the total power is at most ``most``; found by bisection."""

    def whole(share: float) -> float:
        return sum((1 + share * by) ** 2 * size for by, size in zip(more, sizes, strict=True))

    if whole(1.0) <= most:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if whole(middle) <= most else (low, middle)
    return low
