"""Fit of psychometric functions to answers by maximum likelihood, many data sets in one batch.

Parameters of a fit are a row (log threshold, log slope, lapse); the guess rate is fixed. Fisher scoring starts from the
best point of a coarse grid; only steps that raise the likelihood are accepted. Arrays hold one data set per row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from segue.arrays import Bools, Floats, Ints, frozen
from segue.errors import SettingError
from segue.perception.psychometric import JND, Psychometric

MOST_LAPSE = 0.1
"""Largest lapse of a fit: share of answers given without attention to the stimulus."""
SLOPES = (0.5, 12.0)
"""Least and largest slope of a fit."""
_LN2 = float(np.log(2.0))
_STEPS = 60
_EDGE = 1e-6  # a parameter this near a border counts as on it
_SURE = 1e-9  # least distance of shares from 0 and 1, at which one answer would have no likelihood


class Borders(NamedTuple):
    """Least and largest parameters (3,) of a fit."""

    least: Floats
    most: Floats

    @classmethod
    def around(cls, levels: Floats, *, most_lapse: float = MOST_LAPSE) -> Borders:
        """Return borders for levels (L,): thresholds from a quarter of the least to four times the largest."""
        size = np.abs(levels[levels != 0])
        if not size.size:
            msg = "a psychometric function cannot be fitted to answers at a difference of zero alone"
            raise SettingError(msg)
        return cls(
            np.array([np.log(size.min() / 4.0), np.log(SLOPES[0]), 0.0]),
            np.array([np.log(size.max() * 4.0), np.log(SLOPES[1]), most_lapse]),
        )


def likelihoods(theta: Floats, levels: Floats, shown: Floats, right: Floats, *, guess: float) -> Floats:
    """Return the log likelihood (B,) of parameters (B, 3), for levels (L,) shown and answered right (B, L) times."""
    share, _ = _shares(theta, levels, guess)
    out: Floats = np.sum(right * np.log(share) + (shown - right) * np.log1p(-share), axis=-1)
    return out


def _shares(theta: Floats, levels: Floats, guess: float) -> tuple[Floats, Floats]:
    """Return the share right (B, L) and its derivatives (B, L, 3) by the parameters."""
    log_size = np.log(np.maximum(np.abs(levels), 1e-300))
    slope = np.exp(theta[:, 1:2])
    far = slope * (log_size - theta[:, 0:1])
    z = np.exp(np.clip(far, -700.0, 5.0))  # above e^5 the function is at its maximum
    left = np.exp(-_LN2 * z)
    room = 1.0 - guess - theta[:, 2:3]
    share = np.clip(guess + room * (1.0 - left), _SURE, 1.0 - _SURE)
    rise = room * _LN2 * left * z
    slopes = np.stack([-rise * slope, rise * np.clip(far, -700.0, 5.0), left - 1.0], axis=-1)
    return share, slopes


def fit_many(
    levels: Floats, shown: Floats, right: Floats, *, guess: float = 0.5, most_lapse: float = MOST_LAPSE
) -> Floats:
    """Return the most likely parameters (B, 3) for each row of answers.

    Parameters
    ----------
    levels
        (L,) differences, in frames or any unit.
    shown, right
        (B, L) how often each was shown and answered right.
    guess, most_lapse
        Share right by guessing, fixed; the largest lapse allowed.
    """
    borders = Borders.around(levels, most_lapse=most_lapse)
    shown = np.broadcast_to(shown, right.shape)
    begun = [
        _begun(levels, shown, right, borders, guess, lapse) for lapse in (0.0, 0.2 * most_lapse, most_lapse)
    ]
    ends = [_climbed(theta, (levels, shown, right), borders, guess) for theta in begun]
    best = np.argmax([value for _, value in ends], axis=0)
    out: Floats = np.stack([theta for theta, _ in ends])[best, np.arange(len(right))]
    return out


def _climbed(
    theta: Floats, answers: tuple[Floats, Floats, Floats], borders: Borders, guess: float
) -> tuple[Floats, Floats]:
    """Climb to the nearest maximum; return its parameters (B, 3) and log likelihood (B,)."""
    levels, shown, right = answers
    best = likelihoods(theta, levels, shown, right, guess=guess)
    damping = np.full(len(theta), 1e-3)
    for _ in range(_STEPS):
        step = _scoring_step(theta, answers, borders, guess, damping)
        tried = np.clip(theta + step, borders.least, borders.most)
        value = likelihoods(tried, levels, shown, right, guess=guess)
        better: Bools = value > best
        theta[better] = tried[better]
        gained = np.where(better, value - best, 0.0)
        best = np.where(better, value, best)
        damping = np.clip(np.where(better, damping / 5.0, damping * 8.0), 1e-9, 1e9)
        if not np.any(gained > 1e-10) and np.all(better | (damping > 1e6)):
            break
    return theta, best


def _begun(
    levels: Floats, shown: Floats, right: Floats, borders: Borders, guess: float, lapse: float
) -> Floats:
    """Return the best parameters (B, 3) of a coarse grid with one lapse.

    Often there are two maxima, one with lapses and one without, so the fit starts from several lapses.
    """
    ends = zip(borders.least[:2], borders.most[:2], (40, 16), strict=True)
    axes = [*(np.linspace(low, high, count) for low, high, count in ends), np.array([lapse])]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    share, _ = _shares(grid, levels, guess)
    hit, miss = np.log(share).T, np.log1p(-share).T
    best = np.argmax(right @ hit + (shown - right) @ miss, axis=1)
    out: Floats = grid[best].copy()
    return out


def _scoring_step(
    theta: Floats,
    answers: tuple[Floats, Floats, Floats],
    borders: Borders,
    guess: float,
    damping: Floats,
) -> Floats:
    """Return a damped Fisher scoring step (B, 3); a parameter on its border does not move outwards."""
    levels, shown, right = answers
    share, slopes = _shares(theta, levels, guess)
    weight = 1.0 / (share * (1.0 - share))
    uphill = np.einsum("bl,blk->bk", (right - shown * share) * weight, slopes)
    curved = np.einsum("bl,blj,blk->bjk", shown * weight, slopes, slopes)
    stays = ((theta <= borders.least + _EDGE) & (uphill < 0)) | (
        (theta >= borders.most - _EDGE) & (uphill > 0)
    )
    free = ~stays
    curved = curved * (free[:, :, None] & free[:, None, :])
    diagonal = np.arange(3)
    own = curved[:, diagonal, diagonal]
    curved[:, diagonal, diagonal] = np.where(free, own * (1.0 + damping[:, None]) + 1e-12, 1.0)
    out: Floats = np.linalg.solve(curved, (uphill * free)[..., None])[..., 0]
    return np.clip(out, -2.0, 2.0)


@dataclass(frozen=True, eq=False)
class PsychometricFit:
    """A psychometric function fitted to answers, with its deviance and bootstrap draws.

    Parameters
    ----------
    levels, shown, right
        (L,) levels, how often each was shown and answered right.
    function
        The most likely function.
    log_likelihood, deviance
        Of the answers under the function; the deviance is twice the gap to the log likelihood of a saturated model.
    draws
        (D, 4) threshold, slope, lapse and just noticeable difference of each bootstrap draw; D is 0 by default.
    at_border
        Names of parameters at their largest or least allowed value, which the answers do not determine.
    """

    levels: Floats
    shown: Ints
    right: Ints
    function: Psychometric
    log_likelihood: float
    deviance: float
    draws: Floats
    at_border: tuple[str, ...]

    @property
    def jnd(self) -> float:
        """Just noticeable difference: level at which 75 % of the answers are right."""
        return self.function.level(JND)

    def interval(self, what: str = "jnd", *, share: float = 0.95) -> tuple[float, float]:
        """Return the bootstrap interval of ``threshold``, ``slope``, ``lapse`` or ``jnd``; NaN without draws."""
        column = ("threshold", "slope", "lapse", "jnd").index(what)
        if not len(self.draws):
            return float("nan"), float("nan")
        tail = 50.0 * (1.0 - share)
        low, high = np.percentile(self.draws[:, column], [tail, 100.0 - tail], method="nearest")
        return float(low), float(high)


def counted_answers(level: npt.ArrayLike, right: npt.ArrayLike) -> tuple[Floats, Ints, Ints]:
    """Count single answers, (N,) levels and whether right, as (L,) levels with times shown and times right.

    Examples
    --------
    >>> levels, shown, right = counted_answers([4, 2, 4], [True, False, False])
    >>> levels.tolist(), shown.tolist(), right.tolist()
    ([2.0, 4.0], [1, 2], [0, 1])
    """
    size = np.abs(np.asarray(level, dtype=np.float64))
    levels, at = np.unique(size, return_inverse=True)
    shown = np.bincount(at, minlength=len(levels))
    hits = np.bincount(at, weights=np.asarray(right, dtype=np.float64), minlength=len(levels))
    return levels, shown.astype(np.int64), np.rint(hits).astype(np.int64)


def fit_psychometric(
    levels: npt.ArrayLike,
    shown: npt.ArrayLike,
    right: npt.ArrayLike,
    *,
    guess: float = 0.5,
    most_lapse: float = MOST_LAPSE,
    draws: int = 0,
    rng: np.random.Generator | None = None,
) -> PsychometricFit:
    """Fit a psychometric function to counts of answers by maximum likelihood.

    Parameters
    ----------
    levels
        (L,) differences shown, of one direction; signs are ignored.
    shown, right
        (L,) how often each was shown, and answered right.
    guess
        Share right by guessing; fixed.
    most_lapse
        Largest lapse.
    draws
        Number of parametric bootstrap draws, from the fitted function with the same numbers of trials.
    rng
        Generator of the draws.

    Raises
    ------
    SettingError
        If the counts are inconsistent or empty, or draws are requested without a generator.

    Examples
    --------
    >>> fit = fit_psychometric([2, 4, 6, 8, 10], [40] * 5, [21, 24, 30, 38, 40])
    >>> round(fit.jnd, 1), fit.at_border
    (5.9, ('lapse',))
    """
    x, n, k = (np.asarray(one, dtype=np.float64) for one in (levels, shown, right))
    _check_counts(x, n, k)
    x = np.abs(x)
    theta = fit_many(x, n[None], k[None], guess=guess, most_lapse=most_lapse)
    function = _function(theta[0], guess)
    borders = Borders.around(x, most_lapse=most_lapse)
    out = np.empty((0, 4))
    if draws:
        if rng is None:
            raise SettingError(
                "a bootstrap draws at random: give it a generator, as rng=np.random.default_rng(1)"
            )
        simulated = rng.binomial(n.astype(np.int64), function.share(x), size=(draws, len(x))).astype(
            np.float64
        )
        out = drawn(fit_many(x, n, simulated, guess=guess, most_lapse=most_lapse), guess)
    near = (theta[0] <= borders.least + 1e-4) | (theta[0] >= borders.most - 1e-4)
    value = float(likelihoods(theta, x, n[None], k[None], guess=guess)[0])
    return PsychometricFit(
        frozen(x),
        frozen(n, np.int64),
        frozen(k, np.int64),
        function,
        value,
        2.0 * (_saturated(n, k) - value),
        frozen(out),
        tuple(name for name, at in zip(("threshold", "slope", "lapse"), near, strict=True) if at),
    )


def drawn(theta: Floats, guess: float) -> Floats:
    """Return threshold, slope, lapse and just noticeable difference (B, 4) of parameters (B, 3)."""
    threshold, slope, lapse = np.exp(theta[:, 0]), np.exp(theta[:, 1]), theta[:, 2]
    risen = (JND - guess) / (1.0 - guess - lapse)
    return np.column_stack([threshold, slope, lapse, threshold * (-np.log1p(-risen) / _LN2) ** (1.0 / slope)])


def _function(theta: Floats, guess: float) -> Psychometric:
    return Psychometric(float(np.exp(theta[0])), float(np.exp(theta[1])), float(theta[2]), guess)


def _check_counts(x: Floats, n: Floats, k: Floats) -> None:
    if x.ndim != 1 or not x.size or n.shape != x.shape or k.shape != x.shape:
        msg = f"levels, shown and right are three rows of one length, not {x.shape}, {n.shape} and {k.shape}"
        raise SettingError(msg)
    if np.any(n < 0) or np.any(k < 0) or np.any(k > n) or not n.sum():
        msg = "answers cannot be fitted: there are none, or more right than shown at some level"
        raise SettingError(msg)


def _saturated(n: Floats, k: Floats) -> float:
    """Return the log likelihood of the saturated model: each level at its observed share."""
    share = np.clip(k / np.maximum(n, 1.0), _SURE, 1.0 - _SURE)
    return float(np.sum(k * np.log(share) + (n - k) * np.log1p(-share)))


def pooled_draws(
    levels: Floats,
    counts: Sequence[tuple[Floats, Floats]],
    *,
    draws: int,
    rng: np.random.Generator,
    guess: float = 0.5,
    most_lapse: float = MOST_LAPSE,
) -> Floats:
    """Bootstrap over people: return rows (D, 4) of `drawn`, each fitted to people drawn with replacement.

    Parameters
    ----------
    levels
        (L,) levels common to all people.
    counts
        Shown and right (L,) of each person.
    draws, rng
        Number of draws, and their generator.
    """
    shown, right = (np.stack([one[part] for one in counts]) for part in (0, 1))
    times = rng.multinomial(len(counts), np.full(len(counts), 1.0 / len(counts)), size=draws).astype(
        np.float64
    )
    theta = fit_many(levels, times @ shown, times @ right, guess=guess, most_lapse=most_lapse)
    return drawn(theta, guess)
