"""A reference from its definition: mean rotations, angles from the vertical. Imports nothing from segue."""

from __future__ import annotations

import math
from collections.abc import Sequence


def mean_turn(turns: Sequence[Sequence[float]]) -> list[float]:
    """Unit quaternion with the largest sum of squared products with the others, whatever their signs."""
    agreement = [[sum(q[a] * q[b] for q in turns) for b in range(4)] for a in range(4)]
    best = [0.0, 0.0, 0.0, 0.0]
    worth = -1.0
    for start in range(4):
        v = [1.0 if k == start else 0.1 for k in range(4)]
        for _ in range(2000):
            v = [sum(agreement[a][b] * v[b] for b in range(4)) for a in range(4)]
            size = math.sqrt(sum(x * x for x in v))
            v = [x / size for x in v]
        found = sum(sum(a * b for a, b in zip(q, v, strict=True)) ** 2 for q in turns)
        if found > worth + 1e-12:
            best, worth = v, found
    return best


def tilt(vector: Sequence[float]) -> float:
    """Angle in radians between a vector and straight down."""
    size = math.sqrt(sum(x * x for x in vector))
    return math.acos(max(-1.0, min(1.0, -vector[1] / size)))


def stands(
    rest: Sequence[Sequence[float]], joints: dict[str, int], *, upright: float, astride: float
) -> bool:
    """Whether a body that faces +Z stands: trunk, thighs and shins within given angles of the vertical."""
    hips = [rest[joints[f"{side}_hip"]] for side in ("left", "right")]
    middle = [(a + b) / 2 for a, b in zip(*hips, strict=True)]
    trunk = [a - b for a, b in zip(rest[joints["neck"]], middle, strict=True)]
    if math.acos(trunk[1] / math.sqrt(sum(x * x for x in trunk))) > upright:
        return False
    for side in ("left", "right"):
        for start, end in (("hip", "knee"), ("knee", "ankle")):
            a, b = rest[joints[f"{side}_{start}"]], rest[joints[f"{side}_{end}"]]
            x, y, z = (q - p for p, q in zip(a, b, strict=True))
            if y >= 0 or math.atan2(abs(z), -y) > upright or math.atan2(abs(x), -y) > astride:
                return False
    return True
