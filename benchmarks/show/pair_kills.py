"""Processes killed while they write over older results: the old pair or the new one is there, never a mixture.

Shows: 1,000 processes killed while they write motions with records, files and a library over older ones
Bars: the old result or the new one each time
Needs: nothing
Group: Files

A motion with its record (what wander, stitch, loop, mirror, walk, steer and replay write, in each format), a converted
file, and an exported library, each written with leave to overwrite in a process that is killed at its so-manieth change
of a file. ``--kills`` for more or fewer.
"""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from _runner import Show, run

import segue
from segue.app import stages
from segue.app.record import with_record
from segue.errors import FileError
from segue.library.exchange import export_library

OLD, NEW = 0.0, 5.0
"""Metres to the side by which the two motions differ."""


class Job(NamedTuple):
    """How a result is written, old or new, and which of the two lies there; None for neither."""

    write: Callable[[Path, float], object]
    found: Callable[[Path], float | None]
    name: str


def moved(side: float) -> Any:
    """The same walk at another place."""
    walk = segue.sample("walk", 30.0)
    return walk.with_motion(root_positions=walk.root_positions + np.array([side, 0.0, 0.0]))


def write_pair(path: Path, side: float) -> None:
    """Write a motion and the record that tells which it is."""
    collection = stages.read(["sample:walk"])
    stages.write(moved(side), path, collection=collection, command="wander", settings={"side": side})


def pair_there(path: Path) -> float | None:
    """Which pair lies there."""
    clip, record = with_record(segue.load(path), path)
    side = round(float(clip.root_positions[0, 0]) / NEW) * NEW
    return side if record is not None and record.settings["side"] == side else None


def file_there(path: Path) -> float | None:
    """Which file lies there."""
    return round(float(segue.load(path).root_positions[0, 0]) / NEW) * NEW


def export(path: Path, side: float) -> None:
    """Export the one or the other clip of a library into a new one, in the place of an older one."""
    name = "run" if side == OLD else "walk"
    with segue.Library.open(path.with_name("all.segue"), mode="r") as library:
        path.unlink(missing_ok=True)
        export_library(library, path, names=[name])


def library_there(path: Path) -> float | None:
    """Which library lies there; none at all is what a person who removed it first expects."""
    if not path.exists():
        return OLD
    with segue.Library.open(path, mode="r") as library:
        return {("run",): OLD, ("walk",): NEW}.get(tuple(entry.name for entry in library.clips()))


def killed_at(job: Job, path: Path, number: int) -> bool:
    """Write the new result in a process that is killed at a change of a file; whether it was."""
    child = os.fork()
    if not child:
        count = 0

        def counting(function: Any) -> Any:
            def changed(*words: Any, **named: Any) -> Any:
                nonlocal count
                count += 1
                if count == number:
                    os.kill(os.getpid(), signal.SIGKILL)
                return function(*words, **named)

            return changed

        for name in ("replace", "write_bytes", "mkdir", "unlink", "chmod", "open"):
            setattr(Path, name, counting(getattr(Path, name)))
        os.open, os.close, os.rename = counting(os.open), counting(os.close), counting(os.rename)
        try:
            job.write(path, NEW)
        except BaseException:  # noqa: BLE001 - the parent sees it
            os._exit(1)
        os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def main(verdicts: Show) -> None:
    """Kill and look."""
    wanted = verdicts.options.kills
    jobs = [
        *(Job(write_pair, pair_there, f"motion{end}") for end in (".bvh", ".glb", ".npz", ".fbx")),
        *(
            Job(lambda path, side: segue.save(moved(side), path), file_there, f"file{end}")
            for end in (".bvh", ".glb")
        ),
        Job(export, library_there, "new.segue"),
    ]
    kills, mixed, seen = 0, [], set()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with segue.Library.open(folder / "all.segue") as library:
            library.add(["sample:walk", "sample:run"])
        while kills < wanted:
            before = kills
            for job in jobs:
                path, number = folder / job.name, 1
                job.write(path, OLD)
                while kills < wanted and killed_at(job, path, number):
                    kills, number = kills + 1, number + 1
                    try:
                        there = job.found(path)
                    except FileError as error:
                        there, _ = None, mixed.append(f"{job.name} at {number}: {error}")
                    if there is None:
                        mixed.append(f"{job.name} at {number}")
                    seen.add((job.name, there))
                    job.write(path, OLD)
            if kills == before:
                break
    verdicts.check("processes killed", kills, f">= {wanted}")
    verdicts.check("neither the old result nor the new one", len(mixed), "= 0")
    both = sum((job.name, NEW) in seen and (job.name, OLD) in seen for job in jobs)
    verdicts.check("results seen both old and new", both, f"{len(jobs) - 1} or more", both >= len(jobs) - 1)
    for line in mixed[:5]:
        verdicts.note(line)


if __name__ == "__main__":
    run(
        main,
        "writing over older results, killed at each change of a file in turn",
        {"--kills": {"type": int, "default": 1000, "help": "how many processes"}},
    )
