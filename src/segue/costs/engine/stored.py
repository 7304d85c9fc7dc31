"""The whole matrix of two sets of clips, made strip by strip, in blocks that are used again.

Fresh memory is handed out page by page, which takes longer than some costs.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from segue.arrays import Costs, Ints, aligned
from segue.costs.engine.layout import ROWS_AT_ONCE, Side
from segue.costs.engine.plan import Blocks, Count, Run, blocks_within, check_held
from segue.costs.engine.tiles import Tiles, Writer, padded, sides, tiles_of
from segue.costs.protocol import Cost, Prepared
from segue.threads import each

_MOST = 4 << 20
_KEPT: deque[npt.NDArray[np.uint8]] = deque(maxlen=4)
"""Rooms that nobody uses, none above 4 MiB; a deque is safe between threads."""


def full_matrix(a: Sequence[Prepared], b: Sequence[Prepared], *, cost: Cost, run: Run | None = None) -> Costs:
    """Costs (N, M) of every row of some clips against every row of others, clips in their order one after another.

    Raises
    ------
    SettingError
        If the matrix and its blocks take more than the memory budget.
    StoppedError
        If the run was told to stop.

    Examples
    --------
    >>> import segue
    >>> cost = segue.cost("point_cloud")
    >>> walk, stop = (cost.prepare(segue.sample(name)) for name in ("walk", "stop"))
    >>> full_matrix([walk, stop], [walk], cost=cost).shape == (walk.n + stop.n, walk.n)
    True
    """
    run = run or Run()
    first_a, first_b = (np.concatenate([[0], np.cumsum([clip.n for clip in clips])]) for clips in (a, b))
    shape = int(first_a[-1]), int(first_b[-1])
    groups_a = sides(a, cost)
    groups_b = groups_a if b is a else sides(b, cost)
    dtype = np.dtype(getattr(cost, "dtype", "float64"))
    held = shape[0] * shape[1] * dtype.itemsize
    check_held(held, run)
    out = np.empty(shape, dtype=dtype)
    count = Count(run, out.size)

    def jobs() -> Iterator[Callable[[], None]]:
        for side_a in groups_a:
            for side_b in groups_b:
                tiles = tiles_of(cost, side_a, side_b)
                blocks = blocks_within(tiles, run, width=side_b.size, held=held)
                rows, columns = _goals(side_a, first_a), _goals(side_b, first_b)
                for place in pairwise(blocks.edges(side_b.size)):
                    yield blocks.guarded(_job(tiles, (rows, columns), place, blocks, out, count), run)

    for _ in each(jobs(), threads=run.workers, look=count.look, broken=count.halted.set):
        pass
    count.finish()
    return out


def _goals(side: Side, first: Ints) -> Ints:
    """Row of the whole matrix for each slot, -1 for none."""
    out = np.full(side.size, -1, dtype=np.int64)
    for start, end, number in zip(side.starts, side.ends, side.numbers, strict=True):
        out[start:end] = first[number] + np.arange(end - start)
    return out


def _job(
    tiles: Tiles,
    goals: tuple[Ints, Ints],
    place: tuple[int, int],
    blocks: Blocks,
    out: Costs,
    count: Count,
) -> Callable[[], None]:
    """Work on one strip."""

    def work() -> None:
        (first, last), width = place, padded(place[1] - place[0])
        fill, high = tiles.strip(first, first + width), blocks.rows_of(width)
        write: Writer | None = getattr(fill, "write", None)
        columns = _pieces(goals[1][first:last])
        if len(columns) != 1 or columns[0][1].start > 0:
            write = None
        with borrowed((0 if write else high, width), out.dtype) as block:
            for start in range(0, goals[0].size, high):
                stop = min(start + high, goals[0].size)
                rows = _pieces(goals[0][start:stop])
                if write:
                    done = _written(write, start, rows, columns[0], out)
                else:
                    fill(start, stop, block[: stop - start])
                    done = _copied(block, rows, columns, out)
                count.add(done)

    return work


Piece = tuple[int, slice]
"""Where an unbroken piece of slots goes, and which they are."""


def _written(write: Writer, start: int, rows: Sequence[Piece], columns: Piece, out: Costs) -> int:
    """Write pieces of a block straight to where they go; returns their cells."""
    left, across = columns
    done = 0
    for top, down in rows:
        height, width = down.stop - down.start, across.stop - across.start
        low = start + down.start
        write(low, low + height + -height % ROWS_AT_ONCE, out, (top, left, height, width))
        done += height * width
    return done


def _copied(block: Costs, rows: Sequence[Piece], columns: Sequence[Piece], out: Costs) -> int:
    """Copy pieces of a block to where they go; returns their cells."""
    done = 0
    for top, down in rows:
        for left, across in columns:
            part = block[down, across]
            out[top : top + part.shape[0], left : left + part.shape[1]] = part
            done += part.size
    return done


def _pieces(goals: Ints) -> list[Piece]:
    """Unbroken pieces of a range of slots: where each goes and which slots of the range it is."""
    new = np.flatnonzero(np.diff(goals) != 1) + 1
    edges = [0, *new.tolist(), goals.size]
    return [(int(goals[low]), slice(low, high)) for low, high in pairwise(edges) if goals[low] >= 0]


@contextmanager
def borrowed(shape: tuple[int, ...], dtype: npt.DTypeLike) -> Iterator[npt.NDArray[Any]]:
    """Lend an array that begins on a cache line and holds any numbers; it must not be used afterwards.

    Examples
    --------
    >>> with borrowed((3, 16), "float32") as block:
    ...     block.ctypes.data % 64, block.shape
    (0, (3, 16))
    """
    kind = np.dtype(dtype)
    size = int(np.prod(shape)) * kind.itemsize
    room = _room(size)
    try:
        yield room[:size].view(kind).reshape(shape)
    finally:
        if room.size <= _MOST:
            _KEPT.append(room)


def _room(size: int) -> npt.NDArray[np.uint8]:
    """Return a room of at least so many bytes; one that is too small is let go."""
    try:
        room = _KEPT.pop()
    except IndexError:
        return aligned((size,), np.uint8)
    return room if room.size >= size else aligned((size,), np.uint8)
