"""The walk command: motion along a path, between frames, through labels, past points at given times."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from segue.cli.brief_text import brief, of_clips
from segue.cli.checked import existing, number
from segue.cli.motion_text import quality as quality_numbers
from segue.cli.motion_text import quality_rows
from segue.cli.options import Force, Inputs, Json, RootMotion, TryMirror, takes_settings
from segue.cli.output import Progress, counted, progress, result, skipped_notes, table, writable
from segue.cli.verbs import MAKE, verb
from segue.settings import Settings

if TYPE_CHECKING:
    from segue.graph.search.directed import Directed, SoFar
    from segue.motion.clip import Clip


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    verb(
        app,
        "walk",
        walk_command,
        "Motion along a path, through frames, labels and points.",
        panel=MAKE,
        examples=(
            "segue walk clips/ --path path.csv -o along.bvh",
            "segue walk clips/ --from stand --to run:40 -o there.bvh",
        ),
    )


@takes_settings(without=("component",))
def walk_command(
    inputs: Inputs,
    out: Annotated[Path, typer.Option("-o", "--out", help="Motion file to write, as for wander.")] = Path(
        "directed.bvh"
    ),
    path: Annotated[
        str | None,
        typer.Option(
            "--path", help="Path on the ground: x,z[,label] in metres (.csv) or a drawing (.svg, .svg#id)."
        ),
    ] = None,
    unit: Annotated[
        float | None,
        number(
            "--unit",
            above=0,
            metavar="METRES",
            help="Metres in one unit of the path's file; 0.01 for drawings.",
        ),
    ] = None,
    start: Annotated[
        str | None, typer.Option("--from", metavar="CLIP", help="Clip, or clip:frame, to begin with.")
    ] = None,
    end: Annotated[
        str | None,
        typer.Option("--to", metavar="CLIP", help="Clip (its last frame), or clip:frame, to end with."),
    ] = None,
    through: Annotated[
        list[str] | None,
        typer.Option(
            "--through", metavar="X,Z@SECONDS", help="Be at x,z after so many seconds. May be repeated."
        ),
    ] = None,
    show: Annotated[
        list[str] | None,
        typer.Option(
            "--show", metavar="LABEL@A-B", help="Label to show from second A to B. May be repeated."
        ),
    ] = None,
    labels: Annotated[
        Path | None, existing("--labels", help="Labels of clips (.csv as exported by a library, or .toml).")
    ] = None,
    seconds: Annotated[
        float | None,
        number("--seconds", above=0, most=36000, help="Exact length, where nothing else ends the walk."),
    ] = None,
    budget: Annotated[
        float,
        number(
            "--budget", least=0, metavar="SECONDS", help="How long to search; Ctrl-C keeps the best so far."
        ),
    ] = 10.0,
    *,
    settings: Settings,
    mirror: TryMirror = None,
    root_motion: RootMotion = True,
    picture: Annotated[
        Path | None, typer.Option("--picture", help="Also draw the walk and the path from above (.png).")
    ] = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Make the motion that comes nearest to what is asked: a path, frames, labels, points at times."""
    from segue.app import directing, motion_file, stages
    from segue.app.called import named
    from segue.app.material import graph_of, with_root_motion
    from segue.app.record import bridges_of
    from segue.graph.search.directed import direct
    from segue.graph.walk import render
    from segue.io.formats import WRITABLE

    writable(out, force=force, kinds=WRITABLE, beside=motion_file.beside(out))
    if picture is not None:
        writable(picture, force=force, kinds=(".png",))
    asked = directing.DirectRequest(path, unit, start, end, through or (), show or (), labels, seconds)
    goals, given = directing.read_asked(asked)
    with progress(quiet=as_json) as tell:
        collection = stages.read(inputs, roles=settings.roles, progress=tell)
        skipped_notes(collection.skipped)
        for word in (goals.start, goals.end):
            _ = word and named(word[0], collection.clips)
        collection, _ = with_root_motion(collection, progress=tell) if root_motion else (collection, ())
        settings = stages.with_verdicts(settings, collection)
        collection, graph, _ = graph_of(collection, settings, mirror=mirror, progress=tell)
        goals = directing.with_clips(goals, asked, collection.clips, graph)
        made = direct(graph, goals, budget=budget, progress=_search_shown(tell))
    motion = render(made.walk, feet=settings.feet, creep=settings.creep)
    recorded = {
        "make": settings.document(),
        "walk": {},
        "goals": directing.goals_document(goals, made.best_at),
    }
    bridges = bridges_of(made.walk)
    stages.write(motion, out, collection=collection, command="walk", settings=recorded, bridges=bridges)
    if picture is not None:
        from segue.pictures.path_view import path_view

        points = [(one.x, one.z, one.seconds) for one in goals.passes]
        path_view(motion, goals.path, points=points, off=made.off).save(picture)
    _tell(out, motion, made, graph.clips, given, picture, as_json=as_json)


def _tell(
    out: Path, motion: Clip, made: Directed, sources: Any, words: str, picture: Path | None, *, as_json: bool
) -> None:
    from segue.app import motion_file
    from segue.graph.search.directed import why_off
    from segue.measures import measure

    written = [out, *motion_file.beside(out), *([] if picture is None else [picture])]
    document: dict[str, Any] = {
        "written": [str(one) for one in written],
        "seconds": motion.seconds,
        "frames": motion.n_frames,
        "fps": motion.fps,
        "cost": made.cost,
        "bound": made.bound,
        "proven": made.proven,
        "expanded": made.expanded,
        "rounds": made.rounds,
        "path": words,
        "mean_off": float(made.off.mean()) if len(made.off) else None,
        "most_off": float(made.off.max()) if len(made.off) else None,
        "missed": made.missed.tolist(),
        "wrong_seconds": made.wrong_seconds,
        "clips_played": list(made.walk.clips_played),
        **quality_numbers(measure(motion, sources=sources)),
    }
    rows = [
        (
            "cost",
            f"{made.cost:.4g}, {'proven best' if made.proven else f'no walk costs less than {made.bound:.3g}'}",
        )
    ]
    rows.append(
        ("search", f"{counted(made.expanded, 'state')} opened, {counted(made.rounds, 'round')} finished")
    )
    if words:
        rows.append(("path", words))
    if len(made.off):
        rows.append(("off the path", f"{made.off.mean():.3f} m on average, {made.off.max():.3f} m at most"))
    rows += [("" if k else "points", f"missed by {far:.3f} m") for k, far in enumerate(made.missed.tolist())]
    if made.wrong_seconds:
        rows.append(("labels", f"{made.wrong_seconds:.2f} s show another label than the one asked for"))
    rows.append(("clips", _first(list(made.walk.clips_played))))
    if len(made.off) and made.off.max() > 0.5 and made.path is not None:
        document["why_off"] = why_off(made.walk.clips, made.path, made.off, made.along)
        rows.append(("", document["why_off"]))
    head = f"{out}: {motion.seconds:.6g} s, {counted(motion.n_frames, 'frame')} at {motion.fps:g} fps"
    tail = "\n".join(f"also: {one}" for one in written[1:])
    text = "\n".join([head, table([*rows, *quality_rows(document)]), tail])
    result(document, text, as_json=as_json, brief=_brief(document, made, len(sources)))


def _brief(document: dict[str, Any], made: Directed, read: int) -> str:
    found = "proven best" if made.proven else f"cost {made.cost:.3g}, none costs less than {made.bound:.3g}"
    words = []
    if len(made.off):
        words.append(f"off the path {made.off.mean():.2f} m on average, {made.off.max():.2f} m at most")
    words += [f"points missed by up to {made.missed.max():.2f} m"] if len(made.missed) else []
    words += [f"{made.wrong_seconds:.2f} s show another label"] if made.wrong_seconds else []
    record, *others = document["written"][1:]
    given = {**document, "written": [document["written"][0], *others, record]}
    made_from = f"{of_clips(len(document['clips_played']), read)}; {found}"
    return brief(given, made_from, "; ".join(words))


def _first(names: list[str]) -> str:
    return ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")


def _search_shown(tell: Progress) -> Callable[[SoFar], None]:
    """Return a callback that shows the state of a search next to the progress bars."""

    def seen(now: SoFar) -> None:
        best = f"{now.cost:.4g}" if math.isfinite(now.cost) else "none yet"
        tell.status("searching", f"best {best}, bound {now.bound:.3g}")

    return seen
