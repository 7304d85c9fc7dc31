"""Commands of steered characters: locomotion build, locomotion info."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path
from typing import Annotated, Any

import typer

from segue.cli.checked import existing, number
from segue.cli.options import Force, Inputs, Json
from segue.cli.output import counted, note, progress, result, skipped_notes, table, writable
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
    """A walker from unlabelled clips: cycles of walking and running, standing, and the transitions between them.

    Types, foot strikes, speed and turning rate are measured; transitions that no clip holds are made and marked.
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


_FEW = 16  # reasons listed; the rest is counted
_NUMBER = re.compile(r"(?<![\w:.-])\d+(?:\.\d+)?")
_EXAMPLE = re.compile(r"\S+(?: \(mirrored\))?:\d+-\d+")


def report(facts: dict[str, Any]) -> list[str]:
    """Return the lines of a walker's report: types, transitions, rejected stretches and reasons."""
    rows = [(kind, _type(kind, one)) for kind, one in facts["types"].items()]
    rows += [(f"{kind} to {kind}", _itself(one)) for kind, one in facts["types"].items()]
    rows += [(word, _transition(one)) for word, one in facts["ways"].items()]
    rows += [(word, "no transition") for word in facts["missing_ways"]]
    return [table([*rows, *_left_out(facts["left_out"])])]


def _type(kind: str, one: dict[str, Any]) -> str:
    low, high = one["speed"]
    left, right = one["turn_degrees"]
    reach = "" if kind == "stand" else f"; {low:g} to {high:g} m/s, {left:g} to {right:g} degrees/s"
    chosen = f", kept of {one['found']}" if one["found"] else ""
    return (
        f"{counted(one['examples'], 'example')}{chosen}, from {counted(one['clips'], 'clip')}, "
        f"{one['mirrored']} mirrored{reach}"
    )


def _itself(one: dict[str, Any]) -> str:
    again = one["self_transition"]
    found = f"{again['captured']} captured, " if again["captured"] else ""
    return f"{found}from its end to its start, {again['closure_degrees']:g} degrees a joint apart"


def _transition(one: dict[str, Any]) -> str:
    low, high = min(one["seconds"]), max(one["seconds"])
    how = "made from stretches of both" if one["made"] else "captured"
    span = f"{low:.1f} s" if round(low, 1) == round(high, 1) else f"{low:.1f} to {high:.1f} s"
    clips = "" if one["made"] else f" in {', '.join(_clips(one['names']))}"
    return f"{counted(one['examples'], 'transition')} in {counted(one['sets'], 'set')}, {how}{clips}, {span}"


def _clips(names: list[str]) -> list[str]:
    from segue.locomotion.edits import clip_of

    return sorted({clip_of(name) for name in names})


def _left_out(found: list[dict[str, str]]) -> list[tuple[str, str]]:
    """Return rejection reasons with their counts, the most frequent first; clips without steps by name."""
    stretches = [one for one in found if one["type"] != "clip"]
    clips = [one for one in found if one["type"] == "clip"]
    rows = []
    for (kind, reason), ones in _grouped(stretches):
        which = ones[0]["name"] if len(ones) == 1 else str(len(ones))
        rows.append(f"{kind}, {which}: {reason}")
    without = [f"{', '.join(one['name'] for one in ones)}: {reason}" for (_, reason), ones in _grouped(clips)]
    return [*_listed("not kept", rows), *_listed("without steps", without)]


def _listed(head: str, rows: list[str]) -> list[tuple[str, str]]:
    if len(rows) > _FEW:
        rows = [*rows[:_FEW], f"and {len(rows) - _FEW} more (--json lists all)"]
    return [("" if number else head, words) for number, words in enumerate(rows)]


def _grouped(found: list[dict[str, str]]) -> list[tuple[tuple[str, str], list[dict[str, str]]]]:
    """Group by type and by reason up to its numbers, the largest group first."""
    groups: dict[tuple[str, str], list[dict[str, str]]] = defaultdict(list)
    for one in found:
        groups[one["type"], _NUMBER.sub("#", _plain(one))].append(one)
    return [
        ((kind, _with_range(reason, [_plain(one) for one in ones])), ones)
        for (kind, reason), ones in sorted(groups.items(), key=lambda item: -len(item[1]))
    ]


def _plain(one: dict[str, str]) -> str:
    return _EXAMPLE.sub("one that is kept", one["reason"])


def _with_range(reason: str, names: list[str]) -> str:
    """Fill each number of a reason with its value, or its range if the values differ."""
    columns = zip(*(_NUMBER.findall(one) for one in names), strict=True)
    for column in columns:
        low, high = min(column, key=float), max(column, key=float)
        reason = reason.replace("#", low if low == high else f"{low} to {high}", 1)
    return reason
