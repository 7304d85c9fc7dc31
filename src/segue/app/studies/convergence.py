"""Where procedures converge, by estimator and slope; differences after a pilot; answers of robots for power."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from segue.app.studies.design import Design
from segue.app.studies.differences import analyse_differences
from segue.app.studies.motions import StudyPlan
from segue.app.studies.robots import answer_of, observer_of
from segue.app.studies.trials import next_trial, participant_seed
from segue.errors import SettingError
from segue.library.answers import Answer, Participant
from segue.perception.estimators import ESTIMATORS, Convergence, converge
from segue.perception.observers import varied
from segue.perception.procedures import Bayesian, procedure
from segue.perception.psychometric import Psychometric
from segue.threads import Progress, silent

PROCEDURES_SHOWN = ("wang", "1-up-1-down", "2-down-1-up", "3-down-1-up", "bayesian")
THRESHOLD = 8.0
_STEP = 0.5
_LONG = 600


@dataclass(frozen=True, eq=False)
class Convergences:
    """Convergence of procedures, one row per procedure and slope."""

    rows: tuple[Convergence, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """Column names of the table."""
        return ("procedure", "slope", "aims at", *ESTIMATORS, "trials", "settled after")

    def cells(self) -> list[tuple[str, ...]]:
        """Rows of the table: shares of right answers at the mean estimate."""
        out = []
        for one in self.rows:
            target = procedure(one.procedure).target
            shares = (f"{one.share(name):.3f}" if name in one.estimates else "-" for name in ESTIMATORS)
            trials = f"{float(np.median(one.trials)):.0f}"
            out.append(
                (
                    one.procedure,
                    f"{one.function.slope:g}",
                    f"{target:.3f}",
                    *shares,
                    trials,
                    f"{one.settled} trials",
                )
            )
        return out


def convergences(
    slopes: Sequence[float],
    *,
    tracks: int = 200,
    seed: int = 1,
    long: bool = False,
    names: Sequence[str] = PROCEDURES_SHOWN,
    progress: Progress = silent,
) -> Convergences:
    """Run every procedure with observers of several slopes.

    Levels are half frames from 0.5 to 24; the observer's threshold is 8 frames, and there are no lapses.

    Parameters
    ----------
    slopes
        Slopes of the psychometric functions.
    tracks, seed
        Number of tracks of each, and their seed.
    long
        Tracks of 600 trials instead of ones that end with the tenth visit of a level: the limit of a rule.
    names
        Names of procedures.

    Raises
    ------
    SettingError
        If there is no slope, or an invalid one.
    """
    if not slopes:
        raise SettingError("--slopes: give one slope or more, such as 1.5,3.5,8")
    levels = np.arange(_STEP, 3 * THRESHOLD + _STEP / 2, _STEP).tolist()
    rows = []
    for number, (name, slope) in enumerate((name, slope) for name in names for slope in slopes):
        progress("simulating", number, len(names) * len(slopes))
        rule = (
            procedure(name) if not long or name == "bayesian" else procedure(name, visits=_LONG, most=_LONG)
        )
        rng = np.random.default_rng((seed, number))
        only = ["fitted function"] if isinstance(rule, Bayesian) else list(ESTIMATORS)
        rows.append(
            converge(rule, Psychometric(THRESHOLD, slope), levels, tracks=tracks, rng=rng, estimators=only)
        )
    return Convergences(tuple(rows))


def after_pilot(design: Design, pilot: StudyPlan, people: Sequence[Participant]) -> Design:
    """The design with the differences recommended by a pilot's thresholds.

    Raises
    ------
    SettingError
        If one of the two is not a study of just noticeable differences.
    """
    if "jnd" not in (design.kind, pilot.design.kind) or design.kind != pilot.design.kind:
        raise SettingError("--pilot is for a study of just noticeable differences, after a pilot of one")
    found = analyse_differences(pilot, people, draws=0)
    return replace(design, levels=replace(design.levels, steps=found.next_steps))


def robot_answers(plan: StudyPlan, *, count: int, seed: int) -> tuple[Participant, ...]:
    """Answers of robots that are not stored: for power, where one study is run many times."""
    rules = observer_of(plan.design)
    out = []
    for number in range(count):
        own = participant_seed(seed, number)
        robot = varied(rules, plan.design.robots.between, np.random.default_rng((own, 3)))
        answers: list[Answer] = []
        while (trial := next_trial(plan, own, answers)) is not None:
            answers.append(answer_of(robot, plan, trial))
        out.append(Participant(f"robot-{number + 1:02d}", own, {"robot": {}}, tuple(answers)))
    return tuple(out)
