"""Carry a motion over to another body by roles, limb directions kept.

Each joint with a role takes the source joint's world rotation, corrected by the rotation that takes the target's rest
direction of that bone to the source's: limbs point where the source's point, whatever the rest poses. Joints
without a role are matched by their place if both trees are the same, otherwise by name; the rest keep their rest
rotation. Root motion is scaled by leg length.
"""

from __future__ import annotations

import numpy as np

from segue.arrays import Positions, Quaternions
from segue.errors import SkeletonError, nearest
from segue.maths.quaternions import IDENTITY, conjugate, from_yaw, multiply, rotate, slerp
from segue.maths.quaternions import rotation_between as shortest
from segue.motion.clip import Clip
from segue.motion.facing import rest_heading
from segue.motion.feet import foot_points, leg_length, sole_turn
from segue.motion.kinematics import forward, world
from segue.motion.reference import trunks_at_rest
from segue.motion.roles import LIMB_CHAINS, NEEDED, SIDES, Roles, require, roles
from segue.motion.skeleton import Skeleton
from segue.synthesis.retarget import chains

_PROPORTION = np.radians(30.0)
"""Rest directions of feet and collar bones that differ less than this differ by build, not by rest pose."""


def carried(clip: Clip, skeleton: Skeleton, *, build: float = np.pi) -> Clip:
    """Return the same frames on another skeleton; `segue.synthesis.retarget.retarget` also puts feet on the floor.

    Trunk directions (hips to neck) that differ at rest by up to ``build`` radians differ by build; the excess is
    removed, so that a trunk leans as the source's.
    """
    source = clip.skeleton
    checked_legs(source, skeleton, name=clip.name)
    scale = leg_length(skeleton) / leg_length(source)
    pairs = joint_pairs(source, skeleton)
    facing = _trunk_turn(source, skeleton, build)
    turn = _rest_turns(source, skeleton, pairs, facing)
    moved = world(clip).rotations
    known = {joint: multiply(moved[:, pairs[joint]], turn[joint]) for joint in pairs}
    known |= _along_bones(clip, skeleton, known)
    for stretch in chains.stretches(source, skeleton, pairs):
        for joint, shared in chains.turned(stretch, moved).items():
            known[joint] = multiply(shared, facing)
    rotations = _locals(skeleton, known, clip.n_frames)
    roots = _root_positions(clip, skeleton, rotations, scale)
    return Clip(skeleton, rotations, roots, clip.fps, name=clip.name, origin=clip.origin, source=clip.source)


def _along_bones(clip: Clip, target: Skeleton, known: dict[int, Quaternions]) -> dict[int, Quaternions]:
    """World rotations of limb joints whose bone contains further joints in the source, as in robot hips.

    The bone points from role to role and takes the twist of its last joint; a forearm that of its first.
    """
    theirs, ours = roles(clip.skeleton), roles(target)
    at, rest, rest_s = world(clip), target.rest_positions(), clip.skeleton.rest_positions()
    facing = from_yaw(rest_heading(clip.skeleton) - rest_heading(target))
    out = {}
    for role, joint in ours.items():
        following = _following(role, theirs, ours)
        if (
            joint not in known
            or role not in theirs
            or following is None
            or not role.endswith(("shoulder", "elbow", "hip", "knee"))
        ):
            continue
        last = int(clip.skeleton.parents[theirs[following]])
        if last == theirs[role]:
            continue
        chord = at.positions[:, theirs[following]] - at.positions[:, theirs[role]]
        bone = rest[ours[following]] - rest[joint]
        turn = known[joint]
        if not role.endswith("elbow"):
            lay = shortest(rotate(facing, bone), rest_s[theirs[following]] - rest_s[theirs[role]])
            turn = multiply(at.rotations[:, last], multiply(lay, facing))
        pointing = rotate(turn, np.broadcast_to(bone, chord.shape))
        out[joint] = multiply(shortest(pointing, chord), turn)
    return out


def _locals(skeleton: Skeleton, known: dict[int, Quaternions], n_frames: int) -> Quaternions:
    """Local rotations (F, J, 4) from the world rotations (F, 4) of some joints; the others keep their rest rotation.

    Joints that share a forearm's twist take their share of it.
    """
    shares = {joint: share for joint, share in chains.twists(skeleton).items() if joint not in known}
    placed = np.empty((n_frames, skeleton.n_joints, 4))
    out = np.empty_like(placed)
    for joint in range(skeleton.n_joints):
        parent = int(skeleton.parents[joint])
        above = placed[:, parent] if parent >= 0 else np.broadcast_to(IDENTITY, (n_frames, 4))
        placed[:, joint] = known.get(joint, above)
        if joint in shares and shares[joint][0] in known and shares[joint][1] in known:
            elbow, wrist, share = shares[joint]
            angle = chains.twisted(skeleton, elbow, wrist, lower=known[elbow], hand=known[wrist])
            placed[:, joint] = chains.with_twist(
                skeleton, elbow, wrist, lower=known[elbow], angle=share * angle
            )
        out[:, joint] = multiply(conjugate(above), placed[:, joint])
    return out


def checked_legs(source: Skeleton, target: Skeleton, *, name: str = "") -> None:
    """Check that both bodies have the leg roles; the error names the missing joint and its partner.

    Raises
    ------
    SkeletonError
        If pelvis, hips, knees or ankles of either are unknown.
    """
    theirs, ours = roles(source), roles(target)
    what = f"clip {name!r}" if name else "a clip"
    for role in NEEDED:
        if role not in theirs:
            near = nearest(role.replace("_", ""), source.names)
            msg = f"{what} cannot be retargeted: no joint fills the role {role!r}; {near}"
            raise SkeletonError(msg)
        if role not in ours:
            near = nearest(role.replace("_", ""), target.names)
            msg = (
                f"{what} cannot be retargeted: its joint {source.names[theirs[role]]!r} has no "
                f"partner, because no joint of the target skeleton fills the role {role!r}; {near}"
            )
            raise SkeletonError(msg)


def joint_pairs(source: Skeleton, target: Skeleton) -> dict[int, int]:
    """Return target joint to source joint: by role, by place if trees or chains between two roles agree, or by name.

    Examples
    --------
    >>> import segue
    >>> body = segue.sample("walk").skeleton
    >>> joint_pairs(body, body) == {joint: joint for joint in range(body.n_joints)}
    True
    """
    theirs, ours = roles(source), roles(target)
    if np.array_equal(source.parents, target.parents) and dict(theirs) == dict(ours):
        return {joint: joint for joint in range(target.n_joints)}
    pairs = {ours[role]: theirs[role] for role in ours if role in theirs}
    if ("chest" in ours) != ("chest" in theirs):  # whatever carries the arms is the chest
        there, here = theirs.get("chest", chains.carrier(source)), ours.get("chest", chains.carrier(target))
        if min(there, here) > 0:
            pairs[here] = there
    pairs |= {
        joint: partner
        for joint, partner in chains.by_place(source, target, pairs).items()
        if joint not in pairs
    }
    taken = set(pairs.values())
    by_name = {name.lower(): joint for joint, name in enumerate(source.names)}
    for joint, name in enumerate(target.names):
        match = by_name.get(name.lower())
        if joint not in pairs and match is not None and match not in taken:
            pairs[joint] = match
    pairs.setdefault(0, 0)
    return pairs


def _trunk_turn(source: Skeleton, target: Skeleton, build: float) -> Quaternions:
    """Rotation (4,) from the target's trunk at rest to the source's: heading and lean, except differences of build."""
    facing = from_yaw(rest_heading(source) - rest_heading(target))
    lines = trunks_at_rest(source, target)
    if lines is None:
        return facing
    lay = shortest(rotate(facing, lines[1]), lines[0])
    beyond = max(1.0 - build / max(_angle(lay), 1e-9), 0.0)
    return multiply(slerp(np.array(IDENTITY), lay, beyond), facing)


def _rest_turns(
    source: Skeleton, target: Skeleton, pairs: dict[int, int], trunk: Quaternions
) -> dict[int, Quaternions]:
    """Rotation Q of each target joint with ``R_target = R_source Q``: target rest direction to the source's."""
    theirs, ours = roles(source), roles(target)
    rest_s, rest_t = source.rest_positions(), target.rest_positions()
    facing = from_yaw(rest_heading(source) - rest_heading(target))
    turns: dict[int, Quaternions] = {}
    names = {joint: role for role, joint in ours.items()}
    for joint in pairs:
        role = names.get(joint, "")
        following = _following(role, theirs, ours)
        if following is None:
            turns[joint] = _inherited(target, joint, turns, trunk)
            continue
        # A joint may have a partner by place or name where the other body lacks its role.
        ds = rest_s[theirs[following]] - rest_s[pairs[joint]]
        dt = rotate(facing, rest_t[ours[following]] - rest_t[joint])
        if min(np.linalg.norm(ds), np.linalg.norm(dt)) < 1e-6:
            turns[joint] = _inherited(target, joint, turns, trunk)
            continue
        lay = shortest(dt, ds)
        if role.endswith("ankle"):
            lay = _foot_lay(source, target, role, lay)
        elif role.endswith("clavicle") and _angle(lay) < _PROPORTION:
            # Collar bones hardly move: aligning them with another build would move them at every change of subject.
            lay = IDENTITY
        turns[joint] = multiply(lay, facing)
    return turns


def _foot_lay(source: Skeleton, target: Skeleton, role: str, lay: Quaternions) -> Quaternions:
    """Rotation (4,) that aligns the foot of one rest pose with the other's, given the one that aligns ankle to toe.

    In both rest poses feet stand on flat soles: turning the sole to match ankle heights would lift heel or toe. Where a
    rest pose does not stand its feet are turned flat first.
    """
    side = role.partition("_")[0]
    facing = from_yaw(rest_heading(source) - rest_heading(target))
    theirs = sole_turn(source, side)
    ours = multiply(multiply(facing, sole_turn(target, side)), conjugate(facing))
    flat = multiply(conjugate(theirs), ours)
    return flat if _angle(multiply(lay, conjugate(flat))) < _PROPORTION else lay


def _angle(turn: Quaternions) -> float:
    return float(2.0 * np.arccos(np.clip(abs(turn[0]), 0.0, 1.0)))


def _following(role: str, theirs: Roles, ours: Roles) -> str | None:
    """Next role outwards along the limb that both bodies have: an arm without an elbow points at its wrist."""
    side, _, part = role.partition("_")
    for chain in LIMB_CHAINS:
        if part in chain:
            outwards = (f"{side}_{name}" for name in chain[chain.index(part) + 1 :])
            return next((name for name in outwards if name in theirs and name in ours), None)
    return None


def _inherited(
    target: Skeleton, joint: int, turns: dict[int, Quaternions], trunk: Quaternions
) -> Quaternions:
    """Rotation of the nearest matched limb joint above, so that hands follow forearms; otherwise that of the trunk."""
    limb = {j for role, j in roles(target).items() if role.partition("_")[0] in SIDES}
    above = joint
    while above >= 0:
        if above in limb and above in turns:
            return turns[above]
        above = int(target.parents[above])
    return trunk


def _root_positions(clip: Clip, skeleton: Skeleton, rotations: Quaternions, scale: float) -> Positions:
    """Root positions (F, 3) whose hip centre travels as the source's, scaled by leg length, on the same floor."""
    at = world(clip).positions
    need = ("left_hip", "right_hip")
    theirs, ours = require(clip.skeleton, *need), require(skeleton, *need)
    middle = scale * 0.5 * (at[:, theirs["left_hip"]] + at[:, theirs["right_hip"]])
    middle[:, 1] += _sole_drop(skeleton) - scale * _sole_drop(clip.skeleton)
    probe = forward(skeleton, rotations, np.zeros((clip.n_frames, 3))).positions
    out: Positions = middle - 0.5 * (probe[:, ours["left_hip"]] + probe[:, ours["right_hip"]])
    return out


def _sole_drop(skeleton: Skeleton) -> float:
    """Metres from the ankles down to the soles, from the heels that contacts and foot skate use."""
    return -float(np.mean(foot_points(skeleton).offsets[::2, 1]))
