"""Whether a motion repeats itself around a moment, as walking and running do."""

from __future__ import annotations

import numpy as np

from segue.arrays import Floats
from segue.maths.quaternions import log
from segue.motion.clip import Clip
from segue.motion.resample import sampled
from segue.motion.roles import require

LAGS = (0.5, 1.6)
"""Seconds that a gait cycle may last: a fast run to a slow walk."""

_RATE = 30.0
_REACH = 1.0
_LIKE = 0.3
_STILL = 0.02


def is_periodic(clip: Clip, frame: int) -> bool:
    """Tell whether the legs repeat their motion within a second before and after a frame.

    See `unlikeness`: below 0.3 the legs do again what they did a cycle before.

    Examples
    --------
    >>> import segue
    >>> is_periodic(segue.sample("walk"), 60), is_periodic(segue.sample("stand"), 60)
    (True, False)
    """
    return unlikeness(clip, frame) <= _LIKE


def unlikeness(clip: Clip, frame: int) -> float:
    """Least mean square difference of the legs' turns to those one cycle later, over twice their variance.

    0 for legs that repeat themselves, about 1 for legs that do not; 1 for legs that stand still. Half a cycle later
    left and right leg have changed places, so half cycles are compared crosswise: a cycle of more than a second still
    shows within two.
    """
    found = require(clip.skeleton, "left_hip", "left_knee", "right_hip", "right_knee")
    step = clip.fps / _RATE
    first = max(int(np.ceil((frame - _REACH * clip.fps) / step)), 0)
    last = min(int((frame + _REACH * clip.fps) / step), int((clip.n_frames - 1) / step))
    at: Floats = np.arange(first, last + 1, dtype=np.float64) * step
    q = sampled(clip, at)[0][:, list(found.values())]
    x: Floats = log(q)  # (n, 4, 3): left hip, left knee, right hip, right knee
    x = x[:, :, :1]  # bending forward and back, about the axis from side to side
    x = x - x.mean(axis=0)
    variance = float(np.mean(x**2))
    if variance < _STILL**2 or len(x) < LAGS[0] * _RATE:
        return 1.0
    crossed = x[:, [2, 3, 0, 1]]
    best = 1.0
    for lag in range(round(LAGS[0] / 2 * _RATE), min(round(LAGS[1] / 2 * _RATE), len(x) - 10) + 1):
        difference = float(np.mean((crossed[lag:] - x[:-lag]) ** 2))
        best = min(best, difference / (2 * variance))
    return best
