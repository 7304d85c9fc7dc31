"""Parts of an SMPL-like pose may be rotation matrices, vectors or flat, each part differently."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import segue

F = 5


def shaped(vectors: np.ndarray, form: str) -> np.ndarray:
    """Rotation vectors (F, J, 3) in one of the forms."""
    if form == "flat":
        return vectors.reshape(F, -1)
    if form == "rows":
        return vectors
    matrices = Rotation.from_rotvec(vectors.reshape(-1, 3)).as_matrix().reshape(F, -1, 3, 3)
    return matrices[:, 0] if form == "alone" else matrices


@pytest.mark.parametrize(
    ("root", "body"), list(product(["flat", "rows", "matrices", "alone"], ["flat", "rows", "matrices"]))
)
@pytest.mark.parametrize("joints", [21, 23])
def test_every_form_of_every_part(tmp_path: Path, root: str, body: str, joints: int) -> None:
    """Every form gives the same motion."""
    rng = np.random.default_rng(joints)
    pose = rng.normal(0, 0.6, (F, 1 + joints, 3))
    trans = rng.normal(0, 1, (F, 3))
    np.savez(tmp_path / "whole.npz", poses=pose, trans=trans, fps=30.0)
    np.savez(
        tmp_path / "parts.npz",
        global_orient=shaped(pose[:, :1], root),
        body_pose=shaped(pose[:, 1:], body),
        transl=trans if root != "rows" else trans[:, None],
        fps=30.0,
    )
    whole, parts = (segue.load(tmp_path / f"{name}.npz", up="Z") for name in ("whole", "parts"))
    assert parts.skeleton.n_joints == 1 + joints
    assert np.abs(segue.world_positions(whole) - segue.world_positions(parts)).max() < 1e-9


def test_hands_and_face_as_matrices(tmp_path: Path) -> None:
    """The same holds for the parts of SMPL-X."""
    rng = np.random.default_rng(3)
    pose = rng.normal(0, 0.4, (F, 55, 3))
    cuts = {"global_orient": (0, 1), "body_pose": (1, 22), "jaw_pose": (22, 23), "leye_pose": (23, 24)}
    cuts |= {"reye_pose": (24, 25), "left_hand_pose": (25, 40), "right_hand_pose": (40, 55)}
    arrays = {key: shaped(pose[:, a:b], "matrices") for key, (a, b) in cuts.items()}
    np.savez(tmp_path / "parts.npz", **arrays, transl=np.zeros((F, 3)), fps=30.0)
    np.savez(tmp_path / "whole.npz", poses=pose.reshape(F, -1), trans=np.zeros((F, 3)), fps=30.0)
    whole, parts = (segue.load(tmp_path / f"{name}.npz", up="Z") for name in ("whole", "parts"))
    assert np.abs(segue.world_positions(whole) - segue.world_positions(parts)).max() < 1e-9


@pytest.mark.parametrize(
    ("shape", "message"),
    [((F, 23, 6), "(5, 23, 6)"), ((F, 22, 3, 3), "(5, 22, 3, 3)"), ((F - 1, 23, 3, 3), "(4, 23, 3, 3)"),
     ((F, 23, 3, 2), "(5, 23, 3, 2)"), ((0, 23, 3, 3), "(0, 23, 3, 3)"), ((), "()")],
)  # fmt: skip
def test_other_shapes_are_refused_as_they_stand_in_the_file(
    tmp_path: Path, shape: tuple[int, ...], message: str
) -> None:
    """The sentence names the key, the shape in the file and the valid shapes."""
    np.savez(
        tmp_path / "a.npz",
        global_orient=np.zeros((F, 3)),
        body_pose=np.zeros(shape),
        transl=np.zeros((F, 3)),
        fps=30,
    )
    with pytest.raises(segue.FileError) as caught:
        segue.load(tmp_path / "a.npz")
    assert "'body_pose'" in str(caught.value)
    assert message in str(caught.value)
    assert "(5, 21, 3, 3) matrices" in str(caught.value)


@given(st.lists(st.floats(-3.1, 3.1), min_size=3, max_size=3))
def test_matrix_and_vector_are_one_turn(
    tmp_path_factory: pytest.TempPathFactory, vector: list[float]
) -> None:
    """Matrix and vector agree up to half a turn about any axis."""
    turn = np.array(vector) / max(1.0, np.linalg.norm(vector) / 3.1)
    pose = np.zeros((F, 22, 3))
    pose[:, 4] = turn
    path = tmp_path_factory.mktemp("parts") / "a.npz"
    np.savez(
        path,
        root_orient=pose[:, 0],
        pose_body=shaped(pose[:, 1:], "matrices"),
        trans=np.zeros((F, 3)),
        fps=30,
    )
    got = segue.load(path, up="Y").rotations[0, 4]
    wanted = Rotation.from_rotvec(turn).as_quat()[[3, 0, 1, 2]]
    assert abs(float(got @ wanted)) == pytest.approx(1.0, abs=1e-9)
