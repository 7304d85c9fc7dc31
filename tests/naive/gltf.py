"""World positions of glTF nodes at a time, from the format's specification. Imports nothing from segue.

Numbers are read one by one with struct; matrices are nested lists; a node's world matrix is its parent's times its own
T R S. Interpolation as in the specification's appendix C: STEP, LINEAR with slerp for rotations, CUBICSPLINE.
"""

from __future__ import annotations

import base64
import json
import math
import struct
from pathlib import Path
from typing import Any
from urllib.parse import unquote

Matrix = list[list[float]]
CODES = {
    5120: ("b", 127),
    5121: ("B", 255),
    5122: ("h", 32767),
    5123: ("H", 65535),
    5125: ("I", 2**32 - 1),
    5126: ("f", 0),
}
WIDTHS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}


class Scene:
    """A glTF file: its JSON, its buffers, and the world matrices of its nodes at any time of an animation."""

    def __init__(self, path: Path) -> None:
        content = path.read_bytes()
        self.chunk = b""
        if content[:4] == b"glTF":
            size = struct.unpack_from("<I", content, 12)[0]
            self.json: dict[str, Any] = json.loads(content[20 : 20 + size])
            self.chunk = content[28 + size :]
        else:
            self.json = json.loads(content)
        self.folder = path.parent
        self.parent: dict[int, int] = {}
        for index, node in enumerate(self.json["nodes"]):
            for child in node.get("children", []):
                self.parent[child] = index

    def names(self) -> list[str]:
        """Names of the animations."""
        return [animation.get("name", "") for animation in self.json["animations"]]

    def node(self, name: str) -> int:
        """Index of a node by its name; ``node7`` is the unnamed node of number 7."""
        given = [node.get("name", f"node{k}") for k, node in enumerate(self.json["nodes"])]
        return given.index(name)

    def buffer(self, index: int) -> bytes:
        """Bytes of a buffer."""
        uri = self.json["buffers"][index].get("uri")
        if uri is None:
            return self.chunk
        if uri.startswith("data:"):
            return base64.b64decode(uri.split(",", 1)[1])
        return (self.folder / unquote(uri)).read_bytes()

    def elements(self, view: int, offset: int, code: str, width: int, count: int) -> list[list[float]]:
        """Elements of a buffer view, one number at a time."""
        given = self.json["bufferViews"][view]
        content = self.buffer(given["buffer"])
        size = struct.calcsize("<" + code)
        stride = given.get("byteStride", size * width)
        rows = []
        for k in range(count):
            at = given.get("byteOffset", 0) + offset + k * stride
            rows.append([struct.unpack_from("<" + code, content, at + size * c)[0] for c in range(width)])
        return rows

    def accessor(self, index: int) -> list[list[float]]:
        """Values of an accessor, with its sparse values inserted and normalised integers divided."""
        given = self.json["accessors"][index]
        code, one = CODES[given["componentType"]]
        width, count = WIDTHS[given["type"]], given["count"]
        rows = [[0.0] * width for _ in range(count)]
        if "bufferView" in given:
            rows = self.elements(given["bufferView"], given.get("byteOffset", 0), code, width, count)
        if "sparse" in given:
            sparse = given["sparse"]
            places, values = sparse["indices"], sparse["values"]
            where = self.elements(
                places["bufferView"],
                places.get("byteOffset", 0),
                CODES[places["componentType"]][0],
                1,
                sparse["count"],
            )
            what = self.elements(
                values["bufferView"], values.get("byteOffset", 0), code, width, sparse["count"]
            )
            for place, row in zip(where, what, strict=True):
                rows[int(place[0])] = row
        if given.get("normalized") and one:
            rows = [[max(value / one, -1.0) for value in row] for row in rows]
        return rows

    def curves(self, animation: int) -> dict[tuple[int, str], tuple[list[float], list[list[float]], str]]:
        """Key times, values and interpolation of each node and path."""
        given = self.json["animations"][animation]
        out = {}
        for channel in given["channels"]:
            sampler = given["samplers"][channel["sampler"]]
            path = channel["target"]["path"]
            if path == "weights":
                continue
            times = [row[0] for row in self.accessor(sampler["input"])]
            values = self.accessor(sampler["output"])
            out[channel["target"]["node"], path] = (times, values, sampler.get("interpolation", "LINEAR"))
        return out

    def world(self, curves: dict[tuple[int, str], Any], time: float) -> list[Matrix]:
        """World matrices of all nodes at a time."""
        local = []
        for index, node in enumerate(self.json["nodes"]):
            if "matrix" in node:
                m = node["matrix"]
                local.append([[m[4 * c + r] for c in range(4)] for r in range(4)])
                continue
            parts = {
                "translation": node.get("translation", [0, 0, 0]),
                "rotation": node.get("rotation", [0, 0, 0, 1]),
                "scale": node.get("scale", [1, 1, 1]),
            }
            for path in parts:
                if (index, path) in curves:
                    parts[path] = value_at(*curves[index, path], time, path)
            local.append(composed(parts["translation"], parts["rotation"], parts["scale"]))
        done: dict[int, Matrix] = {}

        def placed(index: int) -> Matrix:
            if index not in done:
                above = self.parent.get(index)
                done[index] = local[index] if above is None else product(placed(above), local[index])
            return done[index]

        return [placed(index) for index in range(len(local))]


def value_at(times: list[float], values: list[list[float]], how: str, time: float, path: str) -> list[float]:
    """Value of a curve at a time; before the first and after the last key it is constant."""
    last = len(times) - 1
    middle = [values[3 * k + 1] for k in range(last + 1)] if how == "CUBICSPLINE" else values
    if time <= times[0]:
        return unit(middle[0]) if path == "rotation" else middle[0]
    if time >= times[last]:
        return unit(middle[last]) if path == "rotation" else middle[last]
    k = max(index for index in range(last) if times[index] <= time)
    if how == "STEP":
        return unit(values[k]) if path == "rotation" else values[k]
    span = times[k + 1] - times[k]
    u = (time - times[k]) / span
    if how == "CUBICSPLINE":
        a, out, into, b = values[3 * k + 1], values[3 * k + 2], values[3 * k + 3], values[3 * k + 4]
        row = [
            (2 * u**3 - 3 * u**2 + 1) * a[c]
            + span * (u**3 - 2 * u**2 + u) * out[c]
            + (-2 * u**3 + 3 * u**2) * b[c]
            + span * (u**3 - u**2) * into[c]
            for c in range(len(a))
        ]
        return unit(row) if path == "rotation" else row
    if path == "rotation":
        return slerp(unit(values[k]), unit(values[k + 1]), u)
    return [(1 - u) * x + u * y for x, y in zip(values[k], values[k + 1], strict=True)]


def unit(q: list[float]) -> list[float]:
    """Quaternion scaled to length 1."""
    length = math.sqrt(sum(x * x for x in q))
    return [x / length for x in q]


def slerp(a: list[float], b: list[float], u: float) -> list[float]:
    """Spherical interpolation along the shorter arc."""
    dot = sum(x * y for x, y in zip(a, b, strict=True))
    sign = -1.0 if dot < 0 else 1.0
    theta = math.acos(min(abs(dot), 1.0))
    if theta < 1e-9:
        return a
    wa, wb = math.sin((1 - u) * theta) / math.sin(theta), sign * math.sin(u * theta) / math.sin(theta)
    return unit([wa * x + wb * y for x, y in zip(a, b, strict=True)])


def composed(t: list[float], q: list[float], s: list[float]) -> Matrix:
    """Matrix T R S of a translation, a quaternion xyzw and a scale."""
    x, y, z, w = unit(q)
    turn = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return [[turn[r][c] * s[c] for c in range(3)] + [t[r]] for r in range(3)] + [[0.0, 0.0, 0.0, 1.0]]


def product(a: Matrix, b: Matrix) -> Matrix:
    """Matrix product."""
    return [[sum(a[i][k] * b[k][j] for k in range(4)) for j in range(4)] for i in range(4)]
