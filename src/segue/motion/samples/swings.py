"""The path of one foot over a clip: plants, and swings between them that follow the published leg angles.

In a swing the leg (distance and angle of the ankle relative to the hip) follows the hip and knee angles of the gait
curves, plus a correction that closes the gaps in position and velocity to the two plants, plus a lift if heel or toe
would touch the ground. The gap in landing velocity is closed within a tenth of a second or less, because a foot stops
at impact and does not glide into place.

A plant is one stance of one foot, whose heel or ball does not move at all. The foot rotates about its heel until it is
flat, rests, and rotates about the ball until it leaves (Perry, Gait Analysis 1992: heel, ankle and forefoot rocker). A
foot that lands on its toe rotates about the ball first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from segue.arrays import Bools, Floats, Positions
from segue.motion.feet import foot_points
from segue.motion.samples.body import ANKLE_HEIGHT, BALL_AHEAD, BALL_HEIGHT, SHANK, THIGH, TOE_LENGTH, body
from segue.motion.samples.courses import ease
from segue.motion.samples.curves import Gait

_STEP = 1e-4  # seconds, for slopes at the ends of a plant
_LEAVING = 0.2  # seconds within which the velocity gap to the plant before is closed

Hip = Callable[[Floats], tuple[Positions, Floats]]
"""Hip position (N, 3) and heading (N,) as a function of time."""
LegAngles = Callable[[Floats], tuple[Floats, Floats, Floats]]
"""Hip, knee and ankle flexion (N,) of the gait curves as a function of time."""
GaitOver = Callable[[Floats], Gait[Floats]]
"""Gait as a function of time."""


@dataclass(frozen=True, eq=False)
class FootTrack:
    """Ankle position (N, 3), foot yaw, foot pitch (toe up), toe bend (toe up relative to the foot), planted flags."""

    ankle: Positions
    yaw: Floats
    pitch: Floats
    toe_bend: Floats
    planted: Bools


def planted_track(plants: Sequence[SamplePlant], t: Floats) -> FootTrack:
    """Compute the path of a foot while planted; zeros in the swings."""
    track = FootTrack(*(np.zeros((t.size, 3)), *np.zeros((3, t.size)), np.zeros(t.size, dtype=bool)))
    for plant in plants:
        on = (t >= plant.strike) & (t <= plant.toe_off)
        track.ankle[on], track.yaw[on], track.pitch[on] = plant.ankle(t[on]), plant.yaw, plant.pitch(t[on])
        track.toe_bend[on] = np.maximum(0.0, -track.pitch[on])
        track.planted[on] = True
    return track


def foot_track(
    plants: Sequence[SamplePlant], t: Floats, *, hip: Hip, angles: LegAngles, gait: GaitOver
) -> FootTrack:
    """Compute the path of a foot through its plants at times t (N,) seconds."""
    track = planted_track(plants, t)
    for before, after in pairwise(plants):
        on = (t > before.toe_off) & (t < after.strike)
        if np.any(on):
            landed = gait(np.array([after.strike]))
            swing = _Swing(before, after, hip, angles, float(landed.landing[0]))
            track.ankle[on], track.yaw[on], track.pitch[on], track.toe_bend[on] = swing.at(
                t[on], float(landed.clearance[0])
            )
    return track


class _Swing:
    def __init__(
        self, before: SamplePlant, after: SamplePlant, hip: Hip, angles: LegAngles, landing: float
    ) -> None:
        self._before, self._after, self._hip, self._angles = before, after, hip, angles
        self._landing = landing
        self._begin, self._end = before.toe_off, after.strike
        ends = np.array([self._begin - _STEP, self._begin, self._end, self._end + _STEP])
        ankles = np.concatenate([before.ankle(ends[:2]), after.ankle(ends[2:])])
        pitches = np.concatenate([before.pitch(ends[:2]), after.pitch(ends[2:])])
        self._gaps = self._seen_from_hip(ankles, ends) - self._free(ends)
        self._pitch_gaps = pitches - self._free_pitch(ends)
        self._bends = np.maximum(0.0, -pitches)

    def at(self, t: Floats, clearance: float) -> tuple[Positions, Floats, Floats, Floats]:
        """Return ankle, yaw, pitch and toe bend at times within the swing."""
        length = self._end - self._begin
        ankle, pitch, bend = self._unlifted(t)
        dense = np.linspace(self._begin, self._end, 101)[8:-8]
        lift = _lift(*self._unlifted(dense), (dense - self._begin) / length, clearance)
        ankle[:, 1] += lift * np.sin(np.pi * (t - self._begin) / length) ** 2
        turn = (self._after.yaw - self._before.yaw + np.pi) % (2 * np.pi) - np.pi
        return ankle, self._before.yaw + turn * ease((t - self._begin) / length), pitch, bend

    def _seen_from_hip(self, ankle: Positions, t: Floats) -> Floats:
        """Distance, forward angle and sideways offset (N, 3) of the ankle from the hip, along the heading."""
        hip, heading = self._hip(t)
        leg = ankle - hip
        c, s = np.cos(heading), np.sin(heading)
        across, ahead = c * leg[:, 0] - s * leg[:, 2], s * leg[:, 0] + c * leg[:, 2]
        return np.stack([np.linalg.norm(leg, axis=-1), np.arctan2(ahead, -leg[:, 1]), across], axis=-1)

    def _free(self, t: Floats) -> Floats:
        """The same as `_seen_from_hip`, from the gait curves alone."""
        hip, knee, _ = self._angles(t)
        ahead = THIGH * np.sin(hip) + SHANK * np.sin(hip - knee)
        down = THIGH * np.cos(hip) + SHANK * np.cos(hip - knee)
        return np.stack([np.hypot(ahead, down), np.arctan2(ahead, down), 0.0 * t], axis=-1)

    def _free_pitch(self, t: Floats) -> Floats:
        hip, knee, ankle = self._angles(t)
        return hip - knee + ankle

    def _unlifted(self, t: Floats) -> tuple[Positions, Floats, Floats]:
        """Ankle, pitch and toe bend without lift."""
        seen = self._free(t) + self._taken_up(self._gaps, t)
        hip, heading = self._hip(t)
        c, s = np.cos(heading), np.sin(heading)
        reach = np.sqrt(np.maximum(seen[:, 0] ** 2 - seen[:, 2] ** 2, 0.0))
        ahead, across = reach * np.sin(seen[:, 1]), seen[:, 2]
        leg = np.stack([c * across + s * ahead, -reach * np.cos(seen[:, 1]), c * ahead - s * across], axis=-1)
        return hip + leg, self._free_pitch(t) + self._taken_up(self._pitch_gaps, t), self._toe_bend(t)

    def _taken_up(self, gaps: Floats, t: Floats) -> Floats:
        """Correction with the values and slopes at both ends of the gaps at (begin -, begin, end, end +)."""
        length = self._end - self._begin
        shape = (-1,) + (1,) * (gaps.ndim - 1)
        u = ((t - self._begin) / length).reshape(shape)
        leaving, landing = min(_LEAVING, length / 2), min(self._landing, length / 2)
        first = np.clip(u * length / leaving, 0.0, 1.0)
        last = np.clip((1 - u) * length / landing, 0.0, 1.0)
        slopes = _slope(gaps[0], gaps[1]), _slope(gaps[2], gaps[3])
        out: Floats = (
            gaps[1] * (1 + 2 * u) * (1 - u) ** 2
            + gaps[2] * u**2 * (3 - 2 * u)
            + slopes[0] * leaving * first * (1 - first) ** 2
            - slopes[1] * landing * last * (1 - last) ** 2
        )
        return out

    def _toe_bend(self, t: Floats) -> Floats:
        """Toe bend, which relaxes within the first half and returns only for a landing on the toe."""
        half = 0.55 * (self._end - self._begin)
        rate = _slope(self._bends[0], self._bends[1]) * half
        u = np.clip((t - self._begin) / half, 0.0, 1.0)
        relaxing = (self._bends[1] * (1 + 2 * u) + rate * u) * (1 - u) ** 2
        out: Floats = relaxing + self._bends[2] * ease((t - self._begin) / half - 1.0)
        return out


def _slope(before: Floats, after: Floats) -> Floats:
    """Slope per second, rounded to 1e-6, because the short step amplifies the rounding errors of sines."""
    out: Floats = np.round((after - before) / _STEP, 6)
    return out


def _lift(ankle: Positions, pitch: Floats, bend: Floats, u: Floats, clearance: float) -> float:
    """Height of a sine-squared lift that keeps heel, ball and toe tip above the ground."""
    c, s = np.cos(pitch), np.sin(pitch)
    bump = np.sin(np.pi * u) ** 2
    ball = ankle[:, 1] - (ANKLE_HEIGHT - BALL_HEIGHT) * c + BALL_AHEAD * s
    tip = ball + TOE_LENGTH * np.sin(pitch + bend) - BALL_HEIGHT * np.cos(pitch + bend)
    heel = ankle[:, 1] - ANKLE_HEIGHT * c - heel_behind() * s
    lowest = np.min([heel, ball - BALL_HEIGHT, tip], axis=0)
    return float(np.max(np.maximum(0.0, clearance * bump - lowest) / bump))


_RISE = 1.55
"""Slope of the heel rise at its end over the mean slope: 2 is a parabola, less is a flatter end."""


@dataclass(frozen=True)
class SamplePlant:
    """One stance.

    Parameters
    ----------
    x, z, yaw
        Ground point below the ankle while the foot is flat (metres) and the foot's direction (radians).
    strike, flat, heel_off, toe_off
        Seconds. A plant that is never flat (a touch of the toe) has ``flat`` and ``heel_off`` equal to ``toe_off``.
    strike_pitch, off_pitch
        Toe-up angle in radians at first contact and at the end.
    """

    x: float
    z: float
    yaw: float
    strike: float
    flat: float
    heel_off: float
    toe_off: float
    strike_pitch: float = 0.0
    off_pitch: float = 0.0

    @property
    def touch(self) -> bool:
        """Whether only the toe touches."""
        return self.flat >= self.toe_off

    @property
    def heel_contact(self) -> tuple[float, float]:
        """Start and end in seconds of the heel's contact; empty (end before start) for a touch."""
        if self.touch:
            return self.toe_off, self.strike
        return (self.strike if self.strike_pitch > 0 else self.flat), self.heel_off

    @property
    def toe_contact(self) -> tuple[float, float]:
        """Start and end in seconds of the toe's contact."""
        return (self.flat if self.strike_pitch > 0 else self.strike), self.toe_off

    def pitch(self, t: Floats) -> Floats:
        """Return the toe-up angle (N,) of the foot."""
        if self.touch:
            return np.full(np.shape(t), self.strike_pitch)
        down = np.clip((self.flat - t) / max(self.flat - self.strike, 1e-9), 0.0, 1.0)
        up = np.clip((t - self.heel_off) / max(self.toe_off - self.heel_off, 1e-9), 0.0, 1.0)
        return self.strike_pitch * down**2 + self.off_pitch * up**2 * ((3 - _RISE) + (_RISE - 2) * up)

    def ankle(self, t: Floats) -> Positions:
        """Return ankle positions (N, 3): the foot rotates about its heel (toe up) or its ball (toe down)."""
        pitch = self.pitch(t)
        heel = np.array([ANKLE_HEIGHT, heel_behind()])
        ball = np.array([ANKLE_HEIGHT - BALL_HEIGHT, -BALL_AHEAD])
        lever = np.where((pitch > 0)[:, None], heel, ball)
        fixed = np.where((pitch > 0)[:, None], [0.0, -heel[1]], [BALL_HEIGHT, BALL_AHEAD])
        c, s = np.cos(pitch), np.sin(pitch)
        height = fixed[:, 0] + c * lever[:, 0] + s * lever[:, 1]
        ahead = fixed[:, 1] + c * lever[:, 1] - s * lever[:, 0]
        return np.stack(
            [self.x + ahead * np.sin(self.yaw), height, self.z + ahead * np.cos(self.yaw)], axis=-1
        )


def heel_behind() -> float:
    """Return the distance in metres of the heel point behind the ankle."""
    return float(-foot_points(body()).offsets[0][2])
