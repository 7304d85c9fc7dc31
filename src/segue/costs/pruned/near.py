"""Pairs of clips that may have a cost at or below a threshold: lower bounds exclude the others, exactly.

1. Between tiles of four windows: the bound of their two representatives, less the tiles' radii (the root of the bound
   obeys the triangle inequality), excludes most pairs.
2. For the remaining tiles every cell's bound is computed. Clips without a bound at or below the threshold are excluded.

The remaining pairs are compared as usual (`segue.transitions.tiles`), so that no point depends on the exclusion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from segue.arrays import Ints
from segue.costs import clouds
from segue.costs._kernels import low_tiles, near_tiles
from segue.costs.cloud_tiles.basis import weighted_basis
from segue.costs.engine.plan import Count, Run
from segue.costs.engine.tiles import ROWS_AT_ONCE, Side, sides
from segue.costs.point_cloud import PointCloudCost
from segue.costs.protocol import Cost, Prepared
from segue.costs.pruned.windows import Basis, Short, short_windows
from segue.threads import each

WORTHWHILE = 6_000_000
"""Frame pairs from which bounds take less time than they save."""
_ROWS, _COLUMNS = 128, 1024
"""Tiles of rows and of columns per block."""
_MOST_LEFT = 0.5
"""Share of clip pairs left in a sample of blocks above which bounds save no time."""
_SAMPLE = 24
_SLOT_BYTES = 320
"""Bytes of a window's short vectors, including temporary memory."""
_MARGIN = 4e-6
"""Largest total error of float32 bounds and costs in square metres, for energies up to one."""


def prunable(cost: Cost) -> bool:
    """Whether the root of a cost obeys the triangle inequality: constant weights, windows aligned as one."""
    return (
        isinstance(cost, PointCloudCost)
        and cost.weighting == "uniform"
        and not cost.varies
        and cost.align == "window"
    )


@dataclass(frozen=True, eq=False)
class _Meeting:
    """Two sides compared in blocks; ``first`` (rows,) is the first tile of columns for each tile of rows."""

    a: Side
    b: Side
    short: tuple[Short, Short]
    balls: tuple[np.ndarray, ...]
    first: Ints
    limit: float

    def blocks(self) -> Iterator[tuple[int, int]]:
        """First tiles of rows and of columns of each block."""
        for top in range(0, len(self.first), _ROWS):
            for left in range(int(self.first[top]), self.b.size // ROWS_AT_ONCE, _COLUMNS):
                yield top, left

    def cells(self, top: int, left: int) -> int:
        """Cells of a block, gaps between clips included."""
        first = np.maximum(self.first[top : top + _ROWS], left)
        last = min(left + _COLUMNS, self.b.size // ROWS_AT_ONCE)
        return int(np.maximum(last - first, 0).sum()) * ROWS_AT_ONCE**2

    def low(self, top: int, left: int) -> tuple[Ints, int]:
        """Clip pairs (K, 2) of a block that bounds do not exclude, and the total number in the block."""
        bottom = min(top + _ROWS, len(self.first))
        right = min(left + _COLUMNS, self.b.size // ROWS_AT_ONCE)
        first = self.first[top:bottom] - left
        kept = np.empty((bottom - top) * (right - left), dtype=np.int32)
        at = np.array([top, bottom, left, right])
        ends = near_tiles(self.balls, self.short[1].columns, at, first, kept)
        found = np.empty((int(ends[-1]), 2), dtype=np.int64)
        tiles = (self.short[0].tiles, self.short[1].tiles)
        count = low_tiles(*tiles, at[[0, 2]], (kept[: ends[-1]], ends), self.limit, found)
        rows, columns = (
            self.a.owner[found[:count, 0] * ROWS_AT_ONCE],
            self.b.owner[found[:count, 1] * ROWS_AT_ONCE],
        )
        keys = np.unique(rows * len(self.b.clips) + columns)
        a, b = np.divmod(keys, len(self.b.clips))
        return np.column_stack([self.a.numbers[a], self.b.numbers[b]]), self._clip_pairs(at)

    def _clip_pairs(self, at: Ints) -> int:
        """Approximate number of clip pairs in a block."""
        rows, columns = (
            side.owner[ROWS_AT_ONCE * (stop - 1)] - side.owner[ROWS_AT_ONCE * start] + 1
            for side, start, stop in ((self.a, at[0], at[1]), (self.b, at[2], at[3]))
        )
        return int(rows * columns)


def low_pairs(
    clips: Sequence[Prepared],
    *,
    cost: PointCloudCost,
    threshold: float,
    fresh: Sequence[int] | None = None,
    run: Run | None = None,
) -> Ints | None:
    """Find the pairs (K, 2) of different clips, a < b, in which some cell may cost at most a threshold; others do not.

    Parameters
    ----------
    clips
        Prepared by the cost, which must be `prunable`.
    cost
        The cost used for comparison.
    threshold
        In the cost's unit.
    fresh
        Numbers of clips: only pairs with one of them are checked; by default all pairs.
    run
        Threads, memory budget, progress and stopping.

    Returns
    -------
    Ints or None
        None if bounds would save no time because too many pairs remain, or if the memory budget does not suffice.

    Examples
    --------
    >>> import segue
    >>> cost = segue.cost("point_cloud")
    >>> clips = [cost.prepare(segue.sample(name)) for name in ("walk", "walk", "stop", "run")]
    >>> low_pairs(clips, cost=cost, threshold=0.03**2).tolist()
    [[0, 1], [0, 2], [1, 2]]
    """
    run = run or Run()
    every = sides(clips, cost)
    if _SLOT_BYTES * sum(side.size for side in every) > run.memory_budget:
        return None
    meetings = list(_meetings(every, clips, cost, threshold, fresh))
    places = [(meeting, *place) for meeting in meetings for place in meeting.blocks()]
    count = Count(run, sum(meeting.cells(top, left) for meeting, top, left in places))
    if len(places) > 2 * _SAMPLE and not _pays(places[:: len(places) // _SAMPLE]):
        return None

    def job(meeting: _Meeting, top: int, left: int) -> Callable[[], Ints]:
        def work() -> Ints:
            found, _ = meeting.low(top, left)
            count.add(meeting.cells(top, left))
            return found

        return work

    parts = [np.zeros((0, 2), dtype=np.int64)]
    jobs = (job(*place) for place in places)
    parts += each(jobs, threads=run.workers, look=count.look, broken=count.halted.set)
    count.finish()
    found = np.sort(np.concatenate(parts), axis=1)
    found = found[found[:, 0] != found[:, 1]]
    return np.unique(found, axis=0)


def _pays(places: Sequence[tuple[_Meeting, int, int]]) -> bool:
    found = [meeting.low(top, left) for meeting, top, left in places]
    left, all_of = sum(len(pairs) for pairs, _ in found), sum(count for _, count in found)
    return left <= _MOST_LEFT * all_of


def _meetings(
    every: Sequence[Side],
    clips: Sequence[Prepared],
    cost: PointCloudCost,
    threshold: float,
    fresh: Sequence[int] | None,
) -> Iterator[_Meeting]:
    """Every two sides, or the fresh clips' sides with every side, and their short vectors on the shared parts."""
    windows = _Windows(cost)
    if fresh is None:
        pairs = [(a, b) for k, a in enumerate(every) for b in every[k:]]
    else:
        pairs = [(a, b) for a in _of(fresh, clips, cost) for b in every]
    for a, b in pairs:
        shared = clouds.shared(a.clips[0].cloud, b.clips[0].cloud)[0].segments
        whole = all(side.clips[0].features["spanned"] for side in (a, b))
        short = windows.of(a, shared, whole=whole), windows.of(b, shared, whole=whole)
        margin = _MARGIN * max(1.0, *(one.most for one in short))
        root = float(np.sqrt(max(threshold + margin, 0.0))) + 1e-6
        tiles = a.size // ROWS_AT_ONCE
        first = np.zeros(tiles, dtype=np.int64)
        if a is b:
            first = np.append(a.starts[1:], a.size)[a.owner[::ROWS_AT_ONCE]] // ROWS_AT_ONCE
        yield _Meeting(a, b, short, short[0].rows(root), first, threshold + margin)


def _of(numbers: Sequence[int], clips: Sequence[Prepared], cost: Cost) -> Iterator[Side]:
    """Sides of some clips that keep their original numbers."""
    chosen = np.asarray(numbers)
    for side in sides([clips[number] for number in numbers], cost):
        yield replace(side, numbers=chosen[side.numbers])


class _Windows:
    """Short vectors of sides, computed once for each set of body parts, in one basis each."""

    def __init__(self, cost: PointCloudCost) -> None:
        self.cost = cost
        self.made: dict[tuple[int, tuple[str, ...], bool], tuple[Side, Short]] = {}
        self.bases: dict[tuple[tuple[str, ...], bool], Basis] = {}

    def of(self, side: Side, shared: Sequence[str], *, whole: bool) -> Short:
        """Vectors of one side on some body parts; ``whole``: in the basis of poses."""
        segments = tuple(dict.fromkeys(shared))
        key = id(side), segments, whole
        if key not in self.made:
            weights = (1.0,) * len(segments)
            pose = weighted_basis(self.cost.cloud, self.cost.points_per_segment, weights) if whole else None
            basis = self.bases.get((segments, whole))
            short, basis = short_windows(side, self.cost, segments, pose=pose, basis=basis)
            self.bases[segments, whole] = basis
            self.made[key] = side, short
        return self.made[key][1]
