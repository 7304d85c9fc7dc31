"""Fit of an arc of constant speed to a trace on the ground (Park et al. 2004, eq. 1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from segue.arrays import Floats
from segue.errors import SettingError

_TURNS = 61  # turning rates tried before the best one is refined
_STEPS = 40  # golden sections: they find the rate to a millionth of the range


@dataclass(frozen=True)
class Arc:
    """Motion along a circle, or a straight line, at constant speed.

    Parameters
    ----------
    x, z
        Start in metres.
    heading
        Initial direction in radians; 0 is +Z, positive towards +X.
    speed
        Metres a second.
    turn
        Radians a second, positive to the left.
    residual
        Root mean square distance in metres of the trace from the arc.

    Examples
    --------
    >>> import numpy as np
    >>> Arc(0.0, 0.0, 0.0, 1.0, 0.0, 0.0).at(np.array([2.0])).tolist()
    [[0.0, 2.0]]
    """

    x: float
    z: float
    heading: float
    speed: float
    turn: float
    residual: float

    def at(self, seconds: Floats) -> Floats:
        """Return places (n, 2) on the ground, x and z in metres, after ``seconds`` (n,)."""
        along, across = _unit_arc(self.turn, np.asarray(seconds, dtype=np.float64))
        s, c = np.sin(self.heading), np.cos(self.heading)
        return np.column_stack(
            [
                self.x + self.speed * (s * along + c * across),
                self.z + self.speed * (c * along - s * across),
            ]
        )


def fit_arc(trace: Floats, seconds: float) -> Arc:
    """Fit an arc of constant speed to a trace by least squares.

    For a given turning rate, start, direction and speed are a linear problem; the turning rate is searched. A straight
    line has exactly the turning rate 0, although nearby rates give nearly the same arc.

    Parameters
    ----------
    trace
        (n, 2) x and z in metres, evenly spaced in time; at least three points.
    seconds
        Duration of the trace.

    Raises
    ------
    SettingError
        If there are fewer than three points or the time is not positive.

    Examples
    --------
    >>> import numpy as np
    >>> t = np.linspace(0, 1, 50)
    >>> found = fit_arc(Arc(1.0, 2.0, 0.3, 1.4, -0.8, 0.0).at(t), 1.0)
    >>> round(found.speed, 4), round(found.turn, 4), round(found.heading, 4)
    (1.4, -0.8, 0.3)
    """
    points = np.asarray(trace, dtype=np.float64)
    if points.ndim != 2 or points.shape[0] < 3 or points.shape[1] != 2 or not seconds > 0:
        msg = f"an arc needs three places (n, 2) and a positive time, not {points.shape} and {seconds}"
        raise SettingError(msg)
    times = np.linspace(0.0, seconds, points.shape[0])
    most = 1.5 * np.pi / seconds  # three quarters of a circle: more is another motion
    rates = np.linspace(-most, most, _TURNS)
    best = rates[int(np.argmin([_fitted(points, times, rate)[1] for rate in rates]))]
    step = rates[1] - rates[0]
    low, high = max(best - step, -most), min(best + step, most)
    golden = (np.sqrt(5.0) - 1.0) / 2.0
    for _ in range(_STEPS):
        a, b = high - golden * (high - low), low + golden * (high - low)
        if _fitted(points, times, a)[1] < _fitted(points, times, b)[1]:
            high = b
        else:
            low = a
    turn = float((low + high) / 2.0)
    (x, z, u, v), left = _fitted(points, times, turn)
    return Arc(
        float(x),
        float(z),
        float(np.arctan2(u, v)),
        float(np.hypot(u, v)),
        turn,
        float(np.sqrt(left / len(points))),
    )


def _unit_arc(turn: float, seconds: Floats) -> tuple[Floats, Floats]:
    """Distances ahead and to the left (n,) of a point of unit speed; both are smooth at turn 0."""
    angle = turn * seconds
    along = seconds * np.sinc(angle / np.pi)
    across = seconds * np.sin(angle / 2.0) * np.sinc(angle / (2.0 * np.pi))
    return along, across


def _fitted(points: Floats, times: Floats, turn: float) -> tuple[Floats, float]:
    """Start and initial velocity (4,) for a turning rate, and the residual sum of squares."""
    along, across = _unit_arc(turn, times)
    one, none = np.ones_like(times), np.zeros_like(times)
    rows = np.vstack(
        [np.column_stack([one, none, along, across]), np.column_stack([none, one, -across, along])]
    )
    wanted = np.concatenate([points[:, 0], points[:, 1]])
    # x = x0 + u along + v across, z = z0 + v along - u across, with (u, v) the initial velocity
    found = np.linalg.lstsq(rows, wanted, rcond=None)[0]  # eq. 1
    left = wanted - rows @ found
    return found, float(left @ left)
