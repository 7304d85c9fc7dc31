"""Points of a C3D file computed by a model were read as markers, and values that are not numbers went unnoticed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from naive import c3d as naive
from segue.errors import FileError
from segue.io.markers import read_markers

LABELS = ["LASI", "LKneeAng", "RASI", "LKneePow", "GroundF"]


def lists(kind: str, width: int = 8, **names: list[str]) -> bytes:
    """Parameters of POINT that list labels."""
    return b"".join(
        naive.parameter(
            kind, 1, name, -1, [width, len(labels)], "".join(f"{label:{width}}" for label in labels).encode()
        )
        for name, labels in names.items()
    )


def file(
    kind: str = "intel", *, labels: list[str] = LABELS, frames: int = 3, bad: float = 0.5, **names: list[str]
) -> bytes:
    """A file with five points; one value of the first point is bad in the second frame."""
    rows = [[(100.0 + k, 200.0, 300.0, 0.0) for k in range(len(labels))] for _ in range(frames)]
    rows[1][0] = (bad, 200.0, 300.0, 0.0)
    return naive.file(kind, rows, scale=-1.0, labels=labels, more=lists(kind, **names))


@pytest.mark.parametrize("kind", ["intel", "mips", "dec"])
@pytest.mark.parametrize(
    ("document", "names", "message"),
    [
        ({"ANGLES": ["LKneeAng"], "POWERS": ["LKneePow"], "FORCES": ["GroundF"]}, ["LASI", "RASI"],
         "left out: 1 angles, 1 forces, 1 powers"),
        ({"ANGLES": ["LKneeAng", "LKneePow"]}, ["LASI", "RASI", "GroundF"], "2 angles"),
        ({"ANGLES": ["LKneeAng"], "ANGLES2": ["LKneePow"]}, ["LASI", "RASI", "GroundF"], "2 angles"),
        ({"MOMENTS": ["GroundF"]}, ["LASI", "LKneeAng", "RASI", "LKneePow"], "1 moments"),
        ({"SCALARS": ["GroundF", "Other"]}, ["LASI", "LKneeAng", "RASI", "LKneePow"], "1 scalars"),
        ({"REACTIONS": ["GroundF"]}, ["LASI", "LKneeAng", "RASI", "LKneePow"], "1 reactions"),
        ({"ANGLES": ["", "Nobody"]}, LABELS, ""),
        ({}, LABELS, ""),
    ],
)  # fmt: skip
def test_outputs_are_left_out(
    tmp_path: Path, kind: str, document: dict[str, list[str]], names: list[str], message: str
) -> None:
    """The markers keep their positions, and the number of points left out is reported by kind."""
    path = tmp_path / "a.c3d"
    path.write_bytes(file(kind, **document))
    markers = read_markers(path)
    assert list(markers.names) == names
    notes = [note for note in markers.notes if "left out" in note]
    assert (message in notes[0]) if message else not notes
    wanted = [0.1 + 0.001 * LABELS.index(name) for name in names]
    assert markers.positions[0, :, 0].tolist() == pytest.approx(wanted)


def test_the_subjects_name_before_a_label(tmp_path: Path) -> None:
    """The subject's name may be in one of the two lists only."""
    path = tmp_path / "a.c3d"
    path.write_bytes(file(labels=["S:A", "S:B", "C", "D", "E"], ANGLES=["B"], FORCES=["S:C"]))
    assert list(read_markers(path).names) == ["S:A", "D", "E"]


def test_a_file_of_outputs_alone(tmp_path: Path) -> None:
    """A file of model outputs alone is refused with the kinds that it holds."""
    path = tmp_path / "a.c3d"
    path.write_bytes(file(ANGLES=LABELS))
    with pytest.raises(FileError, match="holds 5 points and no markers: all are 5 angles"):
        read_markers(path)


@pytest.mark.parametrize("kind", ["intel", "mips"])
@pytest.mark.parametrize("place", [0, 1, 2, 3])
def test_not_a_number_is_not_seen(tmp_path: Path, kind: str, place: int) -> None:
    """NaN in one coordinate or in the residual makes that sample a gap; the others are kept."""
    rows = [[(1.0, 2.0, 3.0, 0.0), (4.0, 5.0, 6.0, 0.0)] for _ in range(4)]
    rows[2][1] = tuple(float("nan") if k == place else value for k, value in enumerate(rows[2][1]))
    path = tmp_path / "a.c3d"
    path.write_bytes(naive.file(kind, rows, scale=-1.0, labels=["A", "B"]))
    markers = read_markers(path)
    assert np.argwhere(np.isnan(markers.positions[..., 0])).tolist() == [[2, 1]]
    assert any("missing: 1 of 8 samples" in note for note in markers.notes)


def test_infinity_is_no_gap(tmp_path: Path) -> None:
    """An infinite value is still an error."""
    path = tmp_path / "a.c3d"
    path.write_bytes(file(bad=float("inf")))
    with pytest.raises(FileError, match="frame 1 holds values that are no positions"):
        read_markers(path)
