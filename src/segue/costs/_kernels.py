"""Compiled inner loops of the cost matrices. Inner loops run over one-dimensional rows, or they stay scalar."""

from typing import Any

import numpy as np

from segue._jit import fast_kernel


@fast_kernel
def _add_taps(total: Any, products: Any, row: int, taps: Any) -> None:
    """Add sum_o taps[o] * products[row + o, j + o] to total[j]; the number of taps is a multiple of 4."""
    columns = total.shape[0]
    for o in range(0, taps.shape[0], 4):
        w0, w1, w2, w3 = taps[o], taps[o + 1], taps[o + 2], taps[o + 3]
        p0 = products[row + o][o : o + columns]
        p1 = products[row + o + 1][o + 1 : o + 1 + columns]
        p2 = products[row + o + 2][o + 2 : o + 2 + columns]
        p3 = products[row + o + 3][o + 3 : o + 3 + columns]
        for j in range(columns):
            total[j] += w0 * p0[j] + w1 * p1[j] + w2 * p2[j] + w3 * p3[j]


@fast_kernel
def slide(products: Any, centroids: Any, energy_a: Any, energy_b: Any, taps: Any, out: Any) -> None:
    """Point-cloud costs (R, C) from frame products (3, R+T-1, C+T-1): windowed along the diagonals.

    ``products`` holds the same, cross and height sums of frame pairs, ``centroids`` (2, R, C) the same and cross
    sums of centroid paths; it is overwritten.
    """
    two = out.dtype.type(2.0)
    zero = out.dtype.type(0.0)
    heights = np.empty(out.shape[1], dtype=out.dtype)
    for r in range(out.shape[0]):
        same, cross = centroids[0, r], centroids[1, r]
        cell = out[r]
        heights[:] = zero
        _add_taps(same, products[0], r, taps)
        _add_taps(cross, products[1], r, taps)
        _add_taps(heights, products[2], r, taps)
        mine = energy_a[r]
        for j in range(out.shape[1]):
            best = np.sqrt(same[j] * same[j] + cross[j] * cross[j])
            cell[j] = max(mine + energy_b[j] - two * (heights[j] + best), zero)
