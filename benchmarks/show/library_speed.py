"""Response times of a library: opening and listing, finding the nearest transition, adding.

A library of 500 clips and 100,000 imported points is made for this; clips are added from the files of CMU subject
16. The nearest transition over computed points is measured in `library_matching`. Times are medians on this
machine. A query is timed in processor time, so that other programs on a busy machine do not count; clock time is
printed too.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from _data import subject_16
from _verdict import Verdicts

import segue
from segue.io import load_folder
from segue.maths.planar import PlanarMotion

CLIPS, POINTS, FRAMES = 500, 100_000, 120


def median(job: Callable[[], object], times: int) -> float:
    """Return median seconds of a job."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        job()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def made(path: Path, rng: np.random.Generator) -> None:
    """Make a library of many short clips with labels and tags, and points between them."""
    walk = segue.sample("walk")
    names = [f"take {number:03}" for number in range(CLIPS)]
    rows = np.arange(FRAMES)
    clips = []
    for number, name in enumerate(names):
        places = walk.root_positions[rows] + [number, 0.0, 0.0]
        clips.append(segue.Clip(walk.skeleton, walk.rotations[rows], places, walk.fps, name=name))
    with segue.Library.open(path) as library:
        library.add(clips)
        with library.store.writing():
            for name in names:
                library.label(name, "steady", start_frame=10, stop_frame=60, by="somebody")
                library.tag(name, "walk")
        ends = rng.integers(CLIPS, size=(POINTS, 2))
        frames = rng.integers(FRAMES, size=(POINTS, 2))
        costs = rng.random(POINTS)
        library.tell(
            [
                segue.TransitionPoint(
                    names[a], names[b], int(i), int(j), float(cost), "aligned", PlanarMotion(), float(cost), True
                )
                for (a, b), (i, j), cost in zip(ends, frames, costs, strict=True)
            ],
            by="somebody",
        )  # fmt: skip


def listing(verdicts: Verdicts, path: Path) -> None:
    """Open and list."""

    def job() -> None:
        with segue.Library.open(path, mode="r") as library:
            entries = library.clips()
        assert len(entries) == CLIPS
        assert all(entry.labels and entry.tags and entry.seconds for entry in entries)

    verdicts.note(f"{path.stat().st_size / 1e6:.0f} MB")
    seconds = median(job, 9)
    verdicts.check(f"a library of {CLIPS} clips opened and listed", seconds, "< 0.2", seconds < 0.2, "s")
    begun = time.perf_counter()
    with segue.Library.open(path, mode="r") as library:
        library.clip("take 250")
    verdicts.note(
        f"opened, and one clip of it read and compared with its digest: {time.perf_counter() - begun:.4f} s"
    )


def nearest(verdicts: Verdicts, path: Path, rng: np.random.Generator) -> None:
    """Find the nearest transition from random places, and compare some answers with a scan over all points."""
    with segue.Library.open(path, mode="r") as library:
        points = library.points()
        verdicts.check(
            "points in the library", len(points), f">= {POINTS * 0.9:.0f}", len(points) >= POINTS * 0.9
        )
        asked = [(f"take {k:03}", int(frame)) for k, frame in rng.integers([CLIPS, FRAMES], size=(2000, 2))]
        library.nearest(*asked[0])
        taken, walls = [], []
        for _ in range(20):
            begun, wall = time.process_time(), time.perf_counter()
            for clip, frame in asked:
                library.nearest(clip, frame)
            taken.append((time.process_time() - begun) / len(asked) * 1e6)
            walls.append((time.perf_counter() - wall) / len(asked) * 1e6)
        wrong = 0
        for clip, frame in asked[:100]:
            ahead = [(p.a_frame, p.b_frame) for p in points if p.a_clip == clip and p.a_frame >= frame]
            found = library.nearest(clip, frame)
            wrong += (None if found is None else (found.a_frame, found.b_frame)) != min(ahead, default=None)
    middle = statistics.median(taken)
    verdicts.note(
        f"one question by the clock on the wall: {min(walls):.0f} us at best, {statistics.median(walls):.0f} us"
    )
    verdicts.check("the nearest transition, one question", middle, "<= 50", middle <= 50, "us")
    verdicts.check("answers of 100 that differ from a scan over all points", wrong, "0", wrong == 0)


def adding(verdicts: Verdicts, folder: Path) -> None:
    """Time adding subject 16 and only reading its files; each several times in turn."""
    clips, _ = load_folder(subject_16())
    frames = sum(clip.n_frames for clip in clips)
    plain, added, same = [], [], []
    for turn in range(5):
        path = folder / f"added {turn}.segue"
        begun = time.perf_counter()
        load_folder(subject_16())
        plain.append(time.perf_counter() - begun)
        begun = time.perf_counter()
        with segue.Library.open(path) as library:
            library.add(subject_16())
        added.append(time.perf_counter() - begun)
        begun = time.perf_counter()
        with segue.Library.open(path) as library:
            assert len(library.add(subject_16()).same) == len(clips)
        same.append(time.perf_counter() - begun)
    reading, writing, again = (statistics.median(times) for times in (plain, added, same))
    verdicts.note(f"subject 16: {len(clips)} clips, {frames} frames")
    verdicts.note(
        f"read and nothing else:           {frames / reading:8.0f} frames a second ({reading:.2f} s)"
    )
    verdicts.note(
        f"added, faults and contacts found: {frames / writing:7.0f} frames a second ({writing:.2f} s)"
    )
    verdicts.note(f"added again, every file the same: {frames / again:7.0f} frames a second ({again:.2f} s)")
    share = reading / writing
    verdicts.check("speed of adding over plain reading", share, ">= 0.33", share >= 0.33, "times")
    share = reading / again
    verdicts.check(
        "speed of adding clips already there over plain reading", share, ">= 5", share >= 5, "times"
    )


def main() -> None:
    verdicts = Verdicts("How fast a library answers")
    rng = np.random.default_rng(16)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "moves.segue"
        made(path, rng)
        listing(verdicts, path)
        nearest(verdicts, path, rng)
        adding(verdicts, Path(folder))
    verdicts.finish()


if __name__ == "__main__":
    main()
