"""Windows of a constant-weight point cloud as vectors: complete ones, and short ones for lower bounds.

A window's ground positions form one complex vector, whose turn about the vertical is a factor ``e^{i phi}``; its
heights form a real one. The cost of two windows is ``|u|^2 + |u'|^2 - 2 |<u, u'>| + |y - y'|^2``. With a few
coordinates of u and y in a unitary basis, and the length of the remainder as one more real coordinate of each, the same
formula gives a lower bound. The square roots of both are pseudo-metrics: they obey the triangle inequality.

Each point's path over a window is first reduced to its mean, slope and curvature, which hold nearly all of
it; of these the directions in which windows differ most are kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import sliding_window_view

from segue.accel.tiles import GROUND, NUMBERS
from segue.accel.tiles import HEIGHT as HEIGHTS
from segue.arrays import Bools, Floats, Ints
from segue.costs import clouds
from segue.costs.engine.tiles import LANES, ROWS_AT_ONCE, Side, lay, turned
from segue.costs.point_cloud import PointCloudCost
from segue.costs.protocol import Prepared
from segue.errors import SettingError

HEIGHT = HEIGHTS - 2
"""Coordinates ry of heights that are kept, in addition to r = `GROUND` complex ones: two more hold the remainders."""
_SHAPES = 3
_SAMPLE, _EVERY, _CHUNK = 4096, 4, 1024
_FAR = 1e12
"""Energy of a slot without a window: larger than any real one, and its square is finite in float32."""
_ROUNDS = 12


class Exact(NamedTuple):
    """Windows of a side in float64, by slot: positions x, z, y (S, D), path of the centre (S, 3T+2), window weights."""

    x: Floats
    z: Floats
    y: Floats
    window: Floats
    taps: Floats


@dataclass(frozen=True, eq=False)
class Short:
    """Short vectors of windows by slot, and of the tiles of four slots: float32.

    ``ground`` (S, 2r), ``height`` (S, ry+2), ``energy`` (S,); ``heart`` (S/4,) is the slot that represents
    its tile, and ``radius`` (S/4,) the largest bound from it to the tile's other slots. ``most`` is the
    largest energy of a complete window.
    """

    ground: npt.NDArray[np.float32]
    height: npt.NDArray[np.float32]
    energy: npt.NDArray[np.float32]
    heart: Ints
    radius: Floats
    most: float = 1.0

    def rows(self, root: float) -> tuple[npt.NDArray[np.float32], ...]:
        """Ground and height of each tile's representative, as kernel rows that search for tiles within a root cost.

        Two balls touch if ``D_r <= (R + r)^2``, R being a radius plus the root cost. That is a sum of
        products as well: of the radii, and of terms that depend on one side only.
        """
        reach = self.radius + root
        own = 0.5 * (reach**2 - self.energy[self.heart])
        more = np.stack([reach, own, np.ones_like(reach)], axis=1)
        spare = ((0, ROWS_AT_ONCE), (0, 0))
        ground = np.pad(self.ground[self.heart], spare)
        return ground, np.pad(np.hstack([self.height[self.heart], more]), spare).astype(np.float32)

    @cached_property
    def columns(self) -> tuple[npt.NDArray[np.float32], ...]:
        """Plain and turned ground and height of each tile's representative, as kernel columns."""
        ground, radius = self.ground[self.heart], self.radius
        quarter = np.hstack([ground[:, GROUND:], -ground[:, :GROUND]])
        own = 0.5 * (radius**2 - self.energy[self.heart])
        height = np.hstack([self.height[self.heart], np.stack([radius, np.ones_like(radius), own], axis=1)])
        plain, quarter, level = (
            turned(part.astype(np.float32), 0, self.heart.size + LANES) for part in (ground, quarter, height)
        )
        level[-1, self.heart.size :] = -0.5 * _FAR
        return plain, quarter, level

    @cached_property
    def tiles(self) -> npt.NDArray[np.float32]:
        """Ground, height and energy terms (S/4 NUMBERS, 4) of each tile's four slots."""
        whole = np.hstack([self.ground, self.height, -0.5 * self.energy[:, None]])
        tiles = whole.reshape(-1, ROWS_AT_ONCE, NUMBERS).transpose(0, 2, 1).astype(np.float32)
        return np.ascontiguousarray(tiles).reshape(-1, ROWS_AT_ONCE)


def exact_windows(
    side: Side, cost: PointCloudCost, segments: tuple[str, ...], *, basis: Floats | None = None
) -> Exact:
    """Float64 features of a side's clips in their slots, on body parts that all of them have.

    ``basis`` (S K, r) spans the parts' positions about each frame's centre, if they are connected as usual:
    fewer numbers with the same products.
    """
    made = [_features(clip, cost, segments, basis) for clip in side.clips]
    taps = clouds.window_weights(cost.half_window)
    arrays = [np.zeros((side.size + taps.size, part.shape[1])) for part in made[0]]
    for start, parts in zip(side.starts, made, strict=True):
        for out, part in zip(arrays, parts, strict=True):
            out[start : start + len(part)] = part
    return Exact(arrays[0], arrays[1], arrays[2], arrays[3], taps)


def _features(
    clip: Prepared, cost: PointCloudCost, segments: tuple[str, ...], basis: Floats | None
) -> tuple[Floats, ...]:
    """Frame positions x, z, y (F, D) about their centre and windows (n, 3T+2) of one clip, with equal weights.

    A window holds the path x, z, y of the centre about its own mean, the sum of all squares, and the mean height.
    """
    cloud = clouds.only(clip.cloud, segments)
    places = clouds.moments(cloud, clouds.rigid_moments(cost.cloud, cost.points_per_segment))
    middle = places[:, :, 0].mean(axis=1)
    places[:, :, 0] -= middle[:, None]
    places /= np.sqrt(places.shape[1])
    flat = places.reshape(len(places), -1, 3)
    if basis is not None:
        flat = np.einsum("fdc,dr->frc", flat, basis, optimize=True)
    x, y, z = (np.pad(flat[:, :, c], ((0, 0), (0, -flat.shape[1] % 8))) for c in range(3))
    taps = clouds.window_weights(cost.half_window)
    seen = sliding_window_view(middle, taps.size, axis=0)  # (n, 3, T)
    mean = seen @ taps
    paths = (seen - mean[..., None]) * np.sqrt(taps)
    squares = sliding_window_view(np.sum(flat**2, axis=(1, 2)), taps.size) @ taps + np.sum(
        paths**2, axis=(1, 2)
    )
    return (
        x,
        z,
        y,
        np.concatenate([paths[:, 0], paths[:, 2], paths[:, 1], squares[:, None], mean[:, 1:2]], axis=1),
    )


class _Reduced:
    """Window vectors by mean, slope and curvature: ground (S, 3D+3) complex, heights (S, 3D+4); full energies."""

    def __init__(self, exact: Exact, first: int, last: int) -> None:
        x, z, y, window, taps = exact
        n = taps.size
        roots = np.sqrt(taps)
        shapes = np.linalg.qr(roots[:, None] * np.arange(n)[:, None] ** np.arange(min(_SHAPES, n)))[0]
        filters = (roots[:, None] * shapes).T
        frames = slice(first, last + n)
        path = window[first:last]
        paths = [path[:, k * n : (k + 1) * n] @ shapes for k in range(3)]
        real = [
            np.concatenate([*_filtered(p[frames], filters), w], axis=1)
            for p, w in ((x, paths[0]), (z, paths[1]))
        ]
        self.ground = real[0] + 1j * real[1]
        self.height = np.concatenate([*_filtered(y[frames], filters), paths[2], path[:, 3 * n + 1 :]], axis=1)
        spread = [np.sum(p[frames] ** 2, axis=1, keepdims=True) for p in (x, z, y)]
        sizes = [_filtered(p, taps[None])[0][:, 0] for p in spread]
        moved = [np.sum(path[:, k * n : (k + 1) * n] ** 2, axis=1) for k in range(3)]
        self.ground_energy = sizes[0] + sizes[1] + moved[0] + moved[1]
        self.height_energy = sizes[2] + moved[2] + path[:, 3 * n + 1] ** 2


def _filtered(values: Floats, filters: Floats) -> list[Floats]:
    """Sums (n, K) over windows of values (n+T, K), weighted by each filter (T,)."""
    width = filters.shape[1]
    count = values.shape[0] - width
    out = [np.zeros((count, values.shape[1])) for _ in filters]
    part = np.empty_like(out[0])
    for o in range(width):
        for k, weights in enumerate(filters):
            out[k] += np.multiply(values[o : o + count], weights[o], out=part)
    return out


class Basis:
    """The coordinates in which windows of some clips differ most."""

    def __init__(self, exact: Exact, live: Bools) -> None:
        seen = _Reduced(exact, 0, min(live.size, _SAMPLE))
        rows = np.flatnonzero(live[:_SAMPLE])[::_EVERY]
        self.middle = seen.height[rows].mean(axis=0)
        self.ground = _leading(seen.ground[rows], GROUND)
        self.height = _leading(seen.height[rows] - self.middle, HEIGHT)

    def rows(self, exact: Exact, size: int) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Ground (S, 2r) and height (S, ry+2) of short vectors."""
        ground, height = (np.zeros((size, n), dtype=np.float32) for n in (2 * GROUND, HEIGHT + 2))
        for start in range(0, size, _CHUNK):
            rows = slice(start, min(start + _CHUNK, size))
            seen = _Reduced(exact, rows.start, rows.stop)
            kept = seen.ground @ self.ground
            ground[rows, :GROUND], ground[rows, GROUND:] = kept.real, kept.imag
            rest = seen.height_energy - np.sum(seen.height**2, axis=1)
            seen.height -= self.middle
            height[rows, :HEIGHT] = level = seen.height @ self.height
            height[rows, HEIGHT] = _root(seen.ground_energy - np.sum(np.abs(kept) ** 2, axis=1))
            height[rows, HEIGHT + 1] = _root(
                np.maximum(rest, 0.0) + np.sum(seen.height**2, axis=1) - np.sum(level**2, axis=1)
            )
        return ground, height


def short_windows(
    side: Side,
    cost: PointCloudCost,
    segments: tuple[str, ...],
    *,
    pose: Floats | None = None,
    basis: Basis | None = None,
) -> tuple[Short, Basis]:
    """Short vectors of every slot of a side, in the given basis or that of its first windows; dead slots are far away.

    Complete vectors are computed for a few clips at a time and dropped. ``pose`` is the ``basis`` of `exact_windows`.
    """
    ground, height = (np.zeros((side.size, n), dtype=np.float32) for n in (2 * GROUND, HEIGHT + 2))
    most, begin = 0.0, 0
    for stop in range(1, len(side.clips) + 1):
        end = int(side.starts[stop]) if stop < len(side.clips) else side.size
        first = int(side.starts[begin])
        if end - first < _SAMPLE and stop < len(side.clips):
            continue
        part = lay(side.clips[begin:stop])
        exact = exact_windows(part, cost, segments, basis=pose)
        basis = basis or Basis(exact, part.live)
        ground[first:end], height[first:end] = basis.rows(exact, part.size)
        most = max(most, float(exact.window[:, 3 * exact.taps.size].max()))
        begin = stop
    energy = _squared(ground) + _squared(height)
    heart, radius = _tiles(ground, height, side.live)
    far: npt.NDArray[np.float32] = np.where(side.live, energy, _FAR).astype(np.float32)
    if basis is None:
        raise SettingError("no clips: a side of none has no windows")
    return Short(ground, height, far, heart, radius, most), basis


def _squared(vectors: npt.NDArray[np.float32]) -> Floats:
    """Squared lengths (S,), added in float64."""
    out: Floats = np.einsum("sk,sk->s", vectors, vectors, dtype=np.float64)
    return out


def _leading(vectors: npt.NDArray[Any], count: int) -> npt.NDArray[Any]:
    """Directions (K, count) in which vectors (S, K) are longest, orthonormal, conjugated to multiply from the right.

    They approximate the leading eigenvectors of the second moments: any orthonormal directions give bounds, these give
    tight ones. They are iterated, because a library's eigensolver for so small a matrix waits for its threads.
    """
    moments = vectors.T @ vectors.conj()
    size = moments.shape[0]
    kept = min(count, size)
    basis = np.eye(size, dtype=moments.dtype)[
        :, np.argsort(-np.abs(np.diagonal(moments)), kind="stable")[:kept]
    ]
    for _ in range(_ROUNDS):
        basis = np.linalg.qr(np.einsum("ij,jk->ik", moments, basis))[0]
    leading: npt.NDArray[Any] = basis.conj()
    return np.pad(leading, ((0, 0), (0, count - kept)))


def _root(squares: Floats) -> Floats:
    out: Floats = np.sqrt(np.maximum(squares, 0.0))
    return out


def _tiles(ground: npt.NDArray[Any], height: npt.NDArray[Any], live: Bools) -> tuple[Ints, Floats]:
    """Slot that represents each tile, and the largest root of a bound between it and the tile's other live slots."""
    count = live.size // ROWS_AT_ONCE
    best, radius = np.zeros(count, dtype=np.int64), np.zeros(count)
    for start in range(0, count, _CHUNK):
        tiles = slice(start, min(start + _CHUNK, count))
        slots = slice(ROWS_AT_ONCE * tiles.start, ROWS_AT_ONCE * tiles.stop)
        u = ground[slots].astype(np.float64).reshape(-1, ROWS_AT_ONCE, 2, GROUND)
        points = u[:, :, 0] + 1j * u[:, :, 1]
        y = height[slots].astype(np.float64).reshape(len(points), ROWS_AT_ONCE, -1)
        inner = np.abs(np.einsum("tik,tjk->tij", points, points.conj()))
        size = np.einsum("tii->ti", inner)
        gap = np.sum((y[:, :, None] - y[:, None]) ** 2, axis=3)
        root = np.sqrt(np.maximum(size[:, :, None] + size[:, None] - 2.0 * inner + gap, 0.0))
        alive = live[slots].reshape(-1, ROWS_AT_ONCE)
        reach = np.where(alive[:, None, :], root, 0.0).max(axis=2)
        best[tiles] = np.where(alive, reach, np.inf).argmin(axis=1)
        radius[tiles] = np.take_along_axis(reach, best[tiles, None], axis=1)[:, 0]
    return np.arange(count) * ROWS_AT_ONCE + best, radius
