"""The knee rule: planted knees, tails that must not affect it, and the source's ranks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import knee as naive
from segue.errors import SettingError
from segue.transitions.knee import SOURCE_RATE, knee_rank, knee_threshold
from segue.transitions.pruning import count_once


def curve(seed, knee, total, slope, exact=False):
    """Sorted costs whose steps shrink by a factor after rank ``knee``."""
    steps = np.ones(total) if exact else np.random.default_rng(seed).exponential(size=total)
    steps[knee:] *= slope
    return np.cumsum(steps)


@given(st.integers(0, 1000), st.integers(2, 120), st.integers(2, 300), st.floats(0.02, 2.0))
def test_the_rule_is_that_of_the_twin(seed, knee, total, slope):
    """Vectorised and plain loops give the same rank, or none."""
    costs = curve(seed, min(knee, total), total, slope)
    assert knee_rank(costs) == naive.knee_rank(costs.tolist())


@given(st.integers(10, 300), st.floats(0.0, 0.3), st.floats(0.01, 100.0))
def test_a_planted_knee_is_found_at_any_scale(knee, slope, scale):
    """The knee of two straight lines is where they meet, in any unit."""
    rank = knee_rank(scale * curve(0, knee, 10 * knee + 100, slope, exact=True))
    assert rank is not None
    assert abs(rank - knee) <= 1


def test_a_noisy_knee_is_found(rng):
    """With random steps the cost at the knee is found within a quarter in over 85 % of the draws."""
    planted = [curve(seed, 60, 1500, 0.2) for seed in range(200)]
    ratio = [knee_threshold(costs).value / costs[59] for costs in planted]
    assert np.mean(np.abs(np.array(ratio) - 1) < 0.25) > 0.85


@pytest.mark.parametrize("kind", ["longer", "steeper"])
def test_the_tail_does_not_move_the_knee(kind):
    """Twice as many ordinary costs, or a tail twice as steep, leave the threshold unchanged to 10 %."""
    for seed in range(20):
        costs = curve(seed, 60, 1000, 0.2)
        if kind == "longer":
            changed = np.concatenate([costs, costs[-1] + np.cumsum(np.diff(costs[499:]))])
        else:
            changed = np.concatenate([costs[:500], costs[499] + 2 * (costs[500:] - costs[499])])
        before, after = knee_threshold(costs).value, knee_threshold(changed).value
        assert abs(after / before - 1) < 0.1


@pytest.mark.parametrize("costs", [np.arange(200.0), np.arange(200.0) ** 2, np.zeros(50), np.arange(5.0)])
def test_a_curve_without_a_bend_has_no_knee(costs):
    """Straight, ever steeper, flat and short curves have none, and the threshold reports that."""
    assert knee_rank(costs) is None
    got = knee_threshold(costs, 8.0)
    assert "no bend" in got.sentence
    assert got.value == np.sort(costs)[min(12, len(costs)) - 1]
    assert knee_threshold(costs).value == costs.max()


def test_ranks_are_told_by_the_second():
    """The source's knees, 67 in 4,145 and 30 in 3,720 frames at 120 fps, are 1.94 and 0.97 ranks a second."""
    assert 97 / (7865 / 120) == SOURCE_RATE == pytest.approx(1.48, abs=0.01)
    costs = curve(0, 67, 800, 0.1, exact=True)
    assert "rank 67, 1.9 a second" in knee_threshold(costs, 4145 / 120).sentence


def test_minima_closer_than_a_quarter_second_count_once():
    """At 30 fps, minima 7 frames apart on both axes are one and 8 are two."""
    cells = np.array([[10, 10], [17, 17], [25, 17]])
    got = count_once(cells, np.array([1.0, 2.0, 3.0]), rate=30.0, shape=(40, 40))
    assert got.tolist() == [1.0, 3.0]


def test_no_costs_have_no_knee():
    """The message states the alternative."""
    with pytest.raises(SettingError, match="give a number"):
        knee_threshold([np.inf])
