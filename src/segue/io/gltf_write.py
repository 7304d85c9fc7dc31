"""GLB write: skeleton, animation and a skinned mannequin in one binary glTF 2.0 file, in metres with Y up.

Nodes hold the rest pose; the animation has one rotation channel a joint and one translation channel for the root,
keyed at k / fps from 0.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from segue.io.channels import check_rotations
from segue.io.mannequin import Mannequin, mannequin
from segue.io.text import write_whole
from segue.maths.quaternions import normalise, unroll
from segue.motion.clip import Clip

_FLOAT, _BYTE, _SHORT, _INT = 5126, 5121, 5123, 5125
_ARRAY, _ELEMENTS = 34962, 34963
_COLOUR = [0.55, 0.62, 0.70, 1.0]


class Buffer:
    """One binary chunk: arrays laid end to end, each with a buffer view and an accessor."""

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
        If a rotation is no unit quaternion or the file cannot be written.
    """
    check_rotations(clip, path)
    buffer = Buffer()
    figure = mannequin(clip.skeleton)
    skeleton = clip.skeleton
    nodes = rest_nodes(clip)
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
    """Header, JSON chunk padded with blanks, binary chunk; the buffer's views and accessors enter the document."""
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


def rest_nodes(clip: Clip, *, first: int = 0) -> list[dict[str, Any]]:
    """One node a joint in its rest pose, from node ``first`` on: a translation and no rotation."""
    skeleton = clip.skeleton
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
    """Mesh of a mannequin, its arrays added to the buffer; material 0."""
    index_type, index_code = (np.uint16, _SHORT) if len(figure.positions) < 65535 else (np.uint32, _INT)
    joint_type, joint_code = (np.uint8, _BYTE) if n_joints <= 256 else (np.uint16, _SHORT)
    joints = np.zeros((len(figure.joints), 4), dtype=joint_type)
    joints[:, :2] = figure.joints
    weights = np.zeros((len(figure.joints), 4), dtype=np.float32)
    weights[:, 0] = figure.weights[:, 0]
    weights[:, 1] = 1.0 - weights[:, 0]
    joints[weights == 0.0] = 0  # as the format has it: what has no weight names no joint
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
    """Matt material of a colour: red, green, blue and opacity, 0 to 1, linear."""
    shading = {"baseColorFactor": list(colour), "metallicFactor": 0.0, "roughnessFactor": 0.8}
    return {"name": name, "pbrMetallicRoughness": shading}


def skin_of(clip: Clip, buffer: Buffer) -> dict[str, Any]:
    """All joints; each inverse bind matrix moves its joint's rest position to the origin (column-major)."""
    rest = clip.skeleton.rest_positions()
    matrices = np.tile(np.eye(4), (len(rest), 1, 1))
    matrices[:, 3, :3] = -rest
    accessor = buffer.add(matrices.astype(np.float32).reshape(-1, 16), "MAT4", _FLOAT)
    return {"joints": list(range(len(rest))), "skeleton": 0, "inverseBindMatrices": accessor}


def animation_of(clip: Clip, buffer: Buffer, *, first: int = 0) -> dict[str, Any]:
    """Translation of the root and rotation of every joint at k / fps; joint j is node ``first + j``."""
    times = (np.arange(clip.n_frames) / clip.fps).astype(np.float32)
    time = buffer.add(times, "SCALAR", _FLOAT, bounds=True)
    # glTF interpolates keys as they stand: neighbours must lie on the same side of the double cover.
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
