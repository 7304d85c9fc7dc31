"""A million frames: a measured slice of 10^9 frame pairs for every cost, and the pruned search on all it has time for.

The library is made here: clips of the real ones again and again, each joint of each turned a little by its own slow
noise, in chunks, always the same. ``--whole`` runs the pruned search over all of it by bounds alone, clips
held by their places, and leaves out the slices.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from _data import require_data
from _verdict import Verdicts

from segue.costs.engine.plan import Run
from segue.costs.engine.streaming import sector_minima
from segue.costs.point_cloud import PointCloudCost
from segue.costs.protocol import Cost, Prepared
from segue.costs.pruned.search import Stages, minima
from segue.costs.registry import COSTS, cost
from segue.io import load
from segue.maths.quaternions import multiply
from segue.motion.clip import Clip
from segue.motion.resample import resampled

WINDOWS, SLICE = 1_000_000, 10**9
ROOT = 0.03
BUDGET = 900_000_000
SMALL = 64  # numbers that say of what kind a clip is
MOST = 2000  # megabytes of the whole process


def motions(folder: Path) -> list[Clip]:
    """The real clips at 30 frames a second."""
    return [resampled(load(file), 30.0) for file in sorted(folder.glob("*/*.amc"))]


def noisy(clip: Clip, number: int) -> Clip:
    """A clip with every joint turned by slow noise of about two degrees."""
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


def library(one: Cost, clips: list[Clip], windows: int) -> Iterator[Prepared]:
    """Prepared clips until there are so many windows; each is made, prepared and let go."""
    made = number = 0
    while made < windows:
        ready = one.prepare(noisy(clips[number % len(clips)], number))
        number += 1
        made += ready.n
        if ready.n:
            yield ready


def light(clip: Prepared) -> Prepared:
    """A prepared clip without the features that only blocks computed whole need."""
    return replace(
        clip, features={name: value for name, value in clip.features.items() if np.size(value) < SMALL}
    )


def peak() -> float:
    """Most memory this process ever took, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def slices(show: Verdicts, clips: list[Clip], pairs: int) -> None:
    """Nanoseconds a pair of every cost, streamed, and what all pairs of a million frames would take."""
    every = {**{name: cost(name) for name in COSTS}, "dynamics": PointCloudCost(weighting="dynamics")}
    for name, one in every.items():
        ready = list(library(one, clips, int(np.sqrt(2 * pairs))))
        sector_minima(ready[:93:6], cost=one, sector=64, least=20)
        start, used = time.perf_counter(), time.process_time()
        found = sector_minima(ready, cost=one, sector=64, least=20, run=Run(memory_budget=BUDGET))
        clock, used = time.perf_counter() - start, time.process_time() - used
        hours = used / found.pairs * WINDOWS**2 / 2 / 3600
        show.note(
            f"{name}: {found.pairs:.3g} pairs of {sum(clip.n for clip in ready)} windows in {clock:.1f} s: "
            f"{1e9 * clock / found.pairs:.2f} ns a pair, {1e9 * used / found.pairs:.2f} of processor time; "
            f"extrapolated to all pairs of a million: {hours:.2f} h of processor time"
        )
        show.check(
            f"{name}: pairs measured", found.pairs, f">= {0.9 * pairs:.2g}", found.pairs >= 0.9 * pairs
        )


def pruned(show: Verdicts, clips: list[Clip], windows: int, *, whole: bool) -> None:
    """The pruned search over a library of so many windows."""
    one = PointCloudCost()
    start = time.perf_counter()
    ready = [light(clip) if whole else clip for clip in library(one, clips, windows)]
    made = time.perf_counter() - start
    show.note(f"pruned search: {sum(clip.n for clip in ready)} windows made in {made:.0f} s")
    for way in ("pruned",) if whole else ("pruned", "dense"):  # kernels are compiled before time counts
        minima(ready[:2], cost=one, threshold=ROOT**2, least=21, run=Run(threads=1), way=way)
    stages = Stages()
    start, used = time.perf_counter(), time.process_time()
    found = minima(
        ready,
        cost=one,
        threshold=ROOT**2,
        least=21,
        run=Run(memory_budget=BUDGET),
        way="pruned" if whole else "auto",
        stages=stages,
    )
    clock, used = time.perf_counter() - start, time.process_time() - used
    share = [getattr(stages, name) / found.pairs for name in ("bounded", "below", "exact")]
    show.note(
        f"  {found.pairs:.3g} pairs at {ROOT} m in {clock:.0f} s: {1e9 * clock / found.pairs:.3f} ns a pair, "
        f"{used:.0f} s and {1e9 * used / found.pairs:.3f} ns of processor time; preparing {stages.preparing:.1f} s of "
        f"that; {len(found)} minima"
    )
    show.note(
        "  left by tiles {:.2%}, by bounds {:.3%}, computed exactly {:.3%}; blocks computed whole {:.1%}".format(
            *share, stages.dense / found.pairs
        )
    )
    all_pairs = WINDOWS**2 / 2
    if found.pairs < 0.9 * all_pairs:
        rest = (used - stages.preparing) / found.pairs * all_pairs
        show.note(
            f"  extrapolated to all pairs of a million: {rest / 60:.0f} min of processor time and preparing"
        )
    show.check("pruned search: pairs searched", found.pairs, f">= {SLICE:.0e}", found.pairs >= SLICE)
    show.check("peak memory of everything", peak(), f"< {MOST}", peak() < MOST, "MB")


def main() -> None:
    """The slices, then the search."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--whole", action="store_true", help="search all pairs of a million windows")
    parser.add_argument("--windows", type=int, default=60_000, help="windows the pruned search takes")
    parser.add_argument("--pairs", type=int, default=SLICE, help="pairs of each slice")
    told = parser.parse_args()
    show = Verdicts("A million frames")
    clips = motions(require_data() / "asf_amc")
    pruned(show, clips, WINDOWS if told.whole else told.windows, whole=told.whole)
    if not told.whole:
        slices(show, clips, told.pairs)
    show.finish()


if __name__ == "__main__":
    main()
