"""Euler angles in any of the 12 orders (and shorter ones) to quaternions and back.

An order such as ``"ZXY"`` is read as BVH lists its channels: the first axis is outermost, so that a vector is
rotated by ``R_Z R_X R_Y v`` (intrinsic Z, then X, then Y).
"""

from __future__ import annotations

import itertools

import numpy as np

from segue.arrays import Floats, Quaternions
from segue.errors import SettingError
from segue.maths.quaternions import from_axis_angle, multiply, to_matrix

_AXES = {"X": 0, "Y": 1, "Z": 2}


def from_euler(angles: Floats, order: str) -> Quaternions:
    """Quaternions of angles (..., n) in radians, one column per letter of ``order`` (n = 1, 2 or 3).

    Raises
    ------
    SettingError
        If the order has other letters than X, Y, Z or another length than the last axis.
    """
    if len(order) != angles.shape[-1] or any(axis not in _AXES for axis in order):
        msg = f"rotation order {order!r} does not name {angles.shape[-1]} axes of X, Y, Z"
        raise SettingError(msg)
    turns = [from_axis_angle(np.eye(3)[_AXES[axis]], angles[..., k]) for k, axis in enumerate(order)]
    out = turns[0]
    for turn in turns[1:]:
        out = multiply(out, turn)
    return out


def to_euler(q: Quaternions, order: str) -> Floats:
    """Angles (..., 3) in radians of quaternions (..., 4) in a three-letter order of distinct axes.

    At gimbal lock the last angle is zero. The middle angle lies in [-pi/2, pi/2].

    Raises
    ------
    SettingError
        If the order is not a permutation of XYZ.
    """
    if order not in {"".join(p) for p in itertools.permutations("XYZ")}:
        msg = f"rotation order {order!r} is not a permutation of XYZ"
        raise SettingError(msg)
    i, j, k = (_AXES[axis] for axis in order)
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    m = to_matrix(q)
    # The cosine is computed from two matrix entries: near gimbal lock 1 - sine² loses half its digits.
    cos = np.hypot(m[..., j, k], m[..., k, k])
    middle = np.arctan2(sign * m[..., i, k], cos)
    locked = cos < 1e-8  # decision 7
    first = np.arctan2(-sign * m[..., j, k], m[..., k, k])
    last = np.arctan2(-sign * m[..., i, j], m[..., i, i])
    first = np.where(locked, np.arctan2(sign * m[..., k, j], m[..., j, j]), first)
    return np.stack([first, middle, np.where(locked, 0.0, last)], axis=-1)
