"""Common parts of all shows: options, clips, a folder, timing in rounds, tables, verdicts, JSON.

A script ends with

    if __name__ == "__main__":
        run(main, "what it is about", {"--seeds": {"type": int, "default": 3, "help": "number of seeds"}})

and its ``main`` takes a `Show`. Each has the option ``--json FILE``.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from _data import require_data
from _verdict import Verdicts

Work = Callable[[], object]
PICTURES: dict[str, dict[str, Any]] = {
    "--pictures": {"type": Path, "metavar": "FOLDER", "help": "keep pictures in this folder"}
}
"""Option of shows that draw."""


class Show(Verdicts):
    """One run of a script: its options, its folders, and its results."""

    def __init__(self, title: str, options: argparse.Namespace) -> None:
        super().__init__(title)
        self.title = title
        self.options = options
        self.more: dict[str, Any] = {}
        """Additional output of ``--json``, besides checks and notes."""
        self._scratch: tempfile.TemporaryDirectory[str] | None = None

    @property
    def clips(self) -> Path:
        """Folder of the real clips; exits if it is missing."""
        return require_data()

    @cached_property
    def folder(self) -> Path:
        """A temporary folder, removed at the end."""
        self._scratch = tempfile.TemporaryDirectory(prefix="segue-show-", ignore_cleanup_errors=True)
        return Path(self._scratch.name)

    def table(self, heads: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        """Print rows under their headings: the first column left-aligned, all others right-aligned."""
        cells = [list(heads), *([_cell(one) for one in row] for row in rows)]
        wide = [max(len(row[column]) for row in cells) for column in range(len(heads))]
        for first, *rest in cells:
            pairs = zip(rest, wide[1:], strict=True)
            self.note(
                "  ".join([first.ljust(wide[0]), *(text.rjust(width) for text, width in pairs)]).rstrip()
            )

    def write(self, path: Path) -> None:
        """Write the measurements as JSON."""
        document = {"title": self.title, "checks": self.checks, "notes": self.notes, **self.more}
        path.write_text(json.dumps(document, indent=1, default=_plain) + "\n", encoding="utf-8")

    def close(self) -> None:
        """Remove the folder, if there is one."""
        if self._scratch is not None:
            self._scratch.cleanup()


def run(
    main: Callable[[Show], None], title: str, options: Mapping[str, Mapping[str, Any]] | None = None
) -> None:
    """Read the command line, run ``main``, write JSON if requested, and exit with the verdict."""
    parser = argparse.ArgumentParser(
        description=sys.modules["__main__"].__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name, words in (options or {}).items():
        parser.add_argument(name, **words)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything that was measured")
    show = Show(title, parser.parse_args())
    try:
        main(show)
    finally:
        show.close()
    if show.options.json is not None:
        show.write(show.options.json)
    show.finish()


def seconds(work: Work, clock: Callable[[], float] = time.process_time) -> float:
    """Return the seconds of one call, in processor time unless another clock is given."""
    start = clock()
    work()
    return clock() - start


def best(work: Work, repeats: int, *, clock: Callable[[], float] = time.process_time) -> float:
    """Return the least seconds of a job, by default in processor time: other programs only add to it."""
    return min(seconds(work, clock) for _ in range(repeats))


def rounds(
    jobs: Mapping[str, Work], count: int, *, clock: Callable[[], float] = time.process_time
) -> dict[str, list[float]]:
    """Return the seconds of each job in every round; jobs take turns, so that all run under the same conditions."""
    taken: dict[str, list[float]] = {name: [] for name in jobs}
    for _ in range(count):
        for name, work in jobs.items():
            taken[name].append(seconds(work, clock))
    return taken


def medians(
    jobs: Mapping[str, Work], count: int, *, clock: Callable[[], float] = time.process_time
) -> dict[str, float]:
    """Return the median of `rounds` for each job."""
    return {name: statistics.median(times) for name, times in rounds(jobs, count, clock=clock).items()}


def segue_json(*words: object) -> dict[str, Any]:
    """Return the JSON document of a ``segue`` command, run in its own process."""
    command = [sys.executable, "-m", "segue", *(str(word) for word in words), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"segue {' '.join(command[3:])} ended with {done.returncode}: {done.stderr.strip()}")
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def _cell(value: object) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _plain(value: Any) -> Any:
    """Numpy numbers as Python's; other values unknown to JSON as text."""
    return value.tolist() if hasattr(value, "tolist") else str(value)
