"""Ground-plane motions: a turn about the vertical followed by a shift on the ground.

`PlanarMotion` places one clip onto another: turning and moving a captured motion along the floor does not
change the motion itself. The point-cloud alignment of Kovar, Gleicher & Pighin 2002 is `fit`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from segue.arrays import Floats, Positions, Quaternions
from segue.maths.quaternions import yawed


@dataclass(frozen=True)
class PlanarMotion:
    """Turn by ``turn`` radians about the vertical through the origin, then shift by (x, z) metres.

    Examples
    --------
    >>> import numpy as np
    >>> quarter = PlanarMotion(turn=np.pi / 2, x=1.0, z=0.0)
    >>> quarter.apply(np.array([0.0, 1.5, 2.0])).round(6).tolist()
    [3.0, 1.5, 0.0]
    """

    turn: float = 0.0
    x: float = 0.0
    z: float = 0.0

    def apply(self, positions: Positions) -> Positions:
        """Move positions (..., 3); heights are unchanged."""
        c, s = np.cos(self.turn), np.sin(self.turn)
        out = np.array(positions, dtype=np.float64)
        px, pz = out[..., 0].copy(), out[..., 2]
        out[..., 0] = c * px + s * pz + self.x
        out[..., 2] = -s * px + c * pz + self.z
        return out

    def rotate(self, rotations: Quaternions) -> Quaternions:
        """Turn world rotations (..., 4)."""
        return yawed(self.turn, rotations)

    def then(self, after: PlanarMotion) -> PlanarMotion:
        """Return this motion followed by another."""
        x, _, z = after.apply(np.array([self.x, 0.0, self.z]))
        return PlanarMotion(self.turn + after.turn, float(x), float(z))

    def inverse(self) -> PlanarMotion:
        """Return the motion that undoes this one."""
        x, _, z = PlanarMotion(-self.turn).apply(np.array([-self.x, 0.0, -self.z]))
        return PlanarMotion(-self.turn, float(x), float(z))


def partial_motion(motion: PlanarMotion, share: Floats) -> tuple[Floats, Floats]:
    """Apply only a share of a ground motion, at a constant rate: along its arc, or along a line if it does not turn.

    Parameters
    ----------
    motion
        The complete ground motion.
    share
        (K,) share of it: 0 is none, 1 all; values outside 0 to 1 are allowed.

    Returns
    -------
    tuple
        Turns (K,) in radians and shifts (K, 2) in metres along x and z, the parts of a `PlanarMotion` each.

    Examples
    --------
    >>> import numpy as np
    >>> turns, shifts = partial_motion(PlanarMotion(np.pi, 0.0, 2.0), np.array([0.5, 1.0]))
    >>> (turns / np.pi).tolist(), shifts.round(6).tolist()
    ([0.5, 1.0], [[-1.0, 1.0], [0.0, 2.0]])
    """
    share = np.asarray(share, dtype=np.float64)
    turns = share * motion.turn
    if abs(motion.turn) < 1e-9:
        return turns, share[:, None] * np.array([motion.x, motion.z])
    # Every turn has one fixed point; the motion is a rotation about that point.
    c, s = np.cos(motion.turn), np.sin(motion.turn)
    about = np.linalg.solve([[1.0 - c, -s], [s, 1.0 - c]], [motion.x, motion.z])
    cs, ss = np.cos(turns), np.sin(turns)
    return turns, np.column_stack(
        [(1.0 - cs) * about[0] - ss * about[1], ss * about[0] + (1.0 - cs) * about[1]]
    )


def turned(angle: Floats, v: Floats) -> Floats:
    """Turn ground vectors (..., 2) on x and z about the vertical; a positive angle carries z towards x.

    Examples
    --------
    >>> turned(np.array(np.pi / 2), np.array([0.0, 1.0])).round(6).tolist()
    [1.0, 0.0]
    """
    c, s = np.cos(angle), np.sin(angle)
    x, z = v[..., 0], v[..., 1]
    across = c * x + s * z
    out: Floats = np.empty((*across.shape, 2))
    out[..., 0], out[..., 1] = across, c * z - s * x
    return out


def wrapped(angle: Floats | float) -> Floats:
    """Equivalent angle in radians from -pi to pi.

    Examples
    --------
    >>> round(float(wrapped(1.5 * np.pi) / np.pi), 6)
    -0.5
    """
    out: Floats = np.arctan2(np.sin(angle), np.cos(angle))
    return out


def fit(a: Positions, b: Positions, weights: Floats) -> PlanarMotion:
    """Ground motion T that minimises ``sum_k w_k |a_k - T b_k|^2`` (Kovar et al. 2002, eq. 2 to 4).

    Parameters
    ----------
    a, b
        (K, 3) corresponding points in metres.
    weights
        (K,) non-negative weights with a positive sum.
    """
    total = weights.sum()
    ca, cb = weights @ a / total, weights @ b / total
    ra, rb = a - ca, b - cb
    same = np.sum(weights * (ra[:, 0] * rb[:, 0] + ra[:, 2] * rb[:, 2]))
    cross = np.sum(weights * (ra[:, 0] * rb[:, 2] - ra[:, 2] * rb[:, 0]))
    turn = float(np.arctan2(cross, same))
    moved = PlanarMotion(turn).apply(cb)
    return PlanarMotion(turn, float(ca[0] - moved[0]), float(ca[2] - moved[2]))
