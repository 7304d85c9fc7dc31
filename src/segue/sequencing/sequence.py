"""A sequence: elementary motions on one clock, each neighbouring pair joined, ready to be shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from segue.motion.clip import Clip, Origin
from segue.motion.skeleton import Skeleton
from segue.sequencing.decisions import PairDecision, PlacedCore, RejectedMotion
from segue.sequencing.elements import ElementaryMotion
from segue.sequencing.script import Placement, SequenceScript
from segue.summaries import one_line


@one_line
@dataclass(frozen=True, eq=False)
class MotionSequence:
    """A made sequence; nothing of it changes, `replan` and `withdraw` give another.

    Parameters
    ----------
    clip
        The motion. Its first frame is the clock's ``first_frame``; its origin names the sources of the lower body.
    upper_origin
        The sources of the upper body, frame by frame.
    first_frame
        Frame of the clock that the clip begins with: second ``t`` of the clock is clip frame ``t fps - first_frame``.
    cores
        Where the executed motions lie, in the order of time.
    pairs
        How each of them is joined to the next.
    rejected
        Placements that are not executed.
    script
        What was asked for.
    """

    clip: Clip
    upper_origin: Origin
    first_frame: int
    cores: tuple[PlacedCore, ...]
    pairs: tuple[PairDecision, ...]
    rejected: tuple[RejectedMotion, ...]
    script: SequenceScript


def make_sequence(
    elements: Mapping[str, ElementaryMotion],
    script: SequenceScript,
    *,
    skeleton: Skeleton | None = None,
    fps: float | None = None,
    earlier: MotionSequence | None = None,
) -> MotionSequence:
    """Make the sequence of a script.

    ``skeleton`` is the first element's and ``fps`` the commonest rate of the elements placed, unless given. From an
    earlier sequence everything is taken that the script did not touch; the result is that of a synthesis from scratch.
    """
    raise NotImplementedError


def replan(sequence: MotionSequence, placement: Placement, *, now: float) -> MotionSequence:
    """Execute one more motion in a sequence that has been played up to ``now`` seconds of its clock.

    No frame up to ``now`` changes. A motion that cannot be executed is in ``rejected`` of what comes back.
    """
    raise NotImplementedError


def withdraw(sequence: MotionSequence, motion: str, *, now: float) -> MotionSequence:
    """Take the next execution of a motion back that has not begun at ``now``; no frame up to then changes.

    Raises `SettingError` if none is left that has not begun.
    """
    raise NotImplementedError
