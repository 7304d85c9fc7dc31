"""Observers that answer by known rules: robots for tests, power analysis and examples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np

from segue.errors import SettingError
from segue.perception.psychometric import Psychometric

_T = TypeVar("_T")


@dataclass(frozen=True)
class Observer:
    """Observer with known psychometric functions, preferences and ratings.

    Parameters
    ----------
    functions
        Psychometric function by the difference judged: ``"longer"``, or ``"walk to run/longer"`` for one motion.
    strengths
        Strength of each condition: of two, the one stronger by s is preferred with odds e^s (Bradley-Terry).
    ratings
        Mean rating by question, or ``"question/condition"``, on the question's own scale.
    spread
        Standard deviation of ratings before they are rounded.
    seconds
        Median response time.

    Examples
    --------
    >>> robot = Observer(functions={"longer": Psychometric(10.0, 3.0)})
    >>> bool(robot.is_right("walk to run/longer", 60.0, np.random.default_rng(1)))
    True
    """

    functions: Mapping[str, Psychometric] = field(default_factory=dict)
    strengths: Mapping[str, float] = field(default_factory=dict)
    ratings: Mapping[str, float] = field(default_factory=dict)
    spread: float = 1.0
    seconds: float = 1.2

    def is_right(self, what: str, level: float, rng: np.random.Generator) -> bool:
        """Return whether an answer is right; without a function for the difference, the observer guesses."""
        function = looked_up(self.functions, what)
        share = 0.5 if function is None else float(function.share(level))
        return bool(rng.random() < share)

    def prefers_first(self, first: str, second: str, rng: np.random.Generator) -> bool:
        """Return whether the first of two conditions is preferred."""
        apart = self._strength(first) - self._strength(second)
        return bool(rng.random() < 1.0 / (1.0 + np.exp(-apart)))

    def rating(self, question: str, condition: str, scale: tuple[int, int], rng: np.random.Generator) -> int:
        """Return a rating on an integer scale, both ends included."""
        mean = looked_up(self.ratings, f"{question}/{condition}", question)
        middle = 0.5 * (scale[0] + scale[1]) if mean is None else mean
        return int(np.clip(round(rng.normal(middle, self.spread)), *scale))

    def accepts(self, condition: str, rng: np.random.Generator) -> bool:
        """Return whether a stimulus is judged good, with odds e^strength."""
        return bool(rng.random() < 1.0 / (1.0 + np.exp(-self._strength(condition))))

    def response_seconds(self, rng: np.random.Generator) -> float:
        """Return a response time in seconds: log-normal around the median, rounded to the millisecond."""
        return float(round(self.seconds * float(np.exp(rng.normal(0.0, 0.4))), 3))

    def _strength(self, condition: str) -> float:
        found = looked_up(self.strengths, condition)
        return 0.0 if found is None else float(found)


def looked_up(table: Mapping[str, _T], *words: str) -> _T | None:
    """Return the entry of the most specific key, ``"walk to run/longer"`` before ``"longer"``; None if there is none.

    Examples
    --------
    >>> looked_up({"longer": 10, "run/longer": 7}, "run/longer"), looked_up({"longer": 10}, "run/longer")
    (7, 10)
    """
    for word in words:
        left = word
        while left:
            if left in table:
                return table[left]
            left = left.partition("/")[2]
    return None


def varied(observer: Observer, spread: float, rng: np.random.Generator) -> Observer:
    """Return the observer with all thresholds multiplied by one log-normal factor of the given spread.

    Raises
    ------
    SettingError
        If the spread is negative.
    """
    if not (np.isfinite(spread) and spread >= 0):
        msg = f"spread {spread:g}: the deviation of log thresholds between observers is 0 or more"
        raise SettingError(msg)
    factor = float(np.exp(rng.normal(0.0, spread))) if spread else 1.0
    return replace(
        observer,
        functions={
            what: replace(function, threshold=function.threshold * factor)
            for what, function in observer.functions.items()
        },
    )
