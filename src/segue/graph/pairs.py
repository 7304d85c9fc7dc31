"""What comparing one pair of clips gives, apart from any threshold, so that it can be kept and used again.

A store that keeps it stands behind two protocols: `PairStore` is asked once for a graph, with the clips and everything
a comparison depends on, and gives a `StoredPairs`, which is asked clip by clip and pair by pair.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from segue.arrays import Bools, Floats, Ints
from segue.costs.matrix import next_frame_costs
from segue.costs.protocol import Cost, Prepared
from segue.motion.clip import Clip
from segue.motion.skeleton import Skeleton
from segue.settings import Blend, SeamSettings, SearchSettings
from segue.transitions.pruning import Candidates
from segue.transitions.threshold import Threshold

__all__ = [
    "CheckedPoints", "ClipMatch", "Comparison", "NothingKept", "PairJumps", "PairStore", "Preparing",
    "StoredPairs", "look_at_clip",
]  # fmt: skip
RESULTS = 9
"""Number of what comparing gives: raised when the same clips under the same settings give other points or costs."""


@dataclass(frozen=True, eq=False)
class Comparison:
    """Everything besides the clips that the points of a pair, their alignments and their seams depend on.

    No threshold is part of it. ``body`` and ``fps`` are what clips are brought to before they are compared.
    """

    cost: Cost
    seams: SeamSettings
    search: SearchSettings
    body: Skeleton
    fps: float
    results: int = RESULTS

    @property
    def blend(self) -> Blend:
        """How motions are blended."""
        return self.seams.blend


@dataclass(frozen=True, eq=False)
class ClipMatch:
    """What comparing needs to know of one clip: (n,) its frame at each row, (n-1,) its next-frame costs."""

    frames: Ints
    next_frame: Floats

    def fits(self, n_frames: int) -> bool:
        """Whether it can be what is known of a clip of so many frames; what was kept in a file may be anything."""
        rising = bool(np.all(np.diff(self.frames) >= 0))
        inside = not len(self.frames) or (self.frames[0] >= 0 and self.frames[-1] < n_frames)
        steps = len(self.next_frame) == max(len(self.frames) - 1, 0)
        return rising and bool(inside) and steps and not bool(np.isnan(self.next_frame).any())


@dataclass(frozen=True, eq=False)
class CheckedPoints:
    """What was found for jumps that were checked.

    Parameters
    ----------
    alignment
        (N, 3) turn, x, z; not a number where none was checked.
    share
        (N,) share of what is allowed that the finished transition uses (`segue.synthesis.transition_check`); not a
        number where none was checked.
    good, bad
        (N,) jumps that a person called good, whatever their seam, or bad.
    seconds
        (N,) blend length; not a number where none was checked.
    """

    alignment: Floats
    share: Floats
    good: Bools
    bad: Bools
    seconds: Floats

    @staticmethod
    def nothing(count: int) -> CheckedPoints:
        """Nothing for so many jumps."""
        nobody = np.zeros(count, dtype=bool), np.zeros(count, dtype=bool)
        return CheckedPoints(
            np.full((count, 3), np.nan), np.full(count, np.nan), *nobody, np.full(count, np.nan)
        )


@dataclass(frozen=True, eq=False)
class PairJumps:
    """Some jumps between two clips, of which a store is asked or keeps something.

    Parameters
    ----------
    clips
        Numbers of both, the smaller first.
    points
        Points K of the pair.
    number
        (N,) place of each among the 2K jumps of the pair: first all there, then all back.
    rows
        (N, 2) rows of the cost in the clip left and in the clip entered.
    cost, diagonal
        (N,) cost at the point, and the mean along the blend.
    """

    clips: tuple[int, int]
    points: int
    number: Ints
    rows: Ints
    cost: Floats
    diagonal: Floats

    @property
    def back(self) -> Bools:
        """(N,) flags of those from the second clip to the first."""
        out: Bools = self.number >= self.points
        return out


class StoredPairs(Protocol):
    """What is kept for the clips of one graph, by their numbers; None where nothing is."""

    def clip(self, number: int) -> ClipMatch | None:
        """What is known of a clip."""

    def keep_clip(self, number: int, found: ClipMatch) -> None:
        """Keep what is known of a clip."""

    def pair(self, a: int, b: int) -> Candidates | None:
        """Points of a pair, a <= b."""

    def pairs(self) -> Iterable[tuple[int, int]]:
        """Pairs (a, b), a <= b, that are kept, whole or damaged."""

    def keep_pairs(self, found: Sequence[tuple[tuple[int, int], Candidates]]) -> None:
        """Keep the points of some pairs (a, b), a <= b, in one step."""

    def ruled_out(self, below: Threshold) -> tuple[frozenset[int], Threshold]:
        """Clips whose pairs, if not kept, have no point at or below a threshold: that asked for, or a higher one."""

    def keep_ruled_out(self, below: Threshold, clips: Sequence[int]) -> None:
        """Keep that pairs of these clips which are not kept have no point at or below a threshold."""

    def checked(self, jumps: PairJumps) -> CheckedPoints | None:
        """What was found for some jumps of a pair, and what a person says of them."""

    def keep_checked(self, jumps: PairJumps, found: CheckedPoints) -> None:
        """Keep what was found for some jumps of a pair, besides what was kept before."""


class PairStore(Protocol):
    """Where comparisons are kept."""

    def bound(self, clips: Sequence[Clip], comparison: Comparison) -> StoredPairs:
        """What is kept for these clips, as they were read, under these settings."""


class NothingKept:
    """A store that keeps nothing."""

    def bound(self, clips: Sequence[Clip], comparison: Comparison) -> StoredPairs:
        """Return itself."""
        del clips, comparison
        return self

    def clip(self, number: int) -> ClipMatch | None:
        """Nothing."""
        del number
        return None

    def keep_clip(self, number: int, found: ClipMatch) -> None:
        """Forget it."""

    def pair(self, a: int, b: int) -> Candidates | None:
        """Nothing."""
        del a, b
        return None

    def pairs(self) -> Iterable[tuple[int, int]]:
        """Nothing."""
        return ()

    def keep_pairs(self, found: Sequence[tuple[tuple[int, int], Candidates]]) -> None:
        """Forget them."""

    def ruled_out(self, below: Threshold) -> tuple[frozenset[int], Threshold]:
        """Nothing."""
        return frozenset(), below

    def keep_ruled_out(self, below: Threshold, clips: Sequence[int]) -> None:
        """Forget it."""

    def checked(self, jumps: PairJumps) -> CheckedPoints | None:
        """Nothing."""
        del jumps
        return None

    def keep_checked(self, jumps: PairJumps, found: CheckedPoints) -> None:
        """Forget it."""


class Preparing(Sequence[Prepared]):
    """Clips made ready for a cost, each when it is first asked for."""

    def __init__(self, clips: Sequence[Clip], cost: Cost) -> None:
        self._clips = clips
        self._cost = cost
        self._done: dict[int, Prepared] = {}

    def __len__(self) -> int:
        return len(self._clips)

    def n_frames(self, number: int) -> int:
        """Frames of a clip, which need not be made ready for that."""
        return self._clips[number].n_frames

    def __getitem__(self, number: int) -> Prepared:  # type: ignore[override]  # slices have no use here
        if number not in self._done:
            self._done[number] = self._cost.prepare(self._clips[number])
        return self._done[number]


def look_at_clip(number: int, prepared: Preparing, cost: Cost, kept: StoredPairs) -> ClipMatch:
    """What comparing needs to know of a clip, kept from before or found now."""
    found = kept.clip(number)
    if found is None or not found.fits(prepared.n_frames(number)):
        ready = prepared[number]
        found = ClipMatch(ready.frames, next_frame_costs(ready, cost))
        kept.keep_clip(number, found)
    return found
