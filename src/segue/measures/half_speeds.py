"""How fast each half of a body moves: the curves by which sequences of motions are compared.

Oshita, Generating animation from elementary motions (specs: figure 5): the lower body's speed is the mean of both feet
and the pelvis, the upper body's that of both hands, chest and head. Roles that a body lacks are left out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from segue.arrays import Floats, frozen
from segue.motion.clip import Clip
from segue.motion.kinematics import world
from segue.motion.roles import roles
from segue.motion.skeleton import Skeleton

LOWER = (("left_ankle",), ("right_ankle",), ("pelvis",))
"""What the lower body's speed is the mean of; of each the first role that a body has."""
UPPER = (("left_wrist", "left_elbow"), ("right_wrist", "right_elbow"), ("chest", "spine"), ("head", "neck"))
"""What the upper body's speed is the mean of."""


@dataclass(frozen=True, eq=False)
class HalfSpeeds:
    """Speeds (F,) of both halves of a body in metres a second; zeros where a body has no joint of a half."""

    lower: Floats
    upper: Floats


def half_speeds(clip: Clip) -> HalfSpeeds:
    """Speed of each half of a body at every frame, by central differences.

    Parameters
    ----------
    clip
        Any motion.

    Examples
    --------
    >>> import segue
    >>> speeds = half_speeds(segue.sample("walk"))
    >>> speeds.lower.shape, bool(1.0 < speeds.lower.mean() < 1.6)
    ((361,), True)
    """
    at = world(clip).positions
    if clip.n_frames < 2:
        nothing = frozen(np.zeros(clip.n_frames))
        return HalfSpeeds(nothing, nothing)
    speeds = np.linalg.norm(np.gradient(at, 1.0 / clip.fps, axis=0), axis=-1)
    lower, upper = half_joints(clip.skeleton)
    return HalfSpeeds(_mean(speeds, lower), _mean(speeds, upper))


def half_joints(skeleton: Skeleton) -> tuple[list[int], list[int]]:
    """Joints whose mean speed is that of the lower and of the upper half of a body.

    Examples
    --------
    >>> import segue
    >>> body = segue.sample("walk").skeleton
    >>> [[body.names[joint] for joint in half] for half in half_joints(body)][0]
    ['LeftFoot', 'RightFoot', 'Hips']
    """
    return _joints(skeleton, LOWER), _joints(skeleton, UPPER)


def _joints(skeleton: Skeleton, parts: tuple[tuple[str, ...], ...]) -> list[int]:
    """Joints of parts, each once; a part that a body lacks is left out. The pelvis is the root where it has no role."""
    found = roles(skeleton)
    out = []
    for names in parts:
        joint = next((found[name] for name in names if name in found), 0 if names == ("pelvis",) else None)
        if joint is not None:
            out.append(int(joint))
    return list(dict.fromkeys(out))


def _mean(speeds: Floats, joints: list[int]) -> Floats:
    return frozen(speeds[:, joints].mean(axis=1) if joints else np.zeros(len(speeds)))
