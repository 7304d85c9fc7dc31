"""Commands that make motion: stitch, replay, demo; and warmup, which compiles all loops in advance."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from segue.cli.brief_text import brief
from segue.cli.checked import existing
from segue.cli.motion_text import quality, quality_rows
from segue.cli.options import ANY, Force, Json, Out, takes_settings
from segue.cli.output import counted, note, progress, result, table, warn, writable
from segue.cli.verbs import MAKE, verb
from segue.settings import Settings

if TYPE_CHECKING:
    from segue.app.replay import Again

_FEW = 3  # joins named; the rest is counted


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    verb(
        app,
        "stitch",
        stitch_command,
        "Join clips in the order given, where they fit best.",
        panel=MAKE,
        examples=(
            "segue stitch clips/walk.bvh clips/run.bvh clips/stop.bvh -o order.glb",
            "segue stitch sample:walk sample:stop --blend auto -o stopping.bvh",
        ),
    )
    verb(
        app,
        "replay",
        replay_command,
        "Make a motion again from its record.",
        panel=MAKE,
        examples=(
            "segue replay endless.origin.json -o again.bvh",
            "segue replay endless.origin.json --sources clips/ -o same.glb",
        ),
    )
    verb(
        app,
        "demo",
        demo_command,
        "A minute of endless motion from the embedded clips.",
        panel=MAKE,
        examples=("segue demo", "segue demo --seconds 20 --folder short"),
    )
    verb(
        app,
        "warmup",
        warmup_command,
        "Compile all of segue's loops now, once for this machine.",
        panel=MAKE,
        examples=("segue warmup", "segue warmup --json"),
    )


@takes_settings(without=("quality", "component", "share", "bridges", "check"), threshold=ANY)
def stitch_command(
    inputs: Annotated[
        list[str],
        typer.Argument(
            metavar="FILES",
            help="Motion files (or moves.glb#NAME, moves.segue#NAME, sample:NAME) in the order to be played.",
        ),
    ],
    out: Out = Path("stitch.bvh"),
    *,
    settings: Settings,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Join clips in the given order through their best transitions."""
    from segue.app import motion_file, stages
    from segue.io.formats import WRITABLE
    from segue.measures import measure

    writable(out, force=force, kinds=WRITABLE, beside=motion_file.beside(out))
    with progress(quiet=as_json) as tell:
        collection = stages.read_in_order(inputs, roles=settings.roles, progress=tell)
        made, motion = stages.make_stitch(collection, settings, progress=tell)
    record = stages.write(
        motion, out, collection=collection, command="stitch", settings={"make": settings.document()}
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
        "written": [str(path) for path in (out, *motion_file.beside(out))],
        "seconds": motion.seconds,
        "frames": motion.n_frames,
        "fps": motion.fps,
        "joins": joins,
        **quality(measures),
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
    head = f"{out}: {motion.seconds:.6g} s, {counted(motion.n_frames, 'frame')} at {motion.fps:g} fps"
    text = "\n".join([head, table([*rows, *quality_rows(document)]), f"record: {record}"])
    short = brief(document, f"{counted(len(inputs), 'clip')} in this order: {_joins(joins)}")
    result(document, text, as_json=as_json, brief=short)
    beyond = document["seams"] - document["seams_within_bounds"]
    if beyond:
        other = "" if settings.length == "auto" else ", or try --blend auto"
        warn(
            f"segue: warning: {counted(beyond, 'seam')} of {document['seams']} beyond bounds; put a clip between that "
            f"looks like both{other}"
        )


def replay_command(
    record: Annotated[Path, typer.Argument(help="The .origin.json beside a motion.")],
    out: Out = Path("replay.bvh"),
    sources: Annotated[
        Path | None,
        existing("--sources", folder=True, help="Folder in which to look for moved source files."),
    ] = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Make a motion again from its record: seed, settings and digests."""
    from segue.app import motion_file, replay
    from segue.io.formats import WRITABLE

    writable(out, force=force, kinds=WRITABLE, beside=motion_file.beside(out))
    with progress(quiet=as_json) as tell:
        again = replay.write_again(record, out, sources=sources, progress=tell)
    document = {
        "written": [str(path) for path in (out, *motion_file.beside(out))],
        "same": again.same,
        "differing": {one.name: {"made_with": one.made_with, "runs": one.runs} for one in again.differing},
        "frames": again.motion.n_frames,
    }
    result(document, f"{out}: {counted(again.motion.n_frames, 'frame')}, {_verdict(again)}", as_json=as_json)
    if not again.same:
        raise typer.Exit(1)


def _verdict(again: Again) -> str:
    """Return whether a replayed motion is the same, and the likely cause if it is not."""
    from segue.app.versions import in_words

    others = in_words(again.differing)
    if again.same:
        return f"the same motion, though {others} made it" if others else "the same motion"
    if others:
        return f"NOT the same motion: {others} made it"
    if again.libraries:
        return (
            "NOT the same motion: the versions agree, so another processor made it or the record was edited"
        )
    return "NOT the same motion: another version or processor made it"


def _joins(joins: list[dict[str, Any]]) -> str:
    words = [
        f"{j['from']} at {j['from_seconds']:.2f} s to {j['to']} at {j['to_seconds']:.2f} s"
        for j in joins[:_FEW]
    ]
    return ", ".join(words) + (f" and {len(joins) - _FEW} more" if len(joins) > _FEW else "")


def warmup_command(as_json: Json = False) -> None:
    """Compile all loops for this machine now, so that no verb waits for it later.

    segue is fast because its loops are compiled; each verb compiles what it needs the first time, which takes seconds.
    """
    from segue.app.warmup import warm_up

    begin = time.monotonic()
    with progress(quiet=as_json) as tell:
        kernels, folder = warm_up(progress=tell)
    seconds = time.monotonic() - begin
    kept = "kept nowhere, since its folder cannot be written" if folder is None else f"kept in {folder}"
    text = f"compiled in {seconds:.0f} s: {kernels} pieces of machine code, {kept}"
    place = None if folder is None else str(folder)
    result({"kernels": kernels, "folder": place, "seconds": seconds}, text, as_json=as_json)


@takes_settings("blend")
def demo_command(
    folder: Annotated[Path, typer.Option("--folder", help="Folder to write into; it is made.")] = Path("out"),
    seconds: Annotated[float, typer.Option(help="Length of the motion.")] = 60.0,
    seed: Annotated[int, typer.Option(help="Seed of the walk.")] = 1,
    *,
    settings: Settings,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Make endless motion from the embedded clips: BVH, GLB, and pictures if matplotlib is installed."""
    from segue.app import demo

    with progress(quiet=as_json) as tell:
        made = demo.run(folder, seconds=seconds, seed=seed, settings=settings, overwrite=force, progress=tell)
    result(made.facts, "\n".join(made.lines), as_json=as_json)
    if made.hint:
        note(made.hint)
