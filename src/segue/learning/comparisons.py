"""Weights from comparisons: a logistic model of which of two transitions is the better (Bradley and Terry)."""

from __future__ import annotations

import numpy as np

from segue.arrays import Floats, Ints
from segue.errors import SettingError

RIDGE = 1e-3
"""Keeps weights finite where some column tells every comparison; without a unit."""


def bradley_terry_weights(
    better: Floats, worse: Floats, *, counts: Floats | None = None, ridge: float = 0.0
) -> Floats:
    """Weights w >= 0 under which the better of two transitions costs less, by logistic regression.

    Of two transitions with differences x and y the first is preferred with odds ``exp(w (y - x))``: every column adds
    to a cost, so that the cost is minus the strength of Bradley and Terry's model.

    Parameters
    ----------
    better, worse
        (K, D) differences of both transitions of each comparison: what each weight would be multiplied with.
    counts
        (K,) how often each comparison came out so; once by default.
    ridge
        Spreads weight over columns that tell the same; 0 is the least that keeps weights finite.

    Returns
    -------
    (D,) weights; their size says how sure the comparisons are, their ratio what counts.

    Raises
    ------
    SettingError
        If there is no comparison, or the tables do not fit.

    Examples
    --------
    >>> import numpy as np
    >>> better, worse = np.array([[0.1, 0.5], [0.2, 0.1]]), np.array([[0.8, 0.4], [0.9, 0.2]])
    >>> weights = bradley_terry_weights(better, worse)
    >>> bool(weights[0] > 10 * weights[1])
    True
    """
    if better.ndim != 2 or better.shape != worse.shape or not len(better):
        msg = f"comparisons are two tables (K, D) of one shape, not {better.shape} and {worse.shape}"
        raise SettingError(msg)
    from scipy.optimize import minimize

    times = np.ones(len(better)) if counts is None else np.asarray(counts, dtype=np.float64)
    apart = worse - better
    scale = np.sqrt(np.mean(apart**2, axis=0))
    scale = np.where(scale > 0, scale, 1.0)
    table, share = apart / scale, times / times.sum()
    damping = max(ridge, RIDGE)

    def unlikely(weights: Floats) -> tuple[float, Floats]:
        sums = table @ weights
        value = float(share @ np.logaddexp(0.0, -sums)) + 0.5 * damping * float(weights @ weights)
        wrong = 1.0 / (1.0 + np.exp(np.clip(sums, -700.0, 700.0)))
        return value, -table.T @ (share * wrong) + damping * weights

    found = minimize(
        unlikely, np.zeros(table.shape[1]), jac=True, bounds=[(0.0, None)] * table.shape[1], method="L-BFGS-B"
    )
    out: Floats = np.asarray(found.x, dtype=np.float64) / scale
    return out


def every_pair(bad: Floats) -> Ints:
    """Rows (N, 2) of every good example with every bad one, as comparisons: better, worse.

    Examples
    --------
    >>> import numpy as np
    >>> every_pair(np.array([0.0, 1.0, 1.0])).tolist()
    [[0, 1], [0, 2]]
    """
    good, other = np.flatnonzero(bad == 0), np.flatnonzero(bad == 1)
    return np.array([(g, b) for g in good for b in other], dtype=np.int64).reshape(-1, 2)
