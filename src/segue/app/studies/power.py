"""Power of a study before anybody is invited: robots take the complete study many times."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from segue.app.studies.analysis import Study, analyse
from segue.app.studies.convergence import robot_answers
from segue.app.studies.differences import analyse_differences
from segue.app.studies.motions import StudyPlan
from segue.errors import SettingError
from segue.threads import Progress, silent

MOST_STUDIES = 10_000


@dataclass(frozen=True)
class Power:
    """Results of studies of one size.

    Parameters
    ----------
    what
        The test, or the estimate.
    found
        Share of the studies in which the test was significant; NaN for an estimate.
    mean, deviation
        Of the estimate over the studies: a share, a mean difference, or a just noticeable difference in frames.
    """

    what: str
    found: float
    mean: float
    deviation: float


def power(
    plan: StudyPlan,
    *,
    count: int,
    studies: int,
    alpha: float = 0.05,
    seed: int = 1,
    progress: Progress = silent,
) -> tuple[Power, ...]:
    """Run a study with robots many times and count how often its own test finds the planted effect.

    Parameters
    ----------
    plan
        The study; its robots define the planted effect.
    count
        Robots of each study.
    studies
        Number of studies.
    alpha
        Level of the tests.
    seed
        Seed of everything.

    Raises
    ------
    SettingError
        If a number is invalid.
    MissingExtraError
        If statsmodels is not installed.
    """
    if not 1 <= studies <= MOST_STUDIES or not 0 < alpha < 1 or count < 1:
        msg = f"{studies} studies of {count} robots at level {alpha:g}: give 1 to {MOST_STUDIES}, 1 or more, and 0 to 1"
        raise SettingError(msg)
    values: dict[str, list[tuple[float, float]]] = {}
    for number in range(studies):
        progress("running studies", number, studies)
        people = robot_answers(
            plan, count=count, seed=int(np.random.SeedSequence((seed, number)).generate_state(1)[0])
        )
        for what, p, value in _results(Study(plan, people)):
            values.setdefault(what, []).append((p, value))
    out = []
    for what, rows in values.items():
        p, value = np.array(rows).T
        found = float(np.mean(p < alpha)) if np.isfinite(p).any() else float("nan")
        out.append(Power(what, found, float(np.nanmean(value)), float(np.nanstd(value))))
    return tuple(out)


def _results(study: Study) -> list[tuple[str, float, float]]:
    plan = study.plan
    if plan.design.kind == "jnd":
        found = analyse_differences(plan, study.people, draws=0)
        rows = [(f"JND {one.direction} [frames]", float("nan"), one.signed_jnd) for one in found.directions]
        return rows + [
            (f"motions differ, {name}", test.p, test.statistic) for name, test in found.tests.items()
        ]
    document = analyse(study, draws=100).document
    if plan.design.kind == "preference":
        parts = {one.part or "all" for one in plan.stimuli}
        return [
            (f"share, {row['what']}", row["p"], row["share"])
            for row in document["preferences"]
            if row["what"] in parts
        ]
    if plan.design.kind == "likert":
        return [
            (f"{question}, {row['test']}", row["p"], row["effect"])
            for question, rows in document["tests"].items()
            for row in rows
        ]
    return [
        (f"share, {row['condition']}", float("nan"), row["share"])
        for row in document["verdicts"]
        if not row["motion"]
    ]
