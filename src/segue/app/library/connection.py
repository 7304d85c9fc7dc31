"""One open library file: how it is opened and closed, its transactions, and its errors as sentences.

A library lies in a write-ahead log while somebody writes: readers read on, a second writer waits. When the last one
closes it, the log is folded in and one file is left, which can be read where nothing can be written.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal, NoReturn

from segue.app.library import schema
from segue.errors import FileError, SettingError
from segue.io.library_mark import APPLICATION_ID, mark_of

Mode = Literal["r", "w"]
Say = Callable[[str], None]

SAID_AFTER = 0.5
"""Seconds a writer waits before it says so."""
_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_GONE = (
    "was removed or replaced while it was open: nothing more is written to it. Library.copy(PATH) saves all that it "
    "held, as long as it is open"
)
_BUSY_SENTENCE = (
    "another process has been writing to it for {patience:g} s; nothing was changed: try again later"
)
WAY_OUT = (
    "Library.check() and `segue library check` say what is still whole, and Library.salvage(PATH) takes it out into a "
    "new library"
)
"""What to do about a damaged library."""
_log = logging.getLogger("segue.library")


class Store:
    """An open library file.

    Parameters
    ----------
    path
        The file.
    mode
        ``"w"`` reads and writes, ``"r"`` only reads.
    create
        Whether a missing file is made; only with ``"w"``.
    patience
        Seconds to wait for another writer.
    say
        Takes the sentence that it waits; by default it is logged as a warning.
    """

    def __init__(
        self, path: Path, mode: Mode, *, create: bool, patience: float, say: Say | None = None
    ) -> None:
        self.path = path
        self.mode = mode
        self.patience = patience
        self._say = say or _log.warning
        new = _check_file(path, mode, create)
        self._writable = _writable(path, mode, new=new)
        self.db = _connect(path, new=new, writable=self._writable)
        try:
            with self.errors():
                self._prepare(new=new)
        except BaseException:
            self.db.close()
            if new and path.exists() and not path.stat().st_size:
                path.unlink()
            raise
        self._identity = _identity(path)

    def _prepare(self, *, new: bool) -> None:
        db = self.db
        db.execute(f"PRAGMA busy_timeout = {int(SAID_AFTER * 1000)}")
        db.execute("PRAGMA foreign_keys = ON")
        if new:
            db.execute("PRAGMA page_size = 8192")
        if self.mode == "r":
            db.execute("PRAGMA query_only = ON")
        version = self._version()
        if version > schema.VERSION:
            msg = f"was written by a later segue (layout {version}, this one knows {schema.VERSION}): update segue"
            raise FileError(self.path, msg)
        if self.mode == "r":
            if version < schema.VERSION:
                msg = f"is of an older layout ({version}); open it once for writing and it is brought up to date"
                raise FileError(self.path, msg)
            return
        if version < schema.VERSION:
            self._identity = _identity(self.path)
            with self.writing():
                self._bring_up()
        self._patient("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")

    def _version(self) -> int:
        """Layout of the file; one that was cut short, as by a copy that broke off, can still be read."""
        try:
            return int(self.value("PRAGMA user_version"))
        except sqlite3.DatabaseError:
            if self.mode == "w":
                raise
            self.db.execute("PRAGMA writable_schema = ON")  # takes the length of the file for what it is
            return int(self.value("PRAGMA user_version"))

    def _bring_up(self) -> None:
        """Make or migrate the tables, unless another process just did."""
        version = self.value("PRAGMA user_version")
        if version == 0 and self.value("SELECT count(*) FROM sqlite_master") == 0:
            schema.create(self.db)
        elif version < schema.VERSION:
            schema.migrate(self.db, version)

    def value(self, sql: str, *values: Any) -> Any:
        """First column of the first row, or None."""
        row = self.db.execute(sql, values).fetchone()
        return None if row is None else row[0]

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Make SQLite's errors segue's own, about this file."""
        try:
            yield
        except sqlite3.Error as error:
            raise self.error(error) from error

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """One view of the library, however many statements, whoever writes meanwhile."""
        with self.errors():
            if self.db.in_transaction:
                yield self.db
                return
            self.db.execute("BEGIN")
            try:
                yield self.db
            finally:
                with suppress(sqlite3.Error):  # on damaged pages even this fails, and what was read is read
                    self.db.execute("COMMIT")

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One step that happens whole or not at all; inside another step it is part of that.

        Raises
        ------
        FileError
            If the library was opened for reading, another process writes for longer than `patience`, the disk is
            full, or the file is no longer there.
        """
        if self.db.in_transaction:
            yield self.db
            return
        self.begin()
        try:
            with self.errors():
                yield self.db
        except BaseException:
            self.rollback()
            raise
        self.commit()

    def begin(self) -> None:
        """Begin a step, waiting for another writer."""
        if self.mode == "r":
            raise FileError(self.path, "was opened for reading; open it with mode='w' to change it")
        with self.errors():
            self._patient("BEGIN IMMEDIATE")
        if not self._there():
            self.rollback()
            self._gone()

    def commit(self) -> None:
        """End a step: from here on it is kept, whatever happens."""
        try:
            with self.errors():
                self.db.execute("COMMIT")
        except BaseException:
            self.rollback()
            raise
        if not self._there():
            self._gone()

    def rollback(self) -> None:
        """Take a step back."""
        with suppress(sqlite3.Error):
            self.db.execute("ROLLBACK")

    def _there(self) -> bool:
        return _identity(self.path) == self._identity

    def _gone(self) -> NoReturn:
        """Refuse a file that has lost its name; if it only has another, all that was written is in it."""
        self._fold_moved()
        raise FileError(self.path, _GONE)

    def _fold_moved(self) -> None:
        with suppress(sqlite3.Error):
            self.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _patient(self, sql: str) -> None:
        """Run a statement that needs the other writers to be done, saying once that it waits."""
        start, said = time.monotonic(), False
        while True:
            try:
                self.db.execute(sql)
            except sqlite3.OperationalError as error:
                waited = time.monotonic() - start
                if error.sqlite_errorcode & 0xFF not in _BUSY or waited >= self.patience:
                    raise
                if not said and waited >= SAID_AFTER / 2:
                    said = True
                    self._say(f"another process is writing to {self.path.name}; waiting")
                time.sleep(0.01)
            else:
                return

    def error(self, error: sqlite3.Error) -> FileError:
        """Say an error of SQLite in one sentence."""
        return FileError(self.path, _sentence(error, self))

    def close(self) -> None:
        """Fold the log in, if nobody else has the library open, and close it.

        Where the disk has no room for that the log stays, and it is said that the two files belong together.
        """
        why: sqlite3.Error | None = None
        try:
            if self.db.in_transaction:
                self.db.execute("ROLLBACK")
            self.db.execute("PRAGMA query_only = OFF")
            self.db.execute("PRAGMA busy_timeout = 0")
            if not self._writable or self.value("PRAGMA journal_mode") != "wal":
                pass
            elif self._there():
                self.db.execute("PRAGMA journal_mode = DELETE")
            else:
                self._fold_moved()
        except sqlite3.Error as error:
            why = error
        self.db.close()
        log = self.path.with_name(self.path.name + "-wal")
        if (
            getattr(why, "sqlite_errorcode", 0) & 0xFF in {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}
            and log.exists()
        ):
            self._say(
                f"the disk has no room to fold {log.name} into {self.path.name}: keep the two together; "
                "the next time it is opened and there is room they become one"
            )


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _check_file(path: Path, mode: Mode, create: bool) -> bool:
    """Refuse what is no library; tell whether it is to be made."""
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
    mark = mark_of(path)
    if not mark.is_database:
        msg = "is no library of segue: it is no database, or its beginning is damaged. segue.load reads motion files"
        raise FileError(path, msg)
    if mark.application != APPLICATION_ID:
        msg = f"is a database of another program (application_id {mark.application:#x}), no library of segue"
        raise FileError(path, msg)
    return False


def _writable(path: Path, mode: Mode, *, new: bool) -> bool:
    """Tell whether the file and its folder can be written; refuse to write where they cannot."""
    if os.access(path.parent, os.W_OK) and (new or os.access(path, os.W_OK)):
        return True
    if new:
        raise FileError(path, f"cannot be made: the folder {path.parent} is read-only")
    if mode == "w":
        raise FileError(path, "cannot be written: the file or its folder is read-only; mode='r' reads it")
    return False


class _Connection(sqlite3.Connection):
    """A connection whose errors are SQLite's own, also where a damaged table's text cannot stand in their message."""

    def execute(self, *words: Any) -> sqlite3.Cursor:
        try:
            return super().execute(*words)
        except UnicodeDecodeError:
            error = sqlite3.DatabaseError("what describes its tables is no text")
            error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
            raise error from None


def _connect(path: Path, *, new: bool, writable: bool) -> sqlite3.Connection:
    """Open the file, with rights that fit the place."""
    access = "mode=rwc" if new else "mode=rw"
    if not writable:
        log = path.with_name(path.name + "-wal")
        quiet = not log.exists() or log.stat().st_size == 0
        access = "immutable=1" if quiet else "mode=ro"
    try:
        return sqlite3.connect(
            f"{path.absolute().as_uri()}?{access}",
            uri=True,
            isolation_level=None,
            cached_statements=256,
            factory=_Connection,
        )
    except sqlite3.Error as error:
        raise FileError(path, f"cannot be opened: {error}") from error


_SENTENCES = {
    sqlite3.SQLITE_FULL: "the disk is full: the last step was not kept, all before it was; make room and do it again",
    sqlite3.SQLITE_IOERR: (
        "the disk did not take or give its bytes ({error}): the last step was not kept, all before it was; make room "
        "or look at the disk, and do it again"
    ),
    sqlite3.SQLITE_READONLY: "cannot be written: the file or its folder is read-only; the last step was not kept",
    sqlite3.SQLITE_CORRUPT: "is damaged ({error}). " + WAY_OUT,
    sqlite3.SQLITE_NOTADB: "is damaged ({error}). " + WAY_OUT,
    sqlite3.SQLITE_CANTOPEN: "cannot be opened: its folder is not there or is read-only",
    sqlite3.SQLITE_BUSY: _BUSY_SENTENCE,
    sqlite3.SQLITE_LOCKED: _BUSY_SENTENCE,
}


def _sentence(error: sqlite3.Error, store: Store) -> str:
    code = getattr(error, "sqlite_errorcode", -1)
    if "Could not decode to UTF-8" in str(error):
        code = sqlite3.SQLITE_CORRUPT
    if isinstance(error, sqlite3.ProgrammingError):
        return f"{error} A library is used while it is open, by the thread that opened it"
    return _SENTENCES.get(code & 0xFF, "the library failed: {error}").format(
        error=error, patience=store.patience
    )
