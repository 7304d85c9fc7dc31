"""BVH writing: what is read back, in which digits, and that no incomplete file remains."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import kinematics as naive
from segue.errors import FileError, SettingError
from segue.io import load, save
from segue.maths.quaternions import from_yaw, multiply, normalise
from segue.motion.clip import Clip, SourceFormat
from segue.motion.kinematics import world_positions
from segue.motion.resample import resampled
from segue.motion.skeleton import EndSite, Skeleton

ORDERS = ["".join(order) for order in itertools.permutations("XYZ")]


def any_clip(seed: int, *, n_frames: int = 5, n_joints: int = 7) -> Clip:
    """Any tree with any motion, with its own channel orders."""
    rng = np.random.default_rng(seed)
    parents = [-1, *(int(rng.integers(0, joint)) for joint in range(1, n_joints))]
    leaves = [joint for joint in range(n_joints) if joint not in parents]
    body = Skeleton(
        [f"joint {joint}" for joint in range(n_joints)],
        parents,
        rng.normal(size=(n_joints, 3)),
        [EndSite(joint, rng.normal(size=3)) for joint in leaves],
    )
    channels = [tuple(f"{axis}rotation" for axis in ORDERS[rng.integers(6)]) for _ in range(n_joints)]
    channels[0] = ("Xposition", "Yposition", "Zposition", *channels[0])
    source = SourceFormat(
        metres_per_unit=float(rng.choice([1.0, 0.01, 0.0254])),
        up=str(rng.choice(["Y", "Z"])),
        channels=tuple(channels),
    )
    rotations = normalise(rng.normal(size=(n_frames, n_joints, 4)))
    roots = rng.normal(size=(n_frames, 3), scale=100.0)
    return Clip(body, rotations, roots, float(rng.choice([24, 29.97, 30, 59.3, 120])), source=source)


def same_rotations(a: np.ndarray, b: np.ndarray) -> float:
    """Largest difference of quaternions, of either sign."""
    return float(np.minimum(np.abs(a - b).max(-1), np.abs(a + b).max(-1)).max())


@given(st.integers(0, 2**32 - 1))
def test_load_after_save_is_the_identity(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    """Any tree, order, unit and axes are restored to 1e-6; a blank in a name is written as ``_``."""
    clip = any_clip(seed)
    path = tmp_path_factory.mktemp("bvh") / "any.bvh"
    save(clip, path)
    assert clip.source is not None
    again = load(path, unit=clip.source.metres_per_unit, up=clip.source.up, root_position="absolute")
    order = [again.skeleton.index(name.replace(" ", "_")) for name in clip.skeleton.names]
    assert same_rotations(again.rotations[:, order], clip.rotations) < 1e-6
    assert again.root_positions == pytest.approx(clip.root_positions, abs=1e-6)
    assert again.skeleton.offsets[order] == pytest.approx(clip.skeleton.offsets, abs=1e-6)
    assert again.fps == pytest.approx(clip.fps, rel=1e-12)
    assert again.source is not None
    assert [again.source.channels[k] for k in order] == list(clip.source.channels)


def test_written_text_means_the_same_to_a_naive_reader(tmp_path: Path) -> None:
    """World positions of the text, read by a twin, are those of the clip."""
    clip = any_clip(3)
    save(clip, tmp_path / "any.bvh", unit=0.01, up="Y")
    frames = naive.bvh_positions((tmp_path / "any.bvh").read_text().replace("joint_", "joint"))
    places = 100 * world_positions(clip)
    for frame, wanted in enumerate(frames):
        for joint in range(clip.skeleton.n_joints):
            assert places[frame, joint] == pytest.approx(wanted[f"joint{joint}"], abs=1e-5)


def test_an_unedited_file_keeps_its_digits(data: Path, tmp_path: Path) -> None:
    """Frame time, channel orders and values of a captured file are written as they were."""
    path = data / "cmu" / "max_friendly" / "131_03.bvh"
    save(load(path), tmp_path / "again.bvh")
    before, after = path.read_text().splitlines(), (tmp_path / "again.bvh").read_text().splitlines()
    assert "Frame Time: .0083333" in after
    old, new = (np.array(lines[-1].split(), dtype=float) for lines in (before, after))
    assert np.abs((new - old + 180) % 360 - 180).max() < 1e-6
    channels = [[line.strip() for line in lines if "CHANNELS" in line] for lines in (before, after)]
    assert channels[0] == channels[1]


def test_a_resampled_clip_gets_its_own_frame_time(data: Path, tmp_path: Path) -> None:
    """The file's digits are not used for another rate."""
    clip = resampled(load(data / "cmu" / "max_friendly" / "131_03.bvh"), 30)
    save(clip, tmp_path / "slow.bvh")
    assert load(tmp_path / "slow.bvh").fps == 30.0


def test_angles_do_not_jump(cases: Path, tmp_path: Path) -> None:
    """case042: a root turning through 180 degrees steps by less than half a turn in every channel."""
    path = cases / "case042-bvh-write-euler-unroll.bvh"
    clip = load(path)
    save(clip, tmp_path / "again.bvh")
    lines = (tmp_path / "again.bvh").read_text().splitlines()
    start = next(k for k, line in enumerate(lines) if line.startswith("Frame Time")) + 1
    rows = np.array([line.split() for line in lines[start:]], dtype=float)
    assert np.abs(np.diff(rows[:, 3:], axis=0)).max() < 180
    assert world_positions(load(tmp_path / "again.bvh")) == pytest.approx(world_positions(clip), abs=1e-5)


def test_round_trip_case(cases: Path, tmp_path: Path) -> None:
    """case108: names, parents, offsets, channel orders and motion are the same after load, save, load."""
    clip = load(cases / "case108-bvh-write-round-trip.bvh")
    save(clip, tmp_path / "again.bvh")
    again = load(tmp_path / "again.bvh")
    assert again.skeleton.same_as(clip.skeleton, tolerance=1e-9)
    assert again.source is not None
    assert clip.source is not None
    assert again.source.channels == clip.source.channels
    assert same_rotations(again.rotations, clip.rotations) < 1e-8
    assert again.root_positions == pytest.approx(clip.root_positions, abs=1e-9)


def test_moving_a_clip_survives_the_file(cases: Path, tmp_path: Path) -> None:
    """case146: every joint moves by exactly the shift, in memory and after save and load."""
    clip = load(cases / "case146-root-motion-offset-once.bvh")
    shift = np.array([0.10, 0.0, -0.05])
    there = clip.with_motion(root_positions=clip.root_positions + shift)
    save(there, tmp_path / "moved.bvh")
    again = load(tmp_path / "moved.bvh")
    assert world_positions(again) - world_positions(clip) == pytest.approx(
        np.broadcast_to(shift, (*again.rotations.shape[:2], 3)), abs=1e-6
    )


def test_all_frames_are_written(tmp_path: Path) -> None:
    """case010: six hundred frames give six hundred rows, including the last."""
    clip = any_clip(1, n_frames=600)
    save(clip, tmp_path / "long.bvh", up="Y")
    text = (tmp_path / "long.bvh").read_text()
    assert "Frames: 600\n" in text
    assert len(text.split("Frame Time:")[1].splitlines()) == 601
    last = load(tmp_path / "long.bvh", unit=clip.source.metres_per_unit if clip.source else 1, up="Y")
    assert last.root_positions[-1] == pytest.approx(clip.root_positions[-1], abs=1e-6)


def test_channels_grow_where_the_motion_needs_them(cases: Path, tmp_path: Path) -> None:
    """A joint with two rotation channels gets three once it rotates about the third axis; a fixed root may move."""
    clip = load(cases / "case084-bvh-channels-two-channels.bvh")
    save(clip, tmp_path / "same.bvh")
    assert "CHANNELS 2 Yrotation Zrotation" in (tmp_path / "same.bvh").read_text()
    turned = multiply(from_yaw(0.3), clip.rotations)
    edited = clip.with_motion(turned, clip.root_positions + 0.1)
    save(edited, tmp_path / "edited.bvh")
    again = load(tmp_path / "edited.bvh")
    assert same_rotations(again.rotations, edited.rotations) < 1e-8
    shift = np.array([0.5, 0.0, 0.0])
    fixed = load(cases / "case070-bvh-channels-no-root-position.bvh")
    save(fixed.with_motion(root_positions=fixed.root_positions + shift), tmp_path / "moves.bvh")
    assert load(tmp_path / "moves.bvh").root_positions[0] == pytest.approx(fixed.root_positions[0] + shift)


def test_an_edited_carried_clip_comes_back(cases: Path, tmp_path: Path) -> None:
    """A clip whose root carries the hips is the same after turning, moving, save and load."""
    clip = load(cases / "case140-bvh-channels-zero-channels-root.bvh")
    rotations = np.array(clip.rotations)
    rotations[:, 0] = multiply(from_yaw(1.0), rotations[:, 0])
    edited = clip.with_motion(rotations, clip.root_positions + np.array([1.0, 0.0, 2.0]))
    save(edited, tmp_path / "edited.bvh")
    assert world_positions(load(tmp_path / "edited.bvh")) == pytest.approx(world_positions(edited), abs=1e-8)


def test_a_kilometre_away_keeps_its_digits(tmp_path: Path) -> None:
    """Positions far from the origin are restored to a micrometre."""
    clip = any_clip(5)
    far = clip.with_motion(root_positions=clip.root_positions + np.array([1000.0, 0.0, -1000.0]))
    save(far, tmp_path / "far.bvh", unit=0.01, up="Y")
    again = load(tmp_path / "far.bvh", unit=0.01, up="Y")
    assert np.abs(again.root_positions - far.root_positions).max() < 1e-6


def test_overwriting_must_be_allowed(tmp_path: Path) -> None:
    """Without overwrite an existing file is unchanged, and no other file is left."""
    path = tmp_path / "a.bvh"
    path.write_text("keep me")
    with pytest.raises(FileError, match="exists already"):
        save(any_clip(1), path, overwrite=False)
    assert path.read_text() == "keep me"
    assert [p.name for p in tmp_path.iterdir()] == ["a.bvh"]


def test_missing_folders_are_named(tmp_path: Path) -> None:
    """A missing folder is reported, not created."""
    with pytest.raises(FileError, match="does not exist"):
        save(any_clip(1), tmp_path / "none" / "a.bvh")


@pytest.mark.parametrize("suffix", [".bvh", ".glb"])
def test_a_zero_quaternion_is_refused(suffix: str, tmp_path: Path) -> None:
    """case167: the joint and frame of a zero quaternion are named; nothing is written."""
    clip = any_clip(2)
    rotations = np.array(clip.rotations)
    rotations[1, 3] = 0.0
    with pytest.raises(FileError, match=r"'joint 3' in frame 1"):
        save(clip.with_motion(rotations), tmp_path / f"bad{suffix}")
    assert not list(tmp_path.iterdir())


def test_units_and_axes_are_checked(tmp_path: Path) -> None:
    """Overrides out of range are refused with a message."""
    with pytest.raises(SettingError, match="metres per file unit"):
        save(any_clip(1), tmp_path / "a.bvh", unit=-1)
    with pytest.raises(SettingError, match="X, Y or Z"):
        save(any_clip(1), tmp_path / "a.bvh", up="W")
    with pytest.raises(SettingError, match="metres"):
        save(any_clip(1), tmp_path / "a.glb", unit=0.01)
