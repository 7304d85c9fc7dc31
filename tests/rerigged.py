"""The same motion on a body with another rest pose: each joint's frame is rotated, positions stay."""

from __future__ import annotations

import numpy as np

from segue.arrays import Quaternions
from segue.maths.quaternions import (
    IDENTITY,
    conjugate,
    from_axis_angle,
    multiply,
    rotate,
    rotation_between,
)
from segue.motion.clip import Clip
from segue.motion.kinematics import world
from segue.motion.skeleton import EndSite, Skeleton

X = np.array([1.0, 0.0, 0.0])


def rerigged(clip: Clip, turns: Quaternions) -> Clip:
    """Clip whose joint frames are rotated by (J, 4): the bones of its rest pose are rotated back by the same."""
    body = clip.skeleton
    offsets = np.array(body.offsets)
    offsets[1:] = rotate(conjugate(turns[body.parents[1:]]), offsets[1:])
    sites = [
        EndSite(site.joint, rotate(conjugate(turns[site.joint]), site.offset)) for site in body.end_sites
    ]
    local = multiply(clip.rotations, turns)
    local[:, 1:] = multiply(conjugate(turns[body.parents[1:]]), local[:, 1:])
    made = Skeleton(body.names, body.parents, offsets, sites, roles_given=body.roles_given)
    return Clip(made, local, clip.root_positions, clip.fps, name=clip.name)


def along_x(clip: Clip, *, roll: float = 0.0) -> Clip:
    """Clip whose rest pose has every bone along X, rolled about itself by ``roll`` radians."""
    body = clip.skeleton
    turns = np.tile(IDENTITY, (body.n_joints, 1))
    for joint in range(body.n_joints):
        tip = body.tip(joint)
        bones = [body.offsets[child] for child in body.children[joint]] + ([] if tip is None else [tip])
        bones = [bone for bone in bones if np.linalg.norm(bone) > 1e-9]
        if bones:
            turn = rotation_between(X, bones[0] / np.linalg.norm(bones[0]))
            turns[joint] = multiply(turn, from_axis_angle(X, roll))
        elif joint:
            turns[joint] = turns[body.parents[joint]]
    return rerigged(clip, turns)


def posed(clip: Clip, *bends: tuple[str, tuple[float, float, float], float]) -> Clip:
    """Clip whose rest pose is bent: each named joint, with its descendants, is rotated about an axis by degrees."""
    body = clip.skeleton
    turns = np.tile(IDENTITY, (body.n_joints, 1))
    for name, axis, degrees in bends:
        top = body.index(name)
        below = [top]
        for joint in range(top + 1, body.n_joints):
            if int(body.parents[joint]) in below:
                below.append(joint)
        # The rest pose is rotated, so the frames are rotated back.
        turns[below] = multiply(turns[below], from_axis_angle(np.array(axis), -np.radians(degrees)))
    return rerigged(clip, turns)


def as_frame(clip: Clip, frame: int) -> Clip:
    """Clip whose rest pose is one of its frames."""
    return rerigged(clip, conjugate(world(clip).rotations[frame]))
