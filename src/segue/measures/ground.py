"""Measure ground contact: parts of feet below the floor, and planted parts above it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from segue.arrays import Bools, Floats, frozen
from segue.motion.clip import Clip
from segue.motion.feet import foot_positions
from segue.motion.kinematics import world
from segue.motion.stance import stance


@dataclass(frozen=True, eq=False)
class GroundFit:
    """Heights relative to the floor found in the motion itself.

    Parameters
    ----------
    penetration
        (F,) metres by which the lowest heel or toe is below its resting height; 0 where none is.
    floating
        (F,) metres by which the lowest planted part is above its resting height; 0 where none is planted.
    """

    penetration: Floats
    floating: Floats


def ground_fit(clip: Clip, *, planted: Bools | None = None) -> GroundFit:
    """Measure how deep feet sink and how high planted feet float.

    Parameters
    ----------
    clip
        Any motion with the leg roles.
    planted
        (F, 4) flags of heels and toes that should be on the ground; those found in the clip by default.

    Examples
    --------
    >>> import segue
    >>> fit = ground_fit(segue.sample("walk"))
    >>> bool(fit.penetration.max() < 0.01), bool(fit.floating.max() < 0.02)
    (True, True)
    """
    found = stance(clip)
    heights = foot_positions(clip.skeleton, world(clip))[..., 1] - found.floor
    flags = found.flags if planted is None else planted
    lowest = np.where(flags, heights, np.inf).min(axis=1)
    floating = np.where(np.isfinite(lowest), np.maximum(lowest, 0.0), 0.0)
    return GroundFit(frozen(np.maximum(-heights.min(axis=1), 0.0)), frozen(floating))
