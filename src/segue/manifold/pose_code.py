"""Encode poses as vectors in metres, and decode them, for a decoder network and for principal components.

A joint's rotation is encoded as the rotation vector from its mean orientation, times the mean distance of the joints
below it: about how far it moves the body, so that an error counts as much as it is visible.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from segue.arrays import Bools, Floats, Positions, Quaternions, frozen
from segue.errors import SettingError
from segue.manifold.poses import Poses
from segue.maths.quaternions import conjugate, exp, log, multiply
from segue.motion.kinematics import forward
from segue.motion.skeleton import Skeleton
from segue.summaries import one_line

_LEAST = 0.02
"""Minimum lever of a joint in metres, also without joints below it."""
_STEP, _TURN, _PLANT, _RATE = 3.0, 1.0, 0.05, 0.03
"""Weights of a step of a metre, a turn of a radian, a contact and a usual velocity in the space: errors of steps
accumulate; a contact only has to be on the correct side of 0.5."""


@one_line
@dataclass(frozen=True, eq=False)
class PoseCode:
    """Encoding of the poses of one body as vectors.

    Parameters
    ----------
    means
        (J, 4) mean orientation of every joint.
    levers
        (J,) mean distance in metres of the joints below each joint.
    pace
        Root mean square distance of the coordinates from a pose to the next.
    dimensions
        Number of coordinates of the space.
    """

    means: Quaternions
    levers: Floats
    pace: float
    dimensions: int

    def __post_init__(self) -> None:
        """Check the numbers, which may come from a file."""
        if self.means.shape != (len(self.levers), 4) or not len(self.levers):
            msg = f"{self.means.shape} mean orientations and {len(self.levers)} levers do not belong to one body"
            raise SettingError(msg)
        if np.abs(np.linalg.norm(self.means, axis=1) - 1.0).max() > 1e-6:
            msg = "a mean orientation is no unit quaternion"
            raise SettingError(msg)
        if not (self.levers > 0).all() or not self.pace > 0 or self.dimensions < 1:
            msg = "levers and pace are positive, and a space has a dimension at least"
            raise SettingError(msg)

    @property
    def width(self) -> int:
        """Length M of a vector: rotations, height, step and turn, contacts, velocity in the space."""
        return 3 * len(self.levers) + 1 + 3 + 4 + self.dimensions

    @property
    def pose_width(self) -> int:
        """Length of the pose part at its beginning."""
        return 3 * len(self.levers) + 1


@dataclass(frozen=True, eq=False)
class Decoded:
    """N poses decoded from vectors: rotations, heights, steps and contacts as in `Poses`; velocities (N, D).

    ``planted`` (N, 4) is the confidence that each foot part bears the body; from 0.5 it does.
    """

    rotations: Quaternions
    heights: Floats
    steps: Floats
    planted: Floats
    velocities: Floats


def code_of(poses: Poses, velocities: Floats) -> PoseCode:
    """Compute the encoding of poses.

    Parameters
    ----------
    poses
        Poses of one body.
    velocities
        (N, D) difference from the coordinates of each pose to those of the next.
    """
    means = np.stack([mean_rotation(q) for q in np.moveaxis(poses.rotations, 1, 0)])
    pace = float(np.sqrt(np.mean(np.sum(velocities * velocities, axis=1))))
    return PoseCode(frozen(means), frozen(levers_of(poses.skeleton)), max(pace, 1e-9), velocities.shape[1])


def mean_rotation(rotations: Quaternions) -> Quaternions:
    """Compute the mean orientation of rotations (N, 4), whatever their signs: the main eigenvector of their outer sum.

    Examples
    --------
    >>> from segue.maths.quaternions import from_yaw
    >>> mean_rotation(from_yaw(np.array([0.1, 0.3])) * [[1.0], [-1.0]]).round(4).tolist()
    [0.995, 0.0, 0.0998, 0.0]
    """
    _, axes = np.linalg.eigh(rotations.T @ rotations)
    out: Quaternions = axes[:, -1] * (-1.0 if axes[0, -1] < 0 else 1.0)
    return out + 0.0


def levers_of(skeleton: Skeleton) -> Floats:
    """Compute levers (J,) in metres: root mean square, over all joints, of the distance of joints below from each."""
    rest, count = skeleton.rest_positions(), skeleton.n_joints
    squares = np.zeros(count)
    for joint in range(count):
        above = int(skeleton.parents[joint])
        while above >= 0:
            squares[above] += float(np.sum((rest[joint] - rest[above]) ** 2))
            above = int(skeleton.parents[above])
    return np.maximum(np.sqrt(squares / count), _LEAST)


def encoded(code: PoseCode, poses: Poses, velocities: Floats) -> Floats:
    """Encode poses and their velocities (N, D) in the space as vectors (N, M)."""
    turns = 2.0 * log(multiply(conjugate(code.means), poses.rotations)) * code.levers[:, None]
    return np.concatenate(
        [
            turns.reshape(poses.count, -1),
            poses.heights[:, None],
            _STEP * poses.steps[:, :2],
            _TURN * poses.steps[:, 2:],
            _PLANT * poses.planted,
            _RATE / code.pace * velocities,
        ],
        axis=1,
    )


def decoded(code: PoseCode, vectors: Floats) -> Decoded:
    """Decode vectors (N, M); in vectors that hold only the pose, steps and all that follows are zero.

    Examples
    --------
    >>> import segue
    >>> from segue.manifold.poses import poses_of
    >>> poses = poses_of([segue.sample("walk")])
    >>> velocities = np.ones((poses.count, 3))
    >>> code = code_of(poses, velocities)
    >>> again = decoded(code, encoded(code, poses, velocities))
    >>> bool(np.abs(again.steps - poses.steps).max() < 1e-12)
    True
    """
    count, n_joints = len(vectors), len(code.levers)
    if vectors.shape[1] < code.width:
        vectors = np.concatenate([vectors, np.zeros((count, code.width - vectors.shape[1]))], axis=1)
    turns = vectors[:, : 3 * n_joints].reshape(count, n_joints, 3) / (2.0 * code.levers[:, None])
    rest = vectors[:, 3 * n_joints :]
    return Decoded(
        multiply(code.means, exp(turns)),
        rest[:, 0],
        np.column_stack([rest[:, 1:3] / _STEP, rest[:, 3] / _TURN]),
        rest[:, 4:8] / _PLANT,
        rest[:, 8:] * code.pace / _RATE,
    )


def places(skeleton: Skeleton, rotations: Quaternions, heights: Floats) -> Positions:
    """Compute joint positions (N, J, 3) in metres of poses above the origin, facing +Z."""
    roots = np.zeros((len(rotations), 3))
    roots[:, 1] = heights
    return forward(skeleton, rotations, roots).positions


def planted_flags(decoded_poses: Decoded) -> Bools:
    """Return flags (N, 4) of foot parts that bear the body."""
    flags: Bools = decoded_poses.planted >= 0.5
    return flags
