"""Commands of steered characters: locomotion build, locomotion info, steer."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from segue.cli.locomotion_words import report
from segue.cli.make import Force, Inputs, Json
from segue.cli.output import counted, note, progress, result, skipped_notes, table, writable
from segue.errors import SettingError

if TYPE_CHECKING:
    from segue.app.steering import Steered

Walker = Annotated[
    Path, typer.Argument(metavar="WALKER", help="Library file that holds a walker (walker.segue).")
]
Name = Annotated[str | None, typer.Option("--name", help="Which walker, where a file holds several.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    group = typer.Typer(no_args_is_help=True, help="Characters steered by type, speed and turning rate.")
    group.command("build", short_help="A walker from unlabelled clips.")(build_command)
    group.command("info", short_help="What a walker can do, and what it was built from.")(info_command)
    app.add_typer(group, name="locomotion", short_help="Build a walker from clips, look at one.")
    app.command("steer", short_help="Steer a walker by a script, along a path or after a pointer.")(
        steer_command
    )


def build_command(
    inputs: Inputs,
    out: Annotated[Path, typer.Option("-o", "--out", help="Library file to keep the walker in.")] = Path(
        "walker.segue"
    ),
    name: Annotated[str, typer.Option("--name", help="Name of the walker in the file.")] = "walker",
    most: Annotated[int, typer.Option(help="Examples kept for a type; time per frame grows with them.")] = 20,
    spacing: Annotated[
        float, typer.Option(help="How far apart examples are at least, in deviations of all.")
    ] = 0.3,
    mirror: Annotated[bool, typer.Option(help="Count mirror images as examples.")] = True,
    skeleton: Annotated[
        str | None, typer.Option("--skeleton", help="Clip whose body the walker has; the first by default.")
    ] = None,
    edits: Annotated[
        Path | None,
        typer.Option(
            "--edits", help="TOML file that renames, retypes or drops examples, or adds parameters."
        ),
    ] = None,
    examples: Annotated[
        Path | None, typer.Option("--examples", help="Write every example found to a TOML file for --edits.")
    ] = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """A walker from unlabelled clips: cycles of walking and running, standing, and the ways between them.

    Types, foot strikes, speed and turning rate are measured; ways that no clip holds are made and marked.
    """
    from segue.app import walkers
    from segue.io.text import write_whole
    from segue.locomotion.build import BuildSettings

    writable(out, force=True, kinds=(".segue",))
    walkers.check_place(out, name=name, force=force)
    if examples is not None:
        writable(examples, force=force, kinds=(".toml",))
    settings = BuildSettings(most=most, spacing=spacing, mirror=mirror)
    with progress(quiet=as_json) as tell:
        built = walkers.build_walker(inputs, settings=settings, skeleton=skeleton, edits=edits, progress=tell)
    skipped_notes(built.collection.skipped)
    if examples is not None:
        write_whole(examples, walkers.examples_toml(built.collection, mirror=mirror).encode("utf-8"))
        note(f"examples: {examples}")
    walkers.keep_walker(out, built.model, name=name, force=force)
    document = {"written": [str(out)], "name": name, "clips_read": len(built.collection.clips)}
    document |= walkers.facts(built.model)
    head = f"{out}: {name}, from {counted(len(built.collection.clips), 'clip')}"
    result(document, "\n".join([head, *report(document)]), as_json=as_json)


def info_command(walker: Walker, name: Name = None, as_json: Json = False) -> None:
    """What the walkers of a file can do, and what they were built from."""
    from segue.app import walkers

    found = walkers.walkers_in(walker)
    if name is not None:
        from segue.app.steering import walker_of

        found = {name: walker_of(walker, name=name)}
    if not found:
        from segue.errors import FileError

        raise FileError(walker, "holds no walker; segue locomotion build makes one from clips")
    document = {"walkers": {word: walkers.facts(model) for word, model in found.items()}}
    lines: list[str] = []
    for word, told in document["walkers"].items():
        lines += [f"{walker}: {word}", *report(told)]
    result(document, "\n".join(lines), as_json=as_json)


def steer_command(
    walker: Walker,
    out: Annotated[Path, typer.Option("-o", "--out", help="File: .bvh, .glb, .fbx, .usd, .npz ...")] = Path(
        "steered.bvh"
    ),
    script: Annotated[
        Path | None, typer.Option("--script", help="CSV seconds,type,speed,turn: m/s and degrees a second.")
    ] = None,
    path: Annotated[
        Path | None, typer.Option("--path", help="CSV x,z,type,speed: points to follow, in metres and m/s.")
    ] = None,
    chase: Annotated[
        Path | None, typer.Option("--chase", help="CSV seconds,x,z: a moving pointer to run after.")
    ] = None,
    seconds: Annotated[float | None, typer.Option(help="Length of a scripted motion.")] = None,
    fps: Annotated[float, typer.Option(help="Frame rate of the result.")] = 60.0,
    film: Annotated[Path | None, typer.Option("--film", help="PNG: a filmstrip with the path drawn.")] = None,
    name: Name = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Steer a walker: by a script of wishes, along a path, or after a pointer."""
    from segue.app import steering
    from segue.io import save
    from segue.io.writers import WRITABLE

    told = [option for option in (script, path, chase) if option is not None]
    if len(told) != 1:
        msg = "say how to steer: one of --script, --path and --chase"
        raise SettingError(msg)
    writable(out, force=force, kinds=WRITABLE)
    if film is not None:
        writable(film, force=force, kinds=(".png",))
    if not fps > 0:
        msg = f"--fps {fps:g} is no frame rate; give a positive number"
        raise SettingError(msg)
    model = steering.walker_of(walker, name=name)
    if script is not None:
        wishes = steering.read_script(script, model)
        made = steering.steer_script(model, wishes, fps=fps, seconds=seconds)
    elif path is not None:
        made = steering.steer_path(model, path, fps=fps)
    else:
        made = steering.steer_chase(model, told[0], fps=fps)
    clip = made.clip.with_motion(name=out.stem)
    save(clip, out)
    written = [str(out)]
    if film is not None:
        from segue.pictures.filmstrip import filmstrip

        filmstrip(clip, film)
        written.append(str(film))
    document = {"written": written, "seconds": clip.seconds, "frames": clip.n_frames, "fps": clip.fps}
    document |= _steered_facts(made)
    result(document, _steered_text(document), as_json=as_json)


def _steered_facts(made: Steered) -> dict[str, Any]:
    """What happened, in stretches of one type or way."""
    stretches: list[dict[str, Any]] = []
    for now, wish in zip(made.standing, made.wishes, strict=True):
        doing = now.kind if now.way is None else f"{now.way[0]} to {now.way[1]}"
        if not stretches or stretches[-1]["doing"] != doing:
            stretches.append({"from_seconds": now.seconds, "doing": doing, "made": now.made, "clamped": 0})
        settled = abs(now.parameters["speed"] - wish.speed) < 0.01  # not still on the way from another wish
        stretches[-1]["clamped"] += now.reached == "clamped" and now.way is None and settled
    return {"stretches": stretches}


def _steered_text(document: dict[str, Any]) -> str:
    frames = counted(document["frames"], "frame")
    head = f"{document['written'][0]}: {document['seconds']:g} s, {frames} at {document['fps']:g} fps"
    rows = []
    for one in document["stretches"]:
        made = " (made: no clip holds it)" if one["made"] else ""
        beyond = (
            f" (in {counted(one['clamped'], 'frame')} the examples do not reach the wish)"
            if one["clamped"]
            else ""
        )
        rows.append((f"{one['from_seconds']:.2f} s", f"{one['doing']}{made}{beyond}"))
    return "\n".join([head, table(rows), *(f"film: {path}" for path in document["written"][1:])])
