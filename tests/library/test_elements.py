"""Elementary motions and sequences in a library: stored, carried to new versions, checked, salvaged, exchanged."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import segue
from segue.errors import FileError, SettingError
from segue.library.element_files import elements_text, files_of, read_elements
from segue.library.elements import KeptSequence, carried_element
from segue.library.exchange import export_elements, export_library, import_elements
from segue.motion.resample import cut
from segue.sequencing.proposing import ElementRange

STEP = ElementRange("step", "walk", 60, 200, 100, 140, ("left", "short"))
TWICE = KeptSequence("twice", {"motions": [{"motion": "step"}, {"motion": "step", "at": 2.5}]})


@pytest.fixture
def library(tmp_path: Path) -> segue.Library:
    """A library of two clips from files, an elementary motion of one, and a sequence of it."""
    (tmp_path / "clips").mkdir()
    for name in ("walk", "run"):
        segue.save(segue.sample(name), tmp_path / "clips" / f"{name}.bvh")
    with segue.Library.open(tmp_path / "moves.segue") as opened:
        opened.add(tmp_path / "clips")
        opened.add_elements([STEP])
        opened.add_sequence(TWICE)
        yield opened


def test_what_is_kept_is_found(library: segue.Library) -> None:
    """They are found by name and by clip, and counted; storing them again changes nothing."""
    assert library.element("step") == STEP
    assert library.elements("run") == ()
    assert (library.stats().elements, library.stats().sequences) == (1, 1)
    assert library.add_elements([STEP]) == ()
    assert not library.add_sequence(TWICE)
    with pytest.raises(SettingError, match="nearest: step"):
        library.element("stepp")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"stop_frame": 999}, "cannot have frames 60 up to 999 of clip 'walk', which has 361"),
        ({"core_start_frame": 10}, "must lie within its frames 60 up to 200"),
        ({"name": " "}, "is no name of an elementary motion"),
        ({"clip": "wlak"}, "nearest: walk"),
        (
            {"clip": "run", "stop_frame": 100, "core_stop_frame": 100},
            "of clip 'walk' is called 'step' already",
        ),
    ],
)
def test_what_cannot_be_is_refused(library: segue.Library, changes: dict, words: str) -> None:
    """The reason is given, and nothing is stored of a list with one invalid entry."""
    from dataclasses import replace

    with pytest.raises(SettingError, match=words):
        library.add_elements([replace(STEP, name="other"), replace(STEP, **changes)])
    assert [one.name for one in library.elements()] == ["step"]


def test_a_motion_that_a_sequence_plays_stays(library: segue.Library) -> None:
    """It can be removed after the sequence."""
    with pytest.raises(SettingError, match="is played by the sequence 'twice'"):
        library.remove_element("step")
    library.remove_sequence("twice")
    library.remove_element("step")
    assert library.elements() == ()


def test_elements_follow_frames(library: segue.Library, tmp_path: Path) -> None:
    """A clip that lost 30 frames at its start has its elementary motion 30 frames earlier; the sequence still plays."""
    segue.save(cut(segue.sample("walk"), 30, 361), tmp_path / "clips" / "walk.bvh")
    added = library.add(tmp_path / "clips")
    now = library.element("step")
    assert (now.start_frame, now.core_start_frame, now.core_stop_frame, now.stop_frame) == (30, 70, 110, 170)
    assert added.elements[0].moved[0] == (STEP, now)
    assert library.check().sound


def test_a_core_that_is_gone_leaves_its_motion_behind(library: segue.Library, tmp_path: Path) -> None:
    """It is reported and not stored with a core of other frames."""
    segue.save(cut(segue.sample("walk"), 200, 361), tmp_path / "clips" / "walk.bvh")
    added = library.add(tmp_path / "clips")
    assert added.elements[0].left == (STEP,)
    assert library.elements() == ()


@given(st.integers(0, 40), st.integers(0, 40), st.integers(0, 20), st.integers(0, 20), st.integers(0, 60))
def test_a_carried_core_lies_within_its_motion(a: int, b: int, c: int, d: int, lost: int) -> None:
    """Whatever is cut off the start, ranges stay ranges, and an empty core stays empty."""
    start, stop = min(a, b), max(a, b) + 1
    first, last = (min(max(value + start, start), stop) for value in (min(c, d), max(c, d)))
    frames = np.concatenate([np.full(lost, -1), np.arange(100)])[:100]
    found = carried_element(ElementRange("m", "c", start, stop, first, last), frames)
    if found is not None:
        assert 0 <= found.start_frame <= found.core_start_frame <= found.core_stop_frame <= found.stop_frame
        assert (first == last) <= (found.core_start_frame == found.core_stop_frame)


@pytest.mark.parametrize("table", ["element", "sequence"])
def test_a_damaged_row_is_found_and_left_out(library: segue.Library, tmp_path: Path, table: str) -> None:
    """The check names it, reading refuses it, and the salvaged library is sound."""
    library.close()
    database = sqlite3.connect(tmp_path / "moves.segue")
    database.execute(f"UPDATE {table} SET name = 'other'")
    database.commit()
    database.close()
    with segue.Library.open(tmp_path / "moves.segue", mode="r") as damaged:
        report = damaged.check()
        assert not report.sound
        assert list(report.words) == (["walk"] if table == "element" else [])
        assert list(report.sequences) == (["other"] if table == "sequence" else [])
        with pytest.raises(FileError, match=r"does not fit its seal.*Library\.salvage"):
            damaged.elements() if table == "element" else damaged.sequences()
        damaged.salvage(tmp_path / "whole.segue")
    with segue.Library.open(tmp_path / "whole.segue") as whole:
        assert whole.check().sound
        assert (len(whole.elements()), len(whole.sequences())) == ((0, 1) if table == "element" else (1, 0))


def test_what_is_written_is_read_back(library: segue.Library, tmp_path: Path) -> None:
    """TOML read into another library of the same clips gives the same motion, tags and sequence."""
    assert export_elements(library, tmp_path / "moves.toml") == (1, 1)
    with segue.Library.open(tmp_path / "other.segue") as other:
        other.add(tmp_path / "clips")
        taken = import_elements(other, tmp_path / "moves.toml")
        assert taken.new == ("step", "twice")
        assert import_elements(other, tmp_path / "moves.toml").same == ("step", "twice")
        assert other.elements() == library.elements()
        assert other.sequences()[0].motions == TWICE.motions


def test_another_library_takes_them(library: segue.Library, tmp_path: Path) -> None:
    """They come with the exported clips, and with sequences whose motions are all exported."""
    export_library(library, tmp_path / "part.segue", names=["walk"])
    export_library(library, tmp_path / "none.segue", names=["run"])
    with segue.Library.open(tmp_path / "part.segue") as part:
        assert (part.elements(), part.sequences()) == ((STEP,), (TWICE,))
    with segue.Library.open(tmp_path / "none.segue") as none:
        assert (none.elements(), none.sequences()) == ((), ())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "holds neither elementary motions nor a sequence"),
        ("[[elements]]\nname = 3\n", r"elements\[0\]\.name: expected .*got 3"),
        ('[[elements]]\nname = "a"\n', r"lacks .*clip|clip"),
        ('[[elements]]\nname = "a"\nclip = "walk"\nsecond = [1, 2]\n', "second"),
        ('[[elements]]\nname = "a"\nclip = "b"\n[[elements]]\nname = "a"\nclip = "b"\n', ":4: .*given twice"),
        ('[[motions]]\nmotion = "a"\nat = -1\n', r"motions\[0\]\.at"),
        ('method = "best"\n[[motions]]\nmotion = "a"\n', "method"),
        ("[[elements]\n", "is no TOML"),
    ],
)
def test_a_wrong_file_is_a_sentence(tmp_path: Path, text: str, words: str) -> None:
    """The error names the file and the place in it."""
    path = tmp_path / "moves.toml"
    path.write_text(text)
    with pytest.raises(FileError, match=words) as error:
        read_elements(path)
    assert str(error.value).startswith(str(path))


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("seconds = [5.0, 99.0]", r":2: 'b': 99 s lies outside the clip"),
        ("frames = [10, 5]", r":2: 'b': frames 10 up to 5 are no range"),
        ("seconds = [1.0, 2.0]\nframes = [1, 2]", "is given seconds and frames"),
        (
            "seconds = [1.0, 2.0]\ncore = [0.0, 1.0]",
            r"core of 'b' \(0 to 1 s\) must lie within its range \(1 to 2 s\)",
        ),
    ],
)
def test_a_range_that_is_none_is_named_with_its_line(
    library: segue.Library, tmp_path: Path, row: str, words: str
) -> None:
    """Nothing of the file is imported."""
    path = tmp_path / "moves.toml"
    path.write_text(f'\n[[elements]]\nname = "b"\nclip = "walk"\n{row}\n')
    with pytest.raises(FileError, match=words):
        import_elements(library, path)


def test_files_that_name_one_another_in_a_circle_are_refused(tmp_path: Path) -> None:
    """Sources are read first, each once."""
    element = '[[elements]]\nname = "{0}"\nclip = "walk"\n'
    for name, other in (("a", "b"), ("b", "a"), ("c", "")):
        sources = f'sources = ["{other}.toml"]\n' if other else ""
        (tmp_path / f"{name}.toml").write_text(sources + element.format(name))
    assert len(files_of(tmp_path / "c.toml")) == 1
    with pytest.raises(FileError, match="its sources lead to"):
        files_of(tmp_path / "a.toml")


@given(st.text(min_size=1, max_size=20).filter(lambda text: text.strip() and text.isprintable()))
def test_any_name_comes_back(name: str) -> None:
    """Names may hold quotes, backslashes and characters of other scripts."""
    element = ElementRange(name, name, 1, 9, 3, 5, (name,))
    found = read_elements("a.toml", text=elements_text([(element, 30.0)])).elements[0]
    assert (found.name, found.clip, found.frames, found.core_frames, found.tags) == (
        name,
        name,
        (1, 9),
        (3, 5),
        [name],
    )
