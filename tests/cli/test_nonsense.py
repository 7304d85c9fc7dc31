"""Invalid commands print one clear sentence, exit with 2 and leave nothing behind."""

from __future__ import annotations

import errno
import os

import pytest

W = ("wander", "sample:walk", "sample:stop")

NONSENSE = [
    (("wander", "missing"), "missing: there is no such file or folder"),
    (("wander", "empty"), "empty: no motion files here; segue reads"),
    (("wander", "text.bvh"), "text.bvh:1: a BVH file starts with HIERARCHY"),
    (("wander", "what.xyz"), ".xyz cannot be read; "),
    (("wander", "sample:wolk"), "no sample clip is called 'wolk'; nearest: walk"),
    ((*W, "--seconds", "-3"), "give a positive number of seconds"),
    ((*W, "--seconds", "0"), "give a positive number of seconds"),
    ((*W, "--seconds", "nan"), "give a positive number of seconds"),
    ((*W, "--seconds", "1e12"), "up to 36000"),
    ((*W, "--seed", "-1"), "give a whole number from 0"),
    ((*W, "--threshold", "foo"), "'foo' is neither a number nor auto nor knee"),
    ((*W, "--threshold", "-1"), "costs are never negative"),
    ((*W, "--threshold", "nan"), "costs are never negative"),
    ((*W, "--threshold", "0"), "Omit --threshold"),
    ((*W, "--by", "foo"), "choose 'cost' or 'probability'"),
    ((*W, "--cost", "foo"), "known: features, joint_angle, point_cloud, relative_distance"),
    ((*W, "--root", "foo"), "choose 'position' or 'displacement'"),
    ((*W, "--effort", "hihg"), "choose 'standard' (transitions where they were found) or 'high'"),
    ((*W, "--effort", "high", "--no-check"), "seams are not checked"),
    ((*W, "--share", "2"), "above 0 and up to 1"),
    ((*W, "--blend", "-1"), "choose 0 (hard cut) to 2 s"),
    ((*W, "--blend", "9"), "choose 0 (hard cut) to 2 s"),
    ((*W, "--fps", "0"), "choose 1 to 1000"),
    ((*W, "--skeleton", "wolk"), "no clip is called 'wolk'; nearest: walk"),
    ((*W, "--start", "wolk"), "no clip is called 'wolk'; nearest: walk"),
    ((*W, "-o", "x.docx"), "it can be .bvh, "),
    ((*W, "-o", "nowhere/x.bvh"), "the folder nowhere does not exist"),
    ((*W, "-o", "there.bvh"), "exists already; --force overwrites it"),
    ((*W, "-o", "empty"), "it can be .bvh, "),
    (("stitch", "sample:walk"), "at least two clips"),
    (("stitch", "sample:"), "name them one by one"),
    (("stitch", "empty", "sample:walk"), "is a folder; name the files in the order"),
    (("stitch", "sample:walk", "missing.bvh"), "no such file or folder"),
    (("stitch", "sample:walk", "sample:run", "--threshold", "1e-5"), "leave --threshold out"),
    (("stitch", "sample:walk", "sample:run", "--threshold", "auto"), "neither a number nor any"),
    (("replay", "missing.origin.json"), "cannot be read"),
    (("replay", "text.bvh"), "text.bvh:1: is not JSON"),
    (("compare", "sample:walk", "missing.bvh"), "no such file or folder"),
    (("compare", "sample:walk", "sample:run", "--threshold", "foo"), "neither a number"),
    (("compare", "sample:walk", "sample:run", "--cost", "foo"), "known: features, joint_angle, point_cloud"),
    (("compare", "sample:walk", "sample:run", "--method", "foo"), "choose 'local' or 'sectors'"),
    (("compare", "sample:walk", "sample:run", "--mode", "foo"), "choose 'centre' or 'source'"),
    (("compare", "sample:walk", "sample:run", "-o", "x.jpg"), "it can be .png"),
    (("measure", "missing.bvh"), "there is no such file"),
    (("measure", "text.bvh"), "text.bvh:1:"),
    (("measure", "empty"), "empty: is a folder without motion files; name one motion file"),
    (("film", "empty"), "empty: is a folder without motion files; name one motion file"),
    (("film", "missing.bvh"), "there is no such file"),
    (("film", "sample:walk", "--view", "foo"), "choose 'auto', 'side', 'front' or 'travel'"),
    (("film", "sample:walk", "--seam", "99"), "0 known seams"),
    (("film", "sample:walk", "--count", "0"), "give 1 or more"),
    (("film", "sample:walk", "--every", "-1"), "give above 0"),
    (("film", "sample:walk", "-o", "x.jpg"), "it can be .png"),
    (("demo", "--seconds", "-1"), "give a positive number of seconds"),
    (("demo", "--seed", "-1"), "give a whole number from 0"),
    (("demo", "--folder", "text.bvh"), "cannot be made"),
]
SLIPS = [
    ("wonder", "sample:walk"),
    ("wander",),
    ("wander", "sample:walk", "--secnds", "3"),
    ("wander", "sample:walk", "--seconds", "long"),
    ("wander", "sample:walk", "--seed", "1.5"),
    ("film", "sample:walk", "--seam", "last"),
    ("compare", "sample:walk"),
    ("compare", "sample:walk", "sample:run", "--best", "-3"),
    ("--nonsense",),
]


@pytest.fixture
def place(tmp_path):
    """A folder with an empty folder, a text named .bvh, an unknown format, and an existing result."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "text.bvh").write_text("hello\n")
    (tmp_path / "what.xyz").write_text("?")
    (tmp_path / "there.bvh").write_text("precious")
    return tmp_path


def files(place):
    """Paths of everything below a folder."""
    return sorted(str(path.relative_to(place)) for path in place.rglob("*"))


@pytest.mark.parametrize(
    ("words", "sentence"), NONSENSE, ids=lambda v: " ".join(v) if isinstance(v, tuple) else ""
)
def test_nonsense_is_one_sentence_and_leaves_nothing(segue, place, words, sentence):
    """stderr has one line with the reason."""
    before = files(place)
    result = segue(*words)
    assert result.code == 2
    lines = result.err.splitlines()
    assert len(lines) == 1, result.err
    assert lines[0].startswith("segue: ")
    assert sentence in lines[0]
    assert files(place) == before
    assert (place / "there.bvh").read_text() == "precious"


@pytest.mark.parametrize("words", SLIPS, ids=" ".join)
def test_slips_of_the_finger_get_a_hint(segue, place, words):
    """Words unknown to the parser give one line and exit code 2."""
    result = segue(*words)
    assert result.code == 2
    assert result.out == ""
    (line,) = result.err.splitlines()
    assert line.startswith("segue: ")
    assert files(place) == ["empty", "text.bvh", "there.bvh", "what.xyz"]


def test_seams_beyond_the_last_are_counted(segue, made):
    """The error mentions the known seams."""
    result = segue("film", made, "--seam", 99, "-o", "x.png")
    assert result.code == 2
    assert "--seam 99" in result.err
    assert "known seams" in result.err
    assert segue("film", made, "--seam", 0, "-o", "x.png").code == 2


def test_force_overwrites(segue, clips):
    """This holds for a motion and for a picture."""
    words = ("wander", clips, "--seconds", 2, "-o", "x.bvh")
    assert segue(*words).code == 0
    assert segue(*words).code == 2
    assert segue(*words, "--force").code == 0
    picture = ("film", "x.bvh", "-o", "x.png")
    assert segue(*picture).code == 0
    assert segue(*picture).code == 2
    assert segue(*picture, "--force").code == 0


def test_a_record_of_another_motion_is_not_overwritten_unasked(segue, made):
    """made.bvh and made.glb would share one record."""
    before = made.with_name("made.origin.json").read_bytes()
    result = segue("wander", "sample:walk", "--seconds", 2, "-o", "made.glb")
    assert result.code == 2
    assert "made.origin.json: exists already" in result.err
    assert made.with_name("made.origin.json").read_bytes() == before


def test_nonsense_is_refused_before_files_are_read(segue, clips, monkeypatch):
    """A folder of a thousand clips is not read for an invalid option."""
    monkeypatch.setattr("segue.app.stages.read", lambda *_, **__: pytest.fail("read"))
    for words in (("--seconds", "-1"), ("--by", "x"), ("--share", "0"), ("--cost", "x"), ("-o", "no/x.bvh")):
        assert segue("wander", clips, *words).code == 2


@pytest.mark.parametrize(
    "words",
    [
        ("wander", "sample:walk", "-o", "x.bvh"),
        ("film", "sample:walk", "-o", "x.png"),
        ("compare", "sample:walk", "sample:run", "-o", "x.png"),
        ("replay", "made.origin.json", "-o", "x.bvh"),
    ],
    ids=lambda words: words[0],
)
def test_a_folder_that_may_not_be_written_is_said_before_work(segue, monkeypatch, words):
    """Permission is tested by writing, as permission bits mean nothing to root or in /proc."""

    def refuse(**_):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr("segue.cli.output.tempfile.TemporaryFile", refuse)
    monkeypatch.setattr("segue.app.stages.read", lambda *_, **__: pytest.fail("read"))
    result = segue(*words)
    assert result.code == 2
    assert "may not be written to; name another with -o" in result.err


@pytest.mark.parametrize("more", [(), ("--timeline",)])
def test_a_picture_that_cannot_be_written_is_named(segue, monkeypatch, more):
    """The error names the requested file, not the temporary one."""

    def fail(*_args, **_kwargs):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), ".x-123.part")

    monkeypatch.setattr("segue.pictures.filmstrip.filmstrip", fail)
    monkeypatch.setattr("segue.pictures.timeline.timeline", fail)
    result = segue("film", "sample:walk", "-o", "x.png", *more)
    assert (result.code, result.err) == (2, "segue: x.png: cannot be written: No space left on device\n")


@pytest.mark.parametrize(
    ("fault", "code", "words"),
    [
        (KeyboardInterrupt, 130, "segue: stopped; nothing was left half-written"),
        (OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), 2, "segue: No space left on device"),
        (
            PermissionError(errno.EACCES, os.strerror(errno.EACCES), "x.bvh"),
            2,
            "segue: x.bvh: Permission denied",
        ),
        (MemoryError, 2, "fewer seconds"),
    ],
)
def test_what_befalls_a_command_is_one_sentence(segue, tmp_path, monkeypatch, fault, code, words):
    """An interrupt, a full disk, no permission and no memory each give one line."""

    def fail(*_args, **_kwargs):
        raise fault

    monkeypatch.setattr("segue.app.stages.render", fail)
    result = segue("stitch", "sample:walk", "sample:stop", "-o", "x.bvh")
    assert result.code == code
    assert words in result.err
    assert len(result.err.splitlines()) == 1
    assert not list(tmp_path.iterdir())


def test_a_disk_that_fills_while_writing_leaves_nothing(segue, clips, monkeypatch):
    """Neither motion nor record nor temporary files remain."""

    def full(*_args, **_kwargs):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("pathlib.Path.write_bytes", full)
    result = segue("wander", clips, "--seconds", 2, "-o", "x.bvh")
    assert result.code == 2
    assert "x.bvh: cannot be written: No space left" in result.err
    assert files(clips.parent) == ["clips", "clips/start.bvh", "clips/stop.bvh", "clips/walk.bvh"]


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        ('"seed": 1', '"seed": "x"', 'settings.walk: seed: expected a whole number, got "x"'),
        ('"seed": 1', '"seed": true', "seed: expected a whole number, got true"),
        ('"seconds": 6.0', '"seconds": null', "seconds: expected a number, got null"),
        ('"share": 0.6', '"share": []', "share: expected a number, got a list"),
        ('"cost_settings": {}', '"cost_settings": []', "cost_settings: expected a table, got a list"),
        ('"roles": null', '"roles": {"head": 3}', "roles.head: expected text, got 3"),
        ('"roles": null', '"roles": {"hat": "Head"}', "'hat' is no role"),
        ('"share": 0.6', '"shore": 0.6', "settings this version does not know"),
        ('"command": "wander"', '"command": "dance"', "was written by 'dance', which cannot be replayed"),
    ],
)
def test_an_edited_record_is_one_sentence(segue, made, before, after, sentence):
    """Users edit records; the error names the wrong key."""
    record = made.with_name("made.origin.json")
    text = record.read_text()
    assert before in text
    record.write_text(text.replace(before, after))
    result = segue("replay", record, "-o", "again.bvh")
    assert result.code == 2
    assert sentence in result.err
    assert len(result.err.splitlines()) == 1
