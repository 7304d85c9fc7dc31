"""Awkward writing cases from public threads, each for every format it concerns; and written clips are read again."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from segue.errors import FileError
from segue.io import load, save
from segue.io.formats import WRITABLE
from segue.maths.quaternions import half_angle
from segue.motion.clip import Clip
from segue.motion.kinematics import world_positions
from segue.motion.samples import sample

INDEX = Path(__file__).resolve().parents[3] / "shared" / "cases" / "index.csv"


def rows() -> list[dict[str, str]]:
    """Writing cases of the index."""
    if not INDEX.is_file():
        return []
    with INDEX.open(encoding="utf-8") as stream:
        return [row for row in csv.DictReader(stream) if row["kind"] in {"bvh-write", "gltf-write"}]


def glb(path: Path) -> dict:
    """JSON part of a GLB file."""
    content = path.read_bytes()
    return json.loads(content[20 : 20 + int.from_bytes(content[12:16], "little")])


def keys(path: Path, node: str, what: str) -> np.ndarray:
    """Key values of a node's channel in a GLB written by segue."""
    document, content = glb(path), path.read_bytes()
    binary = content[28 + int.from_bytes(content[12:16], "little") :]
    animation = document["animations"][0]
    index = next(k for k, entry in enumerate(document["nodes"]) if entry["name"] == node)
    channel = next(c for c in animation["channels"] if c["target"] == {"node": index, "path": what})
    accessor = document["accessors"][animation["samplers"][channel["sampler"]]["output"]]
    start = document["bufferViews"][accessor["bufferView"]]["byteOffset"]
    width = {"VEC3": 3, "VEC4": 4}[accessor["type"]]
    return np.frombuffer(binary, "<f4", accessor["count"] * width, start).reshape(-1, width)


def motion_rows(path: Path) -> np.ndarray:
    """Numbers of a BVH file's motion block."""
    lines = path.read_text().splitlines()
    start = next(k for k, line in enumerate(lines) if line.startswith("Frame Time"))
    assert lines[start - 1] == f"Frames: {len(lines) - start - 1}"
    return np.array([line.split() for line in lines[start + 1 :]], dtype=float)


def bind_pose(clip: Clip, folder: Path, wanted: dict) -> None:
    """case002: nodes have the skeleton's rest pose, whatever the first frame is."""
    save(clip, folder / "a.glb")
    spine = next(node for node in glb(folder / "a.glb")["nodes"] if node["name"] == "Spine")
    unit = clip.source.metres_per_unit
    assert np.array(spine["translation"]) / unit == pytest.approx(wanted["rest_spine_translation_cm"])
    assert spine.get("rotation", [0, 0, 0, 1]) == wanted["rest_rotation_xyzw"]
    assert np.ptp([*keys(folder / "a.glb", "Spine", "rotation"), [0, 0, 0, 1]]) > 0


def all_frames(_: Clip | None, folder: Path, wanted: dict) -> None:
    """case010: 600 frames are 600 rows, the last one included."""
    walk = sample("walk")
    rows = np.arange(wanted["frames"]) % walk.n_frames
    long = Clip(walk.skeleton, walk.rotations[rows], walk.root_positions[rows], walk.fps)
    save(long, folder / "a.bvh")
    written = motion_rows(folder / "a.bvh")
    assert len(written) == wanted["rows"]
    assert written[-1, :3] == pytest.approx(100 * long.root_positions[-1], abs=1e-6)


def euler_unroll(clip: Clip, folder: Path, wanted: dict) -> None:
    """case042: no rotation channel jumps, and the motion is the same."""
    save(clip, folder / "a.bvh")
    assert np.abs(np.diff(motion_rows(folder / "a.bvh")[:, 3:], axis=0)).max() < wanted["max_step"]
    again, unit = load(folder / "a.bvh"), clip.source.metres_per_unit
    assert world_positions(again) / unit == pytest.approx(world_positions(clip) / unit, abs=wanted["tol"])


def round_trip(clip: Clip, folder: Path, wanted: dict) -> None:
    """case108: load, save, load changes nothing."""
    save(clip, folder / "a.bvh")
    again = load(folder / "a.bvh")
    turned = np.degrees(2 * half_angle(clip.rotations, again.rotations)).max()
    assert turned < wanted["rot_tol_deg"]
    unit = clip.source.metres_per_unit
    assert again.root_positions / unit == pytest.approx(clip.root_positions / unit, abs=wanted["pos_tol"])
    assert clip.skeleton.same_as(again.skeleton)
    assert (clip.source.channels, clip.n_frames) == (again.source.channels, again.n_frames)


def key_times(clip: Clip, folder: Path, wanted: dict) -> None:
    """case120: three keys are at 0, 1/30 and 2/30 s; the first and last are the first and last frame."""
    save(clip, folder / "a.glb")
    document = glb(folder / "a.glb")
    times = document["accessors"][document["animations"][0]["samplers"][0]["input"]]
    assert times["count"] == wanted["keys"]
    assert [times["min"][0], times["max"][0]] == pytest.approx(
        [wanted["times"][0], wanted["times"][-1]], abs=1e-6
    )
    root = keys(folder / "a.glb", clip.skeleton.names[0], "translation")
    assert root[[0, -1]] == pytest.approx(clip.root_positions[[0, -1]], abs=1e-6)


def no_numbers(clip: Clip, folder: Path, wanted: dict) -> None:
    """case167: a zero quaternion is refused in every format, with joint and frame; no file is left."""
    assert wanted["no_nan"]
    rotations = np.array(clip.rotations)
    rotations[1, clip.skeleton.index("Spine")] = 0.0
    for suffix in WRITABLE:
        if suffix == ".vrma":
            continue  # the case's body is not human
        with pytest.raises(FileError, match=r"'Spine' in frame 1"):
            save(clip.with_motion(rotations), folder / f"a{suffix}")
    assert list(folder.iterdir()) == []


def xyzw(clip: Clip, folder: Path, wanted: dict) -> None:
    """case171: glTF's quaternions have their real part last."""
    save(clip, folder / "a.glb")
    found = keys(folder / "a.glb", "Spine", "rotation")
    assert np.abs(np.abs(found) - wanted["rotation_xyzw"]).max(axis=1).min() < 1e-5


CHECKS: dict[str, Callable[[Clip, Path, dict], None]] = {
    "case002": bind_pose,
    "case010": all_frames,
    "case042": euler_unroll,
    "case108": round_trip,
    "case120": key_times,
    "case167": no_numbers,
    "case171": xyzw,
}


@pytest.mark.parametrize("row", rows(), ids=lambda row: row["id"])
def test_case(row: dict[str, str], cases: Path, tmp_path: Path) -> None:
    """Every writing case of the index has a check and passes it."""
    files = row["file"].split(";")
    source = next((cases / name for name in files if name.endswith(".bvh")), None)
    CHECKS[row["id"]](load(source) if source else None, tmp_path, json.loads(row["check_json"])["expect"])


@pytest.mark.parametrize("suffix", [".bvh", ".fbx", ".glb", ".npz"])
def test_what_is_written_is_read_again(data: Path, tmp_path: Path, suffix: str) -> None:
    """Names, tree, rate, length and positions survive every format that is both written and read."""
    if suffix == ".fbx":
        pytest.importorskip("ufbx")
    for made in (sample("walk"), load(data / "asf_amc" / "16" / "16_11.amc")):
        save(made, tmp_path / f"a{suffix}")
        again = load(tmp_path / f"a{suffix}")
        assert again.fps == pytest.approx(made.fps, rel=1e-9)
        assert again.n_frames == made.n_frames
        index = [again.skeleton.index(name) for name in made.skeleton.names]
        assert world_positions(again)[:, index] == pytest.approx(world_positions(made), abs=1e-5)


@pytest.mark.parametrize("suffix", WRITABLE)
def test_existing_files_are_kept(tmp_path: Path, suffix: str) -> None:
    """Without permission to overwrite, a file is unchanged."""
    if suffix.startswith(".usd"):
        pytest.importorskip("pxr")
    (tmp_path / f"a{suffix}").write_bytes(b"mine")
    with pytest.raises(FileError, match="exists already"):
        save(sample("walk"), tmp_path / f"a{suffix}", overwrite=False)
    assert (tmp_path / f"a{suffix}").read_bytes() == b"mine"
    assert [path.name for path in tmp_path.iterdir()] == [f"a{suffix}"]
