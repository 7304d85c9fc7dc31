"""Opening of a library file: checks, access rights, and messages for SQLite's errors."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from typing import Any, Literal

from segue.errors import FileError, SettingError
from segue.file_bytes import open_file
from segue.io.library_mark import APPLICATION_ID, is_space, mark_of

GONE = (
    "was removed or replaced while it was open: nothing more is written to it. Library.copy(PATH) saves all that it "
    "held, as long as it is open"
)
"""Message for a file that was removed or replaced while open."""
_BUSY_SENTENCE = (
    "another process has been writing to it for {patience:g} s; nothing was changed: try again later"
)
REMEDY = (
    "Library.check() and `segue library check` report what is intact, and Library.salvage(PATH) copies it to a "
    "new library"
)
"""Advice for a damaged library."""

_SENTENCES = {
    sqlite3.SQLITE_FULL: (
        "the disk is full: the last change was not saved, all earlier ones were; free some space and repeat the change"
    ),
    sqlite3.SQLITE_IOERR: (
        "the disk failed to read or write ({error}): the last change was not saved, all earlier ones were; free some "
        "space or check the disk, and repeat the change"
    ),
    sqlite3.SQLITE_READONLY: "cannot be written: the file or its folder is read-only; the last change was not saved",
    sqlite3.SQLITE_CORRUPT: "is damaged ({error}). " + REMEDY,
    sqlite3.SQLITE_NOTADB: "is damaged ({error}). " + REMEDY,
    sqlite3.SQLITE_CANTOPEN: "cannot be opened: its folder is not there or is read-only",
    sqlite3.SQLITE_BUSY: _BUSY_SENTENCE,
    sqlite3.SQLITE_LOCKED: _BUSY_SENTENCE,
}


def sentence(error: sqlite3.Error, *, patience: float) -> str:
    """Return one sentence about the file for an error of SQLite."""
    code = getattr(error, "sqlite_errorcode", -1)
    if "Could not decode to UTF-8" in str(error):
        code = sqlite3.SQLITE_CORRUPT
    if isinstance(error, sqlite3.ProgrammingError):
        return "is closed: a library is used while it is open"
    return _SENTENCES.get(code & 0xFF, "the library failed: {error}").format(error=error, patience=patience)


_LIMITS = {
    sqlite3.SQLITE_LIMIT_ATTACHED: 1,  # VACUUM INTO attaches the copy
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 10,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 100,
    sqlite3.SQLITE_LIMIT_FUNCTION_ARG: 10,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 100_000,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 5,
}
"""Limits of SQL statements, because those in the schema of a file are untrusted."""
Mode = Literal["r", "w"]


def identity(path: Path) -> tuple[int, int] | None:
    """Return device and inode, which identify a file under any name; None if there is no file."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def check_file(path: Path, mode: Mode, *, create: bool) -> bool:
    """Refuse a file that is not a library; return whether the file must be created."""
    if mode not in ("r", "w"):
        msg = f"a library is opened with mode 'r' or 'w', not {mode!r}"
        raise SettingError(msg)
    if path.is_dir():
        raise FileError(path, "is a folder; a library is one file, and may be made in it")
    if not path.exists() or path.stat().st_size == 0:
        if mode == "r" or not create:
            raise FileError(path, "there is no such library; adding clips makes one")
        if not path.parent.is_dir():
            raise FileError(path, f"there is no folder {path.parent}; make it first")
        return True
    open_file(path).close()
    mark = mark_of(path)
    if not mark.is_database:
        if is_space(path):
            raise FileError(path, "is a small space and no library; segue manifold info shows it")
        msg = "is not a segue library: it is not a database, or its header is damaged. segue.load reads motion files"
        raise FileError(path, msg)
    if mark.application != APPLICATION_ID:
        msg = f"is a database of another program (application_id {mark.application:#x}), not a segue library"
        raise FileError(path, msg)
    return False


def writable(path: Path, mode: Mode, *, new: bool) -> bool:
    """Return whether the file and its folder can be written; raise if they cannot but must be."""
    if os.access(path.parent, os.W_OK) and (new or os.access(path, os.W_OK)):
        return True
    if new:
        raise FileError(path, f"cannot be made: the folder {path.parent} is read-only")
    if mode == "w":
        raise FileError(path, "cannot be written: the file or its folder is read-only; mode='r' reads it")
    return False


class _Connection(sqlite3.Connection):
    """Connection that raises `sqlite3.DatabaseError` even where Python cannot decode the message of a damaged file."""

    def execute(self, *words: Any) -> sqlite3.Cursor:
        """Run a statement."""
        try:
            return super().execute(*words)
        except UnicodeDecodeError:
            error = sqlite3.DatabaseError("what describes its tables is no text")
            error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
            raise error from None


def connect(path: Path, *, new: bool, writable: bool) -> sqlite3.Connection:
    """Open the file with the access that its permissions and its log allow."""
    access = "mode=rwc" if new else "mode=rw"
    if not writable:
        log = path.with_name(path.name + "-wal")
        quiet = not log.exists() or log.stat().st_size == 0
        access = "immutable=1" if quiet else "mode=ro"
    try:
        db = sqlite3.connect(
            f"{path.absolute().as_uri()}?{access}",
            uri=True,
            isolation_level=None,
            cached_statements=256,
            factory=_Connection,
        )
        for limit, most in _LIMITS.items():
            db.setlimit(limit, most)
    except sqlite3.Error as error:
        raise FileError(path, f"cannot be opened: {error}") from error
    return db
