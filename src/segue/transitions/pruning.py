"""From minima to transition points: sweet spots, the threshold, and the mean along the blend.

The source (section 4.5) prunes its minima three times: by the threshold; to one minimum per sweet spot; by
the mean cost around the minimum, which represents velocity. Two modes:

centre
  The default. Both frames of an aligned minimum are in the middle of the blend, so the blend covers cells
  ``(i-h, j-h) ... (i+h, j+h)`` and a sweet spot keeps its lowest-cost minimum. Merging before or after the
  threshold then gives the same result, so raising the threshold only ever adds points.
source
  As in the source: leave at i, arrive at j, over cells ``(i, j-k+1) ... (i+k-1, j)``. A sweet spot keeps the
  smallest A and the largest B frame, whose blend lies deepest inside it.

The jump back (leave B at j, arrive in A at i) is evaluated separately.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from segue.arrays import Bools, Costs, Floats, Ints, frozen
from segue.errors import SettingError
from segue.settings import SearchMode
from segue.settings.search import check_mode
from segue.summaries import one_line
from segue.transitions import _kernels
from segue.transitions.copies import SharedMotion
from segue.transitions.minima import means_at


@dataclass(frozen=True)
class BlendCells:
    """Cells covered by a blend, relative to its transition point.

    ``first`` is the offset (rows, columns) of its first cell and ``count`` the number of cells along the diagonal.
    """

    first: tuple[int, int]
    count: int

    @property
    def middle(self) -> tuple[int, int]:
        """Offset of the middle cell, where the two motions are aligned."""
        return self.first[0] + self.count // 2, self.first[1] + self.count // 2


def blend_cells(mode: SearchMode, length: int) -> tuple[BlendCells, BlendCells]:
    """Cells of the blend from A to B and of the blend back at a transition point.

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
    """Flag (K,) the cells that represent their sweet spot.

    Cells are taken in ascending order of key; each kept one drops all later ones within ``reach`` frames on
    both axes. Every dropped cell therefore has a kept one with a smaller or equal key within reach, and the
    kept cells below any key do not depend on the cells above it.

    Parameters
    ----------
    cells
        (K, 2) rows and columns.
    keys
        (K,) preference, smallest first; equal keys by row, then column.
    reach
        Frames on both axes that form one sweet spot.
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
    """Flag (K,) the cells, in processing order, that represent their sweet spot."""
    rows, columns = np.array(cells.T, dtype=np.int64, order="C")
    # A bucket as wide as the reach holds at most one kept cell, so checking nine buckets is enough.
    side = reach + 1
    across = shape[1] // side + 3
    buckets = (rows // side + 1) * across + columns // side + 1
    near = (np.arange(-1, 2)[:, None] * across + np.arange(-1, 2)).reshape(-1)
    owners = np.full((shape[0] // side + 3) * across, -1, dtype=np.int64)
    stays: Bools = np.zeros(len(cells), dtype=np.bool_)
    _kernels.keep_first(rows, columns, buckets, near, owners, reach, stays)
    return stays


def sweet_spot_keys(cells: Ints, costs: Floats, mode: SearchMode, *, back: bool = False) -> Floats:
    """Return the key of a sweet spot: the cost, or in the source's mode the corner."""
    if mode == "centre":
        return np.asarray(costs, dtype=np.float64)
    corner = (cells[:, 0] - cells[:, 1]).astype(np.float64)
    return -corner if back else corner


def means_along(values: Costs, cells: Ints, there: BlendCells, back: BlendCells) -> tuple[Floats, Floats]:
    """Mean costs (K,) along the blends there and back at each cell; cells outside the matrix do not count."""
    if back == there:
        (path,) = means_at(values, cells, _path(there))
        return path, path
    path, other = means_at(values, cells, _path(there), _path(back))
    return path, other


def _path(blend: BlendCells) -> Ints:
    """Offsets (count, 2) of a blend's cells."""
    offsets: Ints = np.arange(blend.count)[:, None] + np.array(blend.first)
    return offsets


def blend_fits(cells: Ints, blend: BlendCells, *, rows: tuple[int, int], columns: tuple[int, int]) -> Bools:
    """Flag (K,) cells whose blend lies within frames ``rows`` of A and ``columns`` of B (half-open)."""
    start = cells + np.asarray(blend.first, dtype=np.int64)
    stop = start + blend.count
    low = np.array([rows[0], columns[0]])
    high = np.array([rows[1], columns[1]])
    fits: Bools = np.all((start >= low) & (stop <= high), axis=1)
    return fits


@one_line
@dataclass(frozen=True, eq=False)
class Candidates:
    """Every point of one pair of clips, A and B, at any cost: from the search to the graph and the library.

    Parameters
    ----------
    cells
        (K, 2) rows and columns of the pair's cost matrix.
    cost
        (K,) cost there.
    diagonal
        (2, K) mean cost along the blend A to B and B to A; infinite where that blend does not fit the clips.
    once
        Costs of the minima, those within a quarter second of one another counted once.
    minima
        Number of minima (or sectors) before sweet spots were merged.
    copies
        Whether the clips are complete copies of one motion; they then have no points.
    shared
        The stretch of motion that both clips share, in full or in part; None also if it was not stored.
    """

    cells: Ints
    cost: Floats
    diagonal: Floats
    once: Floats
    minima: int
    copies: bool
    shared: SharedMotion | None = None

    def __len__(self) -> int:
        """Return the number of points."""
        return len(self.cost)

    def fits(self, rows: int, columns: int) -> bool:
        """Whether this is valid for a pair of clips with these numbers of rows; a file may hold anything."""
        count = len(self.cost)
        if self.cells.shape != (count, 2) or self.diagonal.shape != (2, count):
            return False
        inside = np.all((self.cells >= 0) & (self.cells < [rows, columns]))
        numbers = (self.cost, self.diagonal, self.once)
        return bool(inside) and self.minima >= 0 and not any(np.isnan(part).any() for part in numbers)

    @property
    def lowest(self) -> Floats:
        """(2, K) lowest threshold that the jump there, and the jump back, pass: the larger of cost and mean."""
        out: Floats = np.maximum(self.cost, self.diagonal)
        return out

    @property
    def turned(self) -> Candidates:
        """The same pair with its clips exchanged; ``shared`` is dropped."""
        cells, diagonal = self.cells[:, ::-1], self.diagonal[::-1]
        return replace(self, cells=frozen(cells, np.int64), diagonal=frozen(diagonal), shared=None)


def candidates_of(
    cells: Ints,
    cost: Floats,
    diagonal: Sequence[Floats],
    *,
    minima: int,
    rate: float,
    shape: tuple[int, int],
    shared: SharedMotion | None,
) -> Candidates:
    """Candidates over read-only arrays, of a matrix (N, M) at ``rate`` frames a second."""
    return Candidates(
        frozen(cells, np.int64),
        frozen(cost),
        frozen(np.stack(list(diagonal))),
        frozen(count_once(cells, cost, rate=rate, shape=shape)),
        minima,
        shared is not None and shared.whole,
        shared,
    )


SAME_SECONDS = 0.25
"""Seconds on both axes within which two minima count as one."""


def count_once(cells: Ints, costs: Floats, *, rate: float, shape: tuple[int, int]) -> Floats:
    """Costs of minima at least a quarter second apart on one axis or both: the lowest of each group.

    Parameters
    ----------
    cells, costs
        (K, 2) minima of one matrix and (K,) their costs.
    rate
        Frames a second of its rows and columns.
    shape
        (N, M) of the matrix.
    """
    if not len(cells):
        return np.empty(0)
    reach = math.ceil(SAME_SECONDS * rate) - 1
    kept: Floats = costs[merge_sweet_spots(cells, costs, reach=reach, shape=shape)]
    return kept


def find_candidates(
    values: Costs,
    cells: Ints,
    *,
    mode: SearchMode,
    length: int,
    rate: float,
    rows: tuple[int, int],
    columns: tuple[int, int],
    shared: SharedMotion | None = None,
) -> Candidates:
    """Evaluate the minima of one matrix independently of the threshold.

    In centre mode sweet spots are merged here. In the source's mode they are merged after the threshold (its
    second step), because there the kept minimum depends on which minima are below it.

    Parameters
    ----------
    values
        (N, M) costs.
    cells
        (K, 2) minima of it.
    mode, length
        As in `blend_cells`; ``length`` is also the width of a sweet spot.
    rate
        Frames a second of rows and columns.
    rows, columns
        Half-open ranges of the two clips' frames, counted in rows and columns of the matrix: a windowed cost
        has frames before its row 0.
    shared
        The stretch that both clips share, to be reported with them.

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
    forward, backward = means_along(values, cells, ahead, back)
    forward = np.where(blend_fits(cells, ahead, rows=rows, columns=columns), forward, np.inf)
    if back == ahead:
        backward = forward
    else:
        backward = np.where(blend_fits(cells, back, rows=rows, columns=columns), backward, np.inf)
    return candidates_of(
        cells, cost, (forward, backward), minima=found, rate=rate, shape=shape, shared=shared
    )


def kept_order(cells: Ints, cost: Floats, *, mode: SearchMode, length: int, shape: tuple[int, int]) -> Ints:
    """Indices of the minima that are candidates, by cost, then row, then column."""
    order: Ints = np.lexsort((cells[:, 1], cells[:, 0], cost))
    if mode == "centre" and len(order):
        order = order[_first_of_sweet_spots(cells[order], length, shape)]
    return order


@dataclass(frozen=True, eq=False)
class Pruned:
    """Candidates left in one direction by a threshold: indices (K,) and counts after each step."""

    chosen: Ints
    counts: Mapping[str, int]


def prune(
    candidates: Candidates, threshold: float, *, mode: SearchMode, length: int, back: bool = False
) -> Pruned:
    """Apply the three prunes of the source's section 4.5 to one direction, A to B or (``back``) B to A.

    A cost equal to the threshold passes, so that a threshold taken from the costs themselves keeps its own
    point. Use the ``mode`` and ``length`` with which the candidates were found.

    Returns
    -------
    `Pruned` whose counts are, in the order of the steps, ``minima``, ``merged``, ``below`` and ``verified``
    in centre mode, and ``minima``, ``below``, ``merged`` and ``verified`` in the source's.
    """
    below = np.flatnonzero(candidates.cost <= threshold)
    means = candidates.diagonal[int(back)]
    if mode == "centre":
        chosen = below[means[below] <= threshold]
        steps = {
            "minima": candidates.minima,
            "merged": len(candidates),
            "below": len(below),
            "verified": len(chosen),
        }
        return Pruned(frozen(chosen, np.int64), steps)
    merged = below
    if len(below):
        cells = candidates.cells[below]
        keys = sweet_spot_keys(cells, candidates.cost[below], mode, back=back)
        shape = (int(cells[:, 0].max()) + 1, int(cells[:, 1].max()) + 1)
        merged = below[merge_sweet_spots(cells, keys, reach=length, shape=shape)]
    chosen = merged[means[merged] <= threshold]
    steps = {
        "minima": candidates.minima,
        "below": len(below),
        "merged": len(merged),
        "verified": len(chosen),
    }
    return Pruned(frozen(chosen, np.int64), steps)
