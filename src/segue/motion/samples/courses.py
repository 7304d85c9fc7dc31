"""Courses: paths of the pelvis over the ground, as exact functions of time.

A course gives position, heading, speed and turning rate without integration error, and the weight of the gait: 0
standing, 1 in full stride.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from segue.arrays import Floats


def ease(u: Floats) -> Floats:
    """Return a quintic from 0 to 1 over u in [0, 1], clamped outside, with two continuous derivatives."""
    u = np.clip(u, 0.0, 1.0)
    out: Floats = u**3 * (10.0 + u * (-15.0 + 6.0 * u))
    return out


def _eased_area(u: Floats) -> Floats:
    """Integral of `ease` from 0 to u."""
    inside = np.clip(u, 0.0, 1.0)
    out: Floats = inside**4 * (2.5 + inside * (-3.0 + inside)) + np.maximum(u - 1.0, 0.0)
    return out


class Course(Protocol):
    """Position, speed and turning rate of the pelvis over time (seconds)."""

    def place(self, t: Floats) -> Floats:
        """Return ground position and heading (N, 3): x, z in metres, radians."""
        ...

    def speed(self, t: Floats) -> Floats:
        """Return the speed along the ground in m/s."""
        ...

    def turning(self, t: Floats) -> Floats:
        """Return the turning rate in rad/s, positive to the left."""
        ...

    def weight(self, t: Floats) -> Floats:
        """Return the weight of the gait, 0 to 1."""
        ...


@dataclass(frozen=True)
class CourseArc:
    """Constant speed (m/s) and turning rate (rad/s) on a circle; straight if the rate is 0."""

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
    """Straight ahead with a speed that eases from 0 to ``top`` (or from ``top`` to 0) within [begin, end]."""

    top: float
    begin: float
    end: float
    stopping: bool = False
    lead: float = 0.25

    def place(self, t: Floats) -> Floats:
        """Ground position and heading; z is 0 at the start of the ramp."""
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
        """Lead the speed when starting and lag it when stopping: weight shifts before and after the steps."""
        if self.stopping:
            return 1.0 - ease((t - self.begin) / (self.end + self.lead - self.begin))
        return ease((t - self.begin + self.lead) / (self.end - self.begin))


@dataclass(frozen=True, eq=False)
class Stages:
    """K + 1 successive stages: K eased changes with begins and lengths in seconds."""

    begins: tuple[float, ...] = ()
    lengths: tuple[float, ...] = ()

    def _since(self, t: Floats) -> Floats:
        """Progress (K, ...) of the times through each change, 0 to 1 within it."""
        shape = (-1,) + (1,) * np.ndim(t)
        out: Floats = (t - np.reshape(self.begins, shape)) / np.reshape(self.lengths, shape)
        return out

    def value(self, values: Sequence[float], t: Floats) -> Floats:
        """Return a value at times t that changes between those of the stages (K + 1 numbers)."""
        out: Floats = values[0] + np.tensordot(np.diff(values), ease(self._since(t)), axes=1)
        return out

    def area(self, values: Sequence[float], t: Floats) -> Floats:
        """Return the integral of `value` from time 0; changes before 0 are integrated from their own beginning."""
        out: Floats = values[0] * t + np.tensordot(
            np.diff(values) * self.lengths, _eased_area(self._since(t)), axes=1
        )
        return out

    def shares(self, t: Floats) -> Floats:
        """Return the weight (K + 1, ...) of each stage at times t (...); they sum to 1."""
        done = np.concatenate([np.ones((1, *np.shape(t))), ease(self._since(t)), np.zeros((1, *np.shape(t)))])
        out: Floats = done[:-1] - done[1:]
        return out


@dataclass(frozen=True, eq=False)
class Changing:
    """Speeds (m/s) and turning rates (rad/s) that change from stage to stage; the first and the last are straight.

    Heading is an exact integral. Positions are Gauss-Legendre integrals over pieces of at most a tenth of a second,
    exact to rounding.
    """

    stages: Stages
    speeds: tuple[float, ...]
    turnings: tuple[float, ...]

    def place(self, t: Floats) -> Floats:
        """Ground position and heading; both are 0 at the beginning of the changes."""
        knots, sums = self._knots
        inside = np.clip(t, knots[0], knots[-1])
        low = np.clip(np.searchsorted(knots, inside, side="right") - 1, 0, knots.size - 1)
        x, z = (sums[low] + self._gone(knots[low], inside)).T
        before, after = np.minimum(t - knots[0], 0.0), np.maximum(t - knots[-1], 0.0)
        first, last = self._heading(knots[[0, -1]])
        gone = self.speeds[0] * before, self.speeds[-1] * after
        return np.stack(
            [
                x + gone[0] * np.sin(first) + gone[1] * np.sin(last),
                z + gone[0] * np.cos(first) + gone[1] * np.cos(last),
                self._heading(t),
            ],
            axis=-1,
        )

    def speed(self, t: Floats) -> Floats:
        """Eased from stage to stage."""
        return self.stages.value(self.speeds, t)

    def turning(self, t: Floats) -> Floats:
        """Eased from stage to stage."""
        return self.stages.value(self.turnings, t)

    def weight(self, t: Floats) -> Floats:
        """Full stride."""
        return np.ones(np.shape(t))

    def _heading(self, t: Floats) -> Floats:
        return self.stages.area(self.turnings, t)

    @cached_property
    def _knots(self) -> tuple[Floats, Floats]:
        """Times of the pieces' ends, and positions (x, z) of the course at these times."""
        ends = np.concatenate([self.stages.begins, np.add(self.stages.begins, self.stages.lengths)])
        even = np.arange(ends.min(), ends.max(), 0.1)
        knots = np.unique(np.concatenate([ends, even]))
        steps = self._gone(knots[:-1], knots[1:])
        return knots, np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)])

    def _gone(self, begin: Floats, end: Floats) -> Floats:
        """Displacement (N, 2) between two times near each other."""
        nodes, weights = np.polynomial.legendre.leggauss(8)
        half = (end - begin)[:, None] / 2
        at = (begin + end)[:, None] / 2 + half * nodes
        heading, speed = self._heading(at), self.speed(at) * weights * half
        return np.stack(
            [np.sum(speed * np.sin(heading), axis=1), np.sum(speed * np.cos(heading), axis=1)], axis=-1
        )


@dataclass(frozen=True)
class SideToSide:
    """Facing +Z, moving along X as a cosine from 0 to ``width`` and back within four beats, from rest to rest.

    The cosine is eased in and out within a beat around ``begin`` and ``end``, where x is 0.
    """

    width: float
    beat: float
    begin: float
    end: float

    def dance(self, t: Floats) -> Floats:
        """Return the weight of the dance: 0 standing, 1 dancing."""
        up = ease((t - self.begin) / (2 * self.beat) + 0.75)
        down = ease((t - self.end) / (2 * self.beat) + 0.25)
        out: Floats = up - down
        return out

    def _angle(self, t: Floats) -> Floats:
        since, until = (t - self.begin) / self.beat + 0.5, (t - self.end) / self.beat + 0.5
        out: Floats = (np.pi / 2) * (_eased_area(since) - _eased_area(until))
        return out

    def place(self, t: Floats) -> Floats:
        """Ground position and heading."""
        x = 0.5 * self.width * (1 - np.cos(self._angle(t)))
        return np.stack([x, 0.0 * t, 0.0 * t], axis=-1)

    def speed(self, t: Floats) -> Floats:
        """Sideways speed."""
        rate = ease((t - self.begin) / self.beat + 0.5) - ease((t - self.end) / self.beat + 0.5)
        return np.abs(0.25 * np.pi * self.width / self.beat * np.sin(self._angle(t)) * rate)

    def turning(self, t: Floats) -> Floats:
        """Zero."""
        return np.zeros(np.shape(t))

    def weight(self, t: Floats) -> Floats:
        """Zero: the dance has its own arm motion and bounce."""
        return np.zeros(np.shape(t))
