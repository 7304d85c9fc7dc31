"""Procedures that choose the next level: constant stimuli, staircases and a Bayesian adaptive method.

A procedure is a frozen dataclass of settings. The next level is a function of the answers so far, so that an
interrupted study continues from its answers alone. Levels are listed from the least difference to the largest, in any
unit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Protocol, runtime_checkable

import numpy as np

from segue.arrays import Floats
from segue.errors import SettingError, nearest
from segue.perception.psychometric import Psychometric


@dataclass(frozen=True)
class Track:
    """Answers of one observer along one list of levels.

    Parameters
    ----------
    places
        Index of the level of each trial, from 0 for the least difference.
    right
        Whether each was answered right.
    """

    places: tuple[int, ...] = ()
    right: tuple[bool, ...] = ()

    def __len__(self) -> int:
        return len(self.places)

    def answered(self, place: int, *, right: bool) -> Track:
        """Return the track with an answer appended."""
        return Track((*self.places, place), (*self.right, right))


@runtime_checkable
class Procedure(Protocol):
    """Interface of a procedure, which chooses levels."""

    @property
    def name(self) -> str:
        """Its name in a design."""
        ...

    @property
    def target(self) -> float:
        """Share of right answers at the level to which it converges; NaN if it does not converge."""
        ...

    def next_place(self, levels: Sequence[float], track: Track) -> int | None:
        """Return the index of the level to show next; None once the track is complete."""
        ...


@dataclass(frozen=True)
class ConstantStimuli:
    """Show every level equally often, in an order drawn from a seed (method of constant stimuli).

    Parameters
    ----------
    each
        Trials of each level.
    seed
        Seed of the order.
    """

    each: int = 20
    seed: int = 0
    name: str = field(default="constant", init=False)
    target: float = field(default=float("nan"), init=False)

    def __post_init__(self) -> None:
        _check_counts(each=self.each)

    def next_place(self, levels: Sequence[float], track: Track) -> int | None:
        """Return the next level of the drawn order; None at its end."""
        order = _order(len(levels), self.each, self.seed)
        return int(order[len(track)]) if len(track) < len(order) else None


@lru_cache(maxsize=64)
def _order(count: int, each: int, seed: int) -> tuple[int, ...]:
    every = np.repeat(np.arange(count), each)
    return tuple(int(k) for k in np.random.default_rng(seed).permutation(every))


@dataclass(frozen=True)
class Staircase:
    """Go a level up after wrong answers, one down after right ones, until one level has been visited often enough.

    Parameters
    ----------
    down
        ``1``, ``2`` or ``3``: number of right answers in a row at one level that lead one level down; a wrong one leads
        one up (Wetherill and Levitt 1965). ``0``: the rule of Wang, ch. VI: down at every trial if the last two answers
        were right; after a wrong answer up at every trial until two answers in a row are right.
    visits
        Visits of any one level that end the track.
    most
        Most trials of a track.
    start
        Index of the first level; -1 for the largest difference.
    """

    down: int = 0
    visits: int = 10
    most: int = 200
    start: int = -1

    def __post_init__(self) -> None:
        if self.down not in (0, 1, 2, 3):
            msg = f"down={self.down}: a staircase goes down after 1, 2 or 3 right answers, or by Wang's rule (0)"
            raise SettingError(msg)
        _check_counts(visits=self.visits, most=self.most)

    @property
    def name(self) -> str:
        """``"wang"``, ``"1-up-1-down"``, ``"2-down-1-up"`` or ``"3-down-1-up"``."""
        return ("wang", "1-up-1-down", "2-down-1-up", "3-down-1-up")[self.down]

    @property
    def target(self) -> float:
        """Share right p at which steps up and down balance: p ** n = 1 / 2 for n right answers per step down."""
        return float(0.5 ** (1.0 / (self.down or 2)))

    def next_place(self, levels: Sequence[float], track: Track) -> int | None:
        """Return the level one up or down, or the same again; None once the track is complete."""
        count = len(levels)
        if not track.places:
            return self.start % count
        at = track.places[-1]
        if len(track) >= self.most or track.places.count(at) >= self.visits:
            return None
        step = self._step_of_wang(track) if self.down == 0 else self._step_of_a_row(track)
        return min(max(at + step, 0), count - 1)

    @staticmethod
    def _step_of_wang(track: Track) -> int:
        if track.right[-2:] == (True, True):
            return -1
        return 1 if False in track.right else 0  # a single right answer at the start does not suffice

    def _step_of_a_row(self, track: Track) -> int:
        if not track.right[-1]:
            return 1
        row, at = 0, track.places[-1]
        for place, right in zip(reversed(track.places), reversed(track.right), strict=True):
            if not right or place != at:
                break
            row += 1
        return -1 if row % self.down == 0 else 0


@dataclass(frozen=True)
class Bayesian:
    """Show the level with the most expected information about threshold and slope (QUEST+, Watson 2017).

    Parameters
    ----------
    trials
        Length of a track.
    lapse, guess
        Shares assumed known.
    """

    trials: int = 40
    lapse: float = 0.02
    guess: float = 0.5
    name: str = field(default="bayesian", init=False)

    def __post_init__(self) -> None:
        _check_counts(trials=self.trials)
        Psychometric(1.0, 1.0, self.lapse, self.guess)

    @property
    def target(self) -> float:
        """Share right at the threshold, which the procedure estimates itself."""
        return 0.5 * (1.0 + self.guess - self.lapse)

    def next_place(self, levels: Sequence[float], track: Track) -> int | None:
        """Return the level with the least expected posterior entropy; None once the track is complete."""
        if len(track) >= self.trials:
            return None
        table = _table(tuple(levels), self.lapse, self.guess)
        return int(np.argmin(_expected_entropy(table.share, self._posterior(table, track))))

    def threshold(self, levels: Sequence[float], track: Track) -> float:
        """Return the posterior median of the threshold, in the unit of the levels."""
        table = _table(tuple(levels), self.lapse, self.guess)
        known = self._posterior(table, track)
        below = np.cumsum(known) - 0.5 * known  # thresholds rise along the grid
        return float(np.exp(np.interp(0.5, below, table.log_threshold)))

    @staticmethod
    def _posterior(table: _Table, track: Track) -> Floats:
        """Return the posterior probability (G,) of each threshold and slope of the grid."""
        count = len(table.share)
        hits = np.bincount(track.places, weights=track.right, minlength=count)
        misses = np.bincount(track.places, minlength=count) - hits
        value = hits @ table.log_hit + misses @ table.log_miss
        out: Floats = np.exp(value - value.max())
        out /= out.sum()
        return out


@dataclass(frozen=True, eq=False)
class _Table:
    """Shares right (L, G) of every level under every threshold and slope of a grid, and their logarithms."""

    share: Floats
    log_hit: Floats
    log_miss: Floats
    log_threshold: Floats


@lru_cache(maxsize=32)
def _table(levels: tuple[float, ...], lapse: float, guess: float) -> _Table:
    size = np.abs(np.array(levels))
    thresholds = np.geomspace(max(float(size[size > 0].min()) / 3.0, 1e-9), 2.0 * float(size.max()), 40)
    grid = [(t, s) for t in thresholds for s in (1.0, 1.7, 3.0, 5.0, 9.0)]
    share = np.stack([Psychometric(t, s, lapse, guess).share(size) for t, s in grid], axis=1)
    share = np.clip(share, 1e-6, 1 - 1e-6)
    return _Table(share, np.log(share), np.log1p(-share), np.log([t for t, _ in grid]))


def _expected_entropy(share: Floats, known: Floats) -> Floats:
    """Return the expected entropy (L,) after one answer at each level, from shares (L, G) and probabilities (G,)."""
    out = np.zeros(len(share))
    for likely in (share, 1.0 - share):
        joint = likely * known
        total = joint.sum(axis=1)
        after = joint / total[:, None]
        out += total * -np.sum(after * np.log(np.maximum(after, 1e-300)), axis=1)
    return out


PROCEDURES: Mapping[str, Callable[..., Procedure]] = {
    "constant": ConstantStimuli,
    "wang": lambda **settings: Staircase(0, **settings),
    "1-up-1-down": lambda **settings: Staircase(1, **settings),
    "2-down-1-up": lambda **settings: Staircase(2, **settings),
    "3-down-1-up": lambda **settings: Staircase(3, **settings),
    "bayesian": Bayesian,
}
"""Every procedure by its name in a design."""


def procedure(name: str, **settings: Any) -> Procedure:
    """Return the procedure called ``name`` with its settings.

    Raises
    ------
    SettingError
        If there is no such procedure or setting.

    Examples
    --------
    >>> round(procedure("2-down-1-up", visits=8).target, 3)
    0.707
    """
    if name not in PROCEDURES:
        msg = f"no procedure is called {name!r}; known: {', '.join(PROCEDURES)}; {nearest(name, PROCEDURES)}"
        raise SettingError(msg)
    try:
        return PROCEDURES[name](**settings)
    except TypeError:
        msg = f"the procedure {name!r} has no such settings as {', '.join(settings)}"
        raise SettingError(msg) from None


def of_seed(chosen: Procedure, seed: int) -> Procedure:
    """Return the procedure with its order drawn from a seed, if its order is random."""
    return replace(chosen, seed=seed) if isinstance(chosen, ConstantStimuli) else chosen


def _check_counts(**counts: int) -> None:
    for name, count in counts.items():
        if not 1 <= count <= 10_000:
            msg = f"{name}={count}: give a whole number from 1 to 10000"
            raise SettingError(msg)
