"""`segue library match` over a complete database: time and memory of every cost; equality; resuming after a kill.

All 93 AMC clips, compared at 30 frames a second. Every cost is matched in its own process, which reports its peak
memory. Then the rows of one subject's pairs are compared with those of each pair matched separately through its
full matrix.

python benchmarks/show/database_match.py
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import numpy as np
from _data import require_data
from _verdict import Verdicts

from segue.costs.matrix import next_frame_costs
from segue.costs.protocol import Cost
from segue.costs.registry import COSTS, cost
from segue.graph.build import unified, with_legs
from segue.library.library import Library
from segue.library.rows import in_order, pair_of
from segue.settings import SearchSettings
from segue.transitions.candidates import candidates

PEAK = 1500  # megabytes
KILLED = "relative_distance"
KILLS = (
    ("comparing clips", 0.02),
    ("comparing clips", 0.4),
    ("comparing clips", 0.8),
    ("checking seams", 0.3),
)
SUBJECT = "16_"
FIRST = 4
"""Subjects in the library at the start."""
ROWS = (
    "SELECT a.name, b.name, minima, copies, cells, costs, diagonal, once FROM pair JOIN clip a ON a.id = a_clip "
    "JOIN clip b ON b.id = b_clip ORDER BY a.name, b.name"
)
POINTS = (
    "SELECT a.name, b.name, a_frame, b_frame, cost, diagonal, turn, x, z, badness, verified FROM point "
    "JOIN clip a ON a.id = a_clip JOIN clip b ON b.id = b_clip ORDER BY a.name, b.name, a_frame, b_frame"
)


def main() -> None:
    clips = require_data() / "asf_amc"
    verdicts = Verdicts("segue library match: a complete database")
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder) / "base.segue"
        with Library.open(base) as library:
            library.add([clips])
            frames = sum(entry.n_frames for entry in library.clips())
            count = len(library.clips())
        verdicts.note(f"{count} clips, {frames} frames at 120 a second; {os.cpu_count()} cores")
        costs = [
            *({"name": name} for name in sorted(COSTS)),
            {"name": "point_cloud", "weighting": "dynamics"},
        ]
        for settings in costs:
            every_cost(verdicts, base, settings, count)
        killed(verdicts, base)
        grown(verdicts, base, clips)
    verdicts.finish()


def every_cost(verdicts: Verdicts, base: Path, settings: dict[str, str], count: int) -> None:
    """Match all pairs by each cost in its own process; then one subject's pairs, each separately."""
    print(" ".join(settings.values()))
    path = base.with_name("cost.segue")
    shutil.copy(base, path)
    document = json.loads(
        subprocess.run(child(path, settings), check=True, capture_output=True, text=True).stdout
    )
    every = count * (count + 1) // 2
    verdicts.check("pairs compared", document["pairs"], f"= {every}", document["pairs"] == every)
    verdicts.note(
        f"{document['seconds']:.1f} s, {document['processor']:.1f} s of processor time; "
        f"comparing {document['comparing']:.1f} s, checking seams {document['seams']:.1f} s; "
        f"{document['kept']} minima kept, {document['points']} points verified"
    )
    verdicts.check("peak memory, MB", document["peak"], f"< {PEAK}", document["peak"] < PEAK)
    start = time.process_time()
    differ, compared = alone(path, made(settings))
    verdicts.check(
        f"of {compared} pairs of subject 16 that differ from matching each separately",
        differ,
        "= 0",
        differ == 0,
    )
    verdicts.note(
        f"each separately in {time.process_time() - start:.1f} s of processor time, preparing included"
    )


def made(settings: dict[str, str]) -> Cost:
    """Return the cost of a name and settings."""
    return cost(**settings)


def child(path: Path, settings: dict[str, str], *stop: str) -> list[str]:
    """Return the command that matches a library in another process."""
    return [sys.executable, __file__, "--child", str(path), json.dumps(settings), *stop]


def alone(path: Path, how: Cost) -> tuple[int, int]:
    """Count the pairs of one subject whose row differs from matching them separately, bit for bit; and all."""
    with Library.open(path, mode="r") as library:
        names = in_order(library.store)
        clips = unified(with_legs([library.clip(name) for name in names])[0])
        rows = {row[:2]: pair_of(*row[2:]) for row in library.store.db.execute(ROWS)}
    mine = [clip for clip in clips if clip.name.startswith(SUBJECT)]
    prepared = {clip.name: how.prepare(clip) for clip in mine}
    steps = {name: next_frame_costs(one, how) for name, one in prepared.items()}
    differ = compared = 0
    for a, b in combinations_with_replacement(prepared, 2):
        one, other = prepared[a], prepared[b]
        if not (one.n and other.n):
            continue
        plain = candidates(one, other, cost=how, settings=SearchSettings(), next_frame=(steps[a], steps[b]))
        stored = rows[a, b]
        same = all(
            np.array_equal(getattr(plain, part), getattr(stored, part))
            for part in ("cells", "cost", "diagonal", "once")
        )
        compared += 1
        differ += not (same and (plain.minima, plain.copies) == (stored.minima, bool(stored.copies)))
    return differ, compared


def killed(verdicts: Verdicts, base: Path) -> None:
    """Kill with SIGKILL at several moments and resume each time; the rows must equal those of an uninterrupted run."""
    print(f"killed while matching, {KILLED}")
    settings = {"name": KILLED}
    whole, broken = base.with_name("whole.segue"), base.with_name("broken.segue")
    for path in (whole, broken):
        shutil.copy(base, path)
    subprocess.run(child(whole, settings), check=True, capture_output=True)
    for stage, share in KILLS:
        ended = subprocess.run(
            child(broken, settings, stage, str(share)), check=False, capture_output=True, text=True
        )
        document = json.loads(ended.stdout.splitlines()[-1])
        with sqlite3.connect(broken) as db:
            sound = db.execute("PRAGMA integrity_check").fetchone()[0]
            kept = db.execute("SELECT count(*) FROM pair").fetchone()[0]
        fine = ended.returncode == -signal.SIGKILL and sound == "ok" and kept >= document["done"]
        label = f"killed at {share:.0%} of {stage}: pairs kept"
        verdicts.check(label, kept, f">= {document['done']}, those reported as done", fine)
    last = json.loads(
        subprocess.run(child(broken, settings), check=True, capture_output=True, text=True).stdout
    )
    verdicts.note(
        f"the last time {last['pairs']} pairs were compared and the rest taken, in {last['seconds']:.1f} s"
    )
    for what, query in (("pairs", ROWS), ("points", POINTS)):
        one, other = rows_of(whole, query), rows_of(broken, query)
        verdicts.check(
            f"{what} compared with an uninterrupted run",
            len(other),
            f"the same {len(one)} rows",
            one == other,
        )


def rows_of(path: Path, query: str) -> list[tuple[Any, ...]]:
    with sqlite3.connect(path) as db:
        return db.execute(query).fetchall()


def grown(verdicts: Verdicts, base: Path, clips: Path) -> None:
    """Match some subjects, add and match the others: only new pairs, and the rows of one batch."""
    print(f"clips added, {KILLED}")
    path = base.with_name("grown.segue")
    with Library.open(path) as library:
        library.add(sorted(clips.iterdir())[:FIRST])
        old = library.match(cost=KILLED).new_pairs
        library.add([clips])
        matched = library.match(cost=KILLED)
    whole = rows_of(base.with_name("whole.segue"), ROWS)
    fine = (matched.kept_pairs, matched.new_pairs) == (old, len(whole) - old)
    verdicts.check("new pairs", matched.new_pairs, f"= {len(whole) - old}, and {old} kept", fine)
    verdicts.check(
        "pairs as if matched in one batch", len(whole), "the same rows", rows_of(path, ROWS) == whole
    )


def matching(path: str, settings: str, stop: list[str]) -> None:
    """Child process: match a library and report the cost; or be killed when a share of a stage is done."""
    begun: dict[str, float] = {}
    spent: dict[str, float] = {}

    def tell(stage: str, done: int, total: int) -> None:
        now = time.perf_counter()
        spent[stage] = now - begun.setdefault(stage, now)
        if stop and stage == stop[0] and done >= float(stop[1]) * total:
            print(json.dumps({"done": done if stage == "comparing clips" else pairs}), flush=True)
            os.kill(os.getpid(), signal.SIGKILL)

    start, processor = time.perf_counter(), time.process_time()
    with Library.open(path) as library:
        pairs = library.store.value("SELECT count(*) FROM pair")
        matched = library.match(cost=made(json.loads(settings)), progress=tell)
        kept = sum(
            len(np.frombuffer(row[0], "<f8")) for row in library.store.db.execute("SELECT costs FROM pair")
        )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)
    print(
        json.dumps(
            {
                "pairs": matched.new_pairs,
                "points": matched.points,
                "kept": kept,
                "seconds": time.perf_counter() - start,
                "processor": time.process_time() - processor,
                "comparing": spent.get("comparing clips", 0.0),
                "seams": spent.get("checking seams", 0.0),
                "peak": round(peak),
            }
        )
    )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        matching(sys.argv[2], sys.argv[3], sys.argv[4:])
    else:
        main()
