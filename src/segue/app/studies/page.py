"""Findings as a folder: one page with pictures, and tables of text (CSV)."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from segue.errors import FileError
from segue.io.text import write_whole
from segue.pictures.report import Section, report

_FORMULAS = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, eq=False)
class Findings:
    """Findings of an analysis.

    Parameters
    ----------
    title, summary
        Of the page.
    sections
        Of the page.
    tables
        Rows by file name; the first row is the head.
    document
        The same as JSON values.
    """

    title: str
    summary: str
    sections: tuple[Section, ...]
    tables: Mapping[str, Sequence[Sequence[object]]]
    document: Mapping[str, Any] = field(default_factory=dict)


def write_findings(found: Findings, folder: str | Path) -> list[Path]:
    """Write a page ``index.html`` and tables into a folder, which is created; return the written files.

    Raises
    ------
    FileError
        If the folder cannot be created or written.
    """
    out = Path(folder)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(out, f"cannot be made: {error.strerror or error}") from None
    written = [out / "index.html"]
    report(found.title, found.sections, written[0], summary=found.summary)
    for name, rows in found.tables.items():
        write_whole(out / name, table_text(rows).encode("utf-8"))
        written.append(out / name)
    return written


def table_text(rows: Iterable[Sequence[object]]) -> str:
    """Rows as comma-separated values; text that a spreadsheet would run as a formula is prefixed with an apostrophe.

    Examples
    --------
    >>> print(table_text([["name", "frames"], ["=cmd", -7.5]]), end="")
    name,frames
    '=cmd,-7.5
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for row in rows:
        writer.writerow([_cell(value) for value in row])
    return out.getvalue()


def _cell(value: object) -> object:
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, str) and value.startswith(_FORMULAS):
        return f"'{value}"
    return value


def text_of_cell(value: object) -> str:
    """Text of a table's value for a page.

    Examples
    --------
    >>> text_of_cell(0.123456), text_of_cell(12), text_of_cell("walk")
    ('0.123', '12', 'walk')
    """
    return f"{value:.3g}" if isinstance(value, float) else str(value)
