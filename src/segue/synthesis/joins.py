"""Many joins between clips, as columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from segue.arrays import Bools, Floats, Ints
from segue.maths.planar import PlanarMotion
from segue.motion.clip import Clip
from segue.summaries import one_line
from segue.synthesis.assemble import Join

JOIN_MARGIN = 2
"""Frames of either motion around a blend that accelerations at its ends need."""


@one_line
@dataclass(frozen=True, eq=False)
class JoinArrays:
    """Many joins as columns: see `segue.synthesis.assemble.Join`; ``alignment`` (P, 3) is turn, x, z.

    ``length`` is that of every blend, or of the longest where each has its own in ``lengths`` (P,). Where some joins
    are bridges, ``used`` (P, 2) is how many frames of A and of B each of them uses, and 0 for every other join.
    """

    a_clip: Ints
    a_start: Ints
    b_clip: Ints
    b_start: Ints
    alignment: Floats
    length: int
    lengths: Ints | None = None
    used: Ints | None = None

    @staticmethod
    def of(join: Join) -> JoinArrays:
        """One join."""
        at = join.alignment
        return JoinArrays(
            np.array([join.a_clip]),
            np.array([join.a_start]),
            np.array([join.b_clip]),
            np.array([join.b_start]),
            np.array([[at.turn, at.x, at.z]]),
            join.length,
            used=None if join.used is None else np.array([join.used]),
        )

    @cached_property
    def each(self) -> Ints:
        """(P,) frames of each blend."""
        return np.full(len(self), self.length, dtype=np.int64) if self.lengths is None else self.lengths

    @cached_property
    def bridges(self) -> Bools:
        """(P,) flags of the bridges: blends that use frames of A and B in a time of their own."""
        return np.zeros(len(self), dtype=bool) if self.used is None else self.used[:, 0] > 0

    @cached_property
    def usual(self) -> int:
        """Frames of the longest blend that is no bridge."""
        if self.used is None:
            return self.length
        return int(np.max(self.each[~self.bridges], initial=0))

    @cached_property
    def uses(self) -> Ints:
        """(P, 2) frames of A and of B that each blend uses."""
        same = np.repeat(self.each[:, None], 2, axis=1)
        return same if self.used is None else np.where(self.bridges[:, None], self.used, same)

    @cached_property
    def heads(self) -> Ints:
        """(P,) frames of A that count as shown: those of the first half of each blend."""
        out: Ints = self.uses[:, 0] // 2
        return out

    @cached_property
    def tails(self) -> Ints:
        """(P,) frames of B that count as shown: those of the second half of each blend."""
        out: Ints = self.uses[:, 1] - self.uses[:, 1] // 2
        return out

    @cached_property
    def stops(self) -> Ints:
        """(P,) frame of A behind the last that is blended."""
        return self.a_start + self.uses[:, 0]

    @cached_property
    def arrivals(self) -> Ints:
        """(P,) first frame of B that plays alone."""
        return self.b_start + self.uses[:, 1]

    def played(self, side: int, margin: int = 0) -> Floats:
        """Frames (P, n + 2 margin) of A, side 0, or B, side 1, that play in blends of one length, and around them."""
        n, uses = self.length, self.uses[:, side : side + 1]
        start = (self.b_start if side else self.a_start)[:, None]
        t = np.arange(-margin, n + margin)
        in_step = np.where(t < n, t, t - n + uses)
        slower = t * ((uses - 1) / max(n - 1, 1))
        out: Floats = start.astype(np.float64) + np.where(
            (t < 0) | (t >= n) | (uses == n), in_step.astype(np.float64), slower
        )
        return out

    def join(self, k: int) -> Join:
        """One of them."""
        return Join(
            int(self.a_clip[k]),
            int(self.a_start[k]),
            int(self.b_clip[k]),
            int(self.b_start[k]),
            int(self.each[k]),
            PlanarMotion(*(float(v) for v in self.alignment[k])),
            (int(self.uses[k, 0]), int(self.uses[k, 1])) if self.bridges[k] else None,
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
            None if self.used is None else self.used[rows],
        )

    def tight(self) -> JoinArrays:
        """These joins, with the length of their own longest one where they have lengths of their own."""
        if self.lengths is None:
            return self
        used = self.used if self.bridges.any() else None
        return replace(self, length=int(np.max(self.each, initial=0)), used=used)

    def followed_by(self, more: JoinArrays) -> JoinArrays:
        """These joins and then some more."""
        both = (self, more)
        own = any(one.lengths is not None for one in both) or (
            len(self) > 0 and len(more) > 0 and self.length != more.length
        )
        warped = any(one.used is not None for one in both)
        return JoinArrays(
            np.concatenate([one.a_clip for one in both]),
            np.concatenate([one.a_start for one in both]),
            np.concatenate([one.b_clip for one in both]),
            np.concatenate([one.b_start for one in both]),
            np.concatenate([one.alignment for one in both]),
            max(self.length, more.length),
            np.concatenate([one.each for one in both]) if own else None,
            np.concatenate([one._used_or_none for one in both]) if warped else None,
        )

    @property
    def _used_or_none(self) -> Ints:
        return np.zeros((len(self), 2), dtype=np.int64) if self.used is None else self.used

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
            & (self.stops <= frames[self.a_clip])
            & (self.arrivals + JOIN_MARGIN <= frames[self.b_clip])
        )
