"""Analytic inverse kinematics of a leg: thigh and shank reach a given ankle, the foot keeps a given orientation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from segue.arrays import Floats, Ints, Positions, Quaternions
from segue.maths.rows import conjugate, cross, dot, multiply, rotate
from segue.motion.kinematics import World
from segue.motion.roles import require
from segue.motion.skeleton import Skeleton

_STRAIGHT = 0.05  # of thigh times shank: below this bend the hinge of bent frames says where the knee points
_TINY = 1e-12  # square metres: bones whose product is less bend nowhere


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
    """Local rotations (L, F, 3, 4) of hips, knees and ankles of L legs at once, each as `reach_ankle` does it.

    ``hips`` and ``ankles`` are (L, F, 3), ``feet`` (L, F, 4). All frames are worked on together, in rows
    (`segue.maths.rows`): vectors (3, L, F) and turns (4, L, F), several of them (4, K, L, F).
    """
    rows = np.arange(len(at.positions)) if rows is None else rows
    joints = np.array([[leg.hip, leg.knee, leg.ankle] for leg in legs]).T[..., None]
    above = skeleton.parents[joints]
    places = at.positions[rows, joints].transpose(3, 0, 1, 2).copy()
    thighs, shanks = (places[:, 1:] - places[:, :-1]).swapaxes(0, 1)
    ways = (ankles - hips).transpose(2, 0, 1).copy()
    turns = at.rotations[rows, np.concatenate([joints[:2], above[[2, 0, 1]]])].transpose(3, 0, 1, 2).copy()
    bend, reached = _bent(thighs, shanks, _hinges(thighs, shanks, turns[:, 0]), ways)
    swing = _shortest(reached, ways)
    # Hip, knee, the foot as seen by a leg that has not swung, and what is above the ankle.
    turned = multiply(
        np.stack([swing, bend, conjugate(swing), bend], axis=1),
        np.stack([turns[:, 0], turns[:, 1], feet.transpose(2, 0, 1), turns[:, 2]], axis=1),
    )
    local = multiply(conjugate(np.concatenate([turns[:, 3:], turned[:, 3:]], axis=1)), turned[:, :3])
    return local.transpose(2, 3, 1, 0).copy()


def _hinges(thighs: Positions, shanks: Positions, hip_turns: Quaternions) -> Positions:
    """Axes (3, L, F) about which a knee bends more: square to both bones, with the mean axis of all frames mixed in.

    The mean is fixed to the thigh, whose world rotations are (4, L, F), and weighted by the bend.
    """
    square = cross(thighs, shanks)
    mean = rotate(conjugate(hip_turns), square).sum(axis=-1, keepdims=True)
    mean /= np.maximum(np.sqrt(dot(mean, mean)), 1e-9)
    share = _STRAIGHT * np.sqrt(dot(thighs, thighs) * dot(shanks, shanks))
    axes = square + share * rotate(hip_turns, mean)
    return axes / np.maximum(np.sqrt(dot(axes, axes)), 1e-9)


def _bent(
    thighs: Positions, shanks: Positions, axes: Positions, ways: Positions
) -> tuple[Quaternions, Positions]:
    """Turns (4, L, F) of shanks about their axes after which a leg is as long as its way, and where it then ends.

    A shank s turned about an axis by an angle b is ``aside + cos(b) out + sin(b) across``: what lies along the axis,
    what is square to it, and the axis times s. With a thigh t the squared length of the leg is ``t.t + s.s + 2 t.aside
    + 2 (t.out cos(b) + t.across sin(b))``, the most at the straightest knee; of the two bends that give the length
    wanted it is the one from there on with the axis. Where none does, the nearest length is taken.
    """
    across = cross(axes, shanks)
    out = cross(across, axes)
    aside = shanks - out
    level, side = dot(thighs, out), dot(thighs, across)
    wanted = 0.5 * (dot(ways, ways) - dot(thighs, thighs) - dot(shanks, shanks)) - dot(thighs, aside)
    most = np.sqrt(level * level + side * side)
    wanted = np.minimum(np.maximum(wanted, -most), most)
    rest = np.sqrt((most - wanted) * (most + wanted))
    free, square = most > _TINY, np.maximum(most * most, _TINY * _TINY)
    cosine = np.where(free, (level * wanted - side * rest) / square, 1.0)
    sine = np.where(free, (side * wanted + level * rest) / square, 0.0)
    # Half the angle, by whichever formula does not divide what is left of a difference.
    half = np.where(cosine < 0, [np.abs(sine), np.copysign(1.0 - cosine, sine)], [1.0 + cosine, sine])
    half /= np.sqrt(half[0] * half[0] + half[1] * half[1])
    return np.array([half[0], *(half[1] * axes)]), thighs + aside + cosine * out + sine * across


def _shortest(a: Positions, b: Positions) -> Quaternions:
    """Turns (4, L, F) the shortest way from directions (3, L, F) to others; none where one of them has no length."""
    size = np.sqrt(dot(a, a) * dot(b, b))
    turn = np.array([size + dot(a, b), *cross(a, b)])
    opposite = turn[0] < 1e-9 * size
    if opposite.any():  # about an axis square to a that is fixed by its smallest component
        away = np.eye(3)[:, np.argmin(np.abs(a[:, opposite]), axis=0)]
        turn[0, opposite] = 0.0
        turn[1:, opposite] = cross(a[:, opposite], away)
    long = np.sqrt((turn * turn).sum(axis=0))
    turn[0, long == 0] = long[long == 0] = 1.0
    out: Quaternions = turn / long
    return out
