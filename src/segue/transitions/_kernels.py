"""Compiled searches over a cost matrix: minima of sectors and sweet spots."""

import numpy as np

from segue.accel.compiler import kernel
from segue.arrays import Bools, Costs, Ints


@kernel
def sector_minima(values: Costs, sector: int, least: int) -> Ints:
    """Find the lowest-cost cell (K, 2) with ``j - i >= least`` of every square sector, sectors in row order."""
    n, m = values.shape
    rows, columns = (n + sector - 1) // sector, (m + sector - 1) // sector
    found = np.empty((rows * columns, 2), dtype=np.int64)
    count = 0
    for row in range(rows):
        for column in range(columns):
            best = values.dtype.type(np.inf)
            best_i = -1
            best_j = -1
            for i in range(row * sector, min(n, (row + 1) * sector)):
                first = max(column * sector, i + least)
                part = values[i, first : max(first, min(m, (column + 1) * sector))]
                lower = 0
                for j in range(part.shape[0]):  # vectorised; most rows have none
                    lower += part[j] < best
                if lower > 0:
                    for j in range(part.shape[0]):
                        if part[j] < best:
                            best = part[j]
                            best_i = i
                            best_j = first + j
            if best_i >= 0:
                found[count, 0] = best_i
                found[count, 1] = best_j
                count += 1
    return found[:count].copy()


@kernel
def keep_first(
    rows: Ints, columns: Ints, buckets: Ints, near: Ints, owners: Ints, reach: int, stays: Bools
) -> None:
    """Flag in ``stays`` (K,) the cells kept when each, in order, drops all later ones within ``reach``.

    ``buckets`` (K,) holds each cell's index in ``owners``, ``near`` the offsets to the buckets that may hold
    a cell within reach; ``owners`` is -1 everywhere.
    """
    for k in range(rows.shape[0]):
        free = True
        for n in range(near.shape[0]):
            other = owners[buckets[k] + near[n]]
            if (
                other >= 0
                and abs(rows[other] - rows[k]) <= reach
                and abs(columns[other] - columns[k]) <= reach
            ):
                free = False
        if free:
            owners[buckets[k]] = k
            stays[k] = True
