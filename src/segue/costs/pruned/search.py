"""Exact minima under a threshold, skipping what lower bounds rule out.

1. Between tiles of four windows: the bound of the two that stand for them, less the tiles' radii (the root of the bound
   obeys the triangle inequality), rules out most.
2. Of the tiles left every cell's bound is computed. What lies above the threshold is ruled out.
3. Of the cells left the exact cost is computed only where bounds do not decide: a cell with a neighbour that costs less
   than its bound is no minimum.

A block of which too many tiles are left is computed whole by the cost's own tiles, its minima with room for rounding.
Either way what is returned was decided in float64 from the definition, so both ways return the same.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from segue.arrays import Bools, Floats, Ints, frozen
from segue.costs import clouds
from segue.costs.cloud_tiles.basis import weighted_basis
from segue.costs.engine.crew import each
from segue.costs.engine.layout import ROWS_AT_ONCE, Side
from segue.costs.engine.meeting import Meeting, Strip, meetings_of
from segue.costs.engine.plan import ROWS, Count, Run
from segue.costs.engine.streaming import Found, by_clip, found_cells
from segue.costs.engine.tiles import Tiles, padded, sides, tiles_of
from segue.costs.point_cloud import PointCloudCost
from segue.costs.protocol import Cost, Prepared
from segue.costs.pruned import _kernels
from segue.costs.pruned.windows import Basis, Exact, Short, exact_windows
from segue.errors import SettingError

Way = Literal["auto", "pruned", "dense"]

_ROWS, _COLUMNS = 512, 4096
_MOST_LEFT = 0.5
"""Share of tiles above which a block is cheaper whole."""
_SLOT_BYTES = 2800
"""What a window takes: whole vectors 1700, short ones 300, features of dense blocks 700, and room to make them."""
_BLOCK_BYTES = 24 << 20
"""What a block takes at most while it is searched: tiles and cells that are left, a strip of costs."""
_MARGIN = 2e-6
"""Square metres by which float32 bounds and costs may err, for energies up to one."""


@dataclass
class Stages:
    """Cells that came to each stage, counted over all blocks.

    ``computed`` are cells that dense blocks computed, those that do not count among them; ``preparing`` are the seconds
    of processor time that this thread took for whole and short vectors.
    """

    looked_at: int = 0
    dense: int = 0
    computed: int = 0
    bounded: int = 0
    below: int = 0
    exact: int = 0
    minima: int = 0
    preparing: float = 0.0

    def add(self, other: Stages) -> None:
        """Add another count."""
        for name in vars(other):
            setattr(self, name, getattr(self, name) + getattr(other, name))


def prunable(cost: Cost) -> bool:
    """Whether the root of a cost obeys the triangle inequality: weights are constant, windows aligned as a whole."""
    return (
        isinstance(cost, PointCloudCost)
        and cost.weighting == "uniform"
        and not cost.varies
        and cost.align == "window"
    )


@dataclass(frozen=True, eq=False)
class _Block:
    """Rows and columns of a meeting that are searched at once; both begin and end at tiles."""

    rows: slice
    columns: slice


@dataclass(frozen=True, eq=False)
class _Ready:
    """A meeting with all its features; those of the cost itself are laid out when a block is computed whole."""

    meeting: Meeting
    cost: PointCloudCost
    exact: tuple[Exact, Exact]
    short: tuple[Short, Short] | None
    balls: tuple[npt.NDArray[np.float32], ...]
    threshold: float
    margin: float
    way: Way

    @cached_property
    def tiles(self) -> Tiles:
        """The cost's own tiles."""
        return tiles_of(self.cost, self.meeting.a, self.meeting.b)


def minima(
    clips: Sequence[Prepared],
    *,
    cost: PointCloudCost,
    threshold: float,
    least: int = 1,
    usable: Sequence[Bools] | None = None,
    run: Run | None = None,
    way: Way = "auto",
    stages: Stages | None = None,
) -> Found:
    """Cells at or below a threshold that none of their eight neighbours undercuts, decided in float64.

    Parameters
    ----------
    clips, cost, threshold, least, usable, run
        As in `segue.costs.engine.streaming.local_minima`; the cost must be `prunable`.
    way
        ``"pruned"`` and ``"dense"`` take one way everywhere, ``"auto"`` for each block the faster one. They return the
        same.
    stages
        Is told how many cells came to each stage.

    Examples
    --------
    >>> import segue
    >>> cost = segue.cost("point_cloud")
    >>> clips = [cost.prepare(segue.sample(name)) for name in ("walk", "stop")]
    >>> found = minima(clips, cost=cost, threshold=0.04**2, least=20)
    >>> whole = minima(clips, cost=cost, threshold=0.04**2, least=20, way="dense")
    >>> len(found) > 0, found.cells.tolist() == whole.cells.tolist()
    (True, True)
    """
    run = run or Run()
    meetings = meetings_of(_parts(clips, cost, usable, run), least)
    count = Count(run, sum(meeting.pairs for meeting in meetings), inline=run.workers == 1)
    told = Stages() if stages is None else stages
    parts = []

    def jobs() -> Iterator[Callable[[], tuple[_Ready, _Cells]]]:
        windows = _Windows(cost, short=way != "dense")
        for meeting in meetings:
            begun = time.thread_time()
            ready = windows.ready(meeting, threshold, way)
            told.preparing += time.thread_time() - begun
            for block in _blocks(meeting):
                yield _job(ready, block, count)

    for ready, (cells, price, seen) in each(jobs(), count, threads=run.workers):
        parts.append(by_clip(ready.meeting, cells, price))
        told.add(seen)
    count.finish()
    return found_cells(parts, count.total)


_Cells = tuple[Ints, Floats, Stages]


def _parts(
    clips: Sequence[Prepared], cost: PointCloudCost, usable: Sequence[Bools] | None, run: Run
) -> list[Side]:
    """Sides of at most so many slots that the vectors of three of them fit the memory budget.

    Two meet, and the last blocks of the two before may still be at work. A clip is never cut.

    Raises
    ------
    SettingError
        If the longest clips take more than the budget.
    """
    most = (run.memory_budget - run.workers * _BLOCK_BYTES) // (3 * _SLOT_BYTES)
    longest = max((clip.n + clip.needed_frames + ROWS_AT_ONCE for clip in clips), default=0)
    if longest > most:
        msg = (
            f"memory_budget={run.memory_budget} bytes: looking for bounds takes "
            f"{3 * _SLOT_BYTES * longest + run.workers * _BLOCK_BYTES} with these clips; give that much"
        )
        raise SettingError(msg)
    groups: list[list[int]] = [[]]
    slots = 0
    for k, clip in enumerate(clips):
        slots += clip.n + clip.needed_frames + ROWS_AT_ONCE
        if slots > most:
            groups.append([])
            slots = clip.n + clip.needed_frames + ROWS_AT_ONCE
        groups[-1].append(k)
    out = []
    for members in groups:
        some = None if usable is None else [usable[k] for k in members]
        for side in sides([clips[k] for k in members], cost, usable=some):
            numbers = frozen(np.array(members)[side.numbers], np.int64)
            out.append(replace(side, numbers=numbers))
    return out


def _job(ready: _Ready, block: _Block, count: Count) -> Callable[[], tuple[_Ready, _Cells]]:
    def work() -> tuple[_Ready, _Cells]:
        found = _searched(ready, block)
        count.add(found[2].looked_at)
        return ready, found

    return work


_Manner = tuple[tuple[str, ...], bool]
"""Body parts that are compared, and whether their places are given in the basis of poses."""


class _Windows:
    """Whole and short vectors of sides, computed once for each set of body parts, in one basis each."""

    def __init__(self, cost: PointCloudCost, *, short: bool) -> None:
        self.cost, self.wanted = cost, short
        self.made: dict[tuple[int, _Manner], tuple[Exact, Short | None]] = {}
        self.bases: dict[_Manner, Basis] = {}

    def of(self, side: Side, manner: _Manner) -> tuple[Exact, Short | None]:
        """Vectors of one side on some body parts."""
        key = id(side), manner
        if key not in self.made:
            segments, whole = manner
            places = (self.cost.cloud, self.cost.points_per_segment, (1.0,) * len(segments))
            basis = weighted_basis(*places) if whole else None
            exact, short = exact_windows(side, self.cost, segments, basis=basis), None
            if self.wanted:
                if manner not in self.bases:
                    self.bases[manner] = Basis(exact, side.live)
                short = self.bases[manner].short(exact, side.live)
                short.lay()
                exact.lay()
            self.made[key] = exact, short
        return self.made[key]

    def keep(self, *some: Side) -> None:
        """Forget the vectors of all other sides."""
        wanted = {id(side) for side in some}
        self.made = {key: value for key, value in self.made.items() if key[0] in wanted}

    def ready(self, meeting: Meeting, threshold: float, way: Way) -> _Ready:
        """Two sides on the parts they share, and their tiles."""
        shared = clouds.shared(meeting.a.clips[0].cloud, meeting.b.clips[0].cloud)[0].segments
        whole = all(side.clips[0].features["spanned"] for side in (meeting.a, meeting.b))
        manner = tuple(dict.fromkeys(shared)), whole
        self.keep(meeting.a, meeting.b)
        (a, near_a), (b, near_b) = (self.of(side, manner) for side in (meeting.a, meeting.b))
        high = max(float(one.arrays[3][:, 3 * one.taps.size].max()) for one in (a, b))
        short = None if near_a is None or near_b is None else (near_a, near_b)
        margin = _MARGIN * max(1.0, high)
        root = float(np.sqrt(max(threshold + margin, 0.0))) + 1e-6
        balls = () if short is None else short[0].rows(root)
        ready = _Ready(meeting, self.cost, (a, b), short, balls, threshold, margin, way)
        if way == "dense":
            ready.tiles  # noqa: B018 - laid out while preparing
        return ready


def _blocks(meeting: Meeting) -> Iterator[_Block]:
    """Blocks that hold cells which count."""
    for top in range(0, meeting.a.size, _ROWS):
        rows = slice(top, min(top + _ROWS, meeting.a.size))
        left = max(int(meeting.first[top]) // ROWS_AT_ONCE * ROWS_AT_ONCE, 0)
        for start in range(left, meeting.b.size, _COLUMNS):
            yield _Block(rows, slice(start, min(start + _COLUMNS, meeting.b.size)))


def _searched(ready: _Ready, block: _Block) -> _Cells:
    """Minima of a block, the way that is faster there."""
    stages = Stages(looked_at=ready.meeting.cells(block.rows, block.columns))
    if stages.looked_at == 0:
        return np.zeros((0, 2), dtype=np.int64), np.zeros(0), stages
    found = None
    if ready.short is not None and ready.way != "dense":
        found = _pruned(ready, ready.short, block, stages)
    cells, price = _dense(ready, block, stages) if found is None else found
    stages.minima = len(price)
    return cells, price, stages


def _near(ready: _Ready, short: Short, tile_rows: slice, tile_columns: slice) -> tuple[Ints, Ints]:
    """Column tiles near each tile of rows, counted from the first of the slice, and where each one's part ends."""
    at = np.array([tile_rows.start, tile_rows.stop, tile_columns.start, tile_columns.stop])
    first = (ready.meeting.first_of_tiles[tile_rows] - 2) // ROWS_AT_ONCE - tile_columns.start
    kept = np.empty((at[1] - at[0]) * (at[3] - at[2]), dtype=np.int32)
    ends = _kernels.near_tiles(ready.balls, short.columns, at, first, kept)
    return kept[: ends[-1]], ends


def _tiles_around(block: _Block, ready: _Ready) -> tuple[slice, slice]:
    """Tiles of rows and of columns of a block and one more on either side, whose cells are neighbours."""

    def wide(part: slice, side: Side) -> slice:
        first, last = part.start // ROWS_AT_ONCE, -(-part.stop // ROWS_AT_ONCE)
        return slice(max(first - 1, 0), min(last + 1, side.size // ROWS_AT_ONCE))

    return wide(block.rows, ready.meeting.a), wide(block.columns, ready.meeting.b)


def _pruned(
    ready: _Ready, short: tuple[Short, Short], block: _Block, stages: Stages
) -> tuple[Ints, Floats] | None:
    """Minima of a block, most cells of which are ruled out by bounds; None where too many would be left."""
    one, other = short
    tile_rows, tile_columns = _tiles_around(block, ready)
    kept, ends = _near(ready, other, tile_rows, tile_columns)
    if ready.way == "auto" and kept.size > _MOST_LEFT * _tiles_that_count(ready, tile_rows, tile_columns):
        return None
    at = np.array([tile_rows.start, tile_columns.start, *_ends(block)])
    room = kept.size * ROWS_AT_ONCE**2
    limit = ready.threshold + ready.margin
    hits, own = np.empty((room, 2), dtype=np.int64), np.empty(room, dtype=np.bool_)
    first = ready.meeting.first
    count = _kernels.low_bounds(one.tiles, other.tiles, at, first, (kept, ends), limit, hits, own)
    stages.bounded += room
    stages.below += count
    a, b = ready.exact
    costs = np.empty(count)
    _kernels.rough_costs(a.rough, b.rough, a.rough_weights, hits[:count], costs)
    return _decided(ready, hits[:count], costs, own[:count], stages)


def _tiles_that_count(ready: _Ready, rows: slice, columns: slice) -> int:
    """How many tiles of a range of rows and of columns hold cells that count."""
    first = ready.meeting.first_of_tiles[rows] // ROWS_AT_ONCE
    return int(columns.stop * first.size - np.minimum(np.maximum(first, columns.start), columns.stop).sum())


def _ends(block: _Block) -> tuple[int, int, int, int]:
    """First and last row and column of a block."""
    return block.rows.start, block.rows.stop, block.columns.start, block.columns.stop


def _decided(ready: _Ready, hits: Ints, costs: Floats, own: Bools, stages: Stages) -> tuple[Ints, Floats]:
    """Hits that are minima, their costs in float64."""
    a, b = ready.exact
    exact = np.full(len(hits), -1.0)
    limits = np.array([ready.threshold, ready.margin, 2.0 * ready.margin])
    found = _kernels.lowest_of_hits(a.flat, b.flat, a.weights, hits, costs, own, limits, exact)
    stages.exact += int(np.count_nonzero(exact >= 0.0))
    return hits[found], exact[found]


def _dense(ready: _Ready, block: _Block, stages: Stages) -> tuple[Ints, Floats]:
    """Minima of a block that is computed whole."""
    meeting = ready.meeting
    first, last = max(block.rows.start - ROWS_AT_ONCE, 0), min(block.rows.stop + ROWS_AT_ONCE, meeting.a.size)
    parts = [np.zeros((0, 2), dtype=np.int64)]
    step = ready.tiles.columns_at_once - 2
    for start in range(block.columns.start, block.columns.stop, step):
        place = slice(start, min(start + step, block.columns.stop))
        parts += list(_low_cells(ready, slice(first, last), place))
        stages.computed += (last - first) * padded(place.stop - place.start + 2)
    cells = np.concatenate(parts)
    cells = cells[(cells[:, 0] >= block.rows.start) & (cells[:, 0] < block.rows.stop)]
    stages.dense += stages.looked_at
    hits, own = _with_neighbours(cells, meeting)
    return _decided(ready, hits, np.zeros(len(hits)), own, stages)


def _with_neighbours(cells: Ints, meeting: Meeting) -> tuple[Ints, Bools]:
    """Cells and their live neighbours in row order, each once, and which are the cells."""
    rows, columns = (np.concatenate([[False], side.live, [False]]) for side in (meeting.a, meeting.b))
    around = np.array([(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1)])
    every = (cells[:, None] + around).reshape(-1, 2)
    every = every[rows[every[:, 0] + 1] & columns[every[:, 1] + 1]]
    wide = meeting.b.size
    keys = np.unique(every[:, 0] * wide + every[:, 1])
    hits = np.stack([keys // wide, keys % wide], axis=1)
    return hits, np.isin(keys, cells[:, 0] * wide + cells[:, 1])


def _low_cells(ready: _Ready, rows: slice, place: slice) -> Iterator[Ints]:
    """Cells of a strip that may be minima, whatever the rounding."""
    left = max(place.start - 1, 0)
    width = place.stop - left + 1
    strip = Strip(ready.tiles, ready.meeting, slice(left, left + padded(width)), ROWS)
    limits = np.array([ready.threshold + ready.margin, 2.0 * ready.margin], dtype=ready.tiles.dtype)
    found = np.empty(((ROWS + 2) * width, 2), dtype=np.int64)
    for start, stop in strip.blocks(rows.stop, first=rows.start):
        least = np.zeros(stop - start + 2, dtype=np.int64)
        least[2:] = strip.least[start:stop]
        if start > rows.start:
            least[:2] = strip.least[start - 2 : start]
        block = strip.block[: stop - start + 2, :width]
        hits = _kernels.nearly_low(block, least, limits, place.start - left, found)
        yield found[:hits] + np.array([start - 2, left])
