"""Invalid library commands print one clear sentence, exit with 2 and change nothing."""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing

import pytest

from segue.io import save
from segue.library.library import Library
from segue.motion.samples import sample

L = "library"
NO_LIBRARY = "there is no such library; adding clips makes one"
VERBS = ("list", "stats", "check", "label", "tag")

NONSENSE = [
    *(((L, verb, "missing.segue"), NO_LIBRARY) for verb in VERBS),
    *(((L, verb, "clips"), "is a folder; a library is one file") for verb in VERBS),
    *(((L, verb, "clips/walk.bvh"), "is not a segue library") for verb in VERBS),
    *(((L, verb, "text.segue"), "is not a segue library") for verb in VERBS),
    *(((L, verb, "other.db"), "database of another program") for verb in VERBS),
    ((L, "remove", "missing.segue", "walk"), NO_LIBRARY),
    ((L, "label", "missing.segue", "walk", "run"), NO_LIBRARY),
    ((L, "tag", "missing.segue", "walk", "run"), NO_LIBRARY),
    ((L, "export", "missing.segue"), NO_LIBRARY),
    ((L, "import", "missing.segue", "moves.segue"), NO_LIBRARY),
    ((L, "add", "moves.segue", "missing"), "missing: there is no such file or folder"),
    ((L, "add", "new.segue", "missing"), "missing: there is no such file or folder"),
    ((L, "add", "new.segue", "empty"), "empty: no motion files here; segue reads"),
    ((L, "add", "new.segue", "sample:wolk"), "no sample clip is called 'wolk'; nearest: walk"),
    ((L, "add", "new.segue", "moves.segue"), "segue library import new.segue moves.segue takes its clips"),
    ((L, "add", "moves.segue", "moves.segue#walk"), "moves.segue: is a library; segue library import"),
    ((L, "add", "moves.segue", "empty"), "empty: no motion files here; segue reads"),
    ((L, "add", "new.bvh", "clips"), "a library is not called .bvh; name one first: segue library add"),
    ((L, "add", "clips", "moves.segue"), "clips: is a folder; a library is one file"),
    ((L, "add", "clips/walk.bvh", "clips"), "is not a segue library"),
    ((L, "add", "nowhere/new.segue", "clips"), "there is no folder nowhere"),
    ((L, "add", "new.segue", "clips", "--in-fps", "0"), "0"),
    ((L, "list", "moves.segue", "wolk"), "is called 'wolk'; nearest: walk"),
    ((L, "list", "moves.segue", "z*"), "is called 'z*'"),
    ((L, "remove", "moves.segue", "wolk"), "is called 'wolk'; nearest: walk"),
    ((L, "remove", "moves.segue", "walk", "wolk"), "is called 'wolk'; nearest: walk"),
    ((L, "label", "moves.segue", "wolk", "1:2", "run"), "is called 'wolk'; nearest: walk"),
    ((L, "label", "moves.segue", "walk", "2:1", "run"), "no frame lies at or after 2 s and before 1 s"),
    ((L, "label", "moves.segue", "walk", "1:99", "run"), "99 s lies outside the clip, which ends at 6.0"),
    ((L, "label", "moves.segue", "walk", "1:1", "run"), "no frame lies at or after 1 s and before 1 s"),
    ((L, "label", "moves.segue", "walk", "5:5", "run", "--frames"), "frames 5 up to 5 are no range"),
    ((L, "label", "moves.segue", "walk", "0:182", "run", "--frames"), "in a clip of 181 frames"),
    ((L, "label", "moves.segue", "walk", "1.5:9", "run", "--frames"), "give frames as 30:75, 30: or :75"),
    ((L, "label", "moves.segue", "walk", "1-2", "run"), "'1-2' is no range; give seconds as 1.0:2.5"),
    ((L, "label", "moves.segue", "walk", "nan:2", "run"), "'nan:2' is no range"),
    ((L, "label", "moves.segue", "walk", "1:2"), "1:2 is a range without a word"),
    ((L, "label", "moves.segue", "walk", "1:2", " "), "is no label"),
    ((L, "label", "moves.segue", "walk", "1:2", "a\nb"), "is no label"),
    ((L, "label", "moves.segue", "walk", "run", "--remove"), "clip 'walk' has no label 'run'"),
    ((L, "label", "moves.segue", "--remove"), "--remove needs the word"),
    ((L, "label", "moves.segue", "--csv", "missing.csv"), "missing.csv: --csv: there is no such file"),
    ((L, "label", "moves.segue", "--csv", "text.segue"), "text.segue:1: begins with 'hello'"),
    ((L, "label", "moves.segue", "walk", "--csv", "text.segue"), "--csv takes every label from the table"),
    ((L, "tag", "moves.segue", "wolk", "good"), "is called 'wolk'; nearest: walk"),
    ((L, "tag", "moves.segue", "walk", "good", "--remove"), "clip 'walk' has no tag 'good'"),
    ((L, "tag", "moves.segue", "walk", "--remove"), "--remove needs the words"),
    ((L, "tag", "moves.segue", "walk", ""), "is no tag"),
    ((L, "export", "moves.segue", "wolk"), "is called 'wolk'; nearest: walk"),
    ((L, "export", "moves.segue", "--to", "docx"), "'docx' cannot be written; formats that can: "),
    ((L, "export", "moves.segue", "-o", "x.docx"), "name a folder, or a file that ends in .csv (labels)"),
    ((L, "export", "moves.segue", "-o", "there.csv"), "there.csv: exists already; --force overwrites it"),
    ((L, "export", "moves.segue", "-o", "moves.segue"), "exists already; import takes clips into it"),
    (
        (L, "export", "moves.segue", "-o", "moves.segue", "--force"),
        "exists already; import takes clips into it",
    ),
    ((L, "export", "moves.segue", "-o", "x.transitions"), "segue library match moves.segue finds some"),
    ((L, "export", "moves.segue", "-o", "nowhere/x.csv"), "the folder nowhere does not exist"),
    ((L, "export", "moves.segue", "-o", "nowhere/x.segue"), "nowhere"),
    ((L, "export", "moves.segue", "walk", "-o", "nowhere/x.segue"), "nowhere"),
    ((L, "import", "moves.segue", "missing.csv"), "missing.csv: there is no such file; import takes labels"),
    ((L, "import", "moves.segue", "clips"), "clips: is a folder; import takes labels"),
    ((L, "import", "moves.segue", "clips/walk.bvh"), "segue library add takes motion files"),
    ((L, "import", "moves.segue", "moves.segue"), "is this library itself"),
    ((L, "import", "moves.segue", "there.csv"), "there.csv:1: begins with 'precious'"),
    (
        (L, "import", "moves.segue", "bad.transitions"),
        "bad.transitions:1: no motion is called 'wolk'; nearest: walk",
    ),
    (("wander", "moves.segue#wolk"), "is called 'wolk'; nearest: walk"),
    (("wander", "text.segue"), "text.segue: is not a segue library"),
    (("wander", "missing.segue"), "missing.segue: there is no such file or folder"),
    (("wander", "missing.segue#walk"), "missing.segue#walk: there is no such file or folder"),
    (
        ("stitch", "moves.segue", "sample:walk"),
        "is a library; name its clips in the order they are to be played",
    ),
    (("compare", "moves.segue", "sample:walk"), "is a library; name its clips in the order"),
    (("measure", "moves.segue"), "is a library; name one clip in it, as moves.segue#NAME"),
    (("film", "moves.segue"), "is a library; name one clip in it, as moves.segue#NAME"),
    (("convert", "moves.segue", "-o", "x.bvh"), "is one file for 2 motions; name a folder"),
    (
        ("convert", "sample:walk", "-o", "x.bvh", "--skeleton", "moves.segue"),
        "name the clip whose body is meant",
    ),
    (("info", "moves.segue#wolk"), "is called 'wolk'; nearest: walk"),
]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with a library of two clips, their files, and other files with names like libraries."""
    folder = tmp_path_factory.mktemp("place")
    (folder / "empty").mkdir()
    (folder / "clips").mkdir()
    for name in ("walk", "stop"):
        save(sample(name, fps=30.0), folder / "clips" / f"{name}.bvh")
    with Library.open(folder / "moves.segue") as library:
        library.add(folder / "clips")
    (folder / "text.segue").write_text("hello\n" * 20)
    (folder / "there.csv").write_text("precious")
    (folder / "bad.transitions").write_text("Transitions: 1 wolk walk\n1 2\n")
    with closing(sqlite3.connect(folder / "other.db")) as db:
        db.execute("CREATE TABLE x (y)")
    return folder


def state(folder):
    """Digests of everything below a folder: a file by its bytes, a library by its rows."""
    out = {}
    for path in folder.rglob("*"):
        if path.name == "moves.segue":
            with closing(sqlite3.connect(f"{path.as_uri()}?immutable=1", uri=True)) as db:
                data = "\n".join(db.iterdump()).encode()
        else:
            data = path.read_bytes() if path.is_file() else b""
        out[str(path.relative_to(folder))] = hashlib.sha256(data).hexdigest()
    return out


@pytest.mark.parametrize(
    ("words", "sentence"), NONSENSE, ids=lambda v: " ".join(v) if isinstance(v, tuple) else ""
)
def test_nonsense_is_one_sentence_and_changes_nothing(segue, place, monkeypatch, words, sentence):
    """stderr has one line with the reason."""
    monkeypatch.chdir(place)
    before = state(place)
    result = segue(*words)
    assert result.code == 2, result
    lines = result.err.splitlines()
    assert len(lines) == 1, result.err
    assert lines[0].startswith("segue: ")
    assert sentence in lines[0]
    assert state(place) == before


@pytest.mark.parametrize(
    "words",
    [
        (L, "ad", "moves.segue", "clips"),
        (L, "add", "moves.segue"),
        (L, "remove", "moves.segue"),
        (L, "import", "moves.segue"),
        (L, "list"),
        (L, "list", "moves.segue", "--tagg", "x"),
    ],
    ids=" ".join,
)
def test_slips_of_the_finger_get_a_hint(segue, place, monkeypatch, words):
    """Words unknown to the parser give one line and exit code 2."""
    monkeypatch.chdir(place)
    result = segue(*words)
    assert (result.code, result.out) == (2, "")
    (line,) = result.err.splitlines()
    assert line.startswith("segue: library ")


@pytest.mark.parametrize("point", ["segue.library.adding.facts_of", "segue.library.adding.write_clip"])
def test_ctrl_c_while_adding_leaves_no_half_clip(segue, tmp_path, monkeypatch, point):
    """A new library is removed if nothing was added; the same command again succeeds."""
    (tmp_path / "clips").mkdir()
    for name in ("walk", "stop", "start"):
        save(sample(name, fps=30.0), tmp_path / "clips" / f"{name}.bvh")
    calls = []

    def stop(*_args, **_kwargs):
        calls.append(1)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(point, stop)
        result = segue("library", "add", "moves.segue", "clips")
    assert calls
    assert (result.code, result.err) == (130, "segue: stopped; nothing was left half-written\n")
    assert [path.name for path in tmp_path.iterdir()] == ["clips"]
    assert segue("library", "add", "moves.segue", "clips").code == 0
    assert segue("library", "check", "moves.segue").code == 0


def test_ctrl_c_while_exporting_leaves_no_half_library(segue, place, tmp_path, monkeypatch):
    """No temporary files remain; an empty folder may."""
    monkeypatch.chdir(tmp_path)
    words = ("library", "export", place / "moves.segue")

    def stop(*_args, **_kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr("segue.library.exchange.write_clip", stop)
    assert segue(*words, "walk", "-o", "one.segue").code == 130
    monkeypatch.setattr("segue.library.exchange.save", stop)
    monkeypatch.chdir(tmp_path)
    assert segue(*words, "--whole", "-o", "files").code == 130
    assert [path.name for path in tmp_path.rglob("*")] in ([], ["files"])
