"""Courses: where the pelvis goes over the ground, as exact functions of time.

A course gives place, heading, speed and turning rate without integration error, and a gait weight that says how much
of the gait's swinging is on: 0 standing, 1 in full stride.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from segue.arrays import Floats


def ease(u: Floats) -> Floats:
    """Quintic from 0 to 1 over u in [0, 1], clamped outside: two continuous derivatives."""
    u = np.clip(u, 0.0, 1.0)
    out: Floats = u**3 * (10.0 + u * (-15.0 + 6.0 * u))
    return out


def _eased_area(u: Floats) -> Floats:
    """Integral of `ease` from 0 to u."""
    inside = np.clip(u, 0.0, 1.0)
    out: Floats = inside**4 * (2.5 + inside * (-3.0 + inside)) + np.maximum(u - 1.0, 0.0)
    return out


class Course(Protocol):
    """Place, speed and turning of the pelvis over time (seconds)."""

    def place(self, t: Floats) -> Floats:
        """Ground position and heading (N, 3): x, z in metres, radians."""
        ...

    def speed(self, t: Floats) -> Floats:
        """Speed along the ground in m/s."""
        ...

    def turning(self, t: Floats) -> Floats:
        """Give the turning rate in rad/s, positive to the left."""
        ...

    def weight(self, t: Floats) -> Floats:
        """How much of the gait is on, 0 to 1."""
        ...


@dataclass(frozen=True)
class Arc:
    """Steady speed (m/s) on a circle of steady turning rate (rad/s); straight if the rate is 0."""

    metres_per_second: float
    radians_per_second: float = 0.0

    def place(self, t: Floats) -> Floats:
        """Ground position and heading."""
        heading = self.radians_per_second * t
        if self.radians_per_second == 0.0:
            return np.stack([0.0 * t, self.metres_per_second * t, heading], axis=-1)
        radius = self.metres_per_second / self.radians_per_second
        return np.stack([radius * (1 - np.cos(heading)), radius * np.sin(heading), heading], axis=-1)

    def speed(self, t: Floats) -> Floats:
        """Constant."""
        return np.full(np.shape(t), self.metres_per_second)

    def turning(self, t: Floats) -> Floats:
        """Constant."""
        return np.full(np.shape(t), self.radians_per_second)

    def weight(self, t: Floats) -> Floats:
        """Full stride, or none when standing."""
        return np.full(np.shape(t), 1.0 if self.metres_per_second > 0 else 0.0)


@dataclass(frozen=True)
class Ramp:
    """Straight ahead with a speed that eases up from 0 to ``top`` (or down to 0) within [begin, end]."""

    top: float
    begin: float
    end: float
    stopping: bool = False
    lead: float = 0.25

    def place(self, t: Floats) -> Floats:
        """Ground position and heading; z counts from the start of the ramp."""
        length = self.end - self.begin
        eased = self.top * length * _eased_area((t - self.begin) / length)
        z = self.top * (t - self.begin) - eased if self.stopping else eased
        return np.stack([0.0 * t, z, 0.0 * t], axis=-1)

    def speed(self, t: Floats) -> Floats:
        """Eased speed."""
        up = ease((t - self.begin) / (self.end - self.begin))
        return self.top * (1.0 - up if self.stopping else up)

    def turning(self, t: Floats) -> Floats:
        """Zero."""
        return np.zeros(np.shape(t))

    def weight(self, t: Floats) -> Floats:
        """Leads the speed when starting and lags it when stopping: weight shifts before and after the steps."""
        if self.stopping:
            return 1.0 - ease((t - self.begin) / (self.end + self.lead - self.begin))
        return ease((t - self.begin + self.lead) / (self.end - self.begin))


@dataclass(frozen=True)
class SideToSide:
    """Facing +Z, moving along X as a cosine from 0 to ``width`` and back within four beats."""

    width: float
    beat: float
    start: float

    def _angle(self, t: Floats) -> Floats:
        return (np.pi / 2) * (t - self.start) / self.beat

    def place(self, t: Floats) -> Floats:
        """Ground position and heading."""
        x = 0.5 * self.width * (1 - np.cos(self._angle(t)))
        return np.stack([x, 0.0 * t, 0.0 * t], axis=-1)

    def speed(self, t: Floats) -> Floats:
        """Sideways speed."""
        return np.abs(0.25 * np.pi * self.width / self.beat * np.sin(self._angle(t)))

    def turning(self, t: Floats) -> Floats:
        """Zero."""
        return np.zeros(np.shape(t))

    def weight(self, t: Floats) -> Floats:
        """No gait: the dance has its own arms and bounce."""
        return np.zeros(np.shape(t))
