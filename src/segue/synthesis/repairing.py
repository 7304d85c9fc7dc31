"""Repair flagged glitches and dropouts from the frames around them.

Only the joints that a fault names are changed, and only in its frames. Between the last sound frame before a fault
and the first after it a rotation follows a Bezier curve on the sphere (Shoemake 1985) whose end velocities are those
of the joint before and after. Where the root was displaced, its position follows the corresponding cubic.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from segue.arrays import Bools, Floats, Positions, Quaternions, sealed
from segue.errors import SettingError
from segue.maths.quaternions import conjugate, exp, log, multiply, slerp, unroll
from segue.motion.clip import Clip
from segue.motion.fault import Fault
from segue.motion.faults import find_faults
from segue.motion.flags import runs
from segue.summaries import one_line

LONGEST = 0.75
"""Seconds: longer faults are not repaired, because the motion in them cannot be inferred."""
MENDED = ("dropout", "glitch", "held")
"""Kinds of faults that neighbouring frames can repair; rest poses and frozen ends are no part of the motion."""
_LOOK = 5  # steps on either side from which a joint's velocity is estimated, at most
_CARRIED = 0.1  # of the body's size: a root this far from the curve was displaced


@one_line
@dataclass(frozen=True, eq=False)
class Repaired:
    """A motion with its faults repaired.

    Parameters
    ----------
    clip
        The motion; everything but the named joints in the named frames is unchanged, bit for bit.
    mended
        Faults that were repaired.
    left
        Faults that were not, and why.
    """

    clip: Clip
    mended: tuple[Fault, ...]
    left: tuple[tuple[Fault, str], ...]


def repair(clip: Clip, *, longest: float = LONGEST) -> Repaired:
    """Repair glitches, dropouts and held joints from the neighbouring frames.

    Parameters
    ----------
    clip
        Any motion.
    longest
        Seconds up to which a fault is repaired.

    Raises
    ------
    SettingError
        If the seconds are not 0.01 to 10.

    Examples
    --------
    >>> import segue
    >>> walk = segue.sample("walk")
    >>> broken = walk.rotations.copy()
    >>> broken[100, walk.skeleton.index("LeftArm")] = [0, 1, 0, 0]
    >>> done = repair(walk.with_motion(broken))
    >>> [(fault.kind, fault.joints) for fault in done.mended], len(segue.find_faults(done.clip))
    ([('glitch', ('LeftArm',))], 0)
    """
    if not 0.01 <= longest <= 10.0:
        msg = f"faults of up to {longest:g} s cannot be repaired; choose 0.01 to 10"
        raise SettingError(msg)
    mended: list[Fault] = []
    left: list[tuple[Fault, str]] = []
    for fault in find_faults(clip).found:
        if fault.severity == "unusable":
            why = _why_not(fault, clip, longest)
            if why:
                left.append((fault, why))
            else:
                mended.append(fault)
    made = _bridged(clip, mended)
    still = [fault for fault in mended if _is_still_there(fault, made)]
    if still:
        left += [(fault, "the frames on both sides do not fit together") for fault in still]
        mended = [fault for fault in mended if fault not in still]
        made = _bridged(clip, mended)
    return Repaired(made, tuple(mended), tuple(left))


def _bridged(clip: Clip, faults: Sequence[Fault]) -> Clip:
    """Clip with the joints of some faults filled in; the same clip where there are no faults."""
    if not faults:
        return clip
    mask = np.zeros((clip.n_frames, clip.skeleton.n_joints), dtype=bool)
    for fault in faults:
        joints = [clip.skeleton.index(name) for name in fault.joints] or list(range(clip.skeleton.n_joints))
        mask[fault.start : fault.stop, joints] = True
    rotations, roots = np.array(clip.rotations), np.array(clip.root_positions)
    for joint in np.flatnonzero(mask.any(axis=0)):
        rotations[:, joint] = bridged_turns(clip.rotations[:, joint], mask[:, joint])
    carried = _carried_off(clip, mask)
    if carried.any():
        roots = bridged_places(roots, carried)
    return clip.with_motion(sealed(rotations), sealed(roots))


def _is_still_there(fault: Fault, made: Clip) -> bool:
    """Whether a joint of a fault is still faulty in its frames."""
    return any(
        other.severity == "unusable"
        and other.start < fault.stop
        and fault.start < other.stop
        and (not fault.joints or not other.joints or bool(set(fault.joints) & set(other.joints)))
        for other in find_faults(made).found
    )


def bridged_turns(turns: Quaternions, faulty: Bools) -> Quaternions:
    """Return rotations (F, 4) with flagged frames (F,) filled in; flagged frames at either end stay as they are.

    Examples
    --------
    >>> import numpy as np
    >>> half = np.linspace(0.0, 0.4, 9)
    >>> turns = np.column_stack([np.cos(half), np.sin(half), 0 * half, 0 * half])
    >>> broken = np.where((np.arange(9) == 4)[:, None], [0, 0, 1.0, 0], turns)
    >>> bool(np.allclose(bridged_turns(broken, np.arange(9) == 4), turns))
    True
    """
    out = np.array(turns)
    for start, stop in _inner(faulty):
        look = min(max((stop - start) // 3, 1), _LOOK)
        first, last = out[start - 1], turns[stop]
        before, after = _sound(faulty, start - 1, -look), _sound(faulty, stop, look)
        came = 2.0 * log(multiply(conjugate(out[start - 1 - before]), first)) / max(before, 1)
        goes = 2.0 * log(multiply(conjugate(last), turns[stop + after])) / max(after, 1)
        gap = stop - start + 1
        if not before or not after:  # the velocity is known on one side only, or on none
            chord = 2.0 * log(multiply(conjugate(first), last)) / gap
            came, goes = (came if before else chord), (goes if after else chord)
        t = np.arange(1, gap) / gap
        curve = _bezier(
            [first, multiply(first, exp(came * gap / 6.0)), multiply(last, exp(-goes * gap / 6.0)), last], t
        )
        out[start:stop] = unroll(np.concatenate([first[None], curve]))[1:]
    return out


def bridged_places(places: Positions, faulty: Bools) -> Positions:
    """Return places (F, 3) with flagged frames (F,) filled in along a cubic; flagged frames at either end stay."""
    out = np.array(places)
    for start, stop in _inner(faulty):
        look = min(max((stop - start) // 3, 1), _LOOK)
        first, last = out[start - 1], places[stop]
        before, after = _sound(faulty, start - 1, -look), _sound(faulty, stop, look)
        gap = stop - start + 1
        chord = (last - first) / gap
        came = (first - out[start - 1 - before]) / before if before else chord
        goes = (places[stop + after] - last) / after if after else chord
        t = (np.arange(1, gap) / gap)[:, None]
        inner = [first, first + came * gap / 3.0, last - goes * gap / 3.0, last]
        weights = [(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3]
        out[start:stop] = sum(weight * point for weight, point in zip(weights, inner, strict=True))
    return out


def _why_not(fault: Fault, clip: Clip, longest: float) -> str:
    """Why a fault cannot be repaired; empty where it can."""
    if fault.kind not in MENDED:
        return "is not a gap in the motion; cut these frames off"
    if fault.start == 0 or fault.stop >= clip.n_frames:
        return "is at an end of the clip: there are frames on one side only"
    seconds = (fault.stop - fault.start) / clip.fps
    if seconds > longest:
        return f"lasts {seconds:.2g} s; faults longer than {longest:g} s cannot be repaired"
    return ""


def _inner(faulty: Bools) -> list[tuple[int, int]]:
    return [(start, stop) for start, stop in runs(faulty) if start > 0 and stop < len(faulty)]


def _sound(faulty: Bools, frame: int, reach: int) -> int:
    """Number of consecutive sound frames next to ``frame``, forwards or backwards, at most ``reach``."""
    step, count = (1 if reach > 0 else -1), 0
    while count < abs(reach):
        there = frame + step * (count + 1)
        if not 0 <= there < len(faulty) or faulty[there]:
            break
        count += 1
    return count


def _bezier(points: Sequence[Quaternions], t: Floats) -> Quaternions:
    """De Casteljau's construction on the sphere: (N, 4) at parameters ``t`` (N,)."""
    curves = [np.broadcast_to(point, (len(t), 4)) for point in points]
    while len(curves) > 1:
        curves = [slerp(a, b, t) for a, b in itertools.pairwise(curves)]
    return curves[0]


def _carried_off(clip: Clip, mask: Bools) -> Bools:
    """Flags (F,) of faulty frames in which the root is off the curve through the frames around."""
    size = max(float(np.ptp(clip.skeleton.rest_positions(), axis=0).max()), 1e-9)
    out = np.zeros(clip.n_frames, dtype=bool)
    every: Bools = np.asarray(mask.any(axis=1), dtype=np.bool_)
    led = bridged_places(np.array(clip.root_positions), every)
    away = np.linalg.norm(led - clip.root_positions, axis=1)
    for start, stop in _inner(every):
        out[start:stop] = away[start:stop].max() > _CARRIED * size
    return out
