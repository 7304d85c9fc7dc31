"""Choose the plan of a pair with less change of speed: the best ranges, or the entire foot-moving phase as the range.

The best ranges (eq. 9) consider their two ends and not what lies between. Where a step begins late or distances are
long, blending both halves over the entire step can be gentler. Both plans are compared before either is made, by points
relative to the pelvis and to the planted foot, without rotating joints or solving legs.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from segue.arrays import Floats, Ints, Positions, frozen
from segue.measures.curves import half_joints
from segue.motion.skeleton import Skeleton
from segue.sequencing.baselines import constraint_plan
from segue.sequencing.blends import HalfSources, SegmentEnds, half_sources, lower_sources
from segue.sequencing.curves import WeightCurve
from segue.sequencing.decisions import LostCandidate
from segue.sequencing.footholds import HeldMotion, over_foot, unheld
from segue.sequencing.halves import body_halves
from segue.sequencing.moments import points_at, points_beyond
from segue.sequencing.planning import PairPlan, PlannedSegment, highest_frame, standing_foot
from segue.sequencing.prepared import ReadyMotion
from segue.sequencing.velocities import with_shifts

CLEARLY = 0.85
"""The best ranges must stay below this share of a longer range's change of speed: the estimate ignores the legs."""
LONGEST = 1.0
"""Longest range in seconds in which no foot moves: before that a far motion has not begun."""
_AROUND = 1
"""Frames added on both sides of the time between the cores when speeds are compared."""


def gentler_plan(plan: PairPlan, previous: HeldMotion, following: ReadyMotion) -> PairPlan:
    """Return the plan, or one whose ranges are the foot-moving phase, whichever is gentler.

    A step that lasts longer than the best ranges is chosen unless these are clearly gentler; a shorter one only if it
    is gentler itself. A body in the air keeps its highest pose in both.
    """
    other = _whole_phase(plan, previous, following)
    if other is plan:
        return plan
    ours, theirs = (speed_change(one, previous, following) for one in (plan, other))
    longer = other.lower.end - other.lower.begin >= min(_frames(plan.lower), _frames(plan.upper))
    if ours <= (CLEARLY if longer else 1.0) * theirs:
        return plan
    reason = f"the best ranges change speeds by {ours:.0f} m/s^2, the whole step as the range by {theirs:.0f} m/s^2"
    lost = LostCandidate(plan.method, reason, plan.previous_phase, plan.following_phase)
    return replace(other, lost=(*plan.lost, lost))


def _frames(segment: PlannedSegment) -> int:
    """Frames over which the weights of a segment rise."""
    return segment.end - segment.curve.begin


def speed_change(plan: PairPlan, previous: HeldMotion, following: ReadyMotion) -> float:
    """Estimate the largest change of speed of either half under a plan, in m/s^2, before frames are made."""
    fps = plan.window.fps
    at = np.arange(plan.window.left - _AROUND, plan.window.met + _AROUND + 1, dtype=np.float64)
    arriving = unheld(following)
    below, above = _shown(previous.motion.clip.skeleton)
    (low, over), (other_low, other_over) = (
        _lower_points(motion, standing_foot(plan.previous_phase or plan.following_phase), below)
        for motion in (previous, arriving)
    )
    sources = lower_sources(plan, previous, arriving, at)
    points = np.concatenate([low, over], axis=1), np.concatenate([other_low, other_over], axis=1)
    lower = _points_over(plan, plan.lower, sources, points, at)
    sources = half_sources(plan.upper, previous, arriving, plan.offset, at)
    points = previous.motion.upper.points[:, above], following.upper.points[:, above]
    upper = _points_over(plan, plan.upper, sources, points, at) + lower[:, -1:]
    return max(hardest_change(half, fps) for half in (lower, upper))


def hardest_change(points: Positions, fps: float) -> float:
    """Compute the largest change of the mean speed of points (F, K, 3) between frames in m/s^2; 0 without points.

    Speeds are central differences; those of the first and the last frame do not count.

    Examples
    --------
    >>> x = np.zeros((4, 1, 3))
    >>> x[:, 0, 0] = [0.0, 0.0, 0.01, 0.03]
    >>> round(hardest_change(x, 100.0), 6)
    100.0
    """
    if points.shape[1] == 0 or len(points) < 4:
        return 0.0
    speeds = np.linalg.norm(points[2:] - points[:-2], axis=-1).mean(axis=1) * (0.5 * fps)
    return float(np.abs(np.diff(speeds)).max()) * fps


def _whole_phase(plan: PairPlan, previous: HeldMotion, following: ReadyMotion) -> PairPlan:
    """The plan with the foot-moving phase as the range of both halves; a flight is blended from its highest pose on."""
    other, window = constraint_plan(plan, following), plan.window
    longest = round(LONGEST * window.fps)
    if plan.adapts and other.lower.end - other.lower.begin > longest:
        # Not before the following motion is near, and not after the previous one has ended.
        begin = min(other.lower.end - longest, window.ends)
        end = min(max(begin + longest, window.starts), other.lower.end)
        curve = WeightCurve(begin, end, (0.0, 0.0))
        # It may end where the following motion is in full swing: there is time to match its speed.
        lower, upper = (
            replace(one, begin=begin, end=end, curve=curve, fades=True) for one in (other.lower, other.upper)
        )
        other = replace(other, lower=lower, upper=upper)
    if plan.previous_phase is not None and plan.previous_phase.foot == "both":
        return plan if highest_frame(previous.motion, plan.previous_phase, 0) is not None else other
    if plan.following_phase is not None and plan.following_phase.foot == "both":
        return replace(other, release=plan.release)
    return other


@lru_cache(maxsize=256)
def _shown(skeleton: Skeleton) -> tuple[Ints, Ints]:
    """Indices among each half's primary joints of those whose speeds are compared, without the pelvis."""
    halves = body_halves(skeleton)
    out = []
    for joints, primary in zip(
        half_joints(skeleton), (halves.lower_primary, halves.upper_primary), strict=True
    ):
        known = primary.tolist()
        out.append(frozen([known.index(joint) for joint in joints if joint in known], np.int64))
    return out[0], out[1]


def _lower_points(motion: HeldMotion, foot: int | None, joints: Ints) -> tuple[Positions, Positions]:
    """Joints (F, K, 3) of the lower half and the pelvis (F, 1, 3), relative to the planted foot, else to the pelvis."""
    if foot is None:
        return motion.lower.points[:, joints], np.zeros((motion.n_frames, 1, 3))
    points = over_foot(motion, foot).points
    over = points[:, -1:]
    return points[:, joints] + over, over


def _points_over(
    plan: PairPlan,
    segment: PlannedSegment,
    sources: HalfSources,
    points: tuple[Positions, Positions],
    at: Floats,
) -> Positions:
    """Positions of a half's points over frames under a segment."""
    share = sources.weight[:, None, None]
    out = (1.0 - share) * points_at(points[0], sources.first) + share * points_at(points[1], sources.second)
    if segment.fades:
        ends = SegmentEnds.of(plan, segment, sources, at)
        before, after = points_beyond(points[0], ends.before), points_beyond(points[1], ends.after)
        out[ends.span] = with_shifts(out[ends.span], before, after, fps=plan.window.fps)
    return out
