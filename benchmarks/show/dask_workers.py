"""`segue library match --workers 2` with a worker killed midway: the rows equal those of matching in threads.

Shows: CMU 16 matched by two Dask workers, one killed in the middle
Bars: rows equal to those of threads, bit for bit
Needs: clips; POSIX; `segue[scale]`; a minute
Group: A library

The 58 clips of CMU subject 16. Two Dask workers are processes of this machine; one is killed with SIGKILL when a
third of the pairs is done, and the cluster starts another.

python benchmarks/show/dask_workers.py
"""

from __future__ import annotations

import logging
import os
import shutil
import signal
import sqlite3
import tempfile
import time
from pathlib import Path
from typing import Any

from _data import subject_16
from _runner import Show, run

from segue.graph.workers import Threads, Workers
from segue.library import matching
from segue.library.cluster import Cluster
from segue.library.library import Library
from segue.transitions import tiles

CELLS = 1 << 18
"""Frame pairs of a tile, an eighth of the default, so that there are many."""
COSTS = ("relative_distance", "point_cloud")
ROWS = (
    "SELECT setting_id, a_clip, b_clip, minima, copies, cells, costs, diagonal, once FROM pair "
    "ORDER BY setting_id, a_clip, b_clip"
)
POINTS = "SELECT * FROM point ORDER BY setting_id, a_clip, b_clip, a_frame, b_frame"


def main(verdicts: Show) -> None:
    tiles.CELLS = CELLS
    with tempfile.TemporaryDirectory() as folder:
        base, paths = Path(folder) / "base.segue", {}
        with Library.open(base) as library:
            library.add(subject_16())
        for name in ("threads", "workers", "killed"):
            paths[name] = shutil.copy(base, base.with_name(f"{name}.segue"))
        took = {"threads": matched(paths["threads"], Threads())}
        start = time.perf_counter()
        with Cluster(processes=2) as cluster:
            verdicts.note(f"two workers started in {time.perf_counter() - start:.1f} s")
            took["workers"] = matched(paths["workers"], cluster)
            took["killed"] = killing(verdicts, paths["killed"], cluster)
        for name, (pairs, seconds) in took.items():
            verdicts.note(f"{name}: {pairs} pairs of {len(COSTS)} costs in {seconds:.1f} s")
        for what, query in (("pairs", ROWS), ("columns of points", POINTS)):
            plain = rows_of(paths["threads"], query)
            for name in ("workers", "killed"):
                mine = rows_of(paths[name], query)
                same = mine == plain
                if not same:
                    bad = [k for k, (one, other) in enumerate(zip(mine, plain, strict=False)) if one != other]
                    verdicts.note(f"{len(bad)} rows differ, the first: {plain[bad[0]][:3] if bad else ''}")
                verdicts.check(f"{what}, {name}", len(plain), "the same rows as threads", same)


def matched(path: str, workers: Workers, progress: Any = None) -> tuple[int, float]:
    """Match a library; return the pairs compared of all costs, and seconds."""
    start = time.perf_counter()
    pairs = 0
    with Library.open(path) as library:
        for name in COSTS:
            how = {"progress": progress} if progress else {}
            pairs += matching.match(
                library.store, *matching.asked({"cost": name}), workers=workers, **how
            ).new_pairs
    return pairs, time.perf_counter() - start


def killing(verdicts: Show, path: str, cluster: Cluster) -> tuple[int, float]:
    """Match, and kill one worker's process when a third of the first cost's pairs is done."""
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    before = set(cluster.client.run(os.getpid).values())
    dead: list[int] = []

    def tell(stage: str, done: int, total: int) -> None:
        if stage == "comparing clips" and total / 3 < done < total and not dead:
            dead.append(min(before))
            os.kill(dead[0], signal.SIGKILL)
            verdicts.note(f"a worker was killed after {done} of {total} pairs")

    took = matched(path, cluster, tell)
    gone = before - set(cluster.client.run(os.getpid).values())
    verdicts.check("workers killed while they worked", len(gone), "= 1", len(gone) == 1 and gone == set(dead))
    return took


def rows_of(path: str, query: str) -> list[tuple[Any, ...]]:
    """Return all rows of a query, without their row ids, which give the order of insertion."""
    with sqlite3.connect(path) as db:
        rows = db.execute(query).fetchall()
    return [row[2:] for row in rows] if query == POINTS else rows


if __name__ == "__main__":
    run(main, "Dask workers: one killed in the middle")
