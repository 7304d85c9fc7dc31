"""Remove tremor from a locked foot that lies flat: its tilt is smoothed before it is held.

Captured feet shake by a degree or so while they lie flat. As a foot tilts, its heel and toe approach each other on the
ground, so that one slips where the other is held, and a held foot passes its tremor on to ankle and knee.
"""

from __future__ import annotations

import numpy as np

from segue.arrays import Bools, sealed
from segue.maths.quaternions import conjugate, multiply, unroll
from segue.motion.clip import Clip
from segue.motion.flags import runs
from segue.motion.kinematics import world
from segue.motion.roles import SIDES, roles

_SPREAD = 0.03
"""Seconds: standard deviation with which a flat foot's tilt is smoothed, and duration of the fade at either end."""
_SHORTEST = 5
"""Frames: shorter plants show no tremor."""


def steadied(clip: Clip, planted: Bools) -> Clip:
    """Smooth the tilt of feet while heel and toe are planted.

    Parameters
    ----------
    clip
        Any motion with known ankles.
    planted
        (F, 4) flags of left heel and toe, right heel and toe.

    Returns
    -------
    Clip
        Only the ankles change, in frames in which both parts of a foot are planted.
    """
    from scipy.ndimage import gaussian_filter1d

    known, spread = roles(clip.skeleton), _SPREAD * clip.fps
    flat = [
        (known[f"{side}_ankle"], start, stop)
        for foot, side in enumerate(SIDES)
        for start, stop in runs(planted[:, 2 * foot] & planted[:, 2 * foot + 1])
        if stop - start >= _SHORTEST
    ]
    if not flat:
        return clip
    turns, rotations = world(clip).rotations, np.array(clip.rotations)
    for ankle, start, stop in flat:
        own = unroll(turns[start:stop, ankle])
        rank = np.arange(1, stop - start + 1)
        share = np.minimum(np.minimum(rank, rank[::-1]) / (spread + 1.0), 1.0)[:, None]
        calm = own + share * (gaussian_filter1d(own, spread, axis=0, mode="nearest") - own)
        calm /= np.linalg.norm(calm, axis=1, keepdims=True)
        above = turns[start:stop, clip.skeleton.parents[ankle]]
        rotations[start:stop, ankle] = multiply(conjugate(above), calm)
    return clip.with_motion(sealed(rotations))
