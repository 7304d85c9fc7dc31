"""Pose: one frame of a motion."""

from __future__ import annotations

from dataclasses import dataclass

from segue.arrays import Positions, Quaternions
from segue.motion.skeleton import Skeleton


@dataclass(frozen=True, eq=False)
class Pose:
    """Local rotations (J, 4) wxyz and root position (3,) in metres at one moment.

    Examples
    --------
    >>> import segue
    >>> pose = segue.sample("walk").pose(10)
    >>> pose.rotations.shape == (pose.skeleton.n_joints, 4)
    True
    """

    skeleton: Skeleton
    rotations: Quaternions
    root_position: Positions

    def __repr__(self) -> str:
        x, y, z = self.root_position
        return f"<Pose of {self.skeleton.n_joints} joints, root at ({x:.3f}, {y:.3f}, {z:.3f}) m>"
