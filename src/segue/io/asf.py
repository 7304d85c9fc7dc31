"""ASF: the skeleton of an Acclaim pair.

A bone of an ASF file extends from its start along a direction given in world axes; a `Skeleton` joint is at
the bone's start, so the offset of its children is the bone's vector.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import numpy as np

from segue.arrays import Positions, Quaternions
from segue.errors import FileError, nearest
from segue.io.text import LONGEST, TextFile, length, number, read_text
from segue.maths.quaternions import from_axis_angle, multiply
from segue.motion.skeleton import EndSite, Skeleton

_INCH = 0.0254
_ROOT_DOF = ("tx", "ty", "tz", "rx", "ry", "rz")
NO_MOTION = "holds a skeleton and no motion; load the .amc file and pass this as skeleton="
"""Reason why an .asf file alone gives no clip."""


@dataclass
class Bone:
    """One bone (or the root) as stored in the file: file units, angles in radians."""

    name: str
    line: int
    direction: tuple[float, ...] = (0.0, 0.0, 0.0)
    length: float = 0.0
    axis: tuple[float, ...] = (0.0, 0.0, 0.0)
    axis_order: str = "XYZ"
    dof: tuple[str, ...] = ()
    position: tuple[float, ...] = (0.0, 0.0, 0.0)

    def axis_rotation(self) -> Quaternions:
        """Return C: the rotation of the bone's own axes, applied in the listed order."""
        return in_order(np.array(self.axis), self.axis_order)


@dataclass(frozen=True, eq=False)
class Acclaim:
    """Skeleton in file units (Y up), its bones in joint order (root first), unit and angle of the file."""

    skeleton: Skeleton
    bones: tuple[Bone, ...]
    metres_per_unit: float | None
    angle: float
    """Radians per file angle."""
    path: Path


def in_order(angles: Positions, order: str) -> Quaternions:
    """Rotation (..., 4) of angles (..., 3) about x, y, z, applied successively in ``order``.

    ``"XYZ"`` rotates about x first: the matrix is Rz Ry Rx.
    """
    eye = np.eye(3)
    turns = ["XYZ".index(letter) for letter in order]
    out = from_axis_angle(eye[turns[0]], angles[..., turns[0]])
    for turn in turns[1:]:
        out = multiply(from_axis_angle(eye[turn], angles[..., turn]), out)
    return out


@dataclass
class _AsfReading:
    file: TextFile
    angle: float = np.pi / 180.0
    length: float | None = None
    root: Bone | None = None
    bones: dict[str, Bone] = field(default_factory=dict)
    children: dict[str, list[str]] = field(default_factory=dict)


def read_asf(path: Path, *, encoding: str | None = None) -> Acclaim:
    """Read the skeleton of an ASF file; equal content returns the same object.

    Raises
    ------
    FileError
        With the line of the fault.
    """
    file = read_text(path, encoding=encoding)
    return _parsed(file)


@lru_cache(maxsize=64)
def _parsed(file: TextFile) -> Acclaim:
    reading = _AsfReading(file)
    section = ""
    block: list[Bone] = []
    for index, raw in enumerate(reading.file.lines):
        line = raw.split("#", 1)[0].strip()
        if not line:
            continue
        words = line.split()
        if words[0].startswith(":"):
            section = words[0].lower()
            if section == ":root":
                reading.root = Bone("root", index + 1, dof=_ROOT_DOF)
            continue
        if section == ":units":
            _units(reading, words, index + 1)
        elif section == ":root" and reading.root is not None:
            _bone_line(reading, reading.root, words, index + 1)
        elif section == ":bonedata":
            block = _bone_block(reading, block, words, index + 1)
        elif section == ":hierarchy":
            _hierarchy_line(reading, words, index + 1)
    return _finished(reading)


def _units(reading: _AsfReading, words: list[str], line: int) -> None:
    keyword = words[0].lower()
    if keyword == "length" and len(words) > 1:
        reading.length = number(reading.file, words[1], line=line, what="length")
        if reading.length <= 0:
            raise FileError(reading.file.path, f"length {words[1]} must be positive", line=line)
    elif keyword == "angle" and len(words) > 1:
        reading.angle = 1.0 if words[1].lower().startswith("rad") else np.pi / 180.0


def _bone_block(reading: _AsfReading, block: list[Bone], words: list[str], line: int) -> list[Bone]:
    """Read one line of :bonedata; ``block`` holds the bone whose ``begin`` was read."""
    keyword = words[0].lower()
    if keyword == "begin":
        return [Bone("", line)]
    if keyword == "end":
        if not block or not block[0].name:
            raise FileError(reading.file.path, "a bone ends here that has no name", line=line)
        bone = block[0]
        if bone.name in reading.bones:
            raise FileError(reading.file.path, f"bone {bone.name!r} is defined twice", line=line)
        reading.bones[bone.name] = bone
        return []
    if not block:
        raise FileError(reading.file.path, f"{words[0]!r} is outside begin and end", line=line)
    _bone_line(reading, block[0], words, line)
    return block


def _bone_line(reading: _AsfReading, bone: Bone, words: list[str], line: int) -> None:
    keyword = words[0].lower()
    if keyword == "name":
        bone.name = " ".join(words[1:])
    elif keyword in {"direction", "position"}:
        setattr(bone, keyword, _numbers(reading, words, line, count=3))
    elif keyword == "length":
        bone.length = _numbers(reading, words, line, count=1)[0]
    elif keyword in {"axis", "orientation"}:
        if words[-1].isalpha() and len(words) > 1:
            bone.axis_order = words.pop().upper()
            if sorted(bone.axis_order) != ["X", "Y", "Z"]:
                message = f"axis order {bone.axis_order!r} is not a permutation of XYZ"
                raise FileError(reading.file.path, message, line=line)
        if len(words) > 1:
            bone.axis = tuple(reading.angle * v for v in _numbers(reading, words, line, count=3))
    elif keyword in {"dof", "order"}:
        bone.dof = tuple(word.lower() for word in words[1:])
        unknown = next((word for word in bone.dof if word not in {*_ROOT_DOF, "l"}), None)
        if unknown is not None:
            message = f"{words[0]} {unknown!r} is none of {', '.join(_ROOT_DOF)}, l"
            raise FileError(reading.file.path, message, line=line)


def _numbers(reading: _AsfReading, words: list[str], line: int, *, count: int) -> tuple[float, ...]:
    if len(words) - 1 != count:
        message = f"{words[0]} needs {count} numbers and has {len(words) - 1}"
        raise FileError(reading.file.path, message, line=line)
    return tuple(length(reading.file, word, line=line, what=words[0]) for word in words[1:])


def _hierarchy_line(reading: _AsfReading, words: list[str], line: int) -> None:
    if words[0].lower() in {"begin", "end"} and len(words) == 1:
        return
    for name in words:
        if name != "root" and name not in reading.bones:
            message = f"bone {name!r} is not in :bonedata; {nearest(name, reading.bones)}"
            raise FileError(reading.file.path, message, line=line)
    parented = {child for row in reading.children.values() for child in row}
    twice = next((name for name in words[1:] if name in parented or name == "root"), None)
    if twice is not None:
        raise FileError(reading.file.path, f"bone {twice!r} has two parents", line=line)
    reading.children.setdefault(words[0], []).extend(words[1:])


def _finished(reading: _AsfReading) -> Acclaim:
    """Build the skeleton, joints in depth-first order and at the bones' starts."""
    path = reading.file.path
    if reading.root is None or not reading.bones:
        missing = ":root" if reading.root is None else ":bonedata"
        raise FileError(path, f"has no {missing} section; an ASF file has :root, :bonedata and :hierarchy")
    bones: list[Bone] = []
    parents: list[int] = []
    stack = [("root", -1)]
    while stack:
        name, parent = stack.pop()
        index = len(bones)
        bones.append(reading.root if name == "root" else reading.bones[name])
        parents.append(parent)
        stack += [(child, index) for child in reversed(reading.children.get(name, []))]
    left = [name for name in reading.bones if not any(bone.name == name for bone in bones)]
    if left:
        message = f"bone {left[0]!r} is not connected to the root in :hierarchy"
        raise FileError(path, message, line=reading.bones[left[0]].line)
    vectors = np.array([_vector(bone) for bone in bones])
    far = next((k for k in range(len(bones)) if np.abs(vectors[k]).max() > LONGEST), None)
    if far is not None:
        message = f"bone {bones[far].name!r}: direction times length is no length in any unit"
        raise FileError(path, message, line=bones[far].line)
    offsets = np.where(np.array(parents)[:, None] > 0, vectors[np.maximum(parents, 0)], 0.0)
    offsets[0] = reading.root.position
    leaves = [j for j in range(1, len(bones)) if j not in parents]
    skeleton = Skeleton(
        [bone.name for bone in bones], parents, offsets, [EndSite(j, vectors[j]) for j in leaves]
    )
    # A length of 1 is the format's neutral value and gives no unit.
    given = None if reading.length in {None, 1.0} else _INCH / float(reading.length or 1.0)
    return Acclaim(skeleton, tuple(bones), given, reading.angle, path)


def _vector(bone: Bone) -> Positions:
    """Bone vector from start to end, in world axes."""
    return bone.length * np.array(bone.direction)
