"""Many joins between clips, as columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from segue.arrays import Floats, Ints
from segue.maths.planar import PlanarMotion
from segue.motion.clip import Clip
from segue.synthesis.assemble import Join

JOIN_MARGIN = 2
"""Frames of either motion around a blend that accelerations at its ends need."""


@dataclass(frozen=True, eq=False)
class JoinArrays:
    """Many joins as columns: see `segue.synthesis.assemble.Join`; ``alignment`` (P, 3) is turn, x, z.

    ``length`` is that of every blend, or of the longest where each has its own in ``lengths`` (P,).
    """

    a_clip: Ints
    a_start: Ints
    b_clip: Ints
    b_start: Ints
    alignment: Floats
    length: int
    lengths: Ints | None = None

    @cached_property
    def each(self) -> Ints:
        """(P,) frames of each blend."""
        return np.full(len(self), self.length, dtype=np.int64) if self.lengths is None else self.lengths

    def join(self, k: int) -> Join:
        """One of them."""
        return Join(
            int(self.a_clip[k]),
            int(self.a_start[k]),
            int(self.b_clip[k]),
            int(self.b_start[k]),
            int(self.each[k]),
            PlanarMotion(*(float(v) for v in self.alignment[k])),
        )

    def take(self, rows: Ints | np.ndarray) -> JoinArrays:
        """Chosen joins."""
        return JoinArrays(
            self.a_clip[rows],
            self.a_start[rows],
            self.b_clip[rows],
            self.b_start[rows],
            self.alignment[rows],
            self.length,
            None if self.lengths is None else self.lengths[rows],
        )

    def alike(self) -> list[tuple[Ints, JoinArrays]]:
        """Rows of each length, and their joins."""
        if self.lengths is None:
            return [(np.arange(len(self)), self)]
        return [
            (rows, replace(self.take(rows), length=int(length), lengths=None))
            for length in np.unique(self.lengths)
            for rows in (np.flatnonzero(self.lengths == length),)
        ]

    def __len__(self) -> int:
        return len(self.a_clip)

    def fit(self, clips: Sequence[Clip]) -> np.ndarray:
        """Flags (P,): the blend and two frames around it lie inside both clips."""
        frames = np.array([clip.n_frames for clip in clips])
        return (
            (self.a_start >= JOIN_MARGIN)
            & (self.b_start >= 0)
            & (self.a_start + self.each <= frames[self.a_clip])
            & (self.b_start + self.each + JOIN_MARGIN <= frames[self.b_clip])
        )
