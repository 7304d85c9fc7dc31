"""Roles by shape: legs, arms and head of a skeleton without usable names.

A human body is two pairs of similar limbs on a trunk. Pairs are found by bone lengths and mirror symmetry; the pair
nearer the root is the legs. In each limb the three joints whose bones fit human proportions are chosen, so twist bones,
doubled joints, fingers, toes and the order of siblings do not matter. Lengths after Drillis & Contini 1966 (as tabled
by Winter 2009, fig. 4.1); the widths of the tolerances are ours.

Neither the unit nor the up axis need be known: all criteria are ratios, and up is the direction from feet to hips.

Left and right without names: ahead is the direction in which the feet point, and ``left = up x ahead`` in a
right-handed frame. If the feet are unclear, the face, the thumbs and the knees are tried in this order; if all are, the
body is assumed to look along +Z, as most rest poses do, and the result is marked as a guess.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations

import numpy as np

from segue.arrays import Positions
from segue.motion.role_limbs import ARM, LEG, Joints, Limbs, Pair, Tree, limb_joints, limb_pairs
from segue.motion.skeleton import Skeleton

_AXES = {"Y": np.array([0.0, 1.0, 0.0]), "Z": np.array([0.0, 0.0, 1.0])}
_AHEAD = {"Y": np.array([0.0, 0.0, 1.0]), "Z": np.array([0.0, -1.0, 0.0])}


@dataclass(frozen=True, eq=False)
class Facing:
    """Unit vector (3,) to the body's left, the evidence for it, and its confidence (0 to 1)."""

    left: Positions
    by: str
    confidence: float


def facing(
    tree: Tree, legs: list[Joints], *, chest: int | None, head: int | None, hands: list[int | None]
) -> Facing:
    """Find the left side of a rest pose.

    Parameters
    ----------
    tree
        The skeleton.
    legs
        Hip, knee and ankle of both legs, in any order.
    chest, head, hands
        Joints, if known.
    """
    up, axis, clear = _up(tree, legs, chest)
    if not clear:
        return Facing(np.cross(up, _AHEAD[axis]), "guess", 0.0)
    for by, ahead, sure in (
        ("feet", _feet(tree, legs, up), 0.95),
        ("face", _face(tree, head, up), 0.85),
        ("thumbs", _thumbs(tree, hands, up), 0.75),
        ("knees", _knees(tree, legs, up), 0.7),
    ):
        if ahead is not None:
            left = np.cross(up, ahead)
            return Facing(left / np.linalg.norm(left), by, sure)
    return Facing(np.cross(up, _AHEAD[axis]), "guess", 0.0)


def _up(tree: Tree, legs: list[Joints], chest: int | None) -> tuple[Positions, str, bool]:
    """Return up as a unit vector, the file axis nearest to it, and whether the rest pose has a body's shape."""
    hips = np.mean([tree.rest[leg[0]] for leg in legs], axis=0)
    feet = np.mean([tree.rest[leg[1] if leg[2] is None else leg[2]] for leg in legs], axis=0)
    up = hips - feet
    length = float(np.linalg.norm(up))
    if length < 0.05 * tree.size:
        return _AXES["Y"], "Y", False
    up = up / length
    if chest is not None:
        trunk = tree.rest[chest] - hips
        far = float(np.linalg.norm(trunk))
        if far > 0.02 * tree.size and float(trunk @ up) < 0.0:
            # Legs and trunk lie on the same side of the hips: the rest pose has all bones along one axis.
            axis = "Z" if abs(up[2]) > 0.8 else "Y"
            return _AXES[axis], axis, False
    for axis, vector in _AXES.items():
        if up @ vector > 0.8:
            return vector, axis, True
    return up, "Y", True


def _level(vectors: Positions, up: Positions) -> Positions:
    """Vectors (N, 3) without their component along ``up``."""
    out: Positions = vectors - (vectors @ up)[:, None] * up
    return out


def _clear(vectors: Positions, up: Positions, share: float) -> Positions | None:
    """Return the horizontal sum of vectors (N, 3) if it exceeds a share of their total length, else None."""
    if not len(vectors):
        return None
    total = _level(vectors, up).sum(axis=0)
    size = float(np.linalg.norm(vectors, axis=1).sum())
    return total if size > 0.0 and float(np.linalg.norm(total)) > share * size else None


def _reach(tree: Tree, joint: int) -> Positions:
    """Vectors (N, 3) from a joint to all its descendants and tips."""
    points = []
    for member in tree.subtree(joint):
        if member != joint:
            points.append(tree.rest[member])
        tip = tree.tip[member]
        if tip is not None:
            points.append(tree.rest[member] + tip)
    out: Positions = np.array(points).reshape(-1, 3) - tree.rest[joint]
    return out


def _feet(tree: Tree, legs: list[Joints], up: Positions) -> Positions | None:
    """Direction ahead from both ankles to the horizontally farthest point of each foot."""
    out = []
    for _, _, ankle in legs:
        if ankle is None:
            return None
        points = _reach(tree, ankle)
        level = np.linalg.norm(_level(points, up), axis=1)
        if not len(points) or level.max() < 0.01 * tree.size:
            return None
        out.append(points[int(level.argmax())])
    return _clear(np.array(out), up, 0.35)


def _face(tree: Tree, head: int | None, up: Positions) -> Positions | None:
    """Direction ahead from the head to its descendants, because eyes and jaw are in front."""
    if head is None:
        return None
    points = _reach(tree, head)
    if len(points) < 2:
        return None
    return _clear(points[np.linalg.norm(points, axis=1) > 0.005 * tree.size], up, 0.3)


def _thumbs(tree: Tree, hands: list[int | None], up: Positions) -> Positions | None:
    """Direction ahead from each wrist to the finger farthest from the forearm's line, because thumbs point ahead."""
    out = []
    for hand in hands:
        if hand is None:
            return None
        points = _reach(tree, hand)
        arm = tree.rest[hand] - tree.rest[int(tree.parents[hand])]
        length = float(np.linalg.norm(arm))
        if len(points) < 2 or length == 0.0:
            return None
        arm = arm / length
        off = _level(points, up)
        off = off - (off @ arm)[:, None] * arm
        far = np.linalg.norm(off, axis=1)
        if far.max() < 0.005 * tree.size:
            return None
        out.append(off[int(far.argmax())])
    # Palms that face ahead spread the thumbs apart, and their directions cancel.
    return _clear(np.array(out), up, 0.7) if out else None


def _knees(tree: Tree, legs: list[Joints], up: Positions) -> Positions | None:
    """Direction ahead from the line of hip and ankle to each knee, because knees bend ahead."""
    out = []
    for hip, knee, ankle in legs:
        if ankle is None:
            return None
        whole = tree.rest[ankle] - tree.rest[hip]
        length = float(np.linalg.norm(whole))
        if length == 0.0:
            return None
        half = tree.rest[knee] - tree.rest[hip]
        off = half - (half @ whole) / length**2 * whole
        out.append(_level(off[None], up)[0])
        if float(np.linalg.norm(out[-1])) < 0.02 * length:
            return None
    return _clear(np.array(out), up, 0.7)


_UPRIGHT = 0.55  # cosine between legs and trunk up to which a body is on four legs
_TRUNK = (
    0.03  # pairs attached nearer to each other than this share of the body's size are fingers of one hand
)
_TINY = 1e-9


@dataclass(frozen=True)
class Shape:
    """Roles found by shape, their confidence, and the evidence for left and right."""

    joints: dict[str, int]
    confidence: dict[str, float]
    facing: Facing | None = None


def roles_by_shape(skeleton: Skeleton) -> Shape:
    """Find limb roles and the head by bone lengths, symmetry and rest pose.

    Examples
    --------
    >>> import segue
    >>> body = segue.sample("walk").skeleton
    >>> body.names[roles_by_shape(body).joints["left_knee"]]
    'LeftLeg'
    """
    tree = Tree(skeleton)
    if tree.size < _TINY:
        return Shape({}, {})
    found = _legs_and_arms(tree)
    if found is None:
        return Shape({}, {})
    legs, arms = found
    chest = None if arms is None else arms.pair.trunk
    if not _upright(tree, legs, chest):
        return Shape({}, {})
    return _Namer(tree, chest).named(legs, arms)


def _upright(tree: Tree, legs: Limbs, chest: int | None) -> bool:
    """Return whether trunk and legs are parallel, in either direction; on four legs they are perpendicular."""
    feet = [tree.rest[leg[2]] for leg in legs.joints if leg[2] is not None]
    if len(feet) < 2:
        return chest is not None
    middle = np.mean([tree.rest[leg[0]] for leg in legs.joints], axis=0)
    leg = middle - np.mean(feet, axis=0)
    if chest is None:
        return bool(abs(leg[1]) + abs(leg[2]) > 0.8 * np.linalg.norm(leg))
    # The thigh of a hind leg may be mistaken for part of the trunk, so the joint that carries the legs is checked too.
    for top in (middle, tree.rest[legs.pair.trunk]):
        leg, trunk = top - np.mean(feet, axis=0), tree.rest[chest] - top
        scale = float(np.linalg.norm(leg) * np.linalg.norm(trunk))
        if scale > _TINY * tree.size and abs(float(leg @ trunk)) <= _UPRIGHT * scale:
            return False
    return True


def _legs_and_arms(tree: Tree) -> tuple[Limbs, Limbs | None] | None:
    """Choose the pairs that are legs and arms; arms may be None."""
    pairs = limb_pairs(tree)
    as_legs = [limb_joints(tree, pair, LEG) for pair in pairs]
    as_arms = [limb_joints(tree, pair, ARM) for pair in pairs]
    best, choice = 0.0, None
    for (n, one), (m, other) in permutations(enumerate(pairs), 2):
        legs, arms = as_legs[n], as_arms[m]
        used = [set(path) for pair in (one, other) for path in pair.paths]
        if legs is None or arms is None or len(set().union(*used)) < sum(map(len, used)):
            continue
        reach = sum(tree.arm[path[0]] for pair in (one, other) for path in pair.paths) / tree.size
        score = one.score * other.score * reach * _order(tree, one, other)
        score *= float(np.exp(-0.15 * (legs.cost + arms.cost)))
        if score > best:
            best, choice = score, (legs, arms)
    if choice is not None:
        return choice
    down = [legs for legs in as_legs if legs is not None and _points_down(tree, legs.pair)]
    return (down[0], None) if len(down) == 1 else None  # with several candidate pairs the legs are ambiguous


def _order(tree: Tree, legs: Pair, arms: Pair) -> float:
    """Score from 0 to 1 of two pairs as legs and arms: legs near the root, head near the arms, feet below."""
    meet = tree.meeting(legs.trunk, arms.trunk)
    low, high = tree.distance(meet, legs.trunk), tree.distance(meet, arms.trunk)
    if low + high < _TRUNK * tree.size:
        return 0.0
    near = 1.0 if low < high - 0.02 * tree.size else 0.3 if low < high + 0.02 * tree.size else 0.1
    taken = {path[0] for pair in (legs, arms) for path in pair.paths}
    head = max((tree.arm[c] for c in tree.children[arms.trunk] if c not in taken), default=0.0)
    below = max(
        (tree.arm[c] for c in tree.children[legs.trunk] if c not in taken and not tree.above(c, arms.trunk)),
        default=0.0,
    )
    crown = 1.0 if head > below else 0.6
    depth_l = np.mean([tree.rest[tree.path_end(p)][1] for p in legs.paths])
    depth_a = np.mean([tree.rest[tree.path_end(p)][1] for p in arms.paths])
    return near * crown * (1.0 if depth_l <= depth_a else 0.7)


def _points_down(tree: Tree, pair: Pair) -> bool:
    """Return whether both limbs of a pair point down and reach the lowest point of the body, with Y or Z up."""
    for axis in (1, 2):
        heights = tree.rest[:, axis]
        ends = [heights[tree.path_end(path)] for path in pair.paths]
        start = heights[pair.trunk]
        span = max(tree.arm[path[0]] for path in pair.paths)
        if max(ends) < start - 0.6 * span and max(ends) < heights.min() + 0.15 * span:
            return True
    return False


# ---------------------------------------------------------------------------------------------- naming


class _Namer:
    """Assigns roles to the joints found, with sides from the facing of the rest pose."""

    def __init__(self, tree: Tree, chest: int | None) -> None:
        self.tree = tree
        self.chest = chest
        self.joints: dict[str, int] = {}
        self.confidence: dict[str, float] = {}

    def put(self, role: str, joint: int | None, sure: float) -> None:
        """Assign a role to a joint; None is ignored."""
        if joint is not None and joint not in self.joints.values():
            self.joints[role] = joint
            self.confidence[role] = round(float(np.clip(sure, 0.05, 0.95)), 2)

    def named(self, legs: Limbs, arms: Limbs | None) -> Shape:
        """Return all roles found."""
        tree = self.tree
        head = None if arms is None else self.head(arms.pair)
        hands = [] if arms is None else [joints[2] for joints in arms.joints]
        looks = facing(tree, legs.joints, chest=self.chest, head=head, hands=hands)
        for side, joints, sure in self.limbs(legs, ("hip", "knee", "ankle"), looks):
            if joints[2] is not None:
                self.put(f"{side}_toe", self.toe(joints[2]), 0.9 * sure)
        if arms is not None:
            paths = {path[0]: path for path in arms.pair.paths}
            for side, joints, sure in self.limbs(arms, ("shoulder", "elbow", "wrist"), looks):
                path = next(path for path in paths.values() if joints[0] in path)
                self.put(f"{side}_clavicle", self.clavicle(path, joints[0]), 0.9 * sure)
        self.put("head", head, 0.7)
        return Shape(self.joints, self.confidence, looks)

    def limbs(
        self, limbs: Limbs, parts: tuple[str, str, str], looks: Facing
    ) -> list[tuple[str, Joints, float]]:
        """Assign the roles of both limbs of a pair; return side, joints and confidence of each."""
        swap, clear = _left_first(self.tree, limbs.joints, looks)
        sure = limbs.pair.score**0.5 * float(np.exp(-0.1 * max(limbs.cost, 0.0))) * _sided(looks, clear)
        order = ("right", "left") if swap else ("left", "right")
        for side, joints, margins in zip(order, limbs.joints, limbs.sure, strict=True):
            for part, joint, margin in zip(parts, joints, margins, strict=True):
                self.put(f"{side}_{part}", joint, sure * margin)
        return [
            (side, joints, sure * min(margins))
            for side, joints, margins in zip(order, limbs.joints, limbs.sure, strict=True)
        ]

    def toe(self, ankle: int) -> int | None:
        """The next joint of the foot at a distance from the ankle."""
        for joint in self.tree.path(ankle)[1:]:
            if np.linalg.norm(self.tree.rest[joint] - self.tree.rest[ankle]) > 0.015 * self.tree.size:
                return joint
        return None

    def clavicle(self, path: list[int], shoulder: int) -> int | None:
        """The joint before the shoulder that carries the longest bone."""
        before = path[: path.index(shoulder)]
        after = path[1 : path.index(shoulder) + 1]
        if not before:
            return None
        return max(zip(before, after, strict=True), key=lambda pair: self.tree.bone[pair[1]])[0]

    def head(self, arms: Pair) -> int | None:
        """The head: on the chain up from the arms, the first branching joint or the start of the last long bone."""
        tree, chest = self.tree, arms.trunk
        taken = {path[0] for path in arms.paths}
        while chest >= 0:
            free = [c for c in tree.children[chest] if c not in taken and tree.arm[c] > 0.03 * tree.size]
            if free:
                break
            taken, chest = {chest}, int(tree.parents[chest])
        if chest < 0 or not free:
            return None
        path = tree.path(max(free, key=lambda child: tree.arm[child]))
        branch = next((joint for joint in path if len(tree.children[joint]) > 1), None)
        if branch is not None:
            return branch
        last = path[-1]
        if tree.tip[last] is None and len(path) > 1:
            before = path[-2]
            # A last joint without a tip is the crown if its bone is long enough for a skull, else the head.
            return before if tree.bone[last] > 1.2 * tree.bone[before] or len(path) > 2 else last
        return last


def _left_first(tree: Tree, limbs: list[Joints], looks: Facing) -> tuple[bool, float]:
    """Return whether the first limb is the right one, and how clearly (0 to 1)."""
    total, size = 0.0, 0.0
    for a, b in zip(*limbs, strict=True):
        if a is None or b is None:
            continue
        apart: Positions = tree.rest[a] - tree.rest[b]
        total += float(apart @ looks.left)
        size += float(np.linalg.norm(apart))
    clear = abs(total) / size if size > 1e-6 * tree.size else 0.0
    return total < 0.0, clear


def _sided(looks: Facing, clear: float) -> float:
    """Factor on a confidence for left and right: one half for a guess."""
    return 0.5 + 0.5 * looks.confidence * min(1.0, 2.0 * clear)
