"""World positions of an SMPL-like pose from its definition: nested rotations of rest offsets, joint by joint."""

from __future__ import annotations

import math


def _matrix(vector: list[float]) -> list[list[float]]:
    """Rodrigues' formula."""
    angle = math.sqrt(sum(v * v for v in vector))
    if angle < 1e-12:
        return [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    x, y, z = (v / angle for v in vector)
    c, s = math.cos(angle), math.sin(angle)
    return [
        [c + x * x * (1 - c), x * y * (1 - c) - z * s, x * z * (1 - c) + y * s],
        [y * x * (1 - c) + z * s, c + y * y * (1 - c), y * z * (1 - c) - x * s],
        [z * x * (1 - c) - y * s, z * y * (1 - c) + x * s, c + z * z * (1 - c)],
    ]


def _product(a: list[list[float]], b: list[list[float]]) -> list[list[float]]:
    return [[sum(a[i][k] * b[k][j] for k in range(3)) for j in range(3)] for i in range(3)]


def places(
    pose: list[list[float]], trans: list[float], offsets: list[list[float]], parents: list[int]
) -> list[list[float]]:
    """Position of each joint: ``pose`` has one axis-angle vector per joint, ``trans`` is the root's position."""
    turns: list[list[list[float]]] = []
    out: list[list[float]] = []
    for joint, vector in enumerate(pose):
        own = _matrix(vector)
        if parents[joint] < 0:
            turns.append(own)
            out.append(list(trans))
            continue
        above = turns[parents[joint]]
        moved = [sum(above[i][k] * offsets[joint][k] for k in range(3)) for i in range(3)]
        turns.append(_product(above, own))
        out.append([p + m for p, m in zip(out[parents[joint]], moved, strict=True)])
    return out
