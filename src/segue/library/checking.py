"""Integrity check of a library, counts of its contents, and its size on disk.

Every clip is compared with its digest, every sealed row with its seal, and SQLite checks its pages. Intact clips can
still be read from a damaged library; `salvaging` writes them into a new one.
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
"""Most messages of SQLite to keep; a lost page causes thousands."""
_MOST_CLIPS = 10_000_000
"""Highest plausible id of a clip; a higher one was read from a damaged page."""


@one_line
@dataclass(frozen=True)
class CheckReport:
    """Intact and damaged contents of a library.

    Parameters
    ----------
    whole
        Sorted names of the current clips that can be read as they were added.
    broken
        Damaged current clips with the reason; a clip whose row is lost may be named by its id.
    words
        Damage to labels, tags and elementary motions, by clip.
    pages
        Messages of SQLite about its pages and indexes.
    tables
        Tables with damaged pages.
    old_broken
        Earlier versions that are damaged.
    sequences
        Damage to sequences, by name.
    studies
        Damage to answers, by study.
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
        """Whether no damage was found."""
        return not (
            self.broken or self.words or self.pages or self.old_broken or self.sequences or self.studies
        )

    @property
    def sentence(self) -> str:
        """Summary in one sentence."""
        if self.sound:
            return f"whole: all {_clips(len(self.whole))} are as they were added"
        lost = [f"{len(self.broken)} broken ({_some(self.broken)})"] if self.broken else []
        lost += [f"labels of {_some(self.words)} damaged"] if self.words else []
        lost += [f"{len(self.old_broken)} earlier versions broken"] if self.old_broken else []
        lost += [f"sequences damaged ({_some(self.sequences)})"] if self.sequences else []
        lost += [f"answers of {_some(self.studies)} damaged"] if self.studies else []
        beside = [table for table in self.tables if table not in {"clip", "frames"}]
        lost += [f"rows of {', '.join(beside)} may be lost"] if beside else []
        lost += ["unused space damaged"] if not lost else []
        return f"damaged: {_clips(len(self.whole))} whole, {', '.join(lost)}"


def _clips(count: int) -> str:
    return f"{count} clip{'' if count == 1 else 's'}"


def _some(names: Mapping[str, str]) -> str:
    shown = ", ".join(list(names)[:3])
    return shown if len(names) <= 3 else f"{shown} and {len(names) - 3} more"


@dataclass(frozen=True)
class CheckedClip:
    """One clip of a checked library: ``why`` it cannot be read, and the damage to its ``words``; empty if intact."""

    id: int
    name: str
    version: int = 1
    current: bool = True
    why: str = ""
    words: str = ""
    entry: ClipEntry | None = None


def check(store: Store, *, progress: Progress = silent) -> CheckReport:
    """Read the complete library and compare it with its digests and seals."""
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
    """Read a library that may be damaged in one transaction; errors at its begin or end are suppressed."""
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
    return tuple(table for table in schema.tables() if not is_whole(store, table))


def is_whole(store: Store, table: str) -> bool:
    """Return whether all pages of a table and its indexes are intact."""
    try:
        return bool(store.value(f"PRAGMA integrity_check('{table}')") == "ok")
    except sqlite3.Error:
        return False


def each_clip(store: Store, *, progress: Progress = silent) -> list[CheckedClip]:
    """Check every clip that was not removed, with its earlier versions, in the order in which they were added."""
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
    """Return the entry of a clip, found by trying all ids where the index of names is damaged; None if not found."""
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
    """Return a clip by name, checked against its digest.

    Raises
    ------
    SettingError
        If there is none of that name.
    FileError
        If its bytes differ from those that were added.
    """
    with store.reading():
        try:
            found = row_of(store, name, version)
        except (sqlite3.DatabaseError, FileError, SettingError) as error:
            # perhaps only the index of names is damaged, not the row
            by_number = found_by_number(store, name, version)
            if by_number is None and isinstance(error, SettingError):
                raise
            if by_number is None:
                raise FileError(store.path, f"clip {name!r} is damaged: its row is lost. {REMEDY}") from error
            found = by_number
        return with_contacts(store, found.id, clip_of(store, found))


_NUMBERS = ("SELECT id FROM clip", "SELECT id FROM clip INDEXED BY clip_name", "SELECT clip_id FROM frames")


def _numbers(store: Store) -> Sequence[int]:
    """Return possible ids of clips: all in any table or index; if one cannot be read, all up to the highest."""
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
    with suppress(OSError):  # removed clips had ids too, but not more than the size of the file allows
        last = min(last, _MOST_CLIPS, 100_000 + store.path.stat().st_size // 64)
    return range(1, last + 1)


def _one(store: Store, number: int) -> CheckedClip | None:
    """Check one clip, its frames, labels and tags; None for an id that was removed or never used."""
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
    """Return the name of a clip whose row is lost, from the index of names."""
    name = None
    with suppress(sqlite3.Error):
        name = store.value("SELECT name FROM clip INDEXED BY clip_name WHERE id = ?", number)
    return name if isinstance(name, str) and name else unknown.format(number)


def _has_frames(store: Store, number: int) -> bool:
    with suppress(sqlite3.Error):
        return store.value("SELECT 1 FROM frames WHERE clip_id = ?", number) is not None
    return False


def plain(store: Store, error: Exception) -> str:
    """Return an error message without path and remedy, which a report states once."""
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
    transition ``points``, ``answers`` of studies; ``bytes`` of the file, and ``free`` bytes in it that
    `Library.compact` releases.
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
    """Count the contents of a library in one transaction."""
    with store.reading():
        counts = {name: store.value(sql) for name, sql in _COUNTS.items()}
        page = store.value("PRAGMA page_size")
        return Stats(
            **counts,
            bytes=page * store.value("PRAGMA page_count"),
            free=page * store.value("PRAGMA freelist_count"),
        )


def compact(store: Store) -> int:
    """Rewrite the file without the space of removed rows; return the number of bytes released."""
    before = stats(store).bytes
    store.begin()  # waits for other writers; raises if the library is read-only
    store.rollback()
    with store.errors():
        store.db.execute("VACUUM")
        store.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return before - stats(store).bytes
