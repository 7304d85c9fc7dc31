"""C3D and TRC: agreement with another library, all processors, long takes, missing entries and refusals."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import c3d as naive
from segue.errors import FileError, SettingError
from segue.io import load
from segue.io.markers import Markers, read_markers, write_marker_csv, write_trc
from segue.io.units import from_y_up

INDEX = Path(__file__).resolve().parents[3] / "shared" / "cases" / "index.csv"


def _rows() -> list[dict[str, str]]:
    if not INDEX.is_file():
        return []
    with INDEX.open(encoding="utf-8") as stream:
        return [row for row in csv.DictReader(stream) if row["kind"] == "c3d"]


ROWS = _rows()
REAL = "c3d/pyomeca/markers_analogs.c3d"


@pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
def test_case(row: dict[str, str], cases: Path) -> None:
    """Saturated counts, missing rates, no points and millimetres are read or refused as the case states."""
    wanted = json.loads(row["check_json"])
    path = cases / row["file"]
    if wanted.get("alternative", {}).get("points") == 0:
        with pytest.raises(FileError, match="0 points"):
            read_markers(path)
        return
    wanted = wanted.get("alternative", wanted)
    found = read_markers(path)
    assert found.n_frames == wanted["frames"]
    assert found.fps == wanted.get("fps", found.fps)
    assert len(found.names) == wanted.get("points", len(found.names))
    assert found.unit == wanted.get("units", found.unit)
    stored = from_y_up(found.positions, up=found.up)
    for name, place in wanted.get("metres", {}).items():
        assert stored[0, found.names.index(name)] == pytest.approx(place, abs=1e-6)
    for name, place in wanted.get("last", {}).items():
        assert stored[-1, found.names.index(name)] / found.metres_per_unit == pytest.approx(place, abs=1e-3)


def test_another_library_reads_the_same(data: Path) -> None:
    """ezc3d reads the same names, rate, positions and gaps."""
    ezc3d = pytest.importorskip("ezc3d")
    found = read_markers(data / REAL)
    other = ezc3d.c3d(str(data / REAL))
    points = other["data"]["points"][:3].transpose(2, 1, 0)
    assert list(found.names) == other["parameters"]["POINT"]["LABELS"]["value"]
    assert found.fps == other["parameters"]["POINT"]["RATE"]["value"][0] == 100.0
    assert (found.n_frames, found.up, found.unit) == (580, "Z", "mm")
    assert np.array_equal(np.isnan(points), np.isnan(found.positions))
    assert np.nanmax(np.abs(from_y_up(found.positions, up="Z") * 1000 - points)) < 1e-9
    assert found.missing == pytest.approx(0.0103, abs=1e-4)


@pytest.mark.parametrize("kind", naive.PROCESSOR)
@pytest.mark.parametrize("scale", [-0.1, 0.25])
@given(seed=st.integers(0, 1000))
def test_all_processors(tmp_path_factory: pytest.TempPathFactory, kind: str, scale: float, seed: int) -> None:
    """Integers and floats of Intel, DEC and MIPS give the same positions; a negative residual is a gap."""
    rng = np.random.default_rng(seed)
    frames, points, analog = int(rng.integers(1, 5)), int(rng.integers(1, 5)), int(rng.integers(0, 3))
    raw = rng.integers(1, 3000, (frames, points, 3)).astype(float)
    seen = rng.random((frames, points)) < 0.8
    rows = [[(*raw[f, p], 0 if seen[f, p] else -1) for p in range(points)] for f in range(frames)]
    path = tmp_path_factory.mktemp("c3d") / "made.c3d"
    labels = [f"M{k}" for k in range(points)]
    path.write_bytes(naive.file(kind, rows, scale=scale, labels=labels, analog=analog, screen="+Y"))
    found = read_markers(path)
    wanted = np.where(seen[..., None], raw * (scale if scale > 0 else 1.0) * 0.001, np.nan)
    assert found.names == tuple(labels)
    assert (found.fps, found.up) == (100.0, "Y")
    assert np.allclose(found.positions, wanted, rtol=1e-6, equal_nan=True)


def one(value: float = 5.0) -> list[list[tuple[float, float, float, float]]]:
    """Three frames of one point."""
    return [[(value, 1.0, 2.0, 0.0)] for _ in range(3)]


def made(folder: Path, content: bytes) -> Path:
    """A .c3d file of these bytes."""
    path = folder / "made.c3d"
    path.write_bytes(content)
    return path


def test_long_takes(tmp_path: Path) -> None:
    """POINT:LONG_FRAMES and TRIAL hold more than 16 bits; without them the stored frames are read and reported."""
    rows = [[(1.0, 1.0, float(k % 30000), 0.0)] for k in range(65_600)]
    long = naive.parameter("intel", 1, "LONG_FRAMES", 4, [], naive.real("intel", 65_600.0))
    trial = naive.parameter("intel", 2, "ACTUAL_START_FIELD", 2, [2], b"\1\0\0\0")
    trial += naive.parameter("intel", 2, "ACTUAL_END_FIELD", 2, [2], (65_600).to_bytes(4, "little"))
    for more in (long, trial, b""):
        path = made(tmp_path, naive.file("intel", rows, scale=1.0, labels=["A"], more=more))
        found = read_markers(path)
        assert found.n_frames == 65_600
        assert any("16" in note for note in found.notes) or more == long


def test_settings_override(tmp_path: Path) -> None:
    """fps=, unit= and up= take precedence over the file."""
    path = made(tmp_path, naive.file("intel", one(), scale=-1.0, labels=["A"], rate=0.0))
    with pytest.raises(FileError, match="pass fps="):
        read_markers(path)
    found = read_markers(path, fps=50, unit=1.0, up="Y")
    assert found.positions[0, 0].tolist() == [5.0, 1.0, 2.0]
    assert (found.fps, found.seconds) == (50.0, 0.04)
    with pytest.raises(SettingError, match="up axis"):
        read_markers(path, up="W")


def test_units_are_guessed_where_none_are_told(tmp_path: Path) -> None:
    """Positions of some hundreds are millimetres, of a few metres; an unknown unit is quoted."""
    path = made(tmp_path, naive.file("intel", one(900.0), scale=-1.0, labels=["A"], units="  "))
    assert (read_markers(path).unit, "the file states none" in read_markers(path).notes[0]) == ("mm", True)
    path = made(tmp_path, naive.file("intel", one(1.5), scale=-1.0, labels=["A"], units="px"))
    assert (read_markers(path).unit, "'px'" in read_markers(path).notes[0]) == ("m", True)
    path = made(tmp_path, naive.file("intel", one(1.5), scale=-1.0, labels=["A"], units="Meters"))
    assert read_markers(path).metres_per_unit == 1.0


def test_broken_c3d(tmp_path: Path) -> None:
    """The message names the fault in the bytes."""
    whole = naive.file("intel", one(), scale=-1.0, labels=["A"])
    for content, note in (
        (b"no", "no C3D file"),
        (whole[:1] + b"\0" + whole[2:], "no C3D file"),
        (b"\xff" + whole[1:], "block 255, which is outside"),
        (whole[:515] + b"\1" + whole[516:], "processor 1"),
        (naive.file("intel", one(), scale=-1.0, labels=["A"], declared=99), "declares 99 frames"),
        (naive.file("intel", one(float("inf")), scale=-1.0, labels=["A"]), "frame 0 holds values"),
        (naive.file("intel", one(), scale=-1.0, labels=[]), "0 points"),
    ):
        with pytest.raises(FileError, match=note):
            read_markers(made(tmp_path, content))


def test_no_clip_is_made_of_markers(data: Path, tmp_path: Path) -> None:
    """load reports that markers are not a skeleton, and what can be done."""
    with pytest.raises(FileError, match=r"markers and no skeleton.*\.trc or \.csv"):
        load(data / REAL)
    with pytest.raises(FileError, match="no such file"):
        load(tmp_path / "none.trc")
    with pytest.raises(FileError, match="no marker file"):
        read_markers(tmp_path / "a.bvh")


def test_real_markers_as_trc_and_csv(data: Path, tmp_path: Path) -> None:
    """C3D to TRC and back agrees within a nanometre; the table has a column per axis and blanks for gaps."""
    found = read_markers(data / REAL)
    write_trc(found, tmp_path / "a.trc")
    again = read_markers(tmp_path / "a.trc")
    assert (again.names, again.fps, again.n_frames) == (found.names, found.fps, found.n_frames)
    assert np.allclose(again.positions, found.positions, atol=1e-9, rtol=0, equal_nan=True)
    write_marker_csv(found, tmp_path / "a.csv")
    with (tmp_path / "a.csv").open(encoding="utf-8") as stream:
        rows = list(csv.reader(stream))
    assert rows[0][:4] == ["seconds", *(f"{found.names[0]} {axis}" for axis in "xyz")]
    table = np.array([[float(cell or "nan") for cell in row] for row in rows[1:]])
    assert np.allclose(table[:, 0], np.arange(580) / 100)
    assert np.allclose(table[:, 1:], found.positions.reshape(580, -1), rtol=1e-8, atol=1e-9, equal_nan=True)
    with pytest.raises(FileError, match="exists already"):
        write_trc(found, tmp_path / "a.trc", overwrite=False)


@given(st.integers(0, 1000))
def test_trc_round_trip(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    """Names, rate and gaps are restored."""
    rng = np.random.default_rng(seed)
    frames, count = int(rng.integers(1, 6)), int(rng.integers(1, 6))
    positions = rng.normal(0, 1, (frames, count, 3))
    positions[rng.random((frames, count)) < 0.3] = np.nan
    markers = Markers([f"a b{k}" for k in range(count)], positions, float(rng.uniform(1, 500)))
    path = tmp_path_factory.mktemp("trc") / "a.trc"
    write_trc(markers, path)
    found = read_markers(path)
    assert found.names == markers.names
    assert found.fps == pytest.approx(markers.fps, rel=1e-9)
    assert np.allclose(found.positions, positions, atol=1e-9, equal_nan=True)


TRC = (
    "PathFileType\t4\t(X/Y/Z)\ta.trc\nDataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\n"
    "50.00\t50.00\t2\t2\tm\nFrame#\tTime\tA\t\t\tA\t\t\n\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n\n"
    "1\t0.00\t1\t2\t3\t\t\t\n2\t0.02\t1\t2\t3\t4\t5\t6\t\n"
)


def test_trc_by_hand(tmp_path: Path) -> None:
    """Gaps at the end of a row, an extra tab, a repeated name and Z up are read."""
    path = tmp_path / "a.trc"
    path.write_text(TRC)
    found = read_markers(path)
    assert found.names == ("A", "A_2")
    assert np.isnan(found.positions[0, 1]).all()
    assert found.positions[1, 1].tolist() == [4.0, 5.0, 6.0]
    assert read_markers(path, up="Z").positions[1, 1].tolist() == [4.0, 6.0, -5.0]
    path.write_text(TRC.replace("50.00\t50.00\t2", "0\t0\t7"))
    found = read_markers(path)
    assert found.fps == pytest.approx(50.0)
    assert any("states 7 and has 2" in note for note in found.notes)


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("PathFileType", "Path", 1, "must begin with"),
        ("A\t\t\tA", "\t\t\t", 4, "0 markers"),
        ("2\t0.02\t1\t2", "2\t0.02\tx\t2", 8, "'x' is not a number"),
        ("\t6\t\n", "\t6\t7\n", 8, "2 markers need 8"),
        ("\t6\t\n", "\t1e12\n", 8, "no position"),
        ("50.00\t50.00", "fast\tfast", 3, "DataRate"),
        (TRC[TRC.index("1\t0.00") :], "", 7, "no frames"),
    ],
)
def test_broken_trc(tmp_path: Path, old: str, new: str, line: int, message: str) -> None:
    """The message names the line and the value."""
    path = tmp_path / "a.trc"
    path.write_text(TRC.replace(old, new))
    with pytest.raises(FileError, match=message) as caught:
        read_markers(path)
    assert caught.value.line == line
