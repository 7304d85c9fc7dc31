"""Compiled blending of one blend set: weights, incremental timewarping, incremental posture blending.

Arrays are packed flat: a set is a row of the index that says where its parts begin in the data. Joints lie in blocks
of `LANES`, component by component, so that loops over a block become vector instructions; their number is padded.
"""

import numpy as np

from segue._jit import kernel
from segue._vector_turns import sum_rows, sum_turns, turn_all
from segue._vector_words import LANES
from segue.arrays import Floats, Ints
from segue.maths._kernels import into_hull

# Columns of a set's row in the index: sizes, then where in the data each part begins.
COUNT, INTERVALS, CYCLIC, DIMENSIONS, SIDES = 0, 1, 2, 3, 4
ROTATIONS, BESIDE, RATES, PLACES, LINEAR, RADIAL, REACH, SCALE, NORMALS, LIMITS, FLAT = (
    5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
)  # fmt: skip
ROW = 16
PER_INTERVAL = 24  # samples from keytime to keytime
WIDTH = 16  # columns beside the guide
PLANTED = 12  # the first column of them that is blended by timewarp weights, which are never negative


@kernel
def weights_at(data: Floats, row: Ints, place: Floats, pose: Floats, warp: Floats, beyond: float) -> int:
    """Pose weights (N,) and timewarp weights (N,) at parameters (P,), which are moved to what can be reached.

    Returns 0 if the examples enclose the parameters, 1 if weights extrapolate, 2 if the parameters had to be moved.
    """
    n, width, sides = row[COUNT], row[DIMENSIONS], row[SIDES]
    wide = (n + LANES - 1) // LANES * LANES  # the data and the weights have room for whole blocks
    scale = data[row[SCALE] : row[SCALE] + width]
    for p in range(width):
        place[p] /= scale[p]
    normals = data[row[NORMALS] : row[NORMALS] + sides * width].reshape((sides, width))
    limits = data[row[LIMITS] : row[LIMITS] + sides]
    flat = data[row[FLAT] : row[FLAT] + sides]
    how = into_hull(place[:width], normals, limits, flat, beyond)
    linear, places, reach = np.uint64(row[LINEAR]), np.uint64(row[PLACES]), np.uint64(row[REACH])
    for block in range(wide // LANES):
        first = np.uint64(LANES * block)
        for lane in range(LANES):
            i = first + np.uint64(lane)
            pose[i], warp[i] = data[linear + i], 0.0
        for p in range(width):
            at, to = places + np.uint64(p * wide), linear + np.uint64((p + 1) * wide)
            here = place[p]
            for lane in range(LANES):
                i = first + np.uint64(lane)
                gap = here - data[at + i]
                pose[i] += here * data[to + i]
                warp[i] += gap * gap
        for lane in range(LANES):
            i = first + np.uint64(lane)
            warp[i] = np.sqrt(warp[i]) / data[reach + i]
    total = 0.0
    for j in range(n):
        away = warp[j]
        support = 0.0
        if away < 2.0:
            bump = (2.0 - away) ** 3 / 6.0
            if away < 1.0:
                bump = 2.0 / 3.0 - away * away * (1.0 - 0.5 * away)
            radial = np.uint64(row[RADIAL] + j * wide)
            for block in range(wide // LANES):
                for lane in range(LANES):
                    i = np.uint64(LANES * block + lane)
                    pose[i] += bump * data[radial + i]
            away *= 2.0
            if away < 1.0:
                support = 1.0 - 1.5 * away * away * (1.0 - 0.5 * away)
            elif away < 2.0:
                support = 0.25 * (2.0 - away) ** 3
        warp[j] = support
        total += support
    share = 1.0 / max(total, 1.0)
    rest = max(1.0 - total * share, 0.0) / n
    for j in range(n):
        warp[j] = warp[j] * share + rest
    for p in range(width):
        place[p] *= scale[p]
    return how


@kernel
def rate_at(data: Floats, row: Ints, at: float, warp: Floats) -> float:
    """Intervals a second at a generic time: the blended derivative of eq. 9, positive as no weight is negative."""
    interval = min(int(at), row[INTERVALS] - 1)
    total = 0.0
    for i in range(row[COUNT]):
        total += warp[i] * data[row[RATES] + interval * row[COUNT] + i]
    return total


@kernel
def turn_by(reference: Floats, total: Floats, out: Floats) -> None:
    """Write reference exp(total), of unit length (eq. 15); (4J), (3J), (4J). ``out`` may be the reference."""
    turn_all(reference, total, out)


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
    """Pose at a generic time, written over the reference (4J), and what lies beside the guide (16,).

    ``pose`` and ``warp`` are the weights; ``work`` is room for (3J).
    """
    n, joints = row[COUNT], reference.shape[0]
    at *= PER_INTERVAL
    k = min(int(at), row[INTERVALS] * PER_INTERVAL - 1)
    between = at - k
    sum_turns(data, row[ROTATIONS] + k * n * joints, between, pose[:n], reference, work)
    begin = row[BESIDE] + k * n * WIDTH
    sum_rows(data, begin, between, pose[:n], beside)
    end = begin + n * WIDTH
    for c in range(PLANTED, WIDTH):
        total = 0.0
        for i in range(n):
            near, far = data[begin + i * WIDTH + c], data[end + i * WIDTH + c]
            total += warp[i] * (near + between * (far - near))
        beside[c] = total
    turn_by(reference, work, reference)
