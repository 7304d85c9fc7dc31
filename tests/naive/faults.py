"""Jumps and zeros in joint angles found by loops, in the order of the rules."""

from __future__ import annotations

import math


def turn(a, b):
    """Angle in radians between two unit quaternions."""
    dot = abs(sum(x * y for x, y in zip(a, b, strict=True)))
    return 2.0 * math.acos(min(dot, 1.0))


def second_largest_around(values, first, last, reach):
    """Second largest of ``reach`` values before and after values[first..last], without the adjacent ones."""
    seen = []
    for away in range(2, 2 + reach):
        seen += [values[index] for index in (first - away, last + away) if 0 <= index < len(values)]
    seen.sort()
    return seen[-2] if len(seen) > 1 else 0.0


def glitch_steps(quaternions, fps, trunk=False):
    """Steps t (frame t to t + 1) that rotate a joint 60 degrees (trunk: 25) more than twice its surroundings."""
    steps = [turn(quaternions[t], quaternions[t + 1]) for t in range(len(quaternions) - 1)]
    reach = max(4, math.ceil(0.04 * fps))
    least, rate = (25.0, 1000.0) if trunk else (60.0, 3600.0)
    limit = max(math.radians(least), math.radians(rate) / fps)
    return [
        t for t, angle in enumerate(steps) if angle - 2.0 * second_largest_around(steps, t, t, reach) > limit
    ]


def zero_runs(quaternions):
    """Half-open frame ranges in which a joint is within 1e-5 radians of its rest rotation."""
    runs = []
    start = None
    for frame, q in enumerate([*quaternions, (0.0, 1.0, 0.0, 0.0)]):
        sin = math.sqrt(q[1] ** 2 + q[2] ** 2 + q[3] ** 2)
        at_rest = 2.0 * math.atan2(sin, abs(q[0])) < 1e-5
        if at_rest and start is None:
            start = frame
        if not at_rest and start is not None:
            runs.append((start, frame))
            start = None
    return runs


def parabola_acceleration(heights, fps):
    """Least-squares downward acceleration of heights in free fall, by the normal equations of 1, t, t squared."""
    n = len(heights)
    times = [k / fps - (n - 1) / (2 * fps) for k in range(n)]
    # Centred times make odd powers sum to zero: two equations remain, for the constant and the square.
    s0, s2, s4 = n, sum(t**2 for t in times), sum(t**4 for t in times)
    h0, h2 = sum(heights), sum(h * t**2 for h, t in zip(heights, times, strict=True))
    square = (s0 * h2 - s2 * h0) / (s0 * s4 - s2 * s2)
    return -2.0 * square
