"""Read MJCF: the bodies of a MuJoCo model, their joints and columns in ``qpos``. No geometry but bone ends.

It reads nested bodies with their positions and rotations, free, ball, hinge and slide joints, defaults by
class, and the angle unit. Files that a model includes or refers to are not opened.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np

from segue.arrays import Positions, Quaternions
from segue.errors import FileError
from segue.io.digests import Digest
from segue.io.naming import each_once
from segue.io.text import LONGEST, read_bytes
from segue.maths.quaternions import (
    IDENTITY,
    from_axis_angle,
    from_matrix,
    multiply,
    normalise,
    rotate,
    rotation_between,
)

WIDTHS = {"free": 7, "ball": 4, "hinge": 1, "slide": 1}
"""Numbers in ``qpos`` of each kind of joint."""
_MOST_BODIES = 4096
_MOST_BYTES = 32 << 20
_DEEP = 200


@dataclass(frozen=True)
class ModelJoint:
    """One joint of a body: its first column in ``qpos``, its axis and pivot in the body's frame, its range."""

    name: str
    kind: str
    column: int
    axis: Positions
    pivot: Positions
    span: tuple[float, float] = (-math.inf, math.inf)


@dataclass(frozen=True)
class ModelBody:
    """One body: position and rotation in its parent's frame, metres with Z up; its joints in order; a bone's end."""

    name: str
    parent: int
    place: Positions
    turn: Quaternions
    joints: tuple[ModelJoint, ...]
    tip: Positions | None = None


@dataclass(frozen=True, eq=False)
class Model:
    """Bodies of the moving tree, depth first; the width of ``qpos``; frames a second if stated by the file."""

    path: Path
    bodies: tuple[ModelBody, ...]
    n_qpos: int
    fps: float | None
    digest: Digest


@dataclass
class _Reading:
    path: Path
    degrees: bool = True
    euler: str = "xyz"
    classes: dict[str, dict[str, str]] = field(default_factory=dict)
    bodies: list[ModelBody] = field(default_factory=list)
    tops: list[int] = field(default_factory=list)
    column: int = 0

    def fail(self, message: str) -> FileError:
        return FileError(self.path, message)


def read_model(path: Path) -> Model:
    """Read a model from an MJCF file.

    Raises
    ------
    FileError
        If it is no MJCF file, has no bodies, or uses unsupported features.
    """
    content = read_bytes(path)
    if len(content) > _MOST_BYTES or b"<!" in content.replace(b"<!--", b""):
        raise FileError(path, "is no MuJoCo model: it is too large, or declares entities")
    try:
        root = ET.fromstring(content)  # noqa: S314  (entities are refused above)
    except (ET.ParseError, ValueError, LookupError) as error:
        raise FileError(path, f"is no XML: {error}") from None
    ground = root.find("worldbody")
    if root.tag != "mujoco" or ground is None:
        raise FileError(path, "is no MuJoCo model: it needs <mujoco> with a <worldbody>")
    if root.find(".//include") is not None or root.find(".//frame") is not None:
        message = "holds <include> or <frame>; let MuJoCo write it as one file (mj_saveLastXML) and name that"
        raise FileError(path, message)
    reading = _Reading(path)
    compiler = root.find("compiler")
    if compiler is not None:
        reading.degrees = compiler.get("angle", "degree") == "degree"
        reading.euler = compiler.get("eulerseq", "xyz")
    for default in root.findall("default"):
        _defaults(reading, default, {}, 0)
    for element in ground.findall("body"):
        reading.tops.append(len(reading.bodies))
        _bodies(reading, element)
    if not reading.bodies:
        raise FileError(path, "holds no bodies that could move")
    return Model(path, _moving(reading), reading.column, _fps(root), Digest(content))


def _fps(root: ET.Element) -> float | None:
    """Frames a second that segue stores in a model."""
    for numeric in root.iterfind("custom/numeric"):
        if numeric.get("name") == "fps":
            try:
                rate = float(numeric.get("data", ""))
            except ValueError:
                return None
            return rate if 1e-3 < rate < 1e6 else None
    return None


def _defaults(reading: _Reading, element: ET.Element, above: Mapping[str, str], depth: int) -> None:
    """Collect the joint settings of a class, which inherit those of the enclosing class."""
    own = element.find("joint")
    given = {**above, **(own.attrib if own is not None else {})}
    reading.classes[element.get("class", "main")] = given
    for inner in element.findall("default") if depth < _DEEP else ():
        _defaults(reading, inner, given, depth + 1)


def _bodies(reading: _Reading, top: ET.Element) -> None:
    """Add a body and all its descendants, depth first."""
    stack: list[tuple[ET.Element, int, str]] = [(top, -1, "main")]
    while stack:
        element, parent, class_ = stack.pop()
        class_ = element.get("childclass", class_)
        if len(reading.bodies) >= _MOST_BODIES:
            raise reading.fail(f"holds more than {_MOST_BODIES} bodies")
        index = len(reading.bodies)
        name = element.get("name", "") or f"body{index}"
        joints = []
        for child in element:
            if child.tag in {"joint", "freejoint"}:
                joints.append(_joint(reading, child, class_, name))
                reading.column += WIDTHS[joints[-1].kind]
        place = _numbers(reading, element, "pos", (0.0, 0.0, 0.0))
        tip = _tip(reading, element) if element.find("body") is None else None
        reading.bodies.append(ModelBody(name, parent, place, _turn(reading, element), tuple(joints), tip))
        stack += [(child, index, class_) for child in reversed(element.findall("body"))]


def _joint(reading: _Reading, element: ET.Element, class_: str, body: str) -> ModelJoint:
    given = {**reading.classes.get("main", {}), **reading.classes.get(element.get("class", class_), {})}
    given |= element.attrib
    kind = "free" if element.tag == "freejoint" else given.get("type", "hinge")
    if kind not in WIDTHS:
        raise reading.fail(f"a joint of body {body!r} is of type {kind!r}; it is one of {', '.join(WIDTHS)}")
    axis = _of(reading, given, "axis", (0.0, 0.0, 1.0))
    length = float(np.linalg.norm(axis))
    if length < 1e-9:
        raise reading.fail(
            f"a joint of body {body!r} has the axis {given.get('axis')}, which has no direction"
        )
    span = _of(reading, given, "range", (0.0, 0.0))
    limited = given.get("limited", "auto") == "true" or (
        given.get("limited", "auto") == "auto" and "range" in given
    )
    if kind == "hinge" and reading.degrees:
        span = np.radians(span)
    bounds = (float(span[0]), float(span[1])) if limited and span[0] < span[1] else (-math.inf, math.inf)
    pivot = np.zeros(3) if kind == "free" else _of(reading, given, "pos", (0.0, 0.0, 0.0))
    name = element.get("name", "") or body
    return ModelJoint(name, kind, reading.column, axis / length, pivot, bounds)


def _of(reading: _Reading, document: Mapping[str, str], key: str, default: tuple[float, ...]) -> Positions:
    words = document.get(key)
    if words is None:
        return np.array(default)
    try:
        values = np.array([float(word) for word in words.split()])
    except ValueError:
        values = np.array([])
    if values.shape != (len(default),) or not (np.abs(values) <= LONGEST).all():
        raise reading.fail(f"{key}={words[:40]!r} is not understood; it is {len(default)} numbers")
    return values


def _numbers(reading: _Reading, element: ET.Element, key: str, default: tuple[float, ...]) -> Positions:
    return _of(reading, element.attrib, key, default)


def _turn(reading: _Reading, element: ET.Element) -> Quaternions:
    """Rotation of a body in its parent's frame, from any of its MJCF forms."""
    angle = math.pi / 180.0 if reading.degrees else 1.0
    if "quat" in element.attrib:
        quat = _numbers(reading, element, "quat", (1.0, 0.0, 0.0, 0.0))
        return _unit(reading, quat)
    if "euler" in element.attrib:
        out = IDENTITY
        for letter, value in zip(
            reading.euler, _numbers(reading, element, "euler", (0.0, 0.0, 0.0)), strict=False
        ):
            turn = from_axis_angle(np.eye(3)["xyz".find(letter.lower())], angle * value)
            # Lower-case letters are rotations about the moving axes, upper-case about those of the parent.
            out = multiply(out, turn) if letter.islower() else multiply(turn, out)
        return out
    if "axisangle" in element.attrib:
        x, y, z, turned = _numbers(reading, element, "axisangle", (0.0, 0.0, 1.0, 0.0))
        axis = _unit(reading, np.array([x, y, z]))
        return from_axis_angle(axis, np.asarray(angle * turned))
    if "xyaxes" in element.attrib:
        values = _numbers(reading, element, "xyaxes", (1.0, 0.0, 0.0, 0.0, 1.0, 0.0))
        x = _unit(reading, values[:3])
        y = _unit(reading, values[3:] - (values[3:] @ x) * x)
        return from_matrix(np.stack([x, y, np.cross(x, y)], axis=-1))
    if "zaxis" in element.attrib:
        return rotation_between(
            np.array([0.0, 0.0, 1.0]), _unit(reading, _numbers(reading, element, "zaxis", (0.0, 0.0, 1.0)))
        )
    return np.array(IDENTITY)


def _unit(reading: _Reading, vector: Positions) -> Positions:
    if np.linalg.norm(vector) < 1e-9:
        raise reading.fail(f"turns a body by {vector.tolist()}, which has no direction")
    out: Positions = normalise(vector) if len(vector) == 4 else vector / np.linalg.norm(vector)
    return out


def _tip(reading: _Reading, element: ET.Element) -> Positions | None:
    """End of a body without children: the farthest end of its capsules and cylinders."""
    ends = [
        part
        for geom in element.findall("geom")
        if "fromto" in geom.attrib
        for part in _numbers(reading, geom, "fromto", (0.0,) * 6).reshape(2, 3)
    ]
    far = max(ends, key=lambda end: float(np.linalg.norm(end)), default=None)
    return far if far is not None and np.linalg.norm(far) > 1e-6 else None


def _moving(reading: _Reading) -> tuple[ModelBody, ...]:
    """Bodies of the largest tree in the world; the other trees are objects."""
    stops = [*reading.tops[1:], len(reading.bodies)]
    start, stop = max(zip(reading.tops, stops, strict=True), key=lambda span: span[1] - span[0])
    names = each_once([body.name for body in reading.bodies[start:stop]], otherwise="body")
    made: list[ModelBody] = []
    for name, body in zip(names, reading.bodies[start:stop], strict=True):
        parent = body.parent - start if body.parent >= 0 else -1
        made.append(ModelBody(name, parent, body.place, body.turn, body.joints, body.tip))
    return tuple(made)


def rest_frames(model: Model) -> tuple[Positions, Quaternions, Positions]:
    """Return positions (B, 3) of joints, rotations (B, 4) of bodies, and pivots (B, 3), with all of ``qpos`` zero.

    A joint is at the pivot of its body; for a body without joints, or with a free joint, at the body's origin.

    Raises
    ------
    FileError
        If a body has several pivots.
    """
    n = len(model.bodies)
    origins, turns, pivots = np.zeros((n, 3)), np.zeros((n, 4)), np.zeros((n, 3))
    for k, body in enumerate(model.bodies):
        above = body.parent
        base = IDENTITY if above < 0 else turns[above]
        origins[k] = body.place if above < 0 else origins[above] + rotate(base, body.place)
        turns[k] = multiply(base, body.turn)
        at = [joint.pivot for joint in body.joints if joint.kind in {"hinge", "ball"}]
        if at and max(float(np.linalg.norm(pivot - at[0])) for pivot in at) > 1e-6:
            raise FileError(
                model.path, f"body {body.name!r} turns about several places; that cannot be followed"
            )
        pivots[k] = at[0] if at else 0.0
    return origins + rotate(turns, pivots), turns, pivots


def settings_of(model: Model) -> dict[str, Any]:
    """Return the settings that a clip keeps of its model: its path."""
    return {"skeleton": str(model.path), "mujoco": True}
