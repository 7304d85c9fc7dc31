"""Write a motion and its record in one step, so that they belong together even if writing is interrupted.

Both are first written to a temporary folder. Then the record is moved into place, with the older record inside it;
then the motion; then the record is written without the older one. A motion of several files is moved by
`segue.io.fresh`. A reader uses whichever of the two records matches the motion file.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from segue.app.record import Record, older_document, write_record
from segue.errors import FileError
from segue.io.digests import files_digest
from segue.io.fresh import check_place, finish_moves, move_together, part_path


def record_path(path: Path) -> Path:
    """Path of the record of a motion file."""
    return path.with_name(path.stem + ".origin.json")


def beside(path: Path) -> tuple[Path, ...]:
    """Files written along with a motion: a MuJoCo model's positions, and the record, which is last."""
    qpos = (path.with_suffix(".qpos.csv"),) if path.suffix.lower() == ".xml" else ()
    return (*qpos, record_path(path))


def write_with_record(
    path: Path, record: Record, make: Callable[[Path], object], *, more: Mapping[str, Any] | None = None
) -> Path:
    """Write a motion and its record, both or none; return the record's path.

    Parameters
    ----------
    path
        Path of the motion.
    record
        The record; the digest of the file is added.
    make
        Writes the motion to a path of the same name in another folder.
    more
        Additional entries at the end of the record.

    Raises
    ------
    FileError
        If either cannot be written; the previous files are then unchanged.
    """
    check_place(path)
    finish_moves(path)
    room = part_path(path)
    try:
        room.mkdir()
    except OSError as error:
        raise FileError(path, f"cannot be written: {error.strerror or error}") from None
    try:
        make(room / path.name)
        made = [room / path.name, *(room / other.name for other in beside(path)[:-1])]
        whole = replace(record, file_sha256=files_digest(made))
        _put(made, path, whole, more)
    finally:
        shutil.rmtree(room, ignore_errors=True)
    return record_path(path)


def _put(made: list[Path], path: Path, record: Record, more: Mapping[str, Any] | None) -> None:
    """Move the new files into place, the record first."""
    there = record_path(path)
    old = there.read_bytes() if there.is_file() else None
    before = older_document(there) if path.exists() and old is not None else None
    write_record(there, record, more=more, before=before)
    try:
        move_together(made, path.parent)
    except BaseException as error:
        moved = not made[0].exists()
        if not moved and old is not None:
            there.write_bytes(old)
        elif not moved:
            there.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise FileError(path, f"cannot be written: {error.strerror or error}") from None
        raise
    if before is not None:
        write_record(there, record, more=more)
