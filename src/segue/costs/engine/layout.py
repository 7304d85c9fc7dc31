"""Clips laid end to end, so that a whole database is one long matrix with dead rows between the clips."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from segue.arrays import Bools, Ints, frozen
from segue.costs.protocol import Prepared

ROWS_AT_ONCE = 4
"""Kernels take so many rows at once."""


@dataclass(frozen=True, eq=False)
class Side:
    """Prepared clips of one kind laid end to end in slots.

    Row i of clip c is slot ``starts[c] + i``. After each clip follow as many dead slots as a window is longer than one
    frame, at least one: cost frame f of clip c is slot ``starts[c] + f``, a window at slot s takes frames from there
    on, and cells of two clips are never neighbours. Clips begin at multiples of `ROWS_AT_ONCE`, so that
    a kernel meets a row at the same place of a pass whatever else lies on the side.

    Parameters
    ----------
    clips
        The clips, each with at least one row.
    numbers
        (C,) number of each clip in the set it was taken from.
    starts
        (C,) first slot of each clip.
    live
        (size,) whether a slot is a row and no gap.
    """

    clips: tuple[Prepared, ...]
    numbers: Ints
    starts: Ints
    live: Bools

    @property
    def size(self) -> int:
        """Number of slots: a multiple of `ROWS_AT_ONCE`."""
        return int(self.live.size)

    @cached_property
    def ends(self) -> Ints:
        """(C,) slot after the last row of each clip."""
        return frozen(self.starts + [clip.n for clip in self.clips], np.int64)

    @cached_property
    def owner(self) -> Ints:
        """(size,) index into `clips` of the clip a slot belongs to; a gap belongs to the clip before it."""
        slots = np.diff(np.append(self.starts, self.size))
        return frozen(np.repeat(np.arange(len(self.clips)), slots), np.int64)

    def laid(self, name: str, *, spare: int = 0) -> npt.NDArray[Any]:
        """Features ``name`` of every clip at its slots, (size + spare, K); zeros between the clips.

        The first axis of the feature is rows or cost frames of its clip.
        """
        first = self.clips[0].features[name]
        out = np.zeros((self.size + spare, *first.shape[1:]), dtype=first.dtype)
        for start, clip in zip(self.starts, self.clips, strict=True):
            part = clip.features[name][: clip.n + clip.needed_frames - 1]
            out[start : start + part.shape[0]] = part
        return out


def lay(clips: Sequence[Prepared], *, numbers: Sequence[int] | None = None) -> Side:
    """Lay clips end to end; clips without rows are left out.

    Parameters
    ----------
    clips
        Prepared by one cost.
    numbers
        Number of each clip; its place in the list by default.

    Examples
    --------
    >>> import segue
    >>> walk = segue.cost("point_cloud").prepare(segue.sample("walk"))
    >>> side = lay([walk, walk])
    >>> side.starts.tolist(), int(side.live.sum()) == 2 * walk.n, walk.n
    ([0, 184], True, 171)
    """
    kept = [k for k, clip in enumerate(clips) if clip.n]
    starts, size = [], 0
    for k in kept:
        starts.append(size)
        size += clips[k].n + max(clips[k].needed_frames - 1, 1)
        size += -size % ROWS_AT_ONCE
    live = np.zeros(size, dtype=bool)
    for start, k in zip(starts, kept, strict=True):
        live[start : start + clips[k].n] = True
    number = np.arange(len(clips)) if numbers is None else np.asarray(numbers)
    return Side(
        tuple(clips[k] for k in kept),
        frozen(number[kept], np.int64),
        frozen(np.array(starts), np.int64),
        frozen(live, np.bool_),
    )
