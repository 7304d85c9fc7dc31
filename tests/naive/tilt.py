"""Floors that slope or drift, joint by joint and frame by frame, from the definition."""

from __future__ import annotations

import math


def level_height(
    point: tuple[float, float, float],
    second: float,
    *,
    height: float,
    slope: float,
    towards: float,
    drift: float,
) -> float:
    """Distance of a point, along the normal, from a plane of given height, slope and heading that rises at a rate."""
    x, y, z = point
    normal = (
        -math.sin(slope) * math.sin(towards),
        math.cos(slope),
        -math.sin(slope) * math.cos(towards),
    )
    y -= height + drift * second
    return x * normal[0] + y * normal[1] + z * normal[2]


def straight_line(times: list[float], heights: list[float]) -> tuple[float, float]:
    """Slope and height at 0 of the least-squares line through points, by the normal equations."""
    n = len(times)
    mean_t, mean_h = sum(times) / n, sum(heights) / n
    above = sum((t - mean_t) * (h - mean_h) for t, h in zip(times, heights, strict=True))
    below = sum((t - mean_t) ** 2 for t in times)
    return above / below, mean_h - above / below * mean_t
