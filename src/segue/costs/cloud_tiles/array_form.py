"""Point-cloud costs as expressions over arrays: the formulas of `fixed` and `changing`, once for any library.

Also prepares frames of clips with changing weights for the closed form of `segue.costs.cloud_tiles.changing`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from segue.arrays import Costs, Floats, Positions
from segue.costs import clouds
from segue.costs.engine.array_api import Arrays, Formula, windowed
from segue.costs.engine.tiles import Side
from segue.costs.weightings import PartWeights

_LEAST, _TINY = 1e-12, 1e-30
"""Smallest weight and lever length, so that padding does not divide by zero."""


def fixed(tiles: Any) -> Formula:
    """Costs of constant weights, from `segue.costs.cloud_tiles.fixed.FixedTiles`."""
    taps = tuple(float(weight) for weight in tiles.taps)
    reach = len(taps) - 1
    sides = []
    for ground, height, windows in (tiles.rows, tiles.columns):
        x, z = ground[:, 0::3], ground[:, 1::3]
        px, pz, rise = np.hsplit(windows[:, 2:], 3)
        made = {
            "ground": (x, z),
            "turned": (z, -x),
            "path": (px, pz),
            "turned_path": (pz, -px),
            "height": (height,),
        }
        made |= {"rise": (rise,), "window": (windows[:, :2],)}
        sides.append({name: np.hstack(parts) for name, parts in made.items()})
    rows, columns = sides

    def costs(xp: Any, a: Arrays, b: Arrays) -> Any:
        def sums(one: str, other: str, path: str, other_path: str) -> Any:
            frames = windowed(a[one] @ b[other].T, taps, reach)
            return frames + _cut(a[path], reach) @ _cut(b[other_path], reach).T

        same = sums("ground", "ground", "path", "path")
        cross = sums("ground", "turned", "path", "turned_path")
        along = sums("height", "height", "rise", "rise") + xp.sqrt(same * same + cross * cross)
        here, there = _cut(a["window"], reach), _cut(b["window"], reach)
        lift = here[:, 1:] - there[:, 1:].T
        return xp.clip(here[:, :1] + there[:, :1].T + lift * lift - 2.0 * along, 0.0, None)

    return Formula(costs, rows, columns, reach, each=8)


def _cut(array: Any, reach: int) -> Any:
    """Drop the last ``reach`` rows, which only windows need."""
    return array[: array.shape[0] - reach, ...]


def changing(a: Side, b: Side, *, how: Weighing, dtype: str) -> Formula:
    """Costs with changing weights, of two sides of `segue.costs.cloud_tiles.changing`, also without a kernel.

    Every frame is relative to its own weighted centre, and sums of pairs of frames are moved to the clips'
    origins, in float64 if clips travel.
    """
    taps = tuple(float(weight) for weight in a.clips[0].features["taps"])
    reach = len(taps) - 1
    summed = dtype if how.stays else "float64"
    one = _frames(a, how, weighs=True, kinds=(dtype, summed))
    other = _frames(b, how, weighs=how.both, kinds=(dtype, summed))
    rows = {
        "same": np.hstack([one["weighed"], one["ground"]]),
        "height": np.hstack([one["weighed_height"], one["level"], one["squares"], one["friction"]]),
        **{name: one[name] for name in ("places", "friction", "at", "rises")},
    }
    turned, held = (_quarter(other[name]) for name in ("ground", "supported"))
    columns = {
        "same": np.hstack([other["ground"], other["supported"]]),
        "cross": np.hstack([turned, held]),
        "height": np.hstack(
            [-2.0 * other["level"], -2.0 * other["supported_height"], other["friction"], other["squares"]]
        ),
        **{name: other[name] for name in ("places", "friction", "at", "rises")},
    }
    constant = a.clips[0].features["constant"]
    shares = tuple(float(weight) for weight in constant)

    def costs(xp: Any, a: Arrays, b: Arrays) -> Any:
        frames = _frame_sums(a, b)
        if how.lifting:
            frames = (*frames[:6], frames[6] + how.lifting * _rises(xp, a, b, shares), frames[7])
        windows = tuple(windowed(part, taps, reach) for part in frames)
        if how.align == "window":
            return _best_aligned(xp, windows)
        middle = reach // 2
        centre = tuple(
            part[middle : part.shape[0] - reach + middle, middle : part.shape[1] - reach + middle]
            for part in frames
        )
        return _aligned_by(xp, centre, windows)

    return Formula(costs, rows, columns, reach, each=48)


def _quarter(ground: Costs) -> Costs:
    """Turn ground positions x, z to -z, x."""
    half = ground.shape[1] // 2
    return np.hstack([-ground[:, half:], ground[:, :half]])


def _frames(side: Side, how: Weighing, *, weighs: bool, kinds: tuple[str, str]) -> dict[str, Costs]:
    """Arrays of a side's frames for the sums over pairs: positions and squares, weighted by their own weights."""
    made: dict[str, Costs] = {}
    for start, clip in zip(side.starts, side.clips, strict=True):
        frames = weighed(clip.features, weighs=weighs, level=how.level, apart=True)
        for name, part in _parts(frames).items():
            kind = kinds[1] if name == "at" else kinds[0]
            whole = made.setdefault(name, np.zeros((side.size, part.shape[1]), dtype=kind))
            kept = part[: side.size - start]
            whole[start : start + len(kept)] = kept
    return made


def _parts(frames: WeighedFrames) -> dict[str, Floats]:
    """Arrays (F, K) of one clip's frames."""
    count, alone = len(frames.places), frames.alone

    def flat(weights: Floats | None, axes: slice) -> Floats:
        places = (
            frames.places[:, axes] if weights is None else weights[:, None, :, None] * frames.places[:, axes]
        )
        out: Floats = places.reshape(count, -1)
        return out

    ground, up = slice(0, 2), slice(2, 3)
    at = np.column_stack([alone[:, 0], frames.middle, alone[:, 3], frames.friction.sum(axis=1)])
    return {
        "ground": flat(None, ground),
        "weighed": flat(frames.full, ground),
        "supported": flat(frames.friction, ground),
        "level": flat(None, up),
        "weighed_height": flat(frames.full, up),
        "supported_height": flat(frames.friction, up),
        "squares": frames.sizes,
        "friction": frames.friction,
        "places": frames.places[:, :2, :, 0].reshape(count, -1),
        "rises": frames.places[:, 2, :, 0],
        "at": at,
    }


def _frame_sums(a: Arrays, b: Arrays) -> tuple[Any, ...]:
    """Sums of pairs of frames about the clips' origins: X and Z along x and z, P real and imaginary, S, W."""
    parts = a["friction"].shape[1]
    fa, fb = a["friction"], b["friction"]
    rx, rz = (a["places"][:, k * parts : (k + 1) * parts] @ fb.T for k in (0, 1))
    tx, tz = (fa @ b["places"][:, k * parts : (k + 1) * parts].T for k in (0, 1))
    wa, ox, oz, squares_a = (a["at"][:, k : k + 1] for k in range(4))
    dx, dz, squares_b, wb = (b["at"][:, k : k + 1].T for k in (1, 2, 3, 4))
    weight = wa + wb
    here_x, here_z = rx + weight * ox, rz + weight * oz
    there_x, there_z = tx + weight * dx, tz + weight * dz
    same = a["same"] @ b["same"].T + (here_x * dx + here_z * dz) + (ox * tx + oz * tz)
    cross = a["same"] @ b["cross"].T + (here_z * dx - here_x * dz) + (oz * tx - ox * tz)
    mine = ox * (rx + here_x) + oz * (rz + here_z)
    theirs = dx * (tx + there_x) + dz * (tz + there_z)
    apart = (a["height"] @ b["height"].T + squares_a + squares_b) + (mine + theirs)
    return here_x, here_z, there_x, there_z, same, cross, apart, weight


def _rises(xp: Any, a: Arrays, b: Arrays, shares: tuple[float, ...]) -> Any:
    """Weighted sums, for every pair of frames, of squared rises of the parts' centres minus squared falls."""
    out: Any = 0.0
    for part, share in enumerate(shares):
        one, other = (side["rises"][:, part : part + 1] for side in (a, b))
        here, there = (side["friction"][:, part : part + 1] for side in (a, b))
        rise = other.T - one
        out = out + (share + here + there.T) * rise * xp.abs(rise)
    return out


def _levers(xp: Any, sums: tuple[Any, ...]) -> tuple[Any, Any, Any]:
    """P - X conj(Z) / W, real and imaginary, and W, at least `_LEAST`."""
    x, z, u, v, same, cross, _, weight = sums
    weight = xp.clip(weight, _LEAST, None)
    return same - (x * u + z * v) / weight, cross - (z * u - x * v) / weight, weight


def _best_aligned(xp: Any, sums: tuple[Any, ...]) -> Any:
    """Costs of optimally aligned windows: S - (|X|^2 + |Z|^2) / W - 2 |P - X conj(Z) / W|."""
    x, z, u, v, _, _, apart, _ = sums
    along, across, weight = _levers(xp, sums)
    least = apart - (x * x + z * z + u * u + v * v) / weight
    return xp.clip(least - 2.0 * xp.sqrt(along * along + across * across), 0.0, None)


def _aligned_by(xp: Any, centre: tuple[Any, ...], sums: tuple[Any, ...]) -> Any:
    """Costs of windows aligned by their centre frames: S + W |T|^2 - 2 Re(P conj(r) + conj(T) (X - r Z)).

    The turn r is that of the centre's lever, 1 if the lever is zero; the shift is ``T = (X - r Z) / W`` there.
    """
    along, across, weight = _levers(xp, centre)
    length = xp.sqrt(along * along + across * across)
    still = xp.clip(_TINY - length, 0.0, None)
    c, s = (along + still) / (length + still), across / (length + still)
    shift_x = (centre[0] - (c * centre[2] - s * centre[3])) / weight
    shift_z = (centre[1] - (c * centre[3] + s * centre[2])) / weight
    x, z, u, v, same, cross, apart, total = sums
    rest_x, rest_z = x - (c * u - s * v), z - (c * v + s * u)
    mixed = same * c + cross * s + shift_x * rest_x + shift_z * rest_z
    return xp.clip(apart + total * (shift_x * shift_x + shift_z * shift_z) - 2.0 * mixed, 0.0, None)


STAYS = 1.6
"""Largest distance in metres of the reference body's parts from the centre of a clip that stays in place."""


@dataclass(frozen=True)
class Weighing:
    """Settings for comparing two sides.

    Parameters
    ----------
    stays
        Whether all clips stay in place.
    level
        Reference level of heights in metres.
    both
        Whether the contacts of the frame arrived in count too.
    align
        ``"window"`` or ``"centre"``: what is aligned optimally.
    lifting
        Additional weight of a rise of a part compared with a fall.
    """

    stays: bool
    level: float
    both: bool = True
    align: str = "window"
    lifting: float = 0.0


def features(places: Positions, weights: PartWeights, *, half_window: int) -> Mapping[str, Any]:
    """Arrays of one clip in float64: moments (F, S, K) on the ground and vertically, and the weight of each part.

    Positions are relative to the centre of the clip, which changes no cost: the origin is free.
    """
    friction = weights.friction
    middle = places[:, :, 0].mean(axis=(0, 1)) * np.array([1.0, 0.0, 1.0])
    near = places.copy()
    near[:, :, 0] -= middle
    return {
        "places": near,
        "constant": weights.constant,
        "friction": np.zeros(places.shape[:2]) if friction is None else friction,
        "taps": clouds.window_weights(half_window),
        "reach": float(np.abs(near[:, :, 0, [0, 2]]).max()),
        "level": float(np.median(near[:, :, 0, 1])),
    }


@dataclass(frozen=True, eq=False)
class WeighedFrames:
    """Frames of one clip as factors: relative to the clip's centre, or each to its own weighted centre.

    Parameters
    ----------
    places
        (F, 3, S, K) moments along x, z and up.
    full, friction
        (F, S) own weights of the parts, and their supporting weights.
    middle
        (F, 2) reference point of each frame, along x and z.
    """

    places: Floats
    full: Floats
    friction: Floats
    middle: Floats

    @cached_property
    def sizes(self) -> Floats:
        """Squares (F, S) of each part's moments."""
        out: Floats = np.einsum("fcsk,fcsk->fs", self.places, self.places)
        return out

    @cached_property
    def alone(self) -> Floats:
        """Own sums of each frame (F, 4): weights, weighted positions along x and z, weighted squares."""
        middles = np.einsum("fs,fcs->fc", self.full, self.places[:, :2, :, 0])
        return np.column_stack([self.full.sum(axis=1), middles, np.sum(self.full * self.sizes, axis=1)])


def stays(clip: Mapping[str, Any]) -> bool:
    """Whether a clip stays in place."""
    return bool(clip["reach"] < STAYS)


def weighed(clip: Mapping[str, Any], *, weighs: bool, level: float, apart: bool) -> WeighedFrames:
    """Frames of one clip.

    Parameters
    ----------
    clip
        Result of `features`.
    weighs
        Whether its ground contacts count.
    level
        Reference level of heights in metres.
    apart
        Whether each frame is relative to its own weighted centre.
    """
    friction = clip["friction"] if weighs else np.zeros_like(clip["friction"])
    full = clip["constant"] + friction
    places = clip["places"].transpose(0, 3, 1, 2)[:, [0, 2, 1]].copy()
    middle = np.zeros((len(places), 2))
    if apart:
        middle = np.sum(full[:, None] * places[:, :2, :, 0], axis=2) / full.sum(axis=1)[:, None]
        places[:, :2, :, 0] -= middle[:, :, None]
    places[:, 2, :, 0] -= level
    return WeighedFrames(places, full, friction, middle)
