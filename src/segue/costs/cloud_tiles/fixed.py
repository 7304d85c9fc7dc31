"""Tiles of point-cloud costs whose weights never change, in the two-level centred form.

Splitting each frame's positions into their centroid and the rest makes every cross term between the two
vanish exactly, so that a window's alignment sums are short diagonal sums over plain matrix products of single
frames. Only body-sized numbers enter the arithmetic, never world positions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from segue.arrays import Costs, Floats, Ints, Positions, aligned
from segue.costs import clouds
from segue.costs.engine.array_api import Formula
from segue.costs.engine.tiles import LANES, ROWS_AT_ONCE, Fill, Side, Tiles, turned, wanted

NEAR = 1.0
"""Largest distance in metres of the centroid from the centre of a clip that stays in place."""
_PANEL = 704
"""Columns of sums kept in one pass."""
_SPARE = 2 * ROWS_AT_ONCE
"""Rows of zeros after the last frame, so that the last block can be rounded up."""


def features(
    places: Positions, weights: Floats, *, half_window: int, dtype: str, basis: Floats | None = None
) -> Mapping[str, Any]:
    """Two-level centred arrays of parts' moments (F, S, K, 3) with weights (S,), padded with zeros for the kernels.

    ``ground`` (2D per frame) holds moments minus the frame's centroid, ``height`` (D per frame) heights minus
    the mean; ``path`` (3 (T - 1) per window) the centroid's path along x, z and up minus the window's
    centroid, in one dimension less because its mean is zero. All carry the square roots of their weights.
    ``window`` (n, 2) holds the sum of all squares in a window and its mean height. ``here`` (per frame) and
    ``mean`` (per window) are the centroid along x, z and up from the clip's centre; ``strays`` is its largest
    distance from there. ``basis`` (S K, r) spans the possible moments.
    """
    taps = clouds.window_weights(half_window)
    total = weights.sum()
    rest = np.sqrt(total) * places
    centroid = np.einsum("fsc,s->fc", rest[:, :, 0], weights / total)
    rest[:, :, 0] -= centroid[:, None]
    rest *= np.sqrt(weights / total)[:, None, None]
    flat = rest.reshape(len(rest), -1, 3)
    if basis is not None:
        flat = np.einsum("fdc,dr->frc", flat, basis)
    rx, ry, rz = (flat[..., c] for c in range(3))
    path_x, rise, path_z = (_paths(centroid[:, c], taps) for c in range(3))
    here = (centroid - (centroid.min(axis=0) + centroid.max(axis=0)) / 2)[:, [0, 2, 1]]
    fewer = _but_the_mean(taps)
    energy = slid(np.sum(rest**2, axis=(1, 2, 3)), taps) + np.sum(path_x**2 + rise**2 + path_z**2, axis=1)

    def kept(*parts: Floats) -> npt.NDArray[Any]:
        whole = np.concatenate(parts, axis=1)
        return np.pad(whole, ((0, _SPARE), (0, 0))).astype(dtype)

    made: dict[str, Any] = {
        "ground": kept(rx, rz),
        "height": kept(ry),
        "path": kept(*(path @ fewer for path in (path_x, path_z, rise))),
        "window": np.stack([energy, slid(centroid[:, 1], taps)], axis=1).astype(dtype),
        "here": kept(here),
        "mean": kept(slid(here, taps)),
        "strays": float(np.abs(here).max()),
        "taps": taps.astype(dtype),
    }
    return {**made, **packed(made, near=made["strays"] < NEAR)}


def packed(features: Mapping[str, Any], *, near: bool) -> Mapping[str, npt.NDArray[Any]]:
    """Kernel inputs of one clip, as rows and as columns.

    With ``near``, centroids count as one more position of a frame, relative to the clip's centre, and the
    common part of window means is subtracted. If clips travel, float32 would not be precise enough for that:
    then the path of each window's centroid is a separate row of numbers.
    """
    ground, height, here, mean = (features[name] for name in ("ground", "height", "here", "mean"))
    x, z = np.hsplit(ground, 2)
    paths = features["path"], features["path"]
    if near:
        x, z, height = (np.column_stack(both) for both in zip((x, z, height), here.T, strict=True))
        paths = -mean, mean
    frames = (np.stack([x, z, third], axis=2).reshape(len(x), -1) for third in (x + z, x - z))
    window = np.pad(features["window"], ((0, _SPARE), (0, 0)))
    windows = (np.hstack([window, path]) for path in paths)
    names = ("row_ground", "column_ground", "row_windows", "column_windows", "tall")
    return dict(zip(names, (*frames, *windows, height), strict=True))


def slid(values: Floats, taps: Floats) -> Floats:
    """Weighted sums of every window along the first axis."""
    count = values.shape[0] - taps.size + 1
    out = np.zeros((count, *values.shape[1:]))
    for o, weight in enumerate(taps):
        out += weight * values[o : o + count]
    return out


def _paths(centroid: Floats, taps: Floats) -> Floats:
    """Centroid of each frame of a window minus the window's centroid, times the roots of the taps: (n, T)."""
    seen = np.lib.stride_tricks.sliding_window_view(centroid, taps.size)
    out: Floats = (seen - (seen @ taps)[:, None]) * np.sqrt(taps)
    return out


def _but_the_mean(taps: Floats) -> Floats:
    """Orthonormal columns (T, T - 1) that span the weighted paths of zero mean."""
    if taps.size == 1:
        return np.zeros((1, 1))
    mirror = np.sqrt(taps)
    mirror[0] += 1.0
    turned: Floats = np.eye(taps.size) - np.outer(mirror, mirror) / mirror[0]
    return turned[:, 1:]


class FixedTiles(Tiles):
    """Tiles of `features` of two sides, aligned over complete windows; all clips stay in place, or none does."""

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
        """Frames after a row that the kernel reads for its window, a multiple of 4."""
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

    def strip_bytes(self, columns: int, rows: int) -> int:
        """Bytes of the packed columns and of the kernel's buffer of sums."""
        del rows
        wide = columns + self.reach + LANES
        packed = sum(wide * array.shape[1] for array in self.columns)
        room = np.prod(room_of(3, min(_PANEL, columns), self.taps.size))
        return int((packed + room) * self.taps.itemsize)

    def strip(self, first: int, last: int) -> Fill:
        """Pack columns for one thread."""
        from segue.costs._kernels import slide

        wide = last + -(-self.taps.size // LANES) * LANES
        *frames, windows = self.columns
        columns = tuple(turned(part, first, wide) for part in frames)
        added = self.rows[2], windows_of(windows, first, last)
        rows, stride = room_of(3, min(_PANEL, last - first), self.taps.size)
        sums = aligned((LANES + rows * stride,), self.dtype)[LANES:].reshape(rows, stride)
        room = sums, sums, _PANEL

        def fill(start: int, stop: int, out: Costs, left: Ints | None = None) -> None:
            left = wanted(left, stop - start)
            taps = self.taps[None]
            slide(self.rows[:2], columns, added, start, taps, room, left, out, None, None)

        return fill


def room_of(planes: int, columns: int, window: int) -> tuple[int, int]:
    """Rows and columns of the kernel's buffer of frame-pair sums for a number of columns per pass."""
    from segue.costs._kernels import CHUNK, LINE

    rows = CHUNK + window + -window % ROWS_AT_ONCE
    lines = (columns + window + 3 * LANES) // LINE + 1
    # Rows of an odd number of cache lines do not evict one another.
    return planes * (rows + -rows % LINE), LINE * (lines + 1 - lines % 2) - 1


def windows_of(windows: npt.NDArray[Any], first: int, last: int) -> npt.NDArray[Any]:
    """Window terms of columns first to last (K, C), with padding before and after, which slanted strips read."""
    from segue.costs._kernels import BEFORE, LINE

    lines = (BEFORE + last - first + LANES) // LINE
    out = aligned((windows.shape[1], LINE * (lines + 1 - lines % 2)), windows.dtype)
    part = windows[first : last + LANES]
    out[:, BEFORE : BEFORE + len(part)] = part.T
    return out
