"""Compiled search over blend lengths: their costs, and the seams that blends of all lengths would show."""

import math

import numpy as np

from segue.accel.compiler import kernel
from segue.accel.formulas import for_range, formula, maximum, sqrt, sum_range, where
from segue.arrays import Floats, Ints, Positions, Quaternions
from segue.maths._kernels import Four, Three, multiply, square

Two = tuple[int, int]
Both = tuple[Floats, Floats]
Rows = tuple[Floats, Floats, Floats]


@kernel
def _dot(a: Floats, b: Floats) -> float:
    """Product of two quaternions as vectors."""
    return float(a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3])


@kernel
def warped_costs(leaving: Quaternions, arriving: Quaternions, weights: Floats) -> Floats:
    """Weighted mean squared half angles (B, B) for every pair of lengths with a ratio of one half to two.

    Row b_from - 1, column b_to - 1; infinite elsewhere. The side with fewer moments is resampled by slerp without
    computing quaternions: the product of a slerp with another quaternion is a mixture of its two neighbours' products.
    """
    count, joints, _ = leaving.shape
    products = np.empty((joints, count, count))
    for k in range(joints):
        for i in range(count):
            for j in range(count):
                products[k, i, j] = _dot(leaving[i, k], arriving[j, k])
    # Half the rotation from one moment to the next, and the sign of its cosine.
    turns = np.zeros((2, joints, count))
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
def _shares(
    cosines: Floats, least: float, parts: Floats, side: int, n: int, term: Floats, out: Floats
) -> None:
    """Fill slerp weights sin(t x) / sin(x) of parts t of angles x, whose cosines (n,) are ``least`` or more.

    Row ``side`` of ``parts`` (2, n) is read, and that of ``out`` (2, n) is filled.

    By the hypergeometric series of sin(t x) / sin(x) in 1 - cos(x): sums along contiguous memory instead of an arc
    cosine and sines.
    """
    for t in range(n):
        term[t] = parts[side, t]
        out[side, t] = parts[side, t]
    i, size = 1, 1.0
    while size > 1e-9:
        below, most = 1.0 / (i * (2 * i + 1)), float(i * i)
        for t in range(n):
            term[t] *= (parts[side, t] * parts[side, t] - most) * (cosines[t] - 1.0) * below
            out[side, t] += term[t]
        i, size = i + 1, size * 0.5 * (1.0 - least)


@kernel
def _slerped(turns: Both, at: Two, parts: Floats, n: int, rooms: Rows, shares: Floats, out: Floats) -> None:
    """Slerp rotations (J, 4, n) from the second motion's to the first's, along the shorter arc; parts (2, n) of both.

    Rotations (J, 4, M) of both motions, from moments ``at`` on; three rows (M,) and shares (2, M) are work buffers.
    """
    one, other = turns
    dots, cosines, term = rooms
    i, k = at
    for j in range(len(out)):
        low = 1.0
        for t in range(n):
            u, v = i + t, k + t
            dots[t] = (
                one[j, 0, u] * other[j, 0, v]
                + one[j, 1, u] * other[j, 1, v]
                + one[j, 2, u] * other[j, 2, v]
                + one[j, 3, u] * other[j, 3, v]
            )
            cosines[t] = min(abs(dots[t]), 1.0)
        for t in range(n):
            low = min(low, cosines[t])
        for side in range(2):
            _shares(cosines, low, parts, side, n, term, shares)
        for t in range(n):
            shares[0, t] = math.copysign(shares[0, t], dots[t])
        for c in range(4):
            for t in range(n):
                out[j, c, t] = shares[0, t] * one[j, c, i + t] + shares[1, t] * other[j, c, k + t]


@formula
def _carry(world: Floats, above: int, offsets: Floats, k: int, n: int, places: Floats) -> None:
    """Places (3, n) of a point fixed to its parent joint."""
    # Read once: the compiler cannot know that stores leave them unchanged.
    offset = (offsets[k, 0], offsets[k, 1], offsets[k, 2])
    for c in range(3):
        for_range(0, n, _carry_at, world, above, offset, k, c, places)


@formula
def _carry_at(t: int, world: Floats, above: int, offset: Three, k: int, c: int, places: Floats) -> None:
    """One coordinate at one moment: a row of the rotation matrix times the offset."""
    w, *q = [world[above, a, t] for a in range(4)]
    i, j = (c + 1) % 3, (c + 2) % 3
    ahead = offset[c] * (0.5 - q[i] * q[i] - q[j] * q[j])
    aside = offset[i] * (q[c] * q[i] - w * q[j]) + offset[j] * (q[c] * q[j] + w * q[i])
    places[k, c, t] = places[above, c, t] + 2.0 * (ahead + aside)


@formula
def _at(turns: Floats, j: int, t: int) -> Four:
    return (turns[j, 0, t], turns[j, 1, t], turns[j, 2, t], turns[j, 3, t])


@formula
def _turn(world: Floats, above: int, turns: Floats, k: int, n: int) -> None:
    """World rotations (4, n) of a joint, with a loop per component: the compiler's alias analysis covers few arrays."""
    for c in range(4):
        for_range(0, n, _turn_at, world, above, turns, k, c)


@formula
def _turn_at(t: int, world: Floats, above: int, turns: Floats, k: int, c: int) -> None:
    """One component at one moment of the product of the parent's world rotation with a joint's own."""
    world[k, c, t] = multiply(_at(world, above, t), _at(turns, k, t))[c]


@kernel
def _standing(turns: Floats, n: int, parents: Ints, offsets: Floats, world: Floats, out: Floats) -> None:
    """World rotations (J, 4, n) of local ones, and places (P, 3, n) of joints, then of points fixed to joints.

    The root's places are given; ``parents`` and ``offsets`` (P, 3) fix each joint and point to the joint above it.
    """
    # Element by element: assigning one array to another adds a shape error message that takes seconds to compile.
    for c in range(4):
        for t in range(n):
            world[0, c, t] = turns[0, c, t]
    for k in range(1, len(parents)):
        _carry(world, parents[k], offsets, k, n, out)
        if k < len(turns):
            _turn(world, parents[k], turns, k, n)


@formula
def _placing(one: Floats, other: Floats, joints: int, i: int, k: int) -> Four:
    """Cosine, sine and shift on x and z that align the second motion's joints at moment k with the first's at i."""
    means = [
        sum_range(0, joints, _coordinate, places, c, t) / joints
        for places, t in ((one, i), (other, k))
        for c in (0, 2)
    ]
    same = sum_range(0, joints, _product, one, other, i, k, means, False)
    across = sum_range(0, joints, _product, one, other, i, k, means, True)
    size = maximum(sqrt(same * same + across * across), 1e-12)
    c, s = same / size, across / size
    # A turn by theta about the vertical takes (x, z) to (c x + s z, -s x + c z).
    return (c, s, means[0] - (c * means[2] + s * means[3]), means[1] - (c * means[3] - s * means[2]))


@formula
def _coordinate(j: int, places: Floats, c: int, t: int) -> float:
    return places[j, c, t]


@formula
def _product(j: int, one: Floats, other: Floats, i: int, k: int, means: Four, across: bool) -> float:
    """Ground product of a joint in both motions, relative to the mean of all: scalar product, or cross product."""
    ux, uz = one[j, 0, i] - means[0], one[j, 2, i] - means[1]
    vx, vz = other[j, 0, k] - means[2], other[j, 2, k] - means[3]
    return ux * vz - uz * vx if across else ux * vx + uz * vz


@formula
def _blend_root(
    t: int, turns: Both, heading: Floats, roots: Both, at: Two, w: float, placed: Four, out: Floats
) -> None:
    """Rotate the second root at a moment as that motion is placed; write the places of the blended root to ``out``."""
    c, s, x, z = placed
    half, side = sqrt(maximum(0.5 * (1.0 + c), 0.0)), sqrt(maximum(0.5 * (1.0 - c), 0.0))
    side = where(s < 0.0, -side, side)  # cosine and sine of half the angle, for a quaternion
    i, k = at[0] + t, at[1] + t
    turned = multiply((half, 0.0, side, 0.0), (heading[0, k], heading[1, k], heading[2, k], heading[3, k]))
    for a in range(4):
        turns[1][0, a, k] = turned[a]
    p, q = ([places[a, moment] for a in range(3)] for places, moment in ((roots[0], i), (roots[1], k)))
    out[0, 0, t] = w * p[0] + (1.0 - w) * (c * q[0] + s * q[2] + x)
    out[0, 1, t] = w * p[1] + (1.0 - w) * q[1]
    out[0, 2, t] = w * p[2] + (1.0 - w) * (c * q[2] - s * q[0] + z)


@kernel
def _joined(both: Both, at: Two, around: int, n: int, placed: Four, middle: Floats, out: Floats) -> None:
    """Places (P, 3, n + 2 around) before, in and after a blend of n moments, whose own (P, 3, n) are known.

    Before it they are those of the first motion, after it of the second one, placed, (P, 3, M), from moments ``at`` on.
    """
    one, other = both
    c, s, x, z = placed
    for point in range(len(out)):
        for axis in range(3):
            for t in range(around):
                out[point, axis, t] = one[point, axis, at[0] + t]
            for t in range(n):
                out[point, axis, around + t] = middle[point, axis, t]
        for t in range(around + n, n + 2 * around):
            k = at[1] + t
            out[point, 0, t] = c * other[point, 0, k] + s * other[point, 2, k] + x
            out[point, 1, t] = other[point, 1, k]
            out[point, 2, t] = c * other[point, 2, k] - s * other[point, 0, k] + z


@formula
def _sizes(places: Floats, joints: int, n: int, sizes: Floats, row: int) -> None:
    """Lengths of second and third differences of places (J, 3, n): rows (J, n - 2) and (J, n - 3)."""
    for_range(0, joints, _sizes_of, places, n, sizes, row)


@formula
def _sizes_of(j: int, places: Floats, n: int, sizes: Floats, row: int) -> None:
    for_range(0, n - 2, _second, places, j, sizes, row)
    for_range(0, n - 3, _third, places, j, sizes, row + 1)


@formula
def _second(t: int, places: Floats, j: int, sizes: Floats, row: int) -> None:
    total = 0.0
    for c in range(3):
        x, y, z = [places[j, c, t + k] for k in range(3)]
        total = total + square((z - y) - (y - x))
    sizes[row, j, t] = sqrt(total)


@formula
def _third(t: int, places: Floats, j: int, sizes: Floats, row: int) -> None:
    total = 0.0
    for c in range(3):
        x, y, z, last = [places[j, c, t + k] for k in range(4)]
        total = total + square(((last - z) - (z - y)) - ((z - y) - (y - x)))
    sizes[row, j, t] = sqrt(total)


@kernel
def _beyond(sizes: Floats, third: int, at: Two, weights: Floats, row: int, n: int, most: Floats) -> float:
    """Largest excess of a blend's second or third differences (J, n) over those of both motions, mixed by weights.

    Their sizes are rows of (6, J, M): of the first and the second motion, from moments ``at`` on, and of the blend.
    """
    i, k = at
    for t in range(n):
        most[t] = 0.0
    for j in range(sizes.shape[1]):
        for t in range(n):
            w = weights[row, t + 1 + third]
            own = w * sizes[third, j, i + t] + (1.0 - w) * sizes[2 + third, j, k + t]
            most[t] = max(most[t], sizes[4 + third, j, t] - own)
    found = 0.0
    for t in range(n):
        found = max(found, most[t])
    return found


@kernel
def _largest(sizes: Floats, third: int, n: int) -> float:
    """Largest of the second or third differences (J, n) of both motions."""
    found = 0.0
    for side in range(2):
        for j in range(sizes.shape[1]):
            for t in range(n):
                found = max(found, sizes[2 * side + third, j, t])
    return found


@formula
def _steps(places: Floats, first: int, n: int, out: Floats, row: int) -> None:
    """Ground steps (4, n) of the last four of places (P, 3, n) from the previous moment; the first is the second's."""
    for part in range(4):
        for_range(1, n, _step_at, places, first + part, out, row + part)
        out[row + part, 0] = out[row + part, 1]


@formula
def _step_at(t: int, places: Floats, point: int, out: Floats, row: int) -> None:
    x, z = (places[point, c, t] - places[point, c, t - 1] for c in (0, 2))
    out[row, t] = sqrt(x * x + z * z)


@formula
def _skate_at(t: int, at: Two, weights: Floats, row: int, planted: Floats, steps: Floats) -> float:
    """Mean distance in metres that the four parts, where planted, slide at a moment beyond the heavier motion."""
    first, total = weights[row, t] >= 0.5, 0.0
    for part in range(4):
        down = where(first, planted[0, part, at[0] + t], planted[1, part, at[1] + t])
        own = where(first, steps[part, at[0] + t], steps[4 + part, at[1] + t])
        total = total + 0.25 * down * maximum(steps[8 + part, t] - own, 0.0)
    return total


@kernel
def seams_of_lengths(
    turns: Both,
    roots: Both,
    body: tuple[Ints, Floats],
    planted: Floats,
    stretches: Ints,
    weights: Floats,
    around: int,
    rooms: tuple[Both, Both, Floats, Floats, Floats, Floats, Floats, Floats, Floats, Rows],
    out: Floats,
) -> None:
    """Fill skate, acceleration and jerk (3, L) of crossfades of L lengths (`segue.blending.lengths`).

    ``turns`` are local rotations (J, 4, M) and ``roots`` (3, M) of both motions; ``body`` is the joint above each joint
    and each of the four foot parts (J + 4,), and the offset from it (J + 4, 3); ``planted`` flags (2, 4, M) parts, 1 or
    0; ``stretches`` (L, 3) are the first blended moment of either motion and the number of moments; ``weights`` (L, T)
    are of the motion left, from ``around`` moments before a blend on. Time is the contiguous axis. The rotations of the
    second root are overwritten. ``rooms`` are work buffers: places of both motions, of a blend and of it with its
    surroundings (J + 4, 3, M), world rotations and those of a blend (J, 4, M), sizes of differences (6, J, M), steps
    (12, M), the original rotations of the second root (4, M), parts and shares (2, M), and three rows (M,).
    """
    both, blends, world, pose, sizes, steps, heading, parts, shares, rows = rooms
    middle, made = blends
    parents, offsets = body
    joints, moments = len(world), world.shape[2]
    for c in range(4):
        for t in range(moments):
            heading[c, t] = turns[1][0, c, t]
    for side in range(2):
        for c in range(3):
            for t in range(moments):
                both[side][0, c, t] = roots[side][c, t]
        _standing(turns[side], moments, parents, offsets, world, both[side])
        _steps(both[side], joints, moments, steps, 4 * side)
        _sizes(both[side], joints, moments, sizes, 2 * side)
    usual = (_largest(sizes, 0, moments - 2), _largest(sizes, 1, moments - 3))
    for n in range(len(stretches)):
        first, length = (stretches[n, 0], stretches[n, 1]), stretches[n, 2]
        last, half = length + 2 * around, max(length // 2 - 1, 0)
        at = (first[0] - around, first[1] - around)
        placed = _placing(both[0], both[1], joints, first[0] + half, first[1] + half)
        for t in range(length):
            w = weights[n, around + t]
            parts[0, t], parts[1, t] = w, 1.0 - w
            _blend_root(t, turns, heading, roots, first, w, placed, middle)
        _slerped(turns, first, parts, length, rows, shares, pose)
        _standing(pose, length, parents, offsets, world, middle)
        _joined(both, at, around, length, placed, middle, made)
        _steps(made, joints, last, steps, 8)
        _sizes(made, joints, last, sizes, 4)
        out[0, n] = 0.0
        for t in range(1, last):
            out[0, n] += _skate_at(t, at, weights, n, planted, steps)
        for third in range(2):
            found = _beyond(sizes, third, at, weights, n, last - 2 - third, rows[0])
            out[1 + third, n] = found / max(usual[third], 1e-9)


@formula
def _put_near(rotations: Quaternions, motion: int, t: int, j: int, near: Floats) -> None:
    """Write a rotation into row t with the sign nearest to the previous row: q and -q are one rotation."""
    k, before = 4 * j, maximum(t - 1, 0)
    own = [rotations[motion, t, j, c] for c in range(4)]
    same = 0.0
    for c in range(4):
        same = same + own[c] * near[before, k + c]
    side = where((same < 0.0) & (t > 0), -1.0, 1.0)
    for c in range(4):
        near[t, k + c] = side * own[c]


@formula
def _put_fast(near: Floats, m: int, slow: Floats, j: int, out: Floats, motion: int, t: int) -> None:
    """Write the rotation from the slow rotation of a joint to that of row m as a vector: half angle times axis."""
    k = 4 * j
    p, x, y, z = [slow[k + c] for c in range(4)]
    q, u, v, w = [near[m, k + c] for c in range(4)]
    size = 1.0 / sqrt(p * p + x * x + y * y + z * z)
    out[motion, t, j, 0] = size * (p * u - q * x - y * w + z * v)
    out[motion, t, j, 1] = size * (p * v - q * y - z * u + x * w)
    out[motion, t, j, 2] = size * (p * w - q * z - x * v + y * u)


@kernel
def fast_bands(
    rotations: Quaternions, roots: Positions, bell: Floats, near: Floats, slow: Floats, out: Floats
) -> None:
    """Fill fast bands (B, n, J + 1, 3) of B motions (`segue.blending.crossfade.fast_band`), the root's position last.

    Rotations (B, n + 2 m, J, 4) and roots (B, n + 2 m, 3); weights (2 m + 1,) of the smoothing. The components of all
    joints are contiguous, and each weight is applied to an entire row of them: work buffers are n + 2 m rows and one
    more of 4 J + 3 numbers.
    """
    many, rows, joints, _ = rotations.shape
    n, columns = out.shape[1], 4 * joints
    for motion in range(many):
        for t in range(rows):
            for j in range(joints):
                _put_near(rotations, motion, t, j, near)
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
                _put_fast(near, m, slow, j, out, motion, t)
            for c in range(3):
                out[motion, t, joints, c] = near[m, columns + c] - slow[columns + c]


@formula
def _turn_on(
    rotations: Quaternions, motion: int, t: int, j: int, one: Floats, other: Floats, w: float, raised: float
) -> None:
    """Rotate a blended rotation further by a share of the mean of both fast bands."""
    a, b, c = [raised * (w * one[motion, t, j, k] + (1.0 - w) * other[motion, t, j, k]) for k in range(3)]
    d, x, y, z = [rotations[motion, t, j, k] for k in range(4)]
    size = 1.0 / sqrt(1.0 + a * a + b * b + c * c)
    rotations[motion, t, j, 0] = size * (d - x * a - y * b - z * c)
    rotations[motion, t, j, 1] = size * (x + d * a + y * c - z * b)
    rotations[motion, t, j, 2] = size * (y + d * b - x * c + z * a)
    rotations[motion, t, j, 3] = size * (z + d * c + x * b - y * a)


@kernel
def raise_fast_band(
    rotations: Quaternions, roots: Positions, one: Floats, other: Floats, weights: Floats, more: Floats
) -> None:
    """Give B crossfades, in place, the power of both motions' fast bands (`with_fast_band` of the crossfade).

    Rotations (B, n, J, 4), roots (B, n, 3), fast bands (B, n, J + 1, 3), weights (n,) of the motion left; ``more`` are
    two rows of n numbers as work buffer.
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
        quadratic, linear = 0.0, 0.0
        for t in range(n):
            w, both = weights[t], weights[t] * (1.0 - weights[t])
            left = w * w * p + (1.0 - w) * (1.0 - w) * q + 2.0 * both * common
            raised = math.sqrt(1.0 + 2.0 * both * lost / (left if left > 0.0 else 1.0)) - 1.0
            quadratic, linear = quadratic + raised * raised * more[0, t], linear + raised * more[0, t]
            more[1, t] = raised
        # The part s that restores at most the missing power: s^2 quadratic + 2 s linear = room.
        room, part = max(max(p, q) - whole, 0.0), 1.0
        if quadratic + 2.0 * linear > room:
            part = room / (linear + math.sqrt(linear * linear + quadratic * room))
        for t in range(n):
            w, raised = weights[t], part * more[1, t]
            for j in range(joints):
                _turn_on(rotations, motion, t, j, one, other, w, raised)
            for k in range(3):
                mean = w * one[motion, t, joints, k] + (1.0 - w) * other[motion, t, joints, k]
                roots[motion, t, k] += raised * mean
