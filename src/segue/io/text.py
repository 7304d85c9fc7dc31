"""Bytes to text to numbers with exact line numbers, and files written whole or not at all."""

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
"""Bytes from which threads are worth their while."""
_PARTS = 4
"""More threads read no faster: memory is what they wait for."""
_ODD = 1024
"""Words of a file that float() has to read before room is made for as many as there can be."""
_EXPONENT = re.compile(r"-?[\d.]+e[-+]?\d+")
_LINE_END = re.compile(rb"\n")
LONGEST = 1e30
"""File units beyond which nothing is a length."""


class Lines(Sequence[str]):
    """Lines of UTF-8 bytes, without line ends, found as they are asked for: a header costs no whole file.

    Only a line feed ends a line (str.splitlines would also break at form feeds and shift every line number).
    """

    _MANY = 4096
    _STEP = 4096

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._starts = [0]
        self._all: list[str] | None = None

    def whole(self) -> list[str]:
        """All lines at once."""
        if self._all is None:
            self._all = self._content.decode("utf-8", errors="surrogatepass").split("\n")
        return self._all

    def start(self, index: int) -> int:
        """Place of the first byte of a line; behind the last byte for lines that are not there."""
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
    """Text of a file as UTF-8 bytes whose lines end in line feeds, its path and the digest of its own bytes."""

    path: Path
    content: bytes
    digest: Digest = field(compare=False)

    @cached_property
    def lines(self) -> Lines:
        """Lines, without line ends."""
        return Lines(self.content)


def read_bytes(path: Path) -> bytes:
    """Bytes of a file; `FileError` where it is missing, a folder, a pipe or a device, or cannot be opened."""
    return file_bytes(path)


def read_text(path: Path, *, encoding: str | None = None) -> TextFile:
    """Lines of a text file: UTF-8 unless a byte order mark or ``encoding`` says otherwise.

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
    """One finite number, or a `FileError` that names it."""
    try:
        value = float(token) if "_" not in token else float("nan")
    except ValueError:
        hint = "; a decimal comma? numbers need a point" if "," in token else ""
        raise FileError(file.path, f"{what}: {token[:40]!r} is not a number{hint}", line=line) from None
    if not np.isfinite(value):
        raise FileError(file.path, f"{what}: {token[:40]!r} is not a finite number", line=line)
    return value


def length(file: TextFile, token: str, *, line: int, what: str) -> float:
    """One number that can be a length in some unit; beyond that, sums of squares would overflow."""
    value = number(file, token, line=line, what=what)
    if abs(value) > LONGEST:
        raise FileError(file.path, f"{what}: {token[:40]!r} is no length in any unit", line=line)
    return value


def number_rows(file: TextFile, *, start: int, columns: int) -> Floats:
    """Numbers (rows, columns) of all lines from index ``start``; blank lines do not count.

    Raises
    ------
    FileError
        Naming the first line with another count of values or with a value that is no number.
    """
    values = number_lines(file, start=start, layout=[("", columns)]) if columns else None
    return _number_rows_slowly(file, start, columns) if values is None else values


def number_lines(file: TextFile, *, start: int, layout: Sequence[tuple[str, int]]) -> Floats | None:
    """Numbers (rows, C) of lines in rounds: each line of a round has a name (may be empty) and a count of numbers.

    Every number is float()'s, to the last bit. None if a line is not as expected or a number not finite: the caller
    then goes line by line and says where.
    """
    begin = file.lines.start(start)
    body = file.content if file.content.endswith(b"\n") else file.content + b"\n"
    counts = np.array([count for _, count in layout])
    names = [name.encode() for name, _ in layout]
    columns = int(counts.sum())
    parts = min(usable_cores(), _PARTS) if len(layout) == 1 and len(body) - begin > _LARGE else 1
    cuts = _line_starts(body, begin, parts)
    # No row has fewer bytes than its names, and a digit and a blank for each number; rows never written cost nothing.
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
    """Cut bytes from ``begin`` on into about equal parts that start at lines; fewer where lines are long."""
    ends = [body.find(b"\n", begin + k * (len(body) - begin) // parts) + 1 for k in range(1, parts)]
    return [begin, *sorted(end for end in set(ends) if begin < end < len(body)), max(len(body), begin)]


def _fill(
    body: bytes, begin: int, end: int, given: tuple[npt.NDArray[np.uint8], Ints, Ints], values: Floats
) -> int | None:
    """Fill ``values`` with the numbers of a stretch of bytes; the count of rows, None as `number_lines`."""
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
    return np.array(rows, dtype=np.float64).reshape(len(rows), columns)


def decimal(text: str) -> str:
    """Text of numbers as ``%g`` and ``repr`` write them, without exponents: many readers know none.

    Examples
    --------
    >>> decimal("-3e-05 0.5 1.25e+20")
    '-0.00003 0.5 125000000000000000000'
    """
    return _EXPONENT.sub(lambda found: f"{Decimal(found[0]):f}", text) if "e" in text else text


def write_whole(path: Path, content: bytes, *, overwrite: bool = True) -> None:
    """Write a file under a temporary name beside it and rename it: never half a file.

    Raises
    ------
    FileError
        If the file exists and must not be replaced, or its folder is missing or cannot be written.
    """
    with fresh(path, overwrite=overwrite) as part:
        part.write_bytes(content)
