"""One file with many animations: commands treat it as a folder, or ask for one of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gltf_files import pack_of
from segue.io import load


@pytest.fixture
def pack(tmp_path: Path, segue) -> str:
    """Name of a file with three animations in the current folder."""
    return pack_of(("start", "walk", "stop"), tmp_path / "pack.glb").name


WHICH = "pack.glb: holds 3 animations; name one of them, as pack.glb#start: start, walk, stop\n"
ONE = [
    ("loop", "pack.glb", "-o", "a.bvh"),
    ("mirror", "pack.glb", "-o", "a.bvh"),
    ("clean", "pack.glb", "-o", "a.bvh"),
    ("measure", "pack.glb"),
    ("film", "pack.glb", "-o", "a.png"),
    ("stitch", "pack.glb", "sample:stop", "-o", "a.bvh"),
    ("compare", "sample:walk", "pack.glb"),
    ("replace", "sample:stop", "--with", "pack.glb", "-o", "a.bvh", "--at", "1:2"),
    ("info", "pack.glb#"),
    ("convert", "pack.glb#", "-o", "a.bvh"),
]


@pytest.mark.parametrize("words", ONE, ids=lambda words: words[0])
def test_one_clip_must_be_named(segue, pack: str, words: tuple[str, ...]) -> None:
    """The error lists the names, and nothing is written."""
    result = segue(*words)
    assert (result.code, result.out.replace("nothing was written\n", "")) == (2, "")
    assert WHICH in result.err
    assert [path.name for path in Path().iterdir()] == [pack]


@pytest.mark.parametrize("words", ONE, ids=lambda words: words[0])
def test_a_name_that_is_not_there_names_the_nearest(segue, pack: str, words: tuple[str, ...]) -> None:
    """This holds for every command that takes one clip."""
    result = segue(*(word.replace("pack.glb", "pack.glb#wlk").replace("wlk#", "wlk") for word in words))
    assert result.code == 2
    assert "has no animation 'wlk'; it holds 3; name one of them, as pack.glb#walk: walk, sta" in result.err


def test_a_name_finds_its_clip(segue, pack: str) -> None:
    """Commands that take one clip accept the short and the full name."""
    for name in ("walk", "Rig|walk"):
        assert segue("loop", f"pack.glb#{name}", "-o", "a.bvh", "--force").code == 0
        assert segue("measure", f"pack.glb#{name}").code == 0
    assert segue("stitch", "pack.glb#start", "pack.glb#Rig|stop", "-o", "b.bvh").code == 0
    record = json.loads(Path("b.origin.json").read_text())
    assert [source["path"] for source in record["sources"]] == ["pack.glb#start", "pack.glb#stop"]
    assert "the same motion" in segue("replay", "b.origin.json", "-o", "c.bvh").out


def test_info_lists_all(segue, pack: str) -> None:
    document = segue("info", pack, "--json").document
    assert [clip["name"] for clip in document["clips"]] == ["pack#start", "pack#walk", "pack#stop"]
    assert [clip["path"] for clip in document["clips"]] == [
        "pack.glb#start",
        "pack.glb#walk",
        "pack.glb#stop",
    ]


def test_convert_writes_a_file_for_each(segue, pack: str) -> None:
    """The files go into a folder; a single file for all is refused with advice."""
    assert segue("convert", pack, "-o", "out").code == 0
    assert sorted(path.name for path in Path("out").iterdir()) == [
        "pack_start.bvh",
        "pack_stop.bvh",
        "pack_walk.bvh",
    ]
    result = segue("convert", pack, "-o", "a.bvh")
    assert result.code == 2
    assert "is one file for 3 motions; name a folder or one of them, as pack.glb#start" in result.err
    assert segue("convert", "pack.glb#stop", "-o", "a.bvh").code == 0
    assert load("a.bvh").n_frames == load("out/pack_stop.bvh").n_frames


def test_wander_plays_all_and_takes_short_names(segue, pack: str) -> None:
    """``--start`` and ``--skeleton`` take an animation's name, short or full, and replay works."""
    words = ("wander", pack, "--seconds", 4, "--no-check", "--force", "-o", "w.bvh", "--threshold", 1)
    made = []
    for start in ("walk", "Rig|walk", "pack#walk", "pack.glb#walk", "pack#Rig|walk"):
        result = segue(*words, "--start", start, "--skeleton", start)
        assert (result.code, result.err) == (0, "")
        made.append(json.loads(Path("w.origin.json").read_text())["motion"]["sha256"])
    assert len(set(made)) == 1
    assert "the same motion" in segue("replay", "w.origin.json", "-o", "again.bvh").out
    result = segue(*words, "--start", "wakl")
    assert (result.code, "pack#walk" in result.err) == (2, True)


def test_a_body_may_be_that_of_a_file_of_many(segue, pack: str) -> None:
    """All its animations share one body, and each is retargeted to another."""
    assert segue("retarget", "sample:run", "--to", pack, "-o", "a.bvh").code == 0
    assert segue("retarget", pack, "--to", "sample:run", "-o", "out").code == 0
    assert len(list(Path("out").iterdir())) == 3


def test_a_library_takes_all_once(segue, pack: str) -> None:
    """Added again by file, folder or name, short or full, they are unchanged."""
    assert "3 of them new" in segue("library", "add", "l.segue", pack).out
    for again in (pack, ".", "pack.glb#walk", "pack.glb#Rig|walk"):
        result = segue("library", "add", "l.segue", again)
        assert (result.code, "the same" in result.out, "  new " in result.out) == (0, True, False), (
            again,
            result,
        )
    assert segue("loop", "l.segue#pack#walk", "-o", "a.bvh").code == 0
    result = segue("library", "add", "l.segue", "pack.glb#wlk")
    assert "has no animation 'wlk'" in result.out + result.err


def test_a_name_behind_another_file_is_explained(segue) -> None:
    """A BVH file holds one motion without a name."""
    assert segue("convert", "sample:walk", "-o", "walk.bvh").code == 0
    for words in (("loop", "walk.bvh#x", "-o", "a.bvh"), ("info", "walk.bvh#x"), ("measure", "walk.bvh#x")):
        result = segue(*words)
        assert result.code == 2
        assert (
            "walk.bvh holds one motion, and #NAME is for .fbx, .glb, .gltf, .vrma and libraries" in result.err
        )


def test_a_fox_is_listed_too(segue, data: Path) -> None:
    """Three animations of a body without human roles are listed."""
    result = segue("info", data / "gltf/bevy/Fox.glb")
    assert result.code == 0
    assert all(f"Fox#{name}" in result.out for name in ("Survey", "Walk", "Run"))
