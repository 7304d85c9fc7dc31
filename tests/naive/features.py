"""Features of motion matching, one by one, with plain loops and nothing from the package."""

from __future__ import annotations

import math


def seen(vector, heading):
    """Vector in the frame that faces along the heading."""
    c, s = math.cos(heading), math.sin(heading)
    return [c * vector[0] - s * vector[2], vector[1], s * vector[0] + c * vector[2]]


def minus(a, b):
    """Difference of two positions."""
    return [x - y for x, y in zip(a, b, strict=True)]


def features(pelvis, feet, headings, k, *, scales, weights, fps=30):
    """27 features of frame k; ``pelvis`` and each of ``feet`` hold a position per frame, in metres of a 1.75 m body."""
    h = headings[k]
    below = [pelvis[k][0], 0.0, pelvis[k][2]]
    groups = [[], [], [], [], []]
    for foot in feet:
        groups[0] += seen(minus(foot[k], below), h)
        groups[1] += [v * fps / 2 for v in seen(minus(foot[k + 1], foot[k - 1]), h)]
    groups[2] += [v * fps / 2 for v in seen(minus(pelvis[k + 1], pelvis[k - 1]), h)]
    for third in (1, 2, 3):
        then = k + round(third * fps / 3)
        x, _, z = seen(minus(pelvis[then], pelvis[k]), h)
        groups[3] += [x, z]
        groups[4] += [math.sin(headings[then] - h), math.cos(headings[then] - h)]
    return [w / s * v for w, s, group in zip(weights, scales, groups, strict=True) for v in group]


def feature_cost(one, other):
    """Sum of squared differences."""
    return sum((x - y) ** 2 for x, y in zip(one, other, strict=True))
