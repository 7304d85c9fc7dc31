"""Sloping or raised floors: a plane, levelling a motion by it, and estimating the plane from a motion."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from segue.arrays import Floats, Ints, Positions, Quaternions
from segue.errors import SettingError
from segue.maths.quaternions import multiply, rotate, rotation_between
from segue.motion.clip import Clip
from segue.motion.contacts import part_speeds
from segue.motion.feet import foot_points, foot_positions, leg_length
from segue.motion.flags import runs
from segue.motion.kinematics import world
from segue.motion.stance import over_still_ground
from segue.motion.support import is_in_place
from segue.motion.usable import sound_frames

_STEEPEST = 60.0
_SLOW = 0.25  # leg lengths a second below which a part of a foot may be resting
_SHORTEST = 0.05  # seconds of the shortest rest
_TRUST = 0.1
"""Weight of a level floor, relative to a rest 1 m away: rests are known to 1 cm, and floors slope up to one in ten."""
_SOLES = 0.2  # weight of the estimated sole thickness: heel against toe to 5 cm
_OUTLIER = 0.012  # leg lengths off the plane up to which a rest has full weight
_FAR = 8.0  # times that: not a rest on this floor
_UP = np.array([0.0, 1.0, 0.0])


@dataclass(frozen=True)
class Floor:
    """A plane to stand on.

    Parameters
    ----------
    height
        Metres above the ground origin.
    slope
        Radians of slope, at most 60 degrees.
    towards
        Heading in radians of the steepest ascent; 0 is +Z.

    Examples
    --------
    >>> import numpy as np
    >>> ramp = Floor(slope=np.radians(45.0), towards=0.0)
    >>> ramp.heights(np.array([[0.0, 0.0, 2.0]])).round(6).tolist()
    [2.0]
    """

    height: float = 0.0
    slope: float = 0.0
    towards: float = 0.0

    def __post_init__(self) -> None:
        if not (np.isfinite([self.height, self.slope, self.towards]).all()):
            text = f"{self.height}, {self.slope}, {self.towards}"
            msg = f"a floor needs numbers for height, slope and heading; got {text}"
            raise SettingError(msg)
        if not abs(self.slope) <= np.radians(_STEEPEST):
            msg = f"a floor cannot slope {np.degrees(self.slope):.0f} degrees; {_STEEPEST:g} at most"
            raise SettingError(msg)

    @property
    def normal(self) -> Positions:
        """Upward unit normal (3,) of the plane."""
        s = np.sin(self.slope)
        return np.array([-s * np.sin(self.towards), np.cos(self.slope), -s * np.cos(self.towards)])

    @property
    def turn(self) -> Quaternions:
        """Smallest rotation (4,) that levels the plane."""
        return rotation_between(self.normal, _UP)

    def heights(self, places: Positions) -> Floats:
        """Heights (...) of the plane below positions (..., 3)."""
        rise = np.tan(self.slope)
        out: Floats = self.height + rise * (
            np.sin(self.towards) * places[..., 0] + np.cos(self.towards) * places[..., 2]
        )
        return out


def levelled(clip: Clip, floor: Floor) -> Clip:
    """Rotate a motion about the floor's point above or below the origin so that the floor is level at height 0.

    Examples
    --------
    >>> import segue
    >>> walk = segue.sample("walk")
    >>> bool((levelled(walk, Floor(height=0.2)).root_positions[:, 1] < walk.root_positions[:, 1]).all())
    True
    """
    rotations = np.array(clip.rotations)
    rotations[:, 0] = multiply(floor.turn, rotations[:, 0])
    return clip.with_motion(rotations, rotate(floor.turn, clip.root_positions - [0.0, floor.height, 0.0]))


def find_floor(clip: Clip) -> Floor:
    """Estimate the plane on which a motion's feet rest.

    Every rest of a heel or toe is a point; the plane is fitted to them by least squares, without outliers. Directions
    not determined by the points, such as the slope across a straight path of two feet, are taken to be level.

    Parameters
    ----------
    clip
        Any motion with the leg roles.

    Returns
    -------
    `Floor`. Its height is that of the soles, whose thickness is estimated from the body.

    Raises
    ------
    SettingError
        If no foot ever rests.

    Examples
    --------
    >>> import segue
    >>> found = find_floor(segue.sample("walk"))
    >>> abs(found.slope) < 0.01, abs(found.height) < 0.01
    (True, True)
    """
    found = rests(clip)
    if not len(found.points):
        msg = f"clip {clip.name!r}: no foot ever rests, so the floor cannot be found; set its height"
        raise SettingError(msg)
    ground, heights = found.points[:, [0, 2]], found.points[:, 1]
    fit = fitted(ground, heights, found.parts, leg=leg_length(clip.skeleton))
    rise = float(np.hypot(*fit.slopes))
    on = fit.weights > 0
    height = float(np.median(heights[on] - ground[on] @ fit.slopes))
    towards = float(np.arctan2(fit.slopes[0], fit.slopes[1])) if rise > 0 else 0.0
    return Floor(height, float(np.arctan(rise)), towards)


@dataclass(frozen=True, eq=False)
class Rests:
    """All stretches in which a foot part rests.

    Parameters
    ----------
    points
        (N, 3) metres, median positions of the soles: the estimated height of the part above the sole is subtracted.
    parts
        (N,) index of the foot part in `segue.motion.feet.FOOT_PARTS`.
    times
        (N,) seconds, the middle of the stretch.
    rates
        (N,) vertical speed in metres a second of the part while it rests.
    seconds
        (N,) duration of the rest.
    """

    points: Positions
    parts: Ints
    times: Floats
    rates: Floats
    seconds: Floats


def rests(clip: Clip, *, longest: float = np.inf) -> Rests:
    """Find the rests of foot parts in the sound frames of a clip; rests over ``longest`` seconds are split.

    Feet that slide in stance, in place or along the ground, count as resting.

    Examples
    --------
    >>> import segue
    >>> bool((abs(rests(segue.sample("walk")).points[:, 1]) < 0.02).all())
    True
    """
    leg = leg_length(clip.skeleton)
    places = foot_positions(clip.skeleton, world(clip))
    still = over_still_ground(clip)
    going = places if still is clip else foot_positions(clip.skeleton, world(still))
    slow = (part_speeds(going / leg, clip.fps) <= _SLOW) & sound_frames(clip)[:, None]
    # In place all feet rest around the body; positions along the path that the legs walk are spread out.
    places = (going if is_in_place(clip) else places) - foot_points(clip.skeleton).rest_heights[:, None] * _UP
    found, parts, times = [], [], []
    for part in range(4):
        for start, stop in _pieces(runs(slow[:, part]), longest * clip.fps):
            if stop - start >= _SHORTEST * clip.fps:
                inner = (stop - start) // 4  # excludes landing and lift-off
                inside = places[start + inner : stop - inner, part, 1]
                rate = float(np.polyfit(np.arange(len(inside)), inside, 1)[0]) if len(inside) > 1 else 0.0
                found.append(np.median(places[start:stop, part], axis=0))
                parts.append(part)
                times.append(((start + stop - 1) / 2 / clip.fps, rate * clip.fps, (stop - start) / clip.fps))
    given = np.array(times).reshape(-1, 3).T
    return Rests(np.array(found).reshape(-1, 3), np.array(parts, dtype=np.int64), *given)


def _pieces(spans: list[tuple[int, int]], longest: float) -> list[tuple[int, int]]:
    """Split half-open frame ranges longer than ``longest`` frames into equal pieces."""
    out = []
    for start, stop in spans:
        count = max(1, int(np.ceil((stop - start) / longest)))
        out += list(pairwise(np.linspace(start, stop, count + 1).round().astype(int).tolist()))
    return out


@dataclass(frozen=True, eq=False)
class PlaneFit:
    """Plane fit by `fitted`: ``slopes`` (K,) along the coordinates and a height ``own`` (4,) of each foot part.

    ``off`` (N,) are the residuals of the heights, ``weights`` (N,) their weights, 0 for outliers.
    """

    slopes: Floats
    own: Floats
    off: Floats
    weights: Floats


def fitted(coordinates: Floats, heights: Floats, parts: Ints, *, leg: float) -> PlaneFit:
    """Fit heights (N,) of rests over coordinates (N, K), positions or times, by least squares without outliers."""
    weights = np.ones(len(heights))
    slopes, own, off = np.zeros(coordinates.shape[1]), np.zeros(4), np.zeros(len(heights))
    for _ in range(30):
        slopes, own = _plane(coordinates, heights, parts, weights)
        off = heights - coordinates @ slopes - own[parts]
        # Feet in the air are slow at times too: weights decrease with the residual, to zero for far points.
        far = np.maximum(np.abs(off - np.median(off)) / (_OUTLIER * leg), 1e-3)
        weights = np.where(far < max(_FAR, 2.0 * far.min()), 1.0 / np.maximum(far, 1.0), 0.0)
    return PlaneFit(slopes, own, off, weights)


def _plane(coordinates: Floats, heights: Floats, parts: Ints, weights: Floats) -> tuple[Floats, Floats]:
    """Slopes (K,) along coordinates (N, K) and a height (4,) of each foot part, by least squares in centimetres.

    Rests are accurate to a centimetre, and so are both feet relative to each other; slopes are regularised to zero.
    """
    n, k = coordinates.shape
    middle = np.average(coordinates, axis=0, weights=weights)
    rows, wanted = np.zeros((n + k + 3, k + 4)), np.zeros(n + k + 3)
    rows[np.arange(n), k + parts] = weights
    rows[:n, :k] = weights[:, None] * (coordinates - middle)
    wanted[:n] = weights * heights
    rows[n : n + k, :k] = _TRUST * np.eye(k)  # directions without data are level (decision 85)
    rows[n + k, [k, k + 2]] = rows[n + k + 1, [k + 1, k + 3]] = 1.0, -1.0
    rows[n + k + 2, [k, k + 1]] = _SOLES, -_SOLES
    found: Floats = np.linalg.lstsq(rows, wanted, rcond=None)[0].astype(np.float64)
    return found[:k], found[k:] - float(found[:k] @ middle)
