"""Commands of sequences of elementary motions: sequence make, live, propose, info."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from segue.cli.brief_text import extent
from segue.cli.options import Force, Inputs, Json, Roles, roles_of
from segue.cli.output import progress, result, skipped_notes, writable
from segue.cli.sequence_words import info_text, live_text, made_text, proposed_text
from segue.cli.verbs import MAKE, family, new_family, verb
from segue.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from segue.app.elements import Elements
    from segue.motion.clip import Clip

Moves = Annotated[
    list[Path],
    typer.Argument(metavar="MOVES", help="Libraries or .toml files that hold elementary motions."),
]
Out = Annotated[Path, typer.Option("-o", "--out", help="File: .bvh, .glb, .fbx, .usd, .npz ...")]
Fps = Annotated[float | None, typer.Option("--fps", help="Frame rate of the result.")]
Report = Annotated[
    Path | None, typer.Option("--report", help="HTML: timeline, pairs with reasons, filmstrip.")
]
Film = Annotated[Path | None, typer.Option("--film", help="PNG: a filmstrip.")]


MAKE_EXAMPLES = (
    "segue sequence make script.toml -o dance.bvh",
    "segue sequence make script.toml -o dance.bvh --report dance.html --force",
)
LIVE_EXAMPLES = (
    "segue sequence live moves.toml --script asked.csv --idle sample:stand",
    "segue sequence live moves.toml --script asked.csv --idle sample:walk -o a.bvh",
)
PROPOSE_EXAMPLES = (
    "segue sequence propose clips/step_touch.bvh -o elements.toml",
    "segue sequence propose clips/*.bvh -o elements.toml --shortest 0.5 --force",
)
INFO_EXAMPLES = ("segue sequence info elements.toml", "segue sequence info moves.segue --json")


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    group = new_family("sequence", "Elementary motions placed in time and joined to one motion.")
    verb(
        group,
        "make",
        make_command,
        "Make a sequence from a script of motions and times.",
        examples=MAKE_EXAMPLES,
    )
    verb(group, "live", live_command, "Play a sequence live by timed requests.", examples=LIVE_EXAMPLES)
    verb(group, "propose", propose_command, "Cut takes into elementary motions.", examples=PROPOSE_EXAMPLES)
    verb(
        group,
        "info",
        info_command,
        "List elementary motions and sequences of a file.",
        examples=INFO_EXAMPLES,
    )
    family(app, group, "Place motions in time: one continuous motion.", panel=MAKE)


def make_command(
    script: Annotated[
        Path,
        typer.Argument(metavar="SCRIPT", help="A .toml file of [[motions]], or a library that holds one."),
    ],
    out: Out = Path("sequence.bvh"),
    name: Annotated[
        str | None, typer.Option("--name", help="Which sequence, where the file holds several.")
    ] = None,
    skeleton: Annotated[
        str | None,
        typer.Option(
            "--skeleton", help="Clip whose skeleton the result has; that of the first motion by default."
        ),
    ] = None,
    fps: Fps = None,
    roles: Roles = None,
    report: Report = None,
    film: Film = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """A sequence from a script: motions at given times or as soon as possible, joined by optimal blends.

    The script is a TOML file: [[motions]] with motion = "jab", at = 1.5 (seconds at which its core begins; left out: as
    soon as possible), priority and smoothness; smoothness (0 responsive to 1 smooth) and method for all of it; and
    sources = ["elements.toml", "moves.segue"], or [[elements]] of its own.
    """
    from segue.app import sequence_record, sequencing
    from segue.app.called import called
    from segue.app.sequence_facts import facts
    from segue.app.sequence_report import not_executed
    from segue.errors import nearest
    from segue.pictures.sequence_timeline import PlacedSequence

    _checked(out, report=report, film=film, fps=fps, force=force)
    named = roles_of(roles)
    with progress(quiet=as_json) as tell:
        given = sequencing.read_script(script, name=name, roles=named, progress=tell)
    clips = given.elements.clips.clips
    body = None if skeleton is None else called(skeleton, clips)
    if body is not None and all(clip.name != body for clip in clips):
        msg = (
            f"no clip of this sequence is called {skeleton!r}; {nearest(body, [clip.name for clip in clips])}"
        )
        raise SettingError(msg)
    made = sequencing.make(
        given, body=None if body is None else given.elements.clips.clip(body).skeleton, fps=fps
    )
    job = sequence_record.SequenceJob(
        given.name, given.document, sequence_record.recorded_elements(given.elements), body, fps, named
    )
    record = sequence_record.write_sequence(made, out, job=job, clips=clips)
    document = {**_written(made.clip, out, record, report, film), **facts(made)}
    clip = made.clip.with_motion(name=out.stem)
    _pictures(
        clip,
        report,
        film,
        parts=[PlacedSequence(made)],
        rejected=not_executed(made),
        what=f"{extent(document)}.",
    )
    result(document, made_text(document), as_json=as_json)


def live_command(
    moves: Moves,
    script: Annotated[
        Path | None,
        typer.Option("--script", help="CSV seconds,command,motion,at,priority: one request a row."),
    ] = None,
    idle: Annotated[
        str | None,
        typer.Option(
            "--idle",
            help="Loop between motions: an elementary motion, or a clip (stand.bvh, moves.segue#stand, sample:stand).",
        ),
    ] = None,
    out: Out = Path("live.bvh"),
    seconds: Annotated[
        float | None, typer.Option(help="Length; by default until shortly after the last requested motion.")
    ] = None,
    smoothness: Annotated[float, typer.Option(help="0: most responsive, 1: smoothest.")] = 0.5,
    method: Annotated[
        str, typer.Option(help="How pairs are joined: optimal, pose-similarity or constraint-only.")
    ] = "optimal",
    fps: Fps = None,
    roles: Roles = None,
    report: Report = None,
    film: Film = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """A sequence played live: a loop goes on, and motions are asked for while it plays.

    A request is a row of the table: seconds (of playing time, when it is made), command (play or withdraw), motion, at
    (when its core is to begin; empty: as soon as possible), priority. What was played before a request never changes.
    """
    from segue.app import sequence_record, sequencing
    from segue.app.elements import read_motions
    from segue.app.sequence_facts import answer_facts
    from segue.app.sequence_report import not_played, parts_of_live
    from segue.app.sequence_requests import read_requests
    from segue.tables import table_text

    _checked(out, report=report, film=film, fps=fps, force=force)
    if script is None:
        msg = "give requests with --script requests.csv: rows of seconds,command,motion,at,priority"
        raise SettingError(msg)
    chosen = sequencing.method_named(method)
    text, named = table_text(script), roles_of(roles)
    with progress(quiet=as_json) as tell:
        elements = read_motions(moves, roles=named, progress=tell)
    requests = read_requests(script, elements.motions, text=text)
    word = _idle_word(idle, elements)
    source, loop = sequencing.read_loop(word, elements, roles=named)
    frames = None
    if word in elements.motions:
        frames = (elements.ranges[word].start_frame, elements.ranges[word].stop_frame)
    known = [clip for clip in elements.clips.clips if clip.name != source.name]
    job = sequence_record.LiveSequenceJob(
        text,
        sequence_record.recorded_elements(elements),
        source.name,
        frames,
        smoothness,
        chosen,
        fps,
        seconds,
        named,
    )
    player = sequencing.player_of(elements, loop, smoothness=smoothness, method=chosen, fps=fps)
    made = sequencing.play(player, requests, seconds=seconds, name=out.stem)
    record = sequence_record.write_live(made, out, job=job, clips=[*known, source])
    document = _written(made.clip, out, record, report, film)
    document |= {
        "requests": [answer_facts(one) for one in made.answers],
        "planning_ms": list(made.planning_ms),
    }
    text_rows = _request_rows(document["requests"])
    _pictures(
        made.clip,
        report,
        film,
        parts=parts_of_live(made),
        rejected=not_played(made),
        what=f"{extent(document)}.",
        rows=text_rows,
    )
    result(document, live_text(document), as_json=as_json)


def propose_command(
    inputs: Inputs,
    out: Annotated[Path, typer.Option("-o", "--out", help="TOML file to write and edit.")] = Path(
        "elements.toml"
    ),
    shortest: Annotated[float, typer.Option(help="Shortest motion.")] = 0.8,
    longest: Annotated[float, typer.Option(help="Longest motion; longer ones are cut again.")] = 4.0,
    roles: Roles = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Cut takes into elementary motions at the rests between bursts; the active middle of each is its core.

    The file is there to be edited: names, ranges, cores and tags. segue sequence make and live take it as it is, segue
    library import keeps its motions in a library that holds the clips.
    """
    from segue.app.elements import proposed, write_proposed

    writable(out, force=force, kinds=(".toml",))
    with progress(quiet=as_json) as tell:
        clips, found = proposed(
            inputs, shortest=shortest, longest=longest, roles=roles_of(roles), progress=tell
        )
    skipped_notes(clips.skipped)
    write_proposed(out, clips, found)
    rates = {clip.name: clip.fps for clip in clips.clips}
    document: dict[str, Any] = {
        "written": [str(out)],
        "elements": [
            {
                "name": one.name,
                "clip": one.clip,
                "seconds": [one.start_frame / rates[one.clip], one.stop_frame / rates[one.clip]],
                "core": [one.core_start_frame / rates[one.clip], one.core_stop_frame / rates[one.clip]],
                "tags": list(one.tags),
            }
            for one in found
        ],
    }
    result(document, proposed_text(document), as_json=as_json)


def info_command(moves: Moves, roles: Roles = None, as_json: Json = False) -> None:
    """Elementary motions with their foot phases, and sequences, of libraries and files."""
    import msgspec

    from segue.app.elements import element_facts, read_motions
    from segue.errors import FileError

    with progress(quiet=as_json) as tell:
        elements = read_motions(moves, roles=roles_of(roles), progress=tell)
    if not (elements.motions or elements.sequences):
        msg = "holds no elementary motion; segue sequence propose cuts a take, segue library import takes the result"
        raise FileError(moves[0], msg)
    document: dict[str, Any] = {
        "file": ", ".join(map(str, moves)),
        "elements": element_facts(elements),
        "sequences": {name: msgspec.to_builtins(one) for name, one in elements.sequences.items()},
    }
    result(document, info_text(document), as_json=as_json)


# -- shared ------------------------------------------------------------------------------------------------------


def _checked(out: Path, *, report: Path | None, film: Path | None, fps: float | None, force: bool) -> None:
    """Reject files that cannot be written, and an impossible frame rate, before any work."""
    from segue.app.motion_file import beside
    from segue.io.formats import WRITABLE

    writable(out, force=force, kinds=WRITABLE, beside=beside(out))
    if report is not None:
        writable(report, force=force, kinds=(".html", ".htm"))
    if film is not None:
        writable(film, force=force, kinds=(".png",))
    if fps is not None and not 1 <= fps <= 1000:
        msg = f"--fps {fps:g} is no frame rate here; give 1 to 1000"
        raise SettingError(msg)


def _idle_word(idle: str | None, elements: Elements) -> str:
    """Return the name of the idle loop: as given, else the only motion called or tagged idle."""
    if idle is not None:
        return idle
    found = [name for name, one in elements.motions.items() if name == "idle" or "idle" in one.tags]
    if len(found) != 1:
        what = "no motion is" if not found else f"{len(found)} motions are"
        msg = f"choose the loop between motions with --idle, as in --idle sample:stand; {what} called or tagged idle"
        raise SettingError(msg)
    return found[0]


def _written(clip: Clip, out: Path, record: Path, report: Path | None, film: Path | None) -> dict[str, Any]:
    from segue.app.motion_file import beside

    files = [
        str(out),
        *map(str, beside(out)[:-1]),
        *(str(path) for path in (report, film) if path is not None),
    ]
    return {
        "written": [*files, str(record)],
        "seconds": clip.seconds,
        "frames": clip.n_frames,
        "fps": clip.fps,
    }


def _request_rows(requests: Sequence[dict[str, Any]]) -> tuple[tuple[str, ...], ...]:
    from segue.cli.sequence_words import answer_words

    head = ("seconds", "request", "asked for at", "priority", "what became of it")
    return (
        head,
        *(
            (
                f"{one['seconds']:.2f}",
                f"{one['command']} {one['motion']}",
                "as soon as possible" if one["at"] is None else f"{one['at']:g} s",
                str(one["priority"]),
                answer_words(one),
            )
            for one in requests
        ),
    )


def _pictures(
    clip: Clip,
    report: Path | None,
    film: Path | None,
    *,
    parts: Sequence[Any],
    rejected: Sequence[Any],
    what: str,
    rows: tuple[tuple[str, ...], ...] = (),
) -> None:
    if report is not None:
        from segue.app.sequence_report import write_report
        from segue.pictures.report import ReportTable

        requests = ReportTable(rows, "Requests in the order in which they were made.") if rows else None
        write_report(report, clip, parts, rejected=rejected, what=what, requests=requests)
    if film is not None:
        from segue.pictures.filmstrip import filmstrip

        filmstrip(clip, film)
