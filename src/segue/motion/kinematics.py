"""Forward kinematics: local rotations to world rotations and positions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from segue.arrays import Floats, Ints, Positions, Quaternions, frozen, read_only
from segue.errors import SettingError, loaded
from segue.motion.clip import Clip
from segue.motion.pose import Pose
from segue.motion.skeleton import Skeleton


class World(NamedTuple):
    """World rotations (F, J, 4) wxyz and world positions (F, J, 3) in metres."""

    rotations: Quaternions
    positions: Positions


def forward(skeleton: Skeleton, rotations: Quaternions, root_positions: Positions) -> World:
    """Compute world rotations and positions from local rotations (F, J, 4) and root positions (F, 3)."""
    from segue.motion import _kernels

    turned = np.empty(rotations.shape)
    places = np.empty((*rotations.shape[:2], 3))
    turned[:, 0], places[:, 0] = rotations[:, 0], root_positions
    _kernels.forward(read_only(rotations), skeleton.parents, skeleton.offsets, turned, places)
    return World(turned, places)


def world(clip: Clip) -> World:
    """Compute world rotations and positions of every frame of a clip."""
    return forward(clip.skeleton, clip.rotations, clip.root_positions)


def world_positions(motion: Clip | Pose) -> Positions:
    """Compute world positions in metres of every joint, Y up: (F, J, 3) for a clip, (J, 3) for a pose.

    Examples
    --------
    >>> import segue
    >>> walk = segue.sample("walk")
    >>> segue.world_positions(walk).shape == (walk.n_frames, walk.skeleton.n_joints, 3)
    True
    >>> segue.world_positions(walk.pose(10)).shape == (walk.skeleton.n_joints, 3)
    True
    """
    loaded(motion)
    if isinstance(motion, Pose):
        one: Positions = forward(
            motion.skeleton, motion.rotations[None], motion.root_position[None]
        ).positions[0]
        return one
    return world(motion).positions


def attached_points(at: World, joints: Sequence[int] | Ints, offsets: Floats) -> Positions:
    """Compute world positions (F, P, 3) of points fixed to P joints, with offsets (P, 3) in the joints' frames.

    Raises
    ------
    SettingError
        If a joint does not exist, or there is not one offset per joint.
    """
    from segue.motion import _kernels

    frames, count = at.positions.shape[:2]
    if offsets.shape != (len(joints), 3) or any(not 0 <= joint < count for joint in joints):
        msg = f"points are joints from 0 to {count - 1}, each with an offset; got {list(joints)}, {offsets.shape}"
        raise SettingError(msg)
    out = np.empty((frames, len(joints), 3))
    _kernels.attach(
        read_only(at.rotations), read_only(at.positions), frozen(joints, np.int64), read_only(offsets), out
    )
    return out
