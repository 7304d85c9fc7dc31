"""Mutated inputs of every kind that a command or function accepts, by structure and by bytes, in child processes.

Shows: mutated inputs of more than 30 kinds, by structure and by bytes, in child processes: motion files of every
    format, libraries and their contents, walkers, spaces, records read and replayed, TOML, tables, drawings,
    transitions; a sample by default, `--count 20000` is the full run, `--kind` one kind
Bars: a result or one of segue's errors, no other exception, crash or hang; at most 2 s plus 1 s a megabyte, and 64 MB
    plus 30 times the size, more only for requested work; no file outside the output folder; accepted inputs are
    finite and come back equal
Needs: Linux, for the memory bound
Group: Other programs and long runs

Only errors that a user can act on may be raised, within bounds of memory and time; nothing is written outside the
output folder; accepted inputs are finite and come back equal. ``--count 20000`` is the full run of each kind.
``--kind NAME`` runs one, its inputs divided among the workers; ``--kind NAME --number N`` writes that input to the
folder for temporary files and tries it.
"""

from __future__ import annotations

import collections
import contextlib
import itertools
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from _fuzz_kinds import KINDS, make_seeds
from _runner import Show, run

FULL = 20_000
SAMPLE = 3000
HANG = 60.0  # seconds without output
_PATIENT = 10  # longer by this factor for a process that had no processor for half of them
_MOST_DEATHS = 5  # of processes of a kind in a sample; more in a full run
_NONE = 200  # inputs of which at least one must be accepted, else the mutations destroy too much
_SHOWN = 8  # kinds of faults that are listed


@dataclass
class Tally:
    """Results of the inputs of a kind."""

    kind: str
    outcomes: collections.Counter[str] = field(default_factory=collections.Counter)
    faults: dict[str, list[int]] = field(default_factory=lambda: collections.defaultdict(list))
    slow: float = 0.0
    large: float = 0.0
    stopped: bool = False

    def hear(self, words: list[Any]) -> None:
        """Record one line of a process."""
        what, number, *rest = words
        if what == "seed" and rest[0] != "accepted":
            self.faults[f"seed {number} is {rest[0]}: {rest[1]}"].append(-1)
        if what == "done":
            outcome, slow, large, why = rest
            self.outcomes[outcome] += 1
            self.slow, self.large = max(self.slow, slow), max(self.large, large)
            if outcome not in {"accepted", "refused"}:
                self.faults[f"{outcome}: {why}"].append(number)
            if slow > 1:
                self.faults["slow"].append(number)
            if large > 1:
                self.faults["memory"].append(number)

    def died(self, number: int, how: str) -> None:
        """Record that a process did not survive an input."""
        self.outcomes["crash" if how != "hang" else how] += 1
        self.faults[f"process: {how}"].append(number)

    def add(self, other: Tally) -> None:
        """Add the results of other inputs of the same kind."""
        self.outcomes += other.outcomes
        for why, numbers in other.faults.items():
            self.faults[why] += numbers
        self.slow, self.large = max(self.slow, other.slow), max(self.large, other.large)
        self.stopped |= other.stopped

    def verdict(self, verdicts: Show) -> None:
        """Print number, bar and verdict, and the faults by kind."""
        good, bad = self.outcomes["accepted"], self.outcomes["refused"]
        rest = sum(self.outcomes.values()) - good - bad
        shown = f"{good} + {bad} + {rest}, {self.slow:.2f}, {self.large:.2f}"
        if bad >= _NONE and not good:
            self.faults["none is accepted: mutations spoil every file"].append(0)
        fine = not self.faults and not self.stopped
        verdicts.check(self.kind, shown, "0 else, <= 1, <= 1", fine)
        rows = sorted(self.faults.items(), key=lambda one: -len(one[1]))
        for why, numbers in rows[:_SHOWN]:
            verdicts.note(f"    {len(numbers)} x {why} (as number {numbers[0]})")
        if len(rows) > _SHOWN:
            verdicts.note(f"    and {len(rows) - _SHOWN} kinds of faults more")
        if self.stopped:
            verdicts.note("    stopped: too many processes died")


def run_inputs(name: str, inputs: range, seed: int, seeds: Path, *, most_deaths: int) -> Tally:
    tally, first, deaths = Tally(name), inputs.start, 0
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        while first < inputs.stop:
            at, how = _process(name, (seed, first, inputs.stop), (seeds, Path(folder) / "room"), tally)
            if how is None:
                break
            tally.died(at, how)
            first, deaths = max(at, first) + 1, deaths + 1
            if deaths >= most_deaths:
                tally.stopped = True
                break
    return tally


def divided(count: int, parts: int) -> list[range]:
    """Split inputs 0 to ``count`` into ranges of similar size."""
    edges = [count * k // parts for k in range(parts + 1)]
    return [range(*pair) for pair in itertools.pairwise(edges)]


def _process(
    name: str, numbers: tuple[int, int, int], folders: tuple[Path, Path], tally: Tally
) -> tuple[int, str | None]:
    """One process: the input it was at, and how it died; None if it finished."""
    script = Path(__file__).with_name("_fuzz_child.py")
    words = [sys.executable, str(script), name, *map(str, numbers), *map(str, folders)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    child = subprocess.Popen(words, **pipes, env={**os.environ, "NUMBA_NUM_THREADS": "1"})
    reported: queue.Queue[bytes] = queue.Queue()
    errors: list[bytes] = [b""]

    def listen() -> None:
        for line in child.stdout or ():
            reported.put(line)
        reported.put(b"")

    def keep_errors() -> None:
        for line in child.stderr or ():
            errors[0] = line or errors[0]

    ears = [threading.Thread(target=one, daemon=True) for one in (listen, keep_errors)]
    for ear in ears:
        ear.start()
    at = numbers[1]
    while line := _next_line(reported, child):
        document = json.loads(line)
        at = document[1] if document[0] == "at" else at
        tally.hear(document)
    if line is None:
        child.kill()
        child.wait()
        return at, "hang"
    code = child.wait()
    for ear in ears:
        ear.join()
    last = errors[0].decode(errors="replace").strip()
    return at, None if code == 0 else f"exit {code} {last[:100]}"


def _next_line(reported: queue.Queue[bytes], child: subprocess.Popen[bytes]) -> bytes | None:
    """The next line of a process: empty at its end, None if it hangs."""
    busy = _busy(child.pid)
    for _ in range(_PATIENT):
        with contextlib.suppress(queue.Empty):
            return reported.get(timeout=HANG)
        if _busy(child.pid) - busy > 0.5 * HANG:
            return None
    return None  # it is blocked; on a busy machine it would have run by now


def _busy(pid: int) -> float:
    """Processor seconds of a process; 0 where the system does not report them."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def tried_alone(name: str, seed: int, number: int, seeds: Path) -> None:
    """Write one input to a permanent place, and try it in this process."""
    kind = KINDS[name]
    file, content = kind.mutant(seed, number, seeds)
    kept = Path(tempfile.gettempdir()) / f"fuzz-{name}-{number}-{file}"
    kept.write_bytes(content)
    print(f"{kept}: {len(content)} bytes")
    (seeds / file).write_bytes(content)
    (seeds / "out").mkdir()
    try:
        print("accepted", kind.use(seeds / file, seeds / "out"))
    except Exception:  # noqa: BLE001  # show any exception
        traceback.print_exc()


@contextlib.contextmanager
def seeds_folder() -> Iterator[Path]:
    """Make the files that inputs are mutated from."""
    with tempfile.TemporaryDirectory(prefix="fuzz-seeds-") as folder:
        make_seeds(Path(folder))
        yield Path(folder)


def main(verdicts: Show) -> None:
    given = verdicts.options
    with seeds_folder() as seeds:
        if given.number is not None:
            for name in given.kind or ():
                tried_alone(name, given.seed, given.number, seeds)
            return
        names = given.kind or list(KINDS)
        counts = {name: given.count or max(round(SAMPLE * KINDS[name].share), 20) for name in names}
        verdicts.note(f"{len(names)} kinds, seed {given.seed}")
        verdicts.note(
            "accepted + refused + anything else, longest of 2 s + 1 s a MB, most memory of 64 MB + 30 x size"
        )
        if (given.count or 0) < FULL:
            verdicts.note(
                f"a sample of {sum(counts.values()):,} inputs of the full run, --count {FULL}: {FULL:,} a kind"
            )
        deaths = _MOST_DEATHS if (given.count or 0) < FULL else 200
        parts = max(given.workers // len(names), 1)  # with fewer kinds than workers, each kind has several
        with ThreadPoolExecutor(given.workers) as pool:
            jobs = [
                [
                    pool.submit(run_inputs, name, part, given.seed, seeds, most_deaths=deaths)
                    for part in divided(counts[name], parts)
                ]
                for name in names
            ]
            for of_kind in jobs:
                whole, *others = (job.result() for job in of_kind)
                for tally in others:
                    whole.add(tally)
                whole.verdict(verdicts)


OPTIONS = {
    "--count": {"type": int, "help": f"inputs of each kind; a sample of {SAMPLE} and fewer by default"},
    "--seed": {"type": int, "default": 20240613},
    "--kind": {"choices": sorted(KINDS), "action": "append"},
    "--number": {"type": int, "help": "one input, tried in this process"},
    "--workers": {"type": int, "default": max(min(os.cpu_count() or 1, 8), 1)},
}

if __name__ == "__main__":
    run(main, "Mutated inputs", OPTIONS)
