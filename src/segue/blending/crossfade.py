"""The crossfade: joints by slerp, the root by position or by displacement, in batches.

All arrays may carry leading batch axes: rotations (..., n, J, 4), roots (..., n, 3). B is given already placed
relative to A (its ground alignment applied).

Averaging two captures removes fast motion, which `with_fast_band` restores. Slow motion is alike in two similar
captures; fast motion (tremor, the impact of a step) is not, and the mean of both is calmer than either: with equal
weights half of the power is left. A blend that keeps its fast band is therefore an ordinary crossfade of the slow
motion and an equal-power crossfade of the fast motion.

The fast band of a motion is the residual of a Gaussian smoothing, smoothed and subtracted once more (twicing, Tukey
1977): with g the gain of the smoothing at a frequency, ``(1 - g)^2`` of it. Rotations are smoothed as quaternions,
signs unrolled; their fast band is the rotation from the smoothed to the captured one, in the joint's own frame, so that
it does not depend on the motion's place on the ground.
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
    """Blend two stretches by the root's frame-to-frame ground displacement and turn.

    The blended root starts from A's frame before the stretch and accumulates blended steps, each in its own motion's
    heading, so it keeps the walk's global place; height is blended as a value, or it would drift (eq. 4.7).

    Parameters
    ----------
    a, b, weights
        As in `crossfade`, without batch axes.
    before
        The frame of A and of B before the stretch: (root rotation (4,), root position (3,)) each.
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
    """Turn (n,) and ground step (n, 2) in the heading frame of the previous frame."""
    headings = np.unwrap(yaw(q))
    c, s = np.cos(headings[:-1]), np.sin(headings[:-1])
    d = np.diff(p, axis=0)
    return np.diff(headings), np.column_stack([c * d[:, 0] - s * d[:, 2], s * d[:, 0] + c * d[:, 2]])


SPREAD = 0.0375
"""Seconds of standard deviation of the smoothing: half of a joint's motion at 6.7 Hz is in the fast band, a hundredth
at 2 Hz, nearly all at 12 Hz."""
_REACH = 3.0  # standard deviations at which a smoothing is truncated


def context(fps: float) -> int:
    """Return the number of frames on either side of a stretch that its fast band depends on.

    Examples
    --------
    >>> context(30), context(120)
    (8, 28)
    """
    return 2 * int(np.ceil(_REACH * SPREAD * fps))


def frames_around(
    motion: tuple[Quaternions, Positions], rows: Ints, *, first: int | Ints, last: int | Ints
) -> tuple[Quaternions, Positions]:
    """Return frames (..., N) of a motion by their rows; beyond its first and last row it is extended by reflection.

    It is reflected through the end frame, so that position and speed continue there and no fast motion is added. The
    rotations beyond the ends are not unit quaternions: use them only as input of a smoothing.

    Parameters
    ----------
    motion
        Rotations (F, J, 4) and root positions (F, 3).
    rows
        (..., N) frames, in order.
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
    """Return the fast band (..., n, J + 1, 3) of n frames: half rotation vectors of joints, then the root's position.

    Half rotation vectors for small angles: the length is the sine of half the angle.

    Parameters
    ----------
    around
        Rotations (..., n + 2 m, J, 4) and roots (..., n + 2 m, 3): the stretch and m = `context` frames on either side.
    fps
        Frames a second.
    """
    from segue.blending import _kernels

    bell = _smoothing(fps)
    rotations, roots = (part.reshape(-1, *part.shape[k:]) for part, k in zip(around, (-3, -2), strict=True))
    many, rows, joints, _ = rotations.shape
    out = np.empty((many, rows + 1 - len(bell), joints + 1, 3))
    _kernels.fast_bands(
        np.ascontiguousarray(rotations),
        np.ascontiguousarray(roots),
        bell,
        np.empty((rows, 4 * joints + 3)),
        np.empty(4 * joints + 3),
        out,
    )
    return out.reshape(*around[0].shape[:-3], *out.shape[1:])


def with_fast_band(
    made: tuple[Quaternions, Positions], one: Floats, other: Floats, *, weights: Floats
) -> tuple[Quaternions, Positions]:
    """Return a crossfade whose fast band has the power of both motions' bands, not that of their mean.

    The mean of both fast bands is amplified by ``sqrt(1 + 2 w (1 - w) (sqrt(P Q) - R) / S)``: P and Q the power of
    both, summed over all joints and the blend, R their common power (the sum of their product, at least 0) and S the
    power of their mean with weights w and 1 - w. The factor is 1 where both are equal, at most the root of 2, and 1 at
    both ends of a blend. Over the blend, the amplified mean has at most the power of the stronger motion, or that of
    the unamplified mean if higher. Fast motion of the blend itself, from one pose or speed to another, is not counted.
    All joints are amplified alike, so that a foot that stands still in both motions does so in the blend.

    Parameters
    ----------
    made
        Rotations (..., n, J, 4) and roots (..., n, 3) of the crossfade.
    one, other
        Fast bands (..., n, J + 1, 3) of both motions (`fast_band`), the second placed relative to the first.
    weights
        (n,) weight of the motion left, 1 to 0.
    """
    from segue.blending import _kernels

    rotations, roots = (np.array(part, order="C") for part in made)
    _kernels.raise_fast_band(
        rotations.reshape(-1, *rotations.shape[-3:]),
        roots.reshape(-1, *roots.shape[-2:]),
        np.ascontiguousarray(one.reshape(-1, *one.shape[-3:])),
        np.ascontiguousarray(other.reshape(-1, *other.shape[-3:])),
        weights,
        np.empty((2, len(weights))),
    )
    return rotations, roots


@lru_cache(maxsize=64)
def _smoothing(fps: float) -> Floats:
    """Weights (2 m + 1,) of the smoothing, m frames on either side."""
    reach = context(fps) // 2
    bell = np.exp(-0.5 * (np.arange(-reach, reach + 1) / (SPREAD * fps)) ** 2)
    bell /= bell.sum()
    weights = -np.convolve(bell, bell)
    weights[reach : 3 * reach + 1] += 2.0 * bell
    return frozen(weights)
