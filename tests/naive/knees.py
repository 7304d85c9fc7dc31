"""Angular speed and acceleration of a knee at a seam, by loops. Imports nothing from segue."""

from __future__ import annotations

import math


def bend(hip: list[float], knee: list[float], ankle: list[float]) -> float:
    """Angle in radians between thigh and shank; 0 for a straight leg."""
    thigh = [b - a for a, b in zip(hip, knee, strict=True)]
    shank = [b - a for a, b in zip(knee, ankle, strict=True)]
    along = sum(a * b for a, b in zip(thigh, shank, strict=True))
    return math.acos(max(-1.0, min(1.0, along / (math.hypot(*thigh) * math.hypot(*shank)))))


def hardest(bends: list[float], first: int, last: int, fps: float) -> float:
    """Largest angular acceleration in frames ``first`` to ``last``, both included, where it is defined."""
    frames = range(max(first, 1), min(last, len(bends) - 2) + 1)
    return max((abs(bends[t + 1] - 2 * bends[t] + bends[t - 1]) * fps * fps for t in frames), default=0.0)


def fastest(bends: list[float], first: int, last: int, fps: float) -> float:
    """Largest angular speed in these frames, both included: the slower of the steps into and out of a frame."""
    frames = range(max(first, 1), min(last, len(bends) - 2) + 1)
    steps = [(abs(bends[t] - bends[t - 1]), abs(bends[t + 1] - bends[t])) for t in frames]
    return max((min(both) * fps for both in steps), default=0.0)
