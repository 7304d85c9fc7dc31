"""A foot that lies flat does not tremble: its tilt is smoothed before it is held.

Captured feet shake by a degree or so while they lie on the ground. Held at heel or toe, such a foot hands its trembling
to ankle and knee, which stood still in the capture; and since heel and toe come nearer on the ground as it tilts, it
slips.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from segue.arrays import Bools, Floats, Ints, Quaternions, frozen
from segue.maths.easing import smoothstep
from segue.maths.quaternions import conjugate, multiply, normalise, slerp, unroll
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
    bell = _bell(_SPAN * fps)
    reach, (ankles, above) = len(bell) // 2, np.array(joints).T
    foot, start, stop = np.array(stretches).T
    lengths = stop - start
    # The ends of a stretch stand for what lies beyond, so that stretches follow each other without touching.
    near = np.concatenate([np.clip(np.arange(a - reach, b + reach), a, b - 1) for _, a, b in stretches])
    turns = unroll(at.rotations[near, np.repeat(ankles[foot], lengths + 2 * reach)])
    within = np.arange(lengths.sum()) + np.repeat(2 * reach * np.arange(len(foot)), lengths)
    rows, foot = near[within + reach], np.repeat(foot, lengths)
    t = np.minimum(rows - np.repeat(start - 1, lengths), np.repeat(stop, lengths) - rows) / (
        _SPAN * fps + 1.0
    )
    much = smoothstep(np.minimum(t, 1.0))
    if share is not None:
        much = much * share[rows]
        done = much > 0.0
        within, rows, foot, much = within[done], rows[done], foot[done], much[done]
    mean = normalise(np.array([np.convolve(each, bell, mode="valid")[within] for each in turns.T]).T)
    steady = slerp(turns[within + reach], mean, much)
    return rows, foot, multiply(conjugate(at.rotations[rows, above[foot]]), steady)


@lru_cache(maxsize=32)
def _bell(deviation: float) -> Floats:
    """Normal weights (2 r + 1,) up to four deviations."""
    reach = int(4.0 * deviation + 0.5)
    window = np.exp(-0.5 * (np.arange(-reach, reach + 1) / deviation) ** 2)
    return frozen(window / window.sum())
