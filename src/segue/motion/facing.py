"""Where a body stands and which way it faces; moving a whole clip along the ground.

Heading is the turn about the vertical of the root's rotation away from the rest pose (swing-twist, so that it does
not flip when the body pitches past 90 degrees) plus the rest pose's own facing. Radians; 0 looks along +Z,
positive turns towards +X.
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


SWAY = 0.2
"""Seconds: sway of the root is faster, a change of course slower."""
_GOING = 0.25
"""Metres a second: a root that goes more slowly has no direction of its own."""


def without_sway(values: Floats, fps: float, *, rim: int = 0) -> Floats:
    """Values (F, ...) of every frame under a bell of `SWAY` seconds; turned about both ends, so that they go on there.

    With a rim of so many frames beyond either end, fewer than F and than `SWAY` lasts.

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
    """Direction (F,) in which the root goes along the ground, radians, continuous over time.

    Sway is left out. Where the root hardly goes its direction is that of the nearest frame in which it does, and of
    a root that never goes the facing.

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
    # Of the turns that give one direction the one nearest to the facing.
    away = float(wrapped(turns[0] - faces[0]))
    out: Floats = turns + (faces[0] + away - turns[0])
    return out


def moved(clip: Clip, motion: PlanarMotion) -> Clip:
    """Turn and shift a whole clip along the ground."""
    rotations = np.array(clip.rotations)
    rotations[:, 0] = motion.rotate(rotations[:, 0])
    return clip.with_motion(rotations, motion.apply(clip.root_positions))
