"""Bones keep their rest-pose lengths where a glTF or FBX file animates their scale, and a note reports it."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import segue
from fbx_files import fbx_of
from gltf_files import packed, unpacked
from segue.motion.clip import Clip
from segue.motion.resample import cut
from segue.motion.samples import sample

needs_fbx = pytest.mark.skipif(importlib.util.find_spec("ufbx") is None, reason="needs the fbx extra")
WALK = cut(sample("walk", 30.0), 0, 31)
FRAMES = np.arange(31)
SCALES = {
    "hidden in one frame": np.where(FRAMES == 7, 0.0, 1.0),
    "hidden in half": np.where(FRAMES < 16, 0.0, 1.0),
    "pops at the start": np.where(FRAMES < 8, 2.0, 1.0),
    "grows": np.linspace(0.2, 1.0, 31),
    "breathes": 1.0 + 0.1 * np.sin(FRAMES),
    "flips": np.where(FRAMES < 5, -1.0, 1.0),
}


def three(values: np.ndarray) -> np.ndarray:
    """Repeat a scale (F,) along all axes: (F, 3)."""
    return np.repeat(values[:, None], 3, axis=1)


def glb_of(path: Path, node: int, values: np.ndarray, *, rest: float = 1.0, above: bool = False) -> Path:
    """Write the walk with a scale channel on a joint, or on an armature above it."""
    segue.save(WALK, path)
    document, binary = unpacked(path)
    document["asset"]["generator"] = "another"
    if above:
        document["nodes"].append({"name": "Armature", "children": [0]})
        node = len(document["nodes"]) - 1
        document["scenes"][0]["nodes"][0] = node
    document["nodes"][node]["scale"] = [rest] * 3
    content = three(values).astype("<f4").tobytes()
    document["bufferViews"].append({"buffer": 0, "byteOffset": len(binary), "byteLength": len(content)})
    view = {
        "bufferView": len(document["bufferViews"]) - 1,
        "componentType": 5126,
        "count": 31,
        "type": "VEC3",
    }
    document["accessors"].append(view)
    (animation,) = document["animations"]
    sampler = {"input": animation["samplers"][0]["input"], "output": len(document["accessors"]) - 1}
    animation["samplers"].append({**sampler, "interpolation": "LINEAR"})
    animation["channels"].append(
        {"sampler": len(animation["samplers"]) - 1, "target": {"node": node, "path": "scale"}}
    )
    binary += content
    document["buffers"] = [{"byteLength": len(binary)}]
    path.write_bytes(packed(document, binary))
    return path


def as_long(found: Clip, *, times: float = 1.0) -> bool:
    """Whether every bone has the walk's length, multiplied by ``times``."""
    order = [found.skeleton.index(name) for name in WALK.skeleton.names]
    lengths = np.linalg.norm(found.skeleton.offsets[order[1:]], axis=1)
    return bool(np.abs(lengths - times * np.linalg.norm(WALK.skeleton.offsets[1:], axis=1)).max() < 1e-5)


def noted(found: Clip, name: str) -> bool:
    """Whether a note names the node whose scale is animated."""
    notes: Any = found.source.notes if found.source else ()
    return any(note.startswith("the scale of") and name in note and "animated" in note for note in notes)


@pytest.mark.parametrize("kind", SCALES)
@pytest.mark.parametrize("joint", ["Hips", "LeftUpLeg", "Spine"])
def test_a_gltf_joint_that_is_scaled(kind: str, joint: str, tmp_path: Path) -> None:
    """The scale of the complete body, of one leg, and of everything above the hips is ignored."""
    found = segue.load(glb_of(tmp_path / "a.glb", WALK.skeleton.index(joint), SCALES[kind]))
    assert as_long(found)
    assert noted(found, joint)
    assert np.abs(found.root_positions - WALK.root_positions).max() < 1e-5


@pytest.mark.parametrize("kind", SCALES)
def test_a_gltf_armature_that_is_scaled(kind: str, tmp_path: Path) -> None:
    """The scale of a node above the body does not scale the root path either."""
    found = segue.load(glb_of(tmp_path / "a.glb", 0, SCALES[kind], above=True))
    assert as_long(found)
    assert noted(found, "Armature")
    assert np.abs(found.root_positions - WALK.root_positions).max() < 1e-5


def test_a_body_hidden_at_rest_has_the_size_it_is_shown_in(tmp_path: Path) -> None:
    """A rest-pose scale of zero gives no length: the median of the visible frames is used."""
    found = segue.load(glb_of(tmp_path / "a.glb", 0, np.where(FRAMES < 5, 0.0, 1.0), rest=0.0, above=True))
    assert as_long(found)


def test_a_scale_that_does_not_vary_is_a_size(tmp_path: Path) -> None:
    """A constant scale of 2 gives a body twice as large, and no note."""
    found = segue.load(glb_of(tmp_path / "a.glb", 0, np.full(31, 2.0), above=True))
    assert as_long(found, times=2.0)
    assert not noted(found, "Armature")


@needs_fbx
@pytest.mark.parametrize("kind", SCALES)
@pytest.mark.parametrize("joint", ["Hips", "LeftUpLeg", "Spine"])
def test_an_fbx_joint_that_is_scaled(kind: str, joint: str, tmp_path: Path) -> None:
    """The same as in glTF."""
    curves = {(WALK.skeleton.index(joint), "Lcl Scaling"): three(SCALES[kind])}
    found = segue.load(fbx_of(tmp_path / "a.fbx", [WALK], curves=curves))
    assert as_long(found)
    assert noted(found, joint)
    assert np.abs(found.root_positions - WALK.root_positions).max() < 1e-5
