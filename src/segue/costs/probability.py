"""Probability that one frame follows another, from their cost matrix."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from segue.arrays import Floats
from segue.errors import SettingError


def transition_probabilities(values: npt.ArrayLike, *, sigma: float) -> Floats:
    """Probability (N, M) that frame j of b follows frame i of a: ``P(i -> j) ~ exp(-D(i, j-1) / sigma)``.

    Frame j follows frame i if the frame before it looks like i (Wang, eq. IV.1). Rows sum to 1. The first
    frame of b has probability 0, because no frame precedes it.

    Parameters
    ----------
    values
        (N, M) cost matrix.
    sigma
        In the unit of the cost; if small, only frames of the lowest cost follow. The walk of a graph uses the
        median cost of its transitions.

    Raises
    ------
    SettingError
        If sigma is not above 0, or the matrix has fewer than two columns or holds invalid costs.

    Examples
    --------
    >>> transition_probabilities([[0.0, 5.0, 0.0], [5.0, 0.0, 9.0]], sigma=1.0).round(2).tolist()
    [[0.0, 0.99, 0.01], [0.0, 0.01, 0.99]]
    """
    costs = np.asarray(values, dtype=np.float64)
    if not (np.isfinite(sigma) and sigma > 0):
        msg = f"sigma is {sigma}; it must be above 0, in the unit of the cost"
        raise SettingError(msg)
    if costs.ndim != 2 or costs.shape[1] < 2:
        msg = f"a cost matrix of shape {costs.shape} has no frame that another could follow; it needs two columns"
        raise SettingError(msg)
    if not np.isfinite(costs).all() or (costs < 0).any():
        msg = "a cost matrix holds numbers from 0 upwards"
        raise SettingError(msg)
    before = costs[:, :-1]
    # The least cost of a row has weight 1, so that rows of high costs do not underflow.
    weights = np.exp((before.min(axis=1, keepdims=True) - before) / sigma)
    out = np.zeros_like(costs)
    out[:, 1:] = weights / weights.sum(axis=1, keepdims=True)
    return out
