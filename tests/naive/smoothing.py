"""A second-order low-pass filter run forwards and backwards, sample by sample. Imports nothing from segue."""

from __future__ import annotations

import math


def gain(frequency: float, cutoff: float, fps: float) -> float:
    """Remaining amplitude of a sine after both runs."""
    ratio = math.tan(math.pi * frequency / fps) / math.tan(math.pi * cutoff / fps)
    return 1.0 / (1.0 + (math.sqrt(2.0) - 1.0) * ratio**4)


def once(values: list[float], cutoff: float, fps: float) -> list[float]:
    """One run of the Butterworth filter whose two runs halve the power at the cut-off, from a steady start."""
    warped = math.tan(math.pi * cutoff / fps) / (math.sqrt(2.0) - 1.0) ** 0.25
    whole = 1.0 + math.sqrt(2.0) * warped + warped**2
    b0, a1, a2 = (
        warped**2 / whole,
        2 * (warped**2 - 1) / whole,
        (1 - math.sqrt(2.0) * warped + warped**2) / whole,
    )
    x1 = x2 = y1 = y2 = values[0]
    out = []
    for x in values:
        y = b0 * (x + 2 * x1 + x2) - a1 * y1 - a2 * y2
        x1, x2, y1, y2 = x, x1, y, y1
        out.append(y)
    return out


def low_pass(values: list[float], cutoff: float, fps: float) -> list[float]:
    """Both runs, with the values continued beyond both ends by reflection through the end point."""
    n = len(values)
    reach = min(math.ceil(3.0 * fps / cutoff), n - 1)
    before = [2 * values[0] - values[k] for k in range(reach, 0, -1)]
    after = [2 * values[-1] - values[n - 1 - k] for k in range(1, reach + 1)]
    there = once(before + values + after, cutoff, fps)
    back = once(there[::-1], cutoff, fps)[::-1]
    return back[reach : reach + n]
