"""The shift at which two signals are most alike."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from segue.arrays import Floats, Ints, sealed

REST = 1e-6
"""Root mean square below which a signal about its mean is at rest: a micrometre of height."""
_REST_SHARE = 1e-10
"""Share of the squares of both signals below which an overlap is at rest."""
_ROUNDING = 1e-12
"""Bound of the rounding error of the fast sums of all lags, as a share of the squares of both signals."""
_ASKED = 64
"""Most lags computed exactly: if rounding cannot distinguish more, any of them will do."""


@dataclass(frozen=True, eq=False)
class Signal:
    """A signal prepared to be shifted along others: see `signal`.

    Parameters
    ----------
    values
        (N, S) values about their mean.
    running
        (N + 1, S + 1) cumulative sums of the values before each frame, and of all their squares.
    """

    values: Floats
    running: Floats


def signal(values: Floats) -> Signal:
    """Prepare a signal of S values over N frames (N, S) for `best_lag`."""
    values = values - values.mean(axis=0)
    running = np.zeros((len(values) + 1, values.shape[1] + 1))
    np.cumsum(values, axis=0, out=running[1:, :-1])
    np.cumsum(np.einsum("ts,ts->t", values, values), out=running[1:, -1])
    return Signal(sealed(values), sealed(running))


def at_rest(x: Signal) -> bool:
    """Return whether a signal does not move, apart from rounding (`REST`)."""
    return float(x.running[-1, -1]) <= REST**2 * x.values.size


def best_lag(x: Signal, y: Signal, *, first: int, last: int, limit: float) -> int | None:
    """Find the lag from ``first`` to ``last`` at which two signals differ least, if `lag_residual` is within ``limit``.

    Returns
    -------
    The lag, the first of equally good ones; None if all residuals exceed the limit. Signals must overlap at
    every lag. A lag at which both are at rest over the overlap is never returned.

    Notes
    -----
    Takes memory proportional to frames and lags, and computes few lags exactly, whatever the signals.

    Examples
    --------
    >>> import numpy as np
    >>> wave = np.sin(np.arange(40.0))[:, None]
    >>> best_lag(signal(wave[3:]), signal(wave), first=-5, last=5, limit=0.1)
    3
    """
    lags = np.arange(first, last + 1)
    rough, doubt = _rough_residuals(x, y, lags)
    high = rough + doubt
    low = min(limit, float(np.min(high, initial=np.inf)))
    asked = np.flatnonzero(rough - doubt <= low)  # few need the exact residual
    if len(asked) > _ASKED:
        asked = np.sort(asked[np.argsort(high[asked], kind="stable")[:_ASKED]])
    residuals = [lag_residual(x.values, y.values, int(lag)) for lag in lags[asked]]
    if min(residuals, default=np.inf) > limit:
        return None
    return int(lags[asked[int(np.argmin(residuals))]])


def lag_residual(x: Floats, y: Floats, lag: int) -> float:
    """Residual of signals (N, S) and (M, S) shifted by a lag, both about their means within the overlap.

    Row i of x is compared with row i + lag of y; 0 is equal up to constants, 1 is unrelated, infinite is no
    motion at all.
    """
    i, j = max(0, -lag), max(0, lag)
    length = min(len(x) - i, len(y) - j)
    x, y = x[i : i + length], y[j : j + length]
    x, y = x - x.mean(axis=0), y - y.mean(axis=0)
    gap, size = float(np.sum((x - y) ** 2)), float(np.sum(x * x) + np.sum(y * y))
    return gap / size if size > 0.0 else np.inf


def _rough_residuals(x: Signal, y: Signal, lags: Ints) -> tuple[Floats, Floats]:
    """Residuals (L,) of all lags from running sums and products, infinite at rest; and bounds of their errors."""
    i, j = np.maximum(0, -lags), np.maximum(0, lags)
    length = np.minimum(len(x.values) - i, len(y.values) - j)
    here = x.running.take(i + length, axis=0) - x.running.take(i, axis=0)
    there = y.running.take(j + length, axis=0) - y.running.take(j, axis=0)
    one, other = here[:, :-1], there[:, :-1]
    size = here[:, -1] + there[:, -1]
    size -= (np.einsum("ls,ls->l", one, one) + np.einsum("ls,ls->l", other, other)) / length
    whole = float(x.running[-1, -1] + y.running[-1, -1])
    moves = size > np.maximum(_REST_SHARE * whole, (2 * x.values.shape[1] * REST**2) * length)
    if not moves.any():
        return np.full(len(lags), np.inf), np.zeros(len(lags))
    size = np.where(moves, size, 1.0)
    common = _products(x.values, y.values, lags) - np.einsum("ls,ls->l", one, other) / length
    return np.where(moves, 1.0 - 2.0 * common / size, np.inf), _ROUNDING * whole / size


def _products(x: Floats, y: Floats, lags: Ints) -> Floats:
    """Sums (L,) over the frames of x of their products with those of y at each lag, by Fourier transforms."""
    # Pad so that values shifted out at one end do not wrap round to the other.
    room = 1 << (len(x) + len(y) - 2).bit_length()
    one, other = (np.fft.rfft(each.T, room) for each in (x, y))
    out: Floats = np.fft.irfft(np.einsum("sf,sf->f", one.conj(), other), room)[lags]
    return out
