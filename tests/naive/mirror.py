"""A mirrored motion by nested lists: a matrix between two reflections. Imports nothing from segue."""

from __future__ import annotations

from naive.kinematics import Matrix, Vector, applied, product


def wall(normal: Vector) -> Matrix:
    """Reflection in the plane through the origin with the given unit normal."""
    return [[(i == j) - 2 * normal[i] * normal[j] for j in range(3)] for i in range(3)]


def mirrored_places(places: list[Vector], through: Vector, normal: Vector) -> list[Vector]:
    """Points reflected in the plane through a point with the given normal."""
    out = []
    for place in places:
        seen = applied(wall(normal), [place[k] - through[k] for k in range(3)])
        out.append([seen[k] + through[k] for k in range(3)])
    return out


def mirrored_turns(turns: list[Matrix], partner: list[int], normal: Vector) -> list[Matrix]:
    """Local rotations of the mirrored joints: the partner's, between two reflections."""
    mirror = wall(normal)
    return [product(mirror, product(turns[other], mirror)) for other in partner]
