"""Minima of the matrix of a whole set of clips, found while it passes by: it is never stored.

Both searches give exactly the minima of the stored matrices, clip pair by clip pair (`segue.transitions.minima`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from segue.arrays import Bools, Costs, Floats, Ints, frozen, sealed
from segue.costs.engine import _kernels
from segue.costs.engine.crew import each
from segue.costs.engine.devices import tiles_at
from segue.costs.engine.layout import Side
from segue.costs.engine.meeting import FAR, Meeting, Strip, meetings_of
from segue.costs.engine.plan import LEAST_COLUMNS, Blocks, Count, Run, blocks_within
from segue.costs.engine.scratch import borrowed
from segue.costs.engine.tiles import Tiles, padded, sides, tiles_of
from segue.costs.protocol import Cost, Prepared
from segue.errors import SettingError


@dataclass(frozen=True, eq=False)
class Found:
    """Cells of the matrices of clip pairs, sorted by pair, then row, then column.

    Parameters
    ----------
    a_clip, b_clip
        (K,) numbers of the clips of each cell, ``a_clip <= b_clip``.
    cells
        (K, 2) row and column in that pair's matrix.
    cost
        (K,) cost of the cell as the engine computed it, in float64.
    pairs
        Frame pairs that were looked at.
    """

    a_clip: Ints
    b_clip: Ints
    cells: Ints
    cost: Floats
    pairs: int

    def __len__(self) -> int:
        """Return the number of cells."""
        return int(self.cost.size)


def local_minima(
    clips: Sequence[Prepared],
    *,
    cost: Cost,
    threshold: float,
    least: int = 1,
    usable: Sequence[Bools] | None = None,
    run: Run | None = None,
) -> Found:
    """Cells at or below a threshold that none of their eight neighbours undercuts, of every pair of clips.

    Parameters
    ----------
    clips
        Prepared by the cost; each is compared with every later one and with itself.
    cost
        What they are compared by.
    threshold
        In the cost's unit.
    least
        Of a clip against itself only cells with ``column - row >= least`` are chosen, at least 1; the others still
        count as neighbours.
    usable
        For each clip (F,) flags of its frames at the cost's rate; windows over frames that are not usable are never
        chosen and are no neighbours.
    run
        How to compute.

    Returns
    -------
    `Found`

    Raises
    ------
    SettingError
        If the threshold is no number, ``least`` is not positive or the memory budget does not suffice.
    StoppedError
        If the run was told to stop.

    Examples
    --------
    >>> import segue
    >>> cost = segue.cost("relative_distance")
    >>> walk, stop = (cost.prepare(segue.sample(name)) for name in ("walk", "stop"))
    >>> found = local_minima([walk, stop], cost=cost, threshold=0.02, least=10)
    >>> bool(found.cost.max() <= 0.02), sorted(set(zip(found.a_clip.tolist(), found.b_clip.tolist())))
    (True, [(0, 0), (0, 1), (1, 1)])
    """
    if not np.isfinite(threshold):
        raise SettingError(f"threshold {threshold}: streaming needs a number in the cost's unit")
    _check_least(least)

    def strip(tiles: Tiles, meeting: Meeting, place: tuple[int, int], blocks: Blocks, count: Count) -> Cells:
        return _low_strip(tiles, meeting, place, blocks, count, threshold=threshold)

    def edges(meeting: Meeting, blocks: Blocks) -> list[int]:
        return blocks.edges(meeting.b.size, most=blocks.columns - 2, half=meeting.same)

    return _searched(clips, cost, (strip, edges), least=least, usable=usable, run=run or Run())


def sector_minima(
    clips: Sequence[Prepared],
    *,
    cost: Cost,
    sector: int,
    least: int = 1,
    usable: Sequence[Bools] | None = None,
    run: Run | None = None,
) -> Found:
    """Cheapest cell of every square sector of every clip pair's matrix (the source's section 4.5).

    Parameters
    ----------
    clips, cost, least, usable, run
        As in `local_minima`.
    sector
        Side of a sector in cells; sectors begin at the first row and column of each pair.

    Raises
    ------
    SettingError
        If the sector is smaller than one cell, ``least`` is not positive or the memory budget does not suffice.
    StoppedError
        If the run was told to stop.
    """
    if sector < 1:
        raise SettingError(f"a sector of {sector} cells has no minimum; it needs at least 1")
    _check_least(least)

    begins: dict[int, tuple[Side, Bools]] = {}

    def begins_of(side: Side) -> Bools:
        if id(side) not in begins:
            begins[id(side)] = side, _begins(side, sector)
        return begins[id(side)][1]

    def strip(tiles: Tiles, meeting: Meeting, place: tuple[int, int], blocks: Blocks, count: Count) -> Cells:
        sectors = begins_of(meeting.a), begins_of(meeting.b)
        return _sector_strip(tiles, meeting, place, blocks, count, sectors=sectors)

    def edges(meeting: Meeting, blocks: Blocks) -> list[int]:
        cuts = np.flatnonzero(begins_of(meeting.b))
        return blocks.edges(meeting.b.size, most=blocks.columns, half=meeting.same, begins=cuts)

    found = _searched(clips, cost, (strip, edges), least=least, usable=usable, run=run or Run())
    return found if sector <= LEAST_COLUMNS else _one_a_sector(found, sector)


def _check_least(least: int) -> None:
    if least < 1:
        raise SettingError(
            f"least={least}: a clip against itself is one half of a matrix, so least is at least 1"
        )


_SECTORS = 64
"""Rows of sectors whose cheapest cells there is room for."""
_AT_ONCE = 4_000_000
"""Cells between two looks at progress and stopping."""

Cells = tuple[Ints, Floats]
Search = tuple[
    Callable[[Tiles, Meeting, tuple[int, int], Blocks, Count], Cells], Callable[[Meeting, Blocks], list[int]]
]
"""What finds cells in a strip, and what says where strips are cut."""


def _searched(
    clips: Sequence[Prepared],
    cost: Cost,
    search: Search,
    *,
    least: int,
    usable: Sequence[Bools] | None,
    run: Run,
) -> Found:
    """Cells that a search finds in strips of all meetings, as clip pairs and their cells."""
    meetings = meetings_of(sides(clips, cost, usable=usable), least)
    total = sum(meeting.pairs for meeting in meetings)
    count = Count(run, total, inline=run.workers == 1)
    strip, edges = search
    parts: list[tuple[npt.NDArray[Any], ...]] = []

    def jobs() -> Iterator[Callable[[], tuple[Meeting, Cells]]]:
        for meeting in meetings:
            tiles = tiles_at(tiles_of(cost, meeting.a, meeting.b), run.device)
            blocks = blocks_within(tiles, run, width=meeting.b.size, half=meeting.same)
            # Of one half of a matrix the last strips are the tallest: begun first, nobody waits for one at the end.
            for place in reversed(list(pairwise(edges(meeting, blocks)))):
                yield blocks.guarded(_job(strip, tiles, meeting, place, blocks, count), run)

    found = each(jobs(), count, threads=run.workers)
    for meeting, strips in groupby(found, key=itemgetter(0)):
        parts.append(by_clip(meeting, *_joined([cells for _, cells in strips])))
    count.finish()
    return found_cells(parts, total)


def found_cells(parts: Sequence[tuple[npt.NDArray[Any], ...]], pairs: int) -> Found:
    """Cells given by clips, row, column and cost, in their order."""
    whole = np.zeros(0, dtype=np.int64)
    empty = (whole, whole, whole, whole, np.zeros(0))
    a, b, i, j, price = (np.concatenate(part) for part in zip(empty, *parts, strict=True))
    order = _order(a, b, i, j)
    cells = np.empty((order.size, 2), dtype=np.int64)
    cells[:, 0], cells[:, 1] = i[order], j[order]
    one, other = (frozen(sealed(of[order]), np.int64) for of in (a, b))
    return Found(one, other, frozen(sealed(cells), np.int64), frozen(sealed(price[order])), pairs)


def _order(*keys: Ints) -> Ints:
    """Order of cells by several numbers from 0 on, the first of which counts most."""
    sizes = [int(key.max(initial=0)) + 1 for key in keys]
    if math.prod(sizes) >= 1 << 62:
        return np.lexsort(keys[::-1])
    one = keys[0]
    for key, size in zip(keys[1:], sizes[1:], strict=True):
        one = one * size + key
    return np.argsort(one)


def _job(
    strip: Callable[..., Cells],
    tiles: Tiles,
    meeting: Meeting,
    place: tuple[int, int],
    blocks: Blocks,
    count: Count,
) -> Callable[[], tuple[Meeting, Cells]]:
    return lambda: (meeting, strip(tiles, meeting, place, blocks, count))


def by_clip(meeting: Meeting, slots: Ints, price: Floats) -> tuple[npt.NDArray[Any], ...]:
    """Clip numbers, row, column and cost of cells (K, 2) given by slots; the lower clip number first."""
    a, b = meeting.a.owner[slots[:, 0]], meeting.b.owner[slots[:, 1]]
    i, j = slots[:, 0] - meeting.a.starts[a], slots[:, 1] - meeting.b.starts[b]
    a, b = meeting.a.numbers[a], meeting.b.numbers[b]
    price = price.astype(np.float64, copy=False)
    turn = a > b
    if not turn.any():
        return a, b, i, j, price
    return np.where(turn, b, a), np.where(turn, a, b), np.where(turn, j, i), np.where(turn, i, j), price


def _low_strip(
    tiles: Tiles, meeting: Meeting, place: tuple[int, int], blocks: Blocks, count: Count, *, threshold: float
) -> Cells:
    """Minima at or below the threshold in columns of a strip but its first and last, which are neighbours."""
    (first, last), left = place, max(place[0] - 1, 0)
    width = padded(last - left + 1)
    strip = Strip(
        tiles, meeting, slice(left, left + width), blocks.rows_of(width), counted=slice(first, last)
    )
    limit = np.array([threshold], dtype=tiles.dtype)
    capacity = (strip.most // 2 + 2) * (strip.width // 2 + 1)
    found, price = np.empty((capacity, 2), dtype=np.int64), np.empty(capacity, dtype=tiles.dtype)
    kept: list[Cells] = []
    least = np.concatenate([np.zeros(2, dtype=np.int64), strip.least])
    end, done = meeting.last_row(last), strip.done
    for start, stop in strip.blocks(end):
        block = strip.block[: stop - start + 2, : last - left + 1]
        hits = _kernels.low_minima(block, least[start : stop + 2], limit, first - left, found, price)
        if hits:
            kept.append((found[:hits] + np.array([start - 2, left]), price[:hits].astype(np.float64)))
        count.add(int(done[stop] - done[start]))
    return _joined(kept)


def _sector_strip(
    tiles: Tiles,
    meeting: Meeting,
    place: tuple[int, int],
    blocks: Blocks,
    count: Count,
    *,
    sectors: tuple[Bools, Bools],
) -> Cells:
    """Cheapest cell of every sector, or of the part of it that lies in the strip; rows and columns begin sectors."""
    (first, last), told = place, 0
    width = padded(last - first)
    columns, rows = slice(first, first + width), blocks.rows_of(width)
    strip = Strip(tiles, meeting, columns, rows, counted=slice(first, last), walled=False)
    best = np.full(strip.width, FAR, dtype=tiles.dtype)
    at = np.full(strip.width, -1, dtype=np.int32 if best.itemsize == 4 else np.int64)
    begins = sectors[0]
    edges = np.flatnonzero(sectors[1][first + 1 : last]) + 1
    across = np.concatenate([[0], edges, [last - first]]), strip.dead
    end, done = meeting.last_row(last), strip.done
    kept: list[Cells] = []
    for stop, cells, price in _sectors_of(strip, (strip.least, begins), across, (best, at), end):
        if len(price):
            kept.append((cells.copy(), price.astype(np.float64)))
        count.add(int(done[stop]) - told)
        told = int(done[stop])
    cells, price = _joined(kept)
    cells[:, 1] += first
    return cells, price


def _sectors_of(
    strip: Strip, rows: tuple[Ints, Bools], columns: tuple[Ints, Ints], kept: tuple[Costs, Ints], end: int
) -> Iterator[tuple[int, Ints, Costs]]:
    """Cheapest cells of sectors that end in some rows up to one, and their costs; good until more are asked for."""
    least, begins = rows
    each = columns[0].size - 1
    before = np.concatenate([[0], np.cumsum(begins)])
    high = min(strip.most, begins.size)
    room = max(int(np.max(before[high:] - before[:-high])) + 1, min(_SECTORS, int(before[-1]) + 1)) * each
    found, price = np.empty((room, 2), dtype=np.int64), np.empty(room, dtype=strip.dtype)
    sectors = getattr(strip.fill, "sectors", None)
    if sectors is None:
        for start, stop in strip.blocks(end):
            block, some = strip.block[2 : 2 + stop - start], (least[start:stop], begins[start:stop])
            hits = _kernels.cheapest_of_sectors(block, start, some, columns, kept, found, price, stop == end)
            yield stop, found[:hits], price[:hits]
        return
    features, start = (strip.fill.rows, strip.fill.columns), 0  # type: ignore[attr-defined]
    step = max(_AT_ONCE // strip.width // strip.most, 1) * strip.most
    with borrowed((strip.most, strip.width), strip.dtype) as block:
        while start < end:
            span = start, min(start + step, end), end
            start, hits = sectors(features, strip.left, rows, columns, kept, block, (found, price), span)
            yield start, found[:hits], price[:hits]


def _begins(side: Side, sector: int) -> Bools:
    """Whether a sector begins at each slot; the slots after a clip belong to it."""
    out = np.zeros(side.size, dtype=bool)
    for start, end in pairwise([*side.starts.tolist(), side.size]):
        out[start:end:sector] = True
    return out


def _one_a_sector(found: Found, sector: int) -> Found:
    """The cheapest cell of each sector of which several strips hold a part."""
    i, j = found.cells[:, 0], found.cells[:, 1]
    keys = (found.a_clip, found.b_clip, i // sector, j // sector)
    order = np.lexsort((j, i, found.cost, *keys[::-1]))
    new = np.ones(len(order), dtype=bool)
    new[1:] = np.any([key[order][1:] != key[order][:-1] for key in keys], axis=0)
    kept = np.sort(order[new])  # cells came in row order
    return Found(
        frozen(found.a_clip[kept], np.int64),
        frozen(found.b_clip[kept], np.int64),
        frozen(found.cells[kept], np.int64),
        frozen(found.cost[kept]),
        found.pairs,
    )


def _joined(parts: list[tuple[Ints, Floats]]) -> Cells:
    cells = np.concatenate([np.zeros((0, 2), dtype=np.int64), *(part for part, _ in parts)])
    return cells, np.concatenate([np.zeros(0), *(price for _, price in parts)])
