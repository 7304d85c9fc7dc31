"""Strips of point-cloud costs whose weights never change, for the engine."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from segue.arrays import Costs
from segue.costs.engine.layout import ROWS_AT_ONCE, Side
from segue.costs.engine.tiles import LANES, Fill, Tiles, turned

_FRAMES = (("ground", "ground"), ("ground", "turned"), ("height", "height"))
_WAYS = (("path", "path"), ("path", "turned_path"), ("rise", "rise"))
_BY_FRAME = ("ground", "turned", "height")


class FixedTiles(Tiles):
    """Tiles of `fixed.features` of two sides, aligned over whole windows."""

    columns_at_once = 1024

    def __init__(self, a: Side, b: Side) -> None:
        self.taps: npt.NDArray[Any] = a.clips[0].features["taps"]
        self.dtype = str(self.taps.dtype)
        self.rows = _laid(a, ("ground", "height", "path", "rise"), spare=self.reach)
        same = ("ground", "height", "path", "rise") if b is a else ()
        names = ("ground", "turned", "height", "path", "turned_path", "rise")
        made = _laid(b, tuple(name for name in names if name not in same), spare=self.reach)
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

    def strip_bytes(self, columns: int, rows: int) -> int:
        """Bytes of the packed columns, of the sums of frame pairs and of the ways."""
        wide = columns + LANES
        packed = sum(wide * array.shape[1] for array in self.columns.values())
        return int((packed + 3 * (rows + self.reach) * wide + 3 * rows * columns) * self.taps.itemsize)

    def strip(self, first: int, last: int) -> Fill:
        """Pack the columns; what was computed of frames that later rows need too is kept."""
        return _Strip(self, first, last).fill


class _Strip:
    """Packed columns and the sums of frame pairs of the last rows."""

    def __init__(self, tiles: FixedTiles, first: int, last: int) -> None:
        self.tiles = tiles
        wide = last + -(-tiles.taps.size // LANES) * LANES
        self.packed = {
            name: turned(array, first, wide if name in _BY_FRAME else last)
            for name, array in tiles.columns.items()
        }
        self.window = np.zeros((2, last - first), dtype=tiles.dtype)
        part = tiles.windows[1][:, first:last]
        self.window[:, : part.shape[1]] = part
        self.frames = np.empty((3, 0, wide - first), dtype=tiles.dtype)
        self.ways = np.empty((3, 0, last - first), dtype=tiles.dtype)
        self.next, self.count = -1, 0

    def fill(self, start: int, stop: int, out: Costs) -> None:
        """Costs of a range of rows."""
        from segue.costs.cloud_tiles import _kernels

        count, reach = stop - start, self.tiles.reach
        if self.ways.shape[1] < count:
            self.next = -1
            self.frames = np.empty((3, count + reach, self.frames.shape[2]), dtype=out.dtype)
            self.ways = np.empty((3, count, self.ways.shape[2]), dtype=out.dtype)
        known = reach if start == self.next else 0
        if known:
            last = self.count
            self.frames[:, :reach] = self.frames[:, last : last + reach]
        self._products(_FRAMES, slice(start + known, stop + reach), self.frames[:, known : count + reach])
        self._products(_WAYS, slice(start, stop), self.ways[:, :count])
        self.next, self.count = stop, count
        window = np.ascontiguousarray(self.tiles.windows[0][:, start:stop])
        _kernels.slide_fixed(self.frames, self.ways, window, self.window, self.tiles.taps, out)

    def _products(self, names: tuple[tuple[str, str], ...], rows: slice, out: Costs) -> None:
        from segue.costs._kernels import products

        for sums, (row, column) in zip(out, names, strict=True):
            products(self.tiles.rows[row][rows], self.packed[column], sums)


def _laid(side: Side, names: tuple[str, ...], *, spare: int) -> dict[str, npt.NDArray[Any]]:
    return {name: side.laid(name, spare=spare + ROWS_AT_ONCE) for name in names}


def _windows(side: Side) -> npt.NDArray[Any]:
    """Energies and mean heights (2, size) of windows at their slots."""
    first = side.clips[0].features["window"]
    out = np.zeros((2, side.size), dtype=first.dtype)
    for start, end, clip in zip(side.starts, side.ends, side.clips, strict=True):
        out[:, start:end] = clip.features["window"]
    return out
