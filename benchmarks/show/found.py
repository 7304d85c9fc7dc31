"""Every awkward input found so far, with its expected result: own inputs, inputs after public reports, attacks.

Shows: every awkward input found so far (own inputs, inputs after public reports, attacks) with its expected result;
    `--only f0` runs those whose names begin with it
Bars: every one as expected
Needs: clips, awkward inputs
Group: Files

``--only f0`` runs those whose names begin with it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import _found_inputs
import _found_public
from _data import require_data
from _found_run import FOUND, Try
from _runner import Show, run

from segue.errors import SegueError

_OLDER = Path(__file__).with_name("_found_older")


def one(verdicts: Show, tried: Try) -> None:
    """Try one input in its own folder; any exception is a failure."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            good, seen = tried.run(Path(folder))
        except SegueError as error:
            good, seen = False, str(error)
        except Exception as error:  # noqa: BLE001 - a traceback is a finding
            good, seen = False, f"{type(error).__name__}: {error}"
    verdicts.check(tried.name, "", "as expected", good)
    verdicts.note(f"    {str(seen)[:150]}")


def written(script: str, folder: str) -> list[str]:
    """Return the lines printed by a script of attacks; it imports some modules by earlier names."""
    words = [sys.executable, str(FOUND / "attack" / script), folder]
    path = os.pathsep.join(filter(None, [str(_OLDER), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        words, check=False, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path}
    )
    if done.returncode and script == "make.py":
        raise SystemExit(f"{script} ends with exit code {done.returncode}: {done.stderr.strip()[-300:]}")
    return done.stdout.splitlines()


def attacks(verdicts: Show) -> None:
    """Try malicious documents and folders, and faults that are not files."""
    with tempfile.TemporaryDirectory() as folder:
        written("make.py", folder)
        lines = written("check.py", folder)
    tried = [line for line in lines if line[:6].strip() in {"good", "FAIL"}]
    bad = [line for line in tried if line.startswith("FAIL")]
    for line in bad:
        verdicts.note(line[:150])
    verdicts.check("attacks answered", f"{len(tried) - len(bad)} of {len(tried)}", "all", tried and not bad)
    with tempfile.TemporaryDirectory() as folder:
        lines = written("durability.py", folder)
    durable = [(line, lasts(line)) for line in lines if re.match(r"\d ", line)]
    for line, good in durable:
        verdicts.note(f"{'good' if good else 'FAIL'}  {line[:140]}")
    count = sum(good for _, good in durable)
    verdicts.check("faults without files", f"{count} of {len(durable)}", "all of 11", count == 11)


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "emptied": lambda held: held[:0],
    "cut short": lambda held: held[: len(held) // 2],
    "changed in one byte": lambda held: held[:-1] + bytes([held[-1] ^ 1]),
}


def kernel_files(verdicts: Show) -> None:
    """Check that damaged kernel files are compiled again: the attack scripts expect files of earlier versions."""

    def made(cache: Path) -> tuple[int, str]:
        words = ["-m", "segue", "stitch", "sample:walk", "sample:stop", "-o", "made.bvh", "--force"]
        env = {**os.environ, "XDG_CACHE_HOME": str(cache)}
        done = subprocess.run(
            [sys.executable, *words], check=False, cwd=folder, capture_output=True, text=True, env=env
        )
        return done.returncode, done.stdout

    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "whole"
        first = made(whole)
        for how, damage in DAMAGES.items():
            cache = Path(folder) / how
            shutil.copytree(whole, cache)
            damaged = {file: damage(file.read_bytes()) for file in cache.rglob("*.kernel")}
            for file, held in damaged.items():
                file.write_bytes(held)
            again = made(cache)
            left = [file.name for file, held in damaged.items() if file.read_bytes() == held]
            good = bool(damaged) and first == again and first[0] == 0 and not left
            verdicts.check(
                f"{len(damaged)} kernel files {how}", left, "all compiled again, same output", good
            )


def lasts(line: str) -> bool:
    """Return whether a result line matches its expectation."""
    seen, _, wanted = line[2:].partition(" - ")
    number = line[0]
    if number == "3":
        new = re.search(r"motion new: (\w+) record old: (\w+) measure exits (\d)", seen)
        return new is not None and (new[1] != new[2] or new[3] == "2")
    if number == "4":
        return seen.count("True") == 2
    if number == "5":
        return "False" not in seen
    if number == "7":
        return seen.count("'") == 2
    value = wanted.removeprefix("should be ")
    if number in "12" or "ran:" in seen:
        return seen.endswith(value)
    exits = re.search(r"exit(?:s|) (\d+)", seen)
    return exits is not None and exits[1] == wanted.strip()[-1]


def main(verdicts: Show) -> None:
    only = verdicts.options.only
    require_data()
    if not FOUND.is_dir():
        print(f"the awkward inputs are not next to the project ({FOUND}): nothing can be measured")
        sys.exit(1)
    for tried in (*_found_inputs.TRIES, *_found_public.tries()):
        if tried.name.startswith(only):
            one(verdicts, tried)
    if "attacks".startswith(only):
        attacks(verdicts)
        kernel_files(verdicts)


if __name__ == "__main__":
    run(
        main,
        "awkward inputs by their expectations",
        {"--only": {"default": "", "help": "beginning of the names of inputs to try"}},
    )
