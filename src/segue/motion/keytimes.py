"""Keytimes: when each foot strikes the ground and leaves it.

`contacts` finds the frames in which a foot part lies still and may be held in place. Keytimes answer another question:
how long the foot carries the body. A toe that rolls off still does, so a contact is widened to the frames in which the
slower end of the foot is slow compared with its swing. Walking then has double support and running has flight.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from segue.arrays import Bools, Floats, Positions, frozen
from segue.motion.clip import Clip
from segue.motion.contacts import contacts
from segue.motion.feet import foot_positions, leg_length
from segue.motion.flags import column_runs, runs
from segue.motion.kinematics import world
from segue.motion.role_names import SIDES

EVENTS: tuple[str, ...] = ("left strike", "right off", "right strike", "left off")
"""Words for events, in the order of a walk."""

_SLOW = 0.2  # share of the swing speed: a slower foot still carries
_SLOWEST = 0.35  # leg lengths a second: lower bound of that limit, for feet that do not swing
_SWING = 95.0  # percentile of the toe's speed that is taken as the swing speed


@dataclass(frozen=True, eq=False)
class Keytimes:
    """Intervals in which each foot carries the body, and the events that bound them.

    Parameters
    ----------
    support
        (F, 2) whether the left and the right foot carry.
    frames
        (K,) frame of each event, ascending: the first frame with support, or the first one without.
    events
        K words of `EVENTS`.
    """

    support: Bools
    frames: Floats
    events: tuple[str, ...]


@lru_cache(maxsize=256)
def keytimes(clip: Clip) -> Keytimes:
    """Find the strikes and offs of both feet.

    Raises
    ------
    SkeletonError
        If the legs are unknown.

    Examples
    --------
    >>> import segue
    >>> keytimes(segue.sample("walk")).events[:4]
    ('right off', 'right strike', 'left off', 'left strike')
    """
    leg = leg_length(clip.skeleton)
    speeds = _speeds(foot_positions(clip.skeleton, world(clip)), clip.fps) / leg
    found = contacts(clip)
    support = np.zeros((clip.n_frames, 2), dtype=bool)
    for foot, side in enumerate(SIDES):
        heel, toe = 2 * foot, 2 * foot + 1
        slower = np.minimum(speeds[:, heel], speeds[:, toe])
        slow = slower < max(_SLOW * float(np.percentile(speeds[:, toe], _SWING)), _SLOWEST)
        # A contact ends before the toe leaves: widen it while the foot is slow compared with its swing (decision 92).
        support[:, foot] = widened(found.foot(side), slow)
    events: list[tuple[int, int, str]] = []
    for foot, start, stop in column_runs(support):
        if start > 0:
            events.append((start, 0, f"{SIDES[foot]} strike"))
        if stop < clip.n_frames:
            events.append((stop, 1, f"{SIDES[foot]} off"))
    events.sort()  # a strike precedes an off in the same frame, which avoids spurious flight
    return Keytimes(
        frozen(support, np.bool_),
        frozen([frame for frame, _, _ in events]),
        tuple(word for _, _, word in events),
    )


def widened(flags: Bools, slow: Bools) -> Bools:
    """Extend stretches of flags (F,) by the slow frames next to them, without joining two stretches.

    Examples
    --------
    >>> import numpy as np
    >>> widened(np.array([0, 0, 1, 0, 0, 0], bool), np.array([0, 1, 1, 1, 0, 1], bool)).astype(int).tolist()
    [0, 1, 1, 1, 0, 0]
    """
    out = np.array(flags)
    stretches = runs(flags)
    for index, (start, stop) in enumerate(stretches):
        left = stretches[index - 1][1] + 1 if index else 0
        right = stretches[index + 1][0] - 1 if index + 1 < len(stretches) else flags.size
        first, last = start, stop
        while first > left and slow[first - 1]:
            first -= 1
        while last < right and slow[last]:
            last += 1
        out[first:last] = True
    return out


def _speeds(places: Positions, fps: float) -> Floats:
    """Return speeds (F, P) of points (F, P, 3), by central differences."""
    if places.shape[0] < 2:
        return np.zeros(places.shape[:2])
    out: Floats = np.linalg.norm(np.gradient(places, 1.0 / fps, axis=0), axis=-1)
    return out
