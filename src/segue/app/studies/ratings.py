"""Findings of studies of ratings: two methods in two orders, by ranks and by analysis of variance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from segue.app.studies.design import Question
from segue.app.studies.motions import StudyPlan
from segue.app.studies.page import Findings
from segue.arrays import Bools, Floats
from segue.library.answers import Participant
from segue.perception.inference import (
    FTest,
    RankTest,
    anova_independent,
    anova_within,
    least_effect,
    over_people,
    rank_sum,
    signed_rank,
)
from segue.pictures.psychometric import shares_picture
from segue.pictures.report import Figure, ReportTable, Section


@dataclass(frozen=True, eq=False)
class Rated:
    """Ratings of two methods by people who saw them in either order.

    Parameters
    ----------
    ratings
        (P, 2) mean rating of each method by each person.
    first_order
        (P,) whether the person saw the design's first condition first.
    order
        Rank-sum tests of order, for each method.
    method
        Signed-rank test of method within people.
    independent, within
        Analyses of variance: answers as independent, and method within people; empty where a cell is empty.
    """

    ratings: Floats
    first_order: Bools
    order: tuple[RankTest, RankTest]
    method: RankTest
    independent: tuple[FTest, ...]
    within: tuple[FTest, ...]


def rated(ratings: Floats, first_order: Bools) -> Rated:
    """Test ratings (P, 2) of two methods by people in two orders (P,) (Wang, ch. IV.4)."""
    one, two = first_order, ~first_order
    order = tuple(rank_sum(ratings[one, k], ratings[two, k]) for k in (0, 1))
    independent: tuple[FTest, ...] = ()
    within: tuple[FTest, ...] = ()
    if min(one.sum(), two.sum()) >= 2:
        flat, order_of = ratings.T.ravel(), np.tile(first_order, 2)
        independent = anova_independent(flat, np.repeat([0, 1], len(ratings)), order_of)
        within = anova_within(ratings[:, 0], ratings[:, 1], first_order)
    return Rated(
        ratings,
        first_order,
        (order[0], order[1]),
        signed_rank(ratings[:, 0], ratings[:, 1]),
        independent,
        within,
    )


def rating_table(plan: StudyPlan, people: Sequence[Participant], question: str) -> tuple[Floats, Bools]:
    """Ratings (P, 2) of both conditions by each person who rated both, and whether the first was seen first (P,)."""
    first, second = plan.conditions
    rows, order = [], []
    for person in people:
        mine = [one for one in person.answers if one.purpose == "main" and one.question == question]
        values = [
            [float(one.given) for one in mine if one.track == condition] for condition in (first, second)
        ]
        if all(values):
            rows.append([float(np.mean(some)) for some in values])
            order.append(mine[0].track == first)
    return np.array(rows, dtype=np.float64).reshape(-1, 2), np.array(order, dtype=bool)


def comparison_values(plan: StudyPlan, people: Sequence[Participant], question: Question) -> Floats:
    """(P,) rating of the second condition against the first; answers rate the last shown against the first shown.

    For a person who saw them in the other order the scale is reversed.
    """
    first, second = plan.conditions
    low, high = question.scale
    out = []
    for person in people:
        mine = [one for one in person.answers if one.purpose == "main" and one.question == question.name]
        values = [
            float(one.given) if one.track == f"{first}/{second}" else low + high - float(one.given)
            for one in mine
        ]
        if values:
            out.append(float(np.mean(values)))
    return np.array(out, dtype=np.float64)


def rating_findings(plan: StudyPlan, people: Sequence[Participant], *, draws: int, seed: int) -> Findings:
    """Page, tables and document of a study of ratings."""
    first, second = plan.conditions
    rng = np.random.default_rng(seed)
    sections, document, drawn = [], {}, {}
    csv: list[list[object]] = [["question", "test", "statistic", "dof", "p", "effect"]]
    means: list[list[object]] = [["question", "condition", "mean", "deviation", "people"]]
    for question in plan.design.questions:
        if question.about == "pair":
            values = comparison_values(plan, people, question)
            if len(values):
                name = f"{second} against {first}"
                means.append([question.name, name, float(values.mean()), _deviation(values), len(values)])
                drawn[question.name] = (
                    float(values.mean()),
                    *over_people(values.tolist(), draws=draws, rng=rng),
                )
            continue
        table, order = rating_table(plan, people, question.name)
        if len(table) < 2:
            continue
        found = rated(table, order)
        for k, condition in enumerate((first, second)):
            means.append(
                [question.name, condition, float(table[:, k].mean()), _deviation(table[:, k]), len(table)]
            )
        rows = rows_of_tests(found, (first, second))
        csv += [[question.name, *row] for row in rows]
        sections.append(
            Section(
                question.name, (question.text, ReportTable((_HEAD, *(_cells(row) for row in rows)), _CAPTION))
            )
        )
        document[question.name] = [dict(zip(csv[0][1:], row, strict=True)) for row in rows]
    head = Section(
        "Means", (_EXPLAINED.format(first=first, second=second), _means(means), *_drawn(plan, drawn))
    )
    least = least_effect(len(people))
    words = "; ".join(
        f"{row[0]} of {row[1]} {row[2]:.2f} ± {row[3]:.2f}" for row in means[1:] if isinstance(row[2], float)
    )
    power = (
        f"This many people detect a difference of {least:.2f} standard deviations in four of five studies."
    )
    summary = f"{len(people)} participants: {words}. {power}"
    return Findings(
        plan.design.name,
        summary,
        (head, *sections),
        {"means.csv": means, "tests.csv": csv},
        {"means": [dict(zip(map(str, means[0]), row, strict=True)) for row in means[1:]], "tests": document},
    )


_HEAD = ("test", "statistic", "degrees of freedom", "p", "effect")
_CAPTION = (
    "Ranks first: order between the two groups of people, method within people; effect: rank-biserial correlation. "
    "Then analysis of variance as the source has it, which takes the two answers of one person as two people's, and "
    "the same with method within people; effect: partial eta squared. Ratings are ranks: an analysis of variance takes "
    "their steps as equal."
)
_EXPLAINED = (
    "Ratings on a scale show which word people choose, not how far apart two motions are. Comparisons are of {second} "
    "against {first}: the middle of the scale means no difference."
)


def rows_of_tests(found: Rated, conditions: tuple[str, str]) -> list[tuple[str, float, str, float, float]]:
    """Name, statistic, degrees of freedom, p and effect of every test of a question."""
    rows = [
        (f"order, {condition} (rank-sum)", one.statistic, "", one.p, one.effect)
        for condition, one in zip(conditions, found.order, strict=True)
    ]
    rows.append(("method (signed-rank)", found.method.statistic, "", found.method.p, found.method.effect))
    for what, some in (("answers independent", found.independent), ("within people", found.within)):
        rows += [
            (f"{one.name} (F, {what})", one.f, f"{one.dof[0]}, {one.dof[1]}", one.p, one.effect)
            for one in some
        ]
    return rows


def _cells(row: Sequence[Any]) -> tuple[str, ...]:
    name, statistic, dof, p, effect = row
    return name, f"{statistic:.2f}", dof, "-" if np.isnan(p) else f"{p:.4f}", f"{effect:+.2f}"


def _means(rows: Sequence[Sequence[object]]) -> ReportTable:
    cells = [tuple(f"{cell:.2f}" if isinstance(cell, float) else str(cell) for cell in row) for row in rows]
    return ReportTable(tuple(cells), "Means over people and standard deviations.")


def _drawn(plan: StudyPlan, drawn: dict[str, tuple[float, float, float]]) -> list[Figure]:
    if not drawn:
        return []
    scale = next(one.scale for one in plan.design.questions if one.about == "pair")
    first, second = plan.conditions
    picture = shares_picture(
        drawn,
        title=f"{second} against {first}",
        middle=0.5 * sum(scale),
        ends=(float(scale[0]), float(scale[1])),
        unit=f"scale of {scale[0]} to {scale[1]}",
    )
    words = "; ".join(f"{name}: {value[0]:.2f}" for name, value in drawn.items())
    return [Figure(picture, f"Comparisons: {words}", "Dots: means. Bars: 95 % intervals over people.")]


def _deviation(values: Floats) -> float:
    return float(values.std(ddof=1)) if len(values) > 1 else 0.0
