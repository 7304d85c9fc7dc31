"""Distances between poses and speeds of poses, as in the source (eq. 12 and 13)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from segue.arrays import Floats, Ints, Positions, frozen
from segue.maths.planar import turned

STEP = 1 / 30
"""Seconds over which the speed of a pose is taken: the source's small time step."""
TINY = 1e-9
"""Metres: poses nearer than this count as equal."""


@dataclass(frozen=True, eq=False)
class PrimaryPoints:
    """Primary joints of one half of a body over time, aligned by the place of the pelvis and the body's orientation.

    Parameters
    ----------
    points
        (F, K, 3) metres relative to the pelvis, as seen from a body that faces +Z.
    moves
        (F, K, 3) their displacement from each frame over `STEP`; at the end, up to the frame.
    speeds
        (F,) metres a second of the pose: V(t) of eq. 13.
    rates
        (F,) one over the duration of each displacement in seconds.
    """

    points: Positions
    moves: Positions
    speeds: Floats
    rates: Floats


def primary_points(
    places: Positions, pelvis: Positions, facing: Floats, *, joints: Ints, fps: float
) -> PrimaryPoints:
    """Return primary joints of world positions (F, J, 3) relative to the pelvis (F, 3) and a facing (F,) in radians."""
    beside = places[:, joints] - pelvis[:, None]
    beside[..., ::2] = turned(-facing[:, None], beside[..., ::2])
    return points_over_time(beside, fps)


def points_over_time(beside: Positions, fps: float) -> PrimaryPoints:
    """Return points (F, K, 3), given relative to the body, with their displacements and speeds."""
    count = len(beside)
    ahead = min(max(round(STEP * fps), 1), max(count - 1, 1))
    moves = np.zeros(beside.shape)
    frames = np.full(count, float(ahead))
    if count > ahead:
        moves[:-ahead] = beside[ahead:] - beside[:-ahead]
        moves[-ahead:] = beside[-ahead:] - beside[np.maximum(np.arange(count - 2 * ahead, count - ahead), 0)]
        frames[-ahead:] = np.minimum(np.arange(count - ahead, count), ahead)
    rates = fps / np.maximum(frames, 1.0)
    speeds = np.linalg.norm(moves, axis=-1).mean(axis=-1) * rates
    return PrimaryPoints(frozen(beside), frozen(moves), frozen(speeds), frozen(rates))


def pose_distances(a: Positions, b: Positions) -> Floats:
    """Compute distances D (N, M) of poses (N, K, 3) and (M, K, 3): the mean over their joints (eq. 12)."""
    apart = a[:, None] - b[None]
    apart *= apart
    out: Floats = np.sqrt(apart.sum(axis=-1)).mean(axis=-1)
    return out
