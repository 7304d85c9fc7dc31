"""The cost of the first run on a machine: kernels are compiled once, with a message, and never again.

Shows: `segue demo` with an empty folder for machine code and again, three times
Bars: compiling takes under 6 s of processor time and is reported in the first run only
Needs: nothing
Group: The parts

The main job, `segue demo`, runs in its own process with an empty folder for machine code, and again with the folder
filled by the first run. Processor time is compared, because other programs affect it less than clock time.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from _runner import Show, run

RUNS, BAR, WORDS = 3, 6.0, "compiling kernels"


def demo(folder: Path, cache: Path) -> tuple[float, str]:
    """Return processor seconds of `segue demo` and its process, and its standard error output."""
    folder.mkdir()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run(
        [sys.executable, "-m", "segue", "demo"],
        cwd=folder,
        env={**os.environ, "XDG_CACHE_HOME": str(cache)},
        capture_output=True,
        text=True,
        check=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, run.stderr


def main(verdicts: Show) -> None:
    firsts, seconds = [], []
    for _ in range(RUNS):
        with tempfile.TemporaryDirectory() as name:
            firsts.append(demo(Path(name) / "first", Path(name) / "cache"))
            seconds.append(demo(Path(name) / "again", Path(name) / "cache"))
    first, second = (statistics.median(time for time, _ in runs) for runs in (firsts, seconds))
    verdicts.note(f"processor time, medians: {first:.2f} s the first time, {second:.2f} s again")
    verdicts.check("compiling, processor time", first - second, f"< {BAR} s", unit="s")
    reported = [words.count(WORDS) for _, words in firsts]
    verdicts.check("times the first run reports it", reported, 1, set(reported) == {1})
    again = [words.count(WORDS) for _, words in seconds]
    verdicts.check("times the second run reports it", again, 0, set(again) == {0})


if __name__ == "__main__":
    run(main, f"`segue demo` on a machine for the first time and again, {RUNS} times")
