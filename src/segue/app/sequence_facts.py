"""Decisions of a sequence, as plain values: for --json, for records and for reports."""

from __future__ import annotations

from typing import Any

from segue.runtime.sequence_player import SequenceAnswer
from segue.sequencing.decisions import BlendSegment, FootPhase, PairDecision, RejectedMotion
from segue.sequencing.sequence import MotionSequence

_DIGITS = 6
_GAP = 0.5  # seconds


def facts(sequence: MotionSequence) -> dict[str, Any]:
    """Executed motions, pairs and rejected motions of a sequence, in seconds from its first frame."""
    fps, first = sequence.clip.fps, sequence.first_frame
    return {
        "motions": [
            {
                "motion": core.motion,
                "number": core.number,
                "core": [_seconds(core.begin_frame - first, fps), _seconds(core.end_frame - first, fps)],
                "from": _seconds(core.start_frame - first, fps),
                "seconds": _seconds(core.n_frames - 1, fps),
            }
            for core in sequence.cores
        ],
        "pairs": [pair_facts(pair, first, fps) for pair in sequence.pairs],
        "rejected": [rejected_facts(one) for one in sequence.rejected],
        "gaps": [[_seconds(a, fps), _seconds(b, fps)] for a, b in gaps(sequence)],
        "clock": _seconds(first, fps),
    }


def gaps(sequence: MotionSequence) -> list[tuple[int, int]]:
    """Stretches (half open, in frames of the motion) longer than `_GAP` between two motions, in which none plays."""
    first, least = sequence.first_frame, round(_GAP * sequence.clip.fps)
    ends = [core.start_frame + core.n_frames for core in sequence.cores]
    begins = [core.start_frame for core in sequence.cores]
    return [
        (end - first, begin - first)
        for end, begin in zip(ends, begins[1:], strict=False)
        if begin - end > least
    ]


def pair_facts(pair: PairDecision, first: int, fps: float) -> dict[str, Any]:
    """How two motions are joined; ``first`` is the frame of the clock that counts as 0 s."""
    return {
        "previous": pair.previous,
        "following": pair.following,
        "method": pair.method,
        "phases": [_phase(phase, first, fps) for phase in (pair.previous_phase, pair.following_phase)],
        "segments": [_segment(segment, first, fps) for segment in pair.segments],
        "smoothness": pair.smoothness,
        "slip_before_mm": round(1000 * pair.slip_before, 3),
        "slip_after_mm": round(1000 * pair.slip_after, 3),
        "foothold_cm": [round(100 * value, 2) for value in pair.foothold],
        "lost": [
            {
                "method": lost.method,
                "reason": lost.reason,
                "phases": [
                    _phase(phase, first, fps) for phase in (lost.previous_phase, lost.following_phase)
                ],
            }
            for lost in pair.lost
        ],
    }


def rejected_facts(one: RejectedMotion) -> dict[str, Any]:
    """A motion that is not executed, with the reason and the nearest time; seconds of the script's clock."""
    return {
        "motion": one.motion,
        "number": one.number,
        "at": round(one.at, _DIGITS),
        "reason": one.reason,
        "nearest_at": round(one.nearest_at, _DIGITS),
    }


def answer_facts(one: SequenceAnswer) -> dict[str, Any]:
    """Outcome of a request to a live player, in seconds of playing time."""
    return {
        "seconds": round(one.seconds, _DIGITS),
        "command": one.request.command,
        "motion": one.request.motion,
        "at": one.request.at,
        "priority": one.request.priority,
        "outcome": one.outcome,
        "reason": one.reason,
        "method": one.method,
        "begins_at": None if one.begins_at is None else round(one.begins_at, _DIGITS),
        "latency": None if one.latency is None else round(one.latency, _DIGITS),
    }


def _seconds(frames: float, fps: float) -> float:
    return round(frames / fps, _DIGITS)


def _phase(phase: FootPhase | None, first: int, fps: float) -> dict[str, Any] | None:
    if phase is None:
        return None
    span = [_seconds(frame - first, fps) for frame in (phase.begin_frame, phase.end_frame)]
    return {"foot": phase.foot, "seconds": span}


def _segment(segment: BlendSegment, first: int, fps: float) -> dict[str, Any]:
    return {
        "name": segment.name,
        "half": segment.half,
        "kind": segment.kind,
        "seconds": [_seconds(frame - first, fps) for frame in (segment.begin_frame, segment.end_frame)],
        "slopes": [round(slope, _DIGITS) for slope in segment.slopes],
        "limited": segment.limited,
        "objective": round(segment.objective, _DIGITS),
        "terms": [round(term, _DIGITS) for term in segment.terms],
    }
