"""The older scheme of posture blending, compiled: an eigenvector problem a joint and frame (Park et al. 2004, sec. 5).

A fair baseline must be as fast as possible: exact arithmetic without library calls, one pass over the examples of a
joint, the eigenvector by Jacobi rotations until the off-diagonal entries vanish.
"""

from __future__ import annotations

import math

import numba
import numpy as np

SWEEPS = 12


@numba.njit(error_model="numpy")
def turn(a: np.ndarray, v: np.ndarray, p: int, q: int) -> None:
    """Apply one Jacobi rotation: a[p, q] becomes zero, v is updated."""
    if abs(a[p, q]) < 1e-300:
        return
    theta = (a[q, q] - a[p, p]) / (2.0 * a[p, q])
    t = math.copysign(1.0, theta) / (abs(theta) + math.sqrt(theta * theta + 1.0))
    c = 1.0 / math.sqrt(t * t + 1.0)
    s = t * c
    for k in range(4):
        x, y = a[k, p], a[k, q]
        a[k, p], a[k, q] = c * x - s * y, s * x + c * y
    for k in range(4):
        x, y = a[p, k], a[q, k]
        a[p, k], a[q, k] = c * x - s * y, s * x + c * y
        x, y = v[k, p], v[k, q]
        v[k, p], v[k, q] = c * x - s * y, s * x + c * y


@numba.njit(error_model="numpy")
def beside(a: np.ndarray) -> float:
    """Return the sum of squares above the diagonal."""
    total = 0.0
    for p in range(3):
        for q in range(p + 1, 4):
            total += a[p, q] * a[p, q]
    return total


@numba.njit(error_model="numpy")
def largest(a: np.ndarray, v: np.ndarray, out: np.ndarray) -> None:
    """Compute the top eigenvector of a symmetric (4, 4), which is overwritten; ``v`` is a (4, 4) buffer."""
    v[:] = 0.0
    for k in range(4):
        v[k, k] = 1.0
    for _ in range(SWEEPS):
        if beside(a) < 1e-28:
            break
        for p in range(3):
            for q in range(p + 1, 4):
                turn(a, v, p, q)
    best = 0
    for k in range(1, 4):
        if a[k, k] > a[best, best]:
            best = k
    for k in range(4):
        out[k] = v[k, best]


@numba.njit(error_model="numpy")
def pose(
    rotations: np.ndarray, sample: float, weights: np.ndarray, room: np.ndarray, out: np.ndarray
) -> None:
    """Compute the pose (J, 4) at a sample of (T, N, 4, J) with weights (N,); ``room`` is a (N + 9, 4) buffer."""
    count, joints = rotations.shape[1], rotations.shape[3]
    low = min(int(sample), rotations.shape[0] - 2)
    between = sample - low
    q, a, v, mean = room[:count], room[count : count + 4], room[count + 4 : count + 8], room[count + 8]
    for j in range(joints):
        a[:] = 0.0
        for n in range(count):
            size = 0.0
            for k in range(4):
                near, far = rotations[low, n, k, j], rotations[low + 1, n, k, j]
                q[n, k] = near + between * (far - near)
                size += q[n, k] * q[n, k]
            for k in range(4):
                q[n, k] /= math.sqrt(size)
            for i in range(4):
                for k in range(4):
                    a[i, k] += q[n, i] * q[n, k]
        largest(a, v, mean)
        w, x, y, z = mean[0], mean[1], mean[2], mean[3]
        sum_x = sum_y = sum_z = 0.0
        for n in range(count):
            # From the mean to the example, along the shorter arc, as half a rotation vector.
            real = w * q[n, 0] + x * q[n, 1] + y * q[n, 2] + z * q[n, 3]
            sx = w * q[n, 1] - x * q[n, 0] - y * q[n, 3] + z * q[n, 2]
            sy = w * q[n, 2] - y * q[n, 0] - z * q[n, 1] + x * q[n, 3]
            sz = w * q[n, 3] - z * q[n, 0] - x * q[n, 2] + y * q[n, 1]
            sin = math.sqrt(sx * sx + sy * sy + sz * sz)
            scale = weights[n] * math.copysign(1.0, real)
            if sin > 1e-12:
                scale *= math.atan2(sin, abs(real)) / sin
            sum_x += scale * sx
            sum_y += scale * sy
            sum_z += scale * sz
        angle = math.sqrt(sum_x * sum_x + sum_y * sum_y + sum_z * sum_z)
        sin = math.sin(angle) / angle if angle > 1e-12 else 1.0
        real, sx, sy, sz = math.cos(angle), sin * sum_x, sin * sum_y, sin * sum_z
        out[j, 0] = w * real - x * sx - y * sy - z * sz
        out[j, 1] = w * sx + x * real + y * sz - z * sy
        out[j, 2] = w * sy + y * real + z * sx - x * sz
        out[j, 3] = w * sz + z * real + x * sy - y * sx
