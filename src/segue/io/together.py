"""Several files that are one motion take their places together, also where the process is killed in between.

No file system moves two files at once. A note beside the new files says which they are and what they replace. A process
that is killed between two moves leaves the note; whoever reads the motion next carries the moves to their end, as
SQLite does with its log. Where the files have been changed since, the note is of the past and is not followed.
"""

from __future__ import annotations

import contextlib
import glob
import hashlib
import json
import shutil
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path

from segue.documents import read_json
from segue.errors import FileError
from segue.file_bytes import file_bytes
from segue.io.fresh import check_place, part_path

_NOTE = "moves.json"
_Note = dict[str, tuple[str, str]]
"""By name of a file: digests of the new file and of what it replaces, empty where there was none."""


def write_together(contents: Mapping[Path, bytes], *, overwrite: bool = True) -> None:
    """Write files of one folder that are one motion: all of them or none.

    Raises
    ------
    FileError
        If one exists and must not be replaced, or cannot be written.

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
    """Move files that lie in a folder of their own, made by `part_path`, into another one; modes are kept.

    Raises
    ------
    OSError
        If the first file cannot be moved; nothing has changed then.
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
    """Carry to its end what a killed process left between the moves of a motion's files.

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
            continue  # it was not whole when the process was killed: no file had been moved
        _finish(note.parent, moves, path.parent)


def _finish(room: Path, moves: _Note, folder: Path) -> None:
    waiting = [name for name in moves if (room / name).is_file()]
    if any(Path(name).name != name for name in moves) or len(waiting) == len(moves):
        return  # no file was moved yet: the old motion lies there whole
    as_noted = all(_digest(folder / name) == moves[name][1 if name in waiting else 0] for name in moves)
    if as_noted and all(_digest(room / name) == moves[name][0] for name in waiting):
        for name in waiting:
            try:
                (room / name).replace(folder / name)
            except FileNotFoundError:
                continue  # another process was faster
            except OSError as error:
                why = f"a process that was stopped left it undone, and it cannot be done now: {error.strerror or error}"
                raise FileError(folder / name, why) from None
    shutil.rmtree(room, ignore_errors=True)


def _digest(path: Path) -> str:
    return hashlib.sha256(file_bytes(path)).hexdigest() if path.exists() else ""
