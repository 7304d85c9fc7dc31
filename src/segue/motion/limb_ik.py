"""Analytic inverse kinematics of a leg for a given ankle position and foot orientation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from segue.arrays import Floats, Ints, Positions, Quaternions, frozen, read_only
from segue.errors import SettingError
from segue.motion.kinematics import World
from segue.motion.roles import require
from segue.motion.skeleton import Skeleton


@dataclass(frozen=True)
class Leg:
    """Joint indices of one leg."""

    hip: int
    knee: int
    ankle: int

    @staticmethod
    def of(skeleton: Skeleton, side: str) -> Leg:
        """Return the leg of a side, ``"left"`` or ``"right"``."""
        found = require(skeleton, f"{side}_hip", f"{side}_knee", f"{side}_ankle")
        return Leg(*(found[f"{side}_{part}"] for part in ("hip", "knee", "ankle")))


def leg_reach(at: World, leg: Leg) -> Floats:
    """Thigh plus shank length (F,) in metres: the reach of a leg in each frame."""
    hip, knee, ankle = (at.positions[:, joint] for joint in (leg.hip, leg.knee, leg.ankle))
    out: Floats = np.linalg.norm(knee - hip, axis=-1) + np.linalg.norm(ankle - knee, axis=-1)
    return out


def reach_ankle(
    skeleton: Skeleton,
    at: World,
    leg: Leg,
    *,
    hips: Positions,
    ankles: Positions,
    feet: Quaternions,
    rows: Ints | None = None,
) -> tuple[Quaternions, Quaternions, Quaternions]:
    """Compute local rotations of hip, knee and ankle for a given ankle position and foot orientation.

    The knee bends about its current axis, then the leg swings by the smallest rotation, so that the knee keeps its
    side. A target out of reach is approached with a straight leg.

    Parameters
    ----------
    skeleton
        The body.
    at
        World rotations (F, J, 4) and positions (F, J, 3) of the current motion.
    leg
        The leg.
    hips
        (F, 3) metres: position of the hip joint, which differs from ``at`` if the root was moved.
    ankles
        (F, 3) metres: target position of the ankle.
    feet
        (F, 4) target world rotation of the ankle joint.
    rows
        (F,) frames of ``at`` to use; all by default.

    Returns
    -------
    tuple
        Three arrays (F, 4) of local rotations: hip, knee, ankle.
    """
    found = reach_ankles(
        skeleton, at, [leg], hips=hips[None], ankles=ankles[None], feet=feet[None], rows=rows
    )
    return found[0, :, 0], found[0, :, 1], found[0, :, 2]


def reach_ankles(
    skeleton: Skeleton,
    at: World,
    legs: Sequence[Leg],
    *,
    hips: Positions,
    ankles: Positions,
    feet: Quaternions,
    rows: Ints | None = None,
) -> Quaternions:
    """Compute local rotations (L, F, 3, 4) of hips, knees and ankles of L legs in one pass, as `reach_ankle` does.

    ``hips`` and ``ankles`` are (L, F, 3), ``feet`` (L, F, 4).

    Raises
    ------
    SettingError
        If they have other shapes.
    """
    from segue.motion import _kernels

    rows = frozen(np.arange(len(at.positions)) if rows is None else rows, np.int64)
    count = (len(legs), len(rows))
    if (hips.shape, ankles.shape, feet.shape) != ((*count, 3), (*count, 3), (*count, 4)):
        given = f"{hips.shape}, {ankles.shape} and {feet.shape}"
        msg = f"hips and ankles must be {(*count, 3)}, feet {(*count, 4)}; got {given}"
        raise SettingError(msg)
    out = np.empty((*count, 3, 4))
    _kernels.reach_ankles(
        (read_only(at.rotations), read_only(at.positions)),
        _joints(skeleton, tuple(legs)),
        rows,
        (read_only(hips), read_only(ankles), read_only(feet)),
        np.empty(3),
        out.ravel(),
    )
    return out


@lru_cache(maxsize=256)
def _joints(skeleton: Skeleton, legs: tuple[Leg, ...]) -> Ints:
    """Hip, knee and ankle of each leg, and their parents (L, 6)."""
    joints = np.array([[leg.hip, leg.knee, leg.ankle] for leg in legs])
    return frozen(np.hstack([joints, skeleton.parents[joints]]), np.int64)
