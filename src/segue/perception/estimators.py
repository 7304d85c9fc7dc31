"""Thresholds from the track of one observer, and convergence of procedures by Monte Carlo simulation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from segue.arrays import Floats, frozen
from segue.errors import SettingError
from segue.perception.fitting import counted_answers, fit_psychometric
from segue.perception.procedures import Bayesian, Procedure, Track
from segue.perception.psychometric import Psychometric

_DROPPED = 2  # first reversals, which depend on the start level and not on the observer


def reversals(track: Track) -> tuple[int, ...]:
    """Return the trials, from 0, at which the level of a track changes direction.

    Examples
    --------
    >>> reversals(Track((4, 3, 2, 3, 2), (True, True, False, True, True)))
    (2, 3)
    """
    out, before = [], 0
    for trial in range(1, len(track)):
        step = track.places[trial] - track.places[trial - 1]
        if step:
            if before and (step > 0) != (before > 0):
                out.append(trial - 1)
            before = step
    return tuple(out)


def mean_of_levels(levels: Sequence[float], track: Track) -> float:
    """Return the mean of all levels shown from the first reversal on."""
    turned = reversals(track)
    first = turned[0] if turned else 0
    return float(np.mean([levels[place] for place in track.places[first:]]))


def mean_of_reversals(levels: Sequence[float], track: Track) -> float:
    """Return the mean of an even number of last reversals, the first two dropped; without any, `mean_of_levels`."""
    turned = reversals(track)[_DROPPED:]
    turned = turned[len(turned) % 2 :]
    return (
        float(np.mean([levels[track.places[k]] for k in turned])) if turned else mean_of_levels(levels, track)
    )


def most_visited(levels: Sequence[float], track: Track) -> float:
    """Return the level shown most often, or the mean of a tie: where Wang's rule stops."""
    counts = np.bincount(track.places)
    return float(np.mean([levels[int(k)] for k in np.flatnonzero(counts == counts.max())]))


def fitted(levels: Sequence[float], track: Track) -> float:
    """Return the level at which 75 % of the answers are right by the fitted psychometric function."""
    found = counted_answers([levels[place] for place in track.places], track.right)
    return fit_psychometric(*found).jnd


Estimator = Callable[[Sequence[float], Track], float]
ESTIMATORS: Mapping[str, Estimator] = {
    "mean of levels": mean_of_levels,
    "mean of reversals": mean_of_reversals,
    "most visited level": most_visited,
    "fitted function": fitted,
}
"""Estimators of the threshold of a track, by name."""


def estimate(levels: Sequence[float], track: Track, *, by: str = "mean of levels") -> float:
    """Return the threshold of a track, in the unit of its levels.

    Raises
    ------
    SettingError
        If the track is empty or there is no such estimator.

    Examples
    --------
    >>> estimate([2.0, 4.0, 6.0], Track((2, 1, 0, 1), (True, True, False, True)))
    3.0
    """
    if not len(track):
        raise SettingError("a track without an answer has no threshold")
    if by not in ESTIMATORS:
        msg = f"no estimator is called {by!r}; known: {', '.join(ESTIMATORS)}"
        raise SettingError(msg)
    return ESTIMATORS[by](levels, track)


@dataclass(frozen=True, eq=False)
class Convergence:
    """Convergence of many tracks of one procedure with a simulated observer.

    Parameters
    ----------
    procedure
        Its name.
    function
        The observer.
    estimates
        Level of each track, by estimator.
    trials
        Length of each track.
    course
        (T,) mean level shown at each trial, over the tracks that reach it; T is the length of the longest.
    """

    procedure: str
    function: Psychometric
    estimates: Mapping[str, Floats]
    trials: Floats
    course: Floats

    def share(self, estimator: str) -> float:
        """Return the share of right answers at the mean level of an estimator: where the procedure converges."""
        return float(self.function.share(float(np.mean(self.estimates[estimator]))))

    @property
    def settled(self) -> int:
        """Trial from which the mean level stays within 10 % of its final value; 0 if from the start."""
        known = self.course[np.isfinite(self.course)]
        tail = known[: max(int(np.median(self.trials)), 1)]
        end = float(np.mean(tail[-max(len(tail) // 4, 1) :]))
        outside = np.flatnonzero(np.abs(tail - end) > 0.1 * end)
        return int(outside[-1]) + 1 if outside.size else 0


def converge(
    chosen: Procedure,
    function: Psychometric,
    levels: Sequence[float],
    *,
    tracks: int,
    rng: np.random.Generator,
    estimators: Sequence[str] = tuple(ESTIMATORS),
) -> Convergence:
    """Run a procedure with a simulated observer many times.

    Parameters
    ----------
    chosen
        The procedure.
    function
        The observer.
    levels
        Levels from the least difference to the largest.
    tracks
        Number of tracks.
    rng
        Generator of the answers.
    estimators
        Names of `ESTIMATORS`.

    Examples
    --------
    >>> from segue.perception.procedures import Staircase
    >>> found = converge(Staircase(2), Psychometric(6.0, 3.5), np.arange(1.0, 20.0), tracks=50,
    ...                  rng=np.random.default_rng(1), estimators=["mean of levels"])
    >>> 0.6 < found.share("mean of levels") < 0.85
    True
    """
    if tracks < 1:
        msg = f"tracks={tracks}: a simulation needs one or more"
        raise SettingError(msg)
    share = function.share(np.asarray(levels, dtype=np.float64))
    found: dict[str, list[float]] = {name: [] for name in estimators}
    runs = [run_track(chosen, levels, share, rng) for _ in range(tracks)]
    for track in runs:
        for name, values in found.items():
            if name == "fitted function" and isinstance(chosen, Bayesian):
                values.append(chosen.threshold(levels, track))  # its own estimate
            else:
                values.append(estimate(levels, track, by=name))
    longest = max(len(track) for track in runs)
    shown = np.full((tracks, longest), np.nan)
    for row, track in zip(shown, runs, strict=True):
        row[: len(track)] = np.asarray(levels)[list(track.places)]
    counts = np.sum(np.isfinite(shown), axis=0)
    return Convergence(
        chosen.name,
        function,
        {name: frozen(values) for name, values in found.items()},
        frozen([float(len(track)) for track in runs]),
        frozen(np.nansum(shown, axis=0) / counts),
    )


def run_track(chosen: Procedure, levels: Sequence[float], share: Floats, rng: np.random.Generator) -> Track:
    """Return one track of an observer whose share (L,) of right answers at each level is known."""
    track = Track()
    while (place := chosen.next_place(levels, track)) is not None:
        track = track.answered(place, right=bool(rng.random() < share[place]))
    return track
