"""Weights of a sum of differences that tell unlike pairs from alike ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from segue.arrays import Floats
from segue.errors import SettingError


def non_negative_weights(differences: Floats, labels: Floats, *, ridge: float = 0.0) -> Floats:
    """Weights w >= 0 that minimise ``|differences w - labels|^2 + ridge K s^2 |w|^2``.

    ``s`` is the mean root mean square of a column, so that ``ridge`` has no unit.

    Parameters
    ----------
    differences
        (K, D) non-negative differences: one row a pose pair, one column a term of the cost.
    labels
        (K,) 0 for pairs that are alike, 1 for pairs that are not: a larger sum then means less alike.
    ridge
        0 is plain least squares, which puts all weight on a few columns where many tell the same; the larger, the
        more evenly weight is spread.

    Returns
    -------
    (D,) weights.

    Notes
    -----
    In the spirit of motion graphs from joint relative distances, section 4.3, which has Y = 1 for alike pairs and
    lets weights be negative (`pseudo_inverse_weights`): that sum grows with likeness.

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
    damping = np.sqrt(ridge * size) * scale * np.eye(terms)  # what the default weights use (decision 17)
    rows = np.vstack([differences, damping])
    wanted = np.append(labels, np.zeros(terms))
    # The triangle of a QR decomposition has the same minimum in D rows instead of K + D.
    triangle: Floats = np.asarray(np.linalg.qr(np.column_stack([rows, wanted]), mode="r"))
    out, _ = nnls(triangle[:terms, :terms], triangle[:terms, terms])
    return np.asarray(out, dtype=np.float64)


def pseudo_inverse_weights(differences: Floats, labels: Floats) -> Floats:
    """Weights ``W = Y A+`` with Y = 1 for alike pairs, of any sign: the literal form of section 4.3, to compare.

    Labels are those of `non_negative_weights`; they are turned round inside.
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
