"""Costs streamed on a GPU and on the CPU: nanoseconds a frame pair, and the difference between both.

``python benchmarks/gpu.py``. Without a GPU it reports that, and compares PyTorch's tensors in main memory, if
installed, with the kernels: this tests the code path, not the speed. Clips are the samples, repeated.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from segue.costs.engine import array_api
from segue.costs.engine.array_api import ArrayTiles, Place, formula_of
from segue.costs.engine.plan import Run
from segue.costs.engine.tiles import Side, Tiles, sides, tiles_of
from segue.costs.point_cloud import PointCloudCost
from segue.costs.protocol import Cost, Prepared
from segue.costs.registry import COSTS, cost
from segue.motion.resample import resampled
from segue.motion.samples import sample

sys.path.insert(0, str(Path(__file__).parent / "show"))
from _strips import passed

STATED = {"features": 2e-4, "joint_angle": 1.4e-5, "dynamics": 1e-5}
ROWS = 192


def costs() -> dict[str, Cost]:
    """Return every cost of the registry, and clouds weighted by dynamics."""
    return {**{name: cost(name) for name in COSTS}, "dynamics": PointCloudCost(weighting="dynamics")}


def block(tiles: Tiles, side: Side) -> np.ndarray:
    rows, columns = min(ROWS, side.size), min(1344, side.size // 64 * 64)
    out = np.zeros((rows, columns), dtype=tiles.dtype)
    tiles.strip(0, columns)(0, rows, out)
    return out


def error(one: Cost, clips: Sequence[Prepared], place: Place) -> float:
    """Return the largest difference between a block of costs at a place and the kernels' costs."""
    side = sides(clips, one)[0]
    tiles = tiles_of(one, side, side)
    formula = formula_of(tiles)
    if formula is None:
        return float("nan")
    want, seen = (block(some, side) for some in (tiles, ArrayTiles(formula, place, tiles.dtype)))
    live = np.ix_(side.live[: want.shape[0]], side.live[: want.shape[1]])
    return float(np.abs(want[live] - seen[live]).max())


def speed(one: Cost, clips: Sequence[Prepared], device: array_api.Device) -> float:
    """Return clock nanoseconds a frame pair, the best of three runs after a warm-up."""
    best = np.inf
    for _ in range(4):
        start = time.perf_counter()
        pairs = passed(clips, cost=one, run=Run(device=device))
        best = min(best, (time.perf_counter() - start) / pairs)
    return 1e9 * best


def main() -> int:
    """Print a line per cost; return 1 if the error of a cost exceeds its stated error."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--frames", type=int, default=40_000, help="frames to compare with one another")
    frames = parser.parse_args().frames
    missing = array_api.why_no_gpu()
    if missing:
        print(f"no graphics processor: {missing}")
        if missing.startswith("PyTorch is not installed"):
            return 0
        print("tensors in main memory against the kernels:")
    place = array_api.torch_place("cpu" if missing else "cuda")
    motions = [resampled(sample(name), 30.0) for name in ("walk", "run", "stop", "start")]
    bad = 0
    for name, one in costs().items():
        ready = [one.prepare(clip) for clip in motions]
        apart, stated = error(one, ready, place), STATED.get(name, 1e-6)
        bad += not apart <= 2 * stated
        line = f"{name:<18} differs by {apart:.1e} (stated {stated:g} each)"
        if not missing:
            clips = ready * max(1, frames // sum(clip.n for clip in ready))
            cpu, gpu = (speed(one, clips, device) for device in ("cpu", "gpu"))
            line += f"; CPU {cpu:.2f}, GPU {gpu:.3f} ns a pair: {cpu / gpu:.1f} times as fast"
        print(line, flush=True)
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
