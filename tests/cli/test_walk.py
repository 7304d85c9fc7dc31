"""``segue walk``: paths, goals and labels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from segue.io import load


@pytest.fixture
def words(tmp_path: Path) -> list[str]:
    """Write a path and labels; return the arguments of a short search on embedded clips."""
    Path("p.csv").write_text("x,z,label\n0,0,go\n0,3,turn\n1,4\n", "utf-8")
    Path("l.toml").write_text('go = ["walk"]\nturn = ["walk_turn_left:0-300"]\n', "utf-8")
    return ["walk", "sample:walk", "sample:walk_turn_left", "sample:stop", "--budget", "1"]


def test_a_walk_follows_a_path_and_is_replayed(segue, words):
    """The result is reported, drawn, recorded and replayed."""
    result = segue(*words, "--path", "p.csv", "--labels", "l.toml", "--picture", "w.png", "--json")
    document = result.document
    assert result.code == 0
    assert document["written"] == ["directed.bvh", "directed.origin.json", "w.png"]
    motion = load("directed.bvh")
    assert np.hypot(*motion.root_positions[0, [0, 2]]) < 1e-4
    assert document["bound"] <= document["cost"]
    # The quality reached in one second depends on the machine; `benchmarks/show/paths.py` measures it.
    assert document["mean_off"] < 0.5
    assert set(document["clips_played"]) <= {"walk", "walk_turn_left", "stop"}
    again = segue("replay", "directed.origin.json", "-o", "again.bvh")
    assert (again.code, again.err) == (0, "")
    assert "the same motion" in again.out


def test_a_walk_from_frame_to_frame(segue, words):
    """File names identify clips; the text gives the cost."""
    result = segue(*words, "--from", "walk.bvh:20", "--to", "stop:60", "-v")
    assert result.code == 0
    assert "proven best" in result.out
    assert "cost" in result.out


def test_mirror_images_and_lengths_of_their_own(segue):
    """--mirror and --blend work as for wander and are in the record."""
    words = (
        "sample:walk",
        "--mirror",
        "--blend",
        "auto",
        "--seconds",
        "2",
        "--through",
        "1,1@2",
        "--budget",
        "1",
    )
    assert segue("walk", *words).code == 0
    text = Path("directed.origin.json").read_text("utf-8")
    assert '"length": "auto"' in text
    assert '"walk (mirrored)"' in text
    assert "the same motion" in segue("replay", "directed.origin.json").out
    refused = segue("walk", *words, "--blend", "soon", "--force")
    assert (refused.code, "seconds or one of auto" in refused.err) == (2, True)


def test_labels_and_points_at_times(segue, words):
    """The length is exact; the document gives the distances to the points."""
    more = ["--show", "go@0-1", "--labels", "l.toml", "--through", "0.5,1@1.5", "--seconds", "2", "--json"]
    document = segue(*words, *more).document
    assert document["frames"] == 121
    assert len(document["missed"]) == 1


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (["--path", "no.svg"], "there is no such file"),
        (["--path", "l.toml"], "a path is read from a .csv"),
        (["--through", "1,2"], "write x,z@seconds"),
        (["--through", "1,2@-3"], "the time lies above 0 s"),
        (["--show", "x"], "write LABEL@start-stop"),
        (["--show", "jump@0-1"], "no frame is labelled 'jump'"),
        (["--to", "stopp"], "no clip is called 'stopp'; nearest: stop"),
        (["--to", "stop:9999"], "has frames 0 to"),
        (["--budget", "-1", "--seconds", "2"], "--budget -1 is not possible"),
        (["--seconds", "2", "--to", "stop"], "leave one of the two out"),
        (["--seconds", "0"], "--seconds 0 is not possible"),
        (["--unit", "2", "--seconds", "2"], "give --path too"),
        (["--through", "100,0@2"], "cannot be passed"),
        (["--labels", "p.csv", "--seconds", "2"], "p.csv"),
        ([], "no goal is given"),
    ],
)
def test_nonsense_is_one_sentence(segue, words, more, why):
    """The command exits with 2, prints one line and writes nothing."""
    result = segue(*words, *more)
    assert (result.code, result.out) == (2, "")
    assert why in result.err
    assert result.err.count("\n") == 1
    assert not Path("walk.bvh").exists()
