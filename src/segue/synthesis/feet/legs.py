"""Reduce a skeleton to its legs: moving feet needs only a third of a body's joints."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from segue.arrays import Ints, frozen
from segue.motion.feet import FootPoints, foot_points
from segue.motion.limb_ik import Leg
from segue.motion.skeleton import Skeleton


@dataclass(frozen=True, eq=False)
class LegsAlone:
    """The part of a body that is needed to move its feet.

    Parameters
    ----------
    joints
        (K,) joints of the complete body that determine where its feet are, parents first.
    skeleton
        Skeleton of these joints.
    legs, points
        Left and right leg, heels and toes: joints of that skeleton.
    """

    joints: Ints
    skeleton: Skeleton
    legs: tuple[Leg, Leg]
    points: FootPoints


@lru_cache(maxsize=256)
def legs_alone(skeleton: Skeleton) -> LegsAlone:
    """Extract legs and feet, and the joints above them, from a skeleton.

    Raises
    ------
    SkeletonError
        If the legs are unknown.

    Examples
    --------
    >>> import segue
    >>> alone = legs_alone(segue.sample("walk").skeleton)
    >>> alone.skeleton.names[alone.legs[0].knee]
    'LeftLeg'
    """
    points = foot_points(skeleton)
    legs = (Leg.of(skeleton, "left"), Leg.of(skeleton, "right"))
    wanted = {*points.joints.tolist(), *(leg.ankle for leg in legs)}
    for joint in range(skeleton.n_joints - 1, 0, -1):  # parents come before their children
        if joint in wanted:
            wanted.add(int(skeleton.parents[joint]))
    joints = sorted(wanted)
    index = {joint: k for k, joint in enumerate(joints)}
    alone = Skeleton(
        [skeleton.names[joint] for joint in joints],
        [index.get(int(skeleton.parents[joint]), -1) for joint in joints],
        skeleton.offsets[joints],
    )
    own = [Leg(index[leg.hip], index[leg.knee], index[leg.ankle]) for leg in legs]
    held = replace(points, joints=frozen([index[joint] for joint in points.joints.tolist()], np.int64))
    return LegsAlone(frozen(joints, np.int64), alone, (own[0], own[1]), held)
