"""A gap in rotations bridged by a Bezier curve, point by point. Imports nothing from segue."""

from __future__ import annotations

import math


def multiply(p, q):
    """Product of two quaternions, w first."""
    a, b, c, d = p
    e, f, g, h = q
    return (
        a * e - b * f - c * g - d * h,
        a * f + b * e + c * h - d * g,
        a * g - b * h + c * e + d * f,
        a * h + b * g - c * f + d * e,
    )


def power(q, t):
    """A rotation to the power ``t``, along the shorter arc."""
    if q[0] < 0:
        q = tuple(-x for x in q)
    sin = math.sqrt(q[1] ** 2 + q[2] ** 2 + q[3] ** 2)
    if sin < 1e-12:
        return (1.0, 0.0, 0.0, 0.0)
    half = math.atan2(sin, q[0]) * t
    return (math.cos(half), *(math.sin(half) * x / sin for x in q[1:]))


def between(p, q):
    """Rotation from one orientation to another, in the frame of the first."""
    return multiply((p[0], -p[1], -p[2], -p[3]), q)


def slerp(p, q, t):
    """Orientation a share ``t`` of the arc from one to another."""
    return multiply(p, power(between(p, q), t))


def bridged(turns, start, stop):
    """Rotations with frames ``start`` to ``stop`` (half open) filled in, given enough sound frames on both sides."""
    look = min(max((stop - start) // 3, 1), 5)
    first, last, gap = turns[start - 1], turns[stop], stop - start + 1
    before, after = min(look, start - 1), min(look, len(turns) - 1 - stop)
    came = power(between(turns[start - 1 - before], first), 1 / before)
    goes = power(between(last, turns[stop + after]), 1 / after)
    leave, arrive = multiply(first, power(came, gap / 3)), multiply(last, power(goes, -gap / 3))
    out = list(turns)
    for k in range(start, stop):
        points, t = [first, leave, arrive, last], (k - start + 1) / gap
        while len(points) > 1:
            points = [slerp(points[i], points[i + 1], t) for i in range(len(points) - 1)]
        out[k] = points[0]
    return out
