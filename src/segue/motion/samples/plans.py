"""What each sample clip is: its course, its gait and the plants of both feet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from segue.errors import SettingError, nearest
from segue.motion.samples.body import HIP_HEIGHT
from segue.motion.samples.courses import Arc, Course, Ramp, SideToSide
from segue.motion.samples.curves import GRAVITY, Gait, running, walking
from segue.motion.samples.plants import Plant

LONG = 1e4  # seconds: a foot that stood before the clip, or stands on after it
STANDING_HALF_WIDTH = 0.09
STANDING_TOE_OUT = np.radians(10.0)
ANKLES_BEHIND = 0.03
"""Standing ankles lie this far (metres) behind the hips."""


@dataclass(frozen=True, eq=False)
class Plan:
    """A clip before it has frames: course, gait, time of phase 0, plants of the left and right foot."""

    name: str
    seconds: float
    course: Course
    gait: Gait
    phase_zero: float
    left: tuple[Plant, ...]
    right: tuple[Plant, ...]

    def phase(self, t: np.ndarray) -> np.ndarray:
        """Cycles since a left heel strike."""
        out: np.ndarray = (t - self.phase_zero) / self.gait.period
        return out


def lean_into(course: Course, t: float) -> float:
    """Angle in radians by which a body leans into a turn: tangent of centripetal over gravity."""
    at = np.array([t])
    return float(np.arctan(course.speed(at)[0] * course.turning(at)[0] / GRAVITY))


def _stride_plant(course: Course, gait: Gait, side: int, strike: float) -> Plant:
    """Plant of a stride whose first contact is at ``strike`` seconds; side is +1 left, -1 right."""
    times = strike + gait.period * np.array([0.0, gait.flat, gait.heel_off, gait.duty, gait.reference])
    # A foot that tilts less tilts for a shorter time: it meets and leaves the ground as briskly as in full stride.
    tilting = np.maximum(np.sqrt(course.weight(times[[0, 3]])), 0.4)
    times[1] = times[0] + (times[1] - times[0]) * tilting[0]
    times[2] = times[3] - (times[3] - times[2]) * tilting[1]
    x, z, heading = course.place(times[4:])[0]
    share = float(course.weight(times[4:])[0])
    half = share * gait.half_width + (1 - share) * STANDING_HALF_WIDTH
    across = side * half - HIP_HEIGHT * np.tan(lean_into(course, times[4]))
    weights = course.weight(times[[0, 3]])
    pitch = gait.foot_pitch(np.array([0.0, gait.off_phase])) * weights
    toe_out = share * gait.toe_out + (1 - share) * STANDING_TOE_OUT
    return Plant(
        x=x + across * np.cos(heading) - ANKLES_BEHIND * np.sin(heading),
        z=z - across * np.sin(heading) - ANKLES_BEHIND * np.cos(heading),
        yaw=heading + side * toe_out,
        strike=times[0],
        flat=times[1],
        heel_off=times[2],
        toe_off=times[3],
        strike_pitch=float(pitch[0]),
        off_pitch=float(pitch[1]),
    )


def _standing_plant(course: Course, side: int, t: float) -> Plant:
    x, z, heading = course.place(np.array([t]))[0]
    across = side * STANDING_HALF_WIDTH
    return Plant(
        x=x + across * np.cos(heading) - ANKLES_BEHIND * np.sin(heading),
        z=z - across * np.sin(heading) - ANKLES_BEHIND * np.cos(heading),
        yaw=heading + side * STANDING_TOE_OUT,
        strike=-LONG,
        flat=-LONG,
        heel_off=LONG,
        toe_off=LONG,
    )


def _steady(name: str, seconds: float, gait: Gait, turning: float) -> Plan:
    course = Arc(gait.speed, turning)
    # The outer leg has the longer way: a turning body goes a little lower.
    gait = replace(gait, height=gait.height - 0.015 * abs(turning) / (0.3 + abs(turning)))
    count = int(np.ceil(seconds / gait.period)) + 2
    feet = [
        tuple(_stride_plant(course, gait, side, (k + offset) * gait.period) for k in range(-2, count))
        for side, offset in ((1, 0.0), (-1, 0.5))
    ]
    return Plan(name, seconds, course, gait, 0.0, feet[0], feet[1])


def _stand(name: str, seconds: float) -> Plan:
    course = Arc(0.0)
    feet = [(_standing_plant(course, side, 0.0),) for side in (1, -1)]
    return Plan(name, seconds, course, walking(1.3), 0.0, feet[0], feet[1])


def _start(name: str, seconds: float) -> Plan:
    gait, begin = walking(1.3), 1.2
    course = Ramp(gait.speed, begin, begin + 1.5)
    zero = begin + 0.85 + 0.5 * gait.period  # the right foot steps first, the left strikes at phase 0
    count = int(np.ceil((seconds - zero) / gait.period)) + 2
    feet = []
    for side, offset in ((1, 0.0), (-1, -0.5)):
        strikes = [zero + (k + offset) * gait.period for k in range(count + 1)]
        first = _stride_plant(course, gait, side, strikes[0] - gait.period)
        stood = replace(
            _standing_plant(course, side, 0.0),
            heel_off=first.heel_off,
            toe_off=first.toe_off,
            off_pitch=first.off_pitch,
        )
        feet.append((stood, *(_stride_plant(course, gait, side, strike) for strike in strikes)))
    return Plan(name, seconds, course, gait, zero, feet[0], feet[1])


def _stop(name: str, seconds: float) -> Plan:
    gait = walking(1.3)
    end = seconds - 1.7
    course = Ramp(gait.speed, end - 1.5, end, stopping=True)
    last_left = end - 0.5
    feet = []
    for side, last in ((1, last_left), (-1, last_left + 0.5 * gait.period)):
        count = int(np.ceil(last / gait.period)) + 2
        strides = [_stride_plant(course, gait, side, last - k * gait.period) for k in range(count, 0, -1)]
        landing = _stride_plant(course, gait, side, last)
        stands = replace(
            _standing_plant(course, side, seconds + LONG),
            strike=landing.strike,
            flat=landing.flat,
            strike_pitch=max(landing.strike_pitch, np.radians(4.0)),
        )
        feet.append((*strides, stands))
    return Plan(name, seconds, course, gait, last_left, feet[0], feet[1])


def _step_touch(name: str, seconds: float) -> Plan:
    beat, width = 0.6, 0.42
    first = 0.5 * beat  # the beat of the first step to the left
    course = SideToSide(width, beat, first - beat)
    count = int(np.ceil(seconds / (4 * beat))) + 1
    feet = []
    for side, own, other, begin in ((1, width, 0.0, 0.0), (-1, 0.0, width, 2.0)):
        plants = []
        for k in range(-2, count):
            at = first + (begin + 4 * k) * beat
            stand = _standing_plant(course, side, 0.0)
            base = side * STANDING_HALF_WIDTH
            step = replace(
                stand,
                x=base + own,
                strike=at,
                flat=at + 0.2 * beat,
                heel_off=at + 2.1 * beat,
                toe_off=at + 2.45 * beat,
                strike_pitch=np.radians(-16.0),
                off_pitch=np.radians(-28.0),
            )
            touch = replace(
                stand,
                x=base + other,
                strike=at + 3.0 * beat,
                flat=at + 3.5 * beat,
                heel_off=at + 3.5 * beat,
                toe_off=at + 3.5 * beat,
                strike_pitch=np.radians(-24.0),
                off_pitch=np.radians(-24.0),
            )
            plants += [step, touch]
        feet.append(tuple(plants))
    gait = replace(walking(1.3), clearance=0.05, height=-0.045, bob=0.02, period=beat * 2)
    return Plan(name, seconds, course, gait, first, feet[0], feet[1])


_Maker = Callable[[str, float], Plan]
_CATALOGUE: dict[str, tuple[float, _Maker]] = {
    "walk_slow": (8.0, lambda name, seconds: _steady(name, seconds, walking(0.8), 0.0)),
    "walk": (6.0, lambda name, seconds: _steady(name, seconds, walking(1.3), 0.0)),
    "walk_fast": (5.0, lambda name, seconds: _steady(name, seconds, walking(1.8), 0.0)),
    "walk_left": (6.0, lambda name, seconds: _steady(name, seconds, walking(1.3), 0.3)),
    "walk_right": (6.0, lambda name, seconds: _steady(name, seconds, walking(1.3), -0.3)),
    "walk_turn_left": (6.0, lambda name, seconds: _steady(name, seconds, walking(1.0), 0.9)),
    "walk_turn_right": (6.0, lambda name, seconds: _steady(name, seconds, walking(1.0), -0.9)),
    "run": (4.0, lambda name, seconds: _steady(name, seconds, running(3.0), 0.0)),
    "run_left": (4.0, lambda name, seconds: _steady(name, seconds, running(3.0), 0.45)),
    "run_right": (4.0, lambda name, seconds: _steady(name, seconds, running(3.0), -0.45)),
    "stand": (5.0, _stand),
    "start": (5.0, _start),
    "stop": (5.5, _stop),
    "step_touch": (7.2, _step_touch),
}

SAMPLES: tuple[str, ...] = tuple(_CATALOGUE)
"""Names of the sample clips."""

_SHORTEST, _LONGEST = {"start": 3.0, "stop": 4.0}, 3600.0


@lru_cache(maxsize=64)
def plan(name: str, seconds: float | None) -> Plan:
    """Lay out a sample clip of a length in seconds (None: its usual length)."""
    if name not in _CATALOGUE:
        msg = f"no sample clip is called {name!r}; {nearest(name, SAMPLES)}"
        raise SettingError(msg)
    usual, make = _CATALOGUE[name]
    length = usual if seconds is None else float(seconds)
    shortest = _SHORTEST.get(name, 0.5)
    if not shortest <= length <= _LONGEST:
        msg = f"sample {name!r} can last {shortest:g} to {_LONGEST:g} seconds, not {seconds}"
        raise SettingError(msg)
    return make(name, length)
