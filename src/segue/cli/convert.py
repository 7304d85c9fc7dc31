"""The convert command: write motion in another format, rate, unit or body."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from segue.cli.checked import choice
from segue.cli.common import ENCODING_HELP, use_encoding
from segue.cli.options import Force, Inputs, Json, Roles, roles_of
from segue.cli.output import note, progress, result, table, warn
from segue.cli.verbs import FILES, verb
from segue.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from segue.app.convert import Done

UNITS = {"m": 1.0, "dm": 0.1, "cm": 0.01, "mm": 0.001, "in": 0.0254, "ft": 0.3048}
"""Metres of each unit that has a short name."""

InFps = Annotated[
    float | None, typer.Option("--in-fps", help="Frame rate, where a file states none or a wrong one.")
]
InUnit = Annotated[
    str | None,
    typer.Option("--in-unit", help="Unit of the files (m, dm, cm, mm, in, ft, or metres); found by default."),
]
InUp = Annotated[
    str | None, typer.Option("--in-up", help="Up axis of the files: Y, Z, X, -Y, -Z or -X; found by default.")
]
Encoding = Annotated[str | None, typer.Option(help=ENCODING_HELP, callback=use_encoding)]
RootPosition = Annotated[
    str | None,
    choice(
        "--root-position",
        of=("absolute", "displacement"),
        help="BVH root positions: absolute or displacement (from OFFSET); found by default.",
    ),
]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    verb(
        app,
        "convert",
        convert_command,
        "Convert files to another format, rate, unit or body.",
        panel=FILES,
        examples=(
            "segue convert clips/walk.bvh -o walk.glb",
            "segue convert clips/ -o converted/ --format npz --fps 30",
        ),
    )


def convert_command(
    inputs: Inputs,
    out: Annotated[Path, typer.Option("-o", "--out", help="File for one motion, folder for more.")],
    to: Annotated[
        str | None,
        typer.Option("--format", "--to", help="Format of files in a folder: bvh, glb, fbx, usda ..."),
    ] = None,
    fps: Annotated[float | None, typer.Option(help="Frame rate to resample to.")] = None,
    trim: Annotated[
        str | None, typer.Option(help="Seconds to keep, A:B, A: or :B; both ends included.")
    ] = None,
    unit: Annotated[
        str | None, typer.Option(help="Unit to write (BVH): m, dm, cm, mm, in, ft, or metres.")
    ] = None,
    up: Annotated[
        str | None, typer.Option(help="Up axis to write (BVH): Y, Z, X, -Y ...; a BVH file's own or Y.")
    ] = None,
    skeleton: Annotated[
        str | None,
        typer.Option(help="Retarget to the body of this file, input, or sample:NAME."),
    ] = None,
    roles: Roles = None,
    in_place: Annotated[bool, typer.Option("--in-place", help="Keep the root over the origin.")] = False,
    root_motion: Annotated[
        bool,
        typer.Option("--root-motion", help="Restore the root's motion where a walk or run is in place."),
    ] = False,
    level: Annotated[
        bool,
        typer.Option(
            "--level",
            help="Turn and shift a floor that slopes or drifts, so that it is level and at height 0.",
        ),
    ] = False,
    in_fps: InFps = None,
    in_unit: InUnit = None,
    in_up: InUp = None,
    encoding: Encoding = None,
    root_position: RootPosition = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Convert files to another format, rate, time range, unit or body; a bad file stops no other."""
    from segue.app import convert

    settings = load_settings(in_fps, in_unit, in_up, encoding, root_position)
    start, end = trim_of(trim)
    changes = convert.Changes(
        trim=(start, end),
        in_place=in_place,
        fps=fps,
        unit=unit_of(unit, "--unit"),
        up=up,
        roles=roles_of(roles),
        root_motion=root_motion,
        level=level,
    )
    jobs = convert.plan(inputs, out, to=to)
    if skeleton is not None:
        body = convert.body_of(skeleton, inputs, roles=changes.roles, **settings)
        changes = replace(changes, body=body)
    with progress(quiet=as_json) as tell:
        done = convert.convert(jobs, changes, settings=settings, force=force, progress=tell)
    failed = [one for one in done if one.clip is None]
    for one in failed:
        warn(f"segue: {one.error}")
    for one in done:
        if one.root_motion is False:
            note(f"segue: {one.source}: is not in place; its root stays as it is")
        if one.level:
            note(f"segue: {one.source}: {one.level}")
    result(_document(done), _text(done), as_json=as_json)
    if failed:
        warn(f"segue: {len(failed)} of {len(done)} motions could not be converted")
        raise typer.Exit(2)


def load_settings(
    fps: float | None, unit: str | None, up: str | None, encoding: str | None, root_position: str | None
) -> dict[str, Any]:
    """Return the settings of `segue.load` that were given; reject impossible values."""
    from segue.io.units import checked_fps, checked_unit, checked_up

    given = {
        "fps": fps,
        "unit": unit_of(unit, "--in-unit"),
        "up": up,
        "encoding": encoding,
        "root_position": root_position,
    }
    checked_fps(fps)
    checked_unit(given["unit"])  # type: ignore[arg-type]  # a number or None
    checked_up(up)
    return {name: value for name, value in given.items() if value is not None}


def unit_of(text: str | None, option: str) -> float | None:
    """Return the metres of a unit, given as a short name or a number."""
    if text is None or text.lower() in UNITS:
        return None if text is None else UNITS[text.lower()]
    try:
        return float(text)
    except ValueError:
        msg = f"{option} {text!r} is no unit; it is one of {', '.join(UNITS)}, or a number of metres"
        raise SettingError(msg) from None


def trim_of(text: str | None, option: str = "--trim") -> tuple[float | None, float | None]:
    """Return the start and end in seconds of A:B, A: or :B."""
    if text is None:
        return None, None
    number = r"\d+\.?\d*|\.\d+"
    match = re.fullmatch(rf"\s*({number})?\s*:\s*({number})?\s*", text)
    if match is None or not any(match.groups()):
        msg = f"{option} {text!r} is not understood; give seconds as 0.5:2, 0.5: or :2"
        raise SettingError(msg)
    start, end = (float(part) if part else None for part in match.groups())
    return start, end


def _document(done: Sequence[Done]) -> dict[str, Any]:
    return {
        "written": [
            {
                "from": one.source,
                "to": str(one.target),
                "frames": one.clip.n_frames,
                "fps": one.clip.fps,
                "seconds": one.clip.seconds,
                "joints": one.clip.skeleton.n_joints,
                "taken": list(one.notes),
                **({} if one.root_motion is None else {"root_motion": one.root_motion}),
                **({"level": one.level} if one.level else {}),
            }
            for one in done
            if one.clip is not None
        ],
        "failed": [{"from": one.source, "why": one.error} for one in done if one.clip is None],
    }


def _text(done: Sequence[Done]) -> str:
    rows = [
        (
            str(one.target),
            f"{one.clip.n_frames} frames",
            f"{one.clip.fps:.6g} fps",
            f"from {one.source}",
        )
        for one in done
        if one.clip is not None
    ]
    return table(rows) if rows else "nothing was written"
