"""A foot held in place, frame by frame, and a leg that reaches, by search. Imports nothing of segue."""

from __future__ import annotations

import math

Point = tuple[float, float]


def turn(angle: float, p: Point) -> Point:
    """Turn a ground vector (x, z) about the vertical; positive carries z towards x."""
    c, s = math.cos(angle), math.sin(angle)
    return c * p[0] + s * p[1], -s * p[0] + c * p[1]


def held(places: list[list[Point]], flags: list[list[bool]]) -> list[tuple[float, Point]]:
    """Turn and shift of every frame of one plant, before its mean is taken out.

    ``places`` are heel and toe on the ground, ``flags`` which of them is planted; at least one is in every frame.
    """
    angle, shift = 0.0, (0.0, 0.0)
    anchors: dict[int, Point] = {}
    out = []
    for frame, (p, on) in enumerate(zip(places, flags, strict=True)):
        now = [k for k in (0, 1) if on[k]]
        anchors = {k: place for k, place in anchors.items() if k in now}
        if len(anchors) == 1:
            k, place = next(iter(anchors.items()))
            q = turn(angle, p[k])
            shift = (place[0] - q[0], place[1] - q[1])
        elif len(anchors) == 2:
            wanted = (anchors[1][0] - anchors[0][0], anchors[1][1] - anchors[0][1])
            found = (p[1][0] - p[0][0], p[1][1] - p[0][1])
            new = math.atan2(*wanted) - math.atan2(*found)
            angle += math.remainder(new - angle, 2 * math.pi)
            toe = toe_weight(flags, frame)
            middle = [(1 - toe) * anchors[0][k] + toe * anchors[1][k] for k in (0, 1)]
            q = turn(angle, ((1 - toe) * p[0][0] + toe * p[1][0], (1 - toe) * p[0][1] + toe * p[1][1]))
            shift = (middle[0] - q[0], middle[1] - q[1])
        for k in now:
            if k not in anchors:
                q = turn(angle, p[k])
                anchors[k] = (q[0] + shift[0], q[1] + shift[1])
        out.append((angle, shift))
    return out


def toe_weight(flags: list[list[bool]], frame: int) -> float:
    """Who holds a foot with both parts down: the one planted before, and from a third on the one that remains."""
    first = last = frame
    while first > 0 and all(flags[first - 1]):
        first -= 1
    while last + 1 < len(flags) and all(flags[last + 1]):
        last += 1
    start = 0.5 if first == 0 else float(flags[first - 1][1])
    end = 0.5 if last == len(flags) - 1 else float(flags[last + 1][1])
    t = min(3 * (frame - first) / (last - first), 1.0) if last > first else 0.0
    return start + (end - start) * (3 * t**2 - 2 * t**3)


def knee_bend(thigh: float, shank: float, reach: float) -> float:
    """Bend of a knee, 0 for a straight leg, found by halving: the ankle lies ``reach`` from the hip."""
    low, high = 0.0, math.pi
    for _ in range(80):
        middle = (low + high) / 2
        x, y = thigh + shank * math.cos(middle), shank * math.sin(middle)
        if math.hypot(x, y) > reach:
            low = middle
        else:
            high = middle
    return (low + high) / 2
