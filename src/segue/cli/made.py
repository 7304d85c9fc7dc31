"""What is said of a motion that was made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from segue.cli.output import table

if TYPE_CHECKING:
    from segue.graph.motion_graph import MotionGraph
    from segue.graph.walk import Walk
    from segue.measures import Measures
    from segue.motion.clip import Clip


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
        ("threshold", f"{report.threshold.value:.3g}: {report.threshold.sentence}"),
        (
            "repeats",
            f"{walk.forced_repeats} stretches over 1 s came again within 10 s for want of another edge",
        ),
        *quality_rows(document),
    ]
    if report.copies:
        rows.append(
            ("copies", "; ".join(f"{a} = {b}" for a, b in report.copies) + " (not joined to each other)")
        )
    rows += [("" if k else "faults", sentence) for k, sentence in enumerate(report.notes)]
    if report.dropped_clips:
        names = ", ".join(list(report.dropped_clips)[:6])
        more = len(report.dropped_clips) - 6
        rows.append(("left out", names + (f" and {more} more (--json says why)" if more > 0 else "")))
    head = f"{document['written'][0]}: {motion.seconds:g} s, {motion.n_frames} frames at {motion.fps:g} fps"
    tail = f"record: {document['written'][1]}"
    return "\n".join([head, table(rows), tail])


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
    worst = ", ".join(
        f"{s['seconds']:.2f} s ({s['from']} to {s['to']}, {s['share_of_bounds']:.0%})"
        for s in document["worst_seams"]
    )
    skate = document["skate_cm"]
    return [
        (
            "seams",
            f"{document['seams']}, {document['seams_within_bounds']} within bounds"
            + (f"; worst: {worst} of what is allowed" if worst else ""),
        ),
        (
            "foot skate",
            (
                f"{skate['start_to_end']:.1f} cm per plant start to end, {skate['along_path']:.1f} cm along the "
                f"path ({document['plants']} plants)"
            ),
        ),
    ]
