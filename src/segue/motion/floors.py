"""Floors that slope or lie at another height: a plane, a motion laid level by it, and the plane a motion shows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from segue.arrays import Floats, Positions, Quaternions
from segue.errors import SettingError
from segue.maths.quaternions import between, multiply, rotate
from segue.motion.clip import Clip
from segue.motion.contacts import part_speeds, runs
from segue.motion.feet import foot_points, foot_positions, leg_length
from segue.motion.kinematics import world

_STEEPEST = 60.0
_SLOW = 0.25  # leg lengths a second below which a part of a foot may be resting
_SHORTEST = 0.05  # seconds that it rests at least
_TRUST = 0.1
"""A rest is known to a centimetre, and floors slope one in ten: what a level floor weighs against a rest 1 m away."""
_SOLES = 0.2  # how much the guessed thickness of soles weighs: heel against toe to 5 cm
_OUTLIER = 0.012  # leg lengths off the plane up to which a rest counts in full
_FAR = 8.0  # times that: no rest on this floor
_UP = np.array([0.0, 1.0, 0.0])


@dataclass(frozen=True)
class Floor:
    """A plane to stand on.

    Parameters
    ----------
    height
        Metres above the ground origin.
    slope
        Radians by which it rises, at most 60 degrees.
    towards
        Heading towards which it rises most, radians; 0 is +Z.

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
            told = f"{self.height}, {self.slope}, {self.towards}"
            msg = f"a floor needs numbers for height, slope and heading; got {told}"
            raise SettingError(msg)
        if not abs(self.slope) <= np.radians(_STEEPEST):
            msg = f"a floor cannot slope {np.degrees(self.slope):.0f} degrees; {_STEEPEST:g} at most"
            raise SettingError(msg)

    @property
    def normal(self) -> Positions:
        """Unit vector (3,) square to the plane, upwards."""
        s = np.sin(self.slope)
        return np.array([-s * np.sin(self.towards), np.cos(self.slope), -s * np.cos(self.towards)])

    @property
    def turn(self) -> Quaternions:
        """Shortest turn (4,) that lays the plane level."""
        return between(self.normal, _UP)

    def heights(self, places: Positions) -> Floats:
        """Heights (...) of the plane below places (..., 3)."""
        rise = np.tan(self.slope)
        out: Floats = self.height + rise * (
            np.sin(self.towards) * places[..., 0] + np.cos(self.towards) * places[..., 2]
        )
        return out


def levelled(clip: Clip, floor: Floor) -> Clip:
    """Turn a whole motion about where the floor meets the vertical through the origin, so that the floor is level at 0.

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
    """Find the plane on which a motion's feet rest.

    Every rest of a heel or toe is a point; the plane goes through them by least squares, points off it left out. What
    the points do not tell, such as the slope across a straight path of two feet, is taken to be level.

    Parameters
    ----------
    clip
        Any motion with the leg roles.

    Returns
    -------
    `Floor`. Its height is that of the soles, as far as the body tells how thick they are.

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
    points, parts = _rests(clip)
    if not len(points):
        msg = f"clip {clip.name!r}: no foot ever rests, so no floor is to be found; give one"
        raise SettingError(msg)
    leg = leg_length(clip.skeleton)
    points = points - foot_points(clip.skeleton).rest_heights[parts, None] * _UP
    weights = np.ones(len(points))
    for _ in range(30):
        slopes, own = _plane(points, parts, weights)
        off = points[:, 1] - points[:, [0, 2]] @ slopes - own[parts]
        # Feet in the air are slow at times too: what lies above counts less and less, what lies far off not at all.
        far = np.maximum(np.abs(off - np.median(off)) / (_OUTLIER * leg), 1e-3)
        # Of two rests far apart neither is near the median; the nearer ones are then taken.
        weights = np.where(far < max(_FAR, 1.01 * float(far.min())), 1.0 / np.maximum(far, 1.0), 0.0)
    rise = float(np.hypot(*slopes))
    on = weights > 0
    height = float(np.median(points[on, 1] - points[on][:, [0, 2]] @ slopes))
    return Floor(height, float(np.arctan(rise)), float(np.arctan2(slopes[0], slopes[1])) if rise > 0 else 0.0)


def _rests(clip: Clip) -> tuple[Positions, np.ndarray]:
    """Median places (N, 3) of every stretch in which a part of a foot is slow, and which part (N,)."""
    leg = leg_length(clip.skeleton)
    places = foot_positions(clip.skeleton, world(clip))
    slow = part_speeds(places / leg, clip.fps) <= _SLOW
    found, parts = [], []
    for part in range(4):
        for start, stop in runs(slow[:, part]):
            if stop - start >= _SHORTEST * clip.fps:
                found.append(np.median(places[start:stop, part], axis=0))
                parts.append(part)
    return np.array(found).reshape(-1, 3), np.array(parts, dtype=np.int64)


def _plane(points: Positions, parts: np.ndarray, weights: Floats) -> tuple[Floats, Floats]:
    """Slopes (2,) along x and z and a height (4,) of each part of the feet, by least squares in centimetres.

    A rest is good to a centimetre, and so is one foot against the other; slopes are small unless the rests say
    otherwise.
    """
    n = len(points)
    ground = points[:, [0, 2]]
    middle = np.average(ground, axis=0, weights=weights)
    rows, wanted = np.zeros((n + 5, 6)), np.zeros(n + 5)
    rows[np.arange(n), 2 + parts] = weights
    rows[:n, :2] = weights[:, None] * (ground - middle)
    wanted[:n] = weights * points[:, 1]
    rows[n, 0] = rows[n + 1, 1] = _TRUST
    rows[n + 2, [2, 4]] = rows[n + 3, [3, 5]] = 1.0, -1.0
    rows[n + 4, [2, 3]] = _SOLES, -_SOLES
    found: Floats = np.linalg.lstsq(rows, wanted, rcond=None)[0].astype(np.float64)
    return found[:2], found[2:] - float(found[:2] @ middle)
