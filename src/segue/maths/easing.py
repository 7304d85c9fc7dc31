"""Blend curves: the weight of the motion being left falls from 1 to 0; critically damped springs."""

from __future__ import annotations

import numpy as np

from segue.arrays import Floats
from segue.errors import SettingError


def smoothstep(x: Floats) -> Floats:
    """Rise from 0 to 1 as x does, flat at both ends: ``3 x^2 - 2 x^3``.

    Examples
    --------
    >>> import numpy as np
    >>> smoothstep(np.array([0.0, 0.25, 0.5, 1.0])).tolist()
    [0.0, 0.15625, 0.5, 1.0]
    """
    out: Floats = x * x * (3.0 - 2.0 * x)
    return out


def ease_out(length: int) -> Floats:
    """Weights of the motion being left over a blend of ``length`` frames, C1 at both ends.

    ``alpha(p) = 2((p+1)/k)^3 - 3((p+1)/k)^2 + 1`` for p = 0 ... k-1 (joint-relative-distance motion graphs,
    eq. 4.6): the frame before the blend has weight 1, its last frame has weight 0.

    Examples
    --------
    >>> ease_out(4).tolist()
    [0.84375, 0.5, 0.15625, 0.0]
    """
    if length < 0:
        msg = f"a blend cannot last {length} frames; 0 is a hard cut"
        raise SettingError(msg)
    x = np.arange(1, length + 1) / max(length, 1)
    return 2.0 * x**3 - 3.0 * x**2 + 1.0  # eq. 4.6


STEEPEST = 3.0
"""Largest end slope at which a cubic from 0 to 1 stays monotone, whatever the slope at the other end."""


def limited_slopes(begin: float, end: float) -> tuple[float, float]:
    """Slopes of a rise from 0 to 1, clamped to the range that keeps it monotone: 0 to 3 (Fritsch and Carlson 1980).

    Examples
    --------
    >>> limited_slopes(-1.0, 5.0)
    (0.0, 3.0)
    """
    return min(max(begin, 0.0), STEEPEST), min(max(end, 0.0), STEEPEST)


def monotone_hermite(x: Floats, begin: Floats | float, end: Floats | float) -> Floats:
    """Rise from 0 to 1 as x does, along the cubic Hermite curve of two end slopes, clamped so that it stays monotone.

    Examples
    --------
    >>> import numpy as np
    >>> monotone_hermite(np.array([0.0, 0.5, 1.0]), 0.0, 3.0).tolist()
    [0.0, 0.125, 1.0]
    """
    a, b = np.clip(begin, 0.0, STEEPEST), np.clip(end, 0.0, STEEPEST)
    out: Floats = x * (a + x * (3.0 - 2.0 * a - b + x * (a + b - 2.0)))
    return np.where(x >= 1.0, 1.0, np.clip(out, 0.0, 1.0))


_LEFT = 1e-3


def decay(offset: Floats, speed: Floats, t: Floats, *, rate: float) -> Floats:
    """Offset (n, ...) at times t (n,) of a critically damped spring released at ``offset`` with ``speed``.

    ``x(t) = e^(-rate t) (x0 + (v0 + rate x0) t)``: the fastest return without overshoot, unless the initial
    speed towards zero exceeds ``rate x0``.

    Examples
    --------
    >>> import numpy as np
    >>> decay(np.array([1.0]), np.array([0.0]), np.array([0.0, 1.0]), rate=5.0).round(3).ravel().tolist()
    [1.0, 0.04]
    """
    time = np.asarray(t, dtype=np.float64).reshape((-1,) + (1,) * np.ndim(offset))
    out: Floats = np.exp(-rate * time) * (offset + (speed + rate * offset) * time)
    return out


def rate_for(seconds: float) -> float:
    """Rate of a spring that decays to a thousandth within the given seconds.

    Examples
    --------
    >>> import numpy as np
    >>> rate = rate_for(0.5)
    >>> round(float(decay(np.array([1.0]), np.array([0.0]), np.array([0.5]), rate=rate)[0, 0]), 6)
    0.001
    """
    k = 9.0  # (1 + k) e^-k = 1/1000, by fixed-point steps
    for _ in range(50):
        k = float(np.log((1.0 + k) / _LEFT))
    return k / seconds


def no_overshoot(offset: Floats, speed: Floats, *, rate: float) -> Floats:
    """Speed (..., 3) limited so that a spring does not carry an offset (..., 3) through zero.

    Only the speed component along the offset matters; a spring overshoots if it returns faster than ``rate``
    times the offset.
    """
    size = np.linalg.norm(offset, axis=-1, keepdims=True)
    along = offset / np.maximum(size, 1e-12)
    back = np.sum(speed * along, axis=-1, keepdims=True)
    out: Floats = speed + (np.maximum(back, -rate * size) - back) * along
    return out
