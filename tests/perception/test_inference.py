"""Tests of preferences and ratings: the source's printed figures, and SciPy and statsmodels called directly."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segue.errors import SettingError
from segue.perception.inference import (
    anova_independent,
    anova_within,
    critical_value,
    f_probability,
    least_effect,
    preference,
    rank_sum,
    signed_rank,
    wilson,
)


@pytest.mark.parametrize(
    ("first", "total", "share", "chi", "significant"),
    [
        (270, 280, 96.4, 241.4, True),
        (184, 280, 65.7, 27.7, True),
        (156, 280, 55.7, 3.66, False),
        (27, 36, 75.0, 9.0, True),
        (32, 36, 88.9, 21.8, True),
    ],
)
def test_table_v2_of_the_source(
    first: int, total: int, share: float, chi: float, *, significant: bool
) -> None:
    """Its percentages and values of chi-squared, to the digits printed."""
    found = preference(first, total)
    assert round(100 * found.share, 1) == share
    assert found.chi_square == pytest.approx(chi, abs=0.05 if chi > 10 else 0.005)
    assert (found.chi_square > critical_value()) == significant == (found.p < 0.01)


def test_the_critical_value() -> None:
    """6.635 at 0.01 with one degree of freedom; the source prints 6.64."""
    assert critical_value() == pytest.approx(6.635, abs=5e-4)


def test_p_of_the_sources_f_values() -> None:
    """At (1, 48) degrees of freedom, which the source does not print."""
    assert [f_probability(f, 48) for f in (0.87, 6.39, 1.24)] == pytest.approx(
        [0.356, 0.0148, 0.271], abs=5e-4
    )


@given(st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_preferences_turn_round(counts: tuple[int, int]) -> None:
    """The other condition has the complement: same chi-squared, opposite effect; the interval holds the share."""
    first, total = counts
    one, other = preference(first, total), preference(total - first, total)
    assert one.chi_square == pytest.approx(other.chi_square)
    assert one.effect == pytest.approx(-other.effect, abs=1e-12)
    assert one.low - 1e-12 <= one.share <= one.high + 1e-12
    expected = sum((count - total / 2) ** 2 / (total / 2) for count in (first, total - first))
    assert one.chi_square == pytest.approx(expected)
    assert wilson(first, total) == pytest.approx((1 - other.high, 1 - other.low))


@pytest.fixture
def ratings(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Ratings of two methods by 26 people, and their order."""
    table = np.clip(np.rint(rng.normal([2.6, 3.3], 1.0, (26, 2))), 1, 5)
    return table, np.arange(26) % 2


def test_ranks_are_scipys(ratings: tuple[np.ndarray, np.ndarray]) -> None:
    """Statistic and p, and an effect of the right sign."""
    from scipy.stats import mannwhitneyu, wilcoxon

    table, order = ratings
    own, theirs = signed_rank(table[:, 0], table[:, 1]), wilcoxon(table[:, 1], table[:, 0])
    assert (own.statistic, own.p) == pytest.approx((theirs.statistic, theirs.pvalue))
    assert own.effect > 0
    own, theirs = rank_sum(table[order == 0, 0], table[order == 1, 0]), mannwhitneyu(
        table[order == 1, 0], table[order == 0, 0]
    )  # fmt: skip
    assert (own.statistic, own.p) == pytest.approx((theirs.statistic, theirs.pvalue))


def test_variance_is_that_of_statsmodels(ratings: tuple[np.ndarray, np.ndarray]) -> None:
    """Answers as independent: type III sums with (1, 48) degrees of freedom."""
    pandas = pytest.importorskip("pandas")
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm

    table, order = ratings
    flat = pandas.DataFrame(
        {"y": table.T.ravel(), "m": np.repeat(["a", "b"], 26), "o": np.tile(order, 2).astype(str)}
    )
    theirs = anova_lm(ols("y ~ C(m, Sum) * C(o, Sum)", flat).fit(), typ=3)
    rows = anova_independent(flat["y"], flat["m"], flat["o"])
    assert [row.dof for row in rows] == [(1, 48)] * 3
    for row, name in zip(rows, ("C(m, Sum)", "C(o, Sum)", "C(m, Sum):C(o, Sum)"), strict=True):
        assert (row.f, row.p) == pytest.approx((theirs.loc[name, "F"], theirs.loc[name, "PR(>F)"]))
        assert row.mean_square == pytest.approx(theirs.loc[name, "sum_sq"])


def test_variance_within_people_is_a_t_test(ratings: tuple[np.ndarray, np.ndarray]) -> None:
    """With equal groups the method's F is the paired t squared without the order's share; order is tested on means."""
    from scipy.stats import ttest_ind

    table, order = ratings
    method, between, interaction = anova_within(table[:, 0], table[:, 1], order)
    apart, means = table[:, 1] - table[:, 0], table.mean(axis=1)
    assert method.dof == (1, 24)
    assert between.f == pytest.approx(ttest_ind(means[order == 0], means[order == 1]).statistic ** 2)
    assert interaction.f == pytest.approx(ttest_ind(apart[order == 0], apart[order == 1]).statistic ** 2)
    error = sum(float(np.sum((apart[order == g] - apart[order == g].mean()) ** 2)) for g in (0, 1)) / 24
    assert method.f == pytest.approx(26 * apart.mean() ** 2 / error)


def test_what_cannot_be_tested_is_refused() -> None:
    """No answers, a factor of one value and an empty cell are refused."""
    with pytest.raises(SettingError, match="no preference"):
        preference(3, 2)
    with pytest.raises(SettingError, match="method has 1 values"):
        anova_independent([1, 2], [0, 0], [0, 1])
    with pytest.raises(SettingError, match="both methods in both orders"):
        anova_independent([1, 2, 3], [0, 0, 1], [0, 1, 1])
    assert signed_rank([1, 2], [1, 2]).p == 1.0
    assert rank_sum([2, 2], [2, 2]).p == 1.0
    assert np.isnan(least_effect(2))
