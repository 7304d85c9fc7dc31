"""Compiled blending of one blend set: weights, incremental timewarping, incremental posture blending.

Arrays are packed flat: a set is a row of the index with the offsets of its parts in the data. Joints are stored in
blocks of `LANES`, component by component, so that loops over a block become vector instructions; they are padded.
"""

from segue.accel.compiler import kernel
from segue.accel.emitter import LANES
from segue.accel.formulas import (
    for_range,
    formula,
    matrix,
    maximum,
    minimum,
    sqrt,
    sum_range,
    trunc,
    where,
    window,
)
from segue.accel.rotations import multiply_exp, sum_logs, sum_rows
from segue.arrays import Floats, Ints
from segue.maths._kernels import into_hull

# Columns of a set's row in the index: sizes, then the offset of each part in the data.
COUNT, INTERVALS, CYCLIC, DIMENSIONS, SIDES = 0, 1, 2, 3, 4
ROTATIONS, BESIDE, RATES, PLACES, LINEAR, RADIAL, REACH, SCALE, NORMALS, LIMITS, FLAT = (
    5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
)  # fmt: skip
ROW = 16
PER_INTERVAL = 24  # samples from keytime to keytime
WIDTH = 16  # columns of values relative to the guide
PLANTED = 12  # first of these columns that is blended by timewarp weights, which are never negative


@kernel
def weights_at(data: Floats, row: Ints, place: Floats, pose: Floats, warp: Floats, beyond: float) -> int:
    """Compute pose weights (N,) and timewarp weights (N,) at parameters (P,), which are moved into reach.

    Returns 0 if the examples enclose the parameters, 1 if weights extrapolate, 2 if the parameters had to be moved.
    """
    n, width, sides = row[COUNT], row[DIMENSIONS], row[SIDES]
    _shrink(data, row, place)
    normals = matrix(data, row[NORMALS], sides, width)
    limits, flat = window(data, row[LIMITS], sides), window(data, row[FLAT], sides)
    how = into_hull(window(place, 0, width), normals, limits, flat, beyond)
    _begin_weights(data, row, place, pose, warp)
    total = 0.0
    for j in range(n):
        support = 0.0
        if warp[j] < 2.0:
            _add_bump(data, row, pose, warp, j)
            support = _support(warp, j)
        warp[j] = support
        total += support
    _end_weights(data, row, place, warp, total)
    return how


@formula
def _shrink(data: Floats, row: Ints, place: Floats) -> None:
    """Scale parameters to standard deviations of the examples."""
    for_range(0, row[DIMENSIONS], _shrink_one, data, row, place)


@formula
def _shrink_one(p: int, data: Floats, row: Ints, place: Floats) -> None:
    place[p] = place[p] / data[row[SCALE] + p]


@formula
def _stretch_one(p: int, data: Floats, row: Ints, place: Floats) -> None:
    place[p] = place[p] * data[row[SCALE] + p]


@formula
def _wide(row: Ints) -> int:
    """Length of a row of examples, padded to full blocks."""
    return _blocks(row) * LANES


@formula
def _blocks(row: Ints) -> int:
    return (row[COUNT] + (LANES - 1)) // LANES


@formula
def _begin_weights(data: Floats, row: Ints, place: Floats, pose: Floats, warp: Floats) -> None:
    """Compute the linear part of the pose weights, and each example's distance in units of its reach."""
    for_range(0, _blocks(row), _begin_block, data, row, place, pose, warp)


@formula
def _begin_block(block: int, data: Floats, row: Ints, place: Floats, pose: Floats, warp: Floats) -> None:
    first = LANES * block
    for_range(0, LANES, _begin_lane, data, row, first, pose, warp)
    for_range(0, row[DIMENSIONS], _add_linear, data, row, place, first, pose, warp)
    for_range(0, LANES, _end_lane, data, row, first, warp)


@formula
def _begin_lane(lane: int, data: Floats, row: Ints, first: int, pose: Floats, warp: Floats) -> None:
    """Set the constant term of one example, and its squared distance to 0."""
    pose[first + lane] = data[row[LINEAR] + first + lane]
    warp[first + lane] = 0.0


@formula
def _add_linear(
    p: int, data: Floats, row: Ints, place: Floats, first: int, pose: Floats, warp: Floats
) -> None:
    """Add the terms of one parameter to a block of examples."""
    at = row[PLACES] + p * _wide(row) + first
    to = row[LINEAR] + (p + 1) * _wide(row) + first
    for_range(0, LANES, _add_lane, data, place[p], (at, to, first), pose, warp)


@formula
def _add_lane(
    lane: int, data: Floats, here: float, places: tuple[int, int, int], pose: Floats, warp: Floats
) -> None:
    at, to, first = (place + lane for place in places)
    gap = here - data[at]
    pose[first] = pose[first] + here * data[to]
    warp[first] = warp[first] + gap * gap


@formula
def _end_lane(lane: int, data: Floats, row: Ints, first: int, warp: Floats) -> None:
    """Turn a squared distance into a distance in units of the example's reach."""
    warp[first + lane] = sqrt(warp[first + lane]) / data[row[REACH] + first + lane]


@formula
def _add_bump(data: Floats, row: Ints, pose: Floats, warp: Floats, j: int) -> None:
    """Add example j's radial basis function to the pose weights; its distance is below 2."""
    away = warp[j]
    near = 2.0 / 3.0 - away * away * (1.0 - 0.5 * away)
    bump = where(away < 1.0, near, _cube(2.0 - away) / 6.0)
    for_range(0, _blocks(row), _bump_block, data, row[RADIAL] + j * _wide(row), bump, pose)


@formula
def _bump_block(block: int, data: Floats, at: int, bump: float, pose: Floats) -> None:
    first = LANES * block
    for_range(0, LANES, _bump_lane, data, at + first, first, bump, pose)


@formula
def _bump_lane(lane: int, data: Floats, at: int, first: int, bump: float, pose: Floats) -> None:
    pose[first + lane] = pose[first + lane] + bump * data[at + lane]


@formula
def _support(warp: Floats, j: int) -> float:
    """Timewarp weight of an example before normalisation."""
    away = warp[j] * 2.0
    far = where(away < 2.0, 0.25 * _cube(2.0 - away), 0.0)
    return where(away < 1.0, 1.0 - 1.5 * away * away * (1.0 - 0.5 * away), far)


@formula
def _end_weights(data: Floats, row: Ints, place: Floats, warp: Floats, total: float) -> None:
    """Normalise the timewarp weights, and scale the parameters back."""
    share = 1.0 / maximum(total, 1.0)
    rest = maximum(1.0 - total * share, 0.0) / row[COUNT]
    for_range(0, row[COUNT], _share_one, warp, share, rest)
    for_range(0, row[DIMENSIONS], _stretch_one, data, row, place)


@formula
def _share_one(j: int, warp: Floats, share: float, rest: float) -> None:
    warp[j] = warp[j] * share + rest


@formula
def _cube(x: float) -> float:
    return x * (x * x)


@formula
def _interval(at: float, count: int) -> int:
    return minimum(trunc(at), count - 1)


@formula
def rate_at(data: Floats, row: Ints, at: float, warp: Floats) -> float:
    """Compute intervals a second at a generic time: the blended derivative of eq. 9; positive, as all weights are."""
    first = row[RATES] + _interval(at, row[INTERVALS]) * row[COUNT]
    return sum_range(0, row[COUNT], _rate, data, first, warp)


@formula
def _rate(i: int, data: Floats, first: int, warp: Floats) -> float:
    return warp[i] * data[first + i]


@kernel
def blend_at(
    data: Floats,
    row: Ints,
    at: float,
    pose: Floats,
    warp: Floats,
    reference: Floats,
    work: Floats,
    beside: Floats,
) -> None:
    """Blend the pose at a generic time, written over the reference (4J), and the values relative to the guide (16,).

    ``pose`` and ``warp`` are the weights; ``work`` (3J) is a buffer.
    """
    n, joints = row[COUNT], reference.shape[0]
    at *= PER_INTERVAL
    k = _interval(at, row[INTERVALS] * PER_INTERVAL)
    between = at - k
    weights = window(pose, 0, n)
    sum_logs(data, row[ROTATIONS] + k * n * joints, between, weights, reference, work)
    begin = row[BESIDE] + k * n * WIDTH
    sum_rows(data, begin, between, weights, beside)
    _add_planted(data, begin, n, between, warp, beside)
    multiply_exp(reference, work, reference)


@formula
def _add_planted(data: Floats, begin: int, count: int, between: float, warp: Floats, beside: Floats) -> None:
    """Write the columns that are blended by timewarp weights."""
    for c in range(PLANTED, WIDTH):
        beside[c] = sum_range(0, count, _planted, data, begin + c, count, between, warp)


@formula
def _planted(i: int, data: Floats, begin: int, count: int, between: float, warp: Floats) -> float:
    near, far = data[begin + i * WIDTH], data[begin + (count + i) * WIDTH]
    return warp[i] * (near + between * (far - near))
