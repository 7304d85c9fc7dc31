"""Plan of a pair: segments, their best ranges within bounds, and their weight curves.

Frames here are those of the previous motion's clip: its first is 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from segue.arrays import Floats
from segue.maths.planar import turned
from segue.sequencing.choice import LONGEST_STEP, JoinWindow, MethodChoice, choose_method
from segue.sequencing.curves import WeightCurve, distance_trend, end_slopes, weight_curve
from segue.sequencing.decisions import BlendKind, Foot, FootPhase, Half, JoinMethod, LostCandidate
from segue.sequencing.footholds import HeldMotion, over_foot, unheld
from segue.sequencing.phases import SHORTEST, stand_around
from segue.sequencing.poses import PrimaryPoints
from segue.sequencing.prepared import ReadyMotion
from segue.sequencing.ranges import Bounds, FoundRange, RangeSearch


@dataclass(frozen=True)
class PlannedSegment:
    """A stretch over which a half of the body is blended, with its weight curve.

    ``fades``: whether velocities that the curve does not match fade inside the blend.
    """

    name: str
    half: Half
    kind: BlendKind
    begin: int
    end: int
    curve: WeightCurve
    objective: float = 0.0
    terms: tuple[float, float, float] = (0.0, 0.0, 0.0)
    fades: bool = True


@dataclass(frozen=True)
class PairPlan:
    """Plan for joining a pair.

    Parameters
    ----------
    method, previous_phase, following_phase, lost
        The chosen method and phases, and the rejected candidates.
    window
        Frames within which the pair can be joined.
    offset
        Frame at which the following motion begins.
    lower, upper
        Blend segment of each half between the cores.
    release
        Segment that blends a kept foothold away, if any.
    planted
        Whether planted feet are held, and the motion is placed by the planted foot.
    """

    method: JoinMethod
    previous_phase: FootPhase | None
    following_phase: FootPhase | None
    lost: tuple[LostCandidate, ...]
    window: JoinWindow
    offset: int
    lower: PlannedSegment
    upper: PlannedSegment
    release: PlannedSegment | None = None
    planted: bool = True

    @property
    def adapts(self) -> bool:
        """Whether the previous motion's foothold is kept."""
        return self.method in ("adaptation with step", "adaptation without step")


def join_window(previous: HeldMotion, following: ReadyMotion, offset: int, after: int | None) -> JoinWindow:
    """Return the frames within which a pair can be joined; ``after`` is the last frame that must not change."""
    left = max(previous.motion.core[1] - 1, 0)
    if after is not None:
        left = max(left, after)
    ends = max(previous.n_frames - 1, left)
    return JoinWindow(left, offset + following.core[0], offset, ends, previous.motion.clip.fps)


def plan_pair(
    previous: HeldMotion,
    following: ReadyMotion,
    offset: int,
    *,
    smoothness: float,
    after: int | None = None,
    choice: MethodChoice | None = None,
) -> PairPlan:
    """Plan the joining of two motions whose cores do not overlap.

    Parameters
    ----------
    previous
        The motion before, as changed by the pair before it.
    following
        The motion that follows.
    offset
        Frame of the previous motion's clip at which the following clip begins.
    smoothness
        The paper's W.
    after
        Last frame that must not change.
    choice
        Method and phases, if already chosen.
    """
    window = join_window(previous, following, offset, after)
    if choice is None:
        phases = [phase.moved(offset) for phase in following.phases]
        choice = choose_method(previous.motion.phases, phases, window)
    planner = _Planner(previous, following, offset, window, smoothness)
    found = partial(
        PairPlan,
        choice.method,
        choice.previous_phase,
        choice.following_phase,
        choice.lost,
        window,
        offset,
    )
    first, second = choice.previous_phase, choice.following_phase
    if choice.method == "transition" and first is not None and second is not None:
        return found(*planner.transition(first, second))
    if choice.method == "connection" and first is not None:
        return found(*planner.connection(first))
    return found(*planner.adaptation(second))


BESIDE_STEP = 0.25
"""Share of a step by which the range of its lower half may extend beyond it on either side: where a blend moves a foot
far before it lifts, what remains of the step has to cover the entire distance."""
_SHORT = 0.15
"""Seconds that the planted foot must be planted in both motions for the range to be placed there."""
_LEAST = 0.25
"""Shortest range in seconds that is cut at a peak."""
_NEAR = 0.05
"""Metres. Shorter steps give no reliable speed."""
_STANDS: dict[Foot, int | None] = {"left": 1, "right": 0, "both": None}
"""The planted foot while one moves."""


@dataclass(frozen=True, eq=False)
class _Planner:
    previous: HeldMotion
    following: ReadyMotion
    offset: int
    window: JoinWindow
    smoothness: float

    def transition(self, first: FootPhase, second: FootPhase) -> tuple[PlannedSegment, PlannedSegment]:
        """Eq. 1 and 2; feet are blended while the planted foot is planted in both motions."""
        window = self.window
        p, q = window.outside(first), window.outside(second)
        begin = self._apex(first, window.left)
        bounds = self._bounds((begin, q.end_frame - 1), (p.begin_frame + 1, window.met))
        lifts, lands = min(first.begin_frame, second.begin_frame), max(first.end_frame, second.end_frame)
        length = lands - lifts
        beside = round(BESIDE_STEP * length)
        near = _narrowed(bounds, (lifts - beside, lands + beside))
        stands = _narrowed(near, self._stand(first, second))
        roomy = stands.last[1] - stands.first[0] >= _SHORT * window.fps
        lower = self._segment(
            "S0", "lower", "motion-to-motion", stands if roomy else near, length, _STANDS[first.foot]
        )
        return lower, self._segment("S1", "upper", "pose-to-pose", bounds)

    def _stand(self, first: FootPhase, second: FootPhase) -> tuple[int, int]:
        """Frames of the clock between which the foot that does not move in two phases is planted in both motions."""
        within = self.window.left, self.window.met
        following = [phase.moved(self.offset) for phase in self.following.phases]
        a = stand_around(first, self.previous.motion.phases, within=within)
        b = stand_around(second, following, within=within)
        return max(a[0], b[0]), min(a[1], b[1])

    def connection(self, phase: FootPhase) -> tuple[PlannedSegment, PlannedSegment]:
        """Eq. 3 and 4."""
        window = self.window
        begin = window.outside(phase).begin_frame
        last = (begin + 1, window.met)
        if phase.foot == "both" and window.starts <= phase.end_frame <= window.met:
            last = (phase.end_frame, window.met)  # a body in the air lands first
        bounds = self._bounds((begin, begin), last)
        frames = self._drawn_out(phase, begin)
        lower = self._segment("S0", "lower", "motion-to-pose", bounds, frames, _STANDS[phase.foot])
        upper = self._bounds((self._apex(phase, begin), window.met), (begin + 1, window.met))
        return self._to_pose(lower, phase), self._segment("S1", "upper", "pose-to-pose", upper)

    def _drawn_out(self, phase: FootPhase, begin: int) -> int:
        """Duration in frames of a stretched step that keeps its speed: proportional to the foot's distance."""
        stands = _STANDS[phase.foot]
        end = min(phase.end_frame, self.previous.n_frames - 1)
        if stands is None or end <= begin:
            return phase.n_frames
        row = min(self.window.met - self.offset, self.following.clip.n_frames - 1)
        first, last = (_apart(self.previous.motion, at, stands) for at in (begin, end))
        there = _apart(self.following, row, stands)
        near, far = float(np.linalg.norm(last - first)), float(np.linalg.norm(there - first))
        return round(phase.n_frames * min(max(far / max(near, _NEAR), 1.0), LONGEST_STEP))

    def adaptation(
        self, phase: FootPhase | None
    ) -> tuple[PlannedSegment, PlannedSegment, PlannedSegment | None]:
        """Eq. 5 to 8."""
        window = self.window
        until = window.met if phase is None else min(window.met, phase.begin_frame)
        bounds = self._bounds((window.left, window.met), (window.left + 1, until))
        foot = standing_foot(phase)
        lower = self._segment("S1", "lower", "pose-to-pose", bounds, None, foot)
        highest = None if phase is None else highest_frame(self.following, phase, self.offset)
        in_flight = highest is not None and bounds.last[0] <= highest < window.met
        until = highest if in_flight and highest is not None else window.met
        bounds = self._bounds((window.left, window.met), (window.left + 1, until))
        upper = self._segment("S2", "upper", "pose-to-pose", bounds)
        release = None if phase is None else self._release(phase, lower)
        return lower, upper, release

    def _bounds(self, first: tuple[int, int], last: tuple[int, int]) -> Bounds:
        """Bounds within both motions and between the cores, with at least one possible range."""
        window = self.window
        b0, b1 = max(last[0], window.starts, window.left + 1), min(last[1], window.met)
        b0 = min(b0, window.met)
        b1 = max(b1, b0)
        a0, a1 = max(first[0], window.left), min(first[1], window.ends, b1 - 1)
        a0 = min(a0, b1 - 1)
        return Bounds((a0, max(a1, a0)), (b0, b1))

    def _search(self, half: Half, frames: int | None, foot: int | None = None) -> RangeSearch:
        """Search over a half; the lower half's pelvis is taken relative to the planted foot, if there is one."""
        points: tuple[PrimaryPoints, PrimaryPoints] = (self.previous.motion.upper, self.following.upper)
        if half == "lower":
            points = self.previous.lower, self.following.lower
            if foot is not None:
                points = over_foot(self.previous, foot), over_foot(unheld(self.following), foot)
        fps = self.window.fps
        seconds = None if frames is None else frames / fps
        return RangeSearch(*points, 0, self.offset, seconds, self.smoothness, self.following.leg, fps)

    def _segment(
        self,
        name: str,
        half: Half,
        kind: BlendKind,
        bounds: Bounds,
        frames: int | None = None,
        foot: int | None = None,
    ) -> PlannedSegment:
        """The best range within bounds, with the curve that matches the speeds at its ends."""
        search = self._search(half, frames, foot)
        best = search.best(bounds)
        slopes = self._slopes(search, best)
        curve = weight_curve(best.begin, best.end, slopes)
        return PlannedSegment(name, half, kind, best.begin, best.end, curve, best.objective, best.terms)

    def _slopes(self, search: RangeSearch, best: FoundRange) -> tuple[float, float]:
        seconds = (best.end - best.begin) / self.window.fps
        return end_slopes(
            search.previous,
            int(self.previous.rows(np.array(best.begin))),
            search.following,
            best.end - self.offset,
            seconds=seconds,
        )

    def _to_pose(self, segment: PlannedSegment, phase: FootPhase) -> PlannedSegment:
        """Choose motion-to-pose or pose-to-pose by how the distance from the end pose changes along the segment."""
        rows = self.previous.rows(np.arange(segment.begin, segment.end + 1))
        pose = self.following.lower.points[segment.end - self.offset]
        trend, at = distance_trend(pose, self.previous.lower.points[rows][::-1])
        peak = segment.end - at
        highest = highest_frame(self.previous.motion, phase, 0)
        if highest is not None and segment.begin <= highest < segment.end:
            trend, peak = "peak", max(highest, peak if trend == "peak" else highest)
        if trend == "falling":
            return _changed(segment, "pose-to-pose", segment.curve)
        # Enough time must remain after the peak to blend completely.
        least = max(0.5 * (phase.end_frame - segment.begin), _LEAST * self.window.fps)
        room = self.window.met - peak >= least
        if (
            trend == "peak"
            and segment.begin < peak
            and (room or highest is not None)
            and peak < self.window.met
        ):
            return self._cut(segment, phase, peak)
        return segment

    def _cut(self, segment: PlannedSegment, phase: FootPhase, peak: int) -> PlannedSegment:
        """The segment with weights that rise only from the peak, flat there, to the best end of that range."""
        last = (max(peak + 1, segment.end if phase.foot == "both" else 0), self.window.met)
        search = self._search("lower", phase.n_frames, _STANDS[phase.foot])
        best = search.best(self._bounds((peak, peak), last))
        curve = weight_curve(peak, best.end, (0.0, self._slopes(search, best)[1]))
        return PlannedSegment(
            segment.name, "lower", segment.kind, segment.begin, best.end, curve, best.objective, best.terms
        )

    def _release(self, phase: FootPhase, kept: PlannedSegment) -> PlannedSegment:
        """S0: blend the kept foothold away while its foot moves; it has to be gone when the foot lands."""
        begin = phase.begin_frame
        end = min(phase.end_frame, self.offset + self.following.clip.n_frames - 1)
        end = max(end, begin + 1)
        pose = int(self.previous.rows(np.array(kept.begin)))
        search = self._search("lower", phase.n_frames)
        # The range starts at the kept pose; its time runs from where the foot lifts.
        search = RangeSearch(
            _still(search.previous, pose),
            search.following,
            begin,
            self.offset,
            search.phase_seconds,
            search.smoothness,
            search.leg,
            search.fps,
        )
        best = search.best(Bounds((begin, begin), (begin + 1, end)))
        moving = self.following.lower.points[begin - self.offset : best.end - self.offset + 1]
        trend, at = distance_trend(search.previous.points[0], moving)
        # A foothold blended away in less than half of the step makes the foot jump: then it lasts to the landing.
        soonest = min(end, begin + max((end - begin) // 2, round(_LEAST * self.window.fps)))
        stop = end if best.end < soonest else best.end
        if trend == "peak" and begin + at >= soonest:
            stop = begin + at
        highest = highest_frame(self.following, phase, self.offset)
        if highest is not None and begin + round(SHORTEST * self.window.fps) <= highest < stop:
            stop = highest
        # The rest of the foothold is an offset from a motion that moves anyway: it begins and ends without speed.
        curve = weight_curve(begin, stop, (0.0, 0.0))
        segment = PlannedSegment(
            "S0", "lower", "pose-to-motion", begin, stop, curve, best.objective, best.terms
        )
        return _changed(segment, "pose-to-pose", curve) if trend == "falling" else segment

    def _apex(self, phase: FootPhase, begin: int) -> int:
        """First frame at which a body in the air may be blended: its highest, but not before ``begin``."""
        highest = highest_frame(self.previous.motion, phase, 0)
        return begin if highest is None else max(begin, highest)


def _narrowed(bounds: Bounds, frames: tuple[int, int]) -> Bounds:
    """Bounds further limited to a first and a last frame, as far as a range remains possible."""
    (a0, a1), (b0, b1) = bounds.first, bounds.last
    return Bounds((min(max(a0, frames[0]), a1), a1), (b0, max(min(b1, frames[1]), b0)))


def standing_foot(phase: FootPhase | None) -> int | None:
    """Return the foot planted during a phase, 0 is the left, 1 the right; the left where nothing moves.

    Examples
    --------
    >>> standing_foot(FootPhase("left", 0, 10)), standing_foot(FootPhase("both", 0, 10)), standing_foot(None)
    (1, None, 0)
    """
    return 0 if phase is None else _STANDS[phase.foot]


def highest_frame(motion: ReadyMotion, phase: FootPhase, offset: int) -> int | None:
    """Return the frame in which the pelvis is highest, if both feet are off the ground."""
    if phase.foot != "both":
        return None
    rows = slice(max(phase.begin_frame - offset, 0), phase.end_frame - offset)
    return rows.start + offset + int(np.argmax(motion.pelvis[rows, 1]))


def _apart(motion: ReadyMotion, row: int, stands: int) -> Floats:
    """Position (2,) of one foot relative to the other, planted one, as seen from the body."""
    feet = motion.ground[row].reshape(2, 2, 2).mean(axis=1)
    return turned(-motion.orientation[row], feet[1 - stands] - feet[stands])


def _still(points: PrimaryPoints, row: int) -> PrimaryPoints:
    one = slice(row, row + 1)
    return PrimaryPoints(points.points[one], np.zeros_like(points.moves[one]), np.zeros(1), points.rates[one])


def _changed(segment: PlannedSegment, kind: BlendKind, curve: WeightCurve) -> PlannedSegment:
    return PlannedSegment(
        segment.name, segment.half, kind, segment.begin, segment.end, curve, segment.objective, segment.terms
    )
