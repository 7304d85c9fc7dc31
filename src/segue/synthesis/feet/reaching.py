"""Make legs and root follow moved feet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from segue.arrays import Bools, Floats, Ints, Positions, Quaternions
from segue.maths.easing import smoothstep
from segue.maths.quaternions import yawed
from segue.motion.clip import Clip
from segue.motion.kinematics import World, attached_points, forward
from segue.motion.limb_ik import Leg, reach_ankles
from segue.synthesis.feet.legs import LegsAlone, legs_alone
from segue.synthesis.feet.lowering import reach_of, smooth_above, too_far

_ROUNDING = 1e-9  # metres


@dataclass(frozen=True, eq=False)
class LegMotion:
    """Legs of a motion, and the places of its feet.

    Parameters
    ----------
    body
        Legs and the joints above them.
    rotations, roots
        (F, K, 4) and (F, 3): the motion of these joints.
    at
        World of these joints.
    ground
        (F, 4, 2) places of heels and toes on x and z.
    """

    body: LegsAlone
    rotations: Quaternions
    roots: Positions
    at: World
    ground: Positions

    @staticmethod
    def of(clip: Clip) -> LegMotion:
        """Extract the legs of a clip.

        Raises
        ------
        SkeletonError
            If the legs are unknown.
        """
        body = legs_alone(clip.skeleton)
        rotations = clip.rotations.take(body.joints, 1)
        at = forward(body.skeleton, rotations, clip.root_positions)
        ground = attached_points(at, body.points.joints, body.points.offsets)[..., ::2].copy()
        return LegMotion(body, rotations, clip.root_positions, at, ground)

    @property
    def ankles(self) -> Positions:
        """(F, 2, 2) ground places of both ankles."""
        joints = [leg.ankle for leg in self.body.legs]
        return self.at.positions[:, joints, ::2].copy()


def reached(
    motion: LegMotion,
    shift: Floats,
    turn: Floats,
    *,
    ease: int,
    within: Bools | None = None,
    strength: Floats | None = None,
) -> tuple[Quaternions, Positions, Bools, Floats]:
    """Make legs and root follow moved feet; frames that need no change stay as they are, bit for bit.

    Parameters
    ----------
    motion
        Legs before the move.
    shift, turn
        (2, F, 2) metres on x and z by which ankles are moved, and (2, F) radians about the vertical.
    ease
        Frames over which the root is lowered and raised again where a leg would not reach.
    within
        (F,) flags of the frames in which the root may be lowered; less and less towards an end of them.
    strength
        (F,) share of the lowering.

    Returns
    -------
    tuple
        Rotations (F, K, 4) and root positions (F, 3) of the legs, flags (F,) of changed frames, and metres (F,) by
        which the root was lowered.
    """
    legs, at = motion.body.legs, motion.at
    joints = np.array([[leg.hip, leg.knee, leg.ankle] for leg in legs])
    ankles = at.positions[:, joints[:, 2]].swapaxes(0, 1)
    ankles[..., ::2] += shift
    moved: Bools = (shift[..., 0] != 0) | (shift[..., 1] != 0)
    lowered = smooth_above(too_far(at, legs, ankles, moved), ease)
    if within is not None and lowered.any():
        lowered = lowered * _inside(within, ease)
    if strength is not None:
        lowered = lowered * strength
    changed = (moved | (turn != 0)).any(axis=0) | (lowered > 0)
    rows = np.flatnonzero(changed)
    rotations, roots = np.array(motion.rotations), np.array(motion.roots)
    roots[rows, 1] -= lowered[rows]
    hips = at.positions[rows, joints[:, :1]]
    hips[..., 1] -= lowered[rows]
    ankles = _within_reach(World(*(part[rows] for part in at)), legs, hips, ankles[:, rows])
    feet = yawed(turn[:, rows], at.rotations[rows, joints[:, 2:]])
    found = reach_ankles(motion.body.skeleton, at, legs, hips=hips, ankles=ankles, feet=feet, rows=rows)
    _lay_in(rotations, rows[:, None], joints[:, None], found)
    return rotations, roots, changed, lowered


def _within_reach(at: World, legs: Sequence[Leg], hips: Positions, ankles: Positions) -> Positions:
    """Ankles (L, F, 3) drawn towards hips where legs would straighten suddenly because the root is not lowered.

    The root is not lowered where feet may no longer be moved: there the foot gives way, not the knee.
    """
    were = at.positions[:, [leg.hip for leg in legs]].swapaxes(0, 1)
    asked, needed = (np.sqrt(np.square(ankles - each).sum(axis=-1)) for each in (were, hips))
    allowed, was = reach_of(at, legs, asked)
    beyond = (asked > was) & (needed > allowed + _ROUNDING)
    if not beyond.any():
        return ankles
    share = np.where(beyond, allowed / np.maximum(needed, _ROUNDING), 1.0)[..., None]
    return np.where(beyond[..., None], hips + share * (ankles - hips), ankles)


def _inside(within: Bools, ease: int) -> Floats:
    """Depth (F,) of each frame inside the flagged ones: 0 outside, 1 from ``ease`` frames on."""
    from scipy.ndimage import distance_transform_cdt

    padded = np.concatenate([within[:1], within, within[-1:]])
    if padded.all():
        return np.ones(len(within))
    depth = distance_transform_cdt(padded).astype(np.float64)
    if padded[0]:
        depth[: np.argmin(padded)] = np.arange(np.argmin(padded), 0, -1)
    if padded[-1]:
        last = int(np.argmin(padded[::-1]))
        depth[len(padded) - last :] = np.arange(1, last + 1)
    return smoothstep(np.clip(depth[1:-1] / (ease + 1), 0.0, 1.0))


def _lay_in(rotations: Quaternions, rows: Ints, joints: Ints, local: Quaternions) -> None:
    """Write local rotations (..., 4) of joints at frames, with the sign of those (F, J, 4), contiguous, they replace.

    q and -q are one rotation, but angles written to files must stay continuous.
    """
    every, new = rotations.reshape(-1, 4), local.reshape(-1, 4)
    at = (rows * rotations.shape[1] + joints).ravel()
    away = np.einsum("nc,nc->n", every.take(at, 0), new) < 0.0
    every[at] = np.where(away[:, None], -new, new)
