"""A foot that lies flat does not tremble: its tilt is smoothed before it is held.

Captured feet shake by a degree or so while they lie on the ground. Held at heel or toe, such a foot hands its trembling
to ankle and knee, which stood still in the capture; and since heel and toe come nearer on the ground as it tilts, it
slips.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate

import numpy as np

from segue.arrays import Bools, Floats, Ints, Quaternions, frozen
from segue.maths.quaternions import unroll
from segue.motion.contacts import runs
from segue.motion.kinematics import World

_SPAN = 0.03
"""Seconds: deviation of the bell by which a flat foot's tilt is smoothed, and how long it comes in and goes out."""

_SHORTEST = 5
"""Frames: shorter stretches show no trembling."""


def steadied(
    at: World,
    flat: Bools,
    *,
    joints: Sequence[tuple[int, int]],
    fps: float,
    share: Floats | None = None,
) -> tuple[Ints, Ints, Quaternions]:
    """Local rotations of ankles whose feet lie flat, smoothed over time.

    Parameters
    ----------
    at
        World of a motion.
    flat
        (F, S) flags of the frames in which heel and toe of S feet are planted.
    joints
        The ankle of each foot and what is above it.
    fps
        Frames a second.
    share
        (F,) how much of it is done; all of it by default.

    Returns
    -------
    tuple
        Frames (n,), feet (n,) and local rotations (n, 4) of their ankles; both ends of each stretch stay nearly as they
        are.
    """
    stretches = [
        (foot, start, stop)
        for foot in range(len(joints))
        for start, stop in runs(flat[:, foot])
        if stop - start >= _SHORTEST
    ]
    if not stretches:
        return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros((0, 4))
    from segue.synthesis import _kernels

    begins = np.array([0, *accumulate(stop - start for _, start, stop in stretches)])
    foot = np.concatenate([np.full(stop - start, k) for k, start, stop in stretches])
    rows = np.concatenate([np.arange(start, stop) for _, start, stop in stretches])
    ankles, above = np.array(joints).T
    much = np.ones(len(rows)) if share is None else share[rows]
    turns, local = unroll(at.rotations[rows, ankles[foot]]), np.empty((len(rows), 4))
    _kernels.steady_feet(
        turns, at.rotations[rows, above[foot]], begins, _bell(_SPAN * fps), much, _SPAN * fps + 1.0, local
    )
    if share is not None:
        done = much > 0.0
        rows, foot, local = rows[done], foot[done], local[done]
    return rows, foot, local


@lru_cache(maxsize=32)
def _bell(deviation: float) -> Floats:
    """Normal weights (2 r + 1,) up to four deviations."""
    reach = int(4.0 * deviation + 0.5)
    window = np.exp(-0.5 * (np.arange(-reach, reach + 1) / deviation) ** 2)
    return frozen(window / window.sum())
