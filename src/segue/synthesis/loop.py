"""Close a cycle, so that it repeats without a seam.

Pose: the difference between the first moment and the last is spread evenly over the cycle. Speed: the remaining
difference between the speeds at its end and its start is eased out over a third of a second at either end. The root
follows a ground motion that is the same every round; place and heading are closed relative to it. Then the feet that
the clip has on the ground are held, also across the wrap.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from segue.arrays import Floats
from segue.costs.protocol import Cost
from segue.displays import Displayed
from segue.errors import SettingError, SkeletonError, loaded
from segue.maths.planar import PlanarMotion, partial_motion
from segue.motion.clip import Clip
from segue.motion.closing import closed_frames, ground_round, moved
from segue.motion.contacts import contacts
from segue.motion.cyclic import ROUNDING, Period, ends_apart, find_period, rounds
from segue.motion.feet import leg_length
from segue.motion.keytimes import keytimes
from segue.motion.roles import require_legs
from segue.settings import DEFAULTS, SeamFeet, feet_named
from segue.synthesis.cycles import Cycle, find_cycle, given_cycle
from segue.synthesis.feet.planting import plant_feet
from segue.synthesis.feet.steps import kept_motion

Turn: TypeAlias = Literal["auto", "keep", "none"]
"""Treatment of a heading that differs at both ends: ``"auto"`` keeps a turn and removes drift."""

DRIFT = float(np.radians(15.0))
"""Radians: a cycle that turns less is treated as walking straight ahead."""
STAYS = 0.25
"""Leg lengths: a cycle that travels less stays in place."""


@dataclass(frozen=True, eq=False, repr=False)
class Loop(Displayed):
    """A motion that repeats without a seam.

    Parameters
    ----------
    clip
        Its frames; the last is the first again, moved along the ground by ``step``. Played repeatedly, that moment is
        shown once.
    step
        Ground motion of one round, from the place of frame 0 to that of the last frame; the identity where it stays.
    cycle
        Which frames of the source it is, and the cost of closing.
    turned
        Largest rotation in radians that closing gave a joint at either end.
    slid
        Metres and radians of ground motion that were removed as drift.
    """

    clip: Clip
    step: PlanarMotion
    cycle: Cycle
    turned: float
    slid: tuple[float, float]

    def __repr__(self) -> str:
        """Return source frames, duration and travel in one line."""
        where = "in place" if self.stays else f"{np.hypot(self.step.x, self.step.z):.2f} m a round"
        frames = f"frames {self.cycle.start} to {self.cycle.stop} of {self.clip.name!r}"
        return f"<Loop {frames}, {self.seconds:.2f} s, {where}>"

    @property
    def seconds(self) -> float:
        """How long one round lasts."""
        return self.clip.seconds

    @property
    def stays(self) -> bool:
        """Whether every round is played in the same place."""
        return self.step == PlanarMotion()


def loop(
    clip: Clip,
    *,
    start: int | None = None,
    stop: int | None = None,
    in_place: bool = False,
    turn: Turn = "auto",
    feet: SeamFeet = DEFAULTS.feet,
    cost: Cost | None = None,
    longest: float | None = None,
) -> Loop:
    """Make a seamless loop of a clip.

    A clip that is exactly one cycle (`segue.motion.cyclic`) is returned frame by frame, its feet unchanged.

    Parameters
    ----------
    clip
        Any clip with known legs.
    start, stop
        Frames at which the cycle begins and begins again; both or none. By default the best cycle is found
        (`segue.synthesis.cycles.find_cycle`).
    in_place
        Remove the ground motion: the body walks on the spot, as games need it.
    turn
        Treatment of a heading that differs at both ends: ``"keep"`` turns by it every round, ``"none"`` removes it
        evenly, ``"auto"`` removes less than 15 degrees.
    feet
        How feet that the clip has on the ground are held (`segue.settings.SeamFeet`); ``"free"``: not at all.
    cost
        Cost of two moments with which a cycle is searched for.
    longest
        Seconds that a cycle may last; 10 by default.

    Raises
    ------
    NoTransitionError
        If no cycle is found.
    SettingError
        If the range is not in the clip, or a setting is unknown.
    SkeletonError
        If the legs are unknown.

    Examples
    --------
    >>> import segue
    >>> stride = segue.loop(segue.sample("walk"))
    >>> round(stride.seconds, 2), round(stride.step.z, 2)
    (1.1, 1.43)
    >>> ten = repeated(stride, 10)
    >>> round(ten.seconds, 2)
    11.0
    """
    loaded(clip)
    if turn not in ("auto", "keep", "none"):
        msg = f"turn={turn!r} is not known; choose 'auto', 'keep' or 'none'"
        raise SettingError(msg)
    feet = feet_named(feet)
    if (start is None) != (stop is None):
        msg = "give both ends of the range: the start frame and the frame where the cycle repeats"
        raise SettingError(msg)
    period = find_period(clip) if start is None else None
    if period is not None and (longest is None or period.n_frames <= longest * clip.fps):
        made = _whole(clip, period, turn=turn, feet=feet)
        return on_the_spot(made) if in_place else made
    if start is not None and stop is not None:
        cycle = given_cycle(clip, start, stop, cost=cost)
    elif longest is None:
        cycle = find_cycle(clip, cost=cost)
    else:
        cycle = find_cycle(clip, cost=cost, longest=longest)
    made = closed(clip, cycle, turn=turn)
    if feet != "free":
        made = _with_feet(made, clip, feet)
    return on_the_spot(made) if in_place else made


def _whole(clip: Clip, period: Period, *, turn: Turn, feet: SeamFeet) -> Loop:
    """Loop of a clip that is one cycle: its own frames, unless its ends are open or a turn is to be removed."""
    once = rounds(clip, period, times=1)
    if period.closed:  # the rows of the file, bit for bit
        once = once.with_motion(clip.rotations, clip.root_positions)
    apart = ends_apart(clip) if period.gap > ROUNDING else 0.0
    cycle = Cycle(0, period.n_frames, 0.0, apart**2, apart / period.n_frames, _strides(clip, period))
    if period.gap <= ROUNDING and (turn != "none" or not period.step.turn):
        return Loop(once, period.step, cycle, 0.0, (0.0, 0.0))
    made = closed(once, cycle, turn=turn)
    return _with_feet(made, once, feet) if feet != "free" else made


def _strides(clip: Clip, period: Period) -> int:
    """Number of times both feet strike in a round; 0 where the legs are unknown."""
    try:
        require_legs([clip])
    except SkeletonError:
        return 0
    given = keytimes(rounds(clip, period, times=3))
    first, last = period.n_frames, 2 * period.n_frames
    inside = [word for frame, word in zip(given.frames, given.events, strict=True) if first < frame <= last]
    return min(inside.count("left strike"), inside.count("right strike"))


def repeated(loop: Loop, times: int) -> Clip:
    """Play a loop a number of times: ``times * (n - 1) + 1`` frames for a loop of n; the ground motion continues.

    Raises
    ------
    SettingError
        If ``times`` is less than 1.

    Examples
    --------
    >>> import segue
    >>> breath = segue.loop(segue.sample("stand"))
    >>> repeated(breath, 3).n_frames == 3 * (breath.clip.n_frames - 1) + 1
    True
    """
    if times < 1:
        msg = f"a loop cannot be played {times} times; give 1 or more"
        raise SettingError(msg)
    clip, n = loop.clip, loop.clip.n_frames - 1
    rounds = np.repeat(np.arange(times), n)
    rows = np.tile(np.arange(n), times)
    turns, shifts = _rounds(loop.step, times)
    rotations, roots = moved(clip.rotations[rows], clip.root_positions[rows], turns[rounds], shifts[rounds])
    end = moved(clip.rotations[-1:], clip.root_positions[-1:], turns[times - 1 :], shifts[times - 1 :])
    origin = clip.origin.take(np.concatenate([rows, [n]]))
    return clip.with_motion(
        np.concatenate([rotations, end[0]]), np.concatenate([roots, end[1]]), origin=origin
    )


def there_and_back(clip: Clip) -> Loop:
    """Play a clip forwards and then backwards, so that it ends exactly where it began.

    Examples
    --------
    >>> import segue
    >>> swing = there_and_back(segue.sample("start"))
    >>> swing.stays, bool((swing.clip.root_positions[0] == swing.clip.root_positions[-1]).all())
    (True, True)
    """
    rows = np.concatenate([np.arange(clip.n_frames), np.arange(clip.n_frames - 1)[::-1]])
    made = clip.with_motion(
        clip.rotations[rows],
        clip.root_positions[rows],
        origin=clip.origin.take(rows),
    )
    return Loop(made, PlanarMotion(), Cycle(0, len(rows) - 1, 0.0, 0.0, 0.0, 0), 0.0, (0.0, 0.0))


def on_the_spot(loop: Loop) -> Loop:
    """Remove a loop's ground motion evenly, so that each round begins where the last did.

    Examples
    --------
    >>> import segue
    >>> on_the_spot(segue.loop(segue.sample("walk"))).stays
    True
    """
    clip = loop.clip
    turns, shifts = partial_motion(_about(loop.step, clip), -np.arange(clip.n_frames) / (clip.n_frames - 1))
    first = clip.root_positions[0] * [1.0, 0.0, 1.0]
    rotations, roots = moved(clip.rotations, clip.root_positions - first, turns, shifts)
    roots[-1], rotations[-1] = roots[0], rotations[0]
    return replace(loop, clip=clip.with_motion(rotations, roots + first), step=PlanarMotion())


def closed(clip: Clip, cycle: Cycle, *, turn: Turn = "auto") -> Loop:
    """Close a cycle in pose and speed (`segue.motion.closing`), without treating its feet."""
    going = ground_round(clip, cycle.start, cycle.stop)
    after_round, slid = _kept(going, turn, leg_length(clip.skeleton))
    rotations, roots, turned = closed_frames(clip, cycle.start, cycle.stop, after_round=after_round)
    made = clip.with_motion(rotations, roots, origin=clip.origin.take(np.arange(cycle.start, cycle.stop + 1)))
    return Loop(made, _in_the_world(after_round, made), cycle, turned, slid)


def _kept(going: PlanarMotion, turn: Turn, leg: float) -> tuple[PlanarMotion, tuple[float, float]]:
    """Ground motion of each round, and the distance and turn that were removed as drift."""
    far = float(np.hypot(going.x, going.z))
    straight = turn == "none" or (turn == "auto" and abs(going.turn) < DRIFT)
    if not straight:
        return going, (0.0, 0.0)
    if far < STAYS * leg:
        return PlanarMotion(), (far, going.turn)
    # The arc straightened along the direction in which it begins.
    small = 1e-4
    shift = partial_motion(going, np.array([small]))[1][0] / small
    return PlanarMotion(0.0, float(shift[0]), float(shift[1])), (0.0, going.turn)


def _with_feet(made: Loop, source: Clip, feet: SeamFeet) -> Loop:
    """Hold the feet of a loop in the middle of three rounds, so that plants continue across the wrap."""
    n = made.clip.n_frames - 1
    flags = contacts(source).flags[made.cycle.start : made.cycle.stop]
    three = repeated(made, 3)
    held = plant_feet(
        three, planted=np.concatenate([np.tile(flags, (3, 1)), flags[:1]]), keep=kept_motion(feet)
    ).clip
    again = closed(held, replace(made.cycle, start=n, stop=2 * n), turn="keep")
    # Holding feet changes only the root's height: restore the loop's place and heading.
    turns, shifts = _rounds(made.step, 2)
    back = PlanarMotion(float(turns[1]), *(float(v) for v in shifts[1])).inverse()
    rotations, roots = moved(
        again.clip.rotations,
        again.clip.root_positions,
        np.full(n + 1, back.turn),
        np.tile([back.x, back.z], (n + 1, 1)),
    )
    clip = made.clip.with_motion(rotations, roots)
    return replace(made, clip=clip)


def _rounds(step: PlanarMotion, times: int) -> tuple[Floats, Floats]:
    """Turns (times,) and shifts (times, 2) after 0, 1, 2, ... rounds."""
    return partial_motion(step, np.arange(times, dtype=np.float64))


def _about(step: PlanarMotion, clip: Clip) -> PlanarMotion:
    """Ground motion about the world origin, expressed about the first frame's root."""
    x, _, z = clip.root_positions[0]
    return PlanarMotion(0.0, float(x), float(z)).then(step).then(PlanarMotion(0.0, float(-x), float(-z)))


def _in_the_world(step: PlanarMotion, clip: Clip) -> PlanarMotion:
    """Undo `_about`."""
    if step == PlanarMotion():
        return step
    x, _, z = clip.root_positions[0]
    return PlanarMotion(0.0, float(-x), float(-z)).then(step).then(PlanarMotion(0.0, float(x), float(z)))
