"""What is said of a motion that was made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from segue.cli.output import counted, table

if TYPE_CHECKING:
    from segue.graph.motion_graph import MotionGraph
    from segue.graph.walk import Walk
    from segue.measures import Measures
    from segue.motion.clip import Clip
    from segue.transitions.threshold import Threshold

_FEW = 3  # names or pairs listed before the rest is counted


def wander_text(document: dict[str, Any], graph: MotionGraph, motion: Clip, walk: Walk) -> str:
    """What `segue wander` prints for people."""
    report = graph.report
    rows = [
        (
            "clips",
            (
                f"{document['clips_read']} read, {document['clips_reached']} in the graph ({report.share:.0%} of the "
                f"frames), {len(walk.clips_played)} played"
            ),
        ),
        *(
            ("" if k else "points", f"{count:>7} {step}")
            for k, (step, count) in enumerate(report.steps.items())
        ),
        ("threshold", threshold_text(report.threshold)),
        ("repeats", _repeats(walk.forced_repeats)),
        *quality_rows(document),
    ]
    if report.copies:
        pairs = [f"{a} = {b}" for a, b in report.copies]
        rows.append(("copies", _first(pairs, "; ") + ": one motion, not joined to itself"))
    rows += [("" if k else "faults", sentence) for k, sentence in enumerate(report.notes)]
    if report.dropped_clips:
        rows.append(("left out", _first(list(report.dropped_clips), ", ") + " (--json says why)"))
    frames = counted(motion.n_frames, "frame")
    head = f"{document['written'][0]}: {motion.seconds:g} s, {frames} at {motion.fps:g} fps"
    *more, record = document["written"][1:]
    tail = "\n".join([*(f"with it: {path}" for path in more), f"record: {record}"])
    return "\n".join([head, table(rows), tail])


def threshold_text(threshold: Threshold) -> str:
    """A threshold and how it was found, short; --json has its whole sentence."""
    if threshold.method != "auto":
        return f"{threshold.value:.3g}: {threshold.sentence}"
    most = "; no higher than 3 x the median next-frame cost" if threshold.capped else ""
    return f"{threshold.value:.3g}: keeps {threshold.share_reached:.0%} of what could be reached without one{most}"


def _repeats(count: int) -> str:
    if not count:
        return "no stretch over 1 s came again within 10 s"
    return f"{counted(count, 'stretch over 1 s', 'stretches over 1 s')} came again within 10 s: no other way led on"


def _first(words: list[str], between: str) -> str:
    more = len(words) - _FEW
    return between.join(words[:_FEW]) + (f" and {more} more" if more > 0 else "")


def quality(measures: Measures) -> dict[str, Any]:
    """Numbers of a made motion for --json."""
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
    """Rows on seams and feet of a made motion."""
    worst = [
        f"at {s['seconds']:.2f} s, {s['from']} to {s['to']}: {s['share_of_bounds']:.0%} of what is allowed"
        for s in document["worst_seams"]
    ]
    skate = document["skate_cm"]
    return [
        ("seams", f"{document['seams']}, {document['seams_within_bounds']} within bounds"),
        *(("" if k else "worst", words) for k, words in enumerate(worst)),
        (
            "foot skate",
            (
                f"{skate['start_to_end']:.1f} cm per plant start to end, {skate['along_path']:.1f} cm along the "
                f"path ({counted(document['plants'], 'plant')})"
            ),
        ),
    ]
