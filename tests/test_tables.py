"""The one reader of tables: cells as written, errors with their line, everything bounded."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segue import tables
from segue.errors import FileError
from segue.tables import Column, by_head, one_of, rows_of, table_text, typed

NUMBERS = (Column("x"), Column("z"))
CELLS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp", "Zs"]), max_size=20)


@given(st.lists(st.lists(CELLS, min_size=2, max_size=5), max_size=20))
def test_cells_come_back_as_a_spreadsheet_writes_them(rows: list[list[str]]) -> None:
    """Cells may hold any letters, commas and quotes; only blank rows are skipped."""
    text = "".join(",".join('"' + cell.replace('"', '""') + '"' for cell in row) + "\n" for row in rows)
    found = [row.cells for row in rows_of(text, "a.csv", comments=False)]
    assert found == [row for row in rows if any(row)]


@given(st.lists(st.tuples(*[st.floats(-1e6, 1e6)] * 2), min_size=1, max_size=30))
def test_numbers_come_back_bit_for_bit(points: list[tuple[float, float]]) -> None:
    """Columns may have any order, with an unknown one between them."""
    text = "Z, note ,X\n" + "".join(f"{z!r},7,{x!r}\n" for x, z in points)
    made = by_head(rows_of(text, "a.csv"), "a.csv", NUMBERS)
    assert np.column_stack([made.numbers["x"], made.numbers["z"]]).tolist() == [list(one) for one in points]
    assert made.lines.tolist() == list(range(2, 2 + len(points)))


@pytest.mark.parametrize(
    "word",
    [
        "nan",
        "inf",
        "-1e999",
        "1e300",
        "1" + "0" * 400,
        "9" * 900,
        "²",
        "٣",
        "1_0",
        "0x1F",
        "1,5",
        "--1",
        ".",
        "one",
    ],
)
def test_what_is_no_number_is_refused_with_its_line(word: str) -> None:
    """Words for infinity, endless digits, digits of other scripts and program notation are refused."""
    with pytest.raises(
        FileError, match=r"^a\.csv:3: x is .*give a number from -1,000,000 to 1,000,000"
    ) as error:
        by_head(rows_of(f'x,z\n1,2\n"{word}",2\n', "a.csv"), "a.csv", NUMBERS)
    assert len(str(error.value)) < 200


@pytest.mark.parametrize("word", ["-1", "1.0", "1e3", "+1", "²", "٣", "9" * 16, "9" * 900, "", "x"])
def test_what_is_no_whole_number_is_refused(word: str) -> None:
    """A whole number has only digits, fifteen at most."""
    with pytest.raises(FileError, match="give a whole number from 0 to"):
        typed(rows_of(f"{word},a\n", "a.csv"), "a.csv", (Column("n", "whole", most=1e9), Column("t", "text")))


def test_what_a_row_holds_is_counted() -> None:
    """Empty cells behind the last column are ignored; others are an error."""
    assert len(typed(rows_of("1,2,,\n", "a.csv"), "a.csv", NUMBERS)) == 1
    for text in ("1\n", "1,2,3\n", "1,2,,3\n"):
        with pytest.raises(FileError, match=r"a\.csv:1: holds \d values where a row has x,z"):
            typed(rows_of(text, "a.csv"), "a.csv", NUMBERS)


def test_heads_are_whole_and_name_nothing_twice() -> None:
    """The error names the missing columns and gives the head line."""
    with pytest.raises(FileError, match=r"a\.csv:2: its head line lacks z; it is x,z"):
        by_head(rows_of("\nx,y\n1,2\n", "a.csv"), "a.csv", NUMBERS)
    with pytest.raises(FileError, match="names x more than once"):
        by_head(rows_of("x,z,X\n1,2,3\n", "a.csv"), "a.csv", NUMBERS)
    for text in ("", "# nothing\n", "x,z\n\n"):
        with pytest.raises(FileError, match="holds no rows"):
            by_head(rows_of(text, "a.csv"), "a.csv", NUMBERS)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('1,2\n"3,4\n5,6\n', ":2: a quote that opens here is not closed on its line"),
        ('1,2\n"3\n4",5\n', ":2: a quote that opens here is not closed on its line"),
        ('1,2\n"' + "3,4\n" * 50_000, ":2: a quote that opens here is not closed on its line"),
        ('1,2\n"3"4,5\n', ":2: is no row of a table: ',' expected after '\"'"),
        ("1,2\n3," + "1" * 1001 + "\n", ":2: a cell has 1,001 letters; 1,000 at most"),
        ("1,2\n3," + "1" * 100_000 + "\n", ":2: the line has 100,003 letters; 100,000 at most"),
        ("1,2\n3,\0004\n", ":2: holds a NUL, and is no text"),
    ],
)
def test_odd_lines_are_refused_with_their_number(text: str, sentence: str) -> None:
    """Endless quotes, oversized cells and lines, and bytes that are not text are refused."""
    with pytest.raises(FileError) as error:
        list(rows_of(text, "a.csv"))
    assert str(error.value) == f"a.csv{sentence}"


def test_only_a_line_feed_ends_a_line() -> None:
    """Form feeds and separators of other alphabets do not shift the line numbers."""
    rows = list(rows_of("a\x0c,b\nc\u2028,d\x1c\n\ne,f\n", "a.csv"))
    assert [row.line for row in rows] == [1, 2, 4]


def test_encodings_and_line_ends_of_spreadsheets_are_read(tmp_path: Path) -> None:
    """UTF-8 with and without a mark, UTF-16 of both orders, and line ends of three systems are read."""
    file = tmp_path / "a.csv"
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-16-be"):
        mark = b"\xfe\xff" if encoding == "utf-16-be" else b""
        file.write_bytes(mark + "ä;1\r\nö;2\rü;3\n".encode(encoding))
        assert table_text(file) == "ä;1\nö;2\nü;3\n"
    file.write_bytes(b"1,2\n3,\xff\n")
    with pytest.raises(FileError, match=r"a\.csv:2: byte 0xff is not UTF-8"):
        table_text(file)


def test_files_that_are_none_are_not_waited_for(tmp_path: Path) -> None:
    """A folder, a pipe without a writer, an endless device, an impossible name and an oversized file are refused."""
    os.mkfifo(tmp_path / "pipe.csv")
    for path, why in (
        (tmp_path, "is a folder"),
        (tmp_path / "pipe.csv", "no ordinary file"),
        (Path("/dev/zero"), "no ordinary file"),
        (Path("a\0b.csv"), "no file has such a name"),
        (Path("a" * 5000), "cannot be read"),
        (tmp_path / "none.csv", "there is no such file"),
    ):
        with pytest.raises(FileError, match=why):
            table_text(path)
    large = tmp_path / "large.csv"
    with large.open("wb") as stream:
        stream.truncate(tables.LARGEST + 1)
    with pytest.raises(FileError, match="is larger than 10 MB"):
        table_text(large)


def test_words_of_a_choice_are_found_in_any_letters() -> None:
    """Case is ignored; an unknown word is reported with its line."""
    table = typed(rows_of("Good\nbad\n", "a.csv"), "a.csv", (Column("said", "text"),))
    assert one_of(table, "said", ("good", "bad")) == ("good", "bad")
    table = typed(rows_of("good\nfine\n", "a.csv"), "a.csv", (Column("said", "text"),))
    with pytest.raises(FileError, match=r"a\.csv:2: said is 'fine'; it is good or bad"):
        one_of(table, "said", ("good", "bad"))
