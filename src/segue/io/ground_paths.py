"""Paths on the ground from files: tables of points (.csv) and drawings (.svg)."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np

from segue.arrays import Floats, frozen
from segue.errors import FileError
from segue.io.svg_path import outlines
from segue.io.text import read_text

UNIT = 0.01
"""Metres that one unit of a drawing stands for unless told otherwise."""
_LARGEST = 10_000_000  # bytes of a drawing or a table


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
    name, _, wanted = str(path).partition("#") if not Path(path).is_file() else (str(path), "", "")
    place = Path(name)
    kind = place.suffix.lower()
    if kind not in {".csv", ".svg"}:
        raise FileError(place, "a path is read from a .csv table (x,z) or an .svg drawing")
    if not place.is_file():
        raise FileError(place, "there is no such file")
    if place.stat().st_size > _LARGEST:
        raise FileError(place, f"is larger than {_LARGEST // 1_000_000} MB, and no path on the ground")
    text = read_text(place).content.decode("utf-8", errors="replace")
    scale = unit if unit is not None else (UNIT if kind == ".svg" else 1.0)
    if kind == ".svg":
        points, note = _drawn(text, place, wanted)
        labels: tuple[str, ...] = ("",) * len(points)
        note += f"; 1 unit = {scale:g} m, down the page is +Z"
    else:
        points, labels = _table(text, place)
        note = f"1 = {scale:g} m" if unit is not None else ""
    if len(points) < 2:
        raise FileError(place, f"holds {len(points)} points; a path has two or more")
    return DrawnPath(frozen(np.asarray(points) * scale), labels, note)


def _table(text: str, path: Path) -> tuple[Floats, tuple[str, ...]]:
    head = next((line for line in text.splitlines() if line.strip()), "")
    mark = next((m for m in ";\t," if m in head), ",")
    points: list[tuple[float, float]] = []
    labels: list[str] = []
    for number, row in enumerate(
        csv.reader(io.StringIO(text), delimiter=mark, skipinitialspace=True), start=1
    ):
        words = [word.strip() for word in row]
        if not any(words) or words[0].startswith("#"):
            continue
        if not points and words[0].lower() in {"x", "x_m"}:
            continue
        try:
            x, z = (float(word.replace(",", ".") if mark != "," else word) for word in words[:2])
        except ValueError:
            told = ",".join(words)[:60]
            raise FileError(path, f"{told!r} is no point; a line is x,z or x,z,label", line=number) from None
        if len(words) > 3 or not np.isfinite([x, z]).all():
            raise FileError(path, "a line is x,z or x,z,label, in finite metres", line=number)
        points.append((x, z))
        labels.append(words[2] if len(words) > 2 else "")
    return np.array(points, dtype=np.float64).reshape(-1, 2), tuple(labels)


def _drawn(text: str, path: Path, wanted: str) -> tuple[Floats, str]:
    if "<!ENTITY" in text:
        raise FileError(path, "defines entities of its own; save it as plain SVG")
    try:
        root = ET.fromstring(text)  # noqa: S314  # entities are refused above
    except ET.ParseError as error:
        raise FileError(path, f"is no SVG drawing: {error}") from None
    parents = {child: parent for parent in root.iter() for child in parent}
    every = [node for node in root.iter() if str(node.tag).rpartition("}")[2] == "path"]
    named = [node for node in every if not wanted or node.get("id") == wanted]
    if not named:
        known = ", ".join(str(node.get("id")) for node in every if node.get("id")) or "none has an id"
        why = f"has no path called {wanted!r}; its paths: {known}" if wanted else "holds no <path> element"
        raise FileError(path, why)
    node = named[0]
    above: ET.Element | None = node
    while above is not None:
        if above.get("transform"):
            raise FileError(path, "its path lies under a transform; apply it to the points and save again")
        above = parents.get(above)
    found = outlines(node.get("d") or "", path=path)
    if not found:
        raise FileError(path, "its path draws nothing")
    count = f", the first of {len(every)} paths" if len(every) > 1 and not wanted else ""
    more = f", the first of its {len(found)} outlines" if len(found) > 1 else ""
    return found[0], f"{node.get('id') or 'the path'}{count}{more}"
