"""Two sides that meet, and the strips in which their costs pass by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from segue.arrays import Costs, Ints, frozen
from segue.costs.engine import _kernels
from segue.costs.engine.layout import ROWS_AT_ONCE, Side
from segue.costs.engine.scratch import borrowed
from segue.costs.engine.tiles import Tiles

FAR = 1e30
"""Cost of cells that do not count: dearer than any cost, and still a number."""


@dataclass(frozen=True, eq=False)
class Meeting:
    """Two sides whose clip pairs are compared; ``first`` (rows,) is the first column slot that counts for a row."""

    a: Side
    b: Side
    first: Ints

    @property
    def same(self) -> bool:
        """Whether a side meets itself, where each pair of clips counts once."""
        return self.a is self.b

    @cached_property
    def before(self) -> Ints:
        """(columns + 1,) live column slots before each."""
        return frozen(np.concatenate([[0], np.cumsum(self.b.live)]), np.int64)

    @cached_property
    def first_of_tiles(self) -> Ints:
        """(rows / 4,) first column slot that counts for some row of each tile."""
        return frozen(self.first.reshape(-1, ROWS_AT_ONCE).min(axis=1), np.int64)

    def cells(self, rows: slice, columns: slice) -> int:
        """Cells that count of a range of rows and columns."""
        stop = min(columns.stop, self.b.size)
        begin = np.minimum(np.maximum(self.first[rows], columns.start), stop)
        return int(((self.before[stop] - self.before[begin]) * self.a.live[rows]).sum())

    @property
    def pairs(self) -> int:
        """Cells that count of all."""
        return self.cells(slice(0, self.a.size), slice(0, self.b.size))

    def last_row(self, last_column: int) -> int:
        """Rows that count for some column before this one, and one more, which is a neighbour; a multiple of 4."""
        rows = int(np.searchsorted(self.first, last_column)) if self.same else self.a.size
        return min(self.a.size, rows + 1 + -(rows + 1) % ROWS_AT_ONCE)


def meetings_of(groups: Sequence[Side], least: int) -> list[Meeting]:
    """Every two sides once, each with itself too."""
    out = []
    for k, a in enumerate(groups):
        for b in groups[k:]:
            first = np.zeros(a.size, dtype=np.int64)
            if a is b:
                after = np.append(a.starts[1:], a.size)[a.owner]
                first = np.minimum(np.arange(a.size) + least, after)
            out.append(Meeting(a, b, frozen(first, np.int64)))
    return out


class Strip:
    """Rows upon rows of one strip's costs.

    ``counted`` are the columns whose cells count, all by default. ``least`` (rows,) is the first column of the strip
    that counts for each row, or beyond the strip for dead rows unless it is ``walled``; ``done`` (rows + 1,) are the
    cells that count before each row; ``dead`` (K, 2) are runs of columns that never count. `block` is there while
    `blocks` are asked for.
    """

    def __init__(
        self,
        tiles: Tiles,
        meeting: Meeting,
        columns: slice,
        rows: int,
        *,
        counted: slice | None = None,
        walled: bool = True,
    ) -> None:
        self.meeting, self.columns, self.most, self.walled = meeting, columns, rows, walled
        self.width = columns.stop - columns.start
        self.dtype = tiles.dtype
        self.fill = tiles.strip(columns.start, columns.stop)
        self.block: Costs = np.empty((0, self.width), dtype=tiles.dtype)
        live = meeting.b.live[columns]
        dead = np.zeros(self.width + 2, dtype=bool)
        dead[1:-1] = True
        dead[1 : 1 + live.size] = ~live
        self.dead: Ints = np.flatnonzero(dead[1:] != dead[:-1]).reshape(-1, 2)
        part = counted or columns
        size = meeting.a.size
        self.least: Ints = np.empty(size, dtype=np.int64)
        self.left: Ints = np.empty(size // ROWS_AT_ONCE, dtype=np.int64)
        self.done: Ints = np.empty(size + 1, dtype=np.int64)
        _kernels.rows_of_strip(
            (meeting.first, meeting.a.live),
            meeting.before,
            (columns.start, part.start, min(part.stop, meeting.b.size)),
            -1 if walled else self.width,
            self.least,
            self.left,
            self.done,
        )

    def blocks(self, last: int, *, first: int = 0) -> Iterator[tuple[int, int]]:
        """Ranges of rows up to the last one; each in turn is written from row 2 of `block` on, the two before above.

        Dead slots are walled off, if the strip is ``walled``.
        """
        with borrowed((self.most + 2, self.width), self.dtype) as block:
            self.block = block
            block[:2] = FAR
            for start in range(first, last, self.most):
                stop = min(start + self.most, last)
                if start > first:
                    block[:2] = block[self.most : self.most + 2]
                out = block[2 : 2 + stop - start]
                self.fill(start, stop, out, self.left[start // ROWS_AT_ONCE : stop // ROWS_AT_ONCE])
                if self.walled:
                    _kernels.wall(out, self.meeting.a.live[start:stop], self.dead, FAR)
                yield start, stop
