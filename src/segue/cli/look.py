"""Commands that compare and draw motion: compare, film."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from segue.cli.checked import choice, number
from segue.cli.measuring import Sources
from segue.cli.motion_text import threshold_text
from segue.cli.options import Force, Json, Roles, roles_of, takes_settings
from segue.cli.output import counted, progress, result, table, warn, writable, writing
from segue.cli.verbs import LOOK, verb
from segue.errors import SettingError
from segue.settings import Settings

if TYPE_CHECKING:
    import numpy as np

    from segue.costs.protocol import Cost
    from segue.motion.clip import Clip
    from segue.transitions.selection import TransitionPoints

_LISTED = 10  # points listed by default


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    verb(
        app,
        "compare",
        compare_command,
        "Find where one clip can be left for another.",
        panel=LOOK,
        examples=(
            "segue compare clips/walk.bvh clips/walk_left.bvh",
            "segue compare sample:walk sample:walk_fast --picture costs.png",
        ),
    )
    verb(
        app,
        "film",
        film_command,
        "Draw a motion, or write a page that plays it.",
        panel=LOOK,
        examples=(
            "segue film clips/run.bvh --count 12 -o run.png",
            "segue film endless.bvh -o endless.html",
        ),
    )


@takes_settings("cost", "cost_settings", "threshold", "roles")
def compare_command(
    a: Annotated[
        str,
        typer.Argument(
            help="Clip to leave: a motion file (or moves.glb#NAME, moves.segue#NAME, sample:NAME)."
        ),
    ],
    b: Annotated[
        str,
        typer.Argument(
            help="Clip to arrive in: a motion file (or moves.glb#NAME, moves.segue#NAME, sample:NAME)."
        ),
    ],
    *,
    settings: Settings,
    method: Annotated[
        str,
        choice(
            "--method",
            of=("local", "sectors"),
            help="local: local minima of the cost; sectors: the least of each square of 50 x 50 frames.",
        ),
    ] = "local",
    mode: Annotated[
        str,
        choice(
            "--mode",
            of=("centre", "source"),
            help="centre: the two frames meet in the middle of the blend; source: leave at one frame, arrive at the "
            "other (start-end).",
        ),
    ] = "centre",
    best: Annotated[
        int | None,
        typer.Option(
            min=0, help=f"Points to list ({_LISTED}); with --costs, to take of each (where costs bend)."
        ),
    ] = None,
    costs: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Compare costs instead: all, or names with commas between them; also over folders.",
        ),
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="With --costs (all by default): page to write (.html).")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--picture", "--out", help="Cost matrix picture to write (.png).")
    ] = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Find where one clip can be left for another: best points, counts after each step, picture of the cost matrix.

    With --costs or --report: what several costs choose on the same clips or folders, and how far feet slide in it.
    """
    if costs is not None or report is not None:
        from segue.cli.comparing import compare_costs_of

        if out is not None:
            msg = f"--out {out}: with --costs the pictures are in the page; name it with --report PAGE.html"
            raise SettingError(msg)
        compare_costs_of(
            (a, b), costs or "all", page=report, roles=settings.roles, best=best, force=force, as_json=as_json
        )
        return
    from segue.app import stages
    from segue.costs.registry import cost_of
    from segue.motion.resample import resampled
    from segue.motion.roles import require_legs
    from segue.synthesis.retarget import retarget
    from segue.transitions.selection import transition_points

    if out is not None:
        writable(out, force=force, kinds=(".png",))
    chosen_cost = cost_of(settings)
    with progress(quiet=as_json) as tell:
        pair = stages.read_in_order([a, b], roles=settings.roles, progress=tell).clips
    require_legs(pair)
    left, right = pair
    if right is not left:
        right = resampled(retarget(right, left.skeleton), right.fps)
    points = transition_points(
        left,
        right,
        cost=chosen_cost,
        threshold=settings.threshold,
        method=method,  # type: ignore[arg-type]  # checked there
        mode=mode,  # type: ignore[arg-type]  # checked there
    )
    document = _compared(points, left, right, _LISTED if best is None else best)
    if out is not None:
        document["written"] = [str(out)]
        with writing(out):
            _draw_matrix(left, right, chosen_cost, points, out)
    result(document, _compare_text(document, points), as_json=as_json)
    if not points:
        # stdout already reports how the threshold was found.
        why = points.sentence.replace(f" ({points.threshold.sentence})", "")
        warn(f"segue: {why}")
        raise typer.Exit(1)


def _compared(points: TransitionPoints, a: Clip, b: Clip, best: int) -> dict[str, Any]:
    return {
        "a": a.name,
        "b": b.name,
        "threshold": points.threshold.value,
        "threshold_found": points.threshold.sentence,
        "counts": {"a_to_b": dict(points.counts), "b_to_a": dict(points.back_counts)},
        "best_cost": points.best_cost,
        "points": [
            {
                "a_frame": p.a_frame,
                "a_seconds": p.a_frame / a.fps,
                "b_frame": p.b_frame,
                "b_seconds": p.b_frame / b.fps,
                "cost": p.cost,
                "along_blend": p.diagonal_cost,
                "kind": p.kind,
            }
            for p in list(points)[:best]
        ],
    }


def _compare_text(document: dict[str, Any], points: TransitionPoints) -> str:
    lines = [f"{document['a']} to {document['b']}: {counted(len(points), 'transition point')}"]
    for direction, label in (("a_to_b", "there"), ("b_to_a", "back")):
        steps = ", ".join(f"{count} {step}" for step, count in document["counts"][direction].items())
        lines.append(f"  {label:<10}{steps}")
    lines.append(f"  threshold {threshold_text(points.threshold)}")
    if document["points"]:
        head = ("leave at", "arrive at", "cost", "along the blend")
        rows = [
            (
                f"{p['a_seconds']:.2f} s",
                f"{p['b_seconds']:.2f} s",
                f"{p['cost']:.3g}",
                f"{p['along_blend']:.3g}",
            )
            for p in document["points"]
        ]
        lines.append(table([head, *rows]))
    lines += [f"picture: {path}" for path in document.get("written", [])]
    return "\n".join(lines)


def _draw_matrix(a: Clip, b: Clip, cost: Cost, points: TransitionPoints, out: Path) -> None:
    from segue.costs.matrix import cost_matrix
    from segue.pictures.matrix import cost_picture
    from segue.transitions.minima import local_minima

    matrix = cost_matrix(a, b, cost=cost)
    cells = local_minima(matrix.values)
    low = cells[matrix.values[cells[:, 0], cells[:, 1]] <= points.threshold.value]
    minima = _frames_of(matrix.a_frames[low[:, 0]], matrix.b_frames[low[:, 1]])
    cost_picture(matrix, out, minima=minima, chosen=list(points), threshold=points.threshold.value)


def _frames_of(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    import numpy as np

    return np.column_stack([a, b])


def film_command(
    motion: Annotated[
        list[str],
        typer.Argument(
            help="A motion file (or moves.glb#NAME, moves.segue#NAME, sample:NAME); several for a page."
        ),
    ],
    out: Annotated[
        Path, typer.Option("-o", "--out", help="Picture (.png), or page that plays it (.html), to write.")
    ] = Path("film.png"),
    seam: Annotated[
        int | None,
        number(
            "--seam",
            least=1,
            metavar="N",
            help="Draw every frame from half a second before this seam to half a second after; seams count from 1.",
        ),
    ] = None,
    step: Annotated[
        int,
        number("--step", least=1, metavar="N", help="With --seam: draw a figure every N frames."),
    ] = 1,
    count: Annotated[int | None, number("--count", least=1, metavar="N", help="Number of figures.")] = None,
    every: Annotated[
        float | None, number("--every", above=0, metavar="SECONDS", help="Seconds between figures.")
    ] = None,
    view: Annotated[
        str,
        choice(
            "--view",
            of=("auto", "side", "front", "travel"),
            help="Side from which the figures are seen; travel: across the direction of travel.",
        ),
    ] = "auto",
    timeline: Annotated[
        bool, typer.Option("--timeline", help="Draw which clip plays when, and the path on the ground.")
    ] = False,
    sources: Sources = None,
    roles: Roles = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Filmstrip: seams tinted, planted feet marked; --seam N for every frame around a seam.

    With -o PAGE.html: one page that plays the motion, or several in step, with no network and no server.
    """
    from segue.app.measuring import motion_and_sources
    from segue.measures.foot_skate import carried_contacts

    writable(out, force=force, kinds=(".png", ".html"))
    page = out.suffix.lower() == ".html"
    if page:
        _only_for_pictures(seam=seam, count=count, every=every, timeline=timeline or None)
    elif len(motion) != 1:
        msg = f"a picture shows one motion, not {len(motion)}; a page plays several in step (-o film.html)"
        raise SettingError(msg)
    found = [motion_and_sources(each, folder=sources, roles=roles_of(roles)) for each in motion]
    planted = [carried_contacts(clip, clips) if clips else None for clip, clips in found]
    if page:
        from segue.pictures.player.page import film_page

        with writing(out):
            film_page([clip for clip, _ in found], out, contacts=planted)
        names = " and ".join(f"{clip.name}, {clip.seconds:.2f} s" for clip, _ in found)
        result({"written": [str(out)]}, f"{out}: {names}", as_json=as_json)
        return
    clip, clips = found[0]
    frame = None if seam is None else _seam_frame(clip, seam, motion[0])
    with writing(out):
        if timeline:
            from segue.pictures.timeline import timeline as draw_timeline

            draw_timeline(clip, out)
        elif frame is None:
            from segue.pictures.filmstrip import filmstrip

            filmstrip(clip, out, count=count, every_seconds=every, view=view, contacts=planted[0])
        else:
            from segue.pictures.seam_strip import seam_strip

            seam_strip(clip, frame, out, step=step, sources=clips or None, contacts=planted[0], view=view)
    result({"written": [str(out)]}, f"{out}: {clip.name}, {clip.seconds:.2f} s", as_json=as_json)


def _only_for_pictures(**given: object) -> None:
    """Reject options that select the content of a picture: a page plays the complete motion."""
    for name, value in given.items():
        if value is not None:
            msg = f"--{name} chooses what a picture (.png) shows; a page (.html) plays the whole motion"
            raise SettingError(msg)


def _seam_frame(clip: Clip, seam: int, motion: str) -> int:
    """Return the frame of a seam; seams are counted from 1."""
    from segue.pictures.origins import joins

    known = joins(clip)
    if not 1 <= seam <= len(known):
        msg = f"--seam {seam}: {motion} has {counted(len(known), 'known seam')}"
        hint = "" if known else "; they are read from the .origin.json beside a made motion"
        raise SettingError(msg + hint)
    return known[seam - 1].frame
