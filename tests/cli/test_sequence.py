"""The sequence commands: from a take to a motion, and errors."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from segue.io import load, save
from segue.motion.samples import sample

MOVES = """
[[elements]]
name = "go"
clip = "walk.bvh"
seconds = [0.7, 3.7]
core = [1.7, 2.7]

[[elements]]
name = "turn"
clip = "sample:walk_left"
seconds = [0.7, 3.7]
core = [1.7, 2.7]
tags = ["left"]
"""
SCRIPT = """
sources = ["moves.toml"]
smoothness = 0.4

[[motions]]
motion = "go"
at = 1.0

[[motions]]
motion = "turn"

[[motions]]
motion = "go"
at = 1.5
priority = -1
"""
REQUESTS = (
    "seconds,command,motion,at,priority\n0.5,play,go,,\n2,play,turn,9,\n2.5,withdraw,turn,,\n3,play,turn,2,\n"
)


@pytest.fixture
def moves(segue) -> None:
    """A clip, two elementary motions, a script and requests in an empty folder."""
    save(sample("walk", fps=30.0), "walk.bvh")
    for name, text in (("moves.toml", MOVES), ("dance.toml", SCRIPT), ("requests.csv", REQUESTS)):
        Path(name).write_text(text)


def same(a: str, b: str) -> bool:
    """Return whether two files hold the same frames."""
    one, two = load(a), load(b)
    return np.array_equal(one.rotations, two.rotations) and np.array_equal(
        one.root_positions, two.root_positions
    )


def test_a_take_is_cut_kept_and_listed(segue) -> None:
    """Motions are proposed, imported into a library and listed with foot phases."""
    save(sample("walk", fps=30.0), "walk.bvh")
    result = segue("sequence", "propose", "walk.bvh")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("elements.toml: 2 elementary motions of 1 clip\n  walk 1  walk 0.00 to ")
    assert segue("library", "add", "moves.segue", "walk.bvh").code == 0
    assert segue("library", "import", "moves.segue", "elements.toml").out == (
        "elements.toml: 2 elementary motions new, 0 the same\n"
    )
    assert "moves    2 elementary motions, 0 sequences" in segue("library", "stats", "moves.segue").out
    listed = segue("sequence", "info", "moves.segue", "--json").document
    assert [one["name"] for one in listed["elements"]] == ["walk 1", "walk 2"]
    assert {phase["foot"] for one in listed["elements"] for phase in one["phases"]} == {"left", "right"}
    again = segue("sequence", "propose", "walk.bvh")
    assert (again.code, "exists already; --force overwrites it" in again.err) == (2, True)


@pytest.mark.usefixtures("moves")
def test_a_script_becomes_a_motion_with_its_record(segue) -> None:
    """A rejected motion is named with its time; replay makes the same frames without the script."""
    result = segue("sequence", "make", "dance.toml", "-o", "a.npz")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("a.npz: ")
    assert "2 motions\n" in result.out
    assert "rejected: go at 1.50 s: its core would begin within that of " in result.out
    for name in ("dance.toml", "moves.toml"):
        Path(name).unlink()
    again = segue("replay", "a.origin.json", "-o", "b.npz")
    assert "the same motion" in again.out
    assert same("a.npz", "b.npz")
    record = json.loads(Path("a.origin.json").read_text())
    assert record["command"] == "sequence"
    assert sum(one["frames"] for one in record["upper"]) == record["motion"]["frames"]
    assert len(record["decided"]["pairs"]) == 1
    assert record["decided"]["rejected"][0]["motion"] == "go"
    assert record["decided"]["gaps"] == []
    measured = segue("measure", "a.npz", "--json")
    assert measured.code == 0


@pytest.mark.usefixtures("moves")
def test_a_live_sequence_by_requests(segue) -> None:
    """Each request has an outcome; replay makes the same frames; later requests change no earlier frame."""
    result = segue(
        "sequence", "live", "moves.toml", "--script", "requests.csv", "--idle", "sample:stand", "-o", "a.npz"
    )
    assert (result.code, result.err) == (0, "")
    lines = result.out.splitlines()
    assert "4 requests: " in lines[0]
    assert lines[1].startswith("  0.50 s  play go        ")
    assert "first frame changed after" in lines[1]
    assert lines[3].endswith("withdrawn")
    assert "rejected: " in lines[4]
    assert any(line.startswith("latency: ") for line in lines)
    Path("requests.csv").write_text(REQUESTS + "6,play,turn,,\n")
    assert segue("replay", "a.origin.json", "-o", "b.npz").code == 0
    assert same("a.npz", "b.npz")
    more = segue(
        "sequence",
        "live",
        "moves.toml",
        "--script",
        "requests.csv",
        "--idle",
        "sample:stand",
        "-o",
        "c.npz",
        "--json",
    )
    one, two = load("a.npz"), load("c.npz")
    until = round(6 * one.fps)
    assert np.array_equal(one.rotations[:until], two.rotations[:until])
    assert more.document["requests"][-1]["outcome"] == "planned"
    assert [one["outcome"] for one in more.document["requests"][:3]] == ["planned", "withdrawn", "withdrawn"]


@pytest.mark.usefixtures("moves")
def test_a_library_holds_motions_and_sequences(segue) -> None:
    """An imported script is made from the library alone, by its name."""
    Path("dance.toml").write_text(SCRIPT)
    assert segue("library", "add", "moves.segue", "walk.bvh", "sample:walk_left").code == 0
    result = segue("library", "import", "moves.segue", "dance.toml")
    assert result.out == "dance.toml: 3 elementary motions new, 0 the same\n"
    for name in ("dance.toml", "moves.toml", "walk.bvh"):
        Path(name).unlink()
    made = segue("sequence", "make", "moves.segue", "--name", "dance", "-o", "a.npz", "--json")
    assert [one["motion"] for one in made.document["motions"]] == ["go", "turn"]
    assert segue("library", "export", "moves.segue", "-o", "out.toml").out == (
        "out.toml: 2 elementary motions, 1 sequence\n"
    )
    again = segue("sequence", "make", "out.toml", "-o", "b.npz")
    assert again.code == 0
    assert same("a.npz", "b.npz")
    assert segue("library", "check", "moves.segue").code == 0


@pytest.mark.usefixtures("moves")
def test_a_stretch_in_which_nothing_plays_is_named(segue) -> None:
    Path("dance.toml").write_text(
        SCRIPT.replace('motion = "turn"', 'motion = "turn"\nat = 9.0').replace("1.5", "5.0")
    )
    Path("moves.toml").write_text(MOVES)
    result = segue("sequence", "make", "dance.toml", "-o", "a.npz")
    assert "no motion plays from 6.98 to 8.00 s: " in result.out


@pytest.mark.usefixtures("moves")
def test_pictures_and_a_report_are_written(segue) -> None:
    """The page has the timeline and the reasons, the picture a filmstrip."""
    result = segue("sequence", "make", "dance.toml", "-o", "a.bvh", "--report", "a.html", "--film", "a.png")
    assert result.code == 0, result.err
    page = Path("a.html").read_text()
    assert all(
        words in page for words in ("Timeline", "Pairs", "Not executed", "moves in the previous motion")
    )
    assert Path("a.png").read_bytes()[:4] == b"\x89PNG"
    assert "with it: a.html\nwith it: a.png\nrecord: a.origin.json" in result.out


@pytest.mark.usefixtures("moves")
@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["make", "nope.toml"], "nope.toml: there is no such file"),
        (["make", "moves.toml"], "moves.toml: holds no sequence; [[motions]]"),
        (["make", "walk.bvh"], "walk.bvh: is neither a library nor a .toml file"),
        (["make", "."], ": is a folder"),
        (["make", "dance.toml", "-o", "a.txt"], "a.txt: has no known extension"),
        (["make", "dance.toml", "--name", "danse"], "holds no sequence 'danse'; nearest: dance"),
        (
            ["make", "dance.toml", "--skeleton", "wlak"],
            "no clip of this sequence is called 'wlak'; nearest: walk",
        ),
        (["make", "dance.toml", "--fps", "0"], "--fps 0 is no frame rate here"),
        (["make", "dance.toml", "--report", "a.png"], "a.png: has no known extension; it can be .html"),
        (["live", "moves.toml", "--idle", "sample:stand"], "give requests with --script"),
        (["live", "moves.toml", "--script", "requests.csv"], "choose the loop between motions with --idle"),
        (["live", "moves.toml", "--script", "nope.csv"], "nope.csv: there is no such file"),
        (
            ["live", "moves.toml", "--script", "requests.csv", "--idle", "goo"],
            "neither an elementary motion nor a clip",
        ),
        (
            ["live", "moves.toml", "--script", "requests.csv", "--idle", "go", "--method", "best"],
            "method 'best'",
        ),
        (
            ["live", "moves.toml", "--script", "requests.csv", "--idle", "go", "--smoothness", "2"],
            "0 (most responsive)",
        ),
        (
            ["live", "moves.toml", "--script", "requests.csv", "--idle", "go", "--seconds", "-1"],
            "lasts up to 3600 s",
        ),
        (["live", "walk.bvh", "--script", "requests.csv"], "walk.bvh: is neither a library nor"),
        (["propose", "nothing.bvh"], "nothing.bvh: there is no such file"),
        (["propose", "walk.bvh", "--shortest", "9"], "cannot last 9 to 4 s"),
        (["propose", "walk.bvh", "-o", "a.txt"], "a.txt: has no known extension; it can be .toml"),
        (["info", "dance.csv"], "dance.csv: there is no such file"),
    ],
)
def test_mistakes_are_sentences(segue, words: list[str], error: str) -> None:
    """The command exits with 2 and states what is valid; nothing is left behind."""
    before = sorted(Path().iterdir())
    result = segue("sequence", *words)
    assert result.code == 2
    assert error in result.err
    assert (result.out, result.err.count("\n")) == ("", 1)
    assert sorted(Path().iterdir()) == before


@pytest.mark.usefixtures("moves")
def test_a_wrong_line_is_named(segue) -> None:
    """This holds for request tables, scripts and elementary motions."""
    Path("requests.csv").write_text("seconds,command,motion\n1,play,goo\n")
    result = segue("sequence", "live", "moves.toml", "--script", "requests.csv", "--idle", "go")
    assert (
        result.err == "segue: requests.csv:2: no elementary motion is called 'goo'; nearest: go, turn\n"
        or (result.err.startswith("segue: requests.csv:2: no elementary motion is called 'goo'; nearest: go"))
    )
    Path("dance.toml").write_text(SCRIPT.replace('"turn"', '"trun"'))
    assert segue("sequence", "make", "dance.toml").err.startswith(
        "segue: dance.toml:9: no elementary motion is called 'trun'"
    )
    Path("moves.toml").write_text(
        MOVES.replace("[0.7, 3.7]\ncore = [1.7, 2.7]\ntags", "[0.7, 99]\ncore = [1.7, 2.7]\ntags")
    )
    Path("dance.toml").write_text(SCRIPT)
    assert segue("sequence", "make", "dance.toml").err.startswith(
        "segue: moves.toml:8: 'turn': 99 s lies outside the clip"
    )


@pytest.mark.usefixtures("moves")
def test_a_body_without_legs_is_refused(segue) -> None:
    """The error names a missing role."""
    Path("roles.toml").write_text("")
    clip = sample("walk", fps=30.0)
    names = [
        name for name in clip.skeleton.names if "Leg" not in name and "Foot" not in name and "Toe" not in name
    ]
    keep = [clip.skeleton.names.index(name) for name in names]
    from segue.motion.clip import Clip
    from segue.motion.skeleton import Skeleton

    parents = [keep.index(p) if p in keep else -1 for p in clip.skeleton.parents[keep].tolist()]
    body = Skeleton(names, parents, clip.skeleton.offsets[keep])
    save(Clip(body, clip.rotations[:, keep], clip.root_positions, clip.fps, name="walk"), "walk.bvh")
    result = segue("sequence", "make", "dance.toml")
    assert result.code == 2
    assert "left_knee" in result.err or "legs" in result.err
