"""Joint positions as input: converted, carried to a body, and in a folder with other motions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from segue.app.convert import Changes, body_of, convert, plan
from segue.app.info import clip_info
from segue.io import load, load_folder, save
from segue.motion.kinematics import world_positions
from segue.motion.samples import sample

WALK = sample("walk")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the sample walk as joint positions and a run as BVH."""
    names = np.array(WALK.skeleton.names)
    np.savez(tmp_path / "joints.npz", joints=world_positions(WALK), joint_names=names, fps=WALK.fps)
    save(sample("run"), tmp_path / "run.bvh")
    return tmp_path


def test_positions_become_a_bvh_file(folder: Path) -> None:
    """Positions are converted like any motion; the notes state the fit error."""
    (done,) = convert(plan([str(folder / "joints.npz")], folder / "walk.bvh"), Changes())
    assert done.error == ""
    assert any(note.startswith("error: joints lie 0.0 mm") for note in done.notes)
    assert load(folder / "walk.bvh").n_frames == WALK.n_frames


def test_positions_go_onto_the_body_they_were_taken_of(folder: Path) -> None:
    """On the same body 95 % of the joints lie within a millimetre of their positions."""
    body = body_of("run", [str(folder)])
    (done,) = convert(plan([str(folder / "joints.npz")], folder / "walk.bvh"), Changes(body=body))
    assert done.clip is not None
    order = [WALK.skeleton.index(name) for name in done.clip.skeleton.names]
    away = np.linalg.norm(world_positions(done.clip) - world_positions(WALK)[:, order], axis=-1)
    assert done.clip.skeleton is body.skeleton
    assert np.percentile(away, 95) < 1e-3


def test_a_folder_of_both_is_read(folder: Path) -> None:
    """Positions next to other motions are clips of one folder, and `info` describes them."""
    clips, skipped = load_folder([folder])
    assert [clip.name for clip in clips] == ["joints", "run"]
    assert skipped == []
    assert clip_info(clips[0]).joints == WALK.skeleton.n_joints
