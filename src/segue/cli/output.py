"""What every command prints, and where: results on stdout, everything else on stderr."""

from __future__ import annotations

import json
import math
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from segue.errors import FileError
from segue.texts import shown


def note(text: str) -> None:
    """One line for people, on stderr."""
    print(shown(text, lines=True), file=sys.stderr)


def result(document: dict[str, Any], text: str, *, as_json: bool) -> None:
    """The result on stdout: one JSON document, or text for people."""
    print(json.dumps(_finite(document), indent=1, allow_nan=False) if as_json else shown(text, lines=True))


def _finite(value: Any) -> Any:
    """Numbers that JSON does not know (infinity, not a number) as null."""
    if isinstance(value, dict):
        return {key: _finite(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def writable(path: Path, *, force: bool, kinds: tuple[str, ...], beside: Sequence[Path] = ()) -> Path:
    """Check that a result, and what is written ``beside`` it, may be written there, before any work is done.

    Raises
    ------
    FileError
        If the extension is unknown, the folder is missing, or the file exists and ``--force`` was not given.
    """
    if path.suffix.lower() not in kinds:
        raise FileError(path, f"has no known extension; it can be {', '.join(kinds)}")
    if not path.parent.is_dir():
        raise FileError(path, f"the folder {path.parent} does not exist")
    if not os.access(path.parent, os.W_OK):
        raise FileError(
            path, f"the folder {path.parent.resolve()} may not be written to; name another with -o"
        )
    if path.exists() and not force:
        raise FileError(path, "exists already; --force overwrites it")
    for other in beside:
        if other.exists() and not force:
            raise FileError(other, "exists already: it belongs to another motion; --force overwrites it")
    return path


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Name the file that was asked for, not the temporary one, if the system will not write it."""
    try:
        yield
    except OSError as error:
        raise FileError(path, f"cannot be written: {error.strerror or error}") from None


def counted(count: int, thing: str, things: str = "") -> str:
    """Return a count with its noun: 1 clip, 2 clips."""
    return f"{count} {thing}" if count == 1 else f"{count} {things or thing + 's'}"


FIRST_LINE, EACH_LINE = 10.0, 30.0
"""Seconds before the first line of progress where stderr is no terminal, and between two of them."""


def _in_lines() -> Callable[[str, int, int], None]:
    """Progress for a file or a program that reads stderr: a line once in a while, none for what is done at once."""
    begin = time.monotonic()
    due = begin + FIRST_LINE

    def tell(stage: str, done: int, total: int) -> None:
        nonlocal due
        now = time.monotonic()
        if now >= due:
            due = now + EACH_LINE
            note(f"segue: {stage}, {done} of {total} after {now - begin:.0f} s")

    return tell


@contextmanager
def progress(*, quiet: bool = False) -> Iterator[Callable[[str, int, int], None]]:
    """Progress on stderr: bars on a terminal, unless it is to be quiet; elsewhere a line once in a while."""
    if not sys.stderr.isatty():
        yield _in_lines()
        return
    if quiet:
        yield lambda _stage, _done, _total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        tasks: dict[str, Any] = {}

        def tell(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(shown(stage), total=total)
            bars.update(tasks[stage], completed=done, total=total)

        yield tell


def skipped_notes(skipped: tuple[tuple[str, str], ...]) -> None:
    """Say which files were left out and why."""
    for _, why in skipped:
        note(f"skipped {why}")


def table(rows: Sequence[tuple[str, ...]], *, indent: str = "  ") -> str:
    """Rows of words as aligned columns, each on one line; the last column is not padded."""
    rows = [tuple(map(shown, row)) for row in rows]
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]) - 1)] if rows else []
    return "\n".join(
        indent + "  ".join([*(word.ljust(width) for word, width in zip(row, widths, strict=False)), row[-1]])
        for row in rows
    )
