"""Compiled measures of seams: one pass over frames and joints."""

import math

from segue.accel.compiler import kernel
from segue.arrays import Floats, Ints, Positions, Quaternions


@kernel
def seam_peaks(rotations: Quaternions, positions: Positions, ranges: Ints, fps: float, peaks: Floats) -> None:
    """Fill (2, S, J), zero so far, with the largest angular speed and acceleration of each joint at seams (S, 2).

    Rotations (F, J, 4) and world positions (F, J, 3). As `segue.measures.seams.angular_speeds` and `accelerations` of
    the frames of a seam and one on either side: the largest angle is found before it is taken from its chords.
    """
    frames, joints = rotations.shape[0], rotations.shape[1]
    for k in range(len(ranges)):
        low, high = max(ranges[k, 0] - 1, 0), min(max(ranges[k, 1], ranges[k, 0]) + 1, frames)
        for j in range(joints):
            most_near, most_far, most = 0.0, 1.0, 0.0
            for f in range(low + 1, high):
                near, far = 0.0, 0.0
                for c in range(4):
                    a, b = rotations[f - 1, j, c], rotations[f, j, c]
                    near += (a - b) * (a - b)
                    far += (a + b) * (a + b)
                near, far = min(near, far), max(near, far)
                if near * most_far > most_near * far:
                    most_near, most_far = near, far
            peaks[0, k, j] = 4.0 * fps * math.atan2(math.sqrt(most_near), math.sqrt(most_far))
            for f in range(max(low, 1), min(high, frames - 1)):
                size = 0.0
                for c in range(3):
                    second = positions[f + 1, j, c] - 2.0 * positions[f, j, c] + positions[f - 1, j, c]
                    size += second * second
                most = max(most, size)
            peaks[1, k, j] = math.sqrt(most) * fps * fps
