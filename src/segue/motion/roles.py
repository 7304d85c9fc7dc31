"""Roles: which joint is the left knee, whatever a file calls it.

A role names a joint of the human body: ``pelvis, spine, chest, neck, head`` and for each side ``clavicle, shoulder,
elbow, wrist, hip, knee, ankle, toe``. The naming schemes of CMU's ASF files, cgspeed's BVH conversions (MotionBuilder,
3ds Max and DAZ flavours), Mixamo and LAFAN1 are known; a namespace such as ``mixamorig:`` is ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from segue.errors import SkeletonError, nearest
from segue.motion.skeleton import Skeleton

SIDES = ("left", "right")
LIMB_ROLES = ("clavicle", "shoulder", "elbow", "wrist", "hip", "knee", "ankle", "toe")
TRUNK_ROLES = ("pelvis", "spine", "chest", "neck", "head")
ROLES: tuple[str, ...] = TRUNK_ROLES + tuple(f"{side}_{part}" for side in SIDES for part in LIMB_ROLES)
"""Every role, trunk first."""

NEEDED: tuple[str, ...] = (
    "pelvis",
    *(f"{side}_{part}" for side in SIDES for part in ("hip", "knee", "ankle")),
)
"""Roles without which a body cannot be aligned, measured or carried over."""

# One scheme a row: trunk names, then limb names in the order of LIMB_ROLES with {S} for Left/Right, {s} for l/r.
# Several spellings of one role are separated by "|". Names are compared in lower case without namespace.
_SCHEMES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "CMU": (
        ("root", "lowerback", "thorax", "lowerneck", "head"),
        ("{s}clavicle", "{s}humerus", "{s}radius", "{s}wrist", "{s}femur", "{s}tibia", "{s}foot", "{s}toes"),
    ),
    "3ds Max": (
        ("hips", "lowerback|ab|chest", "chest4|chest3|chest2|chest", "lowerneck|neck", "head"),
        (
            "{S}collar",
            "{S}shoulder",
            "{S}elbow",
            "{S}wrist",
            "{S}hip",
            "{S}knee",
            "{S}ankle",
            "{S}toe|{S}toes",
        ),
    ),
    "DAZ": (
        ("hip", "abdomen", "chest", "neck", "head"),
        ("{s}collar", "{s}shldr", "{s}forearm", "{s}hand", "{s}thigh", "{s}shin", "{s}foot", "{s}toe"),
    ),
    "Mixamo": (
        ("hips", "lowerback|spine", "spine3|spine2|spine1|spine", "neck", "head"),
        (
            "{S}shoulder",
            "{S}arm",
            "{S}forearm",
            "{S}hand",
            "{S}upleg",
            "{S}leg",
            "{S}foot",
            "{S}toebase|{S}toe",
        ),
    ),
}


def _plain(name: str) -> str:
    """Lower-case name without namespace, blanks, dots, dashes and underscores."""
    return re.sub(r"[ ._\-]", "", re.split(r"[:|]", name)[-1].lower())


def _match(names: dict[str, int], scheme: tuple[tuple[str, ...], tuple[str, ...]]) -> dict[str, int]:
    trunk, limbs = scheme
    found: dict[str, int] = {}
    for role, spellings in zip(TRUNK_ROLES, trunk, strict=True):
        hit = next((names[word] for word in spellings.split("|") if word in names), None)
        if hit is not None and hit not in found.values():
            found[role] = hit
    for side in SIDES:
        for part, spellings in zip(LIMB_ROLES, limbs, strict=True):
            words = [word.format(S=side, s=side[0]) for word in spellings.split("|")]
            hit = next((names[word] for word in words if word in names), None)
            if hit is not None:
                found[f"{side}_{part}"] = hit
    return found


class Roles(Mapping[str, int]):
    """Role to joint index of one skeleton, with the name of the scheme that fitted best."""

    def __init__(self, scheme: str, joints: dict[str, int]) -> None:
        self.scheme = scheme
        self._joints = joints

    def __getitem__(self, role: str) -> int:
        return self._joints[role]

    def __iter__(self) -> Iterator[str]:
        return iter(self._joints)

    def __len__(self) -> int:
        return len(self._joints)

    @property
    def unknown(self) -> tuple[str, ...]:
        """Roles that no joint fills."""
        return tuple(role for role in ROLES if role not in self._joints)


@lru_cache(maxsize=256)
def roles(skeleton: Skeleton) -> Roles:
    """Find the joint of each role by name; the scheme that fills most roles wins.

    Examples
    --------
    >>> import segue
    >>> body = segue.sample("walk").skeleton
    >>> body.names[roles(body)["left_knee"]]
    'LeftLeg'
    """
    names: dict[str, int] = {}
    for joint, name in enumerate(skeleton.names):
        names.setdefault(_plain(name), joint)
    matches = {label: _match(names, scheme) for label, scheme in _SCHEMES.items()}
    best = max(matches, key=lambda label: len(matches[label]))
    found = matches[best]
    found.setdefault("pelvis", 0)
    return Roles(best, _in_tree_order(skeleton, found))


def _in_tree_order(skeleton: Skeleton, found: dict[str, int]) -> dict[str, int]:
    """Drop roles whose joint does not hang below the role above it (a wrong name is worse than none)."""

    def below(joint: int, ancestor: int) -> bool:
        while joint > ancestor:
            joint = int(skeleton.parents[joint])
        return joint == ancestor

    kept = dict(found)
    for side in SIDES:
        for chain in (("hip", "knee", "ankle", "toe"), ("shoulder", "elbow", "wrist")):
            above = kept["pelvis"]
            for part in chain:
                role = f"{side}_{part}"
                if role in kept and not below(kept[role], above):
                    del kept[role]
                above = kept.get(role, above)
    return {role: kept[role] for role in ROLES if role in kept}


def require(skeleton: Skeleton, *wanted: str) -> dict[str, int]:
    """Joint indices of roles that must exist.

    Raises
    ------
    SkeletonError
        Names the first missing role and the joints whose names come nearest.
    """
    found = roles(skeleton)
    for role in wanted:
        if role not in found:
            msg = f"no joint fills the role {role!r}; {nearest(role.replace('_', ''), skeleton.names)}"
            raise SkeletonError(msg)
    return {role: found[role] for role in wanted}
