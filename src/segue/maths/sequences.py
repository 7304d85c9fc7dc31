"""Two sequences laid beside one another: dynamic time warping with limited slope."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from segue.arrays import Floats, Ints, frozen
from segue.errors import SettingError


@dataclass(frozen=True, eq=False)
class Warp:
    """How two sequences correspond.

    Parameters
    ----------
    path
        (N, 2) pairs of indices, from (0, 0) to the last of both, neither ever falling.
    cost
        Sum of the cost along the path.
    """

    path: Ints
    cost: float


def time_warp(x: npt.ArrayLike, y: npt.ArrayLike, *, limit: int | None = None) -> Warp:
    """Lay two sequences beside one another so that the sum of their distances is least.

    Parameters
    ----------
    x, y
        (n,) or (n, d) and (m,) or (m, d) numbers; the cost of a pair is its Euclidean distance.
    limit
        At most so many steps in turn along one sequence alone (slope limits, Kovar and Gleicher 2003); none by default.

    Raises
    ------
    SettingError
        If a sequence is empty, the widths differ, or no way is within the limit.

    Examples
    --------
    >>> found = time_warp([1, 2, 3], [1, 2, 2, 3])
    >>> found.cost, found.path[-1].tolist()
    (0.0, [2, 3])
    """
    one, other = (np.asarray(values, dtype=np.float64) for values in (x, y))
    one, other = (values[:, None] if values.ndim == 1 else values for values in (one, other))
    if one.ndim != 2 or other.ndim != 2 or one.shape[1] != other.shape[1]:
        msg = f"sequences must be equally wide to be laid beside one another; got shapes {one.shape} and {other.shape}"
        raise SettingError(msg)
    if not len(one) or not len(other):
        msg = f"a sequence without values cannot be warped; got shapes {one.shape} and {other.shape}"
        raise SettingError(msg)
    return warp_of(np.linalg.norm(one[:, None] - other[None], axis=-1), limit=limit)


def warp_of(cost: Floats, *, limit: int | None = None) -> Warp:
    """Cheapest way through a matrix of costs (n, m); ``limit`` as in `time_warp`.

    Raises
    ------
    SettingError
        If no way is within the limit.
    """
    from segue.maths._kernels import cheapest_path

    rows, columns = cost.shape
    steps = max(rows, columns) if limit is None else limit
    if steps < 1:
        msg = f"limit={limit} allows no step at all; use 1 or more"
        raise SettingError(msg)
    total, path = cheapest_path(np.ascontiguousarray(cost, dtype=np.float64), min(steps, max(rows, columns)))
    if not np.isfinite(total):
        msg = (
            f"{rows} and {columns} frames cannot be laid beside one another with at most {steps} steps in turn along "
            f"one side; allow limit={-(-max(rows, columns) // min(rows, columns))}"
        )
        raise SettingError(msg)
    return Warp(frozen(path, np.int64), float(total))
