"""Compute every cost between some clips, strip by strip, without storing them: the engine's time without any search."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import numpy as np

from segue.arrays import aligned
from segue.costs.engine.array_api import tiles_at
from segue.costs.engine.plan import ROWS, Run, blocks_within
from segue.costs.engine.tiles import ROWS_AT_ONCE, Side, Tiles, padded, sides, tiles_of
from segue.costs.protocol import Cost, Prepared
from segue.threads import each


def passed(clips: Sequence[Prepared], *, cost: Cost, run: Run | None = None) -> int:
    """Compute the costs of every pair of clips and of each with itself; return the number of frame pairs."""
    run = run or Run()
    return sum(each(_jobs(sides(clips, cost), cost, run), threads=run.workers))


def _jobs(every: Sequence[Side], cost: Cost, run: Run) -> Iterator[Callable[[], int]]:
    for k, a in enumerate(every):
        for b in every[k:]:
            tiles = tiles_at(tiles_of(cost, a, b), run.device)
            edges = blocks_within(tiles, run, width=b.size).edges(b.size)
            if a is b:  # on a diagonal: narrower strips where columns are taller
                edges = np.unique(np.sqrt(np.linspace(0, b.size**2, 4 * len(edges))).astype(int)).tolist()
            for first, last in pairwise(edges):
                yield lambda tiles=tiles, a=a, b=b, place=(first, last): _strip(tiles, a, b, place)


def _strip(tiles: Tiles, a: Side, b: Side, place: tuple[int, int]) -> int:
    """Compute one strip; for a side with itself only right of the diagonal."""
    first, last = place
    width, rows = padded(last - first), min(a.size, last) if a is b else a.size
    rows += -rows % ROWS_AT_ONCE
    fill, block = tiles.strip(first, first + width), aligned((ROWS, width), tiles.dtype)
    left = (
        np.maximum(np.arange(0, rows, ROWS_AT_ONCE) - first, 0) if a is b else np.zeros(rows // 4, np.int64)
    )
    for top in range(0, rows, ROWS):
        stop = min(top + ROWS, rows)
        fill(top, stop, block[: stop - top], left[top // ROWS_AT_ONCE : stop // ROWS_AT_ONCE])
    before = np.concatenate([[0], np.cumsum(b.live)])
    begin = np.clip(np.arange(rows) + 1, first, last) if a is b else np.full(rows, first)
    return int(((before[last] - before[begin]) * a.live[:rows]).sum())
