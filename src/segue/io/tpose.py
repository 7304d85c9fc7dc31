"""Transfer a motion to a body whose rest pose is the T-pose: legs straight down, arms straight out, facing +Z.

Formats that transfer motion between bodies (VRM) do so relative to rest poses, so all bodies need the same
one. World positions do not change: every joint's frame is rotated, and its rotations are corrected inversely.
"""

from __future__ import annotations

import numpy as np

from segue.arrays import Positions, Quaternions
from segue.errors import SkeletonError
from segue.maths.quaternions import (
    IDENTITY,
    conjugate,
    from_matrix,
    from_yaw,
    multiply,
    rotate,
    rotation_between,
)
from segue.motion.clip import Clip
from segue.motion.facing import rest_heading
from segue.motion.kinematics import world
from segue.motion.reference import stood
from segue.motion.roles import SIDES, require, roles
from segue.motion.skeleton import EndSite, Skeleton

_DOWN = np.array([0.0, -1.0, 0.0])
_OUT = {"left": np.array([1.0, 0.0, 0.0]), "right": np.array([-1.0, 0.0, 0.0])}
_AIMS = (("shoulder", "elbow"), ("elbow", "wrist"), ("hip", "knee"), ("knee", "ankle"))
_UPRIGHT = 0.7
"""Cosine between legs and the vertical above which a rest pose counts as standing."""
_TINY = 1e-9


def t_pose(skeleton: Skeleton) -> Quaternions:
    """World rotations (J, 4) that bring a skeleton from its rest pose into the T-pose.

    Arms and legs take the shortest rotation from their direction on the rotated trunk, so the palms stay on
    the same side of the arm as in the rest pose. Trunk and feet keep their rest shape if the rest pose stands;
    if it does not (some exporters lay every bone along one axis), the hips and the spine align the trunk.

    Raises
    ------
    SkeletonError
        If the pelvis, the spine or a hip, knee, ankle, shoulder, elbow or wrist is unknown.

    Examples
    --------
    >>> import segue
    >>> t_pose(segue.sample("walk").skeleton).shape
    (21, 4)
    """
    wanted = [f"{side}_{part}" for side in SIDES for pair in _AIMS for part in pair]
    found = require(skeleton, "pelvis", "spine", *dict.fromkeys(wanted))
    rest = skeleton.rest_positions()
    aims = {
        found[f"{side}_{start}"]: (
            rest[found[f"{side}_{end}"]] - rest[found[f"{side}_{start}"]],
            _OUT[side] if start in {"shoulder", "elbow"} else _DOWN,
        )
        for side in SIDES
        for start, end in _AIMS
    }
    stands = _stands(rest, found)
    pelvis = from_yaw(-rest_heading(skeleton)) if stands else _set_up(rest, found)
    feet = {found[f"{side}_ankle"] for side in SIDES} if stands else set()
    out = np.tile(IDENTITY, (skeleton.n_joints, 1))
    for joint in range(skeleton.n_joints):
        turn = pelvis if joint == 0 or joint in feet else out[skeleton.parents[joint]]
        if joint in aims:
            bone, target = aims[joint]
            now = rotate(turn, bone)
            if np.linalg.norm(now) > _TINY:
                turn = multiply(rotation_between(now, target), turn)
        out[joint] = turn
    return out


def _stands(rest: Positions, found: dict[str, int]) -> bool:
    legs = np.array([rest[found[f"{side}_ankle"]] - rest[found[f"{side}_hip"]] for side in SIDES])
    length = np.linalg.norm(legs, axis=1)
    return bool(np.all(length > _TINY) and np.all(legs @ _DOWN > _UPRIGHT * length))


def _set_up(rest: Positions, found: dict[str, int]) -> Quaternions:
    """Rotation that aligns the line from right to left hip with +X and the spine, as closely as possible, with +Y."""
    across = rest[found["left_hip"]] - rest[found["right_hip"]]
    up = rest[found["spine"]] - 0.5 * (rest[found["left_hip"]] + rest[found["right_hip"]])
    forward = np.cross(across, up)
    if np.linalg.norm(forward) < _TINY:
        msg = "the hips and the spine lie on one line: no T-pose can be made of this rest pose"
        raise SkeletonError(msg)
    side, front = across / np.linalg.norm(across), forward / np.linalg.norm(forward)
    return from_matrix(np.stack([side, np.cross(front, side), front]))


def in_t_pose(clip: Clip) -> Clip:
    """Return the clip from the pelvis down the tree on a body that rests in the T-pose, soles on the ground.

    Joints above the pelvis are removed and their motion is merged into the pelvis; bone lengths and world
    positions are unchanged.

    Raises
    ------
    SkeletonError
        As for `t_pose`.

    Examples
    --------
    >>> import segue
    >>> rest = in_t_pose(segue.sample("walk")).skeleton
    >>> bool(abs(rest.rest_positions()[:, 1].min()) < 0.12)
    True
    """
    clip = stood(clip)
    skeleton = clip.skeleton
    turns = t_pose(skeleton)
    pelvis = roles(skeleton)["pelvis"]
    kept = [pelvis]
    for joint in range(pelvis + 1, skeleton.n_joints):
        if skeleton.parents[joint] in kept:
            kept.append(joint)
    place = {joint: index for index, joint in enumerate(kept)}
    parents = [-1, *(place[int(skeleton.parents[joint])] for joint in kept[1:])]
    offsets = np.stack(
        [
            np.zeros(3),
            *(rotate(turns[skeleton.parents[joint]], skeleton.offsets[joint]) for joint in kept[1:]),
        ]
    )
    tips = [
        EndSite(place[site.joint], rotate(turns[site.joint], site.offset))
        for site in skeleton.end_sites
        if site.joint in place
    ]
    names = [skeleton.names[joint] for joint in kept]
    points = Skeleton(names, parents, offsets, tips).rest_positions()
    lowest = min([*points[:, 1].tolist(), *(float(points[tip.joint, 1] + tip.offset[1]) for tip in tips)])
    offsets[0, 1] = -lowest
    at = world(clip)
    # World rotations in the new frames; local ones follow from them, so the pelvis includes the joints above it.
    turned = multiply(at.rotations[:, kept], conjugate(turns[kept]))
    local = turned.copy()
    local[:, 1:] = multiply(conjugate(turned[:, parents[1:]]), turned[:, 1:])
    body = Skeleton(names, parents, offsets, tips)
    return Clip(body, local, at.positions[:, pelvis], clip.fps, name=clip.name, origin=clip.origin)
