"""glTF rules on made files: component types, layouts, splines, scales, rest poses, joints; and refusals."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gltf_files import Maker, chain, packed, turned
from naive.gltf import Scene
from segue.errors import FileError
from segue.io import load
from segue.motion.clip import Clip
from segue.motion.kinematics import world_positions


def notes(clip: Clip) -> str:
    """All notes of the reader."""
    assert clip.source is not None
    return "; ".join(clip.source.notes)


def agrees(path: Path, clip: Clip, *, joints: list[str] | None = None, within: float = 1e-6) -> None:
    """Every joint is where the nodes are, in every frame."""
    scene = Scene(path)
    curves = scene.curves(0)
    start = min(times[0] for times, _, _ in curves.values())
    found = world_positions(clip)
    for frame in range(clip.n_frames):
        nodes = scene.world(curves, start + frame / clip.fps)
        for name in joints or clip.skeleton.names:
            place = [row[3] for row in nodes[scene.node(name)][:3]]
            assert found[frame, clip.skeleton.index(name)] == pytest.approx(place, abs=within), (frame, name)


def bent(file: Maker, **more: Any) -> None:
    """Rotate the spine, in any layout."""
    quaternions = turned("z", [0, 30, 70])
    ones = {"i1": 127, "u1": 255, "i2": 32767, "u2": 65535}
    kind = more.get("kind", "f4")
    if kind in ones:
        quaternions = np.rint(quaternions * ones[kind])
    file.move(1, "rotation", [0, 0.5, 1], quaternions, **more)


LAYOUTS: dict[str, dict[str, Any]] = {
    "floats": {},
    "bytes": {"kind": "i1", "normalized": True},
    "unsigned bytes": {"kind": "u1", "normalized": True},
    "shorts": {"kind": "i2", "normalized": True},
    "unsigned shorts": {"kind": "u2", "normalized": True},
    "stride": {"stride": 32},
    "shorts with a stride": {"kind": "i2", "normalized": True, "stride": 12},
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_layouts(name: str, tmp_path: Path) -> None:
    """All component types and strides give the naive reader's positions, integers to their own precision."""
    file = chain()
    bent(file, **LAYOUTS[name])
    path = file.glb(tmp_path / "a.glb")
    clip = load(path)
    agrees(path, clip)
    angle = 2 * np.arccos(abs(clip.rotations[-1, 1, 0]))
    assert np.degrees(angle) == pytest.approx(70, abs=1.0 if "byte" in name else 0.01)


@pytest.mark.parametrize("base", [True, False], ids=["over values", "over zeros"])
def test_sparse(base: bool, tmp_path: Path) -> None:
    """Single elements are replaced, in stored values or in zeros."""
    file = chain()
    values = np.array([[0, 1, 0], [0, 1, 1], [0, 1, 2.0]])
    output = file.accessor(values)
    accessor = file.json["accessors"][output]
    if not base:
        del accessor["bufferView"]
    accessor["sparse"] = {
        "count": 2,
        "indices": {"bufferView": file.view(np.array([0, 2], "<u2").tobytes()), "componentType": 5123},
        "values": {"bufferView": file.view(np.array([[0, 3, 0], [0, 5, 0]], "<f4").tobytes())},
    }
    file.move(0, "translation", [0, 0.1, 0.2], output)
    path = file.glb(tmp_path / "a.glb")
    clip = load(path)
    assert clip.root_positions.tolist() == [[0, 3, 0], [0, 1, 1] if base else [0, 0, 0], [0, 5, 0]]
    agrees(path, clip)


def test_buffers_of_every_kind(tmp_path: Path) -> None:
    """A binary chunk, a data URI, a file next to it and one in a subfolder with a blank in its name give the same."""
    file = chain()
    bent(file)
    wanted = world_positions(load(file.glb(tmp_path / "a.glb")))
    assert np.array_equal(world_positions(load(file.gltf(tmp_path / "a.gltf"))), wanted)
    (tmp_path / "the data").mkdir()
    for uri in ("motion.bin", "the%20data/motion.bin"):
        (tmp_path / uri.replace("%20", " ")).write_bytes(file.binary + b"more")
        assert np.array_equal(world_positions(load(file.gltf(tmp_path / "b.gltf", uri=uri))), wanted)


def test_splines(tmp_path: Path) -> None:
    """Cubic splines of positions, rotations and scales, with tangents, are evaluated between unevenly spaced keys."""
    rng = np.random.default_rng(4)
    file = chain()
    file.move(0, "translation", [0, 0.3, 1.1], rng.normal(size=(9, 3)), "CUBICSPLINE")
    file.move(1, "rotation", [0, 0.3, 1.1], rng.normal(size=(9, 4)), "CUBICSPLINE")
    path = file.glb(tmp_path / "a.glb")
    clip = load(path, fps=47)
    agrees(path, clip, within=1e-5)
    assert np.linalg.norm(clip.rotations, axis=-1) == pytest.approx(1.0)


@given(seed=st.integers(0, 2**32 - 1))
def test_any_armature_above_the_hips(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    """With rotated, scaled and animated nodes above the body, positions are the nodes' and offsets are constant."""
    rng = np.random.default_rng(seed)
    file = chain()
    file.json["nodes"] += [
        {"name": "Rig", "rotation": turned("x", -90)[0].tolist(), "scale": [0.01] * 3, "children": [0]},
        {"name": "World", "translation": rng.normal(size=3).tolist(), "children": [3]},
    ]
    for node in (0, 1, 2, 3, 4):
        file.move(node, "rotation", [0, 0.1, 0.2], rng.normal(size=(3, 4)))
    file.move(4, "translation", [0, 0.2], rng.normal(size=(2, 3)))
    file.move(0, "translation", [0, 0.2], rng.normal(size=(2, 3)))
    file.skin([0, 1, 2])
    path = file.glb(tmp_path_factory.mktemp("any") / "a.glb")
    clip = load(path, unit=1)
    assert clip.skeleton.names == ("Hips", "Spine", "Head")
    assert "vary" not in notes(clip)
    agrees(path, clip)


@pytest.mark.parametrize("scale", [[1, 1, -1], [-2, -2, -2], [-1, 1, 1]])
def test_mirrored_bodies(scale: list[float], tmp_path: Path) -> None:
    """A mirroring scale above the body gives a mirrored body whose bones keep their lengths."""
    file = chain()
    file.json["nodes"].append({"name": "Rig", "scale": scale, "children": [0]})
    file.json["nodes"][2]["translation"] = [0.1, 0.25, 0.2]
    for node in (0, 1):
        file.move(node, "rotation", [0, 0.1, 0.2], turned("x", [10, 40, 90]))
    file.skin([0, 1, 2])
    path = file.glb(tmp_path / "a.glb")
    clip = load(path)
    agrees(path, clip)
    assert "vary" not in notes(clip)


def test_matrices_are_taken_apart(tmp_path: Path) -> None:
    """A node given by a matrix is placed like one given by translation, rotation and scale."""
    file = chain()
    turn = np.array([[0, -2, 0, 0], [2, 0, 0, 1], [0, 0, 2, 0.5], [0, 0, 0, 1]])
    file.json["nodes"][0] = {"name": "Hips", "matrix": turn.T.ravel().tolist(), "children": [1]}
    bent(file)
    path = file.glb(tmp_path / "a.glb")
    agrees(path, load(path))
    file.json["nodes"][0]["matrix"] = [1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
    with pytest.raises(FileError, match=r"nodes\[0\]\.matrix is sheared"):
        load(file.glb(tmp_path / "b.glb"))


def test_rest_from_bind_matrices(tmp_path: Path) -> None:
    """The nodes are bent and the bind matrices upright, in metres or in the armature's centimetres."""
    for unit in (1.0, 100.0):
        file = chain()
        file.json["nodes"].append({"name": "Rig", "scale": [0.01] * 3, "children": [0]})
        for node in file.json["nodes"][:3]:
            node["translation"] = [100 * x for x in node["translation"]]
        file.json["nodes"][1]["rotation"] = turned("x", 40)[0].tolist()
        bent(file)
        bind = np.tile(np.diag([unit / 100, unit / 100, unit / 100, 1.0]), (3, 1, 1))
        bind[:, 1, 3] = [1 * unit, 1.5 * unit, 1.75 * unit]
        file.skin([0, 1, 2], bind)
        path = file.glb(tmp_path / "a.glb")
        clip = load(path)
        assert clip.skeleton.rest_positions()[:, 1] == pytest.approx([1, 1.5, 1.75], abs=1e-6)
        assert "bind matrices, the nodes stand" in notes(clip)
        agrees(path, clip)


def test_joints_of_a_skin(tmp_path: Path) -> None:
    """Props are left out, animated nodes between joints are kept, constant ones folded; the order is the skin's."""
    file = Maker(
        [
            {"name": "Root", "children": [1, 6]},
            {"name": "Hips", "children": [2, 5]},
            {"name": "Twist", "translation": [0, 0.1, 0], "children": [3]},
            {
                "name": "Still",
                "translation": [0, 0.1, 0],
                "rotation": turned("y", 30)[0].tolist(),
                "children": [4],
            },
            {"name": "Chest", "translation": [0.1, 0.3, 0]},
            {"name": "Leg", "translation": [0, -0.5, 0], "children": [7]},
            {"name": "Sword", "mesh": 0},
            {"name": "Leg_end", "translation": [0, -0.4, 0]},
        ]
    )
    file.skin([1, 4, 5])
    file.move(2, "rotation", [0, 0.1], turned("x", [0, 30]))
    file.move(4, "rotation", [0, 0.1], turned("x", [0, 30]))
    path = file.glb(tmp_path / "a.glb")
    clip = load(path)
    assert clip.skeleton.names == ("Hips", "Twist", "Chest", "Leg")
    assert clip.skeleton.end_sites[0].offset.tolist() == [0, -0.4, 0]
    agrees(path, clip)


def test_names_are_made_unique(tmp_path: Path) -> None:
    """Nodes without a name get their number; nodes that share a name get a number after it."""
    file = chain()
    file.json["nodes"][1]["name"] = file.json["nodes"][2]["name"] = "Bone"
    del file.json["nodes"][0]["name"]
    file.json["animations"][0]["name"] = "half \ud800"
    bent(file)
    clip = load(file.glb(tmp_path / "a.glb"))
    assert clip.source.extra == {"animation": "half ?"}
    assert clip.skeleton.names == ("node0", "Bone", "Bone_2")
    assert "renamed: 'Bone' → 'Bone_2'" in notes(clip)


def test_moving_joints_are_baked_and_said(tmp_path: Path) -> None:
    """A joint that slides in its parent gets its middle position, and the note reports the deviation in centimetres."""
    file = chain()
    file.json["nodes"][0]["children"] = [1, 3, 4]
    file.json["nodes"] += [{"name": "L", "translation": [1, 0, 0]}, {"name": "R", "translation": [-1, 0, 0]}]
    for node in (1, 3, 4):
        file.move(node, "rotation", [0, 0.1], turned("x", [0, 30]))
    file.move(1, "translation", [0, 0.1], [[0, 0.5, 0], [0, 0.54, 0]])
    clip = load(file.glb(tmp_path / "a.glb"))
    assert clip.skeleton.offsets[1] == pytest.approx([0, 0.52, 0])
    assert "'Spine' in its parent vary by up to 2 cm" in notes(clip)


def test_sizes_that_no_body_has(tmp_path: Path) -> None:
    """A body of 175 units is read as centimetres; a unit set by the user takes precedence."""
    file = chain()
    for node in file.json["nodes"]:
        node["translation"] = [100 * x for x in node["translation"]]
    bent(file)
    path = file.glb(tmp_path / "a.glb")
    clip = load(path)
    assert clip.root_positions[0] == pytest.approx([0, 1, 0])
    assert "no body measures" in notes(clip)
    assert load(path, unit=1).root_positions[0] == pytest.approx([0, 100, 0])


def _set(*keys: Any, to: Any) -> Callable[[dict[str, Any]], None]:
    def change(document: dict[str, Any]) -> None:
        at: Any = document
        for key in keys[:-1]:
            at = at[key]
        at[keys[-1]] = to

    return change


FAULTS: dict[str, tuple[Callable[[dict[str, Any]], None], str]] = {
    "version": (_set("asset", "version", to="1.0"), r"version '1\.0'.*2\.0"),
    "two parents": (_set("nodes", 2, "children", to=[1]), r"nodes\[2\]\.children\[0\].*already a child"),
    "own ancestor": (_set("nodes", 0, "children", to=[0]), "own ancestors"),
    "child out of range": (_set("nodes", 2, "children", to=[9]), r"nodes\[2\]\.children\[0\] is 9"),
    "no animation": (_set("animations", to=[]), "no animation"),
    "no channel": (_set("animations", 0, "channels", to=[]), "moves no node"),
    "interpolation": (_set("animations", 0, "samplers", 0, "interpolation", to="BEZIER"), "'BEZIER'.*LINEAR"),
    "sampler": (_set("animations", 0, "channels", 0, "sampler", to=7), "no number 7"),
    "node": (_set("animations", 0, "channels", 0, "target", "node", to=7), "is 7; there are 3 nodes"),
    "count": (_set("accessors", 0, "count", to=2), r"accessors\[0\]\.count is 2.*needs 3"),
    "huge count": (_set("accessors", 1, "count", to=10**12), "many times more numbers"),
    "beyond the view": (_set("accessors", 0, "byteOffset", to=8), r"accessors\[0\] needs 56 bytes"),
    "beyond the buffer": (
        _set("bufferViews", 0, "byteLength", to=10**9),
        r"bufferViews\[0\] reaches to byte",
    ),
    "short buffer": (_set("buffers", 0, "byteLength", to=10**9), "cut short"),
    "type": (_set("accessors", 0, "type", to="VEC3"), "needs VEC4"),
    "component": (_set("accessors", 0, "componentType", to=5130), "is 5130"),
    "stride": (_set("bufferViews", 0, "byteStride", to=4), r"byteStride is 4.*16 bytes"),
    "negative": (_set("bufferViews", 0, "byteOffset", to=-4), r"byteOffset is -4.*from 0"),
    "text for a number": (_set("accessors", 0, "count", to="3"), r"count is '3'"),
    "compressed": (_set("bufferViews", 0, "extensions", to={"EXT_meshopt_compression": {}}), "compressed"),
    "zero rotation": (_set("nodes", 1, "rotation", to=[0, 0, 0, 0]), r"nodes\[1\]\.rotation is zero"),
    "infinite": (_set("nodes", 1, "translation", to=[0, 1e300, 0]), r"nodes\[1\]\.translation"),
    "no view for times": (_set("accessors", 1, "bufferView", to=None), "no bufferView"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults_are_named(name: str, tmp_path: Path) -> None:
    """Each fault is a FileError that names the place in the JSON and the fault there."""
    file = chain()
    bent(file)
    path = file.glb(tmp_path / "a.glb")
    change, words = FAULTS[name]
    change(file.json)
    path.write_bytes(packed(file.json, file.binary))
    with pytest.raises(FileError, match=words):
        load(path)


def test_keys_that_are_wrong(tmp_path: Path) -> None:
    """Times that decrease, values that are not numbers and a key without rotation are refused."""
    for times, middle, words in (
        ([0, 1, 0.5], [0, 0, 0, 1], "backwards in time: key 2"),
        ([0, 1, 2], [0, np.nan, 0, 1], "no finite number in element 1"),
        ([0, 1, 2], [0, 0, 0, 0], "no rotation in key 1"),
        ([0, 1, 1e9], [0, 0, 0, 1], "are its times in seconds"),
    ):
        file = chain()
        file.move(1, "rotation", times, [[0, 0, 0, 1], middle, [0, 0, 0, 1]])
        with pytest.raises(FileError, match=words):
            load(file.glb(tmp_path / "a.glb"))


def test_nothing_outside_the_folder_is_opened(tmp_path: Path) -> None:
    """URLs, absolute paths, paths upwards and links that lead outside are refused, even where the file exists."""
    inner = tmp_path / "inner"
    inner.mkdir()
    file = chain()
    bent(file)
    (tmp_path / "out.bin").write_bytes(file.binary)
    (inner / "link.bin").symlink_to(tmp_path / "out.bin")
    for uri, words in {
        "../out.bin": "outside the folder",
        "%2e%2e/out.bin": "outside the folder",
        str(tmp_path / "out.bin"): "outside the folder",
        "link.bin": "outside the folder",
        "https://example.org/a.bin": "only files in the folder",
        "file:///etc/passwd": "only files in the folder",
        "none.bin": "no such file",
        "a\0b": "no such file",
        ".": "no such file",
        "data:application/octet-stream;base64,!!": "not base64",
        "data:,": "0 bytes are there",
    }.items():
        with pytest.raises(FileError, match=words):
            load(file.gltf(inner / "a.gltf", uri=uri))


def test_broken_containers(tmp_path: Path) -> None:
    """Headers and chunks that end early are reported with their byte, broken text with its line."""
    file = chain()
    bent(file)
    whole = file.glb(tmp_path / "whole.glb").read_bytes()
    path = tmp_path / "a.glb"
    for content, words in (
        (whole[:10], "header"),
        (whole[:-40], r"declares a length of \d+ bytes"),
        (whole[:4] + b"\1" + whole[5:], "version 1"),
        (whole[:12] + b"\xff\xff\xff\0" + whole[16:], "chunk at byte 12"),
        (whole[:16] + b"WHAT" + whole[20:], "no JSON chunk"),
        (whole[:30] + b"\xff" + whole[31:], "byte 30 is not UTF-8"),
        (whole[:20] + b"!" + whole[21:], r"byte 20.*not JSON"),
        (b'{"asset":\n oops}', r":2: is not JSON"),
        (b"[" * 100_000, "nests lists or tables more than"),
        (b'{"asset": NaN}', ":1: is not JSON"),
        (b"[]", "expected a table, got a list"),
        (b"", "not JSON"),
    ):
        path.write_bytes(content)
        with pytest.raises(FileError, match=words):
            load(path)
