"""Choose which of the four methods joins a pair, from its foot phases (§4.1 and §4.2.5 of the source)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from segue.sequencing.decisions import FootPhase, JoinMethod, LostCandidate
from segue.sequencing.phases import SHORTEST, long_enough

LONGEST_STEP = 2.0
"""Multiple of its own length to which a step of the previous motion may be stretched to meet the following one."""
SLACK = 0.5
"""Seconds that a stretched step may last in any case."""


@dataclass(frozen=True)
class JoinWindow:
    """Frames of the clock within which two motions can be joined.

    Parameters
    ----------
    left
        Last frame of the previous core, or the last frame that must not change.
    met
        First frame of the following core.
    starts
        First frame of the following motion.
    ends
        Last frame of the previous motion.
    fps
        Frames a second.
    """

    left: int
    met: int
    starts: int
    ends: int
    fps: float

    def outside(self, phase: FootPhase) -> FootPhase:
        """Return the part of a phase between the cores; its end may precede its start."""
        return FootPhase(phase.foot, max(phase.begin_frame, self.left), min(phase.end_frame, self.met))


@dataclass(frozen=True)
class MethodChoice:
    """The chosen method with its phases, uncut and on the clock, and the rejected candidates."""

    method: JoinMethod
    previous_phase: FootPhase | None
    following_phase: FootPhase | None
    lost: tuple[LostCandidate, ...]


def choose_method(
    previous: Sequence[FootPhase], following: Sequence[FootPhase], window: JoinWindow
) -> MethodChoice:
    """Choose a method for phases on the clock: transition before connection before adaptation.

    A phase counts if 0.1 s of it lie outside the cores, an overlap if it lasts as long; among several, the one with the
    longest range is chosen.
    """
    lost: list[LostCandidate] = []
    found = (
        _transition(previous, following, window, lost)
        or _connection(previous, window, lost)
        or _adaptation(following, window, lost)
    )
    return MethodChoice(*found, tuple(lost))


_Found = tuple[JoinMethod, FootPhase | None, FootPhase | None]


def _counts(phase: FootPhase, window: JoinWindow) -> bool:
    return long_enough(window.outside(phase).n_frames, window.fps)


def _transition(
    previous: Sequence[FootPhase],
    following: Sequence[FootPhase],
    window: JoinWindow,
    lost: list[LostCandidate],
) -> _Found | None:
    """Transition: the same foot moves in both motions at the same time, outside the cores."""
    best: tuple[int, FootPhase, FootPhase] | None = None
    for first in previous:
        for second in following:
            reason = ""
            p, q = window.outside(first), window.outside(second)
            if first.foot != second.foot:
                continue
            if not (_counts(first, window) and _counts(second, window)):
                reason = f"less than {SHORTEST:g} s of a phase lie outside the cores"
            elif not long_enough(
                min(p.end_frame, q.end_frame) - max(p.begin_frame, q.begin_frame), window.fps
            ):
                reason = f"the phases do not overlap for {SHORTEST:g} s"
            elif best is not None and q.end_frame - p.begin_frame <= best[0]:
                reason = "another pair of phases leaves a longer range"
            if reason:
                lost.append(LostCandidate("transition", reason, first, second))
                continue
            if best is not None:
                longer = "another pair of phases leaves a longer range"
                lost.append(LostCandidate("transition", longer, best[1], best[2]))
            best = (q.end_frame - p.begin_frame, first, second)
    if best is None:
        lost.append(LostCandidate("transition", "no foot moves in both motions at one time"))
        return None
    return "transition", best[1], best[2]


def _connection(
    previous: Sequence[FootPhase], window: JoinWindow, lost: list[LostCandidate]
) -> _Found | None:
    """Connection: a foot moves in the previous motion."""
    best: tuple[int, FootPhase] | None = None
    for phase in previous:
        begin = window.outside(phase).begin_frame
        reason = ""
        wait = window.starts - begin
        if not _counts(phase, window):
            reason = f"less than {SHORTEST:g} s of the phase lie outside the cores"
        elif wait > max(LONGEST_STEP * (phase.end_frame - begin), SLACK * window.fps):
            # The foot would hang in the air until the following motion begins.
            reason = f"the following motion begins {wait / window.fps:.2f} s after the foot lifts"
        elif best is not None and window.met - begin <= best[0]:
            reason = "another phase leaves a longer range"
        if reason:
            lost.append(LostCandidate("connection", reason, phase))
            continue
        best = (window.met - begin, phase)
    if best is None:
        lost.append(LostCandidate("connection", "no foot moves in the previous motion after its core"))
        return None
    return "connection", best[1], None


def _adaptation(following: Sequence[FootPhase], window: JoinWindow, lost: list[LostCandidate]) -> _Found:
    """Adaptation: no foot moves in the previous motion; its foothold is kept until one moves in the following one."""
    from_frame = max(window.left, window.starts)
    best: FootPhase | None = None
    for phase in following:
        reason = ""
        if not long_enough(phase.begin_frame - from_frame, window.fps):
            reason = "the phase begins before the following motion can be shown"
        elif best is not None and phase.begin_frame >= best.begin_frame:
            reason = "another phase leaves a longer range"
        if reason:
            lost.append(LostCandidate("adaptation with step", reason, None, phase))
            continue
        best = phase
    if best is None:
        lost.append(LostCandidate("adaptation with step", "no foot moves in the following motion"))
        return "adaptation without step", None, None
    return "adaptation with step", None, best
