"""Joint positions in written files, by the simplest reading of each format, are those of the clip."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from naive.gltf import Scene
from segue.io import load, save
from segue.motion.clip import Clip
from segue.motion.kinematics import world_positions
from segue.motion.samples import sample
from segue.motion.skeleton import EndSite, Skeleton


def test_a_plain_reading_of_glb_finds_every_joint_in_its_place(tmp_path: Path) -> None:
    """The GLB is read node by node, key by key: quaternions xyzw, parents before children."""
    walk = sample("walk", 30.0)
    save(walk, tmp_path / "walk.glb")
    scene = Scene(tmp_path / "walk.glb")
    curves = scene.curves(0)
    wanted = world_positions(walk)
    nodes = [scene.node(name) for name in walk.skeleton.names]
    for frame in (0, 7, walk.n_frames - 1):
        matrices = scene.world(curves, frame / walk.fps)
        seen = [[matrices[node][axis][3] for axis in range(3)] for node in nodes]
        np.testing.assert_allclose(seen, wanted[frame], atol=1e-5)


@pytest.mark.parametrize("up", ["Y", "Z"])
def test_end_sites_of_bvh_come_back(up: str, tmp_path: Path) -> None:
    """Every bone tip is written and read, also two on one joint: they give hands, toes and heads their size."""
    walk = sample("walk", 30.0)
    wrist = walk.skeleton.end_sites[0].joint
    body = walk.skeleton
    sites = [*body.end_sites, EndSite(wrist, np.array([0.03, -0.01, 0.02]))]
    clip = Clip(
        Skeleton(body.names, body.parents, body.offsets, sites), walk.rotations, walk.root_positions, walk.fps
    )
    save(clip, tmp_path / "walk.bvh", up=up)
    again = load(tmp_path / "walk.bvh", up=up)

    def tips(expected: Skeleton) -> list[tuple[str, list[float]]]:
        return sorted(
            (expected.names[site.joint], np.round(site.offset, 6).tolist()) for site in expected.end_sites
        )

    assert tips(again.skeleton) == tips(clip.skeleton)
    assert len(again.skeleton.end_sites) == len(sites) > 5
