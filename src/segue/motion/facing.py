"""Ground position and heading of a body; moving a clip along the ground.

Heading is the twist about the vertical of the root's rotation from the rest pose (swing-twist, so that it does not
flip when the body pitches past 90 degrees) plus the facing of the rest pose. Radians; 0 looks along +Z, positive
turns towards +X.
"""

from __future__ import annotations

import numpy as np

from segue.arrays import Floats, Quaternions
from segue.maths.planar import PlanarMotion, wrapped
from segue.maths.quaternions import conjugate, multiply, yaw
from segue.motion.clip import Clip
from segue.motion.reference import standing
from segue.motion.roles import roles
from segue.motion.skeleton import Skeleton


def rest_heading(skeleton: Skeleton) -> float:
    """Facing of the rest pose in radians, from the left-right line of the hips; 0 if the hips are unknown."""
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
    """Headings in radians of root rotations (..., 4); unwrapped if they are a 1-D batch.

    ``joint`` is the joint whose world rotations they are, the root by default.
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


SWAY = 0.2
"""Seconds: sway of the root is faster than this, a change of course slower."""
_GOING = 0.25
"""Metres a second: a slower root has no direction of travel."""


def without_sway(values: Floats, fps: float, *, rim: int = 0) -> Floats:
    """Smooth values (F, ...) with a Gaussian of `SWAY` seconds, extended by point reflection at both ends.

    The result has ``rim`` extra frames at either end, fewer than F and than the frames of `SWAY`.

    Examples
    --------
    >>> import numpy as np
    >>> float(without_sway(np.arange(91.0), 30.0)[45].round(6))
    45.0
    """
    from scipy.ndimage import gaussian_filter1d

    count = len(values)
    pad = min(count - 1, round(3 * SWAY * fps))
    before = 2 * values[0] - values[pad:0:-1]
    after = 2 * values[-1] - values[-2 : -2 - pad : -1]
    out: Floats = gaussian_filter1d(np.concatenate([before, values, after]), SWAY * fps, axis=0)
    return out[pad - rim : pad + count + rim]


def travel_heading(clip: Clip) -> Floats:
    """Direction (F,) in which the root travels along the ground, radians, continuous over time.

    Sway is filtered out. Frames in which the root hardly moves take the direction of the nearest frame in which it
    does; if it never does, the result is the heading.

    Examples
    --------
    >>> import segue
    >>> from segue.motion.facing import travel_heading
    >>> abs(float(travel_heading(segue.sample("walk"))[0])) < 0.3
    True
    """
    faces = heading(clip)
    if clip.n_frames < 2:
        return faces
    ground = without_sway(clip.root_positions[:, [0, 2]], clip.fps)
    going = np.gradient(ground, 1.0 / clip.fps, axis=0)
    rows = np.flatnonzero(np.hypot(*going.T) >= _GOING)
    if not rows.size:
        return faces
    frames = np.arange(clip.n_frames)
    after = np.minimum(np.searchsorted(rows, frames), len(rows) - 1)
    before = np.maximum(after - 1, 0)
    near = rows[np.where(np.abs(rows[before] - frames) <= np.abs(rows[after] - frames), before, after)]
    turns = np.unwrap(np.arctan2(going[near, 0], going[near, 1]))
    # Choose the multiple of 2 pi that is nearest to the heading.
    away = float(wrapped(turns[0] - faces[0]))
    out: Floats = turns + (faces[0] + away - turns[0])
    return out


def moved(clip: Clip, motion: PlanarMotion) -> Clip:
    """Turn and shift all frames of a clip along the ground."""
    rotations = np.array(clip.rotations)
    rotations[:, 0] = motion.rotate(rotations[:, 0])
    return clip.with_motion(rotations, motion.apply(clip.root_positions))
