"""segue judge: output, inputs, and errors before any work."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import segue as library
from segue.errors import require_extra

try:
    require_extra("judging seams", "learn")
    LEARN = True
except library.MissingExtraError:
    LEARN = False
learn = pytest.mark.skipif(not LEARN, reason="scikit-learn is not installed")


@pytest.fixture
def walked(segue, data, tmp_path):
    """Make a 40 s motion of twelve captured walks, its seams recognisable by locked feet; return their folder."""
    folder = tmp_path / "walks"
    folder.mkdir()
    there = data / "asf_amc/16"
    for path in [*there.glob("*.asf"), *sorted(there.glob("16_[23]?.amc"))[:12]]:
        (folder / path.name).write_bytes(path.read_bytes())
    result = segue("wander", folder, "--seconds", 40, "--seed", 3, "--feet", "locked", "-o", "made.bvh")
    assert result.code == 0, result.err
    return folder


@learn
def test_a_motion_is_judged_against_its_clips(segue, walked):
    """Text and JSON give area, parts, joints and seams; noise lowers the area; other clips are refused."""
    result = segue("judge", "made.bvh", "--against", walked)
    assert result.code == 0, result.err
    for words in ("area ", "most recognisable seams", "but feet", "score ", "recognised by", " at "):
        assert words in result.out
    assert max(len(line) for line in result.out.splitlines()) <= 120
    document = segue("judge", "made.bvh", "--json", "--worst", 2, "--noise", 0.02).document
    assert float(result.out.split()[1]) > document["area"]
    assert 0.0 < document["low"] <= document["area"] <= document["high"] <= 1.0
    assert set(document["parts"]) == {"feet", "but feet", "knees", "root", "upper body"}
    assert document["seams"] >= 20
    scores = [seam["score"] for seam in document["most_easily_told"]]
    assert len(scores) == 2
    assert scores == sorted(scores, reverse=True)
    first = document["most_easily_told"][0]
    assert segue("film", "made.bvh", "--seam", first["number"], "-o", "seam.png").code == 0
    assert {"joint", "band", "part", "weight"} == set(document["told_by"][0])
    result = segue("judge", "made.bvh", "--against", "sample:walk")
    assert (result.code, result.out, result.err.count("\n")) == (2, "", 1), result.err
    assert "give the files it was made of" in result.err


@learn
def test_a_short_motion_is_refused(segue, made):
    """The error mentions its seams; without a record it states that none are known."""
    result = segue("judge", made)
    assert result.code == 2
    assert "seam" in result.err
    made.with_name("made.origin.json").unlink()
    result = segue("judge", made)
    assert "no record (made.origin.json)" in result.err


NONSENSE = [
    (("judge", "missing.bvh"), "there is no such file"),
    (("judge", "text.bvh"), "text.bvh:1:"),
    (("judge", "empty"), "empty: is a folder without motion files; name one motion file"),
    (("judge", "text.bvh", "--noise", "-1"), "--noise -1 is not possible; give 0 or more"),
    (("judge", "text.bvh", "--noise", "nan"), "--noise nan is not possible"),
    (("judge", "text.bvh", "--seed", "-1"), "give a whole number from 0"),
    (("judge", "text.bvh", "--against", "missing"), "missing: there is no such file or folder"),
    (("judge", "walk.bvh"), "has no record (walk.origin.json) beside it"),
]


@learn
@pytest.mark.parametrize(
    ("words", "sentence"), NONSENSE, ids=lambda v: " ".join(v) if isinstance(v, tuple) else ""
)
def test_nonsense_is_one_sentence(segue, tmp_path: Path, words, sentence):
    """The command exits with 2 and prints and writes nothing."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "text.bvh").write_text("hello\n")
    library.save(library.sample("walk"), tmp_path / "walk.bvh")
    before = sorted(tmp_path.iterdir())
    result = segue(*words)
    assert (result.code, result.out, result.err.count("\n")) == (2, "", 1), result.err
    assert sentence in result.err
    assert sorted(tmp_path.iterdir()) == before


def test_without_scikit_learn_nothing_is_read(segue, monkeypatch):
    """The error names the missing package, although the file is missing too."""
    monkeypatch.setitem(sys.modules, "sklearn", None)
    result = segue("judge", "missing.bvh")
    assert (result.code, result.out) == (2, "")
    assert result.err == "segue: judging seams needs scikit-learn: pip install scikit-learn\n"
