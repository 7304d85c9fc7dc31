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

from segue.arrays import Bools
from segue.motion.clip import Clip
from segue.motion.fault import Fault
from segue.motion.ground import ground_faults
from segue.motion.timing import timing_faults
from segue.motion.usable import (
    carried_flags,
    faults_of_frames,
    longest_usable,
    unusable_frames,
    usable_ranges,
)
from segue.summaries import one_line

__all__ = [
    "Fault",
    "Faults",
    "carried_flags",
    "find_faults",
    "longest_usable",
    "unusable_frames",
    "usable_ranges",
]


@one_line
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
    found = [*faults_of_frames(clip), *timing_faults(clip, unusable), *ground_faults(clip)]
    found.sort(key=lambda fault: (fault.start, fault.stop, fault.kind))
    return Faults(tuple(found), unusable)
