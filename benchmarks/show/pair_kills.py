"""Processes killed while they overwrite older results: the old result or the new one remains, never a mixture.

Shows: 1,000 processes killed while they write motions with records (of one file, and of a model with its table),
    converted files, and libraries during adding, matching and exporting, over older ones
Bars: the old result or the new one each time; each kind of result is seen old and new
Needs: nothing
Group: Files

A motion with its record (the output of wander, stitch, loop, mirror, walk, steer and replay, in each format), a
converted file, and a library, each written with permission to overwrite in a process that is killed at its n-th
file change or SQL statement. ``--kills`` sets the number.
"""

from __future__ import annotations

import mmap
import os
import shutil
import signal
import sqlite3
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from _runner import Show, run

import segue
from segue.app import stages
from segue.app.convert import Changes, convert, plan
from segue.app.record import with_record
from segue.errors import FileError
from segue.library.exchange import export_library
from segue.motion.resample import cut

OLD, NEW = 0.0, 5.0
"""Sideways offsets in metres that distinguish the two motions."""


class Job(NamedTuple):
    """Functions that write an old or new result, and that find which of the two is there; None for neither."""

    write: Callable[[Path, float], object]
    found: Callable[[Path], float | None]
    name: str


def moved(side: float) -> Any:
    """Return the same walk at another place."""
    walk = cut(segue.sample("walk", 30.0), 0, 40)
    return walk.with_motion(root_positions=walk.root_positions + np.array([side, 0.0, 0.0]))


def write_pair(path: Path, side: float) -> None:
    """Write a motion and the record that identifies it."""
    collection = stages.read(["sample:walk"])
    stages.write(moved(side), path, collection=collection, command="wander", settings={"side": side})


def pair_there(path: Path) -> float | None:
    """Return which pair is there."""
    clip, record = with_record(segue.load(path), path)
    side = round(float(clip.root_positions[0, 0]) / NEW) * NEW
    return side if record is not None and record.settings["side"] == side else None


def file_there(path: Path) -> float | None:
    """Return which file is there."""
    return round(float(segue.load(path).root_positions[0, 0]) / NEW) * NEW


def export(path: Path, side: float) -> None:
    """Export one of two clips of a library to a new library, over an older one."""
    name = "run" if side == OLD else "walk"
    with segue.Library.open(path.with_name("all.segue"), mode="r") as library:
        path.unlink(missing_ok=True)
        export_library(library, path, names=[name])


def library_there(path: Path) -> float | None:
    """Return which library is there; none at all is also possible if the user removed it first."""
    if not path.exists():
        return OLD
    with segue.Library.open(path, mode="r") as library:
        return {("run",): OLD, ("walk",): NEW}.get(tuple(entry.name for entry in library.clips()))


def added(path: Path, side: float) -> None:
    """Add a clip to a library of another; the old result is made first."""
    if side == OLD:
        library_of(path, ["walk"])
        return
    with segue.Library.open(path) as library:
        library.add(short("stop"))


def added_there(path: Path) -> float | None:
    """Return whether the clip is there, and the library is intact."""
    with segue.Library.open(path, mode="r") as library:
        if not library.check().sound:
            return None
        return {("walk",): OLD, ("stop", "walk"): NEW}.get(tuple(sorted(e.name for e in library.clips())))


def matched(path: Path, side: float) -> None:
    """Compare the clips of a library; the old result is made first, without pairs."""
    if side == OLD:
        library_of(path, ["walk", "stop"])
        return
    with segue.Library.open(path) as library:
        library.match(threshold=0.05)


def matched_there(path: Path) -> float | None:
    """Return whether all pairs were stored, or none."""
    with segue.Library.open(path, mode="r") as library:
        if not library.check().sound:
            return None
        return {0: OLD, 3: NEW}.get(library.store.value("SELECT count(*) FROM pair"))


def library_of(path: Path, names: list[str]) -> None:
    """Make a library of short clips in place of another."""
    for file in path.parent.glob(f"{path.name}*"):
        file.unlink()
    with segue.Library.open(path) as library:
        library.add([short(name) for name in names])


def short(name: str) -> Any:
    """Return the first two seconds of a sample."""
    return cut(segue.sample(name, 30.0), 0, 60).with_motion(name=name)


def converted(path: Path, side: float) -> None:
    """Convert a file, as the command does."""
    source = path.with_name(f"source {side:g}.npz")
    if not source.exists():
        segue.save(moved(side), source)
    (done,) = convert(plan([str(source)], path), Changes(), force=True)
    if done.error:
        raise SystemExit(done.error)


COUNT = mmap.mmap(-1, 8)
"""Changes and statements so far of the writing process, in shared memory."""


def counted() -> int:
    """Return the changes and statements of the last process."""
    return int.from_bytes(COUNT[:], "little")


def killed_at(job: Job, path: Path, number: int) -> bool:
    """Write the new result in a process that is killed at a file change or statement; return whether it was killed."""
    COUNT[:] = bytes(8)
    child = os.fork()
    if not child:

        def step(*_: object) -> None:
            COUNT[:] = (counted() + 1).to_bytes(8, "little")
            if counted() == number:
                os.kill(os.getpid(), signal.SIGKILL)

        def counting(function: Any) -> Any:
            def changed(*words: Any, **named: Any) -> Any:
                step()
                return function(*words, **named)

            return changed

        connect = sqlite3.connect

        def watched(*words: Any, **named: Any) -> sqlite3.Connection:
            made = connect(*words, **named)
            made.set_trace_callback(step)
            return made

        for name in ("replace", "write_bytes", "mkdir", "unlink", "chmod", "open"):
            setattr(Path, name, counting(getattr(Path, name)))
        os.open, os.close, os.rename = counting(os.open), counting(os.close), counting(os.rename)
        sqlite3.connect = watched  # type: ignore[assignment]
        try:
            job.write(path, NEW)
        except BaseException:  # noqa: BLE001 - the parent sees it
            os._exit(1)
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    if not os.WIFSIGNALED(status) and os.waitstatus_to_exitcode(status):
        raise SystemExit(f"{job.name} failed at {number}")
    return os.WIFSIGNALED(status)


def main(verdicts: Show) -> None:
    wanted = verdicts.options.kills
    jobs = [
        *(Job(write_pair, pair_there, f"motion{end}") for end in (".bvh", ".glb", ".npz", ".fbx", ".xml")),
        *(Job(converted, file_there, f"file{end}") for end in (".bvh", ".glb", ".xml")),
        Job(export, library_there, "new.segue"),
        Job(added, added_there, "added.segue"),
        Job(matched, matched_there, "matched.segue"),
    ]
    counts, mixed, seen = dict.fromkeys([job.name for job in jobs], 0), [], set()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with segue.Library.open(folder / "all.segue") as library:
            library.add(["sample:walk", "sample:run"])
        for job in jobs:  # each gets its share of the kills, spread over all its changes
            path, part = folder / job.name, -(-wanted // len(jobs))
            job.write(path, OLD)
            killed_at(job, path, 0)
            most = counted()
            for number in np.unique(np.linspace(1, most, min(part, most)).astype(int)).tolist() * part:
                if counts[job.name] == part:
                    break
                job.write(path, OLD)
                counts[job.name] += killed_at(job, path, number)
                try:
                    there = job.found(path)
                except FileError as error:
                    there, _ = None, mixed.append(f"{job.name} at {number}: {error}")
                if there is None:
                    mixed.append(f"{job.name} at {number} of {most}")
                seen.add((job.name, there))
                for left in folder.glob(".*.part"):
                    shutil.rmtree(left) if left.is_dir() else left.unlink()
    verdicts.note(", ".join(f"{name} {count}" for name, count in counts.items()))
    verdicts.check("processes killed", sum(counts.values()), f">= {wanted}")
    verdicts.check("neither the old result nor the new one", len(mixed), "= 0")
    once = [job.name for job in jobs if not {(job.name, OLD), (job.name, NEW)} <= seen]
    verdicts.check("results never seen old, or never new", len(once), "= 0")
    for line in [*mixed[:5], *once]:
        verdicts.note(line)


if __name__ == "__main__":
    run(
        main,
        "writing over older results, killed at each change of a file in turn",
        {"--kills": {"type": int, "default": 1000, "help": "how many processes"}},
    )
