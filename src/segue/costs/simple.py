"""Shared code of costs, so that a new one is one short file.

`VectorCost`: the squared Euclidean distance of one vector per moment; a subclass only defines the vectors.
`SimpleCost`: a formula of its own; a subclass measures a clip, compares chosen cells, and offers tiles.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from segue.arrays import Bools, Costs, Floats, Ints, aligned, frozen
from segue.costs import clouds
from segue.costs.engine.tiles import LANES, ROWS_AT_ONCE, FeatureTiles, Side, Tiles, lay
from segue.costs.protocol import DTYPES, Prepared, check_rate, check_word, source_frames
from segue.errors import SkeletonError
from segue.maths.planar import PlanarMotion
from segue.motion.clip import Clip
from segue.motion.resample import resampled
from segue.motion.standard_body import standard_body

_ROWS, _COLUMNS = 128, 1024
_CHUNK = 4096
_ALIGNMENT_POINTS = 4


@dataclass(frozen=True)
class SimpleCost:
    """A cost of single moments, without sliding windows: subclasses define a `name`, `measure`, `pairs` and `tiles`.

    Parameters
    ----------
    rate
        Frames a second at which clips are compared.
    dtype
        ``"float32"`` or ``"float64"``.
    """

    rate: float = 30.0
    dtype: str = "float32"

    name: ClassVar[str]
    alignment_seconds: ClassVar[float] = 1.0 / 3.0
    half_window: ClassVar[int] = 0
    """Cost frames needed before and after a moment."""

    def __post_init__(self) -> None:
        check_rate(self.rate)
        check_word("dtype", self.dtype, DTYPES)

    @property
    def ahead(self) -> int:
        """Further cost frames needed after the half window."""
        return 0

    def measure(self, clip: Clip, scale: float) -> Mapping[str, Any]:
        """Features of each moment of a clip at the cost's rate, including flags ``known`` (K,) of what the body has.

        ``scale`` scales the body to 1.75 m.
        """
        raise NotImplementedError

    def pairs(self, a: Prepared, b: Prepared, rows: Ints, columns: Ints) -> Floats:
        """Costs (K,) of chosen cells, each from its definition in float64."""
        raise NotImplementedError

    def tiles(self, a: Side, b: Side) -> Tiles:
        """Costs between two sets of clips, strip by strip."""
        raise NotImplementedError

    def kind(self, clip: Prepared) -> Hashable:
        """Key of the known columns; clips with the same key can be concatenated."""
        known: bytes = clip.features["known"].tobytes()
        return known

    def prepare(self, clip: Clip) -> Prepared:
        """Resample a clip and measure its moments."""
        seen = resampled(clip, self.rate)
        cloud = clouds.cloud_of(seen, standard_body(seen), points_per_segment=_ALIGNMENT_POINTS)
        half = self.half_window
        count = max(seen.n_frames - 2 * half - self.ahead, 0)
        return Prepared(
            clip.name,
            clip.fps,
            clip.n_frames,
            self.rate,
            half,
            source_frames(clip, self.rate, first=half, count=count),
            cloud,
            self.measure(seen, cloud.scale) if count else {},
            self.ahead,
        )

    def matrix(self, a: Prepared, b: Prepared) -> Costs:
        """Costs (N, M) of every moment of one clip against every moment of another."""
        out = np.empty((a.n, b.n), dtype=self.dtype)
        if not out.size:
            return out
        here, there = lay([a]), lay([b])
        tiles = self.tiles(here, there)
        for columns in _ranges(b.n, _COLUMNS):
            wide = columns.stop - columns.start
            fill = tiles.strip(columns.start, columns.stop + -wide % LANES)
            for rows in _ranges(a.n + -a.n % ROWS_AT_ONCE, _ROWS):
                block = aligned((rows.stop - rows.start, wide + -wide % LANES), self.dtype)
                fill(rows.start, rows.stop, block)
                out[rows, columns] = block[: a.n - rows.start, :wide]
        return out

    def alignment(self, a: Prepared, b: Prepared, row: int, column: int) -> PlanarMotion:
        """Ground motion that places clip b onto clip a at one cell: of their point clouds over a third of a second."""
        half = round(self.alignment_seconds * self.rate / 2)
        return clouds.align(a.cloud, b.cloud, (row + a.first, column + b.first), half)


@dataclass(frozen=True)
class VectorCost(SimpleCost):
    """A cost that is the squared Euclidean distance of two vectors: subclasses define a `name` and `vectors`."""

    def vectors(self, clip: Clip, scale: float) -> Floats:
        """Vectors (n, K), one per moment, of a clip at the cost's rate; a column that the body lacks is NaN.

        Moment 0 is frame `half_window`; the last moment is followed by `half_window` + `ahead` frames. Only
        differences count: columns centred on zero lose least precision in float32.
        """
        raise NotImplementedError

    def measure(self, clip: Clip, scale: float) -> Mapping[str, Any]:
        """Return the vectors and flags of their known columns."""
        vectors = frozen(self.vectors(clip, scale))
        known = ~np.isnan(vectors).any(axis=0)
        check_known(known, clip.name, self.name)
        return {"vectors": vectors, "known": known}

    def pairs(self, a: Prepared, b: Prepared, rows: Ints, columns: Ints) -> Floats:
        """Costs (K,) of chosen cells, term by term in float64."""
        if not len(rows):
            return np.zeros(0)
        known = both_know(a, b, self.name)
        here, there = (p.features["vectors"][:, known] for p in (a, b))
        parts = [
            np.sum((here[rows[k : k + _CHUNK]] - there[columns[k : k + _CHUNK]]) ** 2, axis=1)
            for k in range(0, len(rows), _CHUNK)
        ]
        return np.concatenate(parts) * (known.size / np.count_nonzero(known))

    def tiles(self, a: Side, b: Side) -> Tiles:
        """Return tiles of one matrix product per block, of ``[-2 x, |x|^2, 1]`` and ``[y, 1, |y|^2]``."""
        known = both_know(a.clips[0], b.clips[0], self.name)
        x, y = (side.laid("vectors")[:, known] for side in (a, b))
        factor = np.sqrt(known.size / np.count_nonzero(known))
        rows, columns = (part.astype(self.dtype) for part in product_terms(factor * x, factor * y))
        from segue.costs import _kernels

        return FeatureTiles(rows, columns, _kernels.squared_gaps)


def product_terms(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Features (N, K+2), (M, K+2) whose inner products are the squared distances of rows of x (N, K) and y (M, K)."""
    energies = [np.sum(part**2, axis=1, keepdims=True) for part in (x, y)]
    ones = [np.ones_like(energy) for energy in energies]
    return np.hstack([-2.0 * x, energies[0], ones[0]]), np.hstack([y, ones[1], energies[1]])


def _ranges(count: int, size: int) -> Iterator[slice]:
    """Slices of at most ``size`` that cover ``range(count)``."""
    for start in range(0, count, size):
        yield slice(start, min(start + size, count))


def both_know(a: Prepared, b: Prepared, cost: str) -> Bools:
    """Flags (K,) of the columns known for both clips.

    Raises
    ------
    SkeletonError
        If there is none.
    """
    known: Bools = a.features["known"] & b.features["known"]
    check_known(known, f"{a.name} and {b.name}", cost)
    return known


def check_known(known: Bools, who: str, cost: str) -> None:
    """Refuse bodies without a known column.

    Raises
    ------
    SkeletonError
        If no column is known.
    """
    if not known.any():
        msg = (
            f"{who}: nothing is known that the cost {cost!r} compares; it needs joints named in a known scheme "
            "(segue info shows their roles)"
        )
        raise SkeletonError(msg)
