"""Weights of body parts: uniform, set by hand, or by the mass that a part moves and supports.

Every weighting is a constant of each part plus a term of the frame left plus a term of the frame arrived in
(dynamics-weighted point clouds, section 4): ``w_n(i, j) = m_n + f_n(i) + f_n(j)``. All are divided by one
constant of the weighting, never by the sum of a pair's own weights: a pair of supported moments must cost
more than a pair of free ones that differ as much.

Masses are fractions of body mass (`segue.motion.body.MASSES`): head and neck are one part, thorax and abdomen
another. The pelvis is the innermost part. Head and limbs are branches; pelvis and trunk belong to none.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from segue.arrays import Bools, Floats, Ints, frozen
from segue.costs.protocol import Cloud
from segue.errors import SkeletonError
from segue.motion.body import MASSES, SEGMENTS
from segue.motion.clip import Clip
from segue.motion.roles import SIDES
from segue.motion.standard_body import StandardBody

WEIGHTINGS = ("uniform", "hand_set", "dynamics")
_TORSO = ("pelvis", "trunk")


@dataclass(frozen=True)
class HandSet:
    """Weights set by hand: limbs and head 1, ``torso`` for pelvis and trunk, ``carrier`` more for the carrying part."""

    torso: float = 2.0
    carrier: float = 2.0


@dataclass(frozen=True, eq=False)
class PartWeights:
    """Weights of the S parts of a cloud, in the order of its points, already divided by the weighting's constant.

    Parameters
    ----------
    parts
        S names.
    constant
        (S,) constant weight of each part.
    friction
        (F, S) additional weight in each frame in which the part supports the body; None if nothing varies.
    """

    parts: tuple[str, ...]
    constant: Floats
    friction: Floats | None

    def only(self, parts: tuple[str, ...]) -> PartWeights:
        """Weights of some of the parts, in the order given."""
        if parts == self.parts:
            return self
        index = [self.parts.index(part) for part in parts]
        friction = None if self.friction is None else frozen(self.friction[:, index])
        return PartWeights(parts, frozen(self.constant[index]), friction)


def part_weights(weighting: str, cloud: Cloud, touching: Bools, *, hand_set: HandSet) -> PartWeights:
    """Weights of a cloud's parts under a weighting.

    Parameters
    ----------
    weighting
        One of `WEIGHTINGS`.
    cloud
        Points of F frames.
    touching
        (F, S) whether a part touches the ground in a frame, parts in the order of the cloud's points.
    hand_set
        Settings of the hand-set weighting. Its constant for the carrying part is split between both frames of
        a pair, so that it counts fully if both stand on the same part.
    """
    parts = tuple(dict.fromkeys(cloud.segments))
    if weighting == "uniform":
        return PartWeights(parts, frozen(np.full(len(parts), 1.0 / len(parts))), None)
    index = [SEGMENTS.index(part) for part in parts]
    if weighting == "dynamics":
        supports = touching @ SUPPORTS[np.ix_(index, index)].T > 0
        return PartWeights(parts, DISPLACED[index], frozen(supports * SUPPORTED[index]))
    base = np.array([hand_set.torso if part in _TORSO else 1.0 for part in SEGMENTS])
    total = base.sum() + hand_set.carrier
    extra = _carrying(cloud, parts, touching) * (hand_set.carrier / 2.0 / total)
    return PartWeights(parts, frozen(base[index] / total), frozen(extra))


def pair_weights(a: PartWeights, b: PartWeights | None, rows: Ints, columns: Ints) -> Floats:
    """Weights (..., S) of every part at frames of two clips; without ``b`` only the source's contacts count."""
    out: Floats = np.broadcast_to(a.constant, (*rows.shape, a.constant.size)).copy()
    if a.friction is not None:
        out += a.friction[rows]
    if b is not None and b.friction is not None:
        out += b.friction[columns]
    return out


def _carrying(cloud: Cloud, parts: tuple[str, ...], touching: Bools) -> Bools:
    """Flags (F, S) of the part that carries most weight; none in flight.

    It is the part on the ground that is horizontally nearest to the centre of mass.
    """
    places = np.stack(
        [cloud.points[:, [name == part for name in cloud.segments]].mean(axis=1) for part in parts], axis=1
    )[..., [0, 2]]
    masses = np.array([MASSES[part] for part in parts])
    centre = np.einsum("fsc,s->fc", places, masses) / masses.sum()
    away = np.where(touching, np.linalg.norm(places - centre[:, None], axis=-1), np.inf)
    out = np.zeros(touching.shape, dtype=bool)
    rows = np.arange(touching.shape[0])
    nearest = away.argmin(axis=1)
    out[rows, nearest] = np.isfinite(away[rows, nearest])
    return out


def require_masses(body: StandardBody | None, clip: Clip, weighting: str) -> StandardBody:
    """Return the standard body of a clip, or refuse a clip without known masses.

    Raises
    ------
    SkeletonError
        Names the clip and an alternative.
    """
    if body is None:
        msg = (
            f"clip {clip.name!r} has no human legs, so that nothing is known of its masses and of what supports it: "
            f"weighting={weighting!r} cannot compare it; weighting='uniform' can"
        )
        raise SkeletonError(msg)
    return body


_LIMBS = {"arm": ("upper_arm", "forearm", "hand"), "leg": ("thigh", "shin", "foot")}

BRANCHES: dict[str, tuple[str, ...]] = {
    "head": ("head",),
    **{
        f"{side}_{limb}": tuple(f"{side}_{part}" for part in parts)
        for side in SIDES
        for limb, parts in _LIMBS.items()
    },
}
"""Segments of each branch, from the inside outwards."""

_INWARD: dict[str, str] = {
    "trunk": "pelvis",
    **{chain[0]: "pelvis" if name.endswith("leg") else "trunk" for name, chain in BRANCHES.items()},
    **{outer: inner for chain in BRANCHES.values() for inner, outer in pairwise(chain)},
}


def _inner(segment: str) -> tuple[str, ...]:
    """Every segment between a segment and the pelvis, the pelvis last."""
    if segment not in _INWARD:
        return ()
    return (_INWARD[segment], *_inner(_INWARD[segment]))


def _carried(segment: str) -> float:
    """Mass of a segment and all segments outward of it."""
    return sum(mass for other, mass in MASSES.items() if other == segment or segment in _inner(other))


def branch_of(segment: str) -> tuple[str, ...]:
    """Segments of a segment's branch, from the inside outwards; none for pelvis and trunk."""
    return next((chain for chain in BRANCHES.values() if segment in chain), ())


DISPLACED: Floats = frozen([_carried(segment) for segment in SEGMENTS])
"""Mass (S,) that moves with a segment, in the order of `SEGMENTS`: its own and all outward of it."""

SUPPORTED: Floats = frozen(
    [1.0 - (_carried(segment) if branch_of(segment) else MASSES[segment]) for segment in SEGMENTS]
)
"""Mass (S,) that rests on a segment in contact: the body's mass minus its own and, in a branch, all outward of it."""

_SUPPORTS = np.array(
    [
        [
            touching == segment or (segment in branch_of(touching) and segment in _inner(touching))
            for touching in SEGMENTS
        ]
        for segment in SEGMENTS
    ]
)
SUPPORTS: Floats = frozen(_SUPPORTS)
"""(S, S) 1 where a row's segment supports the body when the column's touches the ground: that part or inward of it."""
