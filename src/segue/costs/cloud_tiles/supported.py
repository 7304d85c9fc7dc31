"""Fast tiles of costs whose weights change with the ground contacts.

The closed form of `segue.costs.cloud_tiles.varying` in float32. Three things make it fast and keep it exact:

- a weight is one part of the column's frame and one of the row's: columns are weighed once, and what row frames add
  concerns only the few parts that ever support, a few more terms of the same product;
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
from segue.costs.engine.layout import ROWS_AT_ONCE, Side
from segue.costs.engine.tiles import LANES, Fill, Tiles, turned, wanted

WIDEST = 24
"""Frames of the longest window that the kernel takes."""


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
    alpha = np.sum(full * squares, axis=1)
    flat = [part.reshape(len(part), -1) @ basis for part in (x, z, y)]
    weighed = [(full[:, :, None] * part).reshape(len(part), -1) @ basis for part in (x, z, y)]
    return {
        "row_ground": np.hstack(flat[:2]).astype(np.float32),
        "row_height": flat[2].astype(np.float32),
        "column_ground": np.hstack(weighed[:2]).astype(np.float32),
        "column_height": (-2.0 * weighed[2]).astype(np.float32),
        "row": np.stack([total, middle.real, middle.imag, alpha], axis=1),
        "moments": np.stack([part.reshape(len(part), -1) for part in (x, z, y)], axis=1).astype(np.float32),
        "squares": squares.astype(np.float32),
        "supports": friction,
    }


class SupportedTiles(Tiles):
    """Tiles between clips whose weights change.

    Parameters
    ----------
    a, b
        Sides of clips prepared by one cost; their features hold what `seen` makes, in one basis and from one level.
    near
        Whether all clips stay in place.
    """

    columns_at_once = 1344

    def __init__(self, a: Side, b: Side, *, near: bool) -> None:
        self.dtype = "float32"
        self.sides = a, b
        first = a.clips[0].features
        self.constant: Floats = first["constant"]
        self.moments_each = first["moments"].shape[2] // self.constant.size
        self.taps: Floats = first["taps"]
        taps = self.taps
        self.slid_in = np.float32 if near else np.float64
        self.reach = int(taps.size + -taps.size % ROWS_AT_ONCE)
        here, there = (_Seen(side, self.reach + ROWS_AT_ONCE, self.moments_each) for side in (a, b))
        mine, theirs = here.active, there.active
        supports = here.supports[:, mine]
        pressed = np.repeat(supports, self.moments_each, axis=1)
        self.rows = _short(
            np.hstack([here.ground, *(pressed * here.flat(axis, mine) for axis in (0, 1))]),
            np.hstack([here.height, here.squares[:, theirs], pressed * here.flat(2, mine), supports]),
            here.moments[:, 0, theirs, 0],
            here.moments[:, 1, theirs, 0],
            supports,
        )
        x, z, y = (there.flat(axis, mine) for axis in range(3))
        ground, height = (
            there.side.laid(f"column_{name}", spare=there.spare) for name in ("ground", "height")
        )
        one, other = np.hsplit(ground, 2)
        self.columns = _short(
            np.hstack([ground, x, z]),
            np.hstack([-other, one, -z, x]),
            np.hstack([height, there.supports[:, theirs], -2.0 * y, there.squares[:, mine]]),
            there.supports[:, theirs],
            there.moments[:, 0, mine, 0],
            there.moments[:, 1, mine, 0],
        )
        weights = np.column_stack([here.row, _windowed(here.row[:, 0], taps)])
        self.mine = np.ascontiguousarray(weights, dtype=self.slid_in)
        more = there.supports.sum(axis=1)
        theirs_row = [more, *there.row.T[1:], _windowed(more, taps)]
        self.theirs = np.stack(theirs_row).astype(self.slid_in)

    @property
    def nbytes(self) -> int:
        """Bytes of both sides' frames."""
        total: int = sum(part.nbytes for part in (*self.rows, *self.columns, self.mine, self.theirs))
        return total

    def formula(self) -> Formula:
        """Costs as an expression over arrays."""
        from segue.costs.cloud_tiles.array_form import supported

        return supported(self, self.sides)

    def strip_bytes(self, columns: int, rows: int) -> int:
        """Bytes of the packed columns and of the sums of frame pairs that a kernel keeps."""
        del rows
        wide = columns + 2 * LANES
        packed = sum(part.shape[1] for part in self.columns) + 10
        return int(4 * (wide * packed + 7 * 528 * (48 + self.reach)) + 8 * 7 * 96 * 48)

    def strip(self, first: int, last: int) -> Fill:
        """Pack columns."""
        from segue.costs.cloud_tiles import _kernels

        columns = tuple(turned(part, first, last + LANES) for part in self.columns)
        theirs = turned(self.theirs.T, first, last + LANES)
        taps = self.taps[None].astype(self.slid_in)
        lanes, wide, slid = _kernels.LANES, _kernels.WIDE, self.slid_in
        room = (
            aligned((_kernels.FRAMES + self.reach, 7 * _kernels.STRIDE), np.float32),
            aligned((_kernels.KEPT, 7 * wide), slid),
            aligned((4 * wide,), slid),
            aligned((7, lanes), slid),
            aligned((3, lanes), np.float32),
        )

        def fill(start: int, stop: int, out: Costs, left: Ints | None = None) -> None:
            left = wanted(left, stop - start)
            _kernels.sweep(self.rows, columns, start, (self.mine, theirs), taps, room, left, out)

        return fill


class _Seen:
    """Frames of a side at their slots, and the parts that support in any of them."""

    def __init__(self, side: Side, spare: int, each: int) -> None:
        self.side, self.spare = side, spare
        self.ground, self.height, self.row, self.moments, self.squares, self.supports = (
            side.laid(name, spare=spare)
            for name in ("row_ground", "row_height", "row", "moments", "squares", "supports")
        )
        self.moments = self.moments.reshape(len(self.moments), 3, -1, each)
        self.active = active(self.supports)

    def flat(self, axis: int, parts: Ints) -> npt.NDArray[Any]:
        """Moments (F, P K) of some parts along an axis: x, z, y."""
        out: npt.NDArray[Any] = self.moments[:, axis, parts].reshape(len(self.moments), -1)
        return out


def active(supports: npt.NDArray[Any]) -> Ints:
    """Parts (P,) that support in any of some frames (F, S), one at least.

    A part that never supports adds nothing but zeros, so a cost does not depend on what else lies on a side.
    """
    found = np.flatnonzero(supports.any(axis=0))
    return found if found.size else np.zeros(1, dtype=np.int64)


def _short(*parts: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], ...]:
    return tuple(np.ascontiguousarray(part, dtype=np.float32) for part in parts)


def _windowed(values: Floats, taps: Floats) -> Floats:
    """Weighted sums (N,) over the frames from each one on; none beyond the end."""
    out = np.zeros_like(values)
    for o, weight in enumerate(taps):
        out[: values.size - o] += weight * values[o:]
    return out
