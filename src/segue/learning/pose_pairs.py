"""Pose pairs labelled automatically: time decides which poses of a clip are similar.

Poses a few frames or one gait cycle apart are similar. Poses of one body drawn at random, poses at another phase of the
cycle, and a pose and its mirror image are not.

Terms are the factors of the weights in a cost: the columns from which weights are learnt. Left and right of the body
share a column and so a weight.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from segue.arrays import Bools, Floats, Ints
from segue.costs.clouds import REFERENCE_STATURE
from segue.costs.joint_angle.cost import JointAngleCost
from segue.costs.joint_angle.weights import PARTS, by_role
from segue.costs.protocol import Prepared
from segue.costs.registry import cost
from segue.costs.relative_distance import PairWeight, columns, distances, mirrored, symmetric_pairs
from segue.errors import SettingError, SkeletonError
from segue.motion.clip import Clip
from segue.motion.resample import resampled
from segue.motion.roles import NEEDED, require, roles
from segue.motion.standard_body import standard_body

_NEAR = 3
_SHORTEST_CYCLE, _LONGEST_CYCLE = 0.5, 1.8
_CYCLIC = 0.25


class PosePairs(NamedTuple):
    """Differences (K, D) in metres of K pose pairs over D symmetric joint pairs; labels (K,), 0 similar and 1 not."""

    differences: Floats
    labels: Floats


class _Columns(NamedTuple):
    names: tuple[tuple[str, str], ...]
    pair: Ints
    mirror: Ints


@lru_cache(maxsize=1)
def _columns() -> _Columns:
    """Every distance, the symmetric pair it belongs to and the column of its mirror image."""
    every = columns([PairWeight(*pair, 1.0) for pair in symmetric_pairs()])
    place = {frozenset((column.first, column.second)): k for k, column in enumerate(every)}
    mirror = [place[frozenset((mirrored(column.first), mirrored(column.second)))] for column in every]
    return _Columns(
        tuple((column.first, column.second) for column in every),
        np.array([column.pair for column in every]),
        np.array(mirror),
    )


def pose_distances(clip: Clip, rate: float = 30.0) -> Floats:
    """Compute distances (F, C) between all role pairs at a rate, in metres of the mean body 1.75 m tall.

    Raises
    ------
    SkeletonError
        If the clip's skeleton is not human.
    """
    clip = resampled(clip, rate)
    body = standard_body(clip)
    if body is None:
        require(clip.skeleton, *NEEDED)
        msg = f"clip {clip.name!r}: legs without length cannot be measured"
        raise SkeletonError(msg)
    scale = REFERENCE_STATURE / body.stature
    return scale * distances(body.joints, _columns().names, n_frames=clip.n_frames)


def differences(here: Floats, there: Floats) -> Floats:
    """Compute joint relative distances (K, D) of K pose pairs, mirror images averaged (eq. 4.2 and 4.3)."""
    pair = _columns().pair
    gaps = np.abs(here - there)  # eq. 4.2
    count = np.bincount(pair)
    out = np.zeros((gaps.shape[0], count.size))
    np.add.at(out.T, pair, gaps.T)
    return out / count  # eq. 4.3: mirror pairs averaged


def cycle_frames(poses: Floats, rate: float = 30.0) -> int | None:
    """Find the frames of one gait cycle: the lag from 0.5 to 1.8 s at which poses differ least; None without one."""
    low = round(_SHORTEST_CYCLE * rate)
    high = min(round(_LONGEST_CYCLE * rate), poses.shape[0] // 2)
    if high <= low:
        return None
    gaps = np.array([np.mean(np.abs(poses[lag:] - poses[:-lag])) for lag in range(1, high + 1)])
    best = low + int(np.argmin(gaps[low - 1 :]))
    return best if gaps[best - 1] < _CYCLIC * gaps.max() else None


def pose_pairs(
    clips: Sequence[Sequence[Clip]], *, each: int, rng: np.random.Generator, rate: float = 30.0
) -> PosePairs:
    """Draw labelled pairs from kinds of motion (walks, runs, ...): for each, ``each`` similar and ``each`` dissimilar.

    Raises
    ------
    SettingError
        If there is no kind, a kind without clips, or a clip too short for two similar poses.
    SkeletonError
        If a clip's skeleton is not human.
    """
    if not clips or not all(clips):
        msg = "pose pairs need at least one kind of motion, and at least one clip of each"
        raise SettingError(msg)
    rows: list[Floats] = []
    labels: list[Floats] = []
    poses = [[pose_distances(clip, rate) for clip in kind] for kind in clips]
    for clip, seen in zip(itertools.chain(*clips), itertools.chain(*poses), strict=True):
        if len(seen) <= _NEAR:
            msg = (
                f"clip {clip.name!r} has {len(seen)} frames at {rate:g} a second; pose pairs need {_NEAR + 1}"
            )
            raise SettingError(msg)
    others = _same_body(clips, poses)
    for kind, pools in zip(poses, others, strict=True):
        cycles = [cycle_frames(clip, rate) for clip in kind]
        for alike in (True, False):
            draw = _alike if alike else _unlike
            chosen = rng.choice(len(kind), size=each, p=_shares(kind))
            pairs = [draw(kind[k], cycles[k], pools[k], rng) for k in chosen]
            rows.append(differences(*(np.array(side) for side in zip(*pairs, strict=True))))
            labels.append(np.full(each, 0.0 if alike else 1.0))
    return PosePairs(np.concatenate(rows), np.concatenate(labels))


def _same_body(clips: Sequence[Sequence[Clip]], poses: Sequence[Sequence[Floats]]) -> list[list[Floats]]:
    """Poses of every clip with the same skeleton, for each clip: bone lengths would distinguish other bodies."""
    every = [
        (clip, pose) for kind in zip(clips, poses, strict=True) for clip, pose in zip(*kind, strict=True)
    ]
    pools: list[tuple[Clip, Floats]] = []
    for clip, _ in every:
        if not any(clip.skeleton.same_as(known.skeleton) for known, _ in pools):
            same = [pose for other, pose in every if other.skeleton.same_as(clip.skeleton)]
            pools.append((clip, np.concatenate(same)))

    def pool(clip: Clip) -> Floats:
        return next(pose for known, pose in pools if clip.skeleton.same_as(known.skeleton))

    return [[pool(clip) for clip in kind] for kind in clips]


def _shares(kind: Sequence[Floats]) -> Floats:
    sizes = np.array([clip.shape[0] for clip in kind], dtype=np.float64)
    out: Floats = sizes / sizes.sum()
    return out


def _alike(poses: Floats, cycle: int | None, _: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
    lag = int(rng.integers(1, _NEAR + 1))
    if cycle is not None and rng.random() < 0.5:
        lag = cycle
    at = int(rng.integers(0, poses.shape[0] - lag))
    return poses[at], poses[at + lag]


def _unlike(
    poses: Floats, cycle: int | None, pool: Floats, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Two poses at another phase, a pose and its mirror image, or a pose and any other."""
    at = int(rng.integers(0, poses.shape[0]))
    how = rng.random()
    if how < 1 / 3:
        return poses[at], poses[at][_columns().mirror]
    if how < 2 / 3 and cycle is not None:
        phase = int(rng.integers(cycle // 4, cycle - cycle // 4 + 1))
        other = at + phase if at + phase < poses.shape[0] else at - phase
        return poses[at], poses[max(other, 0)]
    return poses[at], pool[rng.integers(pool.shape[0])]


STIFF = 0.01
"""Metres: a joint pair whose distance varies by less over every clip is a bone."""


class Terms(ABC):
    """Columns of one cost, over a set of clips.

    Parameters
    ----------
    clips
        Every clip that occurs in a label.
    settings
        Settings of the cost, without its weights.
    """

    name: str
    columns: tuple[Any, ...]

    def __init__(self, clips: Sequence[Clip], **settings: Any) -> None:
        self.settings = settings
        self.rate = float(settings.get("rate", 30.0))
        self.clips = tuple(clips)

    @abstractmethod
    def rows(self, a: int, b: int, a_row: int, b_row: int) -> Floats:
        """Return columns (D,) of one transition: numbers of its clips, and their rows in the cost."""

    def keep(self, chosen: Bools) -> None:
        """Drop columns that are not chosen (D,)."""
        self.columns = tuple(column for column, kept in zip(self.columns, chosen, strict=True) if kept)

    @abstractmethod
    def row_range(self, clip: int) -> tuple[int, int]:
        """Return the first cost frame that is a row, and the number of rows from there."""

    @abstractmethod
    def weights(self, learnt: Floats) -> tuple[Any, ...]:
        """Return learnt numbers (D,) as the setting ``weights`` of the cost."""

    def cost(self, learnt: Floats) -> Any:
        """Return the cost with learnt weights."""
        return cost(self.name, **self.settings, weights=self.weights(learnt))


class JointAngleTerms(Terms):
    """Pose and velocity terms of joints, one column for each part that every clip has."""

    name = "joint_angle"

    def __init__(self, clips: Sequence[Clip], **settings: Any) -> None:
        super().__init__(clips, **settings)
        every = JointAngleCost(**{**settings, "weights": dict.fromkeys(PARTS, 1.0)})
        self.measured = every
        self.prepared: tuple[Prepared, ...] = tuple(every.prepare(clip) for clip in clips)
        wanted = by_role(every.weights)
        self.roles = tuple(role for role in wanted if all(role in roles(clip.skeleton) for clip in clips))
        parts = {role.partition("_")[2] or role for role in self.roles}
        self.columns = tuple(part for part in PARTS if part in parts)
        self._place()

    def _place(self) -> None:
        at = [self.columns.index(role.partition("_")[2] or role) for role in self.roles]
        self.place = np.array(at, dtype=np.int64)

    def rows(self, a: int, b: int, a_row: int, b_row: int) -> Floats:
        """Return pose and velocity terms of one transition, left and right added."""
        at = np.array([a_row]), np.array([b_row])
        names, terms = self.measured.joint_terms(self.prepared[a], self.prepared[b], *at)
        chosen = [names.index(role) for role in self.roles]
        out: Floats = np.zeros(len(self.columns))
        np.add.at(out, self.place, terms[0, chosen])
        return out

    def keep(self, chosen: Bools) -> None:
        """Drop joints that are not chosen."""
        kept = {column for column, stays in zip(self.columns, chosen, strict=True) if stays}
        self.roles = tuple(role for role in self.roles if (role.partition("_")[2] or role) in kept)
        super().keep(chosen)
        self._place()

    def row_range(self, clip: int) -> tuple[int, int]:
        """Return all frames but the first and the last, which have no velocity."""
        return self.prepared[clip].first, self.prepared[clip].n

    def weights(self, learnt: Floats) -> tuple[tuple[str, float], ...]:
        """Return (part, weight) pairs."""
        return tuple((part, float(w)) for part, w in zip(self.columns, learnt, strict=True) if w > 0)


class RelativeDistanceTerms(Terms):
    """Joint relative distances, one column for each symmetric pair of joints."""

    name = "relative_distance"

    def __init__(self, clips: Sequence[Clip], **settings: Any) -> None:
        super().__init__(clips, **settings)
        self.poses = [pose_distances(resampled(clip, self.rate), self.rate) for clip in clips]
        every = symmetric_pairs()
        # A pair that some body lacks has no column; nor has a bone: its rounding errors would distinguish poses.
        means = [poses.mean(axis=0) for poses in self.poses]
        spread = [
            np.sqrt(np.mean(differences(poses, mean) ** 2, axis=0))
            for poses, mean in zip(self.poses, means, strict=True)
        ]
        self.kept = np.flatnonzero(np.max(spread, axis=0) > STIFF)
        self.columns = tuple(every[k] for k in self.kept)

    def rows(self, a: int, b: int, a_row: int, b_row: int) -> Floats:
        """Return distances of one transition's two poses, mirror images averaged."""
        here, there = self.poses[a][a_row : a_row + 1], self.poses[b][b_row : b_row + 1]
        out: Floats = differences(here, there)[0, self.kept]
        return out

    def keep(self, chosen: Bools) -> None:
        """Drop pairs that are not chosen."""
        super().keep(chosen)
        self.kept = self.kept[chosen]

    def row_range(self, clip: int) -> tuple[int, int]:
        """Return every frame."""
        return 0, len(self.poses[clip])

    def weights(self, learnt: Floats) -> tuple[tuple[str, str, float], ...]:
        """Return (role, role, weight) triples."""
        return tuple((*pair, float(w)) for pair, w in zip(self.columns, learnt, strict=True) if w > 0)


def terms_of(name: str, clips: Sequence[Clip], **settings: Any) -> Terms:
    """Return the columns of the cost called ``name`` over some clips.

    Raises
    ------
    SettingError
        If the weights of that cost cannot be learnt.
    """
    kinds: dict[str, type[Terms]] = {kind.name: kind for kind in (JointAngleTerms, RelativeDistanceTerms)}
    if name not in kinds:
        msg = f"the weights of {name!r} cannot be learnt; those of {' and '.join(kinds)} can"
        raise SettingError(msg)
    return kinds[name](clips, **settings)
