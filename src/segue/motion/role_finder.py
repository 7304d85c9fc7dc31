"""Finder of the roles of one skeleton: user-set roles, then names, then shape, then the trunk between the limbs."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from segue.arrays import Positions
from segue.motion.role_limbs import LIMB, Tree, upper_arm
from segue.motion.role_names import (
    LIMB_ROLES,
    SIDES,
    costs_of,
    joints_called,
    limb_roles_by_name,
    read_name,
    scheme_of,
    trunk_word,
)
from segue.motion.role_shape import Shape, facing, roles_by_shape
from segue.motion.skeleton import Skeleton

_DOUBTED = 0.8  # confidence of a name that matched only without its trailing digits
_TURNED = 0.6  # and of a side that the rest pose contradicts
_BETWEEN = 0.9  # confidence of an unnamed trunk joint that lies where one belongs
_CLEAR = 0.7  # least share of the distance between the legs along the body's left for such a contradiction
_AGREE = 0.5  # share of roles in which names and shape must agree before shape adds to names
_UNLIKE = 4.0  # largest ratio of the lengths of the two long bones of a limb
_ODD = 0.4  # confidence of roles beyond that ratio
_ALONGSIDE = (
    0.85  # on four legs: least cosine of limbs to their mean, and between the lines of hips and shoulders
)
_LEVEL = 0.4  # on four legs: largest difference in depth of the limb ends, as a share of a limb
_TINY = 1e-9
_SQUARE = 0.55  # on four legs: largest cosine of the legs to the trunk and to the lines of hips and shoulders
_CHAINS = (("hip", "knee", "ankle", "toe"), ("clavicle", "shoulder", "elbow", "wrist"))


class Finder:
    """Roles of one skeleton, collected from user-set roles, names, shape and the trunk between the limbs."""

    def __init__(self, skeleton: Skeleton) -> None:
        self.skeleton = skeleton
        self.tree = Tree(skeleton)
        self.given = dict(skeleton.roles_given)
        self.joints: dict[str, int] = {}
        self.confidence: dict[str, float] = {}
        self.how: dict[str, str] = {}
        self.by_shape: Shape | None = None
        self.turned = False
        self.four_legs = False

    def find(self) -> None:
        """Fill `joints`, `confidence` and `how`."""
        for role, name in self.given.items():
            if name:
                self.put(role, self.skeleton.index(name), 1.0, "given")
        for role, (joint, doubt) in limb_roles_by_name(self.skeleton.names).items():
            self.put(role, joint, _DOUBTED if doubt else 1.0, "name")
        self.drop_out_of_order()
        self.find_arms()
        self.doubt_sides()
        self.doubt_lengths()
        heads = joints_called(self.skeleton.names, "head")
        if heads:
            self.put("head", heads[0], 1.0, "name")
        self.by_shape = self.shape()
        self.find_arms()
        self.trunk()
        self.put("pelvis", 0, 0.3, "shape")
        self.four_legs = not self.given and on_four_legs(self.tree, self.joints)
        if self.four_legs:
            for role in [role for role in self.joints if role != "pelvis"]:
                self.drop(role)
            self.confidence["pelvis"] = min(self.confidence["pelvis"], 0.3)

    def put(self, role: str, joint: int, sure: float, how: str) -> None:
        """Assign a role to a joint unless either is taken or the role is user-set."""
        if role in self.joints or joint in self.joints.values() or (how != "given" and role in self.given):
            return
        self.joints[role], self.confidence[role], self.how[role] = joint, sure, how

    def drop(self, role: str) -> None:
        """Remove a role."""
        del self.joints[role], self.confidence[role], self.how[role]

    def drop_out_of_order(self) -> None:
        """Drop named roles whose joint is not below the previous role of its chain: better no role than a wrong one."""
        for side in SIDES:
            for chain in _CHAINS:
                above = 0
                for part in chain:
                    role = f"{side}_{part}"
                    if role not in self.joints:
                        continue
                    if self.how[role] != "given" and not self.tree.above(above, self.joints[role]):
                        self.drop(role)
                    else:
                        above = self.joints[role]

    def find_arms(self) -> None:
        """Choose the shoulder by bone lengths if there are joints between the one of that name and the elbow.

        Above an upper-arm joint of unknown name, "shoulder" is the collar bone; above a twist joint it is the shoulder.
        """
        for side in SIDES:
            parts = [f"{side}_{part}" for part in ("shoulder", "elbow", "wrist")]
            if any(role not in self.joints for role in parts) or f"{side}_clavicle" in self.joints:
                continue
            top, elbow, wrist = (self.joints[role] for role in parts)
            if self.how[parts[0]] != "name" or not self.tree.above(top, elbow):
                continue
            other = self.joints.get(f"{'right' if side == 'left' else 'left'}_shoulder")
            found = upper_arm(self.tree, (top, elbow, wrist), other)
            if found != top and read_name(self.skeleton.names[top])[1] == "shoulder":
                self.drop(parts[0])
                self.put(f"{side}_clavicle", top, _DOUBTED, "name")
                self.put(parts[0], found, _DOUBTED, "shape")

    def doubt_lengths(self) -> None:
        """Lower the confidence of limbs whose bone lengths no body has."""
        for side in SIDES:
            for parts in (("hip", "knee", "ankle"), ("shoulder", "elbow", "wrist")):
                chain = [f"{side}_{part}" for part in parts]
                if any(self.how.get(role) != "name" for role in chain):
                    continue
                upper, lower = (
                    self.tree.distance(self.joints[a], self.joints[b]) for a, b in pairwise(chain)
                )
                if max(upper, lower) > _UNLIKE * min(upper, lower):
                    for role in chain:
                        self.confidence[role] = min(self.confidence[role], _ODD)

    def shape(self) -> Shape | None:
        """Add missing roles by shape, if shape and names agree on the others."""
        wanted = ["head", *(f"{side}_{part}" for side in SIDES for part in LIMB_ROLES)]
        if all(role in self.joints or role in self.given for role in wanted):
            return None
        shape = roles_by_shape(self.skeleton)
        named = [role for role in wanted if role in self.joints and role != "head" and role in shape.joints]
        same = sum(self.joints[role] == shape.joints[role] for role in named)
        if named and same < _AGREE * len(named):
            return None
        for role, joint in shape.joints.items():
            if role == "head" and self.called(joint, ("neck",)):
                continue  # a neck joint that also moves the head
            if self.fits(role, joint):
                self.put(role, joint, shape.confidence[role], "shape")
        return shape

    def doubt_sides(self) -> None:
        """Lower the confidence of sides if names and the direction of the feet in the rest pose disagree."""
        legs = [
            (self.joints[f"{side}_hip"], self.joints[f"{side}_knee"], self.joints[f"{side}_ankle"])
            for side in SIDES
            if all(self.how.get(f"{side}_{part}") == "name" for part in ("hip", "knee", "ankle"))
        ]
        if len(legs) < len(SIDES) or self.tree.size == 0.0:
            return
        looks = facing(self.tree, [*legs], chest=None, head=None, hands=[])
        apart = self.tree.rest[list(legs[0])] - self.tree.rest[list(legs[1])]
        size = float(np.linalg.norm(apart, axis=1).sum())
        self.turned = looks.by == "feet" and float((apart @ looks.left).sum()) < -_CLEAR * size
        if self.turned:
            for role in self.joints:
                if self.how[role] == "name" and role.split("_")[0] in SIDES:
                    self.confidence[role] = min(self.confidence[role], _TURNED)

    def fits(self, role: str, joint: int) -> bool:
        """Return whether a joint lies in its chain between the roles known so far."""
        side, _, part = role.partition("_")
        for chain in _CHAINS:
            if part not in chain:
                continue
            place = chain.index(part)
            for other in chain:
                known = self.joints.get(f"{side}_{other}")
                if known is None or other == part:
                    continue
                first, last = (known, joint) if chain.index(other) < place else (joint, known)
                if not self.tree.above(first, last):
                    return False
        return True

    def trunk(self) -> None:
        """Assign pelvis, spine, chest and neck: the joints where legs and arms meet, and those between."""
        hips = [self.joints[role] for role in ("left_hip", "right_hip") if role in self.joints]
        arms = [self.arm(side) for side in SIDES]
        high = [joint for joint in arms if joint is not None]
        head = self.joints.get("head")
        chest = self.tree.meeting(high[0], high[1]) if len(high) == 2 else self.top(head)
        if chest is not None and read_name(self.skeleton.names[chest])[1].startswith("neck") and chest > 0:
            # Some rigs attach the arms to the neck.
            self.put_trunk("neck", chest)
            chest = int(self.tree.parents[chest])
        pelvis = self.pelvis(hips, [joint for joint in (chest, head) if joint is not None])
        if pelvis is None:
            return
        self.put_trunk("pelvis", pelvis)
        self.neck(chest, head)
        if chest is None or chest == pelvis or not self.tree.above(pelvis, chest):
            return
        spine = [*self.tree.between(pelvis, chest), chest][0]
        word = read_name(self.skeleton.names[chest])[1]
        if spine == chest and any(part in word for part in ("chest", "thorax", "torso")):
            self.put_trunk("chest", chest)
            return
        self.put_trunk("spine", spine)
        if chest != spine:
            self.put_trunk("chest", chest)

    def put_trunk(self, role: str, joint: int) -> None:
        """Assign a trunk role: by name if the joint is named like a trunk joint, else by shape."""
        named = trunk_word(self.skeleton.names[joint])
        self.put(role, joint, 1.0 if named else _BETWEEN * self.sure(), "name" if named else "shape")

    def sure(self) -> float:
        """Mean confidence of the hips, from which the trunk is found."""
        legs = [self.confidence[role] for role in ("left_hip", "right_hip") if role in self.confidence]
        return round(sum(legs) / len(legs), 2) if legs else 0.5

    def arm(self, side: str) -> int | None:
        """Topmost known joint of an arm."""
        parts = ("clavicle", "shoulder", "elbow", "wrist")
        return next(
            (self.joints[f"{side}_{part}"] for part in parts if f"{side}_{part}" in self.joints), None
        )

    def top(self, head: int | None) -> int | None:
        """Chest of a body without arms: the last trunk joint called spine or chest below the head."""
        if head is None:
            return None
        above = self.tree.between(-1, head)
        return next(
            (joint for joint in reversed(above) if self.called(joint, ("spine", "chest", "thorax"))), None
        )

    def called(self, joint: int, words: tuple[str, ...]) -> bool:
        """Return whether a joint's name contains one of some words."""
        side, word, _ = read_name(self.skeleton.names[joint])
        return not side and any(part in word for part in words)

    def pelvis(self, hips: list[int], trunk: list[int]) -> int | None:
        """The lowest joint named as pelvis that is above legs and trunk; else their nearest common ancestor."""
        if "pelvis" in self.joints:
            return self.joints["pelvis"]
        meet: int | None = None
        for joint in [*hips, *trunk] if hips else []:
            meet = joint if meet is None else self.tree.meeting(meet, joint)
        if meet is not None and meet in hips:
            meet = max(int(self.tree.parents[meet]), 0)
        named = joints_called(self.skeleton.names, "pelvis")
        if meet is None:
            return named[0] if named else None
        carrying = [joint for joint in named if self.tree.above(joint, meet)]
        return max(carrying) if carrying else meet

    def neck(self, chest: int | None, head: int | None) -> None:
        """Assign the neck: the first joint between chest and head."""
        if head is None:
            necks = [n for n, name in enumerate(self.skeleton.names) if read_name(name)[:2] == ("", "neck")]
            if necks and chest is not None and self.tree.above(chest, necks[0]):
                self.put_trunk("neck", necks[0])
            return
        if chest is None or not self.tree.above(chest, head):
            parent = int(self.tree.parents[head])
            if parent > 0 and self.called(parent, ("neck",)):
                self.put_trunk("neck", parent)
            return
        taken = set(self.joints.values())
        between = [joint for joint in self.tree.between(chest, head) if joint not in taken]
        called = [joint for joint in between if trunk_word(self.skeleton.names[joint])]
        if between and called and self.tree.bone[between[0]] < 1e-6 * self.tree.size:
            between = called  # skip a zero-length joint without a trunk name between chest and neck
        if between:
            self.put_trunk("neck", between[0])

    def scheme(self) -> str:
        """Label of the source of most roles."""
        sources = list(self.how.values())
        given = max(("given", "name", "shape"), key=sources.count)
        return (scheme_of(self.skeleton.names) or "names") if given == "name" else given

    def costs(self) -> tuple[str, ...]:
        """Sentences about the consequences of unknown roles."""
        return costs_of(
            self.joints,
            self.confidence,
            guessed=self.guessed(),
            turned=self.turned,
            tips=self.foot_tips(),
            four=self.four_legs,
        )

    def guessed(self) -> bool:
        """Return whether left and right are a guess."""
        used = any(how == "shape" and role.split("_")[0] in SIDES for role, how in self.how.items())
        named = any(how != "shape" and role.split("_")[0] in SIDES for role, how in self.how.items())
        looks = None if self.by_shape is None else self.by_shape.facing
        return used and not named and looks is not None and looks.by == "guess"

    def foot_tips(self) -> bool:
        """Return whether both feet have a tip or joints beyond the ankle."""
        ankles = [self.joints[f"{side}_ankle"] for side in SIDES if f"{side}_ankle" in self.joints]
        return all(self.tree.tip[a] is not None or self.tree.children[a] for a in ankles)


def on_four_legs(tree: Tree, joints: Mapping[str, int]) -> bool:
    """Return whether a rest pose is on four legs: all limbs end on one level, the trunk is perpendicular to them.

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
    if size <= max(LIMB / 2 * tree.size, _TINY):
        return False
    down = sum(limb / np.linalg.norm(limb) for limb in limbs)
    down = down / max(float(np.linalg.norm(down)), _TINY)
    trunk = ends[2][0] + ends[3][0] - ends[0][0] - ends[1][0]
    across = [_unit(ends[k][0] - ends[k + 1][0]) for k in (0, 2)]
    depths = [float((end - ends[0][0]) @ down) for _, end in ends]
    along = all(float(limb @ down) > _ALONGSIDE * float(np.linalg.norm(limb)) for limb in limbs)
    level = (
        float(across[0] @ across[1]) > _ALONGSIDE
        and max(abs(float(line @ down)) for line in across) < _SQUARE
    )
    lies = abs(float(trunk @ down)) < _SQUARE * float(np.linalg.norm(trunk))
    return along and level and lies and max(depths) - min(depths) < _LEVEL * size


def _unit(vector: Positions) -> Positions:
    out: Positions = vector / max(float(np.linalg.norm(vector)), _TINY)
    return out
