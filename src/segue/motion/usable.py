"""Frames of a clip that hold motion: those that may be played, and those that locate the feet."""

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
"""Kinds of faults whose frames still have a valid pose."""
_EVEN = 1e-6  # frames by which steps within one stretch may differ


@lru_cache(maxsize=256)
def faults_of_frames(clip: Clip) -> tuple[Fault, ...]:
    """Return the faults of single frames and stretches from `segue.motion.frame_faults`, cached per clip."""
    return tuple(frame_faults(clip))


def unusable_frames(clip: Clip) -> Bools:
    """Flags (F,) of frames that must be neither played nor blended.

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
    """Flags (F,) of frames from which feet and ground can be located.

    Excluded are frames with a fault of the whole body, the root or a leg; arms do not matter. A frozen body counts as
    sound unless it jumps into or out of that pose, because a dropout of all joints to zero stands still as well. In a
    made motion of several stretches all frames are sound: faults of its sources were left out, and a seam is no fault.
    All frames are also sound if none would be left.

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
    """Return whether the frames come from one clip, in its order and at even steps."""
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
    """Half-open ranges of frames without unusable ones, in order.

    Examples
    --------
    >>> import segue
    >>> usable_ranges(segue.sample("walk"))
    ((0, 361),)
    """
    return tuple(runs(~unusable_frames(clip)))


def longest_usable(clip: Clip) -> Clip:
    """Cut a clip to its longest range without unusable frames; the origin still names the source frames.

    A clip without usable frames is returned unchanged.

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
    """Transfer flags (F,) of a clip to the ``n_frames`` frames of a resampled copy, ``ratio`` source frames a step.

    A frame interpolated from two neighbours is flagged if either is.

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
