"""SMPL-like motion without the licensed model: joint names, tree, rest offsets, and clips as poses of that body.

SMPL, SMPL+H and SMPL-X share a published joint order; the rest offsets of a person come from models under a
separate licence and are not included. The offsets below are segue's: an adult of 1.72 m in a T-pose, with
common proportions of the human body (a leg of half the height, an arm span of the height), rounded to
millimetres. Motion keeps its rotations; only lengths differ from the model's body, so feet may slide or sink
by a few centimetres. Users of the model pass its joints (`read_rest`).

`smpl_arrays` returns a clip's motion under the keys of AMASS, for loaders of SMPL+H: rotations are retargeted by
roles through the T-pose, which is these models' rest pose; joints without a role (fingers, jaw) rest. The body is the
mean one (``betas`` of zeros): the root's path is scaled by leg length, and soles keep their height above the floor.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np
import numpy.typing as npt

from segue.arrays import Floats, Positions, Quaternions
from segue.documents import read_json
from segue.errors import FileError, SkeletonError
from segue.io import units
from segue.io.npz_arrays import open_arrays
from segue.io.tpose import in_t_pose
from segue.maths.quaternions import conjugate, log, multiply, rotate, rotation_between, unroll
from segue.motion.clip import Clip
from segue.motion.kinematics import world
from segue.motion.positions.layouts import SMPL
from segue.motion.roles import SIDES, roles
from segue.motion.skeleton import EndSite, Skeleton

_MIDDLE: dict[str, tuple[str, tuple[float, float, float]]] = {
    "pelvis": ("", (0.0, 0.92, 0.0)),
    "spine1": ("pelvis", (0.0, 0.108, -0.022)),
    "spine2": ("spine1", (0.0, 0.132, 0.004)),
    "spine3": ("spine2", (0.0, 0.055, 0.014)),
    "neck": ("spine3", (0.0, 0.213, -0.028)),
    "head": ("neck", (0.0, 0.084, 0.03)),
    "jaw": ("head", (0.0, -0.012, 0.02)),
}
# The left half; the right half mirrors it. Left is +X, the body faces +Z.
_LEFT: dict[str, tuple[str, tuple[float, float, float]]] = {
    "hip": ("pelvis", (0.08, -0.072, 0.0)),
    "knee": ("hip", (0.02, -0.398, 0.004)),
    "ankle": ("knee", (-0.01, -0.385, -0.032)),
    "foot": ("ankle", (0.026, -0.05, 0.125)),
    "collar": ("spine3", (0.065, 0.125, -0.01)),
    "shoulder": ("collar", (0.115, 0.035, -0.01)),
    "elbow": ("shoulder", (0.262, 0.0, -0.018)),
    "wrist": ("elbow", (0.254, 0.0, 0.0)),
    "hand": ("wrist", (0.086, -0.008, 0.0)),
    "eye_smplhf": ("head", (0.031, 0.055, 0.075)),
}
_FINGERS: dict[str, tuple[tuple[float, float, float], float, float]] = {
    # Offset of the first joint from the wrist, lengths of the first and second bone along the arm.
    "index": ((0.097, -0.004, 0.024), 0.034, 0.023),
    "middle": ((0.101, -0.002, 0.0), 0.034, 0.024),
    "pinky": ((0.084, -0.01, -0.04), 0.022, 0.017),
    "ring": ((0.093, -0.005, -0.021), 0.031, 0.023),
    "thumb": ((0.037, -0.016, 0.034), 0.033, 0.026),
}

_HANDS = [
    f"{side}_{finger}{k}"
    for side in ("left", "right")
    for finger in ("index", "middle", "pinky", "ring", "thumb")
    for k in (1, 2, 3)
]
LAYOUTS: dict[int, tuple[str, tuple[str, ...]]] = {
    22: ("SMPL body", SMPL),
    24: ("SMPL", (*SMPL, "left_hand", "right_hand")),
    52: ("SMPL+H", (*SMPL, *_HANDS)),
    55: ("SMPL-X", (*SMPL, "jaw", "left_eye_smplhf", "right_eye_smplhf", *_HANDS)),
}
"""By number of joints: the name of the layout, and its joints in order."""

_TALLEST = 3.0
_MAX_JOINTS = 4096


def _place(name: str) -> tuple[str, tuple[float, float, float]]:
    """Parent and offset of a joint by name."""
    if name in _MIDDLE:
        return _MIDDLE[name]
    side, _, part = name.partition("_")
    sign = 1.0 if side == "left" else -1.0
    if part in _LEFT:
        parent, (x, y, z) = _LEFT[part]
        return (parent if parent in _MIDDLE else f"{side}_{parent}"), (sign * x, y, z)
    finger, number = part[:-1], int(part[-1])
    (x, y, z), first, second = _FINGERS[finger]
    if number == 1:
        return f"{side}_wrist", (sign * x, y, z)
    length = first if number == 2 else second
    # A thumb points forward and out of the palm at 45 degrees; the other fingers continue along the arm.
    turn = math.pi / 4 if finger == "thumb" else 0.0
    return f"{side}_{finger}{number - 1}", (sign * length * math.cos(turn), 0.0, length * math.sin(turn))


def smpl_skeleton(n_joints: int, *, rest: Positions | None = None) -> Skeleton:
    """Return the skeleton of a layout of 22, 24, 52 or 55 joints, Y up, metres, T-pose facing +Z.

    Parameters
    ----------
    n_joints
        One of `LAYOUTS`.
    rest
        (N, 3) rest positions in metres of at least these joints, in their order, of the user's own model.

    Examples
    --------
    >>> body = smpl_skeleton(22)
    >>> body.names[body.parents[body.index("left_knee")]], round(float(body.rest_positions()[:, 1].max()), 2)
    ('left_hip', 1.51)
    """
    names = LAYOUTS[n_joints][1]
    order = {name: joint for joint, name in enumerate(names)}
    places = [_place(name) for name in names]
    parents = np.array([order[parent] if parent else -1 for parent, _ in places], dtype=np.int64)
    if rest is None:
        offsets = np.array([offset for _, offset in places])
    else:
        offsets = np.array(rest[:n_joints])
        offsets[1:] -= rest[parents[1:]]
    return Skeleton(names, parents, offsets, _tips(order))


def _tips(order: dict[str, int]) -> list[EndSite]:
    """Bone ends that are no joints: crown, finger tips or the middle of the hand."""
    tips = {"head": (0.0, 0.2, 0.02)}
    for side, sign in (("left", 1.0), ("right", -1.0)):
        tips[f"{side}_foot"] = (0.0, -0.01, 0.06)
        if f"{side}_hand" in order:
            tips[f"{side}_hand"] = (sign * 0.09, 0.0, 0.0)
        elif f"{side}_index3" in order:
            tips |= {f"{side}_{finger}3": (sign * 0.022, 0.0, 0.0) for finger in _FINGERS}
        else:
            tips[f"{side}_wrist"] = (sign * 0.086, -0.008, 0.0)
    return [EndSite(order[name], np.array(tip)) for name, tip in tips.items()]


def read_rest(path: Path, n_joints: int) -> Positions:
    """Read the rest positions (N, 3) of a model's joints: key ``J`` of an .npz or .json file, metres, Y up.

    Raises
    ------
    FileError
        If the file does not hold finite positions of at least ``n_joints`` joints of a body of usual size.
    """
    suffix = path.suffix.lower()
    if suffix == ".npz":
        arrays = open_arrays(path)
        if "J" not in arrays.keys:
            message = (
                f"skeleton= needs the key 'J' (rest positions of joints); it has {', '.join(arrays.keys)}"
            )
            raise FileError(path, message)
        found: Any = arrays.numbers("J")
    elif suffix == ".json":
        found = _from_json(path)
    else:
        message = (
            "skeleton= of an SMPL-like motion is an .npz or .json file with rest positions under the key 'J'"
        )
        raise FileError(path, message)
    if found.ndim != 2 or found.shape[1] != 3 or not n_joints <= len(found) <= _MAX_JOINTS:
        message = f"J has the shape {found.shape}; this motion needs rest positions ({n_joints}, 3) in metres"
        raise FileError(path, message)
    if not np.isfinite(found).all() or not 0.1 < float(np.ptp(found, axis=0).max()) < _TALLEST:
        raise FileError(path, "J must hold finite rest positions in metres of a body of 0.1 to 3 m")
    out: Positions = np.asarray(found, dtype=np.float64)
    return out


@dataclass(frozen=True)
class _Rest:
    J: Annotated[list[tuple[float, float, float]], msgspec.Meta(max_length=_MAX_JOINTS)]


def _from_json(path: Path) -> Positions:
    rest = read_json(path, _Rest, hint="J is a list of rest positions [x, y, z] in metres")
    return np.array(rest.J, dtype=np.float64).reshape(-1, 3)


N_JOINTS = 52
"""Number of joints of SMPL+H, the layout of AMASS."""
KEYS = ("poses", "trans", "betas", "gender", "mocap_framerate")
_TRUNK = {"pelvis": "pelvis", "spine": "spine1", "chest": "spine3", "neck": "neck", "head": "head"}
_LIMBS = {
    "hip": "hip", "knee": "knee", "ankle": "ankle", "toe": "foot",
    "clavicle": "collar", "shoulder": "shoulder", "elbow": "elbow", "wrist": "wrist",
}  # fmt: skip
_AIMS = (("hip", "knee"), ("knee", "ankle"), ("shoulder", "elbow"), ("elbow", "wrist"))
_N_BETAS = 16
_UPRIGHT = np.array([np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0])
"""Y up to Z up: a rotation of 90 degrees about X."""


def smpl_arrays(clip: Clip) -> dict[str, npt.NDArray[Any]]:
    """Arrays of a human motion by the keys of AMASS; empty if the body lacks joints that a T-pose needs.

    ``poses`` (F, 156) are axis-angle vectors of SMPL+H's 52 joints relative to their parents, ``trans`` (F, 3)
    metres with Z up; ``betas`` (16,) are zeros, ``gender`` is neutral, ``mocap_framerate`` is in frames a second.

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
    local[:, 0] = multiply(_UPRIGHT, local[:, 0])  # the world is rotated, the body's own axes stay Y up
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
    """World rotations (F, 52, 4) of the target's joints; one without a role rotates with its parent."""
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
    """Rotations that align the target's rest limbs with the source's, by target joint."""
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
    """Positions (F, 3) of the target's pelvis: those of the source's hips, scaled by leg length."""
    hips = [joints[f"{side}_hip"] for side in SIDES]
    own = [target.index(f"{side}_hip") for side in SIDES]
    ours, theirs = made.skeleton.rest_positions(), target.rest_positions()
    high, low = float(ours[hips, 1].mean()), float(theirs[own, 1].mean() - _sole(target))
    legs = _legs(ours, [[joints[f"{side}_{part}"] for part in _LIMBS if part in _CHAIN] for side in SIDES])
    other = _legs(theirs, [[target.index(f"{side}_{part}") for part in _CHAIN] for side in SIDES])
    scale = other / legs
    middle = scale * places[:, hips].mean(axis=1)
    # The part below the ankles keeps its height: only the legs are scaled.
    middle[:, 1] += (low - other) - scale * (high - legs)
    out: Positions = middle - rotate(pelvis, theirs[own].mean(axis=0) - theirs[0])
    return out


_CHAIN = ("hip", "knee", "ankle")


def _legs(rest: Positions, chains: list[list[int]]) -> float:
    """Mean length of the legs, from hip to ankle."""
    lengths: Floats = np.array(
        [np.linalg.norm(np.diff(rest[chain], axis=0), axis=1).sum() for chain in chains]
    )
    return float(lengths.mean())


def _sole(skeleton: Skeleton) -> float:
    """Height of the lowest point of the rest pose."""
    rest = skeleton.rest_positions()
    tips = [rest[site.joint, 1] + site.offset[1] for site in skeleton.end_sites]
    return float(min(rest[:, 1].min(), *tips))
