"""Map joints between those with roles: spines and necks with other joint counts, and twist along the forearm.

Roles fix the rotations of chest and head; the number of joints in between differs between bodies. If the target has
more joints than the source, they share the source's rotations along the chain; if fewer, each takes the mean of those
it replaces. Along a forearm only the twist is shared, otherwise it would bend.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from segue.arrays import Floats, Quaternions
from segue.maths.quaternions import conjugate, from_axis_angle, multiply, normalise, slerp
from segue.motion.roles import SIDES, roles
from segue.motion.skeleton import Skeleton

_TWIST = ("twist", "roll")
"""Words in the names of joints that share a forearm's twist."""


class TrunkStretch(NamedTuple):
    """A chain up the trunk between two joints that both bodies have.

    ``source`` are the source's joints from the lower to the upper end, inclusive, ``at`` their positions on the chain,
    0 to 1; ``spans`` maps each target joint to the stretch of the chain that its bone covers.
    """

    source: tuple[int, ...]
    at: Floats
    spans: dict[int, tuple[float, float]]


def stretches(source: Skeleton, target: Skeleton, pairs: dict[int, int]) -> list[TrunkStretch]:
    """Find the stretches of the trunk whose joints differ in number, with the target joints they determine."""
    limbs = {joint for role, joint in roles(target).items() if role.partition("_")[0] in SIDES}
    ours = roles(target)
    trunk = {joint for joint in ours.values() if joint in pairs and joint not in limbs}
    lowest = ours.get("pelvis", 0)
    out = []
    for upper in sorted(trunk):
        chain = _chain(target, upper, trunk - {upper})
        theirs = _chain(source, pairs[upper], {pairs[chain[0]]}) if chain else ()
        if len(chain) < 2 or len(theirs) < 2 or len(chain) == len(theirs):
            continue
        places = _places(target, chain)
        decided = {joint: (float(places[k]), float(places[k + 1])) for k, joint in enumerate(chain[:-1])}
        if len(theirs) < len(chain):  # the lower end rotates as its partner; those above share
            decided.pop(chain[0])
        for joint in (lowest, carrier(target)):  # hips and arms rotate as the source's
            decided.pop(joint, None)
        if decided:
            out.append(TrunkStretch(theirs, _places(source, theirs), decided))
    return out


def carrier(skeleton: Skeleton) -> int:
    """Return the joint that carries both arms, the chest whatever its name; the root where arms are unknown.

    Examples
    --------
    >>> import segue
    >>> body = segue.sample("walk").skeleton
    >>> body.names[carrier(body)]
    'Spine1'
    """
    found = roles(skeleton)
    chains = []
    for side in SIDES:
        chain = [found.get(f"{side}_clavicle", found.get(f"{side}_shoulder", 0))]
        while chain[-1] > 0:
            chain.append(int(skeleton.parents[chain[-1]]))
        chains.append(chain[1:])
    return next((joint for joint in chains[0] if joint in chains[1]), 0)


def by_place(source: Skeleton, target: Skeleton, pairs: dict[int, int]) -> dict[int, int]:
    """Return partners of joints without a role where both chains between two matched joints have equal joint counts."""
    out: dict[int, int] = {}
    matched = set(pairs)
    for upper in sorted(roles(target).values()):
        if upper not in pairs:
            continue
        chain = _chain(target, upper, matched - {upper})
        theirs = _chain(source, pairs[upper], {pairs[chain[0]]}) if chain else ()
        if len(chain) == len(theirs) > 2:
            out.update(zip(chain[1:-1], theirs[1:-1], strict=True))
    return out


def turned(stretch: TrunkStretch, moved: Quaternions) -> dict[int, Quaternions]:
    """Return world rotations (F, 4) of a stretch's target joints, from the source's (F, J, 4).

    Source rotations are constant along each bone, so a mean over a stretch of the chain is exact; where the target
    has more joints they are interpolated from joint to joint.
    """
    out = {}
    knots = [moved[:, joint] for joint in stretch.source]
    fewer = len(stretch.spans) < len(stretch.source) - 1
    for joint, (start, stop) in stretch.spans.items():
        if fewer and stop > start:
            total = np.zeros_like(knots[0])
            for k in range(len(knots) - 1):
                share = max(min(stop, stretch.at[k + 1]) - max(start, stretch.at[k]), 0.0)
                side = np.where(np.sum(knots[k] * knots[0], axis=-1, keepdims=True) < 0, -1.0, 1.0)
                total += share * side * knots[k]
            out[joint] = normalise(total)
        else:
            k = int(np.clip(np.searchsorted(stretch.at, start, side="right") - 1, 0, len(knots) - 2))
            width = max(float(stretch.at[k + 1] - stretch.at[k]), 1e-9)
            out[joint] = slerp(knots[k], knots[k + 1], (start - float(stretch.at[k])) / width)
    return out


def twists(target: Skeleton) -> dict[int, tuple[int, int, float]]:
    """Find joints that share a forearm's twist: for each its elbow, wrist and share of the chain between them."""
    ours = roles(target)
    rest = target.rest_positions()
    out = {}
    for side in SIDES:
        elbow, wrist = ours.get(f"{side}_elbow"), ours.get(f"{side}_wrist")
        if elbow is None or wrist is None:
            continue
        along = rest[wrist] - rest[elbow]
        length = float(along @ along)
        chain = _chain(target, wrist, {elbow})
        beside = [
            joint
            for joint in target.children[elbow]
            if joint not in chain and any(word in target.names[joint].lower() for word in _TWIST)
        ]
        for joint in (*chain[1:-1], *beside):
            if length > 0 and joint not in ours.values():
                share = float((rest[joint] - rest[elbow]) @ along) / length
                out[joint] = (elbow, wrist, float(np.clip(share, 0.0, 1.0)))
    return out


def twisted(target: Skeleton, elbow: int, wrist: int, *, lower: Quaternions, hand: Quaternions) -> Floats:
    """Return the twist (F,) in radians of the hand about the forearm; ``lower`` and ``hand`` are (F, 4)."""
    axis = _forearm(target, elbow, wrist)
    apart = multiply(conjugate(lower), hand)
    angle = 2.0 * np.arctan2(apart[:, 1:] @ axis, apart[:, 0])
    out: Floats = np.unwrap((angle + np.pi) % (2.0 * np.pi) - np.pi)
    return out


def with_twist(target: Skeleton, elbow: int, wrist: int, *, lower: Quaternions, angle: Floats) -> Quaternions:
    """Return world rotations (F, 4) of a forearm twisted about its axis by an angle (F,)."""
    axis = np.broadcast_to(_forearm(target, elbow, wrist), (angle.size, 3))
    return multiply(lower, from_axis_angle(axis, angle))


def _forearm(target: Skeleton, elbow: int, wrist: int) -> Floats:
    rest = target.rest_positions()
    along = rest[wrist] - rest[elbow]
    out: Floats = along / np.linalg.norm(along)
    return out


def _chain(skeleton: Skeleton, upper: int, ends: set[int]) -> tuple[int, ...]:
    """Joints from the nearest ancestor in ``ends`` down to a joint; empty if there is none."""
    chain = [upper]
    while chain[-1] >= 0:
        chain.append(int(skeleton.parents[chain[-1]]))
        if chain[-1] in ends:
            return tuple(reversed(chain))
    return ()


def _places(skeleton: Skeleton, chain: tuple[int, ...]) -> Floats:
    """Position of each joint on a chain, 0 to 1, by bone lengths."""
    lengths = np.linalg.norm(skeleton.offsets[list(chain[1:])], axis=1)
    along = np.concatenate([[0.0], np.cumsum(lengths)])
    out: Floats = along / along[-1] if along[-1] > 0 else np.linspace(0.0, 1.0, len(chain))
    return out
