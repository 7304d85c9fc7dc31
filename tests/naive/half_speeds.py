"""Speed of half a body, joint by joint and frame by frame."""

from __future__ import annotations

import math


def mean_speed(places: list[list[list[float]]], fps: float) -> list[float]:
    """Mean speed of joints; places[frame][joint] are metres, differences are central, and one-sided at the ends."""
    out = []
    last = len(places) - 1
    for frame in range(len(places)):
        before, after = max(frame - 1, 0), min(frame + 1, last)
        seconds = (after - before) / fps
        total = 0.0
        for joint in range(len(places[frame])):
            total += math.dist(places[before][joint], places[after][joint]) / seconds
        out.append(total / len(places[frame]))
    return out
