"""Pairs of joints and their weights, for the joint relative distance."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from segue.arrays import Floats, Positions
from segue.documents import as_kind, decode_toml, read_toml
from segue.errors import FileError, SettingError
from segue.motion.roles import ROLES, SIDES

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
"""Roles whose distances can be weighed: those that stand at the same place of the body in every skeleton."""

DEFAULT_FILE = "relative_distance_weights.toml"


class PairWeight(NamedTuple):
    """Weight of the distance between two roles; its mirror image is meant along with it."""

    first: str
    second: str
    weight: float


@dataclass(frozen=True)
class _PairsFile:
    """What a file of weights must hold."""

    pairs: list[PairWeight]


_EXAMPLE = 'pairs = [["left_knee", "right_ankle", 0.5], ...]'


class PairColumn(NamedTuple):
    """One distance: two roles, the weight with which it enters the sum, and which pair of the set it serves."""

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
    """Every pair of roles once, of two mirror images the one that comes first."""
    order = {role: k for k, role in enumerate(joints)}
    kept: dict[tuple[str, str], None] = {}
    for pair in itertools.combinations(joints, 2):
        first, second = sorted(map(mirrored, pair), key=order.__getitem__)
        if (first, second) not in kept:
            kept[pair] = None
    return tuple(kept)


def columns(pairs: Sequence[PairWeight]) -> tuple[PairColumn, ...]:
    """Distances that a weighted set sums: a pair with a mirror image gives two of half its weight (eq. 4.3)."""
    out: list[PairColumn] = []
    for k, (first, second, weight) in enumerate(pairs):
        image = (mirrored(first), mirrored(second))
        if set(image) == {first, second}:
            out.append(PairColumn(first, second, weight, k))
        else:
            out += [PairColumn(first, second, weight / 2, k), PairColumn(*image, weight / 2, k)]
    return tuple(out)


def distances(joints: Mapping[str, Positions], wanted: Sequence[tuple[str, str]], *, n_frames: int) -> Floats:
    """Distances (F, K) between pairs of roles whose places (F, 3) are given; NaN where a role is missing."""
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
        If the file cannot be read, is no TOML, holds no pairs, or pairs that cannot be.
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

    ``"default"`` are the learnt weights that come with segue, ``"uniform"`` weighs every pair of `JOINTS` alike.

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
