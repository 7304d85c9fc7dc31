"""Compiled inner loops of the point cloud's tiles. Inner loops run over one-dimensional rows, or they stay scalar."""

from typing import Any

from segue.accel.cloud_tiles import COMPLEX, aligned_tile, complex_tile, copy_row, standing_tile
from segue.accel.compiler import fast_kernel
from segue.accel.tiles import COLUMNS, ROWS, diagonal_tile, hypot_tile, product_tile
from segue.arrays import Ints

PANEL, CHUNK = 704, 16
"""Columns and rows of sums that are kept at once: few, so that costs have place beside them in a core's own cache."""
BEFORE = 64
"""Columns of windows before the first wanted, which slanted strips look at."""
SLANT = 128
"""Columns of a slanted strip: a few dozen rows of it stay in the core's nearest cache."""
FEW = 16
"""Rows of seven sums that are kept at once."""
NARROW = 64
"""Columns of a slanted strip where seven sums are added."""
LINE = 16
"""Numbers in a cache line."""
LANES = 64
"""Columns of a pass whose frames stay in the core's nearest cache."""
WIDE = LANES + 32
"""Room for the frames that their windows take."""
KEPT = 48
"""Frames whose sums are kept, the last of them in use."""
SUPPORTED, FRAMES = 448, 48
"""Columns and rows of sums over frame pairs whose weights change that are kept at once."""
STRIDE = SUPPORTED + 80
"""Columns of their memory, a stride known when compiling: an odd number of cache lines."""


@fast_kernel
def _copy(source: Any, goal: Any) -> None:
    """Copy a row: half the time to compile an assignment of arrays would go into its error message."""
    for x in range(goal.size):
        goal[x] = source[x]


@fast_kernel
def _frame_sums(side: Any, frames: Any, other: Any, at: int, sums: Any, goal: int, wide: int) -> None:
    """Products of some frames with ``wide`` columns from ``at`` on, to column ``goal`` of the sums.

    ``frames`` says the first row of the side, and the first and last row of the sums to fill.
    """
    top, low, high = frames
    for x in range(0, wide, COLUMNS):
        for f in range(low, high, ROWS):
            product_tile(side, top + f, other, 0, at + x, sums, f, goal + x)


@fast_kernel
def slide_fixed(rows: Any, columns: Any, start: int, taps: Any, sums: Any, left: Ints, out: Any) -> None:
    """Costs (R, C) of constant weights: products of frames, windowed along the diagonals, and of centroids' ways.

    ``rows`` holds ground, height and windows of all rows, of which ``start`` is the first wanted, ``columns`` the same
    of the columns, the first two T - 1 further frames or more, as `complex_tile`, `product_tile` and `aligned_tile`
    take them; ``taps`` (1, T). ``sums`` has place for three planes of CHUNK + T frames, rounded up to whole cache
    lines, of a panel's columns, those that windows take and three tiles; its rows are one number shorter than whole
    cache lines. Of rows 4g to 4g + 3 columns before ``left[g]`` need not be written; ``left`` rises.
    """
    reach = taps.shape[1] + -taps.shape[1] % ROWS
    halo = taps.shape[1] + -taps.shape[1] % COLUMNS
    below = sums.shape[0] // 3
    for c in range(0, out.shape[1], PANEL):
        wide, known = min(PANEL, out.shape[1] - c), 0
        for r in range(0, out.shape[0], CHUNK):
            first = max(left[r // ROWS] - c, 0) // COLUMNS * COLUMNS
            if first >= wide:
                break
            height = min(CHUNK, out.shape[0] - r)
            low, at, many = start + r + known, c + first, wide + halo - first
            high, top = start + r + height + reach, r + known
            known = reach  # the next rows meet these frames too
            for x in range(0, many, COMPLEX):
                for f in range(low, high, ROWS):
                    complex_tile(
                        rows[0], f, columns[0], at + x, sums, (top + f - low) % below, first + x, below
                    )
            for x in range(0, many, COLUMNS):
                for f in range(low, high, ROWS):
                    q = 2 * below + (top + f - low) % below
                    product_tile(rows[1], f, columns[1], 0, at + x, sums, q, first + x)
            for slant in range(first - CHUNK, wide, SLANT):
                for q in range(height):
                    for x in range(slant + q, min(slant + SLANT, wide) + q, COLUMNS):
                        if first - COLUMNS < x < wide:
                            places = (r + q) % below, x, below, start + r + q, BEFORE + c + x
                            aligned_tile(taps, sums, rows[2], columns[2], places)
            for q in range(height):
                copy_row(sums, (r + q) % below, first, out, r + q, c + first, wide - first)


@fast_kernel
def _plane(side: Any, other: Any, at: int, frames: Any, sums: Any, place: Any) -> None:
    """Products of some frames with columns from ``at`` on, to one of seven planes of the sums.

    ``frames`` says the first and last row of the side, and the first of the plane to fill, after whose last one the
    first follows; ``place`` says the plane, its first column to fill and how many.
    """
    (low, high, first), (plane, goal, wide), below = frames, place, sums.shape[0] // 7
    for x in range(0, wide, COLUMNS):
        for f in range(low, high, ROWS):
            q = plane * below + (first + f - low) % below
            product_tile(side, f, other, 0, at + x, sums, q, goal + x)


@fast_kernel
def slide_standing(rows: Any, columns: Any, start: int, taps: Any, sums: Any, left: Ints, out: Any) -> None:
    """Costs (R, C) of weights that change, of clips that stay in place: sums over frame pairs, windowed.

    ``rows`` holds ground, heights, middles along x and z, twice what supports, and windows of all rows, of which
    ``start`` is the first wanted; ``columns`` ground, heights, twice what supports, middles along x and z, and windows,
    T - 1 further frames or more, as `complex_tile`, `product_tile` and `standing_tile` take them; ``taps`` (1, T).
    ``sums`` has place for seven planes of FEW + T frames and SUPPORTED columns, as `slide_fixed`'s has for three. Of
    rows 4g to 4g + 3 columns before ``left[g]`` need not be written; ``left`` rises.
    """
    reach = taps.shape[1] + -taps.shape[1] % ROWS
    halo = taps.shape[1] + -taps.shape[1] % COLUMNS
    below = sums.shape[0] // 7
    for c in range(0, out.shape[1], SUPPORTED):
        wide, known = min(SUPPORTED, out.shape[1] - c), 0
        for r in range(0, out.shape[0], FEW):
            first = max(left[r // ROWS] - c, 0) // COLUMNS * COLUMNS
            if first >= wide:
                break
            height = min(FEW, out.shape[0] - r)
            low, at, many = start + r + known, c + first, wide + halo - first
            high, top = start + r + height + reach, (r + known) % below
            known = reach  # the next rows meet these frames too
            for x in range(0, many, COMPLEX):
                for f in range(low, high, ROWS):
                    q = (top + f - low) % below
                    complex_tile(rows[0], f, columns[0], at + x, sums, q, first + x, below)
            for m in range(1, 6):
                _plane(rows[m], columns[m], at, (low, high, top), sums, (m + 1, first, many))
            for slant in range(first - FEW, wide, NARROW):
                for q in range(height):
                    for x in range(slant + q, min(slant + NARROW, wide) + q, COMPLEX):
                        if first - COMPLEX < x < wide:
                            places = (r + q) % below, x, below, start + r + q, BEFORE + c + x
                            standing_tile(taps, sums, rows[6], columns[6], places)
            for q in range(height):
                copy_row(sums, (r + q) % below, first, out, r + q, c + first, wide - first)


@fast_kernel
def _seen_from_the_clips(room: Any, frame: int, at: int, left: int, rows: Any, mine: int, width: int) -> None:
    """Sums of one frame against ``width`` others, from the two clips' own origins, to a row of the kept frames."""
    row, sums, columns = room[1][at], room[0][frame][left:], room[2]
    w, ox, oz, squares = rows[mine, 0], rows[mine, 1], rows[mine, 2], rows[mine, 3]
    for j in range(width):
        weight = w + columns[j]
        dx, dz, own = columns[WIDE + j], columns[2 * WIDE + j], columns[3 * WIDE + j]
        rx, rz, tx, tz = (
            sums[3 * STRIDE + j],
            sums[4 * STRIDE + j],
            sums[5 * STRIDE + j],
            sums[6 * STRIDE + j],
        )
        here_x, here_z = rx + weight * ox, rz + weight * oz
        there_x, there_z = tx + weight * dx, tz + weight * dz
        row[j] = here_x
        row[WIDE + j] = here_z
        row[2 * WIDE + j] = there_x
        row[3 * WIDE + j] = there_z
        row[4 * WIDE + j] = sums[j] + (here_x * dx + here_z * dz) + (ox * tx + oz * tz)
        row[5 * WIDE + j] = sums[STRIDE + j] + (here_z * dx - here_x * dz) + (oz * tx - ox * tz)
        mine, theirs = ox * (rx + here_x) + oz * (rz + here_z), dx * (tx + there_x) + dz * (tz + there_z)
        row[6 * WIDE + j] = (sums[2 * STRIDE + j] + own + squares) + (mine + theirs)


@fast_kernel
def _best_aligned(room: Any, mine: Any, theirs: Any, left: int, out: Any, r: int) -> None:
    """Costs of windows from their sums (7, LANES): S - (|X|^2 + |Z|^2) / W - 2 |P - X conj(Z) / W|."""
    sums, turn, zero = room[3], room[4], out.dtype.type(0.0)
    one, two, half = sums.dtype.type(1.0), out.dtype.type(-2.0), sums.dtype.type(-0.5)
    every, turned, weights, cell = (
        sums.reshape(7 * LANES),
        turn.reshape(3 * LANES),
        theirs[4][left:],
        out[r][left:],
    )
    for j in range(LANES):
        x, z, u, v = every[j], every[LANES + j], every[2 * LANES + j], every[3 * LANES + j]
        share = one / (mine + weights[j])
        turned[j] = every[4 * LANES + j] - (x * u + z * v) * share
        turned[LANES + j] = every[5 * LANES + j] - (z * u - x * v) * share
        turned[2 * LANES + j] = half * (every[6 * LANES + j] - (x * x + z * z + u * u + v * v) * share)
    for part in range(0, LANES, COLUMNS):
        hypot_tile(turn, 0, turn, 1, part, turn, 2, part)
    for j in range(LANES):
        cell[j] = max(two * turned[2 * LANES + j], zero)


@fast_kernel
def _slide_seen(room: Any, rows: Any, theirs: Any, taps: Any, places: Any, out: Any) -> None:
    """Costs of some rows of LANES columns; ``room`` is `sweep`'s.

    ``places`` says where: the first row of ``rows`` and of ``out`` and how many, the column of the sums and of ``out``.
    """
    (top, first, height, left, goal), reach = places, taps.shape[1]
    kept, windowed, at = room[1], room[3], 0
    width = LANES + reach - 1 + -(reach - 1) % LINE
    for s in range(height + reach - 1):
        if at == KEPT:  # the frames still needed move to the front
            for f in range(reach - 1):
                _copy(kept[KEPT - reach + 1 + f], kept[f])
            at = reach - 1
        _seen_from_the_clips(room, s, at, left, rows, top + s, width)
        at += 1
        q = s - reach + 1
        if q >= 0:
            windowed[:] = kept.dtype.type(0.0)
            for m in range(7):
                for part in range(0, LANES, COLUMNS):
                    diagonal_tile(taps, 0, kept, at - reach, m * WIDE + part, windowed, m, part)
            _best_aligned(room, rows[top + q, 4], theirs, goal, out, first + q)


@fast_kernel
def sweep(
    rows: Any, columns: Any, start: int, weights: Any, taps: Any, room: Any, left: Ints, out: Any
) -> None:
    """Costs (R, C) of weights that change, from sums over frame pairs, each frame seen from its own middle.

    ``rows`` holds what is multiplied of all rows, of which ``start`` is the first wanted: ground, height, middles along
    x and along z, supports; ``columns`` the other sides: ground, turned ground, height, supports, middles along x and
    along z, T - 1 further frames or more. ``weights`` holds (., 5) weight, place, squares and window's weight of row
    frames, and (5, .) friction, place, squares and window's friction of column frames, in the type in which sums are
    slid; ``taps`` (1, T), T at most WIDE - LANES. ``room`` has place for sums (FRAMES + T rounded up, 7 STRIDE), and in
    the type of the weights for kept frames (KEPT, 7 WIDE), columns (4 WIDE) and sums (7, LANES), and for turns
    (3, LANES). Of rows 4g to 4g + 3 columns before ``left[g]`` need not be written; ``left`` rises.
    """
    reach = taps.shape[1] + -taps.shape[1] % ROWS
    halo = taps.shape[1] - 1 + -(taps.shape[1] - 1) % COLUMNS
    (mine, theirs), sums, near = weights, room[0], room[2]
    for c in range(0, out.shape[1], SUPPORTED):
        wide, known = min(SUPPORTED, out.shape[1] - c), 0
        for r in range(0, out.shape[0], FRAMES):
            first = max(left[r // ROWS] - c, 0) // LANES * LANES
            if first >= wide:
                break
            height = min(FRAMES, out.shape[0] - r)
            for f in range(known):  # frames that the rows before have met
                _copy(sums[FRAMES + f], sums[f])
            frames, many = (start + r, known, height + reach), wide + halo - first
            known = reach
            for m in range(7):
                side = rows[0 if m < 2 else min(m - 1, 4)]
                other = columns[m if m < 4 else m - 1]
                _frame_sums(side, frames, other, c + first, sums, m * STRIDE + first, many)
            for x in range(first, wide, LANES):
                for m in range(4):
                    _copy(theirs[m, c + x : c + x + WIDE], near[m * WIDE : (m + 1) * WIDE])
                _slide_seen(room, mine, theirs, taps, (start + r, r, height, x, c + x), out)
