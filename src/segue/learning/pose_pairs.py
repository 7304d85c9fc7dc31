"""Labelled pose pairs that need no person: time tells which poses of a clip are alike.

Poses a few frames or one gait cycle apart are alike; poses of one body drawn at random, at another phase of the
cycle, and the mirror image of a pose are not.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from segue.arrays import Floats, Ints
from segue.costs.clouds import REFERENCE_STATURE
from segue.costs.joint_pairs import PairWeight, columns, distances, mirrored, symmetric_pairs
from segue.errors import SettingError, SkeletonError
from segue.motion.clip import Clip
from segue.motion.resample import resampled
from segue.motion.roles import NEEDED, require
from segue.motion.standard_body import standard_body

_NEAR = 3
_SHORTEST_CYCLE, _LONGEST_CYCLE = 0.5, 1.8
_CYCLIC = 0.25


class PosePairs(NamedTuple):
    """Differences (K, D) in metres of K pose pairs over D symmetric joint pairs; labels (K,), 0 alike and 1 not."""

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
    """Distances (F, C) between all role pairs at a rate, in metres of the mean body 1.75 m tall.

    Raises
    ------
    SkeletonError
        If the clip's skeleton is no human's.
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
    """Joint relative distances (K, D) of K pose pairs, mirror images averaged (eq. 4.2 and 4.3)."""
    pair = _columns().pair
    gaps = np.abs(here - there)  # eq. 4.2
    count = np.bincount(pair)
    out = np.zeros((gaps.shape[0], count.size))
    np.add.at(out.T, pair, gaps.T)
    return out / count  # eq. 4.3: mirror pairs averaged


def cycle_frames(poses: Floats, rate: float = 30.0) -> int | None:
    """Frames of one gait cycle: the lag from 0.5 to 1.8 s at which poses differ least; None where none repeats."""
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
    """Labelled pairs from kinds of motion (walks, runs, ...), ``each`` alike and as many unlike ones a kind.

    Raises
    ------
    SettingError
        If there is no kind, a kind without clips, or a clip too short to hold two poses that are alike.
    SkeletonError
        If a clip's skeleton is no human's.
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
    """For each clip the poses of every clip with its skeleton: between bodies, bones would tell poses apart."""
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
    """Two poses a few frames or one cycle apart."""
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
