"""Strips of point-cloud costs whose weights never change, for the engine."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from segue.arrays import Costs, Ints, aligned
from segue.costs.engine.array_api import Formula
from segue.costs.engine.layout import ROWS_AT_ONCE, Side
from segue.costs.engine.tiles import LANES, Fill, Tiles, turned, wanted


class FixedTiles(Tiles):
    """Tiles of `fixed.features` of two sides, aligned over whole windows; all clips stay in place, or none does."""

    columns_at_once = 1344

    def __init__(self, a: Side, b: Side) -> None:
        self.taps: npt.NDArray[Any] = a.clips[0].features["taps"]
        self.dtype = str(self.taps.dtype)
        spare = self.reach + ROWS_AT_ONCE
        tall = a.laid("tall", spare=spare)
        self.rows = a.laid("row_ground", spare=spare), tall, a.laid("row_windows", spare=spare)
        tall = tall if b is a else b.laid("tall", spare=spare)
        self.columns = b.laid("column_ground", spare=spare), tall, b.laid("column_windows", spare=spare)

    @property
    def reach(self) -> int:
        """Frames after a row that its window takes, as many as the kernels read, a multiple of 4."""
        count = self.taps.size
        return int(count + -count % ROWS_AT_ONCE)

    @property
    def nbytes(self) -> int:
        """Bytes of both sides' features."""
        held = {id(array): array.nbytes for array in (*self.rows, *self.columns)}
        return sum(held.values())

    def formula(self) -> Formula:
        """Costs as an expression over arrays."""
        from segue.costs.cloud_tiles.array_form import fixed

        return fixed(self)

    def _room(self, columns: int) -> tuple[int, int]:
        """Rows and columns of the sums of frame pairs that a kernel keeps."""
        from segue.costs.cloud_tiles import _kernels

        rows = _kernels.CHUNK + self.reach
        wide = min(_kernels.PANEL, columns) + self.taps.size + 3 * LANES
        lines = wide // _kernels.LINE + 1  # rows of an odd number of them do not crowd one another out
        return 3 * (rows + -rows % _kernels.LINE), _kernels.LINE * (lines + 1 - lines % 2) - 1

    def strip_bytes(self, columns: int, rows: int) -> int:
        """Bytes of the packed columns, and of the sums of frame pairs that a kernel keeps."""
        del rows
        wide = columns + self.reach + LANES
        packed = sum(wide * array.shape[1] for array in self.columns)
        return int((packed + np.prod(self._room(columns))) * self.taps.itemsize)

    def strip(self, first: int, last: int) -> Fill:
        """Pack the columns."""
        from segue.costs.cloud_tiles import _kernels

        wide = last + -(-self.taps.size // LANES) * LANES
        ground, height, windows = self.columns
        columns = turned(ground, first, wide), turned(height, first, wide), windows_of(windows, first, last)
        rows, stride = self._room(last - first)
        sums = aligned((LANES + rows * stride,), self.dtype)[LANES:].reshape(rows, stride)

        def fill(start: int, stop: int, out: Costs, left: Ints | None = None) -> None:
            left = wanted(left, stop - start)
            _kernels.slide_fixed(self.rows, columns, start, self.taps[None], sums, left, out)

        return fill


def windows_of(windows: npt.NDArray[Any], first: int, last: int) -> npt.NDArray[Any]:
    """What windows of columns first to last bring (K, C), room before and some after: slanted strips look there."""
    from segue.costs.cloud_tiles import _kernels

    lines = (_kernels.BEFORE + last - first + LANES) // _kernels.LINE
    out = aligned((windows.shape[1], _kernels.LINE * (lines + 1 - lines % 2)), windows.dtype)
    part = windows[first : last + LANES]
    out[:, _kernels.BEFORE : _kernels.BEFORE + len(part)] = part.T
    return out
