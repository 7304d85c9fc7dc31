"""Keep a retargeted body no deeper below the ground than the source: bend toes up, raise hands, lift the body.

Another body's hands, toes and back are not where the source's are, although every limb points in the same direction.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from segue.arrays import Bools, Floats, Positions, Quaternions
from segue.maths.quaternions import conjugate, from_axis_angle, multiply, rotate
from segue.motion.clip import Clip
from segue.motion.facing import rest_heading
from segue.motion.feet import foot_positions, leg_length
from segue.motion.kinematics import World, attached_points, world
from segue.motion.limb_ik import Leg, reach_ankle
from segue.motion.roles import SIDES, roles
from segue.motion.skeleton import Skeleton
from segue.synthesis.feet.lowering import smooth_above
from segue.synthesis.feet.planting import EASE

_SLACK = 0.005
"""Metres that hands and the trunk may be deeper than the source's lowest part."""
_POINT = 1e-4
"""Leg lengths: a bone tip nearer to its joint than this coincides with it."""
_FLAT = 1e-6
"""Smallest horizontal share of a vector's length at which it has a horizontal direction."""
_STEEPEST = np.radians(100.0)
"""Radians: largest angle by which toes are bent up."""


def allowed_depth(source: Clip, made: Clip, ground: float) -> Floats:
    """Return the height (F,) in metres below which nothing may go: the ground, or the source's lowest part."""
    at = world(source)
    lowest = np.concatenate(
        [_heights(source.skeleton, at), foot_positions(source.skeleton, at)[..., 1]], axis=1
    )
    scale = leg_length(made.skeleton) / leg_length(source.skeleton)
    out: Floats = np.minimum(scale * lowest.min(axis=1), scale * ground)
    return out


def raised(made: Clip, allowed: Floats) -> Clip:
    """Lift the body, smoothly, where trunk, head, knees or elbows are too deep; the feet stay where they are.

    Examples
    --------
    >>> import segue
    >>> import numpy as np
    >>> walk = segue.sample("walk")
    >>> raised(walk, np.zeros(walk.n_frames)) is walk
    True
    """
    found = roles(made.skeleton)
    limbs = [found[role] for side in SIDES for role in (f"{side}_wrist", f"{side}_ankle") if role in found]
    inside = sorted(
        set(range(made.skeleton.n_joints)) - {joint for top in limbs for joint in _below(made.skeleton, top)}
    )
    at = world(made)
    needed = np.maximum(allowed - _SLACK - at.positions[:, inside, 1].min(axis=1), 0.0)
    if not needed.any():
        return made
    lift = smooth_above(needed, max(round(EASE * made.fps), 1))
    rotations, roots = np.array(made.rotations), np.array(made.root_positions)
    roots[:, 1] += lift
    for side in SIDES:
        leg = Leg.of(made.skeleton, side)
        hips = np.array(at.positions[:, leg.hip])
        hips[:, 1] += lift
        _reach(rotations, made.skeleton, at, leg, (hips, at.positions[:, leg.ankle]))
    return made.with_motion(rotations, roots)


def toes_up(made: Clip, allowed: Floats) -> Clip:
    """Bend toes up where their tips are too deep: heels lift and toes stay on the floor.

    Examples
    --------
    >>> import segue
    >>> import numpy as np
    >>> walk = segue.sample("walk")
    >>> toes_up(walk, np.full(walk.n_frames, -1.0)) is walk
    True
    """
    found, at = roles(made.skeleton), world(made)
    rotations = np.array(made.rotations)
    changed = False
    for side in SIDES:
        toe = found.get(f"{side}_toe")
        if toe is None:
            continue
        places = _points(
            made.skeleton, at, _below(made.skeleton, toe)[1:], tips_of=_below(made.skeleton, toe)
        )
        # Points on the toe joint are not moved by its rotation.
        away = np.linalg.norm(places[0] - at.positions[0, toe], axis=1) > _POINT * leg_length(made.skeleton)
        places = places[:, away]
        below = places[..., 1]
        if not below.shape[1]:
            continue
        rows = np.flatnonzero(below.min(axis=1) < allowed)
        if not rows.size:
            continue
        changed = True
        joint = at.positions[rows, toe]
        tip = places[rows, np.argmin(below[rows], axis=1)] - joint
        # The bend direction is the foot's: tips that point straight down have none.
        front, clear = _forwards(made.skeleton, at.rotations[rows, toe])
        across, _ = level_axis(front)
        ahead = np.einsum("nc,nc->n", tip, front)
        length = np.maximum(np.hypot(ahead, tip[:, 1]), 1e-9)
        slope = np.arctan2(tip[:, 1], ahead)
        slope[slope > 0.5 * np.pi] -= 2.0 * np.pi
        wanted = np.arcsin(np.clip((allowed[rows] - joint[:, 1]) / length, -1.0, 1.0))
        turn = from_axis_angle(across, np.where(clear, np.clip(wanted - slope, 0.0, _STEEPEST), 0.0))
        above = at.rotations[rows, made.skeleton.parents[toe]]
        local = multiply(conjugate(above), multiply(turn, at.rotations[rows, toe]))
        rotations[rows, toe] = _nearer(local, rotations[rows, toe])
    return made.with_motion(rotations) if changed else made


def _forwards(skeleton: Skeleton, turns: Quaternions) -> tuple[Positions, Bools]:
    """Horizontal unit directions (N, 3) in which joints of world rotations (N, 4) bend, and flags of joints with one.

    They are perpendicular to the joint axis that points sideways in the rest pose.
    """
    heading = rest_heading(skeleton)
    side = rotate(turns, np.broadcast_to([np.cos(heading), 0.0, -np.sin(heading)], (len(turns), 3)))
    front = np.cross(side, [0.0, 1.0, 0.0])
    length = np.linalg.norm(front, axis=1)
    clear = length > _FLAT
    return np.where(clear[:, None], front / np.maximum(length, 1e-300)[:, None], [0.0, 0.0, 1.0]), clear


def hands_up(made: Clip, allowed: Floats) -> Clip:
    """Raise wrists smoothly where hands are too deep, by bending the elbows.

    Examples
    --------
    >>> import segue
    >>> import numpy as np
    >>> walk = segue.sample("walk")
    >>> hands_up(walk, np.zeros(walk.n_frames)) is walk
    True
    """
    found, at = roles(made.skeleton), world(made)
    rotations = np.array(made.rotations)
    changed = False
    for side in SIDES:
        joints = [found.get(f"{side}_{part}") for part in ("shoulder", "elbow", "wrist")]
        shoulder, elbow, wrist = joints
        if shoulder is None or elbow is None or wrist is None:
            continue
        hand = _below(made.skeleton, wrist)
        lowest = _heights(made.skeleton, at, hand, tips_of=hand).min(axis=1)
        needed = np.maximum(allowed - _SLACK - lowest, 0.0)
        if not needed.any():
            continue
        changed = True
        places = np.array(at.positions[:, wrist])
        places[:, 1] += smooth_above(needed, max(round(EASE * made.fps), 1))
        _reach(rotations, made.skeleton, at, Leg(shoulder, elbow, wrist), (at.positions[:, shoulder], places))
    return made.with_motion(rotations) if changed else made


def level_axis(vectors: Positions) -> tuple[Positions, Bools]:
    """Return horizontal unit axes (N, 3) about which vectors (N, 3) tilt up, and flags (N,) of vectors with one.

    A vector of zero length, or vertical, has none; its axis is X.

    Examples
    --------
    >>> import numpy as np
    >>> axes, clear = level_axis(np.array([[0, 0, 2.0], [0, 0, 0]]))
    >>> axes.tolist(), clear.tolist()
    ([[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]], [True, False])
    """
    across = np.cross(vectors, [0.0, 1.0, 0.0])
    length = np.linalg.norm(across, axis=1)
    clear = length > _FLAT * np.linalg.norm(vectors, axis=1)
    out = np.where(clear[:, None], across / np.maximum(length, 1e-300)[:, None], [1.0, 0.0, 0.0])
    return out + 0.0, clear


def _reach(
    rotations: np.ndarray, skeleton: Skeleton, at: World, limb: Leg, ends: tuple[Positions, Positions]
) -> None:
    """Write the local rotations of a limb whose upper joint and end are moved to given places."""
    top, end = ends
    moved = np.flatnonzero(
        (np.abs(top - at.positions[:, limb.hip]).max(axis=1) > 0)
        | (np.abs(end - at.positions[:, limb.ankle]).max(axis=1) > 0)
    )
    if not moved.size:
        return
    part = World(at.rotations[moved], at.positions[moved])
    found = reach_ankle(
        skeleton, part, limb, hips=top[moved], ankles=end[moved], feet=part.rotations[:, limb.ankle]
    )
    for joint, local in zip((limb.hip, limb.knee, limb.ankle), found, strict=True):
        rotations[moved, joint] = _nearer(local, rotations[moved, joint])


def _nearer(local: np.ndarray, before: np.ndarray) -> np.ndarray:
    """The same rotations with the signs of those they replace, so that angles written to files stay continuous."""
    same = np.sum(local * before, axis=-1, keepdims=True) >= 0
    return np.where(same, local, -local)


def _below(skeleton: Skeleton, top: int) -> list[int]:
    """A joint and all its descendants, parents first."""
    inside = [top]
    for joint in range(top + 1, skeleton.n_joints):
        if int(skeleton.parents[joint]) in inside:
            inside.append(joint)
    return inside


def _points(
    skeleton: Skeleton,
    at: World,
    joints: Sequence[int] | None = None,
    *,
    tips_of: Sequence[int] | None = None,
) -> Positions:
    """World positions (F, P, 3) of ``joints`` and of the bone tips of ``tips_of``; of all by default."""
    rows = list(range(skeleton.n_joints)) if joints is None else list(joints)
    tips = [site for site in skeleton.end_sites if tips_of is None or site.joint in tips_of]
    ends = attached_points(
        at, [site.joint for site in tips], np.array([site.offset for site in tips]).reshape(-1, 3)
    )
    out: Positions = np.concatenate([at.positions[:, rows], ends], axis=1)
    return out


def _heights(
    skeleton: Skeleton,
    at: World,
    joints: Sequence[int] | None = None,
    *,
    tips_of: Sequence[int] | None = None,
) -> Floats:
    out: Floats = _points(skeleton, at, joints, tips_of=tips_of)[..., 1]
    return out
