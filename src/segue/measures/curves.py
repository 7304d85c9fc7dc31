"""Measures as curves over time.

The speeds of both halves of a body are the curves by which sequences of motions are compared: Oshita, Generating
animation from elementary motions (specs: figure 5): the lower body's speed is the mean of both feet and the pelvis, the
upper body's that of both hands, chest and head. Roles that a body lacks are left out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from segue.arrays import Bools, Floats, frozen
from segue.measures.foot_skate import PARTS
from segue.measures.ground import ground_fit
from segue.measures.seams import accelerations, angular_speeds
from segue.measures.smoothness import jerks
from segue.motion.clip import Clip
from segue.motion.feet import foot_positions
from segue.motion.kinematics import world, world_positions
from segue.motion.roles import roles
from segue.motion.skeleton import Skeleton
from segue.motion.stance import stance


@dataclass(frozen=True, eq=False)
class MeasureCurves:
    """One value per frame, that of the joint with the largest; 0 at first and last frames, which lack a neighbour.

    Parameters
    ----------
    seconds
        (F,) times of the frames.
    angular_speed
        (F,) rad/s, the fastest joint's local rotation to the next frame.
    acceleration
        (F,) m/s^2, the largest world acceleration of a joint.
    jerk
        (F,) m/s^3, the largest world jerk of a joint.
    foot_speed
        (F, 4) m/s along the ground to the next frame, in the order of `segue.measures.foot_skate.PARTS`.
    planted
        (F, 4) flags of the parts that are, or should be, on the ground.
    penetration, floating
        (F,) metres, see `segue.measures.ground.GroundFit`.
    """

    seconds: Floats
    angular_speed: Floats
    acceleration: Floats
    jerk: Floats
    foot_speed: Floats
    planted: Bools
    penetration: Floats
    floating: Floats


def measure_curves(clip: Clip, *, planted: Bools | None = None) -> MeasureCurves:
    """Measure a motion frame by frame.

    Parameters
    ----------
    clip
        Any motion with the leg roles.
    planted
        (F, 4) flags of heels and toes that should be on the ground; those found in the clip by default.

    Examples
    --------
    >>> import numpy as np
    >>> import segue
    >>> found = measure_curves(segue.sample("walk"))
    >>> found.foot_speed.shape, bool(np.median(found.foot_speed[found.planted]) < 0.01)
    ((361, 4), True)
    """
    n = clip.n_frames
    ground = foot_positions(clip.skeleton, world(clip))[:, :, [0, 2]]
    feet = np.zeros((n, len(PARTS)))
    feet[:-1] = np.linalg.norm(np.diff(ground, axis=0), axis=-1) * clip.fps
    flags = stance(clip).flags if planted is None else planted
    fit = ground_fit(clip, planted=planted)
    return MeasureCurves(
        frozen(np.arange(n) / clip.fps),
        *peak_curves(clip),
        frozen(feet),
        frozen(flags, np.bool_),
        fit.penetration,
        fit.floating,
    )


def peak_curves(clip: Clip) -> tuple[Floats, Floats, Floats]:
    """Return angular speed, acceleration and jerk (F,) as in `MeasureCurves`, of a motion of any body.

    Examples
    --------
    >>> import segue
    >>> [curve.shape for curve in peak_curves(segue.sample("walk"))]
    [(361,), (361,), (361,)]
    """
    n = clip.n_frames
    return (
        _padded(angular_speeds(clip.rotations, clip.fps).max(axis=1, initial=0.0), n, 0),
        _padded(accelerations(world_positions(clip), clip.fps).max(axis=1, initial=0.0), n, 1),
        _padded(jerks(clip).max(axis=1, initial=0.0) if n > 3 else np.zeros(0), n, 1),
    )


def _padded(values: Floats, n: int, before: int) -> Floats:
    """Values written from row ``before`` on, zero elsewhere."""
    out = np.zeros(n)
    out[before : before + len(values)] = values
    return frozen(out)


LOWER = (("left_ankle",), ("right_ankle",), ("pelvis",))
"""Roles over which the lower body's speed is averaged; of each group the first that a body has."""
UPPER = (("left_wrist", "left_elbow"), ("right_wrist", "right_elbow"), ("chest", "spine"), ("head", "neck"))
"""Roles over which the upper body's speed is averaged."""


@dataclass(frozen=True, eq=False)
class HalfSpeeds:
    """Speeds (F,) of both halves of a body in metres a second; zeros where a body has no joint of a half."""

    lower: Floats
    upper: Floats


def half_speeds(clip: Clip) -> HalfSpeeds:
    """Return the speed of each half of a body at every frame, by central differences.

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
    """Return the joints whose mean speed is that of the lower and of the upper half of a body.

    Examples
    --------
    >>> import segue
    >>> body = segue.sample("walk").skeleton
    >>> [[body.names[joint] for joint in half] for half in half_joints(body)][0]
    ['LeftFoot', 'RightFoot', 'Hips']
    """
    return _joints(skeleton, LOWER), _joints(skeleton, UPPER)


def _joints(skeleton: Skeleton, parts: tuple[tuple[str, ...], ...]) -> list[int]:
    """Joints of parts, each once; missing parts are left out. The pelvis is the root where it has no role."""
    found = roles(skeleton)
    out = []
    for names in parts:
        joint = next((found[name] for name in names if name in found), 0 if names == ("pelvis",) else None)
        if joint is not None:
            out.append(int(joint))
    return list(dict.fromkeys(out))


def _mean(speeds: Floats, joints: list[int]) -> Floats:
    return frozen(speeds[:, joints].mean(axis=1) if joints else np.zeros(len(speeds)))
