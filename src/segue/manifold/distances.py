"""Pose distances that satisfy the triangle inequality, unlike the costs of this package."""

from __future__ import annotations

import numpy as np

from segue.arrays import Floats, Quaternions
from segue.maths.quaternions import half_angle

_CELLS = 1 << 18


def pose_distances(rotations: Quaternions) -> Floats:
    """Compute distances (N, N) of poses: the root of the sum of squared half angles of all joints but the root.

    Each half angle is the geodesic distance of two orientations; the root of a sum of squared distances is a distance
    too. There are no weights, no velocities and no height of the root.

    Parameters
    ----------
    rotations
        (N, J, 4) local unit quaternions; those of joint 0 do not count.

    Examples
    --------
    >>> import segue
    >>> walk = segue.sample("walk")
    >>> found = pose_distances(walk.rotations[:5])
    >>> found.shape, float(found[2, 2]), bool(found[0, 4] > found[0, 1] > 0)
    ((5, 5), 0.0, True)
    """
    count, n_joints = rotations.shape[:2]
    joints = np.ascontiguousarray(np.moveaxis(rotations[:, 1:], 1, 0))
    out = np.zeros((count, count))
    rows = max(_CELLS // max(count, 1), 1)
    for start in range(0, count, rows):
        stop = min(start + rows, count)
        for joint in range(n_joints - 1):
            angles = half_angle(joints[joint, start:stop, None], joints[joint, None, start:])
            out[start:stop, start:] += angles * angles
        out[stop:, start:stop] = out[start:stop, stop:].T
    lower = np.tril_indices(count, -1)
    out[lower] = out.T[lower]
    np.sqrt(out, out=out)
    return out
