"""Label files: transitions that a person called good or bad.

One line a transition: clip, frame, clip, frame, good or bad, separated by commas. Frames count from 0 at the clip's own
rate. A heading in the first line, blank lines, and lines that begin with ``#`` are skipped.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from segue.errors import FileError
from segue.tables import Column, one_of, rows_of, table_text, typed

HEADINGS = ("clip", "frame", "clip", "frame", "good|bad")
WORDS = {"good": True, "bad": False}
_LAST = 10**9  # frame of a clip
_COLUMNS = (
    Column("clip", "text"),
    Column("frame", "whole", most=_LAST),
    Column("second clip", "text"),
    Column("second frame", "whole", most=_LAST),
    Column("good|bad", "text"),
)


@dataclass(frozen=True)
class LabelledTransition:
    """One transition and a person's verdict on it.

    Parameters
    ----------
    a_clip, a_frame
        Clip left, and its frame.
    b_clip, b_frame
        Clip arrived in, and its frame.
    good
        Whether the transition is good.
    line
        Its line in the file, from 1; 0 if it comes from no file.
    """

    a_clip: str
    a_frame: int
    b_clip: str
    b_frame: int
    good: bool
    line: int = 0


Label = LabelledTransition
"""The former name of `LabelledTransition`."""


def read_labels(path: str | Path) -> tuple[LabelledTransition, ...]:
    """Read a label file.

    Raises
    ------
    FileError
        If it cannot be read, or a line is not a label: with the line number and the expected form.
    """
    path = Path(path)
    rows = rows_of(table_text(path), path)
    first = next(rows, None)
    if first is not None and any(cell.lstrip("-").isdecimal() for cell in first.cells):
        rows = chain([first], rows)
    table = typed(rows, path, _COLUMNS)
    if not len(table):
        raise FileError(path, f"holds no labels; each is a line {','.join(HEADINGS)}")
    reported = one_of(table, "good|bad", tuple(WORDS))
    labels: dict[tuple[str, int, str, int], LabelledTransition] = {}
    out = []
    for row, cells in enumerate(
        zip(
            table.texts["clip"],
            table.whole("frame"),
            table.texts["second clip"],
            table.whole("second frame"),
            strict=True,
        )
    ):
        label = LabelledTransition(*cells, WORDS[reported[row]], int(table.lines[row]))
        before = labels.setdefault(cells, label)
        if before.good != label.good:
            word = f"is called {_word(label.good)} here and {_word(before.good)} in line {before.line}"
            raise table.error(row, f"the transition {', '.join(map(str, cells))} {word}")
        out.append(label)
    return tuple(out)


def label_text(labels: Iterable[LabelledTransition]) -> str:
    """Return labels as the text of a label file.

    Examples
    --------
    >>> print(label_text([LabelledTransition("walk", 12, "run", 30, True)]), end="")
    clip,frame,clip,frame,good|bad
    walk,12,run,30,good
    """
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(HEADINGS)
    for label in labels:
        table.writerow([label.a_clip, label.a_frame, label.b_clip, label.b_frame, _word(label.good)])
    return out.getvalue()


def _word(good: bool) -> str:
    return "good" if good else "bad"
