"""segue compare --costs: table, JSON document, page and errors."""

from __future__ import annotations

import numpy as np
import pytest

from segue.io import save
from segue.motion.clip import Clip
from segue.motion.skeleton import Skeleton


def test_costs_are_compared_in_a_table_and_a_document(segue, clips):
    """Each cost has one line in the table and all its chosen points in the document."""
    result = segue(
        "compare", clips / "walk.bvh", clips / "stop.bvh", "--costs", "dynamics,uniform", "--best", 3
    )
    assert result.code == 0, result.err
    assert "dynamics" in result.out
    assert "the 3 best transitions of 1 pair" in result.out
    document = segue(
        "compare", clips, clips / "stop.bvh", "--costs", "dynamics,uniform", "--best", 2, "--json"
    ).document
    assert document["pairs"] == len(list(clips.glob("*.bvh")))
    # A clip on both sides is paired with itself once, never a moment with itself.
    points = [point for line in document["costs"] for point in line["points"]]
    assert all(point["a"] != point["b"] or point["b_frame"] - point["a_frame"] > 10 for point in points)
    assert [line["cost"] for line in document["costs"]] == ["dynamics", "uniform"]
    assert all(len(line["points"]) == 2 for line in document["costs"])


def test_a_page_is_written_whole_or_not_at_all(segue, clips):
    """The output names the page; an existing one is not overwritten without --force."""
    args = ("compare", clips / "walk.bvh", clips / "stop.bvh", "--costs", "dynamics,uniform", "--best", 1)
    pytest.importorskip("matplotlib")
    assert "report: out.html" in segue(*args, "--report", "out.html").out
    refused = segue(*args, "--report", "out.html")
    assert refused.code == 2
    assert "--force" in refused.err


def test_a_prop_in_a_folder_does_not_stop_the_others(segue, clips):
    """A clip without legs is skipped and named; alone on a side it is an error."""
    rotations, places = np.tile([1.0, 0.0, 0.0, 0.0], (60, 2, 1)), np.zeros((60, 3))
    prop = Clip(Skeleton(("a", "b"), [-1, 0], [[0, 0, 0], [0, 0.3, 0]]), rotations, places, 30.0, name="prop")
    save(prop, clips / "prop.bvh")
    result = segue("compare", clips, clips / "walk.bvh", "--costs", "dynamics,uniform", "--best", 2)
    assert result.code == 0, result.err
    assert "prop" in result.err
    assert "3 pairs" in result.out
    alone = segue("compare", clips / "prop.bvh", clips / "walk.bvh", "--costs", "dynamics,uniform")
    assert alone.code == 2
    assert "left_hip" in alone.err


@pytest.mark.parametrize(
    ("more", "word"),
    [
        (("--costs", "dynamic,uniform"), "dynamics"),
        (("--costs", "uniform"), "two or more"),
        (("--costs", "all", "--best", "0"), "at least one"),
        (("--costs", "all", "-o", "matrix.png"), "--report"),
        (("--report", "out.pdf"), "html"),
    ],
)
def test_nonsense_is_one_sentence(segue, clips, more, word):
    """The options are refused before any long work."""
    result = segue("compare", clips / "walk.bvh", clips / "stop.bvh", *more)
    assert result.code == 2
    assert word in result.err
    assert "Traceback" not in result.err


def test_weights_are_numbers_with_commas(segue):
    """`--set weights=` takes numbers or names, depending on the cost."""
    pair = ("compare", "sample:walk", "sample:walk_turn_left", "--cost")
    assert segue(*pair, "features", "--set", "weights=1,1,1,0,0").code == 0
    assert segue(*pair, "joint_angle", "--set", "weights=optimised").code in {0, 1}
    assert "example: weights=" in segue(*pair, "features", "--set", "weights=one").err
