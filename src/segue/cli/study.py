"""The commands of studies: designs, stimuli, robots that answer, and analysis."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from segue.cli.options import Force, Json
from segue.cli.output import counted, progress, result, table
from segue.errors import FileError, SettingError

if TYPE_CHECKING:
    from collections.abc import Mapping

study_app = typer.Typer(no_args_is_help=True, help="Studies of how people see transitions.")
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


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.add_typer(study_app, name="study")


@study_app.command("designs", short_help="List the ready designs, or write one to start from.")
def designs_command(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="Which one to write.")] = None,
    out: Annotated[Path | None, typer.Option("-o", "--out", help="File to write it to (.toml).")] = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """List the ready designs; with a name and -o write that one, to be changed and used."""
    from segue.app.studies.design import design_of_text, ready_designs
    from segue.cli.output import writable, writing
    from segue.errors import nearest
    from segue.io.text import write_whole

    ready = ready_designs()
    if name is not None:
        if name not in ready:
            raise SettingError(f"no ready design is called {name!r}; {nearest(name, ready)}")
        if out is None:
            raise SettingError(f"where should {name} be written? give -o {name}.toml")
        writable(out, force=force, kinds=(".toml",))
        with writing(out):
            write_whole(out, ready[name].encode())
        result({"written": [str(out)]}, f"{out}: the design {name}", as_json=as_json)
        return
    read = {key: design_of_text(text, place=f"{key}.toml") for key, text in sorted(ready.items())}
    document = {
        "designs": [{"name": key, "kind": one.kind, "source": one.source} for key, one in read.items()]
    }
    result(document, table([(key, one.kind, one.source) for key, one in read.items()]), as_json=as_json)


@study_app.command("run", short_help="Run a study with robots, and keep every answer.")
def run_command(
    design: DesignWord,
    out: Annotated[
        Path, typer.Option("-o", "--out", metavar="FILE", help="Library that holds the answers (.segue).")
    ],
    robots: Annotated[
        int | None,
        typer.Option("--robots", min=1, help="So many robots answer; what they are the design says."),
    ] = None,
    clips: ClipWords = None,
    seed: Annotated[int, typer.Option(help="Seed of the robots.")] = 1,
    as_json: Json = False,
) -> None:
    """Run a study: each answer is on the disk before the next question, and a run that was stopped goes on."""
    from segue.app.studies.design import read_design
    from segue.app.studies.motions import clips_of, make_plan
    from segue.app.studies.robots import run_robots

    if robots is None:
        raise SettingError("who answers? give --robots 12; people answer in the studio's page")
    if out.suffix.lower() != ".segue":
        raise FileError(out, "answers are kept in a library; give a name that ends in .segue")
    chosen = read_design(design)
    with progress(quiet=as_json) as tell:
        plan = make_plan(chosen, clips_of(chosen, clips=clips or (), progress=tell), progress=tell)
        new = run_robots(plan, out, count=robots, seed=seed, progress=tell)
    document = {
        "study": chosen.name,
        "robots": robots,
        "new_answers": new,
        "motions": list(plan.motions),
        "file": str(out),
    }
    words = f"{out}: {counted(robots, 'robot')} took {chosen.name!r}, {counted(new, 'new answer')}"
    result(document, f"{words}\nnext: segue study analyse {out} -o report/", as_json=as_json)


@study_app.command("analyse", short_help="What the answers of a study tell, as a page and tables.")
def analyse_command(
    answers: Annotated[Path, typer.Argument(metavar="ANSWERS", help="Library that holds the answers.")],
    out: Annotated[
        Path, typer.Option("-o", "--out", metavar="FOLDER", help="Folder for index.html and tables (.csv).")
    ],
    study: Annotated[
        str | None, typer.Option(help="Name of the study, where the file holds several.")
    ] = None,
    draws: Annotated[
        int, typer.Option(min=100, max=100_000, help="Bootstrap draws of every interval.")
    ] = 1000,
    seed: Annotated[int, typer.Option(help="Seed of the draws.")] = 1,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Tables, tests and psychometric functions with intervals; needs statsmodels (extra study)."""
    from segue.app.studies.analysis import analyse, read_answers, require_study
    from segue.app.studies.page import write_findings

    require_study()
    if (out / "index.html").exists() and not force:
        raise FileError(out / "index.html", "exists already; --force overwrites it")
    found = analyse(read_answers(answers, study=study), draws=draws, seed=seed)
    written = write_findings(found, out)
    document: Mapping[str, Any] = {**found.document, "written": [str(path) for path in written]}
    result(dict(document), f"{found.summary}\nreport: {written[0]}", as_json=as_json)
