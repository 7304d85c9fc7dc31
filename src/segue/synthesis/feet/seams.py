"""Feet at the seams of a made motion stand as in its sources: what a blend adds to their motion is taken out.

A blended foot that both sources have on the ground slides where they have it at different places, or facing
differently. Its steps are made those of the sources (`segue.synthesis.feet.steps`), as near to the seam as can be:
nothing is done where a blended foot hardly slides; then its move is kept within the blend; only where that does not
do it reaches before the blend, behind it or both, no more than a third of a second and over as few frames as do.
Where none do, the fewest are taken at which it slips hardly more than at the best. The finished motion is measured.
Where a joint shows more than its seam may, the foot is treated more softly, and in the end left as it was blended.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from segue.arrays import Bools, Floats, Ints, sealed
from segue.measures.seams import seam_ranges
from segue.motion.clip import Clip
from segue.motion.contacts import runs
from segue.motion.resample import cut
from segue.motion.roles import NEEDED, roles
from segue.settings import DEFAULTS, SeamBounds, SeamFeet, feet_named
from segue.summaries import one_line
from segue.synthesis.checks import CREEP
from segue.synthesis.feet.levels import FREE, LEVELS, REACH, SOFT, WIDER
from segue.synthesis.feet.moves import FIRM, foot_moves
from segue.synthesis.feet.planting import touching
from segue.synthesis.feet.reaching import LegMotion, reached
from segue.synthesis.feet.softening import Over, feet_to_soften, joints_over
from segue.synthesis.feet.steadying import steadied
from segue.synthesis.feet.steps import (
    LOCKED,
    NATURAL,
    PLANTED,
    PlantMotion,
    bounded,
    kept_motion,
    source_steps,
)

_LOOK = 0.75
"""Seconds around the seams beyond which nothing is looked at: the reach, and what it takes to measure there."""
EASE = 0.1
"""Seconds over which a root comes down for a leg that would not reach."""
SLIP = 0.005
"""Metres of slip at a seam beyond the sources' that need no mending."""
_ENOUGH = 0.0003
"""Metres more than at the best level that a foot may slip or creep, where it does too much at all of them."""

Ranges: TypeAlias = Sequence[tuple[int, int]]


@one_line
@dataclass(frozen=True, eq=False)
class FinishedFeet:
    """A motion with the feet at its seams treated, and how both were at each seam.

    Parameters
    ----------
    clip
        The motion.
    treatment
        (S, 2) words for the left and the right foot: ``"as blended"`` (it hardly slides), ``"in the blend"``,
        ``"near the blend"``, ``"softened"``, ``"let go"`` or ``"locked"``.
    """

    clip: Clip
    treatment: tuple[tuple[str, str], ...]

    @property
    def counts(self) -> dict[str, int]:
        """Number of feet at seams of each treatment."""
        words = dict.fromkeys(["locked", *(level.word for level in LEVELS)], 0)
        for both in self.treatment:
            for word in both:
                words[word] += 1
        return words


def with_feet(
    motion: Clip,
    sources: Sequence[Clip],
    feet: SeamFeet,
    *,
    bounds: SeamBounds | None = None,
    creep: float = DEFAULTS.creep,
) -> FinishedFeet:
    """Let the feet of a made motion stand at its seams as they do in its sources.

    Parameters
    ----------
    motion
        Made of the sources; its origin shows the seams.
    sources
        The clips it was made from, on its skeleton and at its rate.
    feet
        ``"natural"``: planted feet keep the motion that they have in the sources, within a centimetre of their mean
        place while they are corrected; ``"locked"``: they do not move at all, in whole plants that touch a seam;
        ``"captured"``: they creep as far as in the sources; ``"free"``: as blended, and so are all where the legs are
        unknown.
    bounds
        What a seam may do; one that already does more as it was blended may do as much.
    creep
        Metres that natural feet may go from their mean place within a blend.

    Raises
    ------
    SettingError
        If ``feet`` is not known or a creep is negative.

    Examples
    --------
    >>> import segue
    >>> graph = segue.MotionGraph.build([segue.sample("walk"), segue.sample("walk_fast")])
    >>> motion = segue.render(graph.wander(seconds=4, seed=2), feet="free")
    >>> with_feet(motion, graph.clips, "natural").counts["let go"]
    0
    """
    feet = feet_named(feet)
    ranges = seam_ranges(motion.origin)
    if feet == "free" or not ranges or not set(NEEDED) <= roles(motion.skeleton).keys():
        return FinishedFeet(motion, ())
    allowed = SeamBounds() if bounds is None else bounds

    # Nothing farther from a seam decides what is done at it, unless whole plants are locked.
    around = round(_LOOK * motion.fps)
    rows = slice(max(ranges[0][0] - around, 0), min(ranges[-1][1] + around, motion.n_frames))
    near = (
        motion
        if feet == "locked" or rows == slice(0, motion.n_frames)
        else cut(motion, rows.start, rows.stop)
    )
    shifted = (
        [(start - rows.start, stop - rows.start) for start, stop in ranges] if near is not motion else ranges
    )

    steps, firm = source_steps(near, sources)
    found = settle_feet(
        near,
        steps=steps,
        firm=firm,
        ranges=shifted,
        over=joints_over(near, sources, shifted, allowed),
        keep=kept_motion(feet, creep),
    )
    if found.clip is near:
        return FinishedFeet(motion, found.treatment)
    if near is motion:
        return found
    rotations, roots = np.array(motion.rotations), np.array(motion.root_positions)
    rotations[rows], roots[rows] = found.clip.rotations, found.clip.root_positions
    return FinishedFeet(motion.with_motion(sealed(rotations), sealed(roots)), found.treatment)


def settle_feet(
    motion: Clip,
    *,
    steps: Floats,
    firm: Floats,
    ranges: Ranges,
    over: Over,
    keep: PlantMotion = NATURAL,
) -> FinishedFeet:
    """Treat both feet at each seam as well as can be: see the module.

    Parameters
    ----------
    motion
        As it was blended.
    steps, firm
        (F, 4, 2) and (F, 4): `segue.synthesis.feet.steps.source_steps`.
    ranges
        S seams: frames, half open.
    over
        Flags of the joints (S, J) of a motion that show more at a seam than they may.
    keep
        What planted feet keep of their motion.
    """
    work = _Seams(motion, steps, firm, ranges, keep)
    level = np.zeros((len(ranges), 2), dtype=np.int64)
    locked = np.full((len(ranges), 2), keep == LOCKED) & work.standing
    least, searched = np.zeros_like(level), np.array(locked)
    made = motion
    while True:
        level = _near_enough(work, level, least, searched)
        treated = locked | ((level > 0) & (level < FREE))
        if not treated.any():
            made = motion
            break
        made = work.made(level, locked)
        blamed = feet_to_soften(treated, over(made), ranges, motion)
        if not blamed.any():
            break
        softer = blamed & ~locked
        level[softer] = WIDER[level[softer]]
        level = _soft_enough(work, level, softer)
        least[softer] = level[softer]
        locked = locked & ~blamed
    left, right = (
        [
            "locked" if held else LEVELS[k].word
            for k, held in zip(level[:, foot], locked[:, foot], strict=True)
        ]
        for foot in (0, 1)
    )
    return FinishedFeet(made, tuple(zip(left, right, strict=True)))


def _near_enough(work: _Seams, level: Ints, least: Ints, searched: Bools) -> Ints:
    """Levels (S, 2), from those given on, at which feet slip no more than they may.

    A foot that slips too far at all of them gets the first, from its least level on, at which it slips hardly more than
    at the best. It is then flagged as searched, and keeps its level here.
    """
    every = np.full((SOFT, *level.shape), np.inf)
    level = np.array(level)
    while True:
        near = ~searched & (level < SOFT)
        if not near.any():
            return level
        missed = work.missed(level, near)
        slides = near & (missed > 0.0)
        every[level[near], *near.nonzero()] = missed[near]
        last = slides & (level == SOFT - 1)
        for seam, foot in np.argwhere(last).tolist():
            mine = every[least[seam, foot] :, seam, foot]
            level[seam, foot] = least[seam, foot] + int(np.argmax(mine <= mine.min() + _ENOUGH))
        searched |= last
        if not slides.any():
            return level
        level += slides & ~last


def _soft_enough(work: _Seams, level: Ints, softer: Bools) -> Ints:
    """Levels (S, 2) at which feet that have just been softened are better off than as they were blended.

    That is the first, from their own on, at which a foot goes no farther from its mean place than it may, and slips no
    farther than as blended. Where there is none it is let go, or gets the level at which it does too much by the least.
    How far it slips decides no more than that: feet that are held softly slip less the more frames there are, so that
    nearly all of them would be treated over as many as there can be.
    """
    soft = softer & (level >= SOFT) & (level < FREE)
    if not soft.any():
        return level
    tried = [np.where(soft, np.maximum(level, k), level) for k in range(SOFT, FREE + 1)]
    slips, creeps = (np.array(each) for each in zip(*map(work.measured, tried), strict=True))
    good = (creeps <= work.most) & (slips <= np.maximum(slips[-1], SLIP))
    missed = np.maximum(slips - SLIP, creeps - work.most)
    first = np.where(good.any(axis=0), good.argmax(axis=0), missed.argmin(axis=0))
    return np.where(soft, np.choose(first, tried), level)


class _Seams:
    """Both feet at the seams of a motion, and their moves at any level of treatment."""

    def __init__(self, motion: Clip, steps: Floats, firm: Floats, ranges: Ranges, keep: PlantMotion) -> None:
        if keep == LOCKED:
            motion = steadied(motion, _flat(firm, ranges))
        self.motion, self.firm, self.ranges = motion, firm, ranges
        self.own, self.steps, self.most = steps, np.array(steps), keep.creep + CREEP
        if keep != LOCKED:
            for start, stop in ranges:
                rows = slice(start, stop)
                self.steps[rows] = bounded(steps[rows], firm[rows], keep, fps=motion.fps)
        self.legs = LegMotion.of(motion)
        self.ankles = self.legs.ankles
        self.known: dict[tuple[int, int, int, bytes, bytes], tuple[Floats, Floats]] = {}
        reach = round(REACH * motion.fps)
        near = [self.firm[max(start - reach, 0) : stop + reach].any(axis=0) for start, stop in ranges]
        plants = [
            (seam, part, start + first, start + last)
            for seam, (start, stop) in enumerate(ranges)
            for part in range(4)
            for first, last in runs(firm[start:stop, part] > PLANTED)
        ]
        self.seam, *rest = np.array(plants, dtype=np.int64).reshape(-1, 4).T
        self.plants = np.stack(rest, axis=1)
        self.standing = np.array(near).reshape(-1, 2, 2).any(axis=2)

    def _span(self, seam: int, level: int) -> tuple[int, int]:
        """Frames of a seam and around it that a level treats."""
        start, stop = self.ranges[seam]
        before, behind = (round(reach * self.motion.fps) for reach in LEVELS[level][1:3])
        return max(start - before, 0), min(stop + behind, self.motion.n_frames)

    def _plants(self, seam: int, foot: int) -> tuple[int, int]:
        """Frames from the first to the last plant of a foot that touches a seam, and the seam."""
        down = (self.firm[:, 2 * foot : 2 * foot + 2] > PLANTED).any(axis=1)
        start, stop = self.ranges[seam]
        touched = touching(runs(np.asarray(down)), [(start, stop)])
        return min([start, *(first for first, _ in touched)]), max([stop, *(last for _, last in touched)])

    def _taus(self, level: Ints, locked: Bools) -> tuple[Floats, Bools]:
        """Time constants (2, F) of both feet, 0 where they stay as they are, and flags of locked plants (2, F)."""
        n = self.motion.n_frames
        tau, still = np.zeros((2, n)), np.zeros((2, n), dtype=bool)
        for seam, foot in np.argwhere(locked | ((level > 0) & (level < FREE))).tolist():
            k = int(level[seam, foot])
            rows, firmly = slice(*self._span(seam, k)), LEVELS[k].tau
            if locked[seam, foot]:
                start, stop = self._plants(seam, foot)
                still[foot, start:stop] = True
                room = round(REACH * self.motion.fps)
                rows, firmly = slice(max(start - room, 0), min(stop + room, n)), FIRM
            tau[foot, rows] = np.maximum(tau[foot, rows], firmly)
        return tau, still

    def _moves(self, tau: Floats, still: Bools) -> tuple[Floats, Floats]:
        """Shifts (2, F, 2) and turns (2, F) of both feet; windows that were solved before are not solved again."""
        n = self.motion.n_frames
        shift, turn = np.zeros((2, n, 2)), np.zeros((2, n))
        for foot in (0, 1):
            parts = slice(2 * foot, 2 * foot + 2)
            windows = {
                (foot, start, stop, tau[foot, start:stop].tobytes(), still[foot, start:stop].tobytes()): (
                    start,
                    stop,
                )
                for start, stop in runs(tau[foot] > 0.0)
            }
            new = {key: window for key, window in windows.items() if key not in self.known}
            if new:
                steps, firm = self.steps[:, parts], self.firm[:, parts]
                if still[foot].any():
                    down = firm > PLANTED
                    down[1:] &= down[:-1]
                    steps = np.where(still[foot, :, None, None], 0.0, steps)
                    firm = np.where(still[foot, :, None], down, firm)
                found = foot_moves(
                    self.legs.ground[:, parts],
                    self.ankles[:, foot],
                    steps,
                    firm,
                    windows=list(new.values()),
                    fps=self.motion.fps,
                    tau=tau[foot],
                )
                for key, (start, stop) in new.items():
                    self.known[key] = found[0][start:stop], found[1][start:stop]
            for key, (start, stop) in windows.items():
                shift[foot, start:stop], turn[foot, start:stop] = self.known[key]
        return shift, turn

    def missed(self, level: Ints, wanted: Bools) -> Floats:
        """Metres (S, 2) by which heel or toe, whichever is worse, slides or creeps at wanted seams more than it may."""
        slips, creeps = self.measured(level)
        return np.where(wanted, np.maximum(slips - SLIP, creeps - self.most), 0.0)

    def measured(self, level: Ints) -> tuple[Floats, Floats]:
        """Metres (S, 2) that heel or toe, whichever is worse, slips beyond its sources, and goes from its place."""
        from segue.synthesis.feet import _kernels

        tau, still = self._taus(level, np.zeros(level.shape, dtype=bool))
        moves = self._moves(tau, still)
        spans = [[self._span(seam, k) for k in both] for seam, both in enumerate(level.tolist())]
        at, slips = np.empty(self.legs.ground.shape), np.empty(level.shape)
        _kernels.slips(
            (self.legs.ground, self.ankles),
            moves,
            (self.own, self.firm),
            np.array(spans, dtype=np.int64),
            at,
            slips,
        )
        far, creeps = np.empty(len(self.plants)), np.zeros(level.shape)
        _kernels.creeps(at, self.plants, far)
        np.maximum.at(creeps, (self.seam, self.plants[:, 0] // 2), far)
        return slips, creeps

    def made(self, level: Ints, locked: Bools) -> Clip:
        """The motion with both feet treated."""
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


def _flat(firm: Floats, ranges: Ranges) -> Bools:
    """Flags (F, 4) of the feet that lie flat, in the stretches that touch a seam."""
    out = np.zeros(firm.shape, dtype=bool)
    for foot in (0, 1):
        parts = slice(2 * foot, 2 * foot + 2)
        for start, stop in touching(runs(np.asarray((firm[:, parts] > PLANTED).all(axis=1))), ranges):
            out[start:stop, parts] = True
    return out
