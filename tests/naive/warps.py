"""Slowing one side of a blend down, moment by moment. Imports nothing from segue."""

from __future__ import annotations

import math

from naive.quaternions import slerp


def eased(n: int, side: int, share: float) -> tuple[list[float], list[float]]:
    """Moments of both sides: the slowed side leaves, or arrives, at its own tempo."""
    left, arrived = [], []
    for s in range(1, n + 1):
        a = share if side == 0 else 1.0
        b = share if side == 1 else 1.0
        left.append(s - (1 - a) * s * s / n - 1)
        u = n - s
        arrived.append((n - 1) - (u - (1 - b) * u * u / n))
    return left, arrived


def timewarped(one: list, other: list) -> tuple[int, float, list[float]]:
    """Side to slow down, share of it that is shown, and the cost of every choice."""
    n = len(one)
    best = (math.inf, 0, 1.0)
    costs = []
    for side in (0, 1):
        for k in range(17):
            share = 1.0 - k / 32
            left, arrived = eased(n, side, share)
            total = 0.0
            for a, b in zip(left, arrived, strict=True):
                for joint in range(1, len(one[0])):
                    dot = sum(x * y for x, y in zip(_at(one, a, joint), _at(other, b, joint), strict=True))
                    total += math.acos(min(abs(dot), 1.0)) ** 2
            if share == 1.0 and side == 1:
                continue  # at its own tempo, the same as the choice of the other side
            costs.append(total)
            if total < best[0] - 1e-12:
                best = (total, side, share)
    return best[1], best[2], costs


def _at(q: list, t: float, joint: int) -> list[float]:
    t = min(max(t, 0.0), len(q) - 1)
    low = int(t)
    high = min(low + 1, len(q) - 1)
    return slerp(q[low][joint], q[high][joint], t - low)
