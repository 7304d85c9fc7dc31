"""GLB: the validator's messages, and the contents of the file in a naive reading."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from segue.io import load, save
from segue.io.mannequin import mannequin
from segue.motion.clip import Clip
from segue.motion.kinematics import world_positions
from segue.motion.samples import sample
from segue.motion.skeleton import Skeleton
from shown import shown


class Glb:
    """A GLB file decoded by its specification."""

    def __init__(self, path: Path) -> None:
        content = path.read_bytes()
        magic, version, total = struct.unpack_from("<4sII", content)
        assert (magic, version, total) == (b"glTF", 2, len(content))
        size = struct.unpack_from("<I", content, 12)[0]
        self.text = content[20 : 20 + size].decode()
        self.document: dict[str, Any] = json.loads(self.text)
        self.binary = content[28 + size :]

    def array(self, index: int) -> np.ndarray:
        """Values of an accessor."""
        accessor = self.document["accessors"][index]
        kind = {5126: "<f4", 5121: "<u1", 5123: "<u2"}[accessor["componentType"]]
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}[accessor["type"]]
        start = self.document["bufferViews"][accessor["bufferView"]]["byteOffset"]
        values = np.frombuffer(self.binary, kind, accessor["count"] * width, start)
        return values.reshape(accessor["count"], width)

    def keys(self, node: str, path: str) -> np.ndarray:
        """Output values of a node's channel."""
        animation = self.document["animations"][0]
        index = next(k for k, entry in enumerate(self.document["nodes"]) if entry["name"] == node)
        channel = next(c for c in animation["channels"] if c["target"] == {"node": index, "path": path})
        return self.array(animation["samplers"][channel["sampler"]]["output"])

    def times(self) -> np.ndarray:
        """Key times."""
        return self.array(self.document["animations"][0]["samplers"][0]["input"])[:, 0]

    def world(self, frame: int) -> np.ndarray:
        """World matrices (N, 4, 4) of all nodes at a key."""
        nodes = self.document["nodes"]
        local = np.tile(np.eye(4), (len(nodes), 1, 1))
        for k, node in enumerate(nodes):
            local[k, :3, 3] = node.get("translation", [0, 0, 0])
        animation = self.document["animations"][0]
        for channel in animation["channels"]:
            value = self.array(animation["samplers"][channel["sampler"]]["output"])[frame]
            node = channel["target"]["node"]
            if channel["target"]["path"] == "translation":
                local[node, :3, 3] = value
            else:
                x, y, z, w = value.astype(float)
                cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
                local[node, :3, :3] = np.eye(3) + 2 * w * cross + 2 * cross @ cross
        out = local.copy()
        for k, node in enumerate(nodes):
            for child in node.get("children", []):
                assert child > k
                out[child] = out[k] @ local[child]
        return out


def test_the_validator_finds_nothing(data: Path, tmp_path: Path) -> None:
    """Captured, made, single-frame and one-joint clips give no error, no warning, no hint."""
    one = Clip(
        Skeleton(("only",), [-1], [[0, 1, 0]]), np.tile([1.0, 0, 0, 0], (2, 1, 1)), np.zeros((2, 3)), 30
    )
    clips = {
        "captured": load(data / "asf_amc" / "16" / "16_11.amc"),
        "still": load(data / "misc" / "makehuman" / "tpose.bvh"),
        "fingers": load(data / "misc" / "geno" / "Geno_stance.bvh"),
        "made": sample("walk"),
        "one": one,
    }
    for name, clip in clips.items():
        save(clip, tmp_path / f"{name}.glb")
    for path, report in (
        shown("_gltf_validator").validate([tmp_path / f"{name}.glb" for name in clips]).items()
    ):
        assert report["errors"] == report["warnings"] == 0, (path.name, report["messages"])


def test_the_validator_does_find_faults(tmp_path: Path) -> None:
    """A broken file is reported."""
    save(sample("walk"), tmp_path / "bad.glb")
    content = (tmp_path / "bad.glb").read_bytes()
    (tmp_path / "bad.glb").write_bytes(content.replace(b'"LINEAR"', b'"LINEAL"', 1))
    report = shown("_gltf_validator").validate([tmp_path / "bad.glb"])[tmp_path / "bad.glb"]
    assert report["errors"] + report["warnings"] > 0


def test_rest_and_animation_stay_apart(cases: Path, tmp_path: Path) -> None:
    """case002: nodes hold the rest pose, keys the motion; frame 0 gives the clip's world positions."""
    clip = load(cases / "case002-gltf-write-bind-pose.bvh", unit=0.01)
    save(clip, tmp_path / "a.glb")
    glb = Glb(tmp_path / "a.glb")
    spine = next(node for node in glb.document["nodes"] if node["name"] == "Spine")
    assert spine["translation"] == pytest.approx([0, 0.10, 0])
    assert spine.get("rotation", [0, 0, 0, 1]) == [0, 0, 0, 1]
    assert glb.world(0)[: clip.skeleton.n_joints, :3, 3] == pytest.approx(world_positions(clip)[0], abs=1e-6)


def test_key_times(cases: Path, tmp_path: Path) -> None:
    """case120: three keys are at k / fps from 0, none removed, none added."""
    clip = load(cases / "case120-gltf-write-key-times.bvh")
    save(clip, tmp_path / "a.glb")
    glb = Glb(tmp_path / "a.glb")
    assert glb.times().tolist() == np.float32([0, 1 / 30, 2 / 30]).tolist()
    for frame in range(3):
        assert glb.world(frame)[: clip.skeleton.n_joints, :3, 3] == pytest.approx(
            world_positions(clip)[frame], abs=1e-6
        )


def test_quaternions_are_xyzw(cases: Path, tmp_path: Path) -> None:
    """case171: a quarter turn about X is (0.70711, 0, 0, 0.70711)."""
    path = cases / "case171-gltf-write-xyzw-order.bvh"
    save(load(path), tmp_path / "a.glb")
    keys = Glb(tmp_path / "a.glb").keys("Spine", "rotation")
    wanted = [0.70711, 0, 0, 0.70711]
    assert min(np.abs(np.abs(keys) - wanted).max(axis=1)) < 1e-5


def test_text_never_holds_what_json_lacks(tmp_path: Path) -> None:
    """The document has no NaN, Infinity or null."""
    save(sample("walk"), tmp_path / "a.glb")
    text = Glb(tmp_path / "a.glb").text
    assert not any(word in text for word in ("NaN", "Infinity", "null"))


def test_neighbouring_keys_are_on_one_side(tmp_path: Path) -> None:
    """Keys whose stored signs alternate are written so that linear interpolation takes the shorter arc."""
    walk = sample("walk")
    rotations = np.array(walk.rotations)
    rotations[1::2] *= -1
    save(walk.with_motion(rotations), tmp_path / "a.glb")
    glb = Glb(tmp_path / "a.glb")
    for name in walk.skeleton.names:
        keys = glb.keys(name, "rotation").astype(float)
        assert np.sum(keys[1:] * keys[:-1], axis=1).min() > 0
        assert np.abs(np.linalg.norm(keys, axis=1) - 1).max() < 1e-6


def test_the_skin_follows_the_skeleton(data: Path, tmp_path: Path) -> None:
    """Skinned vertices of a posed frame are those of the rest pose, moved by their joints."""
    clip = load(data / "misc" / "bvhtoolbox" / "walk01.bvh")
    save(clip, tmp_path / "a.glb")
    glb = Glb(tmp_path / "a.glb")
    primitive = glb.document["meshes"][0]["primitives"][0]
    points = glb.array(primitive["attributes"]["POSITION"])
    joints = glb.array(primitive["attributes"]["JOINTS_0"])[:, 0]
    bind = glb.array(glb.document["skins"][0]["inverseBindMatrices"]).reshape(-1, 4, 4).transpose(0, 2, 1)
    rest = clip.skeleton.rest_positions()
    posed = glb.world(40)[: len(rest)] @ bind
    at = np.einsum("vij,vj->vi", posed[joints], np.column_stack([points, np.ones(len(points))]))[:, :3]
    # A vertex keeps its distance from its own joint.
    before = np.linalg.norm(points - rest[joints], axis=1)
    after = np.linalg.norm(at - world_positions(clip)[40][joints], axis=1)
    assert after == pytest.approx(before, abs=1e-5)
    assert 1.4 < np.ptp(at[:, 1]) < 2.2


def test_the_mannequin_is_closed_and_faces_outwards(data: Path) -> None:
    """Every edge belongs to two triangles, triangles are wound as their normals point, and the volume is a body's."""
    figure = mannequin(load(data / "asf_amc" / "16" / "16_11.amc").skeleton)
    edges: dict[tuple[int, int], int] = {}
    for a, b, c in figure.triangles.tolist():
        for one, two in ((a, b), (b, c), (c, a)):
            edges[one, two] = edges.get((one, two), 0) + 1
    assert all(count == 1 and edges.get((two, one)) == 1 for (one, two), count in edges.items())
    corners = figure.positions[figure.triangles]
    faces = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert np.sum(faces * figure.normals[figure.triangles].mean(axis=1), axis=1).min() >= 0
    volume = float(np.sum(corners[:, 0] * np.cross(corners[:, 1], corners[:, 2])) / 6)
    assert 0.02 < volume < 0.12
    assert np.abs(np.linalg.norm(figure.normals, axis=1) - 1).max() < 1e-12
