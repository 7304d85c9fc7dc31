"""Psychometric fits compared with those of psignifit 4.3, as computed by `benchmarks/show/psignifit_agrees.py`.

psignifit is GPL and therefore no dependency: its results are listed here.
"""

from __future__ import annotations

import numpy as np
import pytest

from segue.perception.fitting import fit_psychometric

FITTED = [
    (
        [2.45, 3.85, 5.6, 7.0, 8.75, 11.2, 15.4],
        120,
        [61, 68, 69, 94, 101, 115, 117],
        7.0793,
        6.263,
        7.617,
        7.2287,
    ),
    (
        [3.5, 5.5, 8.0, 10.0, 12.5, 16.0, 22.0],
        240,
        [121, 132, 159, 181, 209, 228, 235],
        9.7013,
        8.871,
        10.281,
        9.9122,
    ),
    (
        [1.05, 1.65, 2.4, 3.0, 3.75, 4.8, 6.6],
        240,
        [142, 150, 161, 184, 195, 214, 224],
        2.8019,
        2.288,
        3.079,
        2.9379,
    ),
    (
        [0.88, 1.38, 2.0, 2.5, 3.12, 4.0, 5.5],
        400,
        [205, 220, 230, 282, 364, 379, 386],
        2.5435,
        2.418,
        2.627,
        2.6039,
    ),
    ([2.8, 4.4, 6.4, 8.0, 10.0, 12.8, 17.6], 60, [25, 36, 37, 45, 53, 55, 57], 7.6057, 6.268, 8.723, 8.0061),
]
"""Levels, answers at each, right ones; psignifit's threshold, its 95 % interval, and level of 75 % right answers."""


@pytest.mark.parametrize(("levels", "shown", "right", "threshold", "low", "high", "jnd"), FITTED)
def test_fits_agree_with_psignifit(
    levels: list[float], shown: int, right: list[int], threshold: float, low: float, high: float, jnd: float
) -> None:
    """Just noticeable differences agree within 1 %, thresholds within 4 %, and interval widths within a fifth."""
    fit = fit_psychometric(levels, [shown] * len(levels), right, draws=1000, rng=np.random.default_rng(1))
    assert fit.jnd == pytest.approx(jnd, rel=0.01)
    assert fit.function.threshold == pytest.approx(threshold, rel=0.04)
    least, most = fit.interval("threshold")
    assert 0.8 < (most - least) / (high - low) < 1.2
