"""When feet bear the body, at any sliding speed.

`segue.motion.contacts` calls a foot planted while it is low and slow over the ground. Where a root is carried farther
or less far than its legs walk, no foot is slow: the clip seems to have no contact at all. Feet in stance are then
known by what they do relative to the body and to each other: low, in turn, and all at one velocity
(`segue.motion.support.passing`). With that velocity taken out of the root's way, contacts are found as in any other
clip.

Clips whose feet rest keep the contacts they have, and so do clips in place, whose feet slide by design.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from segue.arrays import Floats
from segue.motion.body import is_human
from segue.motion.clip import Clip
from segue.motion.contacts import Contacts, contacts
from segue.motion.feet import leg_length
from segue.motion.resample import resampled
from segue.motion.support import is_in_place, passing, upright_over_feet, without_ground

_ENOUGH = 0.6  # share of the frames with a foot down from which contacts are believed
_SLIPS = (
    0.08  # share of the body's speed over its feet at which feet slide: up to 0.07 in captures that travel
)
_TRAVELS = 0.8  # leg lengths a second that the body goes over its feet at least
_FAST = 0.15  # leg lengths a second that feet slide at least: slower ones are seen as contacts
_UPRIGHT = 0.9  # share of the frames in which the body is upright
_RATE = 30.0  # frames a second that tell how far feet slide
_EACH = 0.1  # share of the frames in which each foot bears the body
_MORE = 0.1  # share of the frames that must gain a contact


@dataclass(frozen=True)
class StanceSlip:
    """Speed of the ground under feet in stance, which is zero in a sound clip.

    Parameters
    ----------
    speed
        Mean metres a second at which feet in stance slide.
    share
        The same along the way of the body over its feet, as a share of its speed: 0.25 where a root goes 1.25 times as
        far as its legs walk, -0.25 where it goes 0.75 times as far.
    pace
        Metres a second of the body over its feet.
    """

    speed: float
    share: float
    pace: float


@lru_cache(maxsize=128)
def slip(clip: Clip) -> StanceSlip:
    """Measure how far the path of a root is from the path that its legs walk.

    Raises
    ------
    SkeletonError
        If the legs are unknown.

    Examples
    --------
    >>> import segue
    >>> walk = segue.sample("walk")
    >>> round(slip(walk.with_motion(root_positions=walk.root_positions * [1, 1, 1.25])).share, 2)
    0.25
    """
    if clip.n_frames < 2:
        return StanceSlip(0.0, 0.0, 0.0)
    clip = resampled(clip, _RATE) if clip.fps >= 2 * _RATE else clip
    found = passing(clip)
    steps = clip.n_frames - 1
    ground, weights = found.velocity[:steps], found.weights[:steps].max(axis=1)
    body = np.diff(clip.root_positions[:, [0, 2]], axis=0) * clip.fps - ground
    paces = np.linalg.norm(body, axis=1)
    total = float(weights.sum())
    if total <= 0.0:
        return StanceSlip(0.0, 0.0, 0.0)
    along = np.sum(ground * body, axis=1) / np.maximum(paces, 1e-9)
    pace = float(weights @ paces)
    speeds: Floats = np.linalg.norm(ground, axis=1)
    return StanceSlip(
        float(weights @ speeds) / total, float(weights @ along) / pace if pace > 0.0 else 0.0, pace / total
    )


@lru_cache(maxsize=128)
def stance(clip: Clip) -> Contacts:
    """Find when heels and toes bear the body: contacts and, if feet slide, the contacts without sliding.

    Parameters
    ----------
    clip
        Any motion with known hips, knees and ankles.

    Raises
    ------
    SkeletonError
        If the legs are unknown.

    Examples
    --------
    >>> import segue
    >>> walk = segue.sample("walk")
    >>> slid = walk.with_motion(root_positions=walk.root_positions * [1, 1, 1.5])
    >>> bool(segue.contacts(slid).flags.any()), bool(stance(slid).flags.any(axis=1).all())
    (False, True)
    """
    free = slip_free(clip)
    return contacts(clip) if free is clip else contacts(free, lifting=True)


@lru_cache(maxsize=64)
def slip_free(clip: Clip) -> Clip:
    """Give a clip with feet that slide in stance the root path that its legs walk; return other clips unchanged.

    Examples
    --------
    >>> import segue
    >>> walk = segue.sample("walk")
    >>> slip_free(walk) is walk
    True
    """
    found = contacts(clip)
    if clip.planted is not None:
        return clip
    # Feet count as in stance at any speed only where contacts are few and slip is large (decision 125).
    if found.flags.any(axis=1).mean() >= _ENOUGH or not is_human(clip.skeleton) or is_in_place(clip):
        return clip
    leg, seen = leg_length(clip.skeleton), slip(clip)
    if abs(seen.share) < _SLIPS or seen.pace < _TRAVELS * leg or seen.speed < _FAST * leg:
        return clip
    if upright_over_feet(clip).mean() < _UPRIGHT:
        return clip
    free = without_ground(clip)
    still = contacts(free, lifting=True)
    each = [still.foot(side).mean() for side in ("left", "right")]
    gained = still.flags.any(axis=1).mean() - found.flags.any(axis=1).mean()
    return free if min(each) >= _EACH and gained >= _MORE else clip


def over_still_ground(clip: Clip) -> Clip:
    """Give a clip with feet that slide in stance, in place or not, the root path that its legs walk.

    Other clips are returned as they are. Heights are the same: what rests on the floor can be seen in it.

    Examples
    --------
    >>> import segue
    >>> walk = segue.sample("walk")
    >>> spot = walk.with_motion(root_positions=walk.root_positions * [0, 1, 0])
    >>> over_still_ground(walk) is walk, bool(segue.contacts(over_still_ground(spot)).flags.any(axis=1).mean() > 0.8)
    (True, True)
    """
    free = slip_free(clip)
    return without_ground(clip) if free is clip and is_in_place(clip) else free
