"""Weighted smoothing: a naive twin, laws, and rows without weight."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from naive.root_motion import smoothed
from segue.maths.smoothing import whittaker

SEEDS = st.integers(0, 2**32 - 1)


def some(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of two numbers and their weights, about a third of them zero."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 12))
    return rng.normal(0.0, 3.0, (n, 2)), rng.uniform(0.1, 2.0, n) * (rng.uniform(size=n) < 0.7)


@given(SEEDS, st.booleans(), st.floats(0.01, 100.0))
def test_it_is_the_least_of_the_sum(seed: int, wraps: bool, stiffness: float) -> None:
    """The result is the solution of the normal equations of the sum by elimination."""
    values, weights = some(seed)
    weights[0] = 1.0
    made = whittaker(values, weights, stiffness=stiffness, wraps=wraps)
    for column in range(2):
        given_values = smoothed(values[:, column].tolist(), weights.tolist(), stiffness, wraps=wraps)
        assert np.allclose(made[:, column], given_values, atol=1e-7)


@given(SEEDS, st.booleans())
def test_a_shift_of_the_values_shifts_the_result(seed: int, wraps: bool) -> None:
    values, weights = some(seed)
    weights[0] = 1.0
    plain = whittaker(values, weights, stiffness=2.0, wraps=wraps)
    assert np.allclose(whittaker(values + 5.0, weights, stiffness=2.0, wraps=wraps), plain + 5.0, atol=1e-7)


def test_where_nothing_is_known_it_goes_straight() -> None:
    """Rows without weight lie on a line between those with it; without any weight the result is finite."""
    values, weights = np.zeros((9, 1)), np.zeros(9)
    values[8], weights[[0, 8]] = 8.0, 1e6
    assert np.allclose(whittaker(values, weights, stiffness=1.0)[:, 0], np.arange(9.0), atol=1e-4)
    assert np.isfinite(whittaker(values, np.zeros(9), stiffness=1.0, wraps=True)).all()
    assert whittaker(values[:1], weights[:1], stiffness=1.0).shape == (1, 1)
