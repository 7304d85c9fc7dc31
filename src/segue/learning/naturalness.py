"""A classifier of natural and unnatural transitions, trained on people's answers (the source's future work)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from segue.arrays import Bools, Floats, frozen
from segue.errors import MissingExtraError, SettingError

LEAST = 4
"""Minimum number of natural and of unnatural stimuli."""
_STRENGTH = 1.0


@dataclass(frozen=True, eq=False)
class Classified:
    """How well a classifier predicts people's answers on transitions that it has not seen.

    Parameters
    ----------
    area, low, high
        Area under the ROC curve for stimuli that most people called natural, with its 95 % interval; 0.5 is chance.
    right
        Share of single answers that it predicts.
    people
        Share of single answers predicted by the majority of the other answers: the upper limit for a classifier.
    usual
        Share of single answers with the more frequent word: the result of a constant prediction.
    scores
        (S,) probability of natural for each stimulus, from a classifier that has seen none of its motion.
    weights
        (K,) weights of the standardised numbers in a classifier trained on all stimuli.
    """

    area: float
    low: float
    high: float
    right: float
    people: float
    usual: float
    scores: Floats
    weights: Floats


def classify(
    numbers: Floats,
    natural: Floats,
    counts: Floats,
    groups: Sequence[str],
    *,
    draws: int = 500,
    seed: int = 0,
) -> Classified:
    """Train a logistic classifier on answers and score each motion by one that has not seen it.

    Parameters
    ----------
    numbers
        (S, K) numbers of each stimulus.
    natural, counts
        (S,) number of answers that called it natural, and of all answers.
    groups
        (S,) motion of each stimulus: all of one motion are scored together.
    draws, seed
        Number of resamplings of motions for the interval, and their seed.

    Raises
    ------
    MissingExtraError
        If scikit-learn is not installed.
    SettingError
        If fewer than four stimuli were called natural, or unnatural, by most.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> jumps = np.arange(12.0)
    >>> found = classify(jumps[:, None], np.where(jumps < 6, 9.0, 2.0), np.full(12, 10.0), list("abcdefabcdef"))
    >>> found.area > 0.9, bool(found.weights[0] < 0)
    (True, True)
    """
    major: Bools = natural > 0.5 * counts
    if min(int(major.sum()), int((~major).sum())) < LEAST:
        msg = (
            f"most people called {int(major.sum())} stimuli natural and {int((~major).sum())} not; a classifier needs "
            f"{LEAST} of each: show more transitions, or worse and better ones"
        )
        raise SettingError(msg)
    names = np.array(groups)
    scores = np.full(len(numbers), np.nan)
    for name in dict.fromkeys(groups):
        held = names == name
        scores[held] = _trained(numbers[~held], natural[~held], counts[~held]).predict_proba(numbers[held])[
            :, 1
        ]
    rng = np.random.default_rng(seed)
    areas = [_drawn_area(scores, major, names, rng) for _ in range(draws)]
    known = [area for area in areas if area is not None]
    low, high = np.percentile(known, [2.5, 97.5]) if known else (float("nan"), float("nan"))
    model = _trained(numbers, natural, counts)
    reported = np.where(scores > 0.5, natural, counts - natural)
    others = np.where(2 * natural >= counts, np.maximum(natural, counts - natural), counts - natural)
    return Classified(
        area_of(scores, major),
        float(low),
        float(high),
        float(reported.sum() / counts.sum()),
        float(others.sum() / counts.sum()),
        float(max(natural.sum(), (counts - natural).sum()) / counts.sum()),
        frozen(scores),
        frozen(model[-1].coef_[0]),
    )


def area_of(scores: Floats, natural: Bools) -> float:
    """Compute the area under the ROC curve: the chance that a natural stimulus scores above an unnatural one.

    Examples
    --------
    >>> area_of(np.array([0.9, 0.4, 0.6]), np.array([True, False, False]))
    1.0
    """
    above = scores[natural][:, None] - scores[~natural][None, :]
    return float(np.mean((above > 0) + 0.5 * (above == 0)))


def _drawn_area(scores: Floats, natural: Bools, names: np.ndarray, rng: np.random.Generator) -> float | None:
    """Area over motions drawn with replacement; None where only one class was drawn."""
    every = np.unique(names)
    rows = np.concatenate([np.flatnonzero(names == name) for name in rng.choice(every, len(every))])
    return None if len(np.unique(natural[rows])) < 2 else area_of(scores[rows], natural[rows])


def _trained(numbers: Floats, natural: Floats, counts: Floats):  # type: ignore[no-untyped-def]
    """Pipeline trained on every answer: each stimulus occurs once with either word, weighted by its count."""
    try:
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler
    except ImportError:
        raise MissingExtraError("a classifier of transitions", "learn") from None
    table = np.vstack([numbers, numbers])
    words = np.repeat([1, 0], len(numbers))
    times = np.concatenate([natural, counts - natural]) / max(float(counts.mean()), 1.0)
    model = make_pipeline(StandardScaler(), LogisticRegression(C=_STRENGTH))
    model.fit(table, words, logisticregression__sample_weight=times)
    return model
