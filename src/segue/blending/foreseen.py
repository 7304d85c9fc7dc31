"""What a blend of every length would show at the seam, foreseen frame by frame in one pass.

The crossfade of each length is made, 60 moments a second where the clips have as many, else 30, and measured; nothing
of it is kept. L lengths, 1/30 s apart; M moments of either motion; T moments of a blend and around it; J joints.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from segue.arrays import Bools, Floats, Ints, Positions, Quaternions, frozen
from segue.blending.methods import Kind, blend_starts
from segue.maths.easing import ease_out
from segue.motion.clip import Clip
from segue.motion.contacts import contacts
from segue.motion.feet import foot_points
from segue.motion.resample import sampled
from segue.motion.skeleton import Skeleton

RATE = 30.0  # lengths a second (decision 46)
PRICES = (0.2, 0.5)
"""Metres of sliding that are as bad as adding the largest acceleration, and jerk, of the captured motions once more."""
_AROUND = 3
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
        """(L,) metres of sliding, and acceleration and jerk in as many metres as they are worth (`PRICES`)."""
        return self.skate + PRICES[0] * self.acceleration + PRICES[1] * self.jerk


@dataclass(frozen=True, eq=False)
class _Side:
    """Local turns (M, J, 4), roots (M, 3) and planted heels and toes (M, 4) of one motion, and the row of the point."""

    turns: Quaternions
    roots: Positions
    planted: Bools
    row: int


def foreseen(a: Clip, b: Clip, *, a_frame: int, b_frame: int, kind: Kind, count: int) -> Foreseen:
    """Foresee the seam of crossfades of 1/30 s, 2/30 s ... ``count``/30 s.

    Parameters
    ----------
    a, b
        The motion left and the motion arrived in, on one skeleton.
    a_frame, b_frame, kind
        The transition point.
    count
        Longest length, in thirtieths of a second.
    """
    from segue.blending import _kernels

    finer = _finer(a)
    longest = finer * count
    before = _AROUND + (0 if kind == "start_end" else longest // 2)
    span = longest + 2 * _AROUND + 2
    one = _side(a, a_frame, before, span)
    other = _side(b, b_frame, before if kind != "start_end" else longest + _AROUND, span)
    stretches = _stretches(one.row, other.row, kind, count, finer).copy()
    parents, offsets = _body(a.skeleton)
    # Time comes last: the compiled pass runs along it.
    turns = np.empty((2, *one.turns.shape[1:], span))
    roots, planted = np.empty((2, 3, span)), np.empty((2, 4, span), dtype=bool)
    for k, side in enumerate((one, other)):
        turns[k], roots[k], planted[k] = side.turns.transpose(1, 2, 0), side.roots.T, side.planted.T
    return Foreseen(
        *_kernels.seams_of_lengths(
            turns, roots, parents, offsets, planted, stretches, _weights(count, finer), _AROUND
        )
    )


def _finer(clip: Clip) -> int:
    """Moments from one length to the next: coarse ones miss short jerks, and between frames there is nothing to see."""
    return 2 if clip.fps > 1.5 * RATE else 1  # sixty moments a second (decision 96)


def _side(clip: Clip, frame: int, before: int, count: int) -> _Side:
    step = clip.fps / (_finer(clip) * RATE)
    at = frame + np.arange(-before, count - before) * step
    at = np.minimum(np.maximum(at, 0.0), clip.n_frames - 1.0)
    rotations, roots = sampled(clip, at)
    planted = contacts(clip).flags[np.rint(at).astype(np.int64)]
    return _Side(rotations, roots, planted, before)


@lru_cache(maxsize=256)
def _body(skeleton: Skeleton) -> tuple[Ints, Floats]:
    """Joint above each joint, heel and toe (J + 4,), and where on it (J + 4, 3)."""
    feet = foot_points(skeleton)
    parents = np.concatenate([skeleton.parents, feet.joints]).astype(np.int64)
    return frozen(parents, np.int64), frozen(np.concatenate([skeleton.offsets, feet.offsets]))


def _lengths(count: int, finer: int) -> range:
    """Moments that blends of each length last."""
    return range(finer, finer * count + 1, finer)


@lru_cache(maxsize=256)
def _stretches(a_row: int, b_row: int, kind: Kind, count: int, finer: int) -> Ints:
    """First moments of both motions, and how many, of the blend of each length (L, 3)."""
    rows = [(*blend_starts(a_row, b_row, length=n, kind=kind), n) for n in _lengths(count, finer)]
    return frozen(rows, np.int64)


@lru_cache(maxsize=32)
def _weights(count: int, finer: int) -> Floats:
    """Weights (L, T) of the motion left at every moment."""
    out = np.zeros((count, finer * count + 2 * _AROUND))
    out[:, :_AROUND] = 1.0
    for row, n in zip(out, _lengths(count, finer), strict=True):
        row[_AROUND : _AROUND + n] = ease_out(n)
    return frozen(out)
