"""Build the closed meshes of a mannequin's parts from rings.

A part is a stack of rings of points with a pole at either end. Normals come from the triangles, so that any
outline is shaded smoothly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from segue.arrays import Floats, Ints, Positions

CAP_RINGS = 4
"""Rings of a rounded end, between its pole and the full ring."""
_TINY = 1e-9


@dataclass(frozen=True, eq=False)
class Mesh:
    """One closed mesh.

    Parameters
    ----------
    positions, normals
        (V, 3) metres in a standing pose, unit.
    triangles
        (T, 3) counter-clockwise seen from outside.
    joints, weights
        (V, 2) the two joints of a vertex; (V,) the skin weight of the first.
    """

    positions: Positions
    normals: Positions
    triangles: npt.NDArray[np.int64]
    joints: Ints
    weights: Floats


@dataclass(frozen=True, eq=False)
class Rings:
    """R rings of N points each, from one pole to the other, with two joints and a weight for each ring."""

    points: Positions
    first: Positions
    last: Positions
    joints: Ints
    weights: Floats


def closed(rings: Rings) -> Mesh:
    """Build the mesh of a stack of rings."""
    count, around = rings.points.shape[:2]
    positions = np.concatenate([rings.first[None], rings.points.reshape(-1, 3), rings.last[None]])
    triangles = _triangles(count, around)
    corners = positions[triangles]
    if np.sum(corners[:, 0] * np.cross(corners[:, 1], corners[:, 2])) < 0:
        triangles = triangles[:, ::-1]
        corners = positions[triangles]
    faces = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals = np.zeros_like(positions)
    for corner in range(3):
        np.add.at(normals, triangles[:, corner], faces)
    rows = np.concatenate([[0], np.repeat(np.arange(count), around), [count - 1]])
    # Where rings coincide, as on a bone without length, triangles have no normal: take the direction away
    # from the axis.
    flat = np.linalg.norm(normals, axis=1) < _TINY * max(float(np.abs(normals).max()), 1e-12)
    normals[flat] = (positions - rings.points.mean(axis=1)[rows])[flat]
    return Mesh(positions, unit(normals), triangles, rings.joints[rows], rings.weights[rows])


def _triangles(count: int, around: int) -> npt.NDArray[np.int64]:
    """Triangles between the rings and to both poles."""
    step = np.arange(around)
    after = (step + 1) % around
    last = 1 + count * around
    out = [np.column_stack([np.zeros(around, dtype=np.int64), 1 + after, 1 + step])]
    for ring in range(count - 1):
        a, b = 1 + ring * around + step, 1 + ring * around + after
        out += [np.column_stack([a, b, b + around]), np.column_stack([a, b + around, a + around])]
    top = last - around
    out.append(np.column_stack([top + step, top + after, np.full(around, last)]))
    return np.concatenate(out).astype(np.int64)


def limb(
    start: Positions,
    end: Positions,
    profile: Sequence[tuple[float, float]],
    *,
    joint: int,
    front: Positions,
    bulge: float = 0.0,
    flat: float = 1.0,
    around: int = 24,
) -> Mesh:
    """Build a round bone with rounded ends: neighbours of equal radius at their joint share a sphere at any bend.

    Parameters
    ----------
    start, end
        (3,) its ends, the centres of its rounded ends.
    profile
        (position from 0 to 1, radius in metres) in order, interpolated smoothly.
    joint
        The joint it is skinned to.
    front
        (3,) forward direction of the body.
    bulge
        Metres by which its middle is shifted to the front (below 0: to the back).
    flat
        Depth along ``front`` over width.
    around
        Points on a ring.
    """
    axis, length = _axis(start, end)
    depth = _square_to(front, axis)
    side = np.cross(depth, axis)
    places, radii = (np.asarray(column, dtype=float) for column in zip(*profile, strict=True))
    steps = np.linspace(0.0, 1.0, max(3, 3 + 2 * len(places)))
    thick = _smooth(steps, places, radii)
    cap = 0.5 * np.pi * np.arange(1, CAP_RINGS + 1) / (CAP_RINGS + 1)
    low, high = thick[0], thick[-1]
    along = np.concatenate([-low * np.cos(cap), steps * length, length + high * np.sin(cap)])
    radius = np.concatenate([low * np.sin(cap), thick, high * np.cos(cap)])
    shift = np.concatenate(
        [np.zeros(CAP_RINGS), bulge * np.sin(np.pi * steps**0.7) ** 2, np.zeros(CAP_RINGS)]
    )
    turn = 2.0 * np.pi * np.arange(around) / around
    ring = np.cos(turn)[:, None] * side + flat * np.sin(turn)[:, None] * depth
    centres = start + along[:, None] * axis + shift[:, None] * depth
    points = centres[:, None] + radius[:, None, None] * ring
    rows = len(points)
    return closed(
        Rings(
            points,
            start - low * axis,
            end + high * axis,
            np.full((rows, 2), joint, dtype=np.int64),
            np.ones(rows),
        )
    )


def stacked(
    centres: Positions,
    halves: Floats,
    axes: tuple[Positions, Positions],
    *,
    joints: Ints,
    weights: Floats,
    ends: tuple[Positions, Positions],
    square: Floats | float = 2.0,
    around: int = 32,
) -> Mesh:
    """Build a stack of ovals: a trunk, a head, a hand.

    Parameters
    ----------
    centres
        (R, 3) middle of each oval.
    halves
        (R, 2) half width and half depth in metres.
    axes
        (3,) or (R, 3) directions of width and depth.
    joints, weights
        (R, 2) joints of each ring and (R,) skin weight of the first.
    ends
        (3,) the two poles.
    square
        Exponent of the superellipse: 2 is an ellipse, larger is closer to a rectangle.
    around
        Points on a ring.
    """
    turn = 2.0 * np.pi * np.arange(around) / around
    power = 2.0 / np.broadcast_to(np.asarray(square, dtype=float), (len(centres),))[:, None]
    wide = np.sign(np.cos(turn)) * np.abs(np.cos(turn)) ** power * halves[:, :1]
    deep = np.sign(np.sin(turn)) * np.abs(np.sin(turn)) ** power * halves[:, 1:]
    width, depth = (np.broadcast_to(axis, (len(centres), 3))[:, None] for axis in axes)
    points = centres[:, None] + wide[..., None] * width + deep[..., None] * depth
    return closed(Rings(points, ends[0], ends[1], joints, weights))


def _smooth(at: Floats, places: Floats, values: Floats) -> Floats:
    """Interpolate values between positions, eased so that the slope is 0 at each."""
    index = np.clip(np.searchsorted(places, at, side="right") - 1, 0, max(len(places) - 2, 0))
    following = np.minimum(index + 1, len(places) - 1)
    gap = np.maximum(places[following] - places[index], _TINY)
    part = np.clip((at - places[index]) / gap, 0.0, 1.0)
    part = part * part * (3.0 - 2.0 * part)
    out: Floats = values[index] + part * (values[following] - values[index])
    return out


def _axis(start: Positions, end: Positions) -> tuple[Positions, float]:
    length = float(np.linalg.norm(end - start))
    return ((end - start) / length if length > _TINY else np.array([0.0, 1.0, 0.0])), length


def _square_to(vector: Positions, axis: Positions) -> Positions:
    """Unit vector in the direction of ``vector``, perpendicular to the axis."""
    left = vector - (vector @ axis) * axis
    if np.linalg.norm(left) < 1e-3:
        other = np.eye(3)[int(np.argmin(np.abs(axis)))]
        left = other - (other @ axis) * axis
    out: Positions = left / np.linalg.norm(left)
    return out


def unit(vectors: Floats) -> Floats:
    """Normalise vectors (V, 3)."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    out: Floats = vectors / np.maximum(lengths, 1e-300)
    return out
