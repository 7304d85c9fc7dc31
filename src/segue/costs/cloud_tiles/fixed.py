"""Tiles of point-cloud costs whose weights never change, in the two-level centred form.

Splitting each frame's places into their centroid and the rest makes every cross term between the two vanish
exactly, so that a window's alignment sums are short diagonal sums over plain matrix products of single frames.
Only sizes of a body enter the arithmetic, never places in the world.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from segue.arrays import Floats, Positions
from segue.costs import clouds

NEAR = 1.0
"""Metres from a clip's middle within which the centroid of one that stays in place moves."""
_ROWS_AT_ONCE = 4
_SPARE = 2 * _ROWS_AT_ONCE
"""Rows of zeros after the last frame, so that the last block can be rounded up."""


def features(
    places: Positions, weights: Floats, *, half_window: int, dtype: str, basis: Floats | None = None
) -> Mapping[str, Any]:
    """Two-level centred arrays of parts' moments (F, S, K, 3) with weights (S,), padded with zeros for the kernels.

    ``ground`` (2D a frame) holds moments minus the frame's centroid, ``height`` (D a frame) heights minus the mean;
    ``way`` (3 (T - 1) a window) the centroid's way x, z and up minus the window's centroid, in one dimension less, as
    it is nothing on average. All carry the square roots of their weights. ``window`` (n, 2) holds the window's sum of
    all their squares and its mean height. ``here`` (a frame) and ``mean`` (a window) are the centroid along x, z and
    upwards from the clip's middle, from which it never is farther than ``strays``. ``basis`` (S K, r) spans what can
    occur.
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
    energy = _slid(np.sum(rest**2, axis=(1, 2, 3)), taps) + np.sum(path_x**2 + rise**2 + path_z**2, axis=1)

    def kept(*parts: Floats) -> npt.NDArray[Any]:
        whole = np.concatenate(parts, axis=1)
        return np.pad(whole, ((0, _SPARE), (0, 0))).astype(dtype)

    made: dict[str, Any] = {
        "ground": kept(rx, rz),
        "height": kept(ry),
        "way": kept(*(path @ fewer for path in (path_x, path_z, rise))),
        "window": np.stack([energy, _slid(centroid[:, 1], taps)], axis=1).astype(dtype),
        "here": kept(here),
        "mean": kept(_slid(here, taps)),
        "strays": float(np.abs(here).max()),
        "taps": taps.astype(dtype),
    }
    return {**made, **packed(made, near=made["strays"] < NEAR)}


def packed(features: Mapping[str, Any], *, near: bool) -> Mapping[str, npt.NDArray[Any]]:
    """What the kernel of the fast tiles takes, of a clip as rows and as columns.

    With ``near`` centroids count as one more place of a frame, seen from the clip's middle, and what windows' means
    have in common is taken away. Where clips travel, float32 could not tell the two apart: there the way of each
    window's centroid is a row of numbers of its own.
    """
    ground, height, here, mean = (features[name] for name in ("ground", "height", "here", "mean"))
    x, z = np.hsplit(ground, 2)
    ways = features["way"], features["way"]
    if near:
        x, z, height = (np.column_stack(both) for both in zip((x, z, height), here.T, strict=True))
        ways = -mean, mean
    frames = (np.stack([x, z, third], axis=2).reshape(len(x), -1) for third in (x + z, x - z))
    window = np.pad(features["window"], ((0, _SPARE), (0, 0)))
    windows = (np.hstack([window, way]) for way in ways)
    names = ("row_ground", "column_ground", "row_windows", "column_windows", "tall")
    return dict(zip(names, (*frames, *windows, height), strict=True))


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


def _but_the_mean(taps: Floats) -> Floats:
    """Orthonormal columns (T, T - 1) that span every way of a centroid but none that is not nothing on average."""
    if taps.size == 1:
        return np.zeros((1, 1))
    mirror = np.sqrt(taps)
    mirror[0] += 1.0
    turned: Floats = np.eye(taps.size) - np.outer(mirror, mirror) / mirror[0]
    return turned[:, 1:]
