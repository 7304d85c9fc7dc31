"""Tests whether thresholds of several sets of answers differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from segue.arrays import Floats
from segue.errors import SettingError
from segue.perception.fitting import MOST_LAPSE, SLOPES
from segue.perception.psychometric import Psychometric

_THRESHOLDS, _SLOPES, _LAPSES = 400, 40, 6
"""Points of the likelihood grid along each parameter."""


@dataclass(frozen=True)
class ThresholdTest:
    """Result of a test whether thresholds differ between sets of answers.

    Parameters
    ----------
    statistic, dof, p
        Likelihood ratio statistic: twice the gain in log likelihood of one threshold per set over one for all sets,
        chi-squared with ``dof`` degrees of freedom under no difference. Answers are assumed independent.
    people_p
        P of a test by ranks of each person's own thresholds (Friedman; Wilcoxon for two sets), which makes no
        assumptions about people. NaN if there are too few.
    """

    statistic: float
    dof: int
    p: float
    people_p: float


def thresholds_differ(
    levels: Sequence[npt.ArrayLike],
    shown: Sequence[npt.ArrayLike],
    right: Sequence[npt.ArrayLike],
    *,
    guess: float = 0.5,
    people: npt.ArrayLike | None = None,
) -> ThresholdTest:
    """Test whether sets of answers have one threshold, with slope and lapse in common.

    Parameters
    ----------
    levels, shown, right
        For each set (L,) levels, and how often each was shown and answered right.
    guess
        Share right by guessing.
    people
        (P, S) threshold of each person in each set, for the test by ranks.

    Raises
    ------
    SettingError
        If there are fewer than two sets.

    Examples
    --------
    >>> levels, shown = [[2, 4, 6, 8]] * 2, [[40] * 4] * 2
    >>> same = thresholds_differ(levels, shown, [[22, 30, 37, 40]] * 2)
    >>> apart = thresholds_differ(levels, shown, [[22, 30, 37, 40], [20, 21, 26, 34]])
    >>> same.p > 0.9, apart.p < 0.001
    (True, True)
    """
    if len(levels) < 2:
        raise SettingError("thresholds of fewer than two motions cannot differ")
    sizes = [np.abs(np.asarray(one, dtype=np.float64)) for one in levels]
    every = np.concatenate(sizes)
    least, most = float(every[every > 0].min()) / 4.0, float(every.max()) * 4.0
    grid = np.geomspace(least, most, _THRESHOLDS)
    apart = together = -np.inf
    for slope in np.geomspace(*SLOPES, _SLOPES):
        for lapse in np.linspace(0.0, MOST_LAPSE, _LAPSES):
            tables = [
                _profile(grid, float(slope), float(lapse), guess, *one)
                for one in zip(sizes, shown, right, strict=True)
            ]
            together = max(together, float(np.max(np.sum(tables, axis=0))))
            apart = max(apart, float(sum(table.max() for table in tables)))
    from scipy.stats import chi2

    statistic = max(2.0 * (apart - together), 0.0)
    dof = len(levels) - 1
    return ThresholdTest(statistic, dof, float(chi2.sf(statistic, dof)), _by_ranks(people))


def _profile(
    grid: Floats, slope: float, lapse: float, guess: float, size: Floats, n: npt.ArrayLike, k: npt.ArrayLike
) -> Floats:
    """Return the log likelihood (T,) of answers under each threshold of a grid."""
    share = Psychometric(1.0, slope, lapse, guess).share(size[None, :] / grid[:, None])
    share = np.clip(share, 1e-9, 1 - 1e-9)
    shown, right = np.asarray(n, dtype=np.float64), np.asarray(k, dtype=np.float64)
    out: Floats = np.log(share) @ right + np.log1p(-share) @ (shown - right)
    return out


def _by_ranks(people: npt.ArrayLike | None) -> float:
    """Return p of a difference between the columns of (P, S), by ranks within people."""
    if people is None:
        return float("nan")
    from scipy.stats import friedmanchisquare, wilcoxon

    table = np.asarray(people, dtype=np.float64)
    table = table[np.isfinite(table).all(axis=1)]
    if len(table) < 3:
        return float("nan")
    if table.shape[1] == 2:
        apart = table[:, 0] - table[:, 1]
        return float(wilcoxon(apart).pvalue) if np.any(apart) else 1.0
    if np.all(table == table[:, :1]):
        return 1.0
    return float(friedmanchisquare(*table.T).pvalue)
