"""FBX: a naive reading of the file and another library find the clip in it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import fbx as naive
from random_clips import SEEDS, body, clip
from segue.errors import FileError
from segue.io import load, save
from segue.io.fbx_write import TICKS, write_fbx
from segue.motion.clip import Clip
from segue.motion.kinematics import world_positions
from segue.motion.samples import sample
from segue.motion.skeleton import EndSite, Skeleton

UFBX = """
import json, sys, ufbx
scene = ufbx.load_file(sys.argv[1])
stacks = scene.anim_stacks
stack = stacks[0]
anim = stack.anim
out = {"fps": scene.settings.frames_per_second, "stack": stack.name, "end": stack.time_end, "nodes": []}
nodes = scene.nodes
for node in [nodes[k] for k in range(1, len(nodes))]:
    rows = []
    for time in map(float, sys.argv[2:]):
        t = ufbx.evaluate_transform(anim, node, time)
        rows.append([t.translation.x, t.translation.y, t.translation.z,
                     t.rotation.w, t.rotation.x, t.rotation.y, t.rotation.z])
    above = node.parent
    out["nodes"].append([node.name, above.name, rows])
print(json.dumps(out), flush=True)
"""


def naive_positions(path: Path, made: Clip, frames: list[int]) -> np.ndarray:
    """World positions in metres of the joints at frames, by the naive reader."""
    scene = naive.Scene(path.read_bytes())
    by_name = {scene.name(key): key for key in scene.models}
    return np.array(
        [
            [[row[3] / 100 for row in scene.place(by_name[name], frame)[:3]] for name in made.skeleton.names]
            for frame in frames
        ]
    )


def test_a_plain_reading_finds_every_joint_in_its_place(data: Path, tmp_path: Path) -> None:
    """World positions from the file's own records are the clip's, including fingers and deep chains."""
    for file in ("misc/bvhtoolbox/walk01.bvh", "misc/geno/Geno_stance.bvh"):
        made = load(data / file)
        save(made, tmp_path / "a.fbx")
        frames = [0, made.n_frames // 2, made.n_frames - 1]
        found = naive_positions(tmp_path / "a.fbx", made, frames)
        assert found == pytest.approx(world_positions(made)[frames], abs=1e-6)


@given(seed=st.integers(0, SEEDS), joints=st.integers(1, 6), frames=st.integers(1, 6))
def test_any_clip_is_told_rightly(
    tmp_path_factory: pytest.TempPathFactory, seed: int, joints: int, frames: int
) -> None:
    """Random bodies and motions, with quaternions of either sign, are written correctly."""
    rng = np.random.default_rng(seed)
    made = clip(rng, body(rng, joints), frames)
    path = tmp_path_factory.mktemp("fbx") / "a.fbx"
    write_fbx(made, path)
    found = naive_positions(path, made, list(range(frames)))
    assert found == pytest.approx(world_positions(made), abs=1e-5)


def test_another_library_reads_the_same(data: Path, tmp_path: Path) -> None:
    """ufbx, in a process of its own, reads the same names, tree, local transforms, rate and length."""
    pytest.importorskip("ufbx")
    made = load(data / "misc" / "bvhtoolbox" / "walk01.bvh")
    save(made, tmp_path / "a.fbx")
    frames = [0, 40, made.n_frames - 1]
    command = [sys.executable, "-c", UFBX, str(tmp_path / "a.fbx"), *(str(k / made.fps) for k in frames)]
    # Its output counts, not its exit status: the library may crash while it frees its scene.
    document = json.loads(subprocess.run(command, capture_output=True, text=True, check=False).stdout)
    assert document["fps"] == pytest.approx(made.fps)
    assert document["stack"] == made.name
    assert document["end"] == pytest.approx(made.seconds, abs=1e-6)
    rows = {name: (parent, np.array(values)) for name, parent, values in document["nodes"]}
    for joint, name in enumerate(made.skeleton.names):
        parent, values = rows[name]
        if joint:
            assert parent == made.skeleton.names[made.skeleton.parents[joint]]
            assert values[:, :3] / 100 == pytest.approx(
                np.tile(made.skeleton.offsets[joint], (3, 1)), abs=1e-6
            )
        else:
            assert values[:, :3] / 100 == pytest.approx(made.root_positions[frames], abs=1e-6)
        same = np.abs(np.sum(values[:, 3:] * made.rotations[frames, joint], axis=1))
        assert same == pytest.approx(1.0, abs=1e-10)


def test_keys_stand_on_frames(tmp_path: Path) -> None:
    """There is one key a frame at k / fps in FBX's ticks, rounded without drift; the rate has its name or number."""
    for fps, mode in ((120.0, 1), (30.0, 6), (30000 / 1001, 9), (24.0, 11), (90.0, 14), (12.5, 14)):
        walk = sample("walk").with_motion(fps=fps)
        write_fbx(walk, tmp_path / "a.fbx")
        scene = naive.Scene((tmp_path / "a.fbx").read_bytes())
        given_values = naive.properties70(naive.top(scene.records, "GlobalSettings"))
        assert given_values["TimeMode"] == [mode]
        assert given_values["CustomFrameRate"] == [fps]
        times = scene.curves(scene.models[0], "Lcl Rotation")[0][0]
        assert len(times) == walk.n_frames
        assert np.abs(np.array(times) - np.arange(walk.n_frames) * TICKS / fps).max() <= 0.5
        assert given_values["TimeSpanStop"] == [times[-1]]


def test_axes_and_unit_are_told(tmp_path: Path) -> None:
    """The file declares Y up, Z to the front, X to the side, and one centimetre per unit."""
    write_fbx(sample("walk"), tmp_path / "a.fbx")
    given_values = naive.properties70(
        naive.top(naive.read((tmp_path / "a.fbx").read_bytes()), "GlobalSettings")
    )
    wanted = {"UpAxis": 1, "UpAxisSign": 1, "FrontAxis": 2, "FrontAxisSign": 1, "CoordAxis": 0}
    assert {key: given_values[key][0] for key in wanted} == wanted
    assert given_values["UnitScaleFactor"] == [1.0]


def test_stack_and_layer_end_with_an_empty_record(tmp_path: Path) -> None:
    """Without that record Autodesk's library finds no animation in the file."""
    write_fbx(sample("walk"), tmp_path / "a.fbx")
    objects = naive.top(naive.read((tmp_path / "a.fbx").read_bytes()), "Objects")["children"]
    closed = {o["name"]: o["closed"] for o in objects if o["name"] in {"AnimationStack", "AnimationLayer"}}
    assert closed == {"AnimationStack": True, "AnimationLayer": True}


def test_angles_do_not_jump(cases: Path, tmp_path: Path) -> None:
    """The curves of a root that turns continuously have no step of half a turn."""
    spin = load(cases / "case042-bvh-write-euler-unroll.bvh")
    turning = np.linspace(0, 8 * np.pi, 200)
    rotations = np.zeros((200, spin.skeleton.n_joints, 4))
    rotations[..., 0] = 1.0
    rotations[:, 0] = np.column_stack([np.cos(turning / 2), 0 * turning, np.sin(turning / 2), 0 * turning])
    made = Clip(spin.skeleton, rotations, np.zeros((200, 3)), 30)
    for one in (spin, made):
        write_fbx(one, tmp_path / "a.fbx")
        scene = naive.Scene((tmp_path / "a.fbx").read_bytes())
        for key in scene.models:
            for _, values in scene.curves(key, "Lcl Rotation") or []:
                assert np.abs(np.diff(values)).max(initial=0.0) < 180


def test_bone_tips_are_nodes_that_do_not_move(tmp_path: Path) -> None:
    """An end site becomes a limb node below its joint, under a name not used yet."""
    skeleton = Skeleton(
        ("a", "a_End", "b"),
        [-1, 0, 1],
        np.eye(3),
        [EndSite(0, np.array([0, 0.2, 0])), EndSite(2, np.ones(3))],
    )
    made = Clip(skeleton, np.tile([1.0, 0, 0, 0], (2, 3, 1)), np.zeros((2, 3)), 30)
    write_fbx(made, tmp_path / "a.fbx")
    scene = naive.Scene((tmp_path / "a.fbx").read_bytes())
    tree = {scene.name(k): scene.name(scene.parent(k)) for k in scene.models if scene.parent(k)}
    assert tree == {"a_End": "a", "b": "a_End", "a_End_": "a", "b_End": "b"}
    tip = next(k for k in scene.models if scene.name(k) == "a_End_")
    assert scene.curves(tip, "Lcl Rotation") is None
    assert naive.properties70(scene.objects[tip])["Lcl Translation"] == pytest.approx([0, 20, 0])


def test_the_rest_pose_is_no_frame_of_the_motion(cases: Path, tmp_path: Path) -> None:
    """Models have translations and no rotation, whatever the first frame is."""
    made = load(cases / "case002-gltf-write-bind-pose.bvh", unit=0.01)
    write_fbx(made, tmp_path / "a.fbx")
    scene = naive.Scene((tmp_path / "a.fbx").read_bytes())
    for key in scene.models:
        assert naive.properties70(scene.objects[key])["Lcl Rotation"] == [0, 0, 0]
    spine = next(k for k in scene.models if scene.name(k) == "Spine")
    assert naive.properties70(scene.objects[spine])["Lcl Translation"] == pytest.approx([0, 10, 0])


def test_equal_clips_give_equal_bytes(tmp_path: Path) -> None:
    """The file contains no time stamp and no random value."""
    for name in ("a.fbx", "b.fbx"):
        write_fbx(sample("walk"), tmp_path / name)
    assert (tmp_path / "a.fbx").read_bytes() == (tmp_path / "b.fbx").read_bytes()


def test_names_in_any_script(tmp_path: Path) -> None:
    """Names are UTF-8, including namespaces."""
    skeleton = Skeleton(("mixamorig:Hüfte", "背骨"), [-1, 0], np.eye(3)[:2])
    made = Clip(skeleton, np.tile([1.0, 0, 0, 0], (1, 2, 1)), np.zeros((1, 3)), 30, name="Schritt ü")
    write_fbx(made, tmp_path / "a.fbx")
    scene = naive.Scene((tmp_path / "a.fbx").read_bytes())
    assert [scene.name(key) for key in scene.models] == list(skeleton.names)
    assert naive.child(naive.top(scene.records, "Takes"), "Current")["properties"] == ["Schritt ü"]


def test_what_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    """A zero quaternion is refused with joint and frame; no file is left."""
    walk = sample("walk")
    rotations = np.array(walk.rotations)
    rotations[3, 2] = 0.0
    with pytest.raises(FileError, match=rf"{walk.skeleton.names[2]}.*frame 3"):
        write_fbx(walk.with_motion(rotations), tmp_path / "a.fbx")
    assert list(tmp_path.iterdir()) == []
