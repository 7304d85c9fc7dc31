"""Numbers are written without exponents, which many readers reject; those of an unedited clip come back unchanged."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import segue
from segue.io.markers import Markers, write_marker_csv, write_trc

HEAD = """HIERARCHY
ROOT Hips
{
\tOFFSET 0 90 0.00001
\tCHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
\tJOINT Spine
\t{
\t\tOFFSET 0 20 0
\t\tCHANNELS 3 Zrotation Yrotation Xrotation
\t\tEnd Site
\t\t{
\t\t\tOFFSET 0 0.00003 30
\t\t}
\t}
}
MOTION
Frames: 5
Frame Time: 0.04
"""
ROWS = [
    "-0.00003 90 0 0 0 0 0 0 10",
    "0.00002 90 1 0.00004 0 0 0 0 20",
    "0 90 -0.00005 0 0 -0.00001 0 0.0000007 20",
    "123456789.25 90 2 0 0 0 0 0 0",
    "0 90 1 0 0 0 0 0 0",
]
EXPONENT = re.compile(r"[\d.]e[-+]?\d", re.IGNORECASE)


def test_an_unedited_file_comes_back_number_by_number(tmp_path: Path) -> None:
    """Tiny and huge values of offsets, root and angles keep their digits."""
    (tmp_path / "a.bvh").write_text(HEAD + "\n".join(ROWS) + "\n")
    segue.save(segue.load(tmp_path / "a.bvh", unit=0.01, up="Y"), tmp_path / "b.bvh")
    text = (tmp_path / "b.bvh").read_text()
    assert text.splitlines()[-5:] == ROWS
    assert "0 90 0.00001" in text
    assert "OFFSET 0 0.00003 30" in text


def test_digits_beyond_the_usual_come_back(tmp_path: Path) -> None:
    """A file with ten decimals is written with ten decimals."""
    row = "0.1234567891 90.0000000001 0 12.3456789012 0 0 0 0 -7.0000000003"
    (tmp_path / "a.bvh").write_text(HEAD + "\n".join([row] * 5) + "\n")
    segue.save(segue.load(tmp_path / "a.bvh", unit=0.01, up="Y"), tmp_path / "b.bvh")
    assert (tmp_path / "b.bvh").read_text().splitlines()[-1] == row


@pytest.mark.parametrize("size", [1e-9, 1e-5, 1.0, 1e7, 1e8])
@pytest.mark.parametrize("name", ["a.bvh", "a.csv", "a.xml"])
def test_no_exponent_in_any_text(tmp_path: Path, name: str, size: float) -> None:
    """No exponent is written for any size of root motion."""
    walk = segue.sample("walk", 30.0)
    clip = walk.with_motion(
        root_positions=size * np.array(walk.root_positions), rotations=np.array(walk.rotations)
    )
    segue.save(clip, tmp_path / name)
    for path in tmp_path.iterdir():
        assert not EXPONENT.search(path.read_text()), path.name


@pytest.mark.parametrize("size", [1e-7, 1e-4, 1.0, 1e6])
def test_no_exponent_in_marker_files(tmp_path: Path, size: float) -> None:
    """Positions and times of markers have no exponent."""
    places = size * np.array([[[0.1, 0.2, 0.3]], [[0.4, 0.5, np.nan]]])
    markers = Markers(["C7"], places, 30000.0)
    write_trc(markers, tmp_path / "a.trc")
    write_marker_csv(markers, tmp_path / "a.csv")
    for path in tmp_path.iterdir():
        assert not EXPONENT.search(path.read_text()), path.name


@pytest.mark.parametrize("rate", [1e5, 3.3e-4, 120.0])
def test_no_exponent_in_a_frame_time(tmp_path: Path, rate: float) -> None:
    """Very fast and very slow clips have no exponent."""
    walk = segue.sample("walk", 30.0)
    clip = segue.Clip(walk.skeleton, walk.rotations[:3], walk.root_positions[:3], rate)
    segue.save(clip, tmp_path / "a.bvh")
    assert not EXPONENT.search((tmp_path / "a.bvh").read_text())
    assert segue.load(tmp_path / "a.bvh").fps == pytest.approx(rate, rel=1e-9)
