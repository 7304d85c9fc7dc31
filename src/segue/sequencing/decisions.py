"""Decisions for each pair of a sequence, with reasons: method, phases, segments, rejected candidates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from segue.arrays import Floats
from segue.summaries import one_line

Foot: TypeAlias = Literal["left", "right", "both"]
Half: TypeAlias = Literal["lower", "upper", "whole"]
JoinMethod: TypeAlias = Literal[
    "transition",
    "connection",
    "adaptation with step",
    "adaptation without step",
    "pose similarity",
    "constraint only",
    "cut",
]
BlendKind: TypeAlias = Literal[
    "motion-to-motion", "motion-to-pose", "pose-to-motion", "pose-to-pose", "foothold kept"
]


@dataclass(frozen=True)
class FootPhase:
    """A maximal stretch of time in which one foot moves, or both are off the ground.

    Parameters
    ----------
    foot
        ``"left"``, ``"right"`` or ``"both"``.
    begin_frame, end_frame
        Frames, half open: of an elementary motion's clip, or of a sequence's clock in a decision.
    """

    foot: Foot
    begin_frame: int
    end_frame: int

    @property
    def n_frames(self) -> int:
        """Number of frames."""
        return self.end_frame - self.begin_frame

    def moved(self, frames: int) -> FootPhase:
        """Return the same phase, later by a number of frames."""
        return FootPhase(self.foot, self.begin_frame + frames, self.end_frame + frames)


@one_line
@dataclass(frozen=True, eq=False)
class BlendSegment:
    """A stretch of the clock over which one half of the body is blended.

    Parameters
    ----------
    name
        S0 to S3, as in the source.
    half, kind
        Half of the body, and what is blended with what: motions or held poses.
    begin_frame, end_frame
        Frames of the sequence's clock; at the first the weight of the following motion is 0, at the last it is 1.
    weights
        (n,) weight of the following motion at every frame from start to end, both included.
    slopes
        Slopes of the weight curve at both ends over normalised time.
    limited
        Whether a slope was limited to keep the curve monotone: the speed there is not matched.
    objective
        Cost of the range (eq. 9); 0 where no range was searched.
    terms
        Its time, pose and velocity terms (eq. 10 to 14), each over its typical value.
    """

    name: str
    half: Half
    kind: BlendKind
    begin_frame: int
    end_frame: int
    weights: Floats
    slopes: tuple[float, float] = (0.0, 0.0)
    limited: bool = False
    objective: float = 0.0
    terms: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class LostCandidate:
    """A method or a pair of phases that was considered and not chosen."""

    method: JoinMethod
    reason: str
    previous_phase: FootPhase | None = None
    following_phase: FootPhase | None = None


@one_line
@dataclass(frozen=True, eq=False)
class PairDecision:
    """How two neighbouring motions are joined.

    Parameters
    ----------
    previous, following
        Names of the two motions.
    method
        Method that joins them.
    previous_phase, following_phase
        Foot-moving phases used by the method, on the sequence's clock.
    segments
        Blend segments; of an adaptation also the stretch that keeps the foothold.
    smoothness
        The paper's W.
    lost
        Rejected candidates, with the reason.
    slip_before
        Largest slide in metres of any plant of the input, before plant IK.
    slip_after
        The same after plant IK.
    foothold
        Metres by which an adaptation moves the left and the right foot from their place in the following motion.
    turned
        Radians by which the body orientation of the following motion differs from the previous one's, because a foot
        is planted through both cores.
    """

    previous: str
    following: str
    method: JoinMethod
    previous_phase: FootPhase | None
    following_phase: FootPhase | None
    segments: tuple[BlendSegment, ...]
    smoothness: float
    lost: tuple[LostCandidate, ...] = ()
    slip_before: float = 0.0
    slip_after: float = 0.0
    foothold: tuple[float, float] = (0.0, 0.0)
    turned: float = 0.0

    @property
    def begin_frame(self) -> int:
        """First frame of the clock in any segment."""
        return min(segment.begin_frame for segment in self.segments)

    @property
    def end_frame(self) -> int:
        """Last frame of the clock in a blend; kept footholds do not count."""
        return max(segment.end_frame for segment in self.segments if segment.kind != "foothold kept")


@dataclass(frozen=True)
class RejectedMotion:
    """A placement that is not executed.

    Parameters
    ----------
    motion
        Its name.
    at
        Seconds on the clock at which its core was to begin.
    reason
        Reason in words.
    nearest_at
        The nearest time at which it would be executed.
    number
        Its position in the script, from 0.
    """

    motion: str
    at: float
    reason: str
    nearest_at: float
    number: int


@dataclass(frozen=True)
class PlacedCore:
    """The core of an executed motion on the sequence's clock.

    Parameters
    ----------
    motion
        Its name.
    number
        Its position in the script, from 0.
    start_frame
        Frame of the clock at which the complete motion would begin: clip frame f is shown at ``start_frame + f``.
    begin_frame, end_frame
        Frames of the core on the clock, half open.
    n_frames
        Frames of the complete motion.
    """

    motion: str
    number: int
    start_frame: int
    begin_frame: int
    end_frame: int
    n_frames: int
