"""Statistics of preferences and ratings, by tests of SciPy and statsmodels.

The assumption of the source's tests is kept: answers are independent, even those of one person. Tests without this
assumption are provided alongside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from segue.arrays import Bools, Floats
from segue.errors import MissingExtraError, SettingError

ALPHA = 0.01
"""Level of the source's tests of preference (Wang, ch. V.2)."""


@dataclass(frozen=True)
class Preference:
    """Preference for the first of two, tested against an even split.

    Parameters
    ----------
    first, total
        Answers that prefer the first, and all answers.
    chi_square, p
        Chi-squared statistic with one degree of freedom, and its p.
    low, high
        95 % interval of the share (Wilson).
    effect
        Cohen's h: difference of arcsines from one half; 0.2 is small, 0.5 medium, 0.8 large.
    least
        Smallest share above one half that this number of answers detects with a power of 0.8.
    """

    first: int
    total: int
    chi_square: float
    p: float
    low: float
    high: float
    effect: float
    least: float

    @property
    def share(self) -> float:
        """Share of answers that prefer the first."""
        return self.first / self.total


def preference(first: int, total: int, *, alpha: float = ALPHA) -> Preference:
    """Test counts of a preference against an even split by chi-squared (Wang, table V.2).

    Raises
    ------
    SettingError
        If there are no answers, or more for the first than in total.

    Examples
    --------
    >>> found = preference(270, 280)
    >>> round(found.chi_square, 1), found.p < 0.01
    (241.4, True)
    """
    if not 0 <= first <= total or total < 1:
        msg = f"{first} of {total} answers is no preference; give how many of all chose the first"
        raise SettingError(msg)
    from scipy.stats import chisquare

    test = chisquare([first, total - first])
    low, high = wilson(first, total)
    effect = 2.0 * (float(np.arcsin(np.sqrt(first / total))) - float(np.arcsin(np.sqrt(0.5))))
    least = _least_share(total, alpha)
    return Preference(first, total, float(test.statistic), float(test.pvalue), low, high, effect, least)


def critical_value(alpha: float = ALPHA, *, dof: int = 1) -> float:
    """Return the value of chi-squared that is exceeded by chance with probability ``alpha``.

    Examples
    --------
    >>> round(critical_value(0.01), 3)
    6.635
    """
    from scipy.stats import chi2

    return float(chi2.isf(alpha, dof))


def wilson(first: int, total: int, *, share: float = 0.95) -> tuple[float, float]:
    """Return Wilson's score interval of a share, which is also valid for few answers and near 0 and 1.

    Examples
    --------
    >>> [round(end, 3) for end in wilson(8, 10)]
    [0.49, 0.943]
    """
    from scipy.stats import norm

    z = float(norm.isf((1.0 - share) / 2.0))
    p = first / total
    middle = (p + z * z / (2 * total)) / (1 + z * z / total)
    half = z * np.sqrt(p * (1 - p) / total + z * z / (4 * total * total)) / (1 + z * z / total)
    return float(max(middle - half, 0.0)), float(min(middle + half, 1.0))


def _least_share(total: int, alpha: float, *, power: float = 0.8) -> float:
    """Return the share that a two-sided test of ``total`` answers detects with this power (arcsine approximation)."""
    from scipy.stats import norm

    effect = (norm.isf(alpha / 2.0) + norm.isf(1.0 - power)) / np.sqrt(total)
    angle = min(float(effect) / 2.0 + float(np.arcsin(np.sqrt(0.5))), np.pi / 2)
    return float(np.sin(angle) ** 2)


@dataclass(frozen=True)
class RankTest:
    """Result of a rank test: statistic, p, and the effect size as rank-biserial correlation, from -1 to 1."""

    statistic: float
    p: float
    effect: float
    count: int


def signed_rank(first: npt.ArrayLike, second: npt.ArrayLike) -> RankTest:
    """Test two ratings by the same people with Wilcoxon's signed-rank test; equal pairs are left out.

    The effect is positive if the second is higher.

    Examples
    --------
    >>> signed_rank([1, 2, 2, 3, 2, 1], [3, 3, 2, 5, 4, 2]).effect
    1.0
    """
    from scipy.stats import rankdata, wilcoxon

    x, y = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    apart = (y - x)[y != x]
    if not apart.size:
        return RankTest(0.0, 1.0, 0.0, 0)
    test = wilcoxon(y, x)
    ranks = rankdata(np.abs(apart))
    effect = float(np.sum(ranks * np.sign(apart)) / ranks.sum())
    return RankTest(float(test.statistic), float(test.pvalue), effect, len(apart))


def rank_sum(first: npt.ArrayLike, second: npt.ArrayLike) -> RankTest:
    """Test ratings by different people with the rank-sum test (Wilcoxon, Mann and Whitney).

    Examples
    --------
    >>> rank_sum([1, 2, 2, 1], [4, 5, 4, 5]).effect
    1.0
    """
    from scipy.stats import mannwhitneyu

    x, y = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if not x.size or not y.size:
        return RankTest(float("nan"), float("nan"), float("nan"), 0)
    if np.all(np.concatenate([x, y]) == x[0]):
        return RankTest(0.5 * x.size * y.size, 1.0, 0.0, x.size + y.size)
    test = mannwhitneyu(y, x)
    effect = float(2.0 * test.statistic / (x.size * y.size) - 1.0)
    return RankTest(float(test.statistic), float(test.pvalue), effect, x.size + y.size)


@dataclass(frozen=True)
class FTest:
    """Row of an analysis of variance: mean square, F with its degrees of freedom, p, partial eta squared."""

    name: str
    mean_square: float
    f: float
    dof: tuple[int, int]
    p: float

    @property
    def effect(self) -> float:
        """Partial eta squared: share explained by this factor of the variance that other factors leave."""
        return self.f * self.dof[0] / (self.f * self.dof[0] + self.dof[1])


def f_probability(f: float, within: int, *, between: int = 1) -> float:
    """Return p of an F value.

    Examples
    --------
    >>> [round(f_probability(f, 48), 4) for f in (0.87, 6.39, 1.24)]
    [0.3556, 0.0148, 0.271]
    """
    from scipy.stats import f as f_distribution

    return float(f_distribution.sf(f, between, within))


def anova_independent(
    ratings: npt.ArrayLike, method: npt.ArrayLike, order: npt.ArrayLike
) -> tuple[FTest, ...]:
    """Compute a two-way analysis of variance that treats every answer as independent (Wang, ch. IV.4).

    Parameters
    ----------
    ratings
        (N,) answers.
    method, order
        (N,) method rated, and order in which its rater saw the methods: two values each.

    Returns
    -------
    Rows for method, order and their interaction (type III), with (1, N - 4) degrees of freedom.

    Raises
    ------
    MissingExtraError
        If statsmodels is not installed.
    SettingError
        If a factor does not have two values, or a cell of the design has no answer.

    Examples
    --------
    >>> rows = anova_independent([1, 2, 3, 5, 2, 2, 4, 4], [0, 0, 1, 1] * 2, [0] * 4 + [1] * 4)
    >>> [(row.name, row.dof) for row in rows]
    [('method', (1, 4)), ('order', (1, 4)), ('interaction', (1, 4))]
    """
    m, o = _coded(method, "method"), _coded(order, "order")
    if len({(a, b) for a, b in zip(m, o, strict=True)}) < 4:
        raise SettingError("an analysis of variance needs answers for both methods in both orders")
    columns = {"method": m, "order": o, "interaction": m * o}
    return _rows(np.asarray(ratings, dtype=np.float64), columns)


def anova_within(first: npt.ArrayLike, second: npt.ArrayLike, order: npt.ArrayLike) -> tuple[FTest, ...]:
    """Compute a two-way analysis of variance with method within people and order between people.

    Parameters
    ----------
    first, second
        (P,) rating of each method by each person.
    order
        (P,) group of each person: two values.

    Returns
    -------
    Rows for method, order and interaction, with (1, P - 2) degrees of freedom each. With two methods, each person's
    difference and mean hold all the information of the mixed design.
    """
    x, y = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    o = _coded(order, "order")
    ones = np.ones_like(o)
    # Difference and sum are divided by sqrt(2), so that each has the variance of one answer.
    method, interaction = _rows((y - x) / np.sqrt(2.0), {"method": ones, "interaction": o}, constant=False)
    (between,) = _rows((x + y) / np.sqrt(2.0), {"order": o})
    return method, between, interaction


def _coded(values: npt.ArrayLike, what: str) -> Floats:
    """Return two values coded as -1 and 1."""
    found, at = np.unique(np.asarray(values), return_inverse=True)
    if len(found) != 2:
        msg = f"{what} has {len(found)} values; an analysis of two by two needs two"
        raise SettingError(msg)
    return np.asarray(2.0 * at - 1.0, dtype=np.float64)


def _rows(values: Floats, columns: dict[str, Floats], *, constant: bool = True) -> tuple[FTest, ...]:
    """Return the F test of each column of a linear model."""
    try:
        from statsmodels.regression.linear_model import OLS
    except ImportError:
        raise MissingExtraError("an analysis of variance", "study") from None
    table = np.column_stack([*([np.ones(len(values))] if constant else []), *columns.values()])
    model = OLS(values, table).fit()
    out = []
    for place, name in enumerate(columns, start=int(constant)):
        chosen = np.zeros((1, table.shape[1]))
        chosen[0, place] = 1.0
        test = model.f_test(chosen)
        f = float(np.squeeze(test.fvalue))
        dof = 1, round(float(model.df_resid))
        out.append(FTest(name, f * float(model.mse_resid), f, dof, float(np.squeeze(test.pvalue))))
    return tuple(out)


def least_effect(people: int, *, alpha: float = 0.05, power: float = 0.8) -> float:
    """Return the smallest difference within people (Cohen's d_z) that a study of ``people`` detects with ``power``.

    Raises
    ------
    MissingExtraError
        If statsmodels is not installed.

    Examples
    --------
    >>> round(least_effect(26), 2)
    0.57
    """
    try:
        from statsmodels.stats.power import TTestPower
    except ImportError:
        raise MissingExtraError("the power of a test", "study") from None
    if people < 3:
        return float("nan")
    return float(TTestPower().solve_power(None, people, alpha, power))


def over_people(shares: Sequence[float], *, draws: int, rng: np.random.Generator) -> tuple[float, float]:
    """Return the 95 % interval of a mean over people, by drawing people with replacement.

    Examples
    --------
    >>> low, high = over_people([0.5, 0.75, 1.0, 0.6], draws=500, rng=np.random.default_rng(1))
    >>> 0.4 < low < high <= 1.0
    True
    """
    values = np.asarray(shares, dtype=np.float64)
    known: Bools = np.isfinite(values)
    values = values[known]
    if not values.size:
        return float("nan"), float("nan")
    means = values[rng.integers(0, len(values), (draws, len(values)))].mean(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)
