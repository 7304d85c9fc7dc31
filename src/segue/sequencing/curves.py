"""Optimal weight functions: curves that match both motions' speeds at the ends of a range (§4.4 of the source)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from segue.arrays import Floats, Positions
from segue.maths.easing import STEEPEST, limited_slopes, monotone_hermite
from segue.sequencing.poses import TINY, PrimaryPoints, pose_distances

_SLACK = 0.05
"""Share of the spread of distances within which a distance counts as the largest."""


@dataclass(frozen=True)
class WeightCurve:
    """A rise from 0 to 1 between two frames of the clock, flat before and after.

    Parameters
    ----------
    begin, end
        Frames at which it leaves 0 and reaches 1.
    slopes
        Its slopes there in normalised time, within 0 to 3.
    limited
        Whether the speeds required steeper ones.
    """

    begin: int
    end: int
    slopes: tuple[float, float]
    limited: bool = False

    def at(self, frames: Floats) -> Floats:
        """Return weights (n,) at frames of the clock."""
        x = np.clip((np.asarray(frames, dtype=np.float64) - self.begin) / (self.end - self.begin), 0.0, 1.0)
        return monotone_hermite(x, *self.slopes)


def end_slopes(
    previous: PrimaryPoints, t0: int, following: PrimaryPoints, t1: int, *, seconds: float
) -> tuple[float, float]:
    """Return slopes that match the speeds at frame ``t0`` of one motion and ``t1`` of the other (eq. 16), unlimited.

    A slope is 0 where the range moves against the motion there: the body stops for a moment.
    """
    apart_by = following.points[t1] - previous.points[t0]
    apart = float(np.linalg.norm(apart_by, axis=-1).mean())
    if apart < TINY:
        return 1.0, 1.0
    mean = apart / seconds
    first, last = (
        0.0 if float(np.sum(apart_by * motion.moves[t])) < 0.0 else float(motion.speeds[t]) / mean
        for motion, t in ((previous, t0), (following, t1))
    )
    return first, last


def weight_curve(begin: int, end: int, slopes: tuple[float, float]) -> WeightCurve:
    """Return the curve over a range, with limited slopes."""
    return WeightCurve(begin, end, limited_slopes(*slopes), max(slopes) > STEEPEST)


def distance_trend(pose: Positions, moving: Positions) -> tuple[Literal["growing", "falling", "peak"], int]:
    """Return the trend of the distance from a fixed pose (K, 3) along a motion (n, K, 3), and the index of its maximum.

    ``"peak"``: the motion passes its farthest pose and comes back; ``"falling"``: it only comes nearer.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.zeros((4, 1, 3))
    >>> x[:, 0, 0] = [0.0, 1.0, 3.0, 2.0]
    >>> distance_trend(np.zeros((1, 3)), x)
    ('peak', 2)
    """
    apart = pose_distances(pose[None], moving)[0]
    top = float(apart.max())
    near = top - _SLACK * (top - float(apart.min()))
    if apart[-1] >= near:
        return "growing", len(apart) - 1
    if apart[0] >= near:
        return "falling", 0
    return "peak", int(np.argmax(apart))
