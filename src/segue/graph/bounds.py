"""Pairs that need not be compared under a threshold: lower bounds rule them out (`segue.costs.pruned`)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from segue.costs.engine.plan import Run
from segue.costs.point_cloud import PointCloudCost
from segue.costs.pruned.near import WORTHWHILE, low_pairs, prunable
from segue.graph.pairs import StoredPairs
from segue.graph.workers import Work
from segue.threads import Progress
from segue.transitions.threshold import Threshold


def pairs_left(
    work: Work, kept: StoredPairs, *, below: Threshold, run: Run, progress: Progress
) -> list[tuple[int, int]] | None:
    """Pairs (a <= b) that may have a point at or below a threshold, and all that are kept; None: compare all pairs.

    Bounds pay where many frames are new and few pairs are left; which that is, is found out from a sample. What was
    ruled out before under this threshold or a higher one is not looked at again. A pair that is left is compared whole,
    so that its points are those it always has.
    """
    if not isinstance(work.cost, PointCloudCost) or not prunable(work.cost):
        return None
    rows = np.array([len(one.frames) for one in work.known])
    live = np.flatnonzero(rows)
    done, limit = kept.ruled_out(below)
    old = [int(number) for number in live if number in done]
    fresh = [int(number) for number in live if number not in done]
    stored = {pair for pair in kept.pairs() if rows[list(pair)].all()}
    if not old and not _worthwhile(rows, len(stored)):
        return None
    left = {(number, number) for number in fresh} | stored
    if fresh:
        run = replace(run, progress=lambda cells, total: progress("ruling out pairs", cells, total))
        ready = [work.prepared[int(number)] for number in live]
        some = [k for k, number in enumerate(live) if number not in done] if old else None
        found = low_pairs(ready, cost=work.cost, threshold=limit.value, fresh=some, run=run)
        if found is None:
            return None
        left |= set(map(tuple, live[found].tolist()))
    return sorted(left)


def _worthwhile(rows: np.ndarray, stored: int) -> bool:
    """Whether so many frame pairs are missing that bounds save time."""
    total, clips = float(rows.sum()) ** 2 / 2, np.count_nonzero(rows)
    missing = 1.0 - stored / max(clips * (clips + 1) / 2, 1)
    return total * missing > WORTHWHILE


def keep_ruled_out(work: Work, kept: StoredPairs, *, below: Threshold) -> None:
    """Keep that pairs without points have none at or below a threshold, once all that were left are compared."""
    _, limit = kept.ruled_out(below)
    kept.keep_ruled_out(limit, [number for number, one in enumerate(work.known) if len(one.frames)])
