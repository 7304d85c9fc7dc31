"""Compiled loops of the pruned search: tiles that are near, cells that may be low, costs, and what decides minima."""

from typing import Any

import numpy as np

from segue._jit import fast_kernel
from segue._vector_squares import NUMBERS, SQUARE, lowest_bit, near_bits, square_products
from segue._vectors import COLUMNS, ROWS, product_tile
from segue.arrays import Ints

LINE = 16
"""Numbers of a cache line."""
TILES = COLUMNS // SQUARE
"""Tiles of columns whose bounds are computed at once."""


@fast_kernel
def near_tiles(rows: Any, columns: Any, at: Ints, first: Any, kept: Any) -> Any:
    """Tiles of columns whose balls touch each tile of rows: their numbers, row after row.

    ``rows`` holds ground (R, G) and height (R, H) of what stands for each tile, ``columns`` plain and turned ground
    (G, C) and height (H, C), energies and radii among the heights. Rows ``at[0]`` to ``at[1]`` and columns ``at[2]`` to
    ``at[3]`` are looked at, of row ``at[0] + r`` columns from ``at[2] + first[r]`` on; three rows and COLUMNS columns
    more may be read. Fills ``kept`` with numbers counted from ``at[2]`` and returns where each row's part ends.
    """
    ground, height = rows
    ends = np.empty(at[1] - at[0], dtype=np.int64)
    wide = at[3] - at[2]
    sums = np.empty((3 * ROWS, COLUMNS), dtype=ground.dtype)
    packs = np.zeros((ends.shape[0] + ROWS, (wide + COLUMNS - 1) // COLUMNS), dtype=np.uint64)
    for c in range(packs.shape[1]):
        j = at[2] + c * COLUMNS
        for i in range(0, ends.shape[0], ROWS):
            if first[i : i + ROWS].min() >= (c + 1) * COLUMNS:
                continue
            product_tile(ground, at[0] + i, columns[0], 0, j, sums, 0, 0)
            product_tile(ground, at[0] + i, columns[1], 0, j, sums, ROWS, 0)
            product_tile(height, at[0] + i, columns[2], 0, j, sums, 2 * ROWS, 0)
            for r in range(ROWS):
                packs[i + r, c] = near_bits(sums, r, ROWS, 0.0)
    one = np.uint64(1)
    count = 0
    for r in range(ends.shape[0]):
        start = max(first[r], 0)
        for c in range(start // COLUMNS, packs.shape[1]):
            bits = packs[r, c]
            while bits != 0:
                j = c * COLUMNS + lowest_bit(bits)
                bits &= bits - one
                if start <= j < wide:
                    kept[count] = j
                    count += 1
        ends[r] = count
    return ends


@fast_kernel
def _low_squares(rows: Any, columns: Any, at: Any, kept: Any, least: float, some: Any, sums: Any) -> int:
    """Tiles (n, 2) that hold low cells and the cells' bits: of tile at[0] of rows and kept[at[2]:at[3]] past at[1]."""
    count = 0
    for t in range(at[2], at[3], TILES):
        here = min(TILES, at[3] - t)
        for s in range(here):
            square_products(rows, NUMBERS * at[0], columns, NUMBERS * (at[1] + kept[t + s]), sums, SQUARE * s)
        bits = np.uint64(near_bits(sums, 0, 1, least))
        if bits != 0:
            for s in range(here):
                part = np.int64((bits >> np.uint64(SQUARE * s)) & np.uint64(65535))
                if part != 0:
                    some[count, 0] = at[1] + kept[t + s]
                    some[count, 1] = part
                    count += 1
    return count


@fast_kernel
def low_bounds(
    rows: Any, columns: Any, at: Any, first: Any, near: Any, limit: float, hits: Any, own: Any
) -> int:
    """Cells of kept tiles whose lower bound is at most a limit, in row order; returns how many there are.

    ``rows`` and ``columns`` are the tiles of both sides as `segue._vector_squares.square_products` takes them.
    ``near`` are the numbers and ends of `near_tiles`, from tile ``at[0]`` of the rows and ``at[1]`` of the columns on;
    ``hits`` (H, 2) are slots of the sides. Flagged in ``own`` are those in rows ``at[2]`` to ``at[3]`` and columns
    ``at[4]`` to ``at[5]`` that count: columns from ``first`` of their row on.
    """
    kept, ends = near
    sums = np.zeros((3, COLUMNS), dtype=rows.dtype)
    most, begin, count = 0, 0, 0
    for tile in range(ends.shape[0]):
        most, begin = max(most, ends[tile] - begin), ends[tile]
    some = np.empty((most, 2), dtype=np.int64)
    begin = 0
    for tile in range(ends.shape[0]):
        row = at[0] + tile
        seen = _low_squares(rows, columns, (row, at[1], begin, ends[tile]), kept, -0.5 * limit, some, sums)
        begin = ends[tile]
        for r in range(ROWS):
            i = ROWS * row + r
            least = max(at[4], first[i]) if at[2] <= i < at[3] else at[5]
            for s in range(seen):
                part = (some[s, 1] >> (ROWS * r)) & 15
                while part != 0:
                    j = ROWS * some[s, 0] + lowest_bit(part)
                    part &= part - 1
                    hits[count, 0], hits[count, 1] = i, j
                    own[count] = least <= j < at[5]
                    count += 1
    return count


@fast_kernel
def _rough(a: Any, b: Any, mine: Any, size: int, row: int, i: int, j: int) -> Any:
    """Cost of two windows in float32; rows row, row + 1 and row + 2 of ``mine`` hold the first one's weighed places."""
    ways = a[3].shape[1] // 3
    width = a[0].shape[0] // a[3].shape[0]
    p, q, o = mine[row][:size], mine[row + 1][:size], mine[row + 2][:size]
    u, v, t = b[0][j * width :][:size], b[1][j * width :][:size], b[2][j * width :][:size]
    nothing = mine.dtype.type(0)
    same, cross, up = nothing, nothing, nothing
    for n in range(size):
        same += p[n] * u[n] + q[n] * v[n]
        cross += p[n] * v[n] - q[n] * u[n]
        up += o[n] * t[n]
    here, there = a[3][i], b[3][j]
    for n in range(ways):
        same += here[n] * there[n] + here[ways + n] * there[ways + n]
        cross += here[n] * there[ways + n] - here[ways + n] * there[n]
        up += here[2 * ways + n] * there[2 * ways + n]
    lift = a[4][i, 1] - b[4][j, 1]
    return a[4][i, 0] + b[4][j, 0] + lift * lift - 2.0 * (up + np.sqrt(same * same + cross * cross))


@fast_kernel
def rough_costs(a: Any, b: Any, weights: Any, hits: Any, out: Any) -> None:
    """Costs (K,) of cells (K, 2) in row order, in float32.

    A side is x, z, y (S W,), so that a window's places lie in a row, its ways (S, 3 V), and energy and level (S, 2);
    ``weights`` (T W,) are the taps, each as often as a frame has places. Cells of a few rows and columns come
    after one another: their windows share most of their frames.
    """
    size = weights.shape[0]
    width = a[0].shape[0] // a[3].shape[0]
    # Rows that begin on cache lines, or every vector lies across two.
    wide = size + -size % LINE
    room = np.empty(3 * ROWS * wide + LINE, dtype=weights.dtype)
    skip = -(room.ctypes.data // 4) % LINE
    mine = room[skip : skip + 3 * ROWS * wide].reshape(3 * ROWS, wide)
    starts = np.empty(ROWS + 1, dtype=np.int64)
    at = np.empty(ROWS, dtype=np.int64)
    end = 0
    while end < hits.shape[0]:
        top = hits[end, 0] // ROWS * ROWS
        for r in range(ROWS):
            starts[r] = at[r] = end
            while end < hits.shape[0] and hits[end, 0] == top + r:
                end += 1
            if end > starts[r]:
                place = (top + r) * width
                x, z, y = a[0][place:][:size], a[1][place:][:size], a[2][place:][:size]
                p, q, o = mine[3 * r], mine[3 * r + 1], mine[3 * r + 2]
                for n in range(size):
                    p[n], q[n], o[n] = weights[n] * x[n], weights[n] * z[n], weights[n] * y[n]
        starts[ROWS] = end
        left = 0
        while left >= 0:
            left = -1
            for r in range(ROWS):
                if at[r] < starts[r + 1] and (left < 0 or hits[at[r], 1] < left):
                    left = hits[at[r], 1]
            for r in range(ROWS):
                while at[r] < starts[r + 1] and hits[at[r], 1] < left + ROWS:
                    out[at[r]] = _rough(a, b, mine, size, 3 * r, top + r, hits[at[r], 1])
                    at[r] += 1


@fast_kernel
def _exact(a: Any, b: Any, weights: Any, i: int, j: int) -> Any:
    """Cost of two windows in float64.

    ``weights`` (T W,) are the taps, each as often as a frame has places. A side is x, z, y (S W,), so that a window's
    places lie in a row, and ways, energy, level (S, 3T+2).
    """
    mine, theirs = a[3][i], b[3][j]
    n = (mine.shape[0] - 2) // 3
    size = weights.shape[0]
    width = size // n
    x, z, y = a[0][i * width :][:size], a[1][i * width :][:size], a[2][i * width :][:size]
    u, v, t = b[0][j * width :][:size], b[1][j * width :][:size], b[2][j * width :][:size]
    same, cross, up = 0.0, 0.0, 0.0
    for k in range(size):
        p, q = weights[k] * x[k], weights[k] * z[k]
        same += p * u[k] + q * v[k]
        cross += p * v[k] - q * u[k]
        up += weights[k] * y[k] * t[k]
    for o in range(n):
        same += mine[o] * theirs[o] + mine[n + o] * theirs[n + o]
        cross += mine[o] * theirs[n + o] - mine[n + o] * theirs[o]
        up += mine[2 * n + o] * theirs[2 * n + o]
    lift = mine[3 * n + 1] - theirs[3 * n + 1]
    return max(
        mine[3 * n] + theirs[3 * n] + lift * lift - 2.0 * (up + np.sqrt(same * same + cross * cross)), 0.0
    )


@fast_kernel
def exact_costs(a: Any, b: Any, weights: Any, cells: Any, out: Any) -> None:
    """Costs (K,) of cells (K, 2) in float64 from places and windows of both sides."""
    for k in range(cells.shape[0]):
        out[k] = _exact(a, b, weights, cells[k, 0], cells[k, 1])


@fast_kernel
def _beside(hits: Any, p: int, up: int, down: int, near: Any) -> int:
    """Write the numbers of a hit's neighbours among the hits to ``near``; returns how many there are.

    ``up`` and ``down`` are the first hits of the rows above and below that may be neighbours.
    """
    total, i, j = hits.shape[0], hits[p, 0], hits[p, 1]
    n = 0
    while up < p and hits[up, 0] == i - 1 and hits[up, 1] <= j + 1:
        near[n] = up
        n += 1
        up += 1
    if p > 0 and hits[p - 1, 0] == i and hits[p - 1, 1] == j - 1:
        near[n] = p - 1
        n += 1
    if p + 1 < total and hits[p + 1, 0] == i and hits[p + 1, 1] == j + 1:
        near[n] = p + 1
        n += 1
    while down < total and hits[down, 0] == i + 1 and hits[down, 1] <= j + 1:
        near[n] = down
        n += 1
        down += 1
    return n


@fast_kernel
def lowest_of_hits(
    a: Any, b: Any, weights: Any, hits: Any, costs: Any, own: Any, limits: Any, exact: Any
) -> Any:
    """Numbers of the hits that cost at most a limit and that no neighbour undercuts, decided in float64.

    ``hits`` (H, 2) are in row order; whatever is no hit costs more than the limit. ``costs`` are theirs but for
    rounding: ``limits`` holds the limit, how much dearer a hit may look that is not, and how much lower a neighbour
    has to be to undercut for certain. Only hits flagged in ``own`` are asked for, the others are neighbours. Costs in
    float64 come into ``exact``, which is -1 before; they are computed only where ``costs`` do not decide.
    """
    found = np.empty(np.sum(own), dtype=np.int64)
    near = np.empty(9, dtype=np.int64)
    count, total = 0, hits.shape[0]
    up, down = 0, 0
    high, slack = limits[0] + limits[1], limits[2]
    for p in range(total):
        if costs[p] > high or not own[p]:
            continue
        i, j, floor = hits[p, 0], hits[p, 1], costs[p] - slack
        if p + 1 < total and costs[p + 1] < floor and hits[p + 1, 0] == i and hits[p + 1, 1] == j + 1:
            continue
        if p > 0 and costs[p - 1] < floor and hits[p - 1, 0] == i and hits[p - 1, 1] == j - 1:
            continue
        # Neighbours above and below: places that only move on.
        while hits[up, 0] < i - 1 or (hits[up, 0] == i - 1 and hits[up, 1] < j - 1):
            up += 1
        down = max(down, p)
        while down < total and (hits[down, 0] < i + 1 or (hits[down, 0] == i + 1 and hits[down, 1] < j - 1)):
            down += 1
        n = _beside(hits, p, up, down, near)
        lowest = True
        for k in range(n):
            lowest &= costs[near[k]] >= floor
        if not lowest:
            continue
        # The cost itself, then those that may be lower. One call, so that a cost is the same bits whoever asks.
        near[n] = p
        for k in range(n, -1, -1):
            q = near[k]
            if costs[q] <= costs[p] + slack and exact[q] < 0.0:
                exact[q] = _exact(a, b, weights, hits[q, 0], hits[q, 1])
            if k == n:
                lowest = exact[p] <= limits[0]
            elif costs[q] <= costs[p] + slack:
                lowest = exact[p] < exact[q] or (exact[p] == exact[q] and p < q)
            if not lowest:
                break
        if lowest:
            found[count] = p
            count += 1
    return found[:count].copy()


@fast_kernel
def nearly_low(block: Any, least: Any, limits: Any, first: int, found: Any) -> int:
    """Cells of rows 1 ... R - 2 and columns first ... C - 2 that may be minima at or below a limit, for all rounding.

    ``limits`` holds the limit and how much lower a neighbour has to be to undercut a cell for certain. Cells of row r
    count from column ``least[r]`` on. Writes row and column to ``found``; returns how many there are.
    """
    high, slack = limits[0], limits[1]
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
                floor = row[j] - slack
                if row[j] <= high and floor <= above[j] and floor <= below[j] and floor <= row[j + 1]:
                    lowest = floor <= above[j + 1] and floor <= below[j + 1]
                    if lowest and j > 0:
                        lowest = floor <= row[j - 1] and floor <= above[j - 1] and floor <= below[j - 1]
                    if lowest:
                        found[count, 0] = r
                        found[count, 1] = j
                        count += 1
    return count
