"""Non-negative least squares for weights: planted weights are recovered; the reference is the plain solver."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import nnls

from segue.errors import SettingError
from segue.learning.least_squares import non_negative_weights, pseudo_inverse_weights, strongest


def test_planted_weights_are_recovered(rng):
    """Labels that are a weighted sum give back the weights, including zeros."""
    planted = np.array([0.0, 0.7, 0.2, 0.0, 1.3])
    rows = rng.uniform(0, 1, (300, 5))
    np.testing.assert_allclose(non_negative_weights(rows, rows @ planted), planted, atol=1e-9)
    np.testing.assert_allclose(pseudo_inverse_weights(rows, 1 - rows @ planted), planted, atol=1e-9)


def test_equals_the_plain_solver(rng):
    """The reduced problem has the minimum of the full one, with and without a ridge."""
    rows, labels = rng.uniform(0, 1, (200, 8)), np.repeat([0.0, 1.0], 100)
    rows[100:, :3] += 0.5
    np.testing.assert_allclose(non_negative_weights(rows, labels), nnls(rows, labels)[0], atol=1e-9)
    scale = np.sqrt((rows**2).mean(axis=0)).mean()
    longer = np.vstack([rows, np.sqrt(0.3 * 200) * scale * np.eye(8)])
    expected = nnls(longer, np.append(labels, np.zeros(8)))[0]
    np.testing.assert_allclose(non_negative_weights(rows, labels, ridge=0.3), expected, atol=1e-9)


def test_more_ridge_spreads_weight(rng):
    """A larger ridge never leaves fewer similar columns with a positive weight."""
    one = rng.uniform(0, 1, (200, 1))
    rows = one + 0.01 * rng.normal(size=(200, 6)) ** 2
    labels = (one[:, 0] > 0.5).astype(float)
    counts = [np.count_nonzero(non_negative_weights(rows, labels, ridge=r)) for r in (0.0, 0.1, 10.0)]
    assert counts == sorted(counts)
    assert counts[-1] == 6


def test_strongest_keeps_the_largest():
    """Only positive weights, largest first, scaled to sum 1."""
    names = [("a", "b"), ("a", "c"), ("b", "c"), ("c", "d")]
    assert strongest(np.array([1.0, 0.0, 3.0, 0.5]), names, 2) == [("b", "c", 0.75), ("a", "b", 0.25)]
    assert len(strongest(np.array([1.0, 0.0, 3.0, 0.5]), names)) == 3


def test_refuses_labels_of_one_kind():
    """Alike pairs alone, a different number of labels, and a negative ridge are refused."""
    with pytest.raises(SettingError, match="both kinds"):
        non_negative_weights(np.ones((3, 2)), np.zeros(3))
    with pytest.raises(SettingError, match=r"\(K, D\)"):
        non_negative_weights(np.ones((3, 2)), np.zeros(4))
    with pytest.raises(SettingError, match="ridge"):
        non_negative_weights(np.ones((2, 2)), np.array([0.0, 1.0]), ridge=-1.0)
