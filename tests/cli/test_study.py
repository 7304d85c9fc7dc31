"""segue study: from a design to a report, and learned weights used by name."""

from __future__ import annotations

import builtins
import json
import tomllib

import pytest

DESIGN = """
name = "own"
kind = "verdict"
question = "Does it look natural?"
clips = ["sample:walk", "sample:run"]
seconds = 4.0
[[parts]]
count = 2
[conditions]
blended = { length = 0.4 }
cut = { length = "cut" }
[robots]
strengths = { blended = 3.0, cut = -3.0 }
"""


@pytest.fixture
def design(tmp_path):
    """A small study in the folder."""
    (tmp_path / "own.toml").write_text(DESIGN)


@pytest.mark.usefixtures("design")
def test_from_design_to_weights_used_by_name(segue, tmp_path):
    """Stimuli, robots and analysis work; weights are stored in a library and named in a comparison of costs."""
    result = segue("study", "stimuli", "own.toml", "-o", "stimuli")
    assert result.code == 0, result.err
    assert len(list((tmp_path / "stimuli").glob("*.bvh"))) == 4
    ran = segue("study", "run", "own.toml", "--robots", "6", "-o", "answers.segue", "--json").document
    assert ran["new_answers"] == 24
    again = segue("study", "run", "own.toml", "--robots", "6", "-o", "answers.segue", "--json").document
    assert again["new_answers"] == 0
    found = segue("study", "analyse", "answers.segue", "-o", "report", "--draws", "100", "--json").document
    assert found["robots"] == 6
    assert {row["condition"]: row["share"] > 0.5 for row in found["verdicts"] if not row["motion"]} == {
        "blended": True,
        "cut": False,
    }
    learnt = segue(
        "learn", "answers.segue", "-o", "w.toml", "--into", "kept.segue#seen", "--no-check", "--json"
    )
    assert learnt.code == 0, learnt.err
    weights = tomllib.loads((tmp_path / "w.toml").read_text())["joints"]
    assert dict(learnt.document["weights"]) == pytest.approx(weights, rel=1e-4)
    costs = "joint_angle:weights=kept.segue#seen,joint_angle"
    compared = segue("compare", "sample:walk", "sample:run", "--costs", costs, "--json")
    assert [row["cost"] for row in compared.document["costs"]] == costs.split(",")
    listed = segue(
        "compare",
        "sample:walk",
        "sample:run",
        "--cost",
        "joint_angle",
        "--set",
        "weights=kept.segue#seen",
        "--threshold",
        10,
    )
    assert listed.code == 0, listed.err
    wrong = segue(
        "compare", "sample:walk", "sample:run", "--costs", "joint_angle:weights=kept.segue#sean,joint_angle"
    )
    assert (wrong.code, "nearest: seen" in wrong.err) == (2, True)


def test_designs_are_listed_and_written(segue, tmp_path):
    """One of them is written as a starting point."""
    assert len(segue("study", "designs", "--json").document["designs"]) == 9
    assert segue("study", "designs", "weights", "-o", "mine.toml").code == 0
    assert tomllib.loads((tmp_path / "mine.toml").read_text("utf-8"))["kind"] == "likert"
    assert "nearest: weights" in segue("study", "designs", "wait", "-o", "x.toml").err


def test_staircases_in_a_table(segue, tmp_path):
    """Each procedure has a row, and there is a picture."""
    document = segue(
        "study", "staircases", "--tracks", "3", "--slopes", "4", "-o", "s.png", "--json"
    ).document
    assert [row["procedure"] for row in document["rows"]] == [
        "wang",
        "1-up-1-down",
        "2-down-1-up",
        "3-down-1-up",
        "bayesian",
    ]
    assert (tmp_path / "s.png").stat().st_size > 5000
    assert segue("study", "staircases", "--slopes", "steep").code == 2


@pytest.mark.usefixtures("design")
def test_power_in_a_table(segue):
    document = segue("study", "power", "own.toml", "--robots", "3", "--studies", "2", "--json").document
    assert [row["what"] for row in document["power"]] == ["share, blended", "share, cut"]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("run", "weights", "--robots", "2", "-o", "a.csv"), "ends in .segue"),
        (("run", "wait", "--robots", "2", "-o", "a.segue"), "nearest: weights"),
        (("analyse", "none.segue", "-o", "report"), "there is no such library"),
        (("stimuli", "weights", "-o", "s", "--format", "mp4"), "not '.mp4'"),
    ],
)
def test_mistakes_are_one_sentence(segue, words, why):
    """The command exits with 2 and states the reason."""
    result = segue("study", *words)
    assert (result.code, result.err.count("\n")) == (2, 1)
    assert why in result.err


def test_without_the_extra_it_is_said(segue, monkeypatch):
    """The command exits with 2 if statsmodels is not installed."""
    real = builtins.__import__

    def without(name, *rest):
        if name.partition(".")[0] == "statsmodels":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    for words in (("analyse", "a.segue", "-o", "report"), ("power", "weights")):
        result = segue("study", *words)
        assert result.code == 2
        assert result.err.splitlines()[-1].endswith("needs statsmodels: pip install statsmodels")
    assert json.dumps(result.out) == '""'


def test_people_need_what_serves_a_page(segue, monkeypatch):
    """The command exits with 2 if the studio extra is missing; robots answer without it."""
    from segue.cli import study_run

    monkeypatch.setattr(study_run, "find_spec", lambda name: None)
    result = segue("study", "run", "weights", "-o", "a.segue")
    assert result.code == 2
    assert "the page of a study" in result.err.splitlines()[-1]


@pytest.mark.usefixtures("design")
def test_a_page_ends_with_who_answered(segue, monkeypatch, tmp_path):
    """stdout has one line, the address, while the page is open, then the participants."""
    from segue.app.studies.people import PeopleRun
    from segue.studio.process import Opened

    def run(opened: Opened) -> None:
        opened.listening.close()
        opened.server.ready()
        served.append(opened.url)

    served: list[str] = []
    monkeypatch.setattr(Opened, "run", run)
    monkeypatch.setattr(PeopleRun, "sittings", lambda self: ())
    result = segue("study", "run", "own.toml", "-o", "answers.segue")
    assert result.code == 0, result.err
    assert result.out.splitlines()[0] == served[0]
    assert "0 participants, 0 to the end, 0 answers" in result.out
    assert (tmp_path / "answers.segue").is_file()
    again = segue("study", "run", "own.toml", "-o", "answers.segue", "--json")
    assert again.document["people"] == 0
    assert served[0] == served[1]
