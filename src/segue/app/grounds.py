"""Grounds as people tell them: a name with numbers, or a CSV file of heights."""

from __future__ import annotations

import io
from collections.abc import Callable
from csv import DictReader
from pathlib import Path

import numpy as np

from segue.app.told import why_unread
from segue.errors import FileError, SettingError
from segue.runtime.heights import Ground, HeightGrid, bumps, slope, stairs

NAMED: dict[str, tuple[Callable[..., Ground], tuple[str, ...]]] = {
    "slope": (lambda degrees: slope(float(np.radians(degrees))), ("degrees",)),
    "stairs": (stairs, ("rise", "tread")),
    "bumps": (bumps, ("height", "length")),
}
"""Name to what makes the ground, and what its numbers are called."""

_COLUMNS = ("x", "z", "height")


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
    if name in NAMED and not Path(word).exists():
        ground_of(word)
        return word
    path = Path(word)
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        ways = ", ".join(f"{key}:{','.join(of).upper()}" for key, (_, of) in NAMED.items())
        msg = f"is neither a file that can be read nor a ground ({ways}): {why_unread(error)}"
        raise FileError(path, msg) from None
    try:
        _grid(text)
    except SettingError as error:
        raise FileError(path, str(error)) from None
    return text if "\n" in text else text + "\n"


def ground_of(words: str) -> Ground:
    r"""Ground of its words, as ``"slope:8"``, or of the text of a CSV file x,z,height.

    Raises
    ------
    SettingError
        If they are not understood.

    Examples
    --------
    >>> round(ground_of("slope:45.0e-1")(0.0, 2.0), 4)
    0.0787
    >>> ground_of("x,z,height\n0,0,0\n0,1,0\n1,0,1\n1,1,1\n")(0.25, 0.5)
    0.25
    """
    if "\n" in words:
        return _grid(words)
    name, _, told = words.partition(":")
    if name not in NAMED:
        msg = f"there is no ground {name!r}; there are {', '.join(NAMED)}, or a CSV file x,z,height"
        raise SettingError(msg)
    make, of = NAMED[name]
    try:
        numbers = [float(word) for word in told.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) != len(of) or not np.all(np.isfinite(numbers)):
        msg = f"a ground of {name} is told as {name}:{','.join(of).upper()}, not {words!r}"
        raise SettingError(msg)
    return make(*numbers)


def _grid(text: str) -> HeightGrid:
    """Grid of a table that has a row for every place of it, in any order."""
    reader = DictReader(io.StringIO(text), skipinitialspace=True)
    head = [name.strip().lower() for name in reader.fieldnames or ()]
    if any(name not in head for name in _COLUMNS):
        msg = f"its head line must hold {','.join(_COLUMNS)}, not {','.join(head) or 'nothing'}"
        raise SettingError(msg)
    reader.fieldnames = head
    rows = {}
    for row in reader:
        try:
            x, z, height = (float(row[name]) for name in _COLUMNS)
        except (TypeError, ValueError):
            msg = f"line {reader.line_num} does not hold three numbers for {','.join(_COLUMNS)}"
            raise SettingError(msg) from None
        rows[x, z] = height
    xs, zs = (sorted({place[k] for place in rows}) for k in (0, 1))
    missing = next(((x, z) for x in xs for z in zs if (x, z) not in rows), None)
    if missing is not None:
        msg = f"it is no grid: there is no height at x {missing[0]:g}, z {missing[1]:g}"
        raise SettingError(msg)
    return HeightGrid.of(xs, zs, [[rows[x, z] for z in zs] for x in xs])
