"""C3D: markers of optical capture; binary, in blocks of 512 bytes.

A header, a section of named parameters, then per frame each point as x, y, z and a fourth word that is negative where
the point was not seen, and analog samples, which are skipped. Numbers are little endian (Intel), big endian (MIPS) or
VAX floats (DEC). The counts of a header are 16 bits wide: of longer takes TRIAL or POINT:LONG_FRAMES tell the length.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from segue.arrays import Floats
from segue.errors import FileError
from segue.io.c3d_parameters import FULL, Parameters, floats, read_parameters, text, texts
from segue.io.markers import Markers, unit_of
from segue.io.naming import each_once
from segue.io.text import read_bytes
from segue.io.units import to_y_up

_BLOCK = 512
_FAR = 1e9
_MODELLED = ("ANGLES", "FORCES", "MOMENTS", "POWERS", "SCALARS", "REACTIONS")
"""Parameters of POINT that list labels of what a model computed: these points are no places."""


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
    """Markers of a .c3d file; up as POINT:Y_SCREEN says, else Z.

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
    metres, name, said = unit_of(word, positions)
    if unit is not None:
        metres, said = unit, f"unit: {unit:g} m, as asked"
    notes.insert(0, said)
    if up is None:
        up, said = _up(text(parameters, "POINT:Y_SCREEN"))
        notes.append(said)
    if fps is None:
        fps = _rate(path, parameters, header)
        notes.append(f"rate: {fps:g} frames a second, told by the file")
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
    """Return the number of frames to read, checked against what is stored."""
    data_start = parameters.count("POINT:DATA_START", 0)
    if header.start < _BLOCK and data_start < 2:
        raise FileError(path, "does not say where its samples begin")
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
    return declared, ([f"frames: {declared}, told by {word}; 16-bit counts end at {FULL}"] if wide else [])


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
        # Bytes that are no samples may be signalling not-a-numbers, of which the cast would warn.
        with np.errstate(invalid="ignore"):
            out = floats(np.ascontiguousarray(block).tobytes(), parameters.kind).astype(np.float64)
    return out.reshape(frames, points, 4)


def _markers_alone(parameters: Parameters, labels: list[str]) -> tuple[list[int], str]:
    """Indices of the points that are markers, and what a model computed, counted by its kind."""
    kinds = {label: kind for kind in _MODELLED for label in texts(parameters, f"POINT:{kind}") if label}
    # Some writers put the subject before the name in one of the two lists.
    kinds |= {label.rpartition(":")[2]: kind for label, kind in kinds.items()}
    found = [kinds.get(label) or kinds.get(label.rpartition(":")[2]) for label in labels]
    kept = [k for k, kind in enumerate(found) if kind is None]
    counts = [f"{found.count(kind)} {kind.lower()}" for kind in _MODELLED if kind in found]
    return kept, f"{', '.join(counts)}, outputs of a model" if counts else ""


def _positions(path: Path, raw: Floats, scale: float) -> tuple[Floats, int]:
    """Positions (F, P, 3) in file units, not a number where not seen, and how many of those there are."""
    positions = raw[..., :3] * (scale if scale > 0 else 1.0)
    seen = (raw[..., 3] >= 0) & ~np.isnan(raw[..., :3]).any(axis=2)
    unseen = ~seen | (raw[..., :3] == 0).all(axis=2)
    positions[unseen] = np.nan
    bad = np.flatnonzero((~(np.abs(positions) <= _FAR) & ~unseen[..., None]).any(axis=(1, 2)))
    if bad.size:
        raise FileError(path, f"frame {bad[0]} holds values that are no positions ({bad.size} such frames)")
    return positions, int(unseen.sum())


def _up(word: str) -> tuple[str, str]:
    """Up axis of what POINT:Y_SCREEN says points up on a screen."""
    axis = word.strip().upper().lstrip("+-")
    if axis in {"Y", "Z"}:
        return axis, f"up: {axis}, told by the file (POINT:Y_SCREEN)"
    return "Z", "up: Z, the usual one for C3D; up= overrides"


def _rate(path: Path, parameters: Parameters, header: _Header) -> float:
    for rate in (parameters.number("POINT:RATE", 0.0), header.rate):
        if 1e-3 < rate < 1e6:
            return float(rate)
    raise FileError(path, f"tells {header.rate:g} as its frame rate; pass fps=")
