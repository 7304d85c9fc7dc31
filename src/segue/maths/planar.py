"""Ground-plane motions: a turn about the vertical followed by a shift on the ground.

`PlanarMotion` is what places one clip onto another: turning and moving a captured motion along the floor
changes nothing about it. The point-cloud alignment of Kovar, Gleicher & Pighin 2002 is `fit`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from segue.arrays import Floats, Positions, Quaternions
from segue.maths.quaternions import from_yaw, multiply


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
        px, pz = out[..., 0].copy(), out[..., 2].copy()
        out[..., 0] = c * px + s * pz + self.x
        out[..., 2] = -s * px + c * pz + self.z
        return out

    def rotate(self, rotations: Quaternions) -> Quaternions:
        """Turn world rotations (..., 4)."""
        return multiply(from_yaw(self.turn), rotations)

    def then(self, after: PlanarMotion) -> PlanarMotion:
        """Return this motion followed by another."""
        x, _, z = after.apply(np.array([self.x, 0.0, self.z]))
        return PlanarMotion(self.turn + after.turn, float(x), float(z))

    def inverse(self) -> PlanarMotion:
        """Return the motion that undoes this one."""
        x, _, z = PlanarMotion(-self.turn).apply(np.array([-self.x, 0.0, -self.z]))
        return PlanarMotion(-self.turn, float(x), float(z))


def wrapped(angle: Floats | float) -> Floats:
    """Angle in radians from -pi to pi that turns to the same heading.

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
