"""World positions of animated nodes in any GLB, from the glTF specification alone, without segue."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np

_TYPES = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}


class Glb:
    """A GLB file with its first animation; keys are exact, values between them linear (slerp is not needed at keys)."""

    def __init__(self, path: Path) -> None:
        content = path.read_bytes()
        size = struct.unpack_from("<I", content, 12)[0]
        self.document: dict[str, Any] = json.loads(content[20 : 20 + size])
        self.binary = content[28 + size :]
        self.names = [node.get("name", "") for node in self.document["nodes"]]

    def array(self, index: int) -> np.ndarray:
        """Return the values (count, width) of an accessor."""
        accessor = self.document["accessors"][index]
        view = self.document["bufferViews"][accessor["bufferView"]]
        start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        width, kind = _WIDTHS[accessor["type"]], _TYPES[accessor["componentType"]]
        return np.frombuffer(self.binary, kind, accessor["count"] * width, start).reshape(-1, width)

    def times(self) -> np.ndarray:
        """All key times (n,) of the first animation, float64."""
        samplers = self.document["animations"][0]["samplers"]
        return np.unique(np.concatenate([self.array(s["input"])[:, 0].astype(float) for s in samplers]))

    def world(self, time: float) -> np.ndarray:
        """Return world matrices (N, 4, 4) of all nodes at a time of the first animation."""
        nodes = self.document["nodes"]
        moved: dict[tuple[int, str], np.ndarray] = {}
        animation = self.document["animations"][0]
        for channel in animation["channels"]:
            sampler = animation["samplers"][channel["sampler"]]
            value = _at(self.array(sampler["input"])[:, 0], self.array(sampler["output"]), time)
            moved[channel["target"]["node"], channel["target"]["path"]] = value
        local = np.tile(np.eye(4), (len(nodes), 1, 1))
        for k, node in enumerate(nodes):
            if "matrix" in node:
                local[k] = np.reshape(node["matrix"], (4, 4)).T
                continue
            turn = moved.get((k, "rotation"), np.array(node.get("rotation", [0, 0, 0, 1.0])))
            scale = moved.get((k, "scale"), np.array(node.get("scale", [1, 1, 1.0])))
            local[k, :3, :3] = _matrix(turn) * scale
            local[k, :3, 3] = moved.get((k, "translation"), np.array(node.get("translation", [0, 0, 0.0])))
        out = np.full_like(local, np.nan)
        stack = [
            (root, np.eye(4)) for root in self.document["scenes"][self.document.get("scene", 0)]["nodes"]
        ]
        while stack:
            node, above = stack.pop()
            out[node] = above @ local[node]
            stack += [(child, out[node]) for child in nodes[node].get("children", [])]
        return out


def _at(times: np.ndarray, values: np.ndarray, time: float) -> np.ndarray:
    k = int(np.clip(np.searchsorted(times, time) - 1, 0, max(len(times) - 2, 0)))
    if len(times) == 1:
        return values[0].astype(float)
    share = float(np.clip((time - times[k]) / (times[k + 1] - times[k]), 0.0, 1.0))
    first, second = values[k].astype(float), values[k + 1].astype(float)
    if values.shape[1] == 4:
        second = second * (np.sign(first @ second) or 1.0)
    return (1.0 - share) * first + share * second


def _matrix(quaternion: np.ndarray) -> np.ndarray:
    x, y, z, w = quaternion / np.linalg.norm(quaternion)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + 2 * w * cross + 2 * cross @ cross
