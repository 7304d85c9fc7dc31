"""Feet put on the floor, frame by frame and part by part. Imports nothing from segue."""

from __future__ import annotations

import math

import numpy as np


def lower_course(rows: list[int], values: list[float], n_frames: int, stiffness: float) -> list[float]:
    """Asymmetric least squares by the dense normal equations: values above the curve have a twentieth of the weight."""
    course = [float(np.median(values))] * n_frames
    for _ in range(8):
        matrix, right = np.zeros((n_frames, n_frames)), np.zeros(n_frames)
        for row, value in zip(rows, values, strict=True):
            weight = 0.05 if value > course[row] else 1.0
            matrix[row, row] += weight
            right[row] += weight * value
        for k in range(n_frames - 1):
            matrix[k, k] += stiffness
            matrix[k + 1, k + 1] += stiffness
            matrix[k, k + 1] -= stiffness
            matrix[k + 1, k] -= stiffness
        course = np.linalg.solve(matrix, right).tolist()
    return course


def beyond(off: float, near: float) -> float:
    """Signed part of a distance that exceeds ``near``."""
    return math.copysign(max(abs(off) - near, 0.0), off)


def clear(off: float, soft: float) -> float:
    """Rise of a part that keeps it above the floor: a parabola that joins both straight lines."""
    if off >= soft:
        return 0.0
    if off <= -soft:
        return -off
    return (soft - off) ** 2 / (4 * soft)


def filled(values: list[float], spans: list[tuple[int, int]], ease: int) -> list[float]:
    """Values within spans; cubics with the same end slopes between them, fading to zero where spans are far apart."""
    n, out = len(values), [0.0] * len(values)

    def cubic(first, last, a, p, b, q):
        length = last - first
        for t in range(max(first + 1, 0), min(last, n)):
            s = (t - first) / length
            h00, h10 = (1 + 2 * s) * (1 - s) ** 2, s * (1 - s) ** 2
            h01, h11 = s * s * (3 - 2 * s), s * s * (s - 1)
            out[t] = h00 * a + h10 * length * p + h01 * b + h11 * length * q

    for start, stop in spans:
        out[start:stop] = values[start:stop]
    for k, (start, stop) in enumerate(spans):
        rise = values[min(start + 1, stop - 1)] - values[start]
        fall = values[stop - 1] - values[max(stop - 2, start)]
        met = k and start - spans[k - 1][1] < 2 * ease
        if not met:
            cubic(start - ease - 1, start, 0.0, 0.0, values[start], rise)
        meets = k + 1 < len(spans) and spans[k + 1][0] - stop < 2 * ease
        if meets:
            then, end = spans[k + 1]
            into = values[min(then + 1, end - 1)] - values[then]
            cubic(stop - 1, then, values[stop - 1], fall, values[then], into)
        else:
            cubic(stop - 1, stop + ease, values[stop - 1], fall, 0.0, 0.0)
    return out
