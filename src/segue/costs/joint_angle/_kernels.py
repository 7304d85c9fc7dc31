"""Compiled inner loop of the joint-angle cost: everything a tile of it takes, while its features are at hand."""

from typing import Any

import numpy as np

from segue.accel.compiler import kernel
from segue.accel.tiles import COLUMNS, ROWS, angle_tile, product_tile
from segue.arrays import Ints


@kernel
def _add_places(here: Any, i: int, there: Any, j: int, tile: Any) -> None:
    """Add squared gaps of places (N, D) and (D, M), which may have more digits than costs, to a tile."""
    for r in range(ROWS):
        for d in range(here.shape[1]):
            mine, theirs = here[i + r, d], there[d]
            for x in range(COLUMNS):
                gap = mine - theirs[j + x]
                tile[r, x] += tile.dtype.type(gap * gap)


@kernel
def joint_angles(mine: Any, theirs: Any, terms: Any, left: Ints, out: Any, at: Any) -> None:
    """Write sums of products of velocities, squared gaps of heights and places, and squared half angles.

    ``mine`` are features of N rows: velocities (N, V), quaternions (N, 4K), heights (N, 1), places (N, D), the latter
    perhaps none; ``theirs`` the same of M columns, turned. ``terms`` (K, 7) are each joint's weight times the
    coefficients of ``acos(1 - u)^2 = u p(u)`` in rising order. Nothing falls below zero.

    ``at`` is the first row and column of ``out``, and how many rows (N or up to 3 fewer, N a multiple of 4) and columns
    are written; M is at least that rounded up to a multiple of 64. Of rows 4g to 4g + 3 columns before ``left[g]`` need
    not be written.
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
