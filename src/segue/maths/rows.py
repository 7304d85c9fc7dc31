"""Vectors whose x, y and z are the rows of an array: each row is one long run of numbers, which numpy is fast at."""

from __future__ import annotations

import numpy as np

from segue.arrays import Floats, Positions

_NEXT, _LAST = (
    np.array([1, 2, 0]),
    np.array([2, 0, 1]),
)  # of x, y and z, the row that follows and the one before


def dot(a: Positions, b: Positions) -> Floats:
    """Scalar products (...) of vectors (3, ...).

    Examples
    --------
    >>> dot(np.array([1.0, 2.0, 3.0]), np.array([1.0, 0.0, 2.0])).item()
    7.0
    """
    out: Floats = (a * b).sum(axis=0)
    return out


def cross(a: Positions, b: Positions) -> Positions:
    """Vectors (3, ...) square to two others (3, ...), which broadcast.

    Examples
    --------
    >>> cross(np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])).tolist()
    [0.0, 0.0, 1.0]
    """
    out: Positions = a.take(_NEXT, 0) * b.take(_LAST, 0) - a.take(_LAST, 0) * b.take(_NEXT, 0)
    return out
