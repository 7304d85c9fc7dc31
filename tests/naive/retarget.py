"""Another body's bones aligned with the source's, joint by joint, by nested lists. Imports nothing from segue."""

from __future__ import annotations

import math

from naive.kinematics import Matrix, Vector, applied, product


def unit(v: Vector) -> Vector:
    """Vector scaled to length one."""
    length = math.sqrt(sum(x * x for x in v))
    return [x / length for x in v]


def cross(a: Vector, b: Vector) -> Vector:
    """Cross product."""
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def laid(a: Vector, b: Vector) -> Matrix:
    """Matrix of the shortest rotation from direction a to direction b, by Rodrigues' formula."""
    a, b = unit(a), unit(b)
    k = cross(a, b)
    c = sum(x * y for x, y in zip(a, b, strict=True))
    hat = [[0.0, -k[2], k[1]], [k[2], 0.0, -k[0]], [-k[1], k[0], 0.0]]
    square = product(hat, hat)
    return [[(i == j) + hat[i][j] + square[i][j] / (1.0 + c) for j in range(3)] for i in range(3)]


def chain(turns: list[Matrix], bones: list[Vector], others: list[Vector], start: Vector) -> list[Vector]:
    """Positions of a limb's joints on another body.

    ``turns`` are the world matrices of the source's limb joints, ``bones`` its rest bones, ``others`` the other body's,
    and ``start`` is where the other limb begins.
    """
    places = [start]
    for turn, bone, other in zip(turns, bones, others, strict=True):
        step = applied(product(turn, laid(other, bone)), other)
        places.append([places[-1][k] + step[k] for k in range(3)])
    return places
