"""Rate a seam by one number, so that places and lengths of one transition can be compared.

The price of a transition is the sum of shares of limits, with feet as blended: the correction that they still need is
included.

- *seam*, *mismatch*, *pace*: as `segue.synthesis.transition_check` measures them; at least 0,
- *slip*: metres that planted feet slide beyond the sources, over 4 cm, because feet are still to be held,
- *knees*: how much harder a knee bends than in both sources, over what is allowed beyond them,
- *root*: the largest difference of the root's ground speed from the mean of its speeds in both sources, weighted as the
  blend weights them, in units of 0.5 m/s.

The largest share alone would ignore all others; the sum counts each. `SeamPricer.foreseen` computes it without seam and
knees, from moments a thirtieth of a second apart and without making a frame, a hundred times faster.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from segue.arrays import Floats, Ints, Positions
from segue.maths.easing import ease_out
from segue.measures.smoothness import bend_motion, bends_at
from segue.motion.clip import Clip
from segue.motion.contacts import contacts
from segue.motion.feet import foot_positions
from segue.motion.kinematics import world
from segue.settings import SeamSettings
from segue.synthesis.checks import MISMATCH, SLIP
from segue.synthesis.feet.softening import KNEES
from segue.synthesis.joins import JOIN_MARGIN, JoinArrays, moved_points
from segue.synthesis.transition_check import WORTH, TransitionChecker

SLIDES = 2.0 * SLIP
"""Metres of sliding, before feet are held, that count as one limit."""
ROOT = 0.5
"""Metres a second: deviation of an adult's root from the speed of its sources that counts as one limit."""
_RATE = 30.0  # moments a second at which a seam is foreseen
_POSES = 6  # moments of a blend whose poses are compared to foresee it
_PARTS = 4  # heels and toes, which precede the root among the foreseen points
_AT_ONCE = 64  # joins made in one batch, as in the checks
_FORESEEN_AT_ONCE = 1024


class SeamPricer(TransitionChecker):
    """Check transitions as `TransitionChecker` does, and compute their prices.

    Parameters
    ----------
    clips
        On one skeleton at one rate.
    settings
        As `TransitionChecker` takes them.
    """

    def __init__(self, clips: Sequence[Clip], seams: SeamSettings, *, worth: float = WORTH) -> None:
        super().__init__(clips, seams, worth=worth)
        total = len(self.frames.roots)
        self._ground = np.zeros((total, (_PARTS if self.legs else 0) + 1, 2))
        self._planted = np.zeros((total, _PARTS), dtype=bool)

    def _get_to_know(self, number: int) -> None:
        super()._get_to_know(number)
        clip = self.frames.clips[number]
        rows = slice(*self.frames.starts[number : number + 2])
        self._ground[rows, -1] = clip.root_positions[:, [0, 2]]
        if self.legs:
            self._ground[rows, :-1] = foot_positions(self.skeleton, world(clip))[:, :, [0, 2]]
            self._planted[rows] = contacts(clip).flags

    def price(self, joins: JoinArrays) -> Floats:
        """Return the price (P,) of joins whose blends fit into their clips; their frames are made."""
        return self._in_parts(joins, self._price, _AT_ONCE)

    def foreseen(self, joins: JoinArrays) -> Floats:
        """Return the price (P,) of joins without seam and knees, from a few moments of each; no frames are made."""
        return self._in_parts(joins, self._foreseen, _FORESEEN_AT_ONCE)

    def _in_parts(self, joins: JoinArrays, of: Callable[[JoinArrays], Floats], most: int) -> Floats:
        """Apply ``of`` to joins of one length, at most ``most`` in a batch: numbers (P,)."""
        self._learn(joins)
        out = np.empty(len(joins))
        for rows, alike in joins.alike():
            for start in range(0, len(rows), most):
                part = np.arange(start, min(start + most, len(rows)))
                out[rows[part]] = of(alike.take(part))
        return out

    def _price(self, joins: JoinArrays) -> Floats:
        made = self.frames.around(joins, self.blend)
        at, _, used = self._seams(joins, *made)
        out: Floats = used.max(axis=1).clip(min=0.0) + self._mismatch(joins) / MISMATCH + self._pace(joins)
        out += self._root(joins, made[1][:, :, [0, 2]])
        if self.legs:
            out += self._slips(joins, at).max(axis=1) / (SLIDES * self.size)
            out += ((self._bent(joins, at.positions) - 1.0) / (KNEES - 1.0)).clip(min=0.0)
        return out

    def _root(self, joins: JoinArrays, roots: Floats) -> Floats:
        """Share (P,) by which the ground speed of roots at (P, n + 4, 2) differs from that of their sources."""
        n = joins.length
        moved = [self._ground[self._rows(joins, side, JOIN_MARGIN)[0], -1] for side in (0, 1)]
        made, *own = (np.linalg.norm(np.diff(at, axis=1), axis=-1) * self.fps for at in (roots, *moved))
        weights = np.concatenate([np.ones(JOIN_MARGIN - 1), ease_out(n), np.zeros(JOIN_MARGIN)])
        usual = weights * own[0] + (1.0 - weights) * own[1]
        inner = slice(JOIN_MARGIN - 1, JOIN_MARGIN + n)
        out: Floats = np.abs(made - usual)[:, inner].max(axis=1) / (ROOT * self.size)
        return out

    def _bent(self, joins: JoinArrays, positions: Positions) -> Floats:
        """Hardest bend (P,) of a knee in made frames over the hardest in both sources near the join."""
        usual = np.maximum(*(self._knees[1, rows] for rows in self._meeting(joins)))
        made = bend_motion(bends_at(self.skeleton, positions), self.fps)[1].max(axis=1)
        out: Floats = (made / usual).max(axis=1)
        return out

    def _foreseen(self, joins: JoinArrays) -> Floats:
        n, margin = joins.length, JOIN_MARGIN
        count = max(round((n + 2 * margin) * _RATE / self.fps), 3)
        some = np.unique(np.rint(np.linspace(0, n + 2 * margin - 1, count)).astype(np.int64))
        weights = np.concatenate([np.ones(margin), ease_out(n), np.zeros(margin)])[some]
        (a, in_a), (b, in_b) = (
            (rows[:, some], inside[:, some])
            for rows, inside in (self._rows(joins, side, margin) for side in (0, 1))
        )
        sides = self._ground[a], _on_ground(self._ground[b], joins.alignment)
        share = weights[:, None, None]
        made = _steps(share * sides[0] + (1.0 - share) * sides[1])
        own = [_steps(side) for side in sides]
        seconds = np.diff(some) / self.fps
        usual = weights[1:] * own[0][..., -1] + (1.0 - weights[1:]) * own[1][..., -1]
        out: Floats = (np.abs(made[..., -1] - usual) / seconds).max(axis=1) / (ROOT * self.size)
        out = out + self._mismatch(joins, most=_POSES) / MISMATCH + self._pace(joins)
        if self.legs:
            left = weights >= 0.5
            planted = np.where(
                left[:, None],
                self._planted[a] & in_a[..., None],
                self._planted[b] & in_b[..., None],
            )
            source = np.where(left[1:, None], own[0][..., :-1], own[1][..., :-1])
            both = planted[:, 1:] & planted[:, :-1]
            slid = np.where(both, made[..., :-1] - source, 0.0).sum(axis=1).max(axis=1)
            out = out + slid.clip(min=0.0) / (SLIDES * self.size)
        return out

    def roughly_aligned(self, joins: JoinArrays) -> Floats:
        """Return turn, x, z (P, 3) that fit B's joints to A's at three moments where both motions meet."""
        self._learn(joins)
        middle = np.maximum(joins.each // 2 - 1, 0)
        moments = np.array([-1, 0, 1]) * max(round(0.1 * self.fps), 1)
        a, b = (
            self._positions[self._near(clip, start + middle, moments)][..., [0, 2]].reshape(len(joins), -1, 2)
            for clip, start in ((joins.a_clip, joins.a_start), (joins.b_clip, joins.b_start))
        )
        means = a.mean(axis=1), b.mean(axis=1)
        one, other = a - means[0][:, None], b - means[1][:, None]
        same = (one * other).sum(axis=(1, 2))
        cross = (one[..., 0] * other[..., 1] - one[..., 1] * other[..., 0]).sum(axis=1)
        out = np.zeros((len(joins), 3))
        out[:, 0] = np.arctan2(cross, same)
        out[:, 1:] = means[0] - _on_ground(means[1][:, None], out)[:, 0]
        return out

    def _near(self, clip: Ints, frame: Ints, moments: Ints) -> Ints:
        """Rows (P, M) of moments around a frame of each clip, clamped to it."""
        last = self.frames.counts[clip][:, None] - 1
        out: Ints = self.frames.starts[clip][:, None] + np.clip(frame[:, None] + moments, 0, last)
        return out


def _on_ground(points: Floats, alignment: Floats) -> Floats:
    """Places (P, ..., 2) on the ground, each of P sets moved by turn, x, z (P, 3)."""
    at = np.zeros((*points.shape[:-1], 3))
    at[..., [0, 2]] = points
    return moved_points(at, alignment)[..., [0, 2]]


def _steps(places: Floats) -> Floats:
    """Metres (P, T - 1, K) between successive places (P, T, K, 2)."""
    out: Floats = np.linalg.norm(np.diff(places, axis=1), axis=-1)
    return out
