"""The floor command: many characters on one floor."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from segue.cli.checked import number
from segue.cli.options import Force, Inputs, Json, Mirror, RootMotion, takes_settings
from segue.cli.output import counted, progress, result, skipped_notes, table, writable
from segue.cli.verbs import CHARACTERS, verb
from segue.errors import FileError
from segue.settings import Settings

if TYPE_CHECKING:
    from segue.app.dance_floor import DanceFloor


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    verb(
        app,
        "floor",
        floor_command,
        "Many characters on one floor, each with its own motion.",
        panel=CHARACTERS,
        examples=(
            "segue floor clips/ -n 12 -o floor.glb",
            "segue floor clips/ -n 6 --seconds 30 --picture floor.png -o six.glb",
        ),
    )


@takes_settings()
def floor_command(
    inputs: Inputs,
    out: Annotated[Path, typer.Option("-o", "--out", help="File to write: .glb.")] = Path("floor.glb"),
    count: Annotated[int, number("-n", "--count", least=1, metavar="N", help="How many characters.")] = 12,
    seconds: Annotated[float, typer.Option(help="Exact length of the motion.")] = 20.0,
    seed: Annotated[
        int,
        typer.Option(help="The same seed gives the same floor, with the same versions of segue and numpy."),
    ] = 1,
    spacing: Annotated[
        float,
        number("--spacing", least=0, metavar="METRES", help="Distance between neighbours at the start."),
    ] = 2.5,
    picture: Annotated[
        Path | None, typer.Option(help="Picture (.png) of several moments and of all paths from above.")
    ] = None,
    *,
    settings: Settings,
    mirror: Mirror = False,
    root_motion: RootMotion = True,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Many characters on one floor: each its own place, beginning and endless motion, coloured by source clip."""
    from segue.app import dance_floor, motion_file, stages
    from segue.app.material import with_root_motion
    from segue.app.stages import doubled

    record = motion_file.record_path(out)
    writable(out, force=force, kinds=(".glb",), beside=(record,))
    if picture is not None:
        writable(picture, force=force, kinds=(".png",))
        if picture.resolve() == out.resolve():
            raise FileError(picture, "is the floor's own file; name another for the picture")
    dance_floor.check_floor(count=count, seconds=seconds, seed=seed, spacing=spacing)
    with progress(quiet=as_json) as tell:
        collection = stages.read(inputs, roles=settings.roles, progress=tell)
        skipped_notes(collection.skipped)
        collection, _ = with_root_motion(collection, progress=tell) if root_motion else (collection, ())
        collection = doubled(collection) if mirror else collection
        settings = stages.with_verdicts(settings, collection)
        made = dance_floor.make_floor(
            collection, settings, count=count, seconds=seconds, seed=seed, spacing=spacing, progress=tell
        )
        dance_floor.write(made, out, collection=collection, picture=picture)
    document = _facts(made, [out, record] if picture is None else [out, record, picture])
    result(document, _text(document), as_json=as_json)


def _facts(made: DanceFloor, written: list[Path]) -> dict[str, Any]:
    first = made.motions[0]
    return {
        "written": [str(path) for path in written],
        "characters": len(made.motions),
        "seconds": first.seconds,
        "frames": first.n_frames,
        "fps": first.fps,
        "clips_read": len(made.graph.clips),
        "clips_shown": list(made.colours),
        "left_out": made.graph.report.dropped_clips,
        "each": [
            {
                "seed": seed,
                "begins_in": walk.clips_played[0],
                "mostly": mostly,
                "clips": len(walk.clips_played),
                "joins": len(walk.plan.joins),
                "place": [float(v) for v in motion.root_positions[0, [0, 2]]],
            }
            for seed, walk, mostly, motion in zip(
                made.seeds, made.walks, made.mostly, made.motions, strict=True
            )
        ],
    }


def _text(document: dict[str, Any]) -> str:
    each = document["each"]
    head = (
        f"{document['written'][0]}: {counted(document['characters'], 'character')}, {document['seconds']:.6g} s, "
        f"{counted(document['frames'], 'frame')} at {document['fps']:g} fps"
    )
    begun = len({one["begins_in"] for one in each})
    colours = Counter(one["mostly"] for one in each)
    most = ", ".join(f"{name} ({times})" for name, times in colours.most_common(6))
    joins = [one["joins"] for one in each]
    rows = [
        (
            "clips",
            f"{document['clips_read']} read, {len(document['clips_shown'])} shown; {begun} to begin with",
        ),
        ("colours", f"by the clip that each shows most of: {most}{', ...' if len(colours) > 6 else ''}"),
        ("joins", f"{min(joins)} to {max(joins)} a character"),
    ]
    rows += [(what, path) for what, path in zip(("record", "picture"), document["written"][1:], strict=False)]
    return "\n".join([head, table(rows)])
