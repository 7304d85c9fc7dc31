"""Commands of studies: designs, stimuli, runs and analysis."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from segue.cli.options import Force, Json
from segue.cli.output import counted, progress, result, table
from segue.cli.study_run import ClipWords, DesignWord, run_command
from segue.cli.verbs import STUDY, family, new_family, verb
from segue.errors import FileError, SettingError, require_extra

if TYPE_CHECKING:
    from collections.abc import Mapping


def _verbs() -> tuple[tuple[str, Any, str, tuple[str, str]], ...]:
    """Return name, function, short help and two examples of each verb."""
    return (
        (
            "designs",
            designs_command,
            "List the ready designs, or write one to start from.",
            ("segue study designs", "segue study designs jnd-centre-aligned -o jnd.toml"),
        ),
        (
            "stimuli",
            stimuli_command,
            "Make the motions of a study.",
            (
                "segue study stimuli jnd.toml -o stimuli/",
                "segue study stimuli jnd.toml --clips clips/ -o stimuli/ --force",
            ),
        ),
        (
            "run",
            run_command,
            "Run a study with people or robots, and keep every answer.",
            (
                "segue study run jnd.toml --robots 12 -o answers.segue",
                "segue study run jnd.toml --robots 12 --seed 2 -o again.segue",
            ),
        ),
        (
            "analyse",
            analyse_command,
            "Analyse the answers of a study: a page and tables.",
            (
                "segue study analyse answers.segue -o report/",
                "segue study analyse answers.segue -o report/ --draws 200 --force",
            ),
        ),
        (
            "power",
            power_command,
            "Simulate how often a study of a given size finds a difference.",
            (
                "segue study power jnd.toml --robots 12 --studies 2",
                "segue study power jnd.toml --robots 6 --studies 2",
            ),
        ),
        (
            "staircases",
            staircases_command,
            "Simulate where adaptive procedures converge.",
            (
                "segue study staircases -o staircases.png",
                "segue study staircases --slopes 5,10 --tracks 100 --long",
            ),
        ),
        (
            "classify",
            classify_command,
            "Train a classifier of natural and unnatural transitions.",
            ("segue study classify answers.segue", "segue study classify answers.segue --clips clips/"),
        ),
    )


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    group = new_family("study", "Studies of how people see transitions.")
    for name, command, short, examples in _verbs():
        verb(group, name, command, short, examples=examples)
    family(app, group, "Run studies of what people notice, with robots first.", panel=STUDY)


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


def stimuli_command(
    design: DesignWord,
    out: Annotated[Path, typer.Option("-o", "--out", metavar="FOLDER", help="Folder for the motions.")],
    clips: ClipWords = None,
    kind: Annotated[str, typer.Option("--format", help="bvh, glb or npz.")] = "bvh",
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Make every stimulus of a study: same seconds, same figure, begun at one place, and stimuli.json beside them."""
    from segue.app.studies.design import read_design
    from segue.app.studies.motions import clips_of, make_plan
    from segue.app.studies.stimuli import MANIFEST, make_stimuli, write_stimuli

    if (out / MANIFEST).exists() and not force:
        raise FileError(out / MANIFEST, "exists already; --force overwrites it")
    chosen = read_design(design)
    with progress(quiet=as_json) as tell:
        found = clips_of(chosen, clips=clips or (), progress=tell)
        plan = make_plan(chosen, found, progress=tell)
        made = make_stimuli(plan, found, progress=tell)
        written = write_stimuli(plan, made, out, kind=f".{kind.lstrip('.').lower()}", force=force)
    document = {
        "study": chosen.name,
        "stimuli": len(plan.stimuli),
        "written": [str(path) for path in written],
    }
    rows = [
        (one.name, f"{one.a} {one.a_frame} to {one.b} {one.b_frame}", _length(one.frames))
        for one in plan.stimuli
    ]
    text = f"{out}: {counted(len(plan.stimuli), 'motion')} of {chosen.seconds:g} s\n{table(rows)}"
    result(document, text, as_json=as_json)


def _length(frames: int) -> str:
    return counted(frames, "frame") if frames else "hard cut"


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


def power_command(
    design: DesignWord,
    robots: Annotated[int, typer.Option("--robots", min=1, help="Robots of each study.")] = 12,
    studies: Annotated[int, typer.Option(min=1, help="How many times the study is run.")] = 100,
    alpha: Annotated[float, typer.Option(help="Level of the tests.")] = 0.05,
    clips: ClipWords = None,
    seed: Annotated[int, typer.Option(help="Seed of all of it.")] = 1,
    as_json: Json = False,
) -> None:
    """How often a study's own tests would find what its robots have planted, and how far its estimates scatter."""
    from dataclasses import asdict

    from segue.app.studies.analysis import require_study
    from segue.app.studies.design import read_design
    from segue.app.studies.motions import clips_of, make_plan
    from segue.app.studies.power import power

    require_study()
    chosen = read_design(design)
    with progress(quiet=as_json) as tell:
        plan = make_plan(chosen, clips_of(chosen, clips=clips or (), progress=tell), progress=tell)
        found = power(plan, count=robots, studies=studies, alpha=alpha, seed=seed, progress=tell)
    rows = [
        (
            one.what,
            "-" if one.found != one.found else f"{one.found:.0%}",
            f"{one.mean:.2f}",
            f"{one.deviation:.2f}",
        )
        for one in found
    ]
    head = ("test or estimate", f"p < {alpha:g}", "mean", "deviation")
    words = f"{counted(studies, 'study', 'studies')} of {counted(robots, 'robot')} each, {chosen.name!r}"
    document = {
        "study": chosen.name,
        "robots": robots,
        "studies": studies,
        "power": [asdict(one) for one in found],
    }
    result(document, f"{words}\n{table([head, *rows])}", as_json=as_json)


def staircases_command(
    slopes: Annotated[str, typer.Option(help="Slopes of the observers, with commas.")] = "1.5,3.5,8",
    tracks: Annotated[
        int, typer.Option(min=1, max=100_000, help="Tracks of each procedure and slope.")
    ] = 200,
    long: Annotated[bool, typer.Option("--long", help="Tracks of 600 trials: where rules converge.")] = False,
    picture: Annotated[
        Path | None, typer.Option("-o", "--out", help="Picture of the levels by trial (.png).")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the answers.")] = 1,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Share of right answers at which each procedure ends up, by estimator and slope, and after how many trials."""
    from segue.app.studies.convergence import convergences
    from segue.cli.output import writable, writing
    from segue.pictures.psychometric import convergence_picture

    try:
        numbers = [float(word) for word in slopes.split(",") if word.strip()]
    except ValueError:
        raise SettingError(f"--slopes {slopes!r}: give numbers with commas, such as 1.5,3.5,8") from None
    if picture is not None:
        writable(picture, force=force, kinds=(".png",))
    with progress(quiet=as_json) as tell:
        found = convergences(numbers, tracks=tracks, seed=seed, long=long, progress=tell)
    document: dict[str, Any] = {
        "tracks": tracks,
        "rows": [dict(zip(found.columns, row, strict=True)) for row in found.cells()],
    }
    if picture is not None:
        middle = numbers[len(numbers) // 2]
        with writing(picture):
            convergence_picture([one for one in found.rows if one.function.slope == middle], picture)
        document["written"] = [str(picture)]
    result(document, table([found.columns, *found.cells()]), as_json=as_json)


def classify_command(
    answers: Annotated[Path, typer.Argument(metavar="ANSWERS", help="Answers of a study of kind verdict.")],
    clips: ClipWords = None,
    study: Annotated[
        str | None, typer.Option(help="Name of the study, where the file holds several.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the interval.")] = 1,
    as_json: Json = False,
) -> None:
    """Train a classifier on what people called natural, and judge each motion by one that has not seen it.

    Needs scikit-learn (extra learn).
    """
    from segue.app.studies.analysis import read_answers
    from segue.app.studies.motions import clips_of
    from segue.app.studies.naturalness import NUMBERS, classify_answers

    require_extra("judging answers", "learn")
    asked = read_answers(answers, study=study)
    with progress(quiet=as_json) as tell:
        found_clips = clips_of(asked.plan.design, clips=clips or (), progress=tell)
        found = classify_answers(asked, found_clips, seed=seed, progress=tell)
    weights = {name: float(value) for name, value in zip(NUMBERS, found.weights, strict=True)}
    document = {
        "area": found.area,
        "low": found.low,
        "high": found.high,
        "right": found.right,
        "people": found.people,
        "usual": found.usual,
        "weights": weights,
        "scores": {
            one.name: float(score) for one, score in zip(asked.plan.stimuli, found.scores, strict=True)
        },
    }
    others = f"majority vote {found.people:.0%}; most frequent answer {found.usual:.0%}"
    lines = [
        f"area {found.area:.2f} (95 %: {found.low:.2f} to {found.high:.2f}) for what most people called natural",
        f"predicts {found.right:.0%} of single answers; {others}",
        "weights of what was measured at the seam, standardised; negative: the more, the less natural",
        table([(name, f"{value:+.2f}") for name, value in sorted(weights.items(), key=lambda row: row[1])]),
    ]
    result(document, "\n".join(lines), as_json=as_json)
