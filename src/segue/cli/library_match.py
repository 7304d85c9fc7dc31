"""Commands for the transitions of a library: match, points, verdict."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from segue.cli.checked import choice
from segue.cli.library import LibraryFile, few, opened
from segue.cli.options import Json, option, takes_settings
from segue.cli.output import counted, note, progress, result, table
from segue.cli.verbs import verb
from segue.errors import SettingError, require_extra
from segue.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from segue.library.matching import Matched
    from segue.transitions.transition import TransitionPoint

_MOST = 20  # points printed by default


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    verb(
        app,
        "match",
        match_command,
        "Compare all pairs of clips that were not compared yet.",
        examples=(
            "segue library match moves.segue",
            "segue library match moves.segue --cost joint_angle --fps 30",
        ),
    )
    verb(
        app,
        "points",
        points_command,
        "List the transition points of a library, cheapest first.",
        examples=("segue library points moves.segue", "segue library points moves.segue walk run --all"),
    )
    verb(
        app,
        "verdict",
        verdict_command,
        "Mark a transition point good or bad.",
        examples=(
            "segue library verdict moves.segue stop 70 walk 332 good",
            "segue library verdict moves.segue stop 70 walk 332 bad --by Ada",
        ),
    )


_BODY = option(
    str | None,
    "--skeleton",
    "skeleton",
    help="Clip whose body all are compared on; the one first added by default.",
)


@takes_settings(
    "cost",
    "cost_settings",
    "threshold",
    "quality",
    "share",
    "blend",
    "root",
    "skeleton",
    "fps",
    skeleton=_BODY,
)
def match_command(
    library: LibraryFile,
    *,
    settings: Settings,
    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS", help="Compare on the workers of this Dask scheduler, as tcp://HOST:8786."
        ),
    ] = None,
    processes: Annotated[
        int | None,
        typer.Option(
            "--workers", metavar="N", min=1, help="Compare in N processes of this machine, by Dask."
        ),
    ] = None,
    memory: Annotated[
        int, typer.Option(metavar="MB", min=1, help="Most memory for costs; on a cluster, on each worker.")
    ] = 1024,
    device: Annotated[
        str,
        choice(
            "--device",
            of=("cpu", "gpu", "auto"),
            help="gpu needs PyTorch; the CPU computes if there is none, which is reported.",
        ),
    ] = "cpu",
    as_json: Json = False,
) -> None:
    """Compare all pairs of clips that were not compared yet.

    What was compared before is kept: after adding clips only their own pairs are computed, and another threshold
    computes no cost. With a number as the threshold, pairs of a large library that cannot have a point under it are
    not compared at all; a higher threshold looks at them again. Each cost, blend and body has results of its own. After
    an interruption the same command goes on where it was. All cores of this machine work, or those of a cluster; what
    is found is the same.
    """
    if scheduler is not None and processes is not None:
        raise SettingError("--scheduler and --workers exclude each other; give one")
    if scheduler is not None or processes is not None:
        require_extra("comparing on a Dask cluster", "scale")
    with opened(library, write=True) as store, progress(quiet=as_json) as tell:
        matched = store.match(
            scheduler=scheduler,
            processes=processes,
            memory_budget=memory << 20,
            device=device,  # type: ignore[arg-type]  # checked there
            progress=tell,
            settings=settings,
        )
    document = {"library": str(library), **asdict(matched)}
    result(document, _matched_text(matched, library), as_json=as_json)
    for why, names in _by_reason(matched.left_out).items():
        note(f"outside the graph: {few(names)}: {why}")


def _by_reason(left_out: Mapping[str, str]) -> dict[str, list[str]]:
    """Group clips by the reason up to its first semicolon, behind which are numbers of one clip."""
    out: dict[str, list[str]] = {}
    for name, why in left_out.items():
        out.setdefault(why.partition(";")[0], []).append(name)
    return out


def _matched_text(matched: Matched, library: Path) -> str:
    share = matched.threshold / matched.next_frame_cost if matched.next_frame_cost else float("nan")
    rows = [
        ("pairs", f"{counted(matched.new_pairs, 'pair')} new, {matched.kept_pairs} kept"),
        (
            "ruled out",
            f"{counted(matched.ruled_out, 'pair')} without a point under the threshold"
            if matched.ruled_out
            else "",
        ),
        ("points", f"{matched.points} verified"),
        ("threshold", f"{matched.threshold:.4g}, {share:.2g} x the median next-frame cost"),
        ("found", matched.threshold_found),
        ("copies", few([f"{a} and {b}" for a, b in matched.copies])),
        ("setting", matched.setting[:12]),
    ]
    return f"{library}\n" + table([row for row in rows if row[1]])


def points_command(
    library: LibraryFile,
    a: Annotated[str | None, typer.Argument(metavar="FROM", help="Clip to leave; any by default.")] = None,
    b: Annotated[str | None, typer.Argument(metavar="TO", help="Clip to arrive in; any by default.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Also points that did not pass.")] = False,
    given: Annotated[
        bool | None,
        typer.Option("--given/--computed", help="Only points that were given, or only computed ones."),
    ] = None,
    older_word: Annotated[bool, typer.Option("--told", hidden=True)] = False,
    setting: Annotated[
        str | None, typer.Option(help="Beginning of the setting that match prints; the last by default.")
    ] = None,
    most: Annotated[int, typer.Option("--most", min=1, help="How many to print; --json has all.")] = _MOST,
    as_json: Json = False,
) -> None:
    """List the transition points of a library, cheapest first."""
    given = True if older_word else given
    with opened(library) as store:
        points = store.points(a, b, verified=None if every else True, told=given, setting=setting)
        nothing = not points and not store.points(verified=None, told=given, setting=setting)
    if nothing:
        msg = f"{library} has no transition points yet; segue library match {library} finds them"
        raise SettingError(msg)
    document = {"library": str(library), "points": [_point_document(point) for point in points]}
    result(document, _points_text(points, library, most), as_json=as_json)


def _point_document(point: TransitionPoint) -> dict[str, Any]:
    return {**asdict(point), "alignment": asdict(point.alignment)}


def _points_text(points: tuple[TransitionPoint, ...], library: Path, most: int) -> str:
    head = f"{library}: {counted(len(points), 'transition point')}"
    if not points:
        return head
    rows = [("from", "frame", "to", "frame", "cost", "kind", "")]
    rows += [
        (
            point.a_clip,
            str(point.a_frame),
            point.b_clip,
            str(point.b_frame),
            f"{point.cost:.4g}",
            point.kind,
            "" if point.verified else "not verified",
        )
        for point in points[:most]
    ]
    more = len(points) - most
    return "\n".join([head, table(rows), *([f"  and {more} more; --most {len(points)}"] if more > 0 else [])])


def verdict_command(
    library: LibraryFile,
    a: Annotated[str, typer.Argument(metavar="FROM", help="Clip that is left.")],
    a_frame: Annotated[int, typer.Argument(metavar="FRAME", help="Frame that is left.")],
    b: Annotated[str, typer.Argument(metavar="TO", help="Clip that is arrived in.")],
    b_frame: Annotated[int, typer.Argument(metavar="FRAME", help="Frame that is arrived at.")],
    word: Annotated[str, typer.Argument(metavar="WORD", help="good or bad.")],
    by: Annotated[str, typer.Option(help="Who labels or judges.")] = "person",
    as_json: Json = False,
) -> None:
    """Call a transition point good or bad.

    No motion from this library uses a bad point; a good point passes regardless of its seam check. Matching does not
    change a verdict. A verdict holds for one direction: the reverse transition is a separate point.
    """
    with opened(library, write=True) as store:
        store.verify(store.point(a, a_frame, b, b_frame), word, by=by)  # type: ignore[arg-type]  # checked there
    document = {"from": a, "from_frame": a_frame, "to": b, "to_frame": b_frame, "verdict": word, "by": by}
    result(document, f"{library}: {a} {a_frame} to {b} {b_frame} is {word}", as_json=as_json)
