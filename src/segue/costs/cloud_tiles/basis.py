"""Number of independent values of a cloud's pose: parts are connected, so their moments are redundant.

A thigh ends where a shin begins. The fifteen parts of the body shared by all human clips have 30 or 60
moments, but only 19 or 49 independent directions and positions. An orthonormal basis of the possible moments
keeps every product of two poses and saves that much arithmetic.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from segue.arrays import Floats, Positions, frozen
from segue.costs import clouds
from segue.motion.body import SEGMENTS
from segue.motion.clip import Clip
from segue.motion.samples import sample
from segue.motion.standard_body import standard_body

_POSES, _SMALL = 200, 1e-9


@lru_cache(maxsize=16)
def pose_basis(kind: str, points_per_segment: int) -> Floats:
    """Orthonormal columns (S K, r) that span the moments of every pose of the complete standard body.

    Computed from poses with random joint rotations; the span does not depend on the clip.

    Examples
    --------
    >>> pose_basis("joints", 2).shape, pose_basis("capsules", 24).shape
    ((30, 19), (60, 49))
    """
    rng = np.random.default_rng(11)
    skeleton = sample("walk").skeleton
    turns = rng.normal(size=(_POSES, skeleton.n_joints, 4))
    turns /= np.linalg.norm(turns, axis=-1, keepdims=True)
    clip = Clip(skeleton, turns, rng.normal(size=(_POSES, 3)), 30.0)
    cloud = clouds.cloud_of(clip, standard_body(clip), points_per_segment=points_per_segment, kind=kind)
    places = clouds.moments(cloud, clouds.rigid_moments(kind, points_per_segment))
    return frozen(_orthonormal(_rows(places)).T)


@lru_cache(maxsize=16)
def weighted_basis(kind: str, points_per_segment: int, weights: tuple[float, ...]) -> Floats:
    """Orthonormal columns (S K, r) that span weighted moments minus each frame's weighted centre.

    Moments of part n carry the root of ``weights[n]`` over their sum; the centre removes one dimension.
    """
    basis = pose_basis(kind, points_per_segment)
    share = np.array(weights) / sum(weights)
    moments = basis.reshape(share.size, -1, basis.shape[1]).copy()
    moments[:, 0] -= share @ moments[:, 0]
    moments *= np.sqrt(share)[:, None, None]
    return frozen(_orthonormal(moments.reshape(basis.shape).T).T)


def spanned(places: Positions, segments: tuple[str, ...], basis: Floats) -> bool:
    """Whether a basis spans the moments (F, S, K, 3) of a cloud: it has every part, connected as usual."""
    if tuple(dict.fromkeys(segments)) != SEGMENTS:
        return False
    rows = _rows(places)
    return bool(np.abs(rows - rows @ basis @ basis.T).max() < _SMALL * max(1.0, float(np.abs(rows).max())))


def _orthonormal(vectors: Floats) -> Floats:
    """Orthonormal rows (r, D) that span vectors (N, D): the longest, then the longest residual of the others.

    A singular value decomposition would also do, but its directions differ between LAPACK builds, and with
    them the last digits of float32 costs: the same clips would get other transitions.
    """
    rest, found = np.array(vectors), np.empty((0, vectors.shape[1]))
    sizes = np.sqrt(np.sum(rest**2, axis=1))
    least = _SMALL * sizes.max()
    while len(found) < vectors.shape[1] and sizes.max() > least:
        longest = rest[np.argmax(sizes)]
        for _ in range(2):  # the second pass removes rounding errors
            longest = longest - np.sum(np.sum(found * longest, axis=1)[:, None] * found, axis=0)
            longest = longest / np.sqrt(np.sum(longest**2))
        found = np.vstack([found, longest])
        rest -= np.sum(rest * longest, axis=1)[:, None] * longest
        sizes = np.sqrt(np.sum(rest**2, axis=1))
    return found


def _rows(places: Positions) -> Floats:
    """Moments of every frame and axis as rows (3 F, S K)."""
    out: Floats = (
        places.reshape(places.shape[0], -1, 3).transpose(0, 2, 1).reshape(-1, places[0, ..., 0].size)
    )
    return out
