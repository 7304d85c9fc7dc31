"""Fade out the part of a velocity that a weight curve cannot match, inside the blend.

One curve for half a body matches the mean speed of its joints at both ends, but no direction. The remaining velocity of
each joint, taken as a step from the end to the adjacent frame, continues inside the blend and fades over its own length
as ``x - 6 x^3 + 8 x^4 - 3 x^5``: it begins and ends without acceleration, where the weight curve itself bends most. No
joint jerks, and both ends are unchanged.
"""

from __future__ import annotations

import numpy as np

from segue.arrays import Floats, Quaternions
from segue.maths.quaternions import conjugate, exp, log, multiply

SECONDS = 0.5
"""Longest time in seconds over which a velocity fades."""
SOONEST = 0.15
"""Shortest time in seconds over which it fades, if the blend lasts as long."""
_ASIDE = 0.194
"""Largest deviation of a joint, as a share of velocity times fading length."""
FARTHEST_TURN = 0.8
"""Largest deviation of a joint in radians."""
FARTHEST = 0.2
"""Largest deviation of a point in metres."""


def fading(step: Floats, *, farthest: float, frames: int, fps: float) -> Floats:
    """Return offsets (n - 1, ..., K) inside an end, the first equal to the step (..., K), fading over at most n frames.

    A step that would exceed the largest deviation fades sooner; where even the shortest time exceeds it, it is reduced.
    """
    size = np.linalg.norm(step, axis=-1, keepdims=True)
    longest = float(min(max(frames - 1, 2), max(round(SECONDS * fps), 2)))
    soonest = min(longest, max(SOONEST * fps, 2.0))
    length = np.clip(farthest / (_ASIDE * np.maximum(size, 1e-12)), soonest, longest)
    s = np.arange(1, frames, dtype=np.float64).reshape(-1, *(1,) * step.ndim)
    share = _faded(np.minimum(s / length, 1.0)) / _faded(1.0 / length)
    most = size * share.max(axis=0, initial=0.0)
    out: Floats = share * (np.minimum(1.0, farthest / np.maximum(most, 1e-12)) * step)
    return out


def _faded(x: Floats) -> Floats:
    """Offset over its length: leaves 0 with slope 1, returns with slope 0, without acceleration at either end."""
    out: Floats = x * (1.0 + x * x * (-6.0 + x * (8.0 - 3.0 * x)))
    return out


def with_turns(blended: Quaternions, before: Quaternions, after: Quaternions, *, fps: float) -> Quaternions:
    """Blend rotations (n, J, 4) so that their ends continue both motions.

    ``before`` (J, 4) is the previous motion in the frame after the first, ``after`` the following one in the frame
    before the last.
    """
    count = len(blended)
    if count < 3:
        return blended
    first, last = conjugate(blended[0]), conjugate(blended[-1])
    out = np.array(blended)
    steps = (
        2.0 * (_log(first, before) - _log(first, blended[1])),
        2.0 * (_log(last, after) - _log(last, blended[-2])),
    )
    begin, end = (fading(step, farthest=FARTHEST_TURN, frames=count - 1, fps=fps) for step in steps)
    begin = begin + end[::-1]
    out[1:-1] = multiply(blended[1:-1], exp(0.5 * begin))
    return out


def with_shifts(blended: Floats, before: Floats, after: Floats, *, fps: float) -> Floats:
    """Blend places (n, ..., 3) so that their ends continue both motions, as `with_turns` does."""
    count = len(blended)
    if count < 3:
        return blended
    out = np.array(blended)
    steps = before - blended[1], after - blended[-2]
    begin, end = (fading(step, farthest=FARTHEST, frames=count - 1, fps=fps) for step in steps)
    out[1:-1] += begin + end[::-1]
    return out


def _log(back: Quaternions, there: Quaternions) -> Floats:
    """Half rotation vectors from one pose, given by its inverse, to another."""
    return log(multiply(back, there))
