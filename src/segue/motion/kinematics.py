"""Forward kinematics: local rotations to world rotations and positions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from segue.arrays import Floats, Ints, Positions, Quaternions
from segue.motion.clip import Clip
from segue.motion.skeleton import Skeleton


class World(NamedTuple):
    """World rotations (F, J, 4) wxyz and world positions (F, J, 3) in metres."""

    rotations: Quaternions
    positions: Positions


def forward(skeleton: Skeleton, rotations: Quaternions, root_positions: Positions) -> World:
    """World rotations and positions of local rotations (F, J, 4) and root positions (F, 3)."""
    from segue.motion import _kernels

    return World(
        *_kernels.forward(
            np.ascontiguousarray(rotations, dtype=np.float64),
            np.ascontiguousarray(root_positions, dtype=np.float64),
            skeleton.parents,
            skeleton.offsets,
        )
    )


def world(clip: Clip) -> World:
    """World rotations and positions of every frame of a clip."""
    return forward(clip.skeleton, clip.rotations, clip.root_positions)


def world_positions(clip: Clip) -> Positions:
    """World positions (F, J, 3) in metres of every joint, Y up.

    Examples
    --------
    >>> import segue
    >>> walk = segue.sample("walk")
    >>> segue.world_positions(walk).shape == (walk.n_frames, walk.skeleton.n_joints, 3)
    True
    """
    return world(clip).positions


def attached_points(at: World, joints: Sequence[int] | Ints, offsets: Floats) -> Positions:
    """World positions (F, P, 3) of points fixed to joints: P joint indices and offsets (P, 3) in joint frames."""
    from segue.motion import _kernels

    return _kernels.attached(
        np.ascontiguousarray(at.rotations),
        np.ascontiguousarray(at.positions),
        np.array(joints, dtype=np.int64),
        np.array(offsets, dtype=np.float64),
    )
