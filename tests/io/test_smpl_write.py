"""A clip's motion under the keys of AMASS: limbs keep their directions, soles keep their height."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import smpl_pose as naive
from segue.io import load, save
from segue.io.smpl_body import KEYS, LAYOUTS, N_JOINTS, smpl_arrays, smpl_skeleton
from segue.maths.quaternions import from_yaw, multiply, rotate
from segue.motion.clip import Clip
from segue.motion.kinematics import world_positions
from segue.motion.roles import roles
from segue.motion.samples import SAMPLES, sample
from segue.motion.skeleton import Skeleton

LIMBS = [(f"{side}_{a}", f"{side}_{b}") for side in ("left", "right")
         for a, b in (("hip", "knee"), ("knee", "ankle"), ("shoulder", "elbow"), ("elbow", "wrist"))]  # fmt: skip


def as_amass(clip: Clip, folder: Path) -> Clip:
    """The clip as an AMASS loader reads it from the file that segue wrote."""
    save(clip, folder / "all.npz")
    with np.load(folder / "all.npz", allow_pickle=False) as arrays:
        np.savez(folder / "amass.npz", **{key: arrays[key] for key in KEYS})
    return load(folder / "amass.npz")


def bone(clip: Clip, start: str, stop: str) -> np.ndarray:
    """Directions (F, 3) of the bone between two roles."""
    at, found = world_positions(clip), roles(clip.skeleton)
    along = at[:, found[stop]] - at[:, found[start]]
    return along / np.linalg.norm(along, axis=-1, keepdims=True)


def angles(a: Clip, b: Clip, pairs: list[tuple[str, str]]) -> np.ndarray:
    """Angles in degrees between the bone directions of two clips, (N, F)."""
    cosines = [(bone(a, *pair) * bone(b, *pair)).sum(-1) for pair in pairs]
    return np.degrees(np.arccos(np.clip(cosines, -1, 1)))


@pytest.mark.parametrize("name", SAMPLES)
def test_limbs_point_where_they_did(tmp_path: Path, name: str) -> None:
    """Limbs agree to a thousandth of a degree, the trunk to twelve degrees, on the same floor, at the same rate."""
    clip = sample(name)
    again = as_amass(clip, tmp_path)
    assert angles(clip, again, LIMBS).max() < 1e-3
    assert angles(clip, again, [("pelvis", "neck")]).max() < 12
    assert again.fps == clip.fps
    low = [
        np.percentile(
            world_positions(one)[:, [roles(one.skeleton)[f"{s}_ankle"] for s in ("left", "right")], 1], 5
        )
        for one in (clip, again)
    ]
    assert abs(low[0] - low[1]) < 0.03


def test_the_keys_and_shapes_that_loaders_ask_for(tmp_path: Path) -> None:
    """The arrays are plain and load without pickles."""
    walk = sample("walk")
    save(walk, tmp_path / "walk.npz")
    with np.load(tmp_path / "walk.npz", allow_pickle=False) as arrays:
        assert arrays["poses"].shape == (walk.n_frames, 156)
        assert arrays["trans"].shape == (walk.n_frames, 3)
        assert arrays["betas"].shape == (16,)
        assert str(arrays["gender"]) == "neutral"
        assert float(arrays["mocap_framerate"]) == walk.fps
        assert np.median(arrays["trans"][:, 2]) == pytest.approx(0.9, abs=0.1)  # Z up
    back = load(tmp_path / "walk.npz")
    assert np.array_equal(back.rotations, walk.rotations)
    assert back.skeleton.names == walk.skeleton.names


def test_the_pose_is_what_its_definition_says(tmp_path: Path) -> None:
    """A twin that places the joints by loops agrees with the reader."""
    clip = sample("run", 10.0)
    arrays, body = smpl_arrays(clip), smpl_skeleton(N_JOINTS)
    again = as_amass(clip, tmp_path)
    ours = world_positions(again)
    for frame in (0, clip.n_frames // 2):
        pose = arrays["poses"][frame].reshape(-1, 3).tolist()
        theirs = np.array(
            naive.places(pose, arrays["trans"][frame].tolist(), body.offsets.tolist(), body.parents.tolist())
        )
        upright = np.column_stack([theirs[:, 0], theirs[:, 2], -theirs[:, 1]])
        assert ours[frame] == pytest.approx(upright, abs=1e-9)


@given(st.floats(-np.pi, np.pi), st.floats(-20, 20), st.floats(0.3, 2.0))
def test_place_heading_and_size(yaw: float, x: float, size: float) -> None:
    """Turned and moved motion gives turned and moved poses; a body of another size gives the same poses."""
    walk = sample("walk", 10.0)
    turn = from_yaw(np.asarray(yaw))
    local = np.array(walk.rotations)
    local[:, 0] = multiply(turn, local[:, 0])
    other = Clip(
        Skeleton(walk.skeleton.names, walk.skeleton.parents, size * walk.skeleton.offsets),
        local, size * (rotate(turn, walk.root_positions) + np.array([x, 0.0, 0.0])), walk.fps,
    )  # fmt: skip
    plain = Clip(
        Skeleton(walk.skeleton.names, walk.skeleton.parents, walk.skeleton.offsets),
        walk.rotations, walk.root_positions, walk.fps,
    )  # fmt: skip
    one, two = smpl_arrays(plain), smpl_arrays(other)
    assert two["poses"][:, 3:] == pytest.approx(one["poses"][:, 3:], abs=1e-6)
    assert two["trans"][:, 2] == pytest.approx(one["trans"][:, 2], abs=1e-6)
    travelled = [np.linalg.norm(arrays["trans"][-1, :2] - arrays["trans"][0, :2]) for arrays in (one, two)]
    assert travelled[0] == pytest.approx(travelled[1], abs=1e-6)


def test_a_body_without_a_persons_limbs_has_no_such_keys(tmp_path: Path) -> None:
    """A crate is written in segue's own layout alone."""
    crate = Clip(
        Skeleton(("crate",), [-1], [[0, 0, 0]]), np.tile([1.0, 0, 0, 0], (3, 1, 1)), np.zeros((3, 3)), 30.0
    )
    assert smpl_arrays(crate) == {}
    save(crate, tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz", allow_pickle=False) as arrays:
        assert not set(KEYS) & set(arrays.files)
    assert load(tmp_path / "a.npz").n_frames == 3


def test_real_clips(data: Path, tmp_path: Path) -> None:
    """Limbs of CMU bodies in several BVH exports keep their directions to 0.01 degrees."""
    for name in ("cmu/mb2", "cmu/from_amc", "cmu/bvhacker"):
        path = min((data / name).rglob("*.bvh"))
        clip = load(path)
        if "left_wrist" not in roles(clip.skeleton):
            continue
        assert angles(clip, as_amass(clip, tmp_path), LIMBS).max() < 0.01, path


def test_the_layout_is_that_of_amass() -> None:
    """SMPL+H has 52 joints."""
    assert LAYOUTS[N_JOINTS][0] == "SMPL+H"
