"""The lag at which two signals are most similar, against an exhaustive search in plain loops."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from naive import minima as naive
from segue.transitions import lags
from segue.transitions.lags import REST, at_rest, best_lag, lag_residual, signal

SEEDS = st.integers(0, 1000)
SIZES = st.integers(4, 12)
SCALES = st.sampled_from([0.0, 1e-9, 1e-4, 1.0])


@given(SEEDS, SIZES, SIZES)
def test_residuals_are_those_of_the_twin(seed, n, m):
    """The residual of every lag is the twin's, and is zero for a signal equal up to constants."""
    rng = np.random.default_rng(seed)
    x, y = rng.random((n, 3)), rng.random((m, 3))
    got = [lag_residual(x, y, lag) for lag in range(-2, 3)]
    expected = [naive.lag_residual(x.tolist(), y.tolist(), lag) for lag in range(-2, 3)]
    np.testing.assert_allclose(got, expected, rtol=1e-10)
    assert lag_residual(x, x + np.array([1.0, -2.0, 0.5]), 0) < 1e-20


def residual(x, y, lag):
    """The exact residual; infinite where both are at rest."""
    i, j = max(0, -lag), max(0, lag)
    length = min(len(x) - i, len(y) - j)
    parts = x[i : i + length], y[j : j + length]
    size = sum(float(np.sum((part - part.mean(axis=0)) ** 2)) for part in parts)
    whole = float(np.sum(x * x) + np.sum(y * y))
    at_rest = size <= max(1e-10 * whole, 2 * x.shape[1] * length * REST**2)
    return np.inf if at_rest else lag_residual(x, y, lag)


@given(SEEDS, SIZES, SIZES, SCALES, SCALES, st.booleans(), st.sampled_from([0.3, 10.0]))
def test_the_best_lag_is_that_of_all_of_them(seed, n, m, one, other, copied, limit):
    """The law holds where a signal stands still, hardly moves, moves in one part only, or is a part of the other."""
    rng = np.random.default_rng(seed)
    x, y = (rng.random((n, 3)) - 0.5) * one, (rng.random((m, 3)) - 0.5) * other
    x[: n // 2] *= 1e-8
    if copied:
        count = min(n, m)
        y[-count:] = x[:count] + 3.0
    made = signal(x), signal(y)
    expected = [residual(made[0].values, made[1].values, lag) for lag in range(-2, m - 1)]
    got = best_lag(*made, first=-2, last=m - 2, limit=limit)
    assert got == (int(np.argmin(expected)) - 2 if min(expected) <= limit else None)


@given(SEEDS, st.integers(20, 90), st.integers(20, 90))
def test_no_lag_is_missed(seed, n, m):
    """A copied part is found at its lag, whichever signal is longer, also at the outermost lags."""
    rng = np.random.default_rng(seed)
    x, y = rng.random((n, 2)), rng.random((m, 2))
    lag = int(rng.integers(4 - n, m - 3))
    i, j = max(0, -lag), max(0, lag)
    length = min(n - i, m - j)
    y[j : j + length] = x[i : i + length] - 1.0
    assert best_lag(signal(x), signal(y), first=4 - n, last=m - 4, limit=1e-9) == lag


def test_slow_signals_are_not_asked_at_every_lag(monkeypatch):
    """Ramps are equal up to constants at every lag: any lag is right, and few are evaluated."""
    ramp = signal(np.arange(2000.0)[:, None])
    asked = []
    monkeypatch.setattr(lags, "lag_residual", lambda x, y, lag: asked.append(lag) or lag_residual(x, y, lag))
    assert best_lag(ramp, ramp, first=-400, last=400, limit=0.1) is not None
    assert 0 < len(asked) <= 64


def test_what_stands_still_has_no_best_lag(monkeypatch):
    """No residual is computed, and the signal is reported as at rest."""
    still = signal(np.full((500, 3), 0.7123) + 1e-8 * np.random.default_rng(0).random((500, 3)))
    monkeypatch.setattr(lags, "lag_residual", None)
    assert at_rest(still)
    assert best_lag(still, still, first=-100, last=100, limit=0.1) is None


def test_a_shifted_wave_is_found_at_its_shift():
    """Among periods that differ slightly the exact one is found; with a strict limit, no approximate one."""
    time = np.arange(400.0)
    wave = np.stack([np.sin(time / 5), np.cos(time / 5) + 1e-3 * np.sin(time / 50)], axis=1)
    found = [
        best_lag(signal(wave[37:]), signal(wave + 2.0), first=first, last=80, limit=limit)
        for first, limit in ((-70, 1e-9), (38, 1e-9), (38, 0.01))
    ]
    assert found[:2] == [37, None]
    assert found[2] not in (None, 37)
