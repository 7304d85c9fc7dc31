"""Distances of poses: the sources' definition, a metric, and independence of ignored quantities."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from naive import manifold as naive
from segue.io import load
from segue.manifold.distances import pose_distances
from segue.maths.quaternions import normalise
from segue.motion.resample import resampled

SEEDS = st.integers(0, 2**32 - 1)


def _poses(seed, count=6, joints=4):
    return normalise(np.random.default_rng(seed).normal(size=(count, joints, 4)))


@given(SEEDS)
def test_distances_are_those_of_loops(seed):
    """Each is the root of the sum of squared half angles."""
    poses = _poses(seed)
    found = pose_distances(poses)
    for i, a in enumerate(poses):
        for j, b in enumerate(poses):
            assert abs(found[i, j] - naive.pose_distance(a.tolist(), b.tolist())) < 1e-7


@given(SEEDS)
def test_distances_are_distances(seed):
    """They are zero from a pose to itself, symmetric, and obey the triangle inequality."""
    found = pose_distances(_poses(seed))
    assert np.array_equal(found, found.T)
    assert not found.diagonal().any()
    assert (found[:, None, :] <= found[:, :, None] + found[None] + 1e-9).all()


@given(SEEDS)
def test_signs_and_the_root_do_not_count(seed):
    """A quaternion and its negative are the same orientation, and the root's rotation is ignored."""
    rng = np.random.default_rng(seed)
    poses = _poses(seed)
    other = poses * rng.choice([-1.0, 1.0], (*poses.shape[:2], 1))
    other[:, 0] = _poses(seed + 1, joints=1)[:, 0]
    assert np.allclose(pose_distances(poses), pose_distances(other), atol=1e-9)


def test_rows_in_pieces_give_the_same(monkeypatch):
    """The number of rows compared in one batch changes nothing."""
    poses = _poses(3, count=23)
    whole = pose_distances(poses)
    monkeypatch.setattr("segue.manifold.distances._CELLS", 50)
    assert np.array_equal(pose_distances(poses), whole)


def test_a_stride_later_a_walk_is_near_again(data):
    """In a captured walk, poses half a stride apart are over three times as far as those a stride apart."""
    walk = resampled(load(data / "asf_amc/16/16_58.amc"), 30.0)
    found = pose_distances(walk.rotations)
    by_lag = np.array([np.diagonal(found, lag).mean() for lag in range(1, 50)])
    stride = int(by_lag[20:].argmin()) + 21
    assert 30 <= stride <= 45
    assert by_lag[stride // 2 - 1] > 3 * by_lag[stride - 1]
