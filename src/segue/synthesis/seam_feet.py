"""Feet at seams: each plant is held as still as the seam allows.

A foot held at one place needs the leg to move otherwise than it was captured, and at some seams that shows: a knee or
an ankle accelerates harder than the sources do. There a plant is treated more lightly, plant by plant: first it follows
the drift that the source itself has there, then it is left as it was blended. The finished motion is what is measured.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import numpy as np

from segue.arrays import Bools, Floats, Ints
from segue.measures.foot_skate import carried_contacts
from segue.measures.seams import seam_ranges, seams
from segue.measures.smoothness import knee_ratios
from segue.motion.clip import Clip
from segue.motion.contacts import runs, without_short
from segue.motion.roles import NEEDED, SIDES, roles
from segue.motion.skeleton import Skeleton
from segue.settings import DEFAULTS, SeamBounds, SeamFeet, feet_named
from segue.synthesis.drift import captured_drift
from segue.synthesis.footplants import SHORTEST, plant_feet, touching
from segue.synthesis.legs import legs_alone

TREATMENTS = ("held", "captured", "free")
"""How a plant at a seam is treated, the stillest first."""
_HELD, _CAPTURED, _FREE = range(3)
KNEES = 1.5
"""Times as hard as in both sources near it that a knee may bend at a seam: places alone do not show a knee that hits
its stop, for a straight leg moves little while its knee turns fast."""
_MARGIN = 1e-9
_A_LITTLE_MORE = 1.05  # a root that comes down moves every joint, also one that is out of bounds already
_FADE = 0.5  # seconds: a plant's move has faded to nothing so far from it

Ranges: TypeAlias = Sequence[tuple[int, int]]
Excess: TypeAlias = Callable[[Clip], Floats]
"""Each seam's joints (S, J) of a motion: what they do beyond the sources over what the bounds allow beyond them."""


@dataclass(frozen=True, eq=False)
class SeamPlants:
    """Plants that touch seams.

    Parameters
    ----------
    foot, start, stop
        (P,) 0 for the left and 1 for the right foot, and the frames of each plant, half open.
    treatment
        (P,) index into `TREATMENTS`.
    """

    foot: Ints
    start: Ints
    stop: Ints
    treatment: Ints

    @property
    def counts(self) -> dict[str, int]:
        """Number of plants of each treatment."""
        return {word: int((self.treatment == k).sum()) for k, word in enumerate(TREATMENTS)}

    def flags(self, n_frames: int, treatment: int) -> Bools:
        """(F, 4) heel and toe of the feet whose plants are treated so."""
        out = np.zeros((n_frames, 4), dtype=bool)
        for k in np.flatnonzero(self.treatment == treatment):
            out[self.start[k] : self.stop[k], 2 * self.foot[k] : 2 * self.foot[k] + 2] = True
        return out


@dataclass(frozen=True, eq=False)
class FinishedFeet:
    """A motion with the feet at its seams treated, and how each plant was."""

    clip: Clip
    plants: SeamPlants


def with_feet(
    motion: Clip,
    sources: Sequence[Clip],
    feet: SeamFeet,
    *,
    bounds: SeamBounds | None = None,
) -> FinishedFeet:
    """Hold the feet of a made motion that its sources had planted at its seams, as still as the seams allow.

    Parameters
    ----------
    motion
        Made of the sources; its origin shows the seams.
    sources
        The clips it was made from, on its skeleton and at its rate.
    feet
        ``"planted"`` holds each plant at one place, ``"captured"`` lets it drift as it does in the clips, ``"free"``
        leaves it as it was blended, and so are all where the legs are unknown. A plant is treated more lightly where a
        seam would otherwise leave its bounds.
    bounds
        What a seam may do; one that already does more as it was blended may do as much.

    Raises
    ------
    SettingError
        If ``feet`` is none of ``"free"``, ``"planted"`` and ``"captured"``.

    Examples
    --------
    >>> import segue
    >>> graph = segue.MotionGraph.build([segue.sample("walk"), segue.sample("walk_fast")])
    >>> motion = segue.render(graph.wander(seconds=4, seed=2), feet="free")
    >>> with_feet(motion, graph.clips, "planted").plants.counts["free"]
    0
    """
    feet = feet_named(feet)
    ranges = seam_ranges(motion.origin)
    none = np.zeros(0, dtype=np.int64)
    if feet == "free" or not ranges or not set(NEEDED) <= roles(motion.skeleton).keys():
        return FinishedFeet(motion, SeamPlants(none, none, none, none))
    allowed = SeamBounds() if bounds is None else bounds

    knees = [int(roles(motion.skeleton)[f"{side}_knee"]) for side in SIDES]

    def excess(made: Clip) -> Floats:
        out = np.array([seam.excess(allowed) for seam in seams(made, sources, ranges=ranges)])
        bends = (knee_ratios(made, sources, ranges=ranges) - 1.0) / (KNEES - 1.0)
        out[:, knees] = np.maximum(out[:, knees], bends)
        return out

    return settle_feet(
        motion,
        planted=carried_contacts(motion, sources),
        drift=captured_drift(motion, sources),
        ranges=ranges,
        limits=limits_of(excess(motion)),
        excess=excess,
        feet=feet,
    )


def limits_of(free: Floats) -> Floats:
    """What each joint (S, J) may use of a seam's bounds: all of it, or a little more than it does with feet free."""
    out: Floats = np.where(free > 1.0, _A_LITTLE_MORE * free, 1.0)
    return out


def settle_feet(
    motion: Clip,
    *,
    planted: Bools,
    drift: Floats,
    ranges: Ranges,
    limits: Floats,
    excess: Excess,
    feet: SeamFeet = DEFAULTS.feet,
    passes: int | None = None,
) -> FinishedFeet:
    """Treat each plant at seams as still as can be: see the module.

    Parameters
    ----------
    motion
        As it was blended.
    planted
        (F, 4) foot parts that the sources have on the ground.
    drift
        (F, 4, 2) ways that these go in the sources, as `segue.synthesis.drift.captured_drift` gives them.
    ranges
        S seams: frames, half open.
    limits
        (S, J) what each joint may use of each seam's bounds, as `limits_of` gives it.
    excess
        Measures the seams of a motion.
    feet
        Treatment that every plant begins with.
    passes
        The motion is made at most so often, even if a seam is beyond its limit then; by default as often as it takes.
    """
    flags = without_short(np.asarray(planted, dtype=bool), SHORTEST * motion.fps)
    plants = _touching(flags, ranges, _CAPTURED if feet == "captured" else _HELD)
    made = _treated(motion, flags, drift, plants, ranges)
    for _ in itertools.count() if passes is None else range(passes - 1):
        if (plants.treatment == _FREE).all():
            break
        over = excess(made) > limits + _MARGIN
        lighter = _blamed(plants, over, ranges, motion)
        if not lighter.any():
            break
        plants = SeamPlants(plants.foot, plants.start, plants.stop, plants.treatment + lighter)
        made = _treated(motion, flags, drift, plants, ranges)
    return FinishedFeet(made, plants)


def _blamed(plants: SeamPlants, over: Bools, ranges: Ranges, motion: Clip) -> Bools:
    """Flags (P,) of the plants to be treated more lightly, for joints (S, J) of seams that are beyond their limit.

    A leg that shows is let go alone, first at the seam, then near it: a plant of the next seam fades into this one.
    Where that leg is free already, what shows is a root that comes down for the other foot, or a plant farther away.
    With all plants free the motion is as it was blended, and no seam is beyond its limit.
    """
    legs, near = _legs_of(motion.skeleton), round(_FADE * motion.fps)
    sides = np.stack([over[:, leg].any(axis=1) for leg in legs], axis=1)
    sides[over[:, ~np.logical_or(*legs)].any(axis=1)] = True  # a root that comes down shows in every joint
    left = plants.treatment < _FREE
    out = np.zeros(len(left), dtype=bool)
    for seam in np.flatnonzero(over.any(axis=1)).tolist():
        first, last = ranges[seam]
        away = np.maximum(
            plants.start - last, first - plants.stop
        )  # frames between; negative where they touch
        leg = left & sides[seam, plants.foot]
        for these in (leg & (away < 0), leg & (away < near), left & (away < near)):
            if these.any():
                out |= these
                break
        else:
            out |= left & (away == away[left].min(initial=np.iinfo(np.int64).max))
    return out


def _touching(flags: Bools, ranges: Ranges, treatment: int) -> SeamPlants:
    """Plants of either foot that touch a seam."""
    rows = [
        (foot, start, stop)
        for foot in (0, 1)
        for start, stop in touching(runs(flags[:, 2 * foot] | flags[:, 2 * foot + 1]), ranges)
    ]
    foot, start, stop = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    return SeamPlants(foot, start, stop, np.full(len(rows), treatment, dtype=np.int64))


def _treated(motion: Clip, flags: Bools, drift: Floats, plants: SeamPlants, ranges: Ranges) -> Clip:
    """The motion with each plant treated as it is to be."""
    if (plants.treatment == _FREE).all():
        return motion
    still, drifting = (plants.flags(motion.n_frames, kind) for kind in (_HELD, _CAPTURED))
    ways = np.where(drifting[:, :, None], drift, 0.0)
    return plant_feet(motion, planted=flags & (still | drifting), within=ranges, drift=ways, still=still).clip


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
