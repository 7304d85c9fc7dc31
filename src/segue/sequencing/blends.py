"""Frames of a pair between its cores: each half of the body blended by its own segment."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from segue.arrays import Bools, Floats, Ints, Positions, Quaternions
from segue.maths.easing import monotone_hermite
from segue.maths.planar import PlanarMotion
from segue.maths.quaternions import conjugate, multiply, slerp, yawed
from segue.motion.skeleton import Skeleton
from segue.sequencing.footholds import HeldMotion
from segue.sequencing.planning import PairPlan, PlannedSegment
from segue.sequencing.reaching import EASE, legs_reach, within_ends
from segue.sequencing.velocities import with_turns, with_ways


@dataclass(frozen=True, eq=False)
class HalfSources:
    """What one half of the body is made of over n frames: rows of both clips, fractional, and the second's weight."""

    first: Floats
    second: Floats
    weight: Floats


@dataclass(frozen=True, eq=False)
class BlendedFrames:
    """Frames of a pair, in the space of the previous clip.

    Parameters
    ----------
    begin
        Frame of the first, from the beginning of the previous clip.
    rotations, roots
        (n, J, 4) and (n, 3).
    lower, upper
        What each half is made of.
    """

    begin: int
    rotations: Quaternions
    roots: Positions
    lower: HalfSources
    upper: HalfSources


def blended(
    plan: PairPlan, previous: HeldMotion, following: HeldMotion, placed: PlanarMotion, frames: tuple[int, int]
) -> BlendedFrames:
    """Frames of a pair as they are blended, without plant IK; frames half open, all of them between the cores."""
    at = np.arange(*frames, dtype=np.float64)
    lower = lower_sources(plan, previous, following, at)
    upper = _sources(plan.upper, previous, following, plan.offset, at)
    halves = previous.motion.halves
    low, high = np.flatnonzero(halves.lower), np.flatnonzero(halves.upper)
    ends = PlanarMotion(), placed
    rotations = np.empty((len(at), len(halves.lower), 4))
    for sources, joints, segment in ((lower, low, plan.lower), (upper, high, plan.upper)):
        a, b = _turns(previous, sources.first, joints), _turns(following, sources.second, joints)
        if joints[0] == 0:
            b[:, 0] = placed.rotate(b[:, 0])
        rotations[:, joints] = _mixed(a, b, sources.weight)
        if plan.optimal:
            span = _span(segment, at)
            beside = [
                _beside(motion, joints, row, ground)
                for motion, row, ground in zip(
                    (previous, following), _next_rows(plan, segment), ends, strict=True
                )
            ]
            rotations[span, joints] = with_turns(rotations[span, joints], *beside, fps=plan.window.fps)
    p, q = _points(previous.roots, lower.first), placed.apply(_points(following.roots, lower.second))
    share = lower.weight[:, None]
    roots = (1.0 - share) * p + share * q
    if plan.optimal:
        span, rows = _span(plan.lower, at), _next_rows(plan, plan.lower)
        a, b = (
            motion.roots[motion.rows(np.array(row))]
            for motion, row in zip((previous, following), rows, strict=True)
        )
        roots[span] = with_ways(roots[span], a, placed.apply(b), fps=plan.window.fps)
    inside = (at > plan.lower.begin) & (at < plan.lower.end)
    if inside.any():
        span = slice(int(np.argmax(inside)), len(at) - int(np.argmax(inside[::-1])))
        rotations[span], roots[span] = _feet_between(
            previous.motion.clip.skeleton,
            (rotations[span], roots[span]),
            _feet(plan, previous, following, placed, lower, at, span),
            previous.motion.clip.fps,
        )
    return BlendedFrames(frames[0], rotations, roots, lower, upper)


def _span(segment: PlannedSegment, at: Floats) -> slice:
    """Frames over which weights rise, both ends included."""
    begin = max(segment.curve.begin, segment.begin) - int(at[0])
    return slice(begin, min(segment.curve.end, segment.end) - int(at[0]) + 1)


def _next_rows(plan: PairPlan, segment: PlannedSegment) -> tuple[int, int]:
    """Row of the previous motion after a blend's first frame, and row of the following one before its last."""
    begin, end = max(segment.curve.begin, segment.begin), min(segment.curve.end, segment.end)
    return begin + 1, end - 1 - plan.offset


def lower_sources(plan: PairPlan, previous: HeldMotion, following: HeldMotion, at: Floats) -> HalfSources:
    """What the lower half is made of at frames; a step that is drawn out is played over the whole of its range."""
    out = _sources(plan.lower, previous, following, plan.offset, at)
    phase, segment = plan.previous_phase, plan.lower
    if plan.method != "connection" or phase is None or segment.kind != "motion-to-pose":
        return out
    begin, end = segment.begin, min(phase.end_frame, previous.n_frames - 1)
    if phase.foot == "both" or end <= begin or segment.end <= end:
        return out
    # The foot is in the air for all of the range, and lifts as fast as it did.
    slope = min((segment.end - begin) / (end - begin), 3.0)
    inside = (at >= begin) & (at <= segment.end)
    x = (at[inside] - begin) / (segment.end - begin)
    out.first[inside] = begin + (end - begin) * monotone_hermite(x, slope, 0.5 * (3.0 - slope))
    return out


def _sources(
    segment: PlannedSegment, previous: HeldMotion, following: HeldMotion, offset: int, at: Floats
) -> HalfSources:
    """Rows and weights of a segment at frames: the first motion alone before it, the second alone after it."""
    first = np.clip(at, 0, previous.n_frames - 1).astype(np.float64)
    second = np.clip(at - offset, 0, following.n_frames - 1).astype(np.float64)
    weight = segment.curve.at(at)
    weight[at <= segment.begin], weight[at >= segment.end] = 0.0, 1.0
    if segment.kind == "pose-to-pose":
        first = np.minimum(first, min(segment.begin, previous.n_frames - 1))
    if segment.kind in ("pose-to-pose", "motion-to-pose"):
        second = np.maximum(second, segment.end - offset)
    return HalfSources(first, second, weight)


def _turns(motion: HeldMotion, rows: Floats, joints: Ints) -> Quaternions:
    """Local rotations (n, K, 4) of joints at rows, slerped between frames where they are fractional."""
    low = np.floor(rows).astype(np.int64)
    out: Quaternions = motion.rotations[low[:, None], joints]
    between = np.flatnonzero(rows > low)
    if between.size:
        high = np.minimum(low[between] + 1, motion.n_frames - 1)
        after = motion.rotations[high[:, None], joints]
        out[between] = slerp(out[between], after, (rows - low)[between, None])
    return out


def _beside(motion: HeldMotion, joints: Ints, row: int, placed: PlanarMotion) -> Quaternions:
    """Local rotations (K, 4) of joints at a row, the root's as it lies on the ground.

    Beyond an end of the clip the motion goes on as in its last step.
    """
    inside = int(motion.rows(np.array(row)))
    out = np.array(motion.rotations[inside, joints])
    if inside != row and motion.n_frames > 1:
        back = motion.rotations[inside + (1 if row < 0 else -1), joints]
        out = multiply(multiply(out, conjugate(back)), out)
    if joints[0] == 0:
        out[0] = placed.rotate(out[0])
    return out


def _points(values: Floats, rows: Floats) -> Floats:
    """Values (n, ...) at rows, linear between frames."""
    low = np.floor(rows).astype(np.int64)
    high = np.minimum(low + 1, len(values) - 1)
    share = (rows - low).reshape(-1, *(1,) * (values.ndim - 1))
    out: Floats = (1.0 - share) * values[low] + share * values[high]
    return out


def _mixed(a: Quaternions, b: Quaternions, weight: Floats) -> Quaternions:
    """Rotations (n, K, 4) between two under weights (n,); exactly either where the weight is 0 or 1."""
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
    span: slice,
) -> tuple[Positions, Quaternions]:
    """Places (n, 2, 3) and rotations (n, 2, 4) of both ankles: on the way from one motion's to the other's."""
    first, second, weight = lower.first[span], lower.second[span], lower.weight[span]
    share = weight[:, None, None]
    there = placed.apply(_points(following.ankles, second))
    ankles = (1.0 - share) * _points(previous.ankles, first) + share * there
    low = np.floor(first).astype(np.int64), np.floor(second).astype(np.int64)
    feet = slerp(previous.feet[low[0]], yawed(np.array(placed.turn), following.feet[low[1]]), weight[:, None])
    if plan.lower.kind == "pose-to-pose" and plan.method == "connection" and plan.previous_phase is not None:
        ankles[..., 1] += _lift(plan, previous, at[span])
    return ankles, feet


def _lift(plan: PairPlan, previous: HeldMotion, at: Floats) -> Floats:
    """Height (n, 2) of a foot over the straight way from where it leaves to where it lands, as in its own step."""
    phase, segment = plan.previous_phase, plan.lower
    out = np.zeros((len(at), 2))
    if phase is None:
        return out
    begin, end = max(phase.begin_frame, segment.begin), min(phase.end_frame, previous.n_frames - 1)
    x = (at - segment.begin) / (segment.end - segment.begin)
    heights = previous.ankles[..., 1]
    moving = {"left": [0], "right": [1], "both": [0, 1]}[phase.foot]
    for foot in moving:
        rise = _points(heights[:, foot], begin + x * (end - begin))
        straight = (1.0 - x) * heights[begin, foot] + x * heights[end, foot]
        out[:, foot] = np.maximum(rise - straight, 0.0)
    return out


def _feet_between(
    skeleton: Skeleton,
    motion: tuple[Quaternions, Positions],
    feet: tuple[Positions, Quaternions],
    fps: float,
) -> tuple[Quaternions, Positions]:
    """Let the legs of blended frames reach the feet that are wanted."""
    inside = within_ends(len(feet[0]), max(round(EASE * fps), 1))
    return legs_reach(skeleton, *motion, ankles=feet[0], feet=feet[1], fps=fps, inside=inside)


def planted_feet(plan: PairPlan, previous: HeldMotion, following: HeldMotion, frames: BlendedFrames) -> Bools:
    """Flags (n, 4) of the heels and toes that are planted in the motion that has the foot, frame by frame."""
    at = np.arange(frames.begin, frames.begin + len(frames.roots))
    segment = plan.lower
    own = previous.motion.planted[np.rint(frames.lower.first).astype(np.int64)]
    others = following.motion.planted[np.rint(frames.lower.second).astype(np.int64)]
    weight = frames.lower.weight[:, None]
    # What only one motion has on the ground rolls there while the other counts as well.
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
