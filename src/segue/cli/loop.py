"""Commands that make a motion from a single one: loop, mirror."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from segue.cli.checked import choice, number
from segue.cli.options import Force, Json, Roles, roles_of, takes_settings
from segue.cli.output import counted, progress, result, table, writable
from segue.cli.verbs import FILES, MAKE, verb
from segue.settings import Settings

if TYPE_CHECKING:
    from segue.motion.clip import Clip
    from segue.synthesis.loop import Loop

Motion = Annotated[
    str,
    typer.Argument(
        help="A motion file, sample:NAME, or one clip of several (moves.glb#NAME, moves.segue#NAME)."
    ),
]
Written = Annotated[Path, typer.Option("-o", "--out", help="File to write: .bvh, .glb, .fbx, .usd, .npz ...")]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    verb(
        app,
        "loop",
        loop_command,
        "A seamless loop of the best cycle in a clip.",
        panel=MAKE,
        examples=(
            "segue loop clips/walk.bvh -o cycle.bvh",
            "segue loop clips/run.bvh --in-place --times 4 -o four.glb",
        ),
    )
    verb(
        app,
        "mirror",
        mirror_command,
        "Exchange left and right.",
        panel=FILES,
        examples=(
            "segue mirror clips/walk_left.bvh -o mirrored.bvh",
            "segue mirror take.glb --body mirrored -o on-mirror.glb",
        ),
    )


@takes_settings("feet", "cost", "cost_settings", "roles")
def loop_command(
    motion: Motion,
    out: Written = Path("loop.bvh"),
    start: Annotated[
        float | None,
        number("--from", least=0, metavar="SECONDS", help="Where the cycle begins; found by default."),
    ] = None,
    stop: Annotated[
        float | None,
        number("--to", above=0, metavar="SECONDS", help="Where it begins again; found by default."),
    ] = None,
    times: Annotated[int, number("--times", least=1, metavar="N", help="Rounds to write, end to end.")] = 1,
    in_place: Annotated[
        bool, typer.Option("--in-place", help="Remove the ground motion: walk on the spot.")
    ] = False,
    back: Annotated[
        bool, typer.Option("--back", help="Play forwards and then backwards, instead of closing a cycle.")
    ] = False,
    turn: Annotated[
        str,
        choice(
            "--turn",
            of=("auto", "keep", "none"),
            help="keep: turn as much every round; none: straight ahead; auto: straight if under 15 degrees.",
        ),
    ] = "auto",
    longest: Annotated[
        float | None,
        number(
            "--longest", above=0, metavar="SECONDS", help="How long a cycle may last.", show_default="10 s"
        ),
    ] = None,
    *,
    settings: Settings,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """A seamless loop: the best cycle of a clip, closed in pose, speed, heading and feet.

    The last frame is the first again, so that the file lasts as long as its rounds.
    """
    from segue.app import looping, motion_file
    from segue.io.formats import WRITABLE

    writable(out, force=force, kinds=WRITABLE, beside=motion_file.beside(out))
    with progress(quiet=as_json):
        made, played = looping.make_loop(
            motion,
            out,
            start=start,
            stop=stop,
            times=times,
            in_place=in_place,
            back=back,
            turn=turn,  # type: ignore[arg-type]  # checked where the loop is made
            feet=settings.feet,
            longest=longest,
            cost=settings.cost,
            cost_settings=settings.cost_settings,
            roles=settings.roles,
        )
    document = _facts(out, made, played, times, back=back)
    result(document, _text(document), as_json=as_json)


def _facts(out: Path, made: Loop, played: Clip, times: int, *, back: bool) -> dict[str, Any]:
    import numpy as np

    from segue.app.motion_file import beside

    fps, cycle = made.clip.fps, made.cycle
    gone = made.clip.root_positions[-1] - made.clip.root_positions[0]
    return {
        "written": [str(path) for path in (out, *beside(out))],
        "seconds": played.seconds,
        "frames": played.n_frames,
        "fps": fps,
        "rounds": times,
        "round_seconds": made.seconds,
        "kind": "there and back" if back else "strides" if cycle.strides else "phrase",
        "from_seconds": cycle.start / fps,
        "to_seconds": cycle.stop / fps,
        "strides": cycle.strides,
        "cost": cycle.cost,
        "next_frame_costs": cycle.next_frame_costs,
        "share": cycle.share,
        "joint_turned_up_to_degrees": float(np.degrees(made.turned)),
        "drift_removed_metres": made.slid[0],
        "drift_removed_degrees": float(np.degrees(made.slid[1])),
        "round_metres": float(np.hypot(gone[0], gone[2])),
        "round_turns_degrees": float(np.degrees(made.step.turn)),
    }


def _text(document: dict[str, Any]) -> str:
    rounds = counted(document["rounds"], "round")
    head = (
        f"{document['written'][0]}: {document['seconds']:.4g} s, {counted(document['frames'], 'frame')} "
        f"at {document['fps']:g} fps, {rounds} of {document['round_seconds']:.4g} s"
    )
    if document["kind"] == "there and back":
        return f"{head}, there and back: every frame is one of the clip's\nrecord: {document['written'][-1]}"
    kind = (
        counted(document["strides"], "stride")
        if document["strides"]
        else "a phrase that comes back to where it began"
    )
    closed = (
        f"its ends differed by {document['next_frame_costs']:.1f} times a frame and the next; joints are turned "
        f"by up to {document['joint_turned_up_to_degrees']:.1f} degrees at either end, evenly less towards the "
        f"middle, which adds {100 * document['share']:.1f} % to what moves"
    )
    if document["next_frame_costs"] == document["joint_turned_up_to_degrees"] == 0:
        closed = "the clip is one whole cycle; its frames are as they were"
    rows = [
        ("cycle", f"{document['from_seconds']:.2f} to {document['to_seconds']:.2f} s of the clip: {kind}"),
        ("closed", closed),
        ("ground", _ground(document)),
    ]
    if document["share"] > 0.12:
        rows.append(("note", "that much can be seen; a range whose ends are more alike closes better"))
    return "\n".join([head, table(rows), f"record: {document['written'][-1]}"])


def _ground(document: dict[str, Any]) -> str:
    if document["round_metres"] < 1e-9 and abs(document["round_turns_degrees"]) < 1e-9:
        words = "every round in the same place"
    else:
        turned = f"{document['round_turns_degrees']:.1f} degrees"
        words = f"each round goes {document['round_metres']:.2f} m and turns {turned}"
    gone = []
    if document["drift_removed_metres"] > 5e-4:
        gone.append(f"{1000 * document['drift_removed_metres']:.0f} mm")
    if abs(document["drift_removed_degrees"]) > 0.05:
        gone.append(f"{document['drift_removed_degrees']:.1f} degrees")
    return f"{words}; {' and '.join(gone)} of drift removed evenly" if gone else words


def mirror_command(
    motion: Motion,
    out: Written = Path("mirror.bvh"),
    body: Annotated[
        str,
        choice(
            "--body",
            of=("own", "mirrored"),
            help="own: the clip's skeleton stays; mirrored: its sides' lengths change places too, exactly.",
        ),
    ] = "own",
    roles: Roles = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Exchange left and right; the motion begins at the same place with the same heading."""
    from segue.app import looping, motion_file
    from segue.io.formats import WRITABLE
    from segue.motion.sides import is_symmetric, partners

    writable(out, force=force, kinds=WRITABLE, beside=motion_file.beside(out))
    with progress(quiet=as_json):
        clip, made = looping.make_mirrored(motion, out, body=body, roles=roles_of(roles))  # type: ignore[arg-type]
    order = partners(clip.skeleton)
    lonely = [clip.skeleton.names[k] for k in range(len(order)) if order[k] < 0]
    same = is_symmetric(clip.skeleton)
    document = {
        "written": [str(path) for path in (out, *motion_file.beside(out))],
        "frames": made.n_frames,
        "seconds": made.seconds,
        "symmetric_body": same,
        "without_partner": lonely,
    }
    lines = [f"{out}: {counted(made.n_frames, 'frame')}, left and right exchanged"]
    if not same and body == "own":
        lines.append("  the body's sides differ: bones point where the mirror image points, lengths stay")
    if lonely:
        lines.append(f"  without a partner on the other side, at rest: {', '.join(lonely)}")
    lines.append(f"record: {motion_file.record_path(out)}")
    result(document, "\n".join(lines), as_json=as_json)
