"""Observers that answer by known rules: robots for tests, power and examples."""

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
    """Someone whose psychometric functions, preferences and ratings are known.

    Parameters
    ----------
    functions
        Psychometric function by what is judged: ``"longer"``, or ``"walk to run/longer"`` for one motion.
    strengths
        How strongly each condition appeals: of two, the one a stronger by s is preferred with odds e^s (Bradley-Terry).
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
        """Whether the observer finds a difference; a difference without a function is never seen."""
        function = looked_up(self.functions, what)
        share = 0.5 if function is None else float(function.share(level))
        return bool(rng.random() < share)

    def prefers_first(self, first: str, second: str, rng: np.random.Generator) -> bool:
        """Which of two conditions is preferred."""
        apart = self._strength(first) - self._strength(second)
        return bool(rng.random() < 1.0 / (1.0 + np.exp(-apart)))

    def rating(self, question: str, condition: str, scale: tuple[int, int], rng: np.random.Generator) -> int:
        """A rating on a scale of whole numbers, both ends within it."""
        mean = looked_up(self.ratings, f"{question}/{condition}", question)
        middle = 0.5 * (scale[0] + scale[1]) if mean is None else mean
        return int(np.clip(round(rng.normal(middle, self.spread)), *scale))

    def accepts(self, condition: str, rng: np.random.Generator) -> bool:
        """Whether one stimulus is called good: odds e^strength."""
        return bool(rng.random() < 1.0 / (1.0 + np.exp(-self._strength(condition))))

    def response_seconds(self, rng: np.random.Generator) -> float:
        """A response time: log-normal around the median, to the millisecond."""
        return float(round(self.seconds * float(np.exp(rng.normal(0.0, 0.4))), 3))

    def _strength(self, condition: str) -> float:
        found = looked_up(self.strengths, condition)
        return 0.0 if found is None else float(found)


def looked_up(table: Mapping[str, _T], *words: str) -> _T | None:
    """Entry of the most specific key: ``"walk to run/longer"`` before ``"longer"``; None if there is neither.

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
    """The observer with thresholds of its own: all of them times one factor, log-normal with that spread.

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
