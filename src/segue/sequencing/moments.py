"""Motions at fractional rows, and just beyond their ends, where their last step is extrapolated."""

from __future__ import annotations

import numpy as np

from segue.arrays import Floats, Ints, Quaternions
from segue.maths.quaternions import conjugate, multiply, slerp


def turns_at(rotations: Quaternions, rows: Floats, joints: Ints | None = None) -> Quaternions:
    """Interpolate rotations (n, K, 4) of K joints of (F, J, 4), by default all, at rows (n,), by slerp.

    Examples
    --------
    >>> import numpy as np
    >>> from segue.maths.quaternions import from_yaw
    >>> turns_at(from_yaw(np.array([[0.0], [1.0]])), np.array([0.5])).round(4)[0, 0].tolist()
    [0.9689, 0.0, 0.2474, 0.0]
    """
    every = np.arange(rotations.shape[1]) if joints is None else joints
    low = np.floor(rows).astype(np.int64)
    out: Quaternions = rotations[low[:, None], every]
    between = np.flatnonzero(rows > low)
    if between.size:
        high = np.minimum(low[between] + 1, len(rotations) - 1)
        after = rotations[high[:, None], every]
        out[between] = slerp(out[between], after, (rows - low)[between, None])
    return out


def points_at(values: Floats, rows: Floats) -> Floats:
    """Interpolate values (n, ...) of (F, ...) linearly at rows (n,).

    Examples
    --------
    >>> points_at(np.array([0.0, 2.0]), np.array([0.25])).tolist()
    [0.5]
    """
    low = np.floor(rows).astype(np.int64)
    high = np.minimum(low + 1, len(values) - 1)
    share = (rows - low).reshape(-1, *(1,) * (values.ndim - 1))
    out: Floats = (1.0 - share) * values[low] + share * values[high]
    return out


def turns_beyond(rotations: Quaternions, row: float, joints: Ints | None = None) -> Quaternions:
    """Return rotations (K, 4) at a row, which may lie a little beyond an end."""
    inside = float(np.clip(row, 0, len(rotations) - 1))
    out: Quaternions = turns_at(rotations, np.array([inside]), joints)[0]
    if inside != row and len(rotations) > 1:
        last = np.array([inside + (1 if row < 0 else -1)])
        back = turns_at(rotations, last, joints)[0]
        out = multiply(multiply(out, conjugate(back)), out)
    return out


def points_beyond(values: Floats, row: float) -> Floats:
    """Return values (...) at a row, which may lie a little beyond an end."""
    inside = float(np.clip(row, 0, len(values) - 1))
    out: Floats = points_at(values, np.array([inside]))[0]
    if inside != row and len(values) > 1:
        out = 2.0 * out - values[int(inside) + (1 if row < 0 else -1)]
    return out
