"""Compiled passes over a block of costs: dead slots walled off, sector minima on the way, cells none undercuts."""

from typing import Any

from segue._jit import kernel
from segue.arrays import Bools, Ints


@kernel
def wall(block: Any, rows: Bools, runs: Ints, far: float) -> None:
    """Make cells of dead rows, and of runs (K, 2) of dead columns, as dear as ``far``."""
    high = block.dtype.type(far)
    for r in range(block.shape[0]):
        row = block[r]
        if rows[r]:
            for k in range(runs.shape[0]):
                row[runs[k, 0] : runs[k, 1]] = high
        else:
            row[:] = high


@kernel
def rows_of_strip(
    side: Any, before: Ints, columns: Any, dead: int, least: Ints, left: Ints, done: Ints
) -> None:
    """Write where a strip's rows begin, and how many cells count in the rows before each.

    ``side`` holds the first column that counts for each row (R,) and whether the row is live (R,), ``before`` (C + 1,)
    the live columns before each, ``columns`` the strip's first one, and between which ones cells count. ``least`` (R,)
    are the rows' first columns within the strip, ``dead`` for dead rows unless it is negative; ``left`` (R / 4,) those
    from which on a cell of four rows counts or is a neighbour of one that does; ``done`` (R + 1,) cells.
    """
    (first, live), (start, low, high) = side, columns
    done[0] = 0
    for r in range(first.shape[0]):
        least[r] = first[r] - start if live[r] or dead < 0 else dead
        begin = min(max(first[r], low), high)
        done[r + 1] = done[r] + (before[high] - before[begin] if live[r] else 0)
    for g in range(left.shape[0]):  # a cell that counts has a neighbour to its left in the row below
        left[g] = max(first[max(4 * g - 1, 0)] - start - 1, 0)


@kernel
def cheaper(block: Any, first_row: int, least: Ints, best: Any, place: Any) -> None:
    """Keep in ``best`` (C,) and ``place`` (C,) each column's cheapest cell and its row; of equals the first.

    Row r of the block is row ``first_row + r``; its cells from column ``least[r]`` on count, those before may be lost.
    """
    height, width = block.shape
    far, kind = block.dtype.type(1e30), place.dtype.type
    for top in range(0, height, 4):  # four rows at once: what is kept is read and written once for them
        bottom, start = min(top + 4, height), width
        for r in range(top, bottom):
            start = min(start, max(0, least[r]))
        for r in range(top, bottom):
            block[r][start : max(start, min(least[r], width))] = far
        w, x = (
            block[top][start:],
            block[min(top + 1, height - 1)][start:],
        )  # the last row again is not cheaper
        y, z = block[min(top + 2, height - 1)][start:], block[min(top + 3, height - 1)][start:]
        lowest, at, here = best[start:], place[start:], first_row + top
        for j in range(w.shape[0]):
            value, row = lowest[j], at[j]
            lower = w[j] < value
            value, row = (w[j] if lower else value), (kind(here) if lower else row)
            lower = x[j] < value
            value, row = (x[j] if lower else value), (kind(here + 1) if lower else row)
            lower = y[j] < value
            value, row = (y[j] if lower else value), (kind(here + 2) if lower else row)
            lower = z[j] < value
            lowest[j], at[j] = (z[j] if lower else value), (kind(here + 3) if lower else row)


@kernel
def lowest_of(best: Any, place: Any, edges: Ints, found: Any) -> int:
    """Write column, and its row, of the cheapest of each run of columns between edges; returns how many there are.

    Of equals the one with the smallest row, then column. Columns whose place is -1 hold none, and none is dearer.
    """
    count = 0
    for k in range(edges.shape[0] - 1):
        mine, rows = best[edges[k] : edges[k + 1]], place[edges[k] : edges[k + 1]]
        # Each fourth of the columns has a minimum of its own, so that none waits for another and one is searched.
        a = b = c = d = mine[0]
        whole = mine.shape[0] - mine.shape[0] % 4
        for j in range(0, whole, 4):
            a, b = min(a, mine[j]), min(b, mine[j + 1])
            c, d = min(c, mine[j + 2]), min(d, mine[j + 3])
        for j in range(whole, mine.shape[0]):
            a = min(a, mine[j])
        b, c, d = min(a, b), min(a, c), min(a, d)  # any of the last columns may be in any fourth
        low = min(min(a, b), min(c, d))  # noqa: PLW3301 - all at once compile slowly
        at = -1
        for first in range(4):
            if low == (a if first == 0 else b if first == 1 else c if first == 2 else d):
                for j in range(first, mine.shape[0], 4):
                    if mine[j] == low and rows[j] >= 0:
                        if at < 0 or rows[j] < rows[at] or (rows[j] == rows[at] and j < at):
                            at = j
        if at >= 0:
            found[count, 0] = rows[at]
            found[count, 1] = edges[k] + at
            count += 1
    return count


@kernel
def cheapest_of_sectors(
    block: Any, first_row: int, rows: Any, columns: Any, kept: Any, found: Any, found_cost: Any, last: bool
) -> int:
    """Go on with the cheapest cells of sectors over a block, and write those of sectors that end; returns how many.

    ``rows`` holds ``least`` as of `cheaper`, beyond the block for dead rows, and whether a sector begins (R,);
    ``columns`` the edges of the sectors and runs (K, 2) of dead columns; ``kept`` is `cheaper`'s best and place of the
    sectors that have begun. They end where others begin and after the ``last`` block.
    """
    (least, begins), (edges, dead), (best, place) = rows, columns, kept
    far, none = best.dtype.type(1e30), place.dtype.type(-1)
    count, start, first, height = 0, 0, 0, block.shape[0]
    for r in range(height + 1):
        if r < height and not begins[r]:
            continue
        cheaper(block[start:r], first_row + start, least[start:r], best, place)
        if start > 0:  # nothing counts in the runs of columns before the first that does
            low = best.shape[0]
            for k in range(start, r):
                low = min(low, least[k])
            while first < edges.shape[0] - 1 and edges[first + 1] <= low:
                first += 1
        start = r
        if r < height or last:
            for k in range(dead.shape[0]):
                best[dead[k, 0] : dead[k, 1]] = far
                place[dead[k, 0] : dead[k, 1]] = none
            more = lowest_of(best, place, edges[first:], found[count:])
            for k in range(count, count + more):
                found_cost[k] = best[found[k, 1]]
            count += more
            best[edges[first] :] = far
            place[edges[first] :] = none
            first = 0
    return count


@kernel
def low_minima(block: Any, least: Ints, limit: Any, first: int, found: Any, found_cost: Any) -> int:
    """Cells of rows 1 ... R - 2 and columns first ... C - 2 at or below ``limit[0]`` that no neighbour undercuts.

    Of equal neighbours the first in row order counts as the lower one; column 0 has none before it. Cells of row r
    count from column ``least[r]`` on. Writes row and column to ``found``, the cost to ``found_cost``; returns how many.
    """
    high = limit[0]
    width = block.shape[1]
    count = 0
    for r in range(1, block.shape[0] - 1):
        above, row, below = block[r - 1], block[r], block[r + 1]
        for left in range(max(first, least[r]), width - 1, 64):
            right = min(left + 64, width - 1)
            part = row[left:right]
            hits = 0
            for j in range(part.shape[0]):
                hits += part[j] <= high
            if hits == 0:
                continue
            for j in range(left, right):
                value = row[j]
                if value <= high and value < above[j] and value <= below[j] and value <= row[j + 1]:
                    lowest = value < above[j + 1] and value <= below[j + 1]
                    if lowest and j > 0:
                        lowest = value < row[j - 1] and value < above[j - 1] and value <= below[j - 1]
                    if lowest:
                        found[count, 0] = r
                        found[count, 1] = j
                        found_cost[count] = value
                        count += 1
    return count
