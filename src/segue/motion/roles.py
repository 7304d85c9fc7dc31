"""Roles: which joint is the left knee, whatever its name in the file.

A role is a joint of the human body: ``pelvis, spine, chest, neck, head`` and for each side ``clavicle, shoulder, elbow,
wrist, hip, knee, ankle, toe``. Joint names are read first (`role_names`), in any of the usual conventions. Remaining
roles are found by the shape of the tree, bone lengths and the rest pose (`role_shape`); the trunk is found between the
limbs. Roles set by the user, with `given` or in a file, take precedence over both.
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
    """Mapping of role to joint index of one skeleton.

    ``scheme`` is the label of its naming scheme (``"shape"`` or ``"given"`` if most roles were found by shape or set by
    the user); ``confidence`` is each role's confidence, 0 to 1, and ``how`` its source: ``"name"``, ``"shape"`` or
    ``"given"``. ``costs`` are sentences about the consequences of unknown roles.

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
    """Return a skeleton with user-set roles; they take precedence over names and shape.

    Parameters
    ----------
    skeleton
        Any skeleton; it is not changed.
    mapping
        Role to joint name; ``""`` means that no joint has the role. Other roles set before are kept; the standing
        reference is dropped, because it was found with the previous roles.

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
    """Return a skeleton with the roles declared by a file; see `roles_in_toml`.

    Raises
    ------
    FileError
        If the file cannot be read, is not TOML, or contains an unknown role or joint.
    """
    try:
        return given(skeleton, roles_in_toml(path))
    except SkeletonError as error:
        raise FileError(path, str(error)) from error


def roles_in_toml(path: str | Path) -> dict[str, str]:
    """Read role to joint name from a file: lines ``left_knee = "Joint7"``, under ``[roles]`` or at the top.

    Raises
    ------
    FileError
        If the file cannot be read, is not TOML, is empty or contains an unknown role.

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
    """Return the joint indices of roles that must exist.

    Raises
    ------
    SkeletonError
        If a role is missing; the message names it and the joints with the most similar names.
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
    """Reject clips without legs, because the transition search needs a body with legs.

    Raises
    ------
    SkeletonError
        If a clip has no legs; the message names the clip and the first missing role.
    """
    for clip in clips:
        try:
            require(clip.skeleton, *NEEDED)
        except SkeletonError as error:
            msg = f"clip {clip.name!r}: {error}"
            raise SkeletonError(msg) from None
