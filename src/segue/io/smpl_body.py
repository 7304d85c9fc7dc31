"""A body for SMPL-like motion without the licensed model: joint names, tree and rest offsets.

SMPL, SMPL+H and SMPL-X share the order of their joints, which is published; the rest offsets of a person come from
models under a licence of their own and are not here. The offsets below are segue's: a grown person of 1.72 m standing
in a T pose, drawn from common proportions of the human body (a leg of half the height, arms that span the height) and
rounded to millimetres. Motion keeps its rotations; what differs from the model's own body are lengths, so feet may
slide or sink by a few centimetres. Whoever has the model passes its joints (`read_rest`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np

from segue.arrays import Positions
from segue.documents import read_json
from segue.errors import FileError
from segue.io.npz_arrays import open_arrays
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
# The left half; the right one mirrors it. Left is +X, the body looks along +Z.
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

_BODY = (
    "pelvis", "left_hip", "right_hip", "spine1", "left_knee", "right_knee", "spine2", "left_ankle",
    "right_ankle", "spine3", "left_foot", "right_foot", "neck", "left_collar", "right_collar", "head",
    "left_shoulder", "right_shoulder", "left_elbow", "right_elbow", "left_wrist", "right_wrist",
)  # fmt: skip
_HANDS = [
    f"{side}_{finger}{k}"
    for side in ("left", "right")
    for finger in ("index", "middle", "pinky", "ring", "thumb")
    for k in (1, 2, 3)
]
LAYOUTS: dict[int, tuple[str, tuple[str, ...]]] = {
    22: ("SMPL body", _BODY),
    24: ("SMPL", (*_BODY, "left_hand", "right_hand")),
    52: ("SMPL+H", (*_BODY, *_HANDS)),
    55: ("SMPL-X", (*_BODY, "jaw", "left_eye_smplhf", "right_eye_smplhf", *_HANDS)),
}
"""By number of joints: what the layout is called, and its joints in order."""

_TALLEST = 3.0
_MAX_JOINTS = 4096


def _place(name: str) -> tuple[str, tuple[float, float, float]]:
    """Return parent and offset of a joint by name."""
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
    # A thumb points forward and out of the palm by half a right angle; the other fingers go on along the arm.
    turn = math.pi / 4 if finger == "thumb" else 0.0
    return f"{side}_{finger}{number - 1}", (sign * length * math.cos(turn), 0.0, length * math.sin(turn))


def smpl_skeleton(n_joints: int, *, rest: Positions | None = None) -> Skeleton:
    """Skeleton of a layout of 22, 24, 52 or 55 joints, Y up, metres, T pose looking along +Z.

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
    """Ends of the bones that have no joint of their own: crown, finger tips or the middle of the hand."""
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
    """Rest positions (N, 3) of a model's joints: key ``J`` of an .npz or .json file, metres, Y up.

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
    """A document of rest positions."""

    J: Annotated[list[tuple[float, float, float]], msgspec.Meta(max_length=_MAX_JOINTS)]


def _from_json(path: Path) -> Positions:
    rest = read_json(path, _Rest, hint="J is a list of rest positions [x, y, z] in metres")
    return np.array(rest.J, dtype=np.float64).reshape(-1, 3)
