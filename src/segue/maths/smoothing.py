"""Weighted smoothing: results follow rows with weight and interpolate smoothly over rows without."""

from __future__ import annotations

import numpy as np

from segue.arrays import Floats

_LEAST = 1e-12  # weight that keeps the system solvable where all weights are 0


def whittaker(values: Floats, weights: Floats, *, stiffness: float, wraps: bool = False) -> Floats:
    """Smooth values by penalised least squares (Whittaker 1923; Eilers 2003, A perfect smoother).

    Minimises ``sum_t w_t |y_t - z_t|^2 + stiffness sum_t |z_(t+1) - z_t|^2``: where weights are 1 a step fades over
    about ``sqrt(stiffness)`` rows, where they are 0 the result is a straight line between the neighbouring rows.

    Parameters
    ----------
    values
        (N, K) rows to smooth.
    weights
        (N,) how much each row counts, 0 or more.
    stiffness
        Weight of the differences between neighbours, 0 or more.
    wraps
        Whether the first row follows the last.

    Returns
    -------
    Smoothed rows (N, K).

    Examples
    --------
    >>> import numpy as np
    >>> y, w = np.array([[0.0], [9.0], [9.0], [3.0]]), np.array([1.0, 0.0, 0.0, 1.0])
    >>> whittaker(y, w, stiffness=1e-3).round(2).ravel().tolist()
    [0.0, 1.0, 2.0, 3.0]
    """
    from scipy.sparse import csc_array
    from scipy.sparse.linalg import spsolve

    n = len(values)
    if n < 2:
        return np.array(values, dtype=np.float64)
    own: Floats = np.asarray(weights, dtype=np.float64) + _LEAST
    here = np.arange(n if wraps else n - 1)
    after = (here + 1) % n
    diagonal = own + stiffness * (np.bincount(here, minlength=n) + np.bincount(after, minlength=n))
    off = np.full(len(here), -stiffness)
    rows, columns = (
        np.concatenate(pair) for pair in ((np.arange(n), here, after), (np.arange(n), after, here))
    )
    system = csc_array((np.concatenate([diagonal, off, off]), (rows, columns)), shape=(n, n))
    out: Floats = np.asarray(spsolve(system, own[:, None] * values), dtype=np.float64)
    return out.reshape(values.shape)
