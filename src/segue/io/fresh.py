"""New files under names of their own beside their places, which they take whole or not at all."""

from __future__ import annotations

import os
import stat
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from segue.errors import FileError
from segue.file_bytes import is_ordinary


def part_path(path: Path) -> Path:
    """Path of a new file or folder beside a place, under a name that nobody else has."""
    # A long name plus the ending might be longer than file systems allow.
    return path.with_name(f".{path.name[:60]}.{uuid.uuid4().hex}.part")


def is_left(path: Path) -> bool:
    """Tell whether a path leads to what a process that was killed has left half-made."""
    return any(part.startswith(".") and part.endswith(".part") for part in path.parts)


def check_place(path: Path, *, overwrite: bool = True) -> None:
    """Refuse a place where no file can be written.

    Raises
    ------
    FileError
        If it is a folder, a pipe or a device, the file exists and must not be replaced, or its folder is missing.
    """
    if path.is_dir():
        raise FileError(path, "is a folder; name a file in it")
    if not is_ordinary(path):
        raise FileError(path, "cannot be written: it is no ordinary file; choose another name")
    if path.exists() and not overwrite:
        raise FileError(path, "exists already; allow overwriting or choose another name")
    if not path.parent.is_dir():
        raise FileError(path, f"the folder {path.parent} does not exist; create it first")


@contextmanager
def fresh(path: Path, *, overwrite: bool = True) -> Iterator[Path]:
    """Path of a new, empty file that takes a file's place at the end of the block, or is removed by an error.

    Nobody else has its name: what a killed process left behind is never taken for it, and nothing of a user's is
    removed. A file that is replaced keeps its mode; a new one has what the user's mask gives.

    Raises
    ------
    FileError
        If the file exists and must not be replaced, or its folder is missing or cannot be written.
    """
    check_place(path, overwrite=overwrite)
    part = part_path(path)
    try:
        os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
        try:
            if path.exists():
                part.chmod(stat.S_IMODE(path.stat().st_mode))
            yield part
            part.replace(path)
        finally:
            for left in (part, *part.parent.glob(f"{part.name}-*")):  # SQLite's log beside a new library
                left.unlink(missing_ok=True)
    except OSError as error:
        raise FileError(path, f"cannot be written: {error.strerror or error}") from None
