"""Report page of a sequence: timeline, pairs with their reasons, rejected motions, a filmstrip."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from segue.app.sequencing import LiveSequence
from segue.motion.clip import Clip
from segue.pictures.filmstrip import filmstrip
from segue.pictures.report import Figure, ReportTable, Section, report
from segue.pictures.sequence_timeline import NotExecuted, PlacedSequence, sequence_timeline
from segue.sequencing.decisions import PairDecision
from segue.sequencing.sequence import MotionSequence

_FIGURES = 36
_NAMED = 3


def parts_of_live(live: LiveSequence) -> list[PlacedSequence]:
    """Sequences in a live motion: the final plan of every stretch between two rests."""
    last: dict[int, MotionSequence] = dict(live.plans)
    starts = [*sorted(last), live.clip.n_frames]
    return [PlacedSequence(last[start], start, stop) for start, stop in pairwise(starts)]


def not_executed(made: MotionSequence) -> list[NotExecuted]:
    """Rejected motions of a scripted sequence, in seconds of its first frame."""
    zero = made.first_frame / made.clip.fps
    return [
        NotExecuted(one.motion, one.at - zero, f"{one.reason}; nearest {one.nearest_at - zero:.3f} s")
        for one in made.rejected
    ]


def not_played(live: LiveSequence) -> list[NotExecuted]:
    """Requests of a live sequence that were rejected."""
    return [
        NotExecuted(one.request.motion, one.seconds, one.reason)
        for one in live.answers
        if one.outcome == "rejected"
    ]


def write_report(
    path: Path,
    clip: Clip,
    parts: Sequence[PlacedSequence],
    *,
    rejected: Sequence[NotExecuted],
    what: str,
    requests: ReportTable | None = None,
) -> None:
    """Write the report page of a sequence.

    Parameters
    ----------
    path
        File to write (.html).
    clip
        The motion.
    parts
        The sequences in it.
    rejected
        Motions that were not executed.
    what
        One sentence under the heading.
    requests
        Table of the requests of a live sequence.
    """
    pairs = [(part, pair) for part in parts for pair in part.sequence.pairs]
    picture = sequence_timeline(clip, parts, rejected=rejected)
    strip = filmstrip(clip, count=_FIGURES)
    caption = (
        "Bars are motions, their filled part the core. Below: when each foot moves (framed: the phases that a pair is "
        "joined by), the segments of either half of the body with the weight of the following motion, and the speed of "
        "either half: of feet and pelvis, and of hands, chest and head. Dashed: seams of the lower body."
    )
    sections = [
        Section("Timeline", (Figure(picture, "timeline of the sequence", caption),)),
        *([Section("Requests", (requests,))] if requests is not None else []),
        Section("Pairs", tuple(_pairs(pairs, clip.fps))),
        *([Section("Not executed", (_lost(rejected),))] if rejected else []),
        Section(
            "Motion", (Figure(strip, "filmstrip of the sequence", "Frames evenly spread over the motion."),)
        ),
    ]
    report(clip.name, sections, path, summary=what)


def _pairs(pairs: Sequence[tuple[PlacedSequence, PairDecision]], fps: float) -> Iterator[str | ReportTable]:
    counts = Counter(pair.method for _, pair in pairs)
    if not pairs:
        yield "One motion alone: nothing is joined."
        return
    yield "Joined by " + ", ".join(f"{method} ({count})" for method, count in counts.most_common()) + "."
    rows = [
        ("seconds", "from", "to", "method", "because of", "segments", "slip before, after IK", "not taken")
    ]
    for part, pair in pairs:
        shift = part.start_frame - part.sequence.first_frame
        rows.append(
            (
                f"{(pair.begin_frame + shift) / fps:.2f} to {(pair.end_frame + shift) / fps:.2f}",
                pair.previous,
                pair.following,
                pair.method,
                phases_in_words(pair, shift, fps),
                segments_in_words(pair, shift, fps),
                f"{1000 * pair.slip_before:.1f}, {1000 * pair.slip_after:.1f} mm",
                lost_in_words(pair),
            )
        )
    yield ReportTable(
        tuple(rows),
        "Seconds of the motion. Segments: S0 and further ones as in the source, l lower, u upper body.",
    )


def phases_in_words(pair: PairDecision, shift: int, fps: float) -> str:
    """Foot-moving phases that decide how a pair is joined."""
    words = []
    for name, phase in (("previous", pair.previous_phase), ("following", pair.following_phase)):
        if phase is not None:
            span = f"{(phase.begin_frame + shift) / fps:.2f} to {(phase.end_frame + shift) / fps:.2f}"
            foot = "both feet move" if phase.foot == "both" else f"{phase.foot} foot moves"
            words.append(f"{foot} in the {name} motion ({span})")
    return ", ".join(words) or "no foot moves between the cores"


def segments_in_words(pair: PairDecision, shift: int, fps: float) -> str:
    """Segments of a pair: name, half, kind and seconds."""
    return "; ".join(
        f"{one.name} {one.half[0]} {one.kind} {(one.begin_frame + shift) / fps:.2f} to "
        f"{(one.end_frame + shift) / fps:.2f}{' (slope limited)' if one.limited else ''}"
        for one in pair.segments
    )


def lost_in_words(pair: PairDecision) -> str:
    """Rejected candidates, with the reasons."""
    shown = [f"{one.method}: {one.reason}" for one in pair.lost[:_NAMED]]
    more = len(pair.lost) - len(shown)
    return "; ".join(shown) + (f" and {more} more" if more > 0 else "")


def _lost(rejected: Sequence[NotExecuted]) -> ReportTable:
    rows = [("seconds", "motion", "reason")]
    rows += [(f"{one.seconds:.2f}", one.motion, one.reason) for one in rejected]
    return ReportTable(tuple(rows), "Motions that were asked for and not executed.")
