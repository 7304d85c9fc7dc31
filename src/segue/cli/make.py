"""Commands that make motion: wander, stitch, replay, demo."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from segue.cli.output import note, progress, result, skipped_notes, table, writable
from segue.errors import SettingError

if TYPE_CHECKING:
    from segue.app.stages import Collection, Settings
    from segue.graph.motion_graph import MotionGraph
    from segue.graph.walk import Walk
    from segue.measures import Measures
    from segue.motion.clip import Clip

MOTION_KINDS = (".bvh", ".glb")

Inputs = Annotated[
    list[str],
    typer.Argument(help="Motion files, folders of them, or embedded clips (sample:walk; sample: for all)."),
]
Out = Annotated[Path, typer.Option("-o", "--out", help="File to write: .bvh or .glb.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite files that exist.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of text.")]
CostName = Annotated[str, typer.Option("--cost", help="point_cloud or relative_distance.")]
Threshold = Annotated[
    str, typer.Option(help="Highest cost of a transition: a number, auto, or knee.", show_default=True)
]
BlendSeconds = Annotated[float, typer.Option("--blend", help="Blend length in seconds; 0 is a hard cut.")]
Root = Annotated[str, typer.Option(help="Blend the root by position or by displacement.")]
Body = Annotated[
    str | None,
    typer.Option("--skeleton", help="Clip whose skeleton the result has; the first clip's by default."),
]
Fps = Annotated[float | None, typer.Option(help="Frame rate of the result; the most common one by default.")]

Check = Annotated[
    bool, typer.Option(help="Leave out transitions whose blended frames turn or accelerate beyond bounds.")
]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("wander")(wander_command)
    app.command("stitch")(stitch_command)
    app.command("replay")(replay_command)
    app.command("demo")(demo_command)


def wander_command(
    inputs: Inputs,
    out: Out = Path("wander.bvh"),
    seconds: Annotated[float, typer.Option(help="Exact length of the motion.")] = 60.0,
    seed: Annotated[int, typer.Option(help="The same seed gives the same motion.")] = 1,
    by: Annotated[
        str, typer.Option(help="cost: leave clips by cheap transitions, or probability (Wang, ch. IV).")
    ] = "cost",
    start: Annotated[str | None, typer.Option(help="Clip to start in.")] = None,
    cost: CostName = "point_cloud",
    threshold: Threshold = "auto",
    share: Annotated[float, typer.Option(help="For auto: share of the reachable motion to keep.")] = 0.6,
    blend: BlendSeconds = 1.0 / 3.0,
    root: Root = "position",
    skeleton: Body = None,
    fps: Fps = None,
    check: Check = True,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Endless motion from a folder of clips, exactly as long as asked."""
    from segue.app import stages
    from segue.graph.render import render
    from segue.graph.walk import check_walk

    writable(out, force=force, kinds=MOTION_KINDS, beside=stages.record_path(out))
    settings = stages.Settings(
        cost=cost,
        threshold=threshold_of(threshold),
        share=share,
        blend_seconds=blend,
        root=root,
        skeleton=skeleton,
        fps=fps,
        check_seams=check,
    )
    walk_settings = {"seconds": seconds, "seed": seed, "by": by, "start": start}
    check_walk(seconds=seconds, seed=seed, by=by)
    with progress(quiet=as_json) as tell:
        collection = stages.read(inputs, progress=tell)
        skipped_notes(collection.skipped)
        graph = stages.make_graph(collection, settings, progress=tell)
    stages.require_walkable(graph)
    walk = graph.wander(seconds=seconds, seed=seed, by=by, start=start)  # type: ignore[arg-type]  # checked there
    motion = render(walk)
    _write_and_tell(out, motion, walk, collection, settings, walk_settings, graph, as_json=as_json)


def _write_and_tell(
    out: Path,
    motion: Clip,
    walk: Walk,
    collection: Collection,
    settings: Settings,
    walk_settings: dict[str, Any],
    graph: MotionGraph,
    *,
    as_json: bool,
) -> None:
    from segue.app import stages
    from segue.measures import measure

    recorded = {"make": asdict(settings), "walk": walk_settings}
    record = stages.write(motion, out, collection=collection, command="wander", settings=recorded)
    measures = measure(motion, sources=graph.clips)
    document = {
        "written": [str(out), str(record)],
        "seconds": motion.seconds,
        "frames": motion.n_frames,
        "fps": motion.fps,
        "clips_read": len(graph.clips),
        "clips_reached": len(graph.clips_reached),
        "clips_played": list(walk.clips_played),
        "share": graph.report.share,
        "steps": graph.report.steps,
        "threshold": graph.report.threshold.value,
        "threshold_found": graph.report.threshold.sentence,
        "next_frame_cost": graph.report.next_frame_cost,
        "left_out": graph.report.dropped_clips,
        "copies": [list(pair) for pair in graph.report.copies],
        "forced_repeats": walk.forced_repeats,
        "skipped": [list(pair) for pair in collection.skipped],
        **_quality(measures),
    }
    result(document, _wander_text(document, graph, motion, walk), as_json=as_json)


def _wander_text(document: dict[str, Any], graph: MotionGraph, motion: Clip, walk: Walk) -> str:
    report = graph.report
    rows = [
        (
            "clips",
            (
                f"{document['clips_read']} read, {document['clips_reached']} in the graph ({report.share:.0%} of the "
                f"frames), {len(walk.clips_played)} played"
            ),
        ),
        ("points", ", ".join(f"{count} {step}" for step, count in report.steps.items())),
        ("threshold", f"{report.threshold.value:.3g}: {report.threshold.sentence}"),
        (
            "repeats",
            f"{walk.forced_repeats} stretches over 1 s came again within 10 s for want of another edge",
        ),
        *_quality_rows(document),
    ]
    if report.copies:
        rows.append(
            ("copies", "; ".join(f"{a} = {b}" for a, b in report.copies) + " (not joined to each other)")
        )
    if report.dropped_clips:
        names = ", ".join(list(report.dropped_clips)[:6])
        more = len(report.dropped_clips) - 6
        rows.append(("left out", names + (f" and {more} more (--json says why)" if more > 0 else "")))
    head = f"{document['written'][0]}: {motion.seconds:g} s, {motion.n_frames} frames at {motion.fps:g} fps"
    tail = f"record: {document['written'][1]}"
    return "\n".join([head, table(rows), tail])


def _quality(measures: Measures) -> dict[str, Any]:
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


def _quality_rows(document: dict[str, Any]) -> list[tuple[str, str]]:
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


def stitch_command(
    inputs: Annotated[
        list[str], typer.Argument(help="Motion files (or sample:NAME) in the order to be played.")
    ],
    out: Out = Path("stitch.bvh"),
    cost: CostName = "point_cloud",
    threshold: Annotated[str, typer.Option(help="Highest cost of a transition: a number or any.")] = "any",
    blend: BlendSeconds = 1.0 / 3.0,
    root: Root = "position",
    skeleton: Body = None,
    fps: Fps = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Clips in the given order through their best transitions."""
    from segue.app import stages
    from segue.measures import measure

    writable(out, force=force, kinds=MOTION_KINDS, beside=stages.record_path(out))
    settings = stages.Settings(
        cost=cost,
        threshold="auto" if threshold == "any" else _number(threshold),
        blend_seconds=blend,
        root=root,
        skeleton=skeleton,
        fps=fps,
    )
    with progress(quiet=as_json) as tell:
        collection = stages.read_in_order(inputs, progress=tell)
        made, motion = stages.make_stitch(collection, settings, progress=tell)
    record = stages.write(
        motion, out, collection=collection, command="stitch", settings={"make": asdict(settings)}
    )
    measures = measure(motion, sources=made.walk.clips)
    joins = [
        {
            "from": made.walk.clips[join.a_clip].name,
            "from_seconds": join.a_start / motion.fps,
            "to": made.walk.clips[join.b_clip].name,
            "to_seconds": join.b_start / motion.fps,
            "cost": float(price),
            "next_frame_costs": float(price) / made.next_frame_cost,
        }
        for join, price in zip(made.walk.plan.joins, made.costs, strict=True)
    ]
    document = {
        "written": [str(out), str(record)],
        "seconds": motion.seconds,
        "frames": motion.n_frames,
        "fps": motion.fps,
        "joins": joins,
        **_quality(measures),
    }
    rows = [
        (
            f"{j['from']} to {j['to']}",
            (
                f"left at {j['from_seconds']:.2f} s, entered at {j['to_seconds']:.2f} s, cost {j['cost']:.3g} "
                f"({j['next_frame_costs']:.1f} x the median next-frame cost)"
            ),
        )
        for j in joins
    ]
    head = f"{out}: {motion.seconds:g} s, {motion.n_frames} frames at {motion.fps:g} fps"
    text = "\n".join([head, table([*rows, *_quality_rows(document)]), f"record: {record}"])
    result(document, text, as_json=as_json)


def replay_command(
    record: Annotated[Path, typer.Argument(help="The .origin.json beside a motion.")],
    out: Out = Path("replay.bvh"),
    sources: Annotated[
        Path | None, typer.Option(help="Folder in which to look for moved source files.")
    ] = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Make a motion again from its record: seed, settings and digests."""
    from segue.app import replay, stages

    writable(out, force=force, kinds=MOTION_KINDS, beside=stages.record_path(out))
    with progress(quiet=as_json) as tell:
        motion, collection, found, same = replay.replay(record, sources=sources, progress=tell)
    beside = stages.write(motion, out, collection=collection, command=found.command, settings=found.settings)
    verdict = "the same motion" if same else "NOT the same motion: another version or processor made it"
    document = {"written": [str(out), str(beside)], "same": same, "frames": motion.n_frames}
    result(document, f"{out}: {motion.n_frames} frames, {verdict}", as_json=as_json)
    if not same:
        raise typer.Exit(1)


def demo_command(
    folder: Annotated[Path, typer.Option("--folder", help="Folder to write into; it is made.")] = Path("out"),
    seconds: Annotated[float, typer.Option(help="Length of the motion.")] = 60.0,
    seed: Annotated[int, typer.Option(help="Seed of the walk.")] = 1,
    as_json: Json = False,
) -> None:
    """The main job on the embedded clips: endless motion as BVH and GLB, with a filmstrip where it can be drawn."""
    from segue.app import demo

    with progress(quiet=as_json) as tell:
        made = demo.run(folder, seconds=seconds, seed=seed, progress=tell)
    result(made.facts, "\n".join(made.lines), as_json=as_json)
    if made.hint:
        note(made.hint)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        msg = f"--threshold {text!r} is neither a number nor any"
        raise SettingError(msg) from None


def threshold_of(text: str) -> float | str:
    """Read --threshold: a number, auto or knee."""
    if text in ("auto", "knee"):
        return text
    try:
        return float(text)
    except ValueError:
        msg = f"--threshold {text!r} is neither a number nor auto nor knee"
        raise SettingError(msg) from None
