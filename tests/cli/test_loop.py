"""Loops and mirrored motions."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from segue.io import load


def test_loop_finds_a_stride_and_says_what_it_did(segue):
    result = segue("loop", "sample:walk", "-o", "a.bvh")
    assert (result.code, result.err) == (0, "")
    for words in ("a.bvh: 1.1 s, 67 frames at 60 fps, 1 round", "1 stride", "each round goes 1.43 m"):
        assert words in result.out
    made = load("a.bvh")
    assert np.allclose(made.rotations[0, 1:], made.rotations[-1, 1:], atol=1e-6)


def test_loop_tells_programs_the_same(segue):
    """Rounds are end to end and in place."""
    document = segue("loop", "sample:walk", "--times", "3", "--in-place", "-o", "a.bvh", "--json").document
    assert document["written"] == ["a.bvh", "a.origin.json"]
    assert (document["rounds"], document["frames"], document["strides"]) == (3, 3 * 66 + 1, 1)
    assert document["round_metres"] == pytest.approx(0.0, abs=1e-9)
    made = load("a.bvh")
    assert np.ptp(made.root_positions[:, [0, 2]], axis=0).max() < 0.2


def test_a_range_is_closed_whatever_it_costs_and_that_is_said(segue):
    """Ends that differ are closed too, with a note; there and back needs no closing."""
    result = segue("loop", "sample:walk", "--from", "1", "--to", "1.5", "-o", "a.bvh")
    assert result.code == 0
    assert "that much can be seen" in result.out
    result = segue("loop", "sample:start", "--back", "--from", "1", "-o", "b.bvh")
    assert "there and back: every frame is one of the clip's" in result.out
    made = load("b.bvh")
    assert np.array_equal(made.rotations[0], made.rotations[-1])


@pytest.mark.parametrize(
    ("words", "given"),
    [
        (("--from", "3", "--to", "1"), "3 to 1 s is no stretch of it"),
        (("--times", "0"), "--times 0 is not possible"),
        (("--times", "1000000"), "give fewer"),
        (("--turn", "left"), "choose 'auto', 'keep' or 'none'"),
        (("--feet", "bare"), "choose 'natural'"),
        (("--longest", "0.3"), "a cycle of 0.4 to 0.3 s"),
        (("--cost", "price"), "price"),
    ],
)
def test_loop_refuses_nonsense(segue, words, given):
    """The command prints one line, exits with 2 and writes nothing."""
    result = segue("loop", "sample:walk", *words, "-o", "a.bvh")
    assert result.code == 2
    assert given in result.err
    assert len(result.err.strip().splitlines()) == 1
    assert not Path("a.bvh").exists()


def test_one_clip_is_looped_or_mirrored(segue):
    """Folders, libraries and `sample:` are refused with advice, as is a missing file."""
    segue("library", "add", "moves.segue", "sample:walk")
    Path("folder").mkdir()
    for verb in ("loop", "mirror"):
        for word, given in (
            ("folder", "is a folder without motion files; name one motion file"),
            ("moves.segue", "name one clip in it, as moves.segue#NAME"),
            ("sample:", "name one of them, as sample:walk"),
            ("none.bvh", "there is no such file"),
        ):
            result = segue(verb, word, "-o", "a.bvh")
            assert result.code == 2
            assert given in result.err
    assert segue("loop", "moves.segue#walk", "-o", "a.bvh").code == 0


def test_loops_and_mirrored_motions_are_made_again_from_their_records(segue):
    """All options are in the record; an invalid edit of it is one error line; measure finds the source."""
    words = ("--from", "1", "--to", "2.1", "--times", "2", "--in-place", "--feet", "free")
    segue("convert", "sample:walk", "-o", "w.bvh")
    assert segue("loop", "w.bvh", *words, "-o", "a.bvh").code == 0
    assert segue("mirror", "w.bvh", "-o", "m.bvh").code == 0
    for name in ("a", "m"):
        result = segue("replay", f"{name}.origin.json", "-o", f"{name}2.bvh")
        assert (result.code, "the same motion" in result.out) == (0, True)
        assert Path(f"{name}.bvh").read_bytes() == Path(f"{name}2.bvh").read_bytes()
    assert "seam 1" in segue("measure", "a.bvh").out
    text = Path("a.origin.json").read_text("utf-8")
    for before, after, given in (
        ('"times": 2', '"times": "two"', 'times: expected a whole number, got "two"'),
        ('"times": 2', '"rounds": 2', "holds settings this version does not know"),
        ('"turn": "auto"', '"turn": "left"', "turn: 'left' is not known; it can be 'auto', 'keep', 'none'"),
    ):
        Path("a.origin.json").write_text(text.replace(before, after), "utf-8")
        result = segue("replay", "a.origin.json", "-o", "b.bvh")
        assert (result.code, given in result.err, len(result.err.splitlines())) == (2, True, 1)
    assert not Path("b.bvh").exists()


def test_no_cycle_is_said(segue):
    """The error states what to do."""
    segue("convert", "sample:walk", "--trim", "0:0.95", "-o", "short.bvh")
    result = segue("loop", "short.bvh", "-o", "a.bvh")
    assert result.code == 2
    assert "has no cycle" in result.err
    assert "--from, --to" in result.err


def test_mirror_exchanges_sides(segue):
    """A left turn becomes a right turn; an unknown body is refused."""
    result = segue("mirror", "sample:walk_turn_left", "-o", "m.bvh")
    assert (result.code, result.out) == (
        0,
        "m.bvh: 361 frames, left and right exchanged\nrecord: m.origin.json\n",
    )
    assert load("m.bvh").root_positions[-1, 0] < -1.0
    document = segue("mirror", "m.bvh", "-o", "n.bvh", "--json").document
    assert document["symmetric_body"] in (True, False)
    assert load("n.bvh").root_positions[-1, 0] > 1.0
    result = segue("mirror", "sample:walk", "--body", "other", "-o", "o.bvh")
    assert (result.code, result.err.strip()) == (
        2,
        "segue: --body 'other' is not known; choose 'own' or 'mirrored'; nearest: own, mirrored",
    )


def test_wander_plays_mirror_images_too_and_replays_them(segue):
    """The clips double; the record marks mirrored sources; replay and measure work."""
    result = segue(
        "wander",
        "sample:walk_turn_left",
        "sample:walk_left",
        "--mirror",
        "--seconds",
        "6",
        "-o",
        "w.bvh",
        "-v",
    )
    assert result.code == 0
    assert "2 read and mirrored (4)" in result.out
    record = json.loads(Path("w.origin.json").read_text("utf-8"))
    given = [(source["name"], source["path"], source.get("mirrored", False)) for source in record["sources"]]
    assert given[2:] == [
        ("walk_turn_left (mirrored)", "sample:walk_turn_left", True),
        ("walk_left (mirrored)", "sample:walk_left", True),
    ]
    assert "the same motion" in segue("replay", "w.origin.json", "-o", "again.bvh").out
    measured = segue("measure", "w.bvh")
    assert (measured.code, measured.err) == (0, "")
    assert "seams" in measured.out


def test_mirror_images_of_a_librarys_clips_are_kept_nowhere(segue):
    """Pairs of mirror images are not stored and never replace those of the clips; replay finds the clip."""
    segue("convert", "sample:walk_turn_left", "-o", "turn.bvh")
    segue("convert", "sample:walk", "-o", "walk.bvh")
    segue("library", "add", "moves.segue", "turn.bvh", "walk.bvh")
    plain = segue("wander", "moves.segue", "--seconds", "4", "-o", "1.bvh").out
    doubled = segue("wander", "moves.segue", "--mirror", "--seconds", "4", "-o", "3.bvh", "-v")
    assert "2 read and mirrored (4)" in doubled.out
    assert "the same motion" in segue("replay", "3.origin.json", "-o", "4.bvh").out
    again = segue("wander", "moves.segue", "--seconds", "4", "-o", "5.bvh").out
    assert Path("5.bvh").read_bytes() == Path("1.bvh").read_bytes()
    assert again.splitlines()[1:-1] == plain.splitlines()[1:-1]
