"""MuJoCo write: a model of the skeleton (MJCF) and the motion as rows of its ``qpos``, in metres with Z up.

The root has a free joint, every other joint a ball joint; one capsule a bone gives mass and something to see. Bodies
stand in the file in depth-first order, which is the order of ``qpos``.
"""

from __future__ import annotations

import io
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np

from segue.arrays import Floats, Positions
from segue.errors import FileError
from segue.io import units
from segue.io.checks import check_rotations
from segue.io.csv_write import column_names, motion_rows, table_text, timed
from segue.io.naming import written_names
from segue.io.text import decimal, write_whole
from segue.motion.body import capsules, stature
from segue.motion.clip import Clip
from segue.motion.skeleton import Skeleton

_THIN = 0.012
"""Radius of bones that carry no part of the body, as a fraction of stature; at most 0.3 of their length."""
_SHORT = 1e-4
"""Metres: a bone shorter than this gets a small sphere's mass instead of a capsule."""
_REFUSED = re.compile(r"[\x00-\x1f\x7f-\x9f\ufffe\uffff]+")
"""What XML cannot hold, or gives back as a blank."""
_COLOUR = "0.55 0.62 0.70 1"


def write_mujoco(
    clip: Clip, xml_path: Path, qpos_path: Path | None = None, *, overwrite: bool = True
) -> None:
    """Write a clip as a MuJoCo model and a table of ``qpos``.

    The table's columns are the time in seconds, the root's place in metres (Z up), the root's quaternion and each
    joint's quaternion relative to its parent (wxyz), in the model's own order: column k + 1 is ``qpos[k]``. The model
    also holds the first frame as a keyframe and the frame rate as the custom number ``fps``.

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
        # Both or neither: the model must not be written beside a table that then stays an old one.
        raise FileError(qpos_path, "exists already; allow overwriting or choose another name")
    check_rotations(clip, xml_path)
    order = depth_first(clip.skeleton)
    rows = motion_rows(clip, order, up="Z")
    told = written_names(clip.skeleton.names, _REFUSED, path=xml_path)
    names = [told[joint] for joint in order]
    write_whole(xml_path, _model(clip, told, order, rows[0]), overwrite=overwrite)
    write_whole(qpos_path, _table(clip, qpos_path, names, rows), overwrite=overwrite)


def depth_first(skeleton: Skeleton) -> list[int]:
    """Joints in the order in which MuJoCo counts nested bodies."""
    order, stack = [], [0]
    while stack:
        joint = stack.pop()
        order.append(joint)
        stack += reversed(skeleton.children[joint])
    return order


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
    """Start, end (metres, joint's frame) and radius of what a joint carries; a point where it carries nothing."""
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
    """Add a capsule, or a sphere where start and end are one point: MuJoCo wants mass on every moving body."""
    place = units.from_y_up(start, up="Z")
    look = {"size": _numbers([radius]), "rgba": _COLOUR, "contype": "0", "conaffinity": "0"}
    if float(np.linalg.norm(end - start)) < _SHORT:
        ET.SubElement(body, "geom", {"type": "sphere", "pos": _numbers(place), **look})
        return
    line = np.concatenate([place, units.from_y_up(end, up="Z")])
    ET.SubElement(body, "geom", {"type": "capsule", "fromto": _numbers(line), **look})


def _numbers(values: Floats | list[float]) -> str:
    return " ".join(decimal(repr(value + 0.0)) for value in np.asarray(values, dtype=np.float64).tolist())
