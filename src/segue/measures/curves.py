"""Measures over time: what a person looks at when a number is not enough."""

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
from segue.motion.stance import stance


@dataclass(frozen=True, eq=False)
class MeasureCurves:
    """One value a frame, of the joint that does most; 0 at the first and last frames, where a difference needs more.

    Parameters
    ----------
    seconds
        (F,) times of the frames.
    angular_speed
        (F,) rad/s, the fastest joint's local turn to the next frame.
    acceleration
        (F,) m/s^2, the largest world acceleration of a joint.
    jerk
        (F,) m/s^3, the largest world jerk of a joint.
    foot_speed
        (F, 4) m/s along the ground to the next frame, in the order of `segue.measures.foot_skate.PARTS`.
    planted
        (F, 4) which part is, or should be, on the ground.
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
    """Angular speed, acceleration and jerk (F,) as in `MeasureCurves`, of a motion of any body.

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
    """Values set so many frames after the first, zero where there are none."""
    out = np.zeros(n)
    out[before : before + len(values)] = values
    return frozen(out)
