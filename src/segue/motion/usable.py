"""Which frames of a clip hold motion: those to be played, and those that tell where the feet are."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from segue.arrays import Bools, frozen
from segue.motion.clip import Clip
from segue.motion.fault import Fault
from segue.motion.flags import runs
from segue.motion.frame_faults import frame_faults
from segue.motion.resample import cut
from segue.motion.roles import roles

_STANDING = {"frozen", "held", "cut"}
"""Kinds of faults in whose frames the body is where the motion has it."""
_EVEN = 1e-6  # frames by which steps of one stretch may differ


@lru_cache(maxsize=256)
def faults_of_frames(clip: Clip) -> tuple[Fault, ...]:
    """Faults of single frames and stretches, `segue.motion.frame_faults`, found once a clip."""
    return tuple(frame_faults(clip))


def unusable_frames(clip: Clip) -> Bools:
    """Flags (F,) of frames that are neither to be played nor blended.

    Examples
    --------
    >>> import segue
    >>> int(unusable_frames(segue.sample("walk")).sum())
    0
    """
    out = np.zeros(clip.n_frames, dtype=bool)
    for fault in faults_of_frames(clip):
        if fault.severity == "unusable":
            out[fault.start : fault.stop] = True
    return frozen(out, np.bool_)


@lru_cache(maxsize=256)
def sound_frames(clip: Clip) -> Bools:
    """Flags (F,) of frames that tell where the feet and the ground are.

    Not those in which the whole body, the root or a leg is anywhere else; an arm may be. A body that is frozen is where
    the motion has it, unless it jumps there or away: zeros of all joints stand still as well. A motion made of several
    stretches is taken as it is: what its sources had wrong was left out, and a seam is no fault of its frames. So is a
    clip of which no frame is left.

    Examples
    --------
    >>> import segue
    >>> bool(sound_frames(segue.sample("walk")).all())
    True
    """
    out = np.ones(clip.n_frames, dtype=bool)
    if _is_one_stretch(clip):
        legs = _legs(clip)
        for fault in faults_of_frames(clip):
            unsound = fault.severity == "unusable" and fault.kind not in _STANDING
            if unsound and (not fault.joints or not legs.isdisjoint(fault.joints)):
                out[fault.start : fault.stop] = False
        for fault in faults_of_frames(clip):
            beside = out[max(fault.start - 1, 0) : fault.start], out[fault.stop : fault.stop + 1]
            if fault.kind == "frozen" and not all(each.all() for each in beside):
                out[fault.start : fault.stop] = False
    return frozen(out if out.any() else ~out, np.bool_)


def _is_one_stretch(clip: Clip) -> bool:
    """Tell whether the frames come from one clip, in its order and at even steps."""
    origin = clip.origin
    if (origin.clip[:, 0] != origin.clip[0, 0]).any() or (origin.clip[:, 1] >= 0).any():
        return False
    steps = np.diff(origin.frame[:, 0])
    return not steps.size or float(np.ptp(steps)) < _EVEN


def _legs(clip: Clip) -> set[str]:
    """Names of the joints from the root to the toes."""
    skeleton, found = clip.skeleton, roles(clip.skeleton)
    out = {skeleton.names[0]}
    for role in ("left_toe", "left_ankle", "right_toe", "right_ankle"):
        joint = found.get(role, 0)
        while joint > 0:
            out.add(skeleton.names[joint])
            joint = int(skeleton.parents[joint])
    return out


def usable_ranges(clip: Clip) -> tuple[tuple[int, int], ...]:
    """Half-open frame ranges without unusable frames, in order.

    Examples
    --------
    >>> import segue
    >>> usable_ranges(segue.sample("walk"))
    ((0, 361),)
    """
    return tuple(runs(~unusable_frames(clip)))


def longest_usable(clip: Clip) -> Clip:
    """Cut a clip to its longest range without unusable frames; the origin still names the source's own frames.

    A clip without any usable frame comes back as it is.

    Examples
    --------
    >>> import segue
    >>> walk = segue.sample("walk")
    >>> longest_usable(walk) is walk
    True
    """
    ranges = usable_ranges(clip)
    if not ranges or ranges == ((0, clip.n_frames),):
        return clip
    start, stop = max(ranges, key=lambda span: span[1] - span[0])
    return cut(clip, start, stop)


def carried_flags(flags: Bools, *, ratio: float, n_frames: int) -> Bools:
    """Flags (F,) of a clip for the ``n_frames`` frames of its resampled copy, ``ratio`` source frames a step.

    A frame made from two neighbours is flagged when either is.

    Examples
    --------
    >>> import numpy as np
    >>> carried_flags(np.array([0, 0, 0, 1, 0], bool), ratio=2.0, n_frames=3).tolist()
    [False, False, False]
    >>> carried_flags(np.array([0, 0, 0, 1, 0], bool), ratio=1.5, n_frames=3).tolist()
    [False, False, True]
    """
    at = np.arange(n_frames) * ratio
    last = flags.size - 1
    low = np.clip(np.floor(at + 1e-6).astype(np.int64), 0, last)
    high = np.clip(np.ceil(at - 1e-6).astype(np.int64), 0, last)
    out: Bools = flags[low] | flags[high]
    return out
