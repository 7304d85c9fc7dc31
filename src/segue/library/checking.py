"""Is a library whole? How much is in it, and the room it takes on the disk.

Every clip is held against its digest, every row with a seal against that, and SQLite checks its own pages. What is
whole can be read as ever; `salvaging` writes it into a new library.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from segue.errors import FileError, SegueError, SettingError
from segue.library import schema
from segue.library.answers import damaged_answers
from segue.library.clips import ClipEntry, clip_of, entry_by_id, row_of
from segue.library.connection import REMEDY, Store
from segue.library.contacts import with_contacts
from segue.library.elements import elements, sequences_one_by_one
from segue.motion.clip import Clip
from segue.summaries import one_line
from segue.threads import Progress, silent

_MOST = 20
"""Sentences of SQLite that are kept; a lost page gives thousands."""
_MOST_CLIPS = 10_000_000
"""A larger number was read from a damaged page."""


@one_line
@dataclass(frozen=True)
class CheckReport:
    """What is whole in a library, and what is not.

    Parameters
    ----------
    whole
        Names of the current clips that can be read as they were added, by name.
    broken
        Other clips and why; a clip whose row is lost is called by its number.
    words
        What is wrong with labels, tags and elementary motions, by clip.
    pages
        What SQLite found about its pages and indexes.
    tables
        Tables with damaged pages, in whole or in part.
    old_broken
        Earlier versions that are damaged.
    sequences
        What is wrong with sequences, by name.
    studies
        What is wrong with answers, by study.
    """

    whole: tuple[str, ...]
    broken: Mapping[str, str]
    words: Mapping[str, str]
    pages: tuple[str, ...]
    tables: tuple[str, ...] = ()
    old_broken: tuple[str, ...] = ()
    sequences: Mapping[str, str] = field(default_factory=dict)
    studies: Mapping[str, str] = field(default_factory=dict)

    @property
    def sound(self) -> bool:
        """Whether nothing at all was found."""
        return not (
            self.broken or self.words or self.pages or self.old_broken or self.sequences or self.studies
        )

    @property
    def sentence(self) -> str:
        """All of it in one sentence."""
        if self.sound:
            return f"whole: all {_clips(len(self.whole))} are as they were added"
        lost = [f"{len(self.broken)} broken ({_some(self.broken)})"] if self.broken else []
        lost += [f"labels of {_some(self.words)} damaged"] if self.words else []
        lost += [f"{len(self.old_broken)} earlier versions broken"] if self.old_broken else []
        lost += [f"sequences damaged ({_some(self.sequences)})"] if self.sequences else []
        lost += [f"answers of {_some(self.studies)} damaged"] if self.studies else []
        beside = [table for table in self.tables if table not in {"clip", "frames"}]
        lost += [f"rows of {', '.join(beside)} may be lost"] if beside else []
        lost += ["unused room damaged"] if not lost else []
        return f"damaged: {_clips(len(self.whole))} whole, {', '.join(lost)}"


def _clips(count: int) -> str:
    return f"{count} clip{'' if count == 1 else 's'}"


def _some(names: Mapping[str, str]) -> str:
    shown = ", ".join(list(names)[:3])
    return shown if len(names) <= 3 else f"{shown} and {len(names) - 3} more"


@dataclass(frozen=True)
class CheckedClip:
    """One clip of a library that may be damaged; ``why`` it cannot be read and what is wrong with its ``words``."""

    id: int
    name: str
    version: int = 1
    current: bool = True
    why: str = ""
    words: str = ""
    entry: ClipEntry | None = None


def check(store: Store, *, progress: Progress = silent) -> CheckReport:
    """Read everything and hold it against its digests."""
    with one_view(store):
        pages = _pages(store)
        tables = _tables(store) if pages else ()
        found = each_clip(store, progress=progress)
        damaged = sequences_one_by_one(store)[1]
        studies = damaged_answers(store)
    current = [one for one in found if one.current]
    return CheckReport(
        whole=tuple(sorted(one.name for one in current if not one.why)),
        broken={one.name: one.why for one in current if one.why},
        words={one.name: one.words for one in current if one.words},
        pages=pages,
        tables=tables,
        old_broken=tuple(f"{one.name}@{one.version}" for one in found if not one.current and one.why),
        sequences=damaged,
        studies=studies,
    )


@contextmanager
def one_view(store: Store) -> Iterator[None]:
    """One view of a library whose pages may be broken: ending it must not hide what was found."""
    own = not store.db.in_transaction
    if own:
        with suppress(sqlite3.Error):
            store.db.execute("BEGIN")
    try:
        yield
    finally:
        if own:
            with suppress(sqlite3.Error):
                store.db.execute("ROLLBACK")


def _pages(store: Store) -> tuple[str, ...]:
    out: list[str] = []
    try:
        for (text,) in store.db.execute(f"PRAGMA integrity_check({_MOST})"):
            out += [line for line in str(text).splitlines() if line != "ok" and line[:3] != "***"]
        for table, row, *_ in store.db.execute("PRAGMA foreign_key_check"):
            out.append(f"row {row} of table {table} belongs to nothing")
    except sqlite3.Error as error:
        out.append(str(error))
    return tuple(out[:_MOST])


def _tables(store: Store) -> tuple[str, ...]:
    """Tables that SQLite does not find whole."""
    return tuple(table for table in schema.tables() if not is_whole(store, table))


def is_whole(store: Store, table: str) -> bool:
    """Tell whether all pages of a table and its indexes are in order."""
    try:
        return bool(store.value(f"PRAGMA integrity_check('{table}')") == "ok")
    except sqlite3.Error:
        return False


def each_clip(store: Store, *, progress: Progress = silent) -> list[CheckedClip]:
    """Every clip that is or was in a library and was not removed, earlier versions too, in the order of adding."""
    numbers = _numbers(store)
    out = []
    for done, number in enumerate(numbers):
        progress("checking clips", done, len(numbers))
        found = _one(store, number)
        if found is not None:
            out.append(found)
    progress("checking clips", len(numbers), len(numbers))
    return out


def found_by_number(store: Store, name: str, version: int | None) -> ClipEntry | None:
    """Entry of a clip whose row cannot be reached by its name, but perhaps by its number; None if there is none."""
    for number in _numbers(store):
        with suppress(SegueError, sqlite3.Error):
            known = entry_by_id(store, number, words=False)
            fits = known is not None and known.name == name
            if (
                known is not None
                and fits
                and (known.current if version is None else known.version == version)
            ):
                return known
    return None


def read_clip(store: Store, name: str, *, version: int | None = None) -> Clip:
    """Clip by name, held against its digest.

    Raises
    ------
    SettingError
        If there is none of that name.
    FileError
        If its bytes are not those that were added.
    """
    with store.reading():
        try:
            found = row_of(store, name, version)
        except (sqlite3.DatabaseError, FileError, SettingError) as error:
            # the index of names may be damaged, and not the row
            by_number = found_by_number(store, name, version)
            if by_number is None and isinstance(error, SettingError):
                raise
            if by_number is None:
                raise FileError(store.path, f"clip {name!r} is damaged: its row is lost. {REMEDY}") from error
            found = by_number
        return with_contacts(store, found.id, clip_of(store, found))


_NUMBERS = ("SELECT id FROM clip", "SELECT id FROM clip INDEXED BY clip_name", "SELECT clip_id FROM frames")


def _numbers(store: Store) -> Sequence[int]:
    """Numbers that clips may have: those that any table or index holds; where one cannot be read all up to the last."""
    found: set[int] = set()
    whole = True
    for sql in _NUMBERS:
        try:
            found.update(number for (number,) in store.db.execute(sql) if isinstance(number, int))
        except sqlite3.Error:
            whole = False
    if whole:
        return sorted(found)
    last = max(found, default=0)
    with suppress(sqlite3.Error):
        number = store.value("SELECT seq FROM sqlite_sequence WHERE name = 'clip'")
        last = max(last, number) if isinstance(number, int) else last
    with suppress(
        OSError
    ):  # clips that were removed had numbers too, but there are not that many for so few bytes
        last = min(last, _MOST_CLIPS, 100_000 + store.path.stat().st_size // 64)
    return range(1, last + 1)


def _one(store: Store, number: int) -> CheckedClip | None:
    """One clip, its frames, labels and tags; None for a number that was removed or never given."""
    try:
        known = entry_by_id(store, number, words=False)
    except (SegueError, sqlite3.Error) as error:
        return CheckedClip(number, _name(store, number), why=f"its row is lost ({plain(store, error)})")
    if known is None:
        left = _name(store, number, unknown="") or _has_frames(store, number)
        return CheckedClip(number, _name(store, number), why="its row is lost") if left else None
    why = words = ""
    try:
        clip_of(store, known)
    except (SegueError, sqlite3.Error) as error:
        why = plain(store, error)
    try:
        known = entry_by_id(store, number) or known
        elements(store, clip_id=number)
    except (SegueError, sqlite3.Error) as error:
        words = plain(store, error)
    return CheckedClip(number, known.name, known.version, known.current, why, words, known)


def _name(store: Store, number: int, *, unknown: str = "clip number {}") -> str:
    """Name of a clip whose row is lost, from the index of names."""
    name = None
    with suppress(sqlite3.Error):
        name = store.value("SELECT name FROM clip INDEXED BY clip_name WHERE id = ?", number)
    return name if isinstance(name, str) and name else unknown.format(number)


def _has_frames(store: Store, number: int) -> bool:
    with suppress(sqlite3.Error):
        return store.value("SELECT 1 FROM frames WHERE clip_id = ?", number) is not None
    return False


def plain(store: Store, error: Exception) -> str:
    """Error without the path and the remedy, which a report says once."""
    text = str(error).removeprefix(f"{store.path}: ")
    return text.split(" Library.check()", maxsplit=1)[0].rstrip(". ")


_COUNTS = {
    "clips": "SELECT count(*) FROM clip WHERE current",
    "older": "SELECT count(*) FROM clip WHERE NOT current",
    "frames": "SELECT coalesce(sum(n_frames), 0) FROM clip WHERE current",
    "seconds": "SELECT coalesce(sum((n_frames - 1) / fps), 0.0) FROM clip WHERE current",
    "unusable": "SELECT coalesce(sum(unusable), 0) FROM clip WHERE current",
    "skeletons": "SELECT count(*) FROM skeleton",
    "labels": "SELECT count(*) FROM label JOIN clip ON clip.id = clip_id WHERE current",
    "tags": "SELECT count(*) FROM tag JOIN clip ON clip.id = clip_id WHERE current",
    "elements": "SELECT count(*) FROM element JOIN clip ON clip.id = clip_id WHERE current",
    "sequences": "SELECT count(*) FROM sequence",
    "pairs": "SELECT count(*) FROM pair",
    "points": "SELECT count(*) FROM point",
    "answers": "SELECT count(*) FROM answer",
}


@dataclass(frozen=True)
class Stats:
    """Counts of a library.

    Of its current clips: ``clips``, ``frames``, ``seconds``, ``unusable`` frames, ``labels``, ``tags``,
    ``elements`` (elementary motions). Further ``older`` versions, ``skeletons``, ``sequences``, compared ``pairs``,
    transition ``points``, ``answers`` of studies; ``bytes`` of the file, and ``free``
    bytes in it that `Library.compact` gives back.
    """

    clips: int
    older: int
    frames: int
    seconds: float
    unusable: int
    skeletons: int
    labels: int
    tags: int
    pairs: int
    points: int
    answers: int
    bytes: int
    free: int
    elements: int = 0
    sequences: int = 0


def stats(store: Store) -> Stats:
    """Count what is in a library, in one view of it."""
    with store.reading():
        counts = {name: store.value(sql) for name, sql in _COUNTS.items()}
        page = store.value("PRAGMA page_size")
        return Stats(
            **counts,
            bytes=page * store.value("PRAGMA page_count"),
            free=page * store.value("PRAGMA freelist_count"),
        )


def compact(store: Store) -> int:
    """Write the file anew without the room of what was removed; return how many bytes it lost."""
    before = stats(store).bytes
    store.begin()  # waits for other writers, and refuses where nothing may be written
    store.rollback()
    with store.errors():
        store.db.execute("VACUUM")
        store.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return before - stats(store).bytes
