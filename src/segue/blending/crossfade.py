"""The crossfade: joints by slerp, the root by position or by displacement, whole batches at once.

All arrays may carry leading batch axes: rotations (..., n, J, 4), roots (..., n, 3). B is given already placed
beside A (its ground alignment applied).
"""

from __future__ import annotations

import numpy as np

from segue.arrays import Floats, Positions, Quaternions
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
