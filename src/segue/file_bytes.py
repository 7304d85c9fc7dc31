"""Opening of ordinary files: every reader of every format opens its file here.

A path may lead to a pipe, a device or a socket, which may block or never end. These are refused before a byte is read.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO

from segue.errors import FileError

_AT_ONCE = getattr(os, "O_NONBLOCK", 0)  # opening a pipe would wait for a writer; no effect on files


def open_file(path: str | Path) -> BinaryIO:
    """Open an ordinary file to read its bytes.

    Parameters
    ----------
    path
        The file.

    Raises
    ------
    FileError
        If it is missing, is a folder, a pipe or a device, or cannot be opened.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "walk.txt"
    >>> _ = path.write_text("walk")
    >>> with open_file(path) as stream:
    ...     stream.read(2)
    b'wa'
    """
    path = Path(path)
    try:
        if path.is_dir():
            raise FileError(path, "is a folder; name a file in it")
        stream = open(path, "rb", opener=_opened)  # noqa: SIM115 - the caller closes it; Path.open takes no opener
    except FileNotFoundError:
        raise FileError(path, "there is no such file") from None
    except OSError as error:
        raise FileError(path, f"cannot be read: {error.strerror or error}") from None
    except ValueError:  # a name with a NUL
        raise FileError(path, "cannot be read: no file has such a name") from None
    if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
        stream.close()
        raise FileError(path, "cannot be read: it is no ordinary file")
    return stream


def file_bytes(path: str | Path, *, most: int = -1) -> bytes:
    """Return the bytes of an ordinary file.

    Parameters
    ----------
    path
        The file.
    most
        Most bytes to read; all by default.

    Raises
    ------
    FileError
        If it is missing, is a folder, a pipe or a device, or cannot be read.

    Examples
    --------
    >>> file_bytes("/dev/null")
    Traceback (most recent call last):
    segue.errors.FileError: /dev/null: cannot be read: it is no ordinary file
    """
    with open_file(path) as stream:
        try:
            return stream.read(most)
        except OSError as error:
            raise FileError(path, f"cannot be read: {error.strerror or error}") from None


def is_ordinary(path: Path) -> bool:
    """Return whether a path may be written: it leads to an ordinary file or does not exist."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:
        return True


def _opened(path: str, flags: int) -> int:
    return os.open(path, flags | _AT_ONCE)
