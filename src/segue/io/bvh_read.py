"""Read BVH: hierarchy, motion rows, and the properties a BVH file does not state.

Position channels replace a joint's OFFSET. Unit, up axis and the meaning of root positions are inferred from
the body (`segue.io.units`, `segue.io.up_axis`) and reported in `Clip.source.notes`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from segue.arrays import Floats, Ints, Positions, Quaternions, sealed
from segue.errors import FileError, SettingError
from segue.io import units
from segue.io.bvh_hierarchy import USUAL_DECIMALS, FileJoint, Hierarchy, read_hierarchy
from segue.io.bvh_raw import Raw, pelvis_below, rehung, settle_positions
from segue.io.rates import rate_of
from segue.io.text import LONGEST, TextFile, number, number_rows, read_text
from segue.io.up_axis import find_axes
from segue.motion.clip import Clip, SourceFormat
from segue.motion.skeleton import EndSite, Skeleton
from segue.threads import each, usable_cores

_SHORTEST = 1e-6
"""Shortest frame time in seconds; the longest is its reciprocal."""
_FAR = 1e12
"""Degrees beyond which full turns are subtracted first."""
_LARGE = 100_000
"""Count of numbers from which threads save time."""
_PARTS = 4
"""Most threads: reading is bound by memory, and more are no faster."""
_TURNS = ("Zrotation", "Xrotation", "Yrotation")
_UNTOLD = 500_000
"""Rotations that a file may imply without storing them."""


@lru_cache(maxsize=64)
def _body_in_metres(skeleton: Skeleton, unit: float, up: str, rest: str) -> Skeleton:
    return units.to_metres(skeleton, unit=unit, up=up, rest=rest)


def read_bvh(
    path: Path,
    *,
    fps: float | None = None,
    encoding: str | None = None,
    unit: float | None = None,
    up: str | None = None,
    root_position: str | None = None,
) -> Clip:
    """Read a clip from a BVH file; the settings override what the file states or leaves open.

    Raises
    ------
    FileError
        With the line, the fault there and a remedy.
    """
    unit, up, fps = units.checked_unit(unit), units.checked_up(up), units.checked_fps(fps)
    if root_position not in {None, "absolute", "displacement"}:
        msg = f"root_position={root_position!r} is unknown; it is 'absolute' or 'displacement'"
        raise SettingError(msg)
    file = read_text(path, encoding=encoding)
    hierarchy = read_hierarchy(file)
    values, digits, decimals, notes = _read_motion(file, hierarchy, fps)
    _check_values(file, hierarchy.joints, values)
    channels = tuple(joint.channels for joint in hierarchy.joints)
    raw = _assembled(hierarchy.joints, channels, values)
    raw.notes = [*hierarchy.notes, *notes, *raw.notes]
    del values
    extra = {"decimals": decimals} if decimals > USUAL_DECIMALS else {}
    return _clip(
        raw, file, channels, extra, digits=digits, fps=fps, unit=unit, up=up, root_position=root_position
    )


def _check_values(file: TextFile, joints: list[FileJoint], values: Floats) -> None:
    """Reject positions beyond any length, and a short file that would need large arrays."""
    if values.shape[0] * len(joints) > 2 * values.size + _UNTOLD:
        message = (
            f"{len(joints)} joints over {values.shape[0]} frames with {values.shape[1]} channels in all: "
            "that is no motion of a body; take out the joints without channels"
        )
        raise FileError(file.path, message)
    if max(values.max(initial=0.0), -values.min(initial=0.0)) <= LONGEST:
        return
    names = [name for joint in joints for name in joint.channels]
    places = [column for column, name in enumerate(names) if name.endswith("position")]
    bad = np.argwhere(np.abs(values[:, places]) > LONGEST)
    if bad.size:
        frame, column = bad[0][0], places[bad[0][1]]
        message = f"frame {frame}: position {values[frame, column]:g} is no length in any unit"
        raise FileError(file.path, message)


def _read_motion(
    file: TextFile, hierarchy: Hierarchy, fps: float | None
) -> tuple[Floats, str, int, list[str]]:
    """Rows (F, C), the digits of the frame time, the decimals of the first row, notes."""
    given, index = _header_value(file, hierarchy.motion_index + 1, r"frames\s*:", "Frames:")
    digits, index = _header_value(file, index, r"frame\s*time\s*:", "Frame Time:")
    what = "Frame Time"
    seconds = number(file, digits, line=index, what=what)
    notes = []
    if not _SHORTEST <= seconds <= 1 / _SHORTEST:
        if fps is None:
            message = f"{what}: {digits[:40]} is not a duration; pass fps= to say the rate"
            raise FileError(file.path, message, line=index)
        notes.append(f"frame time {digits[:40]} is not a duration; the given rate was taken")
        digits = ""
    columns = sum(len(joint.channels) for joint in hierarchy.joints)
    values = number_rows(file, start=index, columns=columns)
    if values.shape[0] == 0:
        raise FileError(file.path, "holds no frames: no row of numbers follows Frame Time", line=index)
    if given.lstrip("0") != str(values.shape[0]):
        notes.append(
            f"the header states {given[:40]} frames, the file holds {values.shape[0]}; all of those are read"
        )
    first = next(file.lines[k] for k in range(index, index + len(file.lines)) if file.lines[k].strip())
    decimals = max((len(token.partition(".")[2]) for token in first.split()), default=0)
    return values, digits, decimals, notes


def _header_value(file: TextFile, index: int, pattern: str, label: str) -> tuple[str, int]:
    """Value after a label on the next non-blank line, and the index of the line after it."""
    lines = file.lines
    while lines.start(index) <= len(file.content) and not lines[index].strip():
        index += 1
    line = lines[index].strip() if lines.start(index) <= len(file.content) else ""
    match = re.match(pattern, line, flags=re.IGNORECASE)
    value = line[match.end() :].strip() if match else ""
    if not value:
        found = f"found {line[:40]!r}" if line else "the file ends"
        raise FileError(file.path, f"expected {label!r} with a value here; {found}", line=index + 1)
    return value, index + 1


@dataclass(frozen=True, eq=False)
class _Layout:
    """Columns of the channels in the rows of a file."""

    columns: Ints
    axes: Ints
    places: list[tuple[int, list[int], list[int]]]
    """For each joint with position channels: its index, their coordinates, and their columns."""


@lru_cache(maxsize=64)
def _layout(channels: tuple[tuple[str, ...], ...]) -> _Layout:
    """Layout for each joint's channels; columns and axes of its rotations (J, 3), with axis -1 for none."""
    columns, axes = np.zeros((len(channels), 3), np.int64), np.full((len(channels), 3), -1)
    places = []
    first = 0
    for index, names in enumerate(channels):
        turns = [k for k, name in enumerate(names) if name.endswith("rotation")]
        columns[index, : len(turns)] = [first + k for k in turns]
        axes[index, : len(turns)] = ["XYZ".index(names[k][0]) for k in turns]
        moves = [k for k, name in enumerate(names) if name.endswith("position")]
        if moves:
            places.append((index, ["XYZ".index(names[k][0]) for k in moves], [first + k for k in moves]))
        first += len(names)
    return _Layout(columns, axes, places)


def _assembled(joints: list[FileJoint], channels: tuple[tuple[str, ...], ...], values: Floats) -> Raw:
    """Convert channel values to rotations and root positions, by the rules for position channels."""
    n_frames = values.shape[0]
    offsets = np.array([joint.offset for joint in joints])
    layout = _layout(channels)
    moving: dict[int, Positions] = {}
    for index, placed, given in layout.places:
        if index == 0 or np.any(values[:, given]):
            at = np.tile(offsets[index], (n_frames, 1))
            at[:, placed] = values[:, given]
            moving[index] = at
    rotations = _turned(values, layout.columns, layout.axes)
    roots = moving.pop(0, np.tile(offsets[0], (n_frames, 1)))
    sites = [EndSite(index, np.array(tip)) for index, joint in enumerate(joints) for tip in joint.end_sites]
    names, parents = [joint.name for joint in joints], [joint.parent for joint in joints]
    raw = Raw(names, parents, offsets, sites, rotations, roots, [], [])
    settle_positions(raw, moving)
    return raw


def _turned(values: Floats, columns: Ints, axes: Ints) -> Quaternions:
    """Local rotations (F, J, 4) of angles in degrees: about ``axes`` by ``columns``, (J, 3) each."""
    from segue.io import _kernels

    if max(values.max(initial=0.0), -values.min(initial=0.0)) > _FAR:
        values = np.fmod(values, 720.0)  # exact, and the same half angle modulo a full turn
    out = np.empty((values.shape[0], columns.shape[0], 4))
    parts = min(usable_cores(), _PARTS) if values.size > _LARGE else 1
    cuts = np.linspace(0, values.shape[0], parts + 1).astype(int).tolist()
    spans = [slice(*span) for span in pairwise(cuts)]
    for _ in each(
        [partial(_kernels.turned, values[span], columns, axes, out[span]) for span in spans], threads=parts
    ):
        pass
    return out


def _clip(
    raw: Raw,
    file: TextFile,
    channels: tuple[tuple[str, ...], ...],
    extra: dict[str, Any],
    *,
    digits: str,
    fps: float | None,
    unit: float | None,
    up: str | None,
    root_position: str | None,
) -> Clip:
    """Find axes, root rule and unit, and convert."""
    raw, channels = _at_pelvis(raw, channels)
    skeleton, legs = raw.skeleton(), units.limbs(raw.skeleton())
    world = units.sampled_world(skeleton, raw.rotations, raw.roots)
    axes, note = find_axes(skeleton, legs, world, asked=up)
    notes, up, rest = raw.notes, axes.up, axes.rest
    notes += [note] if note else []
    if raw.folded:
        displaced = False
    elif root_position is None:
        displaced, note = units.root_is_displacement(skeleton, legs, world, up=up, rest=rest)
        notes += [note] if note and _has_positions(channels[0]) else []
    else:
        displaced = root_position == "displacement"
    if displaced and _has_positions(channels[0]):
        # Channels a file lacks were filled from OFFSET and are no displacements.
        given = np.array([f"{axis}position" in channels[0] for axis in "XYZ"])
        raw.roots = raw.roots + np.where(given, raw.offsets[0], 0.0)
        extra["root_position"] = "displacement"
    if unit is None:
        height = float(np.median(units.to_y_up(raw.roots, up=up)[:, 1]))
        unit, note = units.find_unit(skeleton, legs, height)
        notes.append(note)
    for name, deviation in raw.baked:
        cm = deviation * unit * 100.0
        notes.append(f"positions of {name!r} vary by up to {cm:.3g} cm from their mean; the mean was taken")
    if raw.carried is not None:
        extra["carried"] = _carried_in_metres(raw.carried, unit, up, rest)
    if rest != up:
        extra["rest_up"] = rest
    source = SourceFormat(
        path=str(file.path),
        format="bvh",
        metres_per_unit=unit,
        up=up,
        channels=channels,
        frame_time=digits,
        digest=file.digest,
        notes=tuple(notes),
        extra=extra,
    )
    return Clip(
        _body_in_metres(skeleton, unit, up, rest),
        sealed(units.rotations_to_y_up(raw.rotations, up=up, rest=rest)),
        units.to_y_up(raw.roots, up=up) * unit,
        rate_of(digits) if fps is None else fps,
        name=file.path.stem,
        source=source,
    )


def _at_pelvis(raw: Raw, channels: tuple[tuple[str, ...], ...]) -> tuple[Raw, tuple[tuple[str, ...], ...]]:
    """Re-root a tree whose root is a limb or the head at the pelvis; also return the channels to write it with."""
    skeleton = raw.skeleton()
    pelvis = None if raw.carried is not None else pelvis_below(skeleton)
    if pelvis is None:
        return raw, channels
    made = rehung(skeleton, raw.rotations, raw.roots, pelvis)
    turns = next((turns for turns in map(_turns_of, channels) if len(turns) == 3), tuple(_TURNS))
    moves = tuple(f"{axis}position" for axis in "XYZ")
    note = (
        f"the root is {raw.names[0]!r}; the tree was re-rooted at {raw.names[pelvis]!r}, which carries the body; "
        "world positions are unchanged"
    )
    out = replace(
        raw,
        names=made.names,
        parents=made.parents,
        offsets=made.offsets,
        end_sites=made.end_sites,
        rotations=made.rotations,
        roots=made.roots,
        notes=[*raw.notes, note],
    )
    return out, ((*moves, *turns), *[turns] * (len(made.names) - 1))


def _turns_of(channels: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in channels if name.endswith("rotation"))


def _has_positions(channels: tuple[str, ...]) -> bool:
    return any(name.endswith("position") for name in channels)


def _carried_in_metres(carried: Mapping[str, Any], unit: float, up: str, rest: str) -> dict[str, Any]:
    """Return the data a writer needs to return a carried motion to its joint: metres, Y up."""
    out: dict[str, Any] = {"joint": carried["joint"]}
    for key, axis in (("position", up), ("offset", rest), ("root_offset", up)):
        out[key] = tuple((units.to_y_up(carried[key], up=axis) * unit).tolist())
    out["rotation"] = tuple(units.root_to_y_up(carried["rotation"], up=up, rest=rest).tolist())
    return out
