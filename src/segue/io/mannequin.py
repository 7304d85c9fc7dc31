"""Build a skinned figure from a skeleton, so that other tools and the player show a body instead of axes.

A human body gets a mannequin (`segue.io.mannequin_body`): a trunk that bends with the spine, a head with a
nose, limbs with the girth of an adult, hands, shoes. Every other skeleton gets a round bone for each capsule
of its body (`segue.motion.body`). A vertex is skinned to one joint, or blends from one to the next along the
spine and at the toes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from segue.arrays import Floats, Ints, Positions, frozen
from segue.io.mannequin_body import HumanFigure
from segue.io.mannequin_limbs import TRUNK
from segue.io.mannequin_shapes import Mesh, limb, unit
from segue.maths.quaternions import conjugate, rotate
from segue.motion.body import capsules, is_human, stature
from segue.motion.facing import rest_heading
from segue.motion.reference import standing
from segue.motion.skeleton import Skeleton

_THIN = 0.016
"""Radius of bones without a capsule, as a fraction of stature; at most 0.3 of their length."""
_SHORT = 0.012
"""Bones shorter than this fraction of stature get no mesh."""
_AROUND, _FEWEST, _FULL = 12, 4, 128
"""Points around a round bone, and their minimum; more bones than the third number share that many bones' points."""


@dataclass(frozen=True, eq=False)
class Mannequin:
    """A figure in its skeleton's rest pose.

    Parameters
    ----------
    positions, normals
        (V, 3) metres, unit.
    joints, weights
        (V, 2) the two joints of each vertex, (V, 2) their skin weights; rows sum to 1, the first is the larger.
    parts
        (V,) 0 for trunk, neck and head, 1 for left limbs, 2 for right ones.
    triangles
        (T, 3) counter-clockwise seen from outside.
    """

    positions: Positions
    normals: Positions
    joints: Ints
    weights: Floats
    parts: Ints
    triangles: npt.NDArray[np.int64]


@lru_cache(maxsize=64)
def mannequin(skeleton: Skeleton, *, human: bool = True) -> Mannequin:
    """Build the figure of a skeleton in its rest pose.

    Parameters
    ----------
    skeleton
        A skeleton of any naming and shape.
    human
        Whether a human skeleton gets a human body; otherwise every skeleton gets round bones.

    Examples
    --------
    >>> import segue
    >>> figure = mannequin(segue.sample("walk").skeleton)
    >>> bool(figure.triangles.max() < len(figure.positions))
    True
    """
    meshes = (
        HumanFigure(skeleton).grown()
        if human and is_human(skeleton)
        else [(one, TRUNK) for one in _bones(skeleton)]
    )
    counts = [len(mesh.positions) for mesh, _ in meshes]
    firsts = np.cumsum([0, *counts[:-1]])
    joints = np.concatenate([mesh.joints for mesh, _ in meshes])
    weights = np.concatenate([mesh.weights for mesh, _ in meshes])
    weights = np.where(joints[:, 0] == joints[:, 1], 1.0, weights)
    heavier = weights >= 0.5
    joints = np.where(heavier[:, None], joints, joints[:, ::-1])
    weights = np.where(heavier, weights, 1.0 - weights)
    shares = np.stack([weights, 1.0 - weights], axis=1)
    positions = np.concatenate([mesh.positions for mesh, _ in meshes])
    normals = np.concatenate([mesh.normals for mesh, _ in meshes])
    positions, normals = _at_rest(skeleton, positions, normals, joints, shares)
    return Mannequin(
        frozen(positions),
        frozen(normals),
        frozen(joints, np.int64),
        frozen(shares),
        frozen(np.repeat([part for _, part in meshes], counts), np.int64),
        np.concatenate([mesh.triangles + first for (mesh, _), first in zip(meshes, firsts, strict=True)]),
    )


def _at_rest(
    skeleton: Skeleton, positions: Positions, normals: Positions, joints: Ints, shares: Floats
) -> tuple[Positions, Positions]:
    """Skin a standing figure to the rest pose, if that does not stand."""
    if skeleton.reference is None:
        return positions, normals
    stood, rest = standing(skeleton).rest_positions(), skeleton.rest_positions()
    back = conjugate(skeleton.reference)
    place, normal = np.zeros_like(positions), np.zeros_like(normals)
    for k in range(2):
        joint = joints[:, k]
        share = shares[:, k : k + 1]
        place += share * (rest[joint] + rotate(back[joint], positions - stood[joint]))
        normal += share * rotate(back[joint], normals)
    return place, unit(normal)


def _bones(skeleton: Skeleton) -> list[Mesh]:
    """Capsules of the body, then thin bones for joints without one; at least one mesh."""
    height = stature(skeleton)
    rest = skeleton.rest_positions()
    heading = rest_heading(skeleton)
    front = np.array([np.sin(heading), 0.0, np.cos(heading)])
    body = capsules(skeleton)
    dressed = {capsule.joint for capsule in body}
    ends = [(int(skeleton.parents[joint]), skeleton.offsets[joint]) for joint in range(1, skeleton.n_joints)]
    ends += [(site.joint, site.offset) for site in skeleton.end_sites]
    around = min(_AROUND, max(_AROUND * _FULL // max(len(ends), 1), _FEWEST))
    meshes = []
    for part in body:
        start, end = np.asarray(part.start), np.asarray(part.end)
        # The round ends reach half a radius beyond the joints, so that neighbours overlap when a joint bends.
        length = float(np.linalg.norm(end - start))
        inset = min(0.5 * part.radius, 0.5 * length) * (end - start) / max(length, 1e-9)
        at = rest[part.joint]
        profile = ((0.0, part.radius), (1.0, part.radius))
        meshes.append(
            limb(at + start + inset, at + end - inset, profile, joint=part.joint, front=front, around=around)
        )
    for joint, vector in ends:
        length = float(np.linalg.norm(vector))
        if joint not in dressed and length > _SHORT * height:
            radius = min(_THIN * height, 0.3 * length)
            profile = ((0.0, radius), (1.0, radius))
            meshes.append(
                limb(rest[joint], rest[joint] + vector, profile, joint=joint, front=front, around=around)
            )
    lone = rest[0], rest[0] + np.array([0.0, 0.1, 0.0])
    return meshes or [limb(*lone, ((0.0, 0.03), (1.0, 0.03)), joint=0, front=front, around=around)]
