"""TRC files as spreadsheets and other tools write them: with tabs, commas, semicolons or blanks, and empty cells."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from segue.errors import FileError
from segue.io.markers import read_markers

KEYS = ["DataRate", "CameraRate", "NumFrames", "NumMarkers", "Units", "OrigDataRate", "OrigDataStartFrame"]
VALUES = ["50", "50", "3", "2", "mm", "50", "1"]
ROWS = [["1", "0.00", "-100", "60", "0", "20", "460", "5"], ["2", "0.02", "-97", "62", "31", "", "", ""]]
ROWS += [["3", "0.04", "-94", "64", "62", "26", "464", "6"]]


def text(
    mark: str, *, pad: str = "", end: str = "", rows: list[list[str]] = ROWS, values: list[str] = VALUES
) -> str:
    """One file with its cells separated by a mark, blanks around them, and more marks at the end of each line."""
    table = [
        ["PathFileType", "4", "(X/Y/Z)", "a.trc"],
        KEYS,
        values,
        ["Frame#", "Time", "L HEEL" if mark.strip() else "LHEEL", *(["", ""] if mark.strip() or mark == "\t" else []),
         "C7.back"],
        [*(["", ""] if mark != " " else []), "X1", "Y1", "Z1", "X2", "Y2", "Z2"],
        [],
        *rows,
    ]  # fmt: skip
    return "\n".join((pad + mark + pad).join(row) + end for row in table) + "\n"


@pytest.mark.parametrize(
    "content",
    [
        text("\t"),
        text(","),
        text(";"),
        text(", "),
        text(",", pad=" "),
        text(",", end=",,,"),
        text(";", end=";;"),
        text("\t", end="\t"),
        text("\t", pad=" "),
        text(",").replace("\n", "\r\n"),
        text(",").replace("L HEEL", '"L HEEL"'),
    ],
)
def test_marks_between_cells(tmp_path: Path, content: str) -> None:
    """Names, positions and the missing sample are the same."""
    path = tmp_path / "a.trc"
    path.write_text(content)
    markers = read_markers(path)
    assert [name.replace(" ", "") for name in markers.names] == ["LHEEL", "C7.back"]
    assert markers.fps == 50.0
    assert markers.positions[0].tolist() == [[-0.1, 0.06, 0.0], [0.02, 0.46, 0.005]]
    assert np.isnan(markers.positions[1, 1]).all()
    assert np.isnan(markers.positions).sum() == 3


def test_blanks_between_cells(tmp_path: Path) -> None:
    """Blanks cannot omit a cell: a gap is NaN, and a row that is too short is named."""
    path = tmp_path / "a.trc"
    gap = [ROWS[0], [*ROWS[1][:5], "NaN", "nan", "NAN"], ROWS[2]]
    path.write_text(text(" ", rows=gap))
    markers = read_markers(path)
    assert markers.names == ("LHEEL", "C7.back")
    assert np.isnan(markers.positions).sum() == 3
    path.write_text(text(" "))
    with pytest.raises(FileError, match=r"a\.trc:8: frame 1 has 5 columns; 2 markers need 8"):
        read_markers(path)


@pytest.mark.parametrize("mark", ["\t", ",", ";"])
@pytest.mark.parametrize(("empty", "fps", "unit"), [((0, 1), 50.0, "mm"), ((4,), 50.0, "mm"), ((0, 4, 5), 50.0, "mm"),
                                                    ((), 50.0, "mm"), ((1, 2, 3), 50.0, "mm")])  # fmt: skip
def test_empty_cells_of_the_header(
    tmp_path: Path, mark: str, empty: tuple[int, ...], fps: float, unit: str
) -> None:
    """A missing value does not shift the others: the rate comes from the times, the unit from the size."""
    values = ["" if k in empty else word for k, word in enumerate(VALUES)]
    path = tmp_path / "a.trc"
    path.write_text(text(mark, values=values))
    markers = read_markers(path)
    assert (markers.fps, markers.unit) == (pytest.approx(fps), unit)


def test_a_marker_without_a_name(tmp_path: Path) -> None:
    """The line of axes shows that there are two markers."""
    path = tmp_path / "a.trc"
    path.write_text(text("\t").replace("C7.back", ""))
    assert read_markers(path).names == ("L HEEL", "marker") or read_markers(path).names == ("LHEEL", "marker")


def test_a_count_of_many_digits_is_no_traceback(tmp_path: Path) -> None:
    """A NumFrames of five thousand digits is not converted."""
    path = tmp_path / "a.trc"
    path.write_text(text("\t", values=["50", "50", "9" * 5000, *VALUES[3:]]))
    assert read_markers(path).n_frames == 3
