"""Whether the floor of a motion slopes, or rises in the course of the take; and the motion laid level and at 0.

Every rest of a part of a foot has a place, a time and a height. The floor slopes where a plane through the places
explains the heights, and rises where the times do: a capture that drifts carries resting feet up with it, a slope does
not. Only what is shown clearly is called one: heights that differ by more than feet are known to, in nearly all rests,
most of which goes away. What is left is a level floor.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from segue.arrays import Floats
from segue.motion.body import is_human
from segue.motion.clip import Clip
from segue.motion.feet import leg_length
from segue.motion.floors import Floor, PlaneFit, Rests, fitted, levelled, rests

_LEAST = np.radians(1.5)  # slopes below this are how feet are guessed
_SLOWEST = 0.003  # metres a second: the same for what rises
_RISE = 0.08  # leg lengths by which the heights of rests differ at least
_SURELY_LEVEL = 0.04  # leg lengths: nine tenths of the heights lie within this on a level floor
_ON = 0.8  # share of the rests that lie on the floor
_LEFT = 0.35  # share of the differences that may be left
_FEWEST = 8  # rests
_WIDE = 0.6  # leg lengths over which rests lie in a direction, for a slope in it to be known
_SAME = 0.4  # share by which resting feet rise at another rate than the floor
_PIECE = 0.5  # seconds: feet that rest for longer are looked at again


@dataclass(frozen=True)
class Tilt:
    """How a floor lies and moves.

    Parameters
    ----------
    floor
        Height, slope and where it rises to; at the first frame, where it moves.
    drift
        Metres a second by which it rises, negative where it sinks.
    """

    floor: Floor
    drift: float = 0.0


@lru_cache(maxsize=128)
def find_tilt(clip: Clip) -> Tilt | None:
    """Find how the floor of a motion lies, as far as its feet show it: level and still unless they clearly do not.

    None where no foot ever rests.

    Raises
    ------
    SkeletonError
        If the legs are unknown.

    Examples
    --------
    >>> import numpy as np, segue
    >>> walk = segue.sample("walk")
    >>> rising = walk.root_positions + np.arange(walk.n_frames)[:, None] / walk.fps * [0.0, 0.04, 0.0]
    >>> found = find_tilt(walk.with_motion(root_positions=rising))
    >>> found is not None and (round(found.drift, 3), found.floor.slope)
    (0.04, 0.0)
    """
    found = rests(clip, longest=_PIECE)
    if not len(found.points):
        return None
    leg = leg_length(clip.skeleton)
    heights = found.points[:, 1]
    low, high = np.percentile(heights, [5, 95])
    if high - low < _SURELY_LEVEL * leg:
        return Tilt(Floor(float(np.median(heights))))
    wide = _wide(found.points[:, [0, 2]], leg)
    ground = found.points[:, [0, 2]] @ wide
    seconds = found.times[:, None]
    by_place = fitted(ground, heights, found.parts, leg=leg)
    by_time = fitted(seconds, heights, found.parts, leg=leg)
    rise, drift = float(np.linalg.norm(by_place.slopes)), float(by_time.slopes[0])
    slopes = np.arctan(rise) >= _LEAST and _explains(ground, heights, by_place, leg)
    drifts = abs(drift) >= _SLOWEST and _explains(seconds, heights, by_time, leg)
    # On a straight way at an even pace both explain the heights: what a foot does while it rests decides.
    if drifts and abs(_rate(found, by_time) - drift) < _SAME * abs(drift):
        return Tilt(Floor(_height(heights - seconds @ by_time.slopes, by_time)), drift)
    if slopes:
        towards = float(np.arctan2(*(wide @ by_place.slopes)))
        return Tilt(
            Floor(_height(heights - ground @ by_place.slopes, by_place), float(np.arctan(rise)), towards)
        )
    level = fitted(np.zeros((len(heights), 0)), heights, found.parts, leg=leg)
    return Tilt(Floor(_height(heights, level)))


def made_level(clip: Clip, tilt: Tilt) -> Clip:
    """Turn and shift a motion so that the floor it stands on is level, still and at height 0.

    Examples
    --------
    >>> import segue
    >>> walk = segue.sample("walk")
    >>> high = walk.with_motion(root_positions=walk.root_positions + [0.0, 0.5, 0.0])
    >>> bool(made_level(high, Tilt(Floor(height=0.5))).root_positions[0, 1] == walk.root_positions[0, 1])
    True
    """
    if tilt.drift:
        seconds = np.arange(clip.n_frames) / clip.fps
        down = seconds[:, None] * [0.0, tilt.drift, 0.0]
        clip = clip.with_motion(root_positions=clip.root_positions - down)
    return levelled(clip, tilt.floor)


def _wide(places: Floats, leg: float) -> Floats:
    """Unit vectors (2, K) on the ground along which places (N, 2) lie far apart: both, the longer one or none."""
    _, axes = np.linalg.eigh(np.cov(places.T) if len(places) > 1 else np.zeros((2, 2)))
    far = [column for column in (1, 0) if np.ptp(places @ axes[:, column]) >= _WIDE * leg]
    out: Floats = axes[:, far]
    return out


def _explains(coordinates: Floats, heights: Floats, fit: PlaneFit, leg: float) -> bool:
    """Tell whether heights (N,) differ clearly, and most of that goes away with the coordinates (N, K)."""
    on = fit.weights > 0
    if on.sum() < _FEWEST or on.mean() < _ON:
        return False
    rise = coordinates[on] @ fit.slopes
    left, before = float(np.std(fit.off[on])), float(np.std(fit.off[on] + rise))
    return bool(min(np.ptp(rise), np.ptp(heights[on])) >= _RISE * leg and left <= _LEFT * before)


def _rate(found: Rests, fit: PlaneFit) -> float:
    """Metres a second by which resting feet rise: the median of the rests, by how long they last."""
    on = fit.weights > 0
    order = np.argsort(found.rates[on])
    share = np.cumsum(found.seconds[on][order])
    return float(found.rates[on][order][np.searchsorted(share, share[-1] / 2)])


def _height(heights: Floats, fit: PlaneFit) -> float:
    """Median of the heights (N,) that count."""
    return float(np.median(heights[fit.weights > 0]))


def on_level_floor(clip: Clip) -> tuple[Clip, str]:
    """Turn and shift a motion so that the floor under its feet is level, still and at 0; and a sentence about it.

    Without legs, or where no foot ever rests, it stays as it is.

    Examples
    --------
    >>> import segue
    >>> walk = segue.sample("walk")
    >>> on_level_floor(walk.with_motion(root_positions=walk.root_positions + [0.0, 0.5, 0.0]))[1]
    'the floor lay at 50.0 cm; the motion was shifted to 0'
    """
    if not is_human(clip.skeleton):
        return clip, "has no legs that tell where the floor is; it stays as it is"
    found = find_tilt(clip)
    if found is None:
        return clip, "no foot ever rests, so no floor is to be found; it stays as it is"
    height = f"lay at {100 * found.floor.height:.1f} cm"
    if found.drift:
        verb = "rose" if found.drift > 0 else "sank"
        text = f"the floor {height} and {verb} by {100 * abs(found.drift):.2f} cm a second; the motion was shifted to 0"
    elif found.floor.slope:
        slope, towards = np.degrees([found.floor.slope, found.floor.towards])
        text = f"the floor {height} and sloped by {slope:.1f} degrees towards {towards:.0f}; the motion was laid level"
    else:
        text = f"the floor {height}; the motion was shifted to 0"
    return made_level(clip, found), text
