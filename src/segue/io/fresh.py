"""Write new files under temporary names next to their targets, and replace the targets completely or not at all.

Files that are one motion replace their targets together, even if the process is killed in between. No file
system moves two files atomically, so a note in the folder of the new files lists them and what they replace.
A process that is killed between two moves leaves the note; the next reader of the motion completes the moves,
as SQLite does with its journal. If the files have been changed since, the note is outdated and ignored.
"""

from __future__ import annotations

import contextlib
import glob
import hashlib
import json
import os
import shutil
import stat
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from segue.documents import read_json
from segue.errors import FileError
from segue.file_bytes import file_bytes, is_ordinary


def part_path(path: Path) -> Path:
    """Path of a new file or folder next to ``path``, with a unique name."""
    # A long name plus the ending could exceed the limit of file systems.
    return path.with_name(f".{path.name[:60]}.{uuid.uuid4().hex}.part")


def is_left(path: Path) -> bool:
    """Return whether a path leads to an unfinished file or folder left by a killed process."""
    return any(part.startswith(".") and part.endswith(".part") for part in path.parts)


def check_place(path: Path, *, overwrite: bool = True) -> None:
    """Reject a path where no file can be written.

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
    """Yield the path of a new, empty file that replaces ``path`` at the end of the block, or is removed after an error.

    The name is unique: a file left by a killed process is never used, and no file of the user is removed. A
    replaced file keeps its mode; a new one gets the default of the user's umask.

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
            for left in (part, *part.parent.glob(f"{part.name}-*")):  # SQLite's journal next to a new library
                left.unlink(missing_ok=True)
    except OSError as error:
        raise FileError(path, f"cannot be written: {error.strerror or error}") from None


_NOTE = "moves.json"
_Note = dict[str, tuple[str, str]]
"""By file name: digests of the new file and of the file it replaces, empty if there was none."""


def write_together(contents: Mapping[Path, bytes], *, overwrite: bool = True) -> None:
    """Write files of one folder that are one motion: all of them or none.

    Raises
    ------
    FileError
        If a file exists and must not be replaced, or cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> write_together({folder / "a.xml": b"<a/>", folder / "a.qpos.csv": b"time"})
    >>> sorted(path.name for path in folder.iterdir())
    ['a.qpos.csv', 'a.xml']
    """
    for path in contents:
        check_place(path, overwrite=overwrite)
    first = next(iter(contents))
    room = part_path(first)
    try:
        room.mkdir()
        try:
            made = [room / path.name for path in contents]
            for file, content in zip(made, contents.values(), strict=True):
                file.write_bytes(content)
            move_together(made, first.parent)
        finally:
            shutil.rmtree(room, ignore_errors=True)
    except OSError as error:
        raise FileError(first, f"cannot be written: {error.strerror or error}") from None


def move_together(made: Sequence[Path], folder: Path) -> None:
    """Move files from a separate folder, made by `part_path`, into another one; modes are kept.

    Raises
    ------
    OSError
        If a file cannot be moved; if it is the first, nothing has changed.
    """
    targets = [folder / file.name for file in made]
    for file, target in zip(made, targets, strict=True):
        if target.exists():
            file.chmod(stat.S_IMODE(target.stat().st_mode))
    note = made[0].with_name(_NOTE)
    if len(made) > 1:
        pairs = zip(made, targets, strict=True)
        moves = {file.name: (_digest(file), _digest(target)) for file, target in pairs}
        note.write_text(json.dumps(moves), "utf-8")
    made[0].replace(targets[0])
    try:
        for file, target in zip(made[1:], targets[1:], strict=True):
            file.replace(target)
    except BaseException:
        for file, target in zip(made[1:], targets[1:], strict=True):
            with contextlib.suppress(OSError):
                file.replace(target)
        raise
    finally:
        note.unlink(missing_ok=True)


def finish_moves(path: Path) -> None:
    """Complete the moves of a motion's files that a killed process left unfinished.

    Parameters
    ----------
    path
        The motion's first file.

    Raises
    ------
    FileError
        If a file cannot be moved.
    """
    pattern = part_path(path).name.rsplit(".", 2)[0]
    for note in path.parent.glob(f"{glob.escape(pattern)}.*.part/{_NOTE}"):
        try:
            moves = read_json(note, _Note)
        except FileError:
            continue  # the note was incomplete when the process was killed: no file had been moved
        _finish(note.parent, moves, path.parent)


def _finish(room: Path, moves: _Note, folder: Path) -> None:
    waiting = [name for name in moves if (room / name).is_file()]
    if any(Path(name).name != name for name in moves) or len(waiting) == len(moves):
        return  # no file was moved yet: the old motion is intact
    as_noted = all(_digest(folder / name) == moves[name][1 if name in waiting else 0] for name in moves)
    if as_noted and all(_digest(room / name) == moves[name][0] for name in waiting):
        for name in waiting:
            try:
                (room / name).replace(folder / name)
            except FileNotFoundError:
                continue  # another process has moved it
            except OSError as error:
                why = f"a process that was stopped left it undone, and it cannot be done now: {error.strerror or error}"
                raise FileError(folder / name, why) from None
    shutil.rmtree(room, ignore_errors=True)


def _digest(path: Path) -> str:
    return hashlib.sha256(file_bytes(path)).hexdigest() if path.exists() else ""
