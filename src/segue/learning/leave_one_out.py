"""Influence of single examples on learnt weights: leave one out, learn again, see where optimal transitions move."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from segue.arrays import Bools, Costs, Floats, Ints, frozen
from segue.costs.matrix import least_cell
from segue.costs.protocol import Cost
from segue.errors import SettingError
from segue.learning.weights import Examples, Method, solve
from segue.motion.clip import Clip
from segue.threads import Progress, silent

_BAND = 1.0


@dataclass(frozen=True, eq=False)
class LeaveOneOut:
    """Movement of the optimal transitions when each example was left out.

    Parameters
    ----------
    dropped
        (K,) cost frames by which the optimal transition of the dropped example's clips moved: the larger of the two
        clips. NaN where the remaining examples allow no weights.
    excess
        (K,) share by which the old place costs more than the new one, by the weights learnt without the example: if it
        is small, both places are equally good and the distance in frames means little.
    unrelated
        (K,) as ``dropped``, for a pair of clips without an example; empty without such a pair.
    weights
        (K, D) weights learnt without each example.
    """

    dropped: Floats
    excess: Floats
    unrelated: Floats
    weights: Floats

    def sentence(self) -> str:
        """Return mean and median in words."""
        out = _sentence(self.dropped, "the dropped pair's own optimal transition")
        if np.nanmax(self.dropped, initial=0.0) > 0:
            out += f" (the old place costs {np.nanmax(self.excess):.1%} more at most)"
        if self.unrelated.size:
            same = int(np.sum(self.unrelated == 0))
            out += f"; {_sentence(self.unrelated, 'that of the unrelated pair')}"
            out += f", the same in {same} of {self.unrelated.size}"
        return out


def _sentence(moved: Floats, what: str) -> str:
    if not np.isfinite(moved).any():
        return f"{what}: nothing can be learnt once an example is left out"
    return f"{what} moves by {np.nanmean(moved):.2f} frames on average, {np.nanmedian(moved):g} in the median"


def leave_one_out(
    found: Examples,
    *,
    ridge: float = 0.0,
    method: Method = "nnls",
    unrelated: tuple[Clip, Clip] | None = None,
    progress: Progress = silent,
) -> LeaveOneOut:
    """Drop each example, learn from the others, and measure how far optimal transitions move (section IV.3).

    The optimal transition of two clips is the least cell of their cost matrix; of a clip with itself, the least cell
    whose moments are a second or more apart.

    Parameters
    ----------
    found
        Examples.
    ridge, method
        As in `learn`.
    unrelated
        Two clips without an example.
    progress
        Called with stage, done, total.

    Examples
    --------
    >>> from segue.learning import Label, examples
    >>> from segue.motion.samples import sample
    >>> walk = sample("walk", 30.0)
    >>> labels = [Label("walk", 20, "walk", 20 + k, k in (1, 2)) for k in (1, 2, 9, 14, 20)]
    >>> leave_one_out(examples(labels, [walk])).dropped.shape
    (5,)
    """
    terms, count = found.terms, len(found.bad)
    whole = terms.cost(solve(found, ridge=ridge, method=method))
    learnt = np.full((count, len(terms.columns)), np.nan)
    dropped = np.full(count, np.nan)
    elsewhere = np.full(count if unrelated is not None else 0, np.nan)
    home = None if unrelated is None else _optimum(_least(whole, *unrelated))
    excess = np.full(count, np.nan)
    at: dict[tuple[int, int], Ints] = {}
    for k in range(count):
        progress("leaving one out", k, count)
        keep: Bools = np.arange(count) != k
        try:
            learnt[k] = solve(found, keep=keep, ridge=ridge, method=method)
        except SettingError:
            continue  # the only example of its kind
        without = terms.cost(learnt[k])
        pair = found.places[k][:2]
        clips = terms.clips[pair[0]], terms.clips[pair[1]]
        if pair not in at:
            at[pair] = _optimum(_least(whole, *clips))
        values = _least(without, *clips)
        dropped[k] = _moved(at[pair], _optimum(values))
        excess[k] = float(values[tuple(at[pair])]) / max(float(values.min()), 1e-300) - 1.0
        if unrelated is not None and home is not None:
            elsewhere[k] = _moved(home, _optimum(_least(without, *unrelated)))
    progress("leaving one out", count, count)
    return LeaveOneOut(frozen(dropped), frozen(excess), frozen(elsewhere), frozen(learnt))


def _least(cost: Cost, a: Clip, b: Clip) -> Costs:
    """Cost matrix of two clips; of a clip with itself, infinite near the diagonal."""
    here = cost.prepare(a)
    there = here if b is a else cost.prepare(b)
    values = cost.matrix(here, there)
    if b is a:
        apart = np.abs(np.subtract.outer(np.arange(here.n), np.arange(there.n)))
        band = min(round(_BAND * cost.rate), here.n - 1)
        values = np.where(apart >= band, values, np.inf)
    return values


def _optimum(values: Costs) -> Ints:
    """Row and column of the least cell; the first one where none is finite."""
    return np.array(least_cell(values) or (0, 0), dtype=np.int64)


def _moved(one: Ints, other: Ints) -> float:
    return float(np.abs(one - other).max())
