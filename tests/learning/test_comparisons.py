"""Weights from comparisons: planted ones are recovered, and every method is compared with the others."""

from __future__ import annotations

import numpy as np
import pytest

from segue.errors import SettingError
from segue.learning import Label, examples, learn, leave_one_out
from segue.learning.least_squares import bradley_terry_weights, every_pair
from segue.learning.weights import compared_methods, solve
from segue.motion.samples import sample

WALK = sample("walk", 30.0)
LABELS = [Label("walk", 20, "walk", 20 + k, k in (1, 2)) for k in (1, 2, 9, 14, 20)]


def test_planted_weights_come_back(rng: np.random.Generator) -> None:
    """From 4,000 comparisons drawn from the model they are recovered within a fifth of the largest."""
    planted = np.array([4.0, 1.0, 0.0, 2.0])
    x, y = rng.random((2, 4000, 4))
    first = rng.random(4000) < 1.0 / (1.0 + np.exp(-(y - x) @ planted))
    better, worse = np.where(first[:, None], x, y), np.where(first[:, None], y, x)
    assert bradley_terry_weights(better, worse) == pytest.approx(planted, abs=0.8)


def test_the_slope_vanishes_where_no_bound_holds(rng: np.random.Generator) -> None:
    """No small step of a weight reduces the loss, computed by loops from its definition."""
    better, worse = rng.random((2, 30, 3))
    found = bradley_terry_weights(better, worse, ridge=0.1)

    def value(weights: np.ndarray) -> float:
        total, scale = 0.0, np.sqrt(np.mean((worse - better) ** 2, axis=0))
        for x, y in zip(better, worse, strict=True):
            total += np.log(1.0 + np.exp(-sum(w * (b - a) for w, a, b in zip(weights, x, y, strict=True))))
        return total / 30 + 0.05 * float(np.sum((weights * scale) ** 2))

    for k in range(3):
        for step in (-1e-3, 1e-3):
            other = found.copy()
            other[k] = max(other[k] + step, 0.0)
            assert value(other) >= value(found) - 1e-9


def test_more_answers_count_more() -> None:
    """Of two contradictory comparisons the more frequent answer prevails."""
    better, worse = np.array([[0.0], [1.0]]), np.array([[1.0], [0.0]])
    assert bradley_terry_weights(better, worse, counts=np.array([3.0, 1.0]))[0] > 0.5
    assert bradley_terry_weights(better, worse, counts=np.array([1.0, 3.0]))[0] == 0.0
    assert every_pair(np.array([0, 0, 1])).tolist() == [[0, 2], [1, 2]]


@pytest.mark.parametrize("method", ["nnls", "pseudo_inverse", "bradley_terry"])
def test_every_method_learns_and_leaves_out(method) -> None:
    """Weights are 0 or more, the largest 1; leaving one out has a row for each label."""
    found = examples(LABELS, [WALK])
    weights = learn(found, method=method).weights
    assert weights.min() >= 0
    assert weights.max() == 1.0
    assert leave_one_out(found, method=method).weights.shape[0] == len(LABELS)


def test_methods_stand_beside_the_source() -> None:
    """The table has a row for each joint with every method and table IV.1, and reports whether they agree."""
    found = compared_methods(examples(LABELS, [WALK]))
    hip = next(row for row in found["weights"] if row["joint"] == "hip")
    assert hip["table IV.1"] == 1.0
    assert set(hip) == {"joint", "nnls", "pseudo_inverse", "bradley_terry", "table IV.1"}
    assert "agree" in found["agreement"]["sentence"]


def test_what_cannot_be_compared_is_refused() -> None:
    """Unknown methods and empty label sets are refused."""
    found = examples(LABELS, [WALK])
    with pytest.raises(SettingError, match="nearest: nnls"):
        solve(found, method="nls")  # type: ignore[arg-type]
    with pytest.raises(SettingError, match="of a better with a worse"):
        solve(found, method="bradley_terry", keep=np.array([True, True, False, False, False]))
    with pytest.raises(SettingError, match="one shape"):
        bradley_terry_weights(np.zeros((0, 2)), np.zeros((0, 2)))
