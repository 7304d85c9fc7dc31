"""How heavy the parts of a body are, and how they hang together.

Masses are fractions of body mass after Dempster 1955, as tabled by Winter 2009 (Biomechanics and Motor Control of
Human Movement, table 4.1): hand 0.006, forearm 0.016, upper arm 0.028, foot 0.0145, leg 0.0465, thigh 0.100, head
and neck 0.081, pelvis 0.142, thorax and abdomen together 0.355. They add up to the whole body.

The pelvis is the innermost part. Head and limbs are branches; pelvis and trunk are in none.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from segue.arrays import Floats, frozen
from segue.motion.body import SEGMENTS
from segue.motion.roles import SIDES

_LIMBS = {"arm": ("upper_arm", "forearm", "hand"), "leg": ("thigh", "shin", "foot")}

MASSES: dict[str, float] = {
    "pelvis": 0.142,
    "trunk": 0.355,
    "head": 0.081,
    **{f"{side}_upper_arm": 0.028 for side in SIDES},
    **{f"{side}_forearm": 0.016 for side in SIDES},
    **{f"{side}_hand": 0.006 for side in SIDES},
    **{f"{side}_thigh": 0.100 for side in SIDES},
    **{f"{side}_shin": 0.0465 for side in SIDES},
    **{f"{side}_foot": 0.0145 for side in SIDES},
}
"""Fraction of body mass of every segment; the sum is 1."""

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
    """Every segment between a segment and the middle of the body, the pelvis last."""
    if segment not in _INWARD:
        return ()
    return (_INWARD[segment], *_inner(_INWARD[segment]))


def _carried(segment: str) -> float:
    """Mass of a segment and of everything outward of it."""
    return sum(mass for other, mass in MASSES.items() if other == segment or segment in _inner(other))


def branch_of(segment: str) -> tuple[str, ...]:
    """Segments of the branch that a segment belongs to, from the inside outwards; none for pelvis and trunk."""
    return next((chain for chain in BRANCHES.values() if segment in chain), ())


DISPLACED: Floats = frozen([_carried(segment) for segment in SEGMENTS])
"""Mass (S,) that moves when a segment does, in the order of `SEGMENTS`: its own and all outward of it."""

SUPPORTED: Floats = frozen(
    [1.0 - (_carried(segment) if branch_of(segment) else MASSES[segment]) for segment in SEGMENTS]
)
"""Mass (S,) that rests on a segment in ground contact: the whole body less itself and what is outward in its branch."""

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
