"""Elementary motions and sequences in a library: sealed rows, and their mapping to changed clips.

An elementary motion is a range of a clip with a core. It belongs to one version of the clip and is mapped to the frames
of the next, as labels are. A sequence refers to its motions by name, so it plays their current ranges.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any

import msgspec

from segue.arrays import Ints
from segue.documents import as_kind, decode_json
from segue.errors import FileError, SettingError, nearest
from segue.library.connection import REMEDY, Store
from segue.library.documents import as_bytes, seal, to_json
from segue.library.labels import worded
from segue.sequencing.proposing import ElementRange

_COLUMNS = "clip_id, name, start_frame, stop_frame, core_start_frame, core_stop_frame, tags"
_SELECTED = ", ".join(f"element.{column}" for column in _COLUMNS.split(", "))
_Frame = Annotated[int, msgspec.Meta(ge=0, le=1 << 40)]
MOST_TAGS = 100
"""Most tags of one elementary motion."""


@dataclass(frozen=True)
class _ElementRow:
    name: str
    clip: str
    start_frame: _Frame
    stop_frame: _Frame
    core_start_frame: _Frame
    core_stop_frame: _Frame
    tags: Annotated[list[str], msgspec.Meta(max_length=MOST_TAGS)]


@dataclass(frozen=True)
class KeptSequence:
    """A sequence stored in a library: its name, and the document of its script."""

    name: str
    document: dict[str, Any]

    @property
    def motions(self) -> tuple[str, ...]:
        """Names of its elementary motions, each once, in the order in which they are placed."""
        placed = self.document.get("motions", [])
        return tuple(dict.fromkeys(str(one.get("motion", "")) for one in placed if isinstance(one, dict)))


def checked_element(element: ElementRange, n_frames: int) -> ElementRange:
    """Return an elementary motion with checked name, tags and ranges for a clip of ``n_frames`` frames.

    Raises
    ------
    SettingError
        If its name or a tag is not valid, its frames are outside the clip, or its core is outside its frames.

    Examples
    --------
    >>> checked_element(ElementRange("step", "walk", 0, 60, 20, 40), 361).name
    'step'
    """
    name = worded(element.name, "name of an elementary motion")
    tags = tuple(dict.fromkeys(worded(tag, "tag") for tag in element.tags))
    if len(tags) > MOST_TAGS:
        msg = f"{name!r} has {len(tags)} tags; {MOST_TAGS} at most"
        raise SettingError(msg)
    start, stop = element.start_frame, element.stop_frame
    if not 0 <= start < stop <= n_frames:
        msg = (
            f"{name!r} cannot have frames {start} up to {stop} of clip {element.clip!r}, which has {n_frames}; "
            "they go from 0 or later to a later frame, which is not in it"
        )
        raise SettingError(msg)
    first, last = element.core_start_frame, element.core_stop_frame
    if not start <= first <= last <= stop:
        msg = f"the core of {name!r}, frames {first} up to {last}, must lie within its frames {start} up to {stop}"
        raise SettingError(msg)
    return replace(element, name=name, tags=tags)


def elements(store: Store, *, clip_id: int | None = None) -> dict[str, ElementRange]:
    """Return the elementary motions of the current clips, or of one version of a clip, by name.

    Raises
    ------
    FileError
        If a row is damaged.
    """
    where, values = ("clip.current", ()) if clip_id is None else ("clip.id = ?", (clip_id,))
    with store.reading() as db:
        rows = db.execute(
            f"SELECT {_SELECTED}, element.seal, clip.name FROM element JOIN clip ON clip.id = clip_id WHERE {where} "
            "ORDER BY clip.name, start_frame, element.name",
            values,
        ).fetchall()
    out: dict[str, ElementRange] = {}
    for *row, stamp, clip in rows:
        found = element_of(store, row, stamp, str(clip))
        out[found.name] = found
    return out


def element_of(store: Store, row: list[Any], stamp: object, clip: str) -> ElementRange:
    """Return the elementary motion of a row.

    Raises
    ------
    FileError
        If the row does not fit its seal or does not hold a valid one.
    """
    what = "the row of an elementary motion"
    if stamp != seal(*row):
        raise FileError(store.path, f"is damaged: {what} does not fit its seal. {REMEDY}")
    _, name, *frames, tags = row
    document = decode_json(as_bytes(tags), list[str], store.path, what=what)
    keys = ("start_frame", "stop_frame", "core_start_frame", "core_stop_frame")
    fields = {"name": name, "clip": clip, **dict(zip(keys, frames, strict=True)), "tags": document}
    kept = as_kind(fields, _ElementRow, store.path, what=what)
    fields["tags"] = tuple(kept.tags)
    try:
        return checked_element(ElementRange(**fields), max(kept.stop_frame, 1))
    except SettingError as error:
        raise FileError(store.path, f"{what} is invalid: {error}") from None


def write_element(store: Store, element: ElementRange, clip_id: int) -> bool:
    """Write an elementary motion of a clip, replacing one of its name; return whether anything changed.

    The caller holds a transaction and has checked the elementary motion.

    Raises
    ------
    SettingError
        If an elementary motion of another clip has its name.
    """
    db = store.db
    other = db.execute(
        "SELECT clip.name FROM element JOIN clip ON clip.id = clip_id "
        "WHERE current AND element.name = ? AND clip.id <> ?",
        (element.name, clip_id),
    ).fetchone()
    if other is not None:
        msg = f"an elementary motion of clip {other[0]!r} is called {element.name!r} already; give it another name"
        raise SettingError(msg)
    values = _values(element, clip_id)
    before = db.execute(
        f"SELECT {_COLUMNS} FROM element WHERE clip_id = ? AND name = ?", (clip_id, element.name)
    ).fetchone()
    if before == values:
        return False
    db.execute("DELETE FROM element WHERE clip_id = ? AND name = ?", (clip_id, element.name))
    marks = ", ".join("?" * (len(values) + 1))
    db.execute(f"INSERT INTO element ({_COLUMNS}, seal) VALUES ({marks})", (*values, seal(*values)))
    return True


def _values(element: ElementRange, clip_id: int) -> tuple[Any, ...]:
    return (
        clip_id,
        element.name,
        element.start_frame,
        element.stop_frame,
        element.core_start_frame,
        element.core_stop_frame,
        to_json(list(element.tags)),
    )


def remove_element(store: Store, name: str) -> None:
    """Remove an elementary motion of a current clip.

    Raises
    ------
    SettingError
        If there is none of that name (names the nearest), or a sequence plays it.
    """
    with store.writing() as db:
        known = elements(store)
        if name not in known:
            raise SettingError(unknown(name, known))
        user = next((one.name for one in sequences(store).values() if name in one.motions), None)
        if user is not None:
            msg = f"{name!r} is played by the sequence {user!r}; remove that first"
            raise SettingError(msg)
        db.execute(
            "DELETE FROM element WHERE name = ? AND clip_id IN (SELECT id FROM clip WHERE current)", (name,)
        )


def unknown(name: str, known: Iterable[str]) -> str:
    """Return the message for an unknown name of an elementary motion.

    Examples
    --------
    >>> unknown("jabb", ["jab", "hook"])
    "no elementary motion is called 'jabb'; nearest: jab"
    """
    return f"no elementary motion is called {name!r}; {nearest(name, known)}"


def carried_element(element: ElementRange, frames: Ints) -> ElementRange | None:
    """Return an elementary motion mapped by new frame indices (F,), -1 for none; None if its core is gone.

    Examples
    --------
    >>> import numpy as np
    >>> later = np.concatenate([np.full(10, -1), np.arange(90)])  # ten frames were cut off at the start
    >>> moved = carried_element(ElementRange("step", "walk", 5, 60, 20, 40), later)
    >>> moved.start_frame, moved.core_start_frame, moved.stop_frame
    (0, 10, 50)
    """
    whole = frames[element.start_frame : element.stop_frame]
    core = frames[element.core_start_frame : max(element.core_stop_frame, element.core_start_frame + 1)]
    whole, core = whole[whole >= 0], core[core >= 0]
    if not whole.size or not core.size:
        return None
    empty = element.core_start_frame == element.core_stop_frame
    return replace(
        element,
        start_frame=int(whole.min()),
        stop_frame=int(whole.max()) + 1,
        core_start_frame=int(core.min()),
        core_stop_frame=int(core.min() if empty else core.max() + 1),
    )


@dataclass(frozen=True)
class CarriedElements:
    """Elementary motions of a changed clip: ``kept`` unchanged, ``moved`` to other frames, or ``left`` out."""

    clip: str
    kept: tuple[ElementRange, ...] = ()
    moved: tuple[tuple[ElementRange, ElementRange], ...] = ()
    left: tuple[ElementRange, ...] = ()


def carry_elements(
    store: Store, name: str, *, held: Mapping[str, ElementRange], new_id: int, frames: Ints
) -> CarriedElements:
    """Carry elementary motions over to the next version of a clip; the caller holds a transaction."""
    kept, moved, left = [], [], []
    for element in held.values():
        new = carried_element(element, frames)
        if new is None:
            left.append(element)
            continue
        write_element(store, new, new_id)
        if new == element:
            kept.append(element)
        else:
            moved.append((element, new))
    return CarriedElements(name, tuple(kept), tuple(moved), tuple(left))


# -- sequences -----------------------------------------------------------------------------------------------------


def sequences(store: Store) -> dict[str, KeptSequence]:
    """Return the sequences of a library by name.

    Raises
    ------
    FileError
        If a row is damaged.
    """
    with store.reading() as db:
        rows = db.execute("SELECT name, document, seal FROM sequence ORDER BY name").fetchall()
    return {one.name: one for one in (sequence_of(store, *row) for row in rows)}


def sequences_one_by_one(store: Store) -> tuple[dict[str, KeptSequence], dict[str, str]]:
    """Return the intact sequences of a library, and the errors of damaged ones, by name or by id."""
    whole: dict[str, KeptSequence] = {}
    wrong: dict[str, str] = {}
    try:
        rows = store.db.execute("SELECT id, name, document, seal FROM sequence ORDER BY id").fetchall()
    except sqlite3.Error as error:
        return {}, {"all": str(error)}
    for number, *row in rows:
        try:
            found = sequence_of(store, *row)
        except FileError as error:
            named = row[0] if isinstance(row[0], str) else f"sequence number {number}"
            wrong[named] = str(error).removeprefix(f"{store.path}: ").split(" Library.check()", maxsplit=1)[0]
        else:
            whole[found.name] = found
    return whole, wrong


def sequence_of(store: Store, name: object, document: object, stamp: object) -> KeptSequence:
    """Return the sequence of a row.

    Raises
    ------
    FileError
        If the row does not fit its seal or does not hold a valid one.
    """
    what = "the row of a sequence"
    if stamp != seal(name, document):
        raise FileError(store.path, f"is damaged: {what} does not fit its seal. {REMEDY}")
    content = decode_json(as_bytes(document), dict[str, Any], store.path, what=what)
    return KeptSequence(as_kind(name, str, store.path, what=what), content)


def write_sequence(store: Store, sequence: KeptSequence) -> bool:
    """Write a sequence, replacing one of its name; return whether anything changed.

    Raises
    ------
    SettingError
        If its name is not valid, or it plays a motion that is not in the library.
    """
    name, document = worded(sequence.name, "name of a sequence"), to_json(sequence.document)
    with store.writing() as db:
        known = elements(store)
        missing = next((motion for motion in sequence.motions if motion not in known), None)
        if missing is not None:
            raise SettingError(unknown(missing, known))
        if db.execute("SELECT document FROM sequence WHERE name = ?", (name,)).fetchone() == (document,):
            return False
        db.execute("DELETE FROM sequence WHERE name = ?", (name,))
        db.execute(
            "INSERT INTO sequence (name, document, seal) VALUES (?, ?, ?)",
            (name, document, seal(name, document)),
        )
    return True


def remove_sequence(store: Store, name: str) -> None:
    """Remove a sequence.

    Raises
    ------
    SettingError
        If there is none of that name; names the nearest.
    """
    with store.writing() as db:
        if not db.execute("DELETE FROM sequence WHERE name = ?", (name,)).rowcount:
            msg = f"no sequence is called {name!r}; {nearest(name, sequences(store))}"
            raise SettingError(msg)
