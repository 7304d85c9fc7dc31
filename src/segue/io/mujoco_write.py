"""Write MuJoCo: a model of the skeleton (MJCF) and the motion as rows of its ``qpos``, in metres with Z up.

The root has a free joint, every other joint a ball joint; one capsule per bone gives mass and a visible
shape. Bodies are stored in depth-first order, which is the order of ``qpos``.

For a given model, a clip on the body of a robot is written as rows of the robot's own ``qpos``. A hinge rotates
about one axis. Up to three successive hinges with different axes (hip pitch, roll and yaw) are solved together,
so that the last of their bodies has the clip's rotation, or the nearest they can reach. Ranges are respected.
"""

from __future__ import annotations

import io
import logging
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np

from segue.arrays import Floats, Positions, Quaternions
from segue.errors import FileError
from segue.io import units
from segue.io.channels import check_rotations
from segue.io.csv_write import column_names, motion_rows, table_text, timed
from segue.io.fresh import write_together
from segue.io.mujoco_model import Model, ModelJoint, read_model, rest_frames
from segue.io.naming import written_names
from segue.io.text import decimal, write_whole
from segue.maths.quaternions import (
    IDENTITY,
    conjugate,
    from_axis_angle,
    half_angle,
    log,
    multiply,
    rotate,
    unroll,
)
from segue.motion.body import capsules, stature
from segue.motion.clip import Clip
from segue.motion.kinematics import world
from segue.motion.skeleton import Skeleton
from segue.texts import shown

_THIN = 0.012
"""Radius of bones without a capsule of the body, as a fraction of stature; at most 0.3 of their length."""
_SHORT = 1e-4
"""Metres: a shorter bone gets a small sphere's mass instead of a capsule."""
_REFUSED = re.compile(r"[\x00-\x1f\x7f-\x9f\ufffe\uffff]+")
"""Characters that XML cannot hold or returns as blanks."""
_COLOUR = "0.55 0.62 0.70 1"


def write_mujoco(
    clip: Clip, xml_path: Path, qpos_path: Path | None = None, *, overwrite: bool = True
) -> None:
    """Write a clip as a MuJoCo model and a table of ``qpos``.

    The table's columns are the time in seconds, the root position in metres (Z up), the root's quaternion and
    each joint's quaternion relative to its parent (wxyz), in the model's order: column k + 1 is ``qpos[k]``.
    The model also holds the first frame as a keyframe and the frame rate as the custom number ``fps``.

    Parameters
    ----------
    clip
        The motion.
    xml_path
        The model, ``.xml``.
    qpos_path
        ``.csv`` with a header, or ``.npz`` with arrays ``time`` (F,), ``qpos`` (F, 7 + 4 (J - 1)), ``fps`` and
        ``names``; by default the model's name with ``.qpos.csv``.
    overwrite
        Whether existing files may be replaced.

    Raises
    ------
    FileError
        If a rotation is no unit quaternion or a file cannot be written.

    Examples
    --------
    >>> import segue, tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> write_mujoco(segue.sample("walk"), folder / "walk.xml")
    >>> sorted(path.name for path in folder.iterdir())
    ['walk.qpos.csv', 'walk.xml']
    """
    qpos_path = xml_path.with_suffix(".qpos.csv") if qpos_path is None else qpos_path
    if qpos_path.suffix.lower() not in {".csv", ".npz"}:
        raise FileError(qpos_path, "qpos is written as .csv or .npz")
    if not overwrite and qpos_path.exists():
        # Both or neither: the model must not be written next to an old table.
        raise FileError(qpos_path, "exists already; allow overwriting or choose another name")
    check_rotations(clip, xml_path)
    order = clip.skeleton.depth_first()
    rows = motion_rows(clip, order, up="Z")
    given = written_names(clip.skeleton.names, _REFUSED, path=xml_path)
    names = [given[joint] for joint in order]
    model, table = _model(clip, given, order, rows[0]), _table(clip, qpos_path, names, rows)
    if qpos_path.parent == xml_path.parent:
        write_together({xml_path: model, qpos_path: table}, overwrite=overwrite)
        return
    write_whole(xml_path, model, overwrite=overwrite)
    write_whole(qpos_path, table, overwrite=overwrite)


def _table(clip: Clip, path: Path, names: list[str], rows: Floats) -> bytes:
    if path.suffix.lower() == ".csv":
        return table_text(["time", *column_names(names)], timed(clip, rows))
    content = io.BytesIO()
    time = np.arange(clip.n_frames) / clip.fps
    np.savez_compressed(content, time=time, qpos=rows, fps=np.array(clip.fps), names=np.array(names))
    return content.getvalue()


def _model(clip: Clip, names: list[str], order: list[int], first: Floats) -> bytes:
    skeleton = clip.skeleton
    model = ET.Element("mujoco", model=_REFUSED.sub("_", clip.name))
    ET.SubElement(model, "compiler", angle="radian")
    custom = ET.SubElement(model, "custom")
    ET.SubElement(custom, "numeric", name="fps", data=decimal(repr(clip.fps)))
    ground = ET.SubElement(model, "worldbody")
    ET.SubElement(ground, "light", pos="0 -2 4", dir="0 0.4 -1")
    ET.SubElement(ground, "geom", type="plane", size="0 0 1", contype="0", conaffinity="0")
    bodies: dict[int, ET.Element] = {}
    for joint in order:
        above = bodies.get(int(skeleton.parents[joint]), ground)
        place = units.from_y_up(skeleton.offsets[joint], up="Z")
        body = ET.SubElement(above, "body", name=names[joint], pos=_numbers(place))
        if joint == 0:
            ET.SubElement(body, "freejoint", name=names[joint])
        else:
            ET.SubElement(body, "joint", type="ball", name=names[joint])
        for start, end, radius in _bones(skeleton, joint):
            _add_bone(body, start, end, radius)
        bodies[joint] = body
    keys = ET.SubElement(model, "keyframe")
    ET.SubElement(keys, "key", name="first frame", qpos=_numbers(first))
    ET.indent(model)
    content: bytes = ET.tostring(model, encoding="utf-8", xml_declaration=True)
    return content + b"\n"


def _bones(skeleton: Skeleton, joint: int) -> list[tuple[Positions, Positions, float]]:
    """Start, end (metres, joint's frame) and radius of a joint's bones; a single point if it has none."""
    body = [part for part in capsules(skeleton) if part.joint == joint]
    if body:
        return [(np.asarray(part.start), np.asarray(part.end), part.radius) for part in body]
    height = stature(skeleton)
    ends = [skeleton.offsets[child] for child in skeleton.children[joint]]
    ends += [site.offset for site in skeleton.end_sites if site.joint == joint]
    bones = [(np.zeros(3), np.asarray(end), float(np.linalg.norm(end))) for end in ends]
    long = [
        (start, end, min(_THIN * height, 0.3 * length)) for start, end, length in bones if length > _SHORT
    ]
    return long or [(np.zeros(3), np.zeros(3), _THIN * height)]


def _add_bone(body: ET.Element, start: Positions, end: Positions, radius: float) -> None:
    """Add a capsule, or a sphere if start and end coincide: MuJoCo requires mass on every moving body."""
    place = units.from_y_up(start, up="Z")
    look = {"size": _numbers([radius]), "rgba": _COLOUR, "contype": "0", "conaffinity": "0"}
    if float(np.linalg.norm(end - start)) < _SHORT:
        ET.SubElement(body, "geom", {"type": "sphere", "pos": _numbers(place), **look})
        return
    line = np.concatenate([place, units.from_y_up(end, up="Z")])
    ET.SubElement(body, "geom", {"type": "capsule", "fromto": _numbers(line), **look})


def _numbers(values: Floats | list[float]) -> str:
    return " ".join(decimal(repr(value + 0.0)) for value in np.asarray(values, dtype=np.float64).tolist())


_STEPS = 24
_DAMPING = 1e-9
_PARALLEL = 0.9
"""Cosine between two axes above which their hinges are redundant and not solved together."""
_FAR = np.radians(10.0)
_log = logging.getLogger("segue.io")


def write_qpos(clip: Clip, path: Path, *, overwrite: bool = True) -> None:
    """Write a clip as a table of the ``qpos`` of the model whose body it has: seconds, then the model's joints.

    Parameters
    ----------
    clip
        A motion read from such a table, or retargeted to a model's body.
    path
        ``NAME.qpos.csv``.
    overwrite
        Whether an existing file may be replaced.

    Raises
    ------
    FileError
        If the clip's body is not that of a model, or the file cannot be written.
    """
    source = clip.source
    if source is None or not source.extra.get("mujoco"):
        message = "is for the body of a MuJoCo model; carry the motion over with --skeleton robot.xml, or write .xml"
        raise FileError(path, message)
    model = read_model(Path(source.extra["skeleton"]))
    if tuple(body.name for body in model.bodies) != clip.skeleton.names:
        raise FileError(path, f"the bodies of {model.path} are not the joints of clip {clip.name!r}")
    rows, far = qpos_of(clip, model)
    if far:
        where, (name, degrees) = shown(str(path)), far
        _log.warning(
            "%s: hinges cannot follow; farthest off is %s, by up to %.0f degrees", where, shown(name), degrees
        )
    names = ["time", *columns(model)]
    write_whole(path, table_text(names, timed(clip, rows)), overwrite=overwrite)


def columns(model: Model) -> list[str]:
    """Return the names of the columns of ``qpos``; those of bodies outside the moving tree are numbered."""
    out = [f"qpos{k}" for k in range(model.n_qpos)]
    for body in model.bodies:
        for joint in body.joints:
            if joint.kind in {"hinge", "slide"}:
                out[joint.column] = joint.name
                continue
            first = joint.column
            if joint.kind == "free":
                out[first : first + 3] = ["root_x", "root_y", "root_z"]
                first += 3
            out[first : first + 4] = [f"{joint.name}_q{part}" for part in "wxyz"]
    return out


def qpos_of(clip: Clip, model: Model) -> tuple[Floats, tuple[str, float] | None]:
    """Rows (F, N) of ``qpos``, and the body farthest from the clip's rotation if the error exceeds ten degrees."""
    _, rest, pivots = rest_frames(model)
    at = world(clip)
    wanted = multiply(units.rotations_from_y_up(at.rotations, up="Z"), rest)
    rows = np.zeros((clip.n_frames, model.n_qpos))
    got = np.empty_like(wanted)
    done: set[int] = set()
    for k, body in enumerate(model.bodies):
        if k in done:
            continue
        above = got[:, body.parent] if body.parent >= 0 else np.tile(IDENTITY, (clip.n_frames, 1))
        if body.joints and body.joints[0].kind == "free":
            got[:, k] = unroll(wanted[:, k][:, None])[:, 0]
            place = units.from_y_up(clip.root_positions, up="Z") - rotate(wanted[:, k], pivots[k])
            rows[:, body.joints[0].column : body.joints[0].column + 7] = np.concatenate(
                [place, got[:, k]], axis=1
            )
        elif body.joints and body.joints[0].kind == "ball":
            turn = multiply(conjugate(multiply(above, body.turn)), wanted[:, k])
            rows[:, body.joints[0].column : body.joints[0].column + 4] = unroll(turn[:, None])[:, 0]
            got[:, k] = wanted[:, k]
        else:
            if k == 0:
                _slide(clip, model, rows)
            chain = _chain(model, k)
            done |= set(chain)
            _solve(model, chain, above, wanted, rows, got)
    off = 2.0 * half_angle(got, wanted)
    worst = int(off.max(axis=0).argmax())
    far = float(off[:, worst].max())
    return rows, (model.bodies[worst].name, float(np.degrees(far))) if far > _FAR else None


def _slide(clip: Clip, model: Model, rows: Floats) -> None:
    """Fill the columns of slides that move the root, which precede its hinges."""
    body = model.bodies[0]
    shift = units.from_y_up(clip.root_positions - clip.skeleton.offsets[0], up="Z")
    for joint in body.joints:
        if joint.kind == "slide":
            rows[:, joint.column] = rotate(conjugate(body.turn), shift) @ joint.axis


def _chain(model: Model, first: int) -> list[int]:
    """Bodies whose hinges are solved together: each the only child of the previous, at most three different axes."""
    chain, axes = [first], _axes(model, first)
    while True:
        below = [k for k, body in enumerate(model.bodies) if body.parent == chain[-1]]
        more = _axes(model, below[0]) if len(below) == 1 else []
        if not more or not axes or len(axes) + len(more) > 3:
            return chain
        if any(abs(float(a @ b)) > _PARALLEL for a in axes for b in more):
            return chain
        chain.append(below[0])
        axes += more


def _hinges(model: Model, body: int) -> list[ModelJoint]:
    return [joint for joint in model.bodies[body].joints if joint.kind == "hinge"]


def _axes(model: Model, body: int) -> list[Floats]:
    """World axes of a body's hinges at rest."""
    turns = rest_frames(model)[1]
    return [rotate(turns[body], joint.axis) for joint in _hinges(model, body)]


def _solve(
    model: Model, chain: list[int], above: Quaternions, wanted: Quaternions, rows: Floats, got: Quaternions
) -> None:
    """Solve the angles of a chain for the last body's rotation by least squares; fill ``rows`` and ``got``."""
    joints = [joint for k in chain for joint in _hinges(model, k)]
    low = np.array([joint.span[0] for joint in joints])
    high = np.array([joint.span[1] for joint in joints])
    angles = np.clip(np.zeros((len(rows), len(joints))), low, high)
    for _ in range(_STEPS if joints else 0):
        turns, axes = _forward(model, chain, above, angles)
        error = 2.0 * log(unroll_to_identity(multiply(wanted[:, chain[-1]], conjugate(turns[-1]))))
        jacobian = np.stack(axes, axis=-1)
        square = np.einsum("fij,fik->fjk", jacobian, jacobian) + _DAMPING * np.eye(len(joints))
        step = np.linalg.solve(square, np.einsum("fij,fi->fj", jacobian, error)[..., None])[..., 0]
        angles = np.clip(angles + np.clip(step, -1.0, 1.0), low, high)
        if np.abs(step).max(initial=0.0) < 1e-13:
            break
    free = ~np.isfinite(high - low)
    angles[:, free] = np.unwrap(angles[:, free], axis=0)
    turns, _ = _forward(model, chain, above, angles)
    for k, turn in zip(chain, turns, strict=True):
        got[:, k] = turn
    for column, joint in enumerate(joints):
        rows[:, joint.column] = angles[:, column]


def unroll_to_identity(turns: Quaternions) -> Quaternions:
    """Choose the sign of rotations (..., 4) that is nearer to the identity."""
    out: Quaternions = np.where(turns[..., :1] < 0, -turns, turns)
    return out


def _forward(
    model: Model, chain: list[int], above: Quaternions, angles: Floats
) -> tuple[list[Quaternions], list[Floats]]:
    """World rotations (F, 4) of a chain's bodies, and the world axes (F, 3) of its hinges."""
    turns, axes, column = [], [], 0
    at = above
    for k in chain:
        at = multiply(at, model.bodies[k].turn)
        for joint in _hinges(model, k):
            axes.append(rotate(at, joint.axis))
            at = multiply(at, from_axis_angle(joint.axis, angles[:, column]))
            column += 1
        turns.append(at)
    return turns, axes
