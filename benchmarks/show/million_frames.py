"""A million frames: `segue library match` under a threshold, and a measured slice of 10^9 frame pairs of every cost.

Shows: a library of up to a million frames, noise on real clips: `segue library match` under a threshold on 60,000
    frames, with `--whole` on a million and without the slices; a slice of 10^9 frame pairs of every cost, and the
    estimated time of all pairs
Bars: each pair of clips compared or ruled out; the pairs of a sampled block equal to those compared separately; the
    same command again compares nothing; every slice measured completely
Needs: clips
Group: The parts

The library is made here: copies of the real clips, each joint of each rotated slightly by its own slow noise, in
chunks, with a fixed seed. It is matched from the command line; then the pairs of a few random clips are compared
with matching each separately through its full matrix. ``--whole`` matches a million frames and leaves out the
slices.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import combinations_with_replacement, islice
from pathlib import Path
from typing import Any

import numpy as np
from _runner import Show, run
from _strips import passed

from segue.costs.engine.plan import Run
from segue.costs.matrix import next_frame_costs
from segue.costs.point_cloud import PointCloudCost
from segue.costs.protocol import Prepared
from segue.costs.registry import COSTS, cost
from segue.graph.build import unified
from segue.io import load
from segue.library.library import Library
from segue.library.rows import in_order, pair_of
from segue.maths.quaternions import multiply
from segue.motion.clip import Clip
from segue.motion.resample import resampled
from segue.settings import SearchSettings
from segue.transitions.candidates import candidates

FRAMES, SLICE = 1_000_000, 10**9
ROOT = 0.03
MEMORY = 900  # memory limit of match for comparing, in megabytes
BLOCK, AT_ONCE = 40, 50  # clips whose pairs are compared separately; clips added in one batch
SETTINGS = "SELECT minima, copies, cells, costs, diagonal, once FROM pair"


def motions(folder: Path) -> list[Clip]:
    """Load the real clips at 30 frames a second."""
    return [resampled(load(file), 30.0) for file in sorted(folder.glob("*/*.amc"))]


def noisy(clip: Clip, number: int) -> Clip:
    """Return a clip with every joint rotated by slow noise of about two degrees."""
    rng = np.random.default_rng(number)
    knots = rng.normal(0.0, 0.02, (clip.n_frames // 15 + 2, clip.rotations.shape[1], 3))
    at = np.arange(clip.n_frames) / 15
    low = at.astype(int)
    part = (at - low)[:, None, None]
    turns = (1 - part) * knots[low] + part * knots[low + 1]
    small = np.concatenate([np.ones((*turns.shape[:2], 1)), turns], axis=2)
    small /= np.linalg.norm(small, axis=2, keepdims=True)
    name = f"{clip.name} {number}"
    return Clip(clip.skeleton, multiply(clip.rotations, small), clip.root_positions, clip.fps, name=name)


def made(clips: list[Clip], frames: int) -> Iterator[Clip]:
    """Yield noisy clips up to a number of frames, one in memory at a time."""
    count = number = 0
    while count < frames:
        clip = noisy(clips[number % len(clips)], number)
        number += 1
        count += clip.n_frames
        yield clip


def slices(show: Show, clips: list[Clip], pairs: int) -> None:
    """Measure nanoseconds a pair of every cost, strip by strip; estimate the time of a million frames."""
    every = {**{name: cost(name) for name in COSTS}, "dynamics": PointCloudCost(weighting="dynamics")}
    for name, one in every.items():
        ready = [clip for clip in map(one.prepare, made(clips, int(np.sqrt(3.5 * pairs)))) if clip.n]
        passed(ready[:93:6], cost=one)
        start, used = time.perf_counter(), time.process_time()
        count = passed(ready, cost=one, run=Run(memory_budget=MEMORY << 20))
        clock, used = time.perf_counter() - start, time.process_time() - used
        hours = used / count * FRAMES**2 / 2 / 3600
        show.note(
            f"{name}: {count:.3g} pairs of {sum(clip.n for clip in ready)} windows in {clock:.1f} s: "
            f"{1e9 * clock / count:.2f} ns a pair, {1e9 * used / count:.2f} of processor time; "
            f"extrapolated to all pairs of a million: {hours:.2f} h of processor time"
        )
        show.check(f"{name}: pairs measured", count, f">= {0.9 * pairs:.2g}", count >= 0.9 * pairs)


def filled(path: Path, clips: list[Clip], frames: int) -> int:
    """Fill a library up to a number of frames; return that number."""
    source, count = made(clips, frames), 0
    with Library.open(path) as library:
        while some := list(islice(source, AT_ONCE)):
            library.add(some)
            count += sum(clip.n_frames for clip in some)
    return count


def matched(path: Path, *words: str) -> tuple[dict[str, object], float, float, float]:
    """Return the output of `segue library match`, seconds by the clock and of processor time, peak megabytes."""
    command = [sys.executable, "-m", "segue", "library", "match", str(path), "--threshold", str(ROOT**2)]
    start = time.perf_counter()
    with tempfile.TemporaryFile("w+") as out:
        child = subprocess.Popen(
            [*command, "--memory", str(MEMORY), "--json", *words], stdout=out, stderr=subprocess.DEVNULL
        )
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        clock = time.perf_counter() - start
        out.seek(0)
        document = json.loads(out.read()) if child.returncode == 0 else {}
    return (
        document,
        clock,
        used.ru_utime + used.ru_stime,
        used.ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3),
    )


def differing(path: Path) -> tuple[int, int, int]:
    """Count pairs whose points differ from those of comparing two clips; also those compared, and ruled out."""
    how, limit = PointCloudCost(), ROOT**2
    rng = np.random.default_rng(1)
    with Library.open(path, mode="r") as library:
        every = in_order(library.store)
        chosen = sorted({0, *rng.choice(len(every), min(BLOCK, len(every)), replace=False).tolist()})
        names = [every[k] for k in chosen]
        clips = unified([library.clip(name) for name in names])
        row = "JOIN clip a ON a.id = a_clip JOIN clip b ON b.id = b_clip WHERE a.name = ? AND b.name = ?"
        rows = {
            (a, b): found
            for a, b in combinations_with_replacement(names, 2)
            if (found := library.store.db.execute(f"{SETTINGS} {row}", (a, b)).fetchone()) is not None
        }
    prepared: dict[str, Prepared] = {clip.name: how.prepare(clip) for clip in clips}
    steps = {name: next_frame_costs(one, how) for name, one in prepared.items()}
    differ = compared = ruled_out = 0
    for a, b in combinations_with_replacement(prepared, 2):
        if not (prepared[a].n and prepared[b].n):
            continue
        plain = candidates(
            prepared[a], prepared[b], cost=how, settings=SearchSettings(), next_frame=(steps[a], steps[b])
        )
        compared += 1
        if (a, b) not in rows:
            ruled_out += 1
            differ += bool((plain.cost <= limit).any())
            continue
        stored = pair_of(*rows[a, b])
        parts = ("cells", "cost", "diagonal", "once")
        differ += not all(np.array_equal(getattr(plain, part), getattr(stored, part)) for part in parts)
    return differ, compared, ruled_out


def command(show: Show, clips: list[Clip], frames: int, folder: Path) -> None:
    """Match a library of that many frames from the command line, twice."""
    path = folder / f"{frames}.segue"
    start = time.perf_counter()
    if not path.exists():
        made_of = filled(path, clips, frames)
        show.note(f"a library of {made_of} frames, made in {time.perf_counter() - start:.0f} s")
    document, clock, used, peak = matched(path)
    with Library.open(path, mode="r") as library:
        windows = sum(max(clip.n_frames - 10, 0) for clip in library.clips())
        kept = library.store.value("SELECT count(*) FROM pair")
        all_pairs = len(library.clips()) * (len(library.clips()) + 1) // 2
    pairs = windows**2 / 2
    show.note(
        f"segue library match --threshold {ROOT**2:g}: {pairs:.3g} pairs of {windows} windows in {clock:.0f} s by the "
        f"clock, {used:.0f} s of processor time, {1e9 * used / pairs:.2f} ns a pair, all of the command counted"
    )
    show.note(
        f"{kept} of {all_pairs} pairs of clips compared, {document['ruled_out']} ruled out; "
        f"{document['points']} points verified"
    )
    show.note(f"peak memory of the command {peak:.0f} MB, of which comparing may take {MEMORY}")
    show.check("pairs of frames searched", pairs, f">= {SLICE:.0e}", pairs >= SLICE)
    show.check("pairs of clips accounted for", kept + document["ruled_out"], f"= {all_pairs}",
               kept + document["ruled_out"] == all_pairs)  # fmt: skip
    differ, compared, out = differing(path)
    show.check(
        f"of {compared} pairs of a sampled block ({out} ruled out), that differ", differ, "= 0", differ == 0
    )
    again, clock, _, _ = matched(path)
    show.check("pairs compared by the same command again", again["new_pairs"], "= 0", again["new_pairs"] == 0)
    show.note(f"the same command again: {clock:.0f} s")


def main(show: Show) -> None:
    """Run the command, then the slices."""
    given = show.options
    clips = motions(show.clips / "asf_amc")
    command(show, clips, FRAMES if given.whole else given.frames, given.keep or show.folder)
    if not given.whole:
        slices(show, clips, given.pairs)
    show.note(
        f"peak memory of this process {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB"
    )


OPTIONS: dict[str, dict[str, Any]] = {
    "--whole": {"action": "store_true", "help": "match a million frames"},
    "--frames": {"type": int, "default": 60_000, "help": "frames of the library that is matched"},
    "--pairs": {"type": int, "default": SLICE, "help": "pairs of each slice"},
    "--keep": {"type": Path, "help": "folder where the library is kept"},
}

if __name__ == "__main__":
    run(main, "A million frames", OPTIONS)
