"""Compiled loops of the pruned search: bounds between tiles, bounds of cells, exact costs only where bounds are low."""

from typing import Any

import numpy as np

from segue._jit import fast_kernel
from segue._vectors import COLUMNS, ROWS, product_tile
from segue.arrays import Ints

TILES = COLUMNS // 4
"""Tiles of columns whose bounds are computed at once."""


@fast_kernel
def _three_products(ground: Any, height: Any, i: int, columns: Any, j: int, sums: Any) -> None:
    """Same, cross and height sums (12, COLUMNS), four rows each, of four rows and a tile's width of columns."""
    product_tile(ground, i, columns[0], 0, j, sums, 0, 0)
    product_tile(ground, i, columns[1], 0, j, sums, ROWS, 0)
    product_tile(height, i, columns[2], 0, j, sums, 2 * ROWS, 0)


@fast_kernel
def near_tiles(rows: Any, columns: Any, at: Ints, root: float, first: Any, kept: Any) -> Any:
    """Tiles of columns whose balls come as near as a root cost to each tile of rows: their numbers, row after row.

    ``rows`` holds ground (R, G), height (R, H), energy and radius (R,) of what stands for each tile, ``columns`` plain
    and turned ground (G, C), height (H, C), energy and radius (C,). Rows ``at[0]`` to ``at[1]`` and columns ``at[2]``
    to ``at[3]`` are looked at, of row ``at[0] + r`` columns from ``at[2] + first[r]`` on; three rows and COLUMNS
    columns more may be read. Fills ``kept`` with numbers counted from ``at[2]`` and returns where each row's part ends.
    """
    ground, height, own, radii = rows
    energies, reaches = columns[3], columns[4]
    ends = np.empty(at[1] - at[0], dtype=np.int64)
    two, reach = ground.dtype.type(2.0), ground.dtype.type(root)
    wide = at[3] - at[2]
    sums = np.empty((3 * ROWS, COLUMNS), dtype=ground.dtype)
    flags = np.zeros((ROWS, wide + COLUMNS), dtype=np.uint8)
    some = np.zeros((ROWS, wide // COLUMNS + 1), dtype=np.int64)
    count = 0
    for i in range(0, ends.shape[0], ROWS):
        here = min(ROWS, ends.shape[0] - i)
        least = max(first[i : i + here].min(), 0) // COLUMNS
        for c in range(least, (wide + COLUMNS - 1) // COLUMNS):
            j = c * COLUMNS
            _three_products(ground, height, at[0] + i, columns, at[2] + j, sums)
            energy_of, reach_of = energies[at[2] + j :][:COLUMNS], reaches[at[2] + j :][:COLUMNS]
            for r in range(here):
                same, cross, up = sums[r], sums[ROWS + r], sums[2 * ROWS + r]
                energy, radius = own[at[0] + i + r], radii[at[0] + i + r] + reach
                flag = flags[r, j : j + COLUMNS]
                near = 0
                for x in range(COLUMNS):
                    far = radius + reach_of[x]
                    gap = (
                        energy
                        + energy_of[x]
                        - two * (up[x] + np.sqrt(same[x] * same[x] + cross[x] * cross[x]))
                    )
                    flag[x] = gap <= far * far
                    near += gap <= far * far
                some[r, c] = near
        for r in range(here):
            start = max(first[i + r], 0)
            for c in range(start // COLUMNS, (wide + COLUMNS - 1) // COLUMNS):
                if some[r, c] > 0:
                    for j in range(max(start, c * COLUMNS), min(wide, (c + 1) * COLUMNS)):
                        if flags[r, j]:
                            kept[count] = j
                            count += 1
            ends[i + r] = count
    return ends


@fast_kernel
def _gather(source: Any, tiles: Any, columns: Any) -> None:
    """Lay the columns of some tiles (T, K, 4) side by side: plain and turned ground, height, energy."""
    plain, turned, height, energy = columns
    wide, tall = plain.shape[0], height.shape[0]
    half = wide // 2
    for t in range(tiles.shape[0]):
        tile = source[tiles[t]]
        for c in range(4):
            for k in range(wide):
                plain[k, 4 * t + c] = tile[k, c]
            for k in range(tall):
                height[k, 4 * t + c] = tile[wide + k, c]
            energy[4 * t + c] = tile[wide + tall, c]
    for k in range(half):
        mine, theirs, here, there = turned[k], turned[half + k], plain[half + k], plain[k]
        for x in range(mine.shape[0]):
            mine[x] = here[x]
            theirs[x] = -there[x]


@fast_kernel
def low_bounds(rows: Any, columns: Any, kept: Any, ends: Any, limit: float, hits: Any, bounds: Any) -> int:
    """Cells of kept tiles whose lower bound is at most a limit: written to ``hits`` and ``bounds``, in row order.

    ``rows`` is ground (R, G), height (R, H) and energy (R,) of row slots; ``columns`` (T, G + H + 1, 4) the same of
    each tile of column slots. Returns how many there are.
    """
    ground, height, energy = rows
    kind = ground.dtype
    two, high = kind.type(2.0), kind.type(limit)
    most, begin, count = 0, 0, 0
    for tile in range(ends.shape[0]):
        most, begin = max(most, ends[tile] - begin), ends[tile]
    packs = (most + TILES - 1) // TILES
    low = np.empty((ROWS, packs * COLUMNS), dtype=kind)
    some = np.empty((ROWS, packs), dtype=np.int64)
    sums = np.empty((3 * ROWS, COLUMNS), dtype=kind)
    theirs = np.zeros(COLUMNS, dtype=kind)
    packed = (
        np.zeros((ground.shape[1], COLUMNS), dtype=kind),
        np.zeros((ground.shape[1], COLUMNS), dtype=kind),
        np.zeros((height.shape[1], COLUMNS), dtype=kind),
        theirs,
    )
    begin = 0
    for tile in range(ends.shape[0]):
        tiles, begin = kept[begin : ends[tile]], ends[tile]
        for t in range(0, tiles.shape[0], TILES):
            _gather(columns, tiles[t : t + TILES], packed)
            _three_products(ground, height, ROWS * tile, packed, 0, sums)
            for r in range(ROWS):
                own, near, line = energy[ROWS * tile + r], 0, low[r, 4 * t : 4 * t + COLUMNS]
                same, cross, up = sums[r], sums[ROWS + r], sums[2 * ROWS + r]
                for x in range(COLUMNS):
                    line[x] = (
                        own + theirs[x] - two * (up[x] + np.sqrt(same[x] * same[x] + cross[x] * cross[x]))
                    )
                    near += line[x] <= high
                some[r, t // TILES] = near
        for r in range(ROWS):
            for t in range(0, tiles.shape[0], TILES):
                if some[r, t // TILES] > 0:
                    for x in range(4 * t, min(4 * t + COLUMNS, 4 * tiles.shape[0])):
                        if low[r, x] <= high:
                            hits[count, 0] = ROWS * tile + r
                            hits[count, 1] = 4 * tiles[x // 4] + x % 4
                            bounds[count] = low[r, x]
                            count += 1
    return count


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
    a: Any, b: Any, weights: Any, hits: Any, bounds: Any, own: Any, limit: float, exact: Any
) -> Any:
    """Numbers of the hits that cost at most a limit and that no neighbour undercuts; costs come into ``exact``.

    ``hits`` (H, 2) are in row order; whatever is no hit costs more than the limit. ``bounds`` lie below the costs. Only
    hits flagged in ``own`` are asked for, the others are neighbours. A cost is computed only when bounds do not decide.
    """
    found = np.empty(hits.shape[0], dtype=np.int64)
    near = np.empty(8, dtype=np.int64)
    count, total = 0, hits.shape[0]
    up, down = 0, 0
    for p in range(total):
        i, j = hits[p, 0], hits[p, 1]
        # Neighbours above and below: places that only move on.
        while hits[up, 0] < i - 1 or (hits[up, 0] == i - 1 and hits[up, 1] < j - 1):
            up += 1
        down = max(down, p)
        while down < total and (hits[down, 0] < i + 1 or (hits[down, 0] == i + 1 and hits[down, 1] < j - 1)):
            down += 1
        if not own[p]:
            continue
        n = _beside(hits, p, up, down, near)
        lowest = True
        if exact[p] < 0.0:
            least, at = bounds[p], -1
            for k in range(n):
                q = near[k]
                if exact[q] >= 0.0:
                    lowest = lowest and exact[q] >= bounds[p]
                elif bounds[q] < least:
                    least, at = bounds[q], q
            if lowest and at >= 0:
                exact[at] = _exact(a, b, weights, hits[at, 0], hits[at, 1])
                lowest = exact[at] >= bounds[p]
            if not lowest:
                continue
            exact[p] = _exact(a, b, weights, i, j)
        if exact[p] > limit:
            continue
        for k in range(n):
            q = near[k]
            if exact[q] < 0.0:
                if bounds[q] > exact[p]:
                    continue
                exact[q] = _exact(a, b, weights, hits[q, 0], hits[q, 1])
            if exact[q] < exact[p] or (exact[q] == exact[p] and q < p):
                lowest = False
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


@fast_kernel
def lowest_exactly(a: Any, b: Any, weights: Any, cells: Any, live: Any, limit: float, costs: Any) -> Any:
    """Flags (K,) of cells (K, 2) that cost at most a limit and that no live neighbour undercuts, in float64.

    ``live`` are the flags of row and column slots. Costs of the cells come into ``costs``.
    """
    flags = np.zeros(cells.shape[0], dtype=np.bool_)
    rows, columns = live
    for k in range(cells.shape[0]):
        i, j = cells[k, 0], cells[k, 1]
        mine = _exact(a, b, weights, i, j)
        costs[k] = mine
        lowest = mine <= limit
        for r in range(max(i - 1, 0), min(i + 2, rows.shape[0])):
            for c in range(max(j - 1, 0), min(j + 2, columns.shape[0])):
                if lowest and (r != i or c != j) and rows[r] and columns[c]:
                    other = _exact(a, b, weights, r, c)
                    earlier = r < i or (r == i and c < j)
                    lowest = mine < other if earlier else mine <= other
        flags[k] = lowest
    return flags
