"""Compiled inner loops of the point cloud's tiles. Inner loops run over one-dimensional rows, or they stay scalar."""

from typing import Any

import numpy as np

from segue._jit import fast_kernel


@fast_kernel
def _add_taps(total: Any, frames: Any, row: int, taps: Any) -> None:
    """Add sum_o taps[o] * frames[row + o, j + o] to total[j]; the number of taps is a multiple of 6."""
    columns = total.shape[0]
    for o in range(0, taps.shape[0], 6):
        w0, w1, w2, w3, w4, w5 = taps[o], taps[o + 1], taps[o + 2], taps[o + 3], taps[o + 4], taps[o + 5]
        p0 = frames[row + o][o : o + columns]
        p1 = frames[row + o + 1][o + 1 : o + 1 + columns]
        p2 = frames[row + o + 2][o + 2 : o + 2 + columns]
        p3 = frames[row + o + 3][o + 3 : o + 3 + columns]
        p4 = frames[row + o + 4][o + 4 : o + 4 + columns]
        p5 = frames[row + o + 5][o + 5 : o + 5 + columns]
        for j in range(columns):
            first = w0 * p0[j] + w1 * p1[j] + w2 * p2[j]
            total[j] += first + (w3 * p3[j] + w4 * p4[j] + w5 * p5[j])


@fast_kernel
def slide_fixed(frames: Any, paths: Any, a: Any, b: Any, taps: Any, out: Any) -> None:
    """Costs (R, C) of constant weights from sums over frame pairs (3, R+T-1, C+T-1), windowed along the diagonals.

    ``frames`` holds the same, cross and height sums of frame pairs, ``paths`` (3, R, C) those of the centroids' ways;
    it is overwritten. ``a`` (2, R) and ``b`` (2, C) hold energies and mean heights of windows.
    """
    two, zero = out.dtype.type(2.0), out.dtype.type(0.0)
    for r in range(out.shape[0]):
        same, cross, height = paths[0, r], paths[1, r], paths[2, r]
        _add_taps(same, frames[0], r, taps)
        _add_taps(cross, frames[1], r, taps)
        _add_taps(height, frames[2], r, taps)
        energy, level = a[0, r], a[1, r]
        energies, levels, cell = b[0], b[1], out[r]
        for j in range(out.shape[1]):
            lift = level - levels[j]
            best = np.sqrt(same[j] * same[j] + cross[j] * cross[j])
            cell[j] = max(energy + energies[j] + lift * lift - two * (height[j] + best), zero)
