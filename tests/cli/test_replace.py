"""A piece of one motion inserted into another."""

from __future__ import annotations

from pathlib import Path


def test_replace_changes_its_seconds_alone(segue):
    """Rows of the file outside these seconds are the same."""
    assert segue("convert", "sample:walk", "-o", "walk.bvh").code == 0
    result = segue(
        "replace", "walk.bvh", "--at", "2:4", "--with", "sample:walk_slow", "--part", "1:3", "-o", "out.bvh"
    )
    assert result.code == 0
    assert "out.bvh: frames 120 to 240 of 361 replaced, all others as they were" in result.out
    rows = [Path(name).read_text().splitlines() for name in ("walk.bvh", "out.bvh")]
    first = len(rows[0]) - 361
    same = [a == b for a, b in zip(*rows, strict=True)]
    assert all(same[: first + 120])
    assert all(same[first + 241 :])
    assert not any(same[first + 140 : first + 220])


def test_replace_tells_programs_the_same(segue):
    """The document gives frames, tempo and the shift of the end of the piece."""
    document = segue(
        "replace",
        "sample:walk",
        "--at",
        "2:4",
        "--with",
        "sample:run",
        "--part",
        "1:3",
        "-o",
        "o.glb",
        "--json",
    ).document
    assert document["written"] == ["o.glb"]
    assert document["replaced_frames"] == [120, 241]
    assert document["tempo"] == 1.0
    assert document["end_shifted_metres"] > 0.5


def test_nonsense_is_refused(segue):
    """The command exits with 2 and writes nothing."""
    walk = ("replace", "sample:walk", "--with", "sample:run", "-o", "x.bvh")
    for words, sentence in (
        ((*walk, "--at", "1:99"), "is no stretch of it"),
        ((*walk, "--at", "soon"), "--at 'soon' is not understood"),
        ((*walk, "--at", "1:3", "--part", "3:1"), "is no stretch of it"),
        ((*walk, "--at", "1:3", "--part", "1:3", "--way", "jump"), "no blend method is called 'jump'"),
        ((*walk, "--at", "1:3", "--part", "1:3", "--feet", "loose"), "--feet loose is not known"),
    ):
        result = segue(*words)
        assert result.code == 2
        assert sentence in result.err
        assert not Path("x.bvh").exists()
