"""Compiled inner loops of the cost matrices: tiles of sums."""

from typing import Any

import numpy as np

from segue.accel.compiler import fast_kernel, kernel
from segue.accel.tiles import COLUMNS, ROWS, gap_tile, product_tile
from segue.arrays import Ints


@kernel
def _write_part(tile: Any, out: Any, at: Any, size: Any) -> None:
    """Write the first rows and columns of a tile, as many as there is room for."""
    (row, column), (height, width) = at, size
    for r in range(min(ROWS, height)):
        goal, part = out[row + r][column:], tile[r]
        for x in range(min(COLUMNS, width)):
            goal[x] = part[x]


@fast_kernel
def squared_gaps(a: Any, b: Any, left: Ints, out: Any, at: Any) -> None:
    """Write products of (N, K) and (K, M) features, none below zero, where ``at`` says.

    ``at`` is the first row and column of ``out``, and how many rows (N or up to 3 fewer, N a multiple of 4) and columns
    are written; M is at least that rounded up to a multiple of 64. Of rows 4g to 4g + 3 columns before ``left[g]`` need
    not be written.
    """
    row, column, height, width = at
    zero = out.dtype.type(0.0)
    tile = np.empty((ROWS, COLUMNS), dtype=out.dtype)
    for j in range(0, width, COLUMNS):
        for i in range(0, height, ROWS):
            if left[i // ROWS] < j + COLUMNS:
                product_tile(a, i, b, 0, j, tile, 0, 0)
                for r in range(ROWS):
                    d = tile[r]
                    for x in range(COLUMNS):
                        d[x] = max(d[x], zero)
                _write_part(tile, out, (row + i, column + j), (height - i, width - j))


@kernel
def _sums(a: Any, b: Any, mine: Any, theirs: Any) -> None:
    """Sums over features of each row (N, 1) and column (1, M), added in the order of `absolute_sums`."""
    mine[:] = mine.dtype.type(0.0)
    theirs[:] = theirs.dtype.type(0.0)
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            mine[i, 0] += a[i, k]
    out = theirs[0]
    for k in range(b.shape[0]):
        row = b[k]
        for j in range(out.shape[0]):
            out[j] += row[j]


@kernel
def absolute_sums(a: Any, b: Any, left: Ints, out: Any, at: Any) -> None:
    """Sum absolute differences: ``sum_k |a[i, k] - b[k, j]|`` of (N, K) and (K, M) features, written where ``at`` says.

    Sizes and ``at`` are those of `squared_gaps`. ``|x - y| = 2 max(x, y) - x - y``, so that a term takes one comparison
    and one addition; the sums of x and of y are added in the same order as the maxima, so that equal features cost
    nothing. Of rows 4g to 4g + 3 columns before ``left[g]`` need not be written.
    """
    row, column, height, width = at
    mine, theirs = np.empty((a.shape[0], 1), dtype=out.dtype), np.empty((1, b.shape[1]), dtype=out.dtype)
    _sums(a, b, mine, theirs)
    tile = np.empty((ROWS, COLUMNS), dtype=out.dtype)
    for j in range(0, width, COLUMNS):
        for i in range(0, height, ROWS):
            if left[i // ROWS] < j + COLUMNS:
                if i + ROWS <= height and j + COLUMNS <= width:
                    gap_tile(a, i, b, j, mine, theirs, out, row + i, column + j)
                else:
                    gap_tile(a, i, b, j, mine, theirs, tile, 0, 0)
                    _write_part(tile, out, (row + i, column + j), (height - i, width - j))
