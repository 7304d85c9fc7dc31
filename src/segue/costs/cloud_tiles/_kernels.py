"""The compiled loop of the point cloud's tiles: sums over frame pairs, windowed along the diagonals."""

from typing import Any

from segue.accel.cloud_tiles import COMPLEX, aligned_tile, complex_tile, standing_tile
from segue.accel.compiler import fast_kernel
from segue.accel.tiles import COLUMNS, ROWS, product_tile
from segue.arrays import Ints

CHUNK = 16
"""Rows of sums that are kept at once: few, so that costs have place beside them in a core's own cache."""
BEFORE = 64
"""Columns of windows before the first wanted, which slanted strips look at."""
SLANT = 128
"""Columns of a slanted strip: a few dozen rows of it stay in the core's nearest cache."""
NARROW = 64
"""Columns of a slanted strip where seven sums are added."""
LINE = 16
"""Numbers in a cache line."""
SIDE = 64
"""Columns that are moved to the clips' origins at once, a divisor of no less than `COLUMNS`."""


@fast_kernel
def _copy(source: Any, goal: Any) -> None:
    """Copy a row: half the time to compile an assignment of arrays would go into its error message."""
    for x in range(goal.size):
        goal[x] = source[x]


@fast_kernel
def _plane(side: Any, other: Any, at: int, frames: Any, sums: Any, place: Any) -> None:
    """Products of some frames with columns from ``at`` on, to one plane of the sums.

    ``frames`` says the first and last row of the side, and the first of the plane to fill, after whose last one the
    first follows; ``place`` says where the plane begins and how long it is, its first column to fill and how many.
    """
    (low, high, first), (top, below, goal, wide) = frames, place
    for x in range(0, wide, COLUMNS):
        for f in range(low, high, ROWS):
            product_tile(side, f, other, 0, at + x, sums, top + (first + f - low) % below, goal + x)


@fast_kernel
def _moved(moves: Any, frame: int, at: int, products: Any, sums: Any, q: int, place: Any) -> None:
    """Sums of one frame against others from the two clips' own origins, from sums from each frame's own middle.

    ``moves`` is `slide`'s; ``q`` the frame's row in its planes; ``place`` says the first column and how many.
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
    """Costs (R, C) of windowed point clouds: products of frames, windowed along the diagonals, and what windows add.

    Which weights count is data. Where none changes, ``changes`` is None and three planes are summed: real, imaginary,
    upward; else seven: P, real and imaginary, S, X along x and z, Z along x and z. ``rows`` holds what is multiplied of
    all rows, of which ``start`` is the first wanted: ground as `complex_tile` takes it, then one array for each further
    plane; ``columns`` the same of the columns, T - 1 further frames or more; ``windows`` rows and columns of what is
    added to windows, as `aligned_tile` or `standing_tile` take it; ``taps`` (1, T).

    ``room`` holds sums, products, which are the sums themselves unless clips travel, and how many columns are summed at
    once. Sums have place for planes of CHUNK + T frames, rounded
    up to whole cache lines, of so many columns, those that windows take and three tiles; their rows are one number
    shorter than whole cache lines. Of rows 4g to 4g + 3 columns before ``left[g]`` need not be written; ``left`` rises.

    ``moves`` is None where products are seen from each clip's origin. Where clips travel, they are seen from the middle
    of each frame and moved in float64: rows (., 4) and columns (4, .) of weight, or what supports, middle along x and z
    and squares; room for seven times `SIDE` products, four times `SIDE` columns and seven
    times `SIDE` sums.
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
            known = reach  # the next rows meet these frames too
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
