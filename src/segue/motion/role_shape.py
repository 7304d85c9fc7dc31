"""Roles by shape: legs, arms and head of a skeleton whose names say nothing.

A human body is two pairs of like limbs on a trunk. Pairs are found by bone lengths and by lying mirrored; the pair
nearer the root is the legs. In each limb the three joints are taken whose bones have a body's proportions, so twist
bones, doubled joints, fingers and toes do not matter, nor the order of siblings. Lengths after Drillis & Contini 1966
(as tabled by Winter 2009, fig. 4.1); the widths of the tolerances are ours.

Neither unit nor up axis need be known: everything is a ratio, and up is where the hips are from the feet.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations, permutations

import numpy as np

from segue.arrays import Positions
from segue.motion.role_limbs import ARM, LEG, Joints, Limbs, Pair, limb_joints
from segue.motion.role_sides import Facing, facing
from segue.motion.role_tree import Tree
from segue.motion.role_words import SIDES
from segue.motion.skeleton import Skeleton

_LIMB = 0.12  # a limb reaches at least this share of the longest way through the body
_LIKE = 0.2  # pairs less alike than this are no pair
_ALONGSIDE = (
    0.85  # cosine between limbs from which a body may stand on all four, and between hips and shoulders
)
_LEVEL = 0.4  # share of a limb by which the ends of all four may differ in depth then
_UPRIGHT = 0.55  # cosine between legs and trunk below which a body goes on four legs
_SAME_REACH = 1.15  # a limb is looked at as far as this times its partner's reach
_PAIRS = 12  # pairs that are tried: hair and skirts have many
_TRUNK = 0.03  # legs and arms that hang nearer together than this share are fingers of one hand
_TINY = 1e-9


@dataclass(frozen=True)
class Shape:
    """Roles found by shape with how sure each is, and how the sides were told apart."""

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
    """Tell whether trunk and legs lie in one line (either way round); a body on four legs has them square."""
    feet = [tree.rest[leg[2]] for leg in legs.joints if leg[2] is not None]
    if len(feet) < 2:
        return chest is not None
    middle = np.mean([tree.rest[leg[0]] for leg in legs.joints], axis=0)
    leg = middle - np.mean(feet, axis=0)
    if chest is None:
        return bool(abs(leg[1]) + abs(leg[2]) > 0.8 * np.linalg.norm(leg))
    # Of a hind leg the thigh is easily taken for a part of the trunk: what the legs hang on is looked at too.
    for top in (middle, tree.rest[legs.pair.trunk]):
        leg, trunk = top - np.mean(feet, axis=0), tree.rest[chest] - top
        scale = float(np.linalg.norm(leg) * np.linalg.norm(trunk))
        if scale > _TINY * tree.size and abs(float(leg @ trunk)) <= _UPRIGHT * scale:
            return False
    return True


def on_four_legs(tree: Tree, joints: Mapping[str, int]) -> bool:
    """Tell whether a rest pose is that of a body on four legs: all limbs down to one level, the trunk square to them.

    Examples
    --------
    >>> import segue
    >>> from segue.motion.roles import roles
    >>> body = segue.sample("walk").skeleton
    >>> on_four_legs(Tree(body), roles(body))
    False
    """
    ends = []
    for first, last in (("hip", ("ankle", "knee")), ("shoulder", ("wrist", "elbow"))):
        for side in SIDES:
            end = next((f"{side}_{name}" for name in last if f"{side}_{name}" in joints), "")
            if not end or f"{side}_{first}" not in joints:
                return False
            ends.append((tree.rest[joints[f"{side}_{first}"]], tree.rest[joints[end]]))
    limbs = [end - top for top, end in ends]
    size = float(min(np.linalg.norm(limb) for limb in limbs))
    if size <= max(_LIMB / 2 * tree.size, _TINY):
        return False
    down = sum(limb / np.linalg.norm(limb) for limb in limbs)
    down = down / max(float(np.linalg.norm(down)), _TINY)
    trunk = ends[2][0] + ends[3][0] - ends[0][0] - ends[1][0]
    across = [_unit(ends[k][0] - ends[k + 1][0]) for k in (0, 2)]
    depths = [float((end - ends[0][0]) @ down) for _, end in ends]
    along = all(float(limb @ down) > _ALONGSIDE * float(np.linalg.norm(limb)) for limb in limbs)
    level = (
        float(across[0] @ across[1]) > _ALONGSIDE
        and max(abs(float(line @ down)) for line in across) < _UPRIGHT
    )
    lies = abs(float(trunk @ down)) < _UPRIGHT * float(np.linalg.norm(trunk))
    return along and level and lies and max(depths) - min(depths) < _LEVEL * size


def _unit(vector: Positions) -> Positions:
    out: Positions = vector / max(float(np.linalg.norm(vector)), _TINY)
    return out


# ------------------------------------------------------------------------------------------------ pairs


def _pairs(tree: Tree) -> list[Pair]:
    """Pairs of like limbs, each with the joint it hangs on."""
    out = []
    for trunk in range(tree.count):
        limbs = [child for child in tree.children[trunk] if tree.arm[child] > _LIMB * tree.size]
        for a, b in combinations(limbs, 2):
            # What one hand holds is not compared with the other, empty hand.
            reach = _SAME_REACH * min(tree.arm[a], tree.arm[b])
            paths = (tree.path(a, within=reach), tree.path(b, within=reach))
            if min(tree.n_bones(path) for path in paths) < 3:
                continue
            score = _alike(tree, trunk, paths)
            if score > _LIKE:
                out.append(Pair(trunk, paths, score))
    out.sort(key=lambda pair: -pair.score * float(tree.arm[[path[0] for path in pair.paths]].sum()))
    return out[:_PAIRS]


def _alike(tree: Tree, trunk: int, paths: tuple[list[int], list[int]]) -> float:
    """1 for mirrored limbs of equal bones, towards 0 the less alike in lengths, numbers of joints and places."""
    a, b = paths
    reach_a, reach_b = float(tree.reach(a)), float(tree.reach(b))
    reach = max(reach_a, reach_b)
    lengths = abs(np.log(reach_a / reach_b))
    numbers = abs(np.log(tree.below[a[0]] / tree.below[b[0]]))
    along_a, along_b = tree.along(a), tree.along(b)
    depth = min(len(a), len(b), 5)
    steps = float(np.mean(np.abs(along_a[:depth] - along_b[:depth]))) / reach
    apart = tree.rest[a[:depth]] - tree.rest[b[:depth]]
    size = float(np.linalg.norm(apart, axis=1).sum())
    skew = 0.0 if size < 0.05 * reach else 1.0 - float(np.linalg.norm(apart.sum(axis=0))) / size
    heights = 0.5 * (tree.rest[a[:depth]] + tree.rest[b[:depth]]) - tree.rest[trunk]
    across = apart.sum(axis=0) / max(size, _TINY)
    tilt = float(np.abs(heights @ across).mean()) / reach if size >= 0.05 * reach else 0.0
    return float(np.exp(-(1.0 * lengths + 0.4 * numbers + 3.0 * steps + 1.0 * skew + 2.0 * tilt)))


def _legs_and_arms(tree: Tree) -> tuple[Limbs, Limbs | None] | None:
    """Choose the two pairs that make a body; the legs first."""
    pairs = _pairs(tree)
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
    return (down[0], None) if len(down) == 1 else None  # of many like limbs none are known to be legs


def _order(tree: Tree, legs: Pair, arms: Pair) -> float:
    """How well two pairs fit as legs and arms: legs near the root, head near the arms, feet below. 0 to 1."""
    meet = tree.meeting(legs.trunk, arms.trunk)
    low, high = tree.way(meet, legs.trunk), tree.way(meet, arms.trunk)
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
    """Tell whether both limbs of a pair go down and reach the lowest point of the body, Y or Z up."""
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
    """Gives found joints their roles, sides told apart by where the rest pose faces."""

    def __init__(self, tree: Tree, chest: int | None) -> None:
        self.tree = tree
        self.chest = chest
        self.joints: dict[str, int] = {}
        self.confidence: dict[str, float] = {}

    def put(self, role: str, joint: int | None, sure: float) -> None:
        """Give a joint a role; nothing for None."""
        if joint is not None and joint not in self.joints.values():
            self.joints[role] = joint
            self.confidence[role] = round(float(np.clip(sure, 0.05, 0.95)), 2)

    def named(self, legs: Limbs, arms: Limbs | None) -> Shape:
        """Everything found, with roles."""
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
        """Roles of both limbs of a pair; returns side, joints and confidence of each."""
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
        """The next joint of the foot that lies apart from the ankle."""
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
        """The head: on the way up from between the arms, where it branches or its last long bone begins."""
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
            # A last joint without a tip is the crown if its bone is a skull's and not a neck's.
            return before if tree.bone[last] > 1.2 * tree.bone[before] or len(path) > 2 else last
        return last


def _left_first(tree: Tree, limbs: list[Joints], looks: Facing) -> tuple[bool, float]:
    """Whether the first limb is the right one, and how clearly (0 to 1)."""
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
    """How much is left of a confidence after telling left from right: one half for a guess."""
    return 0.5 + 0.5 * looks.confidence * min(1.0, 2.0 * clear)
