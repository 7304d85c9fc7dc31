"""A skeleton as a tree of bone lengths, its limbs, and the three main joints of a limb.

Hip, knee and ankle, or shoulder, elbow and wrist, are found regardless of other joints along the limb.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np

from segue.arrays import Floats, Ints, Positions
from segue.motion.skeleton import Skeleton


class Tree:
    """Rest positions and lengths of one skeleton.

    ``rest`` (J, 3) positions, ``bone`` (J,) length of the bone from the parent, ``arm`` (J,) length of that bone plus
    the longest path beyond it, ``below`` (J,) number of joints in the subtree, ``tip`` the end site of each joint or
    None, ``size`` the longest path through the tree. All in the skeleton's own unit.

    Examples
    --------
    >>> import segue
    >>> tree = Tree(segue.sample("walk").skeleton)
    >>> tree.path(1)[0], tree.size > 1.0
    (1, True)
    """

    def __init__(self, skeleton: Skeleton) -> None:
        self.count = skeleton.n_joints
        self.parents: Ints = skeleton.parents
        self.children = skeleton.children
        self.rest: Positions = skeleton.rest_positions()
        self.bone: Floats = np.linalg.norm(skeleton.offsets, axis=1)
        self.bone[0] = 0.0
        self.tip: list[Positions | None] = [None] * self.count
        self.beyond: Floats = np.zeros(self.count)
        for site in skeleton.end_sites:
            length = float(np.linalg.norm(site.offset))
            if length > self.beyond[site.joint]:
                self.beyond[site.joint], self.tip[site.joint] = length, site.offset
        self.arm: Floats = np.zeros(self.count)
        self.below: Floats = np.ones(self.count)
        self.size = 0.0
        reach = np.array(self.beyond)
        for joint in range(self.count - 1, -1, -1):
            self.arm[joint] = self.bone[joint] + reach[joint]
            arms = sorted((float(self.arm[child]) for child in self.children[joint]), reverse=True)
            self.size = max(self.size, sum(arms[:2]), *arms[:1], reach[joint])
            parent = int(self.parents[joint])
            if parent >= 0:
                reach[parent] = max(reach[parent], self.arm[joint])
                self.below[parent] += self.below[joint]

    def path(self, joint: int, *, within: float = np.inf) -> list[int]:
        """Joints from one outwards, always along the child with the longest reach, up to a length of ``within``."""
        out = [joint]
        length = float(self.bone[joint])
        while self.children[out[-1]]:
            out.append(max(self.children[out[-1]], key=lambda child: (float(self.arm[child]), -child)))
            length += float(self.bone[out[-1]])
            if length > within:
                return out[:-1]
        return out

    def reach(self, path: list[int]) -> float:
        """Length from the parent of a path's first joint to the path's end, tip included."""
        return float(self.bone[path].sum() + self.beyond[path[-1]])

    def path_end(self, path: list[int]) -> int:
        """Last joint of a path."""
        return path[-1]

    def points(self, path: list[int]) -> Positions:
        """Positions (N, 3) of a path's joints and, if there is one, of its tip."""
        points = [self.rest[joint] for joint in path]
        tip = self.tip[path[-1]]
        if tip is not None:
            points.append(points[-1] + tip)
        return np.array(points)

    def along(self, path: list[int]) -> Floats:
        """Lengths (N,) from the parent of a path's first joint to each of its joints."""
        out: Floats = np.cumsum(self.bone[path])
        return out

    def n_bones(self, path: list[int]) -> int:
        """Number of bones of non-zero length on a path, from its parent to its tip."""
        long = int(np.count_nonzero(self.bone[path] > 1e-3 * self.size))
        return long + int(self.tip[path[-1]] is not None)

    def subtree(self, joint: int) -> list[int]:
        """A joint and all joints below it."""
        out = [joint]
        for member in out:
            out.extend(self.children[member])
        return out

    def above(self, joint: int, other: int) -> bool:
        """Return whether a joint is ``other`` or an ancestor of it."""
        while other > joint:
            other = int(self.parents[other])
        return other == joint

    def meeting(self, a: int, b: int) -> int:
        """Nearest common ancestor of two joints."""
        while a != b:
            if a > b:
                a = int(self.parents[a])
            else:
                b = int(self.parents[b])
        return a

    def distance(self, ancestor: int, joint: int) -> float:
        """Length of the bones between a joint and one of its ancestors."""
        length = 0.0
        while joint != ancestor:
            length += float(self.bone[joint])
            joint = int(self.parents[joint])
        return length

    def between(self, ancestor: int, joint: int) -> list[int]:
        """Joints strictly between an ancestor and a joint, from the ancestor down."""
        out: list[int] = []
        joint = int(self.parents[joint])
        while joint > ancestor:
            out.append(joint)
            joint = int(self.parents[joint])
        return out[::-1]


class Proportion(NamedTuple):
    """Proportions of a limb, in lengths of its two long bones together: centre and width of each."""

    ratio: tuple[float, float]  # log of first long bone over second
    beside: tuple[float, float]  # middle of the body to the first joint, straight or along the bones
    near: float  # extra weight of that distance along the bones
    after: tuple[float, float]  # length from the last joint to the tip
    turns: float  # reward for a change of direction at the last joint: feet are at an angle to shins


LEG = Proportion((0.0, 0.26), (0.17, 0.20), 0.3, (0.25, 0.20), 1.0)
ARM = Proportion((0.12, 0.28), (0.35, 0.20), 0.0, (0.35, 0.30), 0.0)
_BREADTH = 0.1  # variation of half the shoulder breadth, in arm lengths
_CLEARLY = 0.3  # decrease of cost required to choose the next joint along an arm
_DOUBT = 1.5  # decay of the doubt with the cost margin to the next best choice
LIMB = 0.12
"""Least reach of a limb, as a share of the longest path through the body."""
_TINY = 1e-9
_LIKE = 0.2  # least similarity of a pair of limbs
_SAME_REACH = 1.15  # a limb is followed up to this many times its partner's reach
_PAIRS = 12  # pairs that are tried: hair and skirts have many


@dataclass(frozen=True)
class Pair:
    """Two similar limbs: the joint that carries them, their joints outwards, their similarity."""

    trunk: int
    paths: tuple[list[int], list[int]]
    score: float


Joints = tuple[int, int, int | None]
Places = tuple[int, int, int]


@dataclass(frozen=True)
class Limbs:
    """First, middle and last joint of both limbs of a pair, the cost of the choice, the confidence of each joint."""

    pair: Pair
    joints: list[Joints]
    cost: float
    sure: list[tuple[float, ...]]


def limb_joints(tree: Tree, pair: Pair, like: Proportion) -> Limbs | None:
    """Choose the joints that best fit human proportions, at equal places in both limbs if their joint counts agree."""
    paths = pair.paths
    across = _across(tree, pair)
    choices = [_choices(tree, path, like, _beside(tree, pair, path, across)) for path in paths]
    if not all(choices):
        return None
    if len(paths[0]) == len(paths[1]):
        common = choices[0].keys() & choices[1].keys()
        if common:
            both = {key: (choices[0][key] + choices[1][key]) / 2.0 for key in sorted(common)}
            choices = [both, both]
    picks = [min(options, key=lambda key: options[key]) for options in choices]
    return Limbs(
        pair,
        [_joints(path, pick) for path, pick in zip(paths, picks, strict=True)],
        sum(options[pick] for options, pick in zip(choices, picks, strict=True)) / 2.0,
        [_margins(options, pick) for options, pick in zip(choices, picks, strict=True)],
    )


def upper_arm(tree: Tree, arm: tuple[int, int, int], other: int | None) -> int:
    """Find the joint at which the upper arm begins: the named one, or one between it and the elbow that fits better.

    Parameters
    ----------
    tree
        The skeleton.
    arm
        The joints named shoulder, elbow and wrist.
    other
        The joint named shoulder on the other side, if there is one.
    """
    top, elbow, wrist = arm
    fore = tree.distance(elbow, wrist)
    apart = 0.0 if other is None else float(np.linalg.norm(tree.rest[top] - tree.rest[other]))
    across = (tree.rest[top] - tree.rest[other]) / apart if other is not None and apart > 0.0 else np.zeros(3)
    best, out = np.inf, top
    for joint in (top, *tree.between(top, elbow)):
        upper = tree.distance(joint, elbow)
        if min(upper, fore) <= 0.0:
            continue
        cost = 0.5 * ((np.log(upper / fore) - ARM.ratio[0]) / ARM.ratio[1]) ** 2
        if across.any():  # with the arms apart in the rest pose, the breadth of the shoulders counts too
            beside = 0.5 * apart + float((tree.rest[joint] - tree.rest[top]) @ across)
            cost += 0.5 * ((beside / (upper + fore) - ARM.beside[0]) / _BREADTH) ** 2
        if cost < best - _CLEARLY:
            best, out = cost, joint
    return out


def _margins(options: dict[Places, float], pick: Places) -> tuple[float, ...]:
    """Confidence of each of the three places: 1/2 if another one fits as well, 1 if none does."""
    out = []
    for place in range(3):
        other = min((cost for key, cost in options.items() if key[place] != pick[place]), default=np.inf)
        out.append(1.0 - 0.5 * float(np.exp(-_DOUBT * (other - options[pick]))))
    return tuple(out)


def _joints(path: list[int], pick: Places) -> Joints:
    first, middle, last = pick
    return path[first], path[middle], path[last] if last < len(path) else None


def _across(tree: Tree, pair: Pair) -> Positions | None:
    """Unit vector from one limb of a pair to the other; None if they coincide in the rest pose."""
    a, b = pair.paths
    depth = min(len(a), len(b), 5)
    apart: Positions = (tree.rest[a[:depth]] - tree.rest[b[:depth]]).sum(axis=0)
    length = float(np.linalg.norm(apart))
    return apart / length if length > 0.05 * tree.size else None


def _beside(tree: Tree, pair: Pair, path: list[int], across: Positions | None) -> Floats:
    """Distance of each joint of a limb from the middle of the body; infinite without ``across``."""
    if across is None:
        return np.full(len(path), np.inf)
    middle = tree.rest[[p[0] for p in pair.paths]].mean(axis=0)
    out: Floats = np.abs((tree.rest[path] - middle) @ across)
    return out


def _choices(tree: Tree, path: list[int], like: Proportion, beside: Floats) -> dict[Places, float]:
    """Cost of each triple of places along a limb; place ``len(path)`` is the tip, for files that end a joint early."""
    points = tree.points(path)
    steps = np.append(tree.bone[path], np.linalg.norm(points[len(path) :] - points[len(path) - 1], axis=-1))
    along = np.cumsum(steps)
    whole = float(along[-1])
    real = _apart(tree, path, steps, whole)
    triples = np.array(list(combinations(real, 3)), dtype=np.int64).reshape(-1, 3)
    first, second = (
        _vectors(points, triples[:, 0], triples[:, 1]),
        _vectors(points, triples[:, 1], triples[:, 2]),
    )
    upper, lower = np.linalg.norm(first, axis=1), np.linalg.norm(second, axis=1)
    kept = np.minimum(upper, lower) > 0.05 * whole
    triples, first, second, upper, lower = (each[kept] for each in (triples, first, second, upper, lower))
    i, _, k = triples.T
    long = upper + lower
    rank = np.zeros(len(points), dtype=np.int64)
    rank[real] = np.arange(len(real))
    beside = np.append(beside, beside[-1])  # the tip is never the first of three
    branches = np.array([len(tree.children[joint]) > 1 for joint in path] + [False])
    cost = (
        _miss(np.log(upper / lower), like.ratio)
        + np.minimum(_miss(beside[i] / long, like.beside), _miss(along[i] / long, like.beside))
        + like.near * _miss(along[i] / long, like.beside)
        + _miss((whole - along[k]) / long, like.after)
        + 1.0
        - np.sum(first * second, axis=1) / (upper * lower)
        + 12.0 * ((along[k] - along[i]) / long - 1.0)
        + 0.3 * (rank[k] - rank[i] - 2)
        + 1.0 * (k == len(path))
        - 0.4 * branches[k]
        - like.turns * _turns(points, second, lower, k)
    )
    return {(int(a), int(b), int(c)): float(worth) for (a, b, c), worth in zip(triples, cost, strict=True)}


def _vectors(points: Positions, start: Ints, end: Ints) -> Positions:
    out: Positions = points[end] - points[start]
    return out


def _turns(points: Positions, before: Positions, length: Floats, last: Ints) -> Floats:
    """Change of direction of a limb at its last joint: 0 if straight, 1 from 60 degrees."""
    after = points[np.minimum(last + 1, len(points) - 1)] - points[last]
    scale = np.linalg.norm(after, axis=1) * length
    cos = np.sum(before * after, axis=1) / np.where(scale > 0.0, scale, 1.0)
    out: Floats = np.where(scale > 0.0, np.minimum(1.0, 2.0 * (1.0 - cos)), 0.0)
    return out


def _apart(tree: Tree, path: list[int], steps: Floats, whole: float) -> list[int]:
    """Places along a limb at distinct positions; of joints at one position the first that branches, else the last.

    A hand with fingers at its own position is the hand; of hip joints with one axis each the last has the full
    rotation.
    """
    out: list[int] = []
    spot: list[int] = []
    for place in range(len(steps)):
        spot.append(place)
        if place + 1 < len(steps) and steps[place + 1] <= 1e-3 * whole:
            continue
        branching = (n for n in spot if n < len(path) and len(tree.children[path[n]]) > 1)
        out.append(next(branching, spot[-1]))
        spot = []
    return out


def _miss(values: Floats, like: tuple[float, float]) -> Floats:
    """Half the squared deviation from the centre in widths, at most 6."""
    out: Floats = np.minimum(0.5 * ((values - like[0]) / like[1]) ** 2, 6.0)
    return out


def limb_pairs(tree: Tree) -> list[Pair]:
    """Pairs of similar limbs, best first."""
    out = []
    for trunk in range(tree.count):
        limbs = [child for child in tree.children[trunk] if tree.arm[child] > LIMB * tree.size]
        for a, b in combinations(limbs, 2):
            # Excludes an object in one hand from the comparison with the other, empty hand.
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
    """Similarity of two limbs in bone lengths, numbers of joints and mirrored positions: 1 if equal, towards 0."""
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
