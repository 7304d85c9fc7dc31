"""Compiled inner loops of the point cloud's tiles. Inner loops run over one-dimensional rows, or they stay scalar."""

from typing import Any

import numpy as np

from segue._jit import fast_kernel
from segue._vectors import COLUMNS, ROWS, diagonal_tile, length_tile, product_tile
from segue.arrays import Ints

PANEL, CHUNK = 704, 64
"""Columns and rows of sums that are kept at once."""
LINE = 16
"""Numbers in a cache line."""
LANES = 64
"""Columns of a pass."""
WIDE = LANES + 24
"""Room for the frames that their windows take: a stride known when compiling."""
ROW = 7 * WIDE
KEPT = 48
"""Frames whose sums are kept, the last of them in use."""


@fast_kernel
def _apart(energy: Any, level: Any, theirs: Any, left: int, along: Any, cell: Any) -> None:
    """Costs of a row of a tile: what two windows are apart less twice what they have in common when best turned."""
    two, zero = cell.dtype.type(2.0), cell.dtype.type(0.0)
    energies, levels = theirs[0][left : left + COLUMNS], theirs[1][left : left + COLUMNS]
    for x in range(COLUMNS):
        lift = level - levels[x]
        cell[x] = max(energy + energies[x] + lift * lift - two * along[x], zero)


@fast_kernel
def slide_fixed(rows: Any, columns: Any, start: int, windows: Any, taps: Any, left: Ints, out: Any) -> None:
    """Costs (R, C) of constant weights: products of frames, windowed along the diagonals, and of centroids' ways.

    ``rows`` holds ground, height, path and rise of all rows, of which ``start`` is the first wanted, ``columns``
    ground, turned ground, height, path, turned path and rise of the columns, the first three T - 1 further frames or
    more. ``windows`` holds energies and mean heights of windows, (2, .) of all rows and (2, C); ``taps`` (1, T). Sums
    of a few hundred columns and some rows stay in a core's cache. Of rows 4g to 4g + 3 columns before ``left[g]`` need
    not be written; ``left`` rises.
    """
    reach = taps.shape[1] + -taps.shape[1] % ROWS
    halo = taps.shape[1] + -taps.shape[1] % COLUMNS
    lines = (
        min(PANEL, out.shape[1]) + halo
    ) // LINE  # rows of an odd number of them do not crowd one another out
    sums = np.empty((3, CHUNK + reach, LINE * (lines + 1 - lines % 2)), dtype=out.dtype)
    ways = np.empty((3, CHUNK, COLUMNS), dtype=out.dtype)
    for c in range(0, out.shape[1], PANEL):
        wide, known = min(PANEL, out.shape[1] - c), 0
        for r in range(0, out.shape[0], CHUNK):
            first = max(left[r // ROWS] - c, 0) // COLUMNS * COLUMNS
            if first >= wide:
                break
            height = min(CHUNK, out.shape[0] - r)
            for f in range(known):  # frames that the rows before have met
                for m in range(3):
                    sums[m, f] = sums[m, CHUNK + f]
            ground, level, path, rise = (
                rows[0][start + r :],
                rows[1][start + r :],
                rows[2][start + r :],
                rows[3][start + r :],
            )
            for x in range(first, wide + halo, COLUMNS):
                for f in range(known, height + reach, ROWS):
                    product_tile(ground, f, columns[0], c + x, sums[0], x)
                    product_tile(ground, f, columns[1], c + x, sums[1], x)
                    product_tile(level, f, columns[2], c + x, sums[2], x)
            known = reach
            for x in range(first, wide, COLUMNS):
                for q in range(0, height, ROWS):
                    product_tile(path, q, columns[3], c + x, ways[0], 0)
                    product_tile(path, q, columns[4], c + x, ways[1], 0)
                    product_tile(rise, q, columns[5], c + x, ways[2], 0)
                for q in range(height):
                    for m in range(3):
                        diagonal_tile(taps, q, sums[m], x, ways[m], 0)
                    length_tile(ways[0], q, ways[1], 0, ways[2], 0)
                    energy, lift = windows[0][0, start + r + q], windows[0][1, start + r + q]
                    _apart(energy, lift, windows[1], c + x, ways[2, q], out[r + q][c + x : c + x + COLUMNS])


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
