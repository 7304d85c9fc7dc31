"""The replace command: insert a piece of one motion into another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from segue.cli.checked import number
from segue.cli.convert import trim_of
from segue.cli.options import Force, Json, takes_settings
from segue.cli.output import result, writable
from segue.cli.verbs import FILES, verb
from segue.settings import Settings


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    verb(
        app,
        "replace",
        replace_command,
        "Replace seconds of one motion by a piece of another.",
        panel=FILES,
        examples=(
            "segue replace clips/walk.bvh --at 2:3 --with clips/walk_fast.bvh --part 2:3",
            "segue replace sample:run --at 4.5: --with sample:stop --part 1:3 -o new.bvh",
        ),
    )


@takes_settings("way", "feet", "roles")
def replace_command(
    motion: Annotated[str, typer.Argument(help="The motion to change.")],
    at: Annotated[str, typer.Option("--at", help="Seconds to replace, A:B, A: or :B; both ends included.")],
    piece: Annotated[str, typer.Option("--with", help="The motion to take a piece from.")],
    part: Annotated[
        str | None, typer.Option("--part", help="Seconds of it to take, A:B; all by default.")
    ] = None,
    out: Annotated[
        Path, typer.Option("-o", "--out", help="File to write: .bvh, .glb, .fbx, .usd, .npz ...")
    ] = Path("replaced.bvh"),
    blend: Annotated[
        float, number("--blend", least=0, most=2, metavar="SECONDS", help="Blend at either end.")
    ] = 0.25,
    *,
    settings: Settings,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Play a piece of another motion for some seconds; every frame outside stays as it is."""
    from segue.app import replacing
    from segue.io.formats import WRITABLE

    writable(out, force=force, kinds=WRITABLE)
    made = replacing.replace(
        motion,
        piece,
        out,
        at=trim_of(at, "--at"),
        part=trim_of(part, "--part"),
        blend_seconds=blend,
        way=settings.way,
        feet=settings.feet,
        roles=settings.roles,
    )
    fps, total = made.clip.fps, made.clip.n_frames
    document = {
        "written": [str(out)],
        "frames": total,
        "fps": fps,
        "replaced_frames": [made.start, made.stop],
        "tempo": made.tempo,
        "end_shifted_metres": made.shifted,
        "end_turned_degrees": made.turned * 57.29577951308232,
    }
    text = (
        f"{out}: frames {made.start} to {made.stop - 1} of {total} replaced, all others as they were\n"
        f"  the piece plays at {made.tempo:.3g} times its speed; its end was moved {made.shifted:.2f} m and turned "
        f"{document['end_turned_degrees']:.0f} degrees, little by little, to meet the motion again"
    )
    result(document, text, as_json=as_json)
