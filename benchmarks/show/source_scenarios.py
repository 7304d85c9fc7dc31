"""The two scenarios of the source of joint relative distances: counts after each prune, seconds by threads.

Shows: the source's two scenarios of joint relative distance, one row a pair with counts after each prune, compared
    with the source's totals, in one and two threads
Bars: the same percentage of sectors passes the first prune as in the source; walks and jogs of 70 to 130 frames;
    three dances of 4,000 frames from loaded clips in under 0.3 s of one thread's processor time, walks and jogs as
    well
Needs: clips
Group: The parts

One row a pair of clips, as in the source's tables 5.2 and 5.3. Its thresholds have unknown units; here the same
share of the sectors passes the first prune as in the source. Its clips are not available. Walks and jogs are taken
at 60 frames a second, where those of CMU subject 16 have 81 to 130 frames (walks: their first 130), and four clips
have three sectors and two have two, as in the source. A clip is compared with itself above the diagonal only, since
the other half is its mirror image; the source counts both halves.
"""

from __future__ import annotations

import time
from functools import partial

import numpy as np
from _data import require_data
from _runner import Show, run

from segue.costs.matrix import next_frame_costs
from segue.costs.protocol import Cost
from segue.costs.registry import cost
from segue.io import load
from segue.motion.clip import Clip
from segue.motion.resample import cut, resampled
from segue.threads import each
from segue.transitions.candidates import SearchSettings
from segue.transitions.pruning import prune
from segue.transitions.tiles import plan_tiles, tile_candidates

DANCES = ("05/05_02.amc", "05/05_03.amc", "05/05_06.amc")
WALKS = ("16/16_15.amc", "16/16_31.amc", "16/16_47.amc")
JOGS = ("16/16_43.amc", "16/16_35.amc", "16/16_36.amc")
LONGEST = 130  # frames of a walk
SECTOR, LENGTH = 50, 30  # frames of a sector and of a blend, as in the source
DANCES_PASSED, WALKS_PASSED = 18_496 / 38_082, 129 / 150
"""Shares of the sectors that remain after the source's first prune."""
TABLES = {"dances": (38_082, 18_496, 11_762, 9_126), "walks and jogs": (150, 129, 123, 11)}
"""The source's totals: sectors, after the first, second and third prune."""
RUNS = 5


def tiled(clip: Clip, frames: int) -> Clip:
    """Return a clip at 30 frames a second, played forwards and backwards in turn up to a number of frames.

    Backwards the poses are the same and the path leads back, so that no frame jumps.
    """
    clip = resampled(clip, 30.0)
    n = clip.n_frames
    rows = np.concatenate([np.arange(n), np.arange(n - 2, 0, -1)])
    rows = np.tile(rows, -(-frames // rows.size))[:frames]
    return clip.with_motion(clip.rotations[rows], clip.root_positions[rows], origin=clip.origin.take(rows))


def counts(
    clips: list[Clip], made: Cost, share: float, threads: int
) -> tuple[np.ndarray, float, float, float]:
    """Return rows of a pair (A, B, sectors, checked, after each prune), seconds from loaded clips, threshold, CPU time.

    The source's mode: the blend leaves at the cell's row and arrives at its column.
    """
    start, spent = time.perf_counter(), time.process_time()
    ready = {k: made.prepare(clip) for k, clip in enumerate(clips)}
    steps = {k: next_frame_costs(one, made) for k, one in ready.items()}
    how = SearchSettings("sectors", "source", LENGTH / made.rate, SECTOR / made.rate)
    pairs = [(a, b) for a in ready for b in range(a, len(ready))]
    tiles = plan_tiles(pairs, [one.n for one in ready.values()])
    jobs = (
        partial(tile_candidates, tile, ready, cost=made, settings=how, next_frame=steps) for tile in tiles
    )
    found = dict(
        pair for tile, some in zip(tiles, each(jobs, threads=threads), strict=True)
        for pair in zip(tile.pairs, some, strict=True)
    )  # fmt: skip
    threshold = float(np.quantile(np.concatenate([one.cost for one in found.values()]), share))
    rows = []
    for a, b in pairs:
        left = prune(found[a, b], threshold).counts
        looked = sectors(ready[a].n) * sectors(ready[b].n)
        rows.append(
            [a + 1, b + 1, looked, *(left[step] for step in ("minima", "below", "merged", "verified"))]
        )
    return np.array(rows), time.perf_counter() - start, threshold, time.process_time() - spent


def sectors(frames: int) -> int:
    """Return the number of sectors along a clip."""
    return -(-frames // SECTOR)


def scenario(show: Show, label: str, clips: list[Clip], made: Cost, share: float) -> None:
    """Print the table once, and seconds for 1 and 2 threads."""
    spent = 0.0
    for threads in (1, 2):
        runs = [counts(clips, made, share, threads) for _ in range(RUNS)]
        if threads == 1:
            table(show, label, *runs[0][::2])
            spent = min(run[3] for run in runs)
        show.note(
            f"{label}, threads {threads}: {min(run[1] for run in runs):.3f} s from loaded clips by the clock "
            f"(best of {RUNS}), {min(run[3] for run in runs):.3f} s of processor time"
        )
    source = {"dances": 1906.0, "walks and jogs": 4.07}[label]  # table 5.1, one thread
    text = f"{label}: one thread's processor time (the source took {source:g})"
    show.check(text, spent, "< 0.3", unit="s")


def table(show: Show, label: str, rows: np.ndarray, threshold: float) -> None:
    """Print one row a pair and the sums, with the source's."""
    show.note(f"{label}, threshold {threshold:.4f} m")
    heads = ("A", "B", "sectors", "checked", "1st prune", "2nd", "3rd")
    show.note("".join(f"{head:>11}" for head in heads))
    for row in rows.tolist():
        show.note("".join(f"{number:>11}" for number in row))
    everything, looked, *left = rows[:, 2:].sum(axis=0).tolist()
    show.note(f"{'sum':>22}" + "".join(f"{number:>11}" for number in (everything, looked, *left)))
    source = TABLES[label]
    show.note(
        f"{'the source':>22}{source[0]:>11}{'':>11}" + "".join(f"{number:>11}" for number in source[1:])
    )
    passed, wanted = left[0] / looked, source[1] / source[0]
    show.check(
        f"{label}: share of the sectors under the threshold",
        passed,
        f"{wanted:.2f} +- 0.01",
        abs(passed - wanted) <= 0.01,
    )
    falling = bool(np.all(np.diff(rows[:, 3:], axis=1) <= 0))
    show.check(f"{label}: in every row each prune leaves fewer or as many", falling, True, falling)
    show.check(f"{label}: left in the end", left[-1], "> 0")


def main(show: Show) -> None:
    folder = require_data() / "asf_amc"
    dances = [tiled(load(folder / name), 4000).with_motion(name=name) for name in DANCES]
    show.note("three dances of 4,000 frames at 30 a second: each clip played forwards and backwards in turn")
    slow, fast = cost("relative_distance"), cost("relative_distance", rate=60.0)
    counts([cut(clip, 0, 200) for clip in dances], slow, DANCES_PASSED, 1)  # compile
    scenario(show, "dances", dances, slow, DANCES_PASSED)
    steps = [resampled(load(folder / name), 60.0) for name in (*WALKS, *JOGS)]
    steps = [cut(clip, 0, min(LONGEST, clip.n_frames)) for clip in steps]
    frames = [clip.n_frames for clip in steps]
    show.note(f"walks and jogs at 60 frames a second: {', '.join(map(str, frames))} frames")
    show.check("walks and jogs: frames of every clip", f"{min(frames)} to {max(frames)}", "70 to 130",
               min(frames) >= 70 and max(frames) <= 130)  # fmt: skip
    scenario(show, "walks and jogs", steps, fast, WALKS_PASSED)


if __name__ == "__main__":
    run(main, "The source's scenarios (motion graphs from joint relative distances, tables 5.1 to 5.3)")
