"""Detection and repetition of clips that are exactly one cycle, as in game packs.

A cycle is stored in one of two forms. *Closed*: the last row repeats the first, up to a ground motion. *Left out*:
that row is missing, and the last row leads to the first as each row leads to the next. In both, pose and speed are
continuous across the wrap. Tolerances are relative to the clip's own steps and not fixed in degrees, so that a breath
and a sprint are judged alike; a captured motion that returns near its start is far outside them.

A still pose is a hold and no cycle. Several rounds in one clip count as one period, because the clip wraps as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from segue.arrays import Floats, Ints, Positions, Quaternions, frozen
from segue.errors import SettingError
from segue.maths.planar import PlanarMotion, partial_motion
from segue.maths.quaternions import conjugate, exp, from_yaw, log, multiply, yaw
from segue.motion.clip import Clip, Origin, steps_round
from segue.motion.closing import closed_frames, moved

__all__ = [
    "LEAST",
    "ROUNDING",
    "Period",
    "ends_apart",
    "find_period",
    "in_first_round",
    "period_played",
    "played_on",
    "rounds",
    "unrolled",
]

ROUNDING = 2e-4
"""Radians and metres: two decimals of a degree and of a centimetre; ends that differ by less are equal."""
LEAST = 3.0
"""Default minimum duration of a repeated cycle in seconds: a window, a blend, and half a second around each."""
_FEWEST = 5  # frames, and the seconds below, of the shortest cycle
_BRIEFEST = 0.2
_STILL_TURN, _STILL_RISE = 0.01, 0.003  # radians and metres; a clip within these is a hold
_CLOSED = 0.5  # in steps at the ends: a last row nearer to the first than this repeats it
_LEADS = 0.7  # in steps at the ends: largest difference of the step across the wrap from its neighbours
_JERK = 1.5  # times the largest change of speed elsewhere in the clip
_PACE_SECONDS = 1.0 / 6.0
_PACE, _STOPS = (
    0.5,
    0.1,
)  # radians a second of a moving end, and share of its speed below which the other stands
_STATED = 0.5  # radians on average: largest gap between the ends of a cycle declared by the file


@dataclass(frozen=True)
class Period:
    """The cycle that makes up a complete clip.

    Parameters
    ----------
    n_frames
        Frames of one period, from the first frame to its repetition.
    closed
        Whether the last row of the clip repeats the first; else that row is left out.
    step
        Ground motion of one round; the identity if the clip stays in place.
    gap
        Radians, for a closed cycle: the largest rotation of a joint between last and first row. A gap above `ROUNDING`
        is spread over the cycle when it is repeated.
    """

    n_frames: int
    closed: bool
    step: PlanarMotion
    gap: float = 0.0


@lru_cache(maxsize=256)
def find_period(clip: Clip) -> Period | None:
    """Return the period of a clip that is exactly one cycle, or several rounds of one.

    A file that declares that it wraps, as DeepMimic's do, may have a larger gap between its ends.

    Parameters
    ----------
    clip
        Any clip; legs need not be known.

    Returns
    -------
    Period or None
        None for all other clips and for a still pose.

    Examples
    --------
    >>> import segue
    >>> walk = segue.sample("walk")
    >>> stride = segue.loop(walk).clip
    >>> find_period(stride).n_frames == stride.n_frames - 1
    True
    >>> find_period(segue.sample("start")) is None
    True
    """
    n = clip.n_frames
    if n < _FEWEST or n < _BRIEFEST * clip.fps:
        return None
    near = _steps_at_the_ends(clip.rotations)
    gap = _apart(clip.rotations[-1], clip.rotations[0])
    rise = abs(float(clip.root_positions[-1, 1] - clip.root_positions[0, 1]))
    stated = _states_a_loop(clip) and _size(gap) <= _STATED
    # Checked first, because it costs little and rejects nearly every captured clip.
    if not stated and _size(gap) > 3.0 * max(*near, ROUNDING):
        return None
    steps, usual = _steps(clip.rotations), float(np.median(near))
    # A hold is no cycle; a file that declares that it wraps is accepted as one cycle (decision 111).
    if _is_still(clip) or (not stated and _stops(steps, clip.fps)):
        return None
    largest = max(float(np.linalg.norm(gap, axis=-1).max()), rise)
    closed = Period(n - 1, closed=True, step=_from_first_to_last(clip), gap=largest)
    if stated:
        return closed
    repeats = _repeats(gap, rise, usual, clip) and _goes_on(steps)
    if repeats and largest <= ROUNDING:
        return closed
    open_ended, miss = _left_out(clip, steps, usual)
    # Both forms may fit a cycle that ends slowly: choose "left out" only if it fits clearly better.
    return closed if repeats and not miss < 0.5 * _size(gap) else open_ended


def unrolled(clip: Clip, *, seconds: float) -> Clip:
    """Repeat a cyclic clip until it lasts at least a number of seconds; it ends with its first pose.

    Position and heading advance by the ground motion of each round. No frame is duplicated: the last row of a closed
    cycle is left out of every round. Origin frames are those of the clip, modulo the period, which the origin states.

    Parameters
    ----------
    clip
        One cycle (`find_period`).
    seconds
        Minimum duration. A clip that lasts as long is returned unchanged.

    Raises
    ------
    SettingError
        If the clip is no cycle, or ``seconds`` is not a positive number.

    Examples
    --------
    >>> import segue
    >>> stride = segue.loop(segue.sample("walk")).clip
    >>> stride.n_frames, unrolled(stride, seconds=3).n_frames
    (67, 199)
    """
    if not 0 < seconds < np.inf:
        msg = f"clip {clip.name!r} cannot be played for {seconds} s; give a positive number of seconds"
        raise SettingError(msg)
    period = find_period(clip)
    if period is None:
        msg = f"clip {clip.name!r} is not exactly one cycle: its end does not lead to its beginning; loop it first"
        raise SettingError(msg)
    if clip.seconds >= seconds:
        return clip
    return rounds(clip, period, times=int(np.ceil(seconds * clip.fps / period.n_frames - 1e-9)))


def rounds(clip: Clip, period: Period, *, times: int) -> Clip:
    """Repeat a clip of a known period a number of times, and append its first pose.

    Examples
    --------
    >>> import segue
    >>> stride = segue.loop(segue.sample("walk")).clip
    >>> rounds(stride, find_period(stride), times=2).origin.periods
    (66.0,)
    """
    around, rows = np.divmod(np.arange(times * period.n_frames + 1), period.n_frames)
    rotations, roots = _cycle(clip, period)
    turns, shifts = partial_motion(period.step, around.astype(np.float64))
    rotations, roots = moved(rotations[rows], roots[rows], turns, shifts)
    return clip.with_motion(rotations, roots, origin=_origin(clip, period, rows))


def played_on(clip: Clip, *, seconds: float = LEAST) -> Clip:
    """Return a cyclic clip `unrolled` to a minimum duration in seconds, and any other clip unchanged.

    Examples
    --------
    >>> import segue
    >>> start = segue.sample("start")
    >>> played_on(start, seconds=60) is start
    True
    """
    return clip if period_played(clip, seconds=seconds) is None else unrolled(clip, seconds=seconds)


def period_played(clip: Clip, *, seconds: float = LEAST) -> Period | None:
    """Return the period of a clip that `played_on` repeats, or None for one that it leaves unchanged.

    Examples
    --------
    >>> import segue
    >>> stride = segue.loop(segue.sample("walk")).clip
    >>> period_played(stride).n_frames, period_played(stride, seconds=1)
    (66, None)
    """
    return find_period(clip) if clip.seconds < seconds else None


def ends_apart(clip: Clip) -> float:
    """Return how far the pose of the last row is from the first, in frame-to-frame steps near the ends of the clip.

    Examples
    --------
    >>> import segue
    >>> ends_apart(segue.loop(segue.sample("walk")).clip) < 1e-6
    True
    """
    usual = float(np.median(_steps_at_the_ends(clip.rotations)))
    return _size(_apart(clip.rotations[-1], clip.rotations[0])) / max(usual, ROUNDING)


def in_first_round(clip: Clip) -> Ints:
    """Return for each frame the frame (F,) of the first round with the same moment; itself if there are no rounds.

    Examples
    --------
    >>> import segue
    >>> in_first_round(unrolled(segue.loop(segue.sample("walk")).clip, seconds=2))[[65, 66, 67]].tolist()
    [65, 0, 1]
    """
    frames = np.arange(clip.n_frames)
    if len(clip.origin.periods) != 1 or not clip.origin.periods[0]:
        return frames
    steps = steps_round(np.diff(clip.origin.frame[:, 0]), clip.origin.period_of(clip.origin.clip[1:, 0]))
    length = clip.origin.periods[0] / float(np.median(steps))
    out: Ints = np.floor(np.mod(frames + 1e-6, length)).astype(np.int64)
    return out


def _cycle(clip: Clip, period: Period) -> tuple[Quaternions, Positions]:
    """Return the frames of one round; a gap between its ends above rounding is spread over it."""
    if period.gap <= ROUNDING:
        return clip.rotations, clip.root_positions
    rotations, roots, _ = closed_frames(clip, 0, period.n_frames)
    return rotations, roots


def _origin(clip: Clip, period: Period, rows: np.ndarray) -> Origin:
    """Origin of unrolled frames: the clip's source, if it is one source with frames from 0, else the clip itself."""
    given = clip.origin
    if any(given.periods):  # already repeated
        return given.take(rows)
    first = given.frame[:, 0]
    one = not np.any(given.clip[:, 0]) and bool(np.all(given.clip[:, 1] < 0))
    if not (one and len(given.clips) == 1 and first[0] == 0 and bool(np.all(np.diff(first) > 0))):
        given = Origin.of(clip.name, clip.n_frames)
        first = given.frame[:, 0]
    length = float(first[-1]) if period.closed else float(2 * first[-1] - first[-2])
    taken = given.take(rows)
    return Origin(taken.clips, taken.clip, frozen(taken.frame), taken.weight, (length,))


def _states_a_loop(clip: Clip) -> bool:
    """Return whether the clip is a complete file that declares that it wraps."""
    extra = {} if clip.source is None else clip.source.extra
    return extra.get("loop") == "wrap" and extra.get("loop_frames") == clip.n_frames


def _steps(rotations: Quaternions) -> Floats:
    """Rotation vectors (F-1, J, 3) in radians from each frame to the next, in the joint's own frame."""
    return _turns(rotations[:-1], rotations[1:])


def _steps_at_the_ends(rotations: Quaternions) -> list[float]:
    """Return the sizes of the first three and the last three steps."""
    edges = [_steps(rotations[rows]) for rows in (slice(0, 4), slice(-4, None))]
    return [_size(step) for steps in edges for step in steps]


def _turns(q: Quaternions, other: Quaternions) -> Floats:
    """Rotation vectors (..., 3) in radians from one pose to another, in the joint's own frame."""
    return 2.0 * log(multiply(conjugate(q), other))


def _apart(q: Quaternions, other: Quaternions) -> Floats:
    """Rotation vectors (J, 3) in radians from one pose (J, 4) to another, after aligning their headings."""
    turn = yaw(multiply(other[0], conjugate(q[0])))
    turned = np.array(q)
    turned[0] = multiply(from_yaw(turn), q[0])
    return _turns(turned, other)


def _size(turns: Floats) -> float:
    """Root mean square in radians of the rotation vectors (J, 3) of all joints."""
    return float(np.sqrt(np.mean(np.sum(turns**2, axis=-1))))


def _is_still(clip: Clip) -> bool:
    level = float(np.ptp(clip.root_positions[:, 1])) < _STILL_RISE
    return level and all(
        float(np.linalg.norm(_apart(clip.rotations[0], pose), axis=-1).max()) < _STILL_TURN
        for pose in clip.rotations
    )


def _repeats(gap: Floats, rise: float, near: float, clip: Clip) -> bool:
    """Return whether the last row repeats the first: to a fraction of a step, or within rounding."""
    rises = np.abs(np.diff(clip.root_positions[:, 1]))
    level = rise <= max(ROUNDING, _CLOSED * float(np.median(rises)))
    return level and (_size(gap) <= _CLOSED * near or float(np.linalg.norm(gap, axis=-1).max()) <= ROUNDING)


def _stops(steps: Floats, fps: float) -> bool:
    """Return whether one end stands while the other moves, such as a walk that ends in a hold of its first pose."""
    n = max(round(_PACE_SECONDS * fps), 2)
    slow, fast = sorted(
        fps * float(np.median([_size(step) for step in part])) for part in (steps[:n], steps[-n:])
    )
    return fast >= _PACE and slow <= _STOPS * fast


def _goes_on(steps: Floats) -> bool:
    """Return whether the change of speed across the wrap of a closed cycle is no larger than elsewhere in it."""
    return _size(steps[0] - steps[-1]) <= _JERK * _changes(steps) + ROUNDING


def _from_first_to_last(clip: Clip) -> PlanarMotion:
    """Ground motion that carries the first row to the last."""
    q, p = clip.rotations[:, 0], clip.root_positions
    return _ground(float(yaw(multiply(q[-1], conjugate(q[0])))), p[0], p[-1])


def _ground(turn: float, start: Floats, end: Floats) -> PlanarMotion:
    """Ground motion that turns and moves ``start`` to ``end``; the identity if it is within rounding."""
    if abs(turn) <= ROUNDING:
        turn = 0.0
    away = end - PlanarMotion(turn).apply(start)
    if turn == 0.0 and np.hypot(away[0], away[2]) <= 5 * ROUNDING:
        return PlanarMotion()
    return PlanarMotion(turn, float(away[0]), float(away[2]))


def _left_out(clip: Clip, steps: Floats, usual: float) -> tuple[Period | None, float]:
    """Return the period of a clip whose last row leads to its first, and the error of the step across the wrap.

    None and infinity if it does not lead there.
    """
    nothing = None, np.inf
    first, last = steps[0], steps[-1]
    mean = 0.5 * (first + last)
    q, p = clip.rotations[:, 0], clip.root_positions
    turn = float(yaw(multiply(multiply(q[-1], exp(0.5 * mean[0])), conjugate(q[0]))))
    if abs(turn) <= max(ROUNDING, 0.5 * float(np.linalg.norm(mean[0]))):
        turn = 0.0
    again = np.array(clip.rotations[0])
    again[0] = multiply(from_yaw(turn), again[0])
    across = _turns(clip.rotations[-1], again)
    miss = min(_size(across - step) for step in (first, last, mean))
    # Cap by the usual step: a first row in another pose makes the end step too large to compare with.
    if miss > _LEADS * min(max(_size(first), _size(last)), 2.0 * usual):
        return nothing
    if _changes(np.concatenate([steps[-2:], across[None], steps[:2]])) > _JERK * _changes(steps) + ROUNDING:
        return nothing
    if abs(p[0, 1] - p[-1, 1]) > max(10 * ROUNDING, 1.5 * float(np.abs(np.diff(p[:, 1])).max())):
        return nothing
    ahead = 0.5 * (p[-1] - p[-2] + PlanarMotion(turn).apply(p[1] - p[0]))
    beside = (PlanarMotion(turn).apply(p[0]) - p[-1] - ahead) * [1.0, 0.0, 1.0]
    pace = float(np.hypot(ahead[0], ahead[2]))
    stays = turn == 0.0 and float(np.linalg.norm(beside)) <= max(5 * ROUNDING, 0.5 * pace)
    step = PlanarMotion() if stays else _ground(turn, p[0], p[-1] + ahead)
    return Period(clip.n_frames, closed=False, step=step), miss


def _changes(steps: Floats) -> float:
    """Largest change of speed between successive steps (S, J, 3)."""
    return float(np.sqrt(np.mean(np.sum(np.diff(steps, axis=0) ** 2, axis=-1), axis=-1)).max())
