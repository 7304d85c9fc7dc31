"""Compiled loops of lower bounds: tiles that are near, and tiles that hold a cell whose bound is low."""

from typing import Any

import numpy as np

from segue.accel.bound_tiles import NUMBERS, SQUARE, lowest_bit, near_bits, square_products
from segue.accel.compiler import fast_kernel
from segue.accel.tiles import COLUMNS, ROWS, product_tile
from segue.arrays import Ints

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
def low_tiles(rows: Any, columns: Any, at: Any, near: Any, limit: float, out: Any) -> int:
    """Pairs of tiles in which some cell's lower bound is at most a limit; returns how many there are.

    ``rows`` and ``columns`` are the tiles of both sides as `segue.accel.bound_tiles.square_products` takes them.
    ``near`` are the numbers and ends of `near_tiles`, from tile ``at[0]`` of the rows and ``at[1]`` of the columns on;
    ``out`` (P, 2) gets tiles of rows and of columns.
    """
    kept, ends = near
    sums = np.zeros((3, COLUMNS), dtype=rows.dtype)
    begin, count = 0, 0
    for tile in range(ends.shape[0]):
        row = at[0] + tile
        for t in range(begin, ends[tile], TILES):
            here = min(TILES, ends[tile] - t)
            for s in range(here):
                square_products(
                    rows, NUMBERS * row, columns, NUMBERS * (at[1] + kept[t + s]), sums, SQUARE * s
                )
            bits = np.uint64(near_bits(sums, 0, 1, -0.5 * limit))
            if bits != 0:
                for s in range(here):
                    if (bits >> np.uint64(SQUARE * s)) & np.uint64(65535) != 0:
                        out[count, 0], out[count, 1] = row, at[1] + kept[t + s]
                        count += 1
        begin = ends[tile]
    return count
