"""AMC: the motion of an Acclaim pair.

Each bone rotates about its own axes: its local rotation is ``C R C^-1`` with C the ASF axis and R the AMC angles,
both applied x, then y, then z. An AMC file holds no frame rate; CMU's database was captured at 120 frames a second.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np

from segue.arrays import Floats, Positions, Quaternions, sealed
from segue.errors import FileError, nearest
from segue.io import units
from segue.io.asf import Acclaim, Bone, in_order, read_asf
from segue.io.text import LONGEST, TextFile, number, number_lines, read_text
from segue.io.up_axis import find_axes
from segue.maths.quaternions import IDENTITY, conjugate, multiply
from segue.motion.clip import Clip, SourceFormat
from segue.motion.skeleton import Skeleton

NOMINAL_FPS = 120.0
_LONG = 19
"""Digits from which a number is no frame number."""


def read_amc(
    path: Path,
    *,
    skeleton: Path | None = None,
    fps: float | None = None,
    encoding: str | None = None,
    unit: float | None = None,
    up: str | None = None,
) -> Clip:
    """Read a clip from an AMC file and its ASF skeleton (by default the matching .asf in the same folder).

    Raises
    ------
    FileError
        With the line, the fault there and a remedy.
    """
    unit, up, fps = units.checked_unit(unit), units.checked_up(up), units.checked_fps(fps)
    file = read_text(path, encoding=encoding)
    asf = skeleton if skeleton is not None else find_asf(path)
    body = read_asf(asf, encoding=encoding)
    start, angle = _header(file, body)
    values = _read_frames(file, start, body)
    rotations, roots, notes = _motion(file, body, values, angle)
    legs = units.limbs(body.skeleton)
    if unit is None:
        unit, note = _unit(body, legs, roots)
        notes.append(note)
    world = units.sampled_world(body.skeleton, rotations, roots)
    axes, note = find_axes(body.skeleton, legs, world, asked=up)
    notes += [note] if note else []
    if fps is None:
        fps = NOMINAL_FPS
        notes.append(f"rate: {NOMINAL_FPS:g} frames a second, nominal; AMC files hold none")
    source = SourceFormat(
        path=str(path),
        format="amc",
        metres_per_unit=unit,
        up=axes.up,
        digest=file.digest,
        notes=tuple(notes),
        extra={"skeleton": str(asf)},
    )
    return Clip(
        _skeleton_in_metres(body, unit, axes.up, axes.rest),
        sealed(units.rotations_to_y_up(rotations, up=axes.up, rest=axes.rest)),
        units.to_y_up(roots, up=axes.up) * unit,
        fps,
        name=path.stem,
        source=source,
    )


def resting_body(path: Path) -> Clip:
    """Return one frame of the rest pose of an ASF file, as the body for a motion to be retargeted to.

    Raises
    ------
    FileError
        If the file is no ASF skeleton.
    """
    body = read_asf(path)
    legs = units.limbs(body.skeleton)
    rotations, roots = np.tile(IDENTITY, (1, body.skeleton.n_joints, 1)), np.zeros((1, 3))
    unit, note = _unit(body, legs, roots)
    axes, also = find_axes(body.skeleton, legs, units.sampled_world(body.skeleton, rotations, roots))
    source = SourceFormat(path=str(path), format="amc", metres_per_unit=unit, up=axes.up, notes=(note, also))
    skeleton = _skeleton_in_metres(body, unit, axes.up, axes.rest)
    return Clip(skeleton, rotations, roots, NOMINAL_FPS, name=path.stem, source=source)


def find_asf(path: Path) -> Path:
    """Find the skeleton file of an AMC file: same stem, else the subject's number, else the only .asf in the folder."""
    found = sorted(p for p in path.parent.glob("*") if p.suffix.lower() == ".asf")
    for stem in (path.stem, path.stem.split("_")[0]):
        same = next((p for p in found if p.stem.lower() == stem.lower()), None)
        if same is not None:
            return same
    if len(found) == 1:
        return found[0]
    there = f"there are {len(found)} ({', '.join(p.name for p in found[:4])})" if found else "there is none"
    message = (
        f"an AMC file needs its .asf skeleton; in its folder {there}: put the one of this motion there as "
        f"{path.stem}.asf, or name it in Python with load(..., skeleton=)"
    )
    raise FileError(path, message)


def _header(file: TextFile, body: Acclaim) -> tuple[int, float]:
    """Index of the first frame's line; radians per angle unit."""
    angle = body.angle
    for index, raw in enumerate(file.lines):
        line = raw.split("#", 1)[0].strip()
        if line.isdecimal():
            return index, angle
        keyword = line.lower()
        if keyword.startswith(":deg"):
            angle = np.pi / 180.0
        elif keyword.startswith(":rad"):
            angle = 1.0
        elif line and not line.startswith(":"):
            message = f"{line[:40]!r} stands before the first frame number; expected a line such as '1'"
            raise FileError(file.path, message, line=index + 1)
    raise FileError(file.path, "holds no frames: no line with a frame number alone", line=len(file.lines))


def _columns(body: Acclaim) -> dict[str, slice]:
    """Columns of each bone with degrees of freedom."""
    out, column = {}, 0
    for bone in body.bones:
        if bone.dof:
            out[bone.name] = slice(column, column + len(bone.dof))
            column += len(bone.dof)
    return out


def _read_frames(file: TextFile, start: int, body: Acclaim) -> dict[str, Floats]:
    """Values (F, dof) of each bone of the motion."""
    fast = _frames_fast(file, start, body)
    return fast if fast is not None else _frames_slowly(file, start, body)


def _frames_fast(file: TextFile, start: int, body: Acclaim) -> dict[str, Floats] | None:
    """Read all frames in one pass if they share the first one's layout; None if anything differs."""
    columns = _columns(body)
    layout = [("", 1)]
    for index in range(start + 1, len(file.lines)):
        words = file.lines[index].split()
        if len(words) == 1 and words[0].isdecimal():
            break
        if words:
            span = columns.get(words[0], slice(0, 0))
            layout.append((words[0], span.stop - span.start))
    names = [name for name, _ in layout[1:]]
    if not names or len(set(names)) != len(names) or not all(name in columns for name in names):
        return None
    values = number_lines(file, start=start, layout=layout)
    if values is None or np.any(np.diff(values[:, 0]) != 1):
        return None
    stops = np.cumsum([count for _, count in layout]).tolist()
    return {name: values[:, a:b] for name, a, b in zip(names, stops[:-1], stops[1:], strict=True)}


def _frames_slowly(file: TextFile, start: int, body: Acclaim) -> dict[str, Floats]:
    """Read line by line, to report a fault with its line."""
    columns = _columns(body)
    known = [bone.name for bone in body.bones]
    frames: list[dict[str, list[float]]] = []
    begun: list[int] = []
    last = None
    for index in range(start, len(file.lines)):
        words = file.lines[index].split("#", 1)[0].split()
        if not words:
            continue
        if len(words) == 1 and words[0].isdecimal() and len(words[0]) < _LONG:
            if last is not None and int(words[0]) != last + 1:
                message = f"frame number {words[0]} follows frame {last}; frames must be consecutive"
                raise FileError(file.path, message, line=index + 1)
            last = int(words[0])
            frames.append({})
            begun.append(index + 1)
            continue
        name, given = words[0], words[1:]
        if name not in known:
            message = f"frame {last}: bone {name[:40]!r} is not in {body.path.name}; {nearest(name, known)}"
            raise FileError(file.path, message, line=index + 1)
        need = columns[name].stop - columns[name].start if name in columns else 0
        if len(given) != need:
            message = f"frame {last}: bone {name!r} has {len(given)} values; its dof in {body.path.name} need {need}"
            raise FileError(file.path, message, line=index + 1)
        if name in frames[-1]:
            raise FileError(file.path, f"frame {last}: bone {name!r} occurs twice", line=index + 1)
        what = f"frame {last}: {name}"
        frames[-1][name] = [number(file, word, line=index + 1, what=what) for word in given]
    _check_same_bones(file, frames, begun, first=last - len(frames) + 1 if last is not None else 1)
    return {name: np.array([frame[name] for frame in frames]) for name in frames[0] if name in columns}


def _check_same_bones(
    file: TextFile, frames: list[dict[str, list[float]]], begun: list[int], *, first: int
) -> None:
    """Raise `FileError` at the first frame that lacks a bone most frames have, or has an extra one."""
    counts: dict[str, int] = {}
    for frame in frames:
        for name in frame:
            counts[name] = counts.get(name, 0) + 1
    wanted = [name for name, count in counts.items() if 2 * count >= len(frames)]
    if all(count == len(frames) for count in counts.values()):
        return
    for at, (frame, line) in enumerate(zip(frames, begun, strict=True), start=first):
        lacks = [name for name in wanted if name not in frame]
        extra = [name for name in frame if name not in wanted]
        if lacks:
            message = f"frame {at}: bone {lacks[0]!r} is not in every frame; this one has no values for it"
            raise FileError(file.path, message, line=line)
        if extra:
            message = f"frame {at}: bone {extra[0]!r} is not in every frame; this one has values for it"
            raise FileError(file.path, message, line=line)


def _motion(
    file: TextFile, body: Acclaim, values: dict[str, Floats], angle: float
) -> tuple[Quaternions, Positions, list[str]]:
    """Local rotations (F, J, 4), root positions (F, 3) in file units, notes."""
    notes = []
    n_frames = next((len(block) for block in values.values()), 0)
    if n_frames == 0:
        raise FileError(body.path, "none of its bones is moved by the motion")
    rotations = np.empty((n_frames, len(body.bones), 4))
    rotations[:] = IDENTITY
    roots = np.tile(body.skeleton.offsets[0], (n_frames, 1))
    absent = [bone.name for bone in body.bones if bone.dof and bone.name not in values]
    if absent:
        notes.append(f"no values for {', '.join(absent)}: they keep their rest pose")
    for index, bone in enumerate(body.bones):
        if bone.name not in values:
            continue
        block = values[bone.name]
        rotations[:, index] = _turned(bone, block, angle)
        shifts = [k for k, dof in enumerate(bone.dof) if dof[0] != "r"]
        far = np.flatnonzero((np.abs(block[:, shifts]) > LONGEST).any(axis=1))
        if far.size:
            at, line = _frame_at(file, int(far[0]))
            message = f"frame {at}: bone {bone.name!r} is moved by more than any length in any unit"
            raise FileError(file.path, message, line=line)
        if index == 0:
            for k in shifts:
                roots[:, "xyz".index(bone.dof[k][1])] += block[:, k]
        elif shifts and np.any(block[:, shifts]):
            notes.append(f"bone {bone.name!r} slides or stretches; that was left out")
    return rotations, roots, notes


def _frame_at(file: TextFile, row: int) -> tuple[str, int]:
    """Number of the file's ``row``-th frame, counted from 0, and the line where it begins."""
    lines = ((index, line.split("#", 1)[0].strip()) for index, line in enumerate(file.lines, start=1))
    begun = [(line, index) for index, line in lines if line.isdecimal()]
    return begun[row]


def _turned(bone: Bone, block: Floats, angle: float) -> Quaternions:
    """Local rotations (F, 4): C R C^-1."""
    angles = np.zeros((len(block), 3))
    for k, dof in enumerate(bone.dof):
        if dof[0] == "r":
            angles[:, "xyz".index(dof[1])] = angle * block[:, k]
    axis = bone.axis_rotation()
    return multiply(multiply(axis, in_order(angles, bone.axis_order)), conjugate(axis))


def _unit(body: Acclaim, legs: units.BodyLengths, roots: Positions) -> tuple[float, str]:
    if body.metres_per_unit is not None:
        scale = body.metres_per_unit
        return scale, f"unit: {100 * scale:.6g} cm, stated by the .asf (one over its length, in inches)"
    return units.find_unit(body.skeleton, legs, float(np.median(roots[:, 1])))


@lru_cache(maxsize=256)
def _skeleton_in_metres(body: Acclaim, unit: float, up: str, rest: str) -> Skeleton:
    """Skeleton in metres: one object for all clips of one .asf, so that results cached on it are shared."""
    return units.to_metres(body.skeleton, unit=unit, up=up, rest=rest)
