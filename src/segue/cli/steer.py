"""The steer command: make motion by steering a walker."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from segue.cli.brief_text import head, record
from segue.cli.checked import existing, number
from segue.cli.options import Force, Json
from segue.cli.output import counted, result, table, writable
from segue.errors import SettingError

if TYPE_CHECKING:
    from segue.app.steering import Steered

Walker = Annotated[
    Path, typer.Argument(metavar="WALKER", help="Library file that holds a walker (walker.segue).")
]
Name = Annotated[str | None, typer.Option("--name", help="Which walker, where a file holds several.")]

_FEW = 4  # stretches named; the rest is counted


def steer_command(
    walker: Walker,
    out: Annotated[Path, typer.Option("-o", "--out", help="File: .bvh, .glb, .fbx, .usd, .npz ...")] = Path(
        "steered.bvh"
    ),
    script: Annotated[
        Path | None, existing("--script", help="CSV seconds,type,speed,turn: m/s and degrees a second.")
    ] = None,
    path: Annotated[
        Path | None, existing("--path", help="CSV x,z,type,speed: points to follow, in metres and m/s.")
    ] = None,
    chase: Annotated[
        Path | None, existing("--chase", help="CSV seconds,x,z: a moving pointer to run after.")
    ] = None,
    ground: Annotated[
        str | None,
        typer.Option(
            help="Uneven ground: slope:DEGREES, stairs:RISE,TREAD, bumps:HEIGHT,LENGTH (metres), or a CSV x,z,height."
        ),
    ] = None,
    seconds: Annotated[
        float | None, number("--seconds", above=0, most=36000, help="Length of a scripted motion.")
    ] = None,
    fps: Annotated[float, number("--fps", least=1, most=1000, help="Frame rate of the result.")] = 60.0,
    film: Annotated[
        Path | None, typer.Option("--picture", "--film", help="PNG: a filmstrip with the path drawn.")
    ] = None,
    name: Name = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Steer a walker: by a script of commands, along a path, or after a pointer.

    The record next to the motion lists the examples of every frame; segue replay makes the motion again from it.
    """
    from segue.app import steer_record, steering
    from segue.app.motion_file import beside
    from segue.app.steer_record import ground_words
    from segue.io.formats import WRITABLE

    files: dict[steer_record.How, Path | None] = {"script": script, "path": path, "chase": chase}
    given = [(how, file) for how, file in files.items() if file is not None]
    if len(given) != 1:
        msg = "give one of --script, --path and --chase"
        raise SettingError(msg)
    how, file = given[0]
    writable(out, force=force, kinds=WRITABLE, beside=beside(out))
    if film is not None:
        writable(film, force=force, kinds=(".png",))
    words = "" if ground is None else ground_words(ground)
    model = steering.walker_of(walker, name=name)
    job = steer_record.SteerJob.of(how, file, fps=fps, seconds=seconds, ground=words)
    made = steer_record.steered(model, job, file=file)
    beside_it = steer_record.write_steered(made, out, walker=walker, name=name, job=job)
    written = [str(path) for path in (out, *beside(out)[:-1])]
    if film is not None:
        from segue.pictures.filmstrip import filmstrip

        filmstrip(made.clip.with_motion(name=out.stem), film)
        written.append(str(film))
    clip = made.clip
    document = {"written": [*written, str(beside_it)], "seconds": clip.seconds, "frames": clip.n_frames}
    document |= {"fps": clip.fps, **_facts(made)}
    result(document, _text(document), as_json=as_json, brief=_brief(document))


def _facts(made: Steered) -> dict[str, Any]:
    """Return the stretches of one type or one transition."""
    from segue.runtime.steered.player import reach_of

    beyond = {command: reach_of(made.model, command) == "clamped" for command in set(made.commands)}
    stretches: list[dict[str, Any]] = []
    for now, command in zip(made.standing, made.commands, strict=True):
        doing = now.kind if now.transition is None else f"{now.transition[0]} to {now.transition[1]}"
        if not stretches or stretches[-1]["doing"] != doing:
            stretches.append({"from_seconds": now.seconds, "doing": doing, "made": now.made, "clamped": 0})
        # Parameters that still approach the command may be out of reach; only the command itself counts.
        stretches[-1]["clamped"] += beyond[command] and now.transition is None and now.kind == command.kind
    return {"stretches": stretches}


def _text(document: dict[str, Any]) -> str:
    rows = []
    for one in document["stretches"]:
        made = " (made without a captured example)" if one["made"] else ""
        beyond = (
            f" (in {counted(one['clamped'], 'frame')} the examples do not reach the wish)"
            if one["clamped"]
            else ""
        )
        rows.append((f"{one['from_seconds']:.2f} s", f"{one['doing']}{made}{beyond}"))
    *more, record = document["written"][1:]
    tail = [*(f"also: {path}" for path in more), f"record: {record}"]
    return "\n".join([head(document), table(rows), *tail])


def _brief(document: dict[str, Any]) -> str:
    stretches = document["stretches"]
    words = [f"{one['doing']} from {one['from_seconds']:.1f} s" for one in stretches[:_FEW]]
    more = f" and {len(stretches) - _FEW} more" if len(stretches) > _FEW else ""
    clamped, made = sum(one["clamped"] for one in stretches), sum(one["made"] for one in stretches)
    reach = (
        f"in {counted(clamped, 'frame')} the examples do not reach the wish" if clamped else "all are reached"
    )
    synthetic = f"; {counted(made, 'transition')} made without a captured example" if made else ""
    return "\n".join(
        [head(document), f"  {', '.join(words)}{more}", f"  {reach}{synthetic}", record(document["written"])]
    )
