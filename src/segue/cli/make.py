"""Commands that make motion: stitch, replay, demo; and the options that these and others share."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from segue.cli.costs import CostName, CostSettings, settings_of
from segue.cli.made import quality, quality_rows
from segue.cli.output import counted, note, progress, result, table, writable
from segue.errors import SettingError

if TYPE_CHECKING:
    from segue.app.replay import Again
    from segue.app.stages import Settings


Inputs = Annotated[
    list[str],
    typer.Argument(
        metavar="FILES",
        help="Motion files, folders of them, files of many animations or one of them (moves.glb#Walk), a library "
        "(moves.segue) or clips in it (moves.segue#walk), or embedded clips (sample:walk; sample: for all).",
    ),
]
Out = Annotated[
    Path,
    typer.Option("-o", "--out", help="File: .bvh, .glb, .fbx, .usd, .vrma, .npz, .csv or .xml (MuJoCo)."),
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite files that exist.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of text.")]
Threshold = Annotated[
    str, typer.Option(help="Highest cost of a transition: a number, auto, or knee.", show_default=True)
]
BlendWord = Annotated[
    str,
    typer.Option(
        "--blend",
        help="Blend length: seconds (0 is a hard cut); auto, velocity, longest or periodic: each transition its own.",
        show_default="1/3",
    ),
]
Root = Annotated[str, typer.Option(help="Blend the root by position or by displacement.")]
Body = Annotated[
    str | None,
    typer.Option("--skeleton", help="Clip whose skeleton the result has; the first clip's by default."),
]
Fps = Annotated[float | None, typer.Option(help="Frame rate of the result; the most common one by default.")]

Check = Annotated[
    bool, typer.Option(help="Leave out transitions whose blended frames turn or accelerate beyond bounds.")
]
Bridges = Annotated[
    bool, typer.Option(help="Connect clips that nothing else does by longer blends with time warped.")
]
WayWord = Annotated[
    str,
    typer.Option(
        "--way",
        help="crossfade, linear, sigmoid, timewarped, registration, inertialization or dead: how to get across.",
    ),
]
FeetWord = Annotated[
    str,
    typer.Option(
        "--feet",
        help="natural: planted feet move as in the clips, within a centimetre; locked: not at all; captured: as in the "
        "clips; free: as blended.",
    ),
]
Told = Annotated[
    Path | None,
    typer.Option(
        "--roles", help='Text file (.toml) of lines left_knee = "Joint7", where joints are misread.'
    ),
]


Mirror = Annotated[
    bool, typer.Option("--mirror", help="Use the mirror image of each clip too: twice the material.")
]
TryMirror = Annotated[
    bool | None,
    typer.Option(
        "--mirror/--no-mirror",
        help="Use the mirror image of each clip too; by default where that connects more clips.",
    ),
]
Quality = Annotated[
    float,
    typer.Option(
        "--quality",
        help="Of the worst transition: 1 keeps every seam within bounds, 2 allows half of that, 0.5 twice as much.",
    ),
]
Share = Annotated[
    float,
    typer.Option(help="Of what can be reached, the part that the best transitions alone are to reach."),
]
RootMotion = Annotated[
    bool,
    typer.Option(
        "--root-motion/--no-root-motion",
        help="Bring the root's motion back to clips that walk or run on the spot.",
    ),
]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("stitch", short_help="Clips in the order given, joined where they fit best.")(stitch_command)
    app.command("replay", short_help="A motion again, from the record beside it.")(replay_command)
    app.command("demo", short_help="The main job on the embedded clips.")(demo_command)


def stitch_command(
    inputs: Annotated[
        list[str],
        typer.Argument(
            metavar="FILES",
            help="Motion files (or moves.glb#NAME, moves.segue#NAME, sample:NAME) in the order to be played.",
        ),
    ],
    out: Out = Path("stitch.bvh"),
    cost: CostName = "point_cloud",
    cost_settings: CostSettings = None,
    threshold: Annotated[str, typer.Option(help="Highest cost of a transition: a number or any.")] = "any",
    blend: BlendWord = "1/3",
    root: Root = "position",
    skeleton: Body = None,
    way: WayWord = "crossfade",
    feet: FeetWord = "natural",
    roles: Told = None,
    fps: Fps = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Clips in the given order through their best transitions."""
    from segue.app import motion_file, stages
    from segue.io.writers import WRITABLE
    from segue.measures import measure

    writable(out, force=force, kinds=WRITABLE, beside=motion_file.beside(out))
    settings = making(
        (cost, cost_settings),
        threshold="auto" if threshold == "any" else _number(threshold),
        blend=blend,
        root=root,
        skeleton=skeleton,
        fps=fps,
        roles=roles,
        way=way,
        feet=feet,
    )
    with progress(quiet=as_json) as tell:
        collection = stages.read_in_order(inputs, roles=settings.roles, progress=tell)
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
    from segue.app import motion_file, replay
    from segue.io.writers import WRITABLE

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
    """Whether a motion that was made again is the same, and what it may be due to."""
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


def demo_command(
    folder: Annotated[Path, typer.Option("--folder", help="Folder to write into; it is made.")] = Path("out"),
    seconds: Annotated[float, typer.Option(help="Length of the motion.")] = 60.0,
    seed: Annotated[int, typer.Option(help="Seed of the walk.")] = 1,
    blend: BlendWord = "1/3",
    force: Force = False,
    as_json: Json = False,
) -> None:
    """The main job on the embedded clips: endless motion as BVH and GLB, with a filmstrip where it can be drawn."""
    from segue.app import demo
    from segue.app.stages import Settings

    settings = Settings(**blend_of(blend))
    with progress(quiet=as_json) as tell:
        made = demo.run(folder, seconds=seconds, seed=seed, settings=settings, overwrite=force, progress=tell)
    result(made.facts, "\n".join(made.lines), as_json=as_json)
    if made.hint:
        note(made.hint)


def making(
    cost: tuple[str, list[str] | None], *, blend: str, roles: Path | None = None, **others: Any
) -> Settings:
    """Settings of a motion from the options of its command: a cost with its settings, --blend, --roles as typed."""
    from segue.app.stages import Settings

    name, told = cost
    return Settings(
        cost=name, cost_settings=settings_of(name, told), **blend_of(blend), roles=roles_of(roles), **others
    )


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        msg = f"--threshold {text!r} is neither a number nor any"
        raise SettingError(msg) from None


def blend_of(text: str) -> dict[str, Any]:
    """Read --blend: seconds, also as a fraction, or how to find each transition's length."""
    from fractions import Fraction

    from segue.blending.methods import check_length

    try:
        return {"blend_seconds": float(Fraction(text.strip()))}
    except (ValueError, ZeroDivisionError, OverflowError):
        check_length(text)
        return {"length": text}


def threshold_of(text: str) -> float | str:
    """Read --threshold: a number, auto or knee."""
    if text in ("auto", "knee"):
        return text
    try:
        return float(text)
    except ValueError:
        msg = f"--threshold {text!r} is neither a number nor auto nor knee"
        raise SettingError(msg) from None


def roles_of(path: Path | None) -> dict[str, str] | None:
    """Read --roles: a file of role and joint names."""
    if path is None:
        return None
    from segue.motion.roles import roles_in_toml

    return roles_in_toml(path)
