"""Fast tiles of costs whose weights change with the ground contacts, between clips that stay in place.

The closed form of `segue.costs.cloud_tiles.varying` in float32, seen from each clip's own middle: what is multiplied is
then never larger than a body and the ground it stands on. Sums over pairs of frames are windowed as they are; what
depends on one frame alone is windowed beforehand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from segue.arrays import Costs, Floats, Ints, aligned
from segue.costs.cloud_tiles.strips import windows_of
from segue.costs.cloud_tiles.supported import SupportedTiles, active
from segue.costs.engine.array_api import Formula
from segue.costs.engine.layout import ROWS_AT_ONCE, Side
from segue.costs.engine.tiles import LANES, Fill, Tiles, turned, wanted

Array = npt.NDArray[Any]
Features = Mapping[str, Any]
STAYS = 1.6
"""Metres of the reference body from a clip's middle within which every part of one that stays in place moves."""


def seen_in_place(
    ground: npt.NDArray[Any],
    height: Floats,
    weights: tuple[Floats, Floats],
    basis: Floats,
    *,
    level: float,
    taps: Floats,
) -> Mapping[str, npt.NDArray[Any]]:
    """Arrays of one clip for the tiles: moments, what they weigh as columns, and windowed sums of each frame alone.

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
    taps
        (T,) weights of a window's frames.
    """
    constant, friction = weights
    full = constant + friction
    places = np.stack([ground.real, ground.imag, height], axis=1)
    places[:, 2, :, 0] -= level
    squares = np.sum(places**2, axis=(1, 3))
    count = len(places)
    middles = np.sum(full[:, None] * places[:, :2, :, 0], axis=2)
    alone = np.column_stack([middles, np.sum(full * squares, axis=1)])
    own, lent = (np.column_stack([part.sum(axis=1), alone]) for part in (full, friction))
    flat = places.reshape(count, 3, -1) @ basis
    weighed = (full[:, None, :, None] * places).reshape(count, 3, -1) @ basis
    made = {
        "row_ground": _in_turn(flat, 1.0).reshape(count, -1),
        "column_ground": _in_turn(weighed, -1.0).reshape(count, -1),
        "row_height": flat[:, 2],
        "column_height": -2.0 * weighed[:, 2],
        "row_levers": _in_turn(places, 1.0).reshape(*friction.shape, -1),
        "column_levers": _in_turn(places, -1.0).reshape(*friction.shape, -1),
        "heights": places[:, 2],
        "sizes": squares,
        "presses": friction,
        "middles": places[:, :2, :, 0],
        "row_windows": _windowed(own, taps),
        "column_windows": _windowed(lent, taps),
    }
    return {name: np.ascontiguousarray(part, dtype=np.float32) for name, part in made.items()}


def _in_turn(places: Floats, sign: float) -> Floats:
    """Places (F, 3, ...) on the ground as `complex_tile` takes them: x, z and their sum or difference in turn."""
    x, z = places[:, 0], places[:, 1]
    return np.stack([x, z, x + sign * z], axis=-1)


def _windowed(values: Floats, taps: Floats) -> Floats:
    """Weighted sums (n, C) over the frames of each window."""
    seen = np.lib.stride_tricks.sliding_window_view(values, taps.size, axis=0)
    out: Floats = seen @ taps
    return out


class StandingTiles(Tiles):
    """Tiles between clips that stay in place.

    Parameters
    ----------
    a, b
        Sides of clips prepared by one cost; their features hold what `seen_in_place` makes.
    again
        The same two sides as `SupportedTiles` take them, for `formula`.
    """

    columns_at_once = 1344

    def __init__(self, a: Side, b: Side, *, again: Callable[[], tuple[Side, Side]]) -> None:
        self.dtype = "float32"
        self.again = again
        taps = a.clips[0].features["taps"]
        self.taps: npt.NDArray[Any] = taps[None].astype(np.float32)
        self.reach = int(taps.size + -taps.size % ROWS_AT_ONCE)
        mine, theirs = _active(a), _active(b)
        self.rows = self._laid(a, lambda clip: _row_parts(clip, mine, theirs))
        self.columns = self._laid(b, lambda clip: _column_parts(clip, mine, theirs))

    def _laid(self, side: Side, parts: Callable[[Features], Sequence[Sequence[Array]]]) -> tuple[Array, ...]:
        """Arrays of a side, each made of some parts side by side, clips at their slots and zeros between them."""
        out: list[Array] = []
        for start, clip in zip(side.starts, side.clips, strict=True):
            made = parts(clip.features)
            if not out:
                wide = [sum(part.shape[1] for part in each) for each in made]
                out = [
                    np.zeros((side.size + self.reach + ROWS_AT_ONCE, each), dtype=np.float32) for each in wide
                ]
            for goal, each in zip(out, made, strict=True):
                at = 0
                for part in each:
                    goal[start : start + len(part), at : at + part.shape[1]] = part
                    at += part.shape[1]
        return tuple(out)

    @property
    def nbytes(self) -> int:
        """Bytes of both sides' frames."""
        held = {id(part): part.nbytes for part in (*self.rows, *self.columns)}
        return sum(held.values())

    def formula(self) -> Formula:
        """Costs as an expression over arrays."""
        return SupportedTiles(*self.again(), near=True).formula()

    def _room(self) -> tuple[int, int]:
        """Rows and columns of the sums of frame pairs that a kernel keeps."""
        from segue.costs.cloud_tiles import _kernels

        rows = _kernels.FEW + self.reach
        lines = (_kernels.SUPPORTED + self.taps.size + 3 * LANES) // _kernels.LINE + 1
        return 7 * (rows + -rows % _kernels.LINE), _kernels.LINE * (lines + 1 - lines % 2) - 1

    def strip_bytes(self, columns: int, rows: int) -> int:
        """Bytes of the packed columns and of the sums of frame pairs that a kernel keeps."""
        del rows
        packed = sum(part.shape[1] for part in self.columns)
        return int(4 * ((columns + 2 * LANES) * packed + np.prod(self._room())))

    def strip(self, first: int, last: int) -> Fill:
        """Pack columns."""
        from segue.costs.cloud_tiles import _kernels

        *frames, windows = self.columns
        columns = *(turned(part, first, last + LANES) for part in frames), windows_of(windows, first, last)
        rows, stride = self._room()
        sums = aligned((LANES + rows * stride,), np.float32)[LANES:].reshape(rows, stride)

        def fill(start: int, stop: int, out: Costs, left: Ints | None = None) -> None:
            left = wanted(left, stop - start)
            _kernels.slide_standing(self.rows, columns, start, self.taps, sums, left, out)

        return fill


def _active(side: Side) -> Ints:
    """Parts that support in any clip of a side."""
    return active(np.stack([clip.features["presses"].any(axis=0) for clip in side.clips]))


def _row_parts(clip: Features, mine: Ints, theirs: Ints) -> tuple[tuple[Array, ...], ...]:
    """What a clip is as rows, whose parts ``mine`` support, against columns whose parts ``theirs`` do.

    Ground, heights, middles along x and z, twice what supports, and windows.
    """
    pressed = clip["presses"][:, mine]
    x, z = (clip["middles"][:, axis, theirs] for axis in (0, 1))
    ground, height = (
        (clip[name][:, mine] * pressed[:, :, None]).reshape(len(pressed), -1)
        for name in ("row_levers", "heights")
    )
    heights = clip["row_height"], clip["sizes"][:, theirs], height, pressed
    return (clip["row_ground"], ground), heights, (x,), (z,), (pressed,), (pressed,), (clip["row_windows"],)


def _column_parts(clip: Features, mine: Ints, theirs: Ints) -> tuple[tuple[Array, ...], ...]:
    """What a clip is as columns: ground, heights, twice what supports, middles along x and z, and windows."""
    presses = clip["presses"][:, theirs]
    x, z = (clip["middles"][:, axis, mine] for axis in (0, 1))
    ground, height = (clip[name][:, mine].reshape(len(presses), -1) for name in ("column_levers", "heights"))
    heights = clip["column_height"], presses, -2.0 * height, clip["sizes"][:, mine]
    return (
        (clip["column_ground"], ground),
        heights,
        (presses,),
        (presses,),
        (x,),
        (z,),
        (clip["column_windows"],),
    )
