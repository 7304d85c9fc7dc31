"""From minima to transition points: sweet spots, the threshold, and the mean along the blend itself.

The source (section 4.5) prunes its minima three times: below the threshold; one minimum for each sweet
spot; mean cost around the minimum below the threshold, which stands for velocity. Two modes:

centre
    The default. Both frames of an aligned minimum lie in the middle of the blend, so the blend runs over
    cells ``(i-h, j-h) ... (i+h, j+h)`` and a sweet spot keeps its cheapest minimum. Merging before or after
    the threshold is then the same, so raising the threshold only ever adds points.
source
    The source's own: leave at i, arrive at j, over cells ``(i, j-k+1) ... (i+k-1, j)``. A sweet spot keeps
    the smallest A and the largest B frame, whose blend lies deepest inside it.

The way back (leave B at j, arrive in A at i) is judged by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from segue.arrays import Bools, Costs, Floats, Ints, frozen
from segue.errors import SettingError
from segue.settings import SearchMode
from segue.settings.search import check_mode
from segue.transitions import _kernels
from segue.transitions.copies import SharedMotion
from segue.transitions.means import means_at


@dataclass(frozen=True)
class BlendCells:
    """Which cells a blend runs over, relative to its transition point.

    ``first`` is the offset (rows, columns) of its first cell and ``count`` the number of cells down the
    diagonal.
    """

    first: tuple[int, int]
    count: int

    @property
    def middle(self) -> tuple[int, int]:
        """Offset of the middle cell, where the alignment of the two motions is taken."""
        return self.first[0] + self.count // 2, self.first[1] + self.count // 2


def blend_cells(mode: SearchMode, length: int) -> tuple[BlendCells, BlendCells]:
    """Cells of the blend there (A to B) and back (B to A) at a transition point.

    Parameters
    ----------
    mode
        ``"centre"`` or ``"source"``.
    length
        Blend length k in frames, at least 1; centred blends take k // 2 frames on either side.

    Raises
    ------
    SettingError
        If the mode is unknown or the length is below 1.

    Examples
    --------
    >>> blend_cells("source", 10)
    (BlendCells(first=(0, -9), count=10), BlendCells(first=(-9, 0), count=10))
    """
    check_mode(mode)
    if length < 1:
        msg = f"a blend of {length} frames has no cells; the shortest is 1 frame"
        raise SettingError(msg)
    if mode == "centre":
        half = length // 2
        both = BlendCells((-half, -half), 2 * half + 1)
        return both, both
    return BlendCells((0, 1 - length), length), BlendCells((1 - length, 0), length)


def merge_sweet_spots(cells: Ints, keys: Floats, *, reach: int, shape: tuple[int, int]) -> Bools:
    """Flag (K,) the cells that stand for their sweet spot.

    Cells are taken by rising key; each kept one drops all later ones within ``reach`` frames on both axes.
    Every dropped cell therefore has a kept one with a smaller or equal key within reach, and what is kept
    among the cells below any key does not depend on the cells above it.

    Parameters
    ----------
    cells
        (K, 2) rows and columns.
    keys
        (K,) what to prefer, smallest first; equal keys by row, then column.
    reach
        Frames on both axes that make one sweet spot.
    shape
        (N, M) of the matrix.

    Examples
    --------
    >>> import numpy as np
    >>> cells = np.array([[5, 5], [7, 6], [30, 5]])
    >>> merge_sweet_spots(cells, np.array([2.0, 1.0, 9.0]), reach=10, shape=(40, 40)).tolist()
    [False, True, True]
    """
    order = np.lexsort((cells[:, 1], cells[:, 0], keys))
    kept: Bools = np.zeros(len(order), dtype=np.bool_)
    kept[order] = _first_of_sweet_spots(cells[order], int(reach), shape)
    return kept


def _first_of_sweet_spots(cells: Ints, reach: int, shape: tuple[int, int]) -> Bools:
    """Flag (K,) the cells, in the order in which they are taken, that stand for their sweet spot."""
    rows, columns = np.array(cells.T, dtype=np.int64, order="C")
    # A bucket as wide as the reach holds at most one kept cell, so nine buckets answer the question.
    side = reach + 1
    across = shape[1] // side + 3
    buckets = (rows // side + 1) * across + columns // side + 1
    near = (np.arange(-1, 2)[:, None] * across + np.arange(-1, 2)).reshape(-1)
    owners = np.full((shape[0] // side + 3) * across, -1, dtype=np.int64)
    stays: Bools = np.zeros(len(cells), dtype=np.bool_)
    _kernels.keep_first(rows, columns, buckets, near, owners, reach, stays)
    return stays


def sweet_spot_keys(cells: Ints, costs: Floats, mode: SearchMode, *, back: bool = False) -> Floats:
    """Return what a sweet spot prefers: the cost, or in the source's mode the corner."""
    if mode == "centre":
        return np.asarray(costs, dtype=np.float64)
    corner = (cells[:, 0] - cells[:, 1]).astype(np.float64)
    return -corner if back else corner


_BLOCK: Ints = np.stack(np.divmod(np.arange(9), 3), axis=1) - 1
"""Offsets of a cell and its neighbours, row by row."""


def means_around(
    values: Costs, cells: Ints, there: BlendCells, back: BlendCells
) -> tuple[Floats, Floats, Floats]:
    """Mean costs (K,) at each cell along the blends there and back, and of the 3 by 3 cells around, as the source's.

    What lies outside the matrix does not count.
    """
    if back == there:
        path, block = means_at(values, cells, _path(there), _BLOCK)
        return path, path, block
    path, other, block = means_at(values, cells, _path(there), _path(back), _BLOCK)
    return path, other, block


def _path(blend: BlendCells) -> Ints:
    """Offsets (count, 2) of a blend's cells."""
    offsets: Ints = np.arange(blend.count)[:, None] + np.array(blend.first)
    return offsets


def blend_fits(cells: Ints, blend: BlendCells, *, rows: tuple[int, int], columns: tuple[int, int]) -> Bools:
    """Flag (K,) cells whose blend lies in frames ``rows`` of A and ``columns`` of B (half-open)."""
    start = cells + np.asarray(blend.first, dtype=np.int64)
    stop = start + blend.count
    low = np.array([rows[0], columns[0]])
    high = np.array([rows[1], columns[1]])
    fits: Bools = np.all((start >= low) & (stop <= high), axis=1)
    return fits


@dataclass(frozen=True, eq=False)
class Candidates:
    """Minima of one clip pair before any threshold, with all that a threshold has to judge.

    Parameters
    ----------
    cells
        (K, 2) rows and columns of the matrix.
    cost
        (K,) cost of the cell.
    forward, backward
        (K,) mean cost along the blend A to B and B to A; infinite where that blend does not fit into the
        clips.
    block
        (K,) mean cost of the 3 by 3 cells around.
    mode, reach, shape
        How sweet spots are kept, their width in frames, and the shape of the matrix.
    found
        Number of minima (or sectors) before merging.
    shared
        The stretch of motion that both clips hold, if they are copies of one another, whole or in part.
    """

    cells: Ints
    cost: Floats
    forward: Floats
    backward: Floats
    block: Floats
    mode: SearchMode
    reach: int
    shape: tuple[int, int]
    found: int
    shared: SharedMotion | None = None

    def __len__(self) -> int:
        """Return the number of candidates."""
        return int(self.cells.shape[0])

    @property
    def forward_cost(self) -> Floats:
        """(K,) lowest threshold at which the way A to B passes: both its cost and its blend's mean."""
        return np.maximum(self.cost, self.forward)

    @property
    def backward_cost(self) -> Floats:
        """(K,) lowest threshold at which the way B to A passes."""
        return np.maximum(self.cost, self.backward)


def find_candidates(
    values: Costs,
    cells: Ints,
    *,
    mode: SearchMode,
    length: int,
    rows: tuple[int, int],
    columns: tuple[int, int],
    shared: SharedMotion | None = None,
) -> Candidates:
    """Judge the minima of one matrix, whatever the threshold will be.

    In centre mode sweet spots are merged here. In the source's mode they are merged after the threshold
    (its second step), because there the one to keep depends on which minima are below it.

    Parameters
    ----------
    values
        (N, M) costs.
    cells
        (K, 2) minima of it.
    mode, length
        As in `blend_cells`; ``length`` is also the width of a sweet spot.
    rows, columns
        Half-open ranges of frames the two clips have, counted in rows and columns of the matrix: a windowed
        cost has frames before its row 0.
    shared
        The stretch that both clips hold, to be told with them.

    Returns
    -------
    `Candidates`, sorted by cost, then row, then column.
    """
    ahead, back = blend_cells(mode, length)
    shape = (int(values.shape[0]), int(values.shape[1]))
    cost = values[cells[:, 0], cells[:, 1]].astype(np.float64)
    found = len(cells)
    order = kept_order(cells, cost, mode=mode, length=length, shape=shape)
    cells, cost = cells[order], cost[order]
    forward, backward, block = means_around(values, cells, ahead, back)
    forward = np.where(blend_fits(cells, ahead, rows=rows, columns=columns), forward, np.inf)
    if back == ahead:
        backward = forward
    else:
        backward = np.where(blend_fits(cells, back, rows=rows, columns=columns), backward, np.inf)
    return Candidates(
        frozen(cells, np.int64),
        frozen(cost),
        frozen(forward),
        frozen(backward),
        frozen(block),
        mode,
        length,
        shape,
        found,
        shared,
    )


def kept_order(cells: Ints, cost: Floats, *, mode: SearchMode, length: int, shape: tuple[int, int]) -> Ints:
    """Indices of the minima that are candidates, by cost, then row, then column."""
    order: Ints = np.lexsort((cells[:, 1], cells[:, 0], cost))
    if mode == "centre" and len(order):
        order = order[_first_of_sweet_spots(cells[order], length, shape)]
    return order


@dataclass(frozen=True, eq=False)
class Pruned:
    """What a threshold leaves of one way: indices (K,) into the candidates, counts after each step."""

    chosen: Ints
    counts: Mapping[str, int]


def prune(candidates: Candidates, threshold: float, *, back: bool = False) -> Pruned:
    """Apply the three prunes of the source's section 4.5 to one way, A to B or (``back``) B to A.

    A cost equal to the threshold passes, so that a threshold taken from the costs themselves keeps its own
    point.

    Returns
    -------
    `Pruned` whose counts are, in the order of the steps, ``minima``, ``merged``, ``below`` and ``verified``
    in centre mode, and ``minima``, ``below``, ``merged`` and ``verified`` in the source's.
    """
    below = np.flatnonzero(candidates.cost <= threshold)
    means = candidates.backward if back else candidates.forward
    if candidates.mode == "centre":
        chosen = below[means[below] <= threshold]
        steps = {
            "minima": candidates.found,
            "merged": len(candidates),
            "below": len(below),
            "verified": len(chosen),
        }
        return Pruned(frozen(chosen, np.int64), steps)
    merged = below
    if len(below):
        cells = candidates.cells[below]
        keys = sweet_spot_keys(cells, candidates.cost[below], candidates.mode, back=back)
        merged = below[merge_sweet_spots(cells, keys, reach=candidates.reach, shape=candidates.shape)]
    chosen = merged[means[merged] <= threshold]
    steps = {
        "minima": candidates.found,
        "below": len(below),
        "merged": len(merged),
        "verified": len(chosen),
    }
    return Pruned(frozen(chosen, np.int64), steps)
