"""Footholds: feet keep their place from the previous motion until their step blends it away (adaptation).

The foot keeps the place and yaw in which it was left: a ground motion per foot moves it there from its place in the
motion. The pelvis keeps its place relative to the feet, and legs reach by inverse kinematics.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from segue.arrays import Floats, Ints, Positions, Quaternions, frozen, sealed
from segue.maths.planar import turned
from segue.maths.quaternions import yawed
from segue.motion.feet import foot_positions
from segue.motion.kinematics import forward
from segue.motion.limb_ik import Leg
from segue.motion.roles import SIDES
from segue.sequencing.poses import PrimaryPoints, points_over_time, primary_points
from segue.sequencing.prepared import ReadyMotion
from segue.sequencing.reaching import legs_reach


@dataclass(frozen=True, eq=False)
class Footholds:
    """Where both feet are kept, and with which share in each frame.

    Parameters
    ----------
    places
        (2, 2) left and right foot in the motion when they are taken over, x and z in metres.
    shifts, turns
        (2, 2) metres and (2,) radians that move them to where they are kept.
    shares
        (F, 2) remaining share in each frame: 1 while a foot is kept, 0 once its step has blended it away.
    """

    places: Floats
    shifts: Floats
    turns: Floats
    shares: Floats

    @property
    def sizes(self) -> tuple[float, float]:
        """Metres by which either foot is shifted."""
        left, right = np.linalg.norm(self.shifts, axis=1).tolist()
        return left, right


@dataclass(frozen=True, eq=False)
class HeldMotion:
    """A prepared motion whose feet may be kept elsewhere, in the place and time of its own clip.

    Parameters
    ----------
    motion
        The motion without footholds.
    rotations, roots
        (F, J, 4) and (F, 3): its frames.
    pelvis, ground, ankles, feet, lower
        As in `ReadyMotion`.
    footholds
        The kept footholds, or None.
    """

    motion: ReadyMotion
    rotations: Quaternions
    roots: Positions
    pelvis: Positions
    ground: Floats
    ankles: Positions
    feet: Quaternions
    lower: PrimaryPoints
    footholds: Footholds | None = None

    @property
    def n_frames(self) -> int:
        """Number of frames."""
        return len(self.roots)

    def rows(self, frames: Ints) -> Ints:
        """Return the rows of frames, clipped to the first and the last."""
        return np.clip(frames, 0, self.n_frames - 1)


@lru_cache(maxsize=512)
def unheld(motion: ReadyMotion) -> HeldMotion:
    """Return a motion with unchanged feet."""
    clip = motion.clip
    return HeldMotion(
        motion,
        clip.rotations,
        clip.root_positions,
        motion.pelvis,
        motion.ground,
        motion.ankles,
        motion.feet,
        motion.lower,
    )


@lru_cache(maxsize=1024)
def over_foot(motion: HeldMotion, foot: int) -> PrimaryPoints:
    """Return the primary joints of the lower half, and the pelvis over a planted foot: 0 is the left, 1 the right.

    Aligned by the pelvis, poses do not show how far the body moves over its foot. The pelvis counts as half of the
    joints.
    """
    ready = motion.motion
    ground = motion.ground[:, 2 * foot : 2 * foot + 2].mean(axis=1)
    over = np.array(motion.pelvis)
    over[:, ::2] = turned(-ready.orientation, over[:, ::2] - ground)
    own = motion.lower.points
    more = np.repeat(over[:, None], max(own.shape[1] // 2, 1), axis=1)
    return points_over_time(np.concatenate([own, more], axis=1), ready.clip.fps)


def held(motion: ReadyMotion, footholds: Footholds) -> HeldMotion:
    """Return a motion with its feet kept: only legs and root differ, until a foothold is blended away."""
    clip, skeleton = motion.clip, motion.clip.skeleton
    rows = np.flatnonzero((footholds.shares > 0.0).any(axis=1))
    shares = footholds.shares[rows]
    turns = shares * footholds.turns
    beside = motion.ankles[rows][..., ::2] - footholds.places
    moved = footholds.places + shares[..., None] * footholds.shifts + turned(turns, beside)
    ankles = np.array(motion.ankles[rows])
    ankles[..., ::2] = moved
    feet = yawed(turns, motion.feet[rows])
    roots = np.array(clip.root_positions[rows])
    # The pelvis keeps its place relative to the centre of both feet, so that both legs share the reach.
    roots[:, ::2] += (moved - motion.ankles[rows][..., ::2]).mean(axis=1)
    legs = legs_reach(skeleton, clip.rotations[rows], roots, ankles=ankles, feet=feet, fps=clip.fps)
    rotations, every = np.array(clip.rotations), np.array(clip.root_positions)
    rotations[rows], every[rows] = legs
    at = forward(skeleton, rotations, every)
    halves = motion.halves
    pelvis = at.positions[:, halves.pelvis]
    joints = [Leg.of(skeleton, side).ankle for side in SIDES]
    return HeldMotion(
        motion,
        sealed(rotations),
        sealed(every),
        frozen(pelvis),
        frozen(foot_positions(skeleton, at)[..., ::2]),
        frozen(at.positions[:, joints]),
        frozen(at.rotations[:, joints]),
        primary_points(at.positions, pelvis, motion.orientation, joints=halves.lower_primary, fps=clip.fps),
        footholds,
    )
