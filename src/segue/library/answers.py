"""Answers of studies in a library: studies with their designs, participants, and each answer in a row with a seal.

Every answer is written in a step of its own, so that a crash loses none that was acknowledged. Participants are
anonymous: a code, a seed and what the study itself asked of them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import astuple, dataclass, field, fields
from typing import Any

from segue.documents import as_kind, decode_json
from segue.errors import FileError, SettingError, nearest
from segue.library.connection import REMEDY, Store
from segue.library.documents import as_bytes, seal, to_json
from segue.library.named_rows import named_row


@dataclass(frozen=True)
class TrialInfo:
    """What a trial and its answer share.

    Parameters
    ----------
    number
        Order of the trial, from 0.
    purpose
        ``"main"``, ``"training"`` or ``"check"``.
    motion
        Which of the study's motions.
    track
        What is measured with it: direction, part or condition, such as ``"longer"``; empty where there is one only.
    level
        Difference shown, in frames; 0 where there is none.
    question
        Name of the question, or the question itself where the study has one only.
    """

    number: int
    purpose: str
    motion: str
    track: str
    level: float
    question: str


@dataclass(frozen=True)
class Answer(TrialInfo):
    """One answer: what was asked, and what came back. Its fields are the columns of a row, in their order.

    Parameters
    ----------
    shown
        Stimuli in the order shown, separated by blanks; pairs by a bar.
    right
        Right answer; empty where there is none.
    given
        Answer given.
    seconds
        Response time.
    seed
        Of the trial.
    """

    shown: str
    right: str
    given: str
    seconds: float
    seed: int

    @property
    def is_right(self) -> bool:
        """Whether the right answer was given; False where there is none."""
        return bool(self.right) and self.given == self.right


@dataclass(frozen=True)
class Participant:
    """Someone who takes part in a study.

    Parameters
    ----------
    code
        Name in the study, which says nothing of who it is.
    seed
        Of order and sides.
    about
        What the study asked, such as an age group; of a robot its planted functions.
    answers
        In their order.
    """

    code: str
    seed: int
    about: Mapping[str, Any] = field(default_factory=dict)
    answers: tuple[Answer, ...] = ()


_NAMES = tuple(one.name for one in fields(Answer))
_COLUMNS = ", ".join(_NAMES)


def write_study(store: Store, name: str, document: Mapping[str, Any]) -> bool:
    """Keep a study under its name; tell whether it is new.

    Raises
    ------
    SettingError
        If there is one of that name that differs: its answers would be of another design.
    """
    text = to_json(document)
    with store.writing() as db:
        known = store.value("SELECT document FROM study WHERE name = ?", name)
        if known is None:
            db.execute(
                "INSERT INTO study (name, document, seal) VALUES (?, ?, ?)", (name, text, seal(name, text))
            )
            return True
    if known != text:
        msg = (
            f"{store.path.name} holds a study {name!r} of another design: answers of both in one table would mean "
            "nothing; write to another file or give the design another name"
        )
        raise SettingError(msg)
    return False


def study_names(store: Store) -> list[str]:
    """Names of the studies in a library."""
    with store.reading() as db:
        return [str(name) for (name,) in db.execute("SELECT name FROM study ORDER BY name")]


def read_study(store: Store, name: str | None = None) -> tuple[str, dict[str, Any]]:
    """Name and document of a study; without a name the only one.

    Raises
    ------
    FileError
        If there is none, none of that name, several and no name, or it was damaged.
    """
    wanted, (document,) = named_row(
        store,
        "study",
        "document",
        name=name,
        plural="studies",
        maker="segue study run DESIGN -o FILE makes one",
        option="--study",
        repair=REMEDY,
    )
    return wanted, decode_json(as_bytes(document), dict[str, Any], store.path, what=f"the study {wanted!r}")


def add_participant(store: Store, study: str, participant: Participant) -> int:
    """Begin with a participant, or go on with the one of that code; return the number under which answers are kept."""
    with store.writing() as db:
        owner = _study_id(store, study)
        known = store.value(
            "SELECT id FROM participant WHERE study_id = ? AND code = ?", owner, participant.code
        )
        if known is not None:
            return int(known)
        about = to_json(participant.about)
        stamp = seal(owner, participant.code, participant.seed, about)
        done = db.execute(
            "INSERT INTO participant (study_id, code, seed, about, seal) VALUES (?, ?, ?, ?, ?)",
            (owner, participant.code, participant.seed, about, stamp),
        )
        return int(done.lastrowid or 0)


def write_answer(store: Store, participant_id: int, answer: Answer) -> None:
    """Keep one answer, on the disk before this returns.

    Raises
    ------
    FileError
        If that trial has an answer already, or the library cannot be written.
    """
    values = astuple(answer)
    with store.writing() as db:
        db.execute(
            f"INSERT INTO answer (participant_id, {_COLUMNS}, seal) VALUES ({', '.join('?' * (len(values) + 2))})",
            (participant_id, *values, seal(participant_id, *values)),
        )


def participants(store: Store, study: str) -> tuple[Participant, ...]:
    """Everyone who took part, with their answers, in the order in which they began.

    Raises
    ------
    FileError
        If there is no such study, or a row was damaged.
    """
    with store.reading() as db:
        owner = _study_id(store, study)
        rows = db.execute(
            "SELECT id, code, seed, about, seal FROM participant WHERE study_id = ? ORDER BY id", (owner,)
        ).fetchall()
        return tuple(_participant(store, study, owner, row) for row in rows)


def _participant(store: Store, study: str, owner: int, row: tuple[Any, ...]) -> Participant:
    number, code, seed, about, stamp = row
    if stamp != seal(owner, code, seed, about):
        raise FileError(store.path, f"is damaged: a participant of {study!r} does not fit its seal. {REMEDY}")
    asked = decode_json(as_bytes(about), dict[str, Any], store.path, what=f"what {code!r} was asked")
    return Participant(code, seed, asked, answers_of(store, number))


def participant_numbered(store: Store, study: str, code: str) -> tuple[int, Participant] | None:
    """Participant of a code, with the number under which answers are kept; None where there is none.

    Raises
    ------
    FileError
        If there is no such study, or the row or an answer was damaged.
    """
    with store.reading() as db:
        owner = _study_id(store, study)
        row = db.execute(
            "SELECT id, code, seed, about, seal FROM participant WHERE study_id = ? AND code = ?",
            (owner, code),
        ).fetchone()
        return None if row is None else (int(row[0]), _participant(store, study, owner, row))


def answers_of(store: Store, participant_id: int) -> tuple[Answer, ...]:
    """Answers of one participant in their order."""
    rows = store.db.execute(
        f"SELECT {_COLUMNS}, seal FROM answer WHERE participant_id = ? ORDER BY number", (participant_id,)
    )
    out = []
    for *values, stamp in rows:
        if stamp != seal(participant_id, *values):
            raise FileError(store.path, f"is damaged: an answer does not fit its seal. {REMEDY}")
        row = dict(zip(_NAMES, values, strict=True))
        out.append(as_kind(row, Answer, store.path, what="the row of an answer"))
    return tuple(out)


def _study_id(store: Store, name: str) -> int:
    found = store.value("SELECT id FROM study WHERE name = ?", name)
    if found is None:
        raise FileError(store.path, f"holds no study {name!r}; {nearest(name, study_names(store))}")
    return int(found)


SEALED: Mapping[str, slice] = {
    "study": slice(1, None),
    "participant": slice(1, None),
    "answer": slice(0, None),
    "weights": slice(0, None),
}
"""Tables whose rows are taken out of a damaged library one by one, with the columns that their seals are of."""


def copy_sealed(source: sqlite3.Connection, target: sqlite3.Connection, table: str) -> bool:
    """Copy the rows that fit their seals and belong to rows that are there; tell whether those are all.

    Raises
    ------
    sqlite3.Error
        If the target cannot be written.
    """
    whole, rows = _readable(source, table)
    for row in rows:
        if row[-1] != seal(*row[SEALED[table]][:-1]):
            whole = False
            continue
        try:
            target.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)
        except (
            sqlite3.IntegrityError
        ):  # the study or the participant it belongs to is lost, or it is there twice
            whole = False
    return whole


def _readable(source: sqlite3.Connection, table: str) -> tuple[bool, list[tuple[Any, ...]]]:
    """Rows that can be read, from both ends of a table whose middle is damaged; and whether those are all."""
    rows: list[tuple[Any, ...]] = []
    whole = True
    key = {"answer": "participant_id {0}, number {0}", "weights": "name {0}"}.get(table, "id {0}")
    for order in ("ASC", "DESC"):
        try:
            for row in source.execute(f"SELECT * FROM {table} ORDER BY {key.format(order)}"):
                rows.append(row)  # noqa: PERF402  # what was read before a damaged page counts
        except sqlite3.Error:
            whole = False
        else:
            break
    return whole, list(dict.fromkeys(rows))


def damaged_answers(store: Store) -> dict[str, str]:
    """What is wrong with studies, participants and answers, by study; empty where all is whole."""
    out: dict[str, str] = {}
    names: list[str] = []
    try:
        names = study_names(store)
    except (FileError, sqlite3.Error) as error:
        return {"studies": str(error)}
    for name in names:
        try:
            read_study(store, name)
            participants(store, name)
        except (FileError, sqlite3.Error) as error:
            out[name] = str(error).removeprefix(f"{store.path}: ").split(" Library.check()", maxsplit=1)[0]
    return out
