"""Analytic inverse kinematics of a leg: thigh and shank reach a given ankle, the foot keeps a given orientation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from segue.arrays import Floats, Positions, Quaternions
from segue.maths.quaternions import between, conjugate, from_axis_angle, multiply, rotate
from segue.motion.kinematics import World
from segue.motion.roles import require
from segue.motion.skeleton import Skeleton

_STRAIGHT = 0.05  # of thigh times shank: below this bend the hinge of bent frames says where the knee points
_CLOSE = 1e-9


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
    skeleton: Skeleton, at: World, leg: Leg, *, hips: Positions, ankles: Positions, feet: Quaternions
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

    Returns
    -------
    tuple
        Three arrays (F, 4) of local rotations: hip, knee, ankle.
    """
    hip, knee, ankle = (at.positions[:, joint] for joint in (leg.hip, leg.knee, leg.ankle))
    thigh, shank = knee - hip, ankle - knee
    a, b = np.linalg.norm(thigh, axis=-1), np.linalg.norm(shank, axis=-1)
    wanted = np.clip(np.linalg.norm(ankles - hips, axis=-1), np.abs(a - b) + _CLOSE, a + b - _CLOSE)
    axis = _hinge(thigh, shank, at.rotations[:, leg.hip], a * b)
    bend = np.zeros_like(a)
    for _ in range(3):  # once where the axis is square to both bones; near a straight leg it may not quite be
        bent = rotate(from_axis_angle(axis, bend), shank)
        bend = bend + _knee_angle(a, b, np.linalg.norm(thigh + bent, axis=-1)) - _knee_angle(a, b, wanted)
    turned = from_axis_angle(axis, bend)
    reached = thigh + rotate(turned, shank)
    swing = between(_unit(reached), _unit(ankles - hips))
    parents = skeleton.parents
    above_hip, above_knee, above_ankle = (
        at.rotations[:, parents[joint]] for joint in (leg.hip, leg.knee, leg.ankle)
    )
    return (
        multiply(conjugate(above_hip), multiply(swing, at.rotations[:, leg.hip])),
        multiply(conjugate(above_knee), multiply(turned, at.rotations[:, leg.knee])),
        multiply(conjugate(multiply(swing, multiply(turned, above_ankle))), feet),
    )


def _knee_angle(a: Floats, b: Floats, reach: Floats) -> Floats:
    """Angle (F,) between thigh and shank inside the knee, pi for a straight leg."""
    out: Floats = np.arccos(np.clip((a * a + b * b - reach * reach) / (2 * a * b), -1.0, 1.0))
    return out


def _unit(v: Positions) -> Positions:
    out: Positions = v / np.maximum(np.linalg.norm(v, axis=-1, keepdims=True), _CLOSE)
    return out


def _hinge(thigh: Positions, shank: Positions, turn: Quaternions, size: Floats) -> Positions:
    """Axis (F, 3) about which the knee bends more.

    Square to both bones; a nearly straight leg does not tell, so the mean axis of all frames, fixed to the thigh and
    weighted by the bend, is mixed in.
    """
    square = np.cross(thigh, shank)
    mean = rotate(conjugate(turn), square).sum(axis=0)
    mixed = square + _STRAIGHT * size[:, None] * rotate(turn, _unit(mean))
    return _unit(mixed)
