"""Outlines of SVG drawings as points: the commands M L H V C S Q T A Z, absolute and relative."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from segue.arrays import Floats
from segue.errors import FileError

_TOKEN = re.compile(r"([MmLlHhVvCcSsQqTtAaZz])|([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)|([\s,]+)|(.)")
_COUNT = {"M": 2, "L": 2, "H": 1, "V": 1, "C": 6, "S": 4, "Q": 4, "T": 2, "A": 7, "Z": 0}
_CHORDS = 24  # straight pieces of a curve
_Point = complex


def outlines(text: str, *, path: Path) -> list[Floats]:
    """Points (N, 2) of each outline of the ``d`` of an SVG path, in the drawing's units: x right, y down.

    Raises
    ------
    FileError
        Naming the first word that is no command or number, or a command with too few numbers.

    Examples
    --------
    >>> [one.tolist() for one in outlines("M 0 0 h 2 v 1 z", path=Path("a.svg"))]
    [[[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [0.0, 0.0]]]
    """
    pen = _Pen()
    for letter, numbers in _commands(text, path):
        pen.draw(letter, numbers)
    return [np.array([[p.real, p.imag] for p in one]) for one in pen.outlines if len(one) > 1]


def _commands(text: str, path: Path) -> list[tuple[str, list[float]]]:
    """Every command with one set of numbers; what follows a moveto without a letter is a lineto."""
    words: list[tuple[str, list[float]]] = []
    for found in _TOKEN.finditer(text):
        letter, number, _, odd = found.groups()
        if odd is not None:
            raise FileError(path, f"the path holds {odd!r}, which is neither a command nor a number")
        if letter is not None:
            words.append((letter, []))
        elif number is not None:
            if not words:
                raise FileError(path, f"the path begins with {number}; it begins with M")
            words[-1][1].append(float(number))
    if words and words[0][0] not in "Mm":
        raise FileError(path, f"the path begins with {words[0][0]}; it begins with M")
    out = []
    for letter, numbers in words:
        count = _COUNT[letter.upper()]
        if (len(numbers) % count if count else len(numbers)) or (count and not numbers):
            raise FileError(
                path, f"{letter} of the path takes {count} numbers at a time; it has {len(numbers)}"
            )
        if not np.isfinite(numbers).all():
            raise FileError(path, f"{letter} of the path has a number beyond all measure")
        sets = [numbers[k : k + count] for k in range(0, len(numbers), count)] if count else [[]]
        later = {"M": "L", "m": "l"}.get(letter, letter)
        out += [(letter if k == 0 else later, one) for k, one in enumerate(sets)]
    return out


class _Pen:
    """Draws commands into outlines."""

    def __init__(self) -> None:
        self.outlines: list[list[_Point]] = []
        self.at: _Point = 0j
        self.first: _Point = 0j
        self.handle: tuple[str, _Point] = ("", 0j)

    def draw(self, letter: str, numbers: list[float]) -> None:
        """Draw one command."""
        kind, base = letter.upper(), (self.at if letter.islower() else 0j)
        handle, self.handle = self.handle, ("", 0j)
        if kind in "HV":
            self._draw_along(kind, numbers[0], relative=letter.islower())
        elif kind == "Z":
            self._to([self.first])
        elif kind == "A":
            self._to(_arc(self.at, numbers, base + complex(*numbers[5:])))
        else:
            points = [base + complex(*numbers[k : k + 2]) for k in range(0, len(numbers), 2)]
            if kind == "M":
                self.at = self.first = points[0]
                self.outlines.append([self.at])
            elif kind == "L":
                self._to(points)
            else:
                self._draw_curve(kind, points, handle)

    def _draw_along(self, kind: str, value: float, *, relative: bool) -> None:
        if kind == "H":
            self._to([complex(value + (self.at.real if relative else 0.0), self.at.imag)])
        else:
            self._to([complex(self.at.real, value + (self.at.imag if relative else 0.0))])

    def _draw_curve(self, kind: str, points: list[_Point], handle: tuple[str, _Point]) -> None:
        family = "C" if kind in "CS" else "Q"
        if kind in "ST":  # the handle before, mirrored; none there stands on the pen
            points = [2 * self.at - handle[1] if handle[0] == family else self.at, *points]
        self.handle = (family, points[-2])
        nodes: list[npt.NDArray[np.complex128]] = [np.atleast_1d(p) for p in (self.at, *points)]
        t = np.linspace(0.0, 1.0, _CHORDS + 1)[1:]
        while len(nodes) > 1:  # de Casteljau
            nodes = [a * (1 - t) + b * t for a, b in pairwise(nodes)]
        self._to([complex(p) for p in nodes[0]])

    def _to(self, points: list[_Point]) -> None:
        if not self.outlines or (len(self.outlines[-1]) > 1 and self.outlines[-1][-1] != self.at):
            self.outlines.append([self.at])
        self.outlines[-1] += points
        self.at = points[-1]


def _arc(start: _Point, numbers: list[float], end: _Point) -> list[_Point]:
    """Points of an elliptical arc, from its end points (SVG 1.1, appendix F.6)."""
    rx, ry, degrees, large, sweep = numbers[0], numbers[1], numbers[2], numbers[3] != 0, numbers[4] != 0
    rx, ry = abs(rx), abs(ry)
    if rx == 0 or ry == 0 or start == end:
        return [end]
    turn = np.exp(1j * np.radians(degrees))
    half = (start - end) / 2 / turn
    size = (half.real / rx) ** 2 + (half.imag / ry) ** 2
    if size > 1:  # too small to reach: as large as needed
        rx, ry, size = rx * np.sqrt(size), ry * np.sqrt(size), 1.0
    side = np.sqrt(max(1.0 / size - 1.0, 0.0)) * (-1 if large == sweep else 1)
    middle = side * complex(rx * half.imag / ry, -ry * half.real / rx)

    def angle(p: complex) -> float:
        return float(np.arctan2(p.imag / ry, p.real / rx))

    first, last = angle(half - middle), angle(-half - middle)
    way = (last - first) % (2 * np.pi) if sweep else -((first - last) % (2 * np.pi))
    at = first + way * np.linspace(0.0, 1.0, _CHORDS + 1)[1:]
    placed = (rx * np.cos(at) + 1j * ry * np.sin(at) + middle) * turn + (start + end) / 2
    return [*(complex(p) for p in placed[:-1]), end]
