"""How a library is told from every other file: by its bytes, whatever it is called."""

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
    """What the first bytes of a file say: whether it is a database at all, whose, and whether it needs a WAL."""

    is_database: bool
    application: int
    wal: bool


def mark_of(path: str | Path) -> Mark:
    """First bytes of a file; a file that cannot be read or is too short is no database.

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
    """Tell whether a file is a library of segue, by its bytes."""
    found = mark_of(path)
    return found.is_database and found.application == APPLICATION_ID


def is_space(path: str | Path) -> bool:
    """Tell whether a file begins as a small space does, which may be called like a library."""
    try:
        with Path(path).open("rb") as stream:
            head = stream.read(2 * _HEAD)
    except OSError:
        return False
    return head.startswith(b"{") and b'"kind": "space"' in head
