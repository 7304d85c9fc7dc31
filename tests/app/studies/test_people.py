"""Participants: anonymous codes, the same trials as robots, and every answer stored exactly once."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from segue.app.studies.design import Design, Part, Session, read_design
from segue.app.studies.motions import StudyPlan, clips_of, make_plan
from segue.app.studies.people import (
    LONGEST_ANSWER,
    PeopleRun,
    begin_study,
    checked_about,
    is_seen,
    plan_in,
    sittings_of,
)
from segue.app.studies.robots import run_robots
from segue.app.studies.trials import count_of, next_trial
from segue.errors import FileError, SettingError
from segue.library.answers import participants
from segue.library.library import Library


def planned(name: str, session: Session, **changes: object) -> StudyPlan:
    """A small study of a ready-made design."""
    design: Design = replace(read_design(name), parts=(Part("", 2, "any"),), session=session, **changes)
    return make_plan(design, clips_of(design))


@pytest.fixture(scope="module")
def plan() -> StudyPlan:
    """Two pairs, one training trial, one check, and breaks."""
    return planned("geodesic-or-fixed", Session(training=1, checks=1, break_after=2, asked=("age group",)))


def test_a_sitting_goes_to_its_end(plan: StudyPlan, tmp_path: Path) -> None:
    """Every trial is answered once, as many as announced, with a break after every second answer."""
    run = PeopleRun(plan, tmp_path / "a.segue")
    code = run.join({"age group": "20 to 39"})
    turn, breaks = run.turn(code), 0
    total = turn.total
    while turn.trial is not None:
        breaks += turn.is_break
        turn = run.answer(code, turn.answered, turn.trial.choices[-1], seconds=1.5)
    assert (turn.answered, total, breaks) == (4, 4, 1)
    (sitting,) = run.sittings()
    assert (sitting.code, sitting.is_robot, sitting.answered, sitting.is_done) == (code, False, 4, True)
    with Library.open(run.path, mode="r") as library:
        (person,) = participants(library.store, plan.design.name)
    assert person.about == {"age group": "20 to 39"}
    assert {one.seconds for one in person.answers} == {1.5}
    for number, one in enumerate(person.answers):
        trial = next_trial(plan, person.seed, person.answers[:number])
        assert trial is not None
        assert trial.answered(one.given, seconds=1.5) == one


def test_robots_and_people_share_a_file(plan: StudyPlan, tmp_path: Path) -> None:
    """People continue the seeds in a file of robots, and robots are added to a file of people."""
    path = tmp_path / "a.segue"
    run_robots(plan, path, count=1)
    PeopleRun(plan, path).join({})
    assert run_robots(plan, path, count=1) == 0
    assert [one.is_robot for one in sittings_of(path, plan)] == [True, False]
    assert plan_in(path) == plan


def test_an_answer_that_comes_twice_is_kept_once(plan: StudyPlan, tmp_path: Path) -> None:
    """The page resends an answer whose reply was lost; the first one is kept."""
    run = PeopleRun(plan, tmp_path / "a.segue")
    code = run.join({})
    after = run.answer(code, 0, "first", seconds=1.0)
    assert run.answer(code, 0, "second", seconds=9.0) == after == run.turn(code)
    with pytest.raises(SettingError, match="not asked yet"):
        run.answer(code, 3, "first", seconds=1.0)
    for given, seconds in (("third", 1.0), ("first", float("nan")), ("first", -1.0), ("first", float("inf"))):
        with pytest.raises(SettingError):
            run.answer(code, 1, given, seconds=seconds)
    with pytest.raises(SettingError, match="nobody"):
        run.turn("p-0000000000000000")


def test_many_take_part_at_once(plan: StudyPlan, tmp_path: Path) -> None:
    """Four people in four threads each get all trials and their own seed, and both orders are equally frequent."""
    run = PeopleRun(plan, tmp_path / "a.segue")

    def sit(number: int) -> str:
        code = run.join({})
        while (trial := (turn := run.turn(code)).trial) is not None:
            run.answer(code, turn.answered, trial.choices[number % 2], seconds=0.5)
        return code

    with ThreadPoolExecutor(4) as threads:
        codes = set(threads.map(sit, range(4)))
    assert len(codes) == 4
    assert all(one.is_done and one.answered == 4 for one in run.sittings())
    with Library.open(run.path, mode="r") as library:
        seeds = [one.seed for one in participants(library.store, plan.design.name)]
    assert len(set(seeds)) == 4
    assert [seed % 2 for seed in seeds] == [0, 1] * 2


def test_the_count_of_trials_is_what_comes(tmp_path: Path) -> None:
    """The announced count matches the trials shown; with adaptive levels it is unknown."""
    for name, session in (
        ("natural", Session(training=2, checks=1)),
        ("natural", Session(checks=99)),
        ("geodesic-or-fixed", Session(training=1)),
        ("weights", Session(checks=2)),
    ):
        changes = {} if name != "weights" else {"parts": (Part(),)}
        design = replace(read_design(name), session=session, **changes)
        design = design if name == "weights" else replace(design, parts=(Part("", 1, "any"),))
        plan = make_plan(design, clips_of(design))
        run_robots(plan, tmp_path / f"{name}-{session.checks}-{session.training}.segue", count=1)
        (sitting,) = sittings_of(tmp_path / f"{name}-{session.checks}-{session.training}.segue", plan)
        assert sitting.answered == count_of(plan, 1)
    assert count_of(planned("jnd-centre-aligned", Session()), 1) is None


def test_ratings_of_one_motion_show_it_once() -> None:
    """A question about a motion that was just shown does not show it again."""
    design = read_design("weights")
    plan = make_plan(design, clips_of(design))
    seen, answers = [], []
    while (trial := next_trial(plan, 2, answers)) is not None:
        seen.append(is_seen(plan, trial, answers))
        answers.append(trial.answered(trial.choices[0], seconds=1.0))
    assert seen == [False, True, False, True, True, True]


def test_the_address_stays(plan: StudyPlan, tmp_path: Path) -> None:
    """Port and token are stored with the answers; a malformed address is ignored."""
    run = PeopleRun(plan, tmp_path / "a.segue")
    port, token = run.address()
    assert port == 0
    run.keep_address(4321, token)
    assert PeopleRun(plan, run.path).address() == (4321, token)
    for text in ("x", "[1]", json.dumps([99999, token]), json.dumps([1, "short"]), json.dumps([True, token])):
        with Library.open(run.path) as library, library.store.writing() as db:
            db.execute("UPDATE meta SET value = ? WHERE key LIKE 'page of%'", (text,))
        assert run.address()[0] in {0, 1}
        assert run.address()[1] != "short"


def test_another_design_is_refused(plan: StudyPlan, tmp_path: Path) -> None:
    """Answers to two designs cannot share a name; a missing file is an error."""
    run = PeopleRun(plan, tmp_path / "a.segue")
    other = replace(plan, design=replace(plan.design, question="Which?"))
    with pytest.raises(SettingError, match="another design"):
        PeopleRun(other, run.path)
    with Library.open(run.path) as library:
        begin_study(library, plan)
    with pytest.raises(FileError, match="no such file"):
        plan_in(tmp_path / "b.segue")


def test_what_is_asked_before_is_bounded() -> None:
    """Only answers to questions of the design are kept, up to a length, and only those among its choices."""
    session = Session(asked=("age group", "work"), choices={"age group": ("young", "old")})
    assert checked_about(session, {"age group": "old", "work": "  a \n b "}) == {
        "age group": "old",
        "work": "a b",
    }
    assert checked_about(session, {"age group": "", "work": " "}) == {}
    for about in ({"name": "x"}, {"age group": "tall"}, {"work": "x" * (LONGEST_ANSWER + 1)}):
        with pytest.raises(SettingError):
            checked_about(session, about)
    with pytest.raises(SettingError, match="age"):
        Session(asked=("age group",), choices={"age": ("x",)})
    with pytest.raises(SettingError):
        Session(gap_seconds=-1.0)
