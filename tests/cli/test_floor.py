"""`segue floor`: many characters on one floor."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from segue.io import load


def test_floor_writes_bodies_and_a_picture(segue):
    """Characters stand apart, each with its own seed and the frames of wander; a picture is drawn."""
    words = ("sample:walk", "sample:walk_fast", "--fps", "30", "--seconds", "5")
    result = segue("floor", *words, "-n", "3", "--picture", "f.png", "-o", "f.glb")
    assert (result.code, result.err) == (0, "")
    for part in ("f.glb: 3 characters, 5 s, 151 frames at 30 fps", "2 read", "picture  f.png"):
        assert part in result.out
    assert Path("f.png").stat().st_size > 10_000
    document = segue("floor", *words, "-n", "3", "-o", "g.glb", "--json").document
    assert Path("g.glb").stat().st_size == Path("f.glb").stat().st_size
    assert len({one["seed"] for one in document["each"]}) == 3
    seed = str(document["each"][0]["seed"])
    assert segue("wander", *words, "--seed", seed, "-o", "one.npz").code == 0
    one, seen = load("one.npz"), load("g.glb")
    assert seen.n_frames == one.n_frames
    places = np.array([each["place"] for each in document["each"]])
    assert np.linalg.norm(places[:, None] - places, axis=-1)[np.triu_indices(3, 1)].min() > 1.0


def test_the_same_seed_gives_the_same_floor(segue):
    """Files are equal byte for byte, replay included; another seed differs, and --mirror doubles the clips."""
    words = ("sample:walk", "sample:walk_turn_left", "--fps", "30", "--seconds", "2", "-n", "2")
    made = []
    for seed in ("4", "4", "5"):
        assert segue("floor", *words, "--seed", seed, "-o", "a.glb", "--force").code == 0
        made.append(Path("a.glb").read_bytes())
    assert made[0] == made[1] != made[2]
    Path("b").mkdir()
    assert "the same motion" in segue("replay", "a.origin.json", "-o", "b/a.glb").out
    assert Path("b/a.glb").read_bytes() == made[2]
    result = segue("replay", "a.origin.json", "-o", "b/b.bvh")
    assert (result.code, "a floor is written as .glb" in result.err) == (2, True)
    result = segue("floor", *words, "--mirror", "-o", "m.glb")
    assert "4 read" in result.out


def test_nonsense_is_refused(segue):
    """The command exits with 2 and writes nothing."""
    for words, given in (
        (("-n", "0"), "--count 0 is not possible"),
        (("-n", "5000"), "give 1 to 200"),
        (("--seconds", "0"), "walk of 0"),
        (("--spacing", "-1"), "--spacing -1 is not possible"),
        (("-o", "f.bvh"), "it can be .glb"),
        (("--picture", "f.jpg"), "it can be .png"),
        (("--seed", "-3"), "seed -3"),
    ):
        result = segue("floor", "sample:walk", "sample:walk_fast", *words)
        assert result.code == 2
        assert given in result.err
        assert not list(Path().glob("f*"))
    assert "go on for ever" in segue("floor", "sample:stop", "--threshold", "0").err
