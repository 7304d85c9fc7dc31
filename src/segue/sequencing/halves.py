"""The two halves of a body, by roles: pelvis and legs, and all other joints."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from segue.arrays import Bools, Ints, frozen
from segue.errors import SkeletonError
from segue.motion.roles import NEEDED, SIDES, roles
from segue.motion.skeleton import Skeleton

_LOWER = tuple(f"{side}_{part}" for side in SIDES for part in ("hip", "knee", "ankle", "toe"))
_UPPER = (
    "spine",
    "chest",
    "neck",
    "head",
    *(f"{side}_{part}" for side in SIDES for part in ("shoulder", "elbow", "wrist")),
)


@dataclass(frozen=True, eq=False)
class BodyHalves:
    """Joints of each half, and the joints by which poses are compared.

    Parameters
    ----------
    lower
        (J,) flags: the pelvis, all ancestors of pelvis and hips, and all joints outward of the hips. All other
        joints are the upper half.
    pelvis
        Joint that poses are aligned by.
    lower_primary, upper_primary
        Primary joints of each half, as far as the body has their roles.
    """

    lower: Bools
    pelvis: int
    lower_primary: Ints
    upper_primary: Ints

    @property
    def upper(self) -> Bools:
        """(J,) flags of the upper half."""
        return ~self.lower


@lru_cache(maxsize=256)
def body_halves(skeleton: Skeleton) -> BodyHalves:
    """Split a body into halves.

    Raises
    ------
    SkeletonError
        If pelvis, hips, knees or ankles are unknown.

    Examples
    --------
    >>> import segue
    >>> body = segue.sample("walk").skeleton
    >>> halves = body_halves(body)
    >>> [name for name, low in zip(body.names, halves.lower, strict=True) if low][:4]
    ['Hips', 'LeftUpLeg', 'LeftLeg', 'LeftFoot']
    """
    found = roles(skeleton)
    missing = [role for role in NEEDED if role not in found]
    if missing:
        msg = f"sequencing needs joints with these roles: {', '.join(missing)}; set them with roles"
        raise SkeletonError(msg)
    lower = np.zeros(skeleton.n_joints, dtype=bool)
    hips = [found[f"{side}_hip"] for side in SIDES]
    lower[hips] = True
    for joint in range(skeleton.n_joints):
        parent = int(skeleton.parents[joint])
        lower[joint] |= parent >= 0 and bool(lower[parent])
    for joint in (found["pelvis"], *hips):
        inward = joint
        while inward >= 0:
            lower[inward] = True
            inward = int(skeleton.parents[inward])
    primary = [
        frozen([found[role] for role in roles_of if role in found], np.int64) for roles_of in (_LOWER, _UPPER)
    ]
    return BodyHalves(frozen(lower, np.bool_), found["pelvis"], *primary)
