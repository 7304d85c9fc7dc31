"""What SQLite says, in segue's sentences."""

from __future__ import annotations

import sqlite3

GONE = (
    "was removed or replaced while it was open: nothing more is written to it. Library.copy(PATH) saves all that it "
    "held, as long as it is open"
)
"""A file that lost its name."""
_BUSY_SENTENCE = (
    "another process has been writing to it for {patience:g} s; nothing was changed: try again later"
)
WAY_OUT = (
    "Library.check() and `segue library check` say what is still whole, and Library.salvage(PATH) takes it out into a "
    "new library"
)
"""What to do about a damaged library."""

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


def sentence(error: sqlite3.Error, *, patience: float) -> str:
    """Say an error of SQLite in one sentence about the file."""
    code = getattr(error, "sqlite_errorcode", -1)
    if "Could not decode to UTF-8" in str(error):
        code = sqlite3.SQLITE_CORRUPT
    if isinstance(error, sqlite3.ProgrammingError):
        return "is closed: a library is used while it is open"
    return _SENTENCES.get(code & 0xFF, "the library failed: {error}").format(error=error, patience=patience)
