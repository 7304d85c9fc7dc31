"""Blends in a time of their own, frame by frame. Imports nothing of segue."""

from __future__ import annotations

import math

from naive.assemble import Ground, placed
from naive.blending import Pose, crossfade
from naive.quaternions import slerp


def slower(poses: list[Pose], n: int) -> list[Pose]:
    """Poses in the time of n frames: the first and the last stay, in between lies what lies between neighbours."""
    out = []
    for t in range(n):
        at = t * (len(poses) - 1) / (n - 1)
        low = min(math.floor(at + 1e-9), len(poses) - 1)
        high = min(low + 1, len(poses) - 1)
        share = max(at - low, 0.0)
        turned = [slerp(p, q, share) for p, q in zip(poses[low][0], poses[high][0], strict=True)]
        root = [(1 - share) * p + share * q for p, q in zip(poses[low][1], poses[high][1], strict=True)]
        out.append((turned, root))
    return out


def bridge(a: list[Pose], b: list[Pose], n: int, ground: Ground) -> list[Pose]:
    """Blend of n frames from all of A to all of B, which is moved along the ground."""
    there = [placed(pose, [ground]) for pose in b]
    return crossfade(slower(a, n), slower(there, n))
