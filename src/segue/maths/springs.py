"""Motion that comes to rest: critically damped springs."""

from __future__ import annotations

import numpy as np

from segue.arrays import Floats

_LEFT = 1e-3


def decay(offset: Floats, speed: Floats, t: Floats, *, rate: float) -> Floats:
    """Offset (n, ...) at times t (n,) of a critically damped spring let go at ``offset`` with ``speed``.

    ``x(t) = e^(-rate t) (x0 + (v0 + rate x0) t)``: the fastest way back without swinging over, if it is not moving
    back faster than ``rate x0`` to begin with.

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
    """Rate of a spring that has come back to a thousandth after so many seconds.

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
    """Speed (..., 3) less what would carry an offset (..., 3) through zero and beyond.

    Only the part of the speed along the offset counts; a spring swings over when it comes back faster than
    ``rate`` times the offset.
    """
    size = np.linalg.norm(offset, axis=-1, keepdims=True)
    along = offset / np.maximum(size, 1e-12)
    back = np.sum(speed * along, axis=-1, keepdims=True)
    out: Floats = speed + (np.maximum(back, -rate * size) - back) * along
    return out
