"""Roles: which joint is the left knee, whatever a file calls it.

A role names a joint of the human body: ``pelvis, spine, chest, neck, head`` and for each side ``clavicle, shoulder,
elbow, wrist, hip, knee, ankle, toe``. Names are read first (`role_names`), in any of the usual conventions; what they
leave open is found by the shape of the tree, bone lengths and the rest pose (`role_shape`); the trunk is what lies
between the limbs. What a person says with `given` or in a file goes before both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from segue.documents import as_kind, read_toml
from segue.errors import FileError, SkeletonError, nearest
from segue.motion.role_finder import Finder
from segue.motion.role_names import LIMB_CHAINS, LIMB_ROLES, NEEDED, ROLES, SIDES, TRUNK_ROLES
from segue.motion.skeleton import Skeleton

__all__ = [
    "LIMB_CHAINS",
    "LIMB_ROLES",
    "NEEDED",
    "ROLES",
    "SIDES",
    "TRUNK_ROLES",
    "Roles",
    "given",
    "require",
    "require_legs",
    "roles",
    "roles_from_toml",
    "roles_in_toml",
]


class Roles(Mapping[str, int]):
    """Role to joint index of one skeleton.

    ``scheme`` is the label of its naming scheme (``"shape"`` where shape decided, ``"given"`` where a person did);
    ``confidence`` says how sure each role is, 0 to 1, and ``how`` whether ``"name"``, ``"shape"`` or ``"given"``
    told it. ``costs`` are sentences: what the unknown roles cost.

    Examples
    --------
    >>> import segue
    >>> found = segue.roles(segue.sample("walk").skeleton)
    >>> found.how["left_knee"], found.confidence["left_knee"], found.unknown
    ('name', 1.0, ())
    """

    def __init__(
        self,
        scheme: str,
        joints: Mapping[str, int],
        *,
        confidence: Mapping[str, float] | None = None,
        how: Mapping[str, str] | None = None,
        costs: tuple[str, ...] = (),
    ) -> None:
        self.scheme = scheme
        self._joints = {role: joints[role] for role in ROLES if role in joints}
        self.confidence: dict[str, float] = {
            role: 1.0 if confidence is None else confidence[role] for role in self._joints
        }
        self.how: dict[str, str] = {role: "name" if how is None else how[role] for role in self._joints}
        self.costs = costs

    def __repr__(self) -> str:
        return f"<Roles: {len(self)} of {len(ROLES)}, by {self.scheme}>"

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
    """Find the joint of each role: a given one, else by name, else by shape.

    Examples
    --------
    >>> import segue
    >>> body = segue.sample("walk").skeleton
    >>> body.names[roles(body)["left_knee"]]
    'LeftLeg'
    """
    finder = Finder(skeleton)
    finder.find()
    return Roles(
        finder.scheme(), finder.joints, confidence=finder.confidence, how=finder.how, costs=finder.costs()
    )


def given(skeleton: Skeleton, mapping: Mapping[str, str]) -> Skeleton:
    """Skeleton with roles that a person sets; they take precedence over names and shape.

    Parameters
    ----------
    skeleton
        Any skeleton; it is not changed.
    mapping
        Role to joint name; ``""`` says that no joint fills the role. Roles given before and not named stay; a stance,
        which was found by the roles there were, does not.

    Raises
    ------
    SkeletonError
        For an unknown role, an unknown joint name, or one joint given to two roles.

    Examples
    --------
    >>> import segue
    >>> body = given(segue.sample("walk").skeleton, {"left_toe": ""})
    >>> roles(body).unknown
    ('left_toe',)
    """
    document = dict(skeleton.roles_given)
    for role, name in mapping.items():
        if role not in ROLES:
            msg = f"{role!r} is no role; {nearest(role, ROLES)}"
            raise SkeletonError(msg)
        if name:
            skeleton.index(name)
        document[role] = name
    first: dict[str, str] = {}
    for role, name in document.items():
        if name and name in first:
            msg = f"joint {name!r} is given to the roles {first[name]!r} and {role!r}; it can fill one"
            raise SkeletonError(msg)
        first[name] = role
    return Skeleton(
        skeleton.names,
        skeleton.parents,
        skeleton.offsets,
        skeleton.end_sites,
        roles_given=tuple((role, document[role]) for role in ROLES if role in document),
    )


def roles_from_toml(path: str | Path, skeleton: Skeleton) -> Skeleton:
    """Skeleton with the roles that a file gives; see `roles_in_toml`.

    Raises
    ------
    FileError
        If the file cannot be read, is no TOML, or gives a role that does not exist or a joint that does not.
    """
    try:
        return given(skeleton, roles_in_toml(path))
    except SkeletonError as error:
        raise FileError(path, str(error)) from error


def roles_in_toml(path: str | Path) -> dict[str, str]:
    """Role to joint name as a file gives them: lines ``left_knee = "Joint7"``, under ``[roles]`` or at the top.

    Raises
    ------
    FileError
        If the file cannot be read, is no TOML, gives nothing or a role that does not exist.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "roles.toml"
    >>> _ = path.write_text('left_knee = "Joint7"', "utf-8")
    >>> roles_in_toml(path)
    {'left_knee': 'Joint7'}
    """
    path = Path(path)
    table = read_toml(path, dict[str, Any], hint='lines such as left_knee = "Joint7" would work')
    hint = 'a role takes one joint name in quotes, left_knee = "Joint7"'
    rows = as_kind(table.get("roles", table), dict[str, str], path, hint=hint)
    if not rows:
        raise FileError(path, 'gives no role; lines such as left_knee = "Joint7" would work')
    unknown = next((role for role in rows if role not in ROLES), None)
    if unknown is not None:
        raise FileError(path, f"{unknown!r} is no role; {nearest(unknown, ROLES)}")
    return rows


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


class Named(Protocol):
    """An object with a name and a skeleton, such as a clip."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def skeleton(self) -> Skeleton:
        """Its body."""


def require_legs(clips: Iterable[Named]) -> None:
    """Refuse clips without legs, because transitions are searched on a body with legs.

    Raises
    ------
    SkeletonError
        Names the clip and the first role that is missing.
    """
    for clip in clips:
        try:
            require(clip.skeleton, *NEEDED)
        except SkeletonError as error:
            msg = f"clip {clip.name!r}: {error}"
            raise SkeletonError(msg) from None
