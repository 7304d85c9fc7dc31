"""The options of `segue wander`: quality, component, strictness and effort, and its report of feet."""

from __future__ import annotations

import pytest


def test_a_higher_quality_admits_no_worse(segue, clips):
    """From quality 1 on every seam is within bounds, and the report states the quality."""
    for quality in (0.5, 1.0, 3.0):
        result = segue(
            "wander", clips, "--quality", quality, "--seconds", 4, "-o", "q.bvh", "--json", "--force"
        )
        assert result.code == 0
        assert result.document["quality"] == quality
        assert result.document["seams"] >= result.document["seams_within_bounds"]
        if quality >= 1:
            assert result.document["seams"] == result.document["seams_within_bounds"]


def test_components_are_listed_and_one_that_is_not_there_is_refused(segue, clips):
    """Component 1 is the one played; a number too large lists the components."""
    result = segue("wander", clips, "--seconds", 4, "-o", "c.bvh", "--json")
    first = result.document["components"][0]
    assert set(result.document["clips_played"]) <= set(first["clips"])
    wrong = segue("wander", clips, "--component", 99, "-o", "d.bvh")
    assert wrong.code == 2
    assert "there is no component 99 of this graph; it has 1:" in wrong.err


@pytest.mark.parametrize("strict", [False, True])
def test_one_clip_of_several_warns_or_fails(segue, strict):
    """A clip left out gives one warning line, or exit code 2 with --strict."""
    more = ["--strict"] if strict else []
    inputs = ["sample:walk", "sample:step_touch"]
    result = segue("wander", *inputs, "--quality", 8, "--no-mirror", "--seconds", 5, "-o", "s.bvh", *more)
    if "plays 1 clip of 2" in result.err:
        assert result.code == (2 if strict else 0)
        assert result.err.count("\n") == 1
    else:
        assert result.code == 0


def test_feet_are_counted_by_treatment(segue, clips):
    """The document counts the feet at seams by their treatment."""
    result = segue("wander", clips, "--seconds", 6, "-o", "f.bvh", "--json")
    words = {"as blended", "in the blend", "near the blend", "softened", "let go", "locked"}
    assert set(result.document["seam_feet"]) == words
    assert sum(result.document["seam_feet"].values()) > 0


def test_places_and_lengths_are_chosen_and_come_again(segue, clips):
    """The record holds the effort, and `replay` makes the same motion."""
    result = segue("wander", clips, "--effort", "high", "--seconds", 5, "-o", "chosen.bvh", "--json")
    assert result.code == 0
    assert result.document["seams"] == result.document["seams_within_bounds"]
    again = segue("replay", "chosen.origin.json", "-o", "again.bvh", "--json")
    assert again.document["same"]
