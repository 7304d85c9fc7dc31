"""Compiled inner loops of the point cloud's tiles. Inner loops run over one-dimensional rows, or they stay scalar."""

from typing import Any

import numpy as np

from segue._jit import fast_kernel

LANES = 64
"""Columns of a pass."""
WIDE = LANES + 24
"""Room for the frames that their windows take: a stride known when compiling."""
ROW = 7 * WIDE
KEPT = 48
"""Frames whose sums are kept, the last of them in use."""


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


@fast_kernel
def _seen_from_the_clips(
    row: Any, frames: Any, frame: int, at: Any, columns: Any, pattern: Any, left: int, width: int
) -> None:
    """Write to ``row`` (7 WIDE) the sums of one frame against ``width`` others, from the two clips' own origins."""
    w, ox, oz, squares = at[0], at[1], at[2], at[3]
    products, crosses, gaps = frames[0, frame], frames[1, frame], frames[2, frame]
    xs, zs = frames[3, frame], frames[4, frame]
    p, q, s = products[left : left + width], crosses[left : left + width], gaps[left : left + width]
    rx, rz = xs[left : left + width], zs[left : left + width]
    for j in range(width):
        weight = w + columns[j]
        dx, dz, tx, tz = columns[WIDE + j], columns[2 * WIDE + j], pattern[j], pattern[WIDE + j]
        here_x, here_z = rx[j] + weight * ox, rz[j] + weight * oz
        there_x, there_z = tx + weight * dx, tz + weight * dz
        row[j] = here_x
        row[WIDE + j] = here_z
        row[2 * WIDE + j] = there_x
        row[3 * WIDE + j] = there_z
        row[4 * WIDE + j] = p[j] + (here_x * dx + here_z * dz) + (ox * tx + oz * tz)
        row[5 * WIDE + j] = q[j] + (here_z * dx - here_x * dz) + (oz * tx - ox * tz)
        mine, theirs = (
            ox * (rx[j] + here_x) + oz * (rz[j] + here_z),
            dx * (tx + there_x) + dz * (tz + there_z),
        )
        row[6 * WIDE + j] = (s[j] + pattern[2 * WIDE + j] + squares) + (mine + theirs)


@fast_kernel
def _twelve_taps(kept: Any, first: int, taps: Any, sums: Any) -> None:
    """Slide all seven sums over eleven or twelve frames: one pass, everything in registers."""
    w0, w1, w2, w3, w4, w5 = taps[0], taps[1], taps[2], taps[3], taps[4], taps[5]
    w6, w7, w8, w9, w10, w11 = taps[6], taps[7], taps[8], taps[9], taps[10], taps[11]
    for part in range(7):
        p = kept[first * ROW + part * WIDE : (first + 12) * ROW]
        total = sums[part * LANES : (part + 1) * LANES]
        for j in range(LANES):
            a = w0 * p[j] + w1 * p[ROW + 1 + j] + w2 * p[2 * ROW + 2 + j] + w3 * p[3 * ROW + 3 + j]
            b = w4 * p[4 * ROW + 4 + j] + w5 * p[5 * ROW + 5 + j] + w6 * p[6 * ROW + 6 + j]
            c = w7 * p[7 * ROW + 7 + j] + w8 * p[8 * ROW + 8 + j] + w9 * p[9 * ROW + 9 + j]
            total[j] = (a + b) + (c + (w10 * p[10 * ROW + 10 + j] + w11 * p[11 * ROW + 11 + j]))


@fast_kernel
def _any_taps(kept: Any, first: int, taps: Any, sums: Any) -> None:
    """Slide all seven sums over a multiple of six frames."""
    sums[:] = sums.dtype.type(0.0)
    for part in range(7):
        total = sums[part * LANES : (part + 1) * LANES]
        for o in range(0, taps.shape[0], 6):
            w0, w1, w2, w3, w4, w5 = taps[o], taps[o + 1], taps[o + 2], taps[o + 3], taps[o + 4], taps[o + 5]
            p = kept[(first + o) * ROW + part * WIDE + o : (first + o + 6) * ROW]
            for j in range(LANES):
                a = w0 * p[j] + w1 * p[ROW + 1 + j] + w2 * p[2 * ROW + 2 + j]
                total[j] += a + (w3 * p[3 * ROW + 3 + j] + w4 * p[4 * ROW + 4 + j] + w5 * p[5 * ROW + 5 + j])


@fast_kernel
def _best_aligned(sums: Any, mine: Any, theirs: Any, out: Any) -> None:
    """Costs of windows from their sums: S - (|X|^2 + |Z|^2) / W - 2 |P - X conj(Z) / W|."""
    zero, two, one = out.dtype.type(0.0), out.dtype.type(2.0), sums.dtype.type(1.0)
    for j in range(LANES):
        x, z, u, v = sums[j], sums[LANES + j], sums[2 * LANES + j], sums[3 * LANES + j]
        share = one / (mine + theirs[j])
        least = sums[6 * LANES + j] - (x * x + z * z + u * u + v * v) * share
        same = out.dtype.type(sums[4 * LANES + j] - (x * u + z * v) * share)
        cross = out.dtype.type(sums[5 * LANES + j] - (z * u - x * v) * share)
        out[j] = max(out.dtype.type(least) - two * np.sqrt(same * same + cross * cross), zero)


@fast_kernel
def sweep(frames: Any, index: Any, rows: Any, columns: Any, patterns: Any, taps: Any, out: Any) -> None:
    """Costs (R, C) of weights that change, from sums over frame pairs, each frame seen from its own middle.

    ``frames`` (5, ., C+T) holds products, crosses, squares and the middles' x and z of frame pairs; ``index`` (R+T, 2)
    says in which of its rows a frame stands, and which of the ``patterns`` (., 3, C+T) its contacts make: the columns'
    middles under its weights, and their squares. ``rows`` (R+T, 5) holds weight, place, squares and window's weight of
    a frame, ``columns`` (4, C+T) weight, place and window's weight. Sums are slid in the type of ``rows``. C is a
    multiple of LANES, the number of taps of 6 and at most WIDE - LANES.
    """
    reach, width = taps.shape[0], LANES + taps.shape[0]
    kept = np.zeros(KEPT * ROW, dtype=rows.dtype)
    sums = np.empty(7 * LANES, dtype=rows.dtype)
    near = np.empty(3 * WIDE, dtype=rows.dtype)
    known = np.empty((patterns.shape[0], 3 * WIDE), dtype=rows.dtype)
    for left in range(0, out.shape[1], LANES):
        for m in range(3):
            near[m * WIDE : m * WIDE + width] = columns[m, left : left + width]
            for p in range(patterns.shape[0]):
                known[p, m * WIDE : m * WIDE + width] = patterns[p, m, left : left + width]
        theirs, at = columns[3][left : left + LANES], 0
        for s in range(out.shape[0] + reach - 1):
            if at == KEPT:  # the frames still needed move to the front
                kept[: (reach - 1) * ROW] = kept[(KEPT - reach + 1) * ROW :]
                at = reach - 1
            row = kept[at * ROW : (at + 1) * ROW]
            kind = known[index[s, 1]]
            _seen_from_the_clips(row, frames, index[s, 0], rows[s], near, kind, left, width)
            at += 1
            if s >= reach - 1:
                if reach == 12:
                    _twelve_taps(kept, at - reach, taps, sums)
                else:
                    _any_taps(kept, at - reach, taps, sums)
                _best_aligned(sums, rows[s - reach + 1, 4], theirs, out[s - reach + 1][left : left + LANES])
