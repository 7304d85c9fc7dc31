"""Write BVH in the clip's own unit, axes, channel orders and frame time, so that an unedited clip is reproduced."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from segue.arrays import Floats, Ints, Positions, Quaternions
from segue.io import units
from segue.io.bvh_hierarchy import USUAL_DECIMALS, FileJoint, written_hierarchy
from segue.io.channels import angles_in, check_rotations
from segue.io.naming import written_names
from segue.io.rates import digits_of
from segue.io.text import decimal, write_whole
from segue.maths.quaternions import conjugate, multiply, rotate
from segue.motion.clip import Clip, SourceFormat
from segue.motion.skeleton import Skeleton

_POSITIONS = ("Xposition", "Yposition", "Zposition")
_ROTATIONS = ("Zrotation", "Yrotation", "Xrotation")
_MOST_DECIMALS = 11
"""Further digits come from arithmetic, not from the file."""
_METRE_DECIMALS = 10
_EXACT = 1e-9
_UNIT_KEPT = {"", "bvh", "amc"}
"""Text formats without a fixed unit; all others are in metres by definition, a unit BVH programs do not use."""
_AXES_KEPT = {"", "bvh"}
"""Formats without fixed axes, whose axes are kept to reproduce the file."""
_BRACES_AND_CODES = re.compile(r"[{}\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_BLANKS_TOO = re.compile(r"[{}\s\x00-\x1f\x7f-\x9f]+")
_CHANNELS = re.compile(r"\bchannels\s+\d", re.IGNORECASE)
"""Text at which segue's reader ends a name."""


@dataclass
class _FileValues:
    """Values for the rows, in metres and Y up: rotations, offsets and positions of the joints."""

    offsets: Positions
    rotations: Quaternions
    positions: dict[int, Positions]
    channels: list[tuple[str, ...]]


def write_bvh(
    clip: Clip, path: Path, *, unit: float | None = None, up: str | None = None, overwrite: bool = True
) -> None:
    """Write a clip; unit (metres per file unit) and up axis default to those of its source text file.

    For any other source, or none, they default to centimetres and Y.

    A BVH file does not state its unit. If a reader would infer another size of the body from the default
    unit, the file is written in metres, or in another unit from which the reader infers the right size; a
    unit set by the user is always used.

    Raises
    ------
    FileError
        If the file cannot be written.
    """
    source = clip.source
    asked = units.checked_up(up)
    unit = units.checked_unit(unit) or _own_unit(clip)
    up, rest = (asked, asked) if asked else _own_axes(source)
    check_rotations(clip, path)
    skeleton, order = clip.skeleton, clip.skeleton.depth_first()
    given = _file_values(clip, order)
    if _seems_displaced(clip, given):
        given.offsets[0] = 0.0
    blocks = [_block(given, joint, clip, unit=unit, axes=(up, rest)) for joint in order]
    decimals = max(0, round(_METRE_DECIMALS + np.log10(unit)))
    names = _names(clip, path)
    lines = written_hierarchy(
        _joints(skeleton, given, names, order, unit=unit, axes=(up, rest)), decimals=decimals + 2
    )
    digits = digits_of(clip.fps, own=source.frame_time if source else "")
    lines += ["MOTION", f"Frames: {clip.n_frames}", f"Frame Time: {digits}"]
    own = min(int(source.extra.get("decimals", 0)) if source else 0, _MOST_DECIMALS)
    channels = [given.channels[joint] for joint in order]
    lines += _rows(blocks, channels, max(decimals, own), max(USUAL_DECIMALS, own))
    write_whole(path, ("\n".join(lines) + "\n").encode(), overwrite=overwrite)


def _own_axes(source: SourceFormat | None) -> tuple[str, str]:
    """Up axes of the world and of the rest pose: those of the file to reproduce, else Y."""
    if source is None or source.format not in _AXES_KEPT:
        return "Y", "Y"
    return source.up, str(source.extra.get("rest_up", source.up))


def _own_unit(clip: Clip) -> float:
    """Metres per unit of the source text file, else centimetres, if a reader infers the same unit from the body."""
    source = clip.source
    wanted = source.metres_per_unit if source and source.format in _UNIT_KEPT else 0.01
    if source and source.format in _UNIT_KEPT and units.limbs(clip.skeleton).leg <= 0:
        return wanted  # without legs a reader cannot infer a size: keep the unit, to reproduce the file
    return units.unit_to_write(clip.skeleton, wanted, float(np.median(clip.root_positions[:, 1])))


def _names(clip: Clip, path: Path) -> list[str]:
    """Names of joints on one line each, which end where a reader ends them.

    Blanks are kept in names that were read from a BVH file, to reproduce it.
    """
    own = clip.source is not None and clip.source.format == "bvh"
    plain = _BRACES_AND_CODES if own and not any(map(_CHANNELS.search, clip.skeleton.names)) else _BLANKS_TOO
    return written_names(clip.skeleton.names, plain, path=path)


def _file_values(clip: Clip, order: list[int]) -> _FileValues:
    """Choose the channels and undo the reader's carrying (a still root above moving hips)."""
    source, skeleton = clip.source, clip.skeleton
    own = source is not None and len(source.channels) == skeleton.n_joints
    channels = list(source.channels) if source and own else _default_channels(skeleton)
    given = _FileValues(
        np.array(skeleton.offsets), np.array(clip.rotations), {0: clip.root_positions}, channels
    )
    if source and own and "carried" in source.extra:
        _give_back(clip, given)
    for joint in order:
        turn_order = "".join(name[0] for name in channels[joint] if name.endswith("rotation"))
        if angles_in(given.rotations[:, joint], turn_order) is None:
            channels[joint] = (*[n for n in channels[joint] if n.endswith("position")], *_ROTATIONS)
    for joint, at in given.positions.items():
        silent = [k for k, name in enumerate(_POSITIONS) if name not in channels[joint]]
        if np.abs(at[:, silent] - given.offsets[joint, silent]).max(initial=0.0) > _EXACT:
            channels[joint] = (*_POSITIONS, *[n for n in channels[joint] if n.endswith("rotation")])
    return given


def _seems_displaced(clip: Clip, given: _FileValues) -> bool:
    """Whether a reader would add the root's OFFSET to absolute positions, as it does for a body far below the ground.

    With an OFFSET of zero both rules are the same.
    """
    extra = clip.source.extra if clip.source else {}
    if extra.get("root_position") == "displacement" or "carried" in extra:
        return False
    if not set(_POSITIONS) <= set(given.channels[0]):
        return False  # the OFFSET holds the coordinates that have no channel
    skeleton = clip.skeleton
    world = units.sampled_world(skeleton, clip.rotations, clip.root_positions)
    return units.root_is_displacement(skeleton, units.limbs(skeleton), world, up="Y")[0]


def _default_channels(skeleton: Skeleton) -> list[tuple[str, ...]]:
    return [(*_POSITIONS, *_ROTATIONS), *[_ROTATIONS] * (skeleton.n_joints - 1)]


def _give_back(clip: Clip, given: _FileValues) -> None:
    """Invert the reader's carrying: the root is still again and the joint below it moves."""
    carried = clip.source.extra["carried"] if clip.source else {}
    joint, turn = carried["joint"], np.array(carried["rotation"])
    place = np.array(carried["position"])
    if np.abs(given.offsets[joint]).max() > _EXACT:
        return
    back = conjugate(turn)
    given.rotations[:, joint] = multiply(back, multiply(clip.rotations[:, 0], clip.rotations[:, joint]))
    given.rotations[:, 0] = turn
    given.positions = {
        0: np.tile(place, (clip.n_frames, 1)),
        joint: rotate(back, clip.root_positions - place),
    }
    given.offsets[0] = carried["root_offset"]
    given.offsets[joint] = carried["offset"]


def _joints(
    skeleton: Skeleton,
    given: _FileValues,
    names: list[str],
    order: list[int],
    *,
    unit: float,
    axes: tuple[str, str],
) -> list[FileJoint]:
    """Joints in file order, units and axes."""
    place = {joint: index for index, joint in enumerate(order)}
    up, rest = axes
    offsets = units.from_y_up(given.offsets, up=rest) / unit
    offsets[0] = units.from_y_up(given.offsets[0], up=up) / unit
    out = []
    for joint in order:
        parent = int(skeleton.parents[joint])
        x, y, z = offsets[joint].tolist()
        tips = [
            tuple((units.from_y_up(site.offset, up=rest) / unit).tolist())
            for site in skeleton.end_sites
            if site.joint == joint
        ]
        entry = FileJoint(names[joint], place.get(parent, -1), 0, (x, y, z), given.channels[joint])
        entry.end_sites += tips
        out.append(entry)
    return out


def _block(given: _FileValues, joint: int, clip: Clip, *, unit: float, axes: tuple[str, str]) -> Floats:
    """Channel values (F, C) of one joint: file units, degrees."""
    names = given.channels[joint]
    at = given.positions.get(joint, np.broadcast_to(given.offsets[joint], (clip.n_frames, 3)))
    displaced = joint == 0 and clip.source and clip.source.extra.get("root_position") == "displacement"
    if displaced:
        at = at - given.offsets[0]
    up, rest = axes
    at = units.from_y_up(at, up=rest if joint else up) / unit
    order = "".join(name[0] for name in names if name.endswith("rotation"))
    turned = units.root_from_y_up(given.rotations[:, joint], up=rest if joint else up, rest=rest)
    angles = angles_in(turned, order)
    degrees = np.degrees(angles) if angles is not None else np.zeros((clip.n_frames, len(order)))
    columns = []
    for name in names:
        axis = name[0]
        columns.append(
            at[:, "XYZ".index(axis)] if name.endswith("position") else degrees[:, order.index(axis)]
        )
    return np.column_stack(columns) if columns else np.zeros((clip.n_frames, 0))


def _rows(
    blocks: list[Floats], channels: list[tuple[str, ...]], decimals: int, angle_decimals: int
) -> list[str]:
    """Motion rows as text: rounded, so that 0.1 + 0.2 is written 0.3, then with the shortest digits."""
    values = np.concatenate(blocks, axis=1)
    names = [name for row in channels for name in row]
    places: Ints = np.array([k for k, name in enumerate(names) if name.endswith("position")], dtype=np.int64)
    turns: Ints = np.array([k for k, name in enumerate(names) if name.endswith("rotation")], dtype=np.int64)
    values[:, places] = np.round(values[:, places], decimals) + 0.0
    values[:, turns] = np.round(values[:, turns], angle_decimals) + 0.0
    pattern = " ".join(["%.15g"] * values.shape[1])
    return [decimal(pattern % tuple(row)) for row in values.tolist()]
