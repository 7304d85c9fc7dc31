"""Blends by their formulas, one frame and one joint at a time. Imports nothing from segue."""

from __future__ import annotations

import math

from naive.quaternions import product, slerp

Pose = tuple[list[list[float]], list[float]]
"""Local rotations (joints of four numbers) and the root's position."""


def alpha(p: int, k: int) -> float:
    """Weight of A in frame p of a blend of k frames: 1 before it, 0 after it."""
    if p <= -1:
        return 1.0
    if p >= k - 1:
        return 0.0
    return 2 * ((p + 1) / k) ** 3 - 3 * ((p + 1) / k) ** 2 + 1


def crossfade(a: list[Pose], b: list[Pose]) -> list[Pose]:
    """Joints by slerp(A, B, 1 - alpha), the root's position linearly."""
    k = len(a)
    out = []
    for p in range(k):
        w = alpha(p, k)
        rotations = [slerp(qa, qb, 1 - w) for qa, qb in zip(a[p][0], b[p][0], strict=True)]
        root = [w * a[p][1][axis] + (1 - w) * b[p][1][axis] for axis in range(3)]
        out.append((rotations, root))
    return out


def heading(q: list[float]) -> float:
    """Turn about the vertical contained in a rotation."""
    return 2 * math.atan2(q[2], q[0])


def about_vertical(angle: float) -> list[float]:
    """Quaternion of a turn about the vertical."""
    return [math.cos(angle / 2), 0.0, math.sin(angle / 2), 0.0]


def wrapped(angle: float) -> float:
    """The same angle between -pi and pi."""
    return math.atan2(math.sin(angle), math.cos(angle))


def ground(angle: float, x: float, z: float) -> tuple[float, float]:
    """Turn a ground step about the vertical; positive carries +Z to +X."""
    return math.cos(angle) * x + math.sin(angle) * z, -math.sin(angle) * x + math.cos(angle) * z


def by_displacement(a: list[Pose], b: list[Pose], a_before: Pose, b_before: Pose) -> list[Pose]:
    """Blend ground steps and turns, each relative to its own motion's heading; height linearly."""
    k = len(a)
    facing = heading(a_before[0][0])
    x, z = a_before[1][0], a_before[1][2]
    out: list[Pose] = []
    for p in range(k):
        w = alpha(p, k)
        turn = step_x = step_z = height = 0.0
        tilts = []
        for motion, before, weight in ((a, a_before, w), (b, b_before, 1 - w)):
            earlier = motion[p - 1] if p > 0 else before
            now = motion[p]
            was, is_ = heading(earlier[0][0]), heading(now[0][0])
            turn += weight * wrapped(is_ - was)
            dx, dz = ground(-was, now[1][0] - earlier[1][0], now[1][2] - earlier[1][2])
            step_x += weight * dx
            step_z += weight * dz
            height += weight * now[1][1]
            tilts.append(product(about_vertical(-is_), now[0][0]))
        dx, dz = ground(facing, step_x, step_z)
        x, z = x + dx, z + dz
        facing += turn
        root_rotation = product(about_vertical(facing), slerp(tilts[0], tilts[1], 1 - w))
        others = [slerp(qa, qb, 1 - w) for qa, qb in zip(a[p][0][1:], b[p][0][1:], strict=True)]
        out.append(([root_rotation, *others], [x, height, z]))
    return out
