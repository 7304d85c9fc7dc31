"""Tiles of point-cloud costs whose weights change with the ground contacts, straight from the closed form.

With complex ground places h of a part's moments, middles b, and weights ``w_n(s, t) = m_n + f_n(s) + f'_n(t)`` of
frames s = i + o and t = j + o, taper v::

    W = sum_o v_o sum_n w_n        X = sum_o v_o sum_n w_n b_n(s)        Z = sum_o v_o sum_n w_n b'_n(t)
    P = sum_o v_o sum_n w_n sum_k h_nk(s) conj(h'_nk(t))
    S = sum_o v_o sum_n w_n sum_k (|h_nk(s)|^2 + |h'_nk(t)|^2 + (y_nk(s) - y'_nk(t))^2)
    C = S - (|X|^2 + |Z|^2) / W - 2 |P - X conj(Z) / W|

Weights that are sums of a part of s and a part of t make every sum over a pair of frames a matrix product; windows are
sums down its diagonals.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from segue.arrays import Costs, Floats, Positions
from segue.costs import clouds
from segue.costs.weightings import PartWeights

_ROWS, _COLUMNS = 96, 256


class Sums(NamedTuple):
    """The sums of the closed form, of frame pairs or of windows: W and S real, X, Z and P complex."""

    total: npt.NDArray[Any]
    here: npt.NDArray[Any]
    there: npt.NDArray[Any]
    product: npt.NDArray[Any]
    apart: npt.NDArray[Any]


def features(places: Positions, weights: PartWeights, *, half_window: int) -> Mapping[str, Any]:
    """Arrays of one clip in float64: moments (F, S, K) on the ground and upwards, and what each part weighs.

    Places are taken from the middle of the clip, which changes no cost: the origin is free.
    """
    friction = weights.friction
    middle = places[:, :, 0].mean(axis=(0, 1)) * np.array([1.0, 0.0, 1.0])
    near = places.copy()
    near[:, :, 0] -= middle
    return {
        "ground": near[..., 0] + 1j * near[..., 2],
        "height": near[..., 1],
        "constant": weights.constant,
        "friction": np.zeros(places.shape[:2]) if friction is None else friction,
        "taps": clouds.window_weights(half_window),
        "reach": float(np.abs(near[:, :, 0, [0, 2]]).max()),
        "level": float(np.median(near[:, :, 0, 1])),
    }


def matrix(
    fa: Mapping[str, Any], fb: Mapping[str, Any], *, align: str, both: bool, lifting: float, out: Costs
) -> Costs:
    """Fill ``out`` (n, m): costs of every window of one clip against every window of another.

    ``both``: the frame arrived in weighs too. ``lifting``: how much more a rise of a part counts than a fall.
    """
    reach = fa["taps"].size - 1
    if not both:
        fb = {**fb, "friction": np.zeros_like(fb["friction"])}
    for top in range(0, out.shape[0], _ROWS):
        rows = slice(top, min(top + _ROWS, out.shape[0]))
        here = _frames(fa, slice(rows.start, rows.stop + reach))
        for left in range(0, out.shape[1], _COLUMNS):
            columns = slice(left, min(left + _COLUMNS, out.shape[1]))
            there = _frames(fb, slice(columns.start, columns.stop + reach))
            out[rows, columns] = _block(here, there, align=align, lifting=lifting)
    return out


def _frames(features: Mapping[str, Any], frames: slice) -> Mapping[str, Any]:
    by_frame = {name: features[name][frames] for name in ("ground", "height", "friction")}
    return {**features, **by_frame}


def _block(a: Mapping[str, Any], b: Mapping[str, Any], *, align: str, lifting: float) -> Floats:
    """Costs of one block in float64."""
    taps = a["taps"]
    frames = frame_sums(a, b)
    if lifting:
        frames = frames._replace(apart=frames.apart + lifting * _rises(a, b))
    windows = Sums(*(_slid(part, taps) for part in frames))
    if align == "window":
        lever = windows.product - windows.here * windows.there.conj() / windows.total
        size = np.abs(windows.here) ** 2 + np.abs(windows.there) ** 2
        best: Floats = np.maximum(windows.apart - size / windows.total - 2.0 * np.abs(lever), 0.0)
        return best
    middle = taps.size // 2
    ends = tuple(size - (taps.size - 1 - middle) for size in frames.apart.shape)
    centre = Sums(*(part[middle : ends[0], middle : ends[1]] for part in frames))
    lever = centre.product - centre.here * centre.there.conj() / centre.total
    length = np.abs(lever)
    turn = np.where(length > 0, lever / np.where(length > 0, length, 1.0), 1.0)
    shift = (centre.here - turn * centre.there) / centre.total
    mixed = windows.product * turn.conj() + shift.conj() * (windows.here - turn * windows.there)
    out: Floats = np.maximum(windows.apart + windows.total * np.abs(shift) ** 2 - 2.0 * mixed.real, 0.0)
    return out


def frame_sums(a: Mapping[str, Any], b: Mapping[str, Any]) -> Sums:
    """Return the sums of the closed form for every pair of frames of two stretches."""
    ga, gb, ha, hb = a["ground"], b["ground"], a["height"], b["height"]
    fa, fb = a["friction"], b["friction"]
    wa, wb = a["constant"] + fa, b["constant"] + fb
    middle_a, middle_b = ga[:, :, 0], gb[:, :, 0]
    size_a, size_b = (np.sum(np.abs(g) ** 2 + h**2, axis=2) for g, h in ((ga, ha), (gb, hb)))

    def both(x: npt.NDArray[Any], y: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Weighted products of moments: the parts of s and of t side by side."""
        here = np.concatenate([_flat(wa[..., None] * x), _flat(x)], axis=1)
        there = np.concatenate([_flat(y), _flat(fb[..., None] * y)], axis=1)
        out: npt.NDArray[Any] = here @ there.T
        return out

    apart = _outer(np.sum(wa * size_a, axis=1), np.sum(wb * size_b, axis=1))
    apart += size_a @ fb.T + fa @ size_b.T - 2.0 * both(ha, hb)
    return Sums(
        _outer(wa.sum(axis=1), fb.sum(axis=1)),
        np.sum(wa * middle_a, axis=1)[:, None] + middle_a @ fb.T,
        np.sum(wb * middle_b, axis=1) + fa @ middle_b.T,
        both(ga, gb.conj()),
        apart,
    )


def _rises(a: Mapping[str, Any], b: Mapping[str, Any]) -> Floats:
    """Weighted sums of every frame pair of the squared rises of parts' middles less the squared falls."""
    out = np.zeros((a["height"].shape[0], b["height"].shape[0]))
    for part in range(a["constant"].size):
        rise = b["height"][:, part, 0] - a["height"][:, part, 0][:, None]
        weight = a["constant"][part] + _outer(a["friction"][:, part], b["friction"][:, part])
        out += weight * rise * np.abs(rise)
    return out


def _outer(column: Floats, row: Floats) -> Floats:
    return column[:, None] + row


def _flat(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return values.reshape(values.shape[0], -1)


def _slid(frames: npt.NDArray[Any], taps: Floats) -> npt.NDArray[Any]:
    """Windowed weighted sums down the diagonals."""
    rows, columns = (size - taps.size + 1 for size in frames.shape)
    out: npt.NDArray[Any] = taps[0] * frames[:rows, :columns]
    for o in range(1, taps.size):
        out += taps[o] * frames[o : o + rows, o : o + columns]
    return out
