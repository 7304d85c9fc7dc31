"""The way of one foot over a whole clip: plants, and swings that follow the published leg angles between them.

In a swing the ankle goes where hip and knee angles of the gait curves would carry it, plus a cubic that takes up the
difference to the two plants in place and velocity, plus a lift if heel or toe would scrape the ground.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from segue.arrays import Bools, Floats, Positions
from segue.motion.samples.body import ANKLE_HEIGHT, BALL_AHEAD, BALL_HEIGHT, TOE_LENGTH
from segue.motion.samples.courses import ease
from segue.motion.samples.plants import Plant, heel_behind

_STEP = 1e-5  # seconds, for slopes at the ends of a plant

FreeLeg = Callable[[Floats], tuple[Positions, Floats]]
"""Time to the ankle position (N, 3) and foot pitch (N,) that the gait curves alone would give."""


@dataclass(frozen=True, eq=False)
class FootTrack:
    """Ankle position (N, 3), foot yaw, foot pitch (toe up) and toe bend (toe up against the foot), planted flags."""

    ankle: Positions
    yaw: Floats
    pitch: Floats
    toe_bend: Floats
    planted: Bools


def foot_track(plants: Sequence[Plant], t: Floats, *, free: FreeLeg, clearance: float) -> FootTrack:
    """Way of a foot through its plants at times t (N,) seconds."""
    ankle, yaw, pitch = np.zeros((t.size, 3)), np.zeros(t.size), np.zeros(t.size)
    bend, planted = np.zeros(t.size), np.zeros(t.size, dtype=bool)
    for plant in plants:
        on = (t >= plant.strike) & (t <= plant.toe_off)
        ankle[on], yaw[on], pitch[on] = plant.ankle(t[on]), plant.yaw, plant.pitch(t[on])
        bend[on] = np.maximum(0.0, -pitch[on])
        planted |= on
    for before, after in pairwise(plants):
        on = (t > before.toe_off) & (t < after.strike)
        if np.any(on):
            ankle[on], yaw[on], pitch[on], bend[on] = _swing(before, after, t[on], free, clearance)
    return FootTrack(ankle, yaw, pitch, bend, planted)


def _swing(
    before: Plant, after: Plant, t: Floats, free: FreeLeg, clearance: float
) -> tuple[Positions, Floats, Floats, Floats]:
    begin, end = before.toe_off, after.strike
    ends = np.array([begin - _STEP, begin, end, end + _STEP])
    ankle_free, pitch_free = free(ends)
    ankle_gap = np.concatenate([before.ankle(ends[:2]), after.ankle(ends[2:])]) - ankle_free
    pitch_gap = np.concatenate([before.pitch(ends[:2]), after.pitch(ends[2:])]) - pitch_free
    bends = np.maximum(0.0, -np.concatenate([before.pitch(ends[:2]), after.pitch(ends[2:])]))

    def way(at: Floats) -> tuple[Positions, Floats]:
        ankle, pitch = free(at)
        return ankle + _cubic(ankle_gap, begin, end, at), pitch + _cubic(pitch_gap, begin, end, at)

    ankle, pitch = way(t)
    dense = np.linspace(begin, end, 101)[12:-12]
    lift = _lift(*way(dense), _toe_bend(bends, begin, end, dense), (dense - begin) / (end - begin), clearance)
    ankle[:, 1] += lift * np.sin(np.pi * (t - begin) / (end - begin)) ** 2
    turn = (after.yaw - before.yaw + np.pi) % (2 * np.pi) - np.pi
    yaw = before.yaw + turn * ease((t - begin) / (end - begin))
    return ankle, yaw, pitch, _toe_bend(bends, begin, end, t)


def _toe_bend(bends: Floats, begin: float, end: float, t: Floats) -> Floats:
    """Toe bend in swing: relaxes within its first half, and bends again only for a landing on the toe."""
    middle = begin + 0.55 * (end - begin)
    off = _cubic(np.array([bends[0], bends[1], 0.0, 0.0]), begin, middle, t)
    on = _cubic(np.array([0.0, 0.0, bends[2], bends[3]]), middle, end, t)
    return np.where(t < middle, off, on)


def _lift(ankle: Positions, pitch: Floats, bend: Floats, u: Floats, clearance: float) -> float:
    """Height of a sine-squared lift that keeps heel, ball and toe tip above the ground."""
    c, s = np.cos(pitch), np.sin(pitch)
    bump = np.sin(np.pi * u) ** 2
    ball = ankle[:, 1] - (ANKLE_HEIGHT - BALL_HEIGHT) * c + BALL_AHEAD * s
    tip = ball + TOE_LENGTH * np.sin(pitch + bend) - BALL_HEIGHT * np.cos(pitch + bend)
    heel = ankle[:, 1] - ANKLE_HEIGHT * c - heel_behind() * s
    lowest = np.min([heel, ball - BALL_HEIGHT, tip], axis=0)
    return float(np.max(np.maximum(0.0, clearance * bump - lowest) / bump))


def _cubic(ends: Floats, begin: float, end: float, t: Floats) -> Floats:
    """Cubic through values at (begin - step, begin, end, end + step): places and slopes at both ends."""
    length = end - begin
    shape = (-1,) + (1,) * (ends.ndim - 1)
    u = np.clip((t - begin) / length, 0.0, 1.0).reshape(shape)
    slope_in, slope_out = (ends[1] - ends[0]) / _STEP * length, (ends[3] - ends[2]) / _STEP * length
    out: Floats = (
        ends[1] * (1 + 2 * u) * (1 - u) ** 2
        + slope_in * u * (1 - u) ** 2
        + ends[2] * u**2 * (3 - 2 * u)
        - slope_out * u**2 * (1 - u)
    )
    return out
