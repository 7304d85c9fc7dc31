"""Compiled measures of seams: one pass over frames and joints."""

import math

from segue.accel.compiler import kernel
from segue.accel.formulas import formula, maximum, minimum
from segue.arrays import Floats, Ints, Positions, Quaternions


@formula
def _chords(rotations: Quaternions, f: int, j: int) -> tuple[float, float]:
    """Squared distances of a joint's rotation to the previous frame's and to its opposite, the nearer first."""
    near, far = 0.0, 0.0
    for c in range(4):
        a, b = rotations[f - 1, j, c], rotations[f, j, c]
        near, far = near + (a - b) * (a - b), far + (a + b) * (a + b)
    return minimum(near, far), maximum(near, far)


@formula
def _second(positions: Positions, f: int, j: int) -> float:
    """Squared second difference of a joint's position."""
    size = 0.0
    for c in range(3):
        second = positions[f + 1, j, c] - 2.0 * positions[f, j, c] + positions[f - 1, j, c]
        size = size + second * second
    return size


@kernel
def seam_peaks(rotations: Quaternions, positions: Positions, ranges: Ints, fps: float, peaks: Floats) -> None:
    """Fill (2, S, J), initially zero, with the largest angular speed and acceleration of each joint at seams (S, 2).

    Rotations (F, J, 4) and world positions (F, J, 3). As `segue.measures.seams.angular_speeds` and `accelerations` of
    the frames of a seam and one on either side: chords are compared first, and only the largest becomes an angle.
    """
    frames, joints = rotations.shape[0], rotations.shape[1]
    for k in range(len(ranges)):
        low, high = max(ranges[k, 0] - 1, 0), min(max(ranges[k, 1], ranges[k, 0]) + 1, frames)
        for j in range(joints):
            most_near, most_far, most = 0.0, 1.0, 0.0
            for f in range(low + 1, high):
                near, far = _chords(rotations, f, j)
                if near * most_far > most_near * far:
                    most_near, most_far = near, far
            peaks[0, k, j] = 4.0 * fps * math.atan2(math.sqrt(most_near), math.sqrt(most_far))
            for f in range(max(low, 1), min(high, frames - 1)):
                most = max(most, _second(positions, f, j))
            peaks[1, k, j] = math.sqrt(most) * fps * fps
