"""A BVH of a motion far below the ground of its file is read at its true height, whatever its root's OFFSET is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rerigged import along_x
from segue.io import load, save
from segue.motion.clip import Clip
from segue.motion.kinematics import world_positions
from segue.motion.samples import sample
from segue.motion.skeleton import Skeleton


def lifted_rest(clip: Clip) -> Clip:
    """Clip whose rest pose stands on the ground: the root's OFFSET is the height of the hips."""
    body = clip.skeleton
    offsets = np.array(body.offsets)
    offsets[0] = [0.0, 0.95, 0.0]
    return clip.with_skeleton(Skeleton(body.names, body.parents, offsets, body.end_sites))


UP = np.array([0.0, 1.0, 0.0])
BODIES = {
    "as it is": lambda clip: clip,
    "a rest pose on the ground": lifted_rest,
    "bones along X": lambda clip: lifted_rest(along_x(clip)),
}


@pytest.mark.parametrize("metres", [-0.3, -0.88, -1.1, -2.5, -20.0, 0.9])
@pytest.mark.parametrize("kind", list(BODIES))
def test_a_bvh_is_read_where_the_motion_was(kind: str, metres: float, tmp_path: Path) -> None:
    """Positions come back within a micrometre, from the first file and from one written again."""
    walk = BODIES[kind](sample("walk", fps=30.0))
    low = walk.with_motion(root_positions=walk.root_positions + metres * UP)
    save(low, tmp_path / "low.bvh")
    first = load(tmp_path / "low.bvh")
    save(first, tmp_path / "again.bvh")
    for clip in (first, load(tmp_path / "again.bvh")):
        rows = [clip.skeleton.index(name) for name in low.skeleton.names]
        assert np.abs(world_positions(clip)[:, rows] - world_positions(low)).max() < 1e-6


def test_a_file_that_is_read_as_absolute_by_request_comes_back(tmp_path: Path) -> None:
    """A file read with ``root_position="absolute"`` is written so that it can be read without that setting."""
    walk = lifted_rest(sample("walk", fps=30.0))
    save(walk, tmp_path / "walk.bvh")
    moved = load(tmp_path / "walk.bvh", root_position="absolute")
    low = moved.with_motion(root_positions=moved.root_positions - [0.0, 0.95, 0.0])
    save(low, tmp_path / "low.bvh")
    again = load(tmp_path / "low.bvh")
    assert np.abs(again.root_positions - low.root_positions).max() < 1e-6
