"""Small spaces on the command line: fit, info and make."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from segue.io import load
from small_spaces import learn


@pytest.fixture
def quick(monkeypatch):
    """Limit training to a few iterations."""
    monkeypatch.setattr("segue.manifold.training._ROUNDS", 4)


@learn
def test_from_clips_to_motion(segue, quick):
    """Fit, info, make and replay report their results; invalid options are errors."""
    result = segue("manifold", "fit", "sample:walk", "--fps", "12", "-o", "a.segue", "--picture", "a.png")
    assert result.code == 0, result.err
    for words in ("73 poses of 1 clip", "residual variance", "a block at the end", "picture: a.png"):
        assert words in result.out
    info = segue("manifold", "info", "a.segue", "--json").document
    assert info["clips"] == {"walk": 73}
    assert set(info["residual_variances"]) == {"isomap", "pca", "mds"}
    assert info["sources"][0]["path"] == "sample:walk"
    made = segue(
        "manifold", "make", "a.segue", "--visit", "walk:1", "--visit", "walk:2", "--fps", "24", "-o", "b.bvh"
    )
    assert made.code == 0, made.err
    assert "walk:1 to walk:2, forward along captured poses" in made.out
    assert load("b.bvh").fps == pytest.approx(24.0)
    assert "the same motion" in segue("replay", "b.origin.json", "-o", "c.bvh").out
    at_random = segue(
        "manifold", "make", "a.segue", "--random", "3", "--route", "straight", "-o", "d.npz", "--json"
    )
    assert at_random.document["how"] == "random"
    assert json.loads(Path("d.origin.json").read_text("utf-8"))["settings"]["count"] == 3
    for words, end in (
        (("make", "a.segue", "--clip", "walk", "--random", "3"), "are two curves; give one"),
        (("make", "a.segue", "--visit", "walk"), "is no moment"),
        (("make", "a.segue", "--visit", "wlak:1", "--visit", "walk:1"), "no clip 'wlak'"),
        (("make", "a.segue", "--route", "odd", "--random", "3"), "forward or straight"),
        (("make", "a.segue", "-o", "b.bvh"), "--force overwrites it"),
        (("fit", "sample:walk", "-o", "a.segue"), "--force overwrites it"),
        (("fit", "sample:walk", "-o", "x.segue", "--by", "umap"), "choose isomap, pca, mds"),
        (("fit", "sample:walk", "-o", "x.segue", "--dimensions", "0"), "give 1 to 10"),
        (("fit", "sample:walk", "-o", "x.segue", "--trainer", "jax"), "sklearn or torch"),
        (("fit", "sample:walk", "-o", "x.json"), "it can be .segue"),
    ):
        result = segue("manifold", *words)
        assert result.code == 2, words
        assert end in result.err, words
    assert "segue manifold info" in segue("info", "a.segue").err


def test_without_scikit_learn_one_sentence_says_what_to_install(segue, monkeypatch):
    """The command exits with 2."""
    monkeypatch.setitem(sys.modules, "sklearn", None)
    result = segue("manifold", "fit", "sample:walk", "-o", "a.segue")
    assert result.code == 2
    assert "pip install scikit-learn" in result.err
