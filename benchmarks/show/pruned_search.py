"""Clips compared under a threshold with lower bounds and without: the same points, and the time saved.

Shows: clips compared under a threshold with lower bounds and without, over subject 16 and all 93 AMC clips; pairs of
    clips ruled out
Bars: the same points; 2 and 1.5 × as fast at 0.03 and 0.04 m on all clips, for the complete work from clips to
    points; never slower
Needs: clips
Group: The parts
"""

from __future__ import annotations

import statistics
import time

import numpy as np
from _runner import Show, run

from segue.blending.methods import Blend
from segue.costs.engine.plan import Run
from segue.costs.point_cloud import PointCloudCost
from segue.graph.build import unified
from segue.graph.matching import RULED_OUT, Matches, match
from segue.graph.workers import Threads
from segue.io import load
from segue.motion.clip import Clip
from segue.motion.resample import resampled
from segue.settings import SearchSettings
from segue.transitions.threshold import given_threshold

ROOTS = (0.03, 0.04, 0.08, 0.10)
BARS = {"subject 16": {}, "all AMC clips": {0.03: 2.0, 0.04: 1.5}}
RUNS, NOISE = 5, 0.9
COST = PointCloudCost()


def once(clips: list[Clip], below: float | None) -> tuple[Matches, float]:
    """Return the matches, and their processor time in seconds in one thread."""
    workers = Threads(Run(threads=1))
    limit = None if below is None else given_threshold(below)
    start = time.thread_time()
    found = match(clips, cost=COST, blend=Blend(), search=SearchSettings(), below=limit, workers=workers)
    return found, time.thread_time() - start


def low(found: Matches, limit: float) -> np.ndarray:
    """Return the rows of points at or below a threshold: clips, cells, costs."""
    rows = found.cost <= limit
    joins = found.joins
    return np.column_stack([joins.a_clip, joins.b_clip, found.cells, found.cost, found.lowest])[rows]


def compare(show: Show, label: str, clips: list[Clip]) -> None:
    """Compare every threshold, with and without bounds in turn."""
    for root in ROOTS:
        limit = root**2
        times: tuple[list[float], list[float]] = ([], [])
        for _ in range(RUNS):
            plain, spent = once(clips, None)
            times[0].append(spent)
            bounded, spent = once(clips, limit)
            times[1].append(spent)
        every, some = (min(one) for one in times)
        total = len(plain.pairs)
        show.note(
            f"{label}, {root} m: {bounded.steps.get(RULED_OUT, 0)} of {total} pairs ruled out; "
            f"every pair {every:.3f} s, with bounds {some:.3f} s "
            f"(medians {', '.join(f'{statistics.median(one):.3f}' for one in times)})"
        )
        a, b = low(plain, limit), low(bounded, limit)
        show.check(f"{label}, {root} m: the same points", len(a), "identical", np.array_equal(a, b))
        bar = BARS[label].get(root, NOISE)
        show.check(f"{label}, {root} m: times as fast", every / some, f">= {bar}", every / some >= bar)


def main(show: Show) -> None:
    """Load all clips at 30 frames a second, on the first one's body, and compare."""
    files = sorted((show.clips / "asf_amc").glob("*/*.amc"))
    clips = list(unified([resampled(load(file), 30.0) for file in files]))
    sixteen = [clip for clip, file in zip(clips, files, strict=True) if file.parent.name == "16"]
    for label, some in (("subject 16", sixteen), ("all AMC clips", clips)):
        show.note(f"{label}: {len(some)} clips, {sum(clip.n_frames for clip in some)} frames")
        compare(show, label, some)


if __name__ == "__main__":
    run(main, "Comparing under a threshold, one thread, processor time, the best of several runs in turn")
