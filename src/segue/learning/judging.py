"""A classifier that distinguishes the seams of made motions from captured motion.

Gradient boosting learns from windows (`segue.learning.seam_windows`) which of them have a seam in their middle. Each
window is scored by classifiers that have not seen any clip in it. The area under the ROC curve is how often a seam
scores higher than a captured window: at 0.5 they cannot be distinguished, at 1.0 they always can.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from segue.arrays import Bools, Floats, frozen
from segue.errors import SettingError, require_extra
from segue.learning.seam_windows import Windows
from segue.summaries import one_line
from segue.threads import one_thread

LEAST = 20
"""Minimum number of windows with a seam, and of captured ones."""
_RESAMPLED = 500
_DRAWS = 4  # captured windows whose values replace a window's, to find the features that the classifier uses
_SETTINGS: dict[str, Any] = {
    "max_iter": 100,
    "learning_rate": 0.06,
    "max_leaf_nodes": 6,
    "min_samples_leaf": 10,
    "l2_regularization": 1.0,
    "max_features": 0.3,
    "max_bins": 32,
    "early_stopping": False,
}
"""Many weak trees, each on a third of the features, as there are more features than windows."""


@one_line
@dataclass(frozen=True, eq=False)
class Judged:
    """How well a classifier finds seams.

    Parameters
    ----------
    area
        Area under the ROC curve.
    low, high
        Its 95 % interval, from resampled windows.
    scores
        (N,) score of each window, 0 captured to 1 made; NaN for one that contains clips of more than two folds.
    """

    area: float
    low: float
    high: float
    scores: Floats


class Tell(NamedTuple):
    """Features used by the classifier: a joint in a band, and the area (or a seam's log-odds) that depends on them."""

    joint: str
    band: str
    group: str
    weight: float


def judge(windows: Windows, columns: Bools | None = None, *, seed: int = 0) -> Judged:
    """Score every window by classifiers that have not seen any of its clips.

    Parameters
    ----------
    windows
        Windows with and without a seam, `LEAST` or more of each.
    columns
        Flags (M,) of the features to use; by default all.
    seed
        Seed of the classifiers.

    Raises
    ------
    SettingError
        If there are too few windows, or clips, to learn from.
    MissingExtraError
        Without scikit-learn.
    """
    numbers = windows.numbers if columns is None else windows.numbers[:, columns]
    total, count = np.zeros(len(windows.seam)), np.zeros(len(windows.seam))
    require_extra("judging seams", "learn")
    with one_thread("sklearn.ensemble"):
        for model, prior, test in _learnt(windows, numbers, seed):
            total[test] += model.decision_function(numbers[test]) - prior
            count[test] += 1
    odds = np.where(count > 0, total / np.maximum(count, 1), np.nan)
    scores = 0.5 * (1.0 + np.tanh(0.5 * odds))
    return Judged(*interval(scores, windows.seam), frozen(scores))


def tells(windows: Windows, *, seed: int = 0) -> tuple[list[Tell], list[list[Tell]]]:
    """Find the features used by the classifier, strongest first: for all windows, and for each window with a seam.

    The values of one joint in one band are replaced by those of captured windows. The drop of the area is their weight
    for all windows, the drop of a seam's log-odds their weight for that seam. Redundant values have little weight.

    Raises
    ------
    SettingError
        If there are too few windows, or clips, to learn from.
    MissingExtraError
        Without scikit-learn.
    """
    kinds = list(dict.fromkeys((f.joint, f.band, f.group) for f in windows.what))
    members: dict[tuple[str, str, str], list[int]] = {kind: [] for kind in kinds}
    for column, feature in enumerate(windows.what):
        members[feature.joint, feature.band, feature.group].append(column)
    rng = np.random.default_rng([seed, 3])
    n = len(windows.seam)
    odds, count = np.zeros((len(kinds) + 1, n)), np.zeros(n)
    require_extra("judging seams", "learn")
    with one_thread("sklearn.ensemble"):
        for model, prior, test in _learnt(windows, windows.numbers, seed):
            rows = np.flatnonzero(test)
            captured = np.flatnonzero(~windows.seam)
            donors = rng.choice(captured, (_DRAWS, rows.size))
            changed = np.tile(windows.numbers[rows], (_DRAWS, 1))
            odds[-1, rows] += model.decision_function(windows.numbers[rows]) - prior
            count[rows] += 1
            for k, columns in enumerate(members.values()):
                kept = changed[:, columns]
                changed[:, columns] = windows.numbers[donors.reshape(-1, 1), columns]
                odds[k, rows] += model.decision_function(changed).reshape(_DRAWS, -1).mean(axis=0) - prior
                changed[:, columns] = kept
    odds = np.where(count > 0, odds / np.maximum(count, 1), np.nan)
    known = count > 0
    whole = area(odds[-1, known], windows.seam[known])
    fall = [whole - area(odds[k, known], windows.seam[known]) for k in range(len(kinds))]
    seams = np.flatnonzero(windows.seam)
    return _sorted(kinds, fall), [_sorted(kinds, odds[-1, row] - odds[:-1, row]) for row in seams]


def _sorted(kinds: list[tuple[str, str, str]], weights: Any) -> list[Tell]:
    found = [
        Tell(joint, band, group, float(w)) for (joint, band, group), w in zip(kinds, weights, strict=True)
    ]
    return sorted((tell for tell in found if tell.weight > 0), key=lambda tell: -tell.weight)


def area(scores: Floats, positive: Bools) -> float:
    """Compute the area under the ROC curve: how often a positive (N,) has the higher score (N,); ties count half.

    Examples
    --------
    >>> import numpy as np
    >>> area(np.array([0.1, 0.4, 0.35, 0.8]), np.array([False, False, True, True]))
    0.75
    """
    from scipy.stats import rankdata

    n = int(np.count_nonzero(positive))
    ranks = rankdata(scores)
    return float((ranks[positive].sum() - n * (n + 1) / 2) / (n * (len(positive) - n)))


def interval(scores: Floats, positive: Bools) -> tuple[float, float, float]:
    """Compute the area and its 95 % bootstrap interval over windows; NaN scores do not count."""
    known = np.isfinite(scores)
    score, label = scores[known], positive[known]
    rng = np.random.default_rng(1)
    again = []
    for _ in range(_RESAMPLED):
        rows = rng.integers(0, len(label), len(label))
        if 0 < np.count_nonzero(label[rows]) < len(rows):
            again.append(area(score[rows], label[rows]))
    low, high = np.percentile(again, [2.5, 97.5])
    return area(score, label), float(low), float(high)


def _learnt(windows: Windows, numbers: Floats, seed: int) -> Iterator[tuple[Any, float, Bools]]:
    """Classifiers that have not seen two folds, and the windows (N,) that contain only these.

    In between, the log-odds of a seam among the training windows: subtracting them makes the scores of folds with
    different shares of seams comparable.
    """
    from sklearn.ensemble import HistGradientBoostingClassifier

    seam, folds = windows.seam, windows.folds
    fewest = min(int(seam.sum()), int((~seam).sum()))
    if fewest < LEAST:
        msg = (
            f"{int(seam.sum())} seams and {int((~seam).sum())} captured windows are too few to judge by, {LEAST} of "
            "each are needed: give a longer motion, or several of other seeds"
        )
        raise SettingError(msg)
    judged = np.zeros(len(seam), dtype=bool)
    for pair in itertools.combinations(range(folds.shape[1]), 2):
        held = folds[:, pair].any(axis=1)
        test: Bools = np.asarray(held & ~np.delete(folds, pair, axis=1).any(axis=1))
        if not test.any() or np.unique(seam[~held]).size < 2:
            continue
        judged |= test
        model = HistGradientBoostingClassifier(random_state=seed, **_SETTINGS)
        share = float(seam[~held].mean())
        learnt = numbers[~held]
        # scikit-learn refuses columns without any known value; zeros there decide nothing.
        learnt[:, np.isnan(learnt).all(axis=0)] = 0.0
        yield model.fit(learnt, seam[~held]), float(np.log(share / (1.0 - share))), test
    if np.unique(seam[judged]).size < 2:
        msg = "too few clips to learn from some and judge others: give more clips, or longer ones"
        raise SettingError(msg)
