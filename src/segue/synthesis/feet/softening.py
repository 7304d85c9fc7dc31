"""Find joints that exceed their limit at a seam, and the feet to treat more softly for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import TypeAlias

import numpy as np

from segue.arrays import Bools, Floats
from segue.measures.seams import at_ends, joint_motion, source_ends, source_peaks
from segue.measures.seams import excess as beyond
from segue.measures.smoothness import knee_motion, knee_peaks
from segue.motion.clip import Clip
from segue.motion.kinematics import world_positions
from segue.motion.roles import SIDES, roles
from segue.motion.skeleton import Skeleton
from segue.settings import SeamBounds
from segue.synthesis.feet.legs import legs_alone
from segue.synthesis.feet.levels import REACH

KNEES = 1.5
"""Factor of both sources' knee acceleration that a knee may reach at a seam: positions do not reveal a knee that hits
its stop, because a straight leg moves little while its knee rotates fast."""
FAST = 15.0
"""Radians a second, as in a kick or a sprint: allowed knee speed at a seam, or the speed of the sources if higher."""
_MARGIN = 1e-9
_A_LITTLE_MORE = 1.05  # a lowered root moves every joint, including those already beyond their limit

Over: TypeAlias = Callable[[Clip], Bools]
"""Flags (S, J) of the joints of a motion that exceed their limit at each seam."""


def joints_over(
    motion: Clip, sources: Sequence[Clip], ranges: Sequence[tuple[int, int]], bounds: SeamBounds
) -> Over:
    """Return a test of a finished motion's joints against limits: in the blend, and knees wherever feet are moved."""
    ends = source_ends(motion, sources, ranges)
    source_speed, source_acceleration = at_ends(source_peaks, ends, motion.skeleton.n_joints)
    source_knees = at_ends(knee_peaks, ends, 2)
    knees = knees_of(motion.skeleton)
    reach = round(REACH * motion.fps)
    around = [(max(start - reach, 0), min(stop + reach, motion.n_frames)) for start, stop in ranges]

    def excess(made: Clip) -> Floats:
        at = world_positions(made)
        speed, acceleration = joint_motion(made, ranges, positions=at)
        wide = np.zeros_like(speed)
        wide[:, knees] = knee_shares(knee_motion(made, around, positions=at), source_knees)
        return np.stack([beyond((speed, source_speed), (acceleration, source_acceleration), bounds), wide])

    @cache
    def limits() -> Floats:
        return limits_of(excess(motion))

    def over(made: Clip) -> Bools:
        shown = excess(made)
        if (shown <= 1.0).all():  # no limit is below 1, so that the motion as blended need not be measured
            return np.zeros(shown.shape[1:], dtype=bool)
        return np.asarray((shown > limits()).any(axis=0))

    return over


def knees_of(skeleton: Skeleton) -> list[int]:
    """Return the joints of the left and the right knee."""
    return [int(roles(skeleton)[f"{side}_knee"]) for side in SIDES]


def knee_shares(made: Floats, sources: Floats) -> Floats:
    """Return shares (..., 2) of their limits that knees use, from speeds and accelerations (2, ..., 2)."""
    fast, hard = made[0] / np.maximum(sources[0], FAST), made[1] / sources[1]
    out: Floats = np.maximum(fast, (hard - 1.0) / (KNEES - 1.0))
    return out


def limits_of(free: Floats) -> Floats:
    """Return the share of a seam's bounds allowed to each joint (..., J): 1, or slightly more than with feet free."""
    out: Floats = np.where(free > 1.0, _A_LITTLE_MORE * free, 1.0) + _MARGIN
    return out


def feet_to_soften(treated: Bools, over: Bools, ranges: Sequence[tuple[int, int]], motion: Clip) -> Bools:
    """Return flags (S, 2) of the feet to treat more softly, for flags (S, J) of joints beyond their limit at seams.

    The foot of a leg beyond its limit is softened first, then the other one at that seam, because the root is lowered
    for either; then those of the seams around it. Seams whose blends lie within reach of a correction share it: their
    feet are softened together, otherwise one would be let go because of its neighbour's correction. With all of them
    let go the motion is as blended, and no seam is beyond its limit.
    """
    legs = _legs_of(motion.skeleton)
    out = np.zeros(treated.shape, dtype=bool)
    start, stop = np.array(ranges, dtype=np.int64).reshape(-1, 2).T
    middle, reach = 0.5 * (start + stop), round(REACH * motion.fps)
    for seam in np.flatnonzero(over.any(axis=1)).tolist():
        sides = np.array([bool(over[seam, leg].any()) for leg in legs])
        if over[seam, ~np.logical_or(*legs)].any() or not sides.any():
            sides[:] = True  # a lowered root affects every joint
        for these in (treated[seam] & sides, treated[seam]):
            if these.any():
                near = (start <= stop[seam] + reach) & (stop >= start[seam] - reach)
                out[near] |= treated[near] & these
                break
        else:
            left = np.flatnonzero(treated.any(axis=1))
            if left.size:
                nearest = int(left[np.argmin(np.abs(middle[left] - middle[seam]))])
                out[nearest] |= treated[nearest]
    return out


@lru_cache(maxsize=64)
def _legs_of(skeleton: Skeleton) -> tuple[Bools, Bools]:
    """(J,) flags of the joints of the left and of the right leg, from the hip down."""
    out = []
    body = legs_alone(skeleton)
    for leg in body.legs:
        inside = np.zeros(skeleton.n_joints, dtype=bool)
        inside[body.joints[leg.hip]] = True
        for joint in range(skeleton.n_joints):
            parent = int(skeleton.parents[joint])
            inside[joint] |= parent >= 0 and bool(inside[parent])
        out.append(inside)
    return out[0], out[1]
