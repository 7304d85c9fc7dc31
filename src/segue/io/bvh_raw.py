"""A BVH motion before anything is taken from it, and which joint's motion is the root's.

Position channels of other joints than the root: constant ones become offsets; of varying ones the joint that carries
the body lends its motion to the root, and the mean is taken of the rest.
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
from segue.motion.skeleton import EndSite, Skeleton

_STILL = 1e-5
"""A position channel that moves less than this share of the body's size is constant: digits, not motion."""


@dataclass
class Raw:
    """A motion in file units and axes, before anything is taken from it."""

    names: list[str]
    parents: list[int]
    offsets: Positions
    end_sites: list[EndSite]
    rotations: Quaternions
    roots: Positions
    notes: list[str]
    baked: list[tuple[str, float]]
    """Joints whose varying positions became a mean, with the largest deviation in file units."""
    carried: dict[str, Any] | None = None
    folded: bool = False
    """Whether the root's positions are those of a joint below it."""

    def skeleton(self) -> Skeleton:
        """Body in file units and axes; one and the same for files of one body."""
        ends = tuple((site.joint, *site.offset.tolist()) for site in self.end_sites)
        return _body(tuple(self.names), tuple(self.parents), self.offsets.tobytes(), ends)


@lru_cache(maxsize=64)
def _body(
    names: tuple[str, ...], parents: tuple[int, ...], offsets: bytes, ends: tuple[tuple[Any, ...], ...]
) -> Skeleton:
    """One object for all clips of one body, so that what is found about it is found once."""
    sites = [EndSite(joint, np.array(place)) for joint, *place in ends]
    return Skeleton(names, parents, np.frombuffer(offsets).reshape(-1, 3), sites)


def settle_positions(raw: Raw, moving: dict[int, Positions]) -> None:
    """Constant positions become offsets; the moving joint that carries the body lends its motion to the root."""
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
    """Let the root do what a joint under it does, so that the root is the moving body's.

    Some exporters put a root without motion above the hips. Heading and ground position are the root's, so it takes
    the hips' place and turn; world positions of the hips and of all below them stay as they were.
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
    """Let the root do what the last joint of a chain below it does in the world.

    The joints of the chain then stand in one place. What hangs beside them keeps its turn in the world, and its place
    as far as a bone of one length can.
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
