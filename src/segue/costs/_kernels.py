"""Compiled inner loops of the cost matrices: tiles of sums, and what is made of a tile while it is at hand."""

from typing import Any

import numpy as np

from segue._jit import fast_kernel, kernel
from segue._vectors import COLUMNS, ROWS, largest_tile, product_tile
from segue.arrays import Ints


@fast_kernel
def products(a: Any, b: Any, out: Any) -> None:
    """Multiply matrices: out[i, j] = sum_k a[i, k] b[k, j] of (N, K) and (K, M) features, N a multiple of 4.

    A linear algebra library is no faster on matrices so thin, and on a busy machine its threads wait for each other.
    """
    whole = out.shape[1] - out.shape[1] % COLUMNS
    for j in range(0, whole, COLUMNS):
        for i in range(0, out.shape[0], ROWS):
            product_tile(a, i, b, 0, j, out, i, j)
    if whole < out.shape[1]:
        last = np.zeros((b.shape[0], COLUMNS), dtype=b.dtype)
        last[:, : out.shape[1] - whole] = b[:, whole:]
        tile = np.empty((ROWS, COLUMNS), dtype=out.dtype)
        for i in range(0, out.shape[0], ROWS):
            product_tile(a, i, last, 0, 0, tile, 0, 0)
            out[i : i + ROWS, whole:] = tile[:, : out.shape[1] - whole]


@fast_kernel
def squared_gaps(a: Any, b: Any, left: Ints, out: Any) -> None:
    """Products of (N, K) and (K, M) features, none below zero; M is a multiple of 64.

    Of rows 4g to 4g + 3 columns before ``left[g]`` need not be written.
    """
    zero = out.dtype.type(0.0)
    for j in range(0, out.shape[1], COLUMNS):
        for i in range(0, out.shape[0], ROWS):
            if left[i // ROWS] < j + COLUMNS:
                product_tile(a, i, b, 0, j, out, i, j)
                for r in range(ROWS):
                    d = out[i + r][j : j + COLUMNS]
                    for x in range(COLUMNS):
                        d[x] = max(d[x], zero)


@kernel
def _running_sums(b: Any, out: Any) -> None:
    """Sums over features (K, M) of each column, added in the order of `absolute_sums`."""
    out[:] = out.dtype.type(0.0)
    for k in range(b.shape[0]):
        row = b[k]
        for j in range(out.shape[0]):
            out[j] += row[j]


@kernel
def absolute_sums(a: Any, b: Any, left: Ints, out: Any) -> None:
    """Sum absolute differences: out[i, j] = sum_k |a[i, k] - b[k, j]| of (N, K) and (K, M) features.

    N is a multiple of 4 and M of 64. ``|x - y| = 2 max(x, y) - x - y``, so that a term takes one comparison and one
    addition; the sums of x and of y are added in the same order as the maxima, so that equal features cost nothing.
    Of rows 4g to 4g + 3 columns before ``left[g]`` need not be written.
    """
    zero, two = out.dtype.type(0.0), out.dtype.type(2.0)
    theirs = np.empty(b.shape[1], dtype=out.dtype)
    _running_sums(b, theirs)
    mine = np.zeros(out.shape[0], dtype=out.dtype)
    for i in range(out.shape[0]):
        for k in range(a.shape[1]):
            mine[i] += a[i, k]
    for j in range(0, out.shape[1], COLUMNS):
        their = theirs[j : j + COLUMNS]
        for i in range(0, out.shape[0], ROWS):
            if left[i // ROWS] < j + COLUMNS:
                largest_tile(a, i, b, 0, j, out, i, j)
                for r in range(ROWS):
                    d, own = out[i + r][j : j + COLUMNS], mine[i + r]
                    for x in range(COLUMNS):
                        d[x] = max(two * d[x] - own - their[x], zero)
