"""Feet at the seams of a made motion stand as they stand in the sources: what a blend adds to their motion is taken out.

A blended foot that both sources have on the ground slides where they have it at different places, or facing differently.
Its steps are made those of the sources (`segue.synthesis.feet.steps`), as near to the seam as can be: nothing is done where
a blended foot hardly slides; then its move is kept within the blend; only where that does not do it reaches up to a third
of a second to either side. The finished motion is measured. Where a joint shows more than its seam may, the foot is
treated more softly, and in the end left as it was blended.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, TypeAlias

import numpy as np

from segue.arrays import Bools, Floats, Ints, sealed
from segue.maths.planar import turned
from segue.measures.seams import SeamBounds, seam_ranges, seams
from segue.measures.smoothness import knee_ratios
from segue.motion.clip import Clip
from segue.motion.contacts import runs
from segue.motion.roles import NEEDED, SIDES, roles
from segue.motion.skeleton import Skeleton
from segue.synthesis.feet.legs import legs_alone
from segue.synthesis.feet.moves import FIRM, foot_moves
from segue.synthesis.feet.reaching import LegMotion, reached
from segue.synthesis.feet.steps import KEPT, LOCKED, Feet, PlantMotion, bounded, feet_named, slip, source_steps

KNEES = 1.5
"""Times as hard as in both sources near it that a knee may bend at a seam: places alone do not show a knee that hits
its stop, for a straight leg moves little while its knee turns fast."""
REACH = 1 / 3
"""Seconds from a blend beyond which nothing is changed, unless feet are locked."""
EASE = 0.1
"""Seconds over which a root comes down for a leg that would not reach."""
SLIP = 0.003
"""Metres of slip at a seam beyond the sources' that need no mending."""


class _Level(NamedTuple):
    """How a foot is treated at a seam: how far from the blend (s), how firmly (s), and whether whole plants are locked."""

    word: str
    reach: float
    tau: float
    locked: bool = False


_LEVELS = (
    _Level("as blended", 0.0, 0.0),
    _Level("in the blend", 0.0, FIRM),
    _Level("near the blend", REACH / 4, FIRM),
    _Level("near the blend", REACH / 2, FIRM),
    _Level("near the blend", REACH, FIRM),
    _Level("softened", REACH, 0.03),
    _Level("softened", REACH, 0.1),
    _Level("let go", 0.0, 0.0),
)
_SOFT, _FREE = 5, len(_LEVELS) - 1
_MARGIN = 1e-9
_A_LITTLE_MORE = 1.05  # a root that comes down moves every joint, also one that is out of bounds already

Ranges: TypeAlias = Sequence[tuple[int, int]]
Excess: TypeAlias = Callable[[Clip], Floats]
"""Each seam's joints (S, J) of a motion: what they do beyond the sources over what the bounds allow beyond them."""


@dataclass(frozen=True, eq=False)
class FinishedFeet:
    """A motion with the feet at its seams treated, and how both were at each seam.

    Parameters
    ----------
    clip
        The motion.
    treatment
        (S, 2) words for the left and the right foot: ``"as blended"`` (it hardly slides), ``"in the blend"``, ``"near the
        blend"``, ``"softened"``, ``"let go"`` or ``"locked"``.
    """

    clip: Clip
    treatment: tuple[tuple[str, str], ...]

    @property
    def counts(self) -> dict[str, int]:
        """Number of feet at seams of each treatment."""
        words = dict.fromkeys(["locked", *(level.word for level in _LEVELS)], 0)
        for both in self.treatment:
            for word in both:
                words[word] += 1
        return words


def with_feet(
    motion: Clip,
    sources: Sequence[Clip],
    feet: Feet,
    *,
    bounds: SeamBounds | None = None,
    creep: float | None = None,
) -> FinishedFeet:
    """Let the feet of a made motion stand at its seams as they do in its sources.

    Parameters
    ----------
    motion
        Made of the sources; its origin shows the seams.
    sources
        The clips it was made from, on its skeleton and at its rate.
    feet
        ``"natural"``: planted feet keep the motion that they have in the sources, and creep a centimetre at most while
        they are corrected; ``"locked"``: they do not move at all, in whole plants that touch a seam; ``"captured"``: they
        creep as far as in the sources; ``"free"``: as blended, and so are all where the legs are unknown.
    bounds
        What a seam may do; one that already does more as it was blended may do as much.
    creep
        Metres that natural feet may creep.

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
    knees = [int(roles(motion.skeleton)[f"{side}_knee"]) for side in SIDES]


    def excess(made: Clip) -> Floats:
        out = np.array([seam.excess(allowed) for seam in seams(made, sources, ranges=ranges)])
        bends = (knee_ratios(made, sources, ranges=ranges) - 1.0) / (KNEES - 1.0)
        out[:, knees] = np.maximum(out[:, knees], bends)
        return out

    steps, firm = source_steps(motion, sources)
    return settle_feet(
        motion,
        steps=steps,
        firm=firm,
        ranges=ranges,
        limits=limits_of(excess(motion)),
        excess=excess,
        keep=KEPT[feet] if creep is None or feet != "natural" else PlantMotion(creep=creep),
    )


def limits_of(free: Floats) -> Floats:
    """What each joint (S, J) may use of a seam's bounds: all of it, or a little more than it does with feet free."""
    out: Floats = np.where(free > 1.0, _A_LITTLE_MORE * free, 1.0)
    return out


def settle_feet(
    motion: Clip,
    *,
    steps: Floats,
    firm: Floats,
    ranges: Ranges,
    limits: Floats,
    excess: Excess,
    keep: PlantMotion = KEPT["natural"],
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
    limits
        (S, J) what each joint may use of each seam's bounds, as `limits_of` gives it.
    excess
        Measures the seams of a motion.
    keep
        What planted feet keep of their motion.
    """
    work = _Seams(motion, steps, firm, ranges, keep)
    level = np.zeros((len(ranges), 2), dtype=np.int64)
    locked = np.full((len(ranges), 2), keep == LOCKED) & work.standing
    made = motion
    while True:
        while (slides := ~locked & (level < _SOFT - 1) & (work.slip(level) > SLIP)).any():
            level = level + slides
        treated = locked | ((level > 0) & (level < _FREE))
        if not treated.any():
            made = motion
            break
        made = work.made(level, locked)
        blamed = _blamed(treated, excess(made) > limits + _MARGIN, ranges, motion)
        if not blamed.any():
            break
        level, locked = level + (blamed & ~locked), locked & ~blamed
    words = tuple(
        tuple("locked" if held else _LEVELS[k].word for k, held in zip(*both, strict=True))
        for both in zip(level.tolist(), locked.tolist(), strict=True)
    )
    return FinishedFeet(made, words)


class _Seams:
    """Both feet at the seams of a motion, and their moves at any level of treatment."""

    def __init__(self, motion: Clip, steps: Floats, firm: Floats, ranges: Ranges, keep: PlantMotion) -> None:
        self.motion, self.firm, self.ranges = motion, firm, ranges
        self.steps = np.array(steps)
        if keep != LOCKED:
            for start, stop in ranges:
                rows = slice(start, stop)
                self.steps[rows] = bounded(steps[rows], firm[rows], keep, fps=motion.fps)
        self.legs = LegMotion.of(motion)
        self.known: dict[tuple[int, int, int, bytes], tuple[Floats, Floats]] = {}
        self.standing = np.array(
            [[self.firm[slice(*self._near(*span)), 2 * k : 2 * k + 2].any() for k in (0, 1)] for span in ranges]
        ).reshape(-1, 2)

    def _near(self, start: int, stop: int, reach: float = REACH) -> tuple[int, int]:
        """Frames of a seam and so many seconds around it."""
        frames = round(reach * self.motion.fps)
        return max(start - frames, 0), min(stop + frames, self.motion.n_frames)

    def _moves(self, level: Ints, locked: Bools) -> tuple[Floats, Floats]:
        """Shifts (2, F, 2) and turns (2, F) of both feet."""
        n = self.motion.n_frames
        shift, turn = np.zeros((2, n, 2)), np.zeros((2, n))
        for foot in (0, 1):
            tau = np.zeros(n)
            for span, k, held in zip(self.ranges, level[:, foot].tolist(), locked[:, foot].tolist(), strict=True):
                rows = self._plants(foot, span) if held else self._near(*span, _LEVELS[k].reach)
                if held or 0 < k < _FREE:
                    tau[slice(*rows)] = np.maximum(tau[slice(*rows)], FIRM if held else _LEVELS[k].tau)
            for start, stop in runs(tau > 0.0):
                key = (foot, start, stop, tau[start:stop].tobytes())
                if key not in self.known:
                    steps = self._steps(foot, locked)
                    self.known[key] = self._window(foot, start, stop, tau, steps)
                shift[foot, start:stop], turn[foot, start:stop] = self.known[key]
        return shift, turn

    def _window(self, foot: int, start: int, stop: int, tau: Floats, steps: Floats) -> tuple[Floats, Floats]:
        """Moves of one foot in one window."""
        rows = slice(max(start - 1, 0), min(stop + 1, self.motion.n_frames))
        parts, inner = slice(2 * foot, 2 * foot + 2), slice(start - rows.start, stop - rows.start)
        shift, turn = foot_moves(
            self.legs.ground[rows, parts],
            self.legs.ankles[rows, foot],
            steps[rows],
            self.firm[rows, parts],
            windows=[(inner.start, inner.stop)],
            fps=self.motion.fps,
            tau=tau[rows],
        )
        return shift[inner], turn[inner]

    def _steps(self, foot: int, locked: Bools) -> Floats:
        """Steps (F, 2, 2) that heel and toe of a foot are to make."""
        parts = slice(2 * foot, 2 * foot + 2)
        if not locked[:, foot].any():
            return self.steps[:, parts]
        steps = np.array(self.steps[:, parts])
        for span, held in zip(self.ranges, locked[:, foot].tolist(), strict=True):
            if held:
                start, stop = self._plants(foot, span)
                steps[start:stop] = 0.0
        return steps

    def _plants(self, foot: int, span: tuple[int, int]) -> tuple[int, int]:
        """Frames of the plants of a foot that touch a seam, with room to come and go."""
        down = (self.firm[:, 2 * foot : 2 * foot + 2] > 0.5).any(axis=1)
        touched = [run for run in runs(down) if run[0] <= span[1] and span[0] <= run[1]]
        if not touched:
            return self._near(*span, 0.0)
        return self._near(min(span[0], touched[0][0]), max(span[1], touched[-1][1]), REACH)

    def slip(self, level: Ints) -> Floats:
        """Metres (S, 2) by which heel or toe, whichever is worse, slides at each seam beyond what it is to."""
        shift, turn = self._moves(level, np.zeros(level.shape, dtype=bool))
        out = np.zeros(level.shape)
        for foot in (0, 1):
            parts = slice(2 * foot, 2 * foot + 2)
            lever = self.legs.ground[:, parts] - self.legs.ankles[:, None, foot]
            ground = self.legs.ankles[:, None, foot] + shift[foot][:, None] + turned(turn[foot][:, None], lever)
            missed = np.cumsum(slip(ground, self.steps[:, parts], self.firm[:, parts]), axis=0)
            for k, span in enumerate(self.ranges):
                start, stop = self._near(*span, _LEVELS[int(level[k, foot])].reach)
                out[k, foot] = (missed[min(stop, len(missed) - 1)] - missed[max(start - 1, 0)]).max()
        return out

    def made(self, level: Ints, locked: Bools) -> Clip:
        """The motion with both feet treated."""
        shift, turn = self._moves(level, locked)
        within = np.zeros(self.motion.n_frames, dtype=bool)
        for span, both, held in zip(self.ranges, level, locked, strict=True):
            for foot in (0, 1):
                k = int(both[foot])
                if held[foot] or 0 < k < _FREE:
                    rows = self._plants(foot, span) if held[foot] else self._near(*span, _LEVELS[k].reach)
                    within[slice(*rows)] = True
        rotations, roots, changed, _ = reached(
            self.legs, shift, turn, ease=max(round(EASE * self.motion.fps), 1), within=within
        )
        if not changed.any():
            return self.motion
        every = np.array(self.motion.rotations)
        every[:, self.legs.body.joints] = rotations
        return self.motion.with_motion(sealed(every), sealed(roots))


def _blamed(treated: Bools, over: Bools, ranges: Ranges, motion: Clip) -> Bools:
    """Flags (S, 2) of the feet to be treated more softly, for joints (S, J) of seams that are beyond their limit.

    A leg that shows is let go alone, first at its seam, then the other one there, for the root comes down for either;
    then those of the seams around it. With all of them let go the motion is as it was blended, and no seam is beyond its
    limit.
    """
    legs = _legs_of(motion.skeleton)
    out = np.zeros(treated.shape, dtype=bool)
    middle = np.array([0.5 * (start + stop) for start, stop in ranges])
    for seam in np.flatnonzero(over.any(axis=1)).tolist():
        sides = np.array([bool(over[seam, leg].any()) for leg in legs])
        if over[seam, ~np.logical_or(*legs)].any() or not sides.any():
            sides[:] = True  # a root that comes down shows in every joint
        for these in (treated[seam] & sides, treated[seam]):
            if these.any():
                out[seam] |= these
                break
        else:
            left = np.flatnonzero(treated.any(axis=1))
            if left.size:
                nearest = int(left[np.argmin(np.abs(middle[left] - middle[seam]))])
                out[nearest] |= treated[nearest]
    return out


@lru_cache(maxsize=64)
def _legs_of(skeleton: Skeleton) -> tuple[Bools, Bools]:
    """(J,) flags of the joints of the left and of the right leg, the hip's own and all below it."""
    out = []
    body = legs_alone(skeleton)
    for leg in body.legs:
        inside = np.zeros(skeleton.n_joints, dtype=bool)
        inside[body.joints[leg.hip]] = True
        for joint in range(skeleton.n_joints):
            parent = int(skeleton.parents[joint])
            inside[joint] |= parent >= 0 and bool(inside[parent])
        out.append(inside)
    return out[0], out[1]
