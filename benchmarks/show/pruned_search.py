"""Minima of point clouds by lower bounds against computing every cost: the same cells, in how much less time."""

from __future__ import annotations

import statistics
import time
from pathlib import Path

import numpy as np
from _data import require_data
from _verdict import Verdicts
from segue.costs.pruned.search import Stages, Way, minima

from segue.costs.engine.plan import Run
from segue.costs.point_cloud import PointCloudCost
from segue.costs.protocol import Prepared
from segue.io import load

ROOTS = (0.03, 0.04, 0.08, 0.10)
BARS = {"subject 16": {0.03: 3.0, 0.04: 2.0}, "all AMC clips": {0.03: 10.0, 0.04: 6.5}}
RUNS, NOISE = 7, 0.95
COST = PointCloudCost()
BAND = 2 * COST.half_window + 11


def once(clips: list[Prepared], root: float, way: Way) -> tuple[object, float, Stages]:
    """What one way finds, the seconds of processor time it searched, and its stages."""
    stages = Stages()
    start = time.thread_time()
    found = minima(
        clips, cost=COST, threshold=root**2, least=BAND, run=Run(threads=1), way=way, stages=stages
    )
    return found, time.thread_time() - start - stages.preparing, stages


def same(a: object, b: object) -> bool:
    """Whether two searches found the same cells at the same costs."""
    names = ("a_clip", "b_clip", "cells", "cost")
    return all(np.array_equal(getattr(a, name), getattr(b, name)) for name in names)


def compare(show: Verdicts, label: str, clips: list[Prepared]) -> None:
    """Every threshold, the two ways in turn."""
    ways: tuple[Way, ...] = ("dense", "auto", "pruned")
    for root in ROOTS:
        best = {way: [] for way in ways}
        last = {}
        for _ in range(RUNS):
            for way in ways:
                found, seconds, stages = once(clips, root, way)
                best[way].append(seconds)
                last[way] = found, stages
        pairs = last["dense"][0].pairs
        waste = last["dense"][1].computed / pairs
        took = {way: min(values) for way, values in best.items()}
        ns = {way: 1e9 * value / pairs for way, value in took.items()}
        stage = last["pruned"][1]
        show.note(
            f"{label}, {root} m: every cost {ns['dense']:.2f} ns a pair ({waste:.2f} cells computed for each), bounds "
            f"{ns['pruned']:.2f}, the faster of both block by block {ns['auto']:.2f} "
            f"(medians {', '.join(f'{1e9 * statistics.median(best[w]) / pairs:.2f}' for w in ways)}); "
            f"preparing {stage.preparing:.2f} s"
        )
        shares = [getattr(stage, name) / pairs for name in ("bounded", "below", "exact", "minima")]
        show.note(
            "  share of pairs left by tiles {:.2%}, by bounds {:.3%}, computed exactly {:.3%}, minima {:.5%}".format(
                *shares
            )
        )
        ok = all(same(last["dense"][0], last[way][0]) for way in ways)
        show.check(f"{label}, {root} m: the same minima", len(last["dense"][0]), "identical", ok)
        gain = took["dense"] / took["auto"]
        bar = BARS[label].get(root)
        if bar is None:
            show.check(
                f"{label}, {root} m: times as fast, as run", gain, f">= 1 (noise {NOISE})", gain >= NOISE
            )
        else:
            show.note(f"{label}, {root} m: {gain:.1f} times as fast as run")
            show.check(
                f"{label}, {root} m: times as fast, waste divided out",
                gain / waste,
                f">= {bar}",
                gain / waste >= bar,
            )


def main() -> None:
    """All clips at 30 frames a second."""
    show = Verdicts(
        "Pruned search of uniform point clouds, one thread, processor time, best of several runs in turn"
    )
    files = sorted(Path(require_data() / "asf_amc").glob("*/*.amc"))
    clips = [COST.prepare(load(file)) for file in files]
    sixteen = [clip for clip, file in zip(clips, files, strict=True) if file.parent.name == "16"]
    for label, some in (("subject 16", sixteen), ("all AMC clips", clips)):
        show.note(f"{label}: {len(some)} clips, {sum(clip.n for clip in some)} windows")
        compare(show, label, some)
    show.finish()


if __name__ == "__main__":
    main()
