"""What is wrong with a clip: frames that hold no motion, and numbers that no body on earth would give.

Frames are judged by how far each joint turns from one to the next, against the turns around it: no limit is a speed,
so the same rules hold at 24 and at 240 frames a second, and for any size of body. A rule asks for two things at once,
an impossible value and a jump out of it, because each alone has honest causes: a straight knee reads exactly zero in
files with one angle a knee, and a kick is fast.

Fingers and thumbs are left out of glitches: optical capture guesses them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from segue.arrays import Bools, frozen
from segue.motion.clip import Clip
from segue.motion.contacts import runs
from segue.motion.fault import Fault
from segue.motion.frame_faults import frame_faults
from segue.motion.ground import ground_faults
from segue.motion.resample import cut
from segue.motion.timing import timing_faults

__all__ = [
    "Fault",
    "Faults",
    "carried_flags",
    "find_faults",
    "longest_usable",
    "unusable_frames",
    "usable_ranges",
]


@dataclass(frozen=True, eq=False)
class Faults:
    """Everything found in a clip: the list, in the order of frames, and flags (F,) of frames not to be used."""

    found: tuple[Fault, ...]
    unusable: Bools

    def of(self, *kinds: str) -> tuple[Fault, ...]:
        """Faults of some kinds."""
        return tuple(fault for fault in self.found if fault.kind in kinds)

    def __len__(self) -> int:
        return len(self.found)

    def __bool__(self) -> bool:
        return bool(self.found)


@lru_cache(maxsize=256)
def find_faults(clip: Clip) -> Faults:
    """Find what is wrong with the frames of a clip and with its timing.

    Examples
    --------
    >>> import segue
    >>> walk = segue.sample("walk")
    >>> len(find_faults(walk))
    0
    >>> broken = walk.rotations.copy()
    >>> broken[100, walk.skeleton.index("LeftArm")] = [0, 1, 0, 0]
    >>> [(f.kind, f.start, f.stop) for f in find_faults(walk.with_motion(broken)).found]
    [('glitch', 99, 102)]
    """
    unusable = unusable_frames(clip)
    found = [*_frame_faults(clip), *timing_faults(clip, unusable), *ground_faults(clip)]
    found.sort(key=lambda fault: (fault.start, fault.stop, fault.kind))
    return Faults(tuple(found), unusable)


@lru_cache(maxsize=256)
def _frame_faults(clip: Clip) -> tuple[Fault, ...]:
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
    for fault in _frame_faults(clip):
        if fault.severity == "unusable":
            out[fault.start : fault.stop] = True
    return frozen(out, np.bool_)


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
