"""Definitions of the sample clips: course, gait and plants of both feet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial

import numpy as np

from segue.arrays import Floats
from segue.errors import SettingError, nearest
from segue.motion.samples.body import HIP_HEIGHT
from segue.motion.samples.courses import Changing, Course, CourseArc, Ramp, SideToSide, Stages
from segue.motion.samples.curves import GRAVITY, Gait, mixed, running, walking
from segue.motion.samples.swings import SamplePlant

SAMPLE_PREFIX = "sample:"
"""``sample:walk`` is a sample clip wherever a file is expected; ``sample:`` alone is all of them."""
LONG = 1e4  # seconds: start or end of a stance that begins before or continues after the clip
STANDING_HALF_WIDTH = 0.09
STANDING_TOE_OUT = np.radians(10.0)
ANKLES_BEHIND = 0.03
"""Distance in metres of standing ankles behind the hips."""
_STILL = 1.2
"""Seconds that a body stands before a start or a dance, and after a stop or a dance."""
_HALVINGS = 60  # bisections, from hours to rounding error


@dataclass(frozen=True, eq=False)
class Rhythm:
    """Gaits that follow one another in stages, and the time in seconds at which the phase of the first is 0."""

    gaits: tuple[Gait[float], ...]
    zero: float = 0.0
    stages: Stages = field(default_factory=Stages)

    def gait(self, t: Floats) -> Gait[Floats]:
        """Return the gait at times t (N,)."""
        return mixed(self.gaits, self.stages.shares(t))

    def phase(self, t: Floats) -> Floats:
        """Return the phase at times t: cycles since a left heel strike."""
        if not self.stages.begins:
            return (t - self.zero) / self.gaits[0].period
        return (
            self.stages.area([1.0 / gait.period for gait in self.gaits], t) - self.zero / self.gaits[0].period
        )

    def moments(self, cycles: Floats, *events: str) -> Floats:
        """Return times (N, E) in seconds at which the phase is cycles (N,) plus shares of E events like ``"duty"``."""
        shares = np.array([[getattr(gait, event) for gait in self.gaits] for event in events])
        periods = np.array([gait.period for gait in self.gaits])
        if not self.stages.begins:
            steady: Floats = self.zero + periods[0] * (cycles[:, None] + shares[:, 0])
            return steady
        # The slowest and the fastest cadence bracket each time.
        there = float(self.phase(np.zeros(1))[0])
        seconds = (cycles[:, None, None] + shares - there)[..., None] * periods
        low, high = seconds.min(axis=(2, 3)), seconds.max(axis=(2, 3))
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            share = np.sum(shares.T[:, None, :] * self.stages.shares(middle), axis=0)
            late = self.phase(middle) - share >= cycles[:, None]
            low, high = np.where(late, low, middle), np.where(late, middle, high)
        return np.asarray(high, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class SamplePlan:
    """Plan of a clip: course, rhythm, plants of the left and right foot, idling.

    ``idle`` is the time in seconds at which the slow sway of a standing body has phase 0.
    """

    name: str
    seconds: float
    course: Course
    rhythm: Rhythm
    left: tuple[SamplePlant, ...]
    right: tuple[SamplePlant, ...]
    idle: float = 0.0

    @property
    def gait(self) -> Gait[float]:
        """Gait at the beginning of the clip."""
        return self.rhythm.gaits[0]


def lean_into(course: Course, t: Floats) -> Floats:
    """Return the angle in radians by which a body leans into a turn: arctangent of centripetal over gravity."""
    return np.arctan(course.speed(t) * course.turning(t) / GRAVITY)


def _stride_plants(course: Course, rhythm: Rhythm, side: int, cycles: Sequence[float]) -> list[SamplePlant]:
    """Plants of strides with first contacts at ``cycles``; side is +1 left, -1 right."""
    times = rhythm.moments(np.array(cycles), "strike", "flat", "heel_off", "duty", "reference")
    strike, flat, heel_off, toe_off, reference = times.T
    # A smaller tilt takes less time, so that the foot lands and leaves as fast as in full stride.
    striking, leaving = course.weight(strike), course.weight(toe_off)
    flat = strike + (flat - strike) * np.maximum(np.sqrt(striking), 0.4)
    heel_off = toe_off - (toe_off - heel_off) * np.maximum(np.sqrt(leaving), 0.4)
    x, z, heading = course.place(reference).T
    share, gait = course.weight(reference), rhythm.gait(reference)
    half = share * gait.half_width + (1 - share) * STANDING_HALF_WIDTH
    across = side * half - HIP_HEIGHT * np.tan(lean_into(course, reference))
    left = rhythm.gait(toe_off)
    columns = {
        "x": x + across * np.cos(heading) - ANKLES_BEHIND * np.sin(heading),
        "z": z - across * np.sin(heading) - ANKLES_BEHIND * np.cos(heading),
        "yaw": heading + side * (share * gait.toe_out + (1 - share) * STANDING_TOE_OUT),
        "strike": strike,
        "flat": flat,
        "heel_off": heel_off,
        "toe_off": toe_off,
        "strike_pitch": rhythm.gait(strike).foot_pitch(0.0 * strike) * striking,
        "off_pitch": left.foot_pitch(left.off_phase) * leaving,
    }
    rows = np.stack(list(columns.values()), axis=-1).tolist()
    return [SamplePlant(**dict(zip(columns, row, strict=True))) for row in rows]


def _standing_plant(course: Course, side: int, t: float) -> SamplePlant:
    x, z, heading = course.place(np.array([t]))[0]
    across = side * STANDING_HALF_WIDTH
    return SamplePlant(
        x=x + across * np.cos(heading) - ANKLES_BEHIND * np.sin(heading),
        z=z - across * np.sin(heading) - ANKLES_BEHIND * np.cos(heading),
        yaw=heading + side * STANDING_TOE_OUT,
        strike=-LONG,
        flat=-LONG,
        heel_off=LONG,
        toe_off=LONG,
    )


def _striding(name: str, seconds: float, course: Course, rhythm: Rhythm) -> SamplePlan:
    first, last = np.floor(rhythm.phase(np.array([0.0, seconds]))).astype(int).tolist()
    feet = [
        tuple(_stride_plants(course, rhythm, side, [k + offset for k in range(first - 2, last + 3)]))
        for side, offset in ((1, 0.0), (-1, 0.5))
    ]
    return SamplePlan(name, seconds, course, rhythm, feet[0], feet[1])


def _lowered(gait: Gait[float], turning: float) -> Gait[float]:
    """Lower a turning body a little, because the outer leg has the longer path."""
    return replace(gait, height=gait.height - 0.015 * abs(turning) / (0.3 + abs(turning)))


def _steady(name: str, seconds: float, *, gait: Gait[float], turning: float = 0.0) -> SamplePlan:
    return _striding(name, seconds, CourseArc(gait.speed, turning), Rhythm((_lowered(gait, turning),)))


def _changing(
    name: str,
    seconds: float,
    *,
    gaits: tuple[Gait[float], ...],
    middles: Sequence[float],
    eases: Sequence[float],
) -> SamplePlan:
    """Change between gaits around times ``middles``, in seconds of the usual length, within ``eases`` seconds each."""
    # Shift by complete cycles, so that the changes are the same in clips of all lengths.
    shift = round((seconds - _CATALOGUE[name][0]) / 2 / gaits[0].period) * gaits[0].period
    begins = tuple(middle - ease / 2 + shift for middle, ease in zip(middles, eases, strict=True))
    stages = Stages(begins, tuple(eases))
    course = Changing(stages, tuple(gait.speed for gait in gaits), (0.0,) * len(gaits))
    return _striding(name, seconds, course, Rhythm(gaits, stages=stages))


def _turn(
    name: str,
    seconds: float,
    *,
    gait: Gait[float],
    turned: Gait[float],
    angle: float,
    length: float,
    ease: float,
) -> SamplePlan:
    """Straight, a turn of ``angle`` radians in the middle of the clip, straight.

    ``length`` is in seconds from the middle of easing in to that of easing out, so the highest rate is angle / length.
    """
    rate, begin = angle / length, (seconds - length - ease) / 2
    stages = Stages((begin, begin + length), (ease, ease))
    course = Changing(stages, (gait.speed, turned.speed, gait.speed), (0.0, rate, 0.0))
    # Left and right turns begin half a cycle apart, so that they are mirror images.
    zero = 0.3 * gait.period if angle > 0 else 0.8 * gait.period
    return _striding(name, seconds, course, Rhythm((gait, _lowered(turned, rate), gait), zero, stages))


def _stand(name: str, seconds: float) -> SamplePlan:
    course = CourseArc(0.0)
    feet = [(_standing_plant(course, side, 0.0),) for side in (1, -1)]
    return SamplePlan(name, seconds, course, Rhythm((walking(1.3),)), feet[0], feet[1])


def _start(name: str, seconds: float) -> SamplePlan:
    gait, begin = walking(1.3), 1.2
    course = Ramp(gait.speed, begin, begin + 1.5)
    # The right foot steps first, the left strikes at phase 0.
    rhythm = Rhythm((gait,), begin + 0.85 + 0.5 * gait.period)
    count = int(np.ceil((seconds - rhythm.zero) / gait.period)) + 2
    feet = []
    for side, offset in ((1, 0.0), (-1, -0.5)):
        first, *strides = _stride_plants(course, rhythm, side, [k + offset for k in range(-1, count + 1)])
        stood = replace(
            _standing_plant(course, side, 0.0),
            heel_off=first.heel_off,
            toe_off=first.toe_off,
            off_pitch=first.off_pitch,
        )
        feet.append((stood, *strides))
    return SamplePlan(name, seconds, course, rhythm, feet[0], feet[1])


def _stop(name: str, seconds: float) -> SamplePlan:
    gait = walking(1.3)
    end = seconds - 1.7
    course = Ramp(gait.speed, end - 1.5, end, stopping=True)
    rhythm = Rhythm((gait,), end - 0.5)
    feet = []
    for side, last in ((1, 0.0), (-1, 0.5)):
        count = int(np.ceil((rhythm.zero + last * gait.period) / gait.period)) + 2
        *strides, landing = _stride_plants(course, rhythm, side, [last - k for k in range(count, -1, -1)])
        stands = replace(
            _standing_plant(course, side, seconds + LONG),
            strike=landing.strike,
            flat=landing.flat,
            strike_pitch=max(landing.strike_pitch, np.radians(4.0)),
        )
        feet.append((*strides, stands))
    return SamplePlan(name, seconds, course, rhythm, feet[0], feet[1], idle=seconds - _STILL)


def _step_touch(name: str, seconds: float) -> SamplePlan:
    beat, width = 0.6, 0.42
    rounds = max(1, int((seconds - 2 * _STILL) / (4 * beat) + 1e-9))
    begin = (seconds - 4 * beat * rounds) / 2
    end = begin + 4 * beat * rounds
    course = SideToSide(width, beat, begin, end)
    first = begin + beat  # the beat of the first step to the left
    feet = []
    for side, own, other, late in ((1, width, 0.0, 0.0), (-1, 0.0, width, 2.0)):
        stand = replace(_standing_plant(course, side, -LONG), off_pitch=np.radians(-28.0))
        plants = [
            # Before its first step or touch the left foot leaves at beat -0.5, the right one at 0.45.
            replace(
                stand,
                heel_off=first + (-0.9 if side > 0 else 0.1) * beat,
                toe_off=first + (-0.5 if side > 0 else 0.45) * beat,
            )
        ]
        for k in range(rounds):
            at = first + (late + 4 * k) * beat
            plants += [_step(stand, side, own, at, beat), _touch(stand, side, other, at + 3.0 * beat, beat)]
        if side < 0:  # a touch between standing and the first step, and none after the last
            plants = [plants[0], _touch(stand, side, other, first + beat, beat), *plants[1:-1]]
        # Both feet end side by side: the left with a step instead of its last touch, the right with a step.
        closing = _step(stand, side, 0.0, end - (0.0 if side > 0 else beat), beat)
        plants[-1] = replace(closing, heel_off=LONG, toe_off=LONG)
        feet.append(tuple(plants))
    gait = replace(walking(1.3), clearance=0.05, height=-0.045, bob=0.02, period=beat * 2)
    return SamplePlan(name, seconds, course, Rhythm((gait,), first), feet[0], feet[1])


def _step(stand: SamplePlant, side: int, x: float, at: float, beat: float) -> SamplePlant:
    """Plant of a foot that steps on its entire sole, toe first."""
    return replace(
        stand,
        x=side * STANDING_HALF_WIDTH + x,
        strike=at,
        flat=at + 0.2 * beat,
        heel_off=at + 2.1 * beat,
        toe_off=at + 2.45 * beat,
        strike_pitch=np.radians(-16.0),
    )


def _touch(stand: SamplePlant, side: int, x: float, at: float, beat: float) -> SamplePlant:
    """Plant of a foot that touches with the toe."""
    end = at + 0.5 * beat
    tilt = np.radians(-24.0)
    return replace(
        stand,
        x=side * STANDING_HALF_WIDTH + x,
        strike=at,
        flat=end,
        heel_off=end,
        toe_off=end,
        strike_pitch=tilt,
        off_pitch=tilt,
    )


_Maker = Callable[[str, float], SamplePlan]
_WALK, _RUN = walking(1.3), running(3.0)
# The changes walk at 1.4 m/s in between, as no other clip does: if all clips shared frames, no threshold could
# distinguish similar from equal frames, and a motion graph would leave out similar ones.
_FASTER = (walking(0.8), walking(1.4), walking(1.8), _RUN)
# A slow run precedes the walk, because walking at 2.4 m/s would need giant strides.
_SLOWER = (_RUN, running(2.0), walking(1.8), walking(1.4), walking(0.8))
_CORNER = partial(_turn, gait=_WALK, turned=walking(1.0), length=1.85, ease=0.9)
_BEND = partial(_turn, gait=_RUN, turned=_RUN, length=2.3, ease=0.7)
_CATALOGUE: dict[str, tuple[float, _Maker]] = {
    "walk_slow": (8.0, partial(_steady, gait=walking(0.8))),
    "walk": (6.0, partial(_steady, gait=_WALK)),
    "walk_fast": (8.0, partial(_steady, gait=walking(1.8))),
    "walk_left": (6.0, partial(_steady, gait=_WALK, turning=0.3)),
    "walk_right": (6.0, partial(_steady, gait=_WALK, turning=-0.3)),
    "walk_bend_left": (4.0, partial(_steady, gait=_WALK, turning=0.15)),
    "walk_bend_right": (4.0, partial(_steady, gait=_WALK, turning=-0.15)),
    "walk_turn_left": (6.0, partial(_CORNER, angle=np.pi / 2)),
    "walk_turn_right": (6.0, partial(_CORNER, angle=-np.pi / 2)),
    "run": (7.0, partial(_steady, gait=_RUN)),
    "run_left": (5.0, partial(_BEND, angle=np.pi / 3)),
    "run_right": (5.0, partial(_BEND, angle=-np.pi / 3)),
    "speed_up": (8.0, partial(_changing, gaits=_FASTER, middles=(1.8, 3.78, 6.0), eases=(1.1, 1.1, 1.3))),
    "slow_down": (
        8.0,
        partial(_changing, gaits=_SLOWER, middles=(1.4, 2.2, 4.3, 6.4), eases=(1.0, 1.0, 1.1, 1.1)),
    ),
    "stand": (5.0, _stand),
    "start": (5.0, _start),
    "stop": (5.5, _stop),
    "step_touch": (7.2, _step_touch),
}

SAMPLES: tuple[str, ...] = tuple(_CATALOGUE)
"""Names of the sample clips."""

_SHORTEST, _LONGEST = {"start": 3.0, "stop": 4.0, "step_touch": 4.8}, 3600.0


@lru_cache(maxsize=64)
def plan(name: str, seconds: float | None) -> SamplePlan:
    """Return the plan of a sample clip with a duration in seconds (None: its usual duration)."""
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
