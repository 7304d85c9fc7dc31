"""Gait curves: joint angles over the cycle, and the timing of a gait as a function of its speed.

The tables are digitised from published mean curves at every twentieth of the cycle from heel strike, in degrees:

- walking: hip, knee, ankle of natural cadence in D. A. Winter, The Biomechanics and Motor Control of Human Gait,
  2nd ed. 1991; pelvis and arm amplitudes from M. P. Murray, Gait as a total pattern of movement, Am. J. Phys. Med.
  46 (1967);
- running at about 3 m/s: T. F. Novacheck, The biomechanics of running, Gait and Posture 7 (1998).

Evaluated as harmonic series, they are smooth and periodic at every frame rate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Generic, TypeVar

import numpy as np

from segue.arrays import Floats

GRAVITY = 9.81
_HARMONICS = 6

# Flexion and dorsiflexion are positive.
_WALK_HIP = (21, 20, 17, 13, 8, 4, 0, -4, -7, -10, -11, -9, -4, 4, 12, 18, 21, 23, 23, 22)
_WALK_KNEE = (4, 11, 17, 19, 17, 13, 10, 8, 7, 9, 14, 24, 38, 53, 63, 62, 51, 34, 16, 4)
_WALK_ANKLE = (0, -5, -4, 0, 3, 5, 7, 8, 9, 9, 6, -4, -16, -18, -11, -4, 0, 1, 1, 1)
# Novacheck's hip is relative to a pelvis tilted forward by about 10 degrees; here it is the thigh to the vertical.
_RUN_HIP = (26, 25, 21, 15, 7, -2, -10, -15, -16, -13, -6, 3, 13, 23, 32, 38, 40, 38, 33, 28)
_RUN_KNEE = (20, 29, 38, 42, 40, 34, 27, 23, 27, 41, 60, 78, 89, 93, 89, 79, 63, 45, 31, 22)
_RUN_ANKLE = (5, 9, 17, 22, 21, 12, -4, -18, -22, -18, -10, -4, 0, 3, 5, 6, 6, 6, 6, 5)


@dataclass(frozen=True, eq=False)
class Harmonics:
    """A periodic function of the phase (1 = one cycle), in radians: mean and first harmonics of a table."""

    coefficients: np.ndarray

    @property
    def mean(self) -> float:
        """Mean angle in radians."""
        return float(np.real(self.coefficients[0]))

    @staticmethod
    def of(table: tuple[float, ...]) -> Harmonics:
        """Fit a table of equally spaced angles in degrees."""
        spectrum = np.fft.rfft(np.radians(table)) / len(table)
        spectrum[1:] *= 2.0
        return Harmonics(spectrum[: _HARMONICS + 1])

    def __call__(self, phase: Floats) -> Floats:
        """Return the angle in radians at a phase."""
        turns = np.exp(2j * np.pi * np.multiply.outer(phase, np.arange(self.coefficients.size)))
        out: Floats = np.real(turns @ self.coefficients)
        return out


_WALK = tuple(Harmonics.of(table) for table in (_WALK_HIP, _WALK_KNEE, _WALK_ANKLE))
_RUN = tuple(Harmonics.of(table) for table in (_RUN_HIP, _RUN_KNEE, _RUN_ANKLE))

N = TypeVar("N", float, Floats)


@dataclass(frozen=True)
class Gait(Generic[N]):
    """Timing, amplitudes and posture of a gait; angles in radians, lengths in metres, shares of a cycle.

    Numbers for a steady gait, arrays over time for a change between gaits. ``run`` is 0 for a walk and 1 for a run.
    """

    run: N
    speed: N
    period: N
    duty: N
    landing: N
    flat: N
    heel_off: N
    reference: N
    height: N
    bob: N
    sway: N
    surge: N
    pelvis_yaw: N
    list_: N
    thorax_yaw: N
    lean: N
    arm_mean: N
    arm_swing: N
    elbow_mean: N
    elbow_swing: N
    half_width: N
    toe_out: N
    clearance: N
    off_phase: N
    hip_scale: N
    knee_scale: N

    @property
    def strike(self) -> float:
        """Phase of first contact."""
        return 0.0

    def leg_angles(self, phase: Floats) -> tuple[Floats, Floats, Floats]:
        """Return hip, knee and ankle flexion (radians) of the leg whose heel strikes at phase 0."""
        hip, knee, ankle = (
            (1.0 - self.run) * walk(phase) + self.run * run(phase)
            for walk, run in zip(_WALK, _RUN, strict=True)
        )
        middle = (1.0 - self.run) * _WALK[0].mean + self.run * _RUN[0].mean
        return middle + self.hip_scale * (hip - middle), self.knee_scale * knee, ankle

    def foot_pitch(self, phase: Floats) -> Floats:
        """Return the toe-up angle of the foot to the ground: thigh minus knee plus ankle."""
        hip, knee, ankle = self.leg_angles(phase)
        return hip - knee + ankle

    def rise(self, phase: Floats) -> Floats:
        """Return the height of the pelvis relative to its mean, in metres.

        In walking, the body vaults over the stance leg. In running, it falls freely in flight, and the stance leg
        acts as a spring: a half sine whose end slopes are the speeds of landing and take-off.
        """
        step = np.mod(phase, 0.5)
        stance, flight = self.duty * self.period, np.maximum(0.0, 0.5 - self.duty) * self.period
        dip = -GRAVITY * flight * stance / (2 * np.pi) * np.sin(np.pi * step / self.duty)
        late = (step - self.duty) * self.period
        spring = np.where(step < self.duty, dip, 0.5 * GRAVITY * late * (flight - late))
        out: Floats = spring - self.bob * np.cos(4 * np.pi * (phase - 0.03))
        return out


def mixed(gaits: Sequence[Gait[float]], shares: Floats) -> Gait[Floats]:
    """Mix K gaits with shares (K, N) at N times."""
    values = {
        field.name: np.array([getattr(gait, field.name) for gait in gaits]) @ shares for field in fields(Gait)
    }
    # Cycles are additive, so mix cadences, not periods.
    return Gait(**values | {"period": 1.0 / (np.array([1.0 / gait.period for gait in gaits]) @ shares)})


def walking(speed: float) -> Gait[float]:
    """Return the walk at a speed in m/s, 0.5 to 2.

    Step length over cadence is the same at all speeds of a person (walk ratio, 0.0065 m per step a minute for this
    body); stance shortens with speed (Murray 1967).
    """
    step = float(np.sqrt(60 * speed * 0.0065))
    scale = step / 0.712
    return Gait(
        run=0.0,
        speed=speed,
        period=2 * step / speed,
        duty=0.695 - 0.063 * speed,
        landing=0.10,
        flat=0.095,
        heel_off=0.39 - 0.027 * speed,
        reference=0.245,
        height=-0.031 * scale**1.2,
        bob=0.019 * scale**2,
        sway=0.030 - 0.008 * speed,
        surge=0.008 * scale,
        pelvis_yaw=np.radians(5.0 * scale),
        list_=np.radians(3.5 * scale),
        thorax_yaw=np.radians(4.5 * scale),
        lean=np.radians(1.0 + 1.5 * speed),
        arm_mean=np.radians(-6.0),
        arm_swing=np.radians(4.0 + 10.0 * speed),
        elbow_mean=np.radians(14.0 + 7.0 * speed),
        elbow_swing=np.radians(3.0 + 7.0 * speed),
        half_width=0.055,
        toe_out=np.radians(6.0),
        clearance=0.02,
        off_phase=0.625,
        hip_scale=scale,
        knee_scale=0.87 + 0.1 * speed,
    )


def running(speed: float) -> Gait[float]:
    """Return the run at a speed in m/s, 2 to 4: about 165 steps a minute, stance a good third of the cycle."""
    return Gait(
        run=1.0,
        speed=speed,
        period=120.0 / (150.0 + 5.0 * speed),
        duty=0.42 - 0.02 * speed,
        landing=0.06,
        flat=0.07,
        heel_off=0.19,
        reference=0.118,
        height=-0.04,
        bob=0.0,
        sway=0.008,
        surge=0.004,
        pelvis_yaw=np.radians(7.0),
        list_=np.radians(5.0),
        thorax_yaw=np.radians(9.0),
        lean=np.radians(8.0),
        arm_mean=np.radians(-12.0),
        arm_swing=np.radians(30.0),
        elbow_mean=np.radians(92.0),
        elbow_swing=np.radians(14.0),
        half_width=0.03,
        toe_out=np.radians(4.0),
        clearance=0.04,
        off_phase=0.38,
        hip_scale=float(np.sqrt(speed / 3.0)),
        knee_scale=0.7 + 0.1 * speed,
    )
