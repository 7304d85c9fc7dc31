"""A study of just noticeable differences, from its design to its report, answered by robots on embedded clips."""

from __future__ import annotations

import csv
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from segue.app.studies.analysis import analyse, read_answers
from segue.app.studies.design import Levels, Part, read_design
from segue.app.studies.differences import analyse_differences
from segue.app.studies.motions import StudyPlan, clips_of, make_plan, plan_of
from segue.app.studies.page import write_findings
from segue.app.studies.robots import run_robots
from segue.app.studies.trials import next_trial
from segue.errors import SettingError
from segue.library.answers import Answer


@pytest.fixture(scope="module")
def plan() -> StudyPlan:
    """The ready-made study, centre-aligned, with one motion."""
    design = replace(read_design("jnd-centre-aligned"), parts=(Part(count=1),))
    return make_plan(design, clips_of(design))


@pytest.fixture(scope="module")
def answers(plan: StudyPlan, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("study") / "answers.segue"
    run_robots(plan, path, count=6)
    return path


def test_levels_are_those_of_the_source(plan: StudyPlan) -> None:
    """The levels run in steps of two from k - 8 to k + 12 around k = 10."""
    (motion,) = plan.motions
    assert plan.reference(motion) == 10
    assert plan.levels(motion, "shorter") == (2.0, 4.0, 6.0, 8.0)
    assert plan.levels(motion, "longer") == (2.0, 4.0, 6.0, 8.0, 10.0, 12.0)


def test_a_plan_comes_back_from_its_document(plan: StudyPlan) -> None:
    """The document is the form in which a library stores a plan."""
    assert plan_of(plan.document(), place="x").document() == plan.document()


def test_every_trial_shows_a_reference_pair_and_a_comparison_pair(answers: Path) -> None:
    """Each trial has one identical pair and one differing pair, the correct one, on a side drawn at random."""
    people = read_answers(answers).people
    sides = Counter()
    for one in (one for person in people for one in person.answers if one.purpose == "main"):
        first, second = (pair.split("; ") for pair in one.shown.split(" | "))
        assert (len(set(first)), len(set(second))) == ((2, 1) if one.right == "first" else (1, 2))
        different = first if one.right == "first" else second
        sides[one.right, different[0].endswith(", k10")] += 1
        assert f"{different[0]} {different[1]}".count(", k10") == 1
    assert min(sides.values()) > 0.7 * sum(sides.values()) / 4


def test_tracks_stop_with_the_tenth_visit(answers: Path) -> None:
    """For each robot and direction, one level was shown ten times."""
    for person in read_answers(answers).people:
        for track in ("shorter", "longer"):
            levels = Counter(
                one.level for one in person.answers if one.track == track and one.purpose == "main"
            )
            assert max(levels.values()) == 10


def test_a_run_that_was_stopped_goes_on(plan: StudyPlan, answers: Path, tmp_path: Path) -> None:
    """An interrupted run that is resumed gives the same answers as an uninterrupted one."""

    class Stopped(Exception):
        pass

    seen: list[Answer] = []

    def stop(_: object, answer: Answer) -> None:
        seen.append(answer)
        if len(seen) == 77:
            raise Stopped

    with pytest.raises(Stopped):
        run_robots(plan, tmp_path / "a.segue", count=6, kept=stop)
    assert sum(len(person.answers) for person in read_answers(tmp_path / "a.segue").people) == 77
    run_robots(plan, tmp_path / "a.segue", count=6)
    assert read_answers(tmp_path / "a.segue").people == read_answers(answers).people


def test_planted_thresholds_are_found(plan: StudyPlan, answers: Path) -> None:
    """The estimates lie within a quarter of the robots' thresholds, in both directions."""
    found = analyse_differences(plan, read_answers(answers).people, draws=50)
    assert {one.direction: round(one.fit.jnd, 3) for one in found.directions} == pytest.approx(
        {"shorter": 7.0, "longer": 10.0}, rel=0.25
    )
    assert -17 < min(found.next_steps) < -7 < 10 < max(found.next_steps) < 26


def test_the_report_is_a_page_and_tables(answers: Path, tmp_path: Path) -> None:
    """Every answer is a table row, and every figure has alternative text."""
    study = read_answers(answers)
    written = write_findings(analyse(study, draws=100), tmp_path / "report")
    assert {path.name for path in written} == {"index.html", "jnd.csv", "thresholds.csv", "answers.csv"}
    page = written[0].read_text("utf-8")
    assert "6 participants are robots" in page
    assert page.count("<img") == page.count('alt="') > 2
    with (tmp_path / "report" / "answers.csv").open(encoding="utf-8", newline="") as file:
        assert len(list(csv.reader(file))) == study.answers + 1


@pytest.mark.parametrize("procedure", ["constant", "bayesian"])
def test_other_procedures_go_the_same_way(plan: StudyPlan, tmp_path: Path, procedure: str) -> None:
    """Constant stimuli and the Bayesian method run from the trials to the analysis."""
    settings = {"each": 4} if procedure == "constant" else {"trials": 12}
    levels = Levels(procedure=procedure, settings=settings)
    other = replace(plan, design=replace(plan.design, levels=levels))
    run_robots(other, tmp_path / "a.segue", count=1)
    people = read_answers(tmp_path / "a.segue").people
    found = analyse_differences(other, people, draws=20)
    assert {one.direction for one in found.each} == {"shorter", "longer"}
    assert next_trial(other, people[0].seed, people[0].answers) is None


def test_a_file_keeps_one_design_of_a_name(plan: StudyPlan, answers: Path) -> None:
    """Answers to a second design of the same name are refused, as their mixture would mean nothing."""
    other = replace(plan, design=replace(plan.design, seconds=5.0))
    with pytest.raises(SettingError, match="another design"):
        run_robots(other, answers, count=1)


def test_few_clips_are_said() -> None:
    """The error states how many transitions the clips offer."""
    design = replace(
        read_design("jnd-centre-aligned"),
        clips=("sample:stand",),
        parts=(Part(count=4, category="locomotion"),),
    )
    with pytest.raises(SettingError, match="offer 0 of the 4 transitions of locomotion"):
        make_plan(design, clips_of(design))
