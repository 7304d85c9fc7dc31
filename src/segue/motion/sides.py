"""The two sides of a body: which joints are a pair, and the plane between left and right in the rest pose."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from segue.arrays import Ints, Positions, Quaternions, frozen
from segue.maths.quaternions import multiply
from segue.motion.role_names import mirror_name
from segue.motion.roles import ROLES, require, roles
from segue.motion.skeleton import EndSite, Skeleton

_LEFT = np.array([1.0, 0.0, 0.0])
_SAME = 1e-9
"""Metres by which an offset may differ from its mirror image in a symmetric body."""
_HIPS = np.radians(30.0)
_NEAR = np.radians(10.0)


@lru_cache(maxsize=256)
def across(skeleton: Skeleton) -> Positions:
    """Unit vector (3,) normal to the best mirror plane of the rest pose, towards the left.

    Offsets o of pairs should satisfy ``o_left = N o_right``, and offsets of middle joints lie in the plane; the sum of
    squared errors is least for the smallest eigenvector of a symmetric matrix. If that is far from the line of the hips
    (rest poses whose sides are not mirror images), the line of the hips is taken. Rest poses are usually aligned with
    an axis, so a body whose sides differ a little gets the nearest axis.

    Examples
    --------
    >>> import segue
    >>> across(segue.sample("walk").skeleton).round(9).tolist()
    [1.0, 0.0, 0.0]
    """
    hips = require(skeleton, "left_hip", "right_hip")
    rest = skeleton.rest_positions()
    line = unit(rest[hips["left_hip"]] - rest[hips["right_hip"]])
    order = partners(skeleton)
    rows = np.flatnonzero(order[1:] >= 0) + 1
    ours, theirs = skeleton.offsets[rows], skeleton.offsets[order[rows]]
    spread = ours.T @ theirs + theirs.T @ ours
    axis: Positions = np.linalg.eigh(spread)[1][:, 0]
    if not np.any(line):
        line = np.array([1.0, 0.0, 0.0])
    if abs(axis @ line) < np.cos(_HIPS):
        return frozen(line)
    axis = axis * np.sign(axis @ line)
    if np.abs(ours - reflected(theirs, axis)).max(initial=0.0) < _SAME:
        return frozen(unit(np.where(np.abs(axis) < 1e-12, 0.0, axis)))
    main = int(np.argmax(np.abs(axis)))
    straight = np.eye(3)[main] * np.sign(axis[main])
    return frozen(straight if axis @ straight > np.cos(_NEAR) else axis)


@lru_cache(maxsize=256)
def partners(skeleton: Skeleton) -> Ints:
    """Index (J,) of each joint's partner on the other side: itself in the middle, -1 if the partner is missing.

    Examples
    --------
    >>> import segue
    >>> body = segue.sample("walk").skeleton
    >>> body.names[partners(body)[body.index("LeftHand")]]
    'RightHand'
    """
    count = skeleton.n_joints
    out = np.full(count, -2, dtype=np.int64)
    found = roles(skeleton)
    for role in ROLES:
        side, _, part = role.partition("_")
        if role in found and not part:
            out[found[role]] = found[role]
        elif side == "left" and role in found and f"right_{part}" in found:
            _pair(out, found[role], found[f"right_{part}"])
    out[0] = 0
    for joint, name in enumerate(skeleton.names):
        other = mirror_name(name, skeleton.names)
        if out[joint] == -2 and other != name and out[skeleton.index(other)] == -2:
            _pair(out, joint, skeleton.index(other))
    for joint in range(1, count):
        if out[joint] == -2:
            _by_place(skeleton, out, joint)
    return frozen(out, np.int64)


def _pair(out: Ints, a: int, b: int) -> None:
    out[a], out[b] = b, a


def _by_place(skeleton: Skeleton, out: Ints, joint: int) -> None:
    """Pair a joint with the child of its parent's partner that has as many children and the nearest bone length."""
    parent = int(skeleton.parents[joint])
    other = int(out[parent])
    if other == parent:  # a middle joint, or one side joint without a partner
        out[joint] = joint
        return
    if other < 0:
        out[joint] = -1
        return
    free = [child for child in skeleton.children[other] if out[child] == -2]
    same = [child for child in free if len(skeleton.children[child]) == len(skeleton.children[joint])]
    if not same:
        out[joint] = -1
        return
    length = np.linalg.norm(skeleton.offsets[joint])
    _pair(
        out, joint, min(same, key=lambda child: abs(float(np.linalg.norm(skeleton.offsets[child]) - length)))
    )


def mirrored_skeleton(skeleton: Skeleton) -> Skeleton:
    """Mirror image of a body: offsets reflected, names of partners exchanged, joints in the same order.

    Examples
    --------
    >>> import segue
    >>> body = segue.sample("walk").skeleton
    >>> mirrored_skeleton(body).names[body.index("LeftHand")]
    'RightHand'
    """
    order = partners(skeleton)
    normal = across(skeleton)
    names = [skeleton.names[other if other >= 0 else joint] for joint, other in enumerate(order)]
    offsets = reflected(skeleton.offsets, normal)
    offsets[0] = skeleton.offsets[0]
    sites = [EndSite(site.joint, frozen(reflected(site.offset, normal))) for site in skeleton.end_sites]
    reference = None if skeleton.reference is None else between_mirrors(_LEFT, skeleton.reference, normal)
    # User-set roles refer to joint names, and names are exchanged with the sides.
    return Skeleton(
        names, skeleton.parents, offsets, sites, roles_given=skeleton.roles_given, reference=reference
    )


def between_mirrors(m: Positions, q: Quaternions, n: Positions) -> Quaternions:
    """Rotation ``M R N`` of rotations R (..., 4), with M and N the reflections with unit normals m and n.

    As a quaternion product a reflection is ``v -> m v m`` with m a pure quaternion, so ``M R N`` is ``m q n``; the sign
    is chosen so that equal mirrors keep the identity.
    """
    first, second = (np.concatenate([[0.0], v]) for v in (m, n))
    return -multiply(multiply(first, q), second)


def is_symmetric(skeleton: Skeleton) -> bool:
    """Return whether the body is its own mirror image, joint by joint."""
    order = partners(skeleton)
    if np.any(order < 0) or np.any(order[skeleton.parents[1:]] != skeleton.parents[order[1:]]):
        return False
    apart = skeleton.offsets[1:] - reflected(skeleton.offsets[order[1:]], across(skeleton))
    return bool(np.abs(apart).max(initial=0.0) < _SAME)


def reflected(v: Positions, normal: Positions) -> Positions:
    """Reflect vectors (..., 3) in the plane through the origin with a unit normal (3,)."""
    out: Positions = v - 2.0 * (v @ normal)[..., None] * normal
    return out


def unit(v: Positions) -> Positions:
    """Normalise a vector (3,)."""
    out: Positions = v / max(float(np.linalg.norm(v)), 1e-300)
    return out
