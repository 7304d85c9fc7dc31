"""Paths on the ground from files: tables of points (.csv) and drawings (.svg)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from xml.parsers import expat

import numpy as np

from segue.arrays import Floats, frozen
from segue.errors import FileError
from segue.io.svg_path import LARGEST, outlines
from segue.tables import FAR, Column, Table, mark_of, rows_of, table_text, typed

UNIT = 0.01
"""Metres that one unit of a drawing stands for unless told otherwise."""
_MARKS = ";\t,"
_HEADS = frozenset({"x", "x_m"})  # first words of a head line
_DEEPEST = 1000  # elements of a drawing, one in the other
_MOST_NAMES = 20  # of paths that a message lists
_COLUMNS = (
    Column("x", least=-LARGEST, most=LARGEST),
    Column("z", least=-LARGEST, most=LARGEST),
    Column("label", "text", needed=False, empty=True),
)


@dataclass(frozen=True, eq=False)
class DrawnPath:
    """Points (N, 2), x and z in metres; ``labels`` (N,) of the stretch behind each, empty where none; a ``note``."""

    points: Floats
    labels: tuple[str, ...]
    note: str


def read_ground_path(path: str | Path, *, unit: float | None = None) -> DrawnPath:
    """Read a path.

    A table has the columns x and z in metres and, where asked for, the label of the stretch that begins there; a head
    line is allowed. Of a drawing the first ``path`` element is taken, or the one whose id follows the name
    (``map.svg#river``). Seen from above, the drawing's right is +X and its foot +Z: nothing is mirrored.

    Parameters
    ----------
    path
        A .csv or .svg file.
    unit
        Metres of one unit of the file: by default 0.01 for drawings, 1 for tables.

    Raises
    ------
    FileError
        If it cannot be read, with the line of a table; or holds fewer than two points.
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
    """The path of a drawing that is asked for, and the names of the others; elements are looked at as they come."""

    def __init__(self, wanted: str) -> None:
        self.wanted = wanted
        self.count = 0
        self.names: list[str] = []
        self.drawn: str | None = None
        self.name, self.moved = "", False
        self._depth = self._moved_at = 0  # elements that are open; the outermost of them that has a transform

    @staticmethod
    def of(text: str, path: Path, wanted: str) -> _Paths:
        """Paths of a drawing."""
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
        """An element begins."""
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
        """An element ends."""
        if self._moved_at == self._depth:
            self._moved_at = 0
        self._depth -= 1

    @staticmethod
    def refuse(*_: object) -> None:
        """Refuse entities: a few of them grow to any size."""
        msg = "defines entities of its own"
        raise _OddDrawingError(msg)


class _OddDrawingError(Exception):
    """A drawing has what no plain one has."""
