"""Contacts: when heel and toe of both feet are on the ground, found from the motion alone.

A foot part is on the ground while it is low and slow, with hysteresis: it must be very low and slow once, and stays in
contact while it is fairly low and slow. Limits are in leg lengths, so that they fit any body and unit. Each plant is
then trimmed to the frames in which the part is at its resting place. This gives landing and take-off to a frame or two
in clean data, and does not affect captures that drift.

Frames in which the root or a leg holds no motion (`segue.motion.usable`) are ignored: they have no contacts and do not
contribute to the floor. The same holds for feet above the hips.

`touching` finds all parts of a body that touch the ground, including hands, knees and the back. A part other than a
foot touches while the lowest point of its capsule is low and the surface there is slow, with hysteresis. The surface
must be slow, not the bone: when a back rolls over the ground the bones move, but the skin below them does not. The
ground is at the height at which the soles rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from segue.arrays import Bools, Floats, Positions, frozen
from segue.errors import SettingError
from segue.maths.planar import PlanarMotion
from segue.maths.quaternions import conjugate, rotate
from segue.motion.body import Capsule, capsules, is_human
from segue.motion.clip import Clip
from segue.motion.facing import heading, moved
from segue.motion.feet import FOOT_PARTS, foot_points, foot_positions, leg_length
from segue.motion.flags import column_runs, hysteresis, runs, without_short
from segue.motion.kinematics import World, world
from segue.motion.roles import roles
from segue.motion.usable import sound_frames
from segue.summaries import one_line

__all__ = [
    "Contacts",
    "Plant",
    "contacts",
    "floor_heights",
    "part_speeds",
]

_SPEED_SPAN = 1 / 60  # seconds over which speed is measured: shorter spans measure capture noise
_FLOOR_SHARE = 10.0  # percentile of slow frames taken as the floor: only noise goes below it
_SAME_FLOOR = (
    0.08  # leg lengths by which the floors of both feet may differ; beyond, the higher one is in the air
)
_THICKNESS = (
    0.1  # leg lengths by which a resting part may be off a given floor: sole thickness is an estimate
)
_OVERHEAD = 0.3  # leg lengths above the hips from which a foot cannot be in contact
_SETTLED = 0.2  # seconds at either end of a plant in which its resting place is found
_STILL = 0.002  # leg lengths: a smaller movement (1.7 mm) is none
_NOISE = 4.0  # median deviations within a plant that still count as noise


class Plant(NamedTuple):
    """One unbroken contact of one foot part: frames ``start`` to ``stop``, half open."""

    foot_part: str
    start: int
    stop: int


@one_line
@dataclass(frozen=True, eq=False)
class Contacts:
    """Foot parts on the ground in each frame.

    Parameters
    ----------
    flags
        (F, 4) left heel, left toe, right heel, right toe.
    floor
        (4,) metres, the height of each part (heel point, toe joint) at rest on the ground.
    fps
        Frames a second of the clip.
    """

    flags: Bools
    floor: Floats
    fps: float

    @property
    def left_heel(self) -> Bools:
        """(F,) flags of the left heel."""
        return self.flags[:, 0]

    @property
    def left_toe(self) -> Bools:
        """(F,) flags of the left toe."""
        return self.flags[:, 1]

    @property
    def right_heel(self) -> Bools:
        """(F,) flags of the right heel."""
        return self.flags[:, 2]

    @property
    def right_toe(self) -> Bools:
        """(F,) flags of the right toe."""
        return self.flags[:, 3]

    def foot(self, side: str) -> Bools:
        """(F,) flags of heel or toe of a side, ``"left"`` or ``"right"``."""
        if side not in ("left", "right"):
            msg = f"a foot is 'left' or 'right', not {side!r}"
            raise SettingError(msg)
        first = 0 if side == "left" else 2
        out: Bools = self.flags[:, first] | self.flags[:, first + 1]
        return out

    @property
    def plants(self) -> list[Plant]:
        """All plants, in the order of foot parts, then of time."""
        return plants_in(self.flags)


def plants_in(flags: Bools) -> list[Plant]:
    """Return all plants in flags (F, 4), in the order of foot parts, then of time."""
    return [Plant(FOOT_PARTS[part], start, stop) for part, start, stop in column_runs(flags)]


@lru_cache(maxsize=128)
def contacts(
    clip: Clip,
    *,
    enter_height: float = 0.055,
    leave_height: float = 0.085,
    enter_speed: float = 0.25,
    leave_speed: float = 0.5,
    shortest: float = 0.05,
    floor: float | None = None,
    lifting: bool = False,
) -> Contacts:
    """Find heel and toe contacts of a clip, or return those set by the user.

    Parameters
    ----------
    clip
        Any motion with known hips, knees and ankles.
    enter_height, leave_height
        Leg lengths above the floor: a contact begins below the first and lasts up to the second.
    enter_speed, leave_speed
        Leg lengths a second: a contact begins below the first and lasts up to the second.
    shortest
        Seconds: shorter gaps are filled, then shorter contacts dropped.
    floor
        Metres: height of the floor, for a foot that also rests elsewhere; by default the height at which feet rest.
        The thickness of soles is estimated from the motion in both cases.
    lifting
        Whether a part that begins to lift without moving horizontally is still in contact: landing and take-off then
        depend only on its path along the ground.

    Raises
    ------
    SettingError
        If a leaving limit is below its entering limit, or a limit is negative.
    SkeletonError
        If the legs are unknown.

    Examples
    --------
    >>> import segue
    >>> found = segue.contacts(segue.sample("walk"))
    >>> found.flags.shape, found.plants[0].foot_part
    ((361, 4), 'left_heel')
    """
    if not (0 <= enter_height <= leave_height and 0 <= enter_speed <= leave_speed and shortest >= 0):
        msg = (
            "contact limits must be 0 <= enter <= leave and shortest >= 0; got "
            f"heights {enter_height:g} and {leave_height:g}, speeds {enter_speed:g} and {leave_speed:g} "
            f"leg lengths (a second), shortest {shortest:g} s"
        )
        raise SettingError(msg)
    leg = leg_length(clip.skeleton)
    places = foot_positions(clip.skeleton, world(clip)) / leg
    sound = sound_frames(clip)
    speeds = np.where(_under(clip, places[..., 1]), part_speeds(places, clip.fps), np.inf)
    speeds[~sound] = np.inf
    rest = floor_heights(places[sound, :, 1], speeds[sound], enter_speed)
    if floor is not None:
        rest = _resting_near(
            places[..., 1], speeds, enter_speed, floor / leg + foot_points(clip.skeleton).rest_heights / leg
        )
    heights = places[..., 1] - rest
    if floor is not None:  # parts that rest far below the given floor do not rest on it
        heights = np.where(heights < -_THICKNESS, np.inf, heights)
    strong = (heights <= enter_height) & (speeds <= enter_speed)
    weak = (heights <= leave_height) & (speeds <= leave_speed)
    flags, parts = np.zeros(strong.shape, dtype=bool), places[..., [0, 2]] if lifting else places
    for part in range(4):
        kept = hysteresis(strong[:, part], weak[:, part])
        kept = without_short(kept, shortest * clip.fps)
        for start, stop in runs(kept):
            first, last = _trimmed(parts[start:stop, part], strong[start:stop, part], clip.fps)
            kept[start:stop] = False
            kept[start + first : start + last] = True
        flags[:, part] = without_short(kept, shortest * clip.fps) & sound
    if clip.planted is not None:
        flags = clip.planted
    return Contacts(frozen(flags, np.bool_), frozen(rest * leg), clip.fps)


def _under(clip: Clip, heights: Floats) -> Bools:
    """Flags (F, 4) of foot parts, given their heights in leg lengths, that are not far above the hips."""
    found, leg = roles(clip.skeleton), leg_length(clip.skeleton)
    hips = world(clip).positions[:, [found["left_hip"], found["right_hip"]], 1].mean(axis=1) / leg
    return np.asarray(heights < hips[:, None] + _OVERHEAD)


def part_speeds(places: Positions, fps: float) -> Floats:
    """Speeds (F, P) of points (F, P, 3), the slower of before and after, so that the edges of a rest are slow too."""
    n_frames = places.shape[0]
    span = min(max(1, round(_SPEED_SPAN * fps)), n_frames - 1)
    if span < 1:
        return np.zeros(places.shape[:2])
    step = np.linalg.norm(places[span:] - places[:-span], axis=-1) * (fps / span)
    ahead = np.concatenate([step, np.full((span, places.shape[1]), np.inf)])
    behind = np.concatenate([np.full((span, places.shape[1]), np.inf), step])
    out: Floats = np.minimum(ahead, behind)
    return out


def floor_heights(heights: Floats, speeds: Floats, slow: float) -> Floats:
    """Resting height (4,) of each foot part: a low percentile of its heights while slow.

    The apex of a jump is slow too, but too rare and high to matter. A part that is never slow, or only well above the
    same part of the other foot, takes the floor of that part; if neither is ever slow, the tenth percentile of all its
    heights.
    """
    found = np.full(4, np.nan)
    for part in range(4):
        resting = heights[speeds[:, part] <= slow, part]
        if resting.size:
            found[part] = np.percentile(resting, _FLOOR_SHARE)
    for part in range(4):
        other = found[(part + 2) % 4]
        if np.isnan(found[part]) or found[part] > other + _SAME_FLOOR:
            found[part] = other
    missing = np.isnan(found)
    found[missing] = np.percentile(heights, _FLOOR_SHARE, axis=0)[missing]
    return found


def _resting_near(heights: Floats, speeds: Floats, slow: float, given: Floats) -> Floats:
    """Resting height (4,) of each foot part near a given floor, because the thickness of soles is only an estimate."""
    out = np.array(given)
    for part in range(4):
        near = (speeds[:, part] <= slow) & (np.abs(heights[:, part] - given[part]) < _THICKNESS)
        if near.any():
            out[part] = np.percentile(heights[near, part], _FLOOR_SHARE)
    return out


def _trimmed(places: Positions, strong: Bools, fps: float) -> tuple[int, int]:
    """First and last (half open) frame of one plant (N, 3) in which the part is at its resting place."""
    core = np.flatnonzero(strong)
    first = _settling(places[core[0] :], places, fps) if core.size else 0
    back = places[::-1]
    last = _settling(back[places.shape[0] - 1 - core[-1] :], back, fps) if core.size else 0
    return (first, places.shape[0] - last) if first + last < places.shape[0] else (0, places.shape[0])


def _settling(rest: Positions, places: Positions, fps: float) -> int:
    """Number of frames at the start of positions (N, 3) before the part reaches its first resting place."""
    length = min(rest.shape[0], max(3, round(_SETTLED * fps)))
    skipped = (rest.shape[0] - length) // 3 if rest.shape[0] < 2 * length else length // 2
    rest = rest[skipped : skipped + length]  # after the slow end of the approach
    place = np.median(rest, axis=0)
    away = np.linalg.norm(rest - place, axis=-1)
    limit = max(_STILL, _NOISE * float(np.median(away)))
    still = np.flatnonzero(np.linalg.norm(places - place, axis=-1) <= limit)
    return int(still[0]) if still.size else 0


_ENTER_HEIGHT, _LEAVE_HEIGHT = 0.055, 0.085  # leg lengths above the ground, as for feet
_ENTER_SPEED, _LEAVE_SPEED = (
    0.5,
    1.0,
)  # leg lengths a second; twice those of feet, because soft tissue deforms
_TIPS = ("pelvis", "trunk", "head", "hand")  # parts whose far end is not the joint of another part
_SHORTEST = 0.05  # seconds: shorter gaps are filled, then shorter contacts dropped


@lru_cache(maxsize=64)
def touching(clip: Clip) -> Bools:
    """Flags (F, S) of segments that touch the ground, in the order of `segue.motion.body.capsules`.

    Raises
    ------
    SkeletonError
        If hips, knees or ankles are unknown.

    Examples
    --------
    >>> import segue
    >>> from segue.motion.body import SEGMENTS
    >>> flags = touching(segue.sample("walk"))
    >>> [SEGMENTS[s] for s in flags.any(axis=0).nonzero()[0]]
    ['left_foot', 'right_foot']
    """
    body = capsules(clip.skeleton)
    out = np.zeros((clip.n_frames, len(body)), dtype=bool)
    if not is_human(clip.skeleton):
        return frozen(out, np.bool_)
    # Resting places are medians per axis: turn the clip to face ahead, so that the result does not depend on heading.
    feet = contacts(moved(clip, PlanarMotion(-float(heading(clip)[0]))))
    ground = float(np.mean(feet.floor - foot_points(clip.skeleton).rest_heights))
    leg, at = leg_length(clip.skeleton), world(clip)
    for column, capsule in enumerate(body):
        if capsule.segment.endswith("_foot"):
            out[:, column] = feet.foot(capsule.segment.removesuffix("_foot"))
        else:
            out[:, column] = _touches(capsule, at, ground=ground, leg=leg, fps=clip.fps)
    return frozen(out, np.bool_)


def _touches(capsule: Capsule, at: World, *, ground: float, leg: float, fps: float) -> Bools:
    """Flags (F,) of frames in which a capsule touches the ground at a point that belongs to it.

    A joint belongs to the part outward of it: an ankle near the ground belongs to the foot, not to the shin.
    """
    out = np.zeros(at.positions.shape[0], dtype=bool)
    # The joint at the far end belongs to the next part outward (decision 74).
    own = capsule.end if capsule.segment.endswith(_TIPS) else (capsule.start + capsule.end) / 2
    for end in (capsule.start, own):
        heights, speeds = _underside(capsule, end, at, fps)
        heights, speeds = (heights - ground) / leg, speeds / leg
        strong = (heights <= _ENTER_HEIGHT) & (speeds <= _ENTER_SPEED)
        weak = (heights <= _LEAVE_HEIGHT) & (speeds <= _LEAVE_SPEED)
        out |= without_short(hysteresis(strong, weak), _SHORTEST * fps)
    return out


def _underside(capsule: Capsule, end: Positions, at: World, fps: float) -> tuple[Floats, Floats]:
    """Height (F,) in metres and speed (F,) in m/s of the surface point below an end of a capsule."""
    places, turns = at.positions[:, capsule.joint], at.rotations[:, capsule.joint]
    down = rotate(conjugate(turns), np.array([0.0, -capsule.radius, 0.0])) + end
    lowest = places + rotate(turns, down)
    n_frames = places.shape[0]
    span = min(max(1, round(_SPEED_SPAN * fps)), n_frames - 1)
    speeds = np.full((2, n_frames), np.inf)
    if span < 1:
        return lowest[:, 1], np.zeros(n_frames)
    after = places[span:] + rotate(turns[span:], down[:-span])
    before = places[:-span] + rotate(turns[:-span], down[span:])
    speeds[0, :-span] = np.linalg.norm(after - lowest[:-span], axis=1)
    speeds[1, span:] = np.linalg.norm(lowest[span:] - before, axis=1)
    out: Floats = speeds.min(axis=0) * (fps / span)
    return lowest[:, 1], out
