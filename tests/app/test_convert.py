"""Converting many files: targets, changes, and errors that do not stop the other files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from random_clips import body
from random_clips import clip as clip_of
from segue.app.convert import Changes, body_of, convert, converted, in_place, plan, trimmed
from segue.errors import FileError, SegueError, SettingError
from segue.io import load, save
from segue.motion.clip import Clip
from segue.motion.kinematics import world_positions
from segue.motion.resample import resampled
from segue.motion.samples import sample


def any_clip(seed: int, *, n_frames: int = 12) -> Clip:
    """A random motion."""
    rng = np.random.default_rng(seed)
    return clip_of(rng, body(rng, 6), n_frames)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two good files, one of them in a subfolder, a malformed one, and a text file."""
    root = tmp_path / "clips"
    (root / "more").mkdir(parents=True)
    save(sample("walk"), root / "walk.bvh")
    save(sample("stand"), root / "more" / "stand.bvh")
    (root / "bad.bvh").write_text("HIERARCHY\nROOT\n")
    (root / "notes.md").write_text("nothing")
    return root


def test_a_folder_becomes_a_folder(folder: Path, tmp_path: Path) -> None:
    """Subfolders are kept; the malformed file is reported with its line and the others are written."""
    done = convert(plan([str(folder)], tmp_path / "out", to="glb"), Changes())
    assert {one.target.relative_to(tmp_path / "out").as_posix(): one.clip is not None for one in done} == {
        "bad.glb": False,
        "more/stand.glb": True,
        "walk.glb": True,
    }
    assert [bool(one.error) for one in done] == [one.clip is None for one in done]
    assert any("bad.bvh:2" in one.error for one in done)
    assert sorted(p.name for p in (tmp_path / "out").rglob("*.glb")) == ["stand.glb", "walk.glb"]


def test_nothing_is_overwritten_unasked(folder: Path, tmp_path: Path) -> None:
    """An existing file stays the same, byte for byte, without force."""
    jobs = plan([str(folder / "walk.bvh")], tmp_path / "out")
    jobs[0].target.parent.mkdir()
    jobs[0].target.write_text("mine")
    assert "--force" in convert(jobs, Changes())[0].error
    assert jobs[0].target.read_text() == "mine"
    assert not convert(jobs, Changes(), force=True)[0].error
    assert load(jobs[0].target).n_frames == sample("walk").n_frames


def test_two_sources_never_become_one_file(tmp_path: Path) -> None:
    """Files that differ only in extension or folder get different targets."""
    for name in ("a/walk.bvh", "a/walk.npz", "b/walk.bvh"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        save(sample("stand"), tmp_path / name)
    files = [str(p) for p in sorted(tmp_path.rglob("walk.*"))]
    targets = [job.target.name for job in plan(files, tmp_path / "out")]
    assert targets == ["walk.bvh", "walk_npz.bvh", "walk_bvh.bvh"]


def test_one_file_to_one_name(folder: Path, tmp_path: Path) -> None:
    """A target with a known extension is one file: not for many motions, nor in another requested format."""
    assert [job.target for job in plan(["sample:walk"], tmp_path / "w.glb")] == [tmp_path / "w.glb"]
    with pytest.raises(FileError, match="one file for 3 motions"):
        plan([str(folder)], tmp_path / "all.bvh")
    with pytest.raises(SettingError, match="contradicts"):
        plan(["sample:walk"], tmp_path / "w.glb", to="bvh")
    with pytest.raises(SettingError, match=r"\.bvh"):
        plan(["sample:walk"], tmp_path, to="c4d")
    with pytest.raises(FileError, match="no extension that can be written"):
        plan(["sample:walk"], tmp_path / "w.c4d")
    with pytest.raises(FileError, match="no motion files"):
        plan([], tmp_path / "out")


@pytest.mark.parametrize(
    ("trim", "frames"), [((0.5, 1.5), 31), ((None, 1.0), 31), ((1.0, None), None), ((0.5, 0.5), 1)]
)
def test_trimming_includes_both_ends(trim: tuple[float | None, float | None], frames: int | None) -> None:
    """One second at 30 frames a second is 31 frames, starting with the frame at the start time."""
    clip = resampled(sample("walk"), 30)
    made = trimmed(clip, *trim)
    assert made.n_frames == (clip.n_frames - 30 if frames is None else frames)
    assert np.array_equal(made.rotations[0], clip.rotations[round(30 * (trim[0] or 0))])


@given(
    start=st.floats(0, 1.9), length=st.floats(0, 1.9), fps=st.sampled_from([24.0, 25.0, 30000 / 1001, 60.0])
)
def test_trimming_keeps_the_frames_between(start: float, length: float, fps: float) -> None:
    """The frames kept are those between both ends, with a tolerance of a millionth of a frame."""
    clip = any_clip(3, n_frames=120)
    clip = Clip(clip.skeleton, clip.rotations, clip.root_positions, fps)
    end = min(start + length, clip.seconds)
    inside = [k for k in range(120) if start * fps - 1e-6 <= k <= end * fps + 1e-6]
    if not inside:
        with pytest.raises(SettingError, match="no frame"):
            trimmed(clip, start, end)
        return
    made = trimmed(clip, start, end)
    assert made.origin.frame[:, 0].tolist() == inside


def test_trims_outside_the_clip_are_refused() -> None:
    """The error states the clip's length; malformed ranges are refused before any file is read."""
    with pytest.raises(SettingError, match="lasts from 0 to"):
        trimmed(sample("walk"), 0.0, 1e4)
    for bad in ((2.0, 1.0), (-1.0, None), (None, float("nan"))):
        with pytest.raises(SettingError, match="trim"):
            Changes(trim=bad)


def test_changes_come_together(tmp_path: Path) -> None:
    """The file written trimmed, in place, resampled, in metres and Z up equals the clip changed in memory."""
    walk = sample("walk")
    changes = Changes(trim=(0.5, 1.5), fps=24, in_place=True, unit=1.0, up="Z")
    (done,) = convert(plan(["sample:walk"], tmp_path / "w.bvh"), changes)
    assert done.error == ""
    again, wanted = load(done.target), resampled(in_place(trimmed(walk, 0.5, 1.5)), 24)
    assert again.source is not None
    assert (again.source.metres_per_unit, again.source.up, again.fps, again.n_frames) == (1.0, "Z", 24.0, 25)
    order = [again.skeleton.index(name) for name in wanted.skeleton.names]  # files list joints depth first
    assert world_positions(again)[:, order] == pytest.approx(world_positions(wanted), abs=1e-8)
    assert np.all(again.root_positions[:, [0, 2]] == 0)
    assert again.root_positions[:, 1] == pytest.approx(wanted.root_positions[:, 1], abs=1e-9)


def test_formats_without_choice_say_so(tmp_path: Path) -> None:
    """A unit for a format with a fixed one is refused, and the error names the source."""
    (done,) = convert(plan(["sample:walk"], tmp_path / "w.glb"), Changes(unit=0.01))
    assert "metres" in done.error
    assert "sample:walk" in done.error


@pytest.mark.data
def test_motions_are_carried_over(data: Path, tmp_path: Path) -> None:
    """The file has the other body's joints, channel order and unit."""
    source = str(data / "asf_amc" / "16" / "16_11.amc")
    body = body_of(str(data / "cmu" / "max_friendly" / "131_03.bvh"), [])
    (done,) = convert(plan([source], tmp_path / "carried.bvh"), Changes(body=body, trim=(0.0, 0.5)))
    assert done.error == ""
    again = load(done.target)
    assert again.skeleton.names == body.skeleton.names
    assert again.source is not None
    assert body.source is not None
    assert again.source.channels == body.source.channels
    assert again.source.metres_per_unit == pytest.approx(body.source.metres_per_unit)
    assert (again.fps, again.n_frames) == (120.0, 61)


def test_bodies_by_name(folder: Path) -> None:
    """A body is a file, an embedded clip or an input's stem; an unknown name lists the nearest."""
    assert body_of("sample:run", []).name == "run"
    assert body_of("stand", [str(folder)]).name == "stand"
    assert body_of(str(folder / "walk.bvh"), []).name == "walk"
    with pytest.raises(FileError, match="stand"):
        body_of("stamd", [str(folder)])


def test_in_place_keeps_height_and_turns() -> None:
    """Only the horizontal root motion is removed."""
    clip = any_clip(5)
    made = in_place(clip)
    assert np.array_equal(made.rotations, clip.rotations)
    assert np.array_equal(made.root_positions[:, 1], clip.root_positions[:, 1])
    assert not made.root_positions[:, [0, 2]].any()


def test_no_changes_change_nothing() -> None:
    """Without changes the same clip object is returned."""
    clip = any_clip(6)
    assert converted(clip, Changes()) is clip


def test_settings_reach_the_reader(folder: Path, tmp_path: Path) -> None:
    """The caller's rate, unit and up axis override those of the file; invalid ones are refused."""
    jobs = plan([str(folder / "walk.bvh")], tmp_path / "out")
    (done,) = convert(jobs, Changes(), settings={"fps": 25.0, "unit": 0.02, "up": "Y"})
    assert done.clip is not None
    assert done.clip.fps == 25.0
    assert done.clip.source is not None
    assert done.clip.source.metres_per_unit == 0.02
    for bad in ({"fps": -1.0}, {"unit": 0.0}, {"up": "W"}):
        with pytest.raises(SegueError):
            Changes(**bad)
