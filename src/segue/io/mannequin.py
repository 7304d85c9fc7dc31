"""A skinned figure grown from a skeleton, so that other tools show a body and not a heap of axes.

Every capsule of the body (`segue.motion.body`) becomes a closed mesh; bones that carry none (clavicles, neck,
fingers) get a thin one. Each vertex hangs on one joint with weight 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from segue.arrays import Floats, Ints, Positions
from segue.motion.body import capsules, stature
from segue.motion.facing import rest_heading
from segue.motion.skeleton import Skeleton

AROUND = 12
_CAP_RINGS = 3
_FLAT = {"pelvis": 0.80, "trunk": 0.72}
"""Depth over width of the parts of a body that are not round."""
_THIN = 0.016
"""Radius of bones without a capsule, as a fraction of stature; never more than 0.3 of their length."""
_SHORT = 0.012
"""Bones shorter than this fraction of stature get no mesh."""


@dataclass(frozen=True, eq=False)
class Mannequin:
    """V vertices in the rest pose: positions (V, 3) metres, unit normals (V, 3), joint (V,), triangles (T, 3)."""

    positions: Positions
    normals: Positions
    joints: Ints
    triangles: npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class _MeshPart:
    """One closed mesh on a joint: from start to end in the joint's frame, flattened along one direction."""

    joint: int
    start: Positions
    end: Positions
    radius: float
    flat: float = 1.0


def mannequin(skeleton: Skeleton) -> Mannequin:
    """Grow the figure of a skeleton, standing in its rest pose.

    Examples
    --------
    >>> import segue
    >>> figure = mannequin(segue.sample("walk").skeleton)
    >>> bool(figure.triangles.max() < len(figure.positions))
    True
    """
    rest = skeleton.rest_positions()
    heading = rest_heading(skeleton)
    forward = np.array([np.sin(heading), 0.0, np.cos(heading)])
    parts = _parts(skeleton)
    meshes = [_mesh(part, forward) for part in parts]
    positions = [rest[part.joint] + mesh[0] for part, mesh in zip(parts, meshes, strict=True)]
    count = len(meshes[0][0])
    triangles = _triangles()
    return Mannequin(
        np.concatenate(positions),
        np.concatenate([mesh[1] for mesh in meshes]),
        np.repeat(np.array([part.joint for part in parts], dtype=np.int64), count),
        np.concatenate([triangles + count * index for index in range(len(parts))]),
    )


def _parts(skeleton: Skeleton) -> list[_MeshPart]:
    """Capsules of the body, then thin bones where a joint carries none; at least one part."""
    height = stature(skeleton)
    body = capsules(skeleton)
    parts = [
        _MeshPart(c.joint, np.asarray(c.start), np.asarray(c.end), c.radius, _FLAT.get(c.segment, 1.0))
        for c in body
    ]
    dressed = {capsule.joint for capsule in body}
    ends = [(int(skeleton.parents[joint]), skeleton.offsets[joint]) for joint in range(1, skeleton.n_joints)]
    ends += [(site.joint, site.offset) for site in skeleton.end_sites]
    for joint, vector in ends:
        length = float(np.linalg.norm(vector))
        if joint not in dressed and length > _SHORT * height:
            parts.append(_MeshPart(joint, np.zeros(3), np.asarray(vector), min(_THIN * height, 0.3 * length)))
    return parts or [_MeshPart(0, np.zeros(3), np.array([0.0, 0.1, 0.0]), 0.03)]


def _mesh(part: _MeshPart, forward: Positions) -> tuple[Positions, Positions]:
    """Vertices and normals of a capsule in its joint's frame: bottom pole, rings upwards, top pole."""
    axis = part.end - part.start
    length = float(np.linalg.norm(axis))
    along = axis / length if length > 0 else np.array([0.0, 1.0, 0.0])
    side = np.cross(along, np.eye(3)[int(np.argmin(np.abs(along)))])
    side /= np.linalg.norm(side)
    third = np.cross(along, side)
    # The round ends reach half a radius beyond the joints, so that neighbours overlap when a joint bends.
    inset = min(0.5 * part.radius, 0.5 * length)
    low, high = part.start + inset * along, part.end - inset * along
    turn = 2.0 * np.pi * np.arange(AROUND) / AROUND
    ring = np.cos(turn)[:, None] * side + np.sin(turn)[:, None] * third
    normals, centres = [-along[None]], [low[None]]
    latitudes = 0.5 * np.pi * np.arange(1, _CAP_RINGS + 1) / _CAP_RINGS
    steps = [(-np.cos(a), np.sin(a), low) for a in latitudes]
    steps += [(np.cos(a), np.sin(a), high) for a in latitudes[::-1]]
    for lengthwise, outward, centre in steps:
        normals.append(lengthwise * along + outward * ring)
        centres.append(np.broadcast_to(centre, (AROUND, 3)))
    normals.append(along[None])
    centres.append(high[None])
    normal = np.concatenate(normals)
    spot = part.radius * normal
    # Flattened along the body's depth; normals change by the inverse.
    depth = (spot @ forward)[:, None] * forward
    positions = np.concatenate(centres) + spot - (1.0 - part.flat) * depth
    normal = normal + (1.0 / part.flat - 1.0) * (normal @ forward)[:, None] * forward
    return positions, _unit(normal)


def _unit(vectors: Floats) -> Floats:
    out: Floats = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return out


def _triangles() -> npt.NDArray[np.int64]:
    """Triangles (T, 3) of one capsule, counter-clockwise seen from outside."""
    rings = 2 * _CAP_RINGS
    top = 1 + rings * AROUND
    out = []
    for k in range(AROUND):
        after = (k + 1) % AROUND
        out.append((0, 1 + after, 1 + k))
        for ring in range(rings - 1):
            a, b = 1 + ring * AROUND + k, 1 + ring * AROUND + after
            out += [(a, b, b + AROUND), (a, b + AROUND, a + AROUND)]
        last = 1 + (rings - 1) * AROUND
        out.append((last + k, last + after, top))
    return np.array(out, dtype=np.int64)
