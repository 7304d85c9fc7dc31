"""Forward kinematics of BVH and ASF/AMC text, from the formats' definitions. Imports nothing from segue.

Rotation matrices are nested lists, one frame and one joint at a time. BVH: a joint's rotation is the product of its
channels' rotations in the order listed; position channels replace the offset. Acclaim: a bone rotates by C R C^-1, both
about x, then y, then z, and ends at its direction times its length.
"""

from __future__ import annotations

import math
from typing import Any

Matrix = list[list[float]]
Vector = list[float]


def turn(axis: str, degrees: float) -> Matrix:
    """Rotation about one axis."""
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    if axis == "X":
        return [[1, 0, 0], [0, c, -s], [0, s, c]]
    if axis == "Y":
        return [[c, 0, s], [0, 1, 0], [-s, 0, c]]
    return [[c, -s, 0], [s, c, 0], [0, 0, 1]]


def product(a: Matrix, b: Matrix) -> Matrix:
    """Matrix product."""
    return [[sum(a[i][k] * b[k][j] for k in range(3)) for j in range(3)] for i in range(3)]


def transposed(a: Matrix) -> Matrix:
    """Transpose, the inverse of a rotation."""
    return [[a[j][i] for j in range(3)] for i in range(3)]


def applied(a: Matrix, v: Vector) -> Vector:
    """Matrix times vector."""
    return [sum(a[i][k] * v[k] for k in range(3)) for i in range(3)]


def added(a: Vector, b: Vector) -> Vector:
    """Sum of two vectors."""
    return [x + y for x, y in zip(a, b, strict=True)]


IDENTITY: Matrix = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]


def bvh_positions(text: str) -> list[dict[str, Vector]]:
    """World position of every joint and of ``joint/End`` for each end site, frame by frame, in file units."""
    joints: list[dict[str, Any]] = []
    open_joints: list[dict[str, Any]] = []
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    begin = next(k for k, line in enumerate(lines) if line == "MOTION")
    for line in lines[:begin]:
        words = line.split()
        if words[0] in {"ROOT", "JOINT", "End"}:
            parent = open_joints[-1] if open_joints else None
            name = words[1] if words[0] != "End" else f"{parent['name'] if parent else ''}/End"
            joints.append({"name": name, "parent": parent, "channels": []})
            open_joints.append(joints[-1])
        elif words[0] == "OFFSET":
            open_joints[-1]["offset"] = [float(word) for word in words[1:4]]
        elif words[0] == "CHANNELS":
            open_joints[-1]["channels"] = words[2:]
        elif words[0] == "}":
            open_joints.pop()
    frames = []
    for line in lines[begin + 3 :]:
        values = iter([float(word) for word in line.split()])
        frames.append(_bvh_frame(joints, values))
    return frames


def _bvh_frame(joints: list[dict[str, Any]], values: Any) -> dict[str, Vector]:
    placed: dict[str, Vector] = {}
    turned: dict[str, Matrix] = {}
    for joint in joints:
        at, rotation = list(joint["offset"]), IDENTITY
        for channel in joint["channels"]:
            value = next(values)
            if channel.endswith("position"):
                at["XYZ".index(channel[0])] = value
            else:
                rotation = product(rotation, turn(channel[0], value))
        parent = joint["parent"]
        if parent is not None:
            at = added(placed[parent["name"]], applied(turned[parent["name"]], at))
            rotation = product(turned[parent["name"]], rotation)
        placed[joint["name"]], turned[joint["name"]] = at, rotation
    return placed


def acclaim_ends(asf: str, amc: str) -> list[dict[str, Vector]]:
    """World end point of every bone, frame by frame, in file units; all angles are degrees."""
    bones, children = _asf(asf)
    frames: list[dict[str, list[float]]] = []
    for line in amc.splitlines():
        words = line.split()
        if not words or words[0][0] in "#:":
            continue
        if len(words) == 1:
            frames.append({})
        else:
            frames[-1][words[0]] = [float(word) for word in words[1:]]
    return [_acclaim_frame(bones, children, frame) for frame in frames]


def _asf(text: str) -> tuple[dict[str, dict[str, Any]], dict[str, list[str]]]:
    bones: dict[str, dict[str, Any]] = {}
    children: dict[str, list[str]] = {}
    bone: dict[str, Any] = {}
    section = ""
    rows = [line.split() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    for words in rows:
        if words[0].startswith(":"):
            section = words[0]
        elif section == ":bonedata":
            if words[0] == "begin":
                bone = {"dof": []}
            elif words[0] == "name":
                bones[words[1]] = bone
            elif words[0] in {"direction", "axis"}:
                bone[words[0]] = [float(word) for word in words[1:4]]
            elif words[0] == "length":
                bone["length"] = float(words[1])
            elif words[0] == "dof":
                bone["dof"] = words[1:]
        elif section == ":hierarchy" and words[0] not in {"begin", "end"}:
            children[words[0]] = words[1:]
    return bones, children


def _xyz(angles: Vector) -> Matrix:
    """Rotation about x, then y, then z."""
    return product(turn("Z", angles[2]), product(turn("Y", angles[1]), turn("X", angles[0])))


def _acclaim_frame(
    bones: dict[str, dict[str, Any]], children: dict[str, list[str]], frame: dict[str, list[float]]
) -> dict[str, Vector]:
    root = frame["root"]
    ends = {"root": root[:3]}
    turned = {"root": _xyz(root[3:6])}
    waiting = ["root"]
    while waiting:
        parent = waiting.pop()
        for name in children.get(parent, []):
            bone = bones[name]
            angles = [0.0, 0.0, 0.0]
            for dof, value in zip(bone["dof"], frame.get(name, []), strict=False):
                angles["xyz".index(dof[1])] = value
            c = _xyz(bone["axis"])
            local = product(product(c, _xyz(angles)), transposed(c))
            turned[name] = product(turned[parent], local)
            vector = [bone["length"] * part for part in bone["direction"]]
            ends[name] = added(ends[parent], applied(turned[name], vector))
            waiting.append(name)
    return ends
