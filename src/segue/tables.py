"""Reader of text tables (.csv), limited in size, with typed columns; errors name the line.

All commands read their tables here: paths, scripts, grounds, labels. A table is UTF-8 text, or UTF-16 with a byte order
mark, as spreadsheets write it, with one row per line. A cell in double quotes may hold the separator, but no line end.
Blank lines are skipped, as are lines that begin with ``#`` where comments are allowed.

A `Column` states the values of its cells: numbers are checked to be finite and in range before they enter an array.
"""

from __future__ import annotations

import csv
import io
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from segue.arrays import Floats, Ints, frozen
from segue.errors import FileError, nearest
from segue.file_bytes import file_bytes

LARGEST = 10_000_000
"""Most bytes of a table."""
LONGEST_LINE = 100_000
"""Most characters of a line."""
LONGEST_CELL = 1000
"""Most characters of a cell."""
FAR = 1e6
"""Largest absolute coordinate of a position in a table, in metres."""
_DIGITS = 15  # most digits of an integer
_LONGEST_NUMBER = 100  # most characters of any other number
_SHOWN = 40  # characters of a cell that a message repeats


class Row(NamedTuple):
    """One row: its line number, from 1, and its cells without surrounding blanks."""

    line: int
    cells: list[str]


@dataclass(frozen=True)
class Column:
    """Name and values of a column.

    Parameters
    ----------
    name
        Name in the head line, in lower case.
    holds
        ``"number"``, ``"whole"`` (an integer, digits only) or ``"text"``.
    least, most
        Range of the numbers, inclusive.
    needed
        Whether the column is required.
    empty
        Whether cells may be empty; they are read as NaN, -1 for integers, or the empty text.
    """

    name: str
    holds: Literal["number", "whole", "text"] = "number"
    least: float = -FAR
    most: float = FAR
    needed: bool = True
    empty: bool = False


@dataclass(frozen=True, eq=False)
class Table:
    """Rows of a table by column.

    Parameters
    ----------
    path
        The file, for messages.
    lines
        (R,) line of each row, from 1.
    numbers
        (R,) float64 values of each column of numbers, including whole ones, by name.
    texts
        (R,) cells of each column of text, by name.
    """

    path: Path
    lines: Ints
    numbers: Mapping[str, Floats]
    texts: Mapping[str, tuple[str, ...]]

    def __len__(self) -> int:
        return len(self.lines)

    def whole(self, name: str) -> list[int]:
        """Return a column of integers."""
        values: list[int] = self.numbers[name].astype(np.int64).tolist()
        return values

    def error(self, row: int, message: str) -> FileError:
        """Return the error that names the line of a row."""
        return FileError(self.path, message, line=int(self.lines[row]))


def table_text(path: str | Path, *, largest: int = LARGEST) -> str:
    """Return the text of a file without byte order mark, its lines ended by line feeds.

    Raises
    ------
    FileError
        If it is missing, not an ordinary file, larger than ``largest`` bytes, or not text (with the line).
    """
    path = Path(path)
    content = file_bytes(path, most=largest + 1)
    if len(content) > largest:
        raise FileError(path, f"is larger than {largest / 1e6:g} MB; a table is smaller")
    return _decoded(content, path)


def is_there(path: str | Path) -> bool:
    """Return whether a path exists; False for invalid paths."""
    try:
        Path(path).stat()
    except (OSError, ValueError):
        return False
    return True


def _decoded(content: bytes, path: Path) -> str:
    wide = content[:2] in {b"\xff\xfe", b"\xfe\xff"}
    try:
        text = content.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        found = f"byte 0x{content[error.start]:02x} is not UTF-{16 if wide else 8}"
        raise FileError(path, f"{found}; save it as text in UTF-8", line=line) from None
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def rows_of(text: str, path: str | Path, *, marks: str = ",", comments: bool = True) -> Iterator[Row]:
    r"""Yield the rows of a text that are not blank.

    Parameters
    ----------
    text
        Text of the table, as `table_text` returns it.
    path
        The file, for messages.
    marks
        Possible separators; the first that occurs in the first row is used.
    comments
        Whether lines that begin with ``#`` are skipped.

    Raises
    ------
    FileError
        With the line: if a line or cell is too long, holds a NUL, or has a quote that is not closed on it.

    Examples
    --------
    >>> list(rows_of("# all\nx; z\n\n1;2\n", "p.csv", marks=";,"))
    [Row(line=2, cells=['x', 'z']), Row(line=4, cells=['1', '2'])]
    """
    path = Path(path)
    mark = mark_of(text, marks, comments=comments)
    lines = csv.reader(lines_of(text, path), delimiter=mark, strict=True, skipinitialspace=True)
    while True:
        line = lines.line_num + 1
        try:
            cells: list[str] | None = next(lines)
        except StopIteration:
            return
        except csv.Error as error:
            if lines.line_num == line and "end of data" not in str(error):
                raise FileError(path, f"is no row of a table: {error}", line=line) from None
            cells = None
        if cells is None or lines.line_num != line:
            raise FileError(path, "a quote that opens here is not closed on its line", line=line)
        cells = [cell.strip() for cell in cells]
        if not any(cells) or (comments and cells[0].startswith("#")):
            continue
        if max(map(len, cells)) > LONGEST_CELL:
            longest = max(map(len, cells))
            raise FileError(path, f"a cell has {longest:,} letters; {LONGEST_CELL:,} at most", line=line)
        yield Row(line, cells)


def lines_of(text: str, path: Path) -> Iterator[str]:
    """Yield the lines of a text with their ends; only a line feed ends a line.

    Raises
    ------
    FileError
        With the line: if it is too long or holds a NUL.
    """
    for line, words in enumerate(io.StringIO(text, newline="\n"), 1):
        if len(words) > LONGEST_LINE:
            raise FileError(path, f"the line has {len(words):,} letters; {LONGEST_LINE:,} at most", line=line)
        if "\0" in words:
            raise FileError(path, "holds a NUL, and is no text", line=line)
        yield words


def mark_of(text: str, marks: str, *, comments: bool = True) -> str:
    """Return the first of ``marks`` that occurs in the first row; the first of all if none does."""
    if len(marks) == 1:
        return marks
    lines = (line.strip() for line in io.StringIO(text, newline="\n"))
    head = next((line for line in lines if line and not (comments and line.startswith("#"))), "")
    return next((mark for mark in marks if mark in head), marks[0])


def by_head(rows: Iterable[Row], path: str | Path, columns: Sequence[Column], *, point: str = ".") -> Table:
    r"""Return the table of rows whose first row names the columns, in any order; other columns are ignored.

    Raises
    ------
    FileError
        With the line: if a column is missing or named twice, a row is too long or too short, or a cell does not fit its
        column. Without a line: if there are no rows.

    Examples
    --------
    >>> text = "z,x,note\n1,2,a\n3,4,b\n"
    >>> by_head(rows_of(text, "p.csv"), "p.csv", [Column("x"), Column("z")]).numbers["x"].tolist()
    [2.0, 4.0]
    """
    path = Path(path)
    text = ",".join(column.name for column in columns if column.needed)
    rest = iter(rows)
    first = next(rest, None)
    if first is None:
        raise FileError(path, f"holds no rows; it is a head line {text} and lines of values")
    head = [name.lower() for name in first.cells]
    missing = [column.name for column in columns if column.needed and column.name not in head]
    if missing:
        msg = f"its head line lacks {', '.join(missing)}; it is {text}"
        raise FileError(path, msg, line=first.line)
    known = {column.name: column for column in columns}
    twice = next((name for name in head if name in known and head.count(name) > 1), None)
    if twice is not None:
        raise FileError(path, f"its head line names {twice} more than once", line=first.line)
    table = typed(rest, path, [known.get(name) for name in head], point=point)
    if not len(table):
        raise FileError(path, f"holds no rows behind its head line {text}")
    return table


def typed(
    rows: Iterable[Row], path: str | Path, columns: Sequence[Column | None], *, point: str = "."
) -> Table:
    r"""Return the table of rows whose columns are given in order; a column given as None is ignored.

    Parameters
    ----------
    rows
        Rows as `rows_of` yields them.
    path
        The file, for messages.
    columns
        Columns in order; those at the end that are not required may be missing from a row.
    point
        Decimal separator.

    Raises
    ------
    FileError
        With the line: if a row is too long or too short, or a cell does not fit its column.

    Examples
    --------
    >>> rows = rows_of("1,2,a\n3,4\n", "p.csv")
    >>> made = typed(rows, "p.csv", [Column("x"), Column("z"), Column("label", "text", needed=False, empty=True)])
    >>> made.numbers["z"].tolist(), made.texts["label"]
    ([2.0, 4.0], ('a', ''))
    """
    path = Path(path)
    fewest = max((k + 1 for k, one in enumerate(columns) if one is None or one.needed), default=0)
    lines = array("q")
    numbers = {one.name: array("d") for one in columns if one is not None and one.holds != "text"}
    texts: dict[str, list[str]] = {one.name: [] for one in columns if one is not None and one.holds == "text"}
    for line, cells in rows:
        if not fewest <= len(cells) <= len(columns):
            _fit(path, line, cells, columns, fewest)
        for k, column in enumerate(columns):
            if column is None:
                continue
            cell = cells[k] if k < len(cells) else ""
            if column.holds == "text":
                texts[column.name].append(cell if cell or column.empty else _refuse(path, line, column, cell))
            else:
                numbers[column.name].append(_number(path, line, column, cell, point))
        lines.append(line)
    return Table(
        path,
        frozen(np.array(lines, dtype=np.int64), np.int64),
        {name: frozen(np.array(values)) for name, values in numbers.items()},
        {name: tuple(values) for name, values in texts.items()},
    )


def _fit(path: Path, line: int, cells: list[str], columns: Sequence[Column | None], fewest: int) -> None:
    """Drop empty cells after the last column; refuse a row that still does not fit."""
    while len(cells) > len(columns) and not cells[-1]:
        cells.pop()
    if not fewest <= len(cells) <= len(columns):
        names = ",".join("..." if one is None else one.name for one in columns)
        more = "; a cell that holds a comma stands in double quotes" if len(cells) > len(columns) else ""
        raise FileError(path, f"holds {len(cells)} values where a row has {names}{more}", line=line)


def _number(path: Path, line: int, column: Column, cell: str, point: str) -> float:
    if not cell and column.empty:
        return -1.0 if column.holds == "whole" else float("nan")
    try:
        if column.holds == "whole":
            value = float(cell) if cell.isascii() and cell.isdigit() and len(cell) <= _DIGITS else None
        elif len(cell) <= _LONGEST_NUMBER and cell.isascii() and "_" not in cell:
            value = float(cell if point == "." else cell.replace(point, "."))
        else:
            value = None
    except ValueError:
        value = None
    if value is None or not column.least <= value <= column.most:  # NaN is in no range
        _refuse(path, line, column, cell)
    return value  # type: ignore[return-value]  # refused above where it is None


def _refuse(path: Path, line: int, column: Column, cell: str) -> str:
    shown = repr(cell if len(cell) <= _SHOWN else f"{cell[:_SHOWN]}...")
    if column.holds == "text":
        raise FileError(path, f"{column.name} is empty", line=line)
    what = "a whole number" if column.holds == "whole" else "a number"
    low = max(column.least, 0.0) if column.holds == "whole" else column.least
    msg = f"{column.name} is {shown}; give {what} from {low:,.15g} to {column.most:,.15g}"
    raise FileError(path, msg, line=line)


def one_of(table: Table, name: str, words: Sequence[str]) -> tuple[str, ...]:
    """Return the cells of a column of text, each one of ``words``, matched without regard to case.

    Raises
    ------
    FileError
        With the line: if a cell is none of ``words``; names the nearest.
    """
    known = {word.lower(): word for word in words}
    for row, cell in enumerate(table.texts[name]):
        if cell.lower() not in known:
            near = f"it is {' or '.join(words)}" if len(words) < 4 else nearest(cell[:_SHOWN], words)
            raise table.error(row, f"{name} is {cell[:_SHOWN]!r}; {near}")
    return tuple(known[cell.lower()] for cell in table.texts[name])
