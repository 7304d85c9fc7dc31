"""Compiled search over blend lengths."""

import math

import numpy as np

from segue._jit import kernel
from segue.arrays import Floats, Quaternions


@kernel
def _dot(a: Floats, b: Floats) -> float:
    """Product of two quaternions as vectors."""
    return float(a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3])


@kernel
def warped_costs(leaving: Quaternions, arriving: Quaternions, weights: Floats) -> Floats:
    """Weighted mean squared half angles (B, B) for every pair of lengths with a ratio of one half to two.

    Row b_from - 1, column b_to - 1; infinite elsewhere. The side with fewer moments is resampled by slerp, which needs
    no resampled quaternion: its product with another is a mixture of the products of its two neighbours.
    """
    count, joints, _ = leaving.shape
    products = np.empty((joints, count, count))
    for k in range(joints):
        for i in range(count):
            for j in range(count):
                products[k, i, j] = _dot(leaving[i, k], arriving[j, k])
    turns = np.zeros(
        (2, joints, count)
    )  # half the turn from one moment to the next, and the sign of its cosine
    signs = np.ones((2, joints, count))
    for side in range(2):
        q = leaving if side == 0 else arriving
        for k in range(joints):
            for i in range(count - 1):
                cosine = _dot(q[i, k], q[i + 1, k])
                turns[side, k, i] = math.acos(min(abs(cosine), 1.0))
                signs[side, k, i] = -1.0 if cosine < 0 else 1.0
    out = np.full((count, count), np.inf)
    for b_from in range(1, count + 1):
        for b_to in range((b_from + 1) // 2, min(2 * b_from, count) + 1):
            longest = max(b_from, b_to)
            first = count - b_to
            total = 0.0
            for t in range(longest):
                share = t / (longest - 1) if longest > 1 else 0.0
                x = share * (b_from - 1)
                y = first + share * (b_to - 1)
                i = min(int(x), count - 1)
                j = min(int(y), count - 1)
                u = x - i if b_from < longest else 0.0
                v = y - j if b_to < longest else 0.0
                if b_from == longest:
                    i = t
                if b_to == longest:
                    j = first + t
                for k in range(joints):
                    p = products[k, i, j]
                    if u > 1e-9 or v > 1e-9:
                        side = 0 if u > 1e-9 else 1
                        part = u if side == 0 else v
                        theta = turns[side, k, i] if side == 0 else turns[side, k, j]
                        sign = signs[side, k, i] if side == 0 else signs[side, k, j]
                        after = products[k, i + 1, j] if side == 0 else products[k, i, j + 1]
                        sine = math.sin(theta)
                        if sine < 1e-6:
                            p = (1.0 - part) * p + sign * part * after
                        else:
                            p = (
                                math.sin((1.0 - part) * theta) * p + sign * math.sin(part * theta) * after
                            ) / sine
                    angle = math.acos(min(abs(p), 1.0))
                    total += weights[k] * angle * angle
            out[b_from - 1, b_to - 1] = total / longest
    return out
