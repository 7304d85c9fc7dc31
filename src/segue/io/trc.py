"""TRC: markers as text, one row per frame, columns separated by tabs (also by commas, semicolons or blanks)."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from segue.arrays import Floats
from segue.errors import FileError
from segue.io.marker_data import Markers, unit_of
from segue.io.naming import each_once
from segue.io.text import TextFile, number, read_text
from segue.io.units import to_y_up

_FAR = 1e9
_AXIS = re.compile(r"[XYZ]\d*", re.IGNORECASE)
_SPARE, _PER_LINE_CHARACTER = 500_000, 4


def read_trc(
    path: Path,
    *,
    fps: float | None = None,
    unit: float | None = None,
    up: str | None = None,
    encoding: str | None = None,
) -> Markers:
    """Read the markers of a .trc file; Y is up unless set otherwise.

    Raises
    ------
    FileError
        With the faulty line.
    """
    file = read_text(path, encoding=encoding)
    if len(file.lines) < 5 or not file.lines[0].lstrip().startswith("PathFileType"):
        raise FileError(path, "is no TRC file: its first line must begin with 'PathFileType'", line=1)
    parted = _parted_by(file.lines[3])
    given = _header(file.lines[1], file.lines[2])
    names = _names(file, parted)
    if not names:
        message = "names 0 markers after 'Frame#' and 'Time'; names are parted by tabs, commas, semicolons or blanks"
        raise FileError(path, message, line=4)
    rows, seconds = _rows(file, len(names), parted)
    notes = []
    stated = given.get("NumFrames", "")
    if stated.isdecimal() and stated.lstrip("0") != str(len(rows)):
        notes.append(f"frames: the file states {stated[:12]} and has {len(rows)}")
    positions = rows.reshape(len(rows), len(names), 3)
    scale, name, note = unit_of(given.get("Units", ""), positions)
    if unit is not None:
        scale, note = unit, f"unit: {unit:g} m, as asked"
    if up is None:
        up = "Y"
        notes.append("up: Y, the usual one for TRC; up= overrides")
    if fps is None:
        fps, rate_note = _rate(file, given.get("DataRate", ""), seconds)
        notes.append(rate_note)
    positions = to_y_up(positions, up=up) * scale
    return Markers(
        names, positions, fps, path=str(path), format="trc", unit=name, metres_per_unit=scale, up=up,
        notes=[note, *notes],
    )  # fmt: skip


def _parted_by(line: str) -> str:
    """Separator of a line's cells; empty for blanks."""
    return next((mark for mark in "\t;," if mark in line), "")


def _cells(line: str, parted: str) -> list[str]:
    """Cells of a line without surrounding blanks or quotes."""
    return [cell.strip().strip('"').strip() for cell in (line.split(parted) if parted else line.split())]


def _header(keys: str, values: str) -> dict[str, str]:
    """Values by key; between separators other than blanks, an empty cell is an empty value."""
    parted = _parted_by(keys)
    same = parted if parted in values else ""  # some files separate one line by tabs and the other by blanks
    return dict(zip(_cells(keys, parted if same else ""), _cells(values, same), strict=False))


def _names(file: TextFile, parted: str) -> list[str]:
    """Marker names; if the line of axes has more markers than there are names, every third cell is one."""
    cells = _cells(file.lines[3], parted)[2:]
    named = [cell for cell in cells if cell]
    axes = [cell for cell in _cells(file.lines[4], parted) if _AXIS.fullmatch(cell)]
    wide = len(axes) // 3
    if parted and named and wide > len(named) and not any(cells[k] for k in range(len(cells)) if k % 3):
        named = [*cells[::3], *[""] * wide][:wide]
    return each_once(named, otherwise="marker")


def _rows(file: TextFile, n_markers: int, parted: str) -> tuple[Floats, Floats]:
    """Coordinates (F, 3 M), NaN for empty cells, and seconds (F,)."""
    blank = f" \t{parted}"
    lines = [(index, line) for index, line in enumerate(file.lines[5:], start=6) if line.strip(blank)]
    width = 2 + 3 * n_markers
    size = sum(len(line) for line in file.lines)
    if len(lines) * width > _SPARE + _PER_LINE_CHARACTER * size:
        raise FileError(file.path, f"its rows are too short for {n_markers} markers", line=lines[0][0])
    if not lines:
        raise FileError(file.path, "holds no frames", line=len(file.lines))
    out = np.full((len(lines), width), np.nan)
    for row, (line, text) in enumerate(lines):
        cells = _cells(text, parted)
        if any(cells[width:]) or (not parted and len(cells) < width):
            message = f"frame {row} has {len(cells)} columns; {n_markers} markers need {width}"
            raise FileError(file.path, message, line=line)
        for column, cell in enumerate(cells[:width]):
            if not cell or cell.lower().lstrip("+-") == "nan":
                continue
            value = number(file, cell, line=line, what=f"frame {row}")
            if abs(value) > _FAR:
                raise FileError(file.path, f"frame {row}: {cell[:30]} is no position", line=line)
            out[row, column] = value
    xyz = out[:, 2:].reshape(len(lines), n_markers, 3)
    # A marker with a missing coordinate was not seen.
    xyz[np.isnan(xyz).any(axis=2)] = np.nan
    return xyz.reshape(len(lines), -1), out[:, 1]


def _rate(file: TextFile, word: str, seconds: Floats) -> tuple[float, str]:
    """Rate of the header, else of the time column, and a note."""
    if word:
        rate = number(file, word, line=3, what="DataRate")
        if 0 < rate < 1e6:
            return rate, f"rate: {rate:g} frames a second, stated by the file"
    steps = np.diff(seconds[np.isfinite(seconds)])
    usual = float(np.median(steps)) if steps.size else 0.0
    if not 1e-6 < usual < 1e4:
        raise FileError(
            file.path, "states no frame rate, neither as DataRate nor by its times; pass fps=", line=3
        )
    return 1.0 / usual, f"rate: {1.0 / usual:g} frames a second, by the times"
