"""Alignment of sequences by trying every path, and a spring by small steps. Imports nothing from segue."""

from __future__ import annotations

import math
from functools import cache


def cheapest(cost: list[list[float]], limit: int) -> float:
    """Smallest sum over all monotone paths from corner to corner, at most ``limit`` steps in a row along one side."""
    rows, columns = len(cost), len(cost[0])

    @cache
    def best(i: int, j: int, side: int, turns: int) -> float:
        """Sum from a cell to the end, after ``turns`` steps in a row along a side (0 both, 1 rows, 2 columns)."""
        here = cost[i][j]
        if i == rows - 1 and j == columns - 1:
            return here
        paths = []
        if i + 1 < rows and j + 1 < columns:
            paths.append(best(i + 1, j + 1, 0, 0))
        if i + 1 < rows and not (side == 1 and turns == limit):
            paths.append(best(i + 1, j, 1, turns + 1 if side == 1 else 1))
        if j + 1 < columns and not (side == 2 and turns == limit):
            paths.append(best(i, j + 1, 2, turns + 1 if side == 2 else 1))
        return here + min(paths, default=math.inf)

    return best(0, 0, 0, 0)


def cheapest_in_band(cost: list[list[float]], inside: list[list[bool]]) -> float:
    """Smallest sum over all monotone paths from corner to corner through the cells inside a band."""
    rows, columns = len(cost), len(cost[0])

    @cache
    def best(i: int, j: int) -> float:
        if i >= rows or j >= columns or not inside[i][j]:
            return math.inf
        if i == rows - 1 and j == columns - 1:
            return cost[i][j]
        return cost[i][j] + min(best(i + 1, j + 1), best(i + 1, j), best(i, j + 1))

    return best(0, 0)


def spring(offset: float, speed: float, seconds: float, rate: float) -> float:
    """Critically damped spring by small steps: x'' = -2 rate x' - rate^2 x."""
    steps = 20_000
    dt = seconds / steps
    x, v = offset, speed
    for _ in range(steps):
        # Midpoint rule: the error falls with the square of the step.
        mid_x, mid_v = x + 0.5 * dt * v, v + 0.5 * dt * (-2 * rate * v - rate * rate * x)
        x, v = x + dt * mid_v, v + dt * (-2 * rate * mid_v - rate * rate * mid_x)
    return x
