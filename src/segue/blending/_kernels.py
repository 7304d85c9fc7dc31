"""Compiled search over blend lengths: their costs, and what blends of all lengths would show."""

import math

import numpy as np

from segue._jit import kernel
from segue.arrays import Bools, Floats, Ints, Positions, Quaternions


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


@kernel
def _by_axis(points: Positions) -> Floats:
    """Points (M, P, 3) laid out (M, 3, P): loops over points then run along memory."""
    rows, count, _ = points.shape
    out = np.empty((rows, 3, count))
    for t in range(rows):
        for p in range(count):
            for c in range(3):
                out[t, c, p] = points[t, p, c]
    return out


@kernel
def _placing(p: Floats, q: Floats, joints: int) -> tuple[float, float, float, float]:
    """Cosine, sine and shift on x and z that lay points q (3, P) on points p best; the first J count."""
    mean = np.zeros((2, 2))
    for j in range(joints):
        mean[0, 0] += p[0, j]
        mean[0, 1] += p[2, j]
        mean[1, 0] += q[0, j]
        mean[1, 1] += q[2, j]
    mean /= joints
    same, across = 0.0, 0.0
    for j in range(joints):
        ux, uz = p[0, j] - mean[0, 0], p[2, j] - mean[0, 1]
        vx, vz = q[0, j] - mean[1, 0], q[2, j] - mean[1, 1]
        same += ux * vx + uz * vz
        across += ux * vz - uz * vx
    size = max(math.hypot(same, across), 1e-12)
    c, s = same / size, across / size
    # A turn by theta about the vertical takes (x, z) to (c x + s z, -s x + c z).
    x, z = c * mean[1, 0] + s * mean[1, 1], -s * mean[1, 0] + c * mean[1, 1]
    return c, s, mean[0, 0] - x, mean[0, 1] - z


@kernel
def _mixed(
    one: Floats,
    other: Floats,
    at: Ints,
    weights: Floats,
    placed: tuple[float, float, float, float],
    out: Floats,
) -> None:
    """Places (n, 3, P) of both motions at moments (n, 2), the second one placed, mixed by weights (n,) of the first."""
    c, s, x, z = placed
    for t in range(len(at)):
        w, p, q = weights[t], one[at[t, 0]], other[at[t, 1]]
        for k in range(one.shape[2]):
            a = c * q[0, k] + s * q[2, k] + x
            b = -s * q[0, k] + c * q[2, k] + z
            out[t, 0, k] = a + w * (p[0, k] - a)
            out[t, 1, k] = q[1, k] + w * (p[1, k] - q[1, k])
            out[t, 2, k] = b + w * (p[2, k] - b)


@kernel
def _sizes(places: Floats, rows: int, joints: int, order: int, out: Floats) -> None:
    """Lengths (rows - order, J) of second or third differences of places (M, 3, P)."""
    squares = np.empty(joints)
    for t in range(rows - order):
        squares[:] = 0.0
        for c in range(3):
            for j in range(joints):
                d = places[t + 2, c, j] - places[t + 1, c, j]
                d -= places[t + 1, c, j] - places[t, c, j]
                if order == 3:
                    e = places[t + 3, c, j] - places[t + 2, c, j]
                    e -= places[t + 2, c, j] - places[t + 1, c, j]
                    d = e - d
                squares[j] += d * d
        for j in range(joints):
            out[t, j] = math.sqrt(squares[j])


@kernel
def _beyond(made: Floats, one: Floats, other: Floats, at: Ints, weights: Floats, order: int) -> float:
    """Most by which sizes (n, J) exceed those of both motions at moments (n, 2), mixed by weights (n,)."""
    most = 0.0
    for t in range(len(at)):
        w = weights[t + order - 1]
        i, k = min(at[t, 0], len(one) - 1), min(at[t, 1], len(other) - 1)
        for j in range(made.shape[1]):
            most = max(most, made[t, j] - (w * one[i, j] + (1.0 - w) * other[k, j]))
    return most


@kernel
def _slid(made: Floats, own: Floats, planted: Bools, at: Ints, weights: Floats) -> float:
    """Metres that planted feet, the last four of places (n, 3, P), slide beyond their steps (2, M, 4); their mean."""
    total = 0.0
    first = made.shape[2] - 4
    for t in range(1, len(at)):
        side = 0 if weights[t] >= 0.5 else 1
        for part in range(4):
            if planted[side, at[t, side], part]:
                x = made[t, 0, first + part] - made[t - 1, 0, first + part]
                z = made[t, 2, first + part] - made[t - 1, 2, first + part]
                total += max(math.sqrt(x * x + z * z) - own[side, at[t, side], part], 0.0)
    return total / 4.0


@kernel
def seams_of_lengths(
    one: Positions, other: Positions, planted: Bools, starts: Ints, weights: Floats, around: int
) -> Floats:
    """Skate, acceleration and jerk (3, L) of blends of 1 ... L moments (`segue.blending.foreseen`).

    Joints and four foot parts (M, P, 3) of both motions; which parts are planted (2, M, 4); the first blended moments
    (L, 2); weights (L, T) of the motion left, from ``around`` moments before a blend on.
    """
    rows, count, _ = one.shape
    joints = count - 4
    places = (_by_axis(one), _by_axis(other))
    sizes = np.empty((2, 2, rows - 2, joints))
    most = np.zeros(2)
    steps = np.zeros((2, rows, 4))
    for side in range(2):
        for k in range(2):
            _sizes(places[side], rows, joints, k + 2, sizes[side, k])
            most[k] = max(most[k], np.max(sizes[side, k, : rows - 2 - k]))
        for t in range(rows):
            now, before = places[side][max(t, 1)], places[side][max(t, 1) - 1]
            for part in range(4):
                x, z = (
                    now[0, joints + part] - before[0, joints + part],
                    now[2, joints + part] - before[2, joints + part],
                )
                steps[side, t, part] = math.sqrt(x * x + z * z)
    out = np.empty((3, len(starts)))
    made = np.empty((weights.shape[1], 3, count))
    size = np.empty((weights.shape[1], joints))
    at = np.empty((weights.shape[1], 2), dtype=np.int64)
    for n in range(1, len(starts) + 1):
        last, w = n + 2 * around, weights[n - 1]
        for t in range(last):
            for side in range(2):
                at[t, side] = min(max(starts[n - 1, side] + t - around, 0), rows - 1)
        middle = around + max(n // 2 - 1, 0)
        placed = _placing(places[0][at[middle, 0]], places[1][at[middle, 1]], joints)
        _mixed(places[0], places[1], at[:last], w, placed, made)
        out[0, n - 1] = _slid(made, steps, planted, at[:last], w)
        for k in range(2):
            order = k + 2
            _sizes(made, last, joints, order, size)
            sides = sizes[0, k, : rows - order], sizes[1, k, : rows - order]
            found = _beyond(size, sides[0], sides[1], at[: last - order], w, order)
            out[1 + k, n - 1] = found / max(most[k], 1e-9)
    return out
