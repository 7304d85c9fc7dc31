"""Recognise a library by its bytes, whatever its name."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from segue.errors import FileError
from segue.file_bytes import file_bytes

APPLICATION_ID = 0x53454755
"""SQLite's application_id of a library: ``SEGU``."""
_MAGIC = b"SQLite format 3\0"
_HEAD = 72


class Mark(NamedTuple):
    """Content of a file's first bytes: whether it is a database, of which application, and whether it needs a WAL."""

    is_database: bool
    application: int
    wal: bool


def mark_of(path: str | Path) -> Mark:
    """Read the mark from a file's first bytes; a file that is too short or cannot be read is no database.

    Examples
    --------
    >>> mark_of(__file__).is_database
    False
    """
    try:
        head = file_bytes(path, most=_HEAD)
    except FileError:
        head = b""
    if len(head) < _HEAD or not head.startswith(_MAGIC):
        return Mark(False, 0, False)
    return Mark(True, int.from_bytes(head[68:72], "big"), head[18:20] == b"\x02\x02")


def is_library(path: str | Path) -> bool:
    """Return whether a file is a library of segue, by its bytes."""
    found = mark_of(path)
    return found.is_database and found.application == APPLICATION_ID


def is_space(path: str | Path) -> bool:
    """Return whether a file begins like a small space, which may have the extension of a library."""
    try:
        with Path(path).open("rb") as stream:
            head = stream.read(2 * _HEAD)
    except OSError:
        return False
    return head.startswith(b"{") and b'"kind": "space"' in head
