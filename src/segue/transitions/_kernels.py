"""Compiled searches over a cost matrix: minima, sweet spots, means along a blend, runs along diagonals."""

import numpy as np

from segue._jit import kernel
from segue.arrays import Bools, Costs, Floats, Ints


@kernel
def local_minima(values: Costs, least: int) -> Ints:
    """Cells (K, 2) with ``j - i >= least`` that no neighbour undercuts; of equal neighbours the first one."""
    n, m = values.shape
    # Two chosen cells never touch, so at most every second row and column holds one.
    found = np.empty((((n + 1) // 2) * ((m + 1) // 2), 2), dtype=np.int64)
    edge = np.full(m + 2, np.inf, dtype=values.dtype)
    above, here, below = edge.copy(), edge.copy(), edge.copy()
    low = np.empty(m, dtype=np.bool_)
    count = 0
    for j in range(m):
        below[j + 1] = values[0, j]
    for i in range(n):
        above, here, below = here, below, above
        # Rows are copied cell by cell: half the time to compile an assignment of arrays goes into its error message.
        for j in range(m):
            below[j + 1] = values[i + 1, j] if i + 1 < n else edge[j + 1]
        first = max(0, i + least)
        # No branch inside, so that the compiler takes many columns at once.
        for j in range(first, m):
            value = here[j + 1]
            low[j] = (
                (value < np.inf)
                & (value < above[j])
                & (value < above[j + 1])
                & (value < above[j + 2])
                & (value < here[j])
                & (value <= here[j + 2])
                & (value <= below[j])
                & (value <= below[j + 1])
                & (value <= below[j + 2])
            )
        for j in range(first, m):
            if low[j]:
                found[count, 0] = i
                found[count, 1] = j
                count += 1
    return found[:count].copy()


@kernel
def sector_minima(values: Costs, sector: int, least: int) -> Ints:
    """Cheapest cell (K, 2) with ``j - i >= least`` of every square sector, sectors in row order."""
    n, m = values.shape
    rows, columns = (n + sector - 1) // sector, (m + sector - 1) // sector
    found = np.empty((rows * columns, 2), dtype=np.int64)
    count = 0
    for row in range(rows):
        for column in range(columns):
            best = np.inf
            best_i = -1
            best_j = -1
            for i in range(row * sector, min(n, (row + 1) * sector)):
                for j in range(max(column * sector, i + least), min(m, (column + 1) * sector)):
                    value = values[i, j]
                    if value < best:
                        best = value
                        best_i = i
                        best_j = j
            if best_i >= 0:
                found[count, 0] = best_i
                found[count, 1] = best_j
                count += 1
    return found[:count].copy()


@kernel
def keep_first(cells: Ints, order: Ints, reach: int, shape: tuple[int, int]) -> Bools:
    """Flag (K,) cells that stay when each, in ``order``, drops all later ones within ``reach`` of it."""
    # A bucket as wide as the reach holds at most one kept cell, so nine buckets answer the question.
    side = reach + 1
    owner = np.full((shape[0] // side + 3, shape[1] // side + 3), -1, dtype=np.int64)
    kept = np.zeros(cells.shape[0], dtype=np.bool_)
    for k in order:
        i, j = cells[k, 0], cells[k, 1]
        row, column = i // side + 1, j // side + 1
        free = True
        for r in range(row - 1, row + 2):
            for c in range(column - 1, column + 2):
                other = owner[r, c]
                if other >= 0 and abs(cells[other, 0] - i) <= reach and abs(cells[other, 1] - j) <= reach:
                    free = False
        if free:
            owner[row, column] = k
            kept[k] = True
    return kept


@kernel
def path_means(values: Costs, cells: Ints, first: tuple[int, int], count: int) -> Floats:
    """Mean (K,) of ``count`` cells from ``cell + first`` down the diagonal; those outside do not count."""
    n, m = values.shape
    means = np.empty(cells.shape[0])
    for k in range(cells.shape[0]):
        total = 0.0
        inside = 0
        for t in range(count):
            i, j = cells[k, 0] + first[0] + t, cells[k, 1] + first[1] + t
            if 0 <= i < n and 0 <= j < m:
                total += values[i, j]
                inside += 1
        means[k] = total / inside if inside > 0 else np.inf
    return means


@kernel
def block_means(values: Costs, cells: Ints, reach: int) -> Floats:
    """Mean (K,) of the square of cells within ``reach`` on both axes; those outside do not count."""
    n, m = values.shape
    means = np.empty(cells.shape[0])
    for k in range(cells.shape[0]):
        total = 0.0
        inside = 0
        for i in range(max(0, cells[k, 0] - reach), min(n, cells[k, 0] + reach + 1)):
            for j in range(max(0, cells[k, 1] - reach), min(m, cells[k, 1] + reach + 1)):
                total += values[i, j]
                inside += 1
        means[k] = total / inside
    return means


@kernel
def longest_run(values: Costs, limits: Floats) -> Ints:
    """(i, j, length) of the longest unbroken diagonal line of cells at or below their row's limit."""
    n, m = values.shape
    best = np.zeros(3, dtype=np.int64)
    for start in range(-(n - 1), m):
        i, j = max(0, -start), max(0, start)
        run = 0
        while i < n and j < m:
            if values[i, j] <= limits[i]:
                run += 1
                if run > best[2]:
                    best[0] = i - run + 1
                    best[1] = j - run + 1
                    best[2] = run
            else:
                run = 0
            i += 1
            j += 1
    return best


@kernel
def extend_runs(values: Costs, limits: Floats, first: int, run: Ints, best: Ints) -> None:
    """Go on with what `longest_run` looks for in further rows (R, M), the first of which is row ``first``.

    ``run`` (M + 1,) holds the length of the run that ends in each column of the row before, shifted by one;
    ``best`` (i, j, length) the longest so far, of equal ones that of the lowest diagonal.
    """
    m = values.shape[1]
    for r in range(values.shape[0]):
        row, limit = values[r], limits[r]
        for j in range(m - 1, -1, -1):
            length = run[j] + 1 if row[j] <= limit else 0
            run[j + 1] = length
            longer = length > best[2]
            if longer or (length == best[2] and length > 0 and j - first - r < best[1] - best[0]):
                best[0] = first + r - length + 1
                best[1] = j - length + 1
                best[2] = length


@kernel
def lag_residuals(x: Floats, y: Floats, first: int, last: int) -> Floats:
    """Unlikeness of signals (N, S) and (M, S) shifted by each lag, both about their means where they overlap.

    At lag d row i of x meets row i + d of y; 0 is equal up to constants, 1 is unrelated.
    """
    n, m, width = x.shape[0], y.shape[0], x.shape[1]
    out = np.empty(last - first + 1)
    for lag in range(first, last + 1):
        i, j = max(0, -lag), max(0, lag)
        length = min(n - i, m - j)
        gap = 0.0
        size = 0.0
        for s in range(width):
            mean_x = 0.0
            mean_y = 0.0
            for t in range(length):
                mean_x += x[i + t, s]
                mean_y += y[j + t, s]
            mean_x /= length
            mean_y /= length
            for t in range(length):
                dx, dy = x[i + t, s] - mean_x, y[j + t, s] - mean_y
                gap += (dx - dy) ** 2
                size += dx * dx + dy * dy
        out[lag - first] = gap / size if size > 0.0 else np.inf
    return out
