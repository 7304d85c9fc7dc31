"""Unit quaternions ``wxyz`` over any leading shape (..., 4).

Products compose like matrices: ``multiply(a, b)`` applies b first. Double cover: q and -q are the same
rotation; every function that interpolates or compares takes the nearer of the two.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from segue.arrays import Floats, Positions, Quaternions

IDENTITY: Quaternions = np.array([1.0, 0.0, 0.0, 0.0])
IDENTITY.flags.writeable = False
_TINY = 1e-12
_ACROSS, _SIGNS = np.array([2, 3, 0, 1]), np.array([-1.0, 1.0, 1.0, -1.0])


def multiply(a: Quaternions, b: Quaternions) -> Quaternions:
    """Hamilton product: the rotation b followed by a. Shapes (..., 4) broadcast."""
    aw, ax, ay, az = a[..., 0], a[..., 1], a[..., 2], a[..., 3]
    bw, bx, by, bz = b[..., 0], b[..., 1], b[..., 2], b[..., 3]
    out = np.empty(np.broadcast_shapes(a.shape, b.shape))
    out[..., 0] = aw * bw - ax * bx - ay * by - az * bz
    out[..., 1] = aw * bx + ax * bw + ay * bz - az * by
    out[..., 2] = aw * by - ax * bz + ay * bw + az * bx
    out[..., 3] = aw * bz + ax * by - ay * bx + az * bw
    return out


def conjugate(q: Quaternions) -> Quaternions:
    """Inverse of a unit quaternion."""
    out: Quaternions = q * np.array([1.0, -1.0, -1.0, -1.0])
    return out


def rotate(q: Quaternions, v: Positions) -> Positions:
    """Rotate vectors (..., 3) by quaternions (..., 4)."""
    w, u = q[..., :1], q[..., 1:]
    t = 2.0 * _cross(u, v)
    out: Positions = v + w * t + _cross(u, t)
    return out


def _cross(a: Positions, b: Positions) -> Positions:
    """Cross product over the last axis: as numpy's, without its overhead for arbitrary axes."""
    out = np.empty(np.broadcast_shapes(a.shape, b.shape))
    out[..., 0] = a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1]
    out[..., 1] = a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2]
    out[..., 2] = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return out


def _sum(q: Floats) -> Floats:
    """Sum of the four components: several times faster than a reduction over so short an axis."""
    out: Floats = q[..., 0] + q[..., 1] + q[..., 2] + q[..., 3]
    return out


def normalise(q: Quaternions) -> Quaternions:
    """Scale to unit length; a zero quaternion becomes the identity."""
    length = np.sqrt(_sum(q * q))[..., None]
    out: Quaternions = np.where(length > _TINY, q / np.maximum(length, _TINY), IDENTITY)
    return out


def exp(half_vector: Floats) -> Quaternions:
    """Quaternion of a half rotation vector (..., 3): axis times half the angle in radians."""
    theta = np.linalg.norm(half_vector, axis=-1, keepdims=True)
    scale = np.sinc(theta / np.pi)
    return np.concatenate([np.cos(theta), half_vector * scale], axis=-1)


def log(q: Quaternions) -> Floats:
    """Half rotation vector (..., 3) of the shorter rotation: length at most pi/2. Inverse of `exp`."""
    q = np.where(q[..., :1] < 0, -q, q)
    v = q[..., 1:]
    sin = np.linalg.norm(v, axis=-1, keepdims=True)
    theta = np.arctan2(sin, q[..., :1])
    out: Floats = v * np.where(sin > _TINY, theta / np.maximum(sin, _TINY), 1.0)
    return out


def half_angle(a: Quaternions, b: Quaternions) -> Floats:
    """Geodesic distance of two orientations: half the rotation angle between them, in [0, pi/2].

    Unit quaternions lie on a sphere: the chords to b and to -b give the angle accurately, also a very small one.
    """
    near, far = (np.sqrt(_sum(chord * chord)) for chord in (a - b, a + b))
    out: Floats = 2.0 * np.arctan2(np.minimum(near, far), np.maximum(near, far))
    return out


def slerp(a: Quaternions, b: Quaternions, t: npt.ArrayLike) -> Quaternions:
    """Spherical interpolation along the shorter arc, t=0 gives a and t=1 gives b.

    t broadcasts against the leading shape. Opposite orientations (180 degrees apart) rotate about a fixed
    axis, so that the result is always finite and repeatable.
    """
    t = np.asarray(t, dtype=np.float64)
    dot = _sum(a * b)
    side = np.where(dot < 0, -1.0, 1.0)
    theta = np.arccos(np.minimum(np.abs(dot), 1.0))
    sin = np.sin(theta)
    near = sin < 1e-6
    safe = np.where(near, 1.0, sin)
    wa = np.where(near, 1.0 - t, np.sin((1.0 - t) * theta) / safe)
    wb = side * np.where(near, t, np.sin(t * theta) / safe)
    return normalise(wa[..., None] * a + wb[..., None] * b)


def from_axis_angle(axis: Positions, angle: npt.ArrayLike) -> Quaternions:
    """Quaternion of a rotation by ``angle`` radians about a unit axis (..., 3)."""
    half = 0.5 * np.asarray(angle, dtype=np.float64)[..., None]
    vector = np.sin(half) * axis
    return np.concatenate([np.broadcast_to(np.cos(half), (*vector.shape[:-1], 1)), vector], axis=-1)


def from_yaw(angle: npt.ArrayLike) -> Quaternions:
    """Quaternion of a turn about the vertical (Y), radians; positive turns +Z towards +X."""
    half = 0.5 * np.asarray(angle, dtype=np.float64)
    zero = np.zeros_like(half)
    return np.stack([np.cos(half), zero, np.sin(half), zero], axis=-1)


def yawed(angle: npt.ArrayLike, q: Quaternions) -> Quaternions:
    """Rotations (..., 4) followed by turns about the vertical, radians: ``multiply(from_yaw(angle), q)``, bit for bit.

    Examples
    --------
    >>> yawed(np.pi, IDENTITY).round(6).tolist()
    [0.0, 0.0, 1.0, 0.0]
    """
    half = 0.5 * np.asarray(angle, dtype=np.float64)[..., None]
    out: Quaternions = np.cos(half) * q
    out += np.sin(half) * _SIGNS * q.take(_ACROSS, -1)
    return out


def yaw(q: Quaternions) -> Floats:
    """Turn about the vertical contained in a rotation (swing-twist), radians in [-pi, pi).

    Unlike an Euler angle it does not flip when the body pitches past 90 degrees.
    """
    out: Floats = 2.0 * np.arctan2(q[..., 2], q[..., 0])  # swing-twist (decision 5)
    return (out + np.pi) % (2.0 * np.pi) - np.pi


def from_matrix(m: Floats) -> Quaternions:
    """Quaternion of rotation matrices (..., 3, 3)."""
    m = np.asarray(m, dtype=np.float64)
    trace = np.trace(m, axis1=-2, axis2=-1)
    d = np.diagonal(m, axis1=-2, axis2=-1)
    # Divide by the largest of the four squared components, which is never near zero.
    squares = np.stack([1 + trace, *(1 + 2 * d[..., k] - trace for k in range(3))], axis=-1)
    best = np.argmax(squares, axis=-1)[..., None]
    a, b, c = m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]
    p, q, r = m[..., 1, 0] + m[..., 0, 1], m[..., 0, 2] + m[..., 2, 0], m[..., 2, 1] + m[..., 1, 2]
    rows = np.stack(
        [
            np.stack([squares[..., 0], a, b, c], -1),
            np.stack([a, squares[..., 1], p, q], -1),
            np.stack([b, p, squares[..., 2], r], -1),
            np.stack([c, q, r, squares[..., 3]], -1),
        ],
        axis=-2,
    )
    return normalise(np.take_along_axis(rows, best[..., None], axis=-2)[..., 0, :])


def to_matrix(q: Quaternions) -> Floats:
    """Rotation matrices (..., 3, 3)."""
    w, x, y, z = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def rotation_between(a: Positions, b: Positions) -> Quaternions:
    """Shortest rotation that carries direction a onto direction b; both (..., 3), any length but zero.

    Opposite directions rotate about an axis perpendicular to a, chosen by its smallest component.
    """
    a = a / np.linalg.norm(a, axis=-1, keepdims=True)
    b = b / np.linalg.norm(b, axis=-1, keepdims=True)
    w = 1.0 + np.sum(a * b, axis=-1, keepdims=True)
    across = np.cross(a, np.eye(3)[np.argmin(np.abs(a), axis=-1)])
    out = np.where(
        w > 1e-9,
        np.concatenate([w, np.cross(a, b)], axis=-1),
        np.concatenate([np.zeros_like(w), across], axis=-1),
    )
    return normalise(out)


def unroll(q: Quaternions) -> Quaternions:
    """Choose signs along the first axis so that neighbours lie on the same side of the double cover."""
    dots = np.sum(q[1:] * q[:-1], axis=-1)
    flips = np.cumprod(np.where(dots < 0, -1.0, 1.0), axis=0)
    out = q.copy()
    out[1:] *= flips[..., None]
    return out
