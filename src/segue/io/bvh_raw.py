"""A BVH motion before conversion to metres and Y up, and the choice of the joint that moves the root.

Position channels of joints other than the root: constant ones become offsets; of varying ones, the motion of
the joint that carries the body moves to the root, and the others are replaced by their mean.

A tree whose root is a hand, a foot or the head is re-rooted at the pelvis (`rehung`): world positions are unchanged.
Trackers and some tools use an arbitrary joint as ROOT. The position and heading of a body are those of its pelvis,
and every limb is read outwards from it. A bone between two joints on the path from the old root to the pelvis keeps
its rotation; where a joint on that path also carries other limbs, a joint of zero length is added to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from segue.arrays import Positions, Quaternions
from segue.io.carrier import carrying_chain, folded_note
from segue.maths.quaternions import IDENTITY, conjugate, multiply, rotate
from segue.motion.kinematics import forward
from segue.motion.role_names import joints_called, limb_roles_by_name, read_name
from segue.motion.skeleton import EndSite, Skeleton

_STILL = 1e-5
"""A position channel that moves less than this share of the body's size is constant: the change is rounding."""


@dataclass
class Raw:
    """A motion in file units and axes, before conversion."""

    names: list[str]
    parents: list[int]
    offsets: Positions
    end_sites: list[EndSite]
    rotations: Quaternions
    roots: Positions
    notes: list[str]
    baked: list[tuple[str, float]]
    """Joints whose varying positions were replaced by their mean, with the largest deviation in file units."""
    carried: dict[str, Any] | None = None
    folded: bool = False
    """Whether the root's positions are those of a joint below it."""

    def skeleton(self) -> Skeleton:
        """Return the body in file units and axes; files of the same body share one object."""
        ends = tuple((site.joint, *site.offset.tolist()) for site in self.end_sites)
        return _body(tuple(self.names), tuple(self.parents), self.offsets.tobytes(), ends)


@lru_cache(maxsize=64)
def _body(
    names: tuple[str, ...], parents: tuple[int, ...], offsets: bytes, ends: tuple[tuple[Any, ...], ...]
) -> Skeleton:
    """One object for all clips of one body, so that results cached on it are shared."""
    sites = [EndSite(joint, np.array(place)) for joint, *place in ends]
    return Skeleton(names, parents, np.frombuffer(offsets).reshape(-1, 3), sites)


def settle_positions(raw: Raw, moving: dict[int, Positions]) -> None:
    """Make constant positions offsets, and move the motion of the joint that carries the body to the root."""
    size = max(float(np.abs(raw.offsets[1:]).max(initial=0.0)), 1e-9)
    for joint, at in list(moving.items()):
        if np.ptp(at, axis=0).max() <= _STILL * size:
            raw.offsets[joint] = at[0]
            del moving[joint]
    first = next(iter(moving), None)
    if first is not None and raw.parents[first] == 0 and _root_is_still(raw, size):
        _carry(raw, first, moving.pop(first))
    elif first is not None:
        moves = np.zeros(len(raw.names))
        for joint, at in moving.items():
            moves[joint] = np.ptp(at, axis=0).max()
        chain = carrying_chain(raw.skeleton(), moves)
        if len(chain) > 1:
            _fold(raw, chain, moving)
    for joint, at in moving.items():
        mean = at.mean(axis=0)
        raw.baked.append((raw.names[joint], float(np.linalg.norm(at - mean, axis=1).max())))
        raw.offsets[joint] = mean


def _root_is_still(raw: Raw, size: float) -> bool:
    return bool(
        np.ptp(raw.roots, axis=0).max() <= _STILL * size and np.ptp(raw.rotations[:, 0], axis=0).max() < 1e-9
    )


def _carry(raw: Raw, joint: int, at: Positions) -> None:
    """Move the motion of a child of a still root to the root, so that the root moves with the body.

    Some exporters put a root without motion above the hips. Heading and ground position are the root's, so it takes
    the position and rotation of the hips; world positions of the hips and of all joints below them are unchanged.
    """
    still, turn = raw.roots[0].copy(), raw.rotations[0, 0].copy()
    raw.carried = {"joint": joint, "position": still, "rotation": turn, "offset": raw.offsets[joint].copy()}
    raw.carried["root_offset"] = raw.offsets[0].copy()
    raw.roots = still + rotate(turn, at)
    raw.offsets[0] = still + rotate(turn, raw.offsets[joint])
    raw.rotations[:, 0] = multiply(turn, raw.rotations[:, joint])
    raw.rotations[:, joint] = IDENTITY
    raw.offsets[joint] = 0.0
    raw.notes.append(f"root {raw.names[0]!r} does not move; it carries the motion of {raw.names[joint]!r}")


def _fold(raw: Raw, chain: list[int], moving: dict[int, Positions]) -> None:
    """Give the root the world motion of the last joint of a chain below it.

    The joints of the chain then coincide. Their other children keep their world rotation, and their world
    position as far as a bone of constant length allows.
    """
    n_frames = len(raw.roots)
    turn, place = raw.rotations[:, 0].copy(), raw.roots.copy()
    beside: dict[int, tuple[Quaternions, Positions]] = {}
    for above, joint in pairwise(chain):
        for kid in (kid for kid, parent in enumerate(raw.parents) if parent == above and kid != joint):
            at = moving.get(kid, np.tile(raw.offsets[kid], (n_frames, 1)))
            beside[kid] = multiply(turn, raw.rotations[:, kid]), place + rotate(turn, at)
        place = place + rotate(turn, moving.pop(joint, np.tile(raw.offsets[joint], (n_frames, 1))))
        turn = multiply(turn, raw.rotations[:, joint])
    for kid, (turned, at) in beside.items():
        raw.rotations[:, kid] = multiply(conjugate(turn), turned)
        moving[kid] = rotate(conjugate(turn), at - place)
    raw.roots, raw.rotations[:, 0] = place, turn
    raw.rotations[:, chain[1:]] = IDENTITY
    raw.offsets[0] += raw.offsets[chain[1:]].sum(axis=0)
    raw.offsets[chain[1:]] = 0.0
    raw.folded = True
    raw.notes.append(folded_note([raw.names[joint] for joint in chain[:-1]], raw.names[chain[-1]]))


_HEAD = ("head", "face", "skull")


@dataclass(frozen=True, eq=False)
class Rehung:
    """A motion in the same unit and axes on the tree re-rooted at the pelvis."""

    names: list[str]
    parents: list[int]
    offsets: Positions
    end_sites: list[EndSite]
    rotations: Quaternions
    roots: Positions


def pelvis_below(skeleton: Skeleton) -> int | None:
    """New root for a tree whose root is a limb or the head; None if the root fits or no name identifies a pelvis.

    Examples
    --------
    >>> import segue
    >>> pelvis_below(segue.sample("walk").skeleton) is None
    True
    """
    names, parents = skeleton.names, skeleton.parents
    side, word, _ = read_name(names[0])
    found = limb_roles_by_name(names)
    limb = any(joint == 0 for joint, _ in found.values())
    if not limb and (side or word not in _HEAD):
        return None
    hips = [found[f"{each}_hip"][0] for each in ("left", "right") if f"{each}_hip" in found]
    called = [joint for joint in joints_called(names, "pelvis") if joint > 0]
    if called:
        return called[0]
    if len(hips) < 2 or min(hips) == 0:
        return None
    chains = [_up_to_root(parents.tolist(), hip) for hip in hips]
    if hips[0] in chains[1] or hips[1] in chains[0]:  # the root is a foot: one thigh carries all joints
        return int(parents[max(hips)])
    return next(joint for joint in chains[0] if joint in chains[1]) or None


def rehung(skeleton: Skeleton, rotations: Quaternions, roots: Positions, pelvis: int) -> Rehung:
    """Re-root a motion (F, J, 4), (F, 3) at another joint; the root's rest offset is unchanged.

    Examples
    --------
    >>> import numpy as np
    >>> body = Skeleton(["Head", "Hips"], [-1, 0], [[0, 0, 0], [0, -1, 0]])
    >>> turned = np.tile([1.0, 0, 0, 0], (1, 2, 1))
    >>> again = rehung(body, turned, np.array([[0, 2.0, 0]]), 1)
    >>> again.names, again.roots.tolist(), (again.offsets + 0.0).tolist()
    (['Hips', 'Head'], [[0.0, 1.0, 0.0]], [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    """
    at = forward(skeleton, rotations, roots)
    chain = _up_to_root(skeleton.parents.tolist(), pelvis)  # from the pelvis to the old root
    along = set(chain)
    made = _Tree(skeleton, at.rotations)
    above = -1
    for step, joint in enumerate(chain):
        offset = skeleton.offsets[0] if step == 0 else -skeleton.offsets[chain[step - 1]]
        last = step + 1 == len(chain)
        upper = joint if last else chain[step + 1]
        beside = [child for child in skeleton.children[joint] if child not in along]
        tips = [site for site in skeleton.end_sites if site.joint == joint]
        holds = bool(beside or tips)
        above = made.add(skeleton.names[joint], above, offset, joint if holds else upper)
        made.tips += [EndSite(above, site.offset) for site in tips]
        for child in beside:
            made.copy(child, above)
        if holds and not last:
            name = made.free_name(f"{skeleton.names[joint]}_to_{skeleton.names[upper]}")
            above = made.add(name, above, np.zeros(3), upper)
    return made.done(at.positions[:, pelvis])


def _up_to_root(parents: list[int], joint: int) -> list[int]:
    out = [joint]
    while parents[out[-1]] >= 0:
        out.append(parents[out[-1]])
    return out


class _Tree:
    """A tree built joint by joint, each with the world rotations of a joint of the old tree."""

    def __init__(self, skeleton: Skeleton, world: Quaternions) -> None:
        self.skeleton, self.world = skeleton, world
        self.names: list[str] = []
        self.parents: list[int] = []
        self.offsets: list[Positions] = []
        self.turning: list[int] = []
        self.tips: list[EndSite] = []

    def add(self, name: str, parent: int, offset: Positions, turning: int) -> int:
        """Add a joint that rotates with joint ``turning`` of the old tree, and return its index."""
        self.names.append(name)
        self.parents.append(parent)
        self.offsets.append(offset)
        self.turning.append(turning)
        return len(self.names) - 1

    def free_name(self, name: str) -> str:
        """Return a name that no joint has."""
        while name in {*self.skeleton.names, *self.names}:
            name += "_"
        return name

    def copy(self, top: int, parent: int) -> None:
        """Add a joint and all its descendants unchanged."""
        stack = [(top, parent)]
        while stack:
            joint, above = stack.pop()
            here = self.add(self.skeleton.names[joint], above, self.skeleton.offsets[joint], joint)
            self.tips += [
                EndSite(here, site.offset) for site in self.skeleton.end_sites if site.joint == joint
            ]
            stack += [(child, here) for child in reversed(self.skeleton.children[joint])]

    def done(self, roots: Positions) -> Rehung:
        """Return the motion on the new tree."""
        turned = self.world[:, self.turning]
        local = np.array(turned)
        local[:, 1:] = multiply(conjugate(turned[:, self.parents[1:]]), turned[:, 1:])
        return Rehung(self.names, self.parents, np.array(self.offsets), self.tips, local, np.array(roots))
