"""Check finished transitions before a graph admits them.

Every candidate is rendered and six quantities are measured, each as a share of its limit:

- *seam*: how much faster a joint turns or accelerates than in the sources (`segue.measures.seams`),
- *mismatch*: how far the made pose is from both motions where they are blended, in frames of motion: the distance that
  the body covers in that many frames of a thirtieth of a second,
- *pace*: change of the body's ground velocity from the motion left to the motion entered, in m/s^2, relative to its
  changes in the sources and to what a person can do: a run does not stop within a third of a second,
- *slip*: how far feet that stand in the sources slide, beyond what they slide there,
- *standing*: the same for feet that stand before and after the blend for longer than they may be moved,
- *creep*: how far a treated plant goes from its mean place within the blend, beyond its limit.

Where feet slip they are held as in the finished motion (`segue.synthesis.feet.seams`), and slip is measured with them.
Knees are checked as there, wherever feet may be moved (`segue.synthesis.feet.softening`). The seam is measured with
feet held and as blended: a finished motion lets feet go where holding them shows between other seams. A share of 1 is
just within the limit; the quality of a transition is one over its largest share.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from segue.arrays import Bools, Floats, Ints, Positions, Quaternions
from segue.maths.easing import ease_out
from segue.maths.planar import turned
from segue.measures.seams import acceleration_ratios, accelerations, angular_speeds, excess, source_peaks
from segue.measures.smoothness import bend_motion, bends_of, knee_peaks
from segue.motion.clip import Clip
from segue.motion.feet import foot_positions, leg_length
from segue.motion.flags import column_runs
from segue.motion.kinematics import World, forward, world
from segue.motion.roles import NEEDED, roles
from segue.settings import DEFAULTS, SeamSettings
from segue.synthesis.checks import MISMATCH, PACE, Checks, ground_paces, mean_speeds
from segue.synthesis.feet.legs import legs_alone
from segue.synthesis.feet.levels import REACH
from segue.synthesis.feet.softening import knee_shares, knees_of, limits_of
from segue.synthesis.feet.steps import PLANTED, farthest, ground_steps, kept_motion, mixed
from segue.synthesis.feet.stretches import Stretches, settle_stretches
from segue.synthesis.joins import JOIN_MARGIN, JoinArrays, JoinFrames, moved_points

_RATE = 30.0  # a second: rate of the frames in which a mismatch is given
WORTH = 4.0
"""Share beyond which a join is rejected without measuring it with feet held."""
_ADULT = 0.85  # metres: leg length for which limits in metres hold; for other bodies they are scaled
_SLOWEST = 0.1  # m/s: lower bound of a body's speed in a mismatch, because breathing gives no usable scale
_CHUNK = 64  # joins made in one batch: large enough for numpy, small enough for the cache
_MOMENTS = 12  # frames of a blend sampled for a rough mismatch
_MANY = 1024  # joins measured in one batch where only their mismatch is computed
_CONTEXT = 0.5  # seconds of either motion around a blend that treating feet needs
_SPARE = 0.97  # of the knee limits of a finished motion, where a foot just over its limit is let go instead
_APART = 0.95  # seconds between joins made in one motion: longer than two foot corrections take to fade
_STILL = 0.004  # metres of slip up to which nothing is held
_FARTHEST = 0.12  # metres of slip up to which feet are held; a foot that slides farther has no single place

_Frames: TypeAlias = tuple[Quaternions, Positions]


def check_joins(clips: Sequence[Clip], joins: JoinArrays, *, worth: float = WORTH, **seams: Any) -> Checks:
    """Make and measure joins in one call; ``seams`` are the fields of `segue.settings.SeamSettings`."""
    return TransitionChecker(clips, SeamSettings(**seams), worth=worth).check(joins)


class TransitionChecker:
    """Make and measure joins between some clips; reference data of a clip are computed when a join first uses it.

    Parameters
    ----------
    clips
        On one skeleton at one rate.
    seams
        How joins are made, limits of a seam, and how feet are treated in the finished motion.
    worth
        Feet are not held where seam, mismatch or pace already uses a larger share: the join is rejected either way.
    """

    def __init__(
        self,
        clips: Sequence[Clip],
        seams: SeamSettings,
        *,
        worth: float = WORTH,
    ) -> None:
        self.frames = JoinFrames(clips)
        self.skeleton, self.fps = clips[0].skeleton, clips[0].fps
        self.blend, self.bounds, self.feet = seams.blend, seams.bounds, seams.feet
        self.creep = seams.creep
        self.worth = worth
        self.legs = set(NEEDED) <= roles(self.skeleton).keys()
        self.size = leg_length(self.skeleton) / _ADULT if self.legs else 1.0
        total, joints = len(self.frames.roots), self.skeleton.n_joints
        self._known = np.zeros(len(clips), dtype=bool)
        self._peaks = np.empty((2, total, joints))
        self._positions = np.empty((total, joints, 3))
        self._speeds = np.empty(total)
        self._velocities, self._paces = np.empty((total, 2)), np.empty(total)
        self._firm = np.zeros((total, 4))
        self._steps = np.zeros((total, 4, 2))
        self._knees = np.zeros((2, total, 2))

    def _get_to_know(self, number: int) -> None:
        """Compute the reference values of a clip's frames with which joins are compared."""
        clip = self.frames.clips[number]
        rows = slice(*self.frames.starts[number : number + 2])
        at = world(clip)
        self._peaks[:, rows] = source_peaks(clip)
        self._positions[rows] = at.positions
        self._speeds[rows] = mean_speeds(at.positions, self.fps)
        self._velocities[rows], self._paces[rows] = ground_paces(at.positions, self.fps)
        if self.legs:
            self._steps[rows], self._firm[rows] = ground_steps(clip)
            self._knees[:, rows] = knee_peaks(clip)
        self._known[number] = True

    def check(
        self,
        joins: JoinArrays,
        *,
        progress: Callable[[str, int, int], None] | None = None,
        found: Callable[[Ints, Floats], None] | None = None,
    ) -> Checks:
        """Make and measure joins that `segue.synthesis.joins.JoinArrays.fit`.

        With feet free, ``badness`` and ``excess`` equal those of `segue.measures.seams.Seam` of the spliced motion.

        Parameters
        ----------
        joins
            P joins.
        progress
            Called with stage, done, total.
        found
            Called with rows and their shares as soon as they are computed.
        """
        self._learn(joins)
        badness, used, mismatch, pace, slip, standing, creep = np.empty((7, len(joins)))
        out = Checks(badness, used, mismatch, pace, slip, standing, creep, self.size)
        done = 0
        for rows, alike in joins.alike():
            for start in range(0, len(rows), _CHUNK):
                if progress is not None:
                    progress("checking transitions", done, len(joins))
                part = np.arange(start, min(start + _CHUNK, len(rows)))
                some = rows[part]
                checks = self._check(alike.take(part))
                for name in ("badness", "excess", "mismatch", "pace", "slip", "standing", "creep"):
                    getattr(out, name)[some] = getattr(checks, name)
                done += len(some)
                if found is not None:
                    found(some, checks.share)
        if progress is not None:
            progress("checking transitions", len(joins), len(joins))
        return out

    def _check(self, joins: JoinArrays) -> Checks:
        """Measure joins of one length."""
        made = self.frames.around(joins, self.blend)
        at, badness, used = self._seams(joins, *made)
        mismatch, pace, most = self._mismatch(joins), self._pace(joins), used.max(axis=1)
        slip, standing, creep = np.zeros((3, len(joins)))
        if not self.legs:
            return Checks(badness, most, mismatch, pace, slip, standing, creep, self.size)
        slip = self._slips(joins, at).max(axis=1)
        if self.feet != "free":
            hopeless = (np.maximum.reduce([most, mismatch / MISMATCH, pace]) > self.worth) | (
                slip > _FARTHEST * self.size
            )
            rows = np.flatnonzero(~hopeless & (slip > _STILL * self.size))
            if rows.size:
                few = made[0][rows], made[1][rows]
                held = self._held(joins.take(rows), few, used[rows])
                # Between other seams feet may have to be let go that are held here.
                badness[rows] = np.maximum(badness[rows], held[0])
                most[rows] = np.maximum(most[rows], held[1])
                slip[rows], standing[rows], creep[rows] = held[2:]
        return Checks(badness, most, mismatch, pace, slip, standing, creep, self.size)

    def mismatch(self, joins: JoinArrays) -> Floats:
        """Return frames of motion (P,) between the blends of joins and the nearer of both motions, as in `Checks`.

        No frames are made, and only a few moments of each blend are compared: a fast test of which joins are worth
        making.
        """
        self._learn(joins)
        out = np.empty(len(joins))
        for rows, alike in joins.alike():
            for start in range(0, len(rows), _MANY):
                part = np.arange(start, min(start + _MANY, len(rows)))
                out[rows[part]] = self._mismatch(alike.take(part), most=_MOMENTS)
        return out

    def _learn(self, joins: JoinArrays) -> None:
        """Compute the reference values of the clips of some joins, where not done yet."""
        numbers = np.unique(np.concatenate([joins.a_clip, joins.b_clip]))
        for number in numbers[~self._known[numbers]]:
            self._get_to_know(int(number))

    def _seams(self, joins: JoinArrays, rotations: Floats, roots: Floats) -> tuple[World, Floats, Floats]:
        """World of the made frames (P, n + 4), badness (P,) and each joint's excess (P, J)."""
        count, frames = rotations.shape[:2]
        flat = self._world(rotations, roots)
        at = World(*(part.reshape(count, frames, *part.shape[1:]) for part in flat))
        speed = angular_speeds(rotations[:, 1:-1], self.fps).max(axis=1)
        acceleration = accelerations(at.positions, self.fps).max(axis=1)
        a_rows, b_rows = self._meeting(joins)
        limits = [np.maximum(peak[a_rows], peak[b_rows]) for peak in self._peaks]
        turning = speed / (self.bounds.speed_factor * limits[0] + self.bounds.speed_extra)
        ratio = acceleration_ratios(acceleration, limits[1]) / self.bounds.acceleration_factor
        badness = np.maximum(turning.max(axis=1), ratio.max(axis=1))
        return at, badness, excess((speed, limits[0]), (acceleration, limits[1]), self.bounds)

    def _meeting(self, joins: JoinArrays) -> tuple[Ints, Ints]:
        """Rows (P,) of A and of B where both motions meet."""
        if joins.length == 0:
            return self._rows(joins, 0, 1)[0][:, 0], self._rows(joins, 1, 1)[0][:, 1]
        middle = max(joins.length // 2 - 1, 0)
        return self._rows(joins, 0)[0][:, middle], self._rows(joins, 1)[0][:, middle]

    def _mismatch(self, joins: JoinArrays, *, most: int | None = None) -> Floats:
        """Frames of motion (P,) between the made poses, at most ``most`` of them, and the nearer of both motions."""
        if joins.length:
            a, b = (self._rows(joins, side)[0] for side in (0, 1))
        else:
            a, _ = self.frames.rows(joins.a_clip, joins.a_start, 1)
            b, _ = self.frames.rows(joins.b_clip, joins.b_start, 1)
        n = max(joins.length, 1)
        middle = n // 2
        speed = np.maximum(self._speeds[a[:, middle]], self._speeds[b[:, middle]])
        weights = ease_out(joins.length) if joins.length else np.full(1, 0.5)
        if most is not None and most < n:
            some = np.rint(np.linspace(0, n - 1, most)).astype(np.int64)
            a, b, weights = a[:, some], b[:, some], weights[some]
        apart = np.linalg.norm(
            self._positions[a] - moved_points(self._positions[b], joins.alignment), axis=-1
        ).mean(axis=-1)
        far = (apart * np.minimum(weights, 1.0 - weights)).max(axis=1)
        out: Floats = far * _RATE / np.maximum(speed, _SLOWEST * self.size)
        return out

    def _pace(self, joins: JoinArrays) -> Floats:
        """Change of ground velocity (P,) from the motion left to the one entered, over its limit."""
        middle = max(joins.length - 1, 0) // 2
        if joins.length:
            a, b = (self._rows(joins, side)[0][:, middle] for side in (0, 1))
        else:
            a = self.frames.rows(joins.a_clip, joins.a_start, 1)[0][:, 0]
            b = self.frames.rows(joins.b_clip, joins.b_start, 1)[0][:, 0]
        change = turned(joins.alignment[:, 0], self._velocities[b]) - self._velocities[a]
        seconds = max(joins.length / self.fps, 1.0 / _RATE)
        own = np.maximum(self._paces[a], self._paces[b])
        out: Floats = np.linalg.norm(change, axis=-1) / seconds / (1.5 * own + PACE)
        return out

    def _carried(self, joins: JoinArrays, margin: int) -> tuple[Floats, Floats]:
        """Steps (P, n + 2 margin, 4, 2) that feet should make, and how firmly (..., 4) they are on the ground."""
        n = joins.length
        (a, in_a), (b, in_b) = (self._rows(joins, side, margin) for side in (0, 1))
        left = np.concatenate([np.ones(margin), ease_out(n), np.zeros(margin)])
        weight = np.broadcast_to(np.stack([left, 1.0 - left])[:, None], (2, *a.shape))
        steps = np.stack([self._steps[a], turned(joins.alignment[:, :1, None], self._steps[b])])
        firm = np.stack([self._firm[a] * in_a[..., None], self._firm[b] * in_b[..., None]])
        if joins.used is not None and n > 1:  # what plays slower moves less in a frame
            rate = np.ones((2, *a.shape))
            slower = np.where(joins.uses == n, 1.0, (joins.uses - 1) / (n - 1)).T[..., None]
            rate[:, :, margin : margin + n] = slower
            steps = steps * rate[..., None, None]
        return mixed(steps, firm, weight)

    def _rows(self, joins: JoinArrays, side: int, margin: int = 0) -> tuple[Ints, Bools]:
        """Nearest rows (P, n + 2 margin) of A, side 0, or B, side 1, that play; and flags of those in their clip."""
        clip = joins.b_clip if side else joins.a_clip
        frames = np.ceil(joins.played(side, margin) - 0.5).astype(np.int64)
        last = self.frames.counts[clip][:, None] - 1
        return self.frames.starts[clip][:, None] + np.clip(frames, 0, last), (frames >= 0) & (frames <= last)

    def _slips(self, joins: JoinArrays, at: World, margin: int = JOIN_MARGIN) -> Floats:
        """Metres (P, 4) that planted feet slide beyond the sources, in made frames with ``margin`` on either side."""
        count, frames = len(joins), joins.length + 2 * margin
        flat = World(*(part.reshape(count * frames, *part.shape[-2:]) for part in at))
        ground = foot_positions(self.skeleton, flat)[:, :, [0, 2]].reshape(count, frames, 4, 2)
        steps, firm = self._carried(joins, margin)
        both = np.minimum(firm[:, 1:], firm[:, :-1]) > PLANTED
        made = np.linalg.norm(np.diff(ground, axis=1), axis=-1)
        source = np.linalg.norm(steps[:, 1:], axis=-1)
        beyond = np.where(both, made - source, 0.0)[:, 1:-1].sum(axis=1)
        out: Floats = np.maximum(beyond, 0.0)
        return out

    def _held(self, joins: JoinArrays, made: _Frames, free: Floats) -> tuple[Floats, ...]:
        """Badness, excess, slip, slip of standing feet and creep (P,) of joins with feet treated.

        The joins are put in one motion, one after the other.
        """
        n, count = joins.length, len(joins)
        margin, gap = max(round(_CONTEXT * self.fps), JOIN_MARGIN), round(_APART * self.fps)
        rotations, roots = self.frames.wider(joins, self.blend, made, margin=margin)
        steps, firm = self._carried(joins, margin)
        firm[:, [0, -1]] = 0.0
        inner = slice(margin - JOIN_MARGIN, margin + n + JOIN_MARGIN)
        near = min(round(REACH * self.fps) + JOIN_MARGIN, margin)
        wide = slice(margin - near, margin + n + near)
        limits, bent = limits_of(free), self.knee_shares(joins, rotations[:, wide], roots[:, wide])
        knee_limits = np.maximum(_SPARE * limits_of(bent), bent)

        def over(rows: Ints) -> Callable[[Quaternions, Positions], Bools]:
            some, knees = joins.take(rows), knees_of(self.skeleton)

            def shows(rotations: Quaternions, roots: Positions) -> Bools:
                out = np.asarray(self._seams(some, rotations[:, inner], roots[:, inner])[2] > limits[rows])
                shares = self.knee_shares(some, rotations[:, wide], roots[:, wide])
                out[:, knees] |= shares > knee_limits[rows]
                return out

            return shows

        like = self.frames.clips[0]
        stretches = Stretches(like, rotations, roots, steps, firm, (margin, n), gap)
        rotations, roots = settle_stretches(stretches, over, kept_motion(self.feet, self.creep))
        _, badness, used = self._seams(joins, rotations[:, inner], roots[:, inner])
        # A foot planted for longer than the blend slides back to its place after the blend.
        at = self._world(rotations[:, wide], roots[:, wide])
        creep = self._creep(
            foot_positions(self.skeleton, at)[..., ::2].reshape(count, -1, 4, 2)[:, near:-near], joins
        )
        slips = self._slips(joins, at, near)
        standing = np.where((self._carried(joins, near)[1] > PLANTED).all(axis=1), slips, 0.0)
        return badness, used.max(axis=1), slips.max(axis=1), standing.max(axis=1), creep

    def _world(self, rotations: Quaternions, roots: Positions) -> World:
        """Forward kinematics of frames (P, n, J, 4) and (P, n, 3), flattened to P n frames."""
        return forward(self.skeleton, rotations.reshape(-1, *rotations.shape[2:]), roots.reshape(-1, 3))

    def knee_shares(self, joins: JoinArrays, rotations: Quaternions, roots: Positions) -> Floats:
        """Return shares (P, 2) of their limits that knees use in frames (P, n, J, 4) and (P, n, 3), ends left out."""
        legs, local = legs_alone(self.skeleton), rotations.reshape(-1, *rotations.shape[2:])
        at = forward(legs.skeleton, local[:, legs.joints], roots.reshape(-1, 3)).positions
        bends = bends_of(legs.legs, at).reshape(*roots.shape[:2], 2)
        sources = np.maximum(*(self._knees[:, row] for row in self._meeting(joins)))
        return knee_shares(bend_motion(bends, self.fps).max(axis=2), sources)

    def _creep(self, ground: Floats, joins: JoinArrays) -> Floats:
        """Metres (P,) that plants at places (P, n, 4, 2) go from their mean places in blends, beyond the limit."""
        _, firm = self._carried(joins, 0)
        # A limit below the default admits the same transitions as the default, with feet as still as possible.
        most = max(self.creep, DEFAULTS.creep) if self.feet == "natural" else np.inf
        out = np.zeros(len(joins))
        if most < np.inf:
            for join, planted in enumerate(firm > PLANTED):
                for part, start, stop in column_runs(planted):
                    out[join] = np.maximum(out[join], farthest(ground[join, start:stop, part]) - most)
        return out
