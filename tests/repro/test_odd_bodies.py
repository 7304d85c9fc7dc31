"""Folders with one odd body or file: the other clips still play."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from segue.errors import FileError
from segue.io import load, load_folder, save
from segue.motion.samples import sample
from segue.synthesis.retarget import retarget


@pytest.fixture
def found(data: Path) -> Path:
    """Awkward inputs next to the clips."""
    folder = data.parent / "found"
    if not folder.is_dir():
        pytest.skip("the awkward inputs are not there")
    return folder


def test_a_body_without_collar_bones_is_carried_to_one_with(found: Path) -> None:
    """The target's collar bones are matched by position though the source lacks the role."""
    clip = load(found / "f10-split-hips.bvh")
    target = load(found / "f09-clavicle-and-blade.bvh").skeleton
    made = retarget(clip, target)
    assert made.n_frames == clip.n_frames == 80
    assert np.isfinite(made.rotations).all()


def test_a_file_without_frames_is_one_sentence(found: Path) -> None:
    """A file without poses gives its name and the reason."""
    with pytest.raises(FileError, match="holds no frames"):
        load(found / "attack/small/npz-no-poses.npz")


def test_clips_of_one_folder_with_one_name_are_numbered(tmp_path: Path) -> None:
    """Files whose motions have the same name are distinguished by number, not by the path of their folder."""
    save(sample("walk"), tmp_path / "a.npz")
    shutil.copy(tmp_path / "a.npz", tmp_path / "b.npz")
    clips, _ = load_folder([tmp_path])
    names = [clip.name for clip in clips]
    assert len(set(names)) == 2
    assert not any("/" in name for name in names)
