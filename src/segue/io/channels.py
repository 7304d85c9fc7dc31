"""Convert rotations to the angles of a file's channels, continuous over time; check rotations before writing."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from segue.arrays import Floats, Quaternions
from segue.errors import FileError
from segue.motion.clip import Clip

_UNIT = 1e-3
"""Deviation from unit length beyond which a quaternion is wrong, not rounded."""


def check_rotations(clip: Clip, path: Path) -> None:
    """Raise `FileError` with joint and frame if a rotation is no unit quaternion."""
    with np.errstate(over="ignore"):
        bad = np.argwhere(np.abs(np.linalg.norm(clip.rotations, axis=-1) - 1.0) > _UNIT)
    if bad.size:
        frame, joint = (int(k) for k in bad[0])
        message = (
            f"clip {clip.name!r}: rotation of joint {clip.skeleton.names[joint]!r} in frame {frame} is "
            f"{clip.rotations[frame, joint].tolist()}, not a unit quaternion; normalise it first"
        )
        raise FileError(path, message)


_LOCK = 1e-10


def angles_of(q: Quaternions, order: str) -> Floats:
    """Angles (F, 3) in radians of rotations (F, 4) in a three-letter order, continuous over time.

    ``q = q_1(a) q_2(b) q_3(c)`` with a, b, c about the listed axes, the first outermost. The half-angle
    products give ``a + c``, ``a - c`` and b, each by one arctangent, so no precision is lost near b = 90
    degrees; where b is exactly 90 degrees, only one of sum and difference is determined and the other keeps
    its value from the previous frame. Each rotation has a second set of angles (a + 180, 180 - b, c + 180
    degrees); the one nearer to the previous frame is taken, and full turns are unwrapped.

    Examples
    --------
    >>> import numpy as np
    >>> from segue.maths.euler import from_euler
    >>> turn = np.radians([[150.0, 20.0, 5.0], [210.0, 20.0, 5.0]])
    >>> np.degrees(angles_of(from_euler(turn, "YXZ"), "YXZ")).round(6).tolist()
    [[150.0, 20.0, 5.0], [210.0, 20.0, 5.0]]
    """
    i, j, k = ("XYZ".index(letter) + 1 for letter in order)
    even = (j - i) % 3 == 1
    w, x, y, z = q[:, 0], q[:, i], q[:, j], q[:, k]
    # One pair holds the sum of the outer angles, the other their difference; odd orders swap the two.
    plus = np.hypot(w + y, x + z if even else x - z)
    minus = np.hypot(w - y, x - z if even else x + z)
    high = _kept(np.arctan2(x + z if even else x - z, w + y), plus)
    low = _kept(np.arctan2(x - z if even else x + z, w - y), minus)
    a, c = high + low, (high - low if even else low - high)
    angles = np.stack([a, 2.0 * np.arctan2(plus, minus) - 0.5 * np.pi, c], axis=1)
    return np.unwrap(_nearer_branch(angles), axis=0)


def _kept(angle: Floats, radius: Floats) -> Floats:
    """Replace angles of zero radius by those of the previous frame (0 at the start)."""
    given = radius > _LOCK
    if given.all():
        return angle
    last = np.maximum.accumulate(np.where(given, np.arange(len(angle)), -1))
    out: Floats = np.where(last >= 0, angle[np.maximum(last, 0)], 0.0)
    return out


def _nearer_branch(angles: Floats) -> Floats:
    """Choose between the two sets of angles of each frame, by distance to the previous frame.

    Swapping sets keeps distances, so whether a frame swaps relative to the previous one does not depend on
    the choice made there: the choice is a running parity.
    """
    other = np.stack([angles[:, 0] + np.pi, np.pi - angles[:, 1], angles[:, 2] + np.pi], axis=1)
    stay = np.abs(_wrapped(angles[1:] - angles[:-1])).sum(axis=1)
    swap = np.abs(_wrapped(other[1:] - angles[:-1])).sum(axis=1)
    swapped = np.concatenate([[False], np.cumsum(swap < stay - 1e-12) % 2 == 1])
    return np.where(swapped[:, None], other, angles)


def _wrapped(angle: Floats) -> Floats:
    return (angle + np.pi) % (2.0 * np.pi) - np.pi


def angles_in(q: Quaternions, order: str, *, tolerance: float = 1e-9) -> Floats | None:
    """Angles (F, n) in an order of n = 0 to 3 letters, or None if these axes cannot represent the rotations."""
    full = order + "".join(axis for axis in "XYZ" if axis not in order)
    if not order:
        off = np.abs(q[:, 1:]).max(initial=0.0)
        return np.zeros((len(q), 0)) if off <= tolerance else None
    angles = angles_of(q, full)
    if len(order) == 3:
        return angles
    # Both sets of angles are the same rotation; choose the one whose missing angles vanish.
    other = np.stack([angles[:, 0] + np.pi, np.pi - angles[:, 1], angles[:, 2] + np.pi], axis=1)
    n = len(order)
    left = np.abs(_wrapped(angles[:, n:])).max(axis=1)
    left_other = np.abs(_wrapped(other[:, n:])).max(axis=1)
    if np.minimum(left, left_other).max() > tolerance:
        return None
    out: Floats = np.unwrap(np.where((left <= left_other)[:, None], angles, other)[:, :n], axis=0)
    return out
