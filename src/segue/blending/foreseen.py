"""What a blend of every length would show at the seam, foreseen from the motions around it in one pass.

A crossfade of turns is close to one of places, and of places every length can be tried at once: the places of both
motions beside one another, mixed with the weights of each length. Moments are 1/30 s apart; L lengths, T moments.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from segue.arrays import Bools, Floats, Ints, Positions, frozen
from segue.blending.methods import Kind, blend_starts
from segue.maths.easing import ease_out
from segue.motion.clip import Clip
from segue.motion.contacts import contacts
from segue.motion.feet import foot_positions
from segue.motion.kinematics import forward
from segue.motion.resample import sampled
from segue.motion.role_words import LIMB_ROLES
from segue.motion.roles import roles

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
        shaken = self.acceleration + self.jerk
        for _ in range(_EVENED):
            wide = np.concatenate([shaken[:1], shaken, shaken[-1:]])
            shaken = 0.25 * wide[:-2] + 0.5 * wide[1:-1] + 0.25 * wide[2:]
        return self.skate + PRICE * shaken + SHORT / lengths**2


@dataclass(frozen=True, eq=False)
class _Side:
    """Joints (M, J, 3), heels and toes (M, 4, 3), their plants (M, 4) of one motion, and the row of the point."""

    joints: Positions
    feet: Positions
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
    whole = kind == "start_end"
    before = _BEFORE + (0 if whole else count // 2)
    span = count + 2 * _BEFORE + 2
    one = _side(a, a_frame, before, span)
    other = _side(b, b_frame, before if not whole else count + _BEFORE, span)
    lengths = np.arange(1, count + 1)
    starts = np.array([blend_starts(one.row, other.row, length=int(n), kind=kind) for n in lengths])
    moment = np.arange(-_BEFORE, count + _BEFORE)
    weights = _weights(count)
    rows = [np.clip(starts[:, k, None] + moment, 0, len(s.joints) - 1) for k, s in enumerate((one, other))]
    ends = lengths[:, None] + _BEFORE
    inside = moment < ends
    places = _turned(one, other, rows, lengths)
    return _measured(one, other, rows, places, (weights, inside))


def _side(clip: Clip, frame: int, before: int, count: int) -> _Side:
    step = clip.fps / RATE
    at = np.clip(frame + np.arange(-before, count - before) * step, 0, clip.n_frames - 1.0)
    rotations, roots = sampled(clip, at)
    where = forward(clip.skeleton, rotations, roots)
    planted = contacts(clip).flags[np.round(at).astype(np.int64)]
    return _Side(where.positions[:, _looked_at(clip)], foot_positions(clip.skeleton, where), planted, before)


def _looked_at(clip: Clip) -> list[int]:
    """Joints that say how the body moves: the root and those of the limbs."""
    found = roles(clip.skeleton)
    return [0, *(joint for role, joint in found.items() if role.partition("_")[2] in LIMB_ROLES and joint)]


@lru_cache(maxsize=8)
def _weights(count: int) -> Floats:
    """Weights (L, T) of the motion left at every moment."""
    out = np.zeros((count, count + 2 * _BEFORE))
    out[:, :_BEFORE] = 1.0
    for n in range(1, count + 1):
        out[n - 1, _BEFORE : _BEFORE + n] = ease_out(n)
    return frozen(out)


def _turned(one: _Side, other: _Side, rows: list[Ints], lengths: Ints) -> tuple[Floats, Floats, Floats]:
    """Cosine, sine and shift (L, 2) that place the second motion beside the first in the middle of each blend."""
    middle = _BEFORE + np.maximum(lengths // 2 - 1, 0)
    every = np.arange(len(lengths))
    p = one.joints[rows[0][every, middle]][..., [0, 2]]
    q = other.joints[rows[1][every, middle]][..., [0, 2]]
    p_mean, q_mean = p.mean(axis=1), q.mean(axis=1)
    u, v = p - p_mean[:, None], q - q_mean[:, None]
    same = (u * v).sum(axis=(1, 2))
    across = (u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0]).sum(axis=1)
    size = np.maximum(np.hypot(same, across), 1e-12)
    c, s = same / size, across / size
    # A turn by theta about the vertical takes (x, z) to (c x + s z, -s x + c z).
    moved = np.stack([c * q_mean[:, 0] + s * q_mean[:, 1], -s * q_mean[:, 0] + c * q_mean[:, 1]], axis=-1)
    return c, s, p_mean - moved


def _placed(points: Floats, places: tuple[Floats, Floats, Floats]) -> Floats:
    """Points (L, T, K, 3) of the second motion where they are placed for each length."""
    c, s = (value[:, None, None] for value in places[:2])
    x, z = points[..., 0], points[..., 2]
    shift = places[2][:, None, None]
    return np.stack([c * x + s * z + shift[..., 0], points[..., 1], -s * x + c * z + shift[..., 1]], axis=-1)


def _measured(
    one: _Side,
    other: _Side,
    rows: list[Ints],
    places: tuple[Floats, Floats, Floats],
    when: tuple[Floats, Bools],
) -> Foreseen:
    added = _added((one.joints, other.joints), rows, places, when)
    w, inside = when
    feet = _mixed(one.feet[rows[0]], _placed(other.feet[rows[1]], places), w)
    speed = np.linalg.norm(np.diff(feet[..., [0, 2]], axis=1), axis=-1)
    left = w[:, 1:, None] >= 0.5
    planted, usual = (
        np.where(left, x[0][rows[0][:, 1:]], x[1][rows[1][:, 1:]])
        for x in ((one.planted, other.planted), (_steps(one.feet), _steps(other.feet)))
    )
    slid = np.where(planted & inside[:, 1:, None], np.maximum(speed - usual, 0.0), 0.0)
    return Foreseen(slid.sum(axis=1).mean(axis=1), *added)


def _added(
    joints: tuple[Positions, Positions],
    rows: list[Ints],
    places: tuple[Floats, Floats, Floats],
    when: tuple[Floats, Bools],
) -> tuple[Floats, Floats]:
    """Acceleration and jerk (L,) beyond those of both motions mixed with the same weights, in shares of the largest."""
    w, inside = when
    made = _mixed(joints[0][rows[0]], _placed(joints[1][rows[1]], places), w)
    own = list(joints)
    made, own = np.diff(made, axis=1), [np.diff(side, axis=0) for side in own]
    out = []
    for order in (2, 3):
        made, own = np.diff(made, axis=1), [np.diff(side, axis=0) for side in own]
        size = [_size(side) for side in own]
        at = [np.clip(r[:, :-order], 0, len(s) - 1) for r, s in zip(rows, size, strict=True)]
        share = w[:, order - 1 : -1, None]
        usual = share * size[0][at[0]] + (1.0 - share) * size[1][at[1]]
        more = (_size(made) - usual).max(axis=-1)
        most = max(float(s.max(initial=0.0)) for s in size)
        out.append(np.where(inside[:, order:], more, 0.0).max(axis=1).clip(0.0) / max(most, 1e-9))
    return out[0], out[1]


def _size(vectors: Floats) -> Floats:
    out: Floats = np.sqrt(np.einsum("...i,...i", vectors, vectors))
    return out


def _mixed(p: Floats, q: Floats, w: Floats) -> Floats:
    """Points of both motions (L, T, K, 3) mixed by weights (L, T) of the first."""
    out: Floats = q + w[..., None, None] * (p - q)
    return out


def _steps(feet: Positions) -> Floats:
    """Ground steps (M, 4) of heels and toes from the moment before."""
    step = np.linalg.norm(np.diff(feet[..., [0, 2]], axis=0), axis=-1)
    return np.concatenate([step[:1], step])
