"""A classifier of transitions finds planted effects in answers, and nothing where there is none."""

from __future__ import annotations

import numpy as np
import pytest

from segue.errors import SettingError
from segue.learning.naturalness import area_of, classify

pytest.importorskip("sklearn")
GROUPS = [f"m{k // 3}" for k in range(60)]


def answers(rng: np.random.Generator, weight: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Numbers of sixty stimuli, and twelve answers for each that depend on the first number."""
    numbers = rng.normal(size=(60, 4))
    natural = rng.binomial(12, 1.0 / (1.0 + np.exp(weight * numbers[:, 0]))).astype(float)
    return numbers, natural, np.full(60, 12.0)


def test_what_was_planted_is_found(rng: np.random.Generator) -> None:
    """The area is high, the deciding number has the largest weight, and people agree at least as often."""
    found = classify(*answers(rng, 3.0), GROUPS, draws=50)
    assert found.area > 0.9
    assert np.argmax(np.abs(found.weights)) == 0
    assert found.usual < found.right <= found.people + 1e-9
    assert found.low <= found.area <= found.high


def test_nothing_is_found_where_nothing_is(rng: np.random.Generator) -> None:
    """Answers that depend on no number are not predicted."""
    found = classify(*answers(rng, 0.0), GROUPS, draws=50)
    assert 0.25 < found.area < 0.75


def test_the_area_is_its_definition(rng: np.random.Generator) -> None:
    """The area is the share of correctly ordered pairs of a natural and an unnatural stimulus, ties half."""
    scores, natural = rng.integers(0, 5, 30).astype(float), rng.random(30) < 0.5
    total = pairs = 0.0
    for one, good in zip(scores, natural, strict=True):
        for other, bad in zip(scores, ~natural, strict=True):
            if good and bad:
                pairs += 1
                total += 1.0 if one > other else 0.5 if one == other else 0.0
    assert area_of(scores, natural) == pytest.approx(total / pairs)


def test_one_sided_answers_are_refused() -> None:
    """At least four natural and four unnatural stimuli are needed."""
    with pytest.raises(SettingError, match="needs 4 of each"):
        classify(np.zeros((6, 1)), np.full(6, 9.0), np.full(6, 10.0), list("abcdef"))
