"""A clip written and read again has the same body in the same positions, for bodies of every size."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from segue.io import load, save
from segue.io.units import limbs, to_metres
from segue.motion.clip import Clip
from segue.motion.kinematics import world_positions
from segue.motion.resample import cut
from segue.motion.samples import sample
from segue.motion.skeleton import Skeleton

FORMATS = [".bvh", ".glb", ".npz"] + [".fbx"] * (importlib.util.find_spec("ufbx") is not None)
REAL = [
    "asf_amc/16/16_11.amc",
    "cmu/daz_scaled/60_12_scaled.bvh",
    "fbx/assimp/animation_with_skeleton.fbx",
    "fbx/cmu_blender/08_02_cmu.fbx",
    "gltf/bevy/Fox.glb#Walk",
    "gltf/kaykit/Med_General.glb#Idle_A",
    "gltf/khronos/cesium_man.gltf",
    "misc/deepmimic/humanoid3d_dance_a.txt",
    "misc/fairmotion/sinusoidal.bvh",
    "misc/makehuman/tpose.bvh",
    "misc/npz_kimodo/g1_01_single_text_prompt.npz",
    "misc/olympe/root.bvh",
    "misc/pybvh/standard_skeleton.bvh",
]


def apart(a: Clip, b: Clip) -> float:
    """Largest distance between joints of the same name, metres."""
    order = [b.skeleton.index(name) for name in a.skeleton.names]
    return float(np.abs(world_positions(a) - world_positions(b)[:, order]).max())


@pytest.mark.parametrize("name", REAL)
def test_real_bodies_come_back_through_every_format(name: str, data: Path, tmp_path: Path) -> None:
    """People, children, robots, a fox and two sticks are restored, whatever their unit, also without a source."""
    clip = load(data / name)
    clip = cut(clip, 0, min(clip.n_frames, 4))
    bare = Clip(clip.skeleton, clip.rotations, clip.root_positions, clip.fps)
    for suffix in FORMATS:
        save(clip, tmp_path / f"a{suffix}")
        assert apart(clip, load(tmp_path / f"a{suffix}")) < 1e-4
        if limbs(clip.skeleton).leg > 0:
            save(bare, tmp_path / f"b{suffix}")
            assert apart(clip, load(tmp_path / f"b{suffix}")) < 1e-4


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
@given(leg=st.floats(0.2, 3.0), build=st.integers(0, 1000))
@pytest.mark.parametrize("suffix", [suffix for suffix in FORMATS if suffix != ".fbx"])
def test_grown_bodies_come_back_through_every_format(
    suffix: str, leg: float, build: int, tmp_path: Path
) -> None:
    """Bodies with legs of 0.2 to 3 m and trunks and arms of any proportion are restored."""
    walk = cut(sample("walk", 30.0), 0, 4)
    body = walk.skeleton
    shape = np.exp(np.random.default_rng(build).normal(0.0, 0.1, (body.n_joints, 1)))
    shape[["Leg" in name or "Foot" in name for name in body.names]] = 1.0
    grown = Skeleton(body.names, body.parents, shape * body.offsets, body.end_sites)
    scale = leg / limbs(grown).leg
    clip = Clip(to_metres(grown, unit=scale, up="Y"), walk.rotations, scale * walk.root_positions, 30.0)
    save(clip, tmp_path / f"a{suffix}")
    assert apart(clip, load(tmp_path / f"a{suffix}")) < 1e-4
