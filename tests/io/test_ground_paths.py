"""Paths on the ground from tables and drawings."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from segue.errors import FileError
from segue.io.ground_paths import outlines, read_ground_path

SVG = '<svg xmlns="http://www.w3.org/2000/svg"><g{}><path id="a" d="M0 0h100"/><path id="b" d="m0,0 0,50"/></g></svg>'


def _one(d: str) -> np.ndarray:
    (points,) = outlines(d, path=Path("x.svg"))
    return points


def test_commands_mean_what_the_standard_says() -> None:
    """Absolute and relative lines, numbers without separators, and a moveto continued as lines are read."""
    assert _one("M1 2L3 4H5V6Z").tolist() == [[1, 2], [3, 4], [5, 4], [5, 6], [1, 2]]
    assert _one("m1 2 2 2h2v2z").tolist() == [[1, 2], [3, 4], [5, 4], [5, 6], [1, 2]]
    assert _one("M.5.5l1e1-2").tolist() == [[0.5, 0.5], [10.5, -1.5]]


def test_curves_pass_where_their_formula_says() -> None:
    """The middle of a cubic and of a quadratic is on the curve; smooth ones mirror the previous handle."""
    cubic = _one("M0 0C0 4 4 4 4 0")
    assert cubic[12] == pytest.approx([2.0, 3.0])
    assert _one("M0 0Q2 4 4 0")[12] == pytest.approx([2.0, 2.0])
    assert _one("M0 0C0 4 4 4 4 0S8-4 8 0") == pytest.approx(_one("M0 0C0 4 4 4 4 0C4-4 8-4 8 0"))
    assert _one("M0 0Q2 4 4 0T8 0") == pytest.approx(_one("M0 0Q2 4 4 0Q6-4 8 0"))


@pytest.mark.parametrize(
    ("flags", "middle"), [("0 1", (0, 100)), ("0 0", (100, 0)), ("1 0", (0, 100)), ("1 1", (100, 0))]
)
def test_arcs_lie_on_their_circle(flags: str, middle: tuple[float, float]) -> None:
    """Each of the four arcs between two points is on its circle, ends there, and covers a quarter or three quarters."""
    arc = _one(f"M0 0A100 100 0 {flags} 100 100")
    assert np.hypot(*(arc - middle).T) == pytest.approx(np.full(len(arc), 100.0))
    assert arc[-1].tolist() == [100, 100]
    length = np.hypot(*np.diff(arc, axis=0).T).sum()
    assert length == pytest.approx(50 * np.pi * (3 if flags[0] == "1" else 1), rel=0.01)


@pytest.mark.parametrize("d", ["L1 1", "5 5", "M1", "M0 0 C1 2 3", "M0 0 X", "M0 0 L1 1 z 5", "M0 0L1e999 0"])
def test_nonsense_is_refused(d: str) -> None:
    """Each is refused with a sentence that names the file."""
    with pytest.raises(FileError, match=r"x\.svg"):
        outlines(d, path=Path("x.svg"))


def test_drawings_are_read_to_scale(tmp_path: Path) -> None:
    """The first path is read, or the one named; 100 units are a metre unless set otherwise."""
    file = tmp_path / "map.svg"
    file.write_text(SVG.format(""), "utf-8")
    first = read_ground_path(file)
    assert first.points.tolist() == [[0, 0], [1, 0]]
    assert "the first of 2 paths" in first.note
    assert read_ground_path(f"{file}#b", unit=1.0).points.tolist() == [[0, 0], [0, 50]]
    with pytest.raises(FileError, match="no path called 'c'; its paths: a, b"):
        read_ground_path(f"{file}#c")
    file.write_text(SVG.format(' transform="scale(2)"'), "utf-8")
    with pytest.raises(FileError, match="transform"):
        read_ground_path(file)


def test_tables_are_read_with_labels(tmp_path: Path) -> None:
    """A header, labels, comments and decimal commas with semicolons are read; a wrong line is named."""
    file = tmp_path / "p.csv"
    file.write_text("x,z,label\n0,0,walk\n\n# half way\n1.5,2\n", "utf-8")
    read = read_ground_path(file)
    assert read.points.tolist() == [[0, 0], [1.5, 2]]
    assert read.labels == ("walk", "")
    file.write_text("0;0\n1,5;2\n", "utf-8")
    assert read_ground_path(file).points.tolist() == [[0, 0], [1.5, 2]]
    for text, line in (("0,0\nx,1\n", 2), ("0,0\n1,2,a,b\n", 2), ("0,0\nnan,2\n", 2), ("1\n2\n", 1)):
        file.write_text(text, "utf-8")
        with pytest.raises(FileError) as error:
            read_ground_path(file)
        assert error.value.line == line
    file.write_text("0,0\n", "utf-8")
    with pytest.raises(FileError, match="holds 1 point"):
        read_ground_path(file)
