"""Leg inverse kinematics: legs reach given feet, in the rotations of a complete body."""

from __future__ import annotations

import numpy as np

from segue.arrays import Bools, Floats, Positions, Quaternions
from segue.maths.easing import smoothstep
from segue.motion.feet import leg_length
from segue.motion.kinematics import forward
from segue.motion.limb_ik import reach_ankles
from segue.motion.skeleton import Skeleton
from segue.synthesis.feet.legs import legs_alone
from segue.synthesis.feet.lowering import smooth_above, too_far

EASE = 0.1
"""Seconds over which the root is lowered for a leg that would not reach."""

LOWEST = 0.15
"""Leg lengths by which the root is lowered at most."""


def legs_reach(
    skeleton: Skeleton,
    rotations: Quaternions,
    roots: Positions,
    *,
    ankles: Positions,
    feet: Quaternions,
    fps: float,
    inside: Floats | None = None,
) -> tuple[Quaternions, Positions]:
    """Solve rotations and roots for given ankles and feet; the root is lowered where a leg is too short.

    Parameters
    ----------
    skeleton
        The body.
    rotations, roots
        (F, J, 4) and (F, 3): the unchanged motion.
    ankles, feet
        (F, 2, 3) world positions and (F, 2, 4) world rotations of the left and right ankle to reach.
    fps
        Frames a second.
    inside
        (F,) share of the lowering that is applied; 1 by default.
    """
    body = legs_alone(skeleton)
    at = forward(body.skeleton, rotations.take(body.joints, 1), roots)
    wanted = ankles.swapaxes(0, 1)
    moved: Bools = np.ones(wanted.shape[:2], dtype=bool)
    # Where feet are so far apart that the body would crouch, the lowering is limited and legs reach fully extended.
    needed = np.minimum(too_far(at, body.legs, wanted, moved), LOWEST * leg_length(skeleton))
    lowered = smooth_above(needed, max(round(EASE * fps), 1))
    if inside is not None:
        lowered = lowered * inside
    joints = np.array([[leg.hip, leg.knee, leg.ankle] for leg in body.legs])
    hips = at.positions[:, joints[:, 0]].swapaxes(0, 1)
    hips[..., 1] -= lowered
    local = reach_ankles(body.skeleton, at, body.legs, hips=hips, ankles=wanted, feet=feet.swapaxes(0, 1))
    out, lower = np.array(rotations), np.array(roots)
    lower[:, 1] -= lowered
    for leg in (0, 1):
        whole = body.joints[joints[leg]]
        old = out[:, whole]
        away = np.sum(old * local[leg], axis=-1, keepdims=True) < 0.0
        out[:, whole] = np.where(away, -local[leg], local[leg])
    return out, lower


def within_ends(count: int, ease: int) -> Floats:
    """Return a weight (count,) for how far frames are inside both ends: 0 just outside, 1 from ``ease`` frames on.

    Examples
    --------
    >>> within_ends(5, 1).tolist()
    [0.5, 1.0, 1.0, 1.0, 0.5]
    """
    depth = np.minimum(np.arange(1, count + 1), np.arange(count, 0, -1))
    return smoothstep(np.clip(depth / (ease + 1), 0.0, 1.0))
