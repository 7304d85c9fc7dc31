"""Sloping or raised floors: a plane, a motion levelled by it, and the plane found in a motion."""

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
            text = f"{self.height}, {self.slope}, {self.towards}"
            msg = f"a floor needs numbers for height, slope and heading; got {text}"
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
        """Shortest turn (4,) that levels the plane."""
        return rotation_between(self.normal, _UP)

    def heights(self, places: Positions) -> Floats:
        """Heights (...) of the plane below places (..., 3)."""
        rise = np.tan(self.slope)
        out: Floats = self.height + rise * (
            np.sin(self.towards) * places[..., 0] + np.cos(self.towards) * places[..., 2]
        )
        return out


def levelled(clip: Clip, floor: Floor) -> Clip:
    """Turn a whole motion about the floor's point on the vertical through the origin, so that the floor is level at 0.

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
    found = rests(clip)
    if not len(found.points):
        msg = f"clip {clip.name!r}: no foot ever rests, so no floor is to be found; give one"
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
    """Every stretch in which a part of a foot is slow.

    Parameters
    ----------
    points
        (N, 3) metres, median places of the soles: the thickness of the foot taken off, as far as the body tells it.
    parts
        (N,) which part, in the order of `segue.motion.feet.FOOT_PARTS`.
    times
        (N,) seconds, the middle of the stretch.
    rates
        (N,) metres a second by which the part rises while it rests.
    seconds
        (N,) how long it rests.
    """

    points: Positions
    parts: Ints
    times: Floats
    rates: Floats
    seconds: Floats


def rests(clip: Clip, *, longest: float = np.inf) -> Rests:
    """Find where the feet of a clip rest, of the frames that hold motion; rests over ``longest`` seconds in pieces.

    Feet that slide in stance rest as well, in place or along the ground.

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
    # In place every foot rests where the body is, heels before it and toes behind: where it walks places tell more.
    places = (going if is_in_place(clip) else places) - foot_points(clip.skeleton).rest_heights[:, None] * _UP
    found, parts, times = [], [], []
    for part in range(4):
        for start, stop in _pieces(runs(slow[:, part]), longest * clip.fps):
            if stop - start >= _SHORTEST * clip.fps:
                inner = (stop - start) // 4  # feet come down before, and leave after
                inside = places[start + inner : stop - inner, part, 1]
                rate = float(np.polyfit(np.arange(len(inside)), inside, 1)[0]) if len(inside) > 1 else 0.0
                found.append(np.median(places[start:stop, part], axis=0))
                parts.append(part)
                times.append(((start + stop - 1) / 2 / clip.fps, rate * clip.fps, (stop - start) / clip.fps))
    given = np.array(times).reshape(-1, 3).T
    return Rests(np.array(found).reshape(-1, 3), np.array(parts, dtype=np.int64), *given)


def _pieces(spans: list[tuple[int, int]], longest: float) -> list[tuple[int, int]]:
    """Half-open frame ranges, those longer than some frames cut into equal pieces."""
    out = []
    for start, stop in spans:
        count = max(1, int(np.ceil((stop - start) / longest)))
        out += list(pairwise(np.linspace(start, stop, count + 1).round().astype(int).tolist()))
    return out


@dataclass(frozen=True, eq=False)
class PlaneFit:
    """Heights over coordinates, by `fitted`: ``slopes`` (K,), a height ``own`` (4,) of each part of the feet.

    ``off`` (N,) is what each height lies off, ``weights`` (N,) how much it counts, 0 if not at all.
    """

    slopes: Floats
    own: Floats
    off: Floats
    weights: Floats


def fitted(coordinates: Floats, heights: Floats, parts: Ints, *, leg: float) -> PlaneFit:
    """Heights (N,) of rests over coordinates (N, K) of their places or times, by least squares, points off left out."""
    weights = np.ones(len(heights))
    slopes, own, off = np.zeros(coordinates.shape[1]), np.zeros(4), np.zeros(len(heights))
    for _ in range(30):
        slopes, own = _plane(coordinates, heights, parts, weights)
        off = heights - coordinates @ slopes - own[parts]
        # Feet in the air are slow at times too: what lies above counts less and less, what lies far off not at all.
        far = np.maximum(np.abs(off - np.median(off)) / (_OUTLIER * leg), 1e-3)
        weights = np.where(far < max(_FAR, 2.0 * far.min()), 1.0 / np.maximum(far, 1.0), 0.0)
    return PlaneFit(slopes, own, off, weights)


def _plane(coordinates: Floats, heights: Floats, parts: Ints, weights: Floats) -> tuple[Floats, Floats]:
    """Slopes (K,) along coordinates (N, K) and a height (4,) of each part of the feet, by least squares in centimetres.

    A rest is good to a centimetre, and so is one foot against the other; slopes are small unless the rests say
    otherwise.
    """
    n, k = coordinates.shape
    middle = np.average(coordinates, axis=0, weights=weights)
    rows, wanted = np.zeros((n + k + 3, k + 4)), np.zeros(n + k + 3)
    rows[np.arange(n), k + parts] = weights
    rows[:n, :k] = weights[:, None] * (coordinates - middle)
    wanted[:n] = weights * heights
    rows[n : n + k, :k] = _TRUST * np.eye(k)  # what feet do not tell is level (decision 85)
    rows[n + k, [k, k + 2]] = rows[n + k + 1, [k + 1, k + 3]] = 1.0, -1.0
    rows[n + k + 2, [k, k + 1]] = _SOLES, -_SOLES
    found: Floats = np.linalg.lstsq(rows, wanted, rcond=None)[0].astype(np.float64)
    return found[:k], found[k:] - float(found[:k] @ middle)
