"""The price of a finished seam, one number, by loops. Imports nothing from segue."""

from __future__ import annotations

import math

from naive.transitions import weight_of_a

Point = list[float]


def root(
    made: list[Point], a: list[Point], b: list[Point], starts: tuple[int, int], length: int, *, fps: float
) -> float:
    """Largest difference in m/s of a made root's ground speed from the weighted mean of its sources' speeds.

    ``made`` is the complete motion, which begins with A's first frame; beyond A's end its last frame is repeated.
    """
    worst = 0.0
    for p in range(length + 1):  # the step that ends p frames into the blend; the last one ends after it
        weight = weight_of_a(p, length) if p < length else 0.0
        speeds = []
        for places, at in ((made, starts[0] + p), (a, starts[0] + p), (b, starts[1] + p)):
            here, before = (places[min(max(at - k, 0), len(places) - 1)] for k in (0, 1))
            speeds.append(math.dist(here, before) * fps)
        worst = max(worst, abs(speeds[0] - (weight * speeds[1] + (1.0 - weight) * speeds[2])))
    return worst


def price(
    excess: float,
    mismatch: float,
    pace: float,
    slip: float,
    knee: float,
    root_speed: float,
    *,
    most: dict[str, float],
    size: float,
) -> float:
    """Sum of the shares of the limits that are used; ``knee`` is the hardest bend over the sources' hardest."""
    return (
        max(excess, 0.0)
        + mismatch / most["mismatch"]
        + pace
        + root_speed / (most["root"] * size)
        + slip / (most["slides"] * size)
        + max(knee - 1.0, 0.0) / (most["knees"] - 1.0)
    )
