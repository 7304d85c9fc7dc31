"""The ready-made designs: read, planned, answered by robots and analysed, one test for each kind."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import segue
from segue.app.studies.analysis import analyse, attentive, check_answers, read_answers
from segue.app.studies.convergence import robot_answers
from segue.app.studies.design import (
    Condition,
    Given,
    Part,
    Session,
    design_of_text,
    read_design,
    ready_designs,
)
from segue.app.studies.motions import StudyPlan, clips_of, make_plan
from segue.app.studies.naturalness import NUMBERS, classify_answers, seam_numbers
from segue.app.studies.power import power
from segue.app.studies.robots import run_robots
from segue.app.studies.stimuli import make_stimuli, shots, write_stimuli
from segue.errors import FileError, SettingError

SEVEN = {
    "weights",
    "geodesic-or-fixed",
    "velocity-or-fixed",
    "geodesic-or-timewarped",
    "geodesic-or-velocity",
    "jnd-centre-aligned",
    "jnd-start-end",
}


def test_the_seven_studies_of_the_source_are_there() -> None:
    """The other two are the pilot and the study of natural and unnatural transitions."""
    assert set(ready_designs()) == SEVEN | {"jnd-start-end-pilot", "natural"}
    for name in ready_designs():
        assert read_design(name).name == name


def answered(name: str, path: Path, *, robots: int, **changes: object):
    """Run a ready-made design with robots and return the study."""
    design = replace(read_design(name), **changes)
    run_robots(make_plan(design, clips_of(design)), path, count=robots)
    return read_answers(path)


def test_a_preference_that_was_planted_is_found(tmp_path: Path) -> None:
    """Of twenty robots with two motions most prefer geodesic, and sides are drawn at random."""
    study = answered("geodesic-or-fixed", tmp_path / "a.segue", robots=20, parts=(Part("", 2, "locomotion"),))
    found = analyse(study, draws=100)
    row = found.document["preferences"][0]
    assert (row["total"], row["share"] > 0.85, row["p"] < 0.01) == (40, True, True)
    main = [one for person in study.people for one in person.answers if one.purpose == "main"]
    assert 5 < sum("geodesic" in one.shown.split(" | ")[0] for one in main) < 35
    assert set(found.tables) == {"preferences.csv", "answers.csv"}


def test_ratings_that_were_planted_are_found(tmp_path: Path) -> None:
    """Forty robots in two orders rate optimised as more realistic; comparisons are signed in one direction."""
    study = answered("weights", tmp_path / "a.segue", robots=40)
    first = [person.answers[0].track for person in study.people]
    assert first.count("original") == 20
    found = analyse(study, draws=100)
    tests = {row["test"]: row for row in found.document["tests"]["realism"]}
    assert tests["method (signed-rank)"]["p"] < 0.05
    assert tests["method (F, answers independent)"]["dof"] == "1, 76"
    assert tests["method (F, within people)"]["dof"] == "1, 38"
    means = {(row["question"], row["condition"]): row["mean"] for row in found.document["means"]}
    assert means["realism", "original"] == pytest.approx(2.6, abs=0.5)
    assert means["looks better", "optimised against original"] == pytest.approx(2.73, abs=0.5)


def test_verdicts(tmp_path: Path) -> None:
    """Hard cuts are called natural less often than blends."""
    study = answered("natural", tmp_path / "a.segue", robots=8, parts=(Part("", 1),))
    share = {
        row["condition"]: row["share"]
        for row in analyse(study, draws=100).document["verdicts"]
        if not row["motion"]
    }
    assert share["blended"] > share["fixed"] > share["cut"]


def test_a_classifier_learns_from_answers(tmp_path: Path) -> None:
    """For eight motions it predicts better than the most frequent answer; other kinds of study are refused."""
    pytest.importorskip("sklearn")
    study = answered("natural", tmp_path / "a.segue", robots=6, parts=(Part("", 8),))
    found = classify_answers(study, clips_of(study.plan.design))
    assert found.area > 0.6
    assert found.right > found.usual
    assert len(found.weights) == len(NUMBERS)
    with pytest.raises(SettingError, match="learns from verdicts"):
        classify_answers(
            replace(study, plan=make_plan(read_design("weights"), clips_of(read_design("weights")))), ()
        )


def test_who_fails_checks_is_left_out(tmp_path: Path) -> None:
    """A participant who fails more than half of the attention checks is excluded."""
    study = answered("geodesic-or-fixed", tmp_path / "a.segue", robots=2, parts=(Part("", 2, "locomotion"),))
    careless = study.people[0]
    wrong = tuple(
        replace(one, given="neither") if one.purpose == "check" else one for one in careless.answers
    )
    assert any(one.purpose == "check" for one in wrong)
    kept = attentive(replace(study, people=(replace(careless, answers=wrong), study.people[1])))
    assert [person.code for person in kept.people] == ["robot-02"]


def test_stimuli_of_the_weights_study(tmp_path: Path) -> None:
    """Two motions of 6 s are cut at 3 s, at the global optimum of either cost, and start at the same point."""
    design = read_design("weights")
    clips = clips_of(design)
    plan = make_plan(design, clips)
    made = make_stimuli(plan, clips)
    assert [clip.seconds for clip in made.values()] == [6.0, 6.0]
    for clip in made.values():
        switch = np.flatnonzero(np.diff(clip.origin.clip[:, 0]))
        assert switch.tolist() in ([89], [90])
        assert clip.root_positions[0, [0, 2]] == pytest.approx([0.0, 0.0], abs=1e-9)
    written = write_stimuli(plan, made, tmp_path / "stimuli")
    document = json.loads(written[-1].read_text("utf-8"))
    assert [row["condition"] for row in document["stimuli"]] == ["original", "optimised"]
    assert document["view"]["ground"] is False
    assert segue.load(written[0]).n_frames == 181
    with pytest.raises(FileError, match="--force"):
        write_stimuli(plan, made, tmp_path / "stimuli")


def test_lengths_change_nothing_before_the_blend() -> None:
    """Stimuli of one motion begin with the same frames at every length, and one camera shot fits all of them."""
    design = replace(read_design("jnd-start-end"), parts=(Part("", 1, "locomotion"),))
    clips = clips_of(design)
    plan = make_plan(design, clips)
    some = replace(plan, stimuli=plan.stimuli[:1] + plan.stimuli[-2:])
    made = list(make_stimuli(some, clips).values())
    for other in made[1:]:
        assert other.n_frames == made[0].n_frames == design.frames
        assert np.allclose(other.root_positions[:30], made[0].root_positions[:30], atol=1e-6)
    (shot,) = shots(some, {clip.name: clip for clip in made}).values()
    assert 0.8 < shot.radius < 5.0


def test_captured_clips_are_shown_as_embedded_ones_are(data: Path) -> None:
    """Walks of two people on one body give 2 s stimuli and seam features; longer stimuli are refused."""
    words = [str(data / "asf_amc" / name) for name in ("16/16_15.amc", "16/16_58.amc", "02/02_01.amc")]
    design = replace(read_design("natural"), seconds=2.0, parts=(Part("", 2),))
    clips = clips_of(design, clips=words)
    plan = make_plan(design, clips)
    made = make_stimuli(plan, clips)
    by_name = {clip.name: clip for clip in clips}
    for one in plan.stimuli:
        clip = made[one.name]
        assert (clip.n_frames, clip.skeleton) == (61, clips[0].skeleton)
        numbers = seam_numbers(clip, [by_name[one.a], by_name[one.b]])
        assert np.isfinite(numbers).all()
        assert numbers[0] > 0.3
    with pytest.raises(
        SettingError, match=r"stimuli of 8 s need clips as long, and the longest lasts 3\.9 s"
    ):
        make_plan(replace(design, seconds=8.0), clips)


def test_power_is_the_share_of_studies(tmp_path: Path) -> None:
    """Two of two studies find a preference of 96 %; a median difference has no test."""
    design = replace(read_design("geodesic-or-fixed"), parts=(Part("", 2, "locomotion"),))
    (row,) = power(make_plan(design, clips_of(design)), count=10, studies=2)
    assert (row.found, row.what) == (1.0, "share, all")
    assert row.mean > 0.85


def test_a_design_of_ones_own() -> None:
    """Transitions may be given by the design; its frames count at its own rate."""
    design = replace(
        read_design("natural"),
        motions=(Given("walk", "run", 80, 90),),
        conditions={"blend": Condition(0.4)},
    )
    (one,) = make_plan(design, clips_of(design)).stimuli
    assert (one.a, one.a_frame, one.b_frame, one.frames) == ("walk", 80, 90, 12)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('name = "x"\nkind = "jnd"\n[levels]\nstepz = [1]', "levels.stepz is not known; nearest: steps"),
        ('name = "x"\nkind = "preference"\n', "needs 2 or more"),
        ('name = "x"\nkind = "jnd"\n[levels]\nprocedure = "wong"', "nearest: wang"),
        ('name = "x"\nkind = "jnd"\n[levels]\nsteps = [0]', "none of them 0"),
        ('name = "x"\nkind = "odd"', "kind"),
        ('name = "x"\nkind = "jnd"\nseconds = 0.1', "1 to 60 s"),
        ('name = "x"\nkind = "jnd"\nfeet = "glued"', "feet='glued' is not known"),
        ('name = "x"\nkind = "jnd"\n[[parts]]\ncount = 0', "1 to 1000 motions"),
    ],
)
def test_designs_that_cannot_be_are_refused(text: str, words: str) -> None:
    """The error names the file, the key and valid values."""
    with pytest.raises(FileError, match=words.replace(".", r"\.").replace("[", r"\[")) as error:
        design_of_text(text, place="own.toml")
    assert str(error.value).startswith("own.toml: ")


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("natural", {"given": "odd"}),
        ("natural", {"shown": "odd"}),
        ("geodesic-or-fixed", {"given": "third"}),
        ("weights", {"given": "9"}),
    ],
)
def test_answers_of_another_study_are_refused(kind: str, change: dict[str, str], tmp_path: Path) -> None:
    """This holds even with a valid seal, as anyone who writes a library can produce one."""
    design = replace(read_design(kind), parts=(Part("", 1),), session=Session())
    plan = make_plan(design, clips_of(design))
    person = robot_answers(plan, count=1, seed=1)[0]
    check_answers(plan, [person], place="a.segue")
    wrong = replace(person, answers=(replace(person.answers[0], **change),))
    with pytest.raises(FileError, match="answer 0 of 'robot-01' does not belong"):
        check_answers(plan, [wrong], place="a.segue")


def test_plans_that_cannot_be_are_refused() -> None:
    """A plan without stimuli, with a repeated name or with one of two conditions is refused."""
    design = replace(read_design("geodesic-or-fixed"), parts=(Part("", 1, "locomotion"),))
    plan = make_plan(design, clips_of(design))
    for stimuli in ((), plan.stimuli[:1] * 2, plan.stimuli[:1]):
        with pytest.raises(SettingError):
            StudyPlan(design, stimuli)


def test_no_design_of_that_name() -> None:
    """The error names the nearest design."""
    with pytest.raises(FileError, match="nearest: weights"):
        read_design("weight")
    with pytest.raises(SettingError, match="1 to 10000"):
        run_robots(make_plan(read_design("weights"), clips_of(read_design("weights"))), "x.segue", count=0)


def test_tables_are_read_again(tmp_path: Path) -> None:
    """A table with a comma in a cell is read back from CSV."""
    from segue.app.studies.page import table_text

    (tmp_path / "t.csv").write_text(table_text([["a", "b"], ["x, y", 1.5]]), encoding="utf-8")
    with (tmp_path / "t.csv").open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file)) == [["a", "b"], ["x, y", "1.5"]]
