"""Two clips that hold one and the same motion, whole or in part.

The same motion saved in another format or at another rate costs next to nothing all along one diagonal.
Joining the two would only jump from a moment to itself, so such clips are recognised, reported and not
joined there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from segue.arrays import Bools, Costs, Floats, Ints
from segue.transitions import _kernels

LIMIT = 0.02
"""Copies cost less than this share of the median next-frame cost, frame by frame."""
SECONDS = 1.0
"""Shortest shared stretch that counts."""
WHOLE = 0.8
"""Two clips are copies as a whole when they share this much of the shorter one."""


@dataclass(frozen=True)
class SharedMotion:
    """A stretch that two clips have in common: rows ``a ... a + length - 1`` are columns ``b ... b + length - 1``.

    ``share`` is its share of the shorter clip's rows; ``seconds`` its length.
    """

    a: int
    b: int
    length: int
    share: float
    seconds: float

    @property
    def whole(self) -> bool:
        """Whether the two clips are copies of one another rather than overlap in a part."""
        return self.share >= WHOLE

    def near(self, cells: Ints, *, band: int) -> Bools:
        """Flag (K,) cells within ``band`` frames of the shared stretch: jumps from a moment to itself."""
        across = np.abs(cells[:, 1] - cells[:, 0] - (self.b - self.a)) <= band
        along = (cells[:, 0] >= self.a - band) & (cells[:, 0] < self.a + self.length + band)
        flags: Bools = across & along
        return flags


def shared_motion(
    values: Costs, *, next_frame_a: Floats, next_frame_b: Floats, rate: float, limit: float = LIMIT
) -> SharedMotion | None:
    """Longest stretch that two clips share, or None.

    Parameters
    ----------
    values
        (N, M) costs of the two clips.
    next_frame_a, next_frame_b
        (N-1,) and (M-1,) cost of each row's moment against the next one of the same clip.
    rate
        Frames a second of rows and columns.
    limit
        As a share of the next-frame costs; see `LIMIT`.

    Notes
    -----
    Every cell of the stretch lies below ``limit`` times the smaller median next-frame cost, and its mean
    below ``limit`` times the mean next-frame cost within the stretch: two people who stand still are no
    copies. A stretch counts from `SECONDS` on, or when it covers `WHOLE` of the shorter clip.

    Examples
    --------
    >>> import numpy as np
    >>> frames = np.arange(60.0)
    >>> steps = np.ones(59)
    >>> one = (frames[:, None] - frames[None, 10:]) ** 2
    >>> shared_motion(one, next_frame_a=steps, next_frame_b=steps[10:], rate=30.0)
    SharedMotion(a=10, b=0, length=50, share=1.0, seconds=1.6333333333333333)
    """
    n, m = values.shape
    if min(n, m) < 2 or not len(next_frame_a) or not len(next_frame_b):
        return None
    level = limit * min(float(np.median(next_frame_a)), float(np.median(next_frame_b)))
    a, b, length = (int(v) for v in _kernels.longest_run(np.ascontiguousarray(values), level))
    share = length / min(n, m)
    if length < 2 or ((length - 1) / rate < SECONDS and share < WHOLE):
        return None
    step = np.arange(length)
    here = float(np.mean(values[a + step, b + step]))
    moving = float(np.mean(next_frame_a[a : a + length - 1]))
    if here > limit * moving:
        return None
    return SharedMotion(a, b, length, share, (length - 1) / rate)
