"""Binary FBX 7.4 read record by record, and the world matrices of its joints: loops, nothing from segue."""

from __future__ import annotations

import math
import struct
import zlib

Node = dict  # name, properties, children


def read(content: bytes) -> list[Node]:
    """Top-level records."""
    assert content[:23] == b"Kaydara FBX Binary  \x00\x1a\x00"
    assert struct.unpack_from("<I", content, 23)[0] == 7400
    records, at = [], 27
    while True:
        record, at = read_record(content, at)
        if record is None:
            break
        records.append(record)
    # Footer: an identity, zeros up to a multiple of 16, the version, 120 zeros, a last word.
    assert content[-16:] == bytes.fromhex("f85a8c6adef5d97eece90ce3758f290b")
    assert struct.unpack_from("<I", content, len(content) - 140)[0] == 7400
    assert (len(content) - 140) % 16 == 0
    return records


def read_record(content: bytes, at: int) -> tuple[Node | None, int]:
    """One record, or None where a block ends."""
    end, count, size, length = struct.unpack_from("<IIIB", content, at)
    if end == 0:
        assert content[at : at + 13] == bytes(13)
        return None, at + 13
    name = content[at + 13 : at + 13 + length].decode()
    at += 13 + length
    stop, properties = at + size, []
    for _ in range(count):
        value, at = read_property(content, at)
        properties.append(value)
    assert at == stop
    children, closed = [], False
    while at < end:
        child, at = read_record(content, at)
        if child is None:
            closed = True
            break
        children.append(child)
    assert at == end
    return {"name": name, "properties": properties, "children": children, "closed": closed}, at


def read_property(content: bytes, at: int):
    """One typed value."""
    kind = content[at : at + 1].decode()
    at += 1
    plain = {"C": "<B", "Y": "<h", "I": "<i", "L": "<q", "F": "<f", "D": "<d"}
    if kind in plain:
        return struct.unpack_from(plain[kind], content, at)[0], at + struct.calcsize(plain[kind])
    if kind in "SR":
        length = struct.unpack_from("<I", content, at)[0]
        data = content[at + 4 : at + 4 + length]
        return (data.decode() if kind == "S" else data), at + 4 + length
    count, packed, length = struct.unpack_from("<III", content, at)
    data = content[at + 12 : at + 12 + length]
    if packed:
        data = zlib.decompress(data)
    return list(struct.unpack(f"<{count}{kind.replace('l', 'q')}", data)), at + 12 + length


def child(record: Node, name: str) -> Node:
    """First child record of that name."""
    return next(entry for entry in record["children"] if entry["name"] == name)


def top(records: list[Node], name: str) -> Node:
    """First top-level record of that name."""
    return next(entry for entry in records if entry["name"] == name)


def properties70(record: Node) -> dict[str, list]:
    """Values by name of the Properties70 block."""
    return {p["properties"][0]: p["properties"][4:] for p in child(record, "Properties70")["children"]}


class Scene:
    """Objects by identifier, and their connections."""

    def __init__(self, content: bytes) -> None:
        self.records = read(content)
        self.objects = {o["properties"][0]: o for o in top(self.records, "Objects")["children"]}
        self.links = [link["properties"] for link in top(self.records, "Connections")["children"]]
        self.models = [key for key, o in self.objects.items() if o["name"] == "Model"]

    def name(self, key: int) -> str:
        """Name of an object without its class."""
        return self.objects[key]["properties"][1].split("\0")[0]

    def parent(self, key: int) -> int:
        """Model (or 0) that is the parent of a model."""
        return next(link[2] for link in self.links if link[0] == "OO" and link[1] == key)

    def curves(self, key: int, prop: str) -> list[tuple[list[int], list[float]]] | None:
        """Key times and values of the three curves of a property, or None."""
        nodes = [link[1] for link in self.links if link[0] == "OP" and link[2] == key and link[3] == prop]
        if not nodes:
            return None
        found = {link[3]: link[1] for link in self.links if link[0] == "OP" and link[2] == nodes[0]}
        out = []
        for axis in "XYZ":
            curve = self.objects[found[f"d|{axis}"]]
            times = child(curve, "KeyTime")["properties"][0]
            values = child(curve, "KeyValueFloat")["properties"][0]
            out.append((times, values))
        return out

    def place(self, key: int, frame: int) -> list[list[float]]:
        """World matrix 4 x 4 of a model at a key: parent, then translation, then rotations about Z, Y, X."""
        given = properties70(self.objects[key])
        values = {}
        for prop in ("Lcl Translation", "Lcl Rotation"):
            curves = self.curves(key, prop)
            values[prop] = given[prop] if curves is None else [curve[1][frame] for curve in curves]
        local = translation(values["Lcl Translation"])
        x, y, z = values["Lcl Rotation"]
        for axis, degrees in ((2, z), (1, y), (0, x)):
            local = product(local, turn(axis, math.radians(degrees)))
        above = self.parent(key)
        return local if above == 0 else product(self.place(above, frame), local)


def translation(offset: list[float]) -> list[list[float]]:
    """Matrix of a translation."""
    return [[1, 0, 0, offset[0]], [0, 1, 0, offset[1]], [0, 0, 1, offset[2]], [0, 0, 0, 1]]


def turn(axis: int, angle: float) -> list[list[float]]:
    """Matrix of a rotation about an axis."""
    c, s = math.cos(angle), math.sin(angle)
    if axis == 0:
        return [[1, 0, 0, 0], [0, c, -s, 0], [0, s, c, 0], [0, 0, 0, 1]]
    if axis == 1:
        return [[c, 0, s, 0], [0, 1, 0, 0], [-s, 0, c, 0], [0, 0, 0, 1]]
    return [[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]


def product(a: list[list[float]], b: list[list[float]]) -> list[list[float]]:
    """Product of two 4 x 4 matrices."""
    return [[sum(a[i][k] * b[k][j] for k in range(4)) for j in range(4)] for i in range(4)]
