"""Estimation of a skeleton from joint positions: median bone lengths, in a T-pose that looks along +Z.

Several bones at one joint (hips at a pelvis, shoulders at a chest, heel and toe at an ankle) keep their mean shape over
the motion and are rotated together into the T-pose; a single bone points along its limb. Trunk, neck and head have
their mean directions relative to each other over the motion (`trunk_directions`).

In every body the neck leans forwards and the spine is curved. With a straight rest pose that shape would become part of
the rotations, and a target body with the same shape would get it twice.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from segue.arrays import Bools, Floats, Ints, Positions
from segue.motion.positions.trees import JointTree
from segue.motion.positions.turning import kabsch
from segue.motion.role_names import read_name
from segue.motion.roles import Roles, given, roles
from segue.motion.skeleton import EndSite, Skeleton

_FRAMES = 300
_NONE = 1e-4  # share of the longest bone below which a bone has no direction
_SPREAD = (
    0.05  # least second singular value, as a share of the first, of several bones that are not on one line
)
_PAIRED, _LITTLE = (
    0.2,
    0.03,
)  # weights of a bone of a pair, relative to the line across, and of an unknown direction
_TINY = 1e-12
_UP, _AHEAD = np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0])
_FOOT_TIP, _CROWN, _HAND = 0.07, 0.2, 0.1  # lengths of tips without a joint, in leg lengths
_PARTS: dict[str, tuple[float, float, float]] = {
    "hip": (1.0, -0.4, 0.0), "knee": (0.0, -1.0, 0.0), "ankle": (0.0, -1.0, 0.0), "toe": (0.0, -0.35, 1.0),
    "clavicle": (0.8, 0.5, 0.0), "shoulder": (1.0, 0.1, 0.0), "elbow": (1.0, 0.0, 0.0), "wrist": (1.0, 0.0, 0.0),
}  # fmt: skip
"""Directions of the left side's bones by the role of their end joint; the right side mirrors them."""
_WORDS: tuple[tuple[str, tuple[float, float, float]], ...] = (
    ("heel", (0.0, -0.8, -0.6)), ("ear", (1.0, 0.0, 0.0)), ("eye", (0.35, 0.3, 1.0)), ("nose", (0.0, 0.0, 1.0)),
    ("mouth", (0.25, -0.4, 1.0)), ("thumb", (0.6, 0.0, 0.8)), ("index", (1.0, 0.0, 0.25)),
    ("middle", (1.0, 0.0, 0.05)), ("ring", (1.0, 0.0, -0.1)), ("pinky", (1.0, 0.0, -0.25)),
    ("little", (1.0, 0.0, -0.25)),
)  # fmt: skip
"""The same for bones to joints without a role, by a word in their names."""


def grown(tree: JointTree, places: Positions) -> Skeleton:
    """Estimate the skeleton of positions (F, J, 3) with Y up; joints never seen coincide with their parents."""
    rows = np.unique(np.linspace(0, len(places) - 1, min(len(places), _FRAMES)).astype(np.int64))
    lengths = bone_lengths(places, tree.parents)
    first = _with_roles(tree, _as_seen(tree, places[rows], lengths))
    found = roles(first)
    if not {"left_hip", "right_hip", "left_knee", "right_knee"} <= set(found):
        return first
    offsets = _standing(first, found, places, rows, lengths)
    offsets[0] = 0.0
    body = _with_roles(tree, Skeleton(tree.names, tree.parents, offsets))
    return _on_the_floor(_with_roles(tree, _with_tips(body, roles(body))))


def bone_lengths(places: Positions, parents: Ints) -> Floats:
    """Compute the median distance (J,) of each joint from its parent in metres; 0 for the root and unseen joints."""
    out = np.zeros(len(parents))
    for joint in range(1, len(parents)):
        size = np.linalg.norm(places[:, joint] - places[:, parents[joint]], axis=-1)
        size = size[np.isfinite(size)]
        out[joint] = float(np.median(size)) if size.size else 0.0
    return out


def _with_roles(tree: JointTree, skeleton: Skeleton) -> Skeleton:
    return given(skeleton, dict(tree.roles)) if tree.roles else skeleton


def _as_seen(tree: JointTree, places: Positions, lengths: Floats) -> Skeleton:
    """Skeleton whose rest pose is the frame with the largest extent, in which limbs are straightest."""
    size = np.nan_to_num(np.ptp(places, axis=1)).sum(axis=-1)
    shown = places[int(np.argmax(size))]
    offsets = np.zeros((len(tree.names), 3))
    for joint in range(1, len(tree.names)):
        direction = shown[joint] - shown[tree.parents[joint]]
        long = float(np.linalg.norm(direction))
        offsets[joint] = direction * (lengths[joint] / long) if np.isfinite(long) and long > 0 else 0.0
    return Skeleton(tree.names, tree.parents, offsets)


def _standing(skeleton: Skeleton, found: Roles, places: Positions, rows: Ints, lengths: Floats) -> Positions:
    """Offsets (J, 3) of the standing rest pose."""
    by_joint = {joint: role for role, joint in found.items()}
    directions = np.array([_direction(skeleton, joint, by_joint) for joint in range(skeleton.n_joints)])
    _level_feet(directions, found, places, lengths)
    for joint, direction in trunk_directions(skeleton, found, places[rows]).items():
        directions[joint] = direction
    offsets = np.zeros((skeleton.n_joints, 3))
    tiny = _NONE * float(lengths.max(initial=0.0))
    for joint in range(skeleton.n_joints):
        if joint and lengths[joint] <= tiny:
            continue  # coincides with its parent, whose bones include those of this joint
        kids = bones_from(skeleton, joint, lengths > tiny)
        open_ = [not np.isfinite(directions[kid]).all() for kid in kids]
        for kid, unsaid in zip(kids, open_, strict=True):
            direction = _onwards(offsets, skeleton, kid) if unsaid else directions[kid]
            offsets[kid] = lengths[kid] * direction / np.linalg.norm(direction)
        if len(kids) > 1:
            shape = _shape(places[rows], joint, [*kids, int(skeleton.parents[joint])])
            sides = [read_name(skeleton.names[kid])[0] for kid in kids]
            above = -_onwards(offsets, skeleton, kids[0])
            offsets[kids] = _together(offsets[kids], shape, open_, sides, above)
    return offsets


def bones_from(skeleton: Skeleton, joint: int, long: Bools) -> list[int]:
    """Return the end joints of the bones that begin at a joint, or at a descendant in the same position."""
    out = []
    for kid in skeleton.children[joint]:
        out += [kid] if long[kid] else bones_from(skeleton, kid, long)
    return out


def _together(
    offsets: Positions,
    shape: Positions | None,
    unsaid: Sequence[bool],
    sides: Sequence[str],
    above: Positions,
) -> Positions:
    """Offsets (K, 3) of several bones, rotated together from their mean shape in the motion into the rest pose.

    The last row of ``shape`` is the bone above, which has little weight. Left-right pairs are first of all aligned with
    X. Bones along one line, such as two collar bones that begin at one point, get the mean of their directions, or
    continue the bone above if one of them has no direction of its own (``unsaid``).
    """
    if shape is None:
        return offsets
    shape, last = shape[:-1], shape[-1]
    lengths = np.linalg.norm(offsets, axis=1)
    directions = offsets / lengths[:, None]
    _, spread, axes = np.linalg.svd(shape)
    if len(spread) < 2 or spread[1] <= _SPREAD * spread[0]:
        signs = np.sign(shape @ axes[0])
        chosen = np.array(unsaid) if any(unsaid) else np.ones(len(signs), dtype=bool)
        common = signs[chosen] @ directions[chosen]
        out: Positions = signs[:, None] * lengths[:, None] * common / max(np.linalg.norm(common), _TINY)
        return out
    goal, seen = [_LITTLE * above], [_LITTLE * last]
    left, right = ([k for k, side in enumerate(sides) if side == word] for word in ("left", "right"))
    pairs = list(zip(left, right, strict=True)) if len(left) == len(right) else []
    for a, b in pairs:
        across = shape[a] - shape[b]
        goal.append(np.array([np.linalg.norm(across), 0.0, 0.0]))
        seen.append(across)
    for k, bone in enumerate(shape):
        weight = _LITTLE if unsaid[k] else _PAIRED if any(k in pair for pair in pairs) else 1.0
        goal.append(weight * offsets[k])
        seen.append(weight * bone)
    turn = kabsch(np.array(goal)[None], np.array(seen)[None], prior=1e-12)[0]
    turned = shape @ turn.T
    shaped: Positions = turned * (lengths / np.linalg.norm(turned, axis=1))[:, None]
    return shaped


def _direction(skeleton: Skeleton, joint: int, by_joint: dict[int, str]) -> Positions:
    """Direction (3,) of the bone that ends at a joint; NaN if it continues the bone above."""
    role = by_joint.get(joint, "")
    side, _, part = role.partition("_")
    if part in _PARTS:
        return np.array(_PARTS[part]) * ([1.0, 1.0, 1.0] if side == "left" else [-1.0, 1.0, 1.0])
    if role in {"spine", "chest", "neck", "head"}:
        return _UP
    side, word, _ = read_name(skeleton.names[joint])
    direction = next((np.array(each) for key, each in _WORDS if key in word), None)
    if direction is None:
        return _UP if int(skeleton.parents[joint]) == 0 and not side else np.full(3, np.nan)
    return direction * ([-1.0, 1.0, 1.0] if side == "right" else [1.0, 1.0, 1.0])


def _onwards(offsets: Positions, skeleton: Skeleton, joint: int) -> Positions:
    """Direction of the nearest bone above with an offset, else up."""
    above = int(skeleton.parents[joint])
    while above > 0:
        if offsets[above].any():
            found: Positions = offsets[above]
            return found
        above = int(skeleton.parents[above])
    return _UP


def _level_feet(directions: Positions, found: Roles, places: Positions, lengths: Floats) -> None:
    """Tilt the feet of the rest pose as in stance, from the lowest heights of ankle and toe over the motion."""
    for side in ("left", "right"):
        ankle, toe = found.get(f"{side}_ankle"), found.get(f"{side}_toe")
        if ankle is None or toe is None or lengths[toe] <= 0:
            continue
        high, low = (places[np.isfinite(places[:, j, 1]), j, 1] for j in (ankle, toe))
        drop = float(np.percentile(high, 5) - np.percentile(low, 5)) / lengths[toe]
        drop = float(np.clip(drop, 0.0, 0.8))
        directions[toe] = [0.0, -drop, np.sqrt(1.0 - drop**2)]


def _shape(places: Positions, joint: int, kids: list[int]) -> Positions | None:
    """Mean shape (K, 3) of several bones at a joint, up to rotation; None if they are never seen together.

    The last of ``kids`` may be -1 if there is no bone above.
    """
    bones = places[:, kids] - places[:, [joint]]
    if kids[-1] < 0:
        bones[:, -1] = 0.0
    bones = bones[np.isfinite(bones).all(axis=(1, 2))]
    if not len(bones):
        return None
    shape: Positions = bones[len(bones) // 2]
    for _ in range(4):
        turns = kabsch(bones, np.broadcast_to(shape, bones.shape), prior=1e-9)
        shape = np.einsum("fba,fkb->ka", turns, bones) / len(bones)
    return shape


def _with_tips(skeleton: Skeleton, found: Roles) -> Skeleton:
    """Add tips to feet, head and hands that have no further joints."""
    leg = sum(
        float(np.linalg.norm(skeleton.offsets[found[f"left_{part}"]]))
        for part in ("knee", "ankle")
        if f"left_{part}" in found
    )
    tips = []
    for role, joint in found.items():
        side, _, part = role.partition("_")
        if part == "toe" and not skeleton.children[joint]:
            tips.append(EndSite(joint, leg * _FOOT_TIP * _AHEAD))
        elif role == "head" and not skeleton.children[joint]:
            tips.append(EndSite(joint, leg * _CROWN * _UP))
        elif part == "wrist" and not skeleton.children[joint]:
            tips.append(EndSite(joint, leg * _HAND * np.array([1.0 if side == "left" else -1.0, 0.0, 0.0])))
    return Skeleton(skeleton.names, skeleton.parents, skeleton.offsets, tips)


def _on_the_floor(skeleton: Skeleton) -> Skeleton:
    """Shift the root so that the lowest joint of the rest pose is at height 0."""
    offsets = np.array(skeleton.offsets)
    offsets[0] = [0.0, -float(skeleton.rest_positions()[:, 1].min()), 0.0]
    return Skeleton(
        skeleton.names, skeleton.parents, offsets, skeleton.end_sites, roles_given=skeleton.roles_given
    )


_CLEAR = 0.5  # least length of a mean direction, and least share of it along the trunk
_SHORT = 1e-9


def trunk_directions(skeleton: Skeleton, found: Roles, places: Positions) -> dict[int, Positions]:
    """Compute directions (3,) of the bones from pelvis to head, by end joint, in a rest pose that faces +Z.

    The line from mid-hips to neck, or to the nearest known joint, is vertical. Bones lie in the body's middle plane.
    Bones that are never seen, or have no clear mean direction, are left out.

    Parameters
    ----------
    skeleton
        The tree; its offsets are ignored.
    found
        Roles, including both hips.
    places
        (F, J, 3) positions, Y up; NaN where a joint is not seen.

    Examples
    --------
    >>> import segue
    >>> walk = segue.sample("walk")
    >>> found = trunk_directions(walk.skeleton, segue.roles(walk.skeleton), segue.world_positions(walk))
    >>> bool(found[walk.skeleton.index("Neck")][1] > 0.9)
    True
    """
    top = next((found[role] for role in ("neck", "chest", "head", "spine") if role in found), None)
    if top is None:
        return {}
    hips = places[:, found["left_hip"]], places[:, found["right_hip"]]
    up = places[:, top] - 0.5 * (hips[0] + hips[1])
    across = [hips[0] - hips[1]] * 2
    if "left_shoulder" in found and "right_shoulder" in found:
        across[1] = places[:, found["left_shoulder"]] - places[:, found["right_shoulder"]]
    lower, upper = (_frames(each, up) for each in across)
    out = {}
    last = found.get("head", top)
    for joint in _above(skeleton, last, below=min(found["left_hip"], found["right_hip"])):
        axes = upper if joint > top or joint == last else lower
        direction = _mean(
            np.einsum("fab,fb->fa", axes, places[:, joint] - places[:, skeleton.parents[joint]])
        )
        if direction is not None:
            out[joint] = direction
    return out


def _above(skeleton: Skeleton, joint: int, *, below: int) -> list[int]:
    """A joint and its ancestors up to, and without, the first that is an ancestor of the hip ``below``."""
    out = []
    carrying = set()
    while below >= 0:
        carrying.add(below)
        below = int(skeleton.parents[below])
    while joint > 0 and joint not in carrying:
        out.append(joint)
        joint = int(skeleton.parents[joint])
    return out


def _frames(across: Positions, up: Positions) -> Positions:
    """Rotation matrices (F, 3, 3) from the world to axes to the left, up along the trunk and ahead."""
    y = up / np.maximum(np.linalg.norm(up, axis=-1, keepdims=True), _SHORT)
    x = across - np.sum(across * y, axis=-1, keepdims=True) * y
    x = x / np.maximum(np.linalg.norm(x, axis=-1, keepdims=True), _SHORT)
    return np.stack([x, y, np.cross(x, y)], axis=1)


def _mean(bones: Positions) -> Positions | None:
    """Mean direction (3,) of bones (F, 3) in the middle plane, or None if it is not clear."""
    size = np.linalg.norm(bones, axis=-1)
    seen = np.isfinite(size) & (size > _SHORT)
    if not seen.any():
        return None
    mean = (bones[seen] / size[seen, None]).mean(axis=0)
    mean[0] = 0.0
    long = float(np.linalg.norm(mean))
    if long < _CLEAR or mean[1] < _CLEAR * long:
        return None
    out: Positions = mean / long
    return out
