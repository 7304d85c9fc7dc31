"""CSV: the columns hold what their names state."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from naive import quaternions as naive
from segue.errors import SettingError
from segue.io import save
from segue.io.csv_write import write_csv
from segue.motion.clip import Clip
from segue.motion.kinematics import world_positions
from segue.motion.samples import sample
from segue.motion.skeleton import Skeleton


def table(path: Path) -> tuple[list[str], np.ndarray]:
    """Header and numbers, read by Python's csv module."""
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.reader(stream))
    return rows[0], np.array(rows[1:], dtype=float)


def test_the_table_tells_the_motion(tmp_path: Path) -> None:
    """World positions computed naively from the table alone are those of the clip."""
    walk = sample("walk")
    save(walk, tmp_path / "a.csv")
    names, rows = table(tmp_path / "a.csv")
    assert len(rows) == walk.n_frames
    column = {name: k for k, name in enumerate(names)}
    assert rows[:, column["time"]] == pytest.approx(np.arange(walk.n_frames) / walk.fps, abs=1e-9)
    for frame in (0, 100, walk.n_frames - 1):
        row, turns, places = rows[frame], [], []
        for joint, name in enumerate(walk.skeleton.names):
            turn = [row[column[f"{name}_q{part}"]] for part in "wxyz"]
            parent = int(walk.skeleton.parents[joint])
            if parent < 0:
                turns.append(turn)
                places.append([row[column[f"root_{axis}"]] for axis in "xyz"])
                continue
            offset = naive.rotated(turns[parent], walk.skeleton.offsets[joint].tolist())
            places.append([a + b for a, b in zip(places[parent], offset, strict=True)])
            turns.append(naive.product(turns[parent], turn))
        assert places == pytest.approx(world_positions(walk)[frame], abs=1e-7)


def test_neighbouring_rows_are_near(tmp_path: Path) -> None:
    """Stored quaternions of alternating sign are written with continuous signs."""
    walk = sample("walk")
    rotations = np.array(walk.rotations)
    rotations[1::2] *= -1
    write_csv(walk.with_motion(rotations), tmp_path / "a.csv")
    _, rows = table(tmp_path / "a.csv")
    assert np.abs(np.diff(rows[:, 4:], axis=0)).max() < 0.5


def test_names_with_commas_are_quoted(tmp_path: Path) -> None:
    """A comma or a quote in a joint's name does not shift the columns."""
    made = Clip(Skeleton(('a,"b"',), [-1], [[0, 1, 0]]), [[[1.0, 0, 0, 0]]], [[0.0, 1, 0]], 30)
    write_csv(made, tmp_path / "a.csv")
    names, rows = table(tmp_path / "a.csv")
    assert names[4] == 'a,"b"_qw'
    assert rows.tolist() == [[0, 0, 1, 0, 1, 0, 0, 0]]
    assert b"\r" not in (tmp_path / "a.csv").read_bytes()


def test_unit_and_axes_are_fixed(tmp_path: Path) -> None:
    """Settings that the format cannot follow are refused; those that equal its own are accepted."""
    save(sample("walk"), tmp_path / "a.csv", unit=1.0, up="Y")
    save(sample("walk"), tmp_path / "a.fbx", unit=0.01)
    with pytest.raises(SettingError, match=r"\.csv is written in metres with Y up"):
        save(sample("walk"), tmp_path / "a.csv", up="Z")
    with pytest.raises(SettingError, match="centimetres"):
        save(sample("walk"), tmp_path / "a.fbx", unit=1.0)
    with pytest.raises(SettingError, match="Z up"):
        save(sample("walk"), tmp_path / "a.xml", up="Y")
