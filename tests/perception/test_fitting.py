"""Fits meet the definition and recover planted values, and intervals have the stated coverage."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import psychometric as naive
from segue.errors import SettingError
from segue.perception.differences import thresholds_differ
from segue.perception.fitting import counted_answers, fit_many, fit_psychometric, likelihoods, pooled_draws
from segue.perception.psychometric import Psychometric

LEVELS = np.arange(2.0, 21.0, 2.0)


@given(st.floats(0.5, 30), st.floats(0.5, 10), st.floats(0, 0.1), st.floats(0, 0.5), st.floats(-40, 40))
def test_the_function_is_its_definition(
    threshold: float, slope: float, lapse: float, guess: float, level: float
) -> None:
    """The Weibull function and its inverse match the naive twin."""
    function = Psychometric(threshold, slope, lapse, guess)
    expected = naive.share(level, threshold=threshold, slope=slope, lapse=lapse, guess=guess)
    assert float(function.share(level)) == pytest.approx(expected, abs=1e-12)
    half = guess + 0.5 * (1 - guess - lapse)
    assert function.level(half) == pytest.approx(threshold)


def test_likelihoods_are_their_definition(rng: np.random.Generator) -> None:
    """Likelihoods are sums of logarithms, for many rows in one call."""
    shown = rng.integers(1, 20, (5, len(LEVELS))).astype(float)
    right = np.floor(shown * rng.random(shown.shape))
    theta = np.column_stack(
        [np.log(rng.uniform(2, 15, 5)), np.log(rng.uniform(1, 6, 5)), rng.uniform(0, 0.1, 5)]
    )
    expected = [
        naive.log_likelihood(LEVELS, n, k, threshold=np.exp(t[0]), slope=np.exp(t[1]), lapse=t[2], guess=0.5)
        for n, k, t in zip(shown, right, theta, strict=True)
    ]
    assert np.allclose(likelihoods(theta, LEVELS, shown, right, guess=0.5), expected)


def test_no_function_of_a_search_is_likelier(rng: np.random.Generator) -> None:
    """For three data sets SciPy's own minimiser, from many starts, improves the fit by at most 0.05."""
    from scipy.optimize import minimize

    right = rng.binomial(20, Psychometric(7.0, 3.0, 0.02).share(LEVELS), (3, len(LEVELS))).astype(float)
    shown = np.full_like(right, 20.0)
    found = likelihoods(fit_many(LEVELS, shown, right), LEVELS, shown, right, guess=0.5)
    for n, k, best in zip(shown, right, found, strict=True):

        def unlikely(theta: np.ndarray, n: np.ndarray = n, k: np.ndarray = k) -> float:
            return -float(likelihoods(theta[None], LEVELS, n[None], k[None], guess=0.5)[0])

        bounds = [(np.log(0.5), np.log(80)), (np.log(0.5), np.log(12)), (0.0, 0.1)]
        starts = [(np.log(t), np.log(s), 0.02) for t in (4, 7, 10) for s in (1.5, 4)]
        other = min(minimize(unlikely, start, bounds=bounds, method="L-BFGS-B").fun for start in starts)
        assert best >= -other - 0.05


def test_intervals_hold_what_was_planted(rng: np.random.Generator) -> None:
    """Over 24 studies of forty trials a level, 95 % intervals of the JND hold it in 19 or more."""
    truth = Psychometric(8.0, 3.0, 0.02)
    held = 0
    for _ in range(24):
        right = rng.binomial(40, truth.share(LEVELS))
        low, high = fit_psychometric(LEVELS, [40] * len(LEVELS), right, draws=60, rng=rng).interval()
        held += low <= truth.level() <= high
    assert held >= 19


def test_a_bootstrap_over_people_spreads_with_people(rng: np.random.Generator) -> None:
    """People who differ make wider intervals than people who do not."""
    shown = np.full(len(LEVELS), 30.0)
    spread = []
    for between in (0.0, 0.5):
        counts = [
            (
                shown,
                rng.binomial(
                    30, Psychometric(8.0 * np.exp(rng.normal(0, between)), 4.0).share(LEVELS)
                ).astype(float),
            )
            for _ in range(12)
        ]
        spread.append(float(pooled_draws(LEVELS, counts, draws=200, rng=rng)[:, 3].std()))
    assert spread[1] > 1.5 * spread[0]


def test_a_planted_difference_is_found_and_no_other(rng: np.random.Generator) -> None:
    """Thresholds of 6 and 9 differ; of twenty pairs with one threshold at most four appear to."""
    shown = np.full(len(LEVELS), 40)
    apart = [rng.binomial(40, Psychometric(t, 3.5).share(LEVELS)) for t in (6.0, 9.0)]
    assert thresholds_differ([LEVELS] * 2, [shown] * 2, apart).p < 0.001
    same = 0
    for _ in range(20):
        pair = [rng.binomial(40, Psychometric(7.0, 3.5).share(LEVELS)) for _ in range(2)]
        same += thresholds_differ([LEVELS] * 2, [shown] * 2, pair).p < 0.05
    assert same <= 4


def test_ranks_within_people(rng: np.random.Generator) -> None:
    """Friedman's test of three columns and Wilcoxon's of two are SciPy's."""
    from scipy.stats import friedmanchisquare, wilcoxon

    table = rng.random((10, 3))
    counts = ([LEVELS] * 3, [np.full(10, 5)] * 3, [np.full(10, 4)] * 3)
    assert thresholds_differ(*counts, people=table).people_p == pytest.approx(
        friedmanchisquare(*table.T).pvalue
    )
    two = thresholds_differ(*(one[:2] for one in counts), people=table[:, :2]).people_p
    assert two == pytest.approx(wilcoxon(table[:, 0] - table[:, 1]).pvalue)


def test_what_cannot_be_fitted_is_refused() -> None:
    """More correct answers than trials, no trials, unequal rows and a bootstrap without a generator are refused."""
    for rows in (([2, 4], [1, 1], [2, 0]), ([2, 4], [0, 0], [0, 0]), ([2], [1, 1], [1, 1]), ([0], [4], [2])):
        with pytest.raises(SettingError):
            fit_psychometric(*rows)
    with pytest.raises(SettingError, match="generator"):
        fit_psychometric([2, 4], [4, 4], [2, 4], draws=10)
    with pytest.raises(SettingError, match="above 0"):
        Psychometric(0.0, 1.0)


def test_answers_are_counted() -> None:
    """Signs, which give a direction, are ignored."""
    levels, shown, right = counted_answers([-4, -2, -4, -4], [True, False, False, True])
    assert (levels.tolist(), shown.tolist(), right.tolist()) == ([2.0, 4.0], [1, 3], [0, 2])
