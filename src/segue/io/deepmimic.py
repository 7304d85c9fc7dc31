"""DeepMimic text: JSON with one row per frame for a humanoid of 15 joints.

A row holds the seconds until the next frame, the root's position, and rotations relative to the parent in
joint order: quaternions wxyz for ball joints, one angle about Z for knees and elbows. The format fixes the
body: its joints and lengths are published with DeepMimic (Peng et al. 2018). It faces +X with its right side
at +Z; segue rotates the world by 90 degrees so that the rest pose faces +Z.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec
import numpy as np

from segue.arrays import Floats, Positions, Quaternions, frozen
from segue.documents import decode_json
from segue.errors import FileError, SettingError
from segue.file_bytes import file_bytes
from segue.io import units
from segue.io.rates import KNOWN
from segue.io.text import TextFile, read_text
from segue.maths.quaternions import from_axis_angle, normalise
from segue.motion.clip import Clip, Origin, SourceFormat
from segue.motion.resample import sampled
from segue.motion.skeleton import EndSite, Skeleton
from segue.texts import marked

_SIDE = ("hip", "knee", "ankle", "shoulder", "elbow", "wrist")
_NAMES = ("root", "chest", "neck", *(f"{side}_{part}" for side in ("right", "left") for part in _SIDE))
_PARENTS = (-1, 0, 1, 0, 3, 4, 1, 6, 7, 0, 9, 10, 1, 12, 13)
_LIMB = ((0.0, 0.0, 0.084887), (0.0, -0.421546, 0.0), (0.0, -0.40987, 0.0),
         (-0.02405, 0.2435, 0.18311), (0.0, -0.274788, 0.0), (0.0, -0.258947, 0.0))  # fmt: skip
"""Offsets of the right side's joints from their parents in metres, in the format's axes; the left side negates Z."""
_TRUNK = ((0.0, 0.0, 0.0), (0.0, 0.236151, 0.0), (0.0, 0.223894, 0.0))
_TIPS = ((2, (0.0, 0.28, 0.0)), (5, (0.13, -0.05, 0.0)), (8, (0.0, -0.08, 0.0)), (11, (0.13, -0.05, 0.0)),
         (14, (0.0, -0.08, 0.0)))  # fmt: skip
"""Joint and offset of the crown, the front of the feet and the hands: the ends of that body's shapes."""
_HINGES = (4, 7, 10, 13)
_FIXED = (8, 14)
_WIDTH = 44
_SAME = 1e-3
_NEAR_RATE = 1e-4
_FAR = 1e5
_HINT = (
    "DeepMimic text holds 'Loop' and 'Frames': rows of a duration, 3 numbers for place and 40 for rotations"
)
_UNIT, _NO_UNIT = 0.01, 0.1
"""Deviation of a quaternion's length from 1 above which it is noted; length below which it is no rotation."""


_Number = Annotated[float, msgspec.Meta(ge=-_FAR, le=_FAR)]
_Row = Annotated[list[_Number], msgspec.Meta(min_length=_WIDTH, max_length=_WIDTH)]
_SNIFFED = 4096


@dataclass(frozen=True)
class _MotionDocument:
    """Content of a file: rows of a duration, 3 numbers for position and 40 for rotations; a loop setting."""

    Frames: Annotated[list[_Row], msgspec.Meta(min_length=1)]
    Loop: str | int | float | None = ""


def read_deepmimic(
    path: Path,
    *,
    fps: float | None = None,
    encoding: str | None = None,
    unit: float | None = None,
    up: str | None = None,
) -> Clip:
    """Read a clip from a DeepMimic motion file.

    Frames of unequal duration are resampled to the most common duration, with a note. With ``fps`` the rows
    are taken unchanged, at that rate.

    Raises
    ------
    FileError
        With the line where the JSON is invalid, or the frame and value at fault.
    """
    unit, fps = units.checked_unit(unit), units.checked_fps(fps)
    if units.checked_up(up) not in {None, "Y"}:
        msg = f"{path}: DeepMimic text has Y up by definition; up= is for formats that leave it open"
        raise SettingError(msg)
    file = read_text(path, encoding=encoding)
    document = decode_json(file.content, _MotionDocument, path, hint=_HINT)
    rows = np.array(document.Frames, dtype=np.float64)
    rate, times, note = _timing(file, rows[:, 0], fps)
    notes = [note]
    scale = unit or 1.0
    roots = _to_z(rows[:, 1:4]) * scale
    rotations, off = _rotations(rows, path)
    if off:
        notes.append(f"rotations: {off} quaternions were not of unit length and were normalised")
    rotations = np.concatenate([rotations[..., :1], _to_z(rotations[..., 1:])], axis=-1)
    loop = str("" if document.Loop is None else document.Loop)[:20]
    if loop:
        notes.append(f"loop: the file states {loop!r}; the frames are read once")
    notes.append("axes: the format's body looks along +X; turned to look along +Z")
    source = SourceFormat(
        path=str(path), format="deepmimic", metres_per_unit=scale, up="Y", digest=file.digest,
        notes=tuple(notes), extra={"loop": loop, "loop_frames": len(rows) if times is None else len(times)},
    )  # fmt: skip
    clip = Clip(deepmimic_skeleton(), rotations, roots, rate, name=path.stem, source=source)
    if times is None:
        return clip
    origin = Origin.of(path.stem, clip.n_frames).take(np.rint(times).astype(np.int64))
    return clip.with_motion(*sampled(clip, times), origin=Origin(
        origin.clips, origin.clip, frozen(np.column_stack([times, 0 * times])), origin.weight
    ))  # fmt: skip


def deepmimic_skeleton() -> Skeleton:
    """Return the body of the format: metres, Y up, facing +Z, arms hanging.

    Examples
    --------
    >>> body = deepmimic_skeleton()
    >>> body.offsets[body.index("left_hip")].tolist()
    [0.084887, 0.0, 0.0]
    """
    mirrored = [(x, y, -z) for x, y, z in _LIMB]
    offsets = _to_z(np.array([*_TRUNK, *_LIMB, *mirrored]))
    tips = [EndSite(joint, _to_z(np.array(offset))) for joint, offset in _TIPS]
    return Skeleton(_NAMES, _PARENTS, offsets, tips)


def _to_z(vectors: Positions) -> Positions:
    """Rotate vectors (..., 3) by 90 degrees about Y so that +X becomes +Z; exact."""
    return np.stack([-vectors[..., 2], vectors[..., 1], vectors[..., 0]], axis=-1) + 0.0


def _timing(file: TextFile, durations: Floats, fps: float | None) -> tuple[float, Floats | None, str]:
    """Frame rate, fractional frames to sample at (None: the rows unchanged), and a note.

    The last frame's duration leads back to the first frame; it is often 0 and is ignored.
    """
    if fps is not None:
        return fps, None, f"rate: {fps:g} frames a second, as asked; the file's durations were not used"
    steps = durations[:-1]
    if not len(steps):
        steps = durations[durations > 0]
        if not len(steps):
            raise FileError(file.path, "has one frame that lasts no time: no frame rate; pass fps=")
    bad = np.flatnonzero(steps <= 0)
    if bad.size:
        message = f"frame {bad[0]} lasts {steps[bad[0]]:g} seconds; durations must be positive, or pass fps="
        raise FileError(file.path, message)
    usual = float(np.median(steps))
    if not 1e-4 < usual < 1e3:
        raise FileError(file.path, f"frames last {usual:g} seconds; that is no motion; pass fps=")
    rate = _rate(1.0 / usual)
    text = f"rate: {rate:.6g} frames a second (durations of {usual:.8g} s)"
    if np.abs(steps - usual).max() <= _SAME * usual:
        return rate, None, text
    starts = np.concatenate([[0.0], np.cumsum(steps)])
    count = math.floor(starts[-1] * rate + 1e-6) + 1
    if count > 10 * len(durations) + 1000:
        longest = int(np.argmax(steps))
        raise FileError(
            file.path, f"frame {longest} lasts {steps[longest]:g} seconds among frames of {usual:g}"
        )
    times = np.interp(np.arange(count) / rate, starts, np.arange(len(durations), dtype=np.float64))
    text += f"; durations vary from {steps.min():.4g} to {steps.max():.4g} s, resampled"
    return rate, times, text


def _rate(rate: float) -> float:
    """Return the known rate within one in 10,000 (the rounding of the format's durations), else the given rate."""
    known = [float(n) for n in KNOWN] + [n * 1000 / 1001 for n in KNOWN]
    best = min(known, key=lambda other: abs(other - rate))
    return best if abs(best - rate) < _NEAR_RATE * rate else rate


def _rotations(rows: Floats, path: Path) -> tuple[Quaternions, int]:
    """Rotations (F, 15, 4) relative to the parent, in the format's axes; the number that were not of unit length."""
    out = np.zeros((len(rows), len(_NAMES), 4))
    out[..., 0] = 1.0
    column, off = 4, 0
    for joint in range(len(_NAMES)):
        if joint in _FIXED:
            continue
        if joint in _HINGES:
            out[:, joint] = from_axis_angle(np.array([0.0, 0.0, 1.0]), rows[:, column])
            column += 1
            continue
        block = rows[:, column : column + 4]
        lengths = np.linalg.norm(block, axis=1)
        bad = np.flatnonzero((lengths < _NO_UNIT) | (lengths > 1 / _NO_UNIT))
        if bad.size:
            message = f"frame {bad[0]}: {block[bad[0]].tolist()} of {_NAMES[joint]!r} is no unit quaternion"
            raise FileError(path, message)
        off += int(np.sum(np.abs(lengths - 1.0) > _UNIT))
        out[:, joint] = normalise(block)
        column += 4
    return out, off


def is_motion_text(path: Path) -> bool:
    """Return whether a .txt file begins like DeepMimic text; other text in a folder of clips is no motion."""
    try:
        head = file_bytes(path, most=_SNIFFED)
    except FileError:
        return False
    found = marked(head)
    if found is not None:
        head = head[found[1] :].decode(found[0], errors="ignore").encode()
    return head.lstrip(b" \t\r\n").startswith(b"{") and (b'"Frames"' in head or b'"Loop"' in head)
