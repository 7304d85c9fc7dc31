"""How far poses are apart, and how fast they change: the distances of the source (eq. 12 and 13)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from segue.arrays import Floats, Ints, Positions, frozen
from segue.maths.planar import turned

STEP = 1 / 30
"""Seconds over which the speed of a pose is taken: the source's small time step."""
TINY = 1e-9
"""Metres: poses nearer than this are one."""


@dataclass(frozen=True, eq=False)
class PrimaryPoints:
    """Primary joints of one half of a body over time, aligned by the place of the pelvis and the body's orientation.

    Parameters
    ----------
    points
        (F, K, 3) metres beside the pelvis, as a body sees them that faces +Z.
    moves
        (F, K, 3) what they do from each frame over `STEP`; at the end, up to the frame.
    speeds
        (F,) metres a second of the pose: V(t) of eq. 13.
    rates
        (F,) one over the seconds that each move takes.
    """

    points: Positions
    moves: Positions
    speeds: Floats
    rates: Floats


def primary_points(
    places: Positions, pelvis: Positions, facing: Floats, *, joints: Ints, fps: float
) -> PrimaryPoints:
    """Primary joints of world positions (F, J, 3), beside the pelvis (F, 3), seen by a body that faces (F,) radians."""
    beside = places[:, joints] - pelvis[:, None]
    beside[..., ::2] = turned(-facing[:, None], beside[..., ::2])
    return points_over_time(beside, fps)


def points_over_time(beside: Positions, fps: float) -> PrimaryPoints:
    """Points (F, K, 3) as they are seen from the body, with what they do and how fast."""
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
    """Distances D (N, M) of poses (N, K, 3) and (M, K, 3): the mean over their joints (eq. 12)."""
    apart = a[:, None] - b[None]
    apart *= apart
    out: Floats = np.sqrt(apart.sum(axis=-1)).mean(axis=-1)
    return out
