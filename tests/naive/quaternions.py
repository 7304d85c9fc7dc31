"""Rotations by definition: matrices and loops, in textbook order. Imports nothing from segue."""

from __future__ import annotations

import math


def product(a: list[float], b: list[float]) -> list[float]:
    """Hamilton product from the table i² = j² = k² = ijk = -1."""
    table = {  # (left unit, right unit): (unit, sign)
        (0, 0): (0, 1), (0, 1): (1, 1), (0, 2): (2, 1), (0, 3): (3, 1),
        (1, 0): (1, 1), (1, 1): (0, -1), (1, 2): (3, 1), (1, 3): (2, -1),
        (2, 0): (2, 1), (2, 1): (3, -1), (2, 2): (0, -1), (2, 3): (1, 1),
        (3, 0): (3, 1), (3, 1): (2, 1), (3, 2): (1, -1), (3, 3): (0, -1),
    }  # fmt: skip
    out = [0.0, 0.0, 0.0, 0.0]
    for left in range(4):
        for right in range(4):
            unit, sign = table[left, right]
            out[unit] += sign * a[left] * b[right]
    return out


def rotated(q: list[float], v: list[float]) -> list[float]:
    """Vector part of q v q*."""
    conjugate = [q[0], -q[1], -q[2], -q[3]]
    return product(product(q, [0.0, *v]), conjugate)[1:]


def matrix(q: list[float]) -> list[list[float]]:
    """Rotation matrix: its columns are the rotated basis vectors."""
    columns = [rotated(q, [float(axis == k) for k in range(3)]) for axis in range(3)]
    return [[columns[c][r] for c in range(3)] for r in range(3)]


def axis_matrix(axis: str, angle: float) -> list[list[float]]:
    """Elementary rotation about one coordinate axis."""
    c, s = math.cos(angle), math.sin(angle)
    if axis == "X":
        return [[1, 0, 0], [0, c, -s], [0, s, c]]
    if axis == "Y":
        return [[c, 0, s], [0, 1, 0], [-s, 0, c]]
    return [[c, -s, 0], [s, c, 0], [0, 0, 1]]


def matrix_product(a: list[list[float]], b: list[list[float]]) -> list[list[float]]:
    """Rows of a times columns of b."""
    return [[sum(a[r][k] * b[k][c] for k in range(len(b))) for c in range(len(b[0]))] for r in range(len(a))]


def euler_matrix(angles: list[float], order: str) -> list[list[float]]:
    """First letter outermost: R = R_first R_second R_third."""
    out = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    for axis, angle in zip(order, angles, strict=True):
        out = matrix_product(out, axis_matrix(axis, angle))
    return out


def slerp(a: list[float], b: list[float], t: float) -> list[float]:
    """Slerp along the shorter arc: sin((1-t)θ)/sin θ a + sin(tθ)/sin θ b."""
    dot = sum(x * y for x, y in zip(a, b, strict=True))
    if dot < 0:
        b, dot = [-y for y in b], -dot
    theta = math.acos(min(1.0, dot))
    if math.sin(theta) < 1e-9:
        return list(a)
    wa, wb = math.sin((1 - t) * theta) / math.sin(theta), math.sin(t * theta) / math.sin(theta)
    return [wa * x + wb * y for x, y in zip(a, b, strict=True)]


def world_by_matrices(
    rotations: list[list[float]], root: list[float], parents: list[int], offsets: list[list[float]]
) -> list[list[list[float]]]:
    """World matrix (4 x 4) of each joint in one frame: its parent's times its own."""
    out: list[list[list[float]]] = []
    for joint, parent in enumerate(parents):
        turn = matrix(rotations[joint])
        shift = root if parent < 0 else offsets[joint]
        own = [[*turn[r], shift[r]] for r in range(3)] + [[0.0, 0.0, 0.0, 1.0]]
        out.append(own if parent < 0 else matrix_product(out[parent], own))
    return out
