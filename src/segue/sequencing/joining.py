"""Join two neighbouring motions: plan, place, blend, hold the planted feet.

Everything is in the space and time of the previous motion's clip, so a pair that is only shifted on the clock or moved
along the ground is not made again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from segue.arrays import Bools, sealed
from segue.maths.planar import PlanarMotion, turned
from segue.sequencing.baselines import constraint_plan, similarity_plan
from segue.sequencing.blends import BlendedFrames, HalfSources, blended, planted_feet
from segue.sequencing.decisions import BlendSegment, PairDecision
from segue.sequencing.footholds import HeldMotion, held, unheld
from segue.sequencing.gentle import gentler_plan
from segue.sequencing.placing import alignment_of, footholds_of
from segue.sequencing.planning import PairPlan, PlannedSegment, plan_pair
from segue.sequencing.plants import HeldPlants, hold_plants
from segue.sequencing.prepared import ReadyMotion
from segue.sequencing.script import SequenceMethod

REACH = 0.4
"""Seconds around the segments within which planted feet are held; never within a core."""
_STANDS = 0.0015
"""Metres of slip up to which a foot counts as planted."""
_ROUNDS = 2
"""Maximum number of times that the following motion is moved nearer to where its feet must be planted."""


@dataclass(frozen=True, eq=False)
class JoinedPair:
    """A finished pair.

    Parameters
    ----------
    decision
        Decisions, in frames of the previous clip.
    following
        The following motion, with the foothold that it keeps.
    offset
        Frame at which its clip begins.
    placed
        Ground motion that moves it to where the previous clip leads.
    frames
        Frames that belong to neither motion alone.
    planted
        (n, 4) which heels and toes are planted in them.
    """

    decision: PairDecision
    following: HeldMotion
    offset: int
    placed: PlanarMotion
    frames: BlendedFrames
    planted: Bools

    @property
    def n_frames(self) -> int:
        """Number of frames that belong to neither motion alone."""
        return len(self.frames.roots)


@lru_cache(maxsize=2048)
def join_pair(
    previous: HeldMotion,
    following: ReadyMotion,
    offset: int,
    *,
    smoothness: float,
    after: int | None = None,
    method: SequenceMethod = "optimal",
) -> JoinedPair:
    """Join two motions whose cores do not overlap.

    Parameters
    ----------
    previous
        The motion before, as changed by the pair before it.
    following
        The motion that follows.
    offset
        Frame of the previous clip at which the following one begins.
    smoothness
        The paper's W.
    after
        Last frame of the previous clip that must not change.
    method
        ``"optimal"`` or a baseline.
    """
    plan = planned(previous, following, offset, smoothness=smoothness, after=after, method=method)
    low, high = changed_frames(plan)
    placed, turn = alignment_of(plan, previous, following, (low, high))
    arriving = unheld(following)
    if plan.adapts:
        arriving = held(following, footholds_of(plan, previous, following, placed, (low, high)))
    made = _made(plan, previous, arriving, placed, (low, high))
    slip = made.plants.before
    for _ in range(_ROUNDS):
        if made.plants.after <= _STANDS:
            break
        # The remaining slip comes from the place of the following motion relative to its planted feet.
        other = _nearer(plan, following, made)
        if other.plants.after >= made.plants.after:
            break
        made = other
    frames = _inner(made.frames, made.plants)
    decision = PairDecision(
        previous.motion.name,
        following.name,
        plan.method,
        plan.previous_phase,
        plan.following_phase,
        _segments(plan, following),
        smoothness,
        plan.lost,
        slip,
        made.plants.after,
        (0.0, 0.0) if made.arriving.footholds is None else made.arriving.footholds.sizes,
        turn,
    )
    return JoinedPair(decision, made.arriving, offset, made.placed, frames, made.planted[1:-1])


@dataclass(frozen=True, eq=False)
class _Made:
    """A pair with the following motion at one place."""

    previous: HeldMotion
    arriving: HeldMotion
    placed: PlanarMotion
    window: tuple[int, int]
    frames: BlendedFrames
    planted: Bools
    plants: HeldPlants


def _made(
    plan: PairPlan, previous: HeldMotion, arriving: HeldMotion, placed: PlanarMotion, window: tuple[int, int]
) -> _Made:
    """Blend a pair and hold its planted feet; the frames before and after its own are made as well."""
    frames = blended(plan, previous, arriving, placed, (window[0], window[1] + 1))
    planted = planted_feet(plan, previous, arriving, frames)
    clip = arriving.motion.clip
    plants = (
        hold_plants(clip.skeleton, frames.rotations, frames.roots, planted, fps=clip.fps)
        if plan.planted
        else HeldPlants(frames.rotations, frames.roots, 0.0, 0.0, np.zeros((2, 2)))
    )
    return _Made(previous, arriving, placed, window, frames, planted, plants)


def _nearer(plan: PairPlan, following: ReadyMotion, made: _Made) -> _Made:
    """The same pair with the following motion moved nearer to where its planted feet must be."""
    missed, placed, arriving = made.plants.missed, made.placed, made.arriving
    if arriving.footholds is not None:
        back = turned(np.array(-placed.turn), missed)
        kept = arriving.footholds
        arriving = held(following, replace(kept, shifts=kept.shifts - back))
    else:
        feet = [foot for foot in (0, 1) if missed[foot].any()]
        shift = missed[feet].mean(axis=0) if feet else np.zeros(2)
        placed = PlanarMotion(placed.turn, placed.x - float(shift[0]), placed.z - float(shift[1]))
    return _made(plan, made.previous, arriving, placed, made.window)


def planned(
    previous: HeldMotion,
    following: ReadyMotion,
    offset: int,
    *,
    smoothness: float,
    after: int | None,
    method: SequenceMethod,
) -> PairPlan:
    """Plan a pair by a method."""
    if method == "pose-similarity":
        return similarity_plan(previous, following, offset, after=after)
    plan = plan_pair(previous, following, offset, smoothness=smoothness, after=after)
    if method == "constraint-only":
        return constraint_plan(plan, following)
    return gentler_plan(plan, previous, following)


def changed_frames(plan: PairPlan) -> tuple[int, int]:
    """Return the last frame before and the first frame after those that joining may change."""
    window, reach = plan.window, round(REACH * plan.window.fps)
    in_flight = plan.previous_phase is not None and plan.previous_phase.foot == "both"
    drawn_out = plan.method == "connection" and plan.lower.kind == "motion-to-pose" and not in_flight
    # A stretched step is slowed down from its start on, however late its weights rise.
    begin = min(plan.lower.begin if drawn_out else plan.lower.curve.begin, plan.upper.curve.begin)
    end = max(plan.lower.end, plan.upper.end)
    if not plan.planted:
        return begin, end
    low = max(begin - reach, window.left)
    if in_flight:
        low = max(low, begin)  # a body in the air is unchanged up to its highest pose
    high = min(end + reach, window.met)
    return low, high


def _inner(frames: BlendedFrames, plants: HeldPlants) -> BlendedFrames:
    """Frames with their feet held, without the first and the last."""

    def cut(half: HalfSources) -> HalfSources:
        return HalfSources(half.first[1:-1], half.second[1:-1], half.weight[1:-1])

    return BlendedFrames(
        frames.begin + 1,
        sealed(np.ascontiguousarray(plants.rotations[1:-1])),
        sealed(np.ascontiguousarray(plants.roots[1:-1])),
        cut(frames.lower),
        cut(frames.upper),
    )


def _segments(plan: PairPlan, following: ReadyMotion) -> tuple[BlendSegment, ...]:
    """Segments as reported, sorted by name."""
    found = [plan.lower, plan.upper] + ([] if plan.release is None else [plan.release])
    out = [_segment(one) for one in found]
    if plan.adapts:
        last = plan.offset + following.clip.n_frames - 1
        end = last if plan.release is None else plan.release.begin
        if end > plan.lower.end:
            weights = np.zeros(end - plan.lower.end + 1)
            out.append(BlendSegment("S3", "lower", "foothold kept", plan.lower.end, end, sealed(weights)))
    return tuple(sorted(out, key=lambda segment: segment.name))


def _segment(one: PlannedSegment) -> BlendSegment:
    weights = one.curve.at(np.arange(one.begin, one.end + 1, dtype=np.float64))
    return BlendSegment(
        one.name,
        one.half,
        one.kind,
        one.begin,
        one.end,
        sealed(weights),
        one.curve.slopes,
        one.curve.limited,
        one.objective,
        one.terms,
    )
