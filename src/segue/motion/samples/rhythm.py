"""When feet strike and leave while one gait changes into another."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from segue.arrays import Floats
from segue.motion.samples.courses import Stages
from segue.motion.samples.curves import Gait, mixed

_HALVINGS = 60  # of at most hours, down to rounding


@dataclass(frozen=True, eq=False)
class Rhythm:
    """Gaits that follow one another in stages, and the seconds at which the phase of the first is 0."""

    gaits: tuple[Gait[float], ...]
    zero: float = 0.0
    stages: Stages = field(default_factory=Stages)

    def gait(self, t: Floats) -> Gait[Floats]:
        """Gait at times t (N,)."""
        return mixed(self.gaits, self.stages.shares(t))

    def phase(self, t: Floats) -> Floats:
        """Cycles since a left heel strike."""
        if not self.stages.begins:
            return (t - self.zero) / self.gaits[0].period
        return (
            self.stages.area([1.0 / gait.period for gait in self.gaits], t) - self.zero / self.gaits[0].period
        )

    def moments(self, cycles: Floats, *events: str) -> Floats:
        """Seconds (N, E) at which the phase is cycles (N,) plus the shares of E events, such as ``"duty"``."""
        shares = np.array([[getattr(gait, event) for gait in self.gaits] for event in events])
        periods = np.array([gait.period for gait in self.gaits])
        if not self.stages.begins:
            steady: Floats = self.zero + periods[0] * (cycles[:, None] + shares[:, 0])
            return steady
        # The phase runs no slower than the slowest and no faster than the fastest cadence: that brackets each moment.
        there = float(self.phase(np.zeros(1))[0])
        seconds = (cycles[:, None, None] + shares - there)[..., None] * periods
        low, high = seconds.min(axis=(2, 3)), seconds.max(axis=(2, 3))
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            share = np.sum(shares.T[:, None, :] * self.stages.shares(middle), axis=0)
            late = self.phase(middle) - share >= cycles[:, None]
            low, high = np.where(late, low, middle), np.where(late, middle, high)
        return np.asarray(high, dtype=np.float64)
