"""How far the root must come down so that legs reach their feet, as a smooth curve over time."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from segue.arrays import Bools, Floats, Positions, frozen
from segue.motion.kinematics import World
from segue.motion.limb_ik import Leg


def too_far(at: World, leg: Leg, ankles: Positions, moved: Bools, *, needed: Floats | None = None) -> Floats:
    """Metres (F,) by which the hip must come down so that the leg reaches without straightening suddenly.

    A leg takes a longer way by straightening, less and less the straighter it is, and never beyond 0.999 of its
    length, or beyond what it was. What is ``needed`` (F,) for the other leg is kept where it is more.
    """
    from segue.synthesis import _kernels

    out = np.zeros(len(moved)) if needed is None else np.array(needed)
    joints = np.array([leg.hip, leg.knee, leg.ankle])
    _kernels.hips_down(at.positions, joints, ankles, moved, out)
    return out


def smooth_above(needed: Floats, ease: int) -> Floats:
    """Smooth curve (F,) that is nowhere below what is needed and fades over ``ease`` frames."""
    from segue.synthesis import _kernels

    return _kernels.smooth_over(needed, _bell(ease))


@lru_cache(maxsize=32)
def _bell(ease: int) -> Floats:
    """Weights (2 ease + 1,) of a short mean."""
    window = np.hanning(2 * ease + 3)[1:-1]
    return frozen(window / window.sum())
