"""The study run command: robots answer, or people on a page served until Ctrl-C."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from segue.cli.options import Json
from segue.cli.output import counted, note, progress, result
from segue.errors import FileError, MissingExtraError

if TYPE_CHECKING:
    from segue.app.studies.design import Design
    from segue.app.studies.motions import StudyPlan
    from segue.motion.clip import Clip

DesignWord = Annotated[
    str,
    typer.Argument(
        metavar="DESIGN", help="A design (.toml), or the name of a ready one (segue study designs)."
    ),
]
ClipWords = Annotated[
    list[str] | None,
    typer.Option(
        "--clips", metavar="CLIPS", help="File, folder or library in place of the design's clips; repeatable."
    ),
]


def run_command(
    design: DesignWord,
    out: Annotated[
        Path, typer.Option("-o", "--out", metavar="FILE", help="Library that holds the answers (.segue).")
    ],
    robots: Annotated[
        int | None,
        typer.Option(
            "--robots",
            min=1,
            help="Number of robots that answer, as the design describes them; without it people answer on a page.",
            show_default=False,
        ),
    ] = None,
    clips: ClipWords = None,
    pilot: Annotated[
        Path | None,
        typer.Option(
            "--pilot",
            metavar="ANSWERS",
            help="Answers of a pilot study, whose thresholds determine which differences are shown.",
        ),
    ] = None,
    host: Annotated[
        str, typer.Option(help="Name or address of this machine by which other machines reach the page.")
    ] = "127.0.0.1",
    port: Annotated[
        int,
        typer.Option(min=0, max=65535, help="Port of the page; 0: the port used last, or a free one."),
    ] = 0,
    browser: Annotated[bool, typer.Option(help="Open the page in the browser of this machine.")] = False,
    seed: Annotated[int, typer.Option(help="Seed of robots, and of order and sides.")] = 1,
    as_json: Json = False,
) -> None:
    """Run a study: each answer is on the disk before the next question, and a run that was stopped goes on.

    With people the address of the page is printed; give it to everyone who takes part. Ctrl-C ends the page.
    """
    from segue.app.studies.motions import clips_of, make_plan

    if robots is None:
        _require_page()
    if out.suffix.lower() != ".segue":
        raise FileError(out, "answers are kept in a library; give a name that ends in .segue")
    chosen = _chosen(design, pilot)
    with progress(quiet=as_json) as tell:
        found = clips_of(chosen, clips=clips or (), progress=tell)
        plan = make_plan(chosen, found, progress=tell)
    if robots is None:
        _serve(plan, found, out, host=host, port=port, browser=browser, seed=seed, as_json=as_json)
    else:
        _answer(plan, out, robots=robots, seed=seed, as_json=as_json)


def _chosen(design: str, pilot: Path | None) -> Design:
    from segue.app.studies.analysis import read_answers
    from segue.app.studies.convergence import after_pilot
    from segue.app.studies.design import read_design

    chosen = read_design(design)
    if pilot is None:
        return chosen
    before = read_answers(pilot)
    return after_pilot(chosen, before.plan, before.people)


def _answer(plan: StudyPlan, out: Path, *, robots: int, seed: int, as_json: bool) -> None:
    from segue.app.studies.robots import run_robots

    with progress(quiet=as_json) as tell:
        new = run_robots(plan, out, count=robots, seed=seed, progress=tell)
    document = {
        "study": plan.design.name,
        "robots": robots,
        "new_answers": new,
        "motions": list(plan.motions),
        "file": str(out),
    }
    words = f"{out}: {counted(robots, 'robot')} took {plan.design.name!r}, {counted(new, 'new answer')}"
    result(document, f"{words}\nnext: segue study analyse {out} -o report/", as_json=as_json)


def _require_page() -> None:
    """Check that the extra ``studio`` is installed.

    Raises
    ------
    MissingExtraError
        If starlette, uvicorn or websockets is missing.
    """
    if any(find_spec(name) is None for name in ("starlette", "uvicorn", "websockets")):
        raise MissingExtraError("the page of a study", "studio")


def _serve(
    plan: StudyPlan,
    clips: Sequence[Clip],
    out: Path,
    *,
    host: str,
    port: int,
    browser: bool,
    seed: int,
    as_json: bool,
) -> None:
    """Make the motions of a study, serve its page, and print the answer counts at the end."""
    from segue.app.studies.people import PeopleRun
    from segue.app.studies.stimuli import make_stimuli
    from segue.study.server import Stimuli, opened

    run = PeopleRun(plan, out, seed=seed)
    with progress(quiet=as_json) as tell:
        stimuli = Stimuli(plan, make_stimuli(plan, clips, progress=tell))

    def ready(url: str) -> None:
        if as_json:
            note(url)
        else:
            print(url, flush=True)
        note(
            f"segue: {plan.design.name!r} waits for people at this address; Ctrl-C ends it, answers are in {out}"
        )
        if browser:
            import webbrowser

            webbrowser.open(url)

    opened(run, stimuli, host=host, port=port, ready=ready).run()
    people = [one for one in run.sittings() if not one.is_robot]
    done, answers = sum(one.is_done for one in people), sum(one.answered for one in people)
    document = {
        "study": plan.design.name,
        "people": len(people),
        "done": done,
        "answers": answers,
        "file": str(out),
    }
    words = f"{out}: {counted(len(people), 'participant')}, {done} to the end, {counted(answers, 'answer')}"
    result(document, f"{words}\nnext: segue study analyse {out} -o report/", as_json=as_json)
