"""Low cells of a cost matrix: local minima (Kovar et al. 2002) and the minima of square sectors.

A cell on the matrix's border is a minimum if no neighbour inside the matrix is lower: the end of a clip is as
good a place to leave it as any. Non-finite values are never chosen. `means_at` computes mean costs around
many cells of a matrix.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from segue.arrays import Bools, Costs, Floats, Ints
from segue.errors import SettingError
from segue.transitions import _kernels


def _checked(values: Costs) -> Costs:
    """Return the matrix contiguous, or raise if it is not (N, M) of floats."""
    if values.ndim != 2 or values.dtype not in (np.float32, np.float64):
        msg = f"a cost matrix is (N, M) float32 or float64; got {values.shape} {values.dtype}"
        raise SettingError(msg)
    return np.ascontiguousarray(values)


_CELLS = 1 << 15
"""Cells compared in one pass: few, so that they fit a core's own cache."""


def _least(values: Costs, least: int | None) -> int:
    """Return the smallest ``j - i`` that may be chosen; None means every cell."""
    return -values.shape[0] if least is None else int(least)


def local_minima(values: Costs, *, least: int | None = None) -> Ints:
    """Find the cells that are not undercut by any of their eight neighbours.

    Parameters
    ----------
    values
        (N, M) float32 or float64 costs.
    least
        Choose only cells with ``j - i >= least``. For one clip against itself it is the width of the band
        along the diagonal plus one: the band and the mirrored half are excluded. Excluded cells still count
        as neighbours, so the slope into the diagonal gives no minimum along the band's edge.

    Returns
    -------
    (K, 2) int64 rows and columns, in row order.

    Raises
    ------
    SettingError
        If the matrix is not a matrix of floats.

    Notes
    -----
    Of equal neighbours the first in row order counts as the lower one, so a flat matrix has one minimum and
    the result does not depend on the machine. Source: Kovar, Gleicher & Pighin 2002, section 3.2.

    Examples
    --------
    >>> import numpy as np
    >>> local_minima(np.array([[3.0, 2.0, 3.0], [3.0, 3.0, 3.0], [3.0, 3.0, 1.0]])).tolist()
    [[0, 1], [2, 2]]
    """
    values = _checked(values)
    first = _least(values, least)
    n, m = values.shape
    height = max(1, _CELLS // max(m, 1))
    # Rows in which no column is allowed are skipped.
    parts = [
        _minima_of_rows(values, (top, min(top + height, n)), max(0, top + first))
        for top in range(0, min(n, m - first), height)
    ]
    cells: Ints = np.concatenate([np.empty((0, 2), dtype=np.int64), *parts])
    return cells if least is None else cells[cells[:, 1] - cells[:, 0] >= first]


def _minima_of_rows(values: Costs, rows: tuple[int, int], left: int) -> Ints:
    """Local minima (K, 2) of rows from the first up to but excluding the last, from column ``left`` on."""
    (top, bottom), width = rows, values.shape[1] - left + 2
    # Padded with infinity, border cells need no special case and rows can be processed as one flat array.
    walled = np.full((bottom - top + 2, width), np.inf, dtype=values.dtype)
    above, before = max(top - 1, 0), max(left - 1, 0)
    part = values[above : bottom + 1, before:]
    row, column = above - top + 1, before - left + 1
    walled[row : row + part.shape[0], column : column + part.shape[1]] = part
    line = walled.reshape(-1)
    lower_below, lower_after = line[width:] < line[:-width], line[1:] < line[:-1]
    # ``>`` of two flags is true where the first is set and the second is not.
    low = lower_below[:-width] > lower_below[width:]
    low &= lower_after[width - 1 : -width] > lower_after[width:][: low.size]
    at = np.flatnonzero(low) + width
    # Compare with the cells below and after again: NaN is not lower, yet no cell next to it may be chosen.
    around = line[at + np.array([[-width - 1], [-width + 1], [1], [width - 1], [width], [width + 1]])]
    mine = line[at]
    at = at[(mine < around[:2]).all(axis=0) & (mine <= around[2:]).all(axis=0)]
    found: Ints = np.empty((at.size, 2), dtype=np.int64)
    np.divmod(at, width, out=(found[:, 0], found[:, 1]))
    found += [top - 1, left - 1]
    return found


def sector_minima(values: Costs, sector: int, *, least: int | None = None) -> Ints:
    """Find the lowest-cost cell of every square sector (the source's section 4.5, fig. 4.6).

    Parameters
    ----------
    values
        (N, M) float32 or float64 costs.
    sector
        Side of a sector in cells; sectors at the far edges are cut off by the matrix.
    least
        As in `local_minima`; a sector without an allowed cell gives none.

    Returns
    -------
    (K, 2) int64 rows and columns, sector by sector in row order; of equal cells the first in row order.

    Raises
    ------
    SettingError
        If the matrix is not a matrix of floats or the sector is smaller than one cell.

    Examples
    --------
    >>> import numpy as np
    >>> sector_minima(np.arange(16.0).reshape(4, 4), 2).tolist()
    [[0, 0], [0, 2], [2, 0], [2, 2]]
    """
    if sector < 1:
        msg = f"a sector of {sector} cells has no minimum; it needs at least 1"
        raise SettingError(msg)
    values = _checked(values)
    found: Ints = _kernels.sector_minima(values, int(sector), _least(values, least))
    return found


_COSTS = 1 << 16
"""Costs gathered in one pass for means: half a megabyte per array."""


def means_at(values: Costs, cells: Ints, *shapes: Ints) -> list[Floats]:
    """Mean costs (K,) of the cells at each shape's offsets (T, 2) from each cell (K, 2).

    Costs are added in the order of the offsets; offsets outside the matrix do not count, and the mean of no cell is
    infinite. A mean does not depend on the other cells, nor does the memory used in addition to the means.

    Examples
    --------
    >>> import numpy as np
    >>> down = np.array([[0, 0], [1, 1]])
    >>> means_at(np.arange(9.0).reshape(3, 3), np.array([[0, 0], [2, 2], [5, 5]]), down)[0].tolist()
    [2.0, 8.0, inf]
    """
    offsets = np.concatenate(shapes)
    at_once = max(1, _COSTS // len(offsets))
    if len(cells) <= at_once:
        return list(_means_of_some(values, cells, shapes, whole=False))
    # Cells with all offsets inside the matrix are processed separately, without bounds checks.
    low, high = offsets.min(axis=0), offsets.max(axis=0)
    whole = ((cells + low >= 0) & (cells + high < values.shape)).all(axis=1)
    means: list[Floats] = [np.empty(len(cells)) for _ in shapes]
    for chosen in (np.flatnonzero(whole), np.flatnonzero(~whole)):
        for start in range(0, len(chosen), at_once):
            some = chosen[start : start + at_once]
            found = _means_of_some(values, cells[some], shapes, whole=bool(whole[some[0]]))
            for mean, part in zip(means, found, strict=True):
                mean[some] = part
    return means


def _means_of_some(values: Costs, cells: Ints, shapes: Sequence[Ints], *, whole: bool) -> Iterator[Floats]:
    """`means_at` for a few cells; ``whole`` if no offset is outside the matrix."""
    (n, m), offsets = values.shape, np.concatenate(shapes)
    places = (offsets[:, :1] * m + offsets[:, 1:]) + (cells[:, 0] * m + cells[:, 1])
    costs = values.reshape(-1).take(places, mode="clip")
    inside: Bools | None = None
    if not whole:
        i, j = offsets[:, :1] + cells[:, 0], offsets[:, 1:] + cells[:, 1]
        inside = (i.view(np.uint64) < n) & (j.view(np.uint64) < m)  # as unsigned, negative values are huge
        costs[~inside] = 0.0
    start = 0
    for shape in shapes:
        stop = start + len(shape)
        total = _sums(costs[start:stop])
        if inside is None:
            yield total / len(shape)
        else:
            count = inside[start:stop].sum(axis=0)
            yield np.where(count > 0, total / np.maximum(count, 1), np.inf)
        start = stop


def _sums(costs: Costs) -> Floats:
    """Sums (K,) over the first axis of costs (T, K), added in the same order on every machine."""
    # numpy adds rows in order, but sums a single column pairwise.
    alone = costs.shape[1] == 1
    sums: Floats = (
        costs.cumsum(axis=0, dtype=np.float64)[-1] if alone else costs.sum(axis=0, dtype=np.float64)
    )
    return sums
