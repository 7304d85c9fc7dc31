"""FBX: the same motion in other formats, settings, the body, and a library that crashes, hangs or answers wrongly."""

from __future__ import annotations

import importlib.util
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from segue.errors import FileError, MissingExtraError, SettingError
from segue.io import fbx_read, load, save
from segue.io.fbx_body import chosen_joints, tree_of
from segue.io.units import to_y_up
from segue.motion.clip import Clip
from segue.motion.kinematics import world_positions
from segue.motion.roles import NEEDED, roles
from segue.motion.samples import sample

pytestmark = pytest.mark.skipif(importlib.util.find_spec("ufbx") is None, reason="needs the fbx extra")

# File, frames, rate, joints of the body.
FILES = [
    ("assimp/animation_with_skeleton", 21, 24.0, 8),
    ("assimp/huesitos", 40, 25.0, 11),
    ("cmu_blender/01_01_cmu", 2752, 120.0, 38),
    ("cmu_blender/07_01_cmu", 317, 120.0, 38),
    ("cmu_blender/08_02_cmu", 310, 120.0, 38),
    ("motionbuilder/pab_jog", 25, 30.0, 67),
    ("motionbuilder/pab_walk", 41, 30.0, 67),
]


@pytest.mark.parametrize(("name", "frames", "rate", "joints"), FILES)
def test_real_files(data: Path, name: str, frames: int, rate: float, joints: int) -> None:
    """Every file is read; people are of human height and stand on the ground."""
    clip = load(data / "fbx" / f"{name}.fbx")
    assert (clip.n_frames, clip.fps, clip.skeleton.n_joints) == (frames, rate, joints)
    assert clip.source is not None
    assert {note.split(":")[0] for note in clip.source.notes} >= {
        "animation",
        "rate",
        "up",
        "rest pose",
        "unit",
    }
    if not name.startswith("assimp"):
        assert set(NEEDED) <= set(roles(clip.skeleton))
        heights = world_positions(clip)[..., 1]
        assert -0.1 < heights.min() < 0.1
        assert 1.4 < heights.max() < 2.0


def test_the_same_motion_as_bvh(data: Path) -> None:
    """cgspeed's BVH and Blender's FBX of 01_01 agree in 29 joints and all frames but the T-pose added in front.

    Blender thinned the curves out (1,563 of 2,752 keys are left on one): positions between keys differ by up to 6 mm,
    half of all positions agree to 0.7 mm.
    """
    fbx = load(data / "fbx" / "cmu_blender" / "01_01_cmu.fbx")
    bvh = load(data / "cmu" / "mb2" / "01_01.bvh")
    assert (fbx.n_frames, fbx.fps) == (bvh.n_frames, bvh.fps)
    common = [name for name in bvh.skeleton.names if name in fbx.skeleton.names]
    assert len(common) == 29
    places = [
        world_positions(clip)[1:, [clip.skeleton.index(name) for name in common]] for clip in (fbx, bvh)
    ]
    away = np.linalg.norm(places[0] - places[1], axis=-1)
    assert away.max() < 6e-3
    assert np.median(away) < 7e-4


def test_the_same_motion_as_amc(data: Path) -> None:
    """The original AMC of 01_01 begins one frame later; legs agree to 1 cm, half of all positions to 1 mm."""
    fbx = load(data / "fbx" / "cmu_blender" / "01_01_cmu.fbx")
    amc = load(data / "asf_amc" / "01" / "01_01.amc")
    assert fbx.n_frames == amc.n_frames + 1
    pairs = [("UpLeg", "femur"), ("Leg", "tibia"), ("Foot", "foot")]
    a = [fbx.skeleton.index(side + name) for side in ("Left", "Right") for name, _ in pairs]
    b = [amc.skeleton.index(side + name) for side in ("l", "r") for _, name in pairs]
    away = np.linalg.norm(world_positions(fbx)[1:, a] - world_positions(amc)[:, b], axis=-1)
    assert away.max() < 1e-2
    assert np.median(away) < 1e-3


@pytest.mark.parametrize("name", ["walk", "run"])
def test_what_save_writes_comes_back(tmp_path: Path, name: str) -> None:
    """Positions and rotations of all joints, rate and number of frames are restored; bone tips are read as joints."""
    made = sample(name)
    save(made, tmp_path / "made.fbx")
    found = load(tmp_path / "made.fbx")
    assert (found.n_frames, found.fps) == (made.n_frames, made.fps)
    joints = [found.skeleton.index(joint) for joint in made.skeleton.names]
    assert np.abs(world_positions(found)[:, joints] - world_positions(made)).max() < 2e-6
    turned = np.abs(np.sum(found.rotations[:, joints] * made.rotations, axis=-1))
    assert turned.min() > 1 - 1e-9


def test_another_rate_and_unit(tmp_path: Path) -> None:
    """fps= evaluates the curves at that rate; unit= sets the length of a file unit; up= is refused."""
    made = sample("walk")
    path = tmp_path / "made.fbx"
    save(made, path)
    found = load(path, fps=30)
    assert (found.fps, found.n_frames) == (30.0, (made.n_frames + 1) // 2)
    assert found.root_positions == pytest.approx(made.root_positions[::2], abs=2e-6)
    large = load(path, unit=0.02)
    assert large.root_positions == pytest.approx(2 * made.root_positions, abs=4e-6)
    with pytest.raises(SettingError, match="up="):
        load(path, up="Z")
    with pytest.raises(FileError, match="lower fps="):
        load(path, fps=90_000)


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"", "is empty"), (b"no such format", "cannot be read as FBX"), (b"Kaydara FBX Binary  \x00", "FBX")],
)
def test_broken_files(tmp_path: Path, content: bytes, message: str) -> None:
    """A file that is not FBX gives one sentence."""
    path = tmp_path / "broken.fbx"
    path.write_bytes(content)
    with pytest.raises(FileError, match=message):
        load(path)
    with pytest.raises(FileError, match="no such file"):
        load(tmp_path / "none.fbx")


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "crashed on it"),
        ("raise SystemExit(9)", "no usable answer"),
        ("pass", "no usable answer"),
        ("import sys; open(sys.argv[2], 'wb').write(b'garbage')", "no usable answer"),
        (
            "import sys, numpy; numpy.savez(sys.argv[2], facts=numpy.zeros(3, numpy.uint8))",
            "no usable answer",
        ),
        ("import time; time.sleep(60)", "did not finish"),
        ("import sys; sys.stderr.write('holds no animation'); sys.exit(3)", "holds no animation"),
    ],
)
def test_a_library_that_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, message: str
) -> None:
    """A crash, an unusable answer and no answer are reported as sentences about the file."""
    path = tmp_path / "a.fbx"
    path.write_bytes(b"x")
    real = subprocess.run

    def run(command: list[str], **options: Any) -> Any:
        return real([command[0], "-c", script, *command[3:]], **options)

    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(fbx_read, "_SECONDS", 2.0)
    with pytest.raises(FileError, match=message):
        load(path)


def test_without_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names the extra."""
    (tmp_path / "a.fbx").write_bytes(b"x")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match="pip install ufbx"):
        load(tmp_path / "a.fbx")


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, 10_000))
def test_the_body_is_one_tree(seed: int) -> None:
    """The body is the largest tree of bones: parents first, every name once, nodes between bones kept."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 30))
    parents = np.array([-1, *(int(rng.integers(-1, k)) for k in range(1, count))])
    bones = rng.random(count) < 0.6
    names = [str(rng.choice(["a", "b", ""])) for _ in range(count)]
    joints, left_out = chosen_joints(names, parents, bones, rng.random(count) < 0.5)
    if not joints:
        assert not left_out
        return
    given_values, tree = tree_of(joints, names, parents)
    assert len(set(given_values)) == len(given_values) == len(set(joints))
    assert tree[0] == -1
    assert all(0 <= tree[k] < k for k in range(1, len(joints)))


def test_moving_nodes_stand_in_for_bones() -> None:
    """Where a file declares no node a bone, the moving nodes are the body."""
    parents = np.array([-1, 0, 1, 2, 0])
    moving = np.array([False, True, False, True, False])
    joints, left_out = chosen_joints(list("abcde"), parents, np.zeros(5, dtype=bool), moving)
    assert (joints, left_out) == ([1, 2, 3], [])


def test_a_clip_keeps_its_kind(data: Path) -> None:
    """The notes report a rest pose that is the bind pose, and a body that slides."""
    jog = load(data / "fbx" / "motionbuilder" / "pab_jog.fbx")
    assert isinstance(jog, Clip)
    assert any("slide or stretch" in note for note in jog.source.notes)
    assert any("keys stand from 0 to 3.33" in note for note in jog.source.notes)
    test = load(data / "fbx" / "assimp" / "huesitos.fbx")
    assert "rest pose: the file's bind pose" in test.source.notes


def test_z_up_and_inches_are_turned_and_scaled(tmp_path: Path) -> None:
    """With Z up and inches in the global settings, positions follow and the rest pose is unrotated."""
    made = sample("walk")
    path = tmp_path / "made.fbx"
    save(made, path)
    content = bytearray(path.read_bytes())
    for name, value in ((b"UpAxis", 2), (b"FrontAxis", 1), (b"FrontAxisSign", -1)):
        at = content.index(b"I", content.index(bytes([len(name), 0, 0, 0]) + name) + 4 + len(name) + 20)
        content[at + 1 : at + 5] = value.to_bytes(4, "little", signed=True)
    name = b"UnitScaleFactor"
    at = content.index(b"D", content.index(bytes([len(name), 0, 0, 0]) + name) + 4 + len(name) + 18)
    content[at + 1 : at + 9] = np.float64(2.54).tobytes()
    path.write_bytes(content)
    # The body is then 4.4 m tall, larger than any person, so the unit is set.
    found = load(path, unit=0.0254)
    joints = [found.skeleton.index(joint) for joint in made.skeleton.names]
    wanted = to_y_up(world_positions(made), up="Z") * 2.54
    assert np.abs(world_positions(found)[:, joints] - wanted).max() < 1e-5
    assert "up: Z, stated by the file" in found.source.notes
    assert found.skeleton.rest_positions()[joints] == pytest.approx(
        to_y_up(made.skeleton.rest_positions(), up="Z") * 2.54, abs=1e-5
    )
