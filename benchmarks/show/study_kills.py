"""A study killed a hundred times at random moments loses no answer.

Shows: robots that answer a complete study, killed with SIGKILL at random moments and started again each time; the
    file's contents after each kill, the result of its check, and the answers recovered by salvage
Bars: 0 answers lost, 0 kills after which the check finds anything or salvage leaves anything behind; at the end the
    answers of a run that was never killed
Needs: nothing
Group: A library

A forked process answers and counts in shared memory each answer acknowledged as saved. After a random time it is
killed at any point: opening the file, writing, merging the log. The file must then hold every acknowledged answer,
and at most one more, killed before its acknowledgement.
"""

from __future__ import annotations

import mmap
import os
import signal
import struct
import time
from pathlib import Path

import numpy as np
from _runner import Show, run

import segue
from segue.app.studies.design import read_design
from segue.app.studies.motions import StudyPlan, clips_of, make_plan
from segue.app.studies.robots import run_robots
from segue.library.answers import participants

ROBOTS = 12
NOTED = mmap.mmap(-1, 4096)
"""Number of acknowledged answers."""


def noted() -> int:
    return struct.unpack_from("q", NOTED, 0)[0]


def answers(path: Path, study: str) -> list:
    with segue.Library.open(path, mode="r") as library:
        return [(person.code, one) for person in participants(library.store, study) for one in person.answers]


def killed(plan: StudyPlan, path: Path, seconds: float) -> bool:
    """Run in a separate process and kill it; return whether it was done before."""
    child = os.fork()
    if child == 0:
        try:
            run_robots(plan, path, count=ROBOTS, kept=lambda *_: struct.pack_into("q", NOTED, 0, noted() + 1))
        finally:
            os._exit(0)
    time.sleep(seconds)
    done, _ = os.waitpid(child, os.WNOHANG)
    if not done:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    return bool(done)


def main(show: Show) -> None:
    design = read_design("jnd-centre-aligned")
    plan = make_plan(design, clips_of(design))
    whole = show.folder / "whole.segue"
    start = time.monotonic()
    total = run_robots(plan, whole, count=ROBOTS)
    each = (time.monotonic() - start) / show.options.kills
    show.note(f"{ROBOTS} robots give {total} answers in {each * show.options.kills:.1f} s")
    path, rng = show.folder / "killed.segue", np.random.default_rng(5)
    lost = more = unsound = left = fresh = 0
    for kill in range(show.options.kills):
        done = killed(plan, path, float(rng.uniform(0.0, 2.0 * each)))
        if not path.exists() or path.stat().st_size == 0:
            fresh += 1
            continue
        # A file killed while it was created is empty or complete; opening it for writing finishes the work.
        with segue.Library.open(path) as library:
            unsound += not library.check().sound
            saved = show.folder / f"saved-{kill}.segue"
            library.salvage(saved)
        found = answers(path, design.name) if noted() else []
        lost += max(noted() - len(found), 0)
        more += len(found) > noted()
        left += len(answers(saved, design.name) if noted() else []) != len(found)
        saved.unlink()
        struct.pack_into("q", NOTED, 0, len(found))
        if done:
            path.unlink()
            struct.pack_into("q", NOTED, 0, 0)
    show.note(f"{more} kills came between the disk and the acknowledgement, {fresh} before the file")
    show.check(f"{show.options.kills} kills: answers lost", lost, "<= 0")
    show.check("kills after which the check finds something", unsound, "<= 0")
    show.check("kills after which salvage leaves an answer behind", left, "<= 0")
    run_robots(plan, path, count=ROBOTS)
    same = answers(path, design.name) == answers(whole, design.name)
    show.check("answers at the end are those of a run never killed", same, "True", ok=same)


if __name__ == "__main__":
    run(main, "A study killed", {"--kills": {"type": int, "default": 100, "help": "how many"}})
