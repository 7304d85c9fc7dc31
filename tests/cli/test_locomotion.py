"""Walkers: built, edited and steered."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from segue.app.steering import walker_of
from segue.app.walkers import keep_walker
from segue.io import load
from steered_models import three_types

CLIPS = [f"sample:{name}" for name in ("walk", "walk_slow", "walk_turn_left", "run", "start", "stop")]
SCRIPT = "seconds,type,speed,turn\n0,stand,0,0\n0.5,walk,1.2,0\n3,walk,1.1,15\n5,stand,0,0\n"


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A walker in a file, built once."""
    place = tmp_path_factory.mktemp("walker") / "walker.segue"
    keep_walker(place, three_types(), name="walker")
    return place


@pytest.fixture
def walker(segue, built):
    """A walker in the folder."""
    shutil.copy(built, "walker.segue")


def test_build_says_what_it_found(segue, walker):
    """Types are listed with their ranges and transitions as captured or made, in text and JSON."""
    result = segue("locomotion", "build", *CLIPS[:2], "--most", "2", "-o", "two.segue")
    assert (result.code, result.err) == (0, "")
    for words in ("two.segue: walker, from 2 clips", "2 examples", "m/s"):
        assert words in result.out
    result = segue("locomotion", "info", "walker.segue")
    for words in ("walker.segue: walker", "stand to walk", "captured"):
        assert words in result.out
    document = segue("locomotion", "info", "walker.segue", "--json").document["walkers"]["walker"]
    assert list(document["types"]) == ["stand", "walk", "run"]
    assert document["types"]["stand"]["speed"] == [0.0, 0.0]
    assert all(one["examples"] <= one["found"] for one in document["types"].values())
    assert document["types"]["walk"]["self_transition"]["captured"] > 0
    again = segue("locomotion", "build", *CLIPS[:2], "-o", "walker.segue")
    assert again.code == 2
    assert "holds a walker 'walker' already; --force replaces it" in again.err


def test_what_is_not_kept_is_counted_with_its_reason(segue):
    """Found examples are kept or left out; a clip without steps is named; equal reasons share a line."""
    result = segue(
        "locomotion", "build", *CLIPS[:2], "sample:stand", "--most", "1", "-o", "one.segue", "--json"
    )
    document = result.document
    walk = document["types"]["walk"]
    not_chosen = [
        one for one in document["left_out"] if one["type"] == "walk" and "deviations" in one["reason"]
    ]
    assert walk["found"] == walk["examples"] + len(not_chosen)
    assert [one["name"] for one in document["left_out"] if one["type"] == "clip"] == ["stand"]
    result = segue("locomotion", "info", "one.segue")
    assert f"1 example, kept of {walk['found']}" in result.out
    assert "walk to walk" in result.out
    assert "deviations from one that is kept, and 1 are kept" in result.out
    assert "stand: stands; no steps in the order of walking or running" in result.out


def test_what_is_kept_is_what_was_built(segue, walker):
    """A stored walker is restored bit for bit."""
    one, two = walker_of("walker.segue"), walker_of("walker.segue", name="walker")
    for a, b in zip([*one.nodes, *one.ways], [*two.nodes, *two.ways], strict=True):
        assert np.array_equal(a.set.rotations, b.set.rotations)
        assert np.array_equal(a.set.weights.radial, b.set.weights.radial)


def test_edits_rename_retype_and_drop(segue):
    """Every example is written to the file, and the user's edits apply."""
    result = segue("locomotion", "build", *CLIPS[1:4:2], "--examples", "all.toml", "-o", "a.segue")
    assert "examples: all.toml" in result.err
    text = Path("all.toml").read_text("utf-8")
    unchanged = segue(
        "locomotion", "build", *CLIPS[1:4:2], "--edits", "all.toml", "-o", "b.segue", "--json"
    ).document
    assert unchanged["types"]["walk"]["examples"] > 0
    name = next(line for line in text.splitlines() if line.startswith('[examples."run'))
    Path("edits.toml").write_text('[examples.run]\nkind = "sprint"\n[examples."walk_slow"]\ndrop = true\n')
    document = segue(
        "locomotion", "build", *CLIPS[1:4:2], "--edits", "edits.toml", "-o", "c.segue", "--json"
    ).document
    assert "sprint" in document["types"]
    assert "run" not in document["types"]
    assert "walk" not in document["types"]
    Path("edits.toml").write_text(name.replace("run", "rnu") + "\ndrop = true\n")
    result = segue("locomotion", "build", *CLIPS[1:4:2], "--edits", "edits.toml", "-o", "d.segue")
    assert result.code == 2
    assert "edits.toml: no example is called" in result.err


def test_steer_follows_a_script(segue, walker):
    """The character starts, walks and stops, and the output lists when."""
    Path("wishes.csv").write_text(SCRIPT)
    result = segue("steer", "walker.segue", "--script", "wishes.csv", "-o", "a.bvh", "--fps", "30")
    assert (result.code, result.err) == (0, "")
    assert "a.bvh: 7 s, 211 frames at 30 fps" in result.out
    assert "stand to walk" in result.out
    assert np.linalg.norm(load("a.bvh").root_positions[-1, [0, 2]]) > 2.0


def test_steer_keeps_to_a_path(segue, walker):
    """The root stays within a centimetre of a straight path and stops near its end."""
    Path("path.csv").write_text("x,z,type,speed\n0,0,walk,1.2\n0,4,walk,1.2\n")
    assert segue("steer", "walker.segue", "--path", "path.csv", "-o", "a.bvh", "--fps", "30").code == 0
    roots = load("a.bvh").root_positions
    assert np.abs(roots[:, 0]).max() < 0.01
    assert roots[-1, 2] == pytest.approx(4.0, abs=0.5)


def test_steer_chases_a_pointer(segue, walker):
    """The character walks to the pointer."""
    Path("points.csv").write_text("seconds,x,z\n0,0,5\n8,0,5\n")
    assert segue("steer", "walker.segue", "--chase", "points.csv", "-o", "a.npz", "--fps", "30").code == 0
    assert np.linalg.norm(load("a.npz").root_positions[-1, [0, 2]] - (0.0, 5.0)) < 1.5


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("script", "seconds,type,speed,turn\n0,fly,1,0\n", "there is no motion of type 'fly'"),
        ("script", "seconds,type,speed\n0,walk,1\n", "a.csv:1: its head line lacks turn"),
        ("script", "seconds,type,speed,turn\n0,walk,fast,0\n", "a.csv:2: speed is 'fast'"),
        ("script", "seconds,type,speed,turn\n1,walk,1,0\n0,walk,1,0\n", "seconds must rise"),
        ("script", "", "holds no rows"),
        ("path", "x,z,type,speed\n0,0,walk,1\n", "a path needs two points"),
        (
            "path",
            "x,z,type,speed\n0,0,walk,1\n0,1,walk,0\n",
            ":3: speed is '0'; give a number from 0.001 to 100",
        ),
        ("chase", "seconds,x,z\n0,0,0\n0,1,1\n", ":3: seconds must rise; 0 comes after 0"),
    ],
)
def test_files_that_are_wrong_are_refused(segue, walker, name, text, words):
    """The error names the place, and nothing is written."""
    Path("a.csv").write_text(text)
    result = segue("steer", "walker.segue", f"--{name}", "a.csv", "-o", "a.bvh")
    assert result.code == 2
    assert words in result.err
    assert not Path("a.bvh").exists()


def test_nonsense_is_refused(segue, walker):
    """A missing goal or file, another output format and an invalid option are refused."""
    assert "one of --script, --path and --chase" in segue("steer", "walker.segue").err
    assert "a.csv: --chase: there is no such file" in segue("steer", "walker.segue", "--chase", "a.csv").err
    Path("a.csv").touch()
    assert "there is no such library" in segue("steer", "no.segue", "--chase", "a.csv").err
    assert segue("locomotion", "build", "sample:walk", "-o", "a.bvh").code == 2
    assert (
        "--most 0 is not possible"
        in segue("locomotion", "build", "sample:walk", "-o", "a.segue", "--most", "0").err
    )
