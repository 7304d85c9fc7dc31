"""Adding clips to a library, killed fifty times: nothing is half added, and adding again gives the full result.

A forked process adds the 58 clips of CMU subject 16 to a new library and is killed with SIGKILL, each time a
fiftieth of the work later, from its first write to the end: after a number of clips, and a fraction of the time of
a clip. It reports in shared memory how many clips it has written and whether it is inside a transaction, from the
return of BEGIN to the return of COMMIT. Then the library is opened as any program would, checked, compared with one
that was never killed, and added to again.
"""

from __future__ import annotations

import mmap
import os
import signal
import sqlite3
import struct
import sys
import tempfile
import time
from pathlib import Path

from _data import subject_16
from _verdict import Verdicts

import segue
from segue.library.connection import Store

KILLS = 50
OUTSIDE, INSIDE, COMMITTING = 0, 1, 2
FLAG = mmap.mmap(-1, 4096)
"""State of the child, times of its first write and its end, clips written."""


def flag(
    state: int | None = None, first: float | None = None, done: float | None = None, clips: int | None = None
) -> None:
    """Record the child's state."""
    for offset, kind, value in ((0, "b", state), (8, "d", first), (16, "d", done), (24, "i", clips)):
        if value is not None:
            struct.pack_into(kind, FLAG, offset, value)


def flags() -> tuple[int, float, float, int]:
    """Return the state, times of the first write and the end (0 if not reached), clips written."""
    return struct.unpack_from("b7xddi", FLAG, 0)


def watched() -> None:
    """Make every transaction of this process visible to its parent."""
    begin, commit, rollback = Store.begin, Store.commit, Store.rollback

    def seen_begin(store: Store) -> None:
        if not flags()[1]:
            flag(first=time.monotonic())
        begin(store)
        flag(INSIDE)

    def seen_commit(store: Store) -> None:
        flag(COMMITTING)
        commit(store)
        flag(OUTSIDE)

    def seen_rollback(store: Store) -> None:
        rollback(store)
        flag(OUTSIDE)

    Store.begin, Store.commit, Store.rollback = seen_begin, seen_commit, seen_rollback


def adding(path: Path) -> int:
    """Start a process that makes a library and adds all clips; return its process id."""
    flag(OUTSIDE, 0.0, 0.0, 0)
    child = os.fork()
    if child:
        return child
    try:
        watched()
        with segue.Library.open(path) as library:
            library.add(subject_16(), progress=lambda _, done, __: flag(clips=done))
            flag(done=time.monotonic())
    except BaseException as error:  # noqa: BLE001  # this process ends here after any exception
        print(error, file=sys.stderr)
        os._exit(1)
    os._exit(0)


def wait_for(child: int, clips: int) -> None:
    """Wait until the child has made its first write and written that many clips."""
    while not flags()[1] or flags()[3] < clips:
        if os.waitpid(child, os.WNOHANG)[0]:
            sys.exit("the process that adds clips ended early")
        time.sleep(0.0002)


def killed(path: Path, work: float, seconds: float) -> tuple[int, int]:
    """Kill adding after some clips and a part of one; return its state, and the number of clips it had written."""
    while True:
        child = adding(path)
        wait_for(child, int(work))
        time.sleep(work % 1.0 * seconds)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        state, _, done, clips = flags()
        if not done:
            return state, clips
        for file in path.parent.glob(path.name + "*"):  # it was faster this time: try again
            file.unlink()


def content(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Return the contents of a library without times, seals and unused numbers."""
    database = sqlite3.connect(path)
    try:
        return {
            "clips": database.execute(
                "SELECT name, version, content_sha256, current, n_frames, fps, unusable, path, file_sha256, "
                "skeleton_file_sha256, told FROM clip ORDER BY name, version"
            ).fetchall(),
            "frames": database.execute(
                "SELECT name, source, origin, root_positions, rotations FROM frames "
                "JOIN clip ON id = clip_id ORDER BY 1"
            ).fetchall(),
            "contacts": database.execute(
                "SELECT name, foot, start_frame, stop_frame FROM contact JOIN clip ON id = clip_id ORDER BY 1, 2, 3"
            ).fetchall(),
            "faults": database.execute(
                "SELECT name, kind, start_frame, stop_frame, joints, sentence, severity FROM fault "
                "JOIN clip ON clip.id = clip_id ORDER BY 1, 2, 3, 4, 5"
            ).fetchall(),
            "skeletons": database.execute("SELECT digest, document FROM skeleton ORDER BY 1").fetchall(),
            "roles": database.execute("SELECT role, joint, how, confidence FROM role ORDER BY 1").fetchall(),
        }
    finally:
        database.close()


def integrity(path: Path) -> str:
    """Return the findings of SQLite; an empty file is not yet a library."""
    if not path.exists() or not path.stat().st_size:
        return "ok"
    database = sqlite3.connect(path)
    try:
        return str(database.execute("PRAGMA integrity_check").fetchone()[0])
    except sqlite3.Error as error:
        return str(error)
    finally:
        database.close()


def listed(path: Path, digests: dict[str, str]) -> tuple[int, int]:
    """Return the number of clips that a killed library lists, and how many of them differ from their files."""
    if not path.exists() or not path.stat().st_size:
        return 0, 0
    with segue.Library.open(path, create=False) as library:
        report, entries = library.check(), library.clips()
        wrong = [entry for entry in entries if entry.digest != digests[entry.name]]
        return len(entries), len(wrong) + len(entries) - len(report.whole) + (not report.sound)


def main() -> None:
    """Kill, check, add again."""
    verdicts = Verdicts(f"Adding subject 16 to a library, killed {KILLS} times")
    segue.find_faults(segue.load(next(Path(subject_16()[0]).glob("*.amc"))))  # compile before timing
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "whole.segue"
        times = []
        for _ in range(3):
            whole.unlink(missing_ok=True)
            child = adding(whole)
            assert os.waitpid(child, 0)[1] == 0
            times.append(flags()[2] - flags()[1])
        seconds = sorted(times)[1]
        truth = content(whole)
        digests = {row[0]: row[2] for row in truth["clips"]}
        verdicts.note(f"never killed: {len(digests)} clips, {seconds:.2f} s from the first write to the end")
        states, written, counts, broken, wrong, unlike = [], [], [], [], 0, 0
        for kill in range(KILLS):
            path = Path(folder) / f"killed {kill}.segue"
            state, clips = killed(path, (kill + 0.5) / KILLS * len(digests), seconds / len(digests))
            states.append(state)
            written.append(clips)
            if (found := integrity(path)) != "ok":
                broken.append(found)
            count, bad = listed(path, digests)
            counts.append(count)
            wrong += bad
            with segue.Library.open(path) as library:
                added = library.add(subject_16())
                assert len(added.new) + len(added.same) == len(digests)
            unlike += content(path) != truth
            path.unlink()
    inside = sum(state != OUTSIDE for state in states)
    verdicts.note(f"clips written when it was killed:  {' '.join(map(str, written))}")
    verdicts.note(f"clips listed when it was opened:   {' '.join(map(str, counts))}")
    verdicts.note(
        f"{states.count(INSIDE)} between BEGIN and COMMIT, {states.count(COMMITTING)} during COMMIT"
    )
    verdicts.check(
        "kills between the first write and the end", len(states), f">= {KILLS}", len(states) >= KILLS
    )
    verdicts.check("of them inside a transaction", inside, ">= 25", inside >= 25)
    verdicts.check("libraries with a broken page or index", len(broken), "0", not broken)
    verdicts.check("listed clips that differ from those read", wrong, "0", wrong == 0)
    verdicts.check("adding again gives other content", unlike, "0", unlike == 0)
    verdicts.check("libraries that were killed with some clips and not all", sum(0 < c < 58 for c in counts), ">= 25",
                   sum(0 < c < 58 for c in counts) >= 25)  # fmt: skip
    verdicts.finish()


if __name__ == "__main__":
    main()
