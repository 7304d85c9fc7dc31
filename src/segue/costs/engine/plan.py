"""Computation of a matrix: strips cut to a memory budget, threads, progress, stopping.

Every kernel releases the GIL, and none calls a linear algebra library, whose threads would compete with ours.
Strips are distributed to plain threads (`segue.threads`); a result does not depend on their number.

The complete matrix of two sets of clips is computed strip by strip, in reused blocks: newly allocated memory
is mapped page by page, which takes longer than some costs.
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
"""Bytes of a thread's small data."""


def _never() -> bool:
    return False


@dataclass(frozen=True)
class Run:
    """Settings of a computation that do not change its result, except for a device's last digits.

    Parameters
    ----------
    threads
        Strips computed in parallel; by default the number of cores that this process may use.
    memory_budget
        Bytes that concatenated features, blocks and results may take together.
    progress
        Called with the cells done and the total number of cells, in the calling thread.
    stop
        Called between blocks; once it returns true `StoppedError` is raised and no result is kept. An
        exception in ``progress`` or ``stop`` ends the work likewise.
    device
        ``"cpu"``: compiled kernels. ``"gpu"``: costs of tiles are computed by PyTorch on a graphics
        processor; if there is none, on the CPU, which is reported on standard error. ``"auto"``: a graphics
        processor if there is one. Only this setting may change the last digits of a cost.

    Raises
    ------
    SettingError
        If there is not at least one thread or byte, or the device is unknown.
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
        """Number of threads, with the default resolved."""
        return usable_cores() if self.threads is None else self.threads


@dataclass(frozen=True)
class Blocks:
    """Widest strip, rows of a block of it, number of strips, and threads that fit the budget with them."""

    columns: int
    rows: int
    strips: int
    threads: int

    @cached_property
    def _room(self) -> Semaphore:
        return Semaphore(self.threads)

    def guarded(self, job: Callable[[], T], run: Run) -> Callable[[], T]:
        """Limit the threads that run these jobs in parallel to those that fit the budget."""
        if self.threads >= run.workers:
            return job

        def work() -> T:
            with self._room:
                return job()

        return work

    def rows_of(self, width: int) -> int:
        """Rows of a block of a narrower strip: the same number of cells, so that there are fewer blocks."""
        rows = self.rows * self.columns // width // ROWS_AT_ONCE * ROWS_AT_ONCE
        return max(self.rows, min(rows, _MOST_ROWS))

    def edges(self, size: int) -> list[int]:
        """Boundaries of the strips of ``size`` slots, about equally wide."""
        edges = [0]
        while size - edges[-1] > 0:
            low = edges[-1]
            wanted = max(low + LEAST_COLUMNS, math.ceil(low + size / self.strips))
            high = min(wanted, low + self.columns)
            edges.append(min(high, size))
        return edges


def blocks_within(tiles: Tiles, run: Run, *, width: int, held: int = 0) -> Blocks:
    """Block sizes for tiles of ``width`` column slots, with ``held`` bytes taken by the result.

    There is one strip per thread, of about equally many cells. More strips would balance the work better, but
    each takes time to set up, and wide matrices are cut into more anyway.

    Raises
    ------
    SettingError
        If even the smallest blocks in one thread take more than the budget; the message gives their size.
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
    """Refuse a result that alone takes more than the budget."""
    if held > run.memory_budget:
        msg = (
            f"a stored matrix of these clips takes {held} bytes, the memory budget is {run.memory_budget}; "
            "compare fewer clips at once, or raise memory_budget"
        )
        raise SettingError(msg)


def _rounded(columns: float) -> int:
    return int(-(-columns // LANES)) * LANES


def _thread_bytes(tiles: Tiles, columns: int, rows: int) -> int:
    item = np.dtype(tiles.dtype).itemsize
    return tiles.strip_bytes(columns, rows) + (rows + 2) * columns * item + _ASIDE


class Count:
    """Cells done, counted by several threads, and whether to continue."""

    def __init__(self, run: Run, total: int) -> None:
        self.run, self.total = run, total
        self.done = 0
        self.halted = Event()
        self._lock = Lock()
        self._caller = get_ident()

    def add(self, cells: int) -> None:
        """Count cells of a block; raises `StoppedError` after a stop."""
        with self._lock:
            self.done += cells
        if self._caller == get_ident():
            self.look()
        elif self.halted.is_set():
            raise StoppedError(self._sentence())

    def look(self) -> None:
        """Report progress and check for a stop, in the calling thread."""
        self.run.progress(min(self.done, self.total), self.total)
        if self.run.stop():
            raise StoppedError(self._sentence())

    def finish(self) -> None:
        """Report completion."""
        self.run.progress(self.total, self.total)

    def _sentence(self) -> str:
        return f"stopped after {self.done} of {self.total} frame pairs; nothing was kept"


_MOST = 4 << 20
_KEPT: deque[npt.NDArray[np.uint8]] = deque(maxlen=4)
"""Unused buffers of at most 4 MiB; a deque is thread-safe."""


def full_matrix(a: Sequence[Prepared], b: Sequence[Prepared], *, cost: Cost, run: Run | None = None) -> Costs:
    """Compute the costs (N, M) of every row of some clips against every row of others, clips concatenated in order.

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
    """Row of the complete matrix for each slot, -1 for none."""
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
"""Target index of a contiguous piece of slots, and the slots."""


def _written(write: Writer, start: int, rows: Sequence[Piece], columns: Piece, out: Costs) -> int:
    """Write pieces of a block directly to the output; return the number of cells."""
    left, across = columns
    done = 0
    for top, down in rows:
        height, width = down.stop - down.start, across.stop - across.start
        low = start + down.start
        write(low, low + height + -height % ROWS_AT_ONCE, out, (top, left, height, width))
        done += height * width
    return done


def _copied(block: Costs, rows: Sequence[Piece], columns: Sequence[Piece], out: Costs) -> int:
    """Copy pieces of a block to the output; return the number of cells."""
    done = 0
    for top, down in rows:
        for left, across in columns:
            part = block[down, across]
            out[top : top + part.shape[0], left : left + part.shape[1]] = part
            done += part.size
    return done


def _pieces(goals: Ints) -> list[Piece]:
    """Contiguous pieces of a range of slots: target index and slots of each."""
    new = np.flatnonzero(np.diff(goals) != 1) + 1
    edges = [0, *new.tolist(), goals.size]
    return [(int(goals[low]), slice(low, high)) for low, high in pairwise(edges) if goals[low] >= 0]


@contextmanager
def borrowed(shape: tuple[int, ...], dtype: npt.DTypeLike) -> Iterator[npt.NDArray[Any]]:
    """Lend an uninitialised array aligned to a cache line; it must not be used after the block.

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
    """Return a buffer of at least ``size`` bytes; a pooled one that is too small is discarded."""
    try:
        room = _KEPT.pop()
    except IndexError:
        return aligned((size,), np.uint8)
    return room if room.size >= size else aligned((size,), np.uint8)
