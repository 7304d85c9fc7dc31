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
    for p, on in zip(places, flags, strict=True):
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
            middle = ((anchors[0][0] + anchors[1][0]) / 2, (anchors[0][1] + anchors[1][1]) / 2)
            q = turn(angle, ((p[0][0] + p[1][0]) / 2, (p[0][1] + p[1][1]) / 2))
            shift = (middle[0] - q[0], middle[1] - q[1])
        for k in now:
            if k not in anchors:
                q = turn(angle, p[k])
                anchors[k] = (q[0] + shift[0], q[1] + shift[1])
        out.append((angle, shift))
    return out


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
