"""Timewarps: choose the moment of each motion that every frame of a blend shows, before blending.

Moments are counted in frames of a stretch, 0 at its first; -1 is the frame before it. Rotations are (n, J, 4), the root
first; only the other joints are compared.
"""

from __future__ import annotations

import numpy as np

from segue.arrays import Floats, Quaternions
from segue.maths.easing import smoothstep
from segue.maths.quaternions import half_angle, slerp
from segue.maths.sequences import warp_of

_SLOPE = 2
"""Consecutive steps along one motion only, at most."""
_SHARES = np.linspace(1.0, 0.5, 17)
"""Shares of one side that may be shown while all of the other is."""
_LOOKS = 31
"""Moments of a blend at which both sides are compared, at most."""
_ENDS = 0.25
"""Share of a blend over which the tempo leaves, and returns to, that of the captured motion."""


def registration_times(one: Quaternions, other: Quaternions) -> tuple[Floats, Floats]:
    """Return moments (n,) of both motions along the smoothed curve of most alike poses (Kovar and Gleicher 2003).

    The curve is found by dynamic time warping with at most two consecutive steps along one motion. Both ends are
    fixed, and are passed at the captured tempo.
    """
    n = len(one)
    cost = np.zeros((n, n))
    for joint in range(1, one.shape[1]):
        cost += half_angle(one[:, None, joint], other[None, :, joint]) ** 2
    path = warp_of(cost, limit=_SLOPE).path.astype(np.float64)
    along = np.linspace(0.0, len(path) - 1.0, n)
    even: Floats = np.arange(n, dtype=np.float64)
    x = even / max(n - 1, 1)
    # Keep the captured tempo at both ends (decision 83).
    let = smoothstep(np.minimum(x / _ENDS, 1.0)) * smoothstep(np.minimum((1.0 - x) / _ENDS, 1.0))
    times = (_evened(np.interp(along, np.arange(len(path)), path[:, k])) for k in (0, 1))
    first, second = (np.maximum.accumulate(even + let * (t - even)) for t in times)
    return first, second


def _evened(t: Floats) -> Floats:
    """Curve (n,) without corners: three passes of a short moving average, its ends kept."""
    for _ in range(3):
        if len(t) > 2:
            t = np.concatenate([t[:1], 0.25 * t[:-2] + 0.5 * t[1:-1] + 0.25 * t[2:], t[-1:]])
    return t


def timewarped_times(one: Quaternions, other: Quaternions) -> tuple[Floats, Floats]:
    """Return moments (n,) that show less of one motion, more slowly, where that makes both more alike.

    The beginning of the motion left and the end of the one arrived in are fixed; the share of either motion with the
    lowest cost is shown, at least half of it (Wang, eq. V.5 and V.6, in which the slower side is slow throughout). Here
    the tempo changes linearly from or to the captured one: speed continues at both ends of the blend.
    """
    n = len(one)
    looks = np.unique(np.round(np.linspace(0, n - 1, min(n, _LOOKS))).astype(np.int64))
    slow = [_leaving(n, _SHARES)[:, looks], _arriving(n, _SHARES)[:, looks]]
    costs = np.stack(
        [
            _unlike(moments(one[:, 1:], slow[0]), other[looks, 1:]),
            _unlike(one[looks, 1:], moments(other[:, 1:], slow[1])),
        ]
    )
    # Both candidate lists begin with the captured tempo, which is kept unless another lowers the cost.
    side, best = np.unravel_index(int(np.argmin(costs > costs.min() + 1e-12)), costs.shape)
    shares = [_SHARES[best] if side == k else 1.0 for k in (0, 1)]
    return _leaving(n, np.array(shares[:1]))[0], _arriving(n, np.array(shares[1:]))[0]


def _leaving(n: int, shares: Floats) -> Floats:
    """Moments (S, n) that begin at the captured tempo and slow down linearly: ``s - (1 - share) s^2 / n``."""
    s = np.arange(1, n + 1)
    out: Floats = s - (1.0 - shares[:, None]) * s**2 / n - 1.0  # speed 1 at the first frame (decision 83)
    return out


def _arriving(n: int, shares: Floats) -> Floats:
    """Moments (S, n) that speed up linearly to the captured tempo at the last frame."""
    s = np.arange(n - 1, -1, -1)
    # Speed 1 at the last frame (decision 83).
    out: Floats = (n - 1.0) - (s - (1.0 - shares[:, None]) * s**2 / n)
    return out


def _unlike(one: Quaternions, other: Quaternions) -> Floats:
    """Mean over moments of the sum of squared half angles of (..., n, J, 4)."""
    out: Floats = (half_angle(one, other) ** 2).sum(axis=-1).mean(axis=-1)
    return out


def moments(q: Quaternions, t: Floats) -> Quaternions:
    """Return rotations (..., J, 4) of a motion (n, J, 4) at moments (...), clamped to its ends."""
    t = np.clip(t, 0.0, len(q) - 1.0)
    low = np.floor(t).astype(np.int64)
    high = np.minimum(low + 1, len(q) - 1)
    return slerp(q[low], q[high], (t - low)[..., None])
