"""Tiles of point-cloud costs whose weights change with the ground contacts, from the closed form.

With complex ground positions h of a part's moments, centres b, and weights ``w_n(s, t) = m_n + f_n(s) +
f'_n(t)`` of frames s = i + o and t = j + o, taper v::

    W = sum_o v_o sum_n w_n        X = sum_o v_o sum_n w_n b_n(s)        Z = sum_o v_o sum_n w_n b'_n(t)
    P = sum_o v_o sum_n w_n sum_k h_nk(s) conj(h'_nk(t))
    S = sum_o v_o sum_n w_n sum_k (|h_nk(s)|^2 + |h'_nk(t)|^2 + (y_nk(s) - y'_nk(t))^2)
    C = S - (|X|^2 + |Z|^2) / W - 2 |P - X conj(Z) / W|

Weights that are the sum of a term of s and a term of t turn every sum over a pair of frames into a matrix
product; windows are sums along its diagonals. Columns are weighted once; the term of row frames concerns only
the few parts that ever support.

Clips that stay in place are relative to their own centres, in float32: factors are never larger than a body
and the ground it moves on. If clips travel, each frame is relative to its own weighted centre, and the sums
of a pair of frames are moved to the clips' origins and windowed in float64, which tolerates large distances.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from segue.arrays import Costs, Floats, Ints, aligned
from segue.costs.cloud_tiles.array_form import Weighing, stays, weighed
from segue.costs.cloud_tiles.fixed import room_of, slid, windows_of
from segue.costs.engine.array_api import Formula
from segue.costs.engine.tiles import LANES, ROWS_AT_ONCE, Fill, Side, Tiles, turned, wanted

Array = npt.NDArray[Any]
_PANELS = 448, 192
"""Columns of sums kept in one pass, of clips that stay and of clips that travel."""


@dataclass(frozen=True, eq=False)
class PackedFrames:
    """Arrays of one clip for the compiled loop, independent of the other clip.

    Parameters
    ----------
    row_ground, row_height, column_ground, column_height
        Moments of frames, unweighted and weighted as columns, (F, .).
    levers, quarters
        Ground moments of each part as rows and as columns, (F, S, 3 K); also heights (F, S, K).
    sizes, friction
        (F, S) squares, and supporting weights.
    middles
        (F, 2, S) centres along x and z.
    own, lent
        Window terms of rows and of columns (n, 4); only weights if clips travel.
    moves
        Weight, supporting weight, centre along x and z, and weighted squares (F, 5).
    """

    row_ground: Array
    row_height: Array
    column_ground: Array
    column_height: Array
    levers: Array
    quarters: Array
    heights: Array
    sizes: Array
    friction: Array
    middles: Array
    own: Array
    lent: Array
    moves: Array


def packed(
    clip: Mapping[str, Any], *, weighs: bool, level: float, stays: bool, basis: Floats
) -> PackedFrames:
    """Arrays of one clip; see `weighed`. ``basis`` (S K, r) spans its moments."""
    frames = weighed(clip, weighs=weighs, level=level, apart=not stays)
    count, alone, friction = len(frames.places), frames.alone, frames.friction
    flat = frames.places.reshape(count, 3, -1) @ basis
    whole = (frames.full[:, None, :, None] * frames.places).reshape(count, 3, -1) @ basis
    added = alone.copy()
    if not stays:
        added[:, 1:] = 0.0  # already in the sums of every pair of frames
    lent = added.copy()
    lent[:, 0] = friction.sum(axis=1)

    def short(part: Array) -> Array:
        return np.ascontiguousarray(part, dtype=np.float32)

    return PackedFrames(
        short(_in_turn(flat, 1.0).reshape(count, -1)),
        short(flat[:, 2]),
        short(_in_turn(whole, -1.0).reshape(count, -1)),
        short(-2.0 * whole[:, 2]),
        short(_in_turn(frames.places, 1.0).reshape(*friction.shape, -1)),
        short(_in_turn(frames.places, -1.0).reshape(*friction.shape, -1)),
        short(frames.places[:, 2]),
        short(frames.sizes),
        short(friction),
        short(frames.places[:, :2, :, 0]),
        slid(added, clip["taps"]),
        slid(lent, clip["taps"]),
        np.column_stack([alone[:, 0], friction.sum(axis=1), frames.middle, alone[:, 3]]),
    )


def active(frames: Sequence[PackedFrames]) -> Ints:
    """Parts (P,) that support in any of the clips, at least one.

    A part that never supports adds only zeros, so a cost does not depend on the other clips of a side.
    """
    found = np.flatnonzero(np.any([one.friction.any(axis=0) for one in frames], axis=0))
    return found if found.size else np.zeros(1, dtype=np.int64)


class ChangingTiles(Tiles):
    """Tiles between two sides with changing weights.

    Parameters
    ----------
    a, b
        Sides of clips prepared by one cost; their features hold what `features` makes.
    how
        Settings for comparing them.
    basis
        (S K, r) orthonormal columns that span the moments of both.
    """

    columns_at_once = 1344

    def __init__(self, a: Side, b: Side, *, how: Weighing, basis: Floats) -> None:
        self.dtype = "float32"
        self.sides, self.how = (a, b), how
        taps = a.clips[0].features["taps"]
        self.summed: Any = np.float32 if how.stays else np.float64
        self.taps: Array = taps[None].astype(self.summed)
        self.reach = int(taps.size + -taps.size % ROWS_AT_ONCE)
        rows = self._frames(a, basis, weighs=True)
        columns = rows if b is a and how.both else self._frames(b, basis, weighs=how.both)
        mine, theirs = active(rows), active(columns)
        self.rows = self._laid(a, [_row_parts(one, mine, theirs) for one in rows])
        self.columns = self._laid(b, [_column_parts(one, mine, theirs) for one in columns])
        self.windows = (
            *self._laid(a, [((one.own,),) for one in rows], self.summed),
            *self._laid(b, [((one.lent,),) for one in columns], self.summed),
        )
        self.moves: tuple[Array, ...] | None = None
        if not how.stays:
            self.moves = (
                *self._laid(a, [((one.moves[:, [0, 2, 3, 4]],),) for one in rows], self.summed),
                *self._laid(b, [((one.moves[:, 1:],),) for one in columns], self.summed),
            )

    def _frames(self, side: Side, basis: Floats, *, weighs: bool) -> list[PackedFrames]:
        how = self.how
        return [
            clip.features["packed"]
            if weighs and how.level == round(clip.features["level"]) and how.stays == stays(clip.features)
            else packed(clip.features, weighs=weighs, level=how.level, stays=how.stays, basis=basis)
            for clip in side.clips
        ]

    def _laid(
        self, side: Side, parts: Sequence[Sequence[Sequence[Array]]], dtype: Any = np.float32
    ) -> tuple[Array, ...]:
        """Arrays of a side, each joined from several parts along axis 1; clips in their slots, zeros between them."""
        wide = [sum(part.shape[1] for part in each) for each in parts[0]]
        out = tuple(np.zeros((side.size + self.reach + ROWS_AT_ONCE, each), dtype=dtype) for each in wide)
        for start, made in zip(side.starts, parts, strict=True):
            for goal, each in zip(out, made, strict=True):
                goal[start : start + len(each[0])] = np.concatenate(each, axis=1)
        return out

    @property
    def nbytes(self) -> int:
        """Bytes of both sides' frames."""
        return sum(part.nbytes for part in (*self.rows, *self.columns, *self.windows, *(self.moves or ())))

    def formula(self) -> Formula:
        """Costs as an expression over arrays."""
        from segue.costs.cloud_tiles.array_form import changing

        return changing(*self.sides, how=self.how, dtype=self.dtype)

    def strip_bytes(self, columns: int, rows: int) -> int:
        """Bytes of the packed columns and of the kernel's buffers of sums."""
        del rows
        packed = 4 * sum(part.shape[1] for part in self.columns) + 64
        room = np.prod(room_of(7, _PANELS[(not self.how.stays)], self.taps.size))
        return int((columns + 3 * LANES) * packed + room * (12 if (not self.how.stays) else 4))

    def strip(self, first: int, last: int) -> Fill:
        """Pack columns for one thread."""
        from segue.costs._kernels import SIDE, slide

        wide = last + -(-self.taps.size // LANES) * LANES + LANES
        columns = tuple(turned(part, first, wide) for part in self.columns)
        windows = self.windows[0], windows_of(self.windows[1], first, last)
        panel = _PANELS[(not self.how.stays)]
        rows, stride = room_of(7, panel, self.taps.size)
        sums = products = aligned((LANES + rows * stride,), self.summed)[LANES:].reshape(rows, stride)
        moves = None
        if self.moves is not None:
            products = aligned((LANES + rows * stride,), np.float32)[LANES:].reshape(rows, stride)
            near = aligned((7 * SIDE,), np.float32)
            theirs, moved = (aligned((n * SIDE,), np.float64) for n in (4, 7))
            moves = self.moves[0], turned(self.moves[1], first, wide), near, theirs, moved

        def fill(start: int, stop: int, out: Costs, left: Ints | None = None) -> None:
            left = wanted(left, stop - start)
            room = sums, products, panel
            slide(self.rows, columns, windows, start, self.taps, room, left, out, True, moves)

        return fill


def _in_turn(places: Floats, sign: float) -> Floats:
    """Ground positions (F, 3, ...) interleaved as `complex_tile` takes them: x, z and their sum or difference."""
    x, z = places[:, 0], places[:, 1]
    return np.stack([x, z, x + sign * z], axis=-1)


def _row_parts(frames: PackedFrames, mine: Ints, theirs: Ints) -> tuple[tuple[Array, ...], ...]:
    """Arrays of a clip as rows, with supporting parts ``mine``, against columns with supporting parts ``theirs``.

    Ground, heights, centres along x and z, and supporting weights twice.
    """
    pressed = frames.friction[:, mine]
    ground, height = (
        (part[:, mine] * pressed[:, :, None]).reshape(len(pressed), -1)
        for part in (frames.levers, frames.heights)
    )
    heights = frames.row_height, frames.sizes[:, theirs], height, pressed
    x, z = (frames.middles[:, axis, theirs] for axis in (0, 1))
    return (frames.row_ground, ground), heights, (x,), (z,), (pressed,), (pressed,)


def _column_parts(frames: PackedFrames, mine: Ints, theirs: Ints) -> tuple[tuple[Array, ...], ...]:
    """Arrays of a clip as columns: ground, heights, supporting weights twice, and centres along x and z."""
    presses = frames.friction[:, theirs]
    ground, height = (part[:, mine].reshape(len(presses), -1) for part in (frames.quarters, frames.heights))
    heights = frames.column_height, presses, -2.0 * height, frames.sizes[:, mine]
    x, z = (frames.middles[:, axis, mine] for axis in (0, 1))
    return (frames.column_ground, ground), heights, (presses,), (presses,), (x,), (z,)
