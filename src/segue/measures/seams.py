"""Measure seams: whether a joint rotates or accelerates harder at a join than in the motions joined.

For each seam and joint the largest angular speed (local rotation, rad/s) and the largest world acceleration (m/s^2)
over the blended frames and one frame to either side are compared with the largest of the same joint within half a
second of the join in both sources.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TypeAlias

import numpy as np

from segue.arrays import Bools, Floats, Ints, Positions, Quaternions, frozen
from segue.errors import SettingError
from segue.maths.quaternions import half_angle
from segue.motion.clip import Clip, Origin, frames_round, steps_round
from segue.motion.kinematics import world_positions
from segue.settings import SeamBounds

SOURCE_SECONDS = 0.5
"""Seconds of the sources before and after the join that are compared."""
_ROUNDING = 1e-6  # frames

SourceRows: TypeAlias = Sequence[tuple[Clip, int]]
"""Sources of both motions that meet at a seam, each with a row."""
_LEAST_ACCELERATION = 1e-3  # m/s^2; keeps the ratio finite for a joint that rests in both sources


@dataclass(frozen=True, eq=False)
class Seam:
    """One join of a made motion.

    Frames ``start`` to ``stop`` (half open) are blended; they are equal at a hard cut. Speeds (J,) in rad/s,
    accelerations (J,) in m/s^2.
    """

    start: int
    stop: int
    seconds: float
    a_clip: str
    a_frame: float
    b_clip: str
    b_frame: float
    speed: Floats
    source_speed: Floats
    acceleration: Floats
    source_acceleration: Floats

    def __repr__(self) -> str:
        clips = f"{self.a_clip!r} to {self.b_clip!r}"
        return f"<Seam at {self.seconds:.2f} s, {clips}, {self.stop - self.start} frames blended>"

    def speed_share(self, bounds: SeamBounds) -> Floats:
        """Return angular speed (J,) over its limit; up to 1 is within."""
        out: Floats = self.speed / (bounds.speed_factor * self.source_speed + bounds.speed_extra)
        return out

    @property
    def acceleration_ratio(self) -> Floats:
        """World acceleration (J,) over the sources' own."""
        return acceleration_ratios(self.acceleration, self.source_acceleration)

    def badness(self, bounds: SeamBounds) -> float:
        """Return the worst joint's share of the bounds of speed or acceleration: 1 is just within."""
        worst = float(np.max(self.acceleration_ratio)) / bounds.acceleration_factor
        return max(float(np.max(self.speed_share(bounds))), worst)

    def excess(self, bounds: SeamBounds) -> Floats:
        """Return each joint's (J,) speed or acceleration beyond the sources', over what the bounds allow beyond them.

        0 or less: no more than in the sources; 1: just within bounds. The larger of speed and acceleration.
        """
        return excess((self.speed, self.source_speed), (self.acceleration, self.source_acceleration), bounds)


def excess(speed: tuple[Floats, Floats], acceleration: tuple[Floats, Floats], bounds: SeamBounds) -> Floats:
    """Return speed and acceleration (..., J) of a seam beyond its sources', over what bounds allow beyond them."""
    made, source = speed
    room = (bounds.speed_factor - 1.0) * source + bounds.speed_extra
    turning = (made - source) / np.maximum(room, _LEAST_ACCELERATION)
    ratio = (acceleration_ratios(*acceleration) - 1.0) / max(bounds.acceleration_factor - 1.0, 1e-3)
    out: Floats = np.maximum(turning, ratio)
    return out


def acceleration_ratios(made: Floats, source: Floats) -> Floats:
    """Return accelerations over the sources', guarded where a joint rests in both sources."""
    out: Floats = made / np.maximum(source, _LEAST_ACCELERATION)
    return out


def angular_speeds(rotations: Quaternions, fps: float) -> Floats:
    """Return angular speeds (..., F-1, J) in rad/s between successive frames of local rotations (..., F, J, 4)."""
    return 2.0 * fps * half_angle(rotations[..., :-1, :, :], rotations[..., 1:, :, :])


def accelerations(positions: Positions, fps: float) -> Floats:
    """Return world accelerations (..., F-2, J) in m/s^2 at all frames but the first and last of (..., F, J, 3)."""
    second = positions[..., 2:, :, :] - 2.0 * positions[..., 1:-1, :, :] + positions[..., :-2, :, :]
    out: Floats = np.linalg.norm(second, axis=-1) * fps**2
    return out


@lru_cache(maxsize=128)
def source_peaks(clip: Clip) -> Floats:
    """Return largest angular speed and acceleration (2, F, J) within half a second of each frame of a source."""
    from scipy.ndimage import maximum_filter1d

    each = np.zeros((2, clip.n_frames, clip.skeleton.n_joints))
    each[0, 1:] = angular_speeds(clip.rotations, clip.fps)
    if clip.n_frames > 2:
        each[1, 1:-1] = accelerations(world_positions(clip), clip.fps)
    return frozen(maximum_filter1d(each, 2 * round(SOURCE_SECONDS * clip.fps) + 1, axis=1, mode="constant"))


def seam_ranges(origin: Origin) -> list[tuple[int, int]]:
    """Return frame ranges [start, stop) of every blend, and (k, k) of every hard cut before frame k."""
    pair, frame = origin.clip, origin.frame
    same, more = pair[1:] == pair[:-1], frame[1:] - frame[:-1]
    if origin.periods:  # a cyclic source continues across the end of its cycle
        more = np.where(same, steps_round(more, origin.period_of(pair[1:])), more)
    blended = pair[:, 1] >= 0
    alone = ~(blended[1:] | blended[:-1])[:, None]
    step = _steps(pair[1:], same, more, alone, len(origin.clips))
    expected = step[pair[:-1]]
    # Within a blend a side may slow down to a stop and catch up again.
    near = np.where(blended[:-1, None], 1.05, 0.5) * np.maximum(expected, 1e-9)
    on, just = np.abs(more - expected) < near, more == expected
    goes_on = same[:, 0] & same[:, 1] & ((on[:, 0] & on[:, 1]) | (just[:, 0] & just[:, 1]))
    breaks = (~goes_on).nonzero()[0] + 1
    edges = [0, *breaks.tolist(), len(pair)]
    ranges = []
    for k, (start, stop) in enumerate(itertools.pairwise(edges)):
        if blended[start]:
            ranges.append((start, stop))
        elif k > 0 and not blended[start - 1]:
            ranges.append((start, start))
    return ranges


def _steps(pair: Ints, along: Bools, moves: Floats, alone: Bools, count: int) -> Floats:
    """Source frames (count + 1,) that each clip advances per frame of the motion; 0 for no clip, -1.

    ``pair`` (F, 2) are the sources of frames, ``along`` flags sources equal to those of the previous frame, ``moves``
    is how far they advanced since, ``alone`` flags unblended frames: in a blend a clip may be played slower.
    """
    steps = np.array([1.0] * count + [0.0])
    for number in range(count):
        here = along & (pair == number)
        unblended = moves[here & alone]
        if unblended.size > 1 and (unblended == unblended[0]).all():  # as most clips play
            steps[number] = unblended[0]
            continue
        mine = moves[here]
        if unblended.size > 1 and _repeats(unblended.round(6)):
            mine = unblended
        if mine.size:
            # The commonest step, on a tie the smallest: in short pieces jumps are as frequent as steps.
            moving = mine[mine != 0]
            mine = moving if moving.size else mine
            rounded = mine.round(6)
            usual = rounded[len(mine) // 2]
            if 2 * np.count_nonzero(rounded == usual) <= len(mine):  # otherwise no other is as common
                values, counts = np.unique(rounded, return_counts=True)
                commonest = values[counts == counts.max()]
                usual = commonest[np.argmin(np.abs(commonest))]
            steps[number] = mine[np.argmin(np.abs(mine - usual))]
    return steps


def _repeats(values: Floats) -> bool:
    """Whether any value occurs twice."""
    # Fast path: most often the middle value occurs twice.
    in_the_middle = np.count_nonzero(values == values[len(values) // 2])
    return bool(in_the_middle > 1) or len(np.unique(values)) < len(values)


def seams(
    clip: Clip, sources: Sequence[Clip], *, ranges: Sequence[tuple[int, int]] | None = None
) -> list[Seam]:
    """Measure every seam of a made motion.

    Parameters
    ----------
    clip
        The made motion; its origin locates the seams.
    sources
        The clips it was made from, on its skeleton and at its frame rate, untouched otherwise.
    ranges
        Frame ranges [start, stop) of the seams; by default found in the origin (`seam_ranges`).

    Raises
    ------
    SettingError
        If a source named by the origin is missing, or has another rate or number of joints.
    """
    ranges = seam_ranges(clip.origin) if ranges is None else ranges
    ends = [seam_ends(clip.origin, start, stop) for start, stop in ranges]
    rows = source_ends(clip, sources, ranges)
    source_speed, source_acceleration = at_ends(source_peaks, rows, clip.skeleton.n_joints)
    speed, acceleration = joint_motion(clip, ranges)
    return [
        Seam(
            start,
            stop,
            0.5 * (start + max(stop - 1, start)) / clip.fps,
            *ends[k][0],
            *ends[k][1],
            speed[k],
            source_speed[k],
            acceleration[k],
            source_acceleration[k],
        )
        for k, (start, stop) in enumerate(ranges)
    ]


def joint_motion(
    clip: Clip, ranges: Sequence[tuple[int, int]], *, positions: Positions | None = None
) -> tuple[Floats, Floats]:
    """Return largest angular speed and acceleration (S, J) of each joint at seams [start, stop) of a made motion.

    Pass world positions (F, J, 3) if they are known already.
    """
    from segue.measures import _kernels

    positions = world_positions(clip) if positions is None else positions
    peaks = np.zeros((2, len(ranges), clip.skeleton.n_joints))
    _kernels.seam_peaks(
        clip.rotations, positions, np.array(ranges, dtype=np.int64).reshape(-1, 2), clip.fps, peaks
    )
    return peaks[0], peaks[1]


def source_ends(clip: Clip, sources: Sequence[Clip], ranges: Sequence[tuple[int, int]]) -> list[SourceRows]:
    """Return both sources at seams [start, stop), and the row of each nearest to where they meet.

    Raises
    ------
    SettingError
        If a source named by the origin is missing, or has another rate or number of joints.
    """
    by_name = sources_by_name(clip, sources)
    _check_alike(clip, by_name)
    return [
        [
            (by_name[name], int(source_rows(by_name[name], name, np.array([frame]))[0]))
            for name, frame in seam_ends(clip.origin, start, stop)
        ]
        for start, stop in ranges
    ]


def at_ends(peaks: Callable[[Clip], Floats], ends: Sequence[SourceRows], count: int) -> Floats:
    """Return the larger of both sources' speed and acceleration (2, S, K) at S seams, from peaks (2, F, K)."""
    out, known = np.zeros((2, len(ends), count)), cache(peaks)
    for k, both in enumerate(ends):
        for source, row in both:
            out[:, k] = np.maximum(out[:, k], known(source)[:, row])
    return out


def seam_ends(origin: Origin, start: int, stop: int) -> list[tuple[str, float]]:
    """Return source name and frame of both motions where they meet."""
    if stop > start:
        row = start + max((stop - start) // 2 - 1, 0)
        return [(origin.clips[origin.clip[row, k]], float(origin.frame[row, k])) for k in (0, 1)]
    return [(origin.clips[origin.clip[row, 0]], float(origin.frame[row, 0])) for row in (start - 1, start)]


def sources_by_name(clip: Clip, sources: Sequence[Clip]) -> dict[str, Clip]:
    """Return the source for every name in the origin of a made motion.

    Raises
    ------
    SettingError
        If one is missing.
    """
    found = {name: source for source in sources for name in _names_shown(source)}
    numbers = np.bincount(clip.origin.clip.ravel() + 1)[1:].nonzero()[0]
    used = {clip.origin.clips[k] for k in numbers}
    missing = sorted(used - found.keys())
    if missing:
        msg = f"motion {clip.name!r} was made from {', '.join(missing)}, not among the sources given"
        raise SettingError(msg)
    return {name: found[name] for name in used}


def source_rows(source: Clip, name: str, frames: Floats) -> Ints:
    """Return rows (K,) of a source nearest to frames (K,) of the clip ``name``: itself, or one it was made from.

    For a source that repeats a cycle these are rows of a middle round, so that the motion before and after them is
    included.
    """
    order, known = _in_order(source, name)
    frames = frames_round(frames, source.origin.period_of(source.origin.clips.index(name)))
    after = np.minimum(np.maximum(known.searchsorted(frames), 1), max(len(known) - 1, 1))
    before = after - 1
    after = np.minimum(after, len(known) - 1)
    nearer = np.where(frames - known[before] <= known[after] - frames, before, after)
    return np.asarray(order[nearer])


@lru_cache(maxsize=256)
def _in_order(source: Clip, name: str) -> tuple[Ints, Floats]:
    """Rows (N,) of a source that show a clip, ordered by its frames, and these frames (N,)."""
    number, frame = _shown(source)
    index = source.origin.clips.index(name)
    mine = np.flatnonzero(number == index)
    period = float(source.origin.period_of(index))
    if period:
        return _middle_round(mine, frame[mine], period)
    order = mine[np.argsort(frame[mine], kind="stable")]
    return order, frame[order]


def _middle_round(rows: Ints, frames: Floats, period: float) -> tuple[Ints, Floats]:
    """Rows (N,) that show a cycle once, nearest to the middle, sorted by their frames (N,), which may exceed its ends.

    The first and the last moment are repeated a period later and earlier, because a frame between them is near both.
    """
    going = np.concatenate([[0.0], np.cumsum(steps_round(np.diff(frames), np.full(len(frames) - 1, period)))])
    early = (going[-1] - period) / 2
    once = np.flatnonzero((going >= early - _ROUNDING) & (going < early + period - _ROUNDING))
    once = once if once.size else np.arange(len(rows))
    # A period that is not an integer number of rows leaves a gap at the end of the round: the next row is in it.
    gap = period - (going[once[-1]] - going[once[0]])
    if once[-1] + 1 < len(rows) and gap > 1.01 * (going[once[-1] + 1] - going[once[-1]]):
        once = np.append(once, once[-1] + 1)
    order = once[np.argsort(frames[once], kind="stable")]
    found, known = rows[order], frames[order]
    return (
        np.concatenate([found[-1:], found, found[:1]]),
        np.concatenate([known[-1:] - period, known, known[:1] + period]),
    )


@lru_cache(maxsize=256)
def _names_shown(source: Clip) -> tuple[str, ...]:
    """Clips that have the largest weight in any frame of a source."""
    return tuple(source.origin.clips[k] for k in np.unique(_shown(source)[0]))


def _shown(source: Clip) -> tuple[Ints, Floats]:
    """Clip (F,) of the largest weight in each frame of a source, and its frame (F,)."""
    origin, every = source.origin, np.arange(source.n_frames)
    heavier = np.argmax(origin.weight, axis=1)
    return origin.clip[every, heavier], origin.frame[every, heavier]


def _check_alike(clip: Clip, sources: dict[str, Clip]) -> None:
    for name, source in sources.items():
        if source.fps != clip.fps or source.skeleton.n_joints != clip.skeleton.n_joints:
            msg = (
                f"source {name!r} has {source.fps} fps and {source.skeleton.n_joints} joints, the motion "
                f"{clip.fps} fps and {clip.skeleton.n_joints}: bring the source to the motion's skeleton and rate"
            )
            raise SettingError(msg)
