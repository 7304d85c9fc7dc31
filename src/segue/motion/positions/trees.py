"""Parents of joints: as given, or by name, or by constant distances for joints whose names do not help.

Required joints that the input lacks are placed between others: key points of images have no pelvis, so it is the middle
of the hips, and the chest is the middle of the shoulders.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from segue.arrays import Floats, Ints, Positions, frozen
from segue.errors import SkeletonError
from segue.motion.role_names import (
    LIMB_CHAINS,
    SIDES,
    joints_called,
    limb_roles_by_name,
    read_name,
    trunk_word,
)

_TOES = ("footindex", "bigtoe", "smalltoe", "toeend", "forefoot")
_FINGERS = ("thumb", "index", "middle", "ring", "pinky", "little")
_FACE = ("ear", "eye", "nose", "mouth", "jaw")
_ON_THE_FOOT = ("heel", "smalltoe", "bigtoe", "footindex")
_NEEDED = tuple(f"{side}_{part}" for side in SIDES for part in ("hip", "knee", "ankle"))
_FRAMES = 200  # examined for constant distances
_FAR = 0.05  # weight of a metre of distance relative to a metre of its spread, in the choice of a parent


@dataclass(frozen=True, eq=False)
class JointTree:
    """Joints in parent-before-child order.

    Parameters
    ----------
    names, parents
        J joints; -1 is the parent of the root, which is joint 0.
    means
        (J, P) weights of each joint as a mean of the P input points: a single 1, or equal weights of several.
    roles
        Role to joint name, for roles that are not identified by name alone.
    made
        Names of the joints placed between others.
    """

    names: tuple[str, ...]
    parents: Ints
    means: Floats
    roles: Mapping[str, str]
    made: tuple[str, ...] = ()

    def places(self, points: Positions) -> Positions:
        """Return positions (F, J, 3) of the joints; NaN where a required point is NaN."""
        out = np.empty((len(points), len(self.names), 3))
        for joint, row in enumerate(self.means):
            used = np.flatnonzero(row)
            out[:, joint] = (
                points[:, used[0]] if len(used) == 1 else np.einsum("p,fpa->fa", row[used], points[:, used])
            )
        return out


def tree_of(names: Sequence[str], points: Positions, *, parents: Sequence[int] | None = None) -> JointTree:
    """Build the tree of P points by name, or from given parents.

    Parameters
    ----------
    names
        (P,) name of each point.
    points
        (F, P, 3) positions, NaN where a point is not seen.
    parents
        (P,) parent of each point and -1 for the root, if known; in any order.

    Raises
    ------
    SkeletonError
        If names do not identify the legs and no parents are given, or the parents do not form a tree.
    """
    return _given(tuple(names), parents) if parents is not None else _Grower(tuple(names), points).tree()


def _given(names: tuple[str, ...], parents: Sequence[int]) -> JointTree:
    given = np.asarray(parents)
    count = len(names)
    if given.shape != (count,) or given.dtype.kind not in "iu":
        msg = f"{count} joints need as many whole numbers as parents, not {given.shape} of {given.dtype}"
        raise SkeletonError(msg)
    # SMPL's tables store the root's parent as the largest 32-bit integer.
    above = np.array([int(p) if 0 <= int(p) < count else -1 for p in given])
    above[above == np.arange(count)] = -1
    roots = np.flatnonzero(above < 0)
    if len(roots) != 1:
        msg = f"the parents give {len(roots)} roots; one joint has the parent -1, all others hang on another joint"
        raise SkeletonError(msg)
    order = _ordered(int(roots[0]), {joint: int(parent) for joint, parent in enumerate(above)})
    if len(order) < count:
        lost = next(name for joint, name in enumerate(names) if joint not in order)
        msg = f"the parents form a cycle at {lost!r}; each joint must lead up to the root"
        raise SkeletonError(msg)
    place = {joint: index for index, joint in enumerate(order)}
    placed = np.array([place[int(above[joint])] if above[joint] >= 0 else -1 for joint in order])
    return JointTree(
        tuple(names[joint] for joint in order),
        frozen(placed, np.int64),
        frozen(np.eye(count)[order]),
        _toes(names),
    )


def _ordered(root: int, parents: Mapping[int, int]) -> list[int]:
    """Joints below a root, depth first, with siblings in the order of their indices."""
    children: dict[int, list[int]] = {}
    for joint in sorted(parents, reverse=True):
        children.setdefault(parents[joint], []).append(joint)
    order, stack = [], [root]
    while stack:
        joint = stack.pop()
        order.append(joint)
        stack += children.get(joint, [])
    return order


def _toes(names: Sequence[str]) -> dict[str, str]:
    """Toe roles by names used by key-point detectors."""
    found = limb_roles_by_name(names)
    out = {}
    for side in SIDES:
        if f"{side}_toe" in found:
            continue
        for word in _TOES:
            hit = next((name for name in names if read_name(name)[:2] == (side, word)), None)
            if hit is not None:
                out[f"{side}_toe"] = hit
                break
    return out


class _Grower:
    """Builds a tree from the pelvis outwards; joints are point indices, followed by those of made joints."""

    def __init__(self, names: tuple[str, ...], points: Positions) -> None:
        self.names = list(names)
        self.n_points = len(names)
        rows = np.unique(np.linspace(0, len(points) - 1, min(len(points), _FRAMES)).astype(np.int64))
        self.at = np.array(points[rows])
        self.means = list(np.eye(self.n_points))
        self.parents: dict[int, int] = {}
        self.extra_roles = _toes(names)
        self.found = {role: joint for role, (joint, _) in limb_roles_by_name(names).items()}
        self.found |= {role: names.index(name) for role, name in self.extra_roles.items()}
        self.made: list[int] = []

    def tree(self) -> JointTree:
        """Build the tree: trunk, limbs, then the remaining joints."""
        missing = [role for role in _NEEDED if role not in self.found]
        if missing:
            shown = ", ".join(repr(name[:30]) for name in self.names[:8])
            msg = (
                f"no joint is named like a {missing[0].replace('_', ' ')} (names: {shown} ...); give names such as "
                "'left_hip', 'left_knee', 'left_ankle', or the parent of each joint"
            )
            raise SkeletonError(msg)
        pelvis = self.pelvis()
        self.parents[pelvis] = -1
        chest = self.trunk(pelvis)
        for side in SIDES:
            for limb, top in zip(LIMB_CHAINS, (chest, pelvis), strict=True):
                above = top
                for part in limb:
                    joint = self.found.get(f"{side}_{part}")
                    if joint is not None:
                        self.parents[joint] = above
                        above = joint
        self.head(chest)
        for side in SIDES:
            self.fingers(side)
        self.rest()
        return self.ordered(pelvis)

    def middle(self, name: str, joints: Sequence[int]) -> int:
        """Add a joint in the middle of others."""
        while name in self.names:
            name += "_middle"
        self.names.append(name)
        self.means.append(np.mean([self.means[joint] for joint in joints], axis=0))
        self.at = np.concatenate([self.at, self.at[:, list(joints)].mean(axis=1, keepdims=True)], axis=1)
        self.made.append(len(self.names) - 1)
        return len(self.names) - 1

    def pelvis(self) -> int:
        """Joint named as pelvis, else the middle of the hips."""
        called = joints_called(self.names, "pelvis")
        if called:
            return called[0]
        middle = next(
            (j for j, n in enumerate(self.names) if read_name(n)[1] in {"midhip", "hipcenter"}), None
        )
        if middle is None:
            middle = self.middle("pelvis", [self.found["left_hip"], self.found["right_hip"]])
        self.extra_roles["pelvis"] = self.names[middle]
        return middle

    def trunk(self, pelvis: int) -> int:
        """Chain spine, chest, neck and head above the pelvis; return the joint that carries the arms."""
        heads = joints_called(self.names, "head")
        chain = [
            joint
            for joint, name in enumerate(self.names[: self.n_points])
            if trunk_word(name)
            and joint != pelvis
            and joint not in joints_called(self.names, "pelvis") + heads
        ]
        away = {joint: self.apart(pelvis, joint)[0] for joint in chain}
        chain.sort(key=lambda joint: away[joint])
        above = pelvis
        for joint in [*chain, *heads[:1]]:
            self.parents[joint] = above
            above = joint
        arms = [
            next((self.found[f"{s}_{p}"] for p in ("clavicle", "shoulder") if f"{s}_{p}" in self.found), None)
            for s in SIDES
        ]
        tops = [joint for joint in arms if joint is not None]
        if not tops:
            return chain[-1] if chain else pelvis
        low = [joint for joint in chain if "neck" not in read_name(self.names[joint])[1]]
        if low:
            return self.carrier(low, tops)
        if chain:
            return chain[0]
        if len(tops) < 2:
            return pelvis
        chest = self.middle("chest", tops)
        self.parents[chest] = pelvis
        self.extra_roles["chest"] = "chest"
        for joint in heads[:1]:
            self.parents[joint] = chest
        return chest

    def carrier(self, chain: Sequence[int], tops: Sequence[int]) -> int:
        """Trunk joint with the most constant distance to the arms; the highest of similar ones."""
        loose = [sum(self.apart(joint, top)[1] for top in tops) for joint in chain]
        limit = 1.5 * min(loose) + 1e-3 * self.apart(self.found["left_hip"], self.found["left_knee"])[0]
        return [joint for joint, each in zip(chain, loose, strict=True) if each <= limit][-1]

    def head(self, chest: int) -> None:
        """Attach the points of the face to the head; without a joint of that name, make one between ears or eyes."""
        called = joints_called(self.names[: self.n_points], "head")
        head = called[0] if called else self.made_head(chest)
        if head is None:
            return
        for joint, name in enumerate(self.names[: self.n_points]):
            if joint not in self.parents and read_name(name)[1].startswith(_FACE):
                self.parents[joint] = head

    def made_head(self, chest: int) -> int | None:
        """Add a head between the ears or eyes; None without either."""
        seen = {read_name(name)[:2]: joint for joint, name in enumerate(self.names[: self.n_points])}
        pair = next((w for w in ("ear", "eye") if all((s, w) in seen for s in SIDES)), None)
        if pair is None:
            return None
        head = self.middle("head", [seen[side, pair] for side in SIDES])
        neck = [joint for joint in self.parents if "neck" in read_name(self.names[joint])[1]]
        self.parents[head] = neck[-1] if neck else chest
        return head

    def fingers(self, side: str) -> None:
        """Attach fingers to the wrist, each joint to the one before it by number; heels and other toes to the ankle."""
        wrist, ankle = self.found.get(f"{side}_wrist"), self.found.get(f"{side}_ankle")
        chains: dict[str, list[tuple[int, int]]] = {}
        for joint, name in enumerate(self.names[: self.n_points]):
            its, word, _ = read_name(name)
            if its != side or joint in self.parents:
                continue
            finger = next((each for each in _FINGERS if each in word), None)
            if finger is not None and wrist is not None:
                number = re.search(r"\d+", word)
                chains.setdefault(finger, []).append((int(number[0]) if number else 0, joint))
            elif word in _ON_THE_FOOT and ankle is not None:
                self.parents[joint] = ankle
        for chain in chains.values():
            above = wrist
            for place, joint in sorted(chain):
                if above is not None:
                    self.parents[joint] = above
                above = joint if place else above

    def rest(self) -> None:
        """Attach each remaining joint to the joint of its side with the most constant and short distance."""
        left = [joint for joint in range(self.n_points) if joint not in self.parents]
        costs: dict[int, tuple[float, int]] = {}
        fresh = list(self.parents)
        while left:
            for joint in left:
                for other in fresh:
                    if self.may_hang(joint, other):
                        size, loose = self.apart(joint, other)
                        costs[joint] = min(costs.get(joint, (np.inf, 0)), (loose + _FAR * size, other))
            nearest = min(left, key=lambda joint: costs.get(joint, (np.inf, 0)))
            self.parents[nearest] = costs[nearest][1]
            left.remove(nearest)
            fresh = [nearest]

    def may_hang(self, joint: int, other: int) -> bool:
        """Return whether a joint may be the child of another: not if they are on different sides."""
        sides = {read_name(self.names[each])[0] for each in (joint, other)} - {""}
        return len(sides) < 2

    def apart(self, a: int, b: int) -> tuple[float, float]:
        """Median and spread of the distance of two joints; huge if they are never seen together."""
        size = np.linalg.norm(self.at[:, a] - self.at[:, b], axis=-1)
        size = size[np.isfinite(size)]
        return (float(np.median(size)), float(size.std())) if size.size else (1e9, 1e9)

    def ordered(self, pelvis: int) -> JointTree:
        """Return the tree with parents before children, otherwise in the order of the points."""
        order = _ordered(pelvis, self.parents)
        place = {joint: index for index, joint in enumerate(order)}
        means = np.array([self.means[joint] for joint in order])
        return JointTree(
            tuple(self.names[joint] for joint in order),
            frozen([-1, *(place[self.parents[joint]] for joint in order[1:])], np.int64),
            frozen(means),
            dict(self.extra_roles),
            tuple(self.names[joint] for joint in self.made),
        )
