"""Pairs of a library are compared once: the work after clips are added or thresholds changed, and the speed of nearest.

python benchmarks/show/library_matching.py
"""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from _data import mixed_subjects, subject_16
from _verdict import Verdicts

from segue.costs.point_cloud import PointCloudCost
from segue.graph import workers
from segue.graph.build import MotionGraph, build_graph
from segue.io import load_folder
from segue.library.library import Library
from segue.maths.planar import PlanarMotion
from segue.synthesis import transition_check
from segue.transitions.tiles import Tile
from segue.transitions.transition import TransitionPoint

POINTS = 100_000
QUERIES = 2_000
BAR = 50.0  # microseconds
CALLS: Counter[str] = Counter()


def main() -> None:
    count_calls()
    verdicts = Verdicts("segue library match: only new pairs are computed")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "moves.segue"
        with Library.open(path) as library:
            once(verdicts, library)
            thresholds(verdicts, library)
            grown(verdicts, library)
            print("nearest transition")
            scanned(verdicts, library)
            many_points(verdicts, library)
        verdicts.note(f"the library: {path.stat().st_size / 1e6:.1f} MB")
    verdicts.finish()


def count_calls() -> None:
    """Count expensive calls: clips prepared, pairs of clips compared, moments compared, alignments, seams made."""

    def counted(owner: type, name: str) -> None:
        whole: Callable[..., Any] = getattr(owner, name)

        def counting(*args: Any, **kwargs: Any) -> Any:
            CALLS[name] += 1
            return whole(*args, **kwargs)

        setattr(owner, name, counting)

    for name in ("prepare", "matrix", "pairs", "alignment"):
        counted(PointCloudCost, name)
    counted(transition_check.TransitionChecker, "_check")
    whole_tile = workers.compare_tile

    def comparing(tile: Tile, *args: Any, **kwargs: Any) -> Any:
        CALLS["compared"] += len(tile.pairs)
        return whole_tile(tile, *args, **kwargs)

    workers.compare_tile = comparing


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """Return the result of a job and its seconds; counting restarts."""
    CALLS.clear()
    start = time.perf_counter()
    return work(), time.perf_counter() - start


def once(verdicts: Verdicts, library: Library) -> None:
    """Compare CMU subject 16 twice, and with the graph of the folder."""
    print("CMU subject 16")
    _, seconds = timed(lambda: library.add(subject_16()))
    clips = len(library.clips())
    verdicts.note(f"added in {seconds:.1f} s: {clips} clips")
    every = clips * (clips + 1) // 2
    matched, seconds = timed(library.match)
    verdicts.check("pairs compared at first", matched.new_pairs, f"= {every}", matched.new_pairs == every)
    verdicts.note(f"in {seconds:.1f} s; {matched.points} points verified at {matched.threshold:.4g}")
    again, seconds = timed(library.match)
    verdicts.check("pairs compared again", again.new_pairs, "= 0", again.new_pairs == 0)
    verdicts.check("calls of cost and seam check", sum(CALLS.values()), "= 0", not CALLS)
    verdicts.note(f"in {seconds:.2f} s")
    stored, seconds = timed(library.graph)
    plain, alone = timed(lambda: build_graph(load_folder(subject_16())[0]))
    verdicts.note(f"graph: {seconds:.2f} s from the library, {alone:.1f} s from the folder, reading included")
    differ = differences(stored, plain)
    verdicts.check("differences to the folder's graph", ", ".join(differ) or "none", "none", not differ)


def differences(one: MotionGraph, other: MotionGraph) -> list[str]:
    """Return the differences in edges, costs, alignments, nodes and report, bit by bit."""
    parts = ("costs", "a_frames", "b_frames", "node_clip", "node_frame", "leaves", "arrives", "kept")
    joins = ("a_clip", "a_start", "b_clip", "b_start", "alignment")
    same = {name: np.array_equal(getattr(one, name), getattr(other, name)) for name in parts}
    same |= {name: np.array_equal(getattr(one.joins, name), getattr(other.joins, name)) for name in joins}
    same["report"] = repr(one.report) == repr(other.report)
    return [name for name, equal in same.items() if not equal]


def thresholds(verdicts: Verdicts, library: Library) -> None:
    """Match at two thresholds below the highest cost compared, and at one above it, twice."""
    step = library.match().next_frame_cost
    for share in (0.5, 2.0):
        wanted = share * step
        matched, seconds = timed(lambda wanted=wanted: library.match(threshold=wanted))
        label = f"calls at a threshold of {share:g} next-frame costs"
        verdicts.check(label, sum(CALLS.values()), "= 0", not CALLS)
        verdicts.note(f"in {seconds:.2f} s; {matched.points} points")
    matched, seconds = timed(lambda: library.match(threshold=6 * step))
    looked, compared = CALLS["alignment"], CALLS["compared"] + CALLS["pairs"]
    verdicts.check("costs computed at 6, higher than ever before", compared, "= 0", compared == 0)
    verdicts.note(f"{looked} points checked for the first time, in {seconds:.1f} s; {matched.points} points")
    _, seconds = timed(lambda: library.match(threshold=6 * step))
    verdicts.check("calls at 6 again", sum(CALLS.values()), "= 0", not CALLS)
    verdicts.note(f"in {seconds:.2f} s")


def grown(verdicts: Verdicts, library: Library) -> None:
    """Add subjects 127 and 131: only pairs with one of them are compared."""
    print("subjects 127 and 131 added")
    old = len(library.clips())
    library.add(mixed_subjects()[1:])
    new = len(library.clips()) - old
    touched = new * old + new * (new + 1) // 2
    matched, seconds = timed(library.match)
    verdicts.check("pairs compared", matched.new_pairs, f"= {touched}", matched.new_pairs == touched)
    given = CALLS["compared"]
    verdicts.check("pairs that tiles were filled with", given, f"= {touched}", given == touched)
    kept = old * (old + 1) // 2
    verdicts.check("pairs kept", matched.kept_pairs, f"= {kept}", matched.kept_pairs == kept)
    verdicts.note(f"{new} new clips, in {seconds:.1f} s")
    differ = differences(library.graph(), build_graph(load_folder(mixed_subjects())[0]))
    verdicts.check("differences to the folders' graph", ", ".join(differ) or "none", "none", not differ)


def scanned(verdicts: Verdicts, library: Library) -> None:
    """Compare answers to a fixed random set of queries with a scan over all points."""
    points = library.points()
    rng = np.random.default_rng(1)
    entries = library.clips()
    wrong = 0
    for _ in range(QUERIES):
        entry = entries[rng.integers(len(entries))]
        frame = int(rng.integers(entry.n_frames))
        ahead = [(p.a_frame, p.b_frame) for p in points if p.a_clip == entry.name and p.a_frame >= frame]
        found = library.nearest(entry.name, frame)
        wrong += (None if found is None else (found.a_frame, found.b_frame)) != min(ahead, default=None)
    verdicts.check(f"answers unlike a scan's, of {QUERIES}", wrong, "= 0", wrong == 0)


def many_points(verdicts: Verdicts, library: Library) -> None:
    """Import points up to the size of a large library, and time one query after another."""
    rng = np.random.default_rng(2)
    entries = library.clips()
    given = []
    for a, b in rng.integers(len(entries), size=(POINTS, 2)):
        one, other = entries[a], entries[b]
        frames = int(rng.integers(one.n_frames)), int(rng.integers(other.n_frames))
        given.append(
            TransitionPoint(one.name, other.name, *frames, 0.1, "aligned", PlanarMotion(), 0.1, True)
        )
    new, seconds = timed(lambda: library.tell(given, by="a script"))
    total = library.store.value("SELECT count(*) FROM point")
    verdicts.check("points in the library", total, f">= {POINTS}", total >= POINTS)
    verdicts.note(f"{new} of them imported, in {seconds:.1f} s; {total - new} computed")
    chosen = [entries[k] for k in rng.integers(len(entries), size=QUERIES)]
    asked = [(entry.name, int(rng.integers(entry.n_frames))) for entry in chosen]
    library.nearest(*asked[0])
    rounds = []
    for _ in range(20):
        start, wall = time.process_time(), time.perf_counter()
        for clip, frame in asked:
            library.nearest(clip, frame)
        times = time.process_time() - start, time.perf_counter() - wall
        rounds.append([spent / QUERIES * 1e6 for spent in times])
    middle, waited = (float(value) for value in np.median(rounds, axis=0))
    # Processor time: equal to waiting time on an idle machine, unaffected by other programs on a busy one.
    verdicts.check("one question, median of 20 rounds", middle, f"<= {BAR:g}", middle <= BAR, "us")
    verdicts.note(f"best round {min(rounds)[0]:.1f} us; time waited for {waited:.1f} us")
    by_clip: dict[str, list[tuple[int, int]]] = {}
    for point in library.points():
        by_clip.setdefault(point.a_clip, []).append((point.a_frame, point.b_frame))
    wrong = 0
    for clip, frame in asked:
        found = library.nearest(clip, frame)
        ahead = min((ends for ends in by_clip.get(clip, []) if ends[0] >= frame), default=None)
        wrong += (None if found is None else (found.a_frame, found.b_frame)) != ahead
    verdicts.check(f"answers unlike a scan's, of {QUERIES}", wrong, "= 0", wrong == 0)


if __name__ == "__main__":
    main()
