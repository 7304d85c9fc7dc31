"""How far the root must come down so that legs reach their feet, as a smooth curve over time."""

from __future__ import annotations

import numpy as np

from segue.arrays import Bools, Floats, Positions
from segue.motion.kinematics import World
from segue.motion.limb_ik import Leg, leg_reach

_SOFT = 0.999
"""Share of a leg's length up to which a knee is straightened; a leg that was straighter stays as straight."""


def too_far(at: World, leg: Leg, ankles: Positions, moved: Bools) -> Floats:
    """Metres (F,) by which the hip must come down so that the leg reaches without straightening suddenly.

    A leg takes a longer way by straightening, less and less the straighter it is, and never beyond `_SOFT` of its
    length, or beyond what it was.
    """
    hip, ankle = at.positions[:, leg.hip], at.positions[:, leg.ankle]
    was = np.linalg.norm(ankle - hip, axis=-1)
    asked = np.linalg.norm(ankles - hip, axis=-1)
    room = np.maximum(_SOFT * leg_reach(at, leg) - was, 1e-6)
    more = np.maximum(asked - was, 0.0)
    allowed = was + room * (1.0 - np.exp(-more / room))
    down = hip[:, 1] - ankles[:, 1]
    aside = np.linalg.norm((ankles - hip)[:, [0, 2]], axis=-1)
    needed = down - np.sqrt(np.maximum(allowed**2 - aside**2, 0.0))
    return np.where(moved & (more > 0) & (down > 0), np.maximum(needed, 0.0), 0.0)


def smooth_above(needed: Floats, ease: int) -> Floats:
    """Smooth curve (F,) that is nowhere below what is needed and fades over ``ease`` frames."""
    if not np.any(needed > 0):
        return needed
    from scipy.ndimage import maximum_filter1d

    window = np.hanning(2 * ease + 3)[1:-1]
    window /= window.sum()
    widest = maximum_filter1d(np.pad(needed, 2 * ease, mode="edge"), 2 * ease + 1)
    out: Floats = np.convolve(widest, window, mode="same")[2 * ease : -2 * ease]
    out[out < 1e-9] = 0.0
    return out
