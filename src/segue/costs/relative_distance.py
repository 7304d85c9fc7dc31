"""Joint relative distance: the difference of the distances between joints in two poses.

Weights of the pairs of joints are built in or read from a file.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from segue.arrays import Bools, Costs, Floats, Ints, Positions
from segue.costs import clouds
from segue.costs.engine.plan import Run, full_matrix
from segue.costs.engine.tiles import FeatureTiles, Side, Tiles
from segue.costs.protocol import DTYPES, Prepared, check_rate, check_word, source_frames
from segue.documents import as_kind, decode_toml, read_toml
from segue.errors import FileError, SettingError, SkeletonError
from segue.maths.planar import PlanarMotion
from segue.motion.clip import Clip
from segue.motion.resample import resampled
from segue.motion.roles import ROLES, SIDES
from segue.motion.standard_body import standard_body

_ALIGNMENT_POINTS = 4
_CHUNK = 2048


@dataclass(frozen=True)
class RelativeDistanceCost:
    """Weighted mean change of the distances between joints from one pose to another.

    ``JRD(i, j) = | ||p1_i - p1_j|| - ||p2_i - p2_j|| |`` for a pair of joints of two poses; a pair with a
    mirror image takes the mean of both; the cost is the weighted sum over pairs (motion graphs from joint
    relative distances, eq. 4.2 to 4.4). Weights sum to 1. Every motion is transferred to one body of mean
    proportions, 1.75 m tall, so that lengths of limbs do not count.

    Unit: metres of a body 1.75 m tall. Range: 0 to about 0.5. Symmetric; obeys the triangle inequality; zero
    also for two different poses with the same distances, such as a pose and its joint-by-joint mirror image
    with all weights on symmetric pairs. Invariant to any rigid motion of either pose, also off the vertical,
    and to the scale of either body. Compares single poses: there is no window, so speeds do not count.

    Pairs with a joint that one body lacks are ignored for both, and the others weigh more.

    Parameters
    ----------
    rate
        Frames a second at which clips are compared.
    weights
        ``"default"``: the strongest 30 pairs, learnt from walks, runs, dances and fights. ``"uniform"``: every pair. Or
        (role, role, weight) triples, or a ``.toml`` file of them; a triple includes its mirror image.
    dtype
        ``"float32"`` has an error below 1e-6 m, whatever the clips' world positions; ``"float64"`` below 1e-12.

    Examples
    --------
    >>> import segue
    >>> walk = segue.sample("walk")
    >>> matrix = segue.cost_matrix(walk, walk, cost=RelativeDistanceCost())
    >>> matrix.values.shape[0] == matrix.a_frames.size, float(matrix.values.diagonal().max())
    (True, 0.0)
    """

    rate: float = 30.0
    weights: str | tuple[PairWeight, ...] = "default"
    dtype: str = "float32"

    name: ClassVar[str] = "relative_distance"
    alignment_seconds: ClassVar[float] = 1.0 / 3.0

    def __post_init__(self) -> None:
        check_rate(self.rate)
        check_word("dtype", self.dtype, DTYPES)
        if isinstance(self.weights, str | Path) and str(self.weights).lower().endswith(".toml"):
            object.__setattr__(self, "weights", read_pairs(Path(self.weights)))
        elif not isinstance(self.weights, str):
            object.__setattr__(self, "weights", _triples(self.weights))
        pair_weights(self.weights)

    @property
    def half_window(self) -> int:
        """Return 0: single poses are compared."""
        return 0

    def prepare(self, clip: Clip) -> Prepared:
        """Resample a clip and measure its weighted distances."""
        seen = resampled(clip, self.rate)
        body = standard_body(seen)
        cloud = clouds.cloud_of(seen, body, points_per_segment=_ALIGNMENT_POINTS)
        chosen = columns(pair_weights(self.weights))
        joints = {} if body is None else body.joints
        wanted = [(column.first, column.second) for column in chosen]
        measured = cloud.scale * distances(joints, wanted, n_frames=seen.n_frames)
        known = _whole(~np.isnan(measured[0]), chosen)
        _check_any(known, clip.name)
        return Prepared(
            clip.name,
            clip.fps,
            clip.n_frames,
            self.rate,
            0,
            source_frames(clip, self.rate, first=0, count=seen.n_frames),
            cloud,
            {"distances": measured, "known": known, "rows": self._packed(measured, known, chosen)},
        )

    def kind(self, clip: Prepared) -> Hashable:
        """Key of the distances that a clip has; clips with the same key can be concatenated."""
        known: bytes = clip.features["known"].tobytes()
        return known

    def tiles(self, a: Side, b: Side) -> Tiles:
        """Costs between two sets of clips, strip by strip."""
        here, there = a.clips[0].features["known"], b.clips[0].features["known"]
        if np.array_equal(here, there):
            rows = a.laid("rows")
            return _tiles(rows, rows if b is a else b.laid("rows"))
        known, _ = self._shared(a.clips[0], b.clips[0])
        chosen = columns(pair_weights(self.weights))
        rows, turned = (self._packed(side.laid("distances"), known, chosen) for side in (a, b))
        return _tiles(rows, turned)

    def matrix(self, a: Prepared, b: Prepared) -> Costs:
        """Costs (N, M) of every pose of one clip against every pose of another."""
        return full_matrix(
            [a], [a] if b is a else [b], cost=self, run=Run(threads=1, memory_budget=sys.maxsize)
        )

    def pairs(self, a: Prepared, b: Prepared, rows: Ints, columns: Ints) -> Floats:
        """Costs (K,) of chosen cells, term by term in float64."""
        known, weights = self._shared(a, b)
        here, there = (p.features["distances"] for p in (a, b))
        if not known.all():
            here, there = here[:, known], there[:, known]
        out: Floats = np.empty(len(rows))
        for k in range(0, len(rows), _CHUNK):
            part = slice(k, k + _CHUNK)
            out[part] = np.abs(here[np.asarray(rows[part])] - there[np.asarray(columns[part])]) @ weights
        return out

    def alignment(self, a: Prepared, b: Prepared, row: int, column: int) -> PlanarMotion:
        """Ground motion that places clip b onto clip a at one cell: of their point clouds over a third of a second."""
        half = round(self.alignment_seconds * self.rate / 2)
        return clouds.align(a.cloud, b.cloud, (row, column), half)

    def _shared(self, a: Prepared, b: Prepared) -> tuple[Bools, Floats]:
        """Columns that both bodies have and their weights, scaled to sum 1."""
        known = a.features["known"] & b.features["known"]
        _check_any(known, f"{a.name} and {b.name}")
        return known, _weights(known, columns(pair_weights(self.weights)))

    def _packed(self, measured: Floats, known: Bools, chosen: Sequence[PairColumn]) -> npt.NDArray[Any]:
        """Weighted distances (F, K') that both bodies have."""
        out: npt.NDArray[Any] = (measured[:, known] * _weights(known, chosen)).astype(self.dtype)
        return out


def _tiles(rows: npt.NDArray[Any], columns: npt.NDArray[Any]) -> Tiles:
    from segue.costs import _kernels

    return FeatureTiles(rows, columns, _kernels.absolute_sums)


def _triples(weights: Iterable[Sequence[Any]]) -> tuple[PairWeight, ...]:
    """Weighted pairs from user input."""
    try:
        return tuple(PairWeight(*row) for row in weights)
    except TypeError:
        msg = f"weights {weights!r} are not known; use 'default', 'uniform' or (role, role, weight) triples"
        raise SettingError(msg) from None


def _whole(known: Bools, chosen: Sequence[PairColumn]) -> Bools:
    """Flags of the columns whose mirror image is known as well."""
    lacking = {column.pair for column, there in zip(chosen, known, strict=True) if not there}
    return np.array([column.pair not in lacking for column in chosen])


def _weights(known: Bools, chosen: Sequence[PairColumn]) -> Floats:
    weights = np.array([column.weight for column in chosen])[known]
    out: Floats = weights / weights.sum()
    return out


def _check_any(known: Bools, who: str) -> None:
    if not known.any():
        msg = (
            f"{who}: no weighted pair of joints is known; a joint relative distance needs joints "
            "named in a known scheme (CMU, cgspeed, Mixamo, LAFAN1)"
        )
        raise SkeletonError(msg)


JOINTS: tuple[str, ...] = (
    "pelvis",
    "neck",
    "head",
    *(
        f"{side}_{part}"
        for side in SIDES
        for part in ("shoulder", "elbow", "wrist", "hip", "knee", "ankle", "toe")
    ),
)
"""Roles whose distances can be weighted: those at the same position of the body in every skeleton."""

DEFAULT_FILE = "relative_distance_weights.toml"


class PairWeight(NamedTuple):
    """Weight of the distance between two roles, and of its mirror image."""

    first: str
    second: str
    weight: float


@dataclass(frozen=True)
class _PairsFile:
    pairs: list[PairWeight]


_EXAMPLE = 'pairs = [["left_knee", "right_ankle", 0.5], ...]'


class PairColumn(NamedTuple):
    """One distance: two roles, its weight in the sum, and the index of the pair it belongs to."""

    first: str
    second: str
    weight: float
    pair: int


def mirrored(role: str) -> str:
    """Return the role on the other side of the body; a middle role is its own mirror image."""
    for side, other in (SIDES, SIDES[::-1]):
        if role.startswith(f"{side}_"):
            return role.replace(side, other, 1)
    return role


def symmetric_pairs(joints: Sequence[str] = JOINTS) -> tuple[tuple[str, str], ...]:
    """Every pair of roles once, the first of two mirror images."""
    order = {role: k for k, role in enumerate(joints)}
    kept: dict[tuple[str, str], None] = {}
    for pair in itertools.combinations(joints, 2):
        first, second = sorted(map(mirrored, pair), key=order.__getitem__)
        if (first, second) not in kept:
            kept[pair] = None
    return tuple(kept)


def columns(pairs: Sequence[PairWeight]) -> tuple[PairColumn, ...]:
    """Distances summed for a weighted set: a pair with a mirror image gives two of half its weight (eq. 4.3)."""
    out: list[PairColumn] = []
    for k, (first, second, weight) in enumerate(pairs):
        image = (mirrored(first), mirrored(second))
        if set(image) == {first, second}:
            out.append(PairColumn(first, second, weight, k))
        else:
            out += [PairColumn(first, second, weight / 2, k), PairColumn(*image, weight / 2, k)]
    return tuple(out)


def distances(joints: Mapping[str, Positions], wanted: Sequence[tuple[str, str]], *, n_frames: int) -> Floats:
    """Distances (F, K) between pairs of roles with given positions (F, 3); NaN if a role is missing."""
    out = np.full((len(wanted), n_frames), np.nan)
    places = {
        role: np.ascontiguousarray(joints[role].T) for pair in wanted for role in pair if role in joints
    }
    for k, (first, second) in enumerate(wanted):
        if first in places and second in places:
            x, y, z = places[first] - places[second]
            out[k] = np.sqrt(x * x + y * y + z * z)
    return np.ascontiguousarray(out.T)


def read_pairs(path: Path) -> tuple[PairWeight, ...]:
    """Weighted pairs of a TOML file: ``pairs = [["left_knee", "right_ankle", 0.5], ...]``.

    Raises
    ------
    FileError
        If the file cannot be read, is not TOML, holds no pairs, or invalid ones.
    """
    document = read_toml(path, dict[str, Any])
    if not document.get("pairs"):
        raise FileError(path, f"holds no weights of pairs: they are {_EXAMPLE}")
    pairs = tuple(as_kind(document, _PairsFile, path, hint=f"pairs are {_EXAMPLE}").pairs)
    try:
        pair_weights(pairs)
    except SettingError as error:
        raise FileError(path, f"holds a pair that cannot be: {error}") from None
    return pairs


@lru_cache(maxsize=8)
def pair_weights(weights: str | tuple[PairWeight, ...]) -> tuple[PairWeight, ...]:
    """Weighted pairs by name, or as given, scaled to sum 1.

    ``"default"`` are the learnt weights included in segue, ``"uniform"`` gives every pair of `JOINTS` the same weight.

    Raises
    ------
    SettingError
        If the name is not known, a role does not exist, a weight is negative or all are zero.
    """
    if weights == "default":
        content = files("segue.costs").joinpath(DEFAULT_FILE).read_bytes()
        chosen = tuple(decode_toml(content, _PairsFile, DEFAULT_FILE).pairs)
    elif weights == "uniform":
        chosen = tuple(PairWeight(*pair, 1.0) for pair in symmetric_pairs())
    elif isinstance(weights, str):
        msg = f"weights {weights!r} are not known; use 'default', 'uniform', a .toml file or (role, role, weight) rows"
        raise SettingError(msg)
    else:
        chosen = tuple(PairWeight(*row) for row in weights)
    for first, second, weight in chosen:
        if first not in ROLES or second not in ROLES or first == second:
            msg = f"({first!r}, {second!r}) is no pair of roles; roles are {', '.join(ROLES)}"
            raise SettingError(msg)
        if not (np.isfinite(weight) and weight >= 0):
            msg = f"the weight of ({first!r}, {second!r}) is {weight}; it must be 0 or more"
            raise SettingError(msg)
    total = sum(weight for *_, weight in chosen)
    if total <= 0:
        msg = "the weights of a joint relative distance cannot all be zero"
        raise SettingError(msg)
    return tuple(PairWeight(first, second, weight / total) for first, second, weight in chosen)
