"""The retarget command: transfer motions to another body."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from segue.cli.checked import choice, number
from segue.cli.convert import InFps, InUnit, InUp, load_settings
from segue.cli.options import Force, Inputs, Json, Roles, roles_of
from segue.cli.output import counted, note, progress, result, table, warn
from segue.cli.verbs import FILES, verb

if TYPE_CHECKING:
    from collections.abc import Sequence

    from segue.app.retargeting import Retargeted


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    verb(
        app,
        "retarget",
        retarget_command,
        "Retarget clips to one body, feet on the floor.",
        panel=FILES,
        examples=(
            "segue retarget clips/run.bvh --body sample:stand -o on-body.bvh",
            "segue retarget clips/ --body sample:stand -o on-body/ --format glb",
        ),
    )


def retarget_command(
    inputs: Inputs,
    to: Annotated[
        str,
        typer.Option(
            "--body",
            "--to",
            metavar="MOTION",
            help="Whose body: a motion file, an .asf, an input's name, a clip in a library, sample:NAME.",
        ),
    ],
    out: Annotated[Path, typer.Option("-o", "--out", help="File for one motion, folder for more.")],
    kind: Annotated[
        str | None, typer.Option("--format", help="Format of files in a folder: bvh, glb, fbx, usda ...")
    ] = None,
    feet: Annotated[
        str,
        choice(
            "--feet",
            of=("natural", "locked", "free"),
            also=("planted",),
            help="natural: soles on the floor, planted feet move as in the clip; locked: not at all; "
            "free: limb directions only.",
        ),
    ] = "natural",
    hands: Annotated[
        float,
        number(
            "--hands",
            least=0,
            most=1,
            metavar="SHARE",
            help="0: arms keep their directions; 1: hands keep their places relative to each other, the body and the "
            "ground.",
        ),
    ] = 0.0,
    roles: Roles = None,
    in_fps: InFps = None,
    in_unit: InUnit = None,
    in_up: InUp = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Retarget motions to one body; a bad file stops no other.

    Limbs point where they pointed, steps become as much longer or shorter as the legs, planted feet stand on the floor.
    """
    from segue.app import convert, retargeting

    settings = load_settings(in_fps, in_unit, in_up, None, None)
    given = roles_of(roles)
    jobs = convert.plan(inputs, out, to=kind)
    body = convert.body_of(to, inputs, roles=given, **settings)
    with progress(quiet=as_json) as tell:
        done = retargeting.retarget_all(
            jobs,
            body,
            feet=feet,  # type: ignore[arg-type]  # checked there
            hands=hands,
            roles=given,
            settings=settings,
            force=force,
            progress=tell,
        )
    failed = [one for one in done if one.clip is None]
    for one in failed:
        warn(f"segue: {one.error}")
    if not as_json:
        for words in _notes(done):
            note(words)
    result(_document(done, to), _text(done), as_json=as_json)
    if failed:
        warn(f"segue: {len(failed)} of {counted(len(done), 'motion')} could not be retargeted")
        raise typer.Exit(2)


def _notes(done: Sequence[Retargeted]) -> list[str]:
    """Return sentences on joints without a partner, equal ones once with the number of files."""
    document: dict[str, list[str]] = {}
    for one in done:
        if one.fit is not None and not one.own_body:
            for words in one.fit.sentences():
                document.setdefault(words, []).append(one.source)
    return [
        f"{sources[0]}{f' and {len(sources) - 1} more' if len(sources) > 1 else ''}: {words}"
        for words, sources in document.items()
    ]


def _document(done: Sequence[Retargeted], to: str) -> dict[str, Any]:
    return {
        "body": to,
        "written": [
            {
                "from": one.source,
                "to": str(one.target),
                "frames": one.clip.n_frames,
                "fps": one.clip.fps,
                "joints": one.clip.skeleton.n_joints,
                "legs_times": one.fit.scale,
                "own_body": one.own_body,
                "plants": one.plants,
                "slid_metres_before": one.slid_before,
                "slid_metres_after": one.slid_after,
                "moved_by": one.fit.moved_by,
                "shared": list(one.fit.shared),
                "resting": list(one.fit.resting),
                "without_partner": one.fit.unused,
            }
            for one in done
            if one.clip is not None and one.fit is not None
        ],
        "failed": [{"from": one.source, "why": one.error} for one in done if one.clip is None],
    }


def _text(done: Sequence[Retargeted]) -> str:
    rows = []
    for one in done:
        if one.clip is None or one.fit is None:
            continue
        if one.own_body:
            rows.append((str(one.target), f"{one.clip.n_frames} frames", "its own body", "as it was"))
            continue
        slid = (
            f"{counted(one.plants, 'plant')} slide {1e3 * one.slid_after:.1f} mm in the median "
            f"({1e3 * one.slid_before:.1f} as captured)"
            if one.plants
            else "no planted feet"
        )
        rows.append((str(one.target), f"{one.clip.n_frames} frames", f"legs {one.fit.scale:.2f} x", slid))
    return table(rows) if rows else "nothing was written"
