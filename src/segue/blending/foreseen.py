"""What a blend of every length would show at the seam, foreseen from the motions around it in one pass.

A crossfade of turns is close to one of places, and of places every length can be tried at once: the places of both
motions beside one another, mixed with the weights of each length. Moments are 1/30 s apart; L lengths, T moments.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from segue.arrays import Bools, Floats, Positions, frozen
from segue.blending.methods import Kind, blend_starts
from segue.maths.easing import ease_out
from segue.motion.clip import Clip
from segue.motion.contacts import contacts
from segue.motion.feet import foot_positions
from segue.motion.kinematics import forward
from segue.motion.resample import sampled
from segue.motion.role_words import LIMB_ROLES
from segue.motion.roles import roles
from segue.motion.skeleton import Skeleton

RATE = 30.0
PRICE = 0.1
"""Metres of sliding that are as bad as adding the largest acceleration, or jerk, of the captured motions once more."""
SHORT = 1.0 / 900.0
"""Square seconds times metres: what moments 1/30 s apart cannot see of a short blend grows with its inverse square."""
_EVENED = 5
_BEFORE = 3
"""Moments of either motion before and after a blend that are looked at with it: jerk spans four."""


@dataclass(frozen=True, eq=False)
class Foreseen:
    """Curves over lengths of 1 ... L moments.

    Parameters
    ----------
    skate
        (L,) metres that planted heels and toes slide beyond what the captured motions do, the mean of the four.
    acceleration, jerk
        (L,) what blending adds to any joint's, in shares of the largest in both motions around the point.
    """

    skate: Floats
    acceleration: Floats
    jerk: Floats

    @property
    def price(self) -> Floats:
        """(L,) metres of sliding, and acceleration and jerk in as many metres as they are worth (`PRICE`, `SHORT`).

        Neighbouring lengths are evened out first: single peaks of accelerations say little.
        """
        lengths = np.arange(1, len(self.skate) + 1) / RATE
        shaken = _evening(len(lengths)) @ (self.acceleration + self.jerk)
        return self.skate + PRICE * shaken + SHORT / lengths**2


@dataclass(frozen=True, eq=False)
class _Side:
    """Joints, then heels and toes (M, J + 4, 3), and their plants (M, 4) of one motion, and the row of the point."""

    places: Positions
    planted: Bools
    row: int


def foreseen(a: Clip, b: Clip, *, a_frame: int, b_frame: int, kind: Kind, count: int) -> Foreseen:
    """Foresee the seam of crossfades of 1 ... ``count`` moments.

    Parameters
    ----------
    a, b
        The motion left and the motion arrived in, on one skeleton.
    a_frame, b_frame, kind
        The transition point.
    count
        Longest length, in moments of 1/30 s.
    """
    from segue.blending import _kernels

    whole = kind == "start_end"
    before = _BEFORE + (0 if whole else count // 2)
    span = count + 2 * _BEFORE + 2
    one = _side(a, a_frame, before, span)
    other = _side(b, b_frame, before if not whole else count + _BEFORE, span)
    starts = np.array([blend_starts(one.row, other.row, length=n, kind=kind) for n in range(1, count + 1)])
    planted = np.stack([one.planted, other.planted])
    return Foreseen(
        *_kernels.seams_of_lengths(one.places, other.places, planted, starts, _weights(count), _BEFORE)
    )


def _side(clip: Clip, frame: int, before: int, count: int) -> _Side:
    step = clip.fps / RATE
    at = np.clip(frame + np.arange(-before, count - before) * step, 0, clip.n_frames - 1.0)
    rotations, roots = sampled(clip, at)
    where = forward(clip.skeleton, rotations, roots)
    planted = contacts(clip).flags[np.round(at).astype(np.int64)]
    feet = foot_positions(clip.skeleton, where)
    return _Side(
        np.concatenate([where.positions[:, _looked_at(clip.skeleton)], feet], axis=1), planted, before
    )


@lru_cache(maxsize=256)
def _looked_at(skeleton: Skeleton) -> list[int]:
    """Joints that say how the body moves: the root and those of the limbs."""
    found = roles(skeleton)
    return [0, *(joint for role, joint in found.items() if role.partition("_")[2] in LIMB_ROLES and joint)]


@lru_cache(maxsize=32)
def _evening(count: int) -> Floats:
    """Matrix (L, L) of short means taken in turn; beyond either end stands the last value."""
    out = np.eye(count)
    for _ in range(_EVENED):
        wide = np.concatenate([out[:1], out, out[-1:]])
        out = 0.25 * wide[:-2] + 0.5 * wide[1:-1] + 0.25 * wide[2:]
    return frozen(out)


@lru_cache(maxsize=32)
def _weights(count: int) -> Floats:
    """Weights (L, T) of the motion left at every moment."""
    out = np.zeros((count, count + 2 * _BEFORE))
    out[:, :_BEFORE] = 1.0
    for n in range(1, count + 1):
        out[n - 1, _BEFORE : _BEFORE + n] = ease_out(n)
    return frozen(out)
