"""C3D: markers of optical capture; binary, in blocks of 512 bytes.

A file holds a header, a section of parameters (named values in groups, each with its dimensions), then for
each frame every point as x, y, z and a fourth word that is negative where the point was not seen, and analog
samples, which are skipped. Numbers are little endian (Intel), big endian (MIPS) or VAX floats (DEC). The
counts of a header are 16 bits wide: TRIAL or POINT:LONG_FRAMES state the length of longer takes.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from segue.arrays import Floats
from segue.errors import FileError
from segue.io.marker_data import Markers, unit_of
from segue.io.naming import each_once
from segue.io.text import read_bytes
from segue.io.units import to_y_up

FULL = 65535
"""The largest count that 16 bits hold."""
_KINDS = {84: "intel", 85: "dec", 86: "mips"}
_MOST = 5000


def floats(content: bytes, kind: str) -> npt.NDArray[np.float32]:
    """Decode 32-bit floats of a processor: ``"intel"``, ``"dec"`` or ``"mips"``."""
    whole = content[: len(content) // 4 * 4]
    if kind == "mips":
        return np.frombuffer(whole, dtype=">f4").astype(np.float32)
    if kind == "intel":
        return np.frombuffer(whole, dtype="<f4").astype(np.float32)
    # A VAX float is an IEEE float with its halves swapped and an exponent two higher.
    words = np.frombuffer(whole, dtype="<u2").reshape(-1, 2)[:, ::-1]
    with np.errstate(invalid="ignore"):
        return (np.ascontiguousarray(words).view("<f4").reshape(-1) / 4.0).astype(np.float32)


@dataclass
class Parameters:
    """Values by ``GROUP:NAME``: arrays of numbers, or lists of strings."""

    kind: str
    values: dict[str, npt.NDArray[Any] | list[str]] = field(default_factory=dict)

    @property
    def order(self) -> str:
        """Byte order for `struct` and numpy."""
        return ">" if self.kind == "mips" else "<"

    def number(self, name: str, default: float) -> float:
        """Return the first number of a parameter; the default if it is missing or not finite."""
        found = self.values.get(name)
        if isinstance(found, list) or found is None or not found.size:
            return default
        value = float(found.reshape(-1)[0])
        return value if np.isfinite(value) else default

    def count(self, name: str, default: int) -> int:
        """Return the first number of a parameter as an unsigned 16-bit count."""
        value = self.number(name, float(default))
        whole = int(value) if abs(value) < 1e9 else default
        return whole & FULL if -FULL <= whole < 0 else whole

    def trial(self) -> int:
        """Return the frame count by TRIAL:ACTUAL_START_FIELD and ACTUAL_END_FIELD (low 16-bit word first), or 0."""
        ends = []
        for name in ("TRIAL:ACTUAL_START_FIELD", "TRIAL:ACTUAL_END_FIELD"):
            found = self.values.get(name)
            if (
                isinstance(found, list)
                or found is None
                or found.dtype.kind != "i"
                or found.size not in {1, 2}
            ):
                return 0
            words = [int(word) & FULL for word in found.reshape(-1)]
            ends.append(words[0] + (words[1] << 16 if len(words) == 2 else 0))
        return max(ends[1] - ends[0] + 1, 0)


def text(parameters: Parameters, name: str) -> str:
    """Return the first string of a parameter, or an empty one."""
    found = parameters.values.get(name)
    return found[0] if isinstance(found, list) and found else ""


def texts(parameters: Parameters, name: str) -> list[str]:
    """Return all strings of a parameter and of those that continue it (LABELS, LABELS2, LABELS3, ...)."""
    out: list[str] = []
    for number in ["", *range(2, 100)]:
        found = parameters.values.get(f"{name}{number}")
        if not isinstance(found, list):
            break
        out += found
    return out


def read_parameters(path: Path, content: bytes) -> Parameters:
    """Read the parameter section, up to the first record that does not fit into the file.

    Raises
    ------
    FileError
        If the section lies outside the file or its processor is unknown.
    """
    start = (content[0] - 1) * 512
    if start < 512 or start + 4 > len(content):
        raise FileError(
            path, f"declares that its parameters begin in block {content[0]}, which is outside of the file"
        )
    kind = _KINDS.get(content[start + 3])
    if kind is None:
        known = ", ".join(f"{number} ({name})" for number, name in _KINDS.items())
        raise FileError(path, f"declares processor {content[start + 3]}; known processors: {known}")
    parameters = Parameters(kind)
    groups: dict[int, str] = {}
    found: list[tuple[int, str, int]] = []
    for group, name, place in _records(content, start + 4, parameters.order):
        if group < 0:
            groups[-group] = name
        elif group > 0:
            found.append((group, name, place))
    for group, name, place in found:
        value = _value(content, place, parameters)
        if value is not None:
            parameters.values[f"{groups.get(group, group)}:{name}"] = value
    return parameters


def _records(content: bytes, at: int, order: str) -> Iterator[tuple[int, str, int]]:
    """Group number (negative if the record names a group), name, and the offset of the record's content."""
    for _ in range(_MOST):
        if at + 4 > len(content):
            return
        length, group = struct.unpack_from("bb", content, at)
        after = at + 2 + abs(length)
        if length == 0 or after + 2 > len(content):
            return
        yield group, content[at + 2 : after].decode("latin-1").strip().upper(), after + 2
        (step,) = struct.unpack_from(f"{order}H", content, after)
        if step == 0:
            return
        at = after + step


def _value(content: bytes, at: int, parameters: Parameters) -> npt.NDArray[Any] | list[str] | None:
    """Value of the parameter whose type is at ``at``; None if it does not fit."""
    if at + 2 > len(content):
        return None
    kind, n_dims = struct.unpack_from("bB", content, at)
    sides = list(content[at + 2 : at + 2 + n_dims])
    place = at + 2 + n_dims
    count = 1
    for side in sides:
        count *= side
    size = {-1: 1, 1: 1, 2: 2, 4: 4}.get(kind, 0)
    if len(sides) != n_dims or size == 0 or place + count * size > len(content):
        return None
    block = content[place : place + count * size]
    if kind == -1:
        width = sides[0] if sides else 1
        rows = count // width if width else 0
        return [block[k * width : (k + 1) * width].decode("latin-1").strip("\x00 ") for k in range(rows)]
    if kind == 4:
        return floats(block, parameters.kind)
    return np.frombuffer(block, dtype=f"{parameters.order}i2" if kind == 2 else "i1")


_BLOCK = 512
_FAR = 1e9
_MODELLED = ("ANGLES", "FORCES", "MOMENTS", "POWERS", "SCALARS", "REACTIONS")
"""Parameters of POINT that list labels of model outputs, which are not positions."""


@dataclass(frozen=True)
class _Header:
    points: int
    analog: int
    frames: int
    scale: float
    start: int
    rate: float


def read_c3d(
    path: Path, *, fps: float | None = None, unit: float | None = None, up: str | None = None
) -> Markers:
    """Read the markers of a .c3d file; the up axis is that of POINT:Y_SCREEN, else Z.

    Raises
    ------
    FileError
        If it is no C3D file, holds no points, or fewer frames than it declares.
    """
    content = read_bytes(path)
    if len(content) < 2 * _BLOCK or content[1] != 0x50:
        raise FileError(path, "is no C3D file: it is too short or its second byte is not 80")
    parameters = read_parameters(path, content)
    header = _header(content, parameters)
    points = parameters.count("POINT:USED", header.points)
    if points == 0:
        raise FileError(path, "holds 0 points: no markers (it may hold analog channels only)")
    scale = parameters.number("POINT:SCALE", header.scale) or header.scale
    size = 4 if scale < 0 else 2
    frames, notes = _frames(path, content, header, parameters, (4 * points + header.analog) * size)
    raw = _samples(content, header, parameters, frames=frames, points=points, size=size)
    labels = texts(parameters, "POINT:LABELS")[:points]
    labels += [""] * (points - len(labels))
    kept, counted = _markers_alone(parameters, labels)
    if not kept:
        raise FileError(path, f"holds {points} points and no markers: all are {counted}")
    if counted:
        notes.append(f"left out: {counted}")
    positions, lost = _positions(path, raw[:, kept], scale)
    if lost:
        notes.append(
            f"missing: {lost} of {positions[..., 0].size} samples were not seen "
            "(residual below 0, zeros, or not a number)"
        )
    word = text(parameters, "POINT:UNITS")
    metres, name, note = unit_of(word, positions)
    if unit is not None:
        metres, note = unit, f"unit: {unit:g} m, as asked"
    notes.insert(0, note)
    if up is None:
        up, note = _up(text(parameters, "POINT:Y_SCREEN"))
        notes.append(note)
    if fps is None:
        fps = _rate(path, parameters, header)
        notes.append(f"rate: {fps:g} frames a second, stated by the file")
    if header.analog:
        notes.append("analog channels were skipped")
    names = each_once([labels[k] for k in kept], otherwise="marker")
    return Markers(
        names, to_y_up(positions, up=up) * metres + 0.0, fps, path=str(path), format="c3d", unit=name,
        metres_per_unit=metres, up=up, notes=notes,
    )  # fmt: skip


def _header(content: bytes, parameters: Parameters) -> _Header:
    order = parameters.order
    points, analog, first, last, _ = struct.unpack_from(f"{order}5H", content, 2)
    start, _ = struct.unpack_from(f"{order}2H", content, 16)
    scale, rate = floats(content[12:16] + content[20:24], parameters.kind).tolist()
    return _Header(points, analog, max(last - first + 1, 0), scale, max(start - 1, 0) * _BLOCK, rate)


def _frames(
    path: Path, content: bytes, header: _Header, parameters: Parameters, frame_bytes: int
) -> tuple[int, list[str]]:
    """Return the number of frames to read, checked against the stored data, and notes."""
    data_start = parameters.count("POINT:DATA_START", 0)
    if header.start < _BLOCK and data_start < 2:
        raise FileError(path, "does not state where its samples begin")
    start = header.start if header.start >= _BLOCK else (data_start - 1) * _BLOCK
    stored = max(len(content) - start, 0) // frame_bytes
    declared, word = header.frames, "its header"
    if "POINT:FRAMES" in parameters.values:
        declared, word = parameters.count("POINT:FRAMES", declared), "POINT:FRAMES"
    wide = declared >= FULL
    trial = parameters.trial()
    long_frames = int(parameters.number("POINT:LONG_FRAMES", 0.0))
    if trial > 0 and (wide or declared == 0 or trial <= stored):
        declared, word = trial, "TRIAL"
    elif long_frames > declared:
        declared, word = long_frames, "POINT:LONG_FRAMES"
    elif wide and stored > declared:
        return stored, [f"frames: the header's 16 bits are full ({FULL}); {stored} are stored and taken"]
    if declared <= 0:
        raise FileError(path, f"declares {declared} frames ({word}) and has room for {stored}")
    if declared > stored:
        counted = f"{declared} frames ({word}; 16-bit counts end at {FULL})"
        message = f"declares {counted} and holds {stored}; it is cut short"
        raise FileError(path, message)
    return declared, ([f"frames: {declared}, stated by {word}; 16-bit counts end at {FULL}"] if wide else [])


def _samples(
    content: bytes, header: _Header, parameters: Parameters, *, frames: int, points: int, size: int
) -> Floats:
    """Raw words (F, P, 4) of the points."""
    start = header.start if header.start >= _BLOCK else (parameters.count("POINT:DATA_START", 0) - 1) * _BLOCK
    width = 4 * points + header.analog
    block = np.frombuffer(content, dtype=np.uint8, count=frames * width * size, offset=start)
    block = block.reshape(frames, width * size)[:, : 4 * points * size]
    if size == 2:
        out = np.ascontiguousarray(block).view(f"{parameters.order}i2").astype(np.float64)
    else:
        # Bytes that are no samples may be signalling NaNs, for which the cast would warn.
        with np.errstate(invalid="ignore"):
            out = floats(np.ascontiguousarray(block).tobytes(), parameters.kind).astype(np.float64)
    return out.reshape(frames, points, 4)


def _markers_alone(parameters: Parameters, labels: list[str]) -> tuple[list[int], str]:
    """Indices of the points that are markers, and a text that counts the model outputs by kind."""
    kinds = {label: kind for kind in _MODELLED for label in texts(parameters, f"POINT:{kind}") if label}
    # Some writers put the subject before the name in only one of the two lists.
    kinds |= {label.rpartition(":")[2]: kind for label, kind in kinds.items()}
    found = [kinds.get(label) or kinds.get(label.rpartition(":")[2]) for label in labels]
    kept = [k for k, kind in enumerate(found) if kind is None]
    counts = [f"{found.count(kind)} {kind.lower()}" for kind in _MODELLED if kind in found]
    return kept, f"{', '.join(counts)}, outputs of a model" if counts else ""


def _positions(path: Path, raw: Floats, scale: float) -> tuple[Floats, int]:
    """Positions (F, P, 3) in file units, NaN where not seen, and the number of unseen samples."""
    positions = raw[..., :3] * (scale if scale > 0 else 1.0)
    seen = (raw[..., 3] >= 0) & ~np.isnan(raw[..., :3]).any(axis=2)
    unseen = ~seen | (raw[..., :3] == 0).all(axis=2)
    positions[unseen] = np.nan
    bad = np.flatnonzero((~(np.abs(positions) <= _FAR) & ~unseen[..., None]).any(axis=(1, 2)))
    if bad.size:
        raise FileError(path, f"frame {bad[0]} holds values that are no positions ({bad.size} such frames)")
    return positions, int(unseen.sum())


def _up(word: str) -> tuple[str, str]:
    """Up axis from POINT:Y_SCREEN, the axis that points up on a screen, and a note."""
    axis = word.strip().upper().lstrip("+-")
    if axis in {"Y", "Z"}:
        return axis, f"up: {axis}, stated by the file (POINT:Y_SCREEN)"
    return "Z", "up: Z, the usual one for C3D; up= overrides"


def _rate(path: Path, parameters: Parameters, header: _Header) -> float:
    for rate in (parameters.number("POINT:RATE", 0.0), header.rate):
        if 1e-3 < rate < 1e6:
            return float(rate)
    raise FileError(path, f"declares a frame rate of {header.rate:g}; pass fps=")
