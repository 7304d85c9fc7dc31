"""Foot plants: one stance of one foot, whose heel or ball stays exactly where it is.

Within a plant the foot turns about its heel until it is flat, rests, and turns about the ball until it leaves
(Perry, Gait Analysis 1992: heel, ankle and forefoot rocker). A foot that lands on its toe turns about the ball first.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from segue.arrays import Floats, Positions
from segue.motion.feet import foot_points
from segue.motion.samples.body import ANKLE_HEIGHT, BALL_AHEAD, BALL_HEIGHT, body

_RISE = 1.55
"""Slope of the heel rise at its end, in mean slopes: 2 would be a parabola, less is a flatter end."""


@dataclass(frozen=True)
class SamplePlant:
    """One stance.

    Parameters
    ----------
    x, z, yaw
        Ground point below the ankle while the foot is flat (metres) and the foot's direction (radians).
    strike, flat, heel_off, toe_off
        Seconds. A plant that never gets flat (a touch of the toe) has ``flat`` and ``heel_off`` at ``toe_off``.
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
        """Only the toe touches."""
        return self.flat >= self.toe_off

    @property
    def heel_contact(self) -> tuple[float, float]:
        """First and last second of the heel on the ground; empty (last before first) for a touch."""
        if self.touch:
            return self.toe_off, self.strike
        return (self.strike if self.strike_pitch > 0 else self.flat), self.heel_off

    @property
    def toe_contact(self) -> tuple[float, float]:
        """First and last second of the toe on the ground."""
        return (self.flat if self.strike_pitch > 0 else self.strike), self.toe_off

    def pitch(self, t: Floats) -> Floats:
        """Toe-up angle (N,) of the foot."""
        if self.touch:
            return np.full(np.shape(t), self.strike_pitch)
        down = np.clip((self.flat - t) / max(self.flat - self.strike, 1e-9), 0.0, 1.0)
        up = np.clip((t - self.heel_off) / max(self.toe_off - self.heel_off, 1e-9), 0.0, 1.0)
        return self.strike_pitch * down**2 + self.off_pitch * up**2 * ((3 - _RISE) + (_RISE - 2) * up)

    def ankle(self, t: Floats) -> Positions:
        """World position (N, 3) of the ankle: the foot turned about its heel (toe up) or its ball (toe down)."""
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
    """Distance in metres by which the heel point lies behind the ankle."""
    return float(-foot_points(body()).offsets[0][2])
