"""Nanoseconds a frame pair of every cost, stored and streamed, in one and two threads, compared with others in one run.

Processor time counts, best of several runs: other programs lengthen it too, through shared caches and cores, but
less than clock time. A core's frequency changes from one second to the next, so the runs of each cost are spread
over rounds of all costs. The gain of a second thread can only be measured by the clock: runs in one thread and in
two alternate, and the median of their ratios counts. Its bar applies to clips as long as the source's (4,000
frames); it is also reported for short ones, on which some costs take three milliseconds.
"""

from __future__ import annotations

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # one thread for the products used as reference

import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
from _data import require_data
from _strips import passed
from _verdict import Verdicts
from scipy.spatial.distance import cdist

from segue.costs.engine.plan import Run, full_matrix
from segue.costs.protocol import Cost, Prepared
from segue.costs.registry import COSTS, cost
from segue.io import load
from segue.motion.clip import Clip
from segue.motion.resample import resampled

PROJECT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT / "tests"))
from naive import costs as naive  # noqa: E402

RUNS, ROUNDS, FRAMES, LONG_FRAMES = 20, 5, 1300, 4000
BARS = {"point_cloud, a point a part": 5.5, "point_cloud, dense": 11.0, "joint_angle": 6.0}
BARS |= {"point_cloud, dynamics, a point a part": 9.0, "point_cloud, dynamics, dense": 18.0}
JRD_BARS = {22: 1.0, 44: 2.0, 60: 2.7}


def tiled(name: str, frames: int = FRAMES) -> Clip:
    """Return a real clip at 30 frames a second, repeated to a given length."""
    clip = resampled(load(require_data() / "asf_amc" / name), 30.0)
    rows = np.tile(np.arange(clip.n_frames), -(-frames // clip.n_frames))[:frames]
    return clip.with_motion(clip.rotations[rows], clip.root_positions[rows], origin=clip.origin.take(rows))


def spent(function: Callable[[], object]) -> tuple[float, float]:
    """Return processor seconds and clock seconds of one run."""
    begun, start = time.perf_counter(), time.process_time()
    function()
    return time.process_time() - start, time.perf_counter() - begun


def best_of(function: Callable[[], object], runs: int) -> float:
    """Return processor seconds of the best of several runs."""
    function()
    return min(spent(function)[0] for _ in range(runs))


def peak(show: Verdicts) -> float:
    """Return billions of operations a second of a large float32 product in one thread."""
    a = np.random.default_rng(1).random((1536, 1536), dtype=np.float32)
    best = best_of(lambda: a @ a, 6)
    show.note(f"float32 matrix product of 1536: {2 * 1536**3 / best / 1e9:.0f} GFLOP/s of processor time")
    return 2 * 1536**3 / best / 1e9


Work = Callable[[int], object]
"""A job that runs in the given number of threads."""


class Timed:
    """Runs of one job in one and in two threads, alternating, added a few at a time."""

    def __init__(self, work: Work) -> None:
        self.work = work
        self.one: list[tuple[float, float]] = []
        self.two: list[tuple[float, float]] = []
        work(1)
        work(2)

    def add(self, runs: int) -> None:
        """Add that many runs with each number of threads."""
        for _ in range(runs):
            for threads, times in ((1, self.one), (2, self.two)):
                times.append(spent(lambda threads=threads: self.work(threads)))

    @property
    def gain(self) -> float:
        """Median speed-up of two threads by the clock."""
        return statistics.median(one / two for (_, one), (_, two) in zip(self.one, self.two, strict=True))


def two_threads() -> Timed:
    """Measure the speed-up of two threads on work that shares nothing: the upper bound for any cost."""
    a = np.random.default_rng(1).random((512, 512), dtype=np.float32)
    pool = ThreadPoolExecutor(2)

    def work(threads: int) -> object:
        return (a @ a, a @ a) if threads == 1 else list(pool.map(lambda _: a @ a, range(2)))

    return Timed(work)


def report(show: Verdicts, label: str, timed: Timed, pairs: int, bar: float | None) -> None:
    """Print nanoseconds a pair of frames, best and median, in one and two threads."""
    for threads, times in ((1, timed.one), (2, timed.two)):
        each = sorted(1e9 * spent / pairs for spent, _ in times)
        text = f"{label}, {threads} thread{'s' if threads > 1 else ''}: ns a pair"
        if threads == 1 and bar is not None:
            show.check(text, each[0], f"<= {bar}", each[0] <= bar)
        else:
            show.note(f"{text} {each[0]:.2f} of processor time")
        clock = min(1e9 * clock / pairs for _, clock in times)
        show.note(f"    median {statistics.median(each):.2f}; by the clock {clock:.2f}")
    show.note(f"    two threads are {timed.gain:.2f} times as fast by the clock")


def both_sides(made: Cost, clips: list[Prepared]) -> dict[str, tuple[Timed, int]]:
    """Return stored and streamed runs, and the frame pairs of each."""
    a, b = clips
    searching, pairs = streaming(made, clips)
    return {"stored": (Timed(storing(made, clips)), a.n * b.n), "streamed": (Timed(searching), pairs)}


def storing(made: Cost, clips: list[Prepared]) -> Work:
    """Return a job that computes the full matrix of two clips."""
    a, b = clips
    return lambda threads: full_matrix([a], [b], cost=made, run=Run(threads=threads))


def streaming(made: Cost, clips: list[Prepared]) -> tuple[Work, int]:
    """Return a job that streams the costs of two clips with each other and themselves; and their number."""

    def search(threads: int) -> int:
        return passed(clips, cost=made, run=Run(threads=threads))

    return search, search(1)


def narrowed(ready: Prepared, count: int) -> Prepared:
    """Return a clip of relative distances reduced to the given number of columns."""
    both = np.concatenate([ready.features["rows"], ready.features["rows"][:, :8]], axis=1)
    return replace(ready, features={**ready.features, "rows": np.ascontiguousarray(both[:, :count])})


def others(show: Verdicts, clips: list[Clip], ready: list[Prepared]) -> None:
    """Time SciPy, scikit-learn if installed, and the naive twin, on the relative distances of the same clips."""
    x, y = (np.ascontiguousarray(p.features["rows"][: p.n, :44], dtype=np.float64) for p in ready)
    best = best_of(lambda: cdist(x, y, "cityblock"), 5)
    show.note(f"SciPy cdist cityblock, 44 columns: {1e9 * best / (len(x) * len(y)):.2f} ns a pair")
    try:
        from sklearn.metrics import pairwise_distances
    except ImportError:
        show.note("scikit-learn is not installed: not measured")
    else:
        best = best_of(lambda: pairwise_distances(x, y, metric="manhattan"), 5)
        show.note(f"scikit-learn manhattan, 44 columns: {1e9 * best / (len(x) * len(y)):.2f} ns a pair")
    made = cost("point_cloud")
    clouds = [made.prepare(clip) for clip in clips]
    points = [(p.cloud.points * p.cloud.scale).tolist() for p in clouds]
    half = made.half_window
    start = time.process_time()
    for k in range(20):
        naive.point_cloud(
            points[0], points[1], half + 7 * k, half + 11 * k, half=half, part_of=clouds[0].cloud.segments
        )
    show.note(f"naive twin of the point cloud: {1e9 * (time.process_time() - start) / 20:.0f} ns a pair")


LONG = """
import resource, sys, time
import numpy as np
from dataclasses import replace
import segue
from segue.costs.engine.plan import Run
from _strips import passed
columns = int(sys.argv[1])
made = segue.cost("relative_distance")
clip = made.prepare(segue.sample("walk", 30.0))
rng = np.random.default_rng(3)
def longer(k):
    rows = np.tile(clip.features["rows"][: clip.n, :columns], (-(-2000 // clip.n), 1))[:2000]
    rows = (rows + rng.normal(0, 1e-3, rows.shape) * (rows != 0)).astype(np.float32)
    return replace(clip, name=str(k), frames=np.arange(2000), features={"rows": rows, "known": clip.features["known"]})
clips = [longer(k) for k in range(50)]
start, spent = time.perf_counter(), time.process_time()
pairs = passed(clips, cost=made, run=Run(memory_budget=1_000_000_000))
print(pairs, time.perf_counter() - start, time.process_time() - spent,
      resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6)
"""


def long(show: Verdicts) -> None:
    """Time a hundred thousand frames in a separate process, with few columns and with the default."""
    for columns in (22, 60):
        command = [sys.executable, "-c", LONG, str(columns)]
        where = Path(__file__).parent
        out = subprocess.run(command, capture_output=True, text=True, check=True, cwd=where).stdout.split()
        pairs, clock, spent, memory = (float(word) for word in out)
        show.note(
            f"100,000 frames against themselves, {columns} columns: {pairs:.3g} pairs in {clock:.1f} s, "
            f"{1e9 * clock / pairs:.2f} ns a pair by the clock, {1e9 * spent / pairs:.2f} of processor time"
        )
    show.check("100,000 frames: peak memory of the process", memory, "< 1.5", memory < 1.5, "GB")


def costs_of(
    clips: list[Clip], longer: list[Clip]
) -> Iterator[tuple[str, Cost, list[Prepared], list[Prepared], float | None]]:
    """Return each cost with its name, its clips, its longer clips and its bar."""
    settings = {
        "point_cloud, a point a part": ("point_cloud", {"points_per_segment": 1}),
        "point_cloud, two points a part": ("point_cloud", {}),
        "point_cloud, dense": ("point_cloud", {"points_per_segment": 24}),
        "point_cloud, dynamics, a point a part": (
            "point_cloud",
            {"weighting": "dynamics", "points_per_segment": 1},
        ),
        "point_cloud, dynamics, dense": ("point_cloud", {"weighting": "dynamics", "points_per_segment": 24}),
        **{name: (name, {}) for name in COSTS if name not in {"point_cloud", "relative_distance"}},
    }
    for label, (name, how) in settings.items():
        made = cost(name, **how)
        ready, more = ([made.prepare(clip) for clip in some] for some in (clips, longer))
        yield label, made, ready, more, BARS.get(label)
    made = cost("relative_distance")
    ready, more = ([made.prepare(clip) for clip in some] for some in (clips, longer))
    for count, bar in JRD_BARS.items():
        some, others = ([narrowed(one, count) for one in each] for each in (ready, more))
        yield f"relative_distance, {count} columns", made, some, others, bar


def main() -> None:
    """Measure everything on two boxers."""
    show = Verdicts(f"Two boxers of {FRAMES} frames; best of {RUNS} runs, in {ROUNDS} rounds of all costs")
    names = ("02/02_05.amc", "17/17_10.amc")
    clips, longer = ([tiled(name, frames) for name in names] for frames in (FRAMES, LONG_FRAMES))
    show.note(f"load average at the start: {os.getloadavg()[0]:.1f}")
    products, work = two_threads(), []
    for label, made, ready, more, bar in costs_of(clips, longer):
        work.append((label, both_sides(made, ready), both_sides(made, more) if bar else {}, bar))
    roofs = []
    for _ in range(ROUNDS):
        roofs.append(peak(show))
        for timed in (
            products,
            *(one for _, *sides, _ in work for side in sides for one, _ in side.values()),
        ):
            timed.add(RUNS // ROUNDS)
    show.note(
        f"two products of 512 in two threads are {products.gain:.2f} times as fast as in one, by the clock"
    )
    for label, sides, longs, bar in work:
        for how, (timed, pairs) in sides.items():
            report(show, f"{label}, {how}", timed, pairs, bar)
        for how, (timed, _) in longs.items():
            text = f"{label}, {LONG_FRAMES} frames, {how}: two threads, times as fast"
            if how == "streamed":
                show.check(text, timed.gain, ">= 1.6", timed.gain >= 1.6)
            else:
                show.note(f"{text} {timed.gain:.2f}")
    others(show, clips, [cost("relative_distance").prepare(clip) for clip in clips])
    show.note(f"(the product's {min(roofs):.0f} to {max(roofs):.0f} GFLOP/s were measured in the same run)")
    long(show)
    show.finish()


if __name__ == "__main__":
    main()
