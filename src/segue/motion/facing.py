"""Where a body stands and which way it faces; moving a whole clip along the ground.

Heading is the turn about the vertical of the root's rotation away from the rest pose (swing-twist, so that it does
not flip when the body pitches past 90 degrees) plus the rest pose's own facing. Radians; 0 looks along +Z,
positive turns towards +X.
"""

from __future__ import annotations

import numpy as np

from segue.arrays import Floats, Quaternions
from segue.maths.planar import PlanarMotion
from segue.maths.quaternions import conjugate, multiply, yaw
from segue.motion.clip import Clip
from segue.motion.reference import standing
from segue.motion.roles import roles
from segue.motion.skeleton import Skeleton


def rest_heading(skeleton: Skeleton) -> float:
    """Facing of the rest pose in radians, from the hips' left-right line; 0 where the hips are unknown."""
    found = roles(skeleton)
    left, right = found.get("left_hip"), found.get("right_hip")
    if left is None or right is None:
        return 0.0
    rest = skeleton.rest_positions()
    across = rest[left] - rest[right]
    if np.hypot(across[0], across[2]) < 1e-9:
        return 0.0
    return float(np.arctan2(-across[2], across[0]))


def headings(skeleton: Skeleton, root_rotations: Quaternions, *, joint: int = 0) -> Floats:
    """Headings in radians of root rotations (..., 4); unwrapped along the first axis of a 1-D batch.

    ``joint`` is the joint that they are world rotations of, the root by default.
    """
    if skeleton.reference is not None:
        root_rotations = multiply(root_rotations, conjugate(skeleton.reference[joint]))
    # Swing-twist, not an Euler angle (decision 5).
    out = yaw(root_rotations) + rest_heading(standing(skeleton))
    return np.unwrap(out) if out.ndim == 1 else out


def heading(clip: Clip) -> Floats:
    """Heading (F,) of every frame, radians, continuous over time.

    Examples
    --------
    >>> import segue
    >>> abs(float(heading(segue.sample("walk"))[0])) < 0.3
    True
    """
    return headings(clip.skeleton, clip.rotations[:, 0])


def moved(clip: Clip, motion: PlanarMotion) -> Clip:
    """Turn and shift a whole clip along the ground."""
    rotations = np.array(clip.rotations)
    rotations[:, 0] = motion.rotate(rotations[:, 0])
    return clip.with_motion(rotations, motion.apply(clip.root_positions))
