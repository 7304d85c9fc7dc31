"""Stance: when feet bear the body, at any sliding speed.

`segue.motion.contacts` treats a foot as planted while it is low and slow over the ground. If a root moves farther or
less far than its legs walk, no foot is slow and the clip seems to have no contacts. Feet in stance are then recognised
by their motion relative to the body and to each other: low, alternating, and at one common velocity
(`segue.motion.support.passing`). With that velocity removed from the root's path, contacts are found as in any clip.

Clips whose feet rest keep their contacts, and so do clips in place, whose feet slide by design.
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

_ENOUGH = 0.6  # share of frames with a foot down from which the contacts are kept
_SLIPS = 0.08  # least slip as a share of the body's speed over its feet: at most 0.07 in captures that travel
_TRAVELS = 0.8  # least speed of the body over its feet, in leg lengths a second
_FAST = 0.15  # least sliding speed in leg lengths a second: slower feet are found as contacts
_UPRIGHT = 0.9  # least share of frames in which the body is upright
_RATE = 30.0  # frames a second at which slip is measured
_EACH = 0.1  # least share of frames in which each foot bears the body
_MORE = 0.1  # least share of frames that must gain a contact


@dataclass(frozen=True)
class StanceSlip:
    """Speed of the ground under feet in stance, which is zero in a sound clip.

    Parameters
    ----------
    speed
        Mean metres a second at which feet in stance slide.
    share
        The same along the body's path over its feet, as a share of its speed: 0.25 if a root moves 1.25 times as far as
        its legs walk, -0.25 if it moves 0.75 times as far.
    pace
        Speed of the body over its feet in metres a second.
    """

    speed: float
    share: float
    pace: float


@lru_cache(maxsize=128)
def slip(clip: Clip) -> StanceSlip:
    """Measure how much the path of a root differs from the path that its legs walk.

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
    """Find when heels and toes bear the body: the contacts, found after removing any sliding in stance.

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
    """Replace the root path of a clip whose feet slide in stance by the path its legs walk; other clips are unchanged.

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
    # Sliding feet count as in stance only if contacts are few and slip is large (decision 125).
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
    """Replace the root path of a clip whose feet slide in stance, in place or not, by the path its legs walk.

    Other clips are returned unchanged. Heights do not change, so the result shows which parts rest on the floor.

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
