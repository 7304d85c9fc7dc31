"""DeepMimic text: positions by a naive reading, frame durations, and refusals."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import deepmimic as naive
from segue.errors import FileError, SettingError
from segue.io import load, motion_files
from segue.io.deepmimic import read_deepmimic
from segue.motion.facing import heading
from segue.motion.kinematics import world_positions

# File, frames, rate, net travel that its name promises (forward in metres, or None).
FILES = [
    ("humanoid3d_dance_a", 98, 60.0, None),
    ("humanoid3d_getup_facedown", 183, 60.0, None),
    ("humanoid3d_jump", 107, 60.0, 1.07),
    ("humanoid3d_kick", 47, 30.0, None),
    ("humanoid3d_punch", 65, 30.0, None),
    ("humanoid3d_roll", 121, 60.0, None),
    ("humanoid3d_run", 25, 30.0, 2.85),
    ("humanoid3d_walk", 39, 30.0, 1.24),
    ("turn_left0", 38, 30.0, None),
]


def row(duration: float = 1 / 30) -> list[float]:
    """A row of a standing body."""
    values = [duration, 0.0, 0.9, 0.0]
    for name in naive.NAMES:
        if not name.endswith("wrist"):
            values += [0.0] if name.endswith(("knee", "elbow")) else [1.0, 0.0, 0.0, 0.0]
    return values


def written(folder: Path, frames: object, **more: object) -> Path:
    """A file with these frames."""
    path = folder / "made.txt"
    path.write_text(json.dumps({"Loop": "none", "Frames": frames, **more}))
    return path


@pytest.mark.parametrize(("name", "frames", "rate", "forward"), FILES)
def test_real_files(data: Path, name: str, frames: int, rate: float, forward: float | None) -> None:
    """Every file is read with its frames, rate and travel; the rest pose faces +Z and people walk that way."""
    clip = load(data / "misc" / "deepmimic" / f"{name}.txt")
    assert (clip.n_frames, clip.fps, clip.skeleton.n_joints) == (frames, rate, 15)
    assert clip.source is not None
    assert any(note.startswith("rate:") for note in clip.source.notes)
    if forward is not None:
        assert clip.root_positions[-1, 2] - clip.root_positions[0, 2] == pytest.approx(forward, abs=0.01)
        assert abs(heading(clip)[0]) < 0.1
    feet = world_positions(clip)[:, [5, 11], 1]
    assert -0.02 < feet.min() < 0.08


@pytest.mark.parametrize("name", ["humanoid3d_walk", "humanoid3d_kick", "turn_left0"])
def test_places_agree_with_a_plain_reading(data: Path, name: str) -> None:
    """All joints of all frames agree, after a quarter turn: +X becomes +Z."""
    path = data / "misc" / "deepmimic" / f"{name}.txt"
    found = world_positions(load(path))
    for frame, values in enumerate(json.loads(path.read_text())["Frames"]):
        for joint, (x, y, z) in enumerate(naive.places(values)[name] for name in load_names(path)):
            assert found[frame, joint] == pytest.approx([-z, y, x], abs=1e-9)


def load_names(path: Path) -> tuple[str, ...]:
    """Joint names of a file's clip."""
    return load(path).skeleton.names


def test_uneven_durations_are_resampled(tmp_path: Path) -> None:
    """A frame that lasts twice as long gives two frames, linear in between, and this is reported."""
    frames = [row() for _ in range(6)]
    for index, x in enumerate([0.0, 0.1, 0.2, 0.4, 0.5, 0.6]):
        frames[index][1] = x
    frames[2][0] = 2 / 30
    clip = load(written(tmp_path, frames))
    assert (clip.n_frames, clip.fps) == (7, 30.0)
    assert clip.root_positions[:, 2] == pytest.approx(np.arange(7) * 0.1)
    assert clip.origin.frame[:, 0] == pytest.approx([0, 1, 2, 2.5, 3, 4, 5])
    assert any("resampled" in note for note in clip.source.notes)
    assert load(written(tmp_path, frames), fps=24).n_frames == 6


@given(st.floats(5.0, 200.0))
def test_the_rate_is_that_of_the_durations(tmp_path_factory: pytest.TempPathFactory, rate: float) -> None:
    """Any rate is restored within one ten-thousandth, the tolerance for taking a known rate."""
    path = written(tmp_path_factory.mktemp("rate"), [row(1 / rate), row(1 / rate), row(0.0)])
    assert read_deepmimic(path).fps == pytest.approx(rate, rel=1.01e-4)


BAD = [
    ([], "Frames: expected a list of length >= 1"),
    ([row(), row()[:-1]], r"Frames\[1\]: expected a list of length >= 44"),
    ([row(), {}], r"Frames\[1\]: expected a list, got a table"),
    ([row(), [*row()[:-1], "x"]], r'Frames\[1\]\[43\]: expected a number, got "x"'),
    ([row(), [*row()[:-1], None]], r"Frames\[1\]\[43\]: expected a number, got null"),
    ([row(), [*row()[:-1], 1e30]], r"Frames\[1\]\[43\]: expected a number <= 100000"),
    ([row(), [*row()[:-1], float("nan")]], "is not JSON"),
    ([row(0.0), row()], "frame 0 lasts 0 seconds"),
    ([row(), row(1e4), row(), row()], "frame 1 lasts 10000 seconds"),
    ([row(0.0)], "no frame rate; pass fps="),
    ([row(), [*row()[:4], 0, 0, 0, 0, *row()[8:]]], "'root' is no unit quaternion"),
]


@pytest.mark.parametrize(("frames", "message"), BAD)
def test_what_is_wrong_is_named(tmp_path: Path, frames: object, message: str) -> None:
    """The message names the frame, the value and what is missing."""
    with pytest.raises(FileError, match=message):
        load(written(tmp_path, frames))


def test_broken_json_names_the_line(tmp_path: Path) -> None:
    """The message names the line where the text ends."""
    path = tmp_path / "a.txt"
    path.write_text('{\n"Frames":\n[[0.1,\n')
    with pytest.raises(FileError) as caught:
        load(path)
    assert caught.value.line == 4
    path.write_text("[" * 100_000)
    with pytest.raises(FileError, match="nests lists or tables"):
        load(path)
    path.write_text("[1]")
    with pytest.raises(FileError, match="Frames"):
        load(path)


def test_axes_are_fixed(tmp_path: Path) -> None:
    """The format fixes its axes, and takes no skeleton."""
    path = written(tmp_path, [row(), row()])
    with pytest.raises(SettingError, match="skeleton="):
        load(path, skeleton="a.asf")
    with pytest.raises(SettingError, match="up="):
        load(path, up="Z")
    with pytest.raises(SettingError, match="Y up"):
        read_deepmimic(path, up="Z")
    assert load(path, unit=0.5).root_positions[0, 1] == pytest.approx(0.45)


def test_other_text_in_a_folder_is_left_alone(tmp_path: Path) -> None:
    """Notes next to the clips are not motion."""
    (tmp_path / "readme.txt").write_text("{ not a motion }")
    path = written(tmp_path, [row(), row()])
    assert motion_files([tmp_path]) == [path]
