"""Read tables of joint positions: a row per frame, columns such as ``Hips.x, Hips.y, Hips.z``, optionally times."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from segue.arrays import Floats
from segue.errors import FileError
from segue.file_bytes import file_bytes
from segue.io.joint_positions import FEWEST, RawPositions, clip_of
from segue.io.rates import KNOWN
from segue.io.text import TextFile, read_text
from segue.motion.clip import Clip

_HEAD = 65_536
_SPARE, _PER_CHARACTER = 500_000, 1
_TIMES = re.compile(
    r"(?i)^(?:time|times|t|seconds?|secs?|timestamp|time[ _]?stamp)[\s_]*(?:[\(\[]?(m?s|sec|seconds?)[\)\]]?)?$"
)
_BEHIND = re.compile(
    r"^(?P<name>.+?)(?:[\s._:/|-]+|(?<=[a-z0-9])(?=[XYZ]))[\[(]?(?P<axis>[xyzXYZ])[\])]?(?:\s*[\[(][^\])]*[\])])?$"
)
_BEFORE = re.compile(r"^(?P<axis>[xyzXYZ])[\s._:/|-]+(?P<name>.+)$")
_POSITION = re.compile(
    r"(?i)(?:[\s._:/|-]+(?:global|world)?[\s._]?(?:pos|position|translation|trans|loc|location|t)|(?<=[a-z])Position)$"
)
_OTHER = re.compile(
    r"(?i)(?:^|[\s._:/|-])(?:rot|rotation|euler|angles?|quat|quaternion|orientation|vel|velocity|acc|acceleration|q|r|w)$|Rotation$"
)
_NEAR = 2e-3  # relative deviation of a measured rate from a known one
_UNEVEN = 0.1


@dataclass(frozen=True)
class _TableHeader:
    mark: str
    names: tuple[str, ...]
    columns: tuple[tuple[int, int, int], ...]
    time: int | None
    milliseconds: bool
    width: int


def read_csv(
    path: Path,
    *,
    fps: float | None = None,
    encoding: str | None = None,
    unit: float | None = None,
    up: str | None = None,
) -> Clip:
    """Read a clip from a table of joint positions; empty cells and ``nan`` are joints not seen.

    Raises
    ------
    FileError
        With the faulty line, or the columns that are needed.
    """
    file = read_text(path, encoding=encoding)
    start, header = _header(file)
    rows, seconds = _rows(file, start, header)
    rate, note = _rate(seconds, header) if fps is None else (None, "")
    notes = (
        f"positions: columns of {len(header.names)} joints, {len(rows)} frames",
        *([note] if note else ()),
    )
    raw = RawPositions(
        path,
        "csv",
        file.digest,
        rows.reshape(len(rows), len(header.names), 3),
        names=header.names,
        fps=rate,
        notes=notes,
    )
    return clip_of(raw, fps=fps, unit=unit, up=up)


def is_positions_table(path: Path) -> bool:
    """Return whether a .csv file holds the positions of a body's joints, judged by its first line."""
    try:
        head = file_bytes(path, most=_HEAD)
    except FileError:
        return False
    text = head.removeprefix(b"\xef\xbb\xbf").decode("utf-8", errors="replace")
    line = next((line for line in text.splitlines() if line.strip() and not line.startswith("#")), "")
    found = _columns(line)
    return found is not None and len(found.names) >= FEWEST


def _header(file: TextFile) -> tuple[int, _TableHeader]:
    for index, line in enumerate(file.lines):
        if line.strip() and not line.lstrip().startswith("#"):
            found = _columns(line)
            if found is None or len(found.names) < FEWEST:
                count = 0 if found is None else len(found.names)
                message = (
                    f"has x, y, z of {count} joint{'s' * (count != 1)}, too few for a body; tables of positions "
                    "begin with a line such as time,Hips.x,Hips.y,Hips.z,LeftLeg.x ... (rotations alone hold no body)"
                )
                raise FileError(file.path, message, line=index + 1)
            return index + 1, found
    raise FileError(file.path, "holds no table")


def _columns(line: str) -> _TableHeader | None:
    mark = next((m for m in "\t;" if m in line), ",")
    try:
        cells = next(csv.reader(io.StringIO(line), delimiter=mark, skipinitialspace=True), [])
    except csv.Error:
        return None
    groups: dict[str, dict[str, int]] = {}
    time, milliseconds = None, False
    for column, cell in enumerate(cells):
        word = cell.strip()
        given = _TIMES.match(word)
        if given and time is None:
            time, milliseconds = column, (given[1] or "").lower() == "ms"
            continue
        match = _BEHIND.match(word) or _BEFORE.match(word)
        if match is None:
            continue
        name = _POSITION.sub("", match["name"].strip())
        if name and not _OTHER.search(name):
            groups.setdefault(name, {}).setdefault(match["axis"].lower(), column)
    whole = {name: axes for name, axes in groups.items() if len(axes) == 3}
    if not whole:
        return None
    columns = tuple((axes["x"], axes["y"], axes["z"]) for axes in whole.values())
    return _TableHeader(mark, tuple(whole), columns, time, milliseconds, len(cells))


def _rows(file: TextFile, start: int, header: _TableHeader) -> tuple[Floats, Floats]:
    """Coordinates (F, 3 J), NaN for empty cells, and times (F,) as stored."""
    lines = [(index, line) for index, line in enumerate(file.lines[start:], start=start + 1) if line.strip()]
    if not lines:
        raise FileError(file.path, "holds no frames", line=start)
    wanted = [column for triple in header.columns for column in triple]
    wanted += [header.time] if header.time is not None else []
    if len(lines) * len(wanted) > _SPARE + _PER_CHARACTER * len(file.content):
        raise FileError(file.path, f"its rows are too short for {len(header.names)} joints", line=lines[0][0])
    comma = header.mark != ","
    out = np.full((len(lines), len(wanted)), np.nan)
    for row, (line, text) in enumerate(lines):
        cells = text.replace('"', "").split(header.mark)
        if len(cells) < header.width - 1 or any(cell.strip() for cell in cells[header.width :]):
            message = f"has {len(cells)} cells where the first line names {header.width} columns"
            raise FileError(file.path, message, line=line)
        cells += [""] * (header.width - len(cells))
        for place, column in enumerate(wanted):
            word = cells[column].strip()
            if word:
                out[row, place] = _number(file, word.replace(",", ".") if comma else word, line)
    times = out[:, -1] if header.time is not None else np.full(len(lines), np.nan)
    return out[:, : 3 * len(header.columns)], times


def _number(file: TextFile, word: str, line: int) -> float:
    try:
        value = float(word) if "_" not in word else float("inf")
    except ValueError:
        raise FileError(file.path, f"{word[:40]!r} is not a number", line=line) from None
    if np.isinf(value):
        raise FileError(file.path, f"{word[:40]!r} is not a finite number", line=line)
    return value


def _rate(seconds: Floats, header: _TableHeader) -> tuple[float | None, str]:
    known = seconds[np.isfinite(seconds)]
    steps = np.diff(known) * (1e-3 if header.milliseconds else 1.0)
    if len(steps) < 1 or not (steps > 0).all() or len(known) < len(seconds):
        return None, "" if header.time is None else "rate: the times do not rise evenly and are not used"
    mean = float(steps.mean())
    if mean > 1.5:  # no body is captured at less than a frame in 1.5 seconds
        steps, mean = 1e-3 * steps, 1e-3 * mean
    measured = 1.0 / mean
    if not 0.1 < measured < 1e5:
        return None, "rate: the times do not rise evenly and are not used"
    rates = [float(n) for n in KNOWN] + [n * 1000 / 1001 for n in KNOWN]
    near = min(rates, key=lambda rate: abs(rate - measured))
    rate = near if abs(near - measured) < _NEAR * measured else round(measured, 3)
    uneven = float(np.abs(steps - mean).max()) > _UNEVEN * mean
    return rate, f"rate: {rate:g} frames a second, by the times" + (", which are not even" if uneven else "")
