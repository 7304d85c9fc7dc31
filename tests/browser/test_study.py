"""A study's page in Debian's Chromium: a simulated person from consent to the last trial."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from browser_pages import chromium
from segue.app.studies.analysis import analyse, read_answers
from segue.app.studies.people import plan_in
from segue.app.studies.robots import run_robots
from segue.app.studies.trials import next_trial
from segue.library.library import Library
from shown import shown


@pytest.fixture(scope="module")
def taken(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], Path, list[str]]:
    """Observations from consent to thanks, the file of answers, and the addresses before and after a kill."""
    browser = chromium()
    pytest.importorskip("starlette")
    pictures = json.loads(os.environ.get("SEGUE_STUDY_PICTURES", "{}"))
    seen, path, urls = shown("_study_person").taken(tmp_path_factory.mktemp("people"), browser, pictures)
    assert seen["faults"] == [], seen
    return seen, path, urls


def test_a_person_goes_from_consent_to_thanks(taken) -> None:
    """Consent comes first, a reload and a killed server lose nothing, and the address stays valid."""
    seen, _, urls = taken
    assert seen["locked"]
    assert seen["foreign"] == []
    assert "token" not in seen["address"]
    assert seen["kept"].startswith("2 answers are kept")
    assert seen["breaks"] == 1
    assert urls[0] == urls[1]


def test_answers_are_those_of_a_robots_trials(taken) -> None:
    """Each trial is the one that a robot of that seed would get, and each answer is stored once."""
    seen, path, _ = taken
    person, other = read_answers(path).people
    plan = plan_in(path)
    assert [one.given for one in person.answers] == [one["given"] for one in seen["trials"][:-1]]
    assert next_trial(plan, person.seed, person.answers) is None
    for person_or_other in (person, other):
        answers = person_or_other.answers
        for number, answer in enumerate(answers):
            trial = next_trial(plan, person_or_other.seed, answers[:number])
            assert trial is not None
            assert trial.answered(answer.given, seconds=answer.seconds) == answer
            assert 0.0 < answer.seconds < 120.0
    assert person.about == {"age group": "20 to 39"}
    assert other.about == {}
    assert {one.purpose for one in person.answers} == {"training", "check", "main"}


def test_answers_analyse_like_a_robots(taken, tmp_path: Path) -> None:
    """People and robots of one study have the same tables; the file is complete."""
    _, path, _ = taken
    study = read_answers(path)
    robots = tmp_path / "robots.segue"
    run_robots(study.plan, robots, count=2)
    found, known = analyse(study, draws=100), analyse(read_answers(robots), draws=100)
    assert found.document["robots"] == 0
    assert found.document["participants"] == 2
    assert set(found.document) == set(known.document)
    assert [rows[0] for rows in found.tables.values()] == [rows[0] for rows in known.tables.values()]
    with Library.open(path, mode="r") as library:
        assert not library.check().studies


def test_two_conditions_differ_in_the_motion_alone(taken) -> None:
    """Both motions of a trial have one camera; outside the body a still frame is the same in every pixel."""
    pixels = taken[0]["pixels"]
    assert pixels["cameras"] == 1
    assert pixels["motions"] == 2
    assert pixels["outside"] == 0
    assert pixels["outside_of_the_empty_stage"] == 0
    assert pixels["inside"] > 50
    assert pixels["drawn"] > 500
    assert pixels["body_pixels"] < 0.5 * pixels["size"][0] * pixels["size"][1]
