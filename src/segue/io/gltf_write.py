"""Write GLB: skeleton, animation and a skinned mannequin in one binary glTF 2.0 file, in metres with Y up.

Nodes hold the rest pose; the animation has one rotation channel per joint and one translation channel for the
root, keyed at k / fps from 0.

`write_floor` writes several bodies into one GLB: each has a skin, a coloured figure and channels of the one animation.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from segue.errors import FileError, SettingError
from segue.io.channels import check_rotations
from segue.io.gltf_nodes import DEEPEST, MOST_JOINTS
from segue.io.mannequin import Mannequin, mannequin
from segue.io.text import write_whole
from segue.maths.quaternions import normalise, unroll
from segue.motion.clip import Clip

_FLOAT, _BYTE, _SHORT, _INT = 5126, 5121, 5123, 5125
_ARRAY, _ELEMENTS = 34962, 34963
_COLOUR = [0.55, 0.62, 0.70, 1.0]


class Buffer:
    """One binary chunk: concatenated arrays, each with a buffer view and an accessor."""

    def __init__(self) -> None:
        self.chunks: list[bytes] = []
        self.size = 0
        self.views: list[dict[str, Any]] = []
        self.accessors: list[dict[str, Any]] = []

    def add(
        self,
        array: npt.NDArray[Any],
        shape: str,
        component: int,
        *,
        target: int | None = None,
        bounds: bool = False,
    ) -> int:
        """Append an array; return the index of its accessor."""
        content = np.ascontiguousarray(array).tobytes()
        view: dict[str, Any] = {"buffer": 0, "byteOffset": self.size, "byteLength": len(content)}
        if target is not None:
            view["target"] = target
        accessor: dict[str, Any] = {
            "bufferView": len(self.views),
            "componentType": component,
            "count": len(array),
            "type": shape,
        }
        if bounds:
            rows = array.reshape(len(array), -1)
            accessor["min"], accessor["max"] = rows.min(axis=0).tolist(), rows.max(axis=0).tolist()
        self.views.append(view)
        self.accessors.append(accessor)
        padding = -len(content) % 4
        self.chunks.append(content + b"\0" * padding)
        self.size += len(content) + padding
        return len(self.accessors) - 1


def write_glb(clip: Clip, path: Path, *, overwrite: bool = True) -> None:
    """Write a clip as GLB.

    Raises
    ------
    FileError
        If a rotation is no unit quaternion, the joints are more or nested deeper than a reader accepts, or the file
        cannot be written.
    """
    check_rotations(clip, path)
    buffer, skeleton = Buffer(), clip.skeleton
    nodes = rest_nodes(clip, path)
    figure = mannequin(skeleton)
    document = {
        "asset": {"version": "2.0", "generator": "segue"},
        "scene": 0,
        "scenes": [{"name": clip.name, "nodes": [0, len(nodes)]}],
        "nodes": [*nodes, {"name": _free("Mannequin", skeleton.names), "mesh": 0, "skin": 0}],
        "meshes": [figure_mesh(figure, buffer, n_joints=skeleton.n_joints)],
        "materials": [material(_COLOUR)],
        "skins": [skin_of(clip, buffer)],
        "animations": [animation_of(clip, buffer)],
    }
    write_whole(path, glb_bytes(document, buffer), overwrite=overwrite)


def glb_bytes(document: dict[str, Any], buffer: Buffer) -> bytes:
    """Join header, blank-padded JSON chunk and binary chunk; add the buffer's views and accessors to the document."""
    binary = b"".join(buffer.chunks)
    document = {
        **document,
        "accessors": buffer.accessors,
        "bufferViews": buffer.views,
        "buffers": [{"byteLength": buffer.size}],
    }
    text = json.dumps(document, allow_nan=False, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 4)
    total = 12 + 8 + len(text) + 8 + len(binary)
    return b"".join(
        [
            struct.pack("<4sII", b"glTF", 2, total),
            struct.pack("<I4s", len(text), b"JSON"),
            text,
            struct.pack("<I4s", len(binary), b"BIN\0"),
            binary,
        ]
    )


def rest_nodes(clip: Clip, path: Path, *, first: int = 0) -> list[dict[str, Any]]:
    """Return one node per joint in its rest pose, from node ``first`` on: a translation and no rotation.

    Raises
    ------
    FileError
        If the joints are more or nested deeper than a reader accepts.
    """
    skeleton = clip.skeleton
    if skeleton.n_joints > MOST_JOINTS:
        msg = (
            f"clip {clip.name!r} has {skeleton.n_joints} joints; a glTF is read up to {MOST_JOINTS}. "
            "Save BVH or NPZ"
        )
        raise FileError(path, msg)
    depth = np.ones(skeleton.n_joints, dtype=np.int64)
    for joint in range(1, len(depth)):
        depth[joint] = depth[skeleton.parents[joint]] + 1
    if depth.max() > DEEPEST:
        msg = (
            f"clip {clip.name!r} has joints that stand {depth.max()} deep; a glTF is read up to {DEEPEST}. "
            "Save BVH or NPZ"
        )
        raise FileError(path, msg)
    nodes = []
    for joint, name in enumerate(skeleton.names):
        node: dict[str, Any] = {"name": name, "translation": skeleton.offsets[joint].tolist()}
        if skeleton.children[joint]:
            node["children"] = [first + child for child in skeleton.children[joint]]
        nodes.append(node)
    return nodes


def _free(name: str, taken: tuple[str, ...]) -> str:
    while name in taken:
        name += "_"
    return name


def figure_mesh(figure: Mannequin, buffer: Buffer, *, n_joints: int) -> dict[str, Any]:
    """Return the mesh of a mannequin, with its arrays added to the buffer; material 0."""
    index_type, index_code = (np.uint16, _SHORT) if len(figure.positions) < 65535 else (np.uint32, _INT)
    joint_type, joint_code = (np.uint8, _BYTE) if n_joints <= 256 else (np.uint16, _SHORT)
    joints = np.zeros((len(figure.joints), 4), dtype=joint_type)
    joints[:, :2] = figure.joints
    weights = np.zeros((len(figure.joints), 4), dtype=np.float32)
    weights[:, 0] = figure.weights[:, 0]
    weights[:, 1] = 1.0 - weights[:, 0]
    joints[weights == 0.0] = 0  # required by the format: a zero weight has joint 0
    positions, normals = figure.positions.astype(np.float32), figure.normals.astype(np.float32)
    attributes = {
        "POSITION": buffer.add(positions, "VEC3", _FLOAT, target=_ARRAY, bounds=True),
        "NORMAL": buffer.add(normals, "VEC3", _FLOAT, target=_ARRAY),
        "JOINTS_0": buffer.add(joints, "VEC4", joint_code, target=_ARRAY),
        "WEIGHTS_0": buffer.add(weights, "VEC4", _FLOAT, target=_ARRAY),
    }
    triangles = figure.triangles.astype(index_type).ravel()
    indices = buffer.add(triangles, "SCALAR", index_code, target=_ELEMENTS)
    return {
        "name": "Mannequin",
        "primitives": [{"attributes": attributes, "indices": indices, "material": 0}],
    }


def material(colour: Sequence[float], *, name: str = "Mannequin") -> dict[str, Any]:
    """Return a matt material of a colour: linear red, green, blue and opacity, 0 to 1."""
    shading = {"baseColorFactor": list(colour), "metallicFactor": 0.0, "roughnessFactor": 0.8}
    return {"name": name, "pbrMetallicRoughness": shading}


def skin_of(clip: Clip, buffer: Buffer) -> dict[str, Any]:
    """Return the skin of all joints; its column-major inverse bind matrices move each rest position to the origin."""
    rest = clip.skeleton.rest_positions()
    matrices = np.tile(np.eye(4), (len(rest), 1, 1))
    matrices[:, 3, :3] = -rest
    accessor = buffer.add(matrices.astype(np.float32).reshape(-1, 16), "MAT4", _FLOAT)
    return {"joints": list(range(len(rest))), "skeleton": 0, "inverseBindMatrices": accessor}


def animation_of(clip: Clip, buffer: Buffer, *, first: int = 0) -> dict[str, Any]:
    """Return the root's translation and all joint rotations at k / fps; joint j is node ``first + j``."""
    times = (np.arange(clip.n_frames) / clip.fps).astype(np.float32)
    time = buffer.add(times, "SCALAR", _FLOAT, bounds=True)
    # glTF interpolates keys without a sign check: neighbours must be on the same side of the double cover.
    rotations = unroll(normalise(clip.rotations))[..., [1, 2, 3, 0]].astype(np.float32)
    samplers = [{"input": time, "output": buffer.add(clip.root_positions.astype(np.float32), "VEC3", _FLOAT)}]
    channels = [{"sampler": 0, "target": {"node": first, "path": "translation"}}]
    for joint in range(clip.skeleton.n_joints):
        output = buffer.add(rotations[:, joint], "VEC4", _FLOAT)
        channels.append({"sampler": len(samplers), "target": {"node": first + joint, "path": "rotation"}})
        samplers.append({"input": time, "output": output})
    for sampler in samplers:
        sampler["interpolation"] = "LINEAR"  # type: ignore[assignment]
    return {"name": clip.name, "channels": channels, "samplers": samplers, "extras": {"fps": clip.fps}}


def write_floor(
    clips: Sequence[Clip], path: Path, *, colours: Sequence[str], names: Sequence[str], overwrite: bool = True
) -> None:
    """Write motions of one skeleton as bodies side by side in one GLB, moved by one animation.

    Parameters
    ----------
    clips
        Motions of one skeleton at one rate, each at its final position.
    path
        The file.
    colours
        ``#rrggbb`` of each body.
    names
        Meaning of each body's colour, as the name of its material; equal names and colours share one material.
    overwrite
        Whether an existing file may be replaced.

    Raises
    ------
    SettingError
        If there is no body, or skeletons or rates differ.
    FileError
        If a rotation is no unit quaternion or the file cannot be written.

    Examples
    --------
    >>> import segue, tempfile, pathlib
    >>> from segue.motion.facing import moved
    >>> walk = segue.sample("walk")
    >>> pair = [walk, moved(walk, segue.PlanarMotion(0.0, 1.0, 0.0))]
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "two.glb"
    >>> write_floor(pair, path, colours=["#6a51a3", "#e6a817"], names=["a", "b"])
    >>> path.stat().st_size > 100_000
    True
    """
    _check(clips, colours, names)
    for clip in clips:
        check_rotations(clip, path)
    buffer = Buffer()
    skeleton, count = clips[0].skeleton, clips[0].skeleton.n_joints
    mesh = figure_mesh(mannequin(skeleton), buffer, n_joints=count)
    skin = skin_of(clips[0], buffer)
    kinds = list(dict.fromkeys(zip(names, colours, strict=True)))
    nodes: list[dict[str, Any]] = []
    roots: list[int] = []
    skins, animations = [], []
    for number, clip in enumerate(clips):
        first = len(nodes)
        # Names are made unique, because programs find a bone by its name.
        body = rest_nodes(clip, path, first=first)
        nodes += [{**node, "name": f"{number + 1} {node['name']}"} for node in body]
        kind = kinds.index((names[number], colours[number]))
        nodes.append({"name": f"{number + 1} Mannequin", "mesh": kind, "skin": number})
        roots += [first, first + count]
        skins.append({**skin, "joints": [first + joint for joint in range(count)], "skeleton": first})
        animations.append(animation_of(clip, buffer, first=first))
    document = {
        "asset": {"version": "2.0", "generator": "segue"},
        "scene": 0,
        "scenes": [{"name": path.stem, "nodes": roots}],
        "nodes": nodes,
        "meshes": [_in_colour(mesh, number) for number in range(len(kinds))],
        "materials": [material(_linear(colour), name=name) for name, colour in kinds],
        "skins": skins,
        "animations": [_together(animations, path.stem)],
    }
    write_whole(path, glb_bytes(document, buffer), overwrite=overwrite)


def _check(clips: Sequence[Clip], colours: Sequence[str], names: Sequence[str]) -> None:
    if not clips or not len(clips) == len(colours) == len(names):
        msg = (
            f"{len(clips)} bodies with {len(colours)} colours and {len(names)} names; give one of each a body"
        )
        raise SettingError(msg)
    first = clips[0]
    for clip in clips[1:]:
        if not clip.skeleton.same_as(first.skeleton) or clip.fps != first.fps:
            msg = f"{clip.name!r} has another skeleton or rate than {first.name!r}; carry it over first"
            raise SettingError(msg)


def _in_colour(mesh: dict[str, Any], number: int) -> dict[str, Any]:
    """Mesh with a separate material that shares another mesh's arrays."""
    return {**mesh, "primitives": [{**part, "material": number} for part in mesh["primitives"]]}


def _together(animations: Sequence[dict[str, Any]], name: str) -> dict[str, Any]:
    """Merge several animations into one, because players play one at a time."""
    channels: list[dict[str, Any]] = []
    samplers: list[dict[str, Any]] = []
    for one in animations:
        before = len(samplers)
        channels += [{**channel, "sampler": before + channel["sampler"]} for channel in one["channels"]]
        samplers += one["samplers"]
    return {"name": name, "channels": channels, "samplers": samplers, "extras": animations[0]["extras"]}


def _linear(colour: str) -> list[float]:
    """Linear red, green and blue, and opacity, of the sRGB colour ``#rrggbb``."""
    shown = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255.0
    linear = np.where(shown <= 0.04045, shown / 12.92, ((shown + 0.055) / 1.055) ** 2.4)
    return [*(round(float(part), 6) for part in linear), 1.0]
