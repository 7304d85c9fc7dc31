"""Strips of point-cloud costs whose weights never change, for the engine."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from segue.arrays import Costs, Ints, aligned
from segue.costs.engine.array_api import Formula
from segue.costs.engine.layout import ROWS_AT_ONCE, Side
from segue.costs.engine.tiles import LANES, Fill, Tiles, turned, wanted

_ROWS = ("ground", "height", "path", "rise")
_COLUMNS = ("ground", "turned", "height", "path", "turned_path", "rise")
_BY_FRAME = ("ground", "turned", "height")


class FixedTiles(Tiles):
    """Tiles of `fixed.features` of two sides, aligned over whole windows."""

    columns_at_once = 1344

    def __init__(self, a: Side, b: Side) -> None:
        self.taps: npt.NDArray[Any] = a.clips[0].features["taps"]
        self.dtype = str(self.taps.dtype)
        self.rows = _laid(a, _ROWS, spare=self.reach)
        same = _ROWS if b is a else ()
        made = _laid(b, tuple(name for name in _COLUMNS if name not in same), spare=self.reach)
        self.columns = {**{name: self.rows[name] for name in same}, **made}
        self.windows = _windows(a), _windows(b)

    @property
    def reach(self) -> int:
        """Frames after a row that its window takes, as many as the kernels read, a multiple of 4."""
        count = self.taps.size
        return int(count + -count % ROWS_AT_ONCE)

    @property
    def nbytes(self) -> int:
        """Bytes of both sides' features."""
        held = {
            id(array): array.nbytes for array in (*self.rows.values(), *self.columns.values(), *self.windows)
        }
        return sum(held.values())

    def formula(self) -> Formula:
        """Costs as an expression over arrays."""
        from segue.costs.cloud_tiles.array_form import fixed

        return fixed(self)

    def strip_bytes(self, columns: int, rows: int) -> int:
        """Bytes of the packed columns, and of the sums of frame pairs and of the ways that a kernel keeps."""
        del rows
        wide = columns + self.reach + LANES
        packed = sum(wide * array.shape[1] for array in self.columns.values())
        return int((packed + 3 * (64 + self.reach) * (min(wide, 704) + 2 * LANES)) * self.taps.itemsize)

    def strip(self, first: int, last: int) -> Fill:
        """Pack the columns."""
        return _Strip(self, first, last).fill


class _Strip:
    """Packed columns."""

    def __init__(self, tiles: FixedTiles, first: int, last: int) -> None:
        from segue.costs.cloud_tiles import _kernels

        self.tiles = tiles
        wide = last + -(-tiles.taps.size // LANES) * LANES
        self.columns = tuple(
            turned(tiles.columns[name], first, wide if name in _BY_FRAME else last) for name in _COLUMNS
        )
        self.window = np.zeros((2, last - first), dtype=tiles.dtype)
        most = min(_kernels.PANEL, last - first) + wide - last
        lines = most // _kernels.LINE  # rows of an odd number of them do not crowd one another out
        self.room = (
            aligned((3, _kernels.CHUNK + tiles.reach, _kernels.LINE * (lines + 1 - lines % 2)), tiles.dtype),
            aligned((3, _kernels.CHUNK, LANES), tiles.dtype),
        )
        part = tiles.windows[1][:, first:last]
        self.window[:, : part.shape[1]] = part

    def fill(self, start: int, stop: int, out: Costs, left: Ints | None = None) -> None:
        """Costs of a range of rows."""
        from segue.costs.cloud_tiles import _kernels

        tiles = self.tiles
        rows = tuple(tiles.rows[name] for name in _ROWS)
        windows = tiles.windows[0], self.window
        left = wanted(left, stop - start)
        _kernels.slide_fixed(rows, self.columns, start, windows, tiles.taps[None], self.room, left, out)


def _laid(side: Side, names: tuple[str, ...], *, spare: int) -> dict[str, npt.NDArray[Any]]:
    return {name: side.laid(name, spare=spare + ROWS_AT_ONCE) for name in names}


def _windows(side: Side) -> npt.NDArray[Any]:
    """Energies and mean heights (2, size) of windows at their slots."""
    first = side.clips[0].features["window"]
    out = np.zeros((2, side.size), dtype=first.dtype)
    for start, end, clip in zip(side.starts, side.ends, side.clips, strict=True):
        out[:, start:end] = clip.features["window"]
    return out
