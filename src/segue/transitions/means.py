"""Mean costs around and along from many cells of a matrix."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from segue.arrays import Bools, Costs, Floats, Ints

_COSTS = 1 << 16
"""Costs gathered at once for means: half a megabyte of each array of them."""


def means_at(values: Costs, cells: Ints, *shapes: Ints) -> list[Floats]:
    """Mean costs (K,) of what lies at each shape's offsets (T, 2) from each cell (K, 2).

    Costs are added in the order of the offsets; what lies outside the matrix does not count, and the mean of nothing
    is infinite. A mean does not depend on the other cells, nor the memory taken beside the means.

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
    # Apart, so that most need not be asked what of theirs lies outside.
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
    """What `means_at` says of a few cells; ``whole`` if nothing lies outside the matrix."""
    (n, m), offsets = values.shape, np.concatenate(shapes)
    places = (offsets[:, :1] * m + offsets[:, 1:]) + (cells[:, 0] * m + cells[:, 1])
    costs = values.reshape(-1).take(places, mode="clip")
    inside: Bools | None = None
    if not whole:
        i, j = offsets[:, :1] + cells[:, 0], offsets[:, 1:] + cells[:, 1]
        inside = (i.view(np.uint64) < n) & (j.view(np.uint64) < m)  # unsigned, what is negative is huge
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
    """Sums (K,) over the first axis of costs (T, K): of each cell one cost after the other, on every machine."""
    # Rows are added whole and in order, but what is one column only is summed in pairs.
    alone = costs.shape[1] == 1
    sums: Floats = (
        costs.cumsum(axis=0, dtype=np.float64)[-1] if alone else costs.sum(axis=0, dtype=np.float64)
    )
    return sums
