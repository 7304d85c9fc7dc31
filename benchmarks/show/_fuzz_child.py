"""A process that tries inputs of one kind one after the other, and reports each result on standard output.

Reports are lines of JSON: ``["at", number]`` before an input and ``["done", number, outcome, time, memory, what]``
after it; time and memory are shares of the limit of the input. After a crash or a hang the process is started again
behind the input it was at.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import sys
import time
import traceback
from pathlib import Path

from _fuzz_kinds import KINDS, Kind
from _fuzz_uses import UnequalError

from segue.errors import SegueError

STATUS = Path("/proc/self/status")
ROOM = 8 << 30  # bytes of address space
_SECONDS, _BYTES = 2.0, 64e6  # for any input, plus a share for its size
_A_MEGABYTE, _TIMES = 1.0, 30.0


def resident(word: str) -> int:
    """Return the memory in use in bytes (VmRSS), or its maximum since the last reset (VmHWM)."""
    if not STATUS.exists():
        return 0
    found = [line for line in STATUS.read_text().splitlines() if line.startswith(f"{word}:")]
    return 1024 * int(found[0].split()[1]) if found else 0


class Place:
    """Folders of one process: inputs, the output folder, and around them nothing that may change."""

    def __init__(self, seeds: Path, room: Path) -> None:
        self.seeds, self.room = seeds, room
        self.around = room / "a" / "b"
        self.inside, self.out, self.cwd = (self.around / name for name in ("in", "out", "cwd"))
        shutil.rmtree(room, ignore_errors=True)
        shutil.copytree(seeds, self.inside)
        self.out.mkdir()
        self.cwd.mkdir()
        os.chdir(self.cwd)
        self.expected = self.seen()

    def seen(self) -> list[list[str]]:
        """Return the names in every folder except the output folder."""
        return [
            sorted(path.name for path in one.iterdir())
            for one in (self.room, self.around.parent, self.around, self.inside, self.cwd)
        ]

    def clean(self, name: str) -> None:
        """Restore the mutated file, and empty the output folder."""
        (self.inside / name).write_bytes((self.seeds / name).read_bytes())
        if any(self.out.iterdir()):
            shutil.rmtree(self.out)
            self.out.mkdir()


def tried(kind: Kind, place: Place, name: str, content: bytes) -> tuple[str, float, float, str]:
    """Return the outcome of an input, its time and memory as shares of the limits, and what was wrong."""
    file = place.inside / name
    file.write_bytes(content)
    if STATUS.exists():
        Path("/proc/self/clear_refs").write_text("5")  # reset the high-water mark
    before, begun, work, what = resident("VmRSS"), time.process_time(), 0.0, ""
    try:
        work = kind.use(file, place.out)
        outcome = "accepted"
    except SegueError as error:
        outcome = "refused"
        if "\n" in str(error) or not str(error).strip():
            outcome, what = "foreign", f"a sentence of several lines: {str(error)[:80]!r}"
        elif any(str(path) in str(error) for path in place.out.rglob("*")):
            # Files written by segue must be accepted.
            outcome, what = "unequal", f"written and refused: {str(error).replace(str(place.out), '')[:90]}"
    except UnequalError as error:
        outcome, what = "unequal", str(error)
    except Exception as error:  # noqa: BLE001  # any other exception is a finding
        outcome, what = "foreign", signature(error)
    seconds, extra = time.process_time() - begun, resident("VmHWM") - before
    place.clean(name)
    if place.seen() != place.expected:
        outcome, what = "outside", f"files outside the folder: {place.seen()}"[:200]
        place.__init__(place.seeds, place.room)  # type: ignore[misc]
    slow = seconds / (_SECONDS + work + _A_MEGABYTE * len(content) / 1e6)
    large = extra / (_BYTES + _TIMES * len(content) + 40e6 * work)
    return outcome, slow, large, what


def signature(error: Exception) -> str:
    """Return the type, origin within segue, and message of an error: equal for faults of one kind."""
    frames = [
        one for one in traceback.extract_tb(error.__traceback__) if f"{os.sep}segue{os.sep}" in one.filename
    ]
    where = f"{Path(frames[-1].filename).name}:{frames[-1].name}" if frames else "?"
    return f"{type(error).__name__} in {where}: {str(error)[:60]!r}"


def main() -> None:
    """Try inputs ``first`` up to ``stop`` of a kind."""
    name, seed, first, stop, seeds, room = sys.argv[1:]
    kind = KINDS[name]
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (ROOM if hard < 0 else min(ROOM, hard), hard))
    place = Place(Path(seeds), Path(room))

    def say(*words: object) -> None:
        sys.__stdout__.write(json.dumps(words) + "\n")
        sys.__stdout__.flush()

    for number, file in enumerate(kind.files):  # compilation is not counted
        outcome, *_, what = tried(kind, place, file, (place.seeds / file).read_bytes())
        say("seed", number, outcome, what)
    for number in range(int(first), int(stop)):
        file, content = kind.mutant(int(seed), number, place.seeds)
        say("at", number)
        outcome = tried(kind, place, file, content)
        if outcome[1] > 1.0:  # once more: kernels and modules loaded by the first run are not counted
            outcome = tried(kind, place, file, content)
        say("done", number, *outcome)


if __name__ == "__main__":
    main()
