"""Treat feet at the seams of a made motion so that they stand as in its sources.

A blended foot that both sources have on the ground slides where its place or heading differs between them. Its steps
are corrected to those of the sources (`segue.synthesis.feet.steps`), as near to the seam as possible: nothing is
changed where a blended foot hardly slides; otherwise the correction stays within the blend; only where that is not
enough it extends before the blend, after it or both, by a third of a second at most and over the fewest frames that
are enough. If no extent is, the fewest frames are taken at which the foot slips hardly more than at the best. The
finished motion is measured. Where a joint exceeds its limit at a seam, the foot is treated more softly, and finally
left as blended. Seams near each other share corrections: where a foot is then worse than at either seam alone, their
levels are searched together (`segue.synthesis.feet.near_seams`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from segue.arrays import Bools, Ints, sealed
from segue.measures.seams import seam_ranges
from segue.motion.clip import Clip
from segue.motion.resample import cut
from segue.motion.roles import NEEDED, roles
from segue.settings import DEFAULTS, SeamBounds, SeamFeet, feet_named
from segue.summaries import one_line
from segue.synthesis.feet.levels import FREE, LEVELS, SOFT, WIDER
from segue.synthesis.feet.near_seams import improved
from segue.synthesis.feet.seam_moves import LOOK, SLIP, Ranges, SeamMoves
from segue.synthesis.feet.softening import Over, feet_to_soften, joints_over
from segue.synthesis.feet.steps import LOCKED, kept_motion, source_steps

_ENOUGH = 0.0003
"""Metres more than at the best level that a foot may slip or creep, if it exceeds its limit at every level."""


@one_line
@dataclass(frozen=True, eq=False)
class FinishedFeet:
    """A motion with the feet at its seams treated, and the treatment of each foot at each seam.

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
    """Treat the feet of a made motion so that they stand at its seams as they do in its sources.

    Parameters
    ----------
    motion
        Made from the sources; its origin locates the seams.
    sources
        The clips it was made from, on its skeleton and at its rate.
    feet
        ``"natural"``: planted feet keep the motion that they have in the sources, within a centimetre of their mean
        place while they are corrected; ``"locked"``: they do not move at all, in complete plants that touch a seam;
        ``"captured"``: they creep as far as in the sources; ``"free"``: as blended, which also applies where the legs
        are unknown.
    bounds
        Limits of a seam; one that already exceeds them as blended may do as much.
    creep
        Metres that natural feet may go from their mean place within a blend.

    Raises
    ------
    SettingError
        If ``feet`` is unknown or a creep is negative.

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

    # Frames farther from a seam do not affect its treatment, unless complete plants are locked.
    around = round(LOOK * motion.fps)
    rows = slice(max(ranges[0][0] - around, 0), min(ranges[-1][1] + around, motion.n_frames))
    near = (
        motion
        if feet == "locked" or rows == slice(0, motion.n_frames)
        else cut(motion, rows.start, rows.stop)
    )
    shifted = (
        [(start - rows.start, stop - rows.start) for start, stop in ranges] if near is not motion else ranges
    )

    def over_in(part: Clip, seams: Ranges) -> Over:
        return joints_over(part, sources, seams, allowed)

    work = SeamMoves(near, *source_steps(near, sources), shifted, kept_motion(feet, creep))
    over = over_in(near, shifted)
    found, level = settle_feet(work, over)
    better = improved(work, level, over, over_in) if feet != "locked" else level
    if (better != level).any():
        found = _finished(work.made(better), better)
    if found.clip is near:
        return FinishedFeet(motion, found.treatment)
    if near is motion:
        return found
    rotations, roots = np.array(motion.rotations), np.array(motion.root_positions)
    rotations[rows], roots[rows] = found.clip.rotations, found.clip.root_positions
    return FinishedFeet(motion.with_motion(sealed(rotations), sealed(roots)), found.treatment)


def settle_feet(work: SeamMoves, over: Over) -> tuple[FinishedFeet, Ints]:
    """Treat both feet at each seam as well as possible, see the module; return levels (S, 2) of treatment.

    Parameters
    ----------
    work
        Feet at the seams of a motion as it was blended.
    over
        Flags (S, J) of the joints that exceed their limit at each seam of a motion.
    """
    treatment = Treatment.begun(work)
    while True:
        made, blamed = treatment.softened(work, over)
        if not blamed.any():
            break
    return _finished(made, treatment.level, treatment.locked), treatment.level


@dataclass(eq=False)
class Treatment:
    """Treatment of feet at seams (S, 2) so far: the level, and the level from which levels were searched.

    Parameters
    ----------
    level, least
        The level, and the first one searched.
    searched
        Whether all levels were searched because the foot slips too far at each of them.
    locked
        Whether its plants are locked.
    """

    level: Ints
    least: Ints
    searched: Bools
    locked: Bools

    @staticmethod
    def begun(work: SeamMoves) -> Treatment:
        """Return the initial treatment: no foot is treated, except those to be locked."""
        locked = np.full((len(work.ranges), 2), work.keep == LOCKED) & work.standing
        nothing = np.zeros(locked.shape, dtype=np.int64)
        return Treatment(nothing, nothing.copy(), locked.copy(), locked)

    def take(self, seams: Bools) -> Treatment:
        """Return the treatment of chosen seams."""
        return Treatment(self.level[seams], self.least[seams], self.searched[seams], self.locked[seams])

    def softened(self, work: SeamMoves, over: Over) -> tuple[Clip, Bools]:
        """Return the motion as treated now, and flags (S, 2) of feet that exceed limits; these are now softer."""
        self.level = _near_enough(work, self.level, self.least, self.searched)
        treated = self.locked | ((self.level > 0) & (self.level < FREE))
        if not treated.any():
            return work.motion, treated
        made = work.made(self.level, self.locked)
        blamed = feet_to_soften(treated, over(made), work.ranges, work.motion)
        if blamed.any():
            softer = blamed & ~self.locked
            self.level[softer] = WIDER[self.level[softer]]
            self.level = _soft_enough(work, self.level, softer)
            self.least[softer] = self.level[softer]
            self.locked = self.locked & ~blamed
        return made, blamed


def _finished(made: Clip, level: Ints, locked: Bools | None = None) -> FinishedFeet:
    """Motion with the words for the levels (S, 2) of its feet, of which some may be locked."""
    held = np.zeros(level.shape, dtype=bool) if locked is None else locked
    words = np.where(held, "locked", np.array([one.word for one in LEVELS])[level])
    return FinishedFeet(made, tuple((left, right) for left, right in words.tolist()))


def _near_enough(work: SeamMoves, level: Ints, least: Ints, searched: Bools) -> Ints:
    """Levels (S, 2), from the given ones on, at which feet slip no more than they may.

    A foot that slips too far at every level gets the first, from its least level on, at which it slips hardly more than
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


def _soft_enough(work: SeamMoves, level: Ints, softer: Bools) -> Ints:
    """Levels (S, 2) at which feet that have just been softened are better than as blended.

    This is the first level, from their own on, at which a foot stays within its limit of creep and slips no farther
    than as blended. If there is none, it is the level at which the limits are exceeded least, or letting the foot go.
    Slip is not minimised further: softly held feet slip less the more frames are treated, so that nearly all feet would
    be treated over the most frames.
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
