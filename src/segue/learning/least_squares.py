"""Weights of a sum of differences that separate dissimilar pairs from similar ones.

From comparisons, the weights are those of a logistic model of which of two transitions is better (Bradley and Terry).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from segue.arrays import Floats, Ints
from segue.errors import SettingError


def non_negative_weights(differences: Floats, labels: Floats, *, ridge: float = 0.0) -> Floats:
    """Solve for weights w >= 0 that minimise ``|differences w - labels|^2 + ridge K s^2 |w|^2``.

    ``s`` is the mean root mean square of a column, so that ``ridge`` has no unit.

    Parameters
    ----------
    differences
        (K, D) non-negative differences: one row a pose pair, one column a term of the cost.
    labels
        (K,) 0 for similar pairs, 1 for dissimilar ones: a larger sum then means less similar.
    ridge
        0 is plain least squares, which puts all weight on a few columns where several are redundant; the larger, the
        more evenly weight is spread.

    Returns
    -------
    (D,) weights.

    Notes
    -----
    In the spirit of motion graphs from joint relative distances, section 4.3, which has Y = 1 for similar pairs and
    allows negative weights (`pseudo_inverse_weights`): that sum grows with similarity.

    Examples
    --------
    >>> import numpy as np
    >>> rows = np.array([[0.0, 0.1], [0.1, 0.2], [1.0, 0.1], [0.9, 0.2]])
    >>> non_negative_weights(rows, np.array([0.0, 0.0, 1.0, 1.0])).round(2).tolist()
    [1.04, 0.0]
    """
    from scipy.optimize import nnls

    _check(differences, labels)
    if not (np.isfinite(ridge) and ridge >= 0):
        msg = f"ridge must be 0 or more, not {ridge}"
        raise SettingError(msg)
    size, terms = differences.shape
    scale = float(np.mean(np.sqrt(np.mean(differences**2, axis=0))))
    damping = np.sqrt(ridge * size) * scale * np.eye(terms)  # used for the default weights (decision 17)
    rows = np.vstack([differences, damping])
    wanted = np.append(labels, np.zeros(terms))
    # The triangle of a QR decomposition has the same minimum in D rows instead of K + D.
    triangle: Floats = np.asarray(np.linalg.qr(np.column_stack([rows, wanted]), mode="r"))
    out, _ = nnls(triangle[:terms, :terms], triangle[:terms, terms])
    return np.asarray(out, dtype=np.float64)


def pseudo_inverse_weights(differences: Floats, labels: Floats) -> Floats:
    """Compute weights ``W = Y A+`` of any sign, Y = 1 for similar pairs: the literal form of section 4.3, to compare.

    Labels are those of `non_negative_weights`; they are inverted inside.
    """
    _check(differences, labels)
    out: Floats = np.linalg.pinv(differences) @ (1.0 - labels)
    return out


def strongest(
    weights: Floats, names: Sequence[tuple[str, str]], count: int = 30
) -> list[tuple[str, str, float]]:
    """Name the ``count`` largest positive weights, largest first, scaled to sum 1."""
    order = [int(k) for k in np.argsort(-weights, kind="stable")[:count] if weights[k] > 0]
    total = float(weights[order].sum())
    return [(*names[k], float(weights[k]) / total) for k in order]


def _check(differences: Floats, labels: Floats) -> None:
    if differences.ndim != 2 or labels.shape != differences.shape[:1]:
        msg = f"differences must be (K, D) and labels (K,); got {differences.shape} and {labels.shape}"
        raise SettingError(msg)
    if labels.size == 0 or labels.min() == labels.max():
        msg = "weights can only be learnt from pairs of both kinds: some alike (0) and some not (1)"
        raise SettingError(msg)


RIDGE = 1e-3
"""Keeps weights finite where some column decides every comparison; without a unit."""


def bradley_terry_weights(
    better: Floats, worse: Floats, *, counts: Floats | None = None, ridge: float = 0.0
) -> Floats:
    """Solve for weights w >= 0 under which the better of two transitions costs less, by logistic regression.

    Of two transitions with differences x and y the first is preferred with odds ``exp(w (y - x))``: every column adds
    to a cost, so that the cost is minus the strength of Bradley and Terry's model.

    Parameters
    ----------
    better, worse
        (K, D) differences of both transitions of each comparison: the terms of the cost, each with one weight.
    counts
        (K,) how often each comparison had this result; once by default.
    ridge
        Spreads weight over redundant columns; 0 is the least that keeps weights finite.

    Returns
    -------
    (D,) weights; their size shows how consistent the comparisons are, their ratio the influence of each term.

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
    """Return row indices (N, 2), better and worse, that compare every good example with every bad one.

    Examples
    --------
    >>> import numpy as np
    >>> every_pair(np.array([0.0, 1.0, 1.0])).tolist()
    [[0, 1], [0, 2]]
    """
    good, other = np.flatnonzero(bad == 0), np.flatnonzero(bad == 1)
    return np.array([(g, b) for g in good for b in other], dtype=np.int64).reshape(-1, 2)
