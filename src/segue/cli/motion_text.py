"""Text that commands print about a motion they write."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from segue.cli.brief_text import head
from segue.cli.output import counted, table

if TYPE_CHECKING:
    from segue.graph.build import MotionGraph
    from segue.graph.walk import Walk
    from segue.measures import Measures
    from segue.transitions.threshold import Threshold

_SECONDS_A_CLIP = 2.0  # seconds of motion per clip, long enough for every clip to be played
_FEW = 3  # names or pairs listed; the rest is counted


def wander_text(document: dict[str, Any], graph: MotionGraph, walk: Walk) -> str:
    """Return the text that `segue wander` prints without ``--json``."""
    report = graph.report
    rows = [
        (
            "clips",
            (
                f"{_clips_read(graph)}, {document['clips_reached']} in the graph ({report.share:.0%} of the "
                f"frames), {len(walk.clips_played)} played"
            ),
        ),
        *(
            ("" if k else "points", f"{count:>7} {step}")
            for k, (step, count) in enumerate(report.steps.items())
        ),
        *_component_rows(graph),
        ("admitted", report.threshold.sentence),
        ("repeats", _repeats(walk.forced_repeats)),
        ("", repeats_words(document["repetition"])),
        ("feet", _feet(document["seam_feet"])),
        *quality_rows(document),
    ]
    if report.copies:
        pairs = [f"{a} = {b}" for a, b in report.copies]
        rows.append(("copies", _first(pairs, "; ") + ": one motion, not joined to itself"))
    rows += [("" if k else "faults", sentence) for k, sentence in enumerate(_faults(report.notes))]
    rows += [("" if k else "notes", sentence) for k, sentence in enumerate(document["notes"])]
    if report.dropped_clips:
        rows += [("" if k else "left out", words) for k, words in enumerate(left_out(graph))]
    *more, record = document["written"][1:]
    tail = "\n".join([*(f"also: {path}" for path in more), f"record: {record}"])
    return "\n".join([head(document), table(rows), tail])


def threshold_text(threshold: Threshold) -> str:
    """Return a threshold and how it was found, in short; ``--json`` has the full sentence."""
    if threshold.method != "auto":
        return f"{threshold.value:.3g}: {threshold.sentence}"
    most = "; no higher than 3 x the median next-frame cost" if threshold.capped else ""
    return f"{threshold.value:.3g}: keeps {threshold.share_reached:.0%} of what could be reached without one{most}"


def few_played(graph: MotionGraph, walk: Walk) -> str:
    """Return a line if a motion plays one clip of several, or under a quarter of them despite enough time; else ''."""
    played, given = clips_played_of(graph, walk)
    had_time = walk.seconds >= _SECONDS_A_CLIP * given
    if given < 2 or (
        played > 1
        and (4 * played >= given or (4 * len(_originals(graph.clips_reached)) >= given and not had_time))
    ):
        return ""
    more = ", ".join(left_out(graph))
    words = f"plays {counted(played, 'clip')} of {given}"
    return f"{words}; left out: {more}" if more else f"{words}; give more --seconds, or another --seed"


def clips_played_of(graph: MotionGraph, walk: Walk) -> tuple[int, int]:
    """Return the numbers of clips played and of clips read; a mirror image counts as its original."""
    return len(_originals(walk.clips_played)), len(_read(graph))


def left_out(graph: MotionGraph) -> list[str]:
    """Return the clips outside the graph by kind, each with the quality at which they would join."""
    from segue.motion.kinds import PLURAL, clip_kind
    from segue.motion.mirror import SUFFIX

    report, groups = graph.report, Counter[tuple[str, str]]()
    inside = _originals(graph.clips_reached)
    dropped = [name for name in report.dropped_clips if name not in inside and not name.endswith(SUFFIX)]
    kinds = {clip.name: clip_kind(clip) for clip in graph.clips if clip.name in dropped}
    for name in dropped:
        if name in report.short_clips:
            groups["", "too short"] += 1
        elif name in report.would_join:
            groups[kinds[name], f"join at --quality {report.would_join[name]:g}"] += 1
        elif name not in kinds:
            groups["", "of unknown legs"] += 1
        else:
            groups[kinds[name], "join at no quality tried"] += 1
    words = []
    for (kind, why), count in groups.most_common():
        thing = PLURAL.get(kind, "")
        thing = thing if count > 1 else thing.replace("clips", "clip").removesuffix("s")
        reason = why if count > 1 else why.replace("join ", "joins ")
        words.append(f"{count} {thing} ({reason})" if thing else f"{count} {reason}")
    return words


def _clips_read(graph: MotionGraph) -> str:
    """Return the number of clips read, and the number including mirror images if there are any."""
    count = len(_read(graph))
    return f"{count} read" + (f" and mirrored ({len(graph.clips)})" if len(graph.clips) > count else "")


def _read(graph: MotionGraph) -> set[str]:
    return _originals([clip.name for clip in graph.clips])


def _originals(names: Sequence[str]) -> set[str]:
    """Return the names of clips, those of mirror images replaced by their originals."""
    from segue.motion.mirror import SUFFIX

    return {name.removesuffix(SUFFIX) for name in names}


def _component_rows(graph: MotionGraph) -> list[tuple[str, str]]:
    """Return a row on all components of at least one second, if there are several."""
    parts = [(k, part) for k, part in enumerate(graph.report.components, start=1) if part.seconds >= 1.0]
    if len(parts) < 2:
        return []
    words = [f"{k}: {counted(len(part.clips), 'clip')}, {part.seconds:.3g} s" for k, part in parts]
    return [("components", _first(words, "; ") + " (--component N walks in another)")]


def _feet(treated: dict[str, int]) -> str:
    words = {
        "as blended": "need nothing",
        "in the blend": "corrected in the blend",
        "near the blend": "corrected in and near it",
    }
    shown = [f"{count} {words.get(key, key)}" for key, count in treated.items() if count]
    return f"at seams {', '.join(shown)}" if shown else "as blended"


def _faults(notes: Sequence[str]) -> list[str]:
    more = len(notes) - _FEW
    return [*notes[:_FEW], *([f"and in {counted(more, 'more clip')}"] if more > 0 else [])]


def _repeats(count: int) -> str:
    if not count:
        return "no stretch over 1 s repeated within 10 s"
    repeated = counted(count, "stretch over 1 s", "stretches over 1 s")
    return f"{repeated} repeated within 10 s: no other path was possible"


def repeats_words(document: dict[str, Any]) -> str:
    """Return how much of a made motion is distinct, in words."""
    return (
        f"{document['distinct_seconds']:.1f} s of source motion are shown; "
        f"{document['share_repeated']:.0%} of the frames show what was shown before"
    )


def _first(words: list[str], between: str) -> str:
    more = len(words) - _FEW
    return between.join(words[:_FEW]) + (f" and {more} more" if more > 0 else "")


def quality(measures: Measures) -> dict[str, Any]:
    """Return the numbers on seams and feet of a made motion for ``--json``."""
    bounds = measures.bounds
    start_to_end, along = measures.mean_slide
    return {
        "seams": len(measures.seams),
        "seams_within_bounds": sum(seam.badness(bounds) <= 1.0 for seam in measures.seams),
        "worst_seams": [
            {"seconds": s.seconds, "from": s.a_clip, "to": s.b_clip, "share_of_bounds": s.badness(bounds)}
            for s in measures.worst_seams()
        ],
        "plants": len(measures.plants),
        "skate_cm": {"start_to_end": 100 * start_to_end, "along_path": 100 * along},
    }


def quality_rows(document: dict[str, Any]) -> list[tuple[str, str]]:
    """Return table rows on seams and feet of a made motion."""
    worst = [
        f"at {s['seconds']:.2f} s, {s['from']} to {s['to']}: {s['share_of_bounds']:.0%} of what is allowed"
        for s in document["worst_seams"]
    ]
    skate = document["skate_cm"]
    slid = (
        f"{skate['start_to_end']:.1f} cm per plant start to end, {skate['along_path']:.1f} cm along the "
        f"path ({counted(document['plants'], 'plant')})"
    )
    return [
        ("seams", f"{document['seams']}, {document['seams_within_bounds']} within bounds"),
        *(("" if k else "worst", words) for k, words in enumerate(worst)),
        ("foot skate", slid if document["plants"] else "no foot contacts"),
    ]
