"""Participants that answer by known rules, through the same trials and the same storage as people."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from segue.app.studies.design import Design
from segue.app.studies.motions import StudyPlan
from segue.app.studies.people import begin_study
from segue.app.studies.trials import Trial, next_trial, participant_seed
from segue.errors import SettingError
from segue.library.answers import Answer, Participant, add_participant, answers_of, write_answer
from segue.library.library import Library
from segue.perception.observers import Observer, varied
from segue.perception.psychometric import Psychometric
from segue.threads import Progress, silent

MOST_ROBOTS = 10_000
Kept = Callable[[Participant, Answer], None]


def observer_of(design: Design) -> Observer:
    """Observer with the parameters of a design."""
    robots = design.robots
    return Observer(
        {what: Psychometric(value, robots.slope, robots.lapse) for what, value in robots.thresholds.items()},
        robots.strengths,
        robots.ratings,
        robots.spread,
        robots.seconds,
    )


def answer_of(observer: Observer, plan: StudyPlan, trial: Trial) -> Answer:
    """Answer of a robot; the same trial with the same seed always has the same answer."""
    rng = np.random.default_rng((trial.seed, 2))
    seconds = observer.response_seconds(rng)
    if trial.purpose == "check":
        given = trial.right
    elif plan.design.kind == "jnd":
        hit = observer.is_right(f"{trial.motion}/{trial.track}", abs(trial.level), rng)
        given = trial.right if hit else next(word for word in trial.choices if word != trial.right)
    elif plan.design.kind == "preference":
        first, second = _conditions(plan, trial)
        part = f"{trial.track}/" if trial.track else ""
        given = trial.choices[0 if observer.prefers_first(part + first, part + second, rng) else 1]
    elif plan.design.kind == "verdict":
        given = trial.choices[0 if observer.accepts(trial.track, rng) else 1]
    else:
        given = str(
            observer.rating(trial.question, trial.track, (int(trial.choices[0]), int(trial.choices[-1])), rng)
        )
    return trial.answered(given, seconds=seconds)


def _conditions(plan: StudyPlan, trial: Trial) -> tuple[str, str]:
    named = {one.name: one.condition for one in plan.stimuli}
    (first,), (second,) = trial.shown
    return named[first], named[second]


def run_robots(
    plan: StudyPlan,
    out: str | Path,
    *,
    count: int,
    seed: int = 1,
    observer: Observer | None = None,
    kept: Kept | None = None,
    progress: Progress = silent,
) -> int:
    """Let robots take a complete study, skipping trials already answered; return the number of new answers.

    Parameters
    ----------
    plan
        The study.
    out
        Library that holds the answers, new or not.
    count
        Number of robots.
    seed
        Seed of all of them.
    observer
        Rules of the answers; by default the design's.
    kept
        Called with each answer after it is written to disk.

    Raises
    ------
    SettingError
        If the count is invalid, or the file holds a study of that name with another design.
    FileError
        If the file cannot be written.
    """
    if not 1 <= count <= MOST_ROBOTS:
        raise SettingError(f"{count} robots are not possible; give 1 to {MOST_ROBOTS}")
    rules = observer_of(plan.design) if observer is None else observer
    new = 0
    with Library.open(out) as library:
        begin_study(library, plan)
        for number in range(count):
            progress("answering", number, count)
            new += _one(library, plan, rules, f"robot-{number + 1:02d}", (seed, number), kept)
    progress("answering", count, count)
    return new


def _one(
    library: Library, plan: StudyPlan, rules: Observer, code: str, seed: tuple[int, int], kept: Kept | None
) -> int:
    own = participant_seed(*seed)
    robot = varied(rules, plan.design.robots.between, np.random.default_rng((own, 3)))
    participant = Participant(code, own, _about(robot))
    owner = add_participant(library.store, plan.design.name, participant)
    with library.store.reading():
        answers = list(answers_of(library.store, owner))
    new = 0
    while (trial := next_trial(plan, own, answers)) is not None:
        answer = answer_of(robot, plan, trial)
        write_answer(library.store, owner, answer)
        answers.append(answer)
        new += 1
        if kept is not None:
            kept(participant, answer)
    return new


def _about(robot: Observer) -> Mapping[str, Any]:
    return {"robot": asdict(robot)}
