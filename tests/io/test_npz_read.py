"""NPZ: SMPL-like layouts, Z up, rest offsets; world rotations with positions; pickles refused."""

from __future__ import annotations

import csv
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segue.errors import FileError, SettingError
from segue.io import load, save
from segue.io.npz_global import find_parents
from segue.io.smpl_body import LAYOUTS, smpl_skeleton
from segue.io.units import from_y_up
from segue.maths.quaternions import to_matrix
from segue.motion.kinematics import world, world_positions
from segue.motion.roles import NEEDED, roles
from segue.motion.samples import sample

INDEX = Path(__file__).resolve().parents[3] / "shared" / "cases" / "index.csv"


def _rows() -> list[dict[str, str]]:
    if not INDEX.is_file():
        return []
    with INDEX.open(encoding="utf-8") as stream:
        return [row for row in csv.DictReader(stream) if row["kind"] == "npz-amass"]


ROWS = _rows()


@pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
def test_case(row: dict[str, str], cases: Path) -> None:
    """Readable cases are read; the others are refused with the words expected."""
    wanted = json.loads(row["check_json"])
    path = cases / row["file"]
    if wanted["outcome"] != "ok":
        with pytest.raises(FileError) as caught:
            load(path)
        for word in wanted["error_mentions"]:
            assert word in str(caught.value)
        return
    clip = load(path)
    assert clip.source is not None
    assert clip.n_frames == wanted["frames"]
    assert clip.fps == wanted.get("fps", clip.fps)
    assert clip.skeleton.n_joints == wanted.get("joint_count", clip.skeleton.n_joints)
    if "trans_last" in wanted:
        stored = from_y_up(clip.root_positions[-1], up=clip.source.up)
        assert stored == pytest.approx(wanted["trans_last"], abs=1e-12)
    if "y_up" in wanted:
        assert clip.root_positions == pytest.approx(np.array(wanted["y_up"]["trans"]), abs=wanted["tol"])
        assert clip.rotations[0, 0] == pytest.approx(wanted["y_up"]["root_rotation_wxyz"], abs=1e-6)


def motion(joints: int, frames: int = 4, seed: int = 0) -> dict[str, Any]:
    """Arrays of a standing body with slight motion, Z up."""
    rng = np.random.default_rng(seed)
    poses = rng.normal(0.0, 0.2, (frames, joints, 3))
    poses[:, 0] = [np.pi / 2, 0.0, 0.0]
    trans = np.column_stack([np.arange(frames) * 0.1, np.zeros(frames), np.full(frames, 0.9)])
    return {"poses": poses.reshape(frames, -1), "trans": trans, "mocap_framerate": 60.0}


def saved(folder: Path, **arrays: Any) -> Path:
    """An archive of these arrays."""
    path = folder / "made.npz"
    np.savez_compressed(path, **arrays)
    return path


@pytest.mark.parametrize("joints", LAYOUTS)
def test_layouts(tmp_path: Path, joints: int) -> None:
    """Every width is read, flat or by joint, as vectors or matrices, with roles for legs and arms."""
    arrays = motion(joints)
    clip = load(saved(tmp_path, **arrays))
    assert clip.skeleton.names == LAYOUTS[joints][1]
    assert set(NEEDED) <= set(roles(clip.skeleton))
    by_joint = arrays | {"poses": arrays["poses"].reshape(4, joints, 3)}
    assert np.array_equal(load(saved(tmp_path, **by_joint)).rotations, clip.rotations)
    turned = to_matrix(clip.rotations)
    by_matrix = arrays | {"poses": turned}
    matrices = load(saved(tmp_path, **by_matrix), up="Y").rotations
    assert np.abs(to_matrix(matrices) - turned).max() < 1e-9


def test_a_pose_in_parts_is_the_pose(tmp_path: Path) -> None:
    """Parts under either family of names give the same clip as the complete pose; a missing jaw or eye is at rest."""
    arrays = motion(55)
    poses = arrays.pop("poses")
    whole = load(saved(tmp_path, poses=poses, **arrays))
    amass = {"root_orient": poses[:, :3], "pose_body": poses[:, 3:66], "pose_jaw": poses[:, 66:69]}
    amass |= {"pose_eye": poses[:, 69:75], "pose_hand": poses[:, 75:]}
    assert np.array_equal(load(saved(tmp_path, **amass, **arrays)).rotations, whole.rotations)
    smplx = {"global_orient": poses[:, :3], "body_pose": poses[:, 3:66], "jaw_pose": poses[:, 66:69]}
    smplx |= {"left_hand_pose": poses[:, 75:120], "right_hand_pose": poses[:, 120:]}
    arrays["transl"] = arrays.pop("trans")
    found = load(saved(tmp_path, **smplx, **arrays)).rotations
    assert np.array_equal(np.delete(found, [23, 24], axis=1), np.delete(whole.rotations, [23, 24], axis=1))
    assert np.all(found[:, 23:25] == [1, 0, 0, 0])
    smpl = {"global_orient": poses[:, :3], "body_pose": np.zeros((4, 69))}
    assert load(saved(tmp_path, **smpl, **arrays)).skeleton.n_joints == 24


def test_the_body_is_a_person() -> None:
    """Left is +X, feet are below the hips, arms level, height is about 1.7 m, and the sides mirror each other."""
    body = smpl_skeleton(55)
    rest = dict(zip(body.names, body.rest_positions(), strict=True))
    for name, place in rest.items():
        if name.startswith("left_"):
            assert place == pytest.approx(rest["right" + name[4:]] * [-1, 1, 1], abs=1e-12)
    assert rest["left_wrist"][0] > rest["left_elbow"][0] > rest["left_shoulder"][0] > 0.1
    assert 0.0 <= rest["left_foot"][1] < rest["left_ankle"][1] < rest["left_knee"][1] < rest["left_hip"][1]
    assert rest["left_foot"][2] > rest["left_ankle"][2]
    assert 1.6 < rest["head"][1] + body.tip(body.index("head"))[1] < 1.8
    assert abs(rest["left_wrist"][1] - rest["left_shoulder"][1]) < 0.02


def test_up_is_z_unless_the_body_stands_along_y(tmp_path: Path) -> None:
    """The same motion stored with Y up is read the same; up= takes precedence."""
    arrays = motion(22)
    z_up = load(saved(tmp_path, **arrays))
    y_up = dict(arrays)
    poses = arrays["poses"].copy()
    poses[:, :3] = 0.0
    y_up |= {
        "poses": poses,
        "trans": np.column_stack([arrays["trans"][:, 0], arrays["trans"][:, 2], np.zeros(4)]),
    }
    path = saved(tmp_path, **y_up)
    found = load(path)
    assert found.source.up == "Y"
    assert np.abs(world_positions(found) - world_positions(z_up)).max() < 1e-9
    assert load(path, up="Z").source.up == "Z"


def test_lying_people_do_not_turn_the_world(tmp_path: Path) -> None:
    """A body that lies along Y near the ground of a Z-up world remains lying."""
    arrays = motion(22)
    arrays["poses"][:, :3] = 0.0
    arrays["trans"][:, 2] = 0.15
    assert load(saved(tmp_path, **arrays)).source.up == "Z"


@pytest.mark.parametrize("suffix", [".npz", ".json"])
def test_own_rest_offsets(tmp_path: Path, suffix: str) -> None:
    """With the model's joints, lengths are the model's and the pelvis is where the model puts it."""
    arrays = motion(22)
    rest = smpl_skeleton(24).rest_positions() * 1.1
    rest -= rest[0] - [0.0, -0.2, 0.03]
    model = tmp_path / f"model{suffix}"
    if suffix == ".npz":
        np.savez(model, J=rest)
    else:
        model.write_text(json.dumps({"J": rest.tolist()}))
    clip = load(saved(tmp_path, **arrays), skeleton=model)
    assert clip.skeleton.offsets[4] == pytest.approx(rest[4] - rest[1])
    # The model adds the pelvis' rest position to the translation without rotating it.
    assert from_y_up(clip.root_positions[0], up="Z") == pytest.approx(arrays["trans"][0] + rest[0])


def test_bad_rest_offsets(tmp_path: Path) -> None:
    """The message names what is missing in a model's file."""
    path, model = saved(tmp_path, **motion(22)), tmp_path / "model.npz"
    np.savez(model, weights=np.zeros(3))
    with pytest.raises(FileError, match="'J'"):
        load(path, skeleton=model)
    for wrong in (np.zeros((10, 3)), np.full((24, 3), np.nan), np.zeros((24, 3)), np.zeros(3)):
        np.savez(model, J=wrong)
        with pytest.raises(FileError, match=r"^.*model\.npz: J "):
            load(path, skeleton=model)
    (tmp_path / "model.json").write_text("{}")
    with pytest.raises(FileError, match="key 'J'"):
        load(path, skeleton=tmp_path / "model.json")
    with pytest.raises(FileError, match=r"\.npz or \.json"):
        load(path, skeleton="model.pkl")


BAD: list[tuple[dict[str, Any], str]] = [
    ({"mocap_framerate": None}, "no frame rate"),
    ({"mocap_framerate": -1.0}, "no frame rate; pass fps="),
    ({"mocap_framerate": np.array("x")}, "numbers are expected"),
    ({"trans": np.zeros((3, 3))}, "4 frames and 'trans' has 3"),
    ({"trans": np.zeros((4, 2))}, r"must be \(frames, 3\)"),
    ({"poses": np.zeros((4, 67))}, "SMPL-like poses"),
    ({"poses": np.zeros((4, 66), dtype=complex)}, "numbers are expected"),
    ({"poses": np.full((4, 66), 1e30)}, "frame 0 holds 1e\\+30"),
    ({"trans": None}, "'trans'"),
    ({"poses": np.array([[1, "a"]], dtype=object)}, "'poses' is a pickle"),
]


@pytest.mark.parametrize(("changes", "message"), BAD)
def test_what_is_wrong_is_named(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    """The message names the key, shape or frame."""
    arrays = {key: value for key, value in (motion(22) | changes).items() if value is not None}
    with pytest.raises(FileError, match=message):
        load(saved(tmp_path, **arrays))


def test_a_rate_can_be_given(tmp_path: Path) -> None:
    """fps= sets the rate where the archive has none."""
    arrays = motion(22)
    del arrays["mocap_framerate"]
    assert load(saved(tmp_path, **arrays), fps=30).fps == 30.0


def test_claims_of_size_are_checked(tmp_path: Path) -> None:
    """A header that claims gigabytes is refused before memory is allocated."""
    head = (
        b"\x93NUMPY\x01\x00v\x00" + b"{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999, 66), }"
    )
    path = tmp_path / "huge.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("poses.npy", head.ljust(127) + b"\n")
        archive.writestr("trans.npy", head.ljust(127) + b"\n")
    with pytest.raises(FileError, match="cannot be unpacked"):
        load(path)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("poses.npy", b"\0" * 50_000_000)
        archive.writestr("trans.npy", b"\0" * 50_000_000)
    with pytest.raises(FileError, match="claims"):
        load(path)
    path.write_bytes(b"PK\x03\x04 and no more")
    with pytest.raises(FileError, match="archive"):
        load(path)


def test_pickles_are_refused(data: Path, tmp_path: Path) -> None:
    """Pickles are refused with one sentence and never opened; for a plain array the message names what it lacks."""
    for path in sorted((data / "misc" / "poselib_npy").glob("*.npy")):
        with pytest.raises(FileError, match="is a pickle: opening it would run code"):
            load(path)
    np.save(tmp_path / "plain.npy", np.zeros(3))
    with pytest.raises(FileError, match="single array"):
        load(tmp_path / "plain.npy")
    (tmp_path / "a.pkl").write_bytes(b"\x80\x04.")
    with pytest.raises(FileError, match="pickle"):
        load(tmp_path / "a.pkl")


@pytest.mark.parametrize(
    ("name", "frames", "joints", "knee"),
    [("soma_05_root_path", 300, 30, "LeftLeg"), ("g1_01_single_text_prompt", 150, 34, "left_knee")],
)
def test_world_rotations_and_positions(data: Path, name: str, frames: int, joints: int, knee: str) -> None:
    """The skeleton found gives the file's own joint positions and rotations."""
    path = data / "misc" / "npz_kimodo" / f"{name}.npz"
    clip = load(path)
    assert (clip.n_frames, clip.skeleton.n_joints, clip.fps) == (frames, joints, 30.0)
    with np.load(path, allow_pickle=False) as stored:
        places, turns = stored["posed_joints"], stored["global_rot_mats"]
    at = world(clip)
    assert np.abs(at.positions - places).max() < 2e-6
    assert np.abs(to_matrix(at.rotations) - turns).max() < 2e-6
    rest = clip.skeleton.rest_positions()
    knee_at, root_at = rest[clip.skeleton.index(knee)], rest[0]
    assert knee_at[0] > root_at[0]
    assert knee_at[1] < root_at[1] - 0.1


@given(st.integers(0, 10_000))
def test_trees_are_found_from_motion(seed: int) -> None:
    """The tree of a moving body is found from positions and rotations alone."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 12))
    parents = np.array([-1, *(int(rng.integers(0, k)) for k in range(1, count))])
    offsets = rng.normal(0.0, 0.3, (count, 3))
    turns = to_matrix(_random_turns(rng, (40, count)))
    places = rng.normal(0.0, 1.0, (40, 1, 3)).repeat(count, axis=1)
    for joint in range(1, count):
        turns[:, joint] = turns[:, parents[joint]] @ turns[:, joint]
        places[:, joint] = places[:, parents[joint]] + turns[:, parents[joint]] @ offsets[joint]
    found, loose = find_parents(turns, places)
    assert np.array_equal(found, parents)
    assert loose < 1e-9


def _random_turns(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    q = rng.normal(size=(*shape, 4))
    return q / np.linalg.norm(q, axis=-1, keepdims=True)


def test_loose_points_are_no_skeleton(tmp_path: Path) -> None:
    """Points that move freely, matrices that are not rotations, and shapes that do not match are named."""
    rng = np.random.default_rng(1)
    eye = np.tile(np.eye(3), (20, 5, 1, 1))
    for change, note in (
        ({"posed_joints": rng.normal(size=(20, 5, 3))}, "no tree of joints"),
        ({"global_rot_mats": 2 * eye}, "frame 0 holds a matrix that is no rotation"),
        ({"global_rot_mats": eye[:3]}, "shapes"),
        ({"posed_joints": np.full((20, 5, 3), np.inf)}, "no positions"),
    ):
        arrays = {"posed_joints": np.zeros((20, 5, 3)), "global_rot_mats": eye} | change
        with pytest.raises(FileError, match=note):
            load(saved(tmp_path, **arrays))


def test_own_archives_come_back(tmp_path: Path) -> None:
    """load returns what save wrote; settings do not apply to it."""
    walk = sample("walk")
    save(walk, tmp_path / "walk.npz")
    found = load(tmp_path / "walk.npz")
    assert np.array_equal(found.rotations, walk.rotations)
    assert found.skeleton.same_as(walk.skeleton)
    with pytest.raises(SettingError, match="own skeleton"):
        load(tmp_path / "walk.npz", up="Z")
