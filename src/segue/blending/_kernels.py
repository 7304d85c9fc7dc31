"""Compiled search over blend lengths: their costs, and what blends of all lengths would show."""

import math

import numpy as np

from segue.accel.compiler import kernel
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
                cos = _dot(q[i, k], q[i + 1, k])
                turns[side, k, i] = math.acos(min(abs(cos), 1.0))
                signs[side, k, i] = -1.0 if cos < 0 else 1.0
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
                        sin = math.sin(theta)
                        if sin < 1e-6:
                            p = (1.0 - part) * p + sign * part * after
                        else:
                            p = (
                                math.sin((1.0 - part) * theta) * p + sign * math.sin(part * theta) * after
                            ) / sin
                    angle = math.acos(min(abs(p), 1.0))
                    total += weights[k] * angle * angle
            out[b_from - 1, b_to - 1] = total / longest
    return out


@kernel
def _shares(cosines: Floats, least: float, parts: Floats, term: Floats, out: Floats) -> None:
    """Sines (N,) of ``parts`` of angles over the sines of the angles, whose cosines (N,) are ``least`` or more.

    As the hypergeometric series of sin(t x) / sin(x) in 1 - cos(x): sums that run along memory instead of an arc cosine
    and sines.
    """
    for t in range(len(parts)):
        term[t] = parts[t]
        out[t] = parts[t]
    i, size = 1, 1.0
    while size > 1e-9:
        below, square = 1.0 / (i * (2 * i + 1)), float(i * i)
        for t in range(len(parts)):
            term[t] *= (parts[t] * parts[t] - square) * (cosines[t] - 1.0) * below
            out[t] += term[t]
        i, size = i + 1, size * 0.5 * (1.0 - least)


@kernel
def _slerped(turns: Floats, at: tuple[int, int], weights: Floats, n: int, out: Floats) -> None:
    """Turns (J, 4, n) from the second motion's to the first's, the shorter way round; weights (n,) of the first.

    Both motions' turns (2 or more, J, 4, M), from moments ``at`` on.
    """
    i, k, joints = at[0], at[1], len(out)
    dots, parts = np.empty((joints, n)), np.empty((2, joints, n))
    for j in range(joints):
        p, q = turns[0, j], turns[1, j]
        for t in range(n):
            u, v = i + t, k + t
            dots[j, t] = p[0, u] * q[0, v] + p[1, u] * q[1, v] + p[2, u] * q[2, v] + p[3, u] * q[3, v]
            parts[0, j, t] = weights[t]
        for t in range(n):
            parts[1, j, t] = 1.0 - weights[t]
    lows, cosines = np.ones(n), np.empty((joints, n))
    for j in range(joints):
        for t in range(n):
            cosines[j, t] = min(abs(dots[j, t]), 1.0)
            lows[t] = min(lows[t], cosines[j, t])
    shares, term, flat = np.empty((2, joints, n)), np.empty(joints * n), cosines.reshape(-1)
    for side in range(2):
        _shares(flat, float(np.min(lows)), parts[side].reshape(-1), term, shares[side].reshape(-1))
    for j in range(joints):
        p, q = turns[0, j], turns[1, j]
        for t in range(n):
            shares[0, j, t] = math.copysign(shares[0, j, t], dots[j, t])
        for c in range(4):
            for t in range(n):
                out[j, c, t] = shares[0, j, t] * p[c, i + t] + shares[1, j, t] * q[c, k + t]


@kernel
def _turned(q: Floats, r: Floats, n: int, out: Floats) -> None:
    """Products (4, n) of quaternions; a loop each, since the compiler trusts few arrays to be apart."""
    for t in range(n):
        out[0, t] = q[0, t] * r[0, t] - q[1, t] * r[1, t] - q[2, t] * r[2, t] - q[3, t] * r[3, t]
    for t in range(n):
        out[1, t] = q[0, t] * r[1, t] + q[1, t] * r[0, t] + q[2, t] * r[3, t] - q[3, t] * r[2, t]
    for t in range(n):
        out[2, t] = q[0, t] * r[2, t] - q[1, t] * r[3, t] + q[2, t] * r[0, t] + q[3, t] * r[1, t]
    for t in range(n):
        out[3, t] = q[0, t] * r[3, t] + q[1, t] * r[2, t] - q[2, t] * r[1, t] + q[3, t] * r[0, t]


@kernel
def _carried(q: Floats, base: Floats, x: float, y: float, z: float, n: int, out: Floats) -> None:
    """Places (3, n) of a point fixed at x, y, z to a joint that is turned by q (4, n) and lies at base (3, n)."""
    for t in range(n):
        up, aside = q[1, t] * q[2, t] - q[0, t] * q[3, t], q[1, t] * q[3, t] + q[0, t] * q[2, t]
        ahead = 0.5 - q[2, t] * q[2, t] - q[3, t] * q[3, t]
        out[0, t] = base[0, t] + 2.0 * (x * ahead + y * up + z * aside)
    for t in range(n):
        up, aside = q[1, t] * q[2, t] + q[0, t] * q[3, t], q[2, t] * q[3, t] - q[0, t] * q[1, t]
        ahead = 0.5 - q[1, t] * q[1, t] - q[3, t] * q[3, t]
        out[1, t] = base[1, t] + 2.0 * (y * ahead + x * up + z * aside)
    for t in range(n):
        up, aside = q[1, t] * q[3, t] - q[0, t] * q[2, t], q[2, t] * q[3, t] + q[0, t] * q[1, t]
        ahead = 0.5 - q[1, t] * q[1, t] - q[2, t] * q[2, t]
        out[2, t] = base[2, t] + 2.0 * (z * ahead + x * up + y * aside)


@kernel
def _standing(turns: Floats, n: int, parents: Ints, offsets: Floats, world: Floats, out: Floats) -> None:
    """World turns (J, 4, n) of local ones, and places (P, 3, n) of joints, then of points fixed to joints.

    The root's places are there; the joint above each, and where on it (P, 3).
    """
    # Number by number: an array put into another brings a sentence about shapes that takes seconds to compile.
    for c in range(4):
        for t in range(n):
            world[0, c, t] = turns[0, c, t]
    for k in range(1, len(parents)):
        above = parents[k]
        _carried(world[above], out[above], offsets[k, 0], offsets[k, 1], offsets[k, 2], n, out[k])
        if k < len(turns):
            _turned(world[above], turns[k], n, world[k])


@kernel
def _placing(p: Floats, q: Floats) -> tuple[float, float, float, float]:
    """Cosine, sine and shift on x and z that lay points q (J, 3) on points p best."""
    joints = len(p)
    mean = np.zeros((2, 2))
    for j in range(joints):
        mean[0, 0] += p[j, 0]
        mean[0, 1] += p[j, 2]
        mean[1, 0] += q[j, 0]
        mean[1, 1] += q[j, 2]
    mean /= joints
    same, across = 0.0, 0.0
    for j in range(joints):
        ux, uz = p[j, 0] - mean[0, 0], p[j, 2] - mean[0, 1]
        vx, vz = q[j, 0] - mean[1, 0], q[j, 2] - mean[1, 1]
        same += ux * vx + uz * vz
        across += ux * vz - uz * vx
    size = max(math.hypot(same, across), 1e-12)
    c, s = same / size, across / size
    # A turn by theta about the vertical takes (x, z) to (c x + s z, -s x + c z).
    x, z = c * mean[1, 0] + s * mean[1, 1], -s * mean[1, 0] + c * mean[1, 1]
    return c, s, mean[0, 0] - x, mean[0, 1] - z


@kernel
def _blended(
    turns: Floats,
    heading: Floats,
    roots: Floats,
    at: tuple[int, int],
    weights: Floats,
    n: int,
    placed: tuple[float, float, float, float],
    pose: Floats,
    out: Floats,
) -> None:
    """Local turns (J, 4, n) and root places, the first of (P, 3, n), of a crossfade, the second motion placed.

    Turns (2, J, 4, M) of both motions, of which those of the second root are overwritten, and those as they were (4,
    M); roots (2, 3, M); from moments ``at`` on; weights (n,) of the first.
    """
    c, s, x, z = placed
    half = math.sqrt(max(0.5 * (1.0 + c), 0.0))  # cosine and sine of half the turn, a quaternion's
    other = math.copysign(math.sqrt(max(0.5 * (1.0 - c), 0.0)), s)
    q, turned, p, r, root = heading, turns[1, 0], roots[0], roots[1], out[0]
    for t in range(n):
        i, k, w = at[0] + t, at[1] + t, weights[t]
        turned[0, k], turned[1, k] = half * q[0, k] - other * q[2, k], half * q[1, k] + other * q[3, k]
        turned[2, k], turned[3, k] = half * q[2, k] + other * q[0, k], half * q[3, k] - other * q[1, k]
        root[0, t] = w * p[0, i] + (1.0 - w) * (c * r[0, k] + s * r[2, k] + x)
        root[1, t] = w * p[1, i] + (1.0 - w) * r[1, k]
        root[2, t] = w * p[2, i] + (1.0 - w) * (c * r[2, k] - s * r[0, k] + z)
    _slerped(turns, at, weights, n, pose)


@kernel
def _joined(
    places: Floats,
    at: tuple[int, int],
    around: int,
    n: int,
    placed: tuple[float, float, float, float],
    middle: Floats,
    out: Floats,
) -> None:
    """Places (P, 3, n + 2 around) before, in and behind a blend of n moments, whose own (P, 3, n) are known.

    Before it they are those of the first motion, behind it of the second one placed (2, P, 3, M), from moments ``at``
    on.
    """
    c, s, x, z = placed
    behind = around + n
    for point in range(len(middle)):
        p, q, own, made = places[0, point], places[1, point], middle[point], out[point]
        for axis in range(3):
            for t in range(around):
                made[axis, t] = p[axis, at[0] + t]
            for t in range(n):
                made[axis, around + t] = own[axis, t]
        for t in range(behind, behind + around):
            k = at[1] + t
            made[0, t] = c * q[0, k] + s * q[2, k] + x
            made[1, t] = q[1, k]
            made[2, t] = c * q[2, k] - s * q[0, k] + z


@kernel
def _sizes(places: Floats, joints: int, n: int, order: int, out: Floats) -> None:
    """Lengths (J, n - order) of second or third differences of the first J places (P, 3, n)."""
    for j in range(joints):
        size = out[j]
        size[:] = 0.0
        for c in range(3):
            x = places[j, c]
            if order == 2:
                for t in range(n - 2):
                    d = (x[t + 2] - x[t + 1]) - (x[t + 1] - x[t])
                    size[t] += d * d
            else:
                for t in range(n - 3):
                    d = x[t + 2] - x[t + 1]
                    d = ((x[t + 3] - x[t + 2]) - d) - (d - (x[t + 1] - x[t]))
                    size[t] += d * d
        for t in range(n - order):
            size[t] = math.sqrt(size[t])


@kernel
def _beyond(made: Floats, own: Floats, at: tuple[int, int], weights: Floats, order: int, n: int) -> float:
    """Most by which sizes (J, n) exceed those of both motions (2, J, M) from moments ``at`` on, mixed by weights."""
    i, k = at
    most = np.zeros(n)
    for j in range(len(made)):
        size, one, other = made[j], own[0, j], own[1, j]
        for t in range(n):
            w = weights[t + order - 1]
            most[t] = max(most[t], size[t] - (w * one[i + t] + (1.0 - w) * other[k + t]))
    return float(np.max(most))


@kernel
def _steps(places: Floats, first: int, n: int, out: Floats) -> None:
    """Ground steps (4, n) of the last four of places (P, 3, n) since the moment before; the first is the second."""
    for part in range(4):
        xs, zs, steps = places[first + part, 0], places[first + part, 2], out[part]
        for t in range(1, n):
            x, z = xs[t] - xs[t - 1], zs[t] - zs[t - 1]
            steps[t] = math.sqrt(x * x + z * z)
        steps[0] = steps[1]


@kernel
def seams_of_lengths(
    turns: Floats,
    roots: Floats,
    parents: Ints,
    offsets: Floats,
    planted: Bools,
    stretches: Ints,
    weights: Floats,
    around: int,
) -> Floats:
    """Skate, acceleration and jerk (3, L) of crossfades of L lengths (`segue.blending.lengths`).

    Both motions' local turns (2, J, 4, M) and roots (2, 3, M); the joint above each joint and each of the four foot
    parts (J + 4,), and where on it (J + 4, 3); which parts are planted (2, 4, M); the first blended moment of either
    motion and how many there are (L, 3); weights (L, T) of the motion left, from ``around`` moments before a blend on.
    Time runs along memory. The turns of the second root are overwritten.
    """
    joints, rows = turns.shape[1], turns.shape[3]
    places = np.empty((2, joints + 4, 3, rows))
    sizes = np.zeros((2, 2, joints, rows))  # of second, then third differences
    steps, most = np.empty((2, 4, rows)), np.zeros(2)
    world = np.empty((joints, 4, rows))
    heading = np.empty((4, rows))  # of the second root, as it is
    for c in range(4):
        for t in range(rows):
            heading[c, t] = turns[1, 0, c, t]
    for side in range(2):
        for c in range(3):
            for t in range(rows):
                places[side, 0, c, t] = roots[side, c, t]
        _standing(turns[side], rows, parents, offsets, world, places[side])
        _steps(places[side], joints, rows, steps[side])
        for k in range(2):
            _sizes(places[side], joints, rows, k + 2, sizes[k, side])
            most[k] = max(most[k], np.max(sizes[k, side]))
    out = np.zeros((3, len(stretches)))
    pose, middle = np.empty((joints, 4, rows)), np.empty((joints + 4, 3, rows))
    made = np.empty((joints + 4, 3, rows))
    size, slid = np.empty((joints, rows)), np.empty((4, rows))
    for n in range(len(stretches)):
        length, w = stretches[n, 2], weights[n]
        last, half = length + 2 * around, max(length // 2 - 1, 0)
        first = (stretches[n, 0], stretches[n, 1])
        at = (first[0] - around, first[1] - around)
        placed = _placing(places[0, :joints, :, first[0] + half], places[1, :joints, :, first[1] + half])
        _blended(turns, heading, roots, first, w[around:], length, placed, pose, middle)
        _standing(pose, length, parents, offsets, world, middle)
        _joined(places, at, around, length, placed, middle, made)
        _steps(made, joints, last, slid)
        for t in range(1, last):
            side = 0 if w[t] >= 0.5 else 1
            for part in range(4):
                if planted[side, part, at[side] + t]:
                    out[0, n] += 0.25 * max(slid[part, t] - steps[side, part, at[side] + t], 0.0)
        for order in (2, 3):
            _sizes(made, joints, last, order, size)
            found = _beyond(size, sizes[order - 2], at, w, order, last - order)
            out[order - 1, n] = found / max(most[order - 2], 1e-9)
    return out


@kernel
def fast_bands(
    rotations: Quaternions, roots: Positions, bell: Floats, near: Floats, slow: Floats, out: Floats
) -> None:
    """Fill fast bands (B, n, J + 1, 3) of B motions (`segue.blending.crossfade.fast_band`), the root's place last.

    Rotations (B, n + 2 m, J, 4) and roots (B, n + 2 m, 3); weights (2 m + 1,) of the smoothing. Frames of all joints
    lie side by side, and each weight goes over a whole row of them: n + 2 m rows and one more of 4 J + 3 numbers are
    worked in.
    """
    many, rows, joints, _ = rotations.shape
    n, columns = out.shape[1], 4 * joints
    for motion in range(many):
        for t in range(rows):
            for j in range(joints):
                same, k = 0.0, 4 * j
                # On one side of the double cover with the frame before: q and -q are one rotation.
                if t:
                    for c in range(4):
                        same += rotations[motion, t, j, c] * near[t - 1, k + c]
                side = -1.0 if same < 0 else 1.0
                for c in range(4):
                    near[t, k + c] = side * rotations[motion, t, j, c]
            for c in range(3):
                near[t, columns + c] = roots[motion, t, c]
        for t in range(n):
            for c in range(columns + 3):
                slow[c] = 0.0
            for i in range(len(bell)):
                weight = bell[i]
                for c in range(columns + 3):
                    slow[c] += weight * near[t + i, c]
            m = t + len(bell) // 2
            for j in range(joints):
                k = 4 * j
                p, x, y, z = slow[k], slow[k + 1], slow[k + 2], slow[k + 3]
                q, u, v, w = near[m, k], near[m, k + 1], near[m, k + 2], near[m, k + 3]
                size = 1.0 / math.sqrt(p * p + x * x + y * y + z * z)
                out[motion, t, j, 0] = size * (p * u - q * x - y * w + z * v)
                out[motion, t, j, 1] = size * (p * v - q * y - z * u + x * w)
                out[motion, t, j, 2] = size * (p * w - q * z - x * v + y * u)
            for c in range(3):
                out[motion, t, joints, c] = near[m, columns + c] - slow[columns + c]


@kernel
def raise_fast_band(
    rotations: Quaternions, roots: Positions, one: Floats, other: Floats, weights: Floats, more: Floats
) -> None:
    """Give B crossfades, in place, the power of both motions' fast bands (`with_fast_band` of the crossfade).

    Rotations (B, n, J, 4), roots (B, n, 3), fast bands (B, n, J + 1, 3), weights (n,) of the motion left; two rows of n
    numbers are worked in.
    """
    many, n, joints, _ = rotations.shape
    for motion in range(many):
        p, q, common, whole = 0.0, 0.0, 0.0, 0.0
        for t in range(n):
            w, size = weights[t], 0.0
            for j in range(joints):
                for c in range(3):
                    a, b = one[motion, t, j, c], other[motion, t, j, c]
                    mean = w * a + (1.0 - w) * b
                    p, q, common, size = p + a * a, q + b * b, common + a * b, size + mean * mean
            more[0, t] = size
            whole += size
        common = max(common, 0.0)
        lost = max(math.sqrt(p * q) - common, 0.0)
        square, linear = 0.0, 0.0
        for t in range(n):
            w, both = weights[t], weights[t] * (1.0 - weights[t])
            left = w * w * p + (1.0 - w) * (1.0 - w) * q + 2.0 * both * common
            raised = math.sqrt(1.0 + 2.0 * both * lost / (left if left > 0.0 else 1.0)) - 1.0
            square, linear = square + raised * raised * more[0, t], linear + raised * more[0, t]
            more[1, t] = raised
        # As much of it as makes up the power there is room for: part s of s^2 a + 2 s b = room.
        room, part = max(max(p, q) - whole, 0.0), 1.0
        if square + 2.0 * linear > room:
            part = room / (linear + math.sqrt(linear * linear + square * room))
        for t in range(n):
            w, raised = weights[t], part * more[1, t]
            for j in range(joints):
                a = raised * (w * one[motion, t, j, 0] + (1.0 - w) * other[motion, t, j, 0])
                b = raised * (w * one[motion, t, j, 1] + (1.0 - w) * other[motion, t, j, 1])
                c = raised * (w * one[motion, t, j, 2] + (1.0 - w) * other[motion, t, j, 2])
                d, x, y, z = (
                    rotations[motion, t, j, 0],
                    rotations[motion, t, j, 1],
                    rotations[motion, t, j, 2],
                    rotations[motion, t, j, 3],
                )
                size = 1.0 / math.sqrt(1.0 + a * a + b * b + c * c)
                rotations[motion, t, j, 0] = size * (d - x * a - y * b - z * c)
                rotations[motion, t, j, 1] = size * (x + d * a + y * c - z * b)
                rotations[motion, t, j, 2] = size * (y + d * b - x * c + z * a)
                rotations[motion, t, j, 3] = size * (z + d * c + x * b - y * a)
            for k in range(3):
                mean = w * one[motion, t, joints, k] + (1.0 - w) * other[motion, t, joints, k]
                roots[motion, t, k] += raised * mean
