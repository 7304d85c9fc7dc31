"""A foot that lies flat does not tremble: its tilt is smoothed before it is held.

Captured feet shake by a degree or so while they lie on the ground. Held at heel or toe, such a foot hands its trembling
to ankle and knee, which stood still in the capture; and since heel and toe come nearer on the ground as it tilts, it
slips.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from segue.arrays import Bools, Floats, Ints, Quaternions, frozen
from segue.motion.kinematics import World

_SPAN = 0.03
"""Seconds: deviation of the bell by which a flat foot's tilt is smoothed, and how long it comes in and goes out."""


def steadied(
    at: World,
    flat: Bools,
    *,
    joints: tuple[int, int],
    fps: float,
    share: Floats | None = None,
) -> tuple[Ints, Quaternions]:
    """Local rotations of an ankle whose foot lies flat, smoothed over time.

    Parameters
    ----------
    at
        World of a motion.
    flat
        (F,) flags of the frames in which heel and toe are planted.
    joints
        The ankle and what is above it.
    fps
        Frames a second.
    share
        (F,) how much of it is done; all of it by default.

    Returns
    -------
    tuple
        Frames (n,) and local rotations (n, 4); both ends of each stretch stay nearly as they are.
    """
    from segue.synthesis import _kernels

    feet, above = (np.ascontiguousarray(at.rotations[:, joint]) for joint in joints)
    much = np.ones(len(flat)) if share is None else np.array(share)
    changed, local = _kernels.steady_feet(feet, above, flat, _bell(_SPAN * fps), much, _SPAN * fps + 1.0)
    rows = np.flatnonzero(changed)
    return rows, local[rows]


@lru_cache(maxsize=32)
def _bell(deviation: float) -> Floats:
    """Normal weights (2 r + 1,) up to four deviations."""
    reach = int(4.0 * deviation + 0.5)
    window = np.exp(-0.5 * (np.arange(-reach, reach + 1) / deviation) ** 2)
    return frozen(window / window.sum())
