"""How a matrix is computed: strips cut to a memory budget, threads that do not fight, progress, stopping.

Every kernel lets other Python code run, and none calls a linear algebra library: such a library's threads and ours
would wait for each other. Strips are handed to plain threads (`segue.threads`): two are computed at once on two cores
and nothing else changes: a result does not depend on the number of threads.

The whole matrix of two sets of clips is made strip by strip, in blocks that are used again: fresh memory is handed out
page by page, which takes longer than some costs.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from threading import Event, Lock, Semaphore, get_ident
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from segue.arrays import Costs, Ints, aligned
from segue.costs.engine.array_api import Device, check_device
from segue.costs.engine.tiles import LANES, ROWS_AT_ONCE, Side, Tiles, Writer, padded, sides, tiles_of
from segue.costs.protocol import Cost, Prepared
from segue.errors import SettingError, StoppedError
from segue.threads import each, silent, usable_cores

T = TypeVar("T")

ROWS = 192
"""Rows of a block as wide as the widest strip: the block stays in a core's own cache."""
_CELLS = ROWS * 1344
_MOST_ROWS = 4 * ROWS
LEAST_COLUMNS, _LEAST_ROWS = 2 * LANES, 8 * ROWS_AT_ONCE
_ASIDE = 64 * 1024
"""Bytes a thread takes for small things."""


def _never() -> bool:
    return False


@dataclass(frozen=True)
class Run:
    """How to compute, not what: no result depends on it, but for a device's last digits.

    Parameters
    ----------
    threads
        Strips computed at once; by default as many as this process may use cores.
    memory_budget
        Bytes that features laid end to end, blocks and results together may take.
    progress
        Called with the cells done and the cells there are, in the calling thread.
    stop
        Asked between blocks; once it says yes `StoppedError` is raised and nothing is left behind. An exception in
        ``progress`` or ``stop`` ends the work likewise.
    device
        ``"cpu"``: compiled kernels. ``"gpu"``: costs of tiles are computed by PyTorch on a graphics processor; if there
        is none, on the CPU, and that is said on standard error. ``"auto"``: a graphics processor if there is one. This
        alone may change the last digits of a cost.

    Raises
    ------
    SettingError
        If there is not at least one thread or byte, or no such device.
    """

    threads: int | None = None
    memory_budget: int = 1 << 30
    progress: Callable[[int, int], None] = silent
    stop: Callable[[], bool] = _never
    device: Device = "cpu"

    def __post_init__(self) -> None:
        if self.threads is not None and self.threads < 1:
            raise SettingError(f"threads={self.threads}: at least one thread computes")
        if self.memory_budget < 1:
            raise SettingError(f"memory_budget={self.memory_budget}: give the bytes that may be used")
        check_device(self.device)

    @property
    def workers(self) -> int:
        """Threads, the default looked up."""
        return usable_cores() if self.threads is None else self.threads


@dataclass(frozen=True)
class Blocks:
    """Widest strip and rows of a block of it, strips wanted, and threads that fit the budget with them."""

    columns: int
    rows: int
    strips: int
    threads: int

    @cached_property
    def _room(self) -> Semaphore:
        return Semaphore(self.threads)

    def guarded(self, job: Callable[[], T], run: Run) -> Callable[[], T]:
        """Let no more threads do these jobs at once than fit the budget."""
        if self.threads >= run.workers:
            return job

        def work() -> T:
            with self._room:
                return job()

        return work

    def rows_of(self, width: int) -> int:
        """Rows of a block of a strip that is narrower: as many cells, so that there are fewer blocks."""
        rows = self.rows * self.columns // width // ROWS_AT_ONCE * ROWS_AT_ONCE
        return max(self.rows, min(rows, _MOST_ROWS))

    def edges(self, size: int) -> list[int]:
        """Where strips of so many slots begin and end; all are about equally wide."""
        edges = [0]
        while size - edges[-1] > 0:
            low = edges[-1]
            wanted = max(low + LEAST_COLUMNS, math.ceil(low + size / self.strips))
            high = min(wanted, low + self.columns)
            edges.append(min(high, size))
        return edges


def blocks_within(tiles: Tiles, run: Run, *, width: int, held: int = 0) -> Blocks:
    """Block sizes for tiles of ``width`` column slots, with ``held`` bytes taken by the result.

    Strips are enough for all threads and hold about equally many cells. More of them would share work out more evenly,
    but each takes a while to set up, and wide matrices are cut into more anyway.

    Raises
    ------
    SettingError
        If even the smallest blocks in one thread take more than the budget; says how much they take.
    """
    threads = run.workers
    strips = threads
    columns = min(tiles.columns_at_once, _rounded(width / strips))
    columns = max(columns, LEAST_COLUMNS)
    rows = min(max(_CELLS // columns // ROWS_AT_ONCE * ROWS_AT_ONCE, ROWS), _MOST_ROWS)
    while True:
        took = held + tiles.nbytes + threads * _thread_bytes(tiles, columns, rows)
        if took <= run.memory_budget:
            return Blocks(columns, rows, strips, threads)
        if threads > 1:
            threads -= 1
        elif rows > _LEAST_ROWS:
            rows = max(_LEAST_ROWS, rows // 2 // ROWS_AT_ONCE * ROWS_AT_ONCE)
        elif columns > LEAST_COLUMNS:
            columns = max(LEAST_COLUMNS, columns // 2 // LANES * LANES)
        else:
            msg = (
                f"memory_budget={run.memory_budget} bytes: the smallest blocks of these clips take {took}; "
                "give that much or compare fewer clips at once"
            )
            raise SettingError(msg)


def check_held(held: int, run: Run) -> None:
    """Refuse a result that takes more than the budget by itself."""
    if held > run.memory_budget:
        msg = (
            f"a stored matrix of these clips takes {held} bytes, the memory budget is {run.memory_budget}; "
            "compare fewer clips at once, or raise memory_budget"
        )
        raise SettingError(msg)


def _rounded(columns: float) -> int:
    return int(-(-columns // LANES)) * LANES


def _thread_bytes(tiles: Tiles, columns: int, rows: int) -> int:
    """Bytes of one thread: packed columns and a block of costs."""
    item = np.dtype(tiles.dtype).itemsize
    return tiles.strip_bytes(columns, rows) + (rows + 2) * columns * item + _ASIDE


class Count:
    """Cells done, counted by several threads, and whether to go on."""

    def __init__(self, run: Run, total: int) -> None:
        self.run, self.total = run, total
        self.done = 0
        self.halted = Event()
        self._lock = Lock()
        self._caller = get_ident()

    def add(self, cells: int) -> None:
        """Count cells of a block; raises once the work is to stop."""
        with self._lock:
            self.done += cells
        if self._caller == get_ident():
            self.look()
        elif self.halted.is_set():
            raise StoppedError(self._sentence())

    def look(self) -> None:
        """Report progress and ask whether to go on, in the calling thread."""
        self.run.progress(min(self.done, self.total), self.total)
        if self.run.stop():
            raise StoppedError(self._sentence())

    def finish(self) -> None:
        """Report that everything is done."""
        self.run.progress(self.total, self.total)

    def _sentence(self) -> str:
        return f"stopped after {self.done} of {self.total} frame pairs; nothing was kept"


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
        If the run was stopped.

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
