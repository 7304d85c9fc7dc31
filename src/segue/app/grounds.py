"""Grounds as people tell them: a name with numbers, or a CSV file of heights."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from segue.errors import FileError, SettingError
from segue.runtime.heights import Ground, HeightGrid, bumps, slope, stairs
from segue.tables import Column, by_head, is_there, rows_of, table_text

NAMED: dict[str, tuple[Callable[..., Ground], tuple[str, ...]]] = {
    "slope": (lambda degrees: slope(float(np.radians(degrees))), ("degrees",)),
    "stairs": (stairs, ("rise", "tread")),
    "bumps": (bumps, ("height", "length")),
}
"""Name to what makes the ground, and what its numbers are called."""

_COLUMNS = (Column("x"), Column("z"), Column("height", least=-10_000.0, most=10_000.0))


def ground_words(word: str) -> str:
    """What is kept of a ground that was told: the text of a file, or the words themselves.

    Raises
    ------
    FileError
        If the file cannot be read or is no grid of heights.
    SettingError
        If it is neither a file nor a name with its numbers.
    """
    name = word.partition(":")[0]
    if name in NAMED and not is_there(word):
        ground_of(word)
        return word
    path = Path(word)
    try:
        text = table_text(path)
    except FileError as error:
        if is_there(path):
            raise
        known = ", ".join(f"{key}:{','.join(of).upper()}" for key, (_, of) in NAMED.items())
        msg = f"is neither a file that can be read nor a ground ({known})"
        raise FileError(path, msg) from error
    _grid(text, path)
    return text if "\n" in text else text + "\n"


def ground_of(words: str) -> Ground:
    r"""Ground of its words, as ``"slope:8"``, or of the text of a CSV file x,z,height.

    Raises
    ------
    SettingError
        If they are not understood.
    FileError
        If a table is no grid of heights, with the line.

    Examples
    --------
    >>> round(ground_of("slope:45.0e-1")(0.0, 2.0), 4)
    0.0787
    >>> ground_of("x,z,height\n0,0,0\n0,1,0\n1,0,1\n1,1,1\n")(0.25, 0.5)
    0.25
    """
    if "\n" in words:
        return _grid(words, Path("ground"))
    name, _, given = words.partition(":")
    if name not in NAMED:
        msg = f"there is no ground {name!r}; there are {', '.join(NAMED)}, or a CSV file x,z,height"
        raise SettingError(msg)
    make, of = NAMED[name]
    try:
        numbers = [float(word) for word in given.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) != len(of) or not np.all(np.isfinite(numbers)):
        msg = f"a ground of {name} is given as {name}:{','.join(of).upper()}, not {words!r}"
        raise SettingError(msg)
    return make(*numbers)


def _grid(text: str, path: Path) -> HeightGrid:
    """Grid of a table that has a row for every place of it, in any order."""
    table = by_head(rows_of(text, path, comments=False), path, _COLUMNS)
    x, z, heights = (table.numbers[column.name] for column in _COLUMNS)
    (xs, i), (zs, j) = np.unique(x, return_inverse=True), np.unique(z, return_inverse=True)
    cell = i * len(zs) + j
    order = np.argsort(cell, kind="stable")
    again = np.flatnonzero(np.diff(cell[order]) == 0)
    if len(again):
        row = int(order[again[0] + 1])
        raise table.error(row, f"there is a height at x {x[row]:g}, z {z[row]:g} already")
    if len(table) != len(xs) * len(zs):
        gap = int(np.flatnonzero(np.append(cell[order], -1) != np.arange(len(cell) + 1))[0])
        place = f"x {xs[gap // len(zs)]:g}, z {zs[gap % len(zs)]:g}"
        raise FileError(path, f"is no grid: there is no height at {place}")
    if min(len(xs), len(zs)) < 2:
        raise FileError(path, "is no grid: it has two or more x and two or more z")
    return HeightGrid.of(xs, zs, heights[order].reshape(len(xs), len(zs)))
