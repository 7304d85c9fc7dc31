"""The crossfade: joints by slerp, the root by position or by displacement, whole batches at once.

All arrays may carry leading batch axes: rotations (..., n, J, 4), roots (..., n, 3). B is given already placed
beside A (its ground alignment applied).

Fast motion that averaging two captures removes is given back to a blend (`with_fast_band`). What a body does slowly two
similar motions do alike; what it does fast (tremor, the jolt of a step) they do each in its own way, and the mean of
the two is calmer than either: with equal weights half of the power is left. A blend that keeps its fast band is
therefore a crossfade of what is slow, and of what is fast an equal-power one.

The fast band of a motion is what a Gaussian smoothing leaves, smoothed and left once more (twicing, Tukey 1977): with
g the gain of the smoothing at a frequency, ``(1 - g)^2`` of it. Rotations are smoothed as quaternions, signs unrolled;
their fast band is the turn from the smoothed rotation to the captured one, in the joint's own frame, so that it does
not matter where a motion lies on the ground.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from segue.arrays import Floats, Ints, Positions, Quaternions, frozen
from segue.maths.quaternions import conjugate, from_yaw, multiply, slerp, yaw


def crossfade(
    a: tuple[Quaternions, Positions], b: tuple[Quaternions, Positions], *, weights: Floats
) -> tuple[Quaternions, Positions]:
    """Blend two aligned stretches as values.

    Parameters
    ----------
    a, b
        Local rotations (..., n, J, 4) and root positions (..., n, 3) in metres.
    weights
        (n,) weight of A, 1 to 0 (`segue.maths.easing.ease_out`).

    Returns
    -------
    tuple
        Rotations ``slerp(q_A, q_B, 1 - alpha)`` (joint-relative-distance motion graphs, eq. 4.8) and roots
        ``alpha p_A + (1 - alpha) p_B``.
    """
    rotations = slerp(a[0], b[0], (1.0 - weights)[:, None])
    roots = weights[:, None] * a[1] + (1.0 - weights)[:, None] * b[1]  # by place (decision 10)
    return rotations, roots


def crossfade_displacements(
    a: tuple[Quaternions, Positions],
    b: tuple[Quaternions, Positions],
    *,
    weights: Floats,
    before: tuple[tuple[Quaternions, Positions], tuple[Quaternions, Positions]],
) -> tuple[Quaternions, Positions]:
    """Blend two stretches by the root's frame-to-frame displacement on the ground and its turn.

    The blended root leaves from A's frame before the stretch and adds up blended steps, each taken in its own
    motion's heading, so it keeps the walk's global place; height is blended as a value, or it would drift (eq. 4.7).

    Parameters
    ----------
    a, b, weights
        As in `crossfade`, without batch axes.
    before
        The frame before the stretch of A and of B: (root rotation (4,), root position (3,)) each.
    """
    (qa0, pa0), (qb0, pb0) = before
    steps = [
        _steps(np.vstack([q0[None], x[0][:, 0]]), np.vstack([p0[None], x[1]]))
        for x, q0, p0 in (
            (a, qa0, pa0),
            (b, qb0, pb0),
        )
    ]
    w = weights
    turn = w * steps[0][0] + (1 - w) * steps[1][0]
    step = w[:, None] * steps[0][1] + (1 - w)[:, None] * steps[1][1]
    start = float(yaw(qa0))
    heading = start + np.cumsum(turn)
    facing = np.concatenate([[start], heading[:-1]])
    c, s = np.cos(facing), np.sin(facing)
    roots = np.empty_like(a[1])
    roots[:, 0] = pa0[0] + np.cumsum(c * step[:, 0] + s * step[:, 1])
    roots[:, 2] = pa0[2] + np.cumsum(-s * step[:, 0] + c * step[:, 1])
    roots[:, 1] = w * a[1][:, 1] + (1 - w) * b[1][:, 1]  # eq. 4.7
    rotations = slerp(a[0], b[0], (1.0 - w)[:, None])
    tilt = slerp(_without_heading(a[0][:, 0]), _without_heading(b[0][:, 0]), 1.0 - w)
    rotations[:, 0] = multiply(from_yaw(heading), tilt)
    return rotations, roots


def _without_heading(q: Quaternions) -> Quaternions:
    return multiply(conjugate(from_yaw(yaw(q))), q)


def _steps(q: Quaternions, p: Positions) -> tuple[Floats, Floats]:
    """Turn (n,) and ground step (n, 2) in the heading frame of the frame before."""
    headings = np.unwrap(yaw(q))
    c, s = np.cos(headings[:-1]), np.sin(headings[:-1])
    d = np.diff(p, axis=0)
    return np.diff(headings), np.column_stack([c * d[:, 0] - s * d[:, 2], s * d[:, 0] + c * d[:, 2]])


SPREAD = 0.0375
"""Seconds of standard deviation of the smoothing: half of what a joint does at 6.7 Hz is in the fast band, a
hundredth at 2 Hz, nearly all at 12 Hz."""
_REACH = 3.0  # standard deviations at which a smoothing is cut off
_NOTHING = 1e-300
_COLUMNS = (
    16  # multiplied at once: few enough that BLAS starts no threads, which take longer than the product
)


def context(fps: float) -> int:
    """Frames on either side of a stretch that its fast band depends on.

    Examples
    --------
    >>> context(30), context(120)
    (8, 28)
    """
    return 2 * int(np.ceil(_REACH * SPREAD * fps))


def frames_around(
    motion: tuple[Quaternions, Positions], rows: Ints, *, first: int | Ints, last: int | Ints
) -> tuple[Quaternions, Positions]:
    """Frames (..., N) of a motion by their rows; beyond its first and last row it goes on as its own mirror image.

    Mirrored through the end frame, so that place and speed continue there and no fast motion is added. Rotations that
    are made so are no unit quaternions: they are to be smoothed.

    Parameters
    ----------
    motion
        Rotations (F, J, 4) and root positions (F, 3).
    rows
        (..., N) frames, in turn.
    first, last
        Rows of the first and last frame that belong to the motion.
    """
    ends = np.clip(rows, first, last)
    rotations, roots = motion[0][ends], motion[1][ends]
    outside = np.nonzero(ends != rows)
    if outside[0].size:
        within = np.clip(2 * ends - rows, first, last)[outside]
        end, mirror = rotations[outside], motion[0][within]
        sign = np.where((end * mirror).sum(axis=-1, keepdims=True) < 0, -1.0, 1.0)
        rotations[outside] = 2.0 * end - sign * mirror
        roots[outside] = 2.0 * roots[outside] - motion[1][within]
    return rotations, roots


def fast_band(around: tuple[Quaternions, Positions], *, fps: float) -> Floats:
    """Fast band (..., n, J + 1, 3) of n frames: half rotation vectors of the joints, the root's place last.

    Half rotation vectors as far as their angle is small: the length is the sine of half the angle.

    Parameters
    ----------
    around
        Rotations (..., n + 2 m, J, 4) and roots (..., n + 2 m, 3): the stretch and m = `context` frames on either side.
    fps
        Frames a second.
    """
    rotations, roots = around
    m = context(fps)
    n, joints = rotations.shape[-3] - 2 * m, rotations.shape[-2]
    inner = slice(m, m + n)
    q = _unrolled(rotations)
    smoothing = _smoothing(n, fps)
    flat, mean = q.reshape(*q.shape[:-2], 4 * joints), np.empty((*q.shape[:-3], n, 4 * joints))
    for first in range(0, 4 * joints, _COLUMNS):
        part = slice(first, first + _COLUMNS)
        np.matmul(smoothing, flat[..., part], out=mean[..., part])
    slow = mean.reshape(*q.shape[:-3], n, joints, 4)
    slow *= 1.0 / np.sqrt(np.einsum("...k,...k->...", slow, slow))[..., None]
    s, x, y, z = (slow[..., k] for k in range(4))
    t, u, v, w = (q[..., inner, :, k] for k in range(4))
    out = np.empty((*slow.shape[:-2], joints + 1, 3))
    out[..., :-1, 0] = s * u - t * x - y * w + z * v
    out[..., :-1, 1] = s * v - t * y - z * u + x * w
    out[..., :-1, 2] = s * w - t * z - x * v + y * u
    out[..., -1, :] = roots[..., inner, :] - np.matmul(smoothing, roots)
    return out


def with_fast_band(
    made: tuple[Quaternions, Positions], one: Floats, other: Floats, *, weights: Floats
) -> tuple[Quaternions, Positions]:
    """Crossfade whose fast band has the power of both motions' and not that of their mean.

    The mean of both fast bands is raised by ``sqrt(1 + 2 w (1 - w) (sqrt(P Q) - R) / S)``: P and Q the power of both,
    summed over all joints and the blend, R what they have in common (their product summed, 0 or more) and S the power
    of their mean with weights w and 1 - w. That is from 1, where both do the same, to at most the root of 2, and 1 at
    both ends of a blend. Over the blend, the mean so raised has no more power than the motion that has more, or than
    the mean was found with. What the blend itself does fast, from one pose or speed to another, is not counted. All
    joints are raised alike, so that a foot that stands still in both motions does so in the blend.

    Parameters
    ----------
    made
        Rotations (..., n, J, 4) and roots (..., n, 3) of the crossfade.
    one, other
        Fast bands (..., n, J + 1, 3) of both motions (`fast_band`), the second placed beside the first.
    weights
        (n,) weight of the motion left, 1 to 0.
    """
    mean = weights[:, None, None] * one + (1.0 - weights)[:, None, None] * other
    mean *= _more(one, other, mean, weights)[..., None, None]
    q, roots = made
    w, x, y, z = (q[..., k] for k in range(4))
    a, b, c = (mean[..., :-1, k] for k in range(3))
    out = np.empty(q.shape)
    out[..., 0] = w - x * a - y * b - z * c
    out[..., 1] = x + w * a + y * c - z * b
    out[..., 2] = y + w * b - x * c + z * a
    out[..., 3] = z + w * c + x * b - y * a
    out *= 1.0 / np.sqrt(1.0 + a * a + b * b + c * c)[..., None]
    return out, roots + mean[..., -1, :]


def _more(one: Floats, other: Floats, mean: Floats, w: Floats) -> Floats:
    """By how much more than once (..., n) the mean of both fast bands is to be shown."""
    p, q, common = (
        _power(a, b).sum(axis=-1)[..., None] for a, b in ((one, one), (other, other), (one, other))
    )
    common = np.maximum(common, 0.0)
    lost = np.maximum(np.sqrt(p * q) - common, 0.0)
    left = w * w * p + (1.0 - w) ** 2 * q + 2.0 * w * (1.0 - w) * common
    more = np.sqrt(1.0 + 2.0 * w * (1.0 - w) * lost / np.where(left > 0.0, left, 1.0)) - 1.0
    # As much of it as makes up the power there is room for: part s of s^2 a + 2 s b = room.
    size = _power(mean, mean)
    room = np.maximum(np.maximum(p, q)[..., 0] - size.sum(axis=-1), 0.0)
    a, b = (more * more * size).sum(axis=-1), (more * size).sum(axis=-1)
    part = room / np.maximum(b + np.sqrt(b * b + a * room), _NOTHING)
    out: Floats = np.where(a + 2.0 * b > room, part, 1.0)[..., None] * more
    return out


def _power(a: Floats, b: Floats) -> Floats:
    """Products of two fast bands (..., n, J + 1, 3) of joints, summed over these (..., n)."""
    both = a[..., :-1, :] * b[..., :-1, :]
    out: Floats = both.reshape(*both.shape[:-2], -1).sum(
        axis=-1
    )  # in the same order however many motions there are
    return out


def _unrolled(q: Quaternions) -> Quaternions:
    """Rotations (..., N, J, 4) with signs chosen so that frames in turn are on one side of the double cover."""
    flips = np.einsum("...k,...k->...", q[..., 1:, :, :], q[..., :-1, :, :]) < 0
    if not flips.any():
        return q
    out = np.array(q)
    out[..., 1:, :, :] *= np.cumprod(np.where(flips, -1.0, 1.0), axis=-2)[..., None]
    return out


@lru_cache(maxsize=256)
def _smoothing(n: int, fps: float) -> Floats:
    """Matrix (n, n + 2 m) that smooths a stretch of n frames and the m around it."""
    reach = context(fps) // 2
    bell = np.exp(-0.5 * (np.arange(-reach, reach + 1) / (SPREAD * fps)) ** 2)
    bell /= bell.sum()
    weights = -np.convolve(bell, bell)
    weights[reach : 3 * reach + 1] += 2.0 * bell
    out = np.zeros((n, n + 4 * reach))
    for row in range(n):
        out[row, row : row + len(weights)] = weights
    return frozen(out)
