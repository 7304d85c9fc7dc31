"""Mutation test: plant one fault at a time into a copy of the package and check that its tests fail.

Each fault replaces one piece of source text that occurs exactly once. The copy (sources, tests, settings) is in a
temporary folder; the working tree is only read. The chosen tests must first pass without a fault, or a failure
would mean nothing. Then each fault is planted, its tests are run, and the source is restored. A fault is caught
when a test itself fails: a copy that cannot be imported, no tests, or a timeout count as missed.

The real clips are not next to the copy, so faults caught here are caught on every machine.

    python scripts/plant_faults.py                  # all faults; exit status 1 if one is missed
    python scripts/plant_faults.py hand contact     # those whose name holds one of these words
    python scripts/plant_faults.py --list
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from planted_faults import FAULTS, Fault

ROOT = Path(__file__).resolve().parents[1]
PARTS = ("src", "tests", "pyproject.toml")
LEFT_OUT = ("-m", "not data", "-k", "not validator")  # needs more than the copy holds
PATIENCE = 240  # seconds for the tests of one fault

# The copy's sources come first in the path, and the run confirms it. Failing examples are not shrunk: only the
# failure matters.
RUNNER = """
import sys
from pathlib import Path
sys.path.insert(0, str(Path("src").resolve()))
import segue
assert Path(segue.__file__).resolve().is_relative_to(Path("src").resolve()), segue.__file__
import pytest

class Profile:
    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self):
        from hypothesis import Phase, settings
        phases = [Phase.explicit, Phase.generate]
        settings.register_profile("planted", deadline=None, derandomize=True, max_examples=100, phases=phases)

sys.exit(pytest.main(sys.argv[1:], plugins=[Profile()]))
"""


def copy_to(folder: Path) -> None:
    """Copy sources, tests and settings, with file times, so that byte code stays valid for its source."""
    hidden = shutil.ignore_patterns("__pycache__", ".*")
    for part in PARTS:
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, folder / part, ignore=hidden)
        else:
            shutil.copy2(ROOT / part, folder / part)


def run_tests(folder: Path, tests: list[str], *, planted: bool = True) -> tuple[int | None, str]:
    """Return the exit status (None after a timeout) and output of tests in the copy."""
    # A fault may have the same length and time as the text it replaces: byte code must not survive it.
    command = [sys.executable, *(["-B"] if planted else []), "-c", RUNNER]
    settings = ["-x", "-q", "-p", "no:randomly", "-p", "no:cacheprovider", "--hypothesis-profile=planted"]
    try:
        run = subprocess.run(
            [*command, *settings, *LEFT_OUT, *(f"tests/{test}" for test in tests)],
            cwd=folder,
            # Compiled kernels are cached with the copy and removed with it.
            env={**os.environ, "XDG_CACHE_HOME": str(folder / "cache")},
            capture_output=True,
            text=True,
            timeout=PATIENCE if planted else None,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None, ""
    return run.returncode, run.stdout + run.stderr


def witness(status: int | None, output: str) -> tuple[bool, str]:
    """Return whether a test noticed, and which test, or why none did."""
    failed = re.search(r"^(?:FAILED|ERROR) tests/(\S+?::\S+)", output, re.MULTILINE)
    if status == 1 and failed:
        return True, failed[1]
    if status == 0:
        return False, "every test is green"
    return False, "no end in time" if status is None else f"no verdict (status {status}): {output[-300:]}"


def try_fault(fault: Fault, folder: Path) -> tuple[bool, str]:
    """Plant one fault, run its tests, restore the source."""
    path = folder / "src" / "segue" / fault.file
    before, times = path.read_text("utf-8"), path.stat()
    try:
        after = fault.planted(before)
    except ValueError as error:  # the source has changed since: this proves nothing
        return False, str(error)
    path.write_text(after, encoding="utf-8")
    try:
        return witness(*run_tests(folder, list(fault.tests)))
    finally:
        path.write_text(before, encoding="utf-8")
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def main() -> int:
    """Print a line per fault; return the exit status."""
    parser = argparse.ArgumentParser(description="Plant faults one at a time and check whether a test fails.")
    parser.add_argument("words", nargs="*", help="only faults whose name holds one of these")
    parser.add_argument("--list", action="store_true", help="list the faults that would be planted, and stop")
    given = parser.parse_args()
    chosen = [f for f in FAULTS if not given.words or any(word in f.name for word in given.words)]
    if given.list or not chosen:
        for fault in chosen or FAULTS:
            print(f"{fault.name:45} {fault.file:26} {fault.says}")
        return int(not chosen)
    missed = 0
    with tempfile.TemporaryDirectory(prefix="planted-") as name:
        folder = Path(name)
        copy_to(folder)
        tests = list(dict.fromkeys(test for fault in chosen for test in fault.tests))
        status, output = run_tests(folder, tests, planted=False)
        if status != 0:
            print(f"tests are not green without a fault:\n{output[-3000:]}")
            return 1
        print(f"without a fault: {output.strip().splitlines()[-1]}", flush=True)
        for fault in chosen:
            begun = time.monotonic()
            caught, why = try_fault(fault, folder)
            missed += not caught
            verdict = "red  " if caught else "GREEN"
            print(f"{verdict} {time.monotonic() - begun:5.1f} s  {fault.name:45} {why}", flush=True)
    print(f"{len(chosen) - missed} of {len(chosen)} faults turn a test red")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
