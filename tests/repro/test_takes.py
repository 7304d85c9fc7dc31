"""The takes of a file, their lengths, and the one a file alone represents: FBX and glTF."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import segue
from fbx_files import Records, both, fbx_of, made_by, with_times, without_times
from gltf_files import Maker, turned
from segue.app.called import called
from segue.io import load_folder, motion_files
from segue.motion.clip import Clip
from segue.motion.kinematics import world_positions
from segue.motion.resample import cut
from segue.motion.samples import sample

needs_fbx = pytest.mark.skipif(importlib.util.find_spec("ufbx") is None, reason="needs the fbx extra")
WALK = cut(sample("walk", 30.0), 0, 31).with_motion(name="Walk")
RUN = Clip(
    WALK.skeleton, cut(sample("run", 30.0), 0, 16).rotations, cut(sample("run", 30.0), 0, 16).root_positions, 30.0,
    name="Run",
)  # fmt: skip
POSE = cut(WALK, 0, 1).with_motion(name="T-Pose")


def same(found: Clip, wanted: Clip) -> bool:
    """Whether frame count and joint positions agree."""
    order = [found.skeleton.index(name) for name in wanted.skeleton.names]
    return found.n_frames == wanted.n_frames and bool(
        np.abs(world_positions(found)[:, order] - world_positions(wanted)).max() < 1e-5
    )


@needs_fbx
@pytest.mark.parametrize("start", [0.0, 16.0 / 3.0, -1.0 / 3.0])
@pytest.mark.parametrize(
    "edit", [without_times, with_times(0, 0), with_times(2, 2), with_times(1, 0), with_times(-3, -3)]
)
def test_keys_say_when_where_a_stack_tells_no_time(
    edit: Callable[[Records], Records], start: float, tmp_path: Path
) -> None:
    """With times missing, empty, outside the keys or reversed, the take runs from its first key to its last."""
    path = fbx_of(tmp_path / "a.fbx", [WALK], starts=[start], edit=both(edit, made_by("another")))
    assert same(segue.load(path), WALK)


@needs_fbx
def test_a_stack_that_tells_a_time_is_believed(tmp_path: Path) -> None:
    """A part of the keys is played if the file states so, and this is reported."""
    path = fbx_of(tmp_path / "a.fbx", [WALK], edit=with_times(0, 0.5))
    found = segue.load(path)
    assert found.n_frames == 16
    assert found.source is not None
    assert any("keys stand from 0 to 1 s; the file plays this part" in note for note in found.source.notes)


@needs_fbx
@pytest.mark.parametrize("edit", [lambda records: records, without_times])
def test_every_take_of_an_fbx_is_reached(edit: Callable[[Records], Records], tmp_path: Path) -> None:
    """Each is reached by its name, through the file and through its folder, with its own span."""
    path = fbx_of(tmp_path / "moves.fbx", [WALK, RUN], starts=[0.0, 1.25], edit=edit)
    assert same(segue.load(f"{path}#Walk"), WALK)
    assert same(segue.load(f"{path}#Run"), RUN)
    for where in (path, tmp_path):
        clips, skipped = load_folder([where])
        assert not skipped
        assert [(clip.name, clip.n_frames) for clip in clips] == [("moves#Walk", 31), ("moves#Run", 16)]
    assert called("Run", clips) == "moves#Run"
    with pytest.raises(segue.FileError, match=r"holds 2 animations; name one of them.*: Walk, Run"):
        segue.load(path)
    with pytest.raises(segue.FileError, match="has no animation 'Jump'; it holds 2"):
        segue.load(f"{path}#Jump")


@needs_fbx
@pytest.mark.parametrize("takes", [[POSE, WALK], [WALK, POSE], [POSE, POSE.with_motion(name="A"), WALK]])
def test_an_fbx_stands_for_its_only_take_that_moves(takes: list[Clip], tmp_path: Path) -> None:
    """A pose in front is not a motion; the other takes are named in a note and can be read by name."""
    path = fbx_of(tmp_path / "a.fbx", takes)
    found = segue.load(path)
    assert same(found, WALK)
    assert found.source is not None
    assert any("the file also holds T-Pose" in note for note in found.source.notes)
    assert segue.load(f"{path}#T-Pose").n_frames == 1
    assert motion_files([path]) == [path]


@needs_fbx
def test_poses_alone_are_listed(tmp_path: Path) -> None:
    """Of several takes without motion none is chosen."""
    path = fbx_of(tmp_path / "a.fbx", [POSE, POSE.with_motion(name="A-Pose")])
    with pytest.raises(segue.FileError, match="none moves a body: T-Pose, A-Pose"):
        segue.load(path)
    assert segue.load(f"{path}#A-Pose").n_frames == 1


def skinned() -> Maker:
    """Hips, two legs and a spine below a skin, with a camera next to them."""
    file = Maker(
        [
            {"name": "Rig", "children": [1, 5]},
            {"name": "Hips", "translation": [0, 0.9, 0], "children": [2, 3, 4]},
            {"name": "Spine", "translation": [0, 0.4, 0]},
            {"name": "LeftUpLeg", "translation": [0.1, 0, 0]},
            {"name": "RightUpLeg", "translation": [-0.1, 0, 0]},
            {"name": "Camera", "camera": 0},
        ]
    )
    file.skin([1, 2, 3, 4])
    file.json["animations"] = []
    return file


def take(file: Maker, name: str, *moves: tuple[int, str, Any, Any]) -> None:
    """Append an animation of channels."""
    file.json["animations"].append({"name": name, "channels": [], "samplers": []})
    for node, path, times, values in moves:
        file.move(node, path, times, values)


WEIGHTS = (1, "weights", [0.0, 1.0], np.array([[0.0], [1.0]]))
OTHERS = {
    "nothing": (),
    "one key": ((1, "translation", [0.0], [[0, 0.9, 0]]), (2, "rotation", [0.0], turned("x", 20))),
    "a still pose": ((2, "rotation", [0.0, 1.0], turned("x", [20, 20])),),
    "a camera": ((5, "translation", [0.0, 1.0], [[0, 0, 0], [0, 0, 3]]),),
    "a face": (WEIGHTS,),
    "a size": ((2, "scale", [0.0, 1.0], [[1, 1, 1], [2, 2, 2]]),),
    "a pointer": ((1, "pointer", [0.0, 1.0], turned("x", [0, 20])),),
}


@pytest.mark.parametrize("kind", OTHERS)
@pytest.mark.parametrize("first", [True, False])
def test_a_gltf_stands_for_its_only_animation_that_moves_a_body(
    kind: str, first: bool, tmp_path: Path
) -> None:
    """Poses, faces, cameras, scales and empty animations are named in a note and not chosen."""
    file = skinned()
    walk = ("walk", (1, "translation", [0.0, 1.0], [[0, 0.9, 0], [0, 0.9, 1]]))
    for name, *moves in [(kind, *OTHERS[kind]), walk] if first else [walk, (kind, *OTHERS[kind])]:
        take(file, name, *moves)
    path = file.glb(tmp_path / "a.glb")
    found = segue.load(path)
    assert found.source is not None
    assert found.source.extra["animation"] == "walk"
    assert f"animation 'walk'; the file also holds {kind}" in found.source.notes
    assert np.ptp(found.root_positions[:, 2]) == pytest.approx(1.0, abs=1e-6)


def test_animations_that_move_nobody_are_listed(tmp_path: Path) -> None:
    """Morph weights and empty animations give an error that names them."""
    file = skinned()
    take(file, "smile", WEIGHTS)
    take(file, "empty")
    with pytest.raises(segue.FileError, match="holds 2 animations and none moves a body: smile, empty"):
        segue.load(file.glb(tmp_path / "a.glb"))


def test_still_poses_are_clips_where_nothing_moves(tmp_path: Path) -> None:
    """One pose is the file's motion; of two, one must be named."""
    file = skinned()
    take(file, "a", *OTHERS["one key"])
    assert segue.load(file.glb(tmp_path / "a.glb")).n_frames == 1
    take(file, "b", *OTHERS["a still pose"])
    path = file.glb(tmp_path / "b.glb")
    with pytest.raises(segue.FileError, match="holds 2 animations; name one of them"):
        segue.load(path)
    assert segue.load(f"{path}#b").n_frames == 31
