"""Fast tiles of costs whose weights change with the ground contacts.

The closed form of `segue.costs.cloud_tiles.varying` in float32. Three things make it fast and keep it exact:

- frames of a row that stand on the same parts share their weights, so the columns are weighed once for each such
  pattern, and a product of two frames takes no more than with constant weights;
- each frame is seen from its own weighted middle in the products, so that only sizes of a body are multiplied; the sums
  that a window needs are then moved to the two clips' origins;
- clips that stay in place are slid in float32, clips that travel in float64, where metres do no harm.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from segue.arrays import Costs, Floats, Ints, aligned
from segue.costs.engine.array_api import Formula
from segue.costs.engine.layout import Side
from segue.costs.engine.tiles import Fill, Tiles

STAYS = 1.6
"""Metres of the reference body from a clip's middle within which every part of one that stays in place moves."""
WIDEST = 24
"""Frames of the longest window that the kernel takes."""
_PATTERNS = 24  # patterns whose columns are kept packed
_LANES, _LINE = 64, 16  # columns of a pass, and float32 numbers of a cache line


def seen(
    ground: npt.NDArray[Any], height: Floats, weights: tuple[Floats, Floats], basis: Floats, *, level: float
) -> Mapping[str, npt.NDArray[Any]]:
    """Arrays of one clip for the tiles: moments seen from each frame's weighted middle, and where that is.

    Parameters
    ----------
    ground, height
        (F, S, K) moments, complex on the ground, from the clip's own middle.
    weights
        Constant (S,) and friction (F, S) of the parts.
    basis
        (S K, r) orthonormal columns that span the moments.
    level
        Metres from which heights are counted.
    """
    constant, friction = weights
    full = constant + friction
    total = full.sum(axis=1)
    middle = np.sum(full * ground[:, :, 0], axis=1) / total
    x, z, y = ground.real.copy(), ground.imag.copy(), height.copy()
    x[:, :, 0] -= middle.real[:, None]
    z[:, :, 0] -= middle.imag[:, None]
    y[:, :, 0] -= level
    squares = np.sum(x**2 + z**2 + y**2, axis=2)
    flat = [part.reshape(len(part), -1) @ basis for part in (x, z, y)]
    alpha = np.sum(full * squares, axis=1)
    return {
        "row_ground": packed(flat[0], flat[1]),
        "row_height": packed(flat[2], squares),
        "row_x": packed(x[:, :, 0]),
        "row_z": packed(z[:, :, 0]),
        "row": np.stack([total, middle.real, middle.imag, alpha], axis=1),
        "moments": np.stack([_flat(part) for part in (x, z, y)], axis=1).astype(np.float32),
        "squares": squares,
        "supports": friction,
        # Which parts support decides what they weigh: a number for each combination.
        "standing": (friction > 0) @ (1 << np.arange(friction.shape[1])),
    }


def packed(*parts: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Rows of several arrays side by side in float32, columns rounded up to what a kernel takes."""
    whole = np.concatenate(parts, axis=1)
    return np.pad(whole, ((0, 0), (0, -whole.shape[1] % 8))).astype(np.float32)


def _flat(part: Floats) -> Floats:
    flat = part.reshape(part.shape[0], -1)
    return np.pad(flat, ((0, 0), (0, -flat.shape[1] % 8)))


class SupportedTiles(Tiles):
    """Tiles between clips whose weights change.

    Parameters
    ----------
    a, b
        Sides of clips prepared by one cost; their features hold what `seen` makes, in one basis and from one level.
    basis
        (S K, r) that basis.
    near
        Whether all clips stay in place.
    """

    columns_at_once = 512

    def __init__(self, a: Side, b: Side, basis: Floats, *, near: bool) -> None:
        self.dtype = "float32"
        self.sides = a, b
        first = a.clips[0].features
        self.constant: Floats = first["constant"]
        self.moments_each = basis.shape[0] // self.constant.size
        self.taps: Floats = np.pad(first["taps"], (0, -first["taps"].size % 6))
        self.slid_in = np.float32 if near else np.float64
        self.rank = basis.shape[1]
        wide = ((0, -basis.shape[0] % 8), (0, -self.rank % _LANES))
        self.basis = np.pad(basis, wide).astype(np.float32)
        spare = self.taps.size + _LANES
        self.rows = {
            name: a.laid(name, spare=spare) for name in ("row_ground", "row_height", "row_x", "row_z", "row")
        }
        _, first_of, number = np.unique(
            a.laid("standing", spare=spare), return_index=True, return_inverse=True
        )
        self.number = number.reshape(-1).astype(np.int64)
        self.patterns: Floats = a.laid("supports", spare=spare)[first_of]
        windows = _windowed(self.rows["row"][:, 0], self.taps)
        self.rows["row"] = np.column_stack([self.rows["row"], windows]).astype(self.slid_in)
        self.columns = {name: b.laid(name, spare=spare) for name in ("row", "moments", "squares", "supports")}

    @property
    def nbytes(self) -> int:
        """Bytes of both sides' frames."""
        total: int = sum(part.nbytes for side in (self.rows, self.columns) for part in side.values())
        return total

    def formula(self) -> Formula:
        """Costs as an expression over arrays."""
        from segue.costs.cloud_tiles.array_form import supported

        return supported(self, self.sides)

    def strip_bytes(self, columns: int, rows: int) -> int:
        """Bytes of the packed columns and of the products of frames."""
        kept = min(len(self.patterns), _PATTERNS) * (5 * self.rank + 64)
        return int(4 * (columns + self.taps.size) * (kept + 10 * (rows + WIDEST)))

    def strip(self, first: int, last: int) -> Fill:
        """Pack columns."""
        return _Strip(self, first, last).fill


class _Strip:
    """A range of columns, packed for each pattern of the rows that meets it."""

    def __init__(self, tiles: SupportedTiles, first: int, last: int) -> None:
        self.tiles, self.reach = tiles, tiles.taps.size
        slots = slice(first, last + tiles.taps.size + -tiles.taps.size % _LINE)
        self.friction, self.moments, squares, row = (
            _cut(tiles.columns[name], slots) for name in ("supports", "moments", "squares", "row")
        )
        more = self.friction.sum(axis=1)
        columns = np.stack([more, row[:, 1], row[:, 2], _windowed(more, tiles.taps)])
        self.columns = columns.astype(tiles.slid_in)
        self.middles = _turned(packed(self.friction))
        self.sums = np.empty((5, 0, columns.shape[1]), dtype=np.float32)
        self.known: dict[int, dict[str, npt.NDArray[Any]]] = {}
        self.patterns = np.empty((len(tiles.patterns), 3, len(more)), dtype=tiles.slid_in)
        weights = tiles.constant + self.friction
        x, z = (self.moments[:, axis, :: tiles.moments_each][:, : weights.shape[1]] for axis in (0, 1))
        for kind, extra in enumerate(tiles.patterns):
            self.patterns[kind, 0] = np.einsum("fs,s->f", x, extra)
            self.patterns[kind, 1] = np.einsum("fs,s->f", z, extra)
            self.patterns[kind, 2] = np.einsum("fs,fs->f", weights + extra, squares)

    def columns_for(self, pattern: int) -> dict[str, npt.NDArray[Any]]:
        """Right sides of the products for rows that stand on a pattern of parts."""
        from segue.costs import _kernels

        tiles = self.tiles
        if pattern not in self.known:
            if len(self.known) >= _PATTERNS:
                self.known.clear()
            weights = tiles.constant + self.friction + tiles.patterns[pattern]
            each = packed(np.repeat(weights, tiles.moments_each, axis=1))
            whole = (each[:, None] * self.moments).reshape(-1, each.shape[1])
            rows = np.pad(whole, ((0, -whole.shape[0] % 4), (0, 0)))
            out = np.empty((rows.shape[0], tiles.basis.shape[1]), dtype=np.float32)
            # Our own kernel: a library's result for a row depends on how many rows there are.
            _kernels.products(rows, tiles.basis, out)
            x, z, y = out[: len(whole), : tiles.rank].reshape(-1, 3, tiles.rank).transpose(1, 0, 2)
            self.known[pattern] = {
                "ground": _turned(packed(x, z)),
                "turned": _turned(packed(-z, x)),
                "height": _turned(packed(-2.0 * y, self.friction)),
            }
        return self.known[pattern]

    def fill(self, start: int, stop: int, out: Costs, left: Ints | None = None) -> None:  # noqa: ARG002
        """Write costs of rows start to stop."""
        from segue.costs.cloud_tiles import _kernels

        tiles, frames = self.tiles, slice(start, stop + self.reach)
        numbers = tiles.number[frames]
        kinds = np.unique(numbers)
        groups = [np.flatnonzero(numbers == kind) for kind in kinds]
        height = sum(group.size + -group.size % 4 for group in groups)
        if self.sums.shape[1] < height:  # kept from block to block: fresh memory costs more than the sums
            self.sums = aligned((5, height, self.columns.shape[1]), np.float32)
        sums = self.sums
        index = np.empty((numbers.size, 2), dtype=np.int64)
        index[:, 1] = numbers
        at = 0
        for kind, group in zip(kinds, groups, strict=True):
            index[group, 0] = at + np.arange(group.size)
            taken = start + np.concatenate([group, np.repeat(group[-1:], -group.size % 4)])
            self._products(taken, self.columns_for(int(kind)), sums[:, at : at + taken.size])
            at += taken.size
        taps = tiles.taps.astype(tiles.slid_in)
        _kernels.sweep(sums, index, tiles.rows["row"][frames], self.columns, self.patterns, taps, out)

    def _products(
        self, frames: npt.NDArray[Any], right: Mapping[str, npt.NDArray[Any]], out: npt.NDArray[Any]
    ) -> None:
        """Sums over pairs of frames of rows that stand on one pattern."""
        from segue.costs._kernels import products

        rows = {name: part[frames] for name, part in self.tiles.rows.items() if name != "row"}
        products(rows["row_ground"], right["ground"], out[0])
        products(rows["row_ground"], right["turned"], out[1])
        products(rows["row_height"], right["height"], out[2])
        products(rows["row_x"], self.middles, out[3])
        products(rows["row_z"], self.middles, out[4])


def _cut(values: npt.NDArray[Any], slots: slice) -> npt.NDArray[Any]:
    """Slots of an array, zeros beyond its end."""
    part = values[slots]
    missing = slots.stop - slots.start - part.shape[0]
    return np.pad(part, ((0, missing), *((0, 0),) * (part.ndim - 1))) if missing else part


def _windowed(values: Floats, taps: Floats) -> Floats:
    """Weighted sums (N,) over the frames from each one on; none beyond the end."""
    out = np.zeros_like(values)
    for o, weight in enumerate(taps):
        out[: values.size - o] += weight * values[o:]
    return out


def _turned(rows: npt.NDArray[Any]) -> npt.NDArray[Any]:
    out = aligned(rows.shape[::-1], rows.dtype)
    out[:] = rows.T
    return out
