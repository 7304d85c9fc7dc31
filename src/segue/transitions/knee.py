"""The knee of the sorted costs: the boundary between few low costs and many ordinary ones.

The rule examines beginnings of the curve of increasing length and stops at the first one that bends significantly, so
that the tail does not matter. If a beginning of R costs were a straight ramp with random steps, its largest height
above the chord from its first to its last cost, as a share of the chord's rise, would be a one-sided Kolmogorov-Smirnov
statistic D of R uniform values: ``P(sqrt(R) D > z) = exp(-2 z^2)``. The first R whose D is that improbable contains a
knee, at the point where the curve is highest above the chord.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from segue.errors import SettingError
from segue.transitions.threshold import Threshold

CHANCE = 0.01
"""A bend counts if a straight ramp would show one as strong with at most this probability."""
SHORTEST = 16
"""Number of costs in the shortest beginning examined."""
GROWTH = 1.05
"""Ratio of the lengths of successive beginnings."""
SOURCE_RATE = (67 + 30) / ((4145 + 3720) / 120.0)
"""Ranks per second of clip of the two knees in the source, whose frame rate is 120: 1.5."""


def knee_rank(costs: npt.ArrayLike) -> int | None:
    """Rank, counted from 1, of the knee of sorted costs; None if the curve does not bend.

    Parameters
    ----------
    costs
        (K,) finite costs in any order.

    Examples
    --------
    >>> import numpy as np
    >>> knee_rank(np.concatenate([np.arange(40) * 1.0, 39 + np.arange(1, 400) * 0.1]))
    40
    """
    curve = np.sort(np.asarray(costs, dtype=np.float64))
    needed = math.sqrt(-math.log(CHANCE) / 2.0)
    count = SHORTEST
    while count <= len(curve):
        begin = curve[:count]
        rise = begin[-1] - begin[0]
        if rise > 0:
            above = (begin - begin[0]) / rise - np.arange(count) / (count - 1)
            best = int(np.argmax(above))
            if above[best] * math.sqrt(count) > needed:
                return best + 1
        count = max(count + 1, int(count * GROWTH))
    return None


def knee_threshold(costs: npt.ArrayLike, seconds: float | None = None) -> Threshold:
    """Threshold at the knee of the sorted costs.

    Parameters
    ----------
    costs
        (K,) costs of deduplicated minima, in any order; infinite ones are ignored.
    seconds
        Total length of all clips. If given, the sentence reports ranks per second, and a curve without a knee gets the
        rank at which the source found its knees: 1.5 a second. Otherwise all costs of such a curve are allowed.

    Returns
    -------
    `Threshold` with ``method="knee"``; doubling the curve's tail does not change it.

    Raises
    ------
    SettingError
        If there is no finite cost.

    Notes
    -----
    Source: dynamics-weighted point clouds, section on choosing T: the point where the slope of the
    rank-ordered costs changes after an initial ramp (rank 67 for 4,145 frames of fighting, 30 for 3,720 of
    reactions, at 120 a second: 1.94 and 0.97 ranks a second). On most captured clips this rule stops earlier.
    """
    curve = np.asarray(costs, dtype=np.float64)
    curve = np.sort(curve[np.isfinite(curve)])
    if not len(curve):
        msg = (
            "there is no knee without costs: no minimum was found; give a number as threshold or longer clips"
        )
        raise SettingError(msg)
    rank = knee_rank(curve)
    if rank is not None:
        value = float(curve[rank - 1])
        per = "" if seconds is None else f", {rank / seconds:.2g} a second"
        return Threshold(
            value, "knee", f"the {len(curve)} sorted costs bend at rank {rank}{per}: {value:.4g}"
        )
    rank = len(curve) if seconds is None else min(len(curve), max(1, round(SOURCE_RATE * seconds)))
    value = float(curve[rank - 1])
    return Threshold(
        value,
        "knee",
        f"the {len(curve)} sorted costs have no bend; the threshold is that of rank {rank}: {value:.4g}",
    )
