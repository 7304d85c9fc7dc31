"""A skeleton: joints in parent-before-child order with rest offsets in metres."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from segue.arrays import FARTHEST, Ints, Positions, Quaternions, frozen
from segue.errors import SkeletonError, nearest
from segue.summaries import listed
from segue.texts import well_formed


@dataclass(frozen=True, eq=False)
class EndSite:
    """The tip of a bone at the end of the tree: a point, not a joint (``offset`` in metres from its joint)."""

    joint: int
    offset: Positions


@dataclass(frozen=True, eq=False)
class Skeleton:
    """Joints of one body: names, parents and offsets.

    Parameters
    ----------
    names
        J unique joint names; characters that UTF-8 cannot encode, and NUL, are escaped.
    parents
        (J,) index of each joint's parent; -1 for the root, which is joint 0. Parents come before children.
    offsets
        (J, 3) metres, position of each joint in its parent's frame. In the rest pose all rotations are the
        identity and Y is up. The root's offset is its rest position.
    end_sites
        Bone tips.
    roles_given
        (role, joint name) pairs set by the user; see `segue.motion.roles.given`.
    reference
        (J, 4) world rotations from the rest pose to a standing one, if the rest pose does not stand; found from a
        motion by `segue.motion.reference`. Reading and writing do not depend on it.

    Examples
    --------
    >>> leg = Skeleton(("hip", "knee"), [-1, 0], [[0, 0.9, 0], [0, -0.45, 0]])
    >>> leg.index("knee"), leg.rest_positions()[1].tolist()
    (1, [0.0, 0.45, 0.0])
    """

    names: tuple[str, ...]
    parents: Ints
    offsets: Positions
    end_sites: tuple[EndSite, ...] = field(default=())
    roles_given: tuple[tuple[str, str], ...] = field(default=())
    reference: Quaternions | None = field(default=None)

    def __repr__(self) -> str:
        return f"<Skeleton of {self.n_joints} joints: {listed(self.names)}>"

    def __init__(
        self,
        names: Sequence[str],
        parents: npt.ArrayLike,
        offsets: npt.ArrayLike,
        end_sites: Sequence[EndSite] = (),
        *,
        roles_given: Sequence[tuple[str, str]] = (),
        reference: npt.ArrayLike | None = None,
    ) -> None:
        object.__setattr__(self, "names", tuple(map(well_formed, names)))
        object.__setattr__(self, "parents", frozen(parents, np.int64))
        object.__setattr__(self, "offsets", frozen(offsets))
        object.__setattr__(self, "end_sites", tuple(end_sites))
        object.__setattr__(self, "roles_given", tuple(roles_given))
        object.__setattr__(self, "reference", None if reference is None else frozen(reference))
        self._check()

    def _check(self) -> None:
        count = len(self.names)
        if count == 0:
            msg = "a skeleton needs at least one joint"
            raise SkeletonError(msg)
        if self.parents.shape != (count,) or self.offsets.shape != (count, 3):
            msg = (
                f"{count} joint names need parents of shape ({count},) and offsets of shape ({count}, 3); "
                f"got {self.parents.shape} and {self.offsets.shape}"
            )
            raise SkeletonError(msg)
        if self.reference is not None and self.reference.shape != (count, 4):
            msg = f"{count} joints need a reference of shape ({count}, 4); got {self.reference.shape}"
            raise SkeletonError(msg)
        if self.reference is not None and not np.allclose(
            np.sum(self.reference**2, axis=1), 1.0, rtol=0, atol=1e-6
        ):
            msg = "a reference is a unit quaternion for each joint"
            raise SkeletonError(msg)
        if (
            self.parents[0] != -1
            or np.any(self.parents[1:] >= np.arange(1, count))
            or np.any(self.parents[1:] < 0)
        ):
            msg = "parents must come before their children, with joint 0 the only root"
            raise SkeletonError(msg)
        self._check_lengths(range(count), self.offsets, "offset")
        if self.end_sites:
            if not all(0 <= end.joint < count for end in self.end_sites):
                msg = f"an end site belongs to a joint, numbered from 0 to {count - 1}"
                raise SkeletonError(msg)
            ends = np.array([end.offset for end in self.end_sites]).reshape(-1, 3)
            self._check_lengths([end.joint for end in self.end_sites], ends, "end")
        if len(set(self.names)) != count:
            twice = next(name for name in self.names if self.names.count(name) > 1)
            msg = f"joint name {twice!r} occurs more than once"
            raise SkeletonError(msg)

    def _check_lengths(self, joints: Sequence[int], offsets: Positions, word: str) -> None:
        near = np.abs(offsets) <= FARTHEST  # false for NaN
        if not near.all():
            row = int(np.argmin(near.all(axis=1)))
            msg = (
                f"the {word} of joint {self.names[joints[row]]!r} is {offsets[row].tolist()}; "
                f"give finite metres, up to {FARTHEST:g}"
            )
            raise SkeletonError(msg)

    @property
    def n_joints(self) -> int:
        """Number of joints J; end sites are not counted."""
        return len(self.names)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """Joint indices of each joint's children."""
        rows: list[list[int]] = [[] for _ in self.names]
        for child, parent in enumerate(self.parents):
            if parent >= 0:
                rows[parent].append(child)
        return tuple(tuple(row) for row in rows)

    def depth_first(self) -> list[int]:
        """Return the joints depth first, as in files of nested joints."""
        order, stack = [], [0]
        while stack:
            joint = stack.pop()
            order.append(joint)
            stack += reversed(self.children[joint])
        return order

    def index(self, name: str) -> int:
        """Return the index of a joint by name; the `SkeletonError` for an unknown name lists similar ones."""
        try:
            return self.names.index(name)
        except ValueError:
            msg = f"no joint is called {name!r}; {nearest(name, self.names)}"
            raise SkeletonError(msg) from None

    def with_reference(self, reference: npt.ArrayLike | None) -> Skeleton:
        """Return the same body with another reference (J, 4), or none."""
        return Skeleton(
            self.names,
            self.parents,
            self.offsets,
            self.end_sites,
            roles_given=self.roles_given,
            reference=reference,
        )

    def rest_positions(self) -> Positions:
        """Return world positions (J, 3) in the rest pose, with the root at its offset."""
        out = np.array(self.offsets)
        for joint in range(1, self.n_joints):
            out[joint] += out[self.parents[joint]]
        return out

    def tip(self, joint: int) -> Positions | None:
        """Return the offset (3,) of a joint's end site, or None."""
        return next((site.offset for site in self.end_sites if site.joint == joint), None)

    def same_as(self, other: Skeleton, *, tolerance: float = 1e-6) -> bool:
        """Return whether names, tree and offsets (in metres, except the root's) agree."""
        return (
            self.names == other.names
            and bool((self.parents == other.parents).all())
            and bool((np.abs(self.offsets[1:] - other.offsets[1:]) <= tolerance).all())
        )
