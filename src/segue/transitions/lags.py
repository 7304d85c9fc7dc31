"""By how much one signal must be shifted to be most like another."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from segue.arrays import Bools, Floats, Ints, sealed

_SURE = 1e-6
"""Far more than rounding changes the fast sums of all lags by, as a share of the signals' own squares."""


@dataclass(frozen=True, eq=False)
class Signal:
    """A signal made ready to be shifted along others: see `signal`.

    Parameters
    ----------
    values
        (N, S) numbers about their mean.
    running
        (N + 1, S + 1) sums of all before each, and of all their squares.
    """

    values: Floats
    running: Floats


def signal(values: Floats) -> Signal:
    """Make S numbers over N frames (N, S) ready for `best_lag`."""
    values = values - values.mean(axis=0)
    running = np.zeros((len(values) + 1, values.shape[1] + 1))
    np.cumsum(values, axis=0, out=running[1:, :-1])
    np.cumsum(np.einsum("ts,ts->t", values, values), out=running[1:, -1])
    return Signal(sealed(values), sealed(running))


def best_lag(x: Signal, y: Signal, *, first: int, last: int, limit: float) -> int | None:
    """Lag from ``first`` to ``last`` at which two signals differ least, if their `lag_residual` is within ``limit``.

    Returns
    -------
    The lag, of equally good ones the first; None where all differ more. Signals must overlap at every lag.

    Examples
    --------
    >>> import numpy as np
    >>> wave = np.sin(np.arange(40.0))[:, None]
    >>> best_lag(signal(wave[3:]), signal(wave), first=-5, last=5, limit=0.1)
    3
    """
    lags = np.arange(first, last + 1)
    rough, known = _rough_residuals(x, y, lags)
    low = min(limit, float(np.min(rough, initial=np.inf, where=known)))
    asked = lags[~known | (rough <= low + _SURE)]  # exactly only where it can matter: mostly nowhere
    residuals = [lag_residual(x.values, y.values, int(lag)) for lag in asked]
    if min(residuals, default=np.inf) > limit:
        return None
    return int(asked[int(np.argmin(residuals))])


def lag_residual(x: Floats, y: Floats, lag: int) -> float:
    """Unlikeness of signals (N, S) and (M, S) shifted by a lag, both about their means where they overlap.

    Row i of x meets row i + lag of y; 0 is equal up to constants, 1 is unrelated, infinite is no motion at all.
    """
    i, j = max(0, -lag), max(0, lag)
    length = min(len(x) - i, len(y) - j)
    x, y = x[i : i + length], y[j : j + length]
    x, y = x - x.mean(axis=0), y - y.mean(axis=0)
    gap, size = float(np.sum((x - y) ** 2)), float(np.sum(x * x) + np.sum(y * y))
    return gap / size if size > 0.0 else np.inf


def _rough_residuals(x: Signal, y: Signal, lags: Ints) -> tuple[Floats, Bools]:
    """Residuals (L,) of all lags at once, from running sums and products; flags (L,) those known well."""
    i, j = np.maximum(0, -lags), np.maximum(0, lags)
    length = np.minimum(len(x.values) - i, len(y.values) - j)
    here = x.running.take(i + length, axis=0) - x.running.take(i, axis=0)
    there = y.running.take(j + length, axis=0) - y.running.take(j, axis=0)
    one, other = here[:, :-1], there[:, :-1]
    size = here[:, -1] + there[:, -1]
    whole = size.max()
    size -= (np.einsum("ls,ls->l", one, one) + np.einsum("ls,ls->l", other, other)) / length
    common = _diagonal_sums(x.values @ y.values.T, lags) - np.einsum("ls,ls->l", one, other) / length
    known: Bools = size > _SURE * whole
    return 1.0 - 2.0 * common / np.where(known, size, 1.0), known


def _diagonal_sums(values: Floats, offsets: Ints) -> Floats:
    """Sums of some diagonals of a matrix, all at once."""
    n, m = values.shape
    wide = np.zeros((n, n + m + 1))
    # Rows one longer than they were written: what lay on a diagonal lies in a column.
    wide.reshape(-1)[: n * (n + m)].reshape(n, n + m)[:, :m] = values
    out: Floats = wide.sum(axis=0)[offsets]
    return out
