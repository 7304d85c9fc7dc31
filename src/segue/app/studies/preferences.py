"""Findings of studies of preference and of verdicts: shares, chi-squared tests, and tests over people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from segue.app.studies.motions import StudyPlan
from segue.app.studies.page import Findings
from segue.library.answers import Answer, Participant
from segue.perception.inference import (
    ALPHA,
    Preference,
    critical_value,
    over_people,
    preference,
    signed_rank,
    wilson,
)
from segue.pictures.psychometric import shares_picture
from segue.pictures.report import Figure, ReportTable, Section


@dataclass(frozen=True)
class Preferred:
    """Preference for one of two conditions, in one part of a study or for one motion.

    Parameters
    ----------
    what
        Name of the part or the motion.
    counts
        All answers, treated as independent.
    people
        Number of people.
    low, high
        95 % interval of the mean share over people.
    people_p
        P of a rank test that people's shares differ from one half; NaN with fewer than six people.
    """

    what: str
    counts: Preference
    people: int
    low: float
    high: float
    people_p: float


def chosen_condition(plan: StudyPlan, answer: Answer) -> str:
    """Preferred condition of an answer."""
    shown = answer.shown.split(" | ")[0 if answer.given == "first" else 1]
    return next(one.condition for one in plan.stimuli if one.name == shown)


def preferred(
    plan: StudyPlan, what: str, answers: Sequence[Sequence[Answer]], *, draws: int, seed: int
) -> Preferred | None:
    """Preference for the design's first condition in some answers of each person; None if there are none."""
    first = plan.conditions[0]
    hits = [[chosen_condition(plan, one) == first for one in some] for some in answers]
    total = sum(map(len, hits))
    if not total:
        return None
    shares = [float(np.mean(some)) for some in hits if some]
    low, high = over_people(shares, draws=draws, rng=np.random.default_rng(seed))
    p = signed_rank([0.5] * len(shares), shares).p if len(shares) >= 6 else float("nan")
    return Preferred(what, preference(sum(map(sum, hits)), total), len(shares), low, high, p)


def preference_findings(plan: StudyPlan, people: Sequence[Participant], *, draws: int, seed: int) -> Findings:
    """Page, tables and document of a study of preference."""
    main = [[one for one in person.answers if one.purpose == "main"] for person in people]
    parts = tuple(dict.fromkeys(one.part for one in plan.stimuli))
    whole = [
        preferred(
            plan,
            part or "all",
            [[a for a in some if a.track == part] for some in main],
            draws=draws,
            seed=seed,
        )
        for part in parts
    ]
    each = [
        preferred(
            plan, motion, [[a for a in some if a.motion == motion] for some in main], draws=draws, seed=seed
        )
        for motion in plan.motions
    ]
    known = [one for one in (*whole, *each) if one is not None]
    first, second = plan.conditions
    parts_found = [one for one in whole if one is not None]
    words = "; ".join(
        f"{first} preferred to {second} in {one.counts.share:.1%} of {one.counts.total} answers"
        f"{'' if len(parts_found) == 1 else f' ({one.what})'}, χ² {one.counts.chi_square:.2f}, p {_p(one.counts.p)}"
        for one in parts_found
    )
    caption = (
        f"χ² against an even split with one degree of freedom; at {ALPHA} the critical value is {critical_value():.3f}."
        " It takes answers as independent, whoever gave them; beside it stands the mean share over people with its 95 %"
        " interval, and a test by ranks of people's shares. Least: the share found in four of five such studies."
    )
    picture = shares_picture(
        {one.what: (one.counts.share, one.low, one.high) for one in known},
        title=f"share that prefers {first} to {second}",
    )
    figure = Figure(
        picture, f"Shares by motion: {words}", "Dots: share of answers. Bars: 95 % intervals over people."
    )
    table = ReportTable((_HEAD, *(_row(one) for one in known)), caption)
    return Findings(
        plan.design.name,
        f"{len(people)} participants: {words}.",
        (Section("Which is preferred?", (_EXPLAINED, table, figure)),),
        {"preferences.csv": [_COLUMNS, *(_numbers(one) for one in known)]},
        {
            "conditions": [first, second],
            "preferences": [dict(zip(_COLUMNS, _numbers(one), strict=True)) for one in known],
        },
    )


_EXPLAINED = (
    "A preference shows which of two transitions looks more natural next to the other, not how good either is: both "
    "may be poor. A share near one half does not prove that they look alike: there may be too few participants."
)
_HEAD = ("part or motion", "share", "answers", "χ²", "p", "effect h", "over people", "p over people", "least")
_COLUMNS = [
    "what",
    "first",
    "total",
    "share",
    "chi_square",
    "p",
    "effect_h",
    "low",
    "high",
    "people",
    "people_p",
    "least",
]


def _row(one: Preferred) -> tuple[str, ...]:
    counts = one.counts
    return (
        one.what,
        f"{counts.share:.1%}",
        str(counts.total),
        f"{counts.chi_square:.2f}",
        _p(counts.p),
        f"{counts.effect:+.2f}",
        f"{one.low:.1%} to {one.high:.1%}",
        _p(one.people_p),
        f"{counts.least:.0%}",
    )


def _numbers(one: Preferred) -> list[object]:
    c = one.counts
    return [
        one.what, c.first, c.total, c.share, c.chi_square, c.p, c.effect, one.low, one.high, one.people, one.people_p,
        c.least,
    ]  # fmt: skip


def _p(value: float) -> str:
    if np.isnan(value):
        return "-"
    return "< .001" if value < 0.001 else f"{value:.3f}"


def verdict_findings(plan: StudyPlan, people: Sequence[Participant], *, draws: int, seed: int) -> Findings:
    """Page, tables and document of a study of verdicts: how often each stimulus was called good."""
    good = plan.design.words[0]
    main = [[one for one in person.answers if one.purpose == "main"] for person in people]
    rng = np.random.default_rng(seed)
    rows: list[list[object]] = []
    drawn: dict[str, tuple[float, float, float]] = {}
    for condition in plan.conditions:
        hits = [[one.given == good for one in some if one.track == condition] for some in main]
        low, high = over_people([float(np.mean(some)) for some in hits if some], draws=draws, rng=rng)
        total, count = sum(map(len, hits)), sum(map(sum, hits))
        if total:
            rows.append([condition, "", count, total, count / total, low, high])
            drawn[condition] = (count / total, low, high)
    for stimulus in plan.stimuli:
        given = [one.given == good for some in main for one in some if one.shown == stimulus.name]
        if given:
            rows.append(
                [
                    stimulus.condition,
                    stimulus.motion,
                    sum(given),
                    len(given),
                    float(np.mean(given)),
                    *wilson(sum(given), len(given)),
                ]
            )
    columns = ["condition", "motion", good, "answers", "share", "low", "high"]
    words = "; ".join(f"{name} {good} in {share:.0%}" for name, (share, _, _) in drawn.items())
    cells = [tuple(f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in row) for row in rows]
    table = ReportTable(
        (tuple(columns), *cells),
        f"Shares called {good}; intervals of 95 %: over people for conditions, Wilson's for stimuli.",
    )
    figure = Figure(
        shares_picture(drawn, title=f"share called {good}"), words, "Bars: 95 % intervals over people."
    )
    document: dict[str, Any] = {"verdicts": [dict(zip(columns, row, strict=True)) for row in rows]}
    return Findings(
        plan.design.name,
        f"{len(people)} participants: {words}.",
        (Section(f"What is called {good}?", (table, figure)),),
        {"verdicts.csv": [columns, *rows]},
        document,
    )
