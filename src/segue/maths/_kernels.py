"""Compiled loops: lowest-cost paths through a matrix, the nearest point of a convex hull; formulas of single rotations.

Rotations and vectors of formulas are tuples, which need no allocation.
"""

import numpy as np

from segue.accel.compiler import kernel
from segue.accel.formulas import cos, for_range, formula, maximum, sin, sqrt, sum_range, where
from segue.arrays import Floats, Ints

Four = tuple[float, float, float, float]
Three = tuple[float, float, float]


@kernel
def cheapest_path(cost: Floats, limit: int) -> tuple[float, Ints]:
    """Find the lowest-cost monotone path (N, 2) from the first cell of a matrix to the last; return its cost and it.

    A step goes one row down, one column right, or both. At most ``limit`` consecutive steps go along the same
    side; cells that cannot be reached within the limit cost infinity. The sum counts every cell once.
    """
    rows, columns = cost.shape
    states = 2 * limit + 1  # 0: diagonal; 1 ... limit: number of steps down in a run; then those to the right
    best = np.full((rows, columns, states), np.inf)
    came = np.zeros((rows, columns, states), dtype=np.int16)
    best[0, 0, 0] = cost[0, 0]
    for i in range(rows):
        for j in range(columns):
            if i > 0 and j > 0:
                for s in range(states):
                    if best[i - 1, j - 1, s] + cost[i, j] < best[i, j, 0]:
                        best[i, j, 0] = best[i - 1, j - 1, s] + cost[i, j]
                        came[i, j, 0] = s
            for side in range(2):
                if (side == 0 and i == 0) or (side == 1 and j == 0):
                    continue
                k, m = (i - 1, j) if side == 0 else (i, j - 1)
                first = 1 + side * limit
                for s in range(states):  # a run along this side begins
                    if first <= s < first + limit:
                        continue
                    if best[k, m, s] + cost[i, j] < best[i, j, first]:
                        best[i, j, first] = best[k, m, s] + cost[i, j]
                        came[i, j, first] = s
                for s in range(first, first + limit - 1):  # or continues
                    if best[k, m, s] + cost[i, j] < best[i, j, s + 1]:
                        best[i, j, s + 1] = best[k, m, s] + cost[i, j]
                        came[i, j, s + 1] = s
    s = int(np.argmin(best[rows - 1, columns - 1]))
    total = best[rows - 1, columns - 1, s]
    path = np.empty((rows + columns, 2), dtype=np.int64)
    i, j, count = rows - 1, columns - 1, 0
    while np.isfinite(total):
        path[count, 0], path[count, 1] = i, j
        count += 1
        if i == 0 and j == 0:
            break
        before = came[i, j, s]
        if s == 0:
            i, j = i - 1, j - 1
        elif s <= limit:
            i -= 1
        else:
            j -= 1
        s = before
    return total, path[:count][::-1].copy()


@kernel
def cheapest_in_band(cost: Floats, first: Ints) -> tuple[float, Ints]:
    """Find the lowest-cost monotone path (N, 2) through a band of a matrix, steps not limited; return its cost and it.

    Row ``i`` of ``cost`` holds the columns from ``first[i]`` on; ``first`` never decreases. Cells beyond the
    last column are infinite. Costs are accumulated in place.
    """
    rows, width = cost.shape
    came = np.zeros((rows, width), dtype=np.int8)  # 0: diagonal, 1: one row down, 2: one column right
    for i in range(rows):
        for k in range(width):
            if i == 0 and k == 0:
                continue
            best, side = np.inf, 0
            if i > 0:
                above = k + first[i] - first[i - 1]
                if above < width:
                    best, side = cost[i - 1, above], 1
                if 0 < above <= width and cost[i - 1, above - 1] <= best:
                    best, side = cost[i - 1, above - 1], 0
            if k > 0 and cost[i, k - 1] < best:
                best, side = cost[i, k - 1], 2
            cost[i, k] += best
            came[i, k] = side
    last = width - 1
    while last > 0 and not np.isfinite(cost[rows - 1, last]):
        last -= 1
    total = cost[rows - 1, last]
    path = np.empty((2 * rows + width + first[rows - 1], 2), dtype=np.int64)
    i, k, count = rows - 1, last, 0
    while np.isfinite(total):
        path[count, 0], path[count, 1] = i, k + first[i]
        count += 1
        if i == 0 and k == 0:
            break
        side = came[i, k]
        if side == 2:
            k -= 1
        else:
            k += first[i] - first[i - 1] - (1 if side == 0 else 0)
            i -= 1
    return total, path[:count][::-1].copy()


@kernel
def into_hull(place: Floats, normals: Floats, limits: Floats, flat: Floats, beyond: float) -> int:
    """Move a point (P,) into half-spaces if need be; return 0: was inside, 1: up to ``beyond`` outside, 2: moved.

    Dykstra's alternating projections: the previous correction of each half-space is undone before it projects
    again, so that the result is the nearest point and not just any point inside.
    """
    sides = normals.shape[0]
    inside, near = True, True
    for i in range(sides):
        away = _away(i, place, normals, limits)
        inside = inside and not away > 1e-9
        near = near and not away > _margin(i, flat, beyond) + 1e-9
    if inside or near:
        return 0 if inside else 1
    pushed = np.zeros(sides)
    for _ in range(200):
        change = 0.0
        for i in range(sides):
            change = _maximum(change, _push(i, place, normals, (limits[i], _margin(i, flat, beyond)), pushed))
        if change < 1e-12:
            break
    return 2


@formula
def _maximum(one: float, other: float) -> float:
    return maximum(one, other)


@formula
def _margin(i: int, flat: Floats, beyond: float) -> float:
    """Return how far outside half-space ``i`` a point may be: ``beyond``, or 0 along a flat normal."""
    return (1.0 - flat[i]) * beyond


@formula
def _away(i: int, place: Floats, normals: Floats, limits: Floats) -> float:
    """Return the signed distance of a point outside half-space ``i``."""
    return sum_range(0, normals.shape[1], _along, i, place, normals, begin=-limits[i])


@formula
def _along(p: int, i: int, place: Floats, normals: Floats) -> float:
    return normals[i, p] * place[p]


@formula
def _push(i: int, place: Floats, normals: Floats, ends: tuple[float, float], pushed: Floats) -> float:
    """Project a point into a half-space after undoing its previous correction; return the size of the change."""
    begin = pushed[i] - ends[0] - ends[1]
    push = maximum(sum_range(0, normals.shape[1], _along, i, place, normals, begin=begin), 0.0)
    step = pushed[i] - push
    for_range(0, normals.shape[1], _move, i, place, normals, step)
    pushed[i] = push
    return abs(step)


@formula
def _move(p: int, i: int, place: Floats, normals: Floats, step: float) -> None:
    place[p] = place[p] + step * normals[i, p]


@formula
def multiply(a: Four, b: Four) -> Four:
    """Product of two quaternions."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


@formula
def rotate(q: Four, v: Three) -> Three:
    """Vector rotated by a quaternion."""
    tx = 2.0 * (q[2] * v[2] - q[3] * v[1])
    ty = 2.0 * (q[3] * v[0] - q[1] * v[2])
    tz = 2.0 * (q[1] * v[1] - q[2] * v[0])
    return (
        v[0] + q[0] * tx + q[2] * tz - q[3] * ty,
        v[1] + q[0] * ty + q[3] * tx - q[1] * tz,
        v[2] + q[0] * tz + q[1] * ty - q[2] * tx,
    )


@formula
def damped_spring(
    value: float, speed: float, target: float, rate: float, dt: float, fade: float
) -> tuple[float, float]:
    """Value and speed after dt of a critically damped spring pulled to a target; ``fade`` is exp(-rate dt)."""
    gap = value - target
    pull = speed + rate * gap
    return target + (gap + pull * dt) * fade, (speed - rate * pull * dt) * fade


@formula
def yaw_rotation(angle: float) -> Four:
    """Rotation about the vertical."""
    return (cos(0.5 * angle), 0.0, sin(0.5 * angle), 0.0)


@formula
def swing(a: Three, b: Three) -> Four:
    """Shortest rotation that carries direction a onto direction b; the identity where one of them has zero length.

    Opposite directions are rotated about an axis perpendicular to a, chosen by its smallest component.
    """
    size = sqrt(dot(a, a) * dot(b, b))
    same = size + dot(a, b)
    opposite = same < 1e-9 * size
    near = [abs(each) for each in a]
    first = (near[0] <= near[1]) & (near[0] <= near[2])
    x = where(first, 1.0, 0.0)
    y = where(first, 0.0, where(near[1] <= near[2], 1.0, 0.0))
    aside = cross(a, (x, y, 1.0 - x - y))
    w = where(opposite, 0.0, same)
    along = [where(opposite, one, other) for one, other in zip(aside, cross(a, b), strict=True)]
    length = sqrt(w * w + along[0] * along[0] + along[1] * along[1] + along[2] * along[2])
    known = length > 0.0
    share = 1.0 / where(known, length, 1.0)
    return (where(known, share * w, 1.0), share * along[0], share * along[1], share * along[2])


@formula
def conjugate(q: Four) -> Four:
    """Conjugate of a quaternion: the inverse of a rotation."""
    return (q[0], -q[1], -q[2], -q[3])


@formula
def dot(a: Three, b: Three) -> float:
    """Scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@formula
def cross(a: Three, b: Three) -> Three:
    """Vector product."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@formula
def distance(a: Three, b: Three) -> float:
    """Distance between two points."""
    return sqrt(square(a[0] - b[0]) + square(a[1] - b[1]) + square(a[2] - b[2]))


@formula
def from_to(a: Three, b: Three) -> Three:
    """Vector from a to b."""
    return (b[0] - a[0], b[1] - a[1], b[2] - a[2])


@formula
def tilt_rotation(ahead: Three, angle: float) -> Four:
    """Rotation that raises the direction ``ahead`` by an angle, about the horizontal axis perpendicular to it."""
    s = sin(0.5 * angle) / maximum(sqrt(ahead[0] * ahead[0] + ahead[2] * ahead[2]), 1e-9)
    return (cos(0.5 * angle), -s * ahead[2], 0.0, s * ahead[0])


@formula
def square(x: float) -> float:
    """Square of a number."""
    return x * x
