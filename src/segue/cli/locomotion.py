"""Commands of steered characters: locomotion build, locomotion info."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from segue.cli.checked import existing, number
from segue.cli.locomotion_words import report
from segue.cli.options import Force, Inputs, Json
from segue.cli.output import counted, note, progress, result, skipped_notes, writable
from segue.cli.steer import Name, Walker, steer_command
from segue.cli.verbs import CHARACTERS, family, new_family, verb

BUILD = (
    "segue locomotion build clips/ -o walker.segue",
    "segue locomotion build clips/ --examples found.toml -o other.segue",
)
INFO = ("segue locomotion info walker.segue", "segue locomotion info walker.segue --json")
STEER = (
    "segue steer walker.segue --script wishes.csv -o steered.bvh",
    "segue steer walker.segue --path route.csv --picture route.png -o route.bvh",
)


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    group = new_family("locomotion", "Characters steered by type, speed and turning rate.")
    verb(group, "build", build_command, "Build a walker from unlabelled clips.", examples=BUILD)
    verb(group, "info", info_command, "Show what a walker can do, and what it was built from.", examples=INFO)
    family(app, group, "Build a walker from clips, or show one.", panel=CHARACTERS)
    verb(
        app,
        "steer",
        steer_command,
        "Steer a walker by a script, along a path or after a pointer.",
        panel=CHARACTERS,
        examples=STEER,
    )


def build_command(
    inputs: Inputs,
    out: Annotated[Path, typer.Option("-o", "--out", help="Library file to keep the walker in.")] = Path(
        "walker.segue"
    ),
    name: Annotated[str, typer.Option("--name", help="Name of the walker in the file.")] = "walker",
    most: Annotated[
        int,
        number(
            "--most", least=1, metavar="N", help="Examples kept for a type; time per frame grows with them."
        ),
    ] = 20,
    spacing: Annotated[
        float, number("--spacing", least=0, metavar="DEVIATIONS", help="How far apart examples are at least.")
    ] = 0.3,
    mirror: Annotated[bool, typer.Option(help="Count mirror images as examples.")] = True,
    skeleton: Annotated[
        str | None, typer.Option("--skeleton", help="Clip whose body the walker has; the first by default.")
    ] = None,
    edits: Annotated[
        Path | None,
        existing("--edits", help="TOML file that renames, retypes or drops examples, or adds parameters."),
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
    for word, given in document["walkers"].items():
        lines += [f"{walker}: {word}", *report(given)]
    result(document, "\n".join(lines), as_json=as_json)
