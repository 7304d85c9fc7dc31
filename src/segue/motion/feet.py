"""Heel and toe: the two points of each foot that touch the ground.

Files contain no heel. It is placed below and a little behind the ankle, on the floor of the rest pose, which is the
lowest point of the foot at rest. The toe is the toe joint (the ball of the foot); without one it is the tip of the foot
bone, and without that a point at the usual foot length.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from segue.arrays import Floats, Ints, Positions, Quaternions, frozen
from segue.maths.quaternions import IDENTITY, conjugate, from_axis_angle, rotate
from segue.motion.facing import rest_heading
from segue.motion.kinematics import World, attached_points
from segue.motion.reference import standing
from segue.motion.roles import require, roles
from segue.motion.skeleton import Skeleton

FOOT_PARTS: tuple[str, ...] = ("left_heel", "left_toe", "right_heel", "right_toe")
"""Order of foot parts in every array with one column per part."""

_HEEL_BEHIND = 0.3  # heel behind the ankle, as a share of ankle to ball: about 4 cm of an adult's 14
_BALL_AHEAD = 0.17  # ball ahead of the ankle, in leg lengths, for a skeleton that ends at the ankle
_ANKLE_HEIGHT = (
    0.087  # ankle above the sole, in leg lengths: 0.039 of 0.45 body heights (Winter 2009, fig. 4.1)
)
_BALL_HEIGHT = 0.045  # ball above the sole, in leg lengths, in captured bodies
_FLAT_FOOT = 0.7  # least share of `_ANKLE_HEIGHT` at which the foot's lowest point is taken as its sole
STANCE = np.radians(20.0)
"""Largest tilt of a shin forwards or backwards in a rest pose that stands."""
_POINTS_DOWN = 0.35  # a foot bone with a smaller horizontal share of its length gives no direction


@dataclass(frozen=True, eq=False)
class FootPoints:
    """Joints and offsets of heels and toes, in the order of `FOOT_PARTS`.

    Parameters
    ----------
    joints
        (4,) joint indices.
    offsets
        (4, 3) metres in the joint's frame.
    rest_heights
        (4,) metres above the floor of the rest pose: 0 for heels.
    """

    joints: Ints
    offsets: Positions
    rest_heights: Floats


def leg_length(skeleton: Skeleton) -> float:
    """Thigh plus shank length in metres, the mean of both sides: the scale of a body.

    Examples
    --------
    >>> import segue
    >>> round(leg_length(segue.sample("walk").skeleton), 2)
    0.85
    """
    found = require(
        skeleton, *(f"{side}_{part}" for side in ("left", "right") for part in ("hip", "knee", "ankle"))
    )
    rest = skeleton.rest_positions()
    total = 0.0
    for side in ("left", "right"):
        hip, knee, ankle = (rest[found[f"{side}_{part}"]] for part in ("hip", "knee", "ankle"))
        total += float(np.linalg.norm(knee - hip) + np.linalg.norm(ankle - knee))
    return total / 2


@lru_cache(maxsize=256)
def foot_points(skeleton: Skeleton) -> FootPoints:
    """Find the joints and offsets of left heel, left toe, right heel and right toe.

    Raises
    ------
    SkeletonError
        If hips, knees or ankles are unknown.

    Examples
    --------
    >>> import segue
    >>> points = foot_points(segue.sample("walk").skeleton)
    >>> points.joints.shape, points.offsets.shape
    ((4,), (4, 3))
    """
    if skeleton.reference is not None:
        points = foot_points(standing(skeleton))
        back = conjugate(skeleton.reference[points.joints])
        return FootPoints(points.joints, frozen(rotate(back, points.offsets)), points.rest_heights)
    found = roles(skeleton)
    rest = skeleton.rest_positions()
    leg = leg_length(skeleton)
    joints: list[int] = []
    offsets: list[Positions] = []
    heights: list[float] = []
    for side in ("left", "right"):
        ankle = found[f"{side}_ankle"]
        toe_joint, toe = _toe(skeleton, ankle, found.get(f"{side}_toe"), leg)
        stand = sole_turn(skeleton, side)
        ball = rotate(stand, rest[toe_joint] + toe - rest[ankle])
        floor = min(_lowest(skeleton, rest, ankle, stand), float(ball[1]))
        if -floor < _FLAT_FOOT * _ANKLE_HEIGHT * leg:
            floor = -_ANKLE_HEIGHT * leg
        ahead = np.array(ball)
        ahead[1] = 0.0
        if np.linalg.norm(ahead) < _POINTS_DOWN * np.linalg.norm(ball):
            heading = rest_heading(skeleton)
            ahead = _BALL_AHEAD * leg * np.array([np.sin(heading), 0.0, np.cos(heading)])
        heel = -_HEEL_BEHIND * ahead
        heel[1] = floor
        joints += [ankle, toe_joint]
        offsets += [rotate(conjugate(stand), heel), toe]
        heights += [0.0, float(ball[1]) - floor]
    return FootPoints(frozen(joints, np.int64), frozen(offsets), frozen(heights))


def foot_positions(skeleton: Skeleton, at: World) -> Positions:
    """World positions (F, 4, 3) in metres of left heel, left toe, right heel, right toe.

    Examples
    --------
    >>> import segue
    >>> from segue.motion.kinematics import world
    >>> walk = segue.sample("walk")
    >>> bool(foot_positions(walk.skeleton, world(walk))[:, 0, 1].min() > -0.001)
    True
    """
    points = foot_points(skeleton)
    return attached_points(at, points.joints, points.offsets)


def _toe(skeleton: Skeleton, ankle: int, toe: int | None, leg: float) -> tuple[int, Positions]:
    """Joint and offset of the toe point."""
    if toe is not None:
        return toe, np.zeros(3)
    tip = skeleton.tip(ankle)
    if tip is None and skeleton.children[ankle]:
        tip = skeleton.offsets[skeleton.children[ankle][0]]
    if tip is not None and np.linalg.norm(tip) > 1e-6 * leg:
        return ankle, np.array(tip)
    heading = rest_heading(skeleton)
    ahead = _BALL_AHEAD * leg
    return ankle, np.array([ahead * np.sin(heading), -_ANKLE_HEIGHT * leg, ahead * np.cos(heading)])


def shin_tilt(skeleton: Skeleton, side: str) -> float:
    """Backward tilt in radians of a shin in the rest pose: positive if the foot is behind the knee.

    Examples
    --------
    >>> import segue
    >>> abs(shin_tilt(segue.sample("walk").skeleton, "left")) < 0.1
    True
    """
    found = require(skeleton, f"{side}_knee", f"{side}_ankle")
    rest = skeleton.rest_positions()
    shin = rest[found[f"{side}_ankle"]] - rest[found[f"{side}_knee"]]
    heading = rest_heading(skeleton)
    return float(np.arctan2(-(shin[0] * np.sin(heading) + shin[2] * np.cos(heading)), -shin[1]))


def sole_turn(skeleton: Skeleton, side: str) -> Quaternions:
    """Rotation (4,) that lays a foot of the rest pose flat on its sole; the identity if the rest pose stands.

    A rest pose that does not stand, often a frame of a walk, has an unknown foot angle. The foot is then rotated until
    its ball is as far below the ankle as in most bodies.

    Examples
    --------
    >>> import segue
    >>> sole_turn(segue.sample("walk").skeleton, "left").tolist()
    [1.0, 0.0, 0.0, 0.0]
    """
    if max(abs(shin_tilt(skeleton, each)) for each in ("left", "right")) <= STANCE:
        return np.array(IDENTITY)
    found, rest, leg = roles(skeleton), skeleton.rest_positions(), leg_length(skeleton)
    ankle = found[f"{side}_ankle"]
    joint, toe = _toe(skeleton, ankle, found.get(f"{side}_toe"), leg)
    ball = rest[joint] + toe - rest[ankle]
    heading = rest_heading(skeleton)
    across = np.array([np.cos(heading), 0.0, -np.sin(heading)])
    ahead = float(ball @ [np.sin(heading), 0.0, np.cos(heading)])
    drop = (_ANKLE_HEIGHT - _BALL_HEIGHT) * leg
    wanted = np.arcsin(np.clip(drop / max(float(np.linalg.norm(ball)), 1e-9), -1.0, 1.0))
    return from_axis_angle(across, wanted - np.arctan2(-float(ball[1]), ahead))


def _lowest(skeleton: Skeleton, rest: Positions, ankle: int, stand: Quaternions) -> float:
    """Lowest height, relative to the ankle, of its descendants and their bone tips, with the foot rotated flat."""
    inside = {ankle}
    for joint in range(ankle + 1, skeleton.n_joints):
        if int(skeleton.parents[joint]) in inside:
            inside.add(joint)
    points = [rest[joint] for joint in inside]
    points += [rest[site.joint] + site.offset for site in skeleton.end_sites if site.joint in inside]
    return float(rotate(stand, np.array(points) - rest[ankle])[:, 1].min())
