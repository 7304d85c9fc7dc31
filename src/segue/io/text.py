"""Bytes to text to numbers with exact line numbers, and files written whole or not at all."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from segue.arrays import Floats
from segue.errors import FileError


@dataclass(frozen=True)
class TextFile:
    """Lines of a file (without line ends), its path and the SHA-256 digest of its bytes."""

    path: Path
    lines: list[str]
    digest: str


def read_bytes(path: Path) -> bytes:
    """Bytes of a file; `FileError` where it is missing, a folder, or cannot be opened."""
    if path.is_dir():
        raise FileError(path, "is a folder; name a motion file in it")
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise FileError(path, "there is no such file") from None
    except OSError as error:
        raise FileError(path, f"cannot be read: {error.strerror or error}") from None


def read_text(path: Path, *, encoding: str | None = None) -> TextFile:
    """Lines of a text file; UTF-8 unless ``encoding`` says otherwise.

    Raises
    ------
    FileError
        With the line of the first byte that does not fit the encoding.
    """
    content = read_bytes(path)
    digest = hashlib.sha256(content).hexdigest()
    try:
        text = content.decode(encoding or "utf-8-sig")
    except LookupError:
        message = f"encoding {encoding!r} is unknown; try encoding='latin-1', 'cp932' or 'utf-8'"
        raise FileError(path, message) from None
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        message = (
            f"byte 0x{content[error.start]:02x} is not {encoding or 'UTF-8'}; "
            "say the encoding, e.g. encoding='cp932' or 'latin-1'"
        )
        raise FileError(path, message, line=line) from None
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    # Only "\n" ends a line: str.splitlines would also break at form feeds and shift every line number.
    return TextFile(path, text.split("\n"), digest)


def number(file: TextFile, token: str, *, line: int, what: str) -> float:
    """One finite number, or a `FileError` that names it."""
    try:
        value = float(token) if "_" not in token else float("nan")
    except ValueError:
        hint = "; a decimal comma? numbers need a point" if "," in token else ""
        raise FileError(file.path, f"{what}: {token!r} is not a number{hint}", line=line) from None
    if not np.isfinite(value):
        raise FileError(file.path, f"{what}: {token!r} is not a finite number", line=line)
    return value


def number_rows(file: TextFile, *, start: int, columns: int) -> Floats:
    """Numbers (rows, columns) of all lines from index ``start``; blank lines do not count.

    Raises
    ------
    FileError
        Naming the first line with another count of values or with a value that is no number.
    """
    if columns == 0:
        rows = sum(1 for line in file.lines[start:] if line.strip())
        return np.zeros((rows, 0))
    body = file.lines[start:]
    if not any(line.strip() for line in body):
        return np.zeros((0, columns))
    try:
        values = np.loadtxt(body, dtype=np.float64, comments=None, ndmin=2)
    except ValueError:
        values = np.full((1, 1), np.nan)
    if values.shape[1] != columns or not np.isfinite(values).all():
        return _number_rows_slowly(file, start, columns)
    return values


def _number_rows_slowly(file: TextFile, start: int, columns: int) -> Floats:
    """Like `number_rows`, line by line: finds what is wrong and says where."""
    rows: list[list[float]] = []
    for index in range(start, len(file.lines)):
        tokens = file.lines[index].split()
        if not tokens:
            continue
        what = f"frame {len(rows)}"
        values = [number(file, token, line=index + 1, what=what) for token in tokens]
        if len(values) != columns:
            message = (
                f"{what} has {len(values)} values where the channels need {columns}; "
                "each frame must stand on one line, whole"
            )
            raise FileError(file.path, message, line=index + 1)
        rows.append(values)
    return np.array(rows, dtype=np.float64)


def first_line_with(lines: Sequence[str], text: str) -> int | None:
    """Return the number (from 1) of the first line that holds ``text``, in any case."""
    wanted = text.lower()
    return next((index + 1 for index, line in enumerate(lines) if wanted in line.lower()), None)


def write_whole(path: Path, content: bytes, *, overwrite: bool = True) -> None:
    """Write a file under a temporary name beside it and rename it: never half a file.

    Raises
    ------
    FileError
        If the file exists and must not be replaced, or its folder is missing or cannot be written.
    """
    if path.is_dir():
        raise FileError(path, "is a folder; name a file in it")
    if path.exists() and not overwrite:
        raise FileError(path, "exists already; allow overwriting or choose another name")
    if not path.parent.is_dir():
        raise FileError(path, f"the folder {path.parent} does not exist; create it first")
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(content)
            # mkstemp makes files private; an ordinary new file follows the user's mask.
            mask = os.umask(0)
            os.umask(mask)
            Path(temporary).chmod(0o666 & ~mask)
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise FileError(path, f"cannot be written: {error.strerror or error}") from None
