"""Ways across: every method that makes the frames between one motion and another, behind one interface.

A way gets both motions over the same stretch of time, two frames before it included, B already placed beside A, and
gives the frames of the stretch. `WAYS` names them all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from segue.arrays import Floats, Positions, Quaternions
from segue.blending.crossfade import crossfade
from segue.errors import SettingError, nearest
from segue.maths.easing import ease_out, smoothstep
from segue.maths.quaternions import conjugate, exp, half_angle, log, multiply, slerp
from segue.maths.sequences import warp_of
from segue.maths.springs import decay, no_overshoot, rate_for

BEFORE = 2
"""Frames before the stretch that a way gets along with it."""

_SLOPE = 2


@dataclass(frozen=True, eq=False)
class Stretch:
    """Rotations (n + 2, J, 4) and roots (n + 2, 3): two frames before a blend and its n frames."""

    rotations: Quaternions
    roots: Positions
    fps: float

    def __len__(self) -> int:
        """Return the number n of blended frames."""
        return len(self.roots) - BEFORE


@dataclass(frozen=True)
class Way:
    """One method.

    Parameters
    ----------
    name
        In `WAYS`.
    summary
        One line.
    across
        Two stretches to rotations (n, J, 4) and roots (n, 3).
    uses_left
        Whether frames of the motion left are shown after the blend has begun. Where not, what comes after the point in
        that motion does not matter.
    smooth_start, smooth_end
        Whether speed as well as place continues at that end.
    """

    name: str
    summary: str
    across: Callable[[Stretch, Stretch], tuple[Quaternions, Positions]]
    uses_left: bool
    smooth_start: bool
    smooth_end: bool


def way(name: str) -> Way:
    """Return a way across by name.

    Raises
    ------
    SettingError
        If there is none of that name.

    Examples
    --------
    >>> way("inertialization").uses_left
    False
    """
    if name not in WAYS:
        msg = f"no way across is called {name!r}; known: {', '.join(WAYS)}; {nearest(name, WAYS)}"
        raise SettingError(msg)
    return WAYS[name]


def linear(length: int) -> Floats:
    """Weights (n,) of the motion left that fall evenly from 1 before the blend to 0 at its last frame."""
    out: Floats = 1.0 - np.arange(1, length + 1) / max(length, 1)
    return out


def sigmoid(length: int) -> Floats:
    """Weights (n,) of the motion left along a curve that is flat to the second order at both ends."""
    x = np.arange(1, length + 1) / max(length, 1)
    out: Floats = 1.0 - x**3 * (10.0 - 15.0 * x + 6.0 * x * x)
    return out


def _faded(curve: Callable[[int], Floats]) -> Callable[[Stretch, Stretch], tuple[Quaternions, Positions]]:
    def across(a: Stretch, b: Stretch) -> tuple[Quaternions, Positions]:
        one, other = ((s.rotations[BEFORE:], s.roots[BEFORE:]) for s in (a, b))
        return crossfade(one, other, weights=curve(len(a)))

    return across


def inertialized(a: Stretch, b: Stretch) -> tuple[Quaternions, Positions]:
    """Play B from the first frame on, with the offset that A leaves behind, which decays like a damped spring.

    Offset and its speed are those of the frame before the blend; the speed is kept from carrying an offset beyond zero.
    What is left at the last frame, a thousandth, is taken out along a smooth curve, so that B is met exactly.
    """
    n, dt = len(a), 1.0 / a.fps
    rate = rate_for(n * dt)
    t: Floats = dt * np.arange(1, n + 1, dtype=np.float64)
    rest = smoothstep(np.arange(1, n + 1) / n)
    turn = [log(multiply(a.rotations[k], conjugate(b.rotations[k]))) for k in range(BEFORE)]
    shift = [a.roots[k] - b.roots[k] for k in range(BEFORE)]
    out = []
    for before, now in (turn, shift):
        speed = no_overshoot(now, (now - before) / dt, rate=rate)
        x = decay(now, speed, t, rate=rate)
        out.append(x - rest.reshape((-1,) + (1,) * (x.ndim - 1)) * x[-1])
    rotations = multiply(exp(out[0]), b.rotations[BEFORE:])
    return rotations, b.roots[BEFORE:] + out[1]


def dead_blended(a: Stretch, b: Stretch) -> tuple[Quaternions, Positions]:
    """Let A coast from the frame before the blend, its speed dying away, and fade to B.

    Nothing of A after that frame is shown, and unlike a decaying offset nothing is added to B.
    """
    n, dt = len(a), 1.0 / a.fps
    t = dt * np.arange(1, n + 1)
    coasted = (1.0 - np.exp(-_COAST * t)) / _COAST
    turning = log(multiply(a.rotations[1], conjugate(a.rotations[0]))) / dt
    going = (a.roots[1] - a.roots[0]) / dt
    rotations = multiply(exp(coasted[:, None, None] * turning), a.rotations[1])
    roots = a.roots[1] + coasted[:, None] * going
    return crossfade((rotations, roots), (b.rotations[BEFORE:], b.roots[BEFORE:]), weights=ease_out(n))


_COAST = 6.0  # 1/s: two thirds of the speed are gone after a sixth of a second


def registered(a: Stretch, b: Stretch) -> tuple[Quaternions, Positions]:
    """Crossfade after laying both motions beside one another in time (registration curves, Kovar and Gleicher 2003).

    Poses that look alike are found by dynamic time warping, with at most two steps in turn along one motion; the blend
    goes along the smoothed curve. Both ends stay where they are.
    """
    n = len(a)
    one, other = a.rotations[BEFORE:, 1:], b.rotations[BEFORE:, 1:]
    cost = np.zeros((n, n))
    for joint in range(one.shape[1]):
        cost += half_angle(one[:, None, joint], other[None, :, joint]) ** 2
    path = warp_of(cost, limit=_SLOPE).path.astype(np.float64)
    way_along = np.linspace(0.0, len(path) - 1.0, n)
    times = [_evened(np.interp(way_along, np.arange(len(path)), path[:, k])) for k in (0, 1)]
    sides = [
        (_at(s.rotations[BEFORE:], t), _roots_at(s.roots[BEFORE:], t))
        for s, t in zip((a, b), times, strict=True)
    ]
    return crossfade(sides[0], sides[1], weights=ease_out(n))


def _evened(t: Floats) -> Floats:
    """Curve (n,) without corners: three passes of a short mean, its ends kept."""
    for _ in range(3):
        if len(t) > 2:
            t = np.concatenate([t[:1], 0.25 * t[:-2] + 0.5 * t[1:-1] + 0.25 * t[2:], t[-1:]])
    return t


def _at(q: Quaternions, t: Floats) -> Quaternions:
    low = np.clip(np.floor(t).astype(np.int64), 0, len(q) - 1)
    high = np.minimum(low + 1, len(q) - 1)
    return slerp(q[low], q[high], (t - low)[:, None])


def _roots_at(p: Positions, t: Floats) -> Positions:
    frames = np.arange(len(p))
    return np.stack([np.interp(t, frames, p[:, axis]) for axis in range(3)], axis=-1)


WAYS: dict[str, Way] = {
    one.name: one
    for one in (
        Way("crossfade", "slerp, smooth at both ends", _faded(ease_out), True, True, True),
        Way("linear", "slerp at an even pace", _faded(linear), True, False, False),
        Way("sigmoid", "slerp, flatter at both ends", _faded(sigmoid), True, True, True),
        Way("registration", "slerp along the curve on which both look alike", registered, True, True, True),
        Way("inertialization", "B with A's offset dying away", inertialized, False, True, False),
        Way("dead", "A coasts and fades to B", dead_blended, False, True, True),
    )
}
"""Every way across by name."""
