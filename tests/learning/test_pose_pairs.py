"""Pose pairs labelled by time."""

from __future__ import annotations

import numpy as np
import pytest

from naive.costs import relative_distance
from segue.costs.relative_distance import JOINTS, symmetric_pairs
from segue.learning.pose_pairs import cycle_frames, differences, pose_distances, pose_pairs
from segue.motion.samples import ground_truth, sample
from segue.motion.standard_body import standard_body


def test_the_cycle_of_a_walk_is_found():
    """A cycle is the time between two strikes of one heel; a standing body has none."""
    for name in ("walk", "walk_fast", "run"):
        strikes = [e.seconds for e in ground_truth(name).events if e.side == "left" and e.kind == "strike"]
        expected = 30 * np.diff(strikes).mean()
        assert cycle_frames(pose_distances(sample(name))) == pytest.approx(expected, abs=1.01), name
    assert cycle_frames(pose_distances(sample("stand", seconds=0.8))) is None


def test_differences_are_the_twin():
    """Differences per symmetric pair equal loops over the definition with weight on that pair alone."""
    clip = sample("walk_turn_left", 30.0)
    body = standard_body(clip)
    poses = [{role: body.joints[role][f] * 1.75 / body.stature for role in JOINTS} for f in (3, 40)]
    measured = pose_distances(clip)
    mine = differences(measured[3:4], measured[40:41])[0]
    for k, pair in enumerate(symmetric_pairs()):
        assert mine[k] == pytest.approx(relative_distance(*poses, [(*pair, 1.0)]), abs=1e-12)


def test_alike_pairs_differ_less(rng):
    """Labels are balanced and the unlike pairs differ more on average."""
    kinds = [[sample("walk"), sample("walk_turn_left")], [sample("run")]]
    pairs = pose_pairs(kinds, each=100, rng=rng)
    assert pairs.differences.shape == (400, len(symmetric_pairs()))
    assert pairs.labels.mean() == 0.5
    mean = pairs.differences.mean(axis=1)
    assert mean[pairs.labels == 0].mean() < 0.5 * mean[pairs.labels == 1].mean()


def test_the_same_seed_draws_the_same_pairs():
    draws = [pose_pairs([[sample("walk")]], each=20, rng=np.random.default_rng(5)) for _ in range(2)]
    np.testing.assert_array_equal(draws[0].differences, draws[1].differences)
