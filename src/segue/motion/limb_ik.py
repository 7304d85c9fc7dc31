"""Analytic inverse kinematics of a leg: thigh and shank reach a given ankle, the foot keeps a given orientation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from segue.arrays import Floats, Ints, Positions, Quaternions
from segue.motion.kinematics import World
from segue.motion.roles import require
from segue.motion.skeleton import Skeleton

_STRAIGHT = 0.05  # of thigh times shank: below this bend the hinge of bent frames says where the knee points


@dataclass(frozen=True)
class Leg:
    """Joint indices of one leg."""

    hip: int
    knee: int
    ankle: int

    @staticmethod
    def of(skeleton: Skeleton, side: str) -> Leg:
        """Leg of a side, ``"left"`` or ``"right"``."""
        found = require(skeleton, f"{side}_hip", f"{side}_knee", f"{side}_ankle")
        return Leg(*(found[f"{side}_{part}"] for part in ("hip", "knee", "ankle")))


def leg_reach(at: World, leg: Leg) -> Floats:
    """Thigh plus shank in metres, frame by frame (F,): the longest a leg can be."""
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
    """Local rotations of hip, knee and ankle that put the ankle at a place and the foot in an orientation.

    The knee bends about the axis it bends about already, then the whole leg swings the shortest way, so that the knee
    keeps its side. A place out of reach is approached with a straight leg.

    Parameters
    ----------
    skeleton
        The body.
    at
        World rotations (F, J, 4) and positions (F, J, 3) of the motion as it is.
    leg
        Which leg.
    hips
        (F, 3) metres: where the hip joint is now, if the root was moved.
    ankles
        (F, 3) metres: where the ankle is to be.
    feet
        (F, 4) world rotation that the ankle joint is to have.
    rows
        (F,) frames of ``at`` that are meant; all by default.

    Returns
    -------
    tuple
        Three arrays (F, 4) of local rotations: hip, knee, ankle.
    """
    from segue.motion import _kernels

    rows = np.arange(len(at.positions)) if rows is None else rows
    joints = [leg.hip, leg.knee, leg.ankle]
    hip, knee, ankle = (at.positions[rows, joint] for joint in joints)
    thighs, shanks = knee - hip, ankle - knee
    above = [int(skeleton.parents[joint]) for joint in joints]
    turns = np.empty((len(rows), 6, 4))
    turns[:, :5] = at.rotations[rows[:, None], [leg.hip, leg.knee, *above]]
    turns[:, 5] = feet
    axes = _kernels.hinges(thighs, shanks, np.ascontiguousarray(turns[:, 0]), _STRAIGHT)
    found = _kernels.reach_ankles(thighs, shanks, axes, ankles - hips, turns)
    return found[:, 0], found[:, 1], found[:, 2]
