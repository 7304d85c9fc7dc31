"""Features of half-second windows of a motion that separate made from captured motion.

All features are computed from the positions of joints, so that noise on these affects all of them. No contact detector
is used: a plain rule decides where a foot is low (`segue.measures.low_feet`). Three kinds of features:

- speed in three bands: velocities of each joint in the world and relative to the root (the body's motion without its
  path), and of scalars: the root's height, speed along the ground and heading, the bend of each knee. Gaussian
  filters split each velocity into parts below 2 Hz, from 2 to 6 Hz, and above; the bands add up to it. The root mean
  square in the middle sixth of a second, in the rest of the window, and the ratio of both, as logarithms;
- speed, acceleration and jerk of each joint: mean of the window, largest in the middle, and its ratio to the largest in
  the rest, as logarithms;
- ankles and toe joints while they are low: how long, how far and how fast they slide, their spread, tremor and height;
  and the least and the most of some of these among all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from segue.arrays import Bools, Floats, Ints, Positions
from segue.errors import SettingError
from segue.measures.low_feet import low_frames, rest_heights
from segue.motion.roles import require, roles
from segue.motion.skeleton import Skeleton

RATE = 60.0
"""Approximate frames a second of windows: of faster motions every second, third ... frame is used."""
HALF_SECONDS = 0.25
"""Seconds to either side of the middle of a window."""
MIDDLE_SECONDS = 1.0 / 12.0
"""Seconds to either side of the middle frame that are the window's middle; the others are the rest."""
CUTOFFS = (2.0, 6.0)
"""Hertz at which the filters halve the energy."""
BANDS = ("below 2 Hz", "2 to 6 Hz", "above 6 Hz")
GROUPS = ("feet", "knees", "root", "upper body")
"""Parts of the body that features belong to."""
_LEAST = 1e-4  # metres a second and the like: lower bound of speeds
_LEAST_STEP = 1e-6  # metres
_REACH = 3.0  # standard deviations at which a filter ends


_EITHER = (
    "slide a frame",
    "least slide below 6 Hz",
    "slide below 6 Hz",
    "spread",
    "drift",
    "tremor above 6 Hz",
)


class Feature(NamedTuple):
    """Meaning of one feature of a window: joint, band or kind, its value, and part of the body."""

    joint: str
    band: str
    value: str
    group: str


class Signals(NamedTuple):
    """Velocities (F-1, P, 3) of all points, (joint, word, group) of each, and joints (F, J, 3) at the same rate."""

    velocity: Floats
    points: tuple[tuple[str, str, str], ...]
    positions: Positions
    fps: float


def stride_of(fps: float) -> int:
    """Return the stride in frames at which a motion is sampled.

    Examples
    --------
    >>> stride_of(120.0), stride_of(60.0), stride_of(30.0)
    (2, 1, 1)
    """
    return max(1, round(fps / RATE))


def reach_frames(fps: float) -> int:
    """Return the frames of a motion to either side of the middle of a window that its features depend on.

    Examples
    --------
    >>> reach_frames(60.0) / 60.0 < 0.5
    True
    """
    stride = stride_of(fps)
    return stride * (round(HALF_SECONDS * fps / stride) + len(_weights(CUTOFFS[0], fps / stride)) // 2 + 2)


def groups_of(skeleton: Skeleton) -> tuple[str, ...]:
    """Return each joint's part of the body, of `GROUPS`: feet from the ankle, root with hips, the rest upper body.

    Raises
    ------
    SkeletonError
        If the legs are unknown.

    Examples
    --------
    >>> import segue
    >>> body = segue.sample("walk").skeleton
    >>> groups_of(body)[segue.roles(body)["left_toe"]]
    'feet'
    """
    needed = [f"{side}_{part}" for side in ("left", "right") for part in ("hip", "knee", "ankle")]
    found = require(skeleton, *needed)
    starts: dict[str, set[int]] = {"root": set(), "knees": set(), "feet": set()}
    for side in ("left", "right"):
        joint = found[f"{side}_hip"]
        while joint >= 0:
            starts["root"].add(joint)
            joint = int(skeleton.parents[joint])
        starts["knees"].add(found[f"{side}_knee"])
        starts["feet"].add(found[f"{side}_ankle"])
    out: list[str] = []
    for joint in range(skeleton.n_joints):
        own = next((group for group, members in starts.items() if joint in members), "")
        above = out[int(skeleton.parents[joint])] if joint else ""
        out.append(own or (above if above in {"feet", "knees"} else "upper body"))
    return tuple(out)


def window_features(
    skeleton: Skeleton, positions: Positions, fps: float, *, middles: Sequence[int] | Ints
) -> tuple[Floats, tuple[Feature, ...]]:
    """Return features (N, M) of half-second windows, and the meaning of each of the M.

    Parameters
    ----------
    skeleton
        The body, with known legs.
    positions
        (F, J, 3) world positions in metres of every joint.
    fps
        Frames a second.
    middles
        (N,) frames in the middle of the windows, `reach_frames` or more from both ends. A feature is NaN where a foot
        is not low within a window.

    Raises
    ------
    SettingError
        If a window is too near an end.
    SkeletonError
        If the legs are unknown.

    Examples
    --------
    >>> import segue
    >>> walk = segue.sample("walk")
    >>> numbers, what = window_features(walk.skeleton, segue.world_positions(walk), walk.fps, middles=[60, 90])
    >>> numbers.shape == (2, len(what)), what[0].joint, what[0].band, what[0].value
    (True, 'Hips', 'below 2 Hz', 'in the middle')
    """
    frames = np.asarray(middles, dtype=np.int64)
    reach = reach_frames(fps)
    if frames.size and not (reach <= frames.min() and frames.max() < len(positions) - reach):
        msg = f"windows need {reach} frames to either side; frames {frames.min()} to {frames.max()} of {len(positions)}"
        raise SettingError(msg)
    found = _signals(skeleton, positions, fps)
    rows = frames // stride_of(fps)
    parts = [
        _band_numbers(found, rows),
        _derivative_numbers(found, skeleton, rows),
        _foot_numbers(found, skeleton, rows),
    ]
    return np.concatenate([numbers for numbers, _ in parts], axis=1), tuple(
        f for _, what in parts for f in what
    )


def banded(velocity: Floats, fps: float) -> Floats:
    """Return velocities (3, F, ...) in each of `BANDS`, which add up to the given (F, ...); end values are repeated.

    Examples
    --------
    >>> import numpy as np
    >>> wave = np.sin(2 * np.pi * 12.0 * np.arange(120) / 60.0)
    >>> bands = banded(wave, 60.0)
    >>> bool(np.allclose(bands.sum(axis=0), wave)), int(np.argmax(np.std(bands, axis=1)))
    (True, 2)
    """
    from scipy.ndimage import convolve1d

    slow, quick = (convolve1d(velocity, _weights(cutoff, fps), axis=0, mode="nearest") for cutoff in CUTOFFS)
    return np.stack([slow, quick - slow, velocity - quick])


def _weights(cutoff: float, fps: float) -> Floats:
    """Weights of a Gaussian filter that halves the energy at a frequency."""
    sigma = np.sqrt(np.log(2.0)) / (2.0 * np.pi * cutoff) * fps
    half = int(np.ceil(_REACH * sigma))
    weights = np.exp(-0.5 * (np.arange(-half, half + 1) / sigma) ** 2)
    out: Floats = weights / weights.sum()
    return out


def _signals(skeleton: Skeleton, positions: Positions, fps: float) -> Signals:
    """Velocities of all points of a motion with joints (F, J, 3) at ``fps``."""
    stride = stride_of(fps)
    places, rate = positions[::stride], fps / stride
    groups, names, found = groups_of(skeleton), skeleton.names, roles(skeleton)
    moving = [j for j in range(skeleton.n_joints) if j == 0 or np.linalg.norm(skeleton.offsets[j]) > 1e-6]
    velocity = np.diff(places, axis=0) * rate
    points = [(names[j], "", groups[j]) for j in moving]
    points += [(names[j], "beside the root", groups[j]) for j in moving[1:]]
    hips = places[:, found["left_hip"]] - places[:, found["right_hip"]]
    along = np.linalg.norm(velocity[:, 0, [0, 2]], axis=1)
    # Speed along the ground enters by its change in a tenth of a second, to be of a similar magnitude.
    single = [velocity[:, 0, 1], np.diff(np.unwrap(np.arctan2(hips[:, 0], hips[:, 2]))) * rate]
    single.append(0.1 * rate * np.diff(along, prepend=along[:1]))
    points += [(names[0], word, "root") for word in ("height", "heading", "speed along the ground")]
    for side in ("left", "right"):
        hip, knee, ankle = (found[f"{side}_{part}"] for part in ("hip", "knee", "ankle"))
        single.append(
            np.diff(_angle(places[:, hip] - places[:, knee], places[:, ankle] - places[:, knee])) * rate
        )
        points.append((names[knee], "bend", "knees"))
    numbers = np.zeros((len(velocity), len(single), 3))
    numbers[..., 0] = np.column_stack(single)
    beside = velocity[:, moving[1:]] - velocity[:, :1]
    return Signals(
        np.concatenate([velocity[:, moving], beside, numbers], axis=1), tuple(points), places, rate
    )


def _angle(one: Positions, other: Positions) -> Floats:
    """Angles (F,) in radians between vectors (F, 3)."""
    lengths = np.linalg.norm(one, axis=-1) * np.linalg.norm(other, axis=-1)
    out: Floats = np.arccos(np.clip(np.sum(one * other, axis=-1) / np.maximum(lengths, 1e-12), -1.0, 1.0))
    return out


def _steps(found: Signals, rows: Ints, order: int = 1) -> tuple[Ints, Bools]:
    """Rows (N, W) of differences of an order within windows around rows (N,), and flags (W,) of those in the middle."""
    half = round(HALF_SECONDS * found.fps)
    offsets = np.arange(-half, half + 1 - order)
    return rows[:, None] + offsets, np.abs(offsets + order / 2) <= MIDDLE_SECONDS * found.fps


def _band_numbers(found: Signals, rows: Ints) -> tuple[Floats, list[Feature]]:
    """Speed of each point in each band."""
    at, middle = _steps(found, rows)
    parts, what = [], []
    for band, values in zip(BANDS, banded(found.velocity, found.fps), strict=True):
        energy = np.sum(values**2, axis=-1)[at]
        inside, outside = (
            0.5 * np.log10(energy[:, each].mean(axis=1) + _LEAST**2) for each in (middle, ~middle)
        )
        for word, numbers in (
            ("in the middle", inside),
            ("in the rest", outside),
            ("middle over rest", inside - outside),
        ):
            parts.append(numbers)
            what += [Feature(joint, band, f"{of} {word}".strip(), group) for joint, of, group in found.points]
    return np.concatenate(parts, axis=1), what


def _derivative_numbers(found: Signals, skeleton: Skeleton, rows: Ints) -> tuple[Floats, list[Feature]]:
    """Speed, acceleration and jerk of each joint."""
    named = list(zip(skeleton.names, groups_of(skeleton), strict=True))
    parts, what = [], []
    for order, word in ((1, "speed"), (2, "acceleration"), (3, "jerk")):
        at, middle = _steps(found, rows, order)
        values = np.linalg.norm(np.diff(found.positions, order, axis=0), axis=-1)[at] * found.fps**order
        inside, outside = (np.log10(values[:, each].max(axis=1) + _LEAST) for each in (middle, ~middle))
        parts += [np.log10(values.mean(axis=1) + _LEAST), inside, inside - outside]
        for value in ("mean", "largest in the middle", "largest, middle over rest"):
            what += [Feature(joint, word, value, group) for joint, group in named]
    return np.concatenate(parts, axis=1), what


def _foot_numbers(found: Signals, skeleton: Skeleton, rows: Ints) -> tuple[Floats, list[Feature]]:
    """Ankles and toe joints while they are low."""
    known = roles(skeleton)
    wanted = [f"{side}_{part}" for side in ("left", "right") for part in ("ankle", "toe")]
    joints = [known[role] for role in wanted if role in known]
    places, (at, _) = found.positions[:, joints], _steps(found, rows)
    flags = low_frames(places, found.fps)
    low = (flags[1:] & flags[:-1])[at]
    height = (places[..., 1] - rest_heights(places))[1:][at]
    ground = np.diff(places[..., [0, 2]], axis=0)
    step = np.linalg.norm(ground, axis=-1)[at]
    bands = np.linalg.norm(banded(np.diff(places, axis=0) * found.fps, found.fps), axis=-1)[:, at]
    slow = np.linalg.norm(banded(ground * found.fps, found.fps)[:2].sum(axis=0), axis=-1)[at]
    spread, drift = _line(low, places[1:][..., [0, 2]][at])
    count = low.sum(axis=1)
    some = np.where(count > 0, count, np.nan)

    def mean(values: Floats) -> Floats:
        return np.asarray(np.where(low, values, 0.0).sum(axis=1) / some)

    def least(values: Floats) -> Floats:
        return np.asarray(np.where(count > 0, np.where(low, values, np.inf).min(axis=1), np.nan))

    def most(values: Floats) -> Floats:
        return -least(-values)

    numbers = {
        "share of frames": low.mean(axis=1),
        "slide": mean(step) * count,
        "slide a frame": np.log10(mean(step) + _LEAST_STEP),
        "least slide a frame": np.log10(least(step) + _LEAST_STEP),
        "largest slide a frame": np.log10(most(step) + _LEAST_STEP),
        "speed below 2 Hz": np.log10(mean(bands[0]) + _LEAST),
        "least speed below 2 Hz": np.log10(least(bands[0]) + _LEAST),
        "speed 2 to 6 Hz": np.log10(mean(bands[1]) + _LEAST),
        "tremor above 6 Hz": 0.5 * np.log10(mean(bands[2] ** 2) + _LEAST**2),
        "slide below 6 Hz": np.log10(mean(slow) + _LEAST),
        "least slide below 6 Hz": np.log10(least(slow) + _LEAST),
        "largest slide below 6 Hz": np.log10(most(slow) + _LEAST),
        "spread": np.log10(spread + _LEAST),
        "drift": np.log10(drift + _LEAST),
        "height": mean(height),
        "rise": most(height) - least(height),
    }
    what = [Feature(skeleton.names[joint], "low", value, "feet") for value in numbers for joint in joints]
    lowest = height.min(axis=1)
    what += [Feature(skeleton.names[joint], "height", "lowest", "feet") for joint in joints]
    either = [part for value in _EITHER for part in _least_and_most(numbers[value])]
    what += [
        Feature("feet", "low", f"{word} {value}", "feet") for value in _EITHER for word in ("least", "most")
    ]
    return np.concatenate([*numbers.values(), lowest, np.column_stack(either)], axis=1), what


def _least_and_most(values: Floats) -> tuple[Floats, Floats]:
    """Least and largest (N,) of values (N, P) without the NaNs; NaN where all are."""
    none = np.isnan(values).all(axis=1)
    ends = (np.where(np.isnan(values), -sign * np.inf, values) * sign for sign in (-1.0, 1.0))
    least, most = (each.max(axis=1) for each in ends)
    return np.where(none, np.nan, -least), np.where(none, np.nan, most)


def _line(low: Bools, at: Floats) -> tuple[Floats, Floats]:
    """Spread about the mean in metres, and drift of a fitted line in metres a frame, (N, P) of low frames.

    ``low`` (N, W, P) are flags, ``at`` (N, W, P, 2) places on the ground. NaN where fewer than two frames are low.
    """
    count = low.sum(axis=1)
    some = np.where(count > 1, count, np.nan)
    chosen = low[..., None]
    apart = np.where(chosen, at - (np.where(chosen, at, 0.0).sum(axis=1) / some[..., None])[:, None], 0.0)
    spread = np.sqrt(np.sum(apart**2, axis=(1, 3)) / some)
    time = np.where(low, np.arange(low.shape[1])[:, None], 0.0)
    time = np.where(low, time - (time.sum(axis=1) / some)[:, None], 0.0)
    drift = np.linalg.norm(np.sum(time[..., None] * apart, axis=1), axis=-1) / np.sum(time**2, axis=1).clip(
        1e-9
    )
    return spread, np.where(count > 1, drift, np.nan)
