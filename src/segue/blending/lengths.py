"""Blend lengths as curves: the cost of every length, all lengths of one transition in one pass.

Shapes are strict: a window is (B, K, 4), B moments 1/rate s apart of K joints' local unit quaternions. ``leaving``
begins at the frame left, ``arriving`` ends at the frame arrived at. Costs are squared half angles in radians, one
column a joint; the caller weights the joints. `segue.blending.durations` chooses a length.

`foreseen` predicts the seam of a blend of every length, frame by frame in one pass: the crossfade of each length is
made, at 60 moments a second where the clips have as many, otherwise 30, measured and discarded. L lengths, 1/30 s
apart; M moments of either motion; T moments of a blend and around it; J joints.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from segue.arrays import Bools, Floats, Ints, Positions, Quaternions, frozen
from segue.blending._kernels import warped_costs
from segue.blending.methods import Kind, blend_starts
from segue.maths.easing import ease_out
from segue.maths.quaternions import half_angle, log
from segue.motion.clip import Clip
from segue.motion.contacts import contacts
from segue.motion.feet import foot_points
from segue.motion.resample import sampled
from segue.motion.roles import require
from segue.motion.skeleton import Skeleton


def geodesic_curve(leaving: Quaternions, arriving: Quaternions) -> Floats:
    """Return the cost (B, K) of blends of 1 ... B moments between a frame left and a frame arrived at.

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
    """Return the cost (L, K) of blends of 1 ... L moments around two moments that meet in the middle of the blend.

    Parameters
    ----------
    a, b
        (B, K, 4) windows of both motions, moment by moment.
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
    """Return the cost (B, B) of blending the first b_from moments of one window with the last b_to of the other.

    Both ends of both windows are fixed and the shorter side is resampled by slerp (Wang, eq. V.5 and V.6); the sum is
    divided by the longer length, so that lengths can be compared. Row b_from - 1, column b_to - 1; infinite where one
    side is more than twice the other.
    """
    return warped_costs(np.ascontiguousarray(leaving), np.ascontiguousarray(arriving), weights)


def velocity_length(apart: Floats, leaving_speeds: Floats, arriving_speeds: Floats) -> tuple[int, float]:
    """Find the joint farthest from where it must arrive, and the seconds it needs at the mean of its two speeds.

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


RATE = 30.0  # lengths a second (decision 46)
PRICES = (0.2, 0.5)
"""Metres of sliding equivalent to adding once the largest acceleration, and jerk, of the captured motions."""
_AROUND = 3
"""Moments of either motion before and after a blend that are measured with it: jerk spans four."""


@dataclass(frozen=True, eq=False)
class Foreseen:
    """Curves over lengths of 1 ... L moments.

    Parameters
    ----------
    skate
        (L,) metres that planted heels and toes slide beyond what the captured motions do, the mean of the four.
    acceleration, jerk
        (L,) largest increase of any joint by blending, as a share of the largest in both motions around the point.
    """

    skate: Floats
    acceleration: Floats
    jerk: Floats

    @property
    def price(self) -> Floats:
        """(L,) metres of sliding, plus acceleration and jerk converted to metres (`PRICES`)."""
        return self.skate + PRICES[0] * self.acceleration + PRICES[1] * self.jerk


@dataclass(frozen=True, eq=False)
class _Side:
    """Local rotations (M, J, 4), roots (M, 3), planted heels and toes (M, 4) of a motion, and the row of the point."""

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
    stretches = _stretches(one.row, other.row, kind, count, finer)
    # Time comes last: the compiled pass runs along it.
    seams = np.empty((3, count))
    _kernels.seams_of_lengths(
        (one.turns.transpose(1, 2, 0).copy(), other.turns.transpose(1, 2, 0).copy()),
        (one.roots.T.copy(), other.roots.T.copy()),
        _body(a.skeleton),
        np.array([one.planted.T, other.planted.T], dtype=np.float64),
        stretches,
        _weights(count, finer),
        _AROUND,
        _rooms(a.skeleton.n_joints, span),
        seams,
    )
    return Foreseen(*seams)


def _rooms(joints: int, n: int) -> tuple[Any, ...]:
    """Work buffers of the compiled pass over n moments: allocating memory there takes long to compile."""

    def room(*shape: int) -> Floats:
        return np.empty((*shape, n))

    first, second, blend, around = (room(joints + 4, 3) for _ in range(4))
    turns, rows = (room(joints, 4), room(joints, 4)), (room(), room(), room())
    return (
        (first, second),
        (blend, around),
        *turns,
        room(6, joints),
        room(12),
        room(4),
        room(2),
        room(2),
        rows,
    )


def _finer(clip: Clip) -> int:
    """Moments from one length to the next: coarser ones miss short jerks, finer ones than frames show nothing."""
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
    """Parent joint of each joint, heel and toe (J + 4,), and the offset from it (J + 4, 3)."""
    feet = foot_points(skeleton)
    parents = np.concatenate([skeleton.parents, feet.joints]).astype(np.int64)
    return frozen(parents, np.int64), frozen(np.concatenate([skeleton.offsets, feet.offsets]))


def _lengths(count: int, finer: int) -> range:
    """Number of moments of blends of each length."""
    return range(finer, finer * count + 1, finer)


@lru_cache(maxsize=256)
def _stretches(a_row: int, b_row: int, kind: Kind, count: int, finer: int) -> Ints:
    """First moments of both motions, and number of moments, of the blend of each length (L, 3)."""
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


LAGS = (0.5, 1.6)
"""Seconds that a gait cycle may last: a fast run to a slow walk."""

_SAMPLES = 30.0  # a second of the legs' motion
_REACH = 1.0
_LIKE = 0.3
_STILL = 0.02


def is_periodic(clip: Clip, frame: int) -> bool:
    """Return whether the legs repeat their motion within a second before and after a frame.

    See `unlikeness`: at most 0.3 if the legs repeat their motion of a cycle before.

    Examples
    --------
    >>> import segue
    >>> is_periodic(segue.sample("walk"), 60), is_periodic(segue.sample("stand"), 60)
    (True, False)
    """
    return unlikeness(clip, frame) <= _LIKE


def unlikeness(clip: Clip, frame: int) -> float:
    """Return the least mean squared difference of leg rotations to those one cycle later, over twice their variance.

    0 for legs that repeat their motion, about 1 for legs that do not; 1 for legs that stand still. After half a cycle
    left and right leg have changed roles, so half cycles are compared crosswise: a cycle of more than a second is still
    detected within two.
    """
    found = require(clip.skeleton, "left_hip", "left_knee", "right_hip", "right_knee")
    step = clip.fps / _SAMPLES
    first = max(int(np.ceil((frame - _REACH * clip.fps) / step)), 0)
    last = min(int((frame + _REACH * clip.fps) / step), int((clip.n_frames - 1) / step))
    at: Floats = np.arange(first, last + 1, dtype=np.float64) * step
    q = sampled(clip, at)[0][:, list(found.values())]
    x: Floats = log(q)  # (n, 4, 3): left hip, left knee, right hip, right knee
    x = x[:, :, :1]  # bending forward and back, about the axis from side to side
    x = x - x.mean(axis=0)
    variance = float(np.mean(x**2))
    if variance < _STILL**2 or len(x) < LAGS[0] * _SAMPLES:
        return 1.0
    crossed = x[:, [2, 3, 0, 1]]
    best = 1.0
    for lag in range(round(LAGS[0] / 2 * _SAMPLES), min(round(LAGS[1] / 2 * _SAMPLES), len(x) - 10) + 1):
        difference = float(np.mean((crossed[lag:] - x[:-lag]) ** 2))
        best = min(best, difference / (2 * variance))
    return best
