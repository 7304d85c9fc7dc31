"""Rotation of each joint from frame to frame, compared with the frames around."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from segue.arrays import Bools, Floats
from segue.maths.quaternions import conjugate, log, multiply
from segue.motion.body import is_human
from segue.motion.clip import Clip
from segue.motion.roles import SIDES, roles
from segue.motion.skeleton import Skeleton

_NEIGHBOURS = 4  # steps on either side that a step is compared with ...
_NEIGHBOUR_SECONDS = 0.04  # ... or the steps in this time, if they are more
_FINGERS = re.compile(r"finger|thumb|index|middle|ring|pinky|mid\d|metacarpal|carpal", re.IGNORECASE)
_MOVES = np.radians(0.5)  # rotations below this throughout a clip are no movement


@dataclass(frozen=True, eq=False)
class Turns:
    """Frame-to-frame steps of a clip: step t leads from frame t to frame t + 1.

    Parameters
    ----------
    clip
        The clip.
    vectors
        (F-1, J, 3) local rotation of each joint as a rotation vector, radians.
    """

    clip: Clip
    vectors: Floats

    @staticmethod
    def of(clip: Clip) -> Turns:
        """Compute the steps of a clip."""
        q = clip.rotations
        return Turns(clip, 2.0 * log(multiply(conjugate(q[:-1]), q[1:])))

    @cached_property
    def angles(self) -> Floats:
        """(F-1, J) rotation angle of each joint in each step, radians."""
        return np.asarray(np.linalg.norm(self.vectors, axis=-1))

    @cached_property
    def changes(self) -> Floats:
        """(F-2, J) radians by which step t + 1 differs from step t."""
        return np.asarray(np.linalg.norm(np.diff(self.vectors, axis=0), axis=-1))

    @cached_property
    def around(self) -> Floats:
        """(F-1, J) second largest angle of the steps around each step (`usual_around`)."""
        return usual_around(self.angles, self.reach)

    @property
    def reach(self) -> int:
        """Steps on either side that a step is compared with."""
        return max(_NEIGHBOURS, int(np.ceil(_NEIGHBOUR_SECONDS * self.clip.fps)))

    @cached_property
    def from_rest(self) -> Floats:
        """(F, J) angle of each joint from its rest rotation, radians."""
        return np.asarray(2.0 * np.linalg.norm(log(self.clip.rotations), axis=-1))

    @cached_property
    def free(self) -> Bools:
        """(J,) joints that rotate about more than one axis over the clip.

        A joint with one axis may be clamped at its limit: a straight knee is exactly zero for many frames.
        """
        poses = 2.0 * log(self.clip.rotations)
        spread = np.linalg.svd(np.swapaxes(poses, 0, 1), compute_uv=False) / np.sqrt(len(poses))
        if spread.shape[1] < 2:
            return np.zeros(len(spread), dtype=bool)
        return np.asarray(spread[:, 1] > _MOVES)

    @cached_property
    def moving(self) -> Bools:
        """(J,) joints that rotate at all."""
        return np.asarray(self.angles.max(axis=0, initial=0.0) > _MOVES)


def usual_around(values: Floats, reach: int, *, width: int = 1) -> Floats:
    """Second largest value (N - width + 1, J) around each span of ``width`` successive values (N, J).

    Up to ``reach`` values on either side are considered, except those next to the span, because a jump may spread to
    them. The largest is ignored so that two nearby jumps do not mask each other. 0 with fewer than two values.
    """
    count = len(values) - width + 1
    largest, second = np.zeros((2, max(count, 0), values.shape[1]))
    for away in range(2, 2 + reach):
        for rows, other in (
            (slice(away, None), values[: max(count - away, 0)]),
            (slice(0, max(count - away, 0)), values[away + width - 1 :]),
        ):
            if away < count:
                np.maximum(second[rows], np.minimum(largest[rows], other), out=second[rows])
                np.maximum(largest[rows], other, out=largest[rows])
    return second


def finger_joints(skeleton: Skeleton) -> Bools:
    """Flags (J,) of joints beyond the wrists, and of those named after fingers."""
    out = np.array([bool(_FINGERS.search(name)) for name in skeleton.names])
    found = roles(skeleton)
    for side in SIDES:
        wrist = found.get(f"{side}_wrist")
        if wrist is not None:
            inside = {wrist}
            for joint in range(wrist + 1, skeleton.n_joints):
                if int(skeleton.parents[joint]) in inside:
                    inside.add(joint)
                    out[joint] = True
    return out


def trunk_joints(skeleton: Skeleton) -> Bools:
    """Flags (J,) of a person's joints from the root to the head, or the highest known; none of other bodies.

    Examples
    --------
    >>> import segue
    >>> body = segue.sample("walk").skeleton
    >>> [name for name, is_trunk in zip(body.names, trunk_joints(body)) if is_trunk][:2]
    ['Hips', 'Spine']
    """
    out = np.zeros(skeleton.n_joints, dtype=bool)
    found = roles(skeleton)
    if not is_human(skeleton):
        return out
    top = next((found[role] for role in ("head", "neck", "chest", "spine", "pelvis") if role in found), 0)
    while top >= 0:
        out[top] = True
        top = int(skeleton.parents[top])
    return out
