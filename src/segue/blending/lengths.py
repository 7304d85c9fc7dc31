"""Blend lengths as curves: what every length costs, all lengths of one transition at once.

Arrays are strict here: a window is (B, K, 4), B moments 1/rate s apart of K joints' local unit quaternions.
``leaving`` begins at the frame left, ``arriving`` ends at the frame arrived at. Costs are squared half angles in
radians, one column a joint; what weighs the joints is up to the caller. `segue.blending.durations` chooses a length.
"""

from __future__ import annotations

import numpy as np

from segue.arrays import Floats, Quaternions
from segue.blending._kernels import warped_costs
from segue.maths.quaternions import half_angle


def geodesic_curve(leaving: Quaternions, arriving: Quaternions) -> Floats:
    """Cost (B, K) of blends of 1 ... B moments between a frame left and a frame arrived at.

    Row b-1 is the mean over t = 1 ... b of the squared geodesic distance between moment t-1 of ``leaving`` and moment
    B-b+t-1 of ``arriving`` (Wang, eq. V.1).
    """
    count = len(leaving)
    # For length b the two windows meet along one diagonal: row t, column B - b + t.
    row, column = np.triu_indices(count)
    squares = half_angle(leaving[row], arriving[column]) ** 2
    length = count - (column - row)
    sums = np.zeros((count, squares.shape[1]))
    np.add.at(sums, length - 1, squares)
    return sums / np.arange(1, count + 1)[:, None]  # eq. V.1: a mean, whatever the length


def centred_curve(a: Quaternions, b: Quaternions, *, centre: int) -> Floats:
    """Cost (L, K) of blends of 1 ... L moments around two moments that meet in the middle of the blend.

    Parameters
    ----------
    a, b
        (B, K, 4) windows of both motions, moment by moment beside one another.
    centre
        The moment of both windows that is the transition point.

    Returns
    -------
    Floats
        Row n-1 is the mean squared geodesic distance over the n moments of a blend (see `blend_starts`);
        as many rows as fit into the windows.
    """
    squares = half_angle(a, b) ** 2
    total = np.vstack([np.zeros(squares.shape[1]), np.cumsum(squares, axis=0)])
    length = np.arange(1, len(squares) + 1)
    first = centre - np.maximum(length // 2 - 1, 0)
    fits = (first >= 0) & (first + length <= len(squares))
    count = int(np.argmin(fits)) if not fits.all() else len(length)
    length, first = length[:count], first[:count]
    out: Floats = (total[first + length] - total[first]) / length[:, None]
    return out


def timewarped_surface(leaving: Quaternions, arriving: Quaternions, weights: Floats) -> Floats:
    """Cost (B, B) of blending the first b_from moments of one window with the last b_to of the other.

    Both ends of both windows are pinned and the shorter side is resampled by slerp (Wang, eq. V.5 and V.6), the sum
    divided by the longer length, so that lengths can be compared. Row b_from - 1, column b_to - 1; infinite where one
    side is more than twice the other.
    """
    return warped_costs(np.ascontiguousarray(leaving), np.ascontiguousarray(arriving), weights)


def velocity_length(apart: Floats, leaving_speeds: Floats, arriving_speeds: Floats) -> tuple[int, float]:
    """Joint that is farthest from where it must arrive, and the seconds it needs at the mean of its two speeds.

    Parameters
    ----------
    apart
        (K,) half angles between the frame left and the frame arrived at (Wang, eq. V.3).
    leaving_speeds, arriving_speeds
        (K,) half angles a second at those frames (eq. V.4, with the mean of the speeds).

    Returns
    -------
    tuple
        Index of the joint, and seconds; infinite where the joint rests at both frames.
    """
    joint = int(np.argmax(apart))
    mean = 0.5 * float(leaving_speeds[joint] + arriving_speeds[joint])  # eq. V.4
    return joint, float(apart[joint] / mean) if mean > 0 else float("inf")
