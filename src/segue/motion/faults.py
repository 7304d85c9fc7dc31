"""Faults of a clip: frames that hold no motion, and values that are impossible for a body.

Each frame is judged by the rotation of each joint from one frame to the next, compared with the rotations around it.
Limits are relative, so the same rules hold at 24 and at 240 frames a second and for any size of body. A rule requires
both an impossible value and a jump out of it, because each alone has legitimate causes: a straight knee is exactly
zero in files with one angle per knee, and a kick is fast.

Fingers and thumbs are excluded from glitches, because optical capture guesses them.

Gravity and gait reveal a wrong frame rate. In flight the centre of mass falls with 9.81 m/s2, whatever the body does.
A clip played at a rate r times too high shows r squared times that, so the fall gives the rate (or the unit of length:
only the two together are determined).

A walk without flight gives it too: the ratio of step length to step rate, the walk ratio, is the same at every
comfortable speed (Sekiya et al. 1996), and a wrong frame rate changes it in proportion.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from segue.arrays import Bools, Floats, Positions
from segue.motion.body import MASSES, capsules, is_human
from segue.motion.clip import Clip
from segue.motion.contacts import contacts
from segue.motion.fault import Fault
from segue.motion.feet import foot_positions, leg_length
from segue.motion.flags import runs
from segue.motion.ground import ground_faults, upright
from segue.motion.kinematics import World, attached_points, world
from segue.motion.usable import (
    carried_flags,
    faults_of_frames,
    longest_usable,
    unusable_frames,
    usable_ranges,
)
from segue.summaries import one_line

__all__ = [
    "Fault",
    "Faults",
    "carried_flags",
    "find_faults",
    "longest_usable",
    "unusable_frames",
    "usable_ranges",
]


@one_line
@dataclass(frozen=True, eq=False)
class Faults:
    """All faults found in a clip, in the order of frames, and flags (F,) of unusable frames."""

    found: tuple[Fault, ...]
    unusable: Bools

    def of(self, *kinds: str) -> tuple[Fault, ...]:
        """Return the faults of some kinds."""
        return tuple(fault for fault in self.found if fault.kind in kinds)

    def __len__(self) -> int:
        return len(self.found)

    def __bool__(self) -> bool:
        return bool(self.found)


@lru_cache(maxsize=256)
def find_faults(clip: Clip) -> Faults:
    """Find the faults of a clip: in its frames, its timing and its ground contact.

    Examples
    --------
    >>> import segue
    >>> walk = segue.sample("walk")
    >>> len(find_faults(walk))
    0
    >>> broken = walk.rotations.copy()
    >>> broken[100, walk.skeleton.index("LeftArm")] = [0, 1, 0, 0]
    >>> [(f.kind, f.start, f.stop) for f in find_faults(walk.with_motion(broken)).found]
    [('glitch', 99, 102)]
    """
    unusable = unusable_frames(clip)
    found = [*faults_of_frames(clip), *timing_faults(clip, unusable), *ground_faults(clip)]
    found.sort(key=lambda fault: (fault.start, fault.stop, fault.kind))
    return Faults(tuple(found), unusable)


GRAVITY = 9.81
"""m/s2."""
WALK_RATIO = 0.0065
"""Metres a step over steps a minute, for adults with legs of `LEG` metres."""
LEG = 0.85

WRONG = 1.25
"""Factor by which the rate implied by falls must differ before the frame rate is reported as wrong."""
WRONG_GAIT = 1.8
"""The same for the walk ratio, which varies between people and styles of walking."""

_FEWEST = 4  # least number of frames of flight
_CLEAR = 0.03  # leg lengths that both feet must be above the floor
_RISE = 0.03  # least height of the parabola of the centre of mass, in leg lengths
_ROUGH = 0.1  # largest misfit of the parabola in free fall, as a share of its height
_STEPS = 3  # least number of successive steps in a gait
_STRIDE = 0.5  # least length of a step, in leg lengths
_EVEN = 0.25  # largest deviation of steps from their median, in time and length
_STRAIGHT = 0.9  # least ratio of straight distance to path length


def mass_centre(clip: Clip, at: World | None = None) -> Positions:
    """Centre of mass (F, 3) in metres, with each segment's mass at the middle of its capsule."""
    at = world(clip) if at is None else at
    body = capsules(clip.skeleton)
    masses = np.array([MASSES[c.segment] for c in body])
    middles = np.array([(c.start + c.end) / 2 for c in body])
    places = attached_points(at, [c.joint for c in body], middles)
    return np.asarray(np.einsum("p,fpc->fc", masses / masses.sum(), places))


def falls(clip: Clip, unusable: Bools | None = None) -> list[tuple[int, int, float]]:
    """Find flights of a clip: frames [start, stop) without contact, and their downward acceleration in m/s2.

    Stretches in which the centre of mass follows no parabola (climbing, lying, hanging) are excluded.
    """
    found = contacts(clip)
    at = world(clip)
    leg = leg_length(clip.skeleton)
    heights = foot_positions(clip.skeleton, at)[..., 1] - found.floor
    free = ~found.flags.any(axis=1) & np.all(heights > _CLEAR * leg, axis=1)
    fit_to_judge = upright(clip) if unusable is None else upright(clip) & ~unusable
    height = mass_centre(clip, at)[:, 1]
    out = []
    for start, stop in runs(free):
        # A flight begins and ends within the clip; legs in the air up to either end may belong to a lying body.
        inside = start > 0 and stop < clip.n_frames and stop - start >= _FEWEST
        if not inside or not fit_to_judge[start:stop].all():
            continue
        t = np.arange(stop - start) / clip.fps
        fit = np.polynomial.polynomial.polyfit(t, height[start:stop], 2)
        misfit = float(np.abs(np.polynomial.polynomial.polyval(t, fit) - height[start:stop]).max())
        bow = float(-fit[2] * (t[-1] / 2) ** 2)
        if bow > _RISE * leg and misfit < _ROUGH * bow:
            out.append((start, stop, float(-2 * fit[2])))
    return out


def fall_acceleration(clip: Clip, unusable: Bools | None = None) -> float:
    """Downward acceleration in flight in m/s2, weighted by squared duration; NaN without flight.

    Examples
    --------
    >>> import segue
    >>> fall_acceleration(segue.sample("walk"))
    nan
    """
    found = falls(clip, unusable)
    if not found:
        return float("nan")
    # The height of the parabola grows with the square of its duration, so errors weigh less in long flights.
    weights = np.array([float(stop - start) for start, stop, _ in found]) ** 2
    return float(np.average([g for _, _, g in found], weights=weights))


def walk_ratio(clip: Clip) -> float:
    """Step length over step rate of an even, straight gait, as a multiple of `WALK_RATIO`; else NaN.

    The ratio is scaled to a leg length of `LEG`.

    Examples
    --------
    >>> import segue
    >>> 0.7 < walk_ratio(segue.sample("walk")) < 1.4
    True
    """
    moments, places = _strikes(clip)
    if len(moments) <= _STEPS:
        return float("nan")
    times, steps = np.diff(moments), np.diff(places, axis=0)
    lengths = np.linalg.norm(steps, axis=1)
    leg = leg_length(clip.skeleton)
    path = np.diff(mass_centre(clip)[:, [0, 2]], axis=0)
    straight = np.linalg.norm(path.sum(axis=0)) / max(float(np.linalg.norm(path, axis=1).sum()), 1e-9)
    even = all(np.all(np.abs(v - np.median(v)) <= _EVEN * np.median(v)) for v in (times, lengths))
    if not even or straight < _STRAIGHT or np.median(lengths) < _STRIDE * leg:
        return float("nan")
    ratio = float(np.median(lengths) / (60.0 / np.median(times)))
    return ratio / (WALK_RATIO * leg / LEG)


def _strikes(clip: Clip) -> tuple[Floats, Positions]:
    """Strike times (N,) in seconds and plant positions (N, 2) of alternating feet; empty if they do not alternate."""
    found = contacts(clip)
    at = foot_positions(clip.skeleton, world(clip))[..., [0, 2]]
    rows = [
        (start / clip.fps, side, at[(start + stop) // 2, 2 * side])
        for side, name in enumerate(("left", "right"))
        for start, stop in runs(found.foot(name))
        if start > 0
    ]
    rows.sort(key=lambda row: row[0])
    if any(a[1] == b[1] for a, b in itertools.pairwise(rows)):
        return np.zeros(0), np.zeros((0, 2))
    return np.array([row[0] for row in rows]), np.array([row[2] for row in rows]).reshape(-1, 2)


def timing_faults(clip: Clip, unusable: Bools) -> list[Fault]:
    """Return a warning if the frame rate of a clip with human legs is implausible."""
    if not is_human(clip.skeleton) or clip.n_frames < 2:
        return []
    fall = fall_acceleration(clip, unusable)
    if np.isfinite(fall):
        factor = float(np.sqrt(GRAVITY / fall))
        if 1 / WRONG < factor < WRONG:
            return []
        why = f"the body falls at {fall:.3g} m/s2 in flight instead of {GRAVITY}"
    else:
        ratio = walk_ratio(clip)
        if not np.isfinite(ratio) or 1 / WRONG_GAIT < ratio < WRONG_GAIT:
            return []
        factor = ratio
        why = f"steps are {ratio:.2g} times as long for their rate as people's"
    rates = f"near {factor * clip.fps:.3g} frames a second and not {clip.fps:g}"
    sentence = f"{why}: the true rate is {rates}, or lengths are wrong"
    return [Fault("rate", 0, clip.n_frames, (), sentence, "warning")]
