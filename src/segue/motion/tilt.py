"""Detection of floors that slope, or rise during the take, and levelling of the motion to height 0.

Every rest of a foot part has a position, a time and a height. The floor slopes if a plane over the positions explains
the heights, and drifts if the times do: resting feet rise in a capture that drifts, but not on a slope. Both are
reported only if clear: the heights of nearly all rests must differ by more than their accuracy, and the fit must
explain most of the difference. Otherwise the floor is level.
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

_LEAST = np.radians(1.5)  # smaller slopes are within the accuracy of feet
_SLOWEST = 0.003  # metres a second: the same for drift
_RISE = 0.08  # least difference of the heights of rests, in leg lengths
_SURELY_LEVEL = 0.04  # leg lengths: nine tenths of the heights lie within this on a level floor
_ON = 0.8  # least share of the rests that lie on the floor
_LEFT = 0.35  # largest share of the differences that may remain after the fit
_FEWEST = 8  # least number of rests
_WIDE = 0.6  # leg lengths over which rests must extend in a direction for the slope in it to be determined
_SAME = 0.4  # largest relative difference between the vertical speed of resting feet and the drift
_PIECE = 0.5  # seconds: longer rests are split


@dataclass(frozen=True)
class Tilt:
    """Position and motion of a floor.

    Parameters
    ----------
    floor
        Height, slope and direction of ascent; at the first frame, if it drifts.
    drift
        Vertical speed in metres a second; negative if the floor sinks.
    """

    floor: Floor
    drift: float = 0.0


@lru_cache(maxsize=128)
def find_tilt(clip: Clip) -> Tilt | None:
    """Estimate slope or drift of a motion's floor from its feet; level and still unless clearly otherwise.

    None if no foot ever rests.

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
    # On a straight path at an even pace both explain the heights: the vertical motion of resting feet decides.
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
    """Rotate and shift a motion so that its floor is level, still and at height 0.

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
    """Unit vectors (2, K) on the ground along which positions (N, 2) extend far: K is 2, 1 or 0."""
    _, axes = np.linalg.eigh(np.cov(places.T) if len(places) > 1 else np.zeros((2, 2)))
    far = [column for column in (1, 0) if np.ptp(places @ axes[:, column]) >= _WIDE * leg]
    out: Floats = axes[:, far]
    return out


def _explains(coordinates: Floats, heights: Floats, fit: PlaneFit, leg: float) -> bool:
    """Return whether heights (N,) differ clearly and the fit over coordinates (N, K) explains most of that."""
    on = fit.weights > 0
    if on.sum() < _FEWEST or on.mean() < _ON:
        return False
    rise = coordinates[on] @ fit.slopes
    left, before = float(np.std(fit.off[on])), float(np.std(fit.off[on] + rise))
    return bool(min(np.ptp(rise), np.ptp(heights[on])) >= _RISE * leg and left <= _LEFT * before)


def _rate(found: Rests, fit: PlaneFit) -> float:
    """Vertical speed of resting feet in metres a second: the median over rests, weighted by duration."""
    on = fit.weights > 0
    order = np.argsort(found.rates[on])
    share = np.cumsum(found.seconds[on][order])
    return float(found.rates[on][order][np.searchsorted(share, share[-1] / 2)])


def _height(heights: Floats, fit: PlaneFit) -> float:
    """Median of the heights (N,) without outliers."""
    return float(np.median(heights[fit.weights > 0]))


def on_level_floor(clip: Clip) -> tuple[Clip, str]:
    """Level a motion so that the floor under its feet is still and at height 0; return it with a sentence about it.

    Without legs, or if no foot ever rests, it is returned unchanged.

    Examples
    --------
    >>> import segue
    >>> walk = segue.sample("walk")
    >>> on_level_floor(walk.with_motion(root_positions=walk.root_positions + [0.0, 0.5, 0.0]))[1]
    'the floor lay at 50.0 cm; the motion was shifted to 0'
    """
    if not is_human(clip.skeleton):
        return clip, "has no legs to find the floor from; unchanged"
    found = find_tilt(clip)
    if found is None:
        return clip, "no foot ever rests, so the floor cannot be found; unchanged"
    height = f"lay at {100 * found.floor.height:.1f} cm"
    if found.drift:
        verb = "rose" if found.drift > 0 else "sank"
        text = f"the floor {height} and {verb} by {100 * abs(found.drift):.2f} cm a second; the motion was shifted to 0"
    elif found.floor.slope:
        slope, towards = np.degrees([found.floor.slope, found.floor.towards])
        text = f"the floor {height} and sloped by {slope:.1f} degrees towards {towards:.0f}; the motion was levelled"
    else:
        text = f"the floor {height}; the motion was shifted to 0"
    return made_level(clip, found), text
