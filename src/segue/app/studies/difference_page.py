"""The findings of a study of just noticeable differences: tables, psychometric functions and adaptive tracks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from segue.app.studies.differences import DifferenceAnalysis, Noticed, settled_level
from segue.app.studies.motions import StudyPlan
from segue.app.studies.page import Findings
from segue.app.studies.trials import track_of, tracks
from segue.library.answers import Participant
from segue.perception.differences import ThresholdTest
from segue.pictures.psychometric import psychometric_picture, track_picture
from segue.pictures.report import Figure, ReportTable, Section

_COLUMNS = "motion direction reference_frames jnd_frames low high jnd_seconds "
_COLUMNS += "threshold slope lapse settled target answers"
_HEAD = "motion|direction|reference|JND [frames]|interval|JND [s]|slope|lapse|settled|answers"
_SHOWN = 4  # most adaptive tracks drawn
_EXPLAINED = (
    "The just noticeable difference (JND) is the difference in blend length at which 75 % of the answers are right, "
    "where one of two guesses is right, on the fitted function. It measures what is noticed, not what looks better. "
    "Settled is the mean level around which each person's own adaptive track ended up: it belongs to the share that "
    "the procedure aims at and is not the same number. Intervals are of 95 %, from a bootstrap over people."
)


def difference_findings(
    plan: StudyPlan, people: Sequence[Participant], found: DifferenceAnalysis
) -> Findings:
    """Page, tables and document of an analysis."""
    fps = plan.design.fps
    head = tuple(_HEAD.split("|"))
    rows = [_row(one, fps) for one in (*found.each, *found.directions)]
    tests = [("direction", "gain", "degrees of freedom", "p", "p by ranks within people")]
    tests += [
        (direction, f"{one.statistic:.2f}", str(one.dof), _p(one.p), _p(one.people_p))
        for direction, one in found.tests.items()
    ]
    sections = [
        Section(
            "Just noticeable differences",
            (
                _EXPLAINED,
                ReportTable((head, *rows), "All people's answers together."),
                *_functions(found),
            ),
        ),
    ]
    if found.tests:
        caption = (
            "Twice the log likelihood that a threshold for each motion gains over one for all; answers count "
            "as independent. Beside it each person's own thresholds by ranks (Friedman, or Wilcoxon for two motions)."
        )
        sections.append(Section("Do motions differ?", (ReportTable(tuple(tests), caption),)))
    drawn = _tracks(plan, people)
    if drawn:
        sections.append(Section("Adaptive tracks", tuple(drawn)))
    return Findings(
        plan.design.name,
        summary(plan, people, found),
        tuple(sections),
        {"jnd.csv": _table(found, fps), "thresholds.csv": _people(people, found)},
        _document(found, fps),
    )


def summary(plan: StudyPlan, people: Sequence[Participant], found: DifferenceAnalysis) -> str:
    """Findings in one sentence."""
    count = sum(one.trials for one in found.each)
    words = " and ".join(
        f"{one.signed_jnd:+.1f} frames ({one.signed_jnd / plan.design.fps:+.3f} s)"
        for one in found.directions
    )
    return f"{len(people)} participants, {count} answers: a blend is noticed to differ from {words} on."


def _row(one: Noticed, fps: float) -> tuple[str, ...]:
    low, high = one.fit.interval()
    lapse = f"{one.fit.function.lapse:.3f}"
    return (
        one.motion or "all",
        one.direction,
        str(one.reference or "several"),
        f"{one.signed_jnd:+.2f}",
        f"{low:.2f} to {high:.2f}",
        f"{one.signed_jnd / fps:+.3f}",
        f"{one.fit.function.slope:.2f}",
        lapse,
        "-" if np.isnan(one.target) else f"{one.converged:.2f} at {one.target:.3f}",
        str(one.trials),
    )


def _table(found: DifferenceAnalysis, fps: float) -> list[list[object]]:
    out: list[list[object]] = [[*_COLUMNS.split()]]
    for one in (*found.each, *found.directions):
        function = one.fit.function
        out.append(
            [one.motion, one.direction, one.reference, one.signed_jnd, *one.fit.interval(), one.signed_jnd / fps,
             function.threshold, function.slope, function.lapse, one.converged, one.target, one.trials]
        )  # fmt: skip
    return out


def _people(people: Sequence[Participant], found: DifferenceAnalysis) -> list[list[object]]:
    out: list[list[object]] = [["participant", "motion", "direction", "settled_frames"]]
    for one in found.each:
        out += [
            [person.code, one.motion, one.direction, float(value)]
            for person, value in zip(people, one.people, strict=True)
        ]
    return out


def _document(found: DifferenceAnalysis, fps: float) -> dict[str, Any]:
    head, *rows = _table(found, fps)
    return {
        "jnd": [dict(zip(map(str, head), row, strict=True)) for row in rows],
        "tests": {direction: _test(one) for direction, one in found.tests.items()},
        "next_steps": list(found.next_steps),
    }


def _test(one: ThresholdTest) -> dict[str, float]:
    return {"statistic": one.statistic, "dof": one.dof, "p": one.p, "p_by_ranks": one.people_p}


def _functions(found: DifferenceAnalysis) -> list[Figure]:
    out = []
    for some, what in ((found.each, "motion by motion"), (found.directions, "all motions together")):
        fits = {
            f"{one.motion or 'all motions'}, {one.direction}": (
                1 if one.direction == "longer" else -1,
                one.fit,
            )
            for one in some
        }
        if fits:
            picture = psychometric_picture(fits, title=f"share of right answers, {what}")
            words = "; ".join(f"{name}: {sign * fit.jnd:+.1f} frames" for name, (sign, fit) in fits.items())
            caption = "Dots: answers, larger where there are more. Bars: intervals of the JND at 75 %."
            out.append(Figure(picture, f"Psychometric functions {what}. {words}", caption, half=True))
    return out


def _tracks(plan: StudyPlan, people: Sequence[Participant]) -> list[Figure]:
    out: list[Figure] = []
    for motion, direction in tracks(plan):
        person = people[len(out) % len(people)]
        track = track_of(plan, motion, direction, person.answers)
        if not len(track) or len(out) == _SHOWN or plan.design.levels.procedure == "constant":
            continue
        settled = settled_level(plan, person.seed, motion, direction, track)
        levels = plan.levels(motion, direction)
        picture = track_picture(levels, track, settled=settled, title=f"{person.code}: {motion}, {direction}")
        alt = f"Adaptive track of {person.code}, {len(track)} trials, settled at {settled:.1f} frames"
        out.append(
            Figure(
                picture,
                alt,
                f"{motion}, {direction}: {len(track)} trials; the line is where it settled.",
                half=True,
            )
        )
    return out


def _p(value: float) -> str:
    return "-" if np.isnan(value) else f"{value:.3f}"
