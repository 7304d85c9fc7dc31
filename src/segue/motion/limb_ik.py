"""Analytic inverse kinematics of a leg: thigh and shank reach a given ankle, the foot keeps a given orientation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from segue.arrays import Floats, Ints, Positions, Quaternions, frozen
from segue.maths.rows import conjugate, cross, dot, length, multiply, rotate
from segue.motion.kinematics import World
from segue.motion.roles import require
from segue.motion.skeleton import Skeleton

_STRAIGHT = 0.05  # of thigh times shank: below this bend the hinge of bent frames says where the knee points
_TINY = 1e-12  # square metres: bones whose product is less bend nowhere
_ROUNDING = 1e-9  # square metres: a straight leg's bones span less


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
    bones, whole = _joints(skeleton, tuple(legs))
    first = rows * skeleton.n_joints
    places = at.positions.reshape(-1, 3).take(first + bones, 0).transpose(3, 0, 1, 2).copy()
    goals = (ankles - hips).transpose(2, 0, 1).copy()
    # Hips, knees, ankles; what is above ankles, hips and knees; room for what is above ankles once knees are bent.
    turns = at.rotations.reshape(-1, 4).take(first + whole, 0).transpose(3, 0, 1, 2).copy()
    turns[:, 2] = feet.transpose(2, 0, 1)
    by = np.empty((4, 4, *goals.shape[1:]))
    reached = _bent(places[:, 1:] - places[:, :-1], turns[:, 0], goals, by[:, 1])
    _swung(reached, goals, by[:, 0])
    # A foot is as a leg sees it that has not swung.
    by[:, 2], by[:, 3] = conjugate(by[:, 0]), by[:, 1]
    turned = multiply(by, turns[:, :4])
    turns[:, 6] = turned[:, 3]
    local = multiply(conjugate(turns[:, 4:]), turned[:, :3])
    return local.transpose(2, 3, 1, 0).copy()


@lru_cache(maxsize=256)
def _joints(skeleton: Skeleton, legs: tuple[Leg, ...]) -> tuple[Ints, Ints]:
    """Hips, knees and ankles (3, L, 1) of legs, and these, what is above ankles, hips, knees and ankles (7, L, 1)."""
    joints = np.array([[leg.hip, leg.knee, leg.ankle] for leg in legs]).T[..., None]
    above = skeleton.parents[joints]
    return frozen(joints, np.int64), frozen(np.concatenate([joints, above[[2, 0, 1, 2]]]), np.int64)


def _hinges(bones: Positions, squares: Floats, hip_turns: Quaternions) -> Positions:
    """Axes (3, L, F) about which a knee bends more: square to both bones, with the mean axis of all frames mixed in.

    Thighs and shanks are (3, 2, L, F), their squared lengths (2, L, F). The mean is fixed to the thigh, whose world
    rotations are (4, L, F), and weighted by the bend. A leg that is straight throughout has none, and does not bend.
    """
    square = cross(bones[:, 0], bones[:, 1])
    mean = np.add.reduce(rotate(conjugate(hip_turns), square), axis=-1, keepdims=True)
    mean /= _long(mean)
    share = _STRAIGHT * np.sqrt(squares[0] * squares[1])
    axes: Positions = square + share * rotate(hip_turns, mean)
    axes /= _long(axes)
    return axes


def _long(vectors: Positions) -> Floats:
    """Lengths of vectors; infinite where they are rounding and no direction: divided by it nothing is left of them."""
    sizes = length(vectors)
    sizes[sizes < _ROUNDING] = np.inf
    return sizes


def _bent(bones: Positions, hip_turns: Quaternions, goals: Positions, turn: Quaternions) -> Positions:
    """Fill turns (4, L, F) of shanks about their hinges after which a leg is as long as asked; where it then ends.

    A shank s turned about an axis by an angle b is ``aside + cos(b) out + sin(b) across``: what lies along the axis,
    what is square to it, and the axis times s. With a thigh t the squared length of the leg is ``t.t + s.s + 2 t.aside
    + 2 (t.out cos(b) + t.across sin(b))``, the most at the straightest knee; of the two bends that give the length
    wanted it is the one from there on with the axis. Where none does, the nearest length is taken.
    """
    thighs, shanks = bones[:, 0], bones[:, 1]
    squares = dot(bones, bones)
    axes = _hinges(bones, squares, hip_turns)
    across = cross(axes, shanks)
    out = cross(across, axes)
    aside = shanks - out
    level, side = dot(thighs, out), dot(thighs, across)
    wanted = 0.5 * (dot(goals, goals) - squares[0] - squares[1]) - dot(thighs, aside)
    most = np.sqrt(level * level + side * side)
    wanted = np.minimum(np.maximum(wanted, -most), most)
    rest = np.sqrt((most - wanted) * (most + wanted))
    square = np.maximum(most * most, _TINY * _TINY)
    cos, sin = (level * wanted - side * rest) / square, (side * wanted + level * rest) / square
    if most.min(initial=1.0) <= _TINY:
        stiff = most <= _TINY
        cos[stiff], sin[stiff] = 1.0, 0.0
    # Half the angle, by whichever formula does not divide what is left of a difference.
    half = np.array([1.0 + cos, sin])
    if cos.min(initial=1.0) < 0.0:
        half = np.where(cos < 0, [np.abs(sin), np.copysign(1.0 - cos, sin)], half)
    half /= length(half)
    turn[0] = half[0]
    np.multiply(half[1], axes, out=turn[1:])
    reached: Positions = thighs + aside + cos * out + sin * across
    return reached


def _swung(a: Positions, b: Positions, turn: Quaternions) -> None:
    """Fill turns (4, L, F) the shortest way from directions (3, L, F) to others; none where one has no length."""
    size = np.sqrt(dot(a, a) * dot(b, b))
    turn[0], turn[1:] = size + dot(a, b), cross(a, b)
    opposite = turn[0] < 1e-9 * size
    if opposite.any():  # about an axis square to a that is fixed by its smallest component
        away = np.eye(3)[:, np.argmin(np.abs(a[:, opposite]), axis=0)]
        turn[0, opposite] = 0.0
        turn[1:, opposite] = cross(a[:, opposite], away)
    long = length(turn)
    if not long.all():
        turn[0, long == 0] = long[long == 0] = 1.0
    turn /= long
