"""Rotations of joints by role, relative to a common rest pose.

A rotation is relative to the skeleton's rest pose, so those of an arm that hangs at rest and of one that is stretched
out at rest cannot be compared directly. Here each joint's world rotation is combined with the rotation that carries the
bone's direction in a common rest pose (upright, facing +Z, arms stretched out, legs straight down) to its own rest
direction, and so becomes relative to the common pose. Within one skeleton this changes no angle between two rotations.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from segue.arrays import Floats, Quaternions, frozen
from segue.maths.quaternions import IDENTITY, conjugate, from_yaw, log, multiply, rotate, rotation_between
from segue.motion.clip import Clip
from segue.motion.facing import rest_heading
from segue.motion.kinematics import World
from segue.motion.reference import standing
from segue.motion.roles import LIMB_CHAINS, ROLES, SIDES, Roles, roles
from segue.motion.skeleton import Skeleton

_TRUNK = ("head", "neck", "chest", "spine", "pelvis")
_DOWN, _AHEAD = np.array([0.0, -1.0, 0.0]), np.array([0.0, 0.0, 1.0])
_OUT = {"left": np.array([1.0, 0.0, 0.0]), "right": np.array([-1.0, 0.0, 0.0])}
_BUILD = np.radians(30.0)
"""Rest directions of feet and collar bones that differ by less are attributed to build, not to the rest pose."""


def inwards(role: str) -> tuple[str, ...]:
    """Roles between a joint and the pelvis, nearest first, the pelvis last.

    Examples
    --------
    >>> inwards("left_knee"), inwards("chest")
    (('left_hip', 'pelvis'), ('spine', 'pelvis'))
    """
    side, _, part = role.partition("_")
    if side not in SIDES:
        return _TRUNK[_TRUNK.index(role) + 1 :]
    chain = next(chain for chain in LIMB_CHAINS if part in chain)
    limb = tuple(f"{side}_{name}" for name in reversed(chain[: chain.index(part)]))
    return limb + (_TRUNK[2:] if chain is LIMB_CHAINS[0] else ("pelvis",))


def above(role: str, known: Sequence[str]) -> str | None:
    """Next role towards the pelvis among those known; None for the pelvis, or if none above is known.

    Examples
    --------
    >>> above("left_elbow", ("pelvis", "chest", "left_elbow"))
    'chest'
    """
    return next((name for name in inwards(role) if name in known), None)


def role_turns(clip: Clip, at: World, wanted: Sequence[str]) -> Quaternions:
    """World rotations (F, R, 4) of the joints of known roles, relative to the common rest pose."""
    found = roles(clip.skeleton)
    lays = _rest_turns(standing(clip.skeleton), found)
    joints = [found[role] for role in wanted]
    turns = np.stack([lays[role] for role in wanted])
    if clip.skeleton.reference is not None:
        turns = multiply(conjugate(clip.skeleton.reference[joints]), turns)
    turned: Quaternions = frozen(multiply(at.rotations[:, joints], turns))
    return turned


def relative_turns(turns: Quaternions, known: Sequence[str], wanted: Sequence[str]) -> Quaternions:
    """Rotations (F, K, 4) of wanted roles relative to the next known joint above, the pelvis's in the world."""
    out = np.empty((turns.shape[0], len(wanted), 4))
    for k, role in enumerate(wanted):
        mine, upper = turns[:, known.index(role)], above(role, known)
        out[:, k] = mine if upper is None else multiply(conjugate(turns[:, known.index(upper)]), mine)
    return out


def turn_speeds(turns: Quaternions, per_frame: float) -> Floats:
    """Half rotation vectors (F-2, K, 3) from the frame before to the frame after, times ``per_frame`` over 2."""
    out: Floats = log(multiply(conjugate(turns[:-2]), turns[2:])) * (0.5 * per_frame)
    return out


def _rest_turns(skeleton: Skeleton, found: Roles) -> dict[str, Quaternions]:
    """Rotation from the bone in the common rest pose to the skeleton's own, by role."""
    rest = skeleton.rest_positions()
    facing = from_yaw(np.array(rest_heading(skeleton)))
    out: dict[str, Quaternions] = {}
    for role in (role for role in ROLES if role in found):
        side, _, part = role.partition("_")
        if side not in SIDES:
            out[role] = facing
            continue
        chain = next(chain for chain in LIMB_CHAINS if part in chain)
        following = [f"{side}_{name}" for name in chain[chain.index(part) + 1 :]]
        tip = next((name for name in following if name in found), None)
        bone = rest[found[tip]] - rest[found[role]] if tip else np.zeros(3)
        if np.linalg.norm(bone) < 1e-6:
            upper = above(role, [name for name in out if name.startswith(side)])
            out[role] = facing if upper is None else out[upper]
            continue
        common = rotate(
            facing, _AHEAD if part == "ankle" else _OUT[side] if chain is LIMB_CHAINS[0] else _DOWN
        )
        lay = rotation_between(common, bone)
        if part in ("ankle", "clavicle") and 2.0 * np.arccos(min(abs(float(lay[0])), 1.0)) < _BUILD:
            lay = IDENTITY
        out[role] = multiply(lay, facing)
    return out
