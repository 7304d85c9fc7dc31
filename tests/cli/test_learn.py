"""segue learn: from labels to a weights file, which the comparing commands use."""

from __future__ import annotations

import json
import tomllib

import pytest

from segue.learning import Label, label_text

LABELS = [Label("walk", 20 + k, "walk", 22 + k, True) for k in range(0, 60, 10)]
LABELS += [Label("walk", 20 + k, "run", 10 + (7 * k) % 60, False) for k in range(0, 80, 10)]
CLIPS = ("sample:walk", "sample:run", "sample:step_touch")


@pytest.fixture
def labels(tmp_path):
    """A label file in the folder."""
    (tmp_path / "labels.csv").write_text(label_text(LABELS))


@pytest.mark.usefixtures("labels")
def test_learn_and_use(segue, tmp_path):
    """Weights are written, reported as text and JSON, and used by file name."""
    result = segue("learn", "labels.csv", *CLIPS, "-o", "w.toml", "--unrelated", "run", "step_touch")
    assert result.code == 0, result.err
    assert "6 good transitions and 8 bad" in result.out
    assert "leaving one out" in result.out
    assert "--set weights=w.toml" in result.out
    weights = tomllib.loads((tmp_path / "w.toml").read_text())["joints"]
    assert max(weights.values()) == 1.0
    shown = segue("learn", "labels.csv", *CLIPS, "-o", "w.toml", "--force", "--no-check", "--json").document
    assert dict(shown["weights"]) == pytest.approx(weights, rel=1e-4)
    assert "left_out" not in shown
    used = segue(
        "compare",
        "sample:walk",
        "sample:step_touch",
        "--cost",
        "joint_angle",
        "--set",
        "weights=w.toml",
        "--json",
    )
    plain = segue("compare", "sample:walk", "sample:step_touch", "--cost", "joint_angle", "--json")
    assert used.document["best_cost"] != plain.document["best_cost"]


@pytest.mark.usefixtures("labels")
def test_relative_distance(segue):
    """The same labels give weights for pairs of joints."""
    result = segue(
        "learn", "labels.csv", *CLIPS, "--cost", "relative_distance", "--ridge", "0.1", "--no-check"
    )
    assert result.code == 0, result.err
    used = segue(
        "compare", "sample:walk", "sample:run", "--cost", "relative_distance", "--set", "weights=weights.toml"
    )
    assert "transition points" in used.out


@pytest.mark.usefixtures("labels")
def test_a_motion_is_made_again_without_the_file(segue, tmp_path, clips):
    """The record holds the weights, so that the file may be deleted."""
    assert segue("learn", "labels.csv", *CLIPS, "-o", "w.toml", "--no-check").code == 0
    made = segue(
        "wander",
        clips,
        "--seconds",
        3,
        "-o",
        "m.bvh",
        "--cost",
        "joint_angle",
        "--set",
        "weights=w.toml",
        "--set",
        "nu=0.5",
    )
    assert made.code == 0, made.err
    recorded = json.loads((tmp_path / "m.origin.json").read_text())["settings"]["make"]
    assert recorded["cost_settings"]["nu"] == 0.5
    assert recorded["cost_settings"]["weights"][0][1] > 0
    (tmp_path / "w.toml").unlink()
    again = segue("replay", "m.origin.json", "-o", "again.bvh")
    assert "the same motion" in again.out


NONSENSE = [
    (("learn", "none.csv", "sample:walk"), "none.csv: there is no such file"),
    (("learn", "labels.csv", "sample:walk"), "labels.csv:8: no clip is called 'run'; nearest:"),
    (("learn", "labels.csv", *CLIPS, "-o", "w.txt"), "it can be .toml"),
    (
        ("learn", "labels.csv", *CLIPS, "--cost", "features"),
        "--cost 'features' is not known; choose 'joint_angle' or",
    ),
    (("learn", "labels.csv", *CLIPS, "--ridge", "-1"), "--ridge -1 is not possible"),
    (("learn", "labels.csv", *CLIPS, "--nu", "-1"), "--nu -1 is not possible"),
    (
        ("learn", "labels.csv", *CLIPS, "--unrelated", "wolk", "run"),
        "no clip is called 'wolk'; nearest: walk",
    ),
    (("compare", *CLIPS[:2], "--set", "weights=x"), "no setting 'weights'"),
    (("compare", *CLIPS[:2], "--cost", "joint_angle", "--set", "nu"), "give a setting and its value"),
    (("compare", *CLIPS[:2], "--cost", "joint_angle", "--set", "nu=1", "--set", "nu=2"), "given twice"),
    (("compare", *CLIPS[:2], "--cost", "joint_angle", "--set", "nu=much"), "example: nu=1.0"),
    (("compare", *CLIPS[:2], "--cost", "features", "--set", "scales=1,2"), "must be 5 numbers"),
    (("compare", *CLIPS[:2], "--set", "points_per_segment=1.5"), "example: points_per_segment=2"),
    (("wander", *CLIPS, "--cost", "joint_angle", "--set", "weights=none.toml"), "none.toml: cannot be read"),
]


@pytest.mark.usefixtures("labels")
@pytest.mark.parametrize(("words", "sentence"), NONSENSE)
def test_nonsense(segue, tmp_path, words, sentence):
    """The command exits with 2, prints one line and writes nothing."""
    before = sorted(tmp_path.iterdir())
    result = segue(*words)
    assert result.code == 2
    assert sentence in result.err.replace("\n", " ")
    assert len(result.err.strip().splitlines()) == 1
    assert sorted(tmp_path.iterdir()) == before


def test_help_lists_every_cost(segue):
    from segue.settings.words import COSTS as COST_NAMES

    for verb in ("wander", "stitch", "compare"):
        result = segue(verb, "--help")
        assert all(name in result.out for name in COST_NAMES), verb
        assert "--set" in result.out
