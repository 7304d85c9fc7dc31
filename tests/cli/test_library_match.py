"""`segue library match | points | verdict`."""

from __future__ import annotations

import pytest

from segue.io import save
from segue.motion.resample import cut
from segue.motion.samples import sample


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two short clips with low-cost transitions."""
    folder = tmp_path_factory.mktemp("clips")
    for name in ("walk", "walk_left"):
        save(cut(sample(name, fps=30.0), 0, 100), folder / f"{name}.bvh")
    return folder


def test_pairs_are_compared_once_and_points_listed(segue, folder):
    """A second match reuses the pairs; points are listed for all pairs and for one direction."""
    assert segue("library", "add", "m.segue", folder).code == 0
    first = segue("library", "match", "m.segue", "--threshold", "0.05", "--json").document
    assert (first["new_pairs"], first["kept_pairs"]) == (3, 0)
    again = segue("library", "match", "m.segue", "--threshold", "0.05")
    assert "0 pairs new, 3 kept" in again.out
    assert f"{first['points']} verified" in again.out
    every = segue("library", "points", "m.segue", "--json").document["points"]
    assert len(every) == first["points"]
    between = segue("library", "points", "m.segue", "walk", "walk_left", "--json").document["points"]
    assert between == [p for p in every if (p["a_clip"], p["b_clip"]) == ("walk", "walk_left")]
    computed = segue("library", "points", "m.segue", "--computed", "--json").document["points"]
    given, earlier = (segue("library", "points", "m.segue", word) for word in ("--given", "--told"))
    assert computed == every
    assert (given.code, given.err) == (earlier.code, earlier.err)
    assert "has no transition points yet" in given.err  # no points given by the user
    listed = segue("library", "points", "m.segue", "--most", "2").out.splitlines()
    assert listed[0] == f"m.segue: {first['points']} transition points"
    assert f"and {first['points'] - 2} more" in listed[-1]
    assert (
        segue("library", "match", "m.segue", "--cost", "relative_distance", "--json").document["new_pairs"]
        == 3
    )


def test_a_verdict_stays(segue, folder):
    """A point judged bad stays unverified after another match."""
    segue("library", "add", "m.segue", folder)
    segue("library", "match", "m.segue", "--threshold", "0.05")
    point = segue("library", "points", "m.segue", "walk", "walk_left", "--json").document["points"][0]
    ends = ("walk", point["a_frame"], "walk_left", point["b_frame"])
    result = segue("library", "verdict", "m.segue", *ends, "bad", "--by", "Ann")
    assert result.out.strip().endswith("is bad")
    segue("library", "match", "m.segue", "--threshold", "0.05")
    passed = segue("library", "points", "m.segue", "walk", "walk_left", "--json").document["points"]
    assert point not in passed
    every = segue("library", "points", "m.segue", "walk", "walk_left", "--all", "--json").document["points"]
    assert {**point, "verified": False} in every


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("match", "none.segue"), "there is no such library"),
        (("match", "m.segue", "--cost", "joint"), "no cost is called 'joint'"),
        (("match", "m.segue", "--blend", "9"), "a blend of 9.0 s is not possible"),
        (("match", "m.segue", "--threshold", "low"), "neither a number nor auto nor knee"),
        (("match", "m.segue", "--threshold=-1"), "costs are never negative"),
        (("match", "m.segue", "--share", "0"), "lies above 0 and up to 1"),
        (("match", "m.segue", "--skeleton", "wlak"), "nearest: walk"),
        (("match", "m.segue", "--fps", "-3"), "choose 1 to 1000"),
        (("match", "m.segue", "--device", "tpu"), "choose 'cpu', 'gpu' or 'auto'"),
        (("match", "m.segue", "--device", "gpu", "--workers", "2"), "compute on their CPUs"),
        (("points", "m.segue"), "has no transition points yet"),
        (("points", "m.segue", "wlak"), "nearest: walk"),
        (("points", "m.segue", "--setting", "ab"), "nothing in m.segue was compared yet"),
        (("verdict", "m.segue", "walk", "1", "walk", "2", "ugly"), "no point from frame 1 of 'walk'"),
        (("verdict", "m.segue", "walk", "1000", "walk", "2", "bad"), "frames 0 to 99, not 1000"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_cannot_be_is_one_sentence(segue, folder, words, sentence):
    """The command exits with 2 and states what is valid."""
    segue("library", "add", "m.segue", folder)
    result = segue("library", *words)
    assert result.code == 2
    assert sentence in result.err
    assert not result.out


def test_who_compares_and_in_how_much_memory(segue, folder):
    """Conflicting or invalid workers and too little memory are errors; enough memory works."""
    segue("library", "add", "m.segue", folder)
    both = segue("library", "match", "m.segue", "--workers", "2", "--scheduler", "tcp://localhost:8786")
    assert (both.code, both.err) == (
        2,
        "segue: --scheduler and --workers exclude each other; give one\n",
    )
    assert segue("library", "match", "m.segue", "--workers", "0").code == 2
    little = segue("library", "match", "m.segue", "--memory", "1")
    assert little.code == 2
    assert "the narrowest bands of 'walk' against 'walk' take" in little.err
    enough = segue("library", "match", "m.segue", "--memory", "8", "--threshold", "0.05", "--json").document
    assert enough["new_pairs"] == 3
