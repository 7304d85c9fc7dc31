"""Alignment of two sequences: dynamic time warping with limited slope."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from segue.arrays import Floats, Ints, frozen
from segue.errors import SettingError


@dataclass(frozen=True, eq=False)
class Warp:
    """Correspondence of two sequences.

    Parameters
    ----------
    path
        (N, 2) pairs of indices from (0, 0) to the last of both; neither index ever decreases.
    cost
        Sum of the cost along the path.
    """

    path: Ints
    cost: float


LARGEST = 1 << 30
"""Most bytes that a warp may take; larger ones are refused with advice to use a band."""


def time_warp(
    x: npt.ArrayLike, y: npt.ArrayLike, *, limit: int | None = None, band: int | None = None
) -> Warp:
    """Align two sequences so that the sum of their distances is least.

    Parameters
    ----------
    x, y
        (n,) or (n, d) and (m,) or (m, d) numbers; the cost of a pair is its Euclidean distance.
    limit
        Most consecutive steps along one sequence alone (slope limits, Kovar and Gleicher 2003); none by default.
    band
        Values of y by which a value of x may lie off the straight line from the first pair to the last (Sakoe
        and Chiba 1978); any number by default. Memory is 9 n (2 band + 1) bytes instead of 9 n m.

    Raises
    ------
    SettingError
        If a sequence is empty, the widths differ, no path is within the limit or the band, or more than 1 GiB
        is needed.

    Examples
    --------
    >>> found = time_warp([1, 2, 3], [1, 2, 2, 3])
    >>> found.cost, found.path[-1].tolist()
    (0.0, [2, 3])
    >>> time_warp([1, 2, 3], [1, 2, 2, 3], band=1).cost
    0.0
    """
    one, other = (np.asarray(values, dtype=np.float64) for values in (x, y))
    one, other = (values[:, None] if values.ndim == 1 else values for values in (one, other))
    if one.ndim != 2 or other.ndim != 2 or one.shape[1] != other.shape[1]:
        msg = f"sequences must be equally wide to be aligned; got shapes {one.shape} and {other.shape}"
        raise SettingError(msg)
    if not len(one) or not len(other):
        msg = f"a sequence without values cannot be warped; got shapes {one.shape} and {other.shape}"
        raise SettingError(msg)
    if limit is not None and band is not None:
        raise SettingError("give limit= or band=, not both: a limit already implies a band")
    if limit is not None:
        _check_size(len(one), len(other), limit)
        return warp_of(_distances(one, other), limit=limit)
    return _in_band(one, other, band)


def _distances(one: Floats, other: Floats) -> Floats:
    """Euclidean distances (n, m), summed dimension by dimension to avoid a larger array."""
    squares = np.zeros((len(one), len(other)))
    for a, b in zip(one.T, other.T, strict=True):
        squares += (a[:, None] - b[None]) ** 2
    out: Floats = np.sqrt(squares, out=squares)
    return out


def _check_size(rows: int, columns: int, limit: int | None) -> None:
    """Refuse to allocate more than `LARGEST`."""
    wanted = _bytes(rows, columns, limit)
    if wanted <= LARGEST:
        return
    fits = max((LARGEST // (9 * rows) - 1) // 2, 0)
    advice = "shorten them, or compare every second frame"
    if fits * 20 >= columns and limit is None:
        advice = f"band={fits} fits, or compare every second frame"
    msg = f"{rows} by {columns} values take {wanted / 2**30:.1f} GiB to align; {advice}"
    raise SettingError(msg)


def _bytes(rows: int, columns: int, limit: int | None) -> int:
    if limit is None:
        return 9 * rows * columns
    return rows * columns * (8 + 10 * (2 * min(limit, max(rows, columns)) + 1))


def _in_band(one: Floats, other: Floats, band: int | None) -> Warp:
    """Warp without a slope limit, within a band about the straight line from the first pair to the last."""
    from segue.maths._kernels import cheapest_in_band

    rows, columns = len(one), len(other)
    if band is not None and band < 0:
        msg = f"band={band} holds no value; use 0 or more"
        raise SettingError(msg)
    wide = columns if band is None else min(2 * band + 1, columns)
    _check_size(rows, wide, None)
    middle = np.round(np.arange(rows) * ((columns - 1) / max(rows - 1, 1))).astype(np.int64)
    first = np.clip(middle - (wide - 1) // 2, 0, columns - wide)
    cost = np.zeros((rows, wide))
    for start in range(0, rows, 256):  # few rows per step, so that memory is little more than the band
        few = slice(start, start + 256)
        at = first[few, None] + np.arange(wide)
        for a, b in zip(one.T, other.T, strict=True):
            cost[few] += (a[few, None] - b[at]) ** 2
    total, path = cheapest_in_band(np.sqrt(cost, out=cost), first)
    if not len(path) or path[-1, 1] != columns - 1:
        msg = (
            f"{rows} and {columns} values cannot be aligned within band={band}; "
            f"allow band={-(-columns // rows)}"
        )
        raise SettingError(msg)
    return Warp(frozen(path, np.int64), float(total))


def warp_of(cost: Floats, *, limit: int | None = None) -> Warp:
    """Lowest-cost path through a matrix of costs (n, m); ``limit`` as in `time_warp`.

    Raises
    ------
    SettingError
        If no path is within the limit, or more than 1 GiB is needed.
    """
    from segue.maths._kernels import cheapest_in_band, cheapest_path

    rows, columns = cost.shape
    _check_size(rows, columns, limit)
    if limit is None:
        total, path = cheapest_in_band(np.array(cost, dtype=np.float64), np.zeros(rows, dtype=np.int64))
        if not np.isfinite(total) or path[-1, 1] != columns - 1:
            msg = f"no path through {rows} by {columns} costs is finite"
            raise SettingError(msg)
        return Warp(frozen(path, np.int64), float(total))
    if limit < 1:
        msg = f"limit={limit} allows no step at all; use 1 or more"
        raise SettingError(msg)
    total, path = cheapest_path(np.ascontiguousarray(cost, dtype=np.float64), min(limit, max(rows, columns)))
    if not np.isfinite(total):
        msg = (
            f"{rows} and {columns} frames cannot be aligned with at most {limit} consecutive steps along "
            f"one side; allow limit={-(-max(rows, columns) // min(rows, columns))}"
        )
        raise SettingError(msg)
    return Warp(frozen(path, np.int64), float(total))
