"""Closing a row of numbers to a loop, by its definition. Imports nothing from segue."""

from __future__ import annotations


def closed(values: list[float], first: int, last: int, ease: int) -> list[float]:
    """Numbers from ``first`` to ``last`` that end as they began, in value and in speed.

    The last value becomes equal to the first: half of the difference is added at each end, linearly less towards the
    middle, where nothing is added. The common speed is the mean of the speeds at both ends; half of their difference is
    added at each end along a cubic that returns to zero after ``ease`` frames.
    """
    count = last - first
    missing = values[last] - values[first]
    begins = (values[first + 1] - values[first - 1]) / 2
    ends = (values[last + 1] - values[last - 1]) / 2
    out = []
    for k in range(count + 1):
        drift = missing * (0.5 - k / count)
        change = 0.0
        for away, gain in ((k, (ends - begins) / 2), (count - k, (ends - begins) / 2)):
            if away < ease:
                change += gain * away * (1 - away / ease) * (1 - away / ease)
        out.append(values[first + k] + drift + change)
    return out
