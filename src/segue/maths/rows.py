"""Vectors and unit quaternions in rows: x, y and z, or w, x, y and z, are the rows of an array (3, ...) or (4, ...).

Each row is one long run of numbers, at which numpy is twice as fast as at many short ones. `segue.maths.quaternions`
says the same of arrays (..., 3) and (..., 4), to the bit.
"""

from __future__ import annotations

import numpy as np

from segue.arrays import Floats, Positions, Quaternions

_ROUND = np.array([1, 2, 0, 1])
"""Of x, y and z, the rows that follow; from the second on, those before."""


def dot(a: Positions, b: Positions) -> Floats:
    """Scalar products (...) of vectors (3, ...).

    Examples
    --------
    >>> dot(np.array([1.0, 2.0, 3.0]), np.array([1.0, 0.0, 2.0])).item()
    7.0
    """
    out: Floats = np.add.reduce(a * b)
    return out


def length(v: Positions) -> Floats:
    """Lengths (...) of vectors or quaternions, whose numbers are the rows.

    Examples
    --------
    >>> length(np.array([3.0, 0.0, 4.0])).item()
    5.0
    """
    out: Floats = np.sqrt(dot(v, v))
    return out


def cross(a: Positions, b: Positions) -> Positions:
    """Vectors (3, ...) square to two others (3, ...), which broadcast.

    Examples
    --------
    >>> cross(np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])).tolist()
    [0.0, 0.0, 1.0]
    """
    a, b = a.take(_ROUND, 0), b.take(_ROUND, 0)
    out: Positions = a[:3] * b[1:]
    out -= a[1:] * b[:3]
    return out


def conjugate(q: Quaternions) -> Quaternions:
    """Inverses of unit quaternions (4, ...).

    Examples
    --------
    >>> conjugate(np.array([0.6, 0.8, 0.0, 0.0])).tolist()
    [0.6, -0.8, -0.0, -0.0]
    """
    out = np.negative(q)
    out[0] = q[0]
    return out


def multiply(a: Quaternions, b: Quaternions) -> Quaternions:
    """Hamilton products (4, ...): the rotations b followed by a.

    Examples
    --------
    >>> multiply(np.array([0.0, 1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0, 0.0])).tolist()
    [0.0, 0.0, 0.0, 1.0]
    """
    (aw, ax, ay, az), (bw, bx, by, bz) = a, b
    return np.array(
        [
            aw * bw - ax * bx - ay * by - az * bz,
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
        ]
    )


def rotate(q: Quaternions, v: Positions) -> Positions:
    """Vectors (3, ...) turned by unit quaternions (4, ...), which broadcast.

    Examples
    --------
    >>> rotate(np.array([0.0, 1.0, 0.0, 0.0]), np.array([1.0, 2.0, 3.0])).tolist()
    [1.0, -2.0, -3.0]
    """
    aside = 2.0 * cross(q[1:], v)
    out: Positions = v + q[0] * aside + cross(q[1:], aside)
    return out
