"""The lag at which two signals are most alike, against plain loops over all of them."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from naive import minima as naive
from segue.transitions.lags import best_lag, lag_residual, signal

SEEDS = st.integers(0, 1000)
SIZES = st.integers(4, 12)
SCALES = st.sampled_from([0.0, 1e-9, 1.0])


@given(SEEDS, SIZES, SIZES)
def test_residuals_are_those_of_the_twin(seed, n, m):
    """Every lag's residual, and none for a signal equal up to constants."""
    rng = np.random.default_rng(seed)
    x, y = rng.random((n, 3)), rng.random((m, 3))
    got = [lag_residual(x, y, lag) for lag in range(-2, 3)]
    expected = [naive.lag_residual(x.tolist(), y.tolist(), lag) for lag in range(-2, 3)]
    np.testing.assert_allclose(got, expected, rtol=1e-10)
    assert lag_residual(x, x + np.array([1.0, -2.0, 0.5]), 0) < 1e-20


@given(SEEDS, SIZES, SIZES, SCALES, SCALES, st.booleans(), st.sampled_from([0.3, 10.0]))
def test_the_best_lag_is_that_of_all_of_them(seed, n, m, one, other, copied, limit):
    """Also where a signal stands still, hardly moves, moves in one part only, or is a part of the other."""
    rng = np.random.default_rng(seed)
    x, y = (rng.random((n, 3)) - 0.5) * one, (rng.random((m, 3)) - 0.5) * other
    x[: n // 2] *= 1e-8
    if copied:
        count = min(n, m)
        y[-count:] = x[:count] + 3.0
    made = signal(x), signal(y)
    expected = [lag_residual(made[0].values, made[1].values, lag) for lag in range(-2, m - 1)]
    got = best_lag(*made, first=-2, last=m - 2, limit=limit)
    assert got == (int(np.argmin(expected)) - 2 if min(expected) <= limit else None)


def test_a_shifted_wave_is_found_at_its_shift():
    """Among periods that differ only little, the exact one; and nothing that is only nearly as it should be."""
    time = np.arange(400.0)
    wave = np.stack([np.sin(time / 5), np.cos(time / 5) + 1e-3 * np.sin(time / 50)], axis=1)
    found = [
        best_lag(signal(wave[37:]), signal(wave + 2.0), first=first, last=80, limit=limit)
        for first, limit in ((-70, 1e-9), (38, 1e-9), (38, 0.01))
    ]
    assert found[:2] == [37, None]
    assert found[2] not in (None, 37)
