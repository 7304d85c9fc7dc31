"""Bytes to numbers: every bit as float() computes it, and nothing read that float() would refuse."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import numbers as naive
from segue.errors import FileError
from segue.io import _kernels
from segue.io.digests import Digest
from segue.io.text import Lines, TextFile, number_lines, number_rows, read_text
from segue.maths.quaternions import to_matrix

HARD = (
    "0", "-0", "+0", "0.0", "-.0", "0.", ".5", "+20", "1e1", "9.1E+01", "1e-40", "4.9e-324", "1e308", "-1E-005",
    "9007199254740992", "9007199254740993", "9007199254740993.0", "0.1", "0.3", "123456789012345", "1234567890123456",
    "0.1234567890123456789", "123456789012345678901234567890", "99999999999999999999.5e-20", "1e22", "1e23", "8.5e22",
    "1e-22", "1e-23", "0.000000000000000000000000000001", "179.9999999999999", "2.2250738585072011e-308", "5e-325",
    "00000000000000000000000000001", "1.00000000000000000000000000", "7.0e00000000000000001", "0e999999999999999999",
    "3.14159265358979323846", "-89.6600000000000001", "1.7976931348623157e308",
)  # fmt: skip
WRONG = (
    "", "-", "+", ".", "-.", "e5", "1e", "1e+", "1e-", "--1", "+-1", "1.2.3", "1,5", "0x10", "1_0", "nan", "inf",
    "-Infinity", "1e400", "-1e999999999999999999999", "91-2", "1d5", "1f", "1e5.0", "#", "١",
)  # fmt: skip
GAPS = (" ", "\t", "  ", " \t ", "\v", "\f", "\x1c", "\r")


def file_of(text: str) -> TextFile:
    """Text as if read from a file."""
    return TextFile(Path("numbers.txt"), text.encode("utf-8"), Digest(b""))


def same(found: np.ndarray | None, wanted: list[list[float]] | None) -> bool:
    """Equal to the last bit, or both refused."""
    if found is None or wanted is None:
        return found is None and wanted is None
    plain = [naive.bits(value) for row in found.tolist() for value in row]
    return plain == [naive.bits(value) for row in wanted for value in row] and len(found) == len(wanted)


@pytest.mark.parametrize("word", HARD)
def test_hard_numbers_are_floats(word: str) -> None:
    """Signs, exponents, too many digits, halfway cases, the smallest and largest are float()'s to the last bit."""
    found = number_lines(file_of(f"1 {word} 2\n"), start=0, layout=[("", 3)])
    assert same(found, [[1.0, float(word), 2.0]])


@pytest.mark.parametrize("word", WRONG)
def test_what_is_no_number_is_refused(word: str) -> None:
    """It is neither guessed nor truncated; the line is named."""
    file = file_of(f"1 2 3\n\n4 {word} 6\n")
    assert number_lines(file, start=0, layout=[("", 3)]) is None
    if word != "١":  # float() reads digits of every script; so does the general reader
        with pytest.raises(FileError) as caught:
            number_rows(file, start=0, columns=3)
        assert caught.value.line == 3


@given(
    words=st.lists(
        st.one_of(
            st.floats(allow_nan=False, allow_infinity=False).map(repr),
            st.floats(-1e4, 1e4).map("{:.6f}".format),
            st.floats(-1e9, 1e9).map("{:.3e}".format),
            st.decimals(allow_nan=False, allow_infinity=False, places=4).map(str),
            st.integers().map(str),
            st.sampled_from(HARD),
        ),
        min_size=1,
        max_size=24,
    ),
    columns=st.integers(1, 4),
    gaps=st.lists(st.sampled_from(GAPS), min_size=1, max_size=5),
    ends=st.lists(st.sampled_from(("\n", "\r\n", " \n", "\n\n", "\n \t\n")), min_size=1, max_size=5),
)
def test_rows_equal_their_twin(words: list[str], columns: int, gaps: list[str], ends: list[str]) -> None:
    """Whatever the numbers, blanks and line ends, split and float give the same bits."""
    words = words[: len(words) // columns * columns] or words[:1] * columns
    gap, end = itertools.cycle(gaps), itertools.cycle(ends)
    text = "".join(
        word + (next(end) if (k + 1) % columns == 0 else next(gap)) for k, word in enumerate(words)
    )
    for whole in (text, text.rstrip(), "\n \n" + text):
        found = number_lines(file_of(whole), start=0, layout=[("", columns)])
        assert same(found, naive.rows_of(whole, [("", columns)]))


@pytest.mark.parametrize("gap", [" ", "  ", "\t"])
def test_every_width_of_plain_numbers(gap: str, rng: np.random.Generator) -> None:
    """Zero to nine digits before and after the point, or no point, with any sign, are read as by float()."""
    words = []
    for sign in ("", "-", "+"):
        for n_front in range(10):
            for n_back in range(-1, 10):
                front, back = (
                    "".join(rng.choice(list("0123456789"), size=max(n, 0))) for n in (n_front, n_back)
                )
                words.append(sign + front + ("." + back if n_back >= 0 else ""))
    words = [word for word in words if any(letter.isdigit() for letter in word)]
    words = [str(word) for order in range(2) for word in rng.permutation(words)[order:]]
    columns = 7
    words = words[: len(words) // columns * columns]
    lines = [words[k : k + columns] for k in range(0, len(words), columns)]
    text = "\n".join(gap.join(line) for line in lines)
    found = number_lines(file_of(text), start=0, layout=[("", columns)])
    assert same(found, [[float(word) for word in line] for line in lines])


@pytest.mark.parametrize("letter", [*"/:,;-+e \x00\x1b\x7f", "ä", "°"])
def test_one_wrong_letter_anywhere_is_found(letter: str) -> None:
    """A letter written over any position of a row is read as float() reads it, or refused."""
    row = "12.3456 -7.891234 0.5 -123.000001 45.25"
    for at in range(len(row)):
        text = "\n".join([row, row[:at] + letter + row[at + 1 :], row, row])
        layout = [("", 5)]
        assert same(number_lines(file_of(text), start=0, layout=layout), naive.rows_of(text, layout)), repr(
            text
        )


@given(text=st.text(alphabet="0123456789.-+eE \t\n_,x", max_size=60), columns=st.integers(1, 3))
def test_any_text_equals_its_twin(text: str, columns: int) -> None:
    """Garbled text gives what split and float give, or is refused where they refuse it."""
    layout = [("", columns)]
    assert same(number_lines(file_of(text), start=0, layout=layout), naive.rows_of(text, layout))


ROUND = [("", 1), ("root", 2), ("lfemur", 1), ("ä", 1)]


@given(
    lines=st.lists(
        st.sampled_from(
            ("1", "2", "root 1 2", "root 1 2 3", " lfemur\t-4.5", "lfemurs 1", "ä 7", "", "lfemur")
        ),
        max_size=12,
    )
)
def test_named_lines_equal_their_twin(lines: list[str]) -> None:
    """Repeated groups of named lines are read only where every line is in its place."""
    whole = "\n".join(["1", "root 1 2", "lfemur 3", "ä 4", *lines])
    assert same(number_lines(file_of(whole), start=0, layout=ROUND), naive.rows_of(whole, ROUND))


def test_rows_start_at_a_line() -> None:
    """Numbers are read from the given line on; any text may precede it."""
    file = file_of("HIERARCHY ü\n\nFrame Time: 1\n1 2\n3 1.00000000000000000000001\n")
    assert number_rows(file, start=3, columns=2).tolist() == [[1, 2], [3, 1]]
    assert number_rows(file, start=9, columns=2).shape == (0, 2)


@pytest.mark.parametrize("spoilt", [None, 3, 800, 1_299])
@pytest.mark.parametrize("workers", [1, 2, 3, 4])
def test_long_files_are_read_in_parts(
    spoilt: int | None, workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rows are the same for any number of threads that read parts of a file; a bad row anywhere is found."""
    monkeypatch.setattr("segue.io.text.usable_cores", lambda: workers)
    monkeypatch.setattr("segue.io.text._LARGE", 1000)
    lines = [f"{k} {k}.25 1.0000000000000000000{k % 10}" if k % 7 else "" for k in range(1_300)]
    if spoilt is not None:
        lines[spoilt] = "1 2"
    file = file_of("head\n" + "\n".join(lines))
    if spoilt is not None:
        with pytest.raises(FileError) as caught:
            number_rows(file, start=1, columns=3)
        assert caught.value.line == spoilt + 2
        return
    wanted = [[float(word) for word in line.split()] for line in lines if line]
    assert np.array_equal(number_rows(file, start=1, columns=3), np.array(wanted))


def test_values_without_channels_are_refused() -> None:
    """Numbers without a channel are an error, not rows."""
    with pytest.raises(FileError, match="has 1 values where the channels need 0"):
        number_rows(file_of("5\n"), start=0, columns=0)
    assert number_rows(file_of(" \n"), start=0, columns=0).shape == (0, 0)


REAL = ("cmu/mb2/01_01.bvh", "misc/pymo/AV_8Walk_Meredith_HVHA_Rep1.bvh", "misc/geno/Geno_stance.bvh")


@pytest.mark.parametrize("name", REAL)
def test_captured_rows_are_floats(data: Path, name: str) -> None:
    """Every value of a real file equals float() of its word."""
    file = read_text(data / name)
    start = next(k for k, line in enumerate(file.lines) if line.lower().startswith("frame time")) + 1
    wanted = [[float(word) for word in line.split()] for line in file.lines[start:] if line.strip()]
    assert np.array_equal(number_rows(file, start=start, columns=len(wanted[0])), np.array(wanted))


@given(text=st.text(alphabet="ab\n\v\fä", max_size=30), index=st.integers(0, 12))
def test_lines_found_one_by_one_are_the_lines(text: str, index: int) -> None:
    """Requesting one line, their number or all of them gives the same as splitting."""
    lines, plain = Lines(text.encode()), text.split("\n")
    if index < len(plain):
        assert lines[index] == plain[index]
    else:
        with pytest.raises(IndexError):
            _ = lines[index]
    assert len(lines) == len(plain)
    assert list(lines) == lines[:] == plain
    assert lines[-1] == plain[-1]
    assert lines.start(index) == sum(len(line.encode()) + 1 for line in plain[:index])


def turned(values: np.ndarray, columns: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """The kernel's result in a new array."""
    out = np.empty((len(values), len(columns), 4))
    _kernels.turned(values, columns, axes, out)
    return out


@given(
    angles=st.lists(
        st.one_of(st.floats(-1e4, 1e4), st.integers(-16, 16).map(lambda k: 45.0 * k)), min_size=3, max_size=3
    ),
    axes=st.lists(st.sampled_from("XYZ"), max_size=3).map("".join),
)
def test_turned_equals_its_twin(angles: list[float], axes: str) -> None:
    """Up to three rotations about any axes: the matrix of the quaternion is the product of the matrices."""
    columns = np.array([[2, 0, 1]])
    codes = np.full((1, 3), -1)
    codes[0, : len(axes)] = ["XYZ".index(axis) for axis in axes]
    found = turned(np.array([angles]), columns, codes)[0, 0]
    wanted = naive.turn([angles[2], angles[0], angles[1]][: len(axes)], axes)
    assert abs(np.linalg.norm(found) - 1) < 1e-14
    assert to_matrix(found) == pytest.approx(wanted, abs=1e-11)


def test_quarter_turns_are_exact() -> None:
    """Ninety degrees are exact: the half angle's sine and cosine agree to the last digit."""
    found = turned(
        np.array([[90.0], [180.0], [360.0], [-180.0]]), np.array([[0, 0, 0]]), np.array([[1, -1, -1]])
    )
    half = np.sqrt(0.5)
    assert found[:, 0] == pytest.approx(
        np.array([[half, 0, half, 0], [0, 0, 1, 0], [-1, 0, 0, 0], [0, 0, -1, 0]]), abs=2e-16
    )
