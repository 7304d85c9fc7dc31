"""Transition probabilities: the formula and its shift by one frame."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from segue.costs.matrix import cost_matrix
from segue.costs.probability import transition_probabilities
from segue.costs.registry import cost
from segue.errors import SettingError
from segue.motion.samples import sample

COSTS = arrays(
    np.float64, array_shapes(min_dims=2, max_dims=2, min_side=2, max_side=9), elements=st.floats(0, 50)
)


@given(COSTS, st.floats(0.1, 10.0))
def test_it_is_the_formula(values, sigma):
    """Each row is the formula, scaled to sum 1."""
    found = transition_probabilities(values, sigma=sigma)
    assert not found[:, 0].any()
    for i, row in enumerate(values.tolist()):
        weights = [math.exp(-row[j - 1] / sigma) for j in range(1, len(row))]
        if sum(weights) > 1e-250:
            expected = [0.0, *(w / sum(weights) for w in weights)]
            np.testing.assert_allclose(found[i], expected, atol=1e-12)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)


def test_a_clip_follows_itself():
    """In a clip against itself the next frame has the highest probability, which rises as sigma falls."""
    walk = sample("walk", 30.0)
    values = cost_matrix(walk, walk, cost=cost("joint_angle", dtype="float64")).values
    last = 0.0
    for sigma in (1.0, 0.1, 0.001):
        found = transition_probabilities(values, sigma=sigma)
        following = found[np.arange(len(values) - 1), np.arange(1, len(values))]
        assert np.all(following >= found[:-1].max(axis=1) - 1e-12)
        assert following.mean() > last
        last = float(following.mean())


def test_high_costs_do_not_vanish():
    """A row with high costs only still has a next frame."""
    assert transition_probabilities([[1e6, 2e6, 0.0]], sigma=1.0).tolist() == [[0.0, 1.0, 0.0]]


@pytest.mark.parametrize(
    ("values", "sigma", "message"),
    [
        ([[0.0, 1.0]], 0.0, "sigma"),
        ([[0.0, 1.0]], np.nan, "sigma"),
        ([[0.0]], 1.0, "two columns"),
        ([0.0, 1.0], 1.0, "two columns"),
        ([[0.0, np.nan]], 1.0, "from 0 upwards"),
        ([[0.0, np.inf]], 1.0, "from 0 upwards"),
        ([[0.0, -1.0]], 1.0, "from 0 upwards"),
    ],
)
def test_what_is_no_cost_matrix(values, sigma, message):
    """Each error states the requirement."""
    with pytest.raises(SettingError, match=message):
        transition_probabilities(values, sigma=sigma)
