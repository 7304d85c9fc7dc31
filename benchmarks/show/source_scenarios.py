"""The two scenarios of the source of joint relative distances: counts after each prune, seconds by threads."""

from __future__ import annotations

import time

import numpy as np
from _data import require_data
from _verdict import Verdicts

from segue.costs.engine.plan import Run
from segue.costs.protocol import Prepared
from segue.costs.registry import cost
from segue.io import load
from segue.motion.clip import Clip
from segue.motion.resample import cut, resampled
from segue.transitions.database import database_minima
from segue.transitions.pruning import blend_cells, blend_fits, merge_sweet_spots, sweet_spot_keys

COST = cost("relative_distance")
DANCES = ("05/05_02.amc", "05/05_03.amc", "05/05_06.amc")
WALKS = ("16/16_15.amc", "16/16_31.amc", "16/16_47.amc")
JOGS = ("16/16_35.amc", "16/16_45.amc", "16/16_55.amc")
SECTOR = 50
RUNS = 5


def tiled(clip: Clip, frames: int) -> Clip:
    """A clip at 30 frames a second played forwards and backwards in turn until it has so many frames.

    Backwards the poses are the same and the path leads back, so that no frame jumps.
    """
    clip = resampled(clip, 30.0)
    n = clip.n_frames
    rows = np.concatenate([np.arange(n), np.arange(n - 2, 0, -1)])
    rows = np.tile(rows, -(-frames // rows.size))[:frames]
    return clip.with_motion(clip.rotations[rows], clip.root_positions[rows], origin=clip.origin.take(rows))


def counts(
    clips: list[Clip], length: int, share: float, threads: int
) -> tuple[list[int], float, float, float]:
    """Sectors and what each prune leaves as the source does it, seconds from loaded clips, threshold, CPU seconds."""
    start, spent = time.perf_counter(), time.process_time()
    ready = [COST.prepare(clip) for clip in clips]
    run = Run(threads=threads)
    found = database_minima(clips, cost=COST, sector=SECTOR, band=length, run=run, prepared=ready)
    threshold = float(np.quantile(found.cost, share))
    totals = np.array([len(found), 0, 0, 0])
    for a, one in enumerate(ready):
        for b in range(a, len(ready)):
            mine = (found.a_clip == a) & (found.b_clip == b) & (found.cost <= threshold)
            totals[1:] += pruned(found.cells[mine], found.cost[mine], (one, ready[b]), length, threshold)
    return totals.tolist(), time.perf_counter() - start, threshold, time.process_time() - spent


def pruned(
    cells: np.ndarray, price: np.ndarray, pair: tuple[Prepared, Prepared], length: int, threshold: float
) -> list[int]:
    """Cells of a pair under the threshold, sweet spots among them, and those whose blend is under it too.

    The source's mode: the blend leaves at the cell's row and arrives at its column. Only its own cells are computed.
    """
    if not len(cells):
        return [0, 0, 0]
    one, other = pair
    keys = sweet_spot_keys(cells, price, "source")
    kept = cells[merge_sweet_spots(cells, keys, reach=length, shape=(one.n, other.n))]
    way = blend_cells("source", length)[0]
    kept_fit = kept[blend_fits(kept, way, rows=(0, one.n), columns=(0, other.n))]
    steps = np.arange(way.count)
    rows, columns = (kept_fit[:, k, None] + way.first[k] + steps for k in (0, 1))
    means = COST.pairs(one, other, rows.ravel(), columns.ravel()).reshape(rows.shape).mean(axis=1)
    return [len(cells), len(kept), int(np.count_nonzero(means <= threshold))]


def scenario(show: Verdicts, label: str, clips: list[Clip], length: int, share: float) -> dict[int, float]:
    """Counts once, seconds for 1 and 2 threads."""
    took = {}
    for threads in (1, 2):
        runs = [counts(clips, length, share, threads) for _ in range(RUNS)]
        (sectors, below, merged, verified), threshold = runs[0][0], runs[0][2]
        took[threads] = min(run[1] for run in runs)
        show.note(
            f"{label}, threads {threads}: {took[threads]:.3f} s from loaded clips (best of {RUNS}), "
            f"{min(run[3] for run in runs):.3f} s of processor time; "
            f"sectors {sectors}, 1st prune {below}, 2nd {merged}, 3rd {verified} (threshold {threshold:.4f} m)"
        )
        show.check(
            f"{label}: every prune leaves fewer or as many",
            verified,
            "> 0",
            sectors >= below >= merged >= verified,
        )
    return took


def main() -> None:
    """Both scenarios."""
    show = Verdicts(
        "The source's scenarios (motion graphs from joint relative distances, tables 5.2 and 5.3)"
    )
    folder = require_data() / "asf_amc"
    dances = [tiled(load(folder / name), 4000).with_motion(name=name) for name in DANCES]
    show.note("three dances of 4,000 frames at 30 a second: each clip played forwards and backwards in turn")
    counts([cut(clip, 0, 200) for clip in dances], 10, 0.2, 1)  # compile
    took = scenario(show, "dances", dances, 30, 0.2)
    show.check(
        "dances: seconds from loaded clips (the source took 1906)",
        min(took.values()),
        "< 0.3",
        min(took.values()) < 0.3,
    )
    steps = [resampled(load(folder / name), 30.0) for name in (*WALKS, *JOGS)]
    steps = [cut(clip, 0, min(100, clip.n_frames)) for clip in steps]
    show.note(f"walks and jogs of {', '.join(str(clip.n_frames) for clip in steps)} frames")
    took = scenario(show, "walks and jogs, 21 pairs, k = 30", steps, 30, 0.3)
    show.check(
        "walks and jogs: seconds (the source took 4.07)",
        min(took.values()),
        "< 0.3",
        min(took.values()) < 0.3,
    )
    show.finish()


if __name__ == "__main__":
    main()
