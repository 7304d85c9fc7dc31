"""Steered motions: records, replay, and uneven ground."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from segue.app.walkers import keep_walker
from segue.io import load
from segue.locomotion.examples import LeftOut
from steered_models import small_model

SCRIPT = "seconds,type,speed,turn\n0,stand,0,0\n0.3,walk,1.2,0\n2.5,walk,1.1,10\n"


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A walker in a file, built once."""
    place = tmp_path_factory.mktemp("walker") / "walker.segue"
    keep_walker(place, small_model(), name="walker")
    return place


@pytest.fixture
def steered(segue, built):
    """Result of steering it for three and a half seconds."""
    shutil.copy(built, "walker.segue")
    Path("wishes.csv").write_text(SCRIPT)
    return segue("steer", "walker.segue", "--script", "wishes.csv", "-o", "a.npz", "--fps", "30", "--json")


def test_a_record_makes_the_motion_again(segue, steered):
    """Replay is exact bit for bit, without the script, and gives an equal record."""
    assert steered.document["written"] == ["a.npz", "a.origin.json"]
    Path("wishes.csv").unlink()
    result = segue("replay", "a.origin.json", "-o", "b.npz")
    assert (result.code, result.err) == (0, "")
    assert "the same motion" in result.out
    one, two = load("a.npz"), load("b.npz")
    assert np.array_equal(one.rotations, two.rotations)
    assert np.array_equal(one.root_positions, two.root_positions)
    records = [json.loads(Path(f"{name}.origin.json").read_text()) for name in "ab"]
    for record in records:
        del record["motion"]["file_sha256"]  # the file stores its own name
    assert records[0] == records[1]


def test_the_record_tells_every_frame(segue, steered):
    """Weights of each frame add up to 1; every example names a clip."""
    document = json.loads(Path("a.origin.json").read_text())
    assert document["sources"][0]["clip"] == "walker"
    total = np.zeros(document["motion"]["frames"])
    for stretch in document["blends"]:
        rows = slice(stretch["start"], stretch["start"] + stretch["frames"])
        for part in stretch["parts"]:
            weights = sum(np.broadcast_to(w, stretch["frames"]) for w in part["weights"].values())
            total[rows] += part["share"] * weights
            assert set(part["weights"]) <= set(document["examples"][part["of"]]["examples"])
            assert len(part["at"]) == stretch["frames"]
    assert np.abs(total - 1.0).max() < 1e-4
    for group in document["examples"].values():
        for one in group["examples"].values():
            assert one["pieces"][0]["clip"].startswith(("walk", "st"))
    assert [group["name"] for group in document["examples"].values()] == ["stand", "walk", "stand to walk"]


def test_a_steered_motion_is_measured(segue, steered):
    """The note states that it has no seams."""
    result = segue("measure", "a.npz")
    assert result.code == 0
    assert "it is blended throughout and has no seams" in result.err


def test_another_walker_is_refused(segue, steered):
    """The walker's digest is checked, a moved one is found by folder, and an invalid record is refused."""
    Path("away").mkdir()
    shutil.move("walker.segue", "away/walker.segue")
    assert "is not there any more" in segue("replay", "a.origin.json", "-o", "b.npz").err
    assert segue("replay", "a.origin.json", "-o", "b.npz", "--sources", "away").code == 0
    other = replace(small_model(), left_out=(LeftOut("walk", "walk", "a word more"),))
    keep_walker(Path("walker.segue"), other, name="walker")
    result = segue("replay", "a.origin.json", "-o", "c.npz")
    assert result.code == 2
    assert "another one since the motion was made" in result.err
    assert not Path("c.npz").exists()
    document = json.loads(Path("a.origin.json").read_text())
    for change in (
        {"how": "fly"},
        {"table": "seconds\n"},
        {"fps": "many"},
        {"ground": "lava:1"},
        {"wings": 2},
    ):
        Path("d.origin.json").write_text(json.dumps(document | {"settings": document["settings"] | change}))
        result = segue("replay", "d.origin.json", "-o", "d.npz", "--sources", "away")
        assert (result.code, result.err.count("\n")) == (2, 1)
        assert not Path("d.npz").exists()


def test_on_uneven_ground(segue, steered):
    """A named slope and the same slope as a grid raise the character equally; the record holds the grid."""
    rows = ["x,z,height", *(f"{x},{z},{0.1 * max(z - 1, 0)}" for x in (-9, 9) for z in (-9, 1, 9))]
    Path("hill.csv").write_text("\n".join(rows))
    ends = []
    for ground in ("slope:5.710593137499643", "hill.csv"):
        out = f"{ground[:4]}.npz"
        words = (
            "steer",
            "walker.segue",
            "--script",
            "wishes.csv",
            "-o",
            out,
            "--fps",
            "30",
            "--ground",
            ground,
        )
        assert segue(*words).code == 0
        ends.append(load(out).root_positions)
    assert np.allclose(ends[0], ends[1], atol=1e-9)
    flat = load("a.npz").root_positions
    assert 0.1 < ends[0][-1, 1] - flat[-1, 1] < 0.5
    Path("hill.csv").unlink()
    assert segue("replay", "hill.origin.json", "-o", "again.npz").code == 0


@pytest.mark.parametrize(
    ("ground", "words"),
    [
        ("lava", "is neither a file that can be read nor a ground (slope:DEGREES, stairs:RISE,TREAD"),
        ("slope:steep", "a ground of slope is given as slope:DEGREES, not 'slope:steep'"),
        ("slope:60", "less than 45 degrees, not 60"),
        ("stairs:0.2", "stairs:RISE,TREAD"),
        ("stairs:2,1", "steps rise by up to 0.5 m"),
        ("bumps:2,1", "a quarter of their length or less"),
        ("wishes.csv", "wishes.csv:1: its head line lacks x, z, height; it is x,z,height"),
        ("holes.csv", "is no grid: there is no height at x 1, z 1"),
        ("words.csv", "words.csv:2: z is 'here'; give a number from -1,000,000 to 1,000,000"),
        ("point.csv", "two or more x and two or more z"),
    ],
)
def test_grounds_that_are_none(segue, steered, ground, words):
    """The command exits with 2 and writes nothing."""
    Path("holes.csv").write_text("x,z,height\n0,0,0\n0,1,0\n1,0,0\n")
    Path("words.csv").write_text("x,z,height\n0,here,0\n")
    Path("point.csv").write_text("x,z,height\n0,0,0\n")
    result = segue("steer", "walker.segue", "--script", "wishes.csv", "-o", "b.npz", "--ground", ground)
    assert result.code == 2
    assert words in result.err
    assert not Path("b.npz").exists()


def test_a_stop_is_within_reach_and_standing_while_turning_is_not(segue, built):
    """Parameters that are still approaching a stop are not reported as out of reach."""
    shutil.copy(built, "walker.segue")
    Path("w.csv").write_text("seconds,type,speed,turn\n0,walk,1.2,0\n2,stand,0,0\n6,stand,0,40\n")
    words = ("--script", "w.csv", "-o", "b.npz", "--fps", "30", "--seconds")
    stopped = segue("steer", "walker.segue", *words, "5", "--json").document["stretches"]
    assert (stopped[-1]["doing"], stopped[-1]["clamped"]) == ("stand", 0)
    turning = segue("steer", "walker.segue", *words, "8", "--force")
    assert "the examples do not reach the wish" in turning.out
