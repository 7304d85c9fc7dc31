"""The windowed point-cloud cost with its closed-form ground alignment, in the two-level centred form.

Splitting each frame's points into their centroid and the rest makes every cross term between the two vanish
exactly, so that a window's alignment sums are short diagonal sums over plain matrix products of single frames.
Only sizes of a body enter the arithmetic, never places in the world.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from segue.arrays import Costs, Floats, Ints
from segue.costs import clouds
from segue.costs.protocol import DTYPES, Cloud, Prepared, check_rate, check_word, source_frames
from segue.errors import SettingError
from segue.maths.planar import PlanarMotion
from segue.motion.clip import Clip
from segue.motion.resample import resampled
from segue.motion.standard_body import standard_body

WEIGHTINGS = ("uniform",)
_ROWS, _COLUMNS = 100, 1300
_ROWS_AT_ONCE, _FEATURES_AT_ONCE, _TAPS_AT_ONCE = 4, 8, 6
_SPARE = _ROWS_AT_ONCE + _TAPS_AT_ONCE
"""Rows of zeros after the last frame, so that the last block can be rounded up."""
_CHUNK = 512


@dataclass(frozen=True)
class PointCloudCost:
    """Squared distance between two windowed clouds of body points, best aligned on the ground.

    ``C(i, j) = min over T of sum_k W_k sum_n (w_n / M_n) sum_m |x_nm(i+k) - T x'_nm(j+k)|^2`` with window weights
    ``W_k = 1 - (k/(L+1))^2``, M_n points on body part n, and T a turn about the vertical and a shift on the ground
    (dynamics-weighted point clouds; Kovar, Gleicher & Pighin 2002, eq. 1 to 4). Both sets of weights sum to 1.
    Every motion is worn by one body of mean proportions 1.75 m tall, so that lengths of limbs do not count.

    Unit: square metres of a body 1.75 m tall; the root is a root mean square distance. Range: 0 to about 1.
    Symmetric. Invariant to a ground motion of either clip and to the scale of either body. Windows are centred.

    Parameters
    ----------
    window_seconds
        Length of the window, both ends included: 1/3 s at 30 frames a second are 11 frames.
    rate
        Frames a second at which clips are compared.
    weighting
        ``"uniform"``: every body part counts the same.
    align
        ``"window"``: T is best for the whole window. ``"centre"``: T is best for the centre frame.
    points_per_segment
        Sample points on each body part. With 2 the lowest hundredth of costs of a pair of clips are 2 % below those
        of a dense cloud, with 4 less than 1 %.
    dtype
        ``"float32"`` errs by less than 1e-6 square metres wherever in the world the clips are; ``"float64"`` by
        less than 1e-12.

    Examples
    --------
    >>> import segue
    >>> walk = segue.sample("walk")
    >>> matrix = segue.cost_matrix(walk, walk, cost=PointCloudCost())
    >>> bool(matrix.values.diagonal().max() < 1e-6)
    True
    """

    window_seconds: float = 1.0 / 3.0
    rate: float = 30.0
    weighting: str = "uniform"
    align: str = "window"
    points_per_segment: int = 2
    dtype: str = "float32"

    name: ClassVar[str] = "point_cloud"

    def __post_init__(self) -> None:
        check_rate(self.rate)
        check_word("weighting", self.weighting, WEIGHTINGS)
        check_word("align", self.align, ("window", "centre"))
        check_word("dtype", self.dtype, DTYPES)
        if not (np.isfinite(self.window_seconds) and self.window_seconds >= 0):
            msg = f"a window cannot last {self.window_seconds} seconds; 0 compares single poses, 1/3 is usual"
            raise SettingError(msg)
        points: object = self.points_per_segment  # what a person passes may be anything
        if not isinstance(points, int | np.integer) or points < 1:
            msg = f"points_per_segment must be a whole number, at least 1, not {self.points_per_segment}"
            raise SettingError(msg)

    @property
    def half_window(self) -> int:
        """Cost frames L on either side of the centre."""
        return round(self.window_seconds * self.rate / 2)

    def prepare(self, clip: Clip) -> Prepared:
        """Resample a clip and centre its windowed clouds."""
        seen = resampled(clip, self.rate)
        cloud = clouds.cloud_of(seen, standard_body(seen), points_per_segment=self.points_per_segment)
        count = max(cloud.points.shape[0] - 2 * self.half_window, 0)
        return Prepared(
            clip.name,
            clip.fps,
            clip.n_frames,
            self.rate,
            self.half_window,
            source_frames(clip, self.rate, first=self.half_window, count=count),
            cloud,
            _features(cloud, self.half_window, self.dtype) if count else {},
        )

    def matrix(self, a: Prepared, b: Prepared) -> Costs:
        """Costs (N, M) of every window of one clip against every window of another."""
        out = np.empty((a.n, b.n), dtype=self.dtype)
        if not out.size:
            return out
        fa, fb = self._common(a, b)
        lift = fa["level"] - fb["level"]
        weighted = lift * fa["root_weights"]
        energy_a = (fa["energy"] + 2.0 * fa["lift"] @ weighted + weighted @ weighted).astype(self.dtype)
        energy_b = (fb["energy"] - 2.0 * fb["lift"] @ weighted).astype(self.dtype)
        block = _windowed if self.align == "window" else _centred
        for left in range(0, b.n, _COLUMNS):
            columns = slice(left, min(left + _COLUMNS, b.n))
            part = _columns(fb, columns)
            for top in range(0, a.n, _ROWS):
                rows = slice(top, min(top + _ROWS, a.n))
                block(_rows(fa, rows), part, energy_a[rows], energy_b[columns], out[rows, columns])
        return out

    def pairs(self, a: Prepared, b: Prepared, rows: Ints, columns: Ints) -> Floats:
        """Costs (K,) of chosen cells: align each pair of clouds, then sum squared distances, in float64."""
        ca, cb = clouds.shared(a.cloud, b.cloud)
        chunks = [
            self._direct(ca, cb, np.asarray(rows[k : k + _CHUNK]), np.asarray(columns[k : k + _CHUNK]))
            for k in range(0, len(rows), _CHUNK)
        ]
        return np.concatenate(chunks) if chunks else np.zeros(0)

    def alignment(self, a: Prepared, b: Prepared, row: int, column: int) -> PlanarMotion:
        """Ground motion that places clip b onto clip a at one cell, in world metres."""
        half = self.half_window if self.align == "window" else 0
        return clouds.align(a.cloud, b.cloud, (row + a.first, column + b.first), half)

    def _common(self, a: Prepared, b: Prepared) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        """Features of both clips on the body parts they share."""
        ca, cb = clouds.shared(a.cloud, b.cloud)
        if ca is a.cloud:
            return a.features, b.features
        return _features(ca, self.half_window, self.dtype), _features(cb, self.half_window, self.dtype)

    def _direct(self, a: Cloud, b: Cloud, rows: Ints, columns: Ints) -> Floats:
        half = self.half_window
        weights = clouds.window_weights(half)[:, None] * clouds.point_weights(a.segments)
        here = a.scale * clouds.windows(a.points, rows + half, half)
        there = b.scale * clouds.windows(b.points, columns + half, half)
        fitted = weights
        if self.align == "centre":
            fitted = np.zeros_like(weights)
            fitted[half] = clouds.point_weights(a.segments)
        x, z, height = _centred_on(here, fitted)
        u, v, level = _centred_on(there, fitted)
        same = np.sum(fitted * (x * u + z * v), axis=(1, 2))
        cross = np.sum(fitted * (x * v - z * u), axis=(1, 2))
        turn = np.arctan2(cross, same)[:, None, None]
        c, s = np.cos(turn), np.sin(turn)
        gap = (x - (c * u + s * v)) ** 2 + (z - (c * v - s * u)) ** 2 + (height - level) ** 2
        out: Floats = np.sum(weights * gap, axis=(1, 2))
        return out


def _centred_on(points: Floats, weights: Floats) -> tuple[Floats, Floats, Floats]:
    """Return x and z minus their weighted mean, and y, of windowed clouds (K, T, P, 3)."""
    x, y, z = points[..., 0], points[..., 1], points[..., 2]
    mean_x = np.sum(weights * x, axis=(1, 2), keepdims=True)
    mean_z = np.sum(weights * z, axis=(1, 2), keepdims=True)
    return x - mean_x, z - mean_z, y


def _features(cloud: Cloud, half_window: int, dtype: str) -> Mapping[str, Any]:
    """Two-level centred arrays of one cloud, one row a frame or a window, padded with zeros for the kernels.

    ``ground`` (2P a frame) holds points minus the frame's centroid, ``turned`` the same turned by a quarter, ``height``
    (P a frame) heights minus the clip's mean ``level`` (P,); ``path`` and ``turned_path`` (2T a window) the centroid's
    path minus the window's centroid; ``energy`` (n,) their windowed squares; ``lift`` (n, P) the windowed heights.
    All carry the square roots of their weights. ``offset`` (n, 2) is the centre frame's centroid minus the window's.
    """
    weights = clouds.point_weights(cloud.segments)
    root = np.sqrt(weights)
    taps = clouds.window_weights(half_window)
    x, y, z = (cloud.scale * cloud.points[..., c] for c in range(3))
    gx, gz = x @ weights, z @ weights
    rx, rz = (x - gx[:, None]) * root, (z - gz[:, None]) * root
    level = y.mean(axis=0)
    height = (y - level) * root
    path_x, path_z = (_paths(g, taps) for g in (gx, gz))
    size = np.sum(rx**2 + rz**2 + height**2, axis=1)

    def kept(*parts: Floats) -> npt.NDArray[Any]:
        whole = np.concatenate(parts, axis=1)
        return np.pad(whole, ((0, _SPARE), (0, -whole.shape[1] % _FEATURES_AT_ONCE))).astype(dtype)

    return {
        "ground": kept(rx, rz),
        "turned": kept(rz, -rx),
        "height": kept(height),
        "path": kept(path_x, path_z),
        "turned_path": kept(path_z, -path_x),
        "energy": _slid(size, taps) + np.sum(path_x**2 + path_z**2, axis=1),
        "lift": _slid(height, taps),
        "level": level,
        "root_weights": root,
        "taps": np.pad(taps, (0, -taps.size % _TAPS_AT_ONCE)).astype(dtype),
        "offset": np.stack([path_x[:, half_window], path_z[:, half_window]], axis=1)
        / np.sqrt(taps[half_window]),
    }


def _slid(values: Floats, taps: Floats) -> Floats:
    """Windowed weighted sums along the first axis."""
    count = values.shape[0] - taps.size + 1
    out = np.zeros((count, *values.shape[1:]))
    for o, weight in enumerate(taps):
        out += weight * values[o : o + count]
    return out


def _paths(centroid: Floats, taps: Floats) -> Floats:
    """Centroid of each frame of a window minus the window's, times the roots of the taps: (n, T)."""
    seen = np.lib.stride_tricks.sliding_window_view(centroid, taps.size)
    out: Floats = (seen - (seen @ taps)[:, None]) * np.sqrt(taps)
    return out


def _rows(features: Mapping[str, Any], rows: slice) -> Mapping[str, Any]:
    """Features of a range of windows as rows: as many as the kernels take at once."""

    def taken(name: str, count: int) -> npt.NDArray[Any]:
        out: npt.NDArray[Any] = features[name][rows.start : rows.start + count + -count % _ROWS_AT_ONCE]
        return out

    taps, count = features["taps"], rows.stop - rows.start
    by_frame = {name: taken(name, count + taps.size - 1) for name in ("ground", "height")}
    return {**by_frame, "path": taken("path", count), "offset": features["offset"][rows], "taps": taps}


def _columns(features: Mapping[str, Any], columns: slice) -> Mapping[str, Any]:
    """Features of a range of windows as columns."""
    frames = slice(columns.start, columns.stop + features["taps"].size - 1)
    by_frame = {
        name: np.ascontiguousarray(features[name][frames].T) for name in ("ground", "turned", "height")
    }
    paths = {name: np.ascontiguousarray(features[name][columns].T) for name in ("path", "turned_path")}
    return {**by_frame, **paths, "offset": features["offset"][columns]}


def _sums(a: Mapping[str, Any], b: Mapping[str, Any]) -> tuple[Costs, Costs]:
    """Return same, cross and height sums of every frame pair, and same and cross sums of centroid paths."""
    from segue.costs import _kernels

    ground, path = a["ground"], a["path"]
    frames = np.empty((3, ground.shape[0], b["ground"].shape[1]), dtype=ground.dtype)
    _kernels.products(ground, b["ground"], frames[0])
    _kernels.products(ground, b["turned"], frames[1])
    _kernels.products(a["height"], b["height"], frames[2])
    centroids = np.empty((2, path.shape[0], b["path"].shape[1]), dtype=ground.dtype)
    _kernels.products(path, b["path"], centroids[0])
    _kernels.products(path, b["turned_path"], centroids[1])
    return frames, centroids


def _windowed(
    a: Mapping[str, Any], b: Mapping[str, Any], energy_a: Costs, energy_b: Costs, out: Costs
) -> None:
    """One block of costs, aligned over the whole window."""
    from segue.costs import _kernels

    frames, centroids = _sums(a, b)
    block = out if out.flags.c_contiguous else np.empty(out.shape, dtype=out.dtype)
    _kernels.slide(frames, centroids, energy_a, energy_b, a["taps"], block)
    if block is not out:
        out[...] = block


def _centred(
    a: Mapping[str, Any], b: Mapping[str, Any], energy_a: Costs, energy_b: Costs, out: Costs
) -> None:
    """One block of costs, aligned on the centre frame: the window's centroids then differ."""
    frames, centroids = _sums(a, b)
    rows, columns = out.shape
    middle = int(np.argmax(a["taps"]))
    same, cross = frames[:2, middle : middle + rows, middle : middle + columns]
    length = np.maximum(np.hypot(same, cross), np.finfo(out.dtype).tiny)
    sums = [sum(w * f[o : o + rows, o : o + columns] for o, w in enumerate(a["taps"])) for f in frames]
    here, there = a["offset"].astype(out.dtype), b["offset"].astype(out.dtype)
    sums[0] += centroids[0, :rows] + here @ there.T
    sums[1] += centroids[1, :rows] + here[:, :1] * there[:, 1] - here[:, 1:] * there[:, 0]
    gaps = np.sum(here**2, axis=1)[:, None] + np.sum(there**2, axis=1)
    along = (sums[0] * same + sums[1] * cross) / length
    np.maximum(energy_a[:, None] + energy_b + gaps - 2.0 * (sums[2] + along), 0.0, out=out)
