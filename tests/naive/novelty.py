"""Distance of a pose from the nearest captured one, by loops. Imports nothing from segue."""

from __future__ import annotations

import math

Pose = list[list[float]]
"""World positions of the joints, the root first."""


def seen_from_the_root(pose: Pose, heading: float, joints: list[int], leg: float) -> Pose:
    """Positions relative to the root, rotated by the negative heading about the vertical, in leg lengths."""
    c, s = math.cos(-heading), math.sin(-heading)
    out = []
    for joint in joints:
        x, y, z = (pose[joint][k] - pose[0][k] for k in range(3))
        out.append([(c * x + s * z) / leg, y / leg, (-s * x + c * z) / leg])
    return out


def apart(one: Pose, other: Pose) -> float:
    """Root mean square distance of corresponding joints."""
    total = 0.0
    for p, q in zip(one, other, strict=True):
        total += sum((a - b) ** 2 for a, b in zip(p, q, strict=True))
    return math.sqrt(total / len(one))


def nearest(pose: Pose, known: list[Pose]) -> float:
    """Distance to the nearest of all known poses."""
    return min(apart(pose, other) for other in known)
