"""Frames of a pair between its cores: each half of the body is blended in its own segment."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from segue.arrays import Bools, Floats, Ints, Positions, Quaternions
from segue.maths.easing import monotone_hermite
from segue.maths.planar import PlanarMotion
from segue.maths.quaternions import slerp, yawed
from segue.sequencing.footholds import HeldMotion
from segue.sequencing.moments import points_at, points_beyond, turns_at, turns_beyond
from segue.sequencing.planning import PairPlan, PlannedSegment
from segue.sequencing.reaching import EASE, legs_reach, within_ends
from segue.sequencing.velocities import with_shifts, with_turns


@dataclass(frozen=True, eq=False)
class HalfSources:
    """Sources of one half of the body over n frames: fractional rows of both clips, and the second's weight."""

    first: Floats
    second: Floats
    weight: Floats


@dataclass(frozen=True, eq=False)
class BlendedFrames:
    """Frames of a pair, in the space of the previous clip.

    Parameters
    ----------
    begin
        First of the frames, counted from the beginning of the previous clip.
    rotations, roots
        (n, J, 4) and (n, 3).
    lower, upper
        Sources of each half.
    """

    begin: int
    rotations: Quaternions
    roots: Positions
    lower: HalfSources
    upper: HalfSources


def blended(
    plan: PairPlan, previous: HeldMotion, following: HeldMotion, placed: PlanarMotion, frames: tuple[int, int]
) -> BlendedFrames:
    """Blend the frames of a pair without plant IK; frames half open, all of them between the cores."""
    at = np.arange(*frames, dtype=np.float64)
    lower = lower_sources(plan, previous, following, at)
    upper = half_sources(plan.upper, previous, following, plan.offset, at)
    halves = previous.motion.halves
    low, high = np.flatnonzero(halves.lower), np.flatnonzero(halves.upper)
    still, fps = PlanarMotion(), plan.window.fps
    rotations = np.empty((len(at), len(halves.lower), 4))
    for sources, joints, segment in ((lower, low, plan.lower), (upper, high, plan.upper)):
        a, b = (
            turns_at(previous.rotations, sources.first, joints),
            turns_at(following.rotations, sources.second, joints),
        )
        if joints[0] == 0:
            b[:, 0] = placed.rotate(b[:, 0])
        rotations[:, joints] = _mixed(a, b, sources.weight)
        if segment.fades:
            ends = SegmentEnds.of(plan, segment, sources, at)
            beside = (
                _beside(previous, joints, ends.before, still),
                _beside(following, joints, ends.after, placed),
            )
            rotations[ends.span, joints] = with_turns(rotations[ends.span, joints], *beside, fps=fps)
    p, q = points_at(previous.roots, lower.first), placed.apply(points_at(following.roots, lower.second))
    share = lower.weight[:, None]
    roots = (1.0 - share) * p + share * q
    if plan.lower.fades:
        ends = SegmentEnds.of(plan, plan.lower, lower, at)
        a, b = (
            points_beyond(previous.roots, ends.before),
            placed.apply(points_beyond(following.roots, ends.after)),
        )
        roots[ends.span] = with_shifts(roots[ends.span], a, b, fps=fps)
    inside = (at > plan.lower.begin) & (at < plan.lower.end)
    if inside.any():
        span = slice(int(np.argmax(inside)), len(at) - int(np.argmax(inside[::-1])))
        ankles, feet = _feet(plan, previous, following, placed, lower, at)
        ease = within_ends(len(ankles[span]), max(round(EASE * fps), 1))
        rotations[span], roots[span] = legs_reach(
            previous.motion.clip.skeleton,
            rotations[span],
            roots[span],
            ankles=ankles[span],
            feet=feet[span],
            fps=fps,
            inside=ease,
        )
    return BlendedFrames(frames[0], rotations, roots, lower, upper)


@dataclass(frozen=True)
class SegmentEnds:
    """Stretch in which weights rise, both ends included, and the rows in which both motions continue beyond its ends.

    ``before`` is the row of the previous motion in the frame after the first, ``after`` that of the following one in
    the frame before the last: a held pose continues as its own motion does.
    """

    span: slice
    before: float
    after: float

    @staticmethod
    def of(plan: PairPlan, segment: PlannedSegment, sources: HalfSources, at: Floats) -> SegmentEnds:
        """Return the ends of a segment among frames."""
        begin = max(segment.curve.begin, segment.begin) - int(at[0])
        end = min(segment.curve.end, segment.end) - int(at[0])
        moves = segment.kind in ("motion-to-motion", "motion-to-pose")
        before = float(sources.first[begin + 1]) if moves else at[begin] + 1.0
        return SegmentEnds(slice(begin, end + 1), before, at[end] - 1.0 - plan.offset)


def lower_sources(plan: PairPlan, previous: HeldMotion, following: HeldMotion, at: Floats) -> HalfSources:
    """Return the sources of the lower half; a stretched step is played over its entire range."""
    out = half_sources(plan.lower, previous, following, plan.offset, at)
    phase, segment = plan.previous_phase, plan.lower
    if plan.method != "connection" or phase is None or segment.kind != "motion-to-pose":
        return out
    begin, end = segment.begin, min(phase.end_frame, previous.n_frames - 1)
    if phase.foot == "both" or end <= begin or segment.end <= end:
        return out
    # The foot is in the air over the entire range, and lifts at its own speed.
    slope = min((segment.end - begin) / (end - begin), 3.0)
    inside = (at >= begin) & (at <= segment.end)
    x = (at[inside] - begin) / (segment.end - begin)
    out.first[inside] = begin + (end - begin) * monotone_hermite(x, slope, 0.5 * (3.0 - slope))
    return out


def half_sources(
    segment: PlannedSegment, previous: HeldMotion, following: HeldMotion, offset: int, at: Floats
) -> HalfSources:
    """Return rows and weights of a segment at frames: only the first motion before it, only the second after it."""
    first = np.clip(at, 0, previous.n_frames - 1).astype(np.float64)
    second = np.clip(at - offset, 0, following.n_frames - 1).astype(np.float64)
    weight = segment.curve.at(at)
    weight[at <= segment.begin], weight[at >= segment.end] = 0.0, 1.0
    if segment.kind == "pose-to-pose":
        first = np.minimum(first, min(segment.begin, previous.n_frames - 1))
    if segment.kind in ("pose-to-pose", "motion-to-pose"):
        second = np.maximum(second, segment.end - offset)
    return HalfSources(first, second, weight)


def _beside(motion: HeldMotion, joints: Ints, row: float, placed: PlanarMotion) -> Quaternions:
    """Local rotations (K, 4) of joints at a row, the root's as placed on the ground."""
    out = turns_beyond(motion.rotations, row, joints)
    if joints[0] == 0:
        out[0] = placed.rotate(out[0])
    return out


def _mixed(a: Quaternions, b: Quaternions, weight: Floats) -> Quaternions:
    """Slerp rotations (n, K, 4) with weights (n,); exactly one of both where the weight is 0 or 1."""
    out = np.where((weight >= 1.0)[:, None, None], b, a)
    inside = np.flatnonzero((weight > 0.0) & (weight < 1.0))
    if inside.size:
        out[inside] = slerp(a[inside], b[inside], weight[inside, None])
    return out


def _feet(
    plan: PairPlan,
    previous: HeldMotion,
    following: HeldMotion,
    placed: PlanarMotion,
    lower: HalfSources,
    at: Floats,
) -> tuple[Positions, Quaternions]:
    """Positions (n, 2, 3) and rotations (n, 2, 4) of both ankles, blended from one motion's to the other's."""
    turned = yawed(np.array(placed.turn), turns_at(following.feet, lower.second))
    share = lower.weight[:, None, None]
    there = placed.apply(points_at(following.ankles, lower.second))
    ankles = (1.0 - share) * points_at(previous.ankles, lower.first) + share * there
    feet = slerp(turns_at(previous.feet, lower.first), turned, lower.weight[:, None])
    if plan.lower.fades:
        ends, fps = SegmentEnds.of(plan, plan.lower, lower, at), plan.window.fps
        a, b = points_beyond(previous.ankles, ends.before), points_beyond(following.ankles, ends.after)
        ankles[ends.span] = with_shifts(ankles[ends.span], a, placed.apply(b), fps=fps)
        a, b = turns_beyond(previous.feet, ends.before), turns_beyond(following.feet, ends.after)
        feet[ends.span] = with_turns(feet[ends.span], a, yawed(np.array(placed.turn), b), fps=fps)
    if plan.lower.kind == "pose-to-pose" and plan.method == "connection" and plan.previous_phase is not None:
        inside = (at > plan.lower.begin) & (at < plan.lower.end)
        ankles[inside, :, 1] += _lift(plan, previous, at[inside])
    return ankles, feet


def _lift(plan: PairPlan, previous: HeldMotion, at: Floats) -> Floats:
    """Height (n, 2) of a foot above the straight line from lift-off to landing, as in its own step."""
    phase, segment = plan.previous_phase, plan.lower
    out = np.zeros((len(at), 2))
    if phase is None:
        return out
    begin, end = max(phase.begin_frame, segment.begin), min(phase.end_frame, previous.n_frames - 1)
    x = (at - segment.begin) / (segment.end - segment.begin)
    heights = previous.ankles[..., 1]
    moving = {"left": [0], "right": [1], "both": [0, 1]}[phase.foot]
    for foot in moving:
        rise = points_at(heights[:, foot], begin + x * (end - begin))
        straight = (1.0 - x) * heights[begin, foot] + x * heights[end, foot]
        out[:, foot] = np.maximum(rise - straight, 0.0)
    return out


def planted_feet(plan: PairPlan, previous: HeldMotion, following: HeldMotion, frames: BlendedFrames) -> Bools:
    """Return flags (n, 4) of heels and toes that are planted in the motion from which the foot is taken."""
    at = np.arange(frames.begin, frames.begin + len(frames.roots))
    segment = plan.lower
    own = previous.motion.planted[np.rint(frames.lower.first).astype(np.int64)]
    others = following.motion.planted[np.rint(frames.lower.second).astype(np.int64)]
    weight = frames.lower.weight[:, None]
    # A part planted in only one of the motions moves in the blend while the other motion has weight.
    out = np.where(weight <= 0.0, own, np.where(weight >= 1.0, others, own & others))
    first, second = plan.previous_phase, plan.following_phase
    if first is None or plan.adapts:
        return out
    for foot, word in enumerate(("left", "right")):
        if first.foot not in (word, "both"):
            continue
        parts = slice(2 * foot, 2 * foot + 2)
        leaves = max(first.begin_frame, segment.begin) if plan.method == "transition" else segment.begin
        lands = min(max(first.end_frame, second.end_frame), segment.end) if second else segment.end
        before, after = at < leaves, at >= lands
        out[:, parts] = (before[:, None] & own[:, parts]) | (after[:, None] & others[:, parts])
    return out
