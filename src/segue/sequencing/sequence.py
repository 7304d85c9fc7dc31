"""A sequence: elementary motions on one clock, with each neighbouring pair joined."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from segue.displays import Displayed
from segue.motion.clip import Clip, Origin
from segue.motion.skeleton import Skeleton
from segue.sequencing.decisions import BlendSegment, PairDecision, PlacedCore, RejectedMotion
from segue.sequencing.elements import ElementaryMotion
from segue.sequencing.prepared import BodyOrientation, commonest_rate
from segue.sequencing.rendering import RenderedMotion, rendered
from segue.sequencing.script import SequenceScript
from segue.sequencing.timeline import Material, PlacedMotion, element_named, executed, in_order
from segue.summaries import one_line


@one_line
@dataclass(frozen=True, eq=False)
class MotionSequence(Displayed):
    """A sequence of motions; `replan` and `withdraw` return a changed one.

    Parameters
    ----------
    material
        Elementary motions, body and rate.
    script
        Requested placements; after replanning, including those requested since.
    placed
        The executed motions, in the order of time.
    rejected
        Placements that are not executed.
    withdrawn
        Positions in the script of withdrawn placements.
    name
        Name of the clip.

    Examples
    --------
    >>> import segue
    >>> from segue.sequencing.script import Placement
    >>> walk = ElementaryMotion("walk", segue.sample("walk"), (60, 120))
    >>> made = make_sequence({"walk": walk}, SequenceScript((Placement("walk", at=1.0), Placement("walk"))))
    >>> [core.motion for core in made.cores], made.clip.n_frames > 360
    (['walk', 'walk'], True)
    """

    material: Material
    script: SequenceScript
    placed: tuple[PlacedMotion, ...]
    rejected: tuple[RejectedMotion, ...]
    withdrawn: tuple[int, ...] = ()
    name: str = "sequence"

    @cached_property
    def _rendered(self) -> RenderedMotion:
        return rendered(self.placed, name=self.name)

    @property
    def clip(self) -> Clip:
        """The motion; its origin gives the sources of the lower body."""
        return self._rendered.clip

    @property
    def upper_origin(self) -> Origin:
        """Sources of the upper body, frame by frame."""
        return self._rendered.upper_origin

    @property
    def fps(self) -> float:
        """Frames a second of clock and clip."""
        return self.material.fps

    @property
    def first_frame(self) -> int:
        """Frame of the clock at which the clip begins: second t of the clock is clip frame ``t fps - first_frame``."""
        return self.placed[0].start

    @property
    def cores(self) -> tuple[PlacedCore, ...]:
        """Cores of the executed motions on the clock."""
        return tuple(one.core for one in self.placed)

    @cached_property
    def pairs(self) -> tuple[PairDecision, ...]:
        """Decisions for each pair of executed motions, in frames of the clock."""
        return tuple(
            on_clock(after.pair.decision, before.start)
            for before, after in zip(self.placed, self.placed[1:], strict=False)
            if after.pair is not None
        )


def make_sequence(
    elements: Mapping[str, ElementaryMotion],
    script: SequenceScript,
    *,
    skeleton: Skeleton | None = None,
    fps: float | None = None,
    orientation: BodyOrientation = "facing",
    name: str = "sequence",
) -> MotionSequence:
    """Make a sequence from a script.

    Pairs that were made before are reused: after one motion is moved only the affected pairs are made again, and the
    result is the same as from scratch.

    Parameters
    ----------
    elements
        Elementary motions by their names in the script.
    script
        Which motions are executed, and when.
    skeleton
        The body; by default that of the first motion placed. Other bodies' motions are retargeted to it.
    fps
        Frames a second; by default the most common rate of the motions placed.
    orientation
        Whether bodies are aligned by where the pelvis faces, or by where it travels.
    name
        Name of the clip.

    Raises
    ------
    SettingError
        If the script names an unknown motion.
    SkeletonError
        If a body has no known legs.

    Examples
    --------
    >>> import segue
    >>> from segue.sequencing.script import Placement
    >>> walk, run = segue.sample("walk"), segue.sample("walk_fast")
    >>> elements = {
    ...     "walk": ElementaryMotion("walk", walk, (60, 120)),
    ...     "fast": ElementaryMotion("fast", run, (60, 120)),
    ... }
    >>> made = make_sequence(elements, SequenceScript((Placement("walk", at=1.0), Placement("fast"))))
    >>> made.pairs[0].method
    'transition'
    """
    used = {one.motion: element_named(elements, one.motion) for one in script.placements}
    skeleton = used[script.placements[0].motion].clip.skeleton if skeleton is None else skeleton
    fps = commonest_rate(used) if fps is None else fps
    material = Material(dict(elements), skeleton, fps, orientation)
    wanted = in_order(list(enumerate(script.placements)), fps)
    placed, rejected = executed(material, wanted, script=script)
    return MotionSequence(material, script, placed, rejected, name=name)


def on_clock(decision: PairDecision, frames: int) -> PairDecision:
    """Convert a decision from frames of the previous clip to frames of the clock."""

    def moved(segment: BlendSegment) -> BlendSegment:
        return replace(
            segment, begin_frame=segment.begin_frame + frames, end_frame=segment.end_frame + frames
        )

    first, second = decision.previous_phase, decision.following_phase
    return replace(
        decision,
        previous_phase=None if first is None else first.moved(frames),
        following_phase=None if second is None else second.moved(frames),
        segments=tuple(moved(segment) for segment in decision.segments),
        lost=tuple(
            replace(
                one,
                previous_phase=None if one.previous_phase is None else one.previous_phase.moved(frames),
                following_phase=None if one.following_phase is None else one.following_phase.moved(frames),
            )
            for one in decision.lost
        ),
    )
