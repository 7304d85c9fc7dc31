"""The best ground motion by search, from the sum it minimises. Imports nothing from segue."""

from __future__ import annotations

import math


def moved(turn: float, x: float, z: float, point: list[float]) -> list[float]:
    """Turn about the vertical (positive carries +Z to +X), then shift."""
    return [
        math.cos(turn) * point[0] + math.sin(turn) * point[2] + x,
        point[1],
        -math.sin(turn) * point[0] + math.cos(turn) * point[2] + z,
    ]


def misfit(
    turn: float, x: float, z: float, a: list[list[float]], b: list[list[float]], w: list[float]
) -> float:
    """Sum over points of w |a - T b|²."""
    total = 0.0
    for p, q, weight in zip(a, b, w, strict=True):
        there = moved(turn, x, z, q)
        total += weight * sum((p[k] - there[k]) ** 2 for k in range(3))
    return total


def best_shift(
    turn: float, a: list[list[float]], b: list[list[float]], w: list[float]
) -> tuple[float, float]:
    """Best shift for a given turn: the weighted mean of the remaining differences."""
    x = z = 0.0
    for p, q, weight in zip(a, b, w, strict=True):
        there = moved(turn, 0.0, 0.0, q)
        x += weight * (p[0] - there[0])
        z += weight * (p[2] - there[2])
    return x / sum(w), z / sum(w)


def search(a: list[list[float]], b: list[list[float]], w: list[float]) -> tuple[float, float]:
    """Best turn and its misfit: a grid of integer degrees, then golden-section search around the best one."""

    def cost(turn: float) -> float:
        return misfit(turn, *best_shift(turn, a, b, w), a, b, w)

    middle = min((math.radians(d) for d in range(-180, 180)), key=cost)
    low, high = middle - math.radians(1), middle + math.radians(1)
    ratio = (math.sqrt(5) - 1) / 2
    for _ in range(60):
        left, right = high - ratio * (high - low), low + ratio * (high - low)
        if cost(left) < cost(right):
            high = right
        else:
            low = left
    turn = (low + high) / 2
    return turn, cost(turn)
