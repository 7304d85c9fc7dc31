"""Answers of studies in a library: studies with their designs, participants, and answers, each in a sealed row.

Every answer is written in its own transaction, so that a crash loses no acknowledged answer. Participants are
anonymous: a code, a seed and their answers to the study's questionnaire.
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
    """Fields that a trial and its answer have in common.

    Parameters
    ----------
    number
        Position of the trial in its order, from 0.
    purpose
        ``"main"``, ``"training"`` or ``"check"``.
    motion
        Motion of the study.
    track
        Measured direction, part or condition, such as ``"longer"``; empty if there is only one.
    level
        Difference shown, in frames; 0 if there is none.
    question
        Name of the question, or its text if the study has only one.
    """

    number: int
    purpose: str
    motion: str
    track: str
    level: float
    question: str


@dataclass(frozen=True)
class Answer(TrialInfo):
    """One answer and its trial; the fields are the columns of a row, in this order.

    Parameters
    ----------
    shown
        Stimuli in the order shown, separated by blanks; pairs by a bar.
    right
        Right answer; empty if there is none.
    given
        Answer given.
    seconds
        Response time.
    seed
        Seed of the trial.
    """

    shown: str
    right: str
    given: str
    seconds: float
    seed: int

    @property
    def is_right(self) -> bool:
        """Whether the right answer was given; False if there is none."""
        return bool(self.right) and self.given == self.right


@dataclass(frozen=True)
class Participant:
    """A participant of a study.

    Parameters
    ----------
    code
        Anonymous name in the study.
    seed
        Seed of the order of trials and of sides.
    about
        Answers to the questionnaire, such as an age group; for a robot, the parameters of its observer.
    answers
        Answers in order.
    """

    code: str
    seed: int
    about: Mapping[str, Any] = field(default_factory=dict)
    answers: tuple[Answer, ...] = ()


_NAMES = tuple(one.name for one in fields(Answer))
_COLUMNS = ", ".join(_NAMES)


def write_study(store: Store, name: str, document: Mapping[str, Any]) -> bool:
    """Store a study under its name; return whether it is new.

    Raises
    ------
    SettingError
        If a study of that name has another design, since answers to both would be mixed.
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
    """Return the names of the studies in a library."""
    with store.reading() as db:
        return [str(name) for (name,) in db.execute("SELECT name FROM study ORDER BY name")]


def read_study(store: Store, name: str | None = None) -> tuple[str, dict[str, Any]]:
    """Return name and document of a study; without a name, of the only one.

    Raises
    ------
    FileError
        If there is none, none of that name, several and no name given, or it is damaged.
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
    """Add a participant, or find the one of that code; return the row id for its answers."""
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
    """Store one answer; it is on disk when this returns.

    Raises
    ------
    FileError
        If the trial has an answer already, or the library cannot be written.
    """
    values = astuple(answer)
    with store.writing() as db:
        db.execute(
            f"INSERT INTO answer (participant_id, {_COLUMNS}, seal) VALUES ({', '.join('?' * (len(values) + 2))})",
            (participant_id, *values, seal(participant_id, *values)),
        )


def participants(store: Store, study: str) -> tuple[Participant, ...]:
    """Return all participants with their answers, in the order in which they began.

    Raises
    ------
    FileError
        If there is no such study, or a row is damaged.
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
    """Return the row id and the participant of a code; None if there is none.

    Raises
    ------
    FileError
        If there is no such study, or the row or an answer is damaged.
    """
    with store.reading() as db:
        owner = _study_id(store, study)
        row = db.execute(
            "SELECT id, code, seed, about, seal FROM participant WHERE study_id = ? AND code = ?",
            (owner, code),
        ).fetchone()
        return None if row is None else (int(row[0]), _participant(store, study, owner, row))


def answers_of(store: Store, participant_id: int) -> tuple[Answer, ...]:
    """Return the answers of one participant in order."""
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
"""Tables whose rows are salvaged from a damaged library one by one, with the columns that their seals cover."""


def copy_sealed(source: sqlite3.Connection, target: sqlite3.Connection, table: str) -> bool:
    """Copy the rows that fit their seals and whose parent rows exist; return whether all rows were copied.

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
        except sqlite3.IntegrityError:  # its study or participant is lost, or it occurs twice
            whole = False
    return whole


def _readable(source: sqlite3.Connection, table: str) -> tuple[bool, list[tuple[Any, ...]]]:
    """Return whether all rows of a table can be read, and those that can; a damaged table is read from both ends."""
    rows: list[tuple[Any, ...]] = []
    whole = True
    key = {"answer": "participant_id {0}, number {0}", "weights": "name {0}"}.get(table, "id {0}")
    for order in ("ASC", "DESC"):
        try:
            for row in source.execute(f"SELECT * FROM {table} ORDER BY {key.format(order)}"):
                rows.append(row)  # noqa: PERF402  # keeps the rows read before a damaged page
        except sqlite3.Error:
            whole = False
        else:
            break
    return whole, list(dict.fromkeys(rows))


def damaged_answers(store: Store) -> dict[str, str]:
    """Return the damage to studies, participants and answers, by study; empty if all are intact."""
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
