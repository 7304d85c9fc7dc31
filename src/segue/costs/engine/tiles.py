"""Interface of costs computed in strips: some columns are packed once, then many rows of costs are computed.

A cost whose cells depend on one vector of features per moment needs one line: `FeatureTiles`. A cost without
tiles is computed clip pair by clip pair from its `matrix`.

Clips are concatenated (`lay`), so that an entire database is one long matrix with dead rows between the clips.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from segue.arrays import Bools, Costs, Ints, aligned, frozen
from segue.costs.protocol import Cost, Prepared

LANES = 64
"""Strips are padded to a multiple of this many columns, so that a kernel's vector loop has no tail and a cell's
value does not depend on where a strip was cut."""


class Fill(Protocol):
    """Writes costs of a strip."""

    def __call__(self, start: int, stop: int, out: Costs, left: Ints | None = None) -> None:
        """Write the costs of row slots first to last (both multiples of 4) against a strip's columns.

        In each group of four rows, columns before ``left[g]`` need not be written and keep their content.
        """


Rectangle = tuple[int, int, int, int]
"""First row and column of a part of a matrix, and its numbers of rows and columns."""


class Writer(Protocol):
    """Optional ``write`` of a `Fill`: writes costs directly to a part of a matrix, without a block."""

    def __call__(self, start: int, stop: int, out: Costs, at: Rectangle, left: Ints | None = None) -> None:
        """Write the costs of row slots first to last (both multiples of 4) against a strip's first columns.

        ``at`` may have up to 3 rows fewer than slots, and at most the strip's columns. ``left`` as in `Fill`.
        """


class Tiles(ABC):
    """Costs between two sides, computed strip by strip."""

    dtype: str
    columns_at_once: int = 1344
    """Widest strip that is fast: its packed features stay in a core's own cache."""

    @property
    @abstractmethod
    def nbytes(self) -> int:
        """Bytes of features held for the lifetime of the tiles."""

    @abstractmethod
    def strip_bytes(self, columns: int, rows: int) -> int:
        """Bytes that one strip of ``columns`` columns takes while blocks of ``rows`` rows are filled."""

    @abstractmethod
    def strip(self, first: int, last: int) -> Fill:
        """Pack column slots first to last for one thread.

        The returned function writes (rows, last - first) costs to its ``out``, C-contiguous; ``last - first`` is a
        multiple of `LANES` and may extend beyond the side: values there, and for dead slots, may be any number but NaN.
        """


def padded(columns: int) -> int:
    """Columns rounded up to an allowed strip width."""
    return columns + -columns % LANES


class FeatureTiles(Tiles):
    """Tiles of a cost whose cells depend on one vector of features per moment.

    Parameters
    ----------
    rows, columns
        (S, K) features of both sides.
    kernel
        ``kernel(rows (R, K), columns (K, C), left (R / 4,), out, at)``, R a multiple of 4 and C at least a
        multiple of 64, all contiguous: writes a `Rectangle` of ``out``. In rows 4g to 4g + 3, columns before
        ``left[g]`` need not be written.
    """

    def __init__(
        self,
        rows: npt.NDArray[Any],
        columns: npt.NDArray[Any],
        kernel: Callable[..., None],
    ) -> None:
        self.rows = np.ascontiguousarray(rows)
        self.columns = self.rows if columns is rows else np.ascontiguousarray(columns)
        self.kernel = kernel
        self.dtype = str(rows.dtype)

    @property
    def nbytes(self) -> int:
        """Bytes of both sides' features."""
        return int(self.rows.nbytes + (0 if self.columns is self.rows else self.columns.nbytes))

    def strip_bytes(self, columns: int, rows: int) -> int:  # noqa: ARG002
        """Bytes of the packed columns."""
        return int(columns * self.columns.shape[1] * self.columns.itemsize)

    def strip(self, first: int, last: int) -> Fill:
        """Transpose the columns' features."""
        return PackedStrip(self.rows, turned(self.columns, first, last), self.kernel)


class PackedStrip:
    """Rows of features against the columns of a strip, packed for a kernel."""

    def __init__(self, rows: Any, columns: Any, kernel: Callable[..., None]) -> None:
        self.rows, self.columns, self.kernel = rows, columns, kernel

    def __call__(self, start: int, stop: int, out: Costs, left: Ints | None = None) -> None:
        """Write a block; see `Fill`."""
        self.kernel(self.rows[start:stop], self.columns, wanted(left, stop - start), out, (0, 0, *out.shape))

    def write(self, start: int, stop: int, out: Costs, at: Rectangle, left: Ints | None = None) -> None:
        """Write a part of a matrix; see `Writer`."""
        self.kernel(self.rows[start:stop], self.columns, wanted(left, stop - start), out, at)


def wanted(left: Ints | None, rows: int) -> Ints:
    """First column needed in each group of four rows: 0 unless ``left`` is given."""
    return np.zeros(rows // ROWS_AT_ONCE, dtype=np.int64) if left is None else left


def turned(features: npt.NDArray[Any], first: int, last: int) -> npt.NDArray[Any]:
    """Transposed features (K, last - first or slightly more) of a range of slots, zeros beyond the last slot.

    Rows are an odd number of cache lines long: rows a power of two apart would evict one another from the cache.
    """
    part = features[first:last]
    line = 64 // features.itemsize
    lines = -(-(last - first) // line)
    out = aligned((features.shape[1], line * (lines + 1 - lines % 2)), features.dtype)
    out[:, : part.shape[0]] = part.T
    return out


class PairTiles(Tiles):
    """Tiles of two single clips, from the cost's own matrix, held completely."""

    def __init__(self, a: Side, b: Side, cost: Cost) -> None:
        self.pair = a.clips[0], b.clips[0]
        self.cost = cost
        self.dtype = str(getattr(cost, "dtype", "float64"))
        self.values: Costs | None = None

    @property
    def nbytes(self) -> int:
        """Bytes of the pair's complete matrix."""
        a, b = self.pair
        return a.n * b.n * np.dtype(self.dtype).itemsize

    def strip_bytes(self, columns: int, rows: int) -> int:  # noqa: ARG002
        """Return 0: a strip is a view of the matrix."""
        return 0

    def strip(self, first: int, last: int) -> Fill:
        """Cut the matrix."""
        if self.values is None:
            self.values = self.cost.matrix(*self.pair)
        values = self.values[:, first:last]

        def fill(start: int, stop: int, out: Costs, left: Ints | None = None) -> None:  # noqa: ARG001
            out[:] = 0.0
            part = values[start:stop]
            out[: part.shape[0], : part.shape[1]] = part

        return fill


def has_tiles(cost: Cost) -> bool:
    """Whether a cost offers tiles."""
    return hasattr(cost, "tiles")


def kind_of(cost: Cost, clip: Prepared) -> Hashable:
    """Key that two clips must share to be concatenated on one side."""
    if not has_tiles(cost):
        return id(clip)
    if hasattr(cost, "kind"):
        kind: Hashable = cost.kind(clip)
        return kind
    return clip.cloud.segments


def sides(clips: Sequence[Prepared], cost: Cost) -> tuple[Side, ...]:
    """Clips grouped by kind, each group concatenated; without tiles every clip is a side of its own."""
    kinds: dict[Hashable, list[int]] = {}
    for k, clip in enumerate(clips):
        if clip.n:
            key: Hashable = k if not has_tiles(cost) else kind_of(cost, clip)
            kinds.setdefault(key, []).append(k)
    return tuple(lay([clips[k] for k in members], numbers=members) for members in kinds.values())


def tiles_of(cost: Cost, a: Side, b: Side) -> Tiles:
    """Tiles of a cost between two sides."""
    if has_tiles(cost):
        made: Tiles = cost.tiles(a, b)  # type: ignore[attr-defined]
        return made
    return PairTiles(a, b, cost)


ROWS_AT_ONCE = 4
"""Number of rows that kernels process per step."""


@dataclass(frozen=True, eq=False)
class Side:
    """Prepared clips of one kind concatenated in slots.

    Row i of clip c is slot ``starts[c] + i``. Each clip is followed by as many dead slots as a window is longer than
    one frame, at least one: cost frame f of clip c is slot ``starts[c] + f``, a window at slot s takes frames from
    there on, and cells of two clips are never neighbours. Clips begin at multiples of `ROWS_AT_ONCE`, so that a kernel
    processes a row at the same position within a step, whatever other clips are on the side.

    Parameters
    ----------
    clips
        The clips, each with at least one row.
    numbers
        (C,) number of each clip in its original set.
    starts
        (C,) first slot of each clip.
    live
        (size,) whether a slot is a row rather than a gap.
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
        """Features ``name`` of every clip in its slots, (size + spare, K); zeros between the clips.

        The first axis of the feature is rows or cost frames of its clip.
        """
        first = self.clips[0].features[name]
        out = np.zeros((self.size + spare, *first.shape[1:]), dtype=first.dtype)
        for start, clip in zip(self.starts, self.clips, strict=True):
            part = clip.features[name][: clip.n + clip.needed_frames - 1]
            out[start : start + part.shape[0]] = part
        return out


def lay(clips: Sequence[Prepared], *, numbers: Sequence[int] | None = None) -> Side:
    """Concatenate clips; clips without rows are left out.

    Parameters
    ----------
    clips
        Prepared by one cost.
    numbers
        Number of each clip; its index in the list by default.

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
