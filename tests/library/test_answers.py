"""Answers in a library: checked like clips, salvaged one by one from a damaged file, imported with older files."""

from __future__ import annotations

import random
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

import segue
from segue.errors import FileError, SettingError
from segue.library.answers import (
    Answer,
    Participant,
    add_participant,
    participants,
    write_answer,
    write_study,
)

ANSWER = Answer(0, "main", "walk to run", "longer", 4.0, "which", "a; b | a; a", "first", "first", 1.25, 7)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file of two participants with 300 answers each."""
    out = tmp_path / "answers.segue"
    with segue.Library.open(out) as library:
        write_study(library.store, "jnd", {"design": "x"})
        for seed in range(2):
            owner = add_participant(library.store, "jnd", Participant(f"p{seed}", seed, {"age": "30-39"}))
            with library.store.writing():
                for number in range(300):
                    write_answer(library.store, owner, replace(ANSWER, number=number))
    return out


def test_answers_come_back(path: Path) -> None:
    """Answers come back unchanged, in their order."""
    with segue.Library.open(path, mode="r") as library:
        people = participants(library.store, "jnd")
        assert library.check().sound
    assert [(one.code, one.seed, dict(one.about), len(one.answers)) for one in people] == [
        ("p0", 0, {"age": "30-39"}, 300),
        ("p1", 1, {"age": "30-39"}, 300),
    ]
    assert people[0].answers[0] == ANSWER
    assert ANSWER.is_right


def test_a_trial_is_answered_once(path: Path) -> None:
    """A second answer to a trial is refused, and the study's design does not change."""
    with segue.Library.open(path) as library:
        owner = add_participant(library.store, "jnd", Participant("p0", 0))
        with pytest.raises(FileError):
            write_answer(library.store, owner, ANSWER)
        with pytest.raises(SettingError, match="another design"):
            write_study(library.store, "jnd", {"design": "y"})
        with pytest.raises(FileError, match="holds no study 'jdn'; nearest: jnd"):
            participants(library.store, "jdn")


def test_a_changed_answer_is_found_and_left_behind(path: Path, tmp_path: Path) -> None:
    """The check names the study; every other answer is salvaged."""
    database = sqlite3.connect(path)
    database.execute("UPDATE answer SET given = 'second' WHERE number = 5 AND participant_id = 1")
    database.commit()
    database.close()
    with segue.Library.open(path, mode="r") as library:
        report = library.check()
        assert not report.sound
        assert list(report.studies) == ["jnd"]
        assert "answers of jnd damaged" in report.sentence
        with pytest.raises(FileError, match="does not fit its seal"):
            participants(library.store, "jnd")
        saved = library.salvage(tmp_path / "new.segue")
    assert (saved.partly, saved.dropped) == (("answer",), ())
    with segue.Library.open(tmp_path / "new.segue", mode="r") as library:
        people = participants(library.store, "jnd")
        assert [len(one.answers) for one in people] == [299, 300]
        assert library.check().sound


@pytest.mark.parametrize("seed", range(4))
def test_pages_overwritten_at_random(path: Path, tmp_path: Path, seed: int) -> None:
    """Every salvaged answer is one that was given, and most answers on undamaged pages are salvaged."""
    rng = random.Random(seed)
    data = bytearray(path.read_bytes())
    page = rng.randrange(12, len(data) // 8192)
    data[page * 8192 : (page + 1) * 8192] = rng.randbytes(8192)
    path.write_bytes(data)
    with segue.Library.open(path, mode="r") as library:
        report = library.check()
        library.salvage(tmp_path / "new.segue")
    with segue.Library.open(tmp_path / "new.segue", mode="r") as library:
        try:
            people = participants(library.store, "jnd")
        except FileError:
            people = ()  # the page held the study's own row
    assert all(one == replace(ANSWER, number=one.number) for person in people for one in person.answers)
    assert not report.sound
