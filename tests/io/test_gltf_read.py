"""glTF read: awkward cases, real files, an independent evaluation of the nodes, and round trips."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gltf_files import chain, turned
from naive.gltf import Scene
from segue.errors import FileError, SettingError
from segue.io import load, load_folder, motion_files, save
from segue.io.gltf_channels import frame_rate
from segue.io.gltf_read import animations
from segue.io.rates import KNOWN
from segue.motion.clip import Clip
from segue.motion.kinematics import world, world_positions
from segue.motion.resample import resampled
from segue.motion.samples import sample
from segue.motion.skeleton import Skeleton

SHARED = Path(__file__).resolve().parents[3] / "shared"
INDEX = SHARED / "cases" / "index.csv"


def _rows() -> list[dict[str, str]]:
    if not INDEX.is_file():
        return []
    with INDEX.open(encoding="utf-8") as stream:
        return [row for row in csv.DictReader(stream) if row["kind"] == "gltf-read"]


def notes(clip: Clip) -> str:
    """All notes of the reader."""
    assert clip.source is not None
    return "; ".join(clip.source.notes)


def local_xyzw(clip: Clip, frame: int, name: str) -> np.ndarray:
    """Local rotation as the file stores it: these bodies have unrotated rest poses."""
    return clip.rotations[frame, clip.skeleton.index(name)][[1, 2, 3, 0]]


def check(clip: Clip, wanted: dict[str, Any]) -> None:
    """Compare everything that a case states; a time between two frames is its first frame."""
    tol = wanted.get("tol", 1e-5)
    places = world(clip).positions
    if "joints" in wanted:
        assert list(clip.skeleton.names) == wanted["joints"]
    if "keys" in wanted:
        assert clip.n_frames == wanted["keys"]
    if "duration" in wanted:
        assert clip.seconds == pytest.approx(wanted["duration"])
    for entry in wanted.get("world", []):
        frame = round(entry["t"] * clip.fps)
        assert places[frame, clip.skeleton.index(entry["joint"])] == pytest.approx(entry["pos"], abs=tol)
    for entry in wanted.get("sample", []):
        frame = int(np.floor(entry["t"] * clip.fps + 1e-6))
        if "translation" in entry:
            assert clip.skeleton.names[0] == entry["node"]
            assert clip.root_positions[frame] == pytest.approx(entry["translation"], abs=tol)
        if "rotation_xyzw" in entry:
            found = local_xyzw(clip, frame, entry["node"])
            assert abs(found @ entry["rotation_xyzw"]) == pytest.approx(1.0, abs=tol)
            assert (
                np.abs(found * np.sign(found @ entry["rotation_xyzw"]) - entry["rotation_xyzw"]).max()
                < tol + 5e-6
            )


@pytest.mark.parametrize("row", _rows(), ids=lambda row: row["id"])
def test_case(row: dict[str, str], cases: Path) -> None:
    """A readable case is read; where an error is allowed, the case is read correctly and reported."""
    wanted = json.loads(row["check_json"])
    clip = load(cases / row["file"])
    check(clip, wanted["alternative"] if wanted["outcome"] == "ok_or_error" else wanted)
    if row["id"] in {"case011", "case158"}:
        assert all(word in notes(clip) for word in wanted["error_mentions"])


def test_steps_stay_steps_at_any_rate(cases: Path) -> None:
    """case005: the frame before the key has the old angle, the frame at the key the new one."""
    clip = load(cases / "case005-gltf-read-step.glb", fps=100)
    assert local_xyzw(clip, 99, "Spine") == pytest.approx([0, 0, 0, 1])
    assert local_xyzw(clip, 100, "Spine") == pytest.approx([0.25882, 0, 0, 0.96593], abs=1e-5)


FILES = {
    "assimp/simple_skin.gltf": (1, 2, {30.0}, 166),
    "bevy/Fox.glb": (3, 22, {24.0, 120.0}, 241),
    "kaykit/Med_General.glb": (15, 22, {30.0}, 508),
    "kaykit/Med_MovementAdvanced.glb": (13, 22, {30.0}, 318),
    "kaykit/Med_MovementBasic.glb": (11, 22, {30.0}, 347),
    "kaykit/Med_Simulation.glb": (14, 22, {30.0}, 792),
    "khronos/cesium_man.gltf": (1, 19, {24.0}, 49),
}
"""Animations, joints, rates, and frames of all animations together: for kaykit as in the data's own table."""


@pytest.mark.parametrize("name", FILES)
def test_real_files(name: str, data: Path) -> None:
    """Every animation of every file is read, with the frames that its author keyed."""
    count, joints, rates, frames = FILES[name]
    path = data / "gltf" / name
    clips = [load(f"{path}#{animation}") for animation in animations(path)]
    assert len(clips) == count
    assert {clip.skeleton.n_joints for clip in clips} == {joints}
    assert {clip.fps for clip in clips} == rates
    assert sum(clip.n_frames for clip in clips) == frames
    for clip in clips:
        assert joints == 2 or 0.9 < np.ptp(clip.skeleton.rest_positions(), axis=0).max() < 3.0


def test_objects_without_a_skeleton_are_refused(data: Path) -> None:
    """Nine separate cubes are not a body."""
    path = data / "gltf" / "khronos" / "interpolation_test.gltf"
    for animation in animations(path):
        with pytest.raises(FileError, match="no skeleton"):
            load(f"{path}#{animation}")


@pytest.mark.parametrize("name", FILES)
def test_positions_are_the_nodes(name: str, data: Path) -> None:
    """Joints are where an independent evaluation of the nodes puts them; the root even where offsets were baked."""
    path = data / "gltf" / name
    scene = Scene(path)
    for index, animation in enumerate(animations(path)[:4]):
        clip = load(f"{path}#{animation}")
        curves = scene.curves(index)
        start = min(times[0] for times, _, _ in curves.values())
        still = "vary" not in notes(clip)
        found = world_positions(clip)
        for frame in {0, clip.n_frames // 3, clip.n_frames - 1}:
            nodes = scene.world(curves, start + frame / clip.fps)
            for joint in range(clip.skeleton.n_joints if still else 1):
                matrix = nodes[scene.node(clip.skeleton.names[joint])]
                place = clip.source.metres_per_unit * np.array([row[3] for row in matrix[:3]])
                assert found[frame, joint] == pytest.approx(place, abs=1e-5), (animation, frame, joint)


def test_the_rest_pose_is_the_bind_pose(data: Path) -> None:
    """Cesium's man has his arms out and the fox is on four legs, whatever axes they were modelled in."""
    man = load(data / "gltf" / "khronos" / "cesium_man.gltf").skeleton.rest_positions()
    assert np.ptp(man[:, 1]) > 1.1
    assert np.ptp(man[:, [0, 2]], axis=0).min() < 0.5
    fox = load(data / "gltf" / "bevy" / "Fox.glb#Survey").skeleton
    feet = [
        fox.index(name)
        for name in ("b_LeftFoot02_018", "b_RightFoot02_022", "b_LeftHand_011", "b_RightHand_08")
    ]
    assert fox.rest_positions()[feet, 1].max() < 0.12


def _trips() -> dict[str, Clip]:
    walk = sample("walk")
    one = Skeleton(("only",), [-1], [[0, 1, 0]])
    rates = {
        f"{fps:.6g}": resampled(walk, fps) for fps in (12.5, 24000 / 1001, 30000 / 1001, 33.3, 120000 / 1001)
    }
    return {
        **rates,
        "walk": walk,
        "frame": walk.with_motion(walk.rotations[:1], walk.root_positions[:1], origin=walk.origin.take([0])),
        "joint": Clip(one, np.tile([1.0, 0, 0, 0], (3, 1, 1)), [[0, 1, 0], [0, 1, 1], [0, 1, 2]], 30),
    }


@pytest.mark.parametrize("name", _trips())
def test_written_and_read_again(name: str, tmp_path: Path) -> None:
    """Skeleton, rate and every joint's position and rotation are restored; the mannequin is not part of the clip."""
    clip = _trips()[name]
    save(clip, tmp_path / "a.glb")
    back = load(tmp_path / "a.glb")
    assert back.fps == clip.fps
    assert back.n_frames == clip.n_frames
    assert back.skeleton.names == clip.skeleton.names
    assert back.skeleton.parents.tolist() == clip.skeleton.parents.tolist()
    assert back.skeleton.offsets == pytest.approx(clip.skeleton.offsets, abs=1e-6)
    assert world_positions(back) == pytest.approx(world_positions(clip), abs=1e-5)
    assert np.abs(np.sum(back.rotations * clip.rotations, axis=-1)) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize(
    "name", ["asf_amc/16/16_11.amc", "misc/bvhtoolbox/walk01.bvh", "misc/geno/Geno_stance.bvh"]
)
def test_captured_clips_come_back(name: str, data: Path, tmp_path: Path) -> None:
    """Captured clips are restored as well."""
    clip = load(data / name)
    save(clip, tmp_path / "a.glb")
    back = load(tmp_path / "a.glb")
    assert back.fps == clip.fps
    assert back.skeleton.names == clip.skeleton.names
    assert world_positions(back) == pytest.approx(world_positions(clip), abs=1e-5)


def test_what_was_written_for_avatars_is_read(tmp_path: Path) -> None:
    """A VRM animation is a GLB without a skin: the root's path and the joints' positions are restored."""
    walk = sample("walk")
    save(walk, tmp_path / "a.vrma")
    back = load(tmp_path / "a.vrma")
    assert (back.fps, back.n_frames) == (walk.fps, walk.n_frames)
    assert set(back.skeleton.names) == set(walk.skeleton.names)
    order = [back.skeleton.index(name) for name in walk.skeleton.names]
    assert world_positions(back)[:, order] == pytest.approx(world_positions(walk), abs=1e-5)


def test_another_parser_finds_the_same_numbers(tmp_path: Path) -> None:
    """Rotations and root positions that pygltflib reads from the file are those of the clip."""
    pygltflib = pytest.importorskip("pygltflib")
    save(sample("walk_left"), tmp_path / "a.glb")
    clip = load(tmp_path / "a.glb")
    other = pygltflib.GLTF2().load(str(tmp_path / "a.glb"))
    blob = other.binary_blob()
    for channel in other.animations[0].channels:
        accessor = other.accessors[other.animations[0].samplers[channel.sampler].output]
        start = other.bufferViews[accessor.bufferView].byteOffset + (accessor.byteOffset or 0)
        width = {"VEC3": 3, "VEC4": 4}[accessor.type]
        values = np.frombuffer(blob, "<f4", accessor.count * width, start).reshape(-1, width)
        if channel.target.path == "translation":
            assert clip.root_positions == pytest.approx(values, abs=1e-6)
        else:
            joint = clip.skeleton.index(other.nodes[channel.target.node].name)
            dots = np.sum(clip.rotations[:, joint][:, [1, 2, 3, 0]] * values, axis=1)
            assert np.abs(dots) == pytest.approx(1.0, abs=1e-6)


@given(
    st.sampled_from([*map(float, KNOWN), *(n * 1000 / 1001 for n in KNOWN), 15.0, 12.0, 48.0, 144.0]),
    st.integers(2, 3000),
    st.sampled_from([0.0, 1 / 30, -0.5, 3.0]),
)
def test_rates_are_found_exactly(rate: float, count: int, start: float) -> None:
    """Key times in 32 bits restore the rate they were made with; a few keys of an integer rate have that rate."""
    times = np.float32(start + np.arange(count) / rate).astype(np.float64)
    found, _ = frame_rate([times], given=None, curved=False)
    if count > 20 or rate == round(rate):
        assert found == rate
    else:
        assert found == pytest.approx(rate, rel=1e-3)


def test_rates_of_sparse_and_irregular_keys() -> None:
    """Key poses on frames of a usual rate have that rate; other keys have 30; a curve is sampled between its keys."""
    assert frame_rate([np.array([0.0, 1.0, 3.0])], given=None, curved=False)[0] == 30
    assert frame_rate([np.array([0.0, 1 / 24, 3.0])], given=None, curved=False)[0] == 24
    assert frame_rate([np.array([0.0, 0.1234, 0.3141, 0.777])], given=None, curved=False)[0] == 30
    assert frame_rate([np.arange(9) / 12], given=None, curved=False)[0] == 12
    assert frame_rate([np.arange(9) / 12], given=None, curved=True)[0] == 24
    assert frame_rate([np.array([2.0])], given=None, curved=False)[0] == 30
    assert frame_rate([np.round(np.arange(40) / 30, 3)], given=None, curved=False)[0] == 30
    assert frame_rate([np.arange(9) / 30], given=90.0, curved=False)[0] == 90
    assert frame_rate([np.arange(9) / 30], given=25.0, curved=False)[0] == 30


def test_animations_are_chosen_by_name(tmp_path: Path) -> None:
    """The full name or the part after the bar is accepted; without a name or with a wrong one, all are listed."""
    file = chain()
    file.move(1, "rotation", [0, 1], turned("z", [0, 30]))
    for name in ("Rig|Walk", "Rig|Run"):
        file.json["animations"].append({"name": name, "channels": [], "samplers": []})
        file.move(1, "rotation", [0, 2], turned("x", [0, 30]))
    path = file.glb(tmp_path / "a.glb")
    assert animations(path) == ["move", "Rig|Walk", "Rig|Run"]
    first = load(f"{path}#move")
    assert (first.name, first.seconds) == ("a#move", 1.0)
    with pytest.raises(FileError, match=r"holds 3 animations; .*#move: move, Rig\|Walk, Rig\|Run$"):
        load(path)
    walk = load(f"{path}#Walk")
    assert walk.name == "a#Rig|Walk"
    assert walk.seconds == 2.0
    assert walk.source.path == f"{path}#Walk"
    with pytest.raises(FileError, match=r"'Rum'.*Run"):
        load(f"{path}#Rum")
    assert [p.name for p in motion_files([tmp_path])] == ["a.glb#move", "a.glb#Rig|Walk", "a.glb#Rig|Run"]
    assert len(load_folder([tmp_path])[0]) == 3
    assert len(load_folder([f"{path}#Run"])[0]) == 1
    assert len(load_folder([path])[0]) == 3


def test_settings(tmp_path: Path) -> None:
    """Rate, unit and axes can be set; settings that glTF fixes are refused."""
    file = chain()
    file.move(0, "translation", [0, 1], [[0, 0, 1], [0, 2, 1]])
    path = file.glb(tmp_path / "a.glb")
    clip = load(path, fps=10, unit=0.1, up="z")
    assert (clip.fps, clip.n_frames) == (10, 11)
    assert clip.root_positions[-1] == pytest.approx([0, 0.1, -0.2])
    for setting in ({"encoding": "utf-8"}, {"root_position": "absolute"}, {"skeleton": "a.asf"}):
        with pytest.raises(SettingError, match=r"a \.glb file cannot use"):
            load(path, **setting)
