"""Outlines of SVG drawings as points: the commands M L H V C S Q T A Z, absolute and relative."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from segue.arrays import Floats
from segue.errors import FileError

MOST_PIECES = 250_000
"""Lines, curves and arcs of a path."""
LARGEST = 1e12
"""Largest number of a path, in units of the drawing."""
_MOST_CURVES = 25_000  # each of which becomes many points
_TOKEN = re.compile(
    r"([MmLlHhVvCcSsQqTtAaZz])|([-+]?(?:\d{1,100}\.?\d{0,100}|\.\d{1,100})(?:[eE][-+]?\d{1,4})?)|([\s,]+)|(.)",
    re.ASCII,
)
_COUNT = {"M": 2, "L": 2, "H": 1, "V": 1, "C": 6, "S": 4, "Q": 4, "T": 2, "A": 7, "Z": 0}
_CHORDS = 24  # straight pieces of a curve
_Point = complex


def outlines(text: str, *, path: Path) -> list[Floats]:
    """Points (N, 2) of each outline of the ``d`` of an SVG path, in the drawing's units: x right, y down.

    Raises
    ------
    FileError
        Naming the first word that is no command or number, or a command with too few numbers; if a number lies beyond
        `LARGEST` or the path has more than `MOST_PIECES` pieces.

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
    """Every command with one set of numbers; what follows a moveto without a letter is a lineto."""
    letter, done = "", 0  # the command that is read, and how many sets of numbers it has had
    numbers: list[float] = []  # of its next set
    for found in _TOKEN.finditer(text):
        told, number, _, odd = found.groups()
        if odd is not None:
            raise FileError(path, f"the path holds {odd!r}, which is neither a command nor a number")
        if told is not None:
            _whole(letter, numbers, done, path)
            if not letter and told not in "Mm":
                raise FileError(path, f"the path begins with {told}; it begins with M")
            letter, numbers, done = told, [], 0
            if told in "Zz":
                yield told, numbers
        elif number is not None:
            if not letter:
                raise FileError(path, f"the path begins with {number[:40]}; it begins with M")
            numbers.append(_number(number, letter, path))
            if len(numbers) == _COUNT[letter.upper()]:
                yield ({"M": "L", "m": "l"}.get(letter, letter) if done else letter), numbers
                numbers, done = [], done + 1
    _whole(letter, numbers, done, path)


def _whole(letter: str, numbers: list[float], done: int, path: Path) -> None:
    """Refuse a command whose last set of numbers is not whole, or that has none."""
    count = _COUNT[letter.upper()] if letter else 0
    if numbers or (count and not done):
        told = count * done + len(numbers)
        raise FileError(path, f"{letter} of the path takes {count} numbers at a time; it has {told}")


def _number(word: str, letter: str, path: Path) -> float:
    value = float(word)
    if abs(value) > LARGEST:
        raise FileError(path, f"{letter} of the path has the number {word[:40]}; {LARGEST:g} is the largest")
    return value


@dataclass
class _Outline:
    """One outline while it is drawn: where it begins, and its pieces in order.

    A piece ends in a point; ``curves`` holds the numbers of those pieces that are curves: four control points of a
    cubic. ``arcs``: radii, turn, first angle, angle to go and middle, and the point where it ends.
    """

    start: _Point
    pieces: list[_Point] = field(default_factory=list)
    curves: dict[int, tuple[_Point, ...]] = field(default_factory=dict)
    arcs: dict[int, tuple[_Point, ...]] = field(default_factory=dict)

    def points(self) -> Floats:
        """Points (N, 2) with every curve in straight pieces."""
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
    """Points (A, T) of elliptical arcs (A, 7): rx, ry, turn, first angle, angle to go, middle, centre of its chord."""
    rx, ry, turn, first, way, middle, centre = arcs.T[..., None]
    at = first.real + way.real * t
    made: np.ndarray = (rx.real * np.cos(at) + 1j * ry.real * np.sin(at) + middle) * turn + centre
    return made


class _Pen:
    """Draws commands into outlines."""

    def __init__(self, path: Path) -> None:
        self.outlines: list[_Outline] = []
        self.path = path
        self.drawn = self.rounded = 0
        self.at: _Point = 0j
        self.first: _Point = 0j
        self.handle: tuple[str, _Point] = ("", 0j)

    def draw(self, letter: str, numbers: list[float]) -> None:
        """Draw one command."""
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
        if kind in "ST":  # the handle before, mirrored; none there stands on the pen
            points = [2 * self.at - handle[1] if handle[0] == family else self.at, *points]
        self.handle = (family, points[-2])
        if family == "Q":  # the same curve as a cubic
            points = [(self.at + 2 * points[0]) / 3, (points[1] + 2 * points[0]) / 3, points[1]]
        self._to(points[-1], cubic=(self.at, *points))

    def _to(
        self, end: _Point, *, cubic: tuple[_Point, ...] | None = None, arc: tuple[_Point, ...] | None = None
    ) -> None:
        """Go to a point: straight, along a cubic or along an arc."""
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
    """Numbers of an elliptical arc, from its end points (SVG 1.1, appendix F.6); None where it is a straight line."""
    rx, ry, degrees, large, sweep = numbers[0], numbers[1], numbers[2], numbers[3] != 0, numbers[4] != 0
    rx, ry = abs(rx), abs(ry)
    if min(rx, ry) <= 1e-12 * abs(end - start) or start == end:
        return None
    turn = complex(np.exp(1j * np.radians(degrees % 360.0)))
    half = (start - end) / 2 / turn
    size = (half.real / rx) ** 2 + (half.imag / ry) ** 2
    if size > 1:  # too small to reach: as large as needed
        rx, ry, size = rx * size**0.5, ry * size**0.5, 1.0
    side = max(1.0 / size - 1.0, 0.0) ** 0.5 * (-1 if large == sweep else 1) if size else 0.0
    middle = side * complex(rx * half.imag / ry, -ry * half.real / rx)
    first, last = (float(np.arctan2(p.imag / ry, p.real / rx)) for p in (half - middle, -half - middle))
    way = (last - first) % (2 * np.pi) if sweep else -((first - last) % (2 * np.pi))
    return rx, ry, turn, first, way, middle, (start + end) / 2
