"""Convert bytes to text to numbers with exact line numbers, and write files completely or not at all."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property, partial
from itertools import pairwise
from pathlib import Path
from typing import overload

import numpy as np
import numpy.typing as npt

from segue.arrays import Floats, Ints
from segue.errors import FileError
from segue.file_bytes import file_bytes
from segue.io.digests import Digest
from segue.io.fresh import fresh
from segue.texts import as_utf8, refusal
from segue.threads import each, usable_cores

_LARGE = 500_000
"""Size in bytes from which threads save time."""
_PARTS = 4
"""Most threads: reading is bound by memory, and more are no faster."""
_ODD = 1024
"""Words for float() that the first buffer holds; if there are more, the text is read again with a larger one."""
_EXPONENT = re.compile(r"-?[\d.]+e[-+]?\d+")
_LINE_END = re.compile(rb"\n")
LONGEST = 1e30
"""Largest length in file units."""


class Lines(Sequence[str]):
    """Lines of UTF-8 bytes without line ends, found on demand: reading a header does not split the complete file.

    Only a line feed ends a line (str.splitlines would also break at form feeds and shift every line number).
    """

    _MANY = 4096
    _STEP = 4096

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._starts = [0]
        self._all: list[str] | None = None

    def whole(self) -> list[str]:
        """Return all lines as a list."""
        if self._all is None:
            self._all = self._content.decode("utf-8", errors="surrogatepass").split("\n")
        return self._all

    def start(self, index: int) -> int:
        """Return the index of a line's first byte; beyond the last byte for lines that do not exist."""
        while index >= len(self._starts):
            begin = self._starts[-1]
            ends = [end.end() for end in _LINE_END.finditer(self._content, begin, begin + self._STEP)]
            if not ends:
                end = self._content.find(b"\n", begin)
                if end < 0:
                    return len(self._content) + 1
                ends = [end + 1]
            self._starts += ends
        return self._starts[index]

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice) or index < 0 or index > self._MANY or self._all is not None:
            return self.whole()[index]
        begin = self.start(index)
        if begin > len(self._content):
            msg = f"no line {index}"
            raise IndexError(msg)
        end = self.start(index + 1) - 1
        return self._content[begin:end].decode("utf-8", errors="surrogatepass")

    def __iter__(self) -> Iterator[str]:
        start, step = 0, self._STEP
        while True:
            end = self._content.find(b"\n", start + step)
            part = self._content[start : end if end >= 0 else None]
            yield from part.decode("utf-8", errors="surrogatepass").split("\n")
            if end < 0:
                return
            start, step = end + 1, 16 * step

    def __len__(self) -> int:
        return self._content.count(b"\n") + 1 if self._all is None else len(self._all)


@dataclass(frozen=True)
class TextFile:
    """Text of a file as UTF-8 bytes whose lines end in line feeds, its path and the digest of its original bytes."""

    path: Path
    content: bytes
    digest: Digest = field(compare=False)

    @cached_property
    def lines(self) -> Lines:
        """Return the lines, without line ends."""
        return Lines(self.content)


def read_bytes(path: Path) -> bytes:
    """Read the bytes of a file; `FileError` if it is missing, a folder, a pipe or a device, or cannot be opened."""
    return file_bytes(path)


def read_text(path: Path, *, encoding: str | None = None) -> TextFile:
    """Read a text file: UTF-8 unless a byte order mark or ``encoding`` indicates otherwise.

    Raises
    ------
    FileError
        With the line of the first byte that does not fit the encoding.
    """
    content = read_bytes(path)
    try:
        text = as_utf8(content, encoding)
    except (LookupError, ValueError) as error:
        message, line = refusal(error, encoding)
        raise FileError(path, message, line=line) from None
    if b"\r" in text:
        text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return TextFile(path, text, Digest(content))


def number(file: TextFile, token: str, *, line: int, what: str) -> float:
    """Parse one finite number, or raise a `FileError` with its text."""
    try:
        value = float(token) if "_" not in token else float("nan")
    except ValueError:
        hint = "; a decimal comma? numbers need a point" if "," in token else ""
        raise FileError(file.path, f"{what}: {token[:40]!r} is not a number{hint}", line=line) from None
    if not np.isfinite(value):
        raise FileError(file.path, f"{what}: {token[:40]!r} is not a finite number", line=line)
    return value


def length(file: TextFile, token: str, *, line: int, what: str) -> float:
    """Parse a number that can be a length in some unit; beyond that, sums of squares would overflow."""
    value = number(file, token, line=line, what=what)
    if abs(value) > LONGEST:
        raise FileError(file.path, f"{what}: {token[:40]!r} is no length in any unit", line=line)
    return value


def number_rows(file: TextFile, *, start: int, columns: int) -> Floats:
    """Parse the numbers (rows, columns) of all lines from index ``start``; blank lines are skipped.

    Raises
    ------
    FileError
        With the first line that has another count of values or a value that is no number.
    """
    values = number_lines(file, start=start, layout=[("", columns)]) if columns else None
    return _number_rows_slowly(file, start, columns) if values is None else values


def number_lines(file: TextFile, *, start: int, layout: Sequence[tuple[str, int]]) -> Floats | None:
    """Numbers (rows, C) of lines in groups: each line of a group has a name (may be empty) and a count of numbers.

    Every number equals float()'s, to the last bit. Returns None if a line is not as expected or a number is
    not finite: the caller then reads line by line to report the fault.
    """
    begin = file.lines.start(start)
    body = file.content if file.content.endswith(b"\n") else file.content + b"\n"
    counts = np.array([count for _, count in layout])
    names = [name.encode() for name, _ in layout]
    columns = int(counts.sum())
    parts = min(usable_cores(), _PARTS) if len(layout) == 1 and len(body) - begin > _LARGE else 1
    cuts = _line_starts(body, begin, parts)
    # A row has at least the bytes of its names plus a digit and a blank per number; rows never written cost nothing.
    shortest = 2 * columns + sum(map(len, names))
    first = np.cumsum([0, *((b - a) // shortest + 1 for a, b in pairwise(cuts))]).tolist()
    values = np.empty((first[-1], columns))
    given = (np.frombuffer(b"".join(names), np.uint8), np.cumsum([len(name) for name in names]), counts)
    blocks = [values[a:b] for a, b in pairwise(first)]
    fills = [partial(_fill, body, cuts[k], cuts[k + 1], given, block) for k, block in enumerate(blocks)]
    found = each(fills, threads=parts)
    rows = 0
    for block, count in zip(blocks, found, strict=True):
        if count is None:
            return None
        if rows and count:
            values[rows : rows + count] = block[:count]
        rows += count
    return values[:rows]


def _line_starts(body: bytes, begin: int, parts: int) -> list[int]:
    """Divide the bytes from ``begin`` into about equal parts that start at lines; fewer if lines are long."""
    ends = [body.find(b"\n", begin + k * (len(body) - begin) // parts) + 1 for k in range(1, parts)]
    return [begin, *sorted(end for end in set(ends) if begin < end < len(body)), max(len(body), begin)]


def _fill(
    body: bytes, begin: int, end: int, given: tuple[npt.NDArray[np.uint8], Ints, Ints], values: Floats
) -> int | None:
    """Fill ``values`` with the numbers of a range of bytes; return the count of rows, or None as `number_lines`."""
    from segue.io import _kernels

    text = np.frombuffer(body, np.uint8)[begin:end]
    odd = np.empty((_ODD, 3), np.int64)
    rows, n_odd, whole = _kernels.number_lines(text, *given, values, odd)
    if whole and n_odd > _ODD:
        odd = np.empty((n_odd, 3), np.int64)
        rows, n_odd, whole = _kernels.number_lines(text, *given, values, odd)
    if not whole:
        return None
    if n_odd:
        odd = odd[:n_odd]
        values.reshape(-1)[odd[:, 2]] = [float(body[a:b]) for a, b in (begin + odd[:, :2]).tolist()]
        if not np.isfinite(values[:rows]).all():
            return None
    return int(rows)


def _number_rows_slowly(file: TextFile, start: int, columns: int) -> Floats:
    """Like `number_rows`, but line by line, to report a fault with its line."""
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
    return np.array(rows, dtype=np.float64).reshape(len(rows), columns)


def decimal(text: str) -> str:
    """Rewrite numbers in the form of ``%g`` and ``repr`` without exponents, which many readers do not support.

    Examples
    --------
    >>> decimal("-3e-05 0.5 1.25e+20")
    '-0.00003 0.5 125000000000000000000'
    """
    return _EXPONENT.sub(lambda found: f"{Decimal(found[0]):f}", text) if "e" in text else text


def write_whole(path: Path, content: bytes, *, overwrite: bool = True) -> None:
    """Write a file under a temporary name in its folder and rename it: a partial file never appears.

    Raises
    ------
    FileError
        If the file exists and must not be replaced, or its folder is missing or cannot be written.
    """
    with fresh(path, overwrite=overwrite) as part:
        part.write_bytes(content)
