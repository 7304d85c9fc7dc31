"""Which feet at seams are treated more softly, where a joint shows more than its seam may."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from segue.arrays import Bools
from segue.motion.clip import Clip
from segue.motion.skeleton import Skeleton
from segue.synthesis.feet.legs import legs_alone


def feet_to_soften(treated: Bools, over: Bools, ranges: Sequence[tuple[int, int]], motion: Clip) -> Bools:
    """Flags (S, 2) of the feet to be treated more softly, for joints (S, J) of seams that are beyond their limit.

    A leg that shows is let go alone, first at its seam, then the other one there, for the root comes down for either;
    then those of the seams around it. With all of them let go the motion is as it was blended, and no seam is beyond
    its limit.
    """
    legs = _legs_of(motion.skeleton)
    out = np.zeros(treated.shape, dtype=bool)
    middle = np.array([0.5 * (start + stop) for start, stop in ranges])
    for seam in np.flatnonzero(over.any(axis=1)).tolist():
        sides = np.array([bool(over[seam, leg].any()) for leg in legs])
        if over[seam, ~np.logical_or(*legs)].any() or not sides.any():
            sides[:] = True  # a root that comes down shows in every joint
        for these in (treated[seam] & sides, treated[seam]):
            if these.any():
                out[seam] |= these
                break
        else:
            left = np.flatnonzero(treated.any(axis=1))
            if left.size:
                nearest = int(left[np.argmin(np.abs(middle[left] - middle[seam]))])
                out[nearest] |= treated[nearest]
    return out


@lru_cache(maxsize=64)
def _legs_of(skeleton: Skeleton) -> tuple[Bools, Bools]:
    """(J,) flags of the joints of the left and of the right leg, the hip's own and all below it."""
    out = []
    body = legs_alone(skeleton)
    for leg in body.legs:
        inside = np.zeros(skeleton.n_joints, dtype=bool)
        inside[body.joints[leg.hip]] = True
        for joint in range(skeleton.n_joints):
            parent = int(skeleton.parents[joint])
            inside[joint] |= parent >= 0 and bool(inside[parent])
        out.append(inside)
    return out[0], out[1]
