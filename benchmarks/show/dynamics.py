"""Dynamics-weighted point clouds: closed form, invariants, contacts of any part, float error, and speed.

Shows: dynamics weights: cells of real boxing minimised directly, ground transforms, float errors at rest, 1 km away
    and at 5 m/s, contacts of hands, hips and backs in a dive and a fall, speed of one thread (on an idle machine)
    compared with sgemm and the naive twin
Bars: 1e-8; 1e-10 and 1e-5 m²; at least three parts besides the feet, none in walks and boxing; 60 % of sgemm's rate;
    5.5, 11, 9 and 18 ns a pair
Needs: clips
Group: The parts

Speed is the CPU time of one thread: the best and the median of 20 runs over two boxers tiled to 1,300 frames, and
over a run and a walk, which travel. The bars are for an idle machine: another process on the same core up to
doubles every time, as the rate of sgemm in the same run shows.
"""

from __future__ import annotations

import os

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from _data import require_data
from _runner import Show, rounds, run
from scipy.optimize import minimize

from segue.costs import _kernels
from segue.costs.matrix import cost_matrix
from segue.costs.point_cloud import PointCloudCost
from segue.io import load
from segue.maths.planar import PlanarMotion
from segue.motion.body import SEGMENTS, capsules
from segue.motion.clip import Clip
from segue.motion.contacts import touching
from segue.motion.facing import moved
from segue.motion.flags import runs
from segue.motion.resample import resampled

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

from naive import dynamics as naive

FRAMES, RUNS = 1300, 20
JOINTS, DENSE = {"cloud": "joints"}, {"points_per_segment": 24}
BARS = {
    ("uniform", "joints"): 5.5,
    ("uniform", "capsules"): 11.0,
    ("dynamics", "joints"): 9.0,
    ("dynamics", "capsules"): 18.0,
}


def tiled(name: str, frames: int = FRAMES) -> Clip:
    """Return a real clip at 30 frames a second, repeated to a given length."""
    clip = resampled(load(require_data() / "asf_amc" / name), 30.0)
    rows = np.tile(np.arange(clip.n_frames), -(-frames // clip.n_frames))[:frames]
    return clip.with_motion(clip.rotations[rows], clip.root_positions[rows], origin=clip.origin.take(rows))


def run_off(clip: Clip) -> Clip:
    """Return the clip with its origin moving at 5 metres a second."""
    ahead = np.arange(clip.n_frames)[:, None] * np.array([5.0 / clip.fps, 0.0, 0.0])
    return clip.with_motion(root_positions=clip.root_positions + ahead)


def closed_form(show: Show, a: Clip, b: Clip) -> None:
    """Compare cells of real clips with minimisation over turn and shift."""
    cost = PointCloudCost(weighting="dynamics", dtype="float64")
    pa, pb = cost.prepare(a), cost.prepare(b)
    rng = np.random.default_rng(5)
    worst, half = 0.0, cost.half_window
    parts = tuple(dict.fromkeys(pa.cloud.segments))
    clouds = [p.cloud.points * p.cloud.scale for p in (pa, pb)]
    down = [p.features["weights"].friction > 0 for p in (pa, pb)]

    def weight(part: str, s: int, t: int) -> float:
        on = [
            {name for name, flag in zip(parts, d[f], strict=True) if flag}
            for d, f in zip(down, (s, t), strict=True)
        ]
        return naive.pair_weight(part, *on)

    for i, j in zip(rng.integers(0, pa.n, 20), rng.integers(0, pb.n, 20), strict=True):
        rows = naive.windowed(
            *clouds, i + half, j + half, half=half, part_of=pa.cloud.segments, weight=weight
        )
        w, p, q = (np.array([row[k] for row in rows]) for k in range(3))
        p, q = p - p.mean(axis=0) * [1, 0, 1], q - q.mean(axis=0) * [1, 0, 1]

        def total(t: np.ndarray, w: np.ndarray = w, p: np.ndarray = p, q: np.ndarray = q) -> float:
            return float(np.sum(w[:, None] * (p - PlanarMotion(*t).apply(q)) ** 2))

        direct = min(minimize(total, [start, 0.0, 0.0]).fun for start in (0.0, 2.1, 4.2))
        closed = float(cost.pairs(pa, pb, np.array([i]), np.array([j]))[0])
        worst = max(worst, abs(closed - direct) / direct)
    show.check("closed form against direct minimisation, 20 real cells", worst, "< 1e-8")


def laws(show: Show, a: Clip, b: Clip) -> None:
    """Check ground transforms, float errors, and the cost of contacts."""
    exact = PointCloudCost(weighting="dynamics", dtype="float64")
    rough = PointCloudCost(weighting="dynamics")
    before, first = (cost_matrix(a, b, cost=cost).values for cost in (exact, rough))
    away = moved(b, PlanarMotion(2.1, 700.0, -714.0))
    change = float(np.abs(cost_matrix(a, away, cost=exact).values - before).max())
    show.check("float64: turned and 1 km away, change", change, "< 1e-10", unit="m^2")
    fast = [run_off(clip) for clip in (a, b)]
    for label, pair, truth in (
        ("as they are", (a, b), before),
        ("one turned and 1 km away", (a, away), before),
        ("both run off at 5 m/s", fast, cost_matrix(*fast, cost=exact).values),
    ):
        values = first if pair == (a, b) else cost_matrix(*pair, cost=rough).values
        error = np.abs(values - truth)
        low = truth <= np.quantile(truth, 0.001)
        show.check(f"float32 error, {label}", float(error.max()), "< 1e-5", unit="m^2")
        relative = float((error[low] / truth[low]).max())
        show.check("    relative, lowest thousandth", relative, "< 1e-4")
    pa, pb = exact.prepare(a), exact.prepare(b)
    cells = np.arange(0, min(pa.n, pb.n), 7)
    both = exact.pairs(pa, pb, cells, cells)
    source = PointCloudCost(weighting="dynamics", dtype="float64", weights_of="source")
    one = source.pairs(source.prepare(a), source.prepare(b), cells, cells)
    show.check(
        "cells of lower cost with both contacts than with one",
        int(np.sum(both < one)),
        0,
        not np.any(both < one),
    )


def contacts(show: Show) -> None:
    """Check contacts of hands, hips and backs in a dive over a roll and in a fall, and none in walks and boxing."""
    data = require_data()
    for name in (
        "asf_amc/127/127_23.amc",
        "misc/assimp/Boxing_Toes.bvh",
        "misc/deepmimic/humanoid3d_roll.txt",
    ):
        clip = load(data / name)
        flags = touching(clip)
        names = [capsule.segment for capsule in capsules(clip.skeleton)]
        found = {
            n: runs(flags[:, k]) for k, n in enumerate(names) if flags[:, k].any() and not n.endswith("foot")
        }
        seconds = {
            n: [f"{s / clip.fps:.2f}-{e / clip.fps:.2f}" for s, e in spans] for n, spans in found.items()
        }
        show.check(f"{name}: parts besides feet", len(found), ">= 3")
        show.note("; ".join(f"{n} {', '.join(spans[:3])} s" for n, spans in seconds.items()))
    others = 0
    for name in ("16/16_31", "16/16_35", "02/02_05", "17/17_10", "02/02_04"):
        flags = touching(load(data / f"asf_amc/{name}.amc")).any(axis=0)
        others += sum(not SEGMENTS[k].endswith("foot") for k in np.flatnonzero(flags))
    show.check("parts besides feet in walk, run, boxing and jump", others, "= 0")


def cpu(call: Callable[[], object]) -> tuple[float, float]:
    """Return best and median CPU seconds of 20 runs."""
    call()
    times = rounds({"": call}, RUNS)[""]
    return min(times), float(np.median(times))


def rates(show: Show) -> None:
    """Compare our product kernel with sgemm, at the relevant shapes."""
    rng = np.random.default_rng(1)
    for label, shape in (("joints", (140, 40, 576)), ("capsules", (140, 104, 576))):
        n, k, m = shape
        every = np.zeros(n // 4, dtype=np.int64), (0, 0, n, m)
        a, b = rng.normal(size=(n, k)).astype(np.float32), rng.normal(size=(k, m)).astype(np.float32)
        out = np.empty((n, m), dtype=np.float32)
        ours, theirs = 9.0, 9.0
        for _ in range(10):  # alternating, so that both run under the same conditions
            ours = min(
                ours,
                cpu(
                    lambda a=a, b=b, out=out, every=every: _kernels.squared_gaps(
                        a, b, every[0], out, every[1]
                    )
                )[0],
            )
            theirs = min(theirs, cpu(lambda a=a, b=b, out=out: np.dot(a, b, out=out))[0])
        flops = 2 * n * k * m / 1e9
        share = theirs / ours
        show.note(f"products {n} x {k} x {m}: ours {flops / ours:.0f}, sgemm {flops / theirs:.0f} GFLOP/s")
        show.check(f"share of sgemm's rate in products, {label}", share, ">= 0.6")


def speed(show: Show) -> None:
    """Measure nanoseconds a pair of frames, best and median of 20 runs, and the naive twin."""
    still = tiled("02/02_05.amc"), tiled("17/17_10.amc")
    travels = tiled("16/16_35.amc"), tiled("16/16_31.amc")
    for (weighting, cloud), bar in BARS.items():
        cost = PointCloudCost(weighting=weighting, **(JOINTS if cloud == "joints" else DENSE))
        for label, pair in (("boxing", still), ("travelling", travels)):
            a, b = (cost.prepare(clip) for clip in pair)
            taken = cpu(lambda cost=cost, a=a, b=b: cost.matrix(a, b))
            best, usual = (1e9 * seconds / (a.n * b.n) for seconds in taken)
            name = f"{weighting}, {cloud}, {label}"
            if label == "boxing":
                show.check(f"{name}: best (median {usual:.1f})", best, f"<= {bar}", unit="ns a pair")
            else:
                show.note(f"{name}: best {best:.1f}, median {usual:.1f} ns a pair")
    cost = PointCloudCost(weighting="dynamics")
    a, b = (cost.prepare(clip) for clip in still)
    points = [p.cloud.points * p.cloud.scale for p in (a, b)]
    start = time.process_time()
    naive.dynamics(
        *points, 20, 20, half=5, part_of=a.cloud.segments, weight=lambda part, _s, _t: naive.mass_weight(part)
    )
    show.note(f"the naive twin: {1e9 * (time.process_time() - start):.3g} ns a pair")


def main(show: Show) -> None:
    boxer, other = resampled(load(show.clips / "asf_amc/02/02_05.amc"), 30.0), tiled("17/17_10.amc", 400)
    closed_form(show, boxer, other)
    laws(show, boxer, other)
    contacts(show)
    rates(show)
    speed(show)


if __name__ == "__main__":
    run(main, "Dynamics-weighted point clouds")
