"""The least cell of a cost matrix."""

from __future__ import annotations

import numpy as np

from segue.arrays import Bools, Costs


def least_cell(values: Costs, allowed: Bools | None = None) -> tuple[int, int] | None:
    """Row and column of the least cell (N, M) among those allowed; the first of equals; None if none is.

    Examples
    --------
    >>> import numpy as np
    >>> least_cell(np.array([[3.0, 1.0], [2.0, 4.0]]), np.array([[True, False], [True, True]]))
    (1, 0)
    """
    looked = values if allowed is None else np.where(allowed, values, np.inf)
    if not looked.size:
        return None
    row, column = np.unravel_index(int(np.argmin(looked)), looked.shape)
    return (int(row), int(column)) if np.isfinite(looked[row, column]) else None
