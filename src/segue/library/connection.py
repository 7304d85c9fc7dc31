"""An open library file: opening and closing, transactions, and error messages.

Writing uses SQLite's write-ahead log: readers continue, a second writer waits. When the last connection closes, the log
is merged, so that a single file is left, which can be read on read-only media.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NoReturn

from segue.errors import FileError
from segue.library import schema
from segue.library.opening import GONE, REMEDY, Mode, check_file, connect, identity, sentence, writable

__all__ = ["REMEDY", "Mode", "Say", "Store"]

Say = Callable[[str], None]

NOTED_AFTER = 0.5
"""Seconds a writer waits before it reports that it waits."""
_ASK = 0.004
"""Seconds between two attempts of a waiting writer; adding leaves gaps of five times that."""
_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_log = logging.getLogger("segue.library")


class Store:
    """An open library file.

    Parameters
    ----------
    path
        The file.
    mode
        ``"w"`` to read and write, ``"r"`` to read only.
    create
        Whether a missing file is created; only with ``"w"``.
    patience
        Seconds to wait for another writer.
    say
        Called with messages, such as that it waits; by default they are logged as warnings.
    """

    def __init__(
        self, path: Path, mode: Mode, *, create: bool, patience: float, say: Say | None = None
    ) -> None:
        self.path = path
        self.mode = mode
        self.patience = patience
        self._say = say or _log.warning
        new = check_file(path, mode, create=create)
        self._writable = writable(path, mode, new=new)
        self._db = connect(path, new=new, writable=self._writable)
        self._thread = threading.get_ident()
        try:
            with self.errors():
                self._prepare(new=new)
        except BaseException:
            self.db.close()
            if new and path.exists() and not path.stat().st_size:
                path.unlink()
            raise
        self._identity = identity(path)

    @property
    def db(self) -> sqlite3.Connection:
        """Connection, for the thread that opened it.

        Raises
        ------
        FileError
            In any other thread.
        """
        if threading.get_ident() != self._thread:
            raise FileError(
                self.path, "was opened by another thread; open it in this one too, with Library.open"
            )
        return self._db

    def _prepare(self, *, new: bool) -> None:
        db = self.db
        db.execute(f"PRAGMA busy_timeout = {int(NOTED_AFTER * 1000)}")
        db.execute("PRAGMA foreign_keys = ON")
        db.execute("PRAGMA trusted_schema = OFF")
        if new:
            db.execute("PRAGMA page_size = 8192")
        if self.mode == "r":
            db.execute("PRAGMA query_only = ON")
        version = self._version()
        if version < 1 and (self.mode == "r" or self.value("SELECT count(*) FROM sqlite_master")):
            raise FileError(self.path, f"declares layout {version}, which no version of segue writes")
        if version > schema.VERSION:
            msg = f"was written by a later segue (layout {version}, this one knows {schema.VERSION}): update segue"
            raise FileError(self.path, msg)
        if self.mode == "r":
            if version < schema.VERSION:
                msg = f"is of an older layout ({version}); open it once for writing and it is brought up to date"
                raise FileError(self.path, msg)
            self._check_layout()
            return
        if version < schema.VERSION:
            self._identity = identity(self.path)
            self._check_layout(newest=False)
            with self.writing():
                self._bring_up()
                self._check_layout()
        else:
            self._check_layout()
        self._patient("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")

    def _check_layout(self, *, newest: bool = True) -> None:
        """Refuse a database whose schema is not that of a library, before any of its rows is read."""
        if found := schema.stranger(self.db, newest=newest):
            raise FileError(
                self.path, f"has {found}, which no segue library has: nothing in it is read or run"
            )

    def _version(self) -> int:
        """Return the layout of the file; a truncated file, such as an incomplete copy, can still be read."""
        try:
            return int(self.value("PRAGMA user_version"))
        except sqlite3.DatabaseError:
            if self.mode == "w":
                raise
            self.db.execute("PRAGMA writable_schema = ON")  # accepts a truncated file
            return int(self.value("PRAGMA user_version"))

    def _bring_up(self) -> None:
        """Create or migrate the tables, unless another process just did."""
        version = self.value("PRAGMA user_version")
        if version == 0 and self.value("SELECT count(*) FROM sqlite_master") == 0:
            schema.create(self.db)
        elif version < schema.VERSION:
            schema.migrate(self.db, version)

    def value(self, sql: str, *values: Any) -> Any:
        """Return the first column of the first row, or None."""
        row = self.db.execute(sql, values).fetchone()
        return None if row is None else row[0]

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Convert SQLite's errors to `FileError` for this file."""
        try:
            yield
        except sqlite3.Error as error:
            raise self.error(error) from error

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Read in one transaction: all statements see the same state, even if another process writes meanwhile."""
        with self.errors():
            if self.db.in_transaction:
                yield self.db
                return
            self.db.execute("BEGIN")
            try:
                yield self.db
            finally:
                with suppress(sqlite3.Error):  # fails on damaged pages, but what was read is valid
                    self.db.execute("COMMIT")

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Write in one transaction, completely or not at all; nested calls belong to the outer transaction.

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
        """Begin a write transaction, waiting for another writer."""
        if self.mode == "r":
            raise FileError(self.path, "was opened for reading; open it with mode='w' to change it")
        with self.errors():
            self._patient("BEGIN IMMEDIATE")
        if not self._there():
            self.rollback()
            self._gone()

    def commit(self) -> None:
        """Commit the transaction; it is durable when this returns."""
        try:
            with self.errors():
                self.db.execute("COMMIT")
        except BaseException:
            self.rollback()
            raise
        if not self._there():
            self._gone()

    def rollback(self) -> None:
        """Roll the transaction back."""
        with suppress(sqlite3.Error):
            self.db.execute("ROLLBACK")

    def _there(self) -> bool:
        return identity(self.path) == self._identity

    def _gone(self) -> NoReturn:
        """Raise for a file that was moved or removed; the log is merged first, so a moved file holds all writes."""
        self._fold_moved()
        raise FileError(self.path, GONE)

    def _fold_moved(self) -> None:
        with suppress(sqlite3.Error):
            self.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _patient(self, sql: str) -> None:
        """Run a statement that must wait for other writers; report once that it waits.

        It tries every few milliseconds: the intervals of SQLite's busy timeout grow and miss the gaps left by adding.
        """
        start, note = time.monotonic(), False
        self.db.execute("PRAGMA busy_timeout = 0")
        try:
            while True:
                try:
                    self.db.execute(sql)
                except sqlite3.OperationalError as error:
                    waited = time.monotonic() - start
                    if error.sqlite_errorcode & 0xFF not in _BUSY or waited >= self.patience:
                        raise
                    if not note and waited >= NOTED_AFTER:
                        note = True
                        self._say(f"another process is writing to {self.path.name}; waiting")
                    time.sleep(_ASK)
                else:
                    return
        finally:
            self.db.execute(f"PRAGMA busy_timeout = {int(NOTED_AFTER * 1000)}")

    def error(self, error: sqlite3.Error) -> FileError:
        """Return an error of SQLite as a `FileError` of one sentence."""
        return FileError(self.path, sentence(error, patience=self.patience))

    def close(self) -> None:
        """Merge the log, unless another process has the library open, and close it.

        If the disk has no space for that, the log stays, and a message reports that the two files belong together.
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
                f"the disk has no space to merge {log.name} into {self.path.name}: keep both files together; "
                "they are merged the next time the library is opened and there is space"
            )
