"""Output of every command: results on stdout, everything else on stderr.

Messages of other packages name keyword arguments such as ``fps=``; `worded` replaces them by options such as
``--in-fps``. If the running verb lacks the option, the message refers to `segue convert`, which has it.
"""

from __future__ import annotations

import json
import math
import re
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from segue.errors import FileError, require_extra
from segue.texts import shown
from segue.threads import background_thread


@dataclass
class Verbosity:
    """Verbosity of the running verb: ``-v`` and ``-q``."""

    verbose: bool = False
    quiet: bool = False


VERBOSITY = Verbosity()


def set_verbose(wanted: bool) -> bool:
    """Set whether all details are printed or a few lines, and return the value."""
    VERBOSITY.verbose = wanted
    return wanted


def set_quiet(wanted: bool) -> bool:
    """Set whether progress and notes are suppressed, and return the value."""
    VERBOSITY.quiet = wanted
    return wanted


def note(text: str) -> None:
    """Print a line on stderr unless ``-q`` is set."""
    if not VERBOSITY.quiet:
        warn(text)


def warn(text: str) -> None:
    """Print a line on stderr, also with ``-q``: a result misses its target or lacks a part."""
    print(shown(worded(text), lines=True), file=sys.stderr)


def result(document: dict[str, Any], text: str, *, as_json: bool, brief: str | None = None) -> None:
    """Print the result on stdout: one JSON document, or text; ``brief``, if given, replaces it without ``-v``.

    A brief text has at most five lines: file, share of the input used, seams, feet, record.
    """
    if as_json:
        print(json.dumps(_finite(document), indent=1, allow_nan=False))
    else:
        print(shown(worded(text if brief is None or VERBOSITY.verbose else brief), lines=True))


def _finite(value: Any) -> Any:
    """Replace numbers that JSON lacks (infinity, NaN) by None."""
    if isinstance(value, dict):
        return {key: _finite(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


NEEDED = {
    ".png": ("a picture", "plot"),
    ".usd": ("writing USD", "usd"),
    ".usda": ("writing USD", "usd"),
    ".usdc": ("writing USD", "usd"),
    ".usdz": ("writing USD", "usd"),
}
"""Purpose and package extra by extension of a result, checked before any work."""


def writable(path: Path, *, force: bool, kinds: tuple[str, ...], beside: Sequence[Path] = ()) -> Path:
    """Check before any work that a result, and the files written ``beside`` it, can be written.

    Raises
    ------
    FileError
        If the extension is unknown, the folder is missing, or the file exists and ``--force`` was not given.
    MissingExtraError
        If a package that writes such a file is not installed.
    """
    kind = path.suffix.lower()
    if kind not in kinds:
        raise FileError(path, f"has no known extension; it can be {', '.join(kinds)}")
    if extra := NEEDED.get(kind):
        require_extra(*extra)
    if not path.parent.is_dir():
        raise FileError(path, f"the folder {path.parent} does not exist")
    try:
        # Permissions are not sufficient: root passes them, and /proc refuses files regardless.
        tempfile.TemporaryFile(dir=path.parent).close()
    except OSError:
        raise FileError(
            path, f"the folder {path.parent.resolve()} may not be written to; name another with -o"
        ) from None
    if path.exists() and not force:
        raise FileError(path, "exists already; --force overwrites it")
    for other in beside:
        if other.exists() and not force:
            raise FileError(other, "exists already: it belongs to another motion; --force overwrites it")
    return path


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Report a failed write under the name of the requested file, not of the temporary one."""
    try:
        yield
    except OSError as error:
        raise FileError(path, f"cannot be written: {error.strerror or error}") from None


def counted(count: int, thing: str, things: str = "") -> str:
    """Return a count with its noun: 1 clip, 2 clips."""
    return f"{count} {thing}" if count == 1 else f"{count} {things or thing + 's'}"


EACH_LINE = 10.0
"""Seconds between two lines of progress if stderr is not a terminal."""


class Progress:
    """Progress of a job: called with a stage, the amount done and the total."""

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Report that ``done`` of ``total`` of a stage is complete."""

    def status(self, stage: str, text: str) -> None:
        """Report on a stage of unknown length."""

    def close(self) -> None:
        """Stop reporting."""


class _Lines(Progress):
    """For a file or a program that reads stderr: a line every `EACH_LINE` seconds, none for shorter jobs."""

    def __init__(self) -> None:
        self.begin = time.monotonic()
        self.now = ""
        self.done = threading.Event()
        self.thread = background_thread(self._print, name="segue-progress")
        self.thread.start()

    def __call__(self, stage: str, done: int, total: int) -> None:
        self.now = f"{stage}, {done} of {total}"

    def status(self, stage: str, text: str) -> None:
        self.now = f"{stage}, {text}"

    def close(self) -> None:
        self.done.set()
        self.thread.join()

    def _print(self) -> None:
        while not self.done.wait(EACH_LINE):
            if self.now:
                note(f"segue: {self.now} after {time.monotonic() - self.begin:.0f} s")


class _ProgressBars(Progress):
    """For a terminal: one bar per stage, each with its time, removed when the work is done."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        columns = (TextColumn("{task.description}"), BarColumn(24), TextColumn("{task.fields[count]}"))
        self.bars = Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True), transient=True)
        self.tasks: dict[str, Any] = {}
        self.bars.start()

    def _task(self, stage: str, total: int | None) -> Any:
        if stage not in self.tasks:
            self.tasks[stage] = self.bars.add_task(shown(stage), total=total, count="")
        return self.tasks[stage]

    def __call__(self, stage: str, done: int, total: int) -> None:
        self.bars.update(self._task(stage, total), completed=done, total=total, count=f"{done}/{total}")

    def status(self, stage: str, text: str) -> None:
        self.bars.update(self._task(stage, None), count=shown(text))

    def close(self) -> None:
        self.bars.stop()


@contextmanager
def progress(*, quiet: bool = False) -> Iterator[Progress]:
    """Show progress on stderr: bars on a terminal unless ``quiet``, elsewhere a line every ten seconds."""
    on_terminal = sys.stderr.isatty()
    if VERBOSITY.quiet or (quiet and on_terminal):
        yield Progress()
        return
    given = _ProgressBars() if on_terminal else _Lines()
    try:
        yield given
    finally:
        given.close()


def skipped_notes(skipped: tuple[tuple[str, str], ...]) -> None:
    """Print which files were left out and why."""
    for _, why in skipped:
        warn(f"skipped {why}")


def table(rows: Sequence[tuple[str, ...]], *, indent: str = "  ") -> str:
    """Return rows of words as aligned columns, one row a line; the last column is not padded."""
    rows = [tuple(map(shown, row)) for row in rows]
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]) - 1)] if rows else []
    return "\n".join(
        indent + "  ".join([*(word.ljust(width) for word, width in zip(row, widths, strict=False)), row[-1]])
        for row in rows
    )


READING = {
    "fps": "--in-fps",
    "unit": "--in-unit",
    "up": "--in-up",
    "root_position": "--root-position",
    "encoding": "--encoding",
}
"""Options that control how a file is read, by the keyword argument of `segue.load`."""
_SAME = "feet", "effort", "root", "way", "by", "turn", "heights", "hands", "body", "longest", "floor", "blend"
SETTING = {
    **{name: name for name in (*_SAME, "threshold")},
    "blend_seconds": "blend",
    "length": "blend",
    "weighting": "set weighting",
    "memory_budget": "memory",
}
"""Options of settings, without dashes, by the keyword argument of the functions that take them."""
PHRASES = (
    (r",? or (?:pass|name it (?:in Python )?with) (?:load\(\.\.\., )?skeleton=\)?", ""),
    (r"; load the \.amc file and pass this as skeleton=", "; give the .amc file that lies beside it"),
    (r"; the licensed model's go in with skeleton= \(key 'J'\)", ""),
    (r" \(more are for segue\.runtime\.crowd\)", ""),
    (r", write it as \.trc or \.csv with segue\.io\.markers", ""),
    (r"; (?:mode='r' reads it|open it with mode='w' to change it)", ""),
    (r" \(in Python encoding='\w+'\)", ""),
    (r", as convert --in-fps does", ""),
    (r"; segue\.load_folder reads all of them", ""),
    (r"up= or (?=--in-up)", ""),
    (r"(there is no such file or folder)$", r"\1; segue samples -o clips/ writes some to begin with"),
    (r"\bpass (?=a lower fps=|[a-z_]+=)", "give "),
)
"""Patterns of advice meant for Python code, and their replacements on the command line."""
_BARE = re.compile(rf"\b({'|'.join(READING)})=(?![\w'\"{{\[(-])")
_VALUED = re.compile(rf"\b({'|'.join([*SETTING, *READING])})=('[^']*'|[^\s;,)]+)")
_QUICK = re.compile(r"=|segue\.|load\(|no such file")


@dataclass
class _Verb:
    """Options of the running verb."""

    options: frozenset[str] = frozenset()


_RUNNING = _Verb()


def running(options: Iterable[str]) -> None:
    """Set the options of the running verb, which `worded` may advise."""
    _RUNNING.options = frozenset(options)


def worded(text: str) -> str:
    """Return a message with keyword arguments replaced by command-line options.

    Examples
    --------
    >>> running(["--in-fps"])
    >>> worded("walk.npz: holds no frame rate; pass fps=")
    'walk.npz: holds no frame rate; give --in-fps'
    >>> worded("feet='fixed' is not known; choose 'natural' or 'locked'")
    "feet='fixed' is not known; choose 'natural' or 'locked'"
    >>> running([])
    >>> worded("up: Y, the usual one for TRC; up= overrides")
    'up: Y, the usual one for TRC; segue convert --in-up overrides'
    """
    if not _QUICK.search(text):
        return text
    for phrase, instead in PHRASES:
        text = re.sub(phrase, instead, text)
    text = _BARE.sub(lambda found: _reading(found[1]), text)
    return _VALUED.sub(_valued, text)


def _reading(name: str) -> str:
    option = READING[name]
    return option if option in _RUNNING.options else f"segue convert {option}"


def _valued(found: re.Match[str]) -> str:
    name, value = found[1], found[2].strip("'")
    option = f"--{SETTING[name]}" if name in SETTING else READING[name]
    if option.partition(" ")[0] not in _RUNNING.options:
        return found[0]
    return f"{option}={value}" if " " in option else f"{option} {value}"
