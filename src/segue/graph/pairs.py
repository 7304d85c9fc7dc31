"""Results of comparing one pair of clips, independent of any threshold, so that they can be stored and reused.

Storage has two protocols: `PairStore` is called once per graph, with the clips and all settings that a
comparison depends on, and returns a `StoredPairs`, which is queried clip by clip and pair by pair.
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
"""Version of the results: increased when the same clips and settings give other points or costs."""


@dataclass(frozen=True, eq=False)
class Comparison:
    """Everything besides the clips that the points of a pair, their alignments and their seams depend on.

    No threshold is part of it. Clips are retargeted to ``body`` and resampled to ``fps`` before they are compared.
    """

    cost: Cost
    seams: SeamSettings
    search: SearchSettings
    body: Skeleton
    fps: float
    results: int = RESULTS

    @property
    def blend(self) -> Blend:
        """Blend settings."""
        return self.seams.blend


@dataclass(frozen=True, eq=False)
class ClipMatch:
    """Data of one clip needed for comparisons: (n,) its frame at each row, (n-1,) its next-frame costs."""

    frames: Ints
    next_frame: Floats

    def fits(self, n_frames: int) -> bool:
        """Whether this is valid for a clip of ``n_frames`` frames; a file may hold anything."""
        rising = bool(np.all(np.diff(self.frames) >= 0))
        inside = not len(self.frames) or (self.frames[0] >= 0 and self.frames[-1] < n_frames)
        steps = len(self.next_frame) == max(len(self.frames) - 1, 0)
        return rising and bool(inside) and steps and not bool(np.isnan(self.next_frame).any())


@dataclass(frozen=True, eq=False)
class CheckedPoints:
    """Results of checked jumps.

    Parameters
    ----------
    alignment
        (N, 3) turn, x, z; NaN if not checked.
    share
        (N,) share of the bounds that the finished transition uses (`segue.synthesis.transition_check`); NaN
        if not checked.
    good, bad
        (N,) jumps with the verdict good, whatever their seam, or bad.
    seconds
        (N,) blend length; NaN if not checked.
    """

    alignment: Floats
    share: Floats
    good: Bools
    bad: Bools
    seconds: Floats

    @staticmethod
    def nothing(count: int) -> CheckedPoints:
        """Empty results of ``count`` jumps."""
        nobody = np.zeros(count, dtype=bool), np.zeros(count, dtype=bool)
        return CheckedPoints(
            np.full((count, 3), np.nan), np.full(count, np.nan), *nobody, np.full(count, np.nan)
        )


@dataclass(frozen=True, eq=False)
class PairJumps:
    """Jumps between two clips, for queries to and updates of a store.

    Parameters
    ----------
    clips
        Numbers of both clips, the smaller first.
    points
        Number of points K of the pair.
    number
        (N,) index of each among the 2K jumps of the pair: first all there, then all back.
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
        """(N,) flags of jumps from the second clip to the first."""
        out: Bools = self.number >= self.points
        return out


class StoredPairs(Protocol):
    """Stored results for the clips of one graph, by their numbers; None where nothing is stored."""

    def clip(self, number: int) -> ClipMatch | None:
        """Return the data of a clip."""

    def keep_clip(self, number: int, found: ClipMatch) -> None:
        """Store the data of a clip."""

    def pair(self, a: int, b: int) -> Candidates | None:
        """Return the points of a pair, a <= b."""

    def pairs(self) -> Iterable[tuple[int, int]]:
        """Return the stored pairs (a, b), a <= b, intact or damaged."""

    def keep_pairs(self, found: Sequence[tuple[tuple[int, int], Candidates]]) -> None:
        """Store the points of some pairs (a, b), a <= b, in one step."""

    def ruled_out(self, below: Threshold) -> tuple[frozenset[int], Threshold]:
        """Clips whose pairs, unless stored, have no point at or below a threshold: the requested or a higher one."""

    def keep_ruled_out(self, below: Threshold, clips: Sequence[int]) -> None:
        """Store that pairs of these clips which are not stored have no point at or below a threshold."""

    def checked(self, jumps: PairJumps) -> CheckedPoints | None:
        """Return the results of some jumps of a pair, and the user's verdicts."""

    def keep_checked(self, jumps: PairJumps, found: CheckedPoints) -> None:
        """Store the results of some jumps of a pair, in addition to earlier ones."""


class PairStore(Protocol):
    """Storage of comparisons."""

    def bound(self, clips: Sequence[Clip], comparison: Comparison) -> StoredPairs:
        """Return the stored results for these clips, as they were read, under these settings."""


class NothingKept:
    """A store that keeps nothing."""

    def bound(self, clips: Sequence[Clip], comparison: Comparison) -> StoredPairs:
        """Return itself."""
        del clips, comparison
        return self

    def clip(self, number: int) -> ClipMatch | None:
        """Return None."""
        del number
        return None

    def keep_clip(self, number: int, found: ClipMatch) -> None:
        """Do nothing."""

    def pair(self, a: int, b: int) -> Candidates | None:
        """Return None."""
        del a, b
        return None

    def pairs(self) -> Iterable[tuple[int, int]]:
        """Return no pairs."""
        return ()

    def keep_pairs(self, found: Sequence[tuple[tuple[int, int], Candidates]]) -> None:
        """Do nothing."""

    def ruled_out(self, below: Threshold) -> tuple[frozenset[int], Threshold]:
        """Return no clips, and the threshold."""
        return frozenset(), below

    def keep_ruled_out(self, below: Threshold, clips: Sequence[int]) -> None:
        """Do nothing."""

    def checked(self, jumps: PairJumps) -> CheckedPoints | None:
        """Return None."""
        del jumps
        return None

    def keep_checked(self, jumps: PairJumps, found: CheckedPoints) -> None:
        """Do nothing."""


class Preparing(Sequence[Prepared]):
    """Clips prepared for a cost, each on first access."""

    def __init__(self, clips: Sequence[Clip], cost: Cost) -> None:
        self._clips = clips
        self._cost = cost
        self._done: dict[int, Prepared] = {}

    def __len__(self) -> int:
        return len(self._clips)

    def n_frames(self, number: int) -> int:
        """Return the number of frames of a clip, without preparing it."""
        return self._clips[number].n_frames

    def __getitem__(self, number: int) -> Prepared:  # type: ignore[override]  # slices have no use here
        if number not in self._done:
            self._done[number] = self._cost.prepare(self._clips[number])
        return self._done[number]


def look_at_clip(number: int, prepared: Preparing, cost: Cost, kept: StoredPairs) -> ClipMatch:
    """Return the data of a clip needed for comparisons, stored or newly computed."""
    found = kept.clip(number)
    if found is None or not found.fits(prepared.n_frames(number)):
        ready = prepared[number]
        found = ClipMatch(ready.frames, next_frame_costs(ready, cost))
        kept.keep_clip(number, found)
    return found
