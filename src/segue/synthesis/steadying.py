"""A foot that lies flat does not tremble: its tilt is smoothed before it is held.

Captured feet shake by a degree or so while they lie on the ground. Held at heel or toe, such a foot hands its trembling
to ankle and knee, which stood still in the capture; and since heel and toe come nearer on the ground as it tilts, it
slips.
"""

from __future__ import annotations

import numpy as np

from segue.arrays import Bools, Floats, Ints, Quaternions
from segue.maths.easing import smoothstep
from segue.maths.quaternions import conjugate, multiply, normalise, slerp, unroll
from segue.motion.contacts import runs
from segue.motion.kinematics import World

_SPAN = 0.03
"""Seconds: deviation of the bell by which a flat foot's tilt is smoothed, and how long it comes in and goes out."""
_SHORTEST = 5


def steadied(
    at: World,
    rotations: Quaternions,
    flat: Bools,
    *,
    joints: tuple[int, int],
    fps: float,
    share: Floats | None = None,
) -> list[tuple[Ints, Quaternions]]:
    """Local rotations of an ankle whose foot lies flat, smoothed over time.

    Parameters
    ----------
    at, rotations
        World of a motion, and its local rotations (F, J, 4).
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
    list
        Frames (n,) and local rotations (n, 4) of each stretch; both ends of it stay nearly as they are.
    """
    from scipy.ndimage import gaussian_filter1d

    ankle, above = joints
    out = []
    for start, stop in runs(flat):
        n = stop - start
        if n < _SHORTEST:
            continue
        was = unroll(at.rotations[start:stop, ankle])
        smooth = normalise(gaussian_filter1d(was, _SPAN * fps, axis=0, mode="nearest"))
        edge = np.minimum(np.arange(1, n + 1), np.arange(n, 0, -1)) / (_SPAN * fps + 1.0)
        how_much = smoothstep(np.minimum(edge, 1.0))
        if share is not None:
            how_much = how_much * share[start:stop]
        rows = start + np.flatnonzero(how_much > 0)
        turned = slerp(was, smooth, how_much)[rows - start]
        local = multiply(conjugate(at.rotations[rows, above]), turned)
        same = np.sum(local * rotations[rows, ankle], axis=-1, keepdims=True) >= 0
        out.append((rows.astype(np.int64), np.where(same, local, -local)))
    return out
