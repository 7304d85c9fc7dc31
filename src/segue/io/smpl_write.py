"""Poses of an SMPL-like body: a clip's motion under the keys of AMASS, so that loaders of SMPL+H take it.

Rotations are carried over by roles through the T-pose, which is these models' rest pose; what has no role (fingers,
jaw) rests. The body is the mean one (``betas`` of zeros): the root's path is scaled by the length of the legs, and
soles keep their height over the floor.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from segue.arrays import Floats, Positions, Quaternions
from segue.errors import SkeletonError
from segue.io import units
from segue.io.smpl_body import smpl_skeleton
from segue.io.tpose import in_t_pose
from segue.maths.quaternions import conjugate, log, multiply, rotate, rotation_between, unroll
from segue.motion.clip import Clip
from segue.motion.kinematics import world
from segue.motion.roles import SIDES, roles
from segue.motion.skeleton import Skeleton

N_JOINTS = 52
"""Joints of SMPL+H, the layout of AMASS."""
KEYS = ("poses", "trans", "betas", "gender", "mocap_framerate")
_TRUNK = {"pelvis": "pelvis", "spine": "spine1", "chest": "spine3", "neck": "neck", "head": "head"}
_LIMBS = {
    "hip": "hip", "knee": "knee", "ankle": "ankle", "toe": "foot",
    "clavicle": "collar", "shoulder": "shoulder", "elbow": "elbow", "wrist": "wrist",
}  # fmt: skip
_AIMS = (("hip", "knee"), ("knee", "ankle"), ("shoulder", "elbow"), ("elbow", "wrist"))
_N_BETAS = 16
_UPRIGHT = np.array([np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0])
"""Y up to Z up: a quarter turn about X."""


def smpl_arrays(clip: Clip) -> dict[str, npt.NDArray[Any]]:
    """Arrays of a human motion by the keys of AMASS; none where the body lacks what a T-pose needs.

    ``poses`` (F, 156) are axis-angle vectors of SMPL+H's 52 joints relative to their parents, ``trans`` (F, 3) metres
    with Z up; ``betas`` (16,) are zeros, ``gender`` is neutral, ``mocap_framerate`` are frames a second.

    Examples
    --------
    >>> import segue
    >>> arrays = smpl_arrays(segue.sample("walk"))
    >>> arrays["poses"].shape, arrays["trans"].shape
    ((361, 156), (361, 3))
    """
    try:
        made = in_t_pose(clip)
    except SkeletonError:
        return {}
    target = smpl_skeleton(N_JOINTS)
    found = roles(clip.skeleton)
    joints = {role: made.skeleton.index(clip.skeleton.names[joint]) for role, joint in found.items()
              if clip.skeleton.names[joint] in made.skeleton.names}  # fmt: skip
    at = world(made)
    turned = _turned(made, joints, target, at.rotations)
    trans = _trans(made, joints, target, at.positions, turned[:, 0])
    local = turned.copy()
    local[:, 1:] = multiply(conjugate(turned[:, target.parents[1:]]), turned[:, 1:])
    local[:, 0] = multiply(_UPRIGHT, local[:, 0])  # the world is turned, the body's own axes stay Y up
    vectors = 2.0 * log(unroll(local))
    return {
        "poses": vectors.reshape(clip.n_frames, -1),
        "trans": units.from_y_up(trans, up="Z"),
        "betas": np.zeros(_N_BETAS),
        "gender": np.array("neutral"),
        "mocap_framerate": np.array(clip.fps),
    }


def _names() -> dict[str, str]:
    """SMPL's name of each role."""
    return _TRUNK | {f"{side}_{part}": f"{side}_{name}" for side in SIDES for part, name in _LIMBS.items()}


def _turned(made: Clip, joints: dict[str, int], target: Skeleton, turns: Quaternions) -> Quaternions:
    """World rotations (F, 52, 4) of the target's joints; one without a role turns with its parent."""
    named = _names()
    of = {target.index(named[role]): joint for role, joint in joints.items() if role in named}
    middle = _middle_of_spine(made.skeleton, joints)
    if middle is not None:
        of[target.index("spine2")] = middle
    aims = _aims(made.skeleton, joints, target)
    out = np.empty((made.n_frames, target.n_joints, 4))
    for joint in range(target.n_joints):
        if joint in of:
            own = turns[:, of[joint]]
            out[:, joint] = multiply(own, aims[joint]) if joint in aims else own
        else:
            out[:, joint] = out[:, target.parents[joint]]
    return out


def _middle_of_spine(skeleton: Skeleton, joints: dict[str, int]) -> int | None:
    """Joint halfway between spine and chest, if there is one."""
    if "spine" not in joints or "chest" not in joints:
        return None
    path, joint = [], int(skeleton.parents[joints["chest"]])
    while joint > joints["spine"]:
        path.append(joint)
        joint = int(skeleton.parents[joint])
    return path[len(path) // 2] if path and joint == joints["spine"] else None


def _aims(skeleton: Skeleton, joints: dict[str, int], target: Skeleton) -> dict[int, Quaternions]:
    """Turns that bring the target's rest limbs into the directions of the source's, by target joint."""
    named, ours, theirs = _names(), skeleton.rest_positions(), target.rest_positions()
    out = {}
    for side in SIDES:
        for start, end in _AIMS:
            a, b = f"{side}_{start}", f"{side}_{end}"
            begin, stop = target.index(named[a]), target.index(named[b])
            out[begin] = rotation_between(theirs[stop] - theirs[begin], ours[joints[b]] - ours[joints[a]])
    return out


def _trans(
    made: Clip, joints: dict[str, int], target: Skeleton, places: Positions, pelvis: Quaternions
) -> Positions:
    """Places (F, 3) of the target's pelvis: hips over the ground as the source has them, by the length of legs."""
    hips = [joints[f"{side}_hip"] for side in SIDES]
    own = [target.index(f"{side}_hip") for side in SIDES]
    ours, theirs = made.skeleton.rest_positions(), target.rest_positions()
    high, low = float(ours[hips, 1].mean()), float(theirs[own, 1].mean() - _sole(target))
    legs = _legs(ours, [[joints[f"{side}_{part}"] for part in _LIMBS if part in _CHAIN] for side in SIDES])
    other = _legs(theirs, [[target.index(f"{side}_{part}") for part in _CHAIN] for side in SIDES])
    scale = other / legs
    middle = scale * places[:, hips].mean(axis=1)
    # What is below the ankles keeps its own height: only the legs are scaled.
    middle[:, 1] += (low - other) - scale * (high - legs)
    out: Positions = middle - rotate(pelvis, theirs[own].mean(axis=0) - theirs[0])
    return out


_CHAIN = ("hip", "knee", "ankle")


def _legs(rest: Positions, chains: list[list[int]]) -> float:
    """Mean length of legs: thighs and shins."""
    lengths: Floats = np.array(
        [np.linalg.norm(np.diff(rest[chain], axis=0), axis=1).sum() for chain in chains]
    )
    return float(lengths.mean())


def _sole(skeleton: Skeleton) -> float:
    """Height of the lowest point of the rest pose."""
    rest = skeleton.rest_positions()
    tips = [rest[site.joint, 1] + site.offset[1] for site in skeleton.end_sites]
    return float(min(rest[:, 1].min(), *tips))
