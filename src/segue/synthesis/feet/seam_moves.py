"""Compute the moves of both feet at the seams of a motion, for any level of treatment."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TypeAlias

import numpy as np

from segue.arrays import Bools, Floats, Ints, sealed
from segue.motion.clip import Clip
from segue.motion.flags import column_runs, runs
from segue.synthesis.checks import CREEP
from segue.synthesis.feet.levels import FREE, LEVELS, REACH
from segue.synthesis.feet.moves import FIRM, FootSteps
from segue.synthesis.feet.planting import touching
from segue.synthesis.feet.reaching import LegMotion, reached
from segue.synthesis.feet.steadying import steadied
from segue.synthesis.feet.steps import LOCKED, PLANTED, PlantMotion, bounded

EASE = 0.1
"""Seconds over which the root is lowered for a leg that would not reach."""
SLIP = 0.005
"""Metres of slip at a seam beyond the sources' that need no correction."""

LOOK = 0.75
"""Seconds around seams that are taken into account: the reach, and the context to measure there."""

_AROUND = np.array([one[1:3] for one in LEVELS])
"""Seconds (L, 2) before and after a seam that each level treats."""
_FIRMLY = np.array([one.tau for one in LEVELS])

Ranges: TypeAlias = Sequence[tuple[int, int]]


class SeamMoves:
    """Both feet at the seams of a motion, and their moves at any level of treatment."""

    def __init__(self, motion: Clip, steps: Floats, firm: Floats, ranges: Ranges, keep: PlantMotion) -> None:
        if keep == LOCKED:
            motion = steadied(motion, _flat(firm, ranges))
        self.motion, self.ranges, self.keep, self.most = motion, ranges, keep, keep.creep + CREEP
        self.own, self.firm = np.ascontiguousarray(steps), np.ascontiguousarray(firm)
        self.steps = np.array(steps)
        if keep != LOCKED:
            for start, stop in ranges:
                rows = slice(start, stop)
                self.steps[rows] = bounded(steps[rows], firm[rows], keep, fps=motion.fps)
        self.legs = LegMotion.of(motion)
        self.ankles = self.legs.ankles
        self.known: dict[tuple[int, int, int, bytes, bytes], tuple[Floats, Floats]] = {}
        # Frames (L, S, 2) at and around each seam that each level treats.
        first, last = np.array(ranges, dtype=np.int64).reshape(-1, 2).T
        before, behind = np.rint(_AROUND * motion.fps).astype(np.int64).T[..., None]
        self.spans = np.stack(
            [np.maximum(first - before, 0), np.minimum(last + behind, motion.n_frames)], axis=-1
        )
        reach = round(REACH * motion.fps)
        near = [self.firm[max(start - reach, 0) : stop + reach].any(axis=0) for start, stop in ranges]
        plants = [
            (seam, part, start + first, start + last)
            for seam, (start, stop) in enumerate(ranges)
            for part, first, last in column_runs(firm[start:stop] > PLANTED)
        ]
        self.seam, *rest = np.array(plants, dtype=np.int64).reshape(-1, 4).T
        self.plants = np.stack(rest, axis=1)
        self.standing = np.array(near).reshape(-1, 2, 2).any(axis=2)

    def _plants(self, seam: int, foot: int) -> tuple[int, int]:
        """Range of frames that covers a seam and all plants of a foot that touch it."""
        down = (self.firm[:, 2 * foot : 2 * foot + 2] > PLANTED).any(axis=1)
        start, stop = self.ranges[seam]
        touched = touching(runs(np.asarray(down)), [(start, stop)])
        return min([start, *(first for first, _ in touched)]), max([stop, *(last for _, last in touched)])

    def _taus(self, level: Ints, locked: Bools | None = None) -> tuple[Floats, Bools | None]:
        """Time constants (2, F) of both feet, 0 where they are not moved, and flags (2, F) of locked plants."""
        n, treated = self.motion.n_frames, (level > 0) & (level < FREE)
        if locked is not None:
            treated &= ~locked
        tau = np.zeros((2, n))
        seam, foot = treated.nonzero()
        k = level[seam, foot]
        each = zip(foot.tolist(), self.spans[k, seam].tolist(), _FIRMLY[k].tolist(), strict=True)
        for side, (first, last), firmly in each:
            mine = tau[side, first:last]
            np.maximum(mine, firmly, out=mine)
        if locked is None or not locked.any():
            return tau, None
        still, room = np.zeros((2, n), dtype=bool), round(REACH * self.motion.fps)
        for one, side in np.argwhere(locked).tolist():
            start, stop = self._plants(one, side)
            still[side, start:stop] = True
            near = slice(max(start - room, 0), min(stop + room, n))
            tau[side, near] = np.maximum(tau[side, near], FIRM)
        return tau, still

    def _moves(self, tau: Floats, still: Bools | None) -> tuple[Floats, Floats]:
        """Shifts (2, F, 2) and turns (2, F) of both feet; solved windows are cached."""
        n = self.motion.n_frames
        shift, turn = np.zeros((2, n, 2)), np.zeros((2, n))
        for foot in (0, 1):
            windows = runs(tau[foot] > 0.0)
            keys = [
                (foot, start, stop, tau[foot, start:stop].tobytes(), _bytes(still, foot, start, stop))
                for start, stop in windows
            ]
            new = [window for key, window in zip(keys, windows, strict=True) if key not in self.known]
            if new:
                held = None if still is None or not still[foot].any() else still[foot]
                steps = self._unlocked[foot] if held is None else self._locked(foot, held)
                found = steps.moves(new, tau[foot])
            for key, (start, stop) in zip(keys, windows, strict=True):
                if key not in self.known:
                    self.known[key] = found[0][start:stop], found[1][start:stop]
                shift[foot, start:stop], turn[foot, start:stop] = self.known[key]
        return shift, turn

    @cached_property
    def _unlocked(self) -> tuple[FootSteps, FootSteps]:
        """Steps of both feet without locked plants."""
        left, right = (self._foot(foot, self.steps, self.firm) for foot in (0, 1))
        return left, right

    def _locked(self, foot: int, still: Bools) -> FootSteps:
        """Steps of a foot whose plants are locked in flagged frames (F,)."""
        down = self.firm > PLANTED
        down[1:] &= down[:-1]
        steps = np.where(still[:, None, None], 0.0, self.steps)
        return self._foot(foot, steps, np.where(still[:, None], down, self.firm))

    def _foot(self, foot: int, steps: Floats, firm: Floats) -> FootSteps:
        parts = slice(2 * foot, 2 * foot + 2)
        places = self.legs.ground[:, parts], self.ankles[:, foot]
        return FootSteps.of(*places, steps[:, parts], firm[:, parts], fps=self.motion.fps)

    def missed(self, level: Ints, wanted: Bools) -> Floats:
        """Return metres (S, 2) by which the worse of heel and toe slides or creeps beyond its limit at wanted seams."""
        slips, creeps = self.measured(level)
        return np.where(wanted, np.maximum(slips - SLIP, creeps - self.most), 0.0)

    def measured(self, level: Ints) -> tuple[Floats, Floats]:
        """Return metres (S, 2) that the worse of heel and toe slips beyond its sources, and creeps from its place."""
        from segue.synthesis.feet import _kernels

        tau, still = self._taus(level)
        moves = self._moves(tau, still)
        at, slips = np.empty(self.legs.ground.shape), np.empty(level.shape)
        _kernels.slips(
            (self.legs.ground, self.ankles),
            moves,
            (self.own, self.firm),
            self.spans[level, np.arange(len(level))[:, None]],
            at,
            slips,
        )
        far, creeps = np.empty(len(self.plants)), np.zeros(level.shape)
        _kernels.creeps(at, self.plants, far)
        np.maximum.at(creeps, (self.seam, self.plants[:, 0] // 2), far)
        return slips, creeps

    def made(self, level: Ints, locked: Bools | None = None) -> Clip:
        """Return the motion with both feet treated; feet flagged in ``locked`` (S, 2) are locked."""
        tau, still = self._taus(level, locked)
        shift, turn = self._moves(tau, still)
        ease = max(round(EASE * self.motion.fps), 1)
        rotations, roots, changed, _ = reached(
            self.legs, shift, turn, ease=ease, within=np.asarray((tau > 0.0).any(axis=0))
        )
        if not changed.any():
            return self.motion
        every = np.array(self.motion.rotations)
        every[:, self.legs.body.joints] = rotations
        return self.motion.with_motion(sealed(every), sealed(roots))


def _bytes(still: Bools | None, foot: int, start: int, stop: int) -> bytes:
    return b"" if still is None else still[foot, start:stop].tobytes()


def _flat(firm: Floats, ranges: Ranges) -> Bools:
    """Flags (F, 4) of the feet that lie flat, in the stretches that touch a seam."""
    out = np.zeros(firm.shape, dtype=bool)
    for foot in (0, 1):
        parts = slice(2 * foot, 2 * foot + 2)
        for start, stop in touching(runs(np.asarray((firm[:, parts] > PLANTED).all(axis=1))), ranges):
            out[start:stop, parts] = True
    return out
