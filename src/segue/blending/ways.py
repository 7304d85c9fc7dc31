"""Blend methods: all methods that make the frames between two motions, behind one interface.

A method is given both motions over the same stretch of time, with the two frames before it, B already placed relative
to A, and returns the frames of the stretch. `WAYS` lists all methods.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from segue.arrays import Floats, Positions, Quaternions
from segue.blending.crossfade import context, crossfade, fast_band, frames_around, with_fast_band
from segue.blending.warps import moments, registration_times, timewarped_times
from segue.errors import SettingError, nearest
from segue.maths.easing import decay, ease_out, no_overshoot, rate_for, smoothstep
from segue.maths.quaternions import conjugate, exp, log, multiply

BEFORE = 2
"""Frames before the stretch that a method is given."""


@dataclass(frozen=True, eq=False)
class Stretch:
    """Rotations (n + 2, J, 4) and roots (n + 2, 3): two frames before a blend and its n frames.

    ``around`` is the n frames with `segue.blending.crossfade.context` frames on either side, where these are known.
    """

    rotations: Quaternions
    roots: Positions
    fps: float
    around: tuple[Quaternions, Positions] | None = None

    def __len__(self) -> int:
        """Return the number n of blended frames."""
        return len(self.roots) - BEFORE


@dataclass(frozen=True)
class BlendMethod:
    """A blend method and its properties.

    Parameters
    ----------
    name
        Its key in `WAYS`.
    summary
        One line.
    across
        Function from two stretches to rotations (n, J, 4) and roots (n, 3).
    uses_left
        Whether frames of the motion left are used after the blend has begun. If not, that motion may have any frames
        after the point.
    smooth_start, smooth_end
        Whether speed as well as position continues at that end.
    keeps_band
        Whether the fast band of both motions is kept (`segue.blending.crossfade`), found from `Stretch.around`.
    times
        Function to the moments (n,) of either motion that the frames of the blend use, counted from its first frame,
        if these are not simply its frames.
    """

    name: str
    summary: str
    across: Callable[[Stretch, Stretch], tuple[Quaternions, Positions]]
    uses_left: bool
    smooth_start: bool
    smooth_end: bool
    keeps_band: bool = False
    times: Callable[[Stretch, Stretch], tuple[Floats, Floats]] | None = None


def way(name: str) -> BlendMethod:
    """Return a blend method by name.

    Raises
    ------
    SettingError
        If there is no method of that name.

    Examples
    --------
    >>> way("inertialization").uses_left
    False
    """
    if name not in WAYS:
        msg = f"no blend method is called {name!r}; known: {', '.join(WAYS)}; {nearest(name, WAYS)}"
        raise SettingError(msg)
    return WAYS[name]


def linear(length: int) -> Floats:
    """Return weights (n,) of the motion left that fall linearly from 1 before the blend to 0 at its last frame."""
    out: Floats = 1.0 - np.arange(1, length + 1) / max(length, 1)
    return out


def sigmoid(length: int) -> Floats:
    """Return weights (n,) of the motion left along a curve with zero slope and curvature at both ends."""
    x = np.arange(1, length + 1) / max(length, 1)
    out: Floats = 1.0 - x**3 * (10.0 - 15.0 * x + 6.0 * x * x)
    return out


def _faded(curve: Callable[[int], Floats]) -> Callable[[Stretch, Stretch], tuple[Quaternions, Positions]]:
    def across(a: Stretch, b: Stretch) -> tuple[Quaternions, Positions]:
        one, other = ((s.rotations[BEFORE:], s.roots[BEFORE:]) for s in (a, b))
        return crossfade(one, other, weights=curve(len(a)))

    return across


def equal_power(a: Stretch, b: Stretch) -> tuple[Quaternions, Positions]:
    """Crossfade that keeps the power of fast motion in both (`segue.blending.crossfade`)."""
    weights = ease_out(len(a))
    one, other = ((s.rotations[BEFORE:], s.roots[BEFORE:]) for s in (a, b))
    made = crossfade(one, other, weights=weights)
    sides = zip(_around(a), _around(b), strict=True)
    bands = fast_band((np.stack(next(sides)), np.stack(next(sides))), fps=a.fps)
    return with_fast_band(made, bands[0], bands[1], weights=weights)


def _around(s: Stretch) -> tuple[Quaternions, Positions]:
    """Frames of a stretch and around it; where these are unknown, it is mirrored at its ends."""
    if s.around is not None:
        return s.around
    m = context(s.fps)
    rows = np.arange(BEFORE - m, len(s.roots) + m)
    return frames_around((s.rotations, s.roots), rows, first=0, last=len(s.roots) - 1)


def inertialized(a: Stretch, b: Stretch) -> tuple[Quaternions, Positions]:
    """Play B from the first frame on, plus A's offset, which decays like a damped spring.

    Offset and speed are those of the frame before the blend; the speed is limited so that an offset does not overshoot.
    The remainder at the last frame, a thousandth, is faded out along a smooth curve, so that B is met exactly.
    """
    n, dt = len(a), 1.0 / a.fps
    rate = rate_for(n * dt)
    t: Floats = dt * np.arange(1, n + 1, dtype=np.float64)
    rest = smoothstep(np.arange(1, n + 1) / n)
    turn = [log(multiply(a.rotations[k], conjugate(b.rotations[k]))) for k in range(BEFORE)]
    turn[0] = _near(turn[0], turn[1])
    shift = [a.roots[k] - b.roots[k] for k in range(BEFORE)]
    out = []
    for before, now in (turn, shift):
        speed = no_overshoot(now, (now - before) / dt, rate=rate)
        x = decay(now, speed, t, rate=rate)
        out.append(x - rest.reshape((-1,) + (1,) * (x.ndim - 1)) * x[-1])
    rotations = multiply(exp(out[0]), b.rotations[BEFORE:])
    return rotations, b.roots[BEFORE:] + out[1]


def _near(turn: Floats, other: Floats) -> Floats:
    """Half rotation vectors (..., 3), along the longer arc where that is nearer: an offset may exceed half a turn."""
    size = np.linalg.norm(turn, axis=-1, keepdims=True)
    round_about = turn * (1.0 - np.pi / np.maximum(size, 1e-12))
    far = np.linalg.norm(turn - other, axis=-1, keepdims=True)
    return np.where(
        (size > 0) & (np.linalg.norm(round_about - other, axis=-1, keepdims=True) < far), round_about, turn
    )


def dead_blended(a: Stretch, b: Stretch) -> tuple[Quaternions, Positions]:
    """Extrapolate A from the frame before the blend with decaying speed, and fade to B.

    No frame of A after that one is used, and unlike a decaying offset nothing is added to B.
    """
    n, dt = len(a), 1.0 / a.fps
    t = dt * np.arange(1, n + 1)
    coasted = (1.0 - np.exp(-_COAST * t)) / _COAST
    turning = log(multiply(a.rotations[1], conjugate(a.rotations[0]))) / dt
    going = (a.roots[1] - a.roots[0]) / dt
    rotations = multiply(exp(coasted[:, None, None] * turning), a.rotations[1])
    roots = a.roots[1] + coasted[:, None] * going
    return crossfade((rotations, roots), (b.rotations[BEFORE:], b.roots[BEFORE:]), weights=ease_out(n))


_COAST = 6.0  # 1/s: two thirds of the speed have decayed after a sixth of a second


def along(a: Stretch, b: Stretch, times: tuple[Floats, Floats]) -> tuple[Quaternions, Positions]:
    """Crossfade the moments (n,) of either motion, counted from the first frame of the stretch."""
    sides = []
    for s, t in zip((a, b), times, strict=True):
        at = np.clip(t + BEFORE, 0.0, len(s.roots) - 1.0)
        frames = np.arange(len(s.roots))
        roots = np.stack([np.interp(at, frames, s.roots[:, axis]) for axis in range(3)], axis=-1)
        sides.append((moments(s.rotations, at), roots))
    return crossfade(sides[0], sides[1], weights=ease_out(len(a)))


def _timed(
    name: str, summary: str, layout: Callable[[Quaternions, Quaternions], tuple[Floats, Floats]]
) -> BlendMethod:
    """Method that warps time before it blends."""

    def times(a: Stretch, b: Stretch) -> tuple[Floats, Floats]:
        return layout(a.rotations[BEFORE:], b.rotations[BEFORE:])

    def across(a: Stretch, b: Stretch) -> tuple[Quaternions, Positions]:
        return along(a, b, times(a, b))

    return BlendMethod(name, summary, across, uses_left=True, smooth_start=True, smooth_end=True, times=times)


WAYS: dict[str, BlendMethod] = {
    one.name: one
    for one in (
        BlendMethod("crossfade", "slerp, smooth at both ends", _faded(ease_out), True, True, True),
        BlendMethod(
            "equal_power",
            "slerp, fast motion at equal power",
            equal_power,
            True,
            True,
            True,
            keeps_band=True,
        ),
        BlendMethod("linear", "slerp with linear weights", _faded(linear), True, False, False),
        BlendMethod("sigmoid", "slerp, flatter at both ends", _faded(sigmoid), True, True, True),
        _timed("timewarped", "slerp, one side slowed where poses then match better", timewarped_times),
        _timed("registration", "slerp along the curve of best matching poses", registration_times),
        BlendMethod("inertialization", "B with A's decaying offset", inertialized, False, True, False),
        BlendMethod("dead", "A coasts and fades to B", dead_blended, False, True, True),
    )
}
"""All blend methods by name."""
