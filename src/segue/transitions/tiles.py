"""Candidates of many clip pairs in one batch: pairs are grouped into tiles, and a tile's costs are computed in bands.

A tile is the unit of work of one worker and of one write to a library. The tile of a pair does not change any
bit of its result, so that a plan can leave out pairs that are already known.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from segue.arrays import Costs, Floats, Ints, aligned
from segue.costs.engine.array_api import Device, tiles_at
from segue.costs.engine.plan import ROWS
from segue.costs.engine.tiles import ROWS_AT_ONCE, Side, Tiles, Writer, padded, sides, tiles_of
from segue.costs.protocol import Cost, Prepared
from segue.errors import SettingError
from segue.settings import SearchSettings
from segue.threads import silent
from segue.transitions.candidates import Bands, candidates, halo
from segue.transitions.pruning import Candidates

CELLS = 1344 * 1344
"""Most frame pairs of a tile, unless one pair of clips alone has more: at most a tenth of a second, one strip wide."""
_ASIDE = 4 << 20
"""Bytes for points and other small data in addition to the costs."""


@dataclass(frozen=True)
class Tile:
    """Pairs (a, b) of clip numbers, a <= b, compared in one batch: a in rows, b in columns."""

    pairs: tuple[tuple[int, int], ...]

    @cached_property
    def rows(self) -> tuple[int, ...]:
        """Clips in rows, ascending."""
        return tuple(sorted({a for a, _ in self.pairs}))

    @cached_property
    def columns(self) -> tuple[int, ...]:
        """Clips in columns, ascending."""
        return tuple(sorted({b for _, b in self.pairs}))

    @property
    def clips(self) -> tuple[int, ...]:
        """All clips, ascending."""
        return tuple(sorted({*self.rows, *self.columns}))


def plan_tiles(
    pairs: Sequence[tuple[int, int]], sizes: Sequence[int], *, cells: int | None = None
) -> tuple[Tile, ...]:
    """Group pairs of clips into tiles; the same pairs always give the same tiles.

    Parameters
    ----------
    pairs
        Pairs of clip numbers to compare.
    sizes
        Rows of each clip at the cost's rate.
    cells
        Most frame pairs of a tile; `CELLS` by default.

    Examples
    --------
    >>> tiles = plan_tiles([(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)], [100, 100, 1500])
    >>> [tile.pairs for tile in tiles]
    [((0, 0), (0, 1), (1, 1)), ((0, 2), (1, 2)), ((2, 2),)]
    """
    cells = CELLS if cells is None else cells
    down: dict[int, list[int]] = {}
    for a, b in pairs:
        down.setdefault(b, []).append(a)
    out: list[Tile] = []
    for columns in _grouped(sorted(down), sizes, max(1, math.isqrt(cells))):
        width = max(1, sum(sizes[b] for b in columns))
        wanted = {(a, b) for b in columns for a in down[b]}
        groups = _grouped(sorted({a for a, _ in wanted}), sizes, max(1, cells // width))
        out += [Tile(tuple((a, b) for a in rows for b in columns if (a, b) in wanted)) for rows in groups]
    return tuple(out)


def _grouped(clips: Sequence[int], sizes: Sequence[int], most: int) -> Iterator[list[int]]:
    """Groups of consecutive clips with at most ``most`` rows together, or one clip alone."""
    group: list[int] = []
    size = 0
    for clip in clips:
        if group and size + sizes[clip] > most:
            yield group
            group, size = [], 0
        group.append(clip)
        size += sizes[clip]
    if group:
        yield group


def tile_candidates(
    tile: Tile,
    prepared: Mapping[int, Prepared],
    *,
    cost: Cost,
    settings: SearchSettings,
    next_frame: Mapping[int, Floats],
    memory_budget: int = 1 << 30,
    device: Device = "cpu",
    count: Callable[[int], None] = silent,
) -> tuple[Candidates, ...]:
    """Return the candidates of each pair of a tile, in order, identical to `segue.transitions.candidates.candidates`.

    Parameters
    ----------
    tile
        Pairs to compare.
    prepared, next_frame
        The tile's clips by number, prepared by the cost, and their next-frame costs.
    cost, settings
        As in `segue.transitions.candidates.candidates`.
    memory_budget
        Bytes for concatenated features and costs; a pair with more costs is computed in bands.
    device
        As in `segue.costs.engine.plan.Run`: on a graphics processor the last digits of a cost differ.
    count
        Called with the number of frame pairs done; may raise to stop.

    Raises
    ------
    SettingError
        If the budget does not suffice for the narrowest bands of a pair.

    Examples
    --------
    >>> import segue
    >>> from segue.costs.matrix import next_frame_costs
    >>> cost = segue.cost("relative_distance")
    >>> clips = {k: cost.prepare(segue.sample(name)) for k, name in enumerate(("walk", "stop"))}
    >>> steps = {k: next_frame_costs(clip, cost) for k, clip in clips.items()}
    >>> tile = Tile(((0, 0), (0, 1)))
    >>> found = tile_candidates(tile, clips, cost=cost, settings=SearchSettings(), next_frame=steps)
    >>> [len(one) > 0 for one in found]
    [True, True]
    """
    found: dict[tuple[int, int], Candidates] = {}
    down = _sides(tile.rows, prepared, cost)
    across = down if tile.rows == tile.columns else _sides(tile.columns, prepared, cost)
    for a, rows in down:
        for b, columns in across:
            pairs = [(i, j) for i, j in tile.pairs if i in rows and j in columns]
            if not pairs:
                continue
            meeting = _TileMeeting(tiles_at(tiles_of(cost, a, b), device), a, b, rows, columns)
            whole = meeting.fits(memory_budget)
            values = meeting.values(pairs, count=count) if whole else None
            for i, j in pairs:
                one, other, steps = prepared[i], prepared[j], (next_frame[i], next_frame[j])
                if values is not None:
                    part = np.ascontiguousarray(values[meeting.part(i, j)])
                    found[i, j] = candidates(
                        one, other, cost=cost, settings=settings, values=part, next_frame=steps
                    )
                else:
                    within = memory_budget, device
                    found[i, j] = _in_bands((one, other), cost, settings, steps, within, count)
    for i, j in tile.pairs:  # clips shorter than the window are on no side
        if (i, j) not in found:
            empty = np.empty((prepared[i].n, prepared[j].n))
            found[i, j] = candidates(prepared[i], prepared[j], cost=cost, settings=settings, values=empty)
    return tuple(found[pair] for pair in tile.pairs)


def _sides(
    numbers: Sequence[int], prepared: Mapping[int, Prepared], cost: Cost
) -> list[tuple[Side, dict[int, int]]]:
    """Clips grouped into sides, and the position of each clip on its side by clip number."""
    made = sides([prepared[number] for number in numbers], cost)
    return [(side, {numbers[k]: place for place, k in enumerate(side.numbers.tolist())}) for side in made]


def _in_bands(
    pair: tuple[Prepared, Prepared],
    cost: Cost,
    settings: SearchSettings,
    next_frame: tuple[Floats, Floats],
    within: tuple[int, Device],
    count: Callable[[int], None],
) -> Candidates:
    """Candidates of a pair whose costs do not fit the budget; ``within`` holds the budget and the device."""
    (a, b), (memory_budget, device) = pair, within
    side = sides([a], cost)[0]
    other, number = (side, 0) if b is a else (sides([b], cost)[0], 1)
    meeting = _TileMeeting(tiles_at(tiles_of(cost, side, other), device), side, other, {0: 0}, {number: 0})
    around = halo(settings, cost.rate)
    rows = meeting.rows_within(memory_budget, around)
    bands = Bands(pair, settings, next_frame)
    for start, stop in bands.ranges(rows):
        low = max(0, start - around) // ROWS_AT_ONCE * ROWS_AT_ONCE
        high = min(a.n, stop + around)
        values = meeting.values([(0, number)], first=low, last=high, count=count)
        bands.take(values[: high - low], low, start, stop)
    return bands.finish(meeting.diagonal)


class _TileMeeting:
    """Costs between two sides of a tile; ``rows`` and ``columns`` give the position of each clip."""

    def __init__(
        self, tiles: Tiles, a: Side, b: Side, rows: Mapping[int, int], columns: Mapping[int, int]
    ) -> None:
        self.tiles, self.a, self.b = tiles, a, b
        self.rows, self.columns = rows, columns

    def part(self, i: int, j: int) -> tuple[slice, slice]:
        """Rows and columns of one pair of clips."""
        row, column = self.rows[i], self.columns[j]
        return (
            slice(int(self.a.starts[row]), int(self.a.ends[row])),
            slice(int(self.b.starts[column]), int(self.b.ends[column])),
        )

    def _beside(self) -> int:
        """Bytes that do not depend on the rows held in one pass."""
        wide = min(padded(self.b.size), self.tiles.columns_at_once)
        item = np.dtype(self.tiles.dtype).itemsize
        return self.tiles.nbytes + self.tiles.strip_bytes(wide, ROWS) + ROWS * wide * item + _ASIDE

    def fits(self, memory_budget: int) -> bool:
        """Whether all costs fit in one pass; more than `CELLS` are planned only for long clips."""
        item = np.dtype(self.tiles.dtype).itemsize
        cells = self.a.size * self.b.size
        return cells <= 2 * CELLS and cells * item + self._beside() <= memory_budget

    def rows_within(self, memory_budget: int, around: int) -> int:
        """Rows of a band that fits the budget together with its surroundings."""
        each = self.b.size * np.dtype(self.tiles.dtype).itemsize
        free = (memory_budget - self._beside()) // each - 2 * around - ROWS_AT_ONCE
        rows = max(min(free, max(2 * CELLS // self.b.size, 16 * around)), 2 * around)
        needed = (rows + 2 * around + ROWS_AT_ONCE) * each + self._beside()
        if needed > memory_budget:
            msg = (
                f"a memory budget of {memory_budget / 1e6:.1f} MB: the narrowest bands of "
                f"{self.a.clips[0].name!r} against {self.b.clips[0].name!r} take {needed / 1e6:.1f} MB; "
                "give each worker that much or cut the clips"
            )
            raise SettingError(msg)
        return int(rows)

    def values(
        self,
        pairs: Sequence[tuple[int, int]],
        *,
        first: int = 0,
        last: int | None = None,
        count: Callable[[int], None],
    ) -> Costs:
        """Costs (R, M) of rows from ``first`` on; cells of unwanted pairs, and left of a diagonal, are undefined.

        A thread works on one strip of columns at a time, so that its packed features stay in the cache.
        """
        last = self.a.size if last is None else last + -last % ROWS_AT_ONCE
        out = np.empty((last - first, int(self.b.ends[-1])), dtype=self.tiles.dtype)
        wanted, left_of = [self.part(i, j) for i, j in pairs], self._left(pairs)
        for left in range(0, out.shape[1], self.tiles.columns_at_once):
            right = min(left + self.tiles.columns_at_once, out.shape[1])
            fill = self.tiles.strip(left, left + padded(right - left))
            write: Writer | None = getattr(fill, "write", None)
            block = aligned((0 if write else ROWS, padded(right - left)), self.tiles.dtype)
            begin = np.maximum(left_of - left, 0)
            for top, bottom in _chunks(wanted, (left, right), (first, last)):
                fours = begin[top // ROWS_AT_ONCE : bottom // ROWS_AT_ONCE]
                low = min(int(fours.min()), right - left)
                if write:
                    write(top, bottom, out, (top - first, left, bottom - top, right - left), fours)
                else:
                    fill(top, bottom, block[: bottom - top], fours)
                    out[top - first : bottom - first, left + low : right] = block[
                        : bottom - top, low : right - left
                    ]
                count((bottom - top) * (right - left - low))
        return out

    def _left(self, pairs: Sequence[tuple[int, int]]) -> Ints:
        """First column needed in each group of four rows: for a clip against itself cells right of the diagonal."""
        begin = np.full(self.a.size, self.b.size, dtype=np.int64)
        for i, j in pairs:
            rows, columns = self.part(i, j)
            along = np.arange(rows.stop - rows.start) if i == j else 0
            begin[rows] = np.minimum(begin[rows], columns.start + along)
        out: Ints = begin.reshape(-1, ROWS_AT_ONCE).min(axis=1)
        return out

    def diagonal(self, row: int, column: int, length: int) -> Costs:
        """Costs (length,) along the diagonal from one cell."""
        out = np.empty(length, dtype=self.tiles.dtype)
        for start in range(0, length, ROWS):
            stop = min(start + ROWS, length)
            low = (row + start) // ROWS_AT_ONCE * ROWS_AT_ONCE
            high = row + stop + -(row + stop) % ROWS_AT_ONCE
            left = column + start
            block = aligned((high - low, padded(stop - start)), self.tiles.dtype)
            self.tiles.strip(left, left + padded(stop - start))(low, high, block)
            steps = np.arange(stop - start)
            out[start:stop] = block[row + start - low + steps, steps]
        return out


def _chunks(
    wanted: Sequence[tuple[slice, slice]], columns: tuple[int, int], rows: tuple[int, int]
) -> Iterator[tuple[int, int]]:
    """Ascending ranges of rows to fill in one strip: those of wanted pairs whose columns intersect the strip."""
    needed = np.zeros(rows[1] - rows[0], dtype=bool)
    for down, across in wanted:
        if across.start < columns[1] and across.stop > columns[0]:
            needed[max(down.start - rows[0], 0) : max(down.stop - rows[0], 0)] = True
    fours = needed.reshape(-1, ROWS_AT_ONCE).any(axis=1)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], fours, [False]]).astype(np.int8)))
    for start, stop in (edges.reshape(-1, 2) * ROWS_AT_ONCE + rows[0]).tolist():
        for top in range(start, stop, ROWS):
            yield top, min(top + ROWS, stop)
