"""Read paths on the ground: tables of points (.csv) and drawings (.svg).

Outlines of SVG drawings become points: the commands M L H V C S Q T A Z, absolute and relative.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from xml.parsers import expat

import numpy as np

from segue.arrays import Floats, frozen
from segue.errors import FileError
from segue.tables import FAR, Column, Table, mark_of, rows_of, table_text, typed

MOST_PIECES = 250_000
"""Most lines, curves and arcs of a path."""
LARGEST = 1e12
"""Largest coordinate of a path, in units of the drawing."""
_MOST_CURVES = 25_000  # each becomes many points
_TOKEN = re.compile(
    r"([MmLlHhVvCcSsQqTtAaZz])|([-+]?(?:\d{1,100}\.?\d{0,100}|\.\d{1,100})(?:[eE][-+]?\d{1,4})?)|([\s,]+)|(.)",
    re.ASCII,
)
_COUNT = {"M": 2, "L": 2, "H": 1, "V": 1, "C": 6, "S": 4, "Q": 4, "T": 2, "A": 7, "Z": 0}
_CHORDS = 24  # straight segments of a curve
_Point = complex


def outlines(text: str, *, path: Path) -> list[Floats]:
    """Points (N, 2) of each outline of the ``d`` of an SVG path, in the drawing's units: x right, y down.

    Raises
    ------
    FileError
        If a word is no command or number, a command has too few numbers, a number is beyond `LARGEST`, or the path has
        more than `MOST_PIECES` pieces.

    Examples
    --------
    >>> [one.tolist() for one in outlines("M 0 0 h 2 v 1 z", path=Path("a.svg"))]
    [[[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [0.0, 0.0]]]
    """
    pen = _Pen(path)
    for letter, numbers in _commands(text, path):
        pen.draw(letter, numbers)
    return [one.points() for one in pen.outlines if one.pieces]


def _commands(text: str, path: Path) -> Iterator[tuple[str, list[float]]]:
    """Yield each command with one set of numbers; further sets after a moveto are linetos."""
    letter, done = "", 0  # the current command, and its number of complete sets
    numbers: list[float] = []  # of its current set
    for found in _TOKEN.finditer(text):
        given, number, _, odd = found.groups()
        if odd is not None:
            raise FileError(path, f"the path holds {odd!r}, which is neither a command nor a number")
        if given is not None:
            _whole(letter, numbers, done, path)
            if not letter and given not in "Mm":
                raise FileError(path, f"the path begins with {given}; it begins with M")
            letter, numbers, done = given, [], 0
            if given in "Zz":
                yield given, numbers
        elif number is not None:
            if not letter:
                raise FileError(path, f"the path begins with {number[:40]}; it begins with M")
            numbers.append(_number(number, letter, path))
            if len(numbers) == _COUNT[letter.upper()]:
                yield ({"M": "L", "m": "l"}.get(letter, letter) if done else letter), numbers
                numbers, done = [], done + 1
    _whole(letter, numbers, done, path)


def _whole(letter: str, numbers: list[float], done: int, path: Path) -> None:
    """Reject a command whose last set of numbers is incomplete, or that has none."""
    count = _COUNT[letter.upper()] if letter else 0
    if numbers or (count and not done):
        given = count * done + len(numbers)
        raise FileError(path, f"{letter} of the path takes {count} numbers at a time; it has {given}")


def _number(word: str, letter: str, path: Path) -> float:
    value = float(word)
    if abs(value) > LARGEST:
        raise FileError(path, f"{letter} of the path has the number {word[:40]}; {LARGEST:g} is the largest")
    return value


@dataclass
class _Outline:
    """One outline: its start and its pieces in order, each given by its end point.

    By index of the piece: ``curves`` holds the four control points of a cubic, ``arcs`` the numbers of `_along_arcs`.
    """

    start: _Point
    pieces: list[_Point] = field(default_factory=list)
    curves: dict[int, tuple[_Point, ...]] = field(default_factory=dict)
    arcs: dict[int, tuple[_Point, ...]] = field(default_factory=dict)

    def points(self) -> Floats:
        """Points (N, 2) with every curve divided into straight segments."""
        counts = np.ones(len(self.pieces), dtype=np.int64)
        rounded = [*self.curves, *self.arcs]
        counts[rounded] = _CHORDS
        ends = np.cumsum(counts)
        out = np.empty(1 + int(ends[-1]), dtype=np.complex128)
        out[0] = self.start
        t = np.linspace(0.0, 1.0, _CHORDS + 1)[1:]
        for made, curved in ((self.curves, _cubics), (self.arcs, _along_arcs)):
            if made:
                rows = ends[list(made)][:, None] - np.arange(_CHORDS - 1, -1, -1)
                out[rows] = curved(np.array(list(made.values())), t)
        out[ends] = self.pieces
        return np.column_stack([out.real, out.imag])


def _cubics(nodes: np.ndarray, t: Floats) -> np.ndarray:
    """Points (C, T) of cubics (C, 4)."""
    s = 1.0 - t
    made: np.ndarray = nodes @ np.array([s**3, 3 * s * s * t, 3 * s * t * t, t**3])
    return made


def _along_arcs(arcs: np.ndarray, t: Floats) -> np.ndarray:
    """Points (A, T) of elliptical arcs (A, 7).

    Numbers of an arc: rx, ry, rotation, first angle, swept angle, its centre relative to the chord's, the
    chord's centre.
    """
    rx, ry, turn, first, sweep_angle, middle, centre = arcs.T[..., None]
    at = first.real + sweep_angle.real * t
    made: np.ndarray = (rx.real * np.cos(at) + 1j * ry.real * np.sin(at) + middle) * turn + centre
    return made


class _Pen:
    """Converts commands to outlines."""

    def __init__(self, path: Path) -> None:
        self.outlines: list[_Outline] = []
        self.path = path
        self.drawn = self.rounded = 0
        self.at: _Point = 0j
        self.first: _Point = 0j
        self.handle: tuple[str, _Point] = ("", 0j)

    def draw(self, letter: str, numbers: list[float]) -> None:
        """Add one command."""
        kind, base = letter.upper(), (self.at if letter.islower() else 0j)
        handle, self.handle = self.handle, ("", 0j)
        if kind == "H":
            self._to(complex(numbers[0] + base.real, self.at.imag))
        elif kind == "V":
            self._to(complex(self.at.real, numbers[0] + base.imag))
        elif kind == "Z":
            self._to(self.first)
        elif kind == "A":
            end = base + complex(*numbers[5:])
            self._to(end, arc=_arc(self.at, numbers, end))
        else:
            points = [base + complex(*numbers[k : k + 2]) for k in range(0, len(numbers), 2)]
            if kind == "M":
                self.at = self.first = points[0]
                if self.outlines and not self.outlines[-1].pieces:
                    self.outlines.pop()
                self.outlines.append(_Outline(self.at))
            elif kind == "L":
                self._to(points[0])
            else:
                self._draw_curve(kind, points, handle)

    def _draw_curve(self, kind: str, points: list[_Point], handle: tuple[str, _Point]) -> None:
        family = "C" if kind in "CS" else "Q"
        if kind in "ST":  # the previous handle, mirrored; without one, the current point
            points = [2 * self.at - handle[1] if handle[0] == family else self.at, *points]
        self.handle = (family, points[-2])
        if family == "Q":  # the same curve as a cubic
            points = [(self.at + 2 * points[0]) / 3, (points[1] + 2 * points[0]) / 3, points[1]]
        self._to(points[-1], cubic=(self.at, *points))

    def _to(
        self, end: _Point, *, cubic: tuple[_Point, ...] | None = None, arc: tuple[_Point, ...] | None = None
    ) -> None:
        """Add a piece to a point: straight, a cubic or an arc."""
        last = self.outlines[-1]
        if last.pieces and last.pieces[-1] != self.at:
            self.outlines.append(last := _Outline(self.at))
        self.drawn += 1
        self.rounded += cubic is not None or arc is not None
        if self.drawn > MOST_PIECES or self.rounded > _MOST_CURVES:
            msg = f"the path has more than {MOST_PIECES:,} pieces or {_MOST_CURVES:,} curves; simplify it"
            raise FileError(self.path, msg)
        if max(abs(end.real), abs(end.imag)) > 1e3 * LARGEST:
            raise FileError(self.path, f"the path runs beyond {1e3 * LARGEST:g} of its units")
        if cubic is not None:
            last.curves[len(last.pieces)] = cubic
        elif arc is not None:
            last.arcs[len(last.pieces)] = arc
        last.pieces.append(end)
        self.at = end


def _arc(start: _Point, numbers: list[float], end: _Point) -> tuple[_Point, ...] | None:
    """Numbers of an elliptical arc from its end points (SVG 1.1, appendix F.6); None if it is a straight line."""
    rx, ry, degrees, large, sweep = numbers[0], numbers[1], numbers[2], numbers[3] != 0, numbers[4] != 0
    rx, ry = abs(rx), abs(ry)
    if min(rx, ry) <= 1e-12 * abs(end - start) or start == end:
        return None
    turn = complex(np.exp(1j * np.radians(degrees % 360.0)))
    half = (start - end) / 2 / turn
    size = (half.real / rx) ** 2 + (half.imag / ry) ** 2
    if size > 1:  # too small for the end points: scale both up
        rx, ry, size = rx * size**0.5, ry * size**0.5, 1.0
    side = max(1.0 / size - 1.0, 0.0) ** 0.5 * (-1 if large == sweep else 1) if size else 0.0
    middle = side * complex(rx * half.imag / ry, -ry * half.real / rx)
    first, last = (float(np.arctan2(p.imag / ry, p.real / rx)) for p in (half - middle, -half - middle))
    sweep_angle = (last - first) % (2 * np.pi) if sweep else -((first - last) % (2 * np.pi))
    return rx, ry, turn, first, sweep_angle, middle, (start + end) / 2


UNIT = 0.01
"""Default length in metres of one unit of a drawing."""
_MARKS = ";\t,"
_HEADS = frozenset({"x", "x_m"})  # first words of a header line
_DEEPEST = 1000  # nesting of elements in a drawing
_MOST_NAMES = 20  # of paths that a message lists
_COLUMNS = (
    Column("x", least=-LARGEST, most=LARGEST),
    Column("z", least=-LARGEST, most=LARGEST),
    Column("label", "text", needed=False, empty=True),
)


@dataclass(frozen=True, eq=False)
class DrawnPath:
    """Points (N, 2), x and z in metres; ``labels`` (N,) of the segment after each, empty for none; a ``note``."""

    points: Floats
    labels: tuple[str, ...]
    note: str


def read_ground_path(path: str | Path, *, unit: float | None = None) -> DrawnPath:
    """Read a path from a table or a drawing.

    A table has the columns x and z in metres and optionally the label of the segment that begins there; a header
    line is allowed. From a drawing the first ``path`` element is taken, or the one whose id is appended to the
    name (``map.svg#river``). Seen from above, the drawing's right is +X and its bottom +Z: nothing is mirrored.

    Parameters
    ----------
    path
        A .csv or .svg file.
    unit
        Metres of one unit of the file: by default 0.01 for drawings, 1 for tables.

    Raises
    ------
    FileError
        If it cannot be read, with the line of a table, or holds fewer than two points.
    """
    name, wanted = str(path), ""
    if ".svg#" in name.lower() and not Path(name).is_file():
        name, _, wanted = name.partition("#")
    place = Path(name)
    kind = place.suffix.lower()
    if kind not in {".csv", ".svg"}:
        raise FileError(place, "a path is read from a .csv table (x,z) or an .svg drawing")
    text = table_text(place)
    scale = unit if unit is not None else (UNIT if kind == ".svg" else 1.0)
    table: Table | None = None
    if kind == ".svg":
        points, note = _drawn(text, place, wanted)
        labels: tuple[str, ...] = ("",) * len(points)
        note += f"; 1 unit = {scale:g} m, down the page is +Z"
    else:
        table = _table(text, place)
        points, labels = np.column_stack([table.numbers["x"], table.numbers["z"]]), table.texts["label"]
        note = f"1 = {scale:g} m" if unit is not None else ""
    if len(points) < 2:
        raise FileError(place, f"holds {len(points)} points; a path has two or more")
    far = np.abs(points).max(axis=1) * scale
    if far.max() > FAR:
        row = int(np.argmax(far > FAR))
        msg = f"the path lies {far[row]:,.6g} m away; it lies within {FAR:,.0f} m of the origin"
        raise FileError(place, msg) if table is None else table.error(row, msg)
    return DrawnPath(frozen(points * scale), labels, note)


def _table(text: str, path: Path) -> Table:
    rows = rows_of(text, path, marks=_MARKS)
    first = next(rows, None)
    if first is not None and first.cells[0].lower() not in _HEADS:
        rows = chain([first], rows)
    point = "." if mark_of(text, _MARKS) == "," else ","
    return typed(rows, path, _COLUMNS, point=point)


def _drawn(text: str, path: Path, wanted: str) -> tuple[Floats, str]:
    found = _Paths.of(text, path, wanted)
    if found.drawn is None:
        known = ", ".join(found.names) or "none has an id"
        why = f"has no path called {wanted!r}; its paths: {known}" if wanted else "holds no <path> element"
        raise FileError(path, why)
    if found.moved:
        raise FileError(path, "its path lies under a transform; apply it to the points and save again")
    made = outlines(found.drawn, path=path)
    if not made:
        raise FileError(path, "its path draws nothing")
    count = f", the first of {found.count} paths" if found.count > 1 and not wanted else ""
    more = f", the first of its {len(made)} outlines" if len(made) > 1 else ""
    return made[0], f"{found.name or 'the path'}{count}{more}"


class _Paths:
    """The requested path of a drawing, and the names of all paths; elements are handled as they are parsed."""

    def __init__(self, wanted: str) -> None:
        self.wanted = wanted
        self.count = 0
        self.names: list[str] = []
        self.drawn: str | None = None
        self.name, self.moved = "", False
        self._depth = self._moved_at = 0  # open elements; the outermost of them with a transform

    @staticmethod
    def of(text: str, path: Path, wanted: str) -> _Paths:
        """Parse a drawing and collect its paths."""
        found = _Paths(wanted)
        parser = expat.ParserCreate("utf-8")
        parser.StartElementHandler, parser.EndElementHandler = found.open, found.close
        parser.EntityDeclHandler = found.refuse
        try:
            parser.Parse(text.encode("utf-8"), True)
        except expat.ExpatError as error:
            raise FileError(path, f"is no SVG drawing: {error}") from None
        except _OddDrawingError as error:
            raise FileError(path, f"{error}; save it as plain SVG") from None
        return found

    def open(self, tag: str, attributes: dict[str, str]) -> None:
        """Handle the start of an element."""
        self._depth += 1
        if self._depth > _DEEPEST:
            msg = f"has elements more than {_DEEPEST:,} deep"
            raise _OddDrawingError(msg)
        if not self._moved_at and attributes.get("transform"):
            self._moved_at = self._depth
        if tag.rpartition(":")[2] != "path":
            return
        self.count += 1
        name = attributes.get("id", "")
        if name and len(self.names) < _MOST_NAMES:
            self.names.append(name[:60])
        if self.drawn is None and (not self.wanted or name == self.wanted):
            self.drawn, self.name, self.moved = attributes.get("d", ""), name[:60], bool(self._moved_at)

    def close(self, _tag: str) -> None:
        """Handle the end of an element."""
        if self._moved_at == self._depth:
            self._moved_at = 0
        self._depth -= 1

    @staticmethod
    def refuse(*_: object) -> None:
        """Reject entities, because a few of them can expand to any size."""
        msg = "defines entities of its own"
        raise _OddDrawingError(msg)


class _OddDrawingError(Exception):
    """A drawing uses features beyond plain SVG."""
