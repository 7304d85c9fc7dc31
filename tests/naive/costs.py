"""Costs of two moments as the papers define them: one pair, plain loops, nothing shared with the package."""

from __future__ import annotations

import math


def window_weight(k: int, half: int) -> float:
    """W_k before scaling."""
    return 1.0 - (k / (half + 1)) ** 2


def weighted_cloud(points, centre, half, part_of, part_weight):
    """(weight, x, y, z) of every point of a window; the points of a part share its weight equally."""
    count = {}
    for part in part_of:
        count[part] = count.get(part, 0) + 1
    total_window = sum(window_weight(k, half) for k in range(-half, half + 1))
    total_parts = sum(part_weight[part] for part in count)
    out = []
    for k in range(-half, half + 1):
        for m, part in enumerate(part_of):
            weight = window_weight(k, half) / total_window * part_weight[part] / total_parts / count[part]
            x, y, z = points[centre + k][m]
            out.append((weight, float(x), float(y), float(z)))
    return out


def best_ground_motion(a, b):
    """Turn and (x, z) shift of cloud b that align it best with cloud a (Kovar et al. 2002, eq. 2 to 4)."""
    w = sum(p[0] for p in a)
    ax = sum(p[0] * p[1] for p in a) / w
    az = sum(p[0] * p[3] for p in a) / w
    bx = sum(p[0] * p[1] for p in b) / w
    bz = sum(p[0] * p[3] for p in b) / w
    above = below = 0.0
    for p, q in zip(a, b, strict=True):
        above += p[0] * (p[1] * q[3] - q[1] * p[3])
        below += p[0] * (p[1] * q[1] + p[3] * q[3])
    above -= w * (ax * bz - bx * az)
    below -= w * (ax * bx + az * bz)
    turn = math.atan2(above, below)
    shift_x = ax - bx * math.cos(turn) - bz * math.sin(turn)
    shift_z = az + bx * math.sin(turn) - bz * math.cos(turn)
    return turn, shift_x, shift_z


def squared_distance(a, b, motion):
    """Weighted squared distance of cloud a to cloud b after its turn and shift."""
    turn, shift_x, shift_z = motion
    total = 0.0
    for p, q in zip(a, b, strict=True):
        x = q[1] * math.cos(turn) + q[3] * math.sin(turn) + shift_x
        z = -q[1] * math.sin(turn) + q[3] * math.cos(turn) + shift_z
        total += p[0] * ((p[1] - x) ** 2 + (p[2] - q[2]) ** 2 + (p[3] - z) ** 2)
    return total


def point_cloud(points_a, points_b, i, j, *, half, part_of, align="window"):
    """Windowed point-cloud cost of two centre frames, with uniform part weights."""
    weight = dict.fromkeys(part_of, 1.0)
    a = weighted_cloud(points_a, i, half, part_of, weight)
    b = weighted_cloud(points_b, j, half, part_of, weight)
    if align == "window":
        return squared_distance(a, b, best_ground_motion(a, b))
    motion = best_ground_motion(
        weighted_cloud(points_a, i, 0, part_of, weight), weighted_cloud(points_b, j, 0, part_of, weight)
    )
    return squared_distance(a, b, motion)


def distance(pose, first, second):
    """Distance between two joints of one pose, a mapping of roles to positions."""
    return math.dist(pose[first], pose[second])


def other_side(role):
    """Role on the other side of the body."""
    if role.startswith("left_"):
        return "right_" + role[len("left_") :]
    if role.startswith("right_"):
        return "left_" + role[len("right_") :]
    return role


def relative_distance(pose_1, pose_2, pairs):
    """Weighted sum of joint relative distances (eq. 4.2 to 4.4); ``pairs`` holds (role, role, weight)."""
    total = 0.0
    for first, second, weight in pairs:
        change = abs(distance(pose_1, first, second) - distance(pose_2, first, second))
        mirror = {other_side(first), other_side(second)}
        if mirror != {first, second}:
            one, two = other_side(first), other_side(second)
            change = (change + abs(distance(pose_1, one, two) - distance(pose_2, one, two))) / 2
        total += weight * change
    return total
