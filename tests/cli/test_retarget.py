"""Motions retargeted to another body."""

from __future__ import annotations

from pathlib import Path

import pytest

from segue.io import load, save
from segue.motion.samples import sample
from segue.motion.skeleton import Skeleton


@pytest.fixture
def child(segue) -> Path:  # in the folder that it makes
    """A file with a smaller body without toes."""
    walk = sample("walk", 30.0)
    body = walk.skeleton
    kept = [k for k, name in enumerate(body.names) if "Toe" not in name]
    place = {old: new for new, old in enumerate(kept)} | {-1: -1}
    small = Skeleton(
        [body.names[k] for k in kept], [place[int(body.parents[k])] for k in kept], body.offsets[kept] * 0.7
    )
    still = type(walk)(small, walk.rotations[:1, kept], 0.7 * walk.root_positions[:1], 30.0, name="child")
    save(still, "child.bvh")
    return Path("child.bvh")


def test_one_motion_onto_another_body(segue, child):
    """The file has the other body, and the output reports the feet."""
    result = segue("retarget", "sample:walk", "--to", child, "-o", "out.bvh")
    assert result.code == 0, result.err
    assert "out.bvh  361 frames  legs 0.70 x" in result.out
    assert "plants slide" in result.out
    assert "the body has no joint for left toe (LeftToeBase), right toe (RightToeBase)" in result.err
    assert load("out.bvh").skeleton.names == load(child).skeleton.names


def test_a_folder_onto_an_inputs_body(segue, clips, child):
    """A folder gives a folder in another format; motions already on the body are unchanged."""
    result = segue("retarget", clips, "--to", clips / "walk.bvh", "-o", "there", "--format", "glb")
    assert result.code == 0, result.err
    assert sorted(path.name for path in Path("there").iterdir()) == ["start.glb", "stop.glb", "walk.glb"]
    assert result.out.count("its own body") == 3
    document = segue(
        "retarget", clips, child, "--to", "sample:walk", "-o", "more", "--hands", 0.5, "--json"
    ).document
    carried = next(one for one in document["written"] if one["to"].endswith("child.bvh"))
    assert carried["resting"] == ["LeftToeBase", "RightToeBase"]
    assert carried["legs_times"] == pytest.approx(1 / 0.7, rel=1e-3)
    assert carried["moved_by"]["LeftArm"] == "LeftArm"
    assert not carried["own_body"]


@pytest.mark.parametrize(
    ("words", "given"),
    [
        (("sample:walk", "-o", "x.bvh"), "retarget needs --body MOTION, as in: "),
        (("missing.bvh", "--to", "sample:walk", "-o", "x.bvh"), "there is no such file or folder"),
        (
            ("sample:walk", "--to", "wolk", "-o", "x.bvh"),
            "wolk: is neither a motion file nor the name of an input",
        ),
        (("sample:walk", "--to", "text.bvh", "-o", "x.bvh"), "text.bvh:1: a BVH file starts with HIERARCHY"),
        (("sample:walk", "--to", "text.asf", "-o", "x.bvh"), "text.asf"),
        (("sample:walk", "--to", "sample:run", "-o", "x.docx"), "has no extension that can be written"),
        (("sample:", "--to", "sample:run", "-o", "x.bvh"), "is one file for"),
        (
            ("sample:walk", "--to", "sample:run", "-o", "x.bvh", "--feet", "glued"),
            "--feet 'glued' is not known",
        ),
        (
            ("sample:walk", "--to", "sample:run", "-o", "x.bvh", "--hands", "2"),
            "--hands 2 is not possible",
        ),
        (
            ("sample:walk", "--to", "sample:run", "-o", "x.bvh", "--hands", "nan"),
            "--hands nan is not possible",
        ),
    ],
)
def test_nonsense_is_one_sentence(segue, words, given):
    """The command exits with 2 and writes nothing."""
    Path("text.bvh").write_text("no motion")
    Path("text.asf").write_text("no body")
    result = segue("retarget", *words)
    assert result.code == 2
    assert given in result.err
    assert "Traceback" not in result.err
    assert not Path("x.bvh").exists()


def test_what_cannot_be_carried_over_is_named_and_stops_no_other(segue):
    """The command exits with 2, and the other file is written."""
    Path("in").mkdir()
    save(sample("stand"), "in/stand.bvh")
    Path("in/broken.bvh").write_text("HIERARCHY\n")
    result = segue("retarget", "in", "--to", "sample:walk", "-o", "out")
    assert result.code == 2
    assert "broken.bvh" in result.err
    assert "1 of 2 motions could not be retargeted" in result.err
    assert Path("out/stand.bvh").exists()
