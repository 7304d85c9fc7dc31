"""Compiled inner loops of the cost matrices, tile by tile.

In order: sums of differences; the joint-angle cost, one tile completely while its features are cached; the point
cloud's sums over frame pairs, windowed along the diagonals; lower bounds, near tiles and tiles that hold a low cell.
"""

from typing import Any

import numpy as np

from segue.accel.cloud_tiles import COMPLEX, aligned_tile, complex_tile, standing_tile
from segue.accel.compiler import fast_kernel, kernel
from segue.accel.tiles import (
    COLUMNS,
    NUMBERS,
    ROWS,
    SQUARE,
    angle_tile,
    gap_tile,
    lowest_bit,
    near_bits,
    product_tile,
    square_products,
)
from segue.arrays import Ints


@kernel
def _write_part(tile: Any, out: Any, at: Any, size: Any) -> None:
    """Write the first rows and columns of a tile, as many as fit."""
    (row, column), (height, width) = at, size
    for r in range(min(ROWS, height)):
        goal, part = out[row + r][column:], tile[r]
        for x in range(min(COLUMNS, width)):
            goal[x] = part[x]


@fast_kernel
def squared_gaps(a: Any, b: Any, left: Ints, out: Any, at: Any) -> None:
    """Write products of (N, K) and (K, M) features, clamped at zero, to the part ``at`` of ``out``.

    ``at`` is the first row and column of ``out`` and the number of rows (N or up to 3 fewer, N a multiple of
    4) and columns to write; M is at least that rounded up to a multiple of 64. In rows 4g to 4g + 3, columns
    before ``left[g]`` need not be written.
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
    """Write ``sum_k |a[i, k] - b[k, j]|`` of (N, K) and (K, M) features to the part ``at`` of ``out``.

    Sizes and ``at`` are those of `squared_gaps`. ``|x - y| = 2 max(x, y) - x - y``, so that a term takes one
    comparison and one addition; the sums of x and of y are added in the same order as the maxima, so that
    equal features cost exactly zero. In rows 4g to 4g + 3, columns before ``left[g]`` need not be written.
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


@kernel
def _add_places(here: Any, i: int, there: Any, j: int, tile: Any) -> None:
    """Add squared distances of positions (N, D) and (D, M) to a tile; positions may have more digits than costs."""
    for r in range(ROWS):
        for d in range(here.shape[1]):
            mine, theirs = here[i + r, d], there[d]
            for x in range(COLUMNS):
                gap = mine - theirs[j + x]
                tile[r, x] += tile.dtype.type(gap * gap)


@kernel
def joint_angles(mine: Any, theirs: Any, terms: Any, left: Ints, out: Any, at: Any) -> None:
    """Write sums of products of velocities, squared differences of heights and positions, and squared half angles.

    ``mine`` are features of N rows: velocities (N, V), quaternions (N, 4K), heights (N, 1), positions (N, D),
    where D may be 0; ``theirs`` the same of M columns, transposed. ``terms`` (K, 7) are each joint's weight
    times the coefficients of ``acos(1 - u)^2 = u p(u)`` in ascending order. Results are clamped at zero.

    ``at`` is the first row and column of ``out`` and the number of rows (N or up to 3 fewer, N a multiple of
    4) and columns to write; M is at least that rounded up to a multiple of 64. In rows 4g to 4g + 3, columns
    before ``left[g]`` need not be written.
    """
    row, column, height, width = at
    (moving, angles, heights, places), (moved, turned, highs, stands) = mine, theirs
    tile = np.empty((ROWS, COLUMNS), dtype=out.dtype)
    for j in range(0, width, COLUMNS):
        for i in range(0, height, ROWS):
            if left[i // ROWS] < j + COLUMNS:
                product_tile(moving, i, moved, 0, j, tile, 0, 0)
                if places.shape[1] > 0:
                    _add_places(places, i, stands, j, tile)
                angle_tile(angles, i, turned, j, terms, heights, highs, tile, 0, 0)
                for r in range(min(ROWS, height - i)):
                    goal, part = out[row + i + r][column + j :], tile[r]
                    for x in range(min(COLUMNS, width - j)):
                        goal[x] = part[x]


CHUNK = 16
"""Rows of sums kept in one pass: few, so that costs fit next to them in a core's own cache."""
BEFORE = 64
"""Columns of windows before the first wanted one, which slanted strips read."""
SLANT = 128
"""Columns of a slanted strip: a few dozen rows of it stay in the L1 cache."""
NARROW = 64
"""Columns of a slanted strip with seven sums."""
LINE = 16
"""Numbers per cache line."""
SIDE = 64
"""Columns moved to the clips' origins in one pass, a multiple of `COLUMNS`."""


@fast_kernel
def _copy(source: Any, goal: Any) -> None:
    """Copy a row: an array assignment takes twice as long to compile, because of its error message."""
    for x in range(goal.size):
        goal[x] = source[x]


@fast_kernel
def _plane(side: Any, other: Any, at: int, frames: Any, sums: Any, place: Any) -> None:
    """Write products of some frames with columns from ``at`` on to one plane of the sums.

    ``frames`` holds the first and last row of the side, and the first row of the plane to fill; plane rows wrap round.
    ``place`` holds the plane's start and length, the first column to fill and the number of columns.
    """
    (low, high, first), (top, below, goal, wide) = frames, place
    for x in range(0, wide, COLUMNS):
        for f in range(low, high, ROWS):
            product_tile(side, f, other, 0, at + x, sums, top + (first + f - low) % below, goal + x)


@fast_kernel
def _moved(moves: Any, frame: int, at: int, products: Any, sums: Any, q: int, place: Any) -> None:
    """Move sums of one frame against others from each frame's own centre to the two clips' origins.

    ``moves`` as in `slide`; ``q`` is the frame's row in its planes; ``place`` holds the first column and their number.
    """
    (rows, columns, near, theirs, out), (first, wide), below = moves, place, sums.shape[0] // 7
    w, ox, oz, squares = rows[frame, 0], rows[frame, 1], rows[frame, 2], rows[frame, 3]
    for x in range(first, first + wide, SIDE):
        for m in range(7):
            _copy(products[m * below + q, x : x + SIDE], near[m * SIDE : (m + 1) * SIDE])
        for m in range(4):
            _copy(columns[m, at + x - first : at + x - first + SIDE], theirs[m * SIDE : (m + 1) * SIDE])
        for j in range(SIDE):
            weight = w + theirs[j]
            dx, dz, own = theirs[SIDE + j], theirs[2 * SIDE + j], theirs[3 * SIDE + j]
            rx, rz, tx, tz = near[3 * SIDE + j], near[4 * SIDE + j], near[5 * SIDE + j], near[6 * SIDE + j]
            here_x, here_z = rx + weight * ox, rz + weight * oz
            out[j] = near[j] + (here_x * dx + here_z * dz) + (ox * tx + oz * tz)
            out[SIDE + j] = near[SIDE + j] + (here_z * dx - here_x * dz) + (oz * tx - ox * tz)
            there_x, there_z = tx + weight * dx, tz + weight * dz
            mine, other = ox * (rx + here_x) + oz * (rz + here_z), dx * (tx + there_x) + dz * (tz + there_z)
            out[2 * SIDE + j] = (near[2 * SIDE + j] + own + squares) + (mine + other)
            out[3 * SIDE + j] = here_x
            out[4 * SIDE + j] = here_z
            out[5 * SIDE + j] = there_x
            out[6 * SIDE + j] = there_z
        for m in range(7):
            _copy(out[m * SIDE : (m + 1) * SIDE], sums[m * below + q, x : x + SIDE])


@fast_kernel
def slide(
    rows: Any,
    columns: Any,
    windows: Any,
    start: int,
    taps: Any,
    room: Any,
    left: Ints,
    out: Any,
    changes: Any,
    moves: Any,
) -> None:
    """Compute costs (R, C) of windowed point clouds: frame products, windowed along the diagonals, plus window terms.

    ``changes`` is None if weights do not change; then three planes are summed: real, imaginary, vertical; else seven:
    P, real and imaginary, S, X along x and z, Z along x and z. ``rows`` holds the factors of all rows, of which
    ``start`` is the first wanted: ground as `complex_tile` takes it, then one array for each further plane; ``columns``
    the same of the columns, with at least T - 1 further frames; ``windows`` the terms of rows and columns added to
    windows, as `aligned_tile` or `standing_tile` take them; ``taps`` (1, T).

    ``room`` holds the buffer of sums, that of products (the same one unless clips travel), and the number of
    columns summed in one pass. Sums need planes of CHUNK + T frames, rounded up to whole cache lines, of that
    many columns plus those of the windows and three tiles; their rows are one number shorter than a multiple
    of the cache line. In rows 4g to 4g + 3, columns before ``left[g]`` need not be written; ``left`` ascends.

    ``moves`` is None if products are relative to each clip's origin. If clips travel, products are relative
    to the centre of each frame and moved in float64: rows (., 4) and columns (4, .) of weight (or supporting
    weight), centre along x and z and squares; then buffers of seven times `SIDE` products, four times `SIDE`
    columns and seven times `SIDE` sums.
    """
    (sums, products, panel), reach = room, taps.shape[1] + -taps.shape[1] % ROWS
    halo = taps.shape[1] + -taps.shape[1] % COLUMNS
    below = sums.shape[0] // (3 if changes is None else 7)
    slant, tile = (SLANT, COLUMNS) if changes is None else (NARROW, COMPLEX)
    for c in range(0, out.shape[1], panel):
        wide, known = min(panel, out.shape[1] - c), 0
        for r in range(0, out.shape[0], CHUNK):
            first = max(left[r // ROWS] - c, 0) // COLUMNS * COLUMNS
            if first >= wide:
                break
            height = min(CHUNK, out.shape[0] - r)
            low, at, many = start + r + known, c + first, wide + halo - first
            high, top = start + r + height + reach, (r + known) % below
            known = reach  # already computed for the next rows
            for x in range(0, many, COMPLEX):
                for f in range(low, high, ROWS):
                    q = (top + f - low) % below
                    complex_tile(rows[0], f, columns[0], at + x, products, q, first + x, below)
            for m in range(1, len(rows)):
                place = (m + 1) * below, below, first, many
                _plane(rows[m], columns[m], at, (low, high, top), products, place)
            if moves is not None:
                for f in range(low, high):
                    _moved(moves, f, at, products, sums, (top + f - low) % below, (first, many))
            for begin in range(first - CHUNK, wide, slant):
                for q in range(height):
                    for x in range(begin + q, min(begin + slant, wide) + q, tile):
                        if first - tile < x < wide:
                            places = (r + q) % below, x, below, start + r + q, BEFORE + c + x
                            if changes is None:
                                aligned_tile(taps, sums, windows[0], windows[1], places)
                            else:
                                standing_tile(taps, sums, windows[0], windows[1], places)
            for q in range(height):
                _copy(sums[(r + q) % below, first:wide], out[r + q, c + first : c + wide])


TILES = COLUMNS // SQUARE
"""Tiles of columns whose bounds are computed in one pass."""


@fast_kernel
def near_tiles(rows: Any, columns: Any, at: Ints, first: Any, kept: Any) -> Any:
    """Find the tiles of columns whose bounding balls touch each tile of rows; numbers are listed row by row.

    ``rows`` holds ground (R, G) and height (R, H) of each tile's representative, ``columns`` plain and turned ground
    (G, C) and height (H, C), energies and radii among the heights. Rows ``at[0]`` to ``at[1]`` and columns ``at[2]`` to
    ``at[3]`` are checked, in row ``at[0] + r`` from column ``at[2] + first[r]`` on; up to three rows and COLUMNS
    columns more may be read. Fills ``kept`` with numbers counted from ``at[2]`` and returns the end of each row's part.
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
    """Find the pairs of tiles in which some cell's lower bound is at most a limit; return their number.

    ``rows`` and ``columns`` are the tiles of both sides as `segue.accel.tiles.square_products` takes them.
    ``near`` are the numbers and ends of `near_tiles`, from tile ``at[0]`` of the rows and ``at[1]`` of the
    columns on; ``out`` (P, 2) receives tiles of rows and of columns.
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
