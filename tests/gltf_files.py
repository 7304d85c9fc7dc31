"""Small glTF files for tests, made from plain dictionaries and arrays."""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

CODES = {"i1": 5120, "u1": 5121, "i2": 5122, "u2": 5123, "u4": 5125, "f4": 5126}
TYPES = {1: "SCALAR", 3: "VEC3", 4: "VEC4", 16: "MAT4"}


class Maker:
    """A glTF under construction: nodes as given, one animation, one buffer."""

    def __init__(self, nodes: list[dict[str, Any]]) -> None:
        self.json: dict[str, Any] = {
            "asset": {"version": "2.0", "generator": "test"},
            "nodes": nodes,
            "animations": [{"name": "move", "channels": [], "samplers": []}],
            "accessors": [],
            "bufferViews": [],
        }
        self.binary = b""

    def view(self, content: bytes, **more: Any) -> int:
        """Append bytes; return the index of their buffer view."""
        view = {"buffer": 0, "byteOffset": len(self.binary), "byteLength": len(content), **more}
        self.json["bufferViews"].append(view)
        self.binary += content + b"\0" * (-len(content) % 4)
        return len(self.json["bufferViews"]) - 1

    def accessor(self, values: Any, *, kind: str = "f4", stride: int = 0, **more: Any) -> int:
        """Append values (n, width), spaced by ``stride`` bytes on request; return the index of their accessor."""
        array = np.asarray(values).astype("<" + kind)
        array = array.reshape(len(array), -1)
        content = array.tobytes()
        spaced: dict[str, Any] = {}
        if stride:
            content = b"".join(row.tobytes().ljust(stride, b"\xff") for row in array)
            spaced = {"byteStride": stride}
        accessor = {
            "bufferView": self.view(content, **spaced),
            "componentType": CODES[kind],
            "count": len(array),
            "type": TYPES[array.shape[1]],
            **more,
        }
        self.json["accessors"].append(accessor)
        return len(self.json["accessors"]) - 1

    def move(self, node: int, path: str, times: Any, values: Any, how: str = "LINEAR", **more: Any) -> None:
        """Append a channel; ``values`` are numbers or the index of an accessor."""
        animation = self.json["animations"][-1]
        output = values if isinstance(values, int) else self.accessor(values, **more)
        time = times if isinstance(times, int) else self.accessor(np.reshape(times, (-1, 1)))
        animation["samplers"].append({"input": time, "output": output, "interpolation": how})
        target = {"node": node, "path": path}
        animation["channels"].append({"sampler": len(animation["samplers"]) - 1, "target": target})

    def skin(self, joints: list[int], bind: Any = None) -> None:
        """Append a skin; ``bind`` are world matrices (J, 4, 4) of the bind pose."""
        document: dict[str, Any] = {"joints": joints}
        if bind is not None:
            inverse = np.linalg.inv(np.asarray(bind, dtype=float))
            document["inverseBindMatrices"] = self.accessor(inverse.transpose(0, 2, 1).reshape(-1, 16))
        self.json.setdefault("skins", []).append(document)

    def glb(self, path: Path) -> Path:
        """Write as .glb."""
        self.json["buffers"] = [{"byteLength": len(self.binary)}]
        path.write_bytes(packed(self.json, self.binary))
        return path

    def gltf(self, path: Path, *, uri: str = "") -> Path:
        """Write as .gltf with a data URI, or with the buffer in a file named by ``uri``."""
        body = "data:application/octet-stream;base64," + base64.b64encode(self.binary).decode()
        self.json["buffers"] = [{"byteLength": len(self.binary), "uri": uri or body}]
        path.write_text(json.dumps(self.json))
        return path


def packed(document: dict[str, Any], binary: bytes) -> bytes:
    """GLB of a document and its binary chunk."""
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    head = struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(binary))
    return (
        head
        + struct.pack("<I4s", len(text), b"JSON")
        + text
        + struct.pack("<I4s", len(binary), b"BIN\0")
        + binary
    )


def turned(axis: str, degrees: Any) -> np.ndarray:
    """Quaternions xyzw about an axis."""
    half = np.radians(np.atleast_1d(degrees)) / 2
    out = np.zeros((len(half), 4))
    out[:, "xyz".index(axis)], out[:, 3] = np.sin(half), np.cos(half)
    return out


def chain() -> Maker:
    """Hips, spine and head, one above the other."""
    return Maker(
        [
            {"name": "Hips", "translation": [0, 1, 0], "children": [1]},
            {"name": "Spine", "translation": [0, 0.5, 0], "children": [2]},
            {"name": "Head", "translation": [0, 0.25, 0]},
        ]
    )


def together(paths: Sequence[Path], names: Sequence[str], target: Path) -> Path:
    """Write one GLB that holds the animations of several GLBs of the same nodes, under other names."""
    whole: dict[str, Any] = {}
    binary = b""
    for path, name in zip(paths, names, strict=True):
        document, body = unpacked(path)
        if not whole:
            whole, binary = document, body
            whole["animations"][0]["name"] = name
            continue
        views, accessors = len(whole["bufferViews"]), len(whole["accessors"])
        whole["bufferViews"] += [
            {**view, "byteOffset": view.get("byteOffset", 0) + len(binary)}
            for view in document["bufferViews"]
        ]
        whole["accessors"] += [
            {**accessor, "bufferView": accessor["bufferView"] + views} for accessor in document["accessors"]
        ]
        (animation,) = document["animations"]
        samplers = [
            {**one, "input": one["input"] + accessors, "output": one["output"] + accessors}
            for one in animation["samplers"]
        ]
        whole["animations"].append({**animation, "name": name, "samplers": samplers})
        binary += body
    whole["buffers"] = [{"byteLength": len(binary)}]
    target.write_bytes(packed(whole, binary))
    return target


def unpacked(path: Path) -> tuple[dict[str, Any], bytes]:
    """Document and binary chunk of a GLB."""
    content = path.read_bytes()
    (size,) = struct.unpack_from("<I", content, 12)
    return json.loads(content[20 : 20 + size]), content[28 + size :]


def pack_of(samples: Sequence[str], target: Path, *, prefix: str = "Rig|") -> Path:
    """GLB of embedded clips; the name of each animation is a prefix and the clip's name."""
    from segue.io import save
    from segue.motion.samples import sample

    parts = [target.with_name(f"{name}.part.glb") for name in samples]
    for name, part in zip(samples, parts, strict=True):
        save(sample(name), part)
    together(parts, [prefix + name for name in samples], target)
    for part in parts:
        part.unlink()
    return target
