"""Studies in the studio: designs and motions, a separate page for people, robots, and results."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from segue.errors import SettingError
from segue.studio import study_runs
from segue.studio.study_runs import StudyRuns

DESIGN = """
name = "two lengths"
kind = "preference"
question = "Which of the two motions looks more natural?"
clips = ["sample:walk", "sample:walk_fast"]
seconds = 1.0
[[parts]]
count = 1
[conditions]
short = { length = 0.1 }
long = { length = 0.4 }
[robots]
strengths = { short = 1.0, long = 0.0 }
"""


def until(found: Callable[[], bool], seconds: float = 60.0) -> None:
    """Wait until a condition holds."""
    last = time.monotonic() + seconds
    while not found():
        assert time.monotonic() < last, "it never came to that"
        time.sleep(0.1)


@pytest.fixture
def design(studio) -> str:
    """A small design in the export folder."""
    studio.exports.mkdir(exist_ok=True)
    path = studio.exports / "two.toml"
    path.write_text(DESIGN)
    return str(path.resolve())


def test_designs_are_listed_and_their_motions_made(studio, design: str) -> None:
    """Ready designs and files next to the exports are listed; a design's motion is made when it is viewed."""
    (studio.exports / "broken.toml").write_text('kind = "other"\n')
    found = {card["word"]: card for card in studio.call("studies")["designs"]}
    assert {"weights", "jnd-start-end", design} <= set(found)
    assert found[design]["asks"] == "which of two looks better"
    assert found[str((studio.exports / "broken.toml").resolve())]["problem"]
    view = studio.call("design", design=design)
    assert [one["condition"] for one in view["stimuli"]] == ["short", "long"]
    made = studio.call("stimulus", design=design, stimulus=view["stimuli"][0]["name"])
    assert (made["frames"], made["fps"]) == (31, 30.0)
    for name, ask in (
        ("design", {"design": "/etc/passwd"}),
        ("design", {"design": "../two.toml"}),
        ("stimulus", {"design": design, "stimulus": "other"}),
        ("study_run", {"design": design, "name": "../out"}),
        ("study_run", {"design": design, "name": "a", "host": "--help"}),
        ("study_run", {"design": design, "name": "a", "robots": 1000}),
        ("study_report", {"file": "none.segue"}),
        ("study_report", {"file": "../../x.segue"}),
    ):
        status, body, _ = studio.ask("POST", f"/api/{name}", json.dumps(ask).encode())
        assert status == 422, (name, ask)
        assert json.loads(body)["error"]


def test_robots_answer_and_the_page_opens_for_people(studio, design: str) -> None:
    """Robots finish; then people answer at the page's address, into the same file; the table reports both."""
    studio.call("study_run", design=design, name="mine", robots=3)

    def run() -> dict:
        return next(one for one in studio.call("studies")["runs"] if one["file"] == "mine.segue")

    until(lambda: run()["state"] == "ended")
    assert {key: run()[key] for key in ("study", "robots", "people", "done", "answers")} == {
        "study": "two lengths",
        "robots": 3,
        "people": 0,
        "done": 3,
        "answers": 3,
    }
    report = studio.call("study_report", file="mine.segue")
    assert "3 participants are robots" in report["summary"]
    assert report["rows"][0][0] == "what"
    assert report["rows"][1][2] == "3"
    studio.call("study_run", design=design, name="mine")
    status, body, _ = studio.ask(
        "POST", "/api/study_run", json.dumps({"design": design, "name": "mine"}).encode()
    )
    assert (status, b"open already" in body) == (422, True)
    until(lambda: run()["state"] == "open")
    address = urlsplit(run()["address"])
    page = http.client.HTTPConnection(address.netloc, timeout=30)
    page.request("GET", f"{address.path}?{address.query}")
    assert page.getresponse().status == 303  # the address is redirected to one without the token
    page.close()
    assert studio.call("study_stop", file="mine.segue")["file"] == "mine.segue"
    until(lambda: run()["state"] == "ended")
    assert run()["answers"] == 3


def test_a_study_that_fails_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command's error is shown; the number of runs is limited, and only one run writes a file."""
    runs = StudyRuns(tmp_path / "out")
    monkeypatch.setattr(study_runs, "_MOST", 1)
    runs.start("a.segue", ["no-such-design"])
    for file, why in (("a.segue", "open already"), ("b.segue", "run already")):
        with pytest.raises(SettingError, match=why):
            runs.start(file, ["no-such-design"])
    until(lambda: runs.view("a.segue").state == "failed")
    assert "no design" in runs.view("a.segue").error
    runs.close()
