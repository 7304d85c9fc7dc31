"""Closing a stretch of a clip into a cycle: its last frame becomes equal to its first, in pose and in speed.

Pose: the difference between the last and the first frame is spread evenly over the stretch. Speed: the remaining
difference between final and initial speed is eased out over a third of a second at either end. Position and heading are
closed in a frame of reference that moves with the ground motion of a round.
"""

from __future__ import annotations

import numpy as np

from segue.arrays import Floats, Positions, Quaternions
from segue.maths.planar import PlanarMotion, partial_motion
from segue.maths.quaternions import conjugate, exp, from_yaw, log, multiply, rotate, unroll, yaw
from segue.motion.clip import Clip

EASE = 1.0 / 3.0
"""Seconds at either end over which a difference of speed is eased out."""


def ground_round(clip: Clip, start: int, stop: int) -> PlanarMotion:
    """Ground motion from frame ``start`` to frame ``stop``, with the root of ``start`` at the origin.

    Examples
    --------
    >>> import segue
    >>> round(ground_round(segue.sample("walk"), 30, 96).z, 2)
    1.43
    """
    headings = np.unwrap(yaw(unroll(clip.rotations[start : stop + 1, :1])[:, 0]))
    place = clip.root_positions[stop] - clip.root_positions[start]
    return PlanarMotion(float(headings[-1] - headings[0]), float(place[0]), float(place[2]))


def closed_frames(
    clip: Clip, start: int, stop: int, *, after_round: PlanarMotion | None = None
) -> tuple[Quaternions, Positions, float]:
    """Close frames ``start`` to ``stop``; see the module.

    Parameters
    ----------
    clip
        The motion.
    start, stop
        Its frames that become equal.
    after_round
        Target ground motion of a round, with the root of ``start`` at the origin; by default its own.

    Returns
    -------
    tuple
        Rotations (n + 1, J, 4), root positions (n + 1, 3) in metres, and the largest rotation of a joint in radians
        between the two ends.

    Examples
    --------
    >>> import segue
    >>> rotations, _, _ = closed_frames(segue.sample("walk"), 30, 96)
    >>> bool(abs(rotations[0, 1:] - rotations[-1, 1:]).max() < 1e-12)
    True
    """
    n = stop - start
    # One frame on either side, if there is one, gives the speed at the ends.
    before, after = min(start, 1), min(clip.n_frames - 1 - stop, 1)
    rows = np.arange(start - before, stop + after + 1)
    rotations = unroll(clip.rotations[rows])
    headings = np.unwrap(yaw(rotations[:, 0]))
    tilts = multiply(conjugate(from_yaw(headings)), rotations[:, 0])
    first, last = before, before + n
    ground = clip.root_positions[rows] - clip.root_positions[start] * [1.0, 0.0, 1.0]
    going = PlanarMotion(
        float(headings[last] - headings[first]), float(ground[last, 0]), float(ground[last, 2])
    )
    # Relative to a frame of reference that moves evenly along, position and heading end as they began.
    share = (np.arange(len(rows)) - before) / n
    turns, shifts = partial_motion(going, -share)
    values = np.column_stack([headings + turns, shifted(ground, turns, shifts)])
    ease = max(min(round(EASE * clip.fps), n // 2), 2)
    values = _closed_values(values, first, last, ease)
    joints, turned = _closed_rotations(
        np.concatenate([tilts[:, None], rotations[:, 1:]], axis=1), first, last, ease
    )
    joints[:, 0] = multiply(from_yaw(values[:, 0]), joints[:, 0])
    turns, shifts = partial_motion(going if after_round is None else after_round, np.arange(n + 1) / n)
    rotations, roots = moved(joints, values[:, 1:], turns, shifts)
    return rotations, roots + clip.root_positions[start] * [1.0, 0.0, 1.0], turned


def _closed_rotations(q: Quaternions, first: int, last: int, ease: int) -> tuple[Quaternions, float]:
    """Rotations (n + 1, J, 4) that end as they begin, and the largest gap between the ends in radians."""
    n = last - first
    apart = log(multiply(q[first], conjugate(q[last])))
    steps = log(multiply(q[1:], conjugate(q[:-1])))
    begins = rotate(exp(-0.5 * apart), _speed(steps, first, ahead=True))
    ends = rotate(exp(0.5 * apart), _speed(steps, last, ahead=False))
    spread = np.arange(n + 1) / n - 0.5
    bump = _bump(n, ease)
    offset = spread[:, None, None] * apart - 0.5 * bump[:, None, None] * (begins - ends)
    out = multiply(exp(offset), q[first : last + 1])
    out[-1] = out[0]
    return out, float(np.linalg.norm(apart, axis=-1).max(initial=0.0))


def _closed_values(v: Floats, first: int, last: int, ease: int) -> Floats:
    """Values (n + 1, K) that end as they begin, in value and in speed."""
    n = last - first
    apart = v[first] - v[last]
    steps = np.diff(v, axis=0)
    wanted = _speed(steps, first, ahead=True) - _speed(steps, last, ahead=False)
    spread = np.arange(n + 1) / n - 0.5
    out: Floats = v[first : last + 1] + spread[:, None] * apart - 0.5 * _bump(n, ease)[:, None] * wanted
    out[-1] = out[0]
    return out


def _bump(n: int, ease: int) -> Floats:
    """Curve (n + 1,) that is zero at both ends, with slope 1 per frame at the first and -1 at the last."""
    at: Floats = np.arange(n + 1, dtype=np.float64)
    left = np.where(at < ease, at * (1.0 - at / ease) ** 2, 0.0)
    out: Floats = left + left[::-1]
    return out


def _speed(steps: Floats, row: int, *, ahead: bool) -> Floats:
    """Speed per frame at a row: the mean of the steps to and from it, or extrapolated from two steps at the edge."""
    if 0 < row < len(steps):
        out: Floats = 0.5 * (steps[row - 1] + steps[row])
        return out
    near, next_one = (steps[0], steps[1]) if ahead else (steps[-1], steps[-2])
    edge: Floats = 1.5 * near - 0.5 * next_one
    return edge


def shifted(p: Positions, turns: Floats, shifts: Floats) -> Positions:
    """Move each of positions (F, 3) by its own ground motion: turns (F,) and shifts (F, 2).

    Examples
    --------
    >>> import numpy as np
    >>> shifted(np.ones((1, 3)), np.zeros(1), np.array([[1.0, 2.0]])).tolist()
    [[2.0, 1.0, 3.0]]
    """
    c, s = np.cos(turns), np.sin(turns)
    return np.column_stack(
        [c * p[:, 0] + s * p[:, 2] + shifts[:, 0], p[:, 1], -s * p[:, 0] + c * p[:, 2] + shifts[:, 1]]
    )


def moved(
    rotations: Quaternions, roots: Positions, turns: Floats, shifts: Floats
) -> tuple[Quaternions, Positions]:
    """Move each frame, rotations (F, J, 4) and roots (F, 3), by its own ground motion.

    Examples
    --------
    >>> import numpy as np, segue
    >>> walk = segue.sample("walk")
    >>> none = np.zeros(walk.n_frames)
    >>> q, _ = moved(walk.rotations, walk.root_positions, none, np.column_stack([none, none]))
    >>> bool((q == walk.rotations).all())
    True
    """
    out = np.array(rotations)
    out[:, 0] = multiply(from_yaw(turns), out[:, 0])
    return out, shifted(roots, turns, shifts)
