"""Joint rotations of a skeleton that fit its joints to given positions in every frame, without jumps between frames.

From the root outwards, each joint is rotated so that its bones point to the targets of their ends. Several bones that
are not on one line determine the rotation by least squares (Kabsch 1976). A single bone leaves its twist undetermined.
The planes in which knees and elbows bend give it, and feet a little; while a limb is nearly straight the twist
continues; without any evidence the bone takes the smallest rotation. The remaining error, from noise or other bone
lengths, is distributed by rounds of least squares over all joints below each joint.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from segue.arrays import Bools, Floats, Positions, Quaternions
from segue.maths.quaternions import conjugate, exp, from_matrix, multiply, to_matrix
from segue.maths.quaternions import rotation_between as shortest
from segue.motion.roles import roles
from segue.motion.skeleton import Skeleton

Twists: TypeAlias = npt.NDArray[np.complex128]
"""Complex numbers: the argument is an angle about a bone, the modulus its weight."""
_SHORT = 1e-5  # share of the longest bone below which a bone has no direction
_LINE = 0.05  # second singular value, as a share of the first, up to which bones are on one line
_EXACTLY, _ROUNDING = 1e-5, 1e-6  # the same for exactly on a line; metres of error of exact positions
_SECONDS = 0.1  # over which a straight limb takes its twist from bent frames around
_BENT = 0.01  # least squared sine of a bend that determines the twist by itself
_FOOT = 0.02  # weight of a foot for its thigh's twist, relative to a knee bent by a right angle
_SURE = 100.0  # weight for a twist of joints two bones further on
_SHORTEST = 1e-4  # and of the smallest rotation
_BEND_AT_REST = 0.1  # least sine of a bend in the rest pose that determines the hinge
_SWEEPS = 2
_KEEP = 3e-4  # square metres: damping of a rotation, for joints with little evidence below
_GOOD = 1e-4  # metres: a fit with a smaller error is not refined
_CHUNK = 4096


@dataclass(frozen=True, eq=False)
class Aim:
    """Target positions (F, J, 3) of joints, and flags (J,) of the joints that have one."""

    places: Positions
    known: Bools


def kabsch(targets: Positions, rest: Positions, *, prior: Floats | float = 0.0) -> Floats:
    """Compute rotation matrices (F, 3, 3) that align vectors (F, K, 3) with targets (F, K, 3) by least squares.

    ``prior`` (F, 3, 3), or a multiple of the identity, is a preferred orientation times its weight.

    Examples
    --------
    >>> import numpy as np
    >>> rest = np.array([[[1.0, 0, 0], [0, 1.0, 0]]])
    >>> (kabsch(rest[..., [2, 0, 1]], rest)[0] @ rest[0, 0]).round(6).tolist()
    [0.0, 1.0, 0.0]
    """
    covariance = np.einsum("fka,fkb->fab", targets, rest)
    covariance += prior * np.eye(3) if np.ndim(prior) == 0 else prior
    u, _, v = np.linalg.svd(covariance)
    u[..., 2] *= np.sign(np.linalg.det(u) * np.linalg.det(v))[:, None]
    out: Floats = u @ v
    return out


def turned(skeleton: Skeleton, aim: Aim, *, fps: float) -> tuple[Quaternions, Positions]:
    """Compute local rotations (F, J, 4) and root positions (F, 3) that fit known joints to their targets."""
    fit = _Turning(skeleton, aim, fps)
    fit.outwards()
    fit.spread()
    if fit.error() > _GOOD:
        fit.shared_out()
    world = from_matrix(fit.world)
    local = np.array(world)
    local[:, 1:] = multiply(conjugate(world[:, skeleton.parents[1:]]), world[:, 1:])
    return local, fit.at[:, 0].copy()


class _Turning:
    """World rotations (F, J, 3, 3) and positions (F, J, 3), filled from the root outwards."""

    def __init__(self, skeleton: Skeleton, aim: Aim, fps: float) -> None:
        self.skeleton, self.aim, self.fps = skeleton, aim, fps
        self.rest = skeleton.rest_positions()
        self.roles = roles(skeleton)
        self.by_joint = {joint: role for role, joint in self.roles.items()}
        count = len(aim.places)
        self.world = np.broadcast_to(np.eye(3), (count, skeleton.n_joints, 3, 3)).copy()
        self.at = np.zeros((count, skeleton.n_joints, 3))
        reach = float(np.linalg.norm(skeleton.offsets[1:], axis=1).max(initial=0.0))
        self.short = _SHORT * reach
        self.loose: dict[int, Positions] = {}
        """Rest direction of the bone of each joint with one bone and no evidence of its twist."""

    def outwards(self) -> None:
        """Rotate each joint's bones towards the targets of their ends, parents before children."""
        skeleton = self.skeleton
        for joint in range(skeleton.n_joints):
            parent = int(skeleton.parents[joint])
            if parent < 0:
                self.at[:, 0] = self.root()
                above = np.broadcast_to(np.eye(3), (len(self.at), 3, 3))
            else:
                above = self.world[:, parent]
                self.at[:, joint] = self.at[:, parent] + above @ skeleton.offsets[joint]
            self.world[:, joint] = self.turn(joint, above)

    def spread(self) -> None:
        """Distribute a known twist, of a chest or a wrist, among the joints above without one."""
        for joint in range(1, self.skeleton.n_joints):
            if joint in self.loose or not self.bones(joint):
                continue
            chain, above = [], int(self.skeleton.parents[joint])
            while above in self.loose and not self.by_joint.get(above, "").endswith("clavicle"):
                chain.append(above)
                above = int(self.skeleton.parents[above])
            if not chain:
                continue
            turn = from_matrix(self.world[:, chain[0]].transpose(0, 2, 1) @ self.world[:, joint])
            twist = np.unwrap(2.0 * np.arctan2(turn[:, 1:] @ self.loose[chain[0]], turn[:, 0]))
            twist -= 2.0 * np.pi * np.round(np.median(twist) / (2.0 * np.pi))
            for place, each in enumerate(chain):
                half = 0.5 * twist * (len(chain) - place) / (len(chain) + 1)
                share = np.concatenate(
                    [np.cos(half)[:, None], np.sin(half)[:, None] * self.loose[each]], axis=-1
                )
                self.world[:, each] = self.world[:, each] @ to_matrix(share)

    def root(self) -> Positions:
        """Root positions (F, 3): the target, else from the rest pose aligned with all known joints."""
        if self.aim.known[0]:
            return self.aim.places[:, 0]
        known = np.flatnonzero(self.aim.known)
        rest, places = self.rest[known], self.aim.places[:, known]
        turn = kabsch(
            places - places.mean(axis=1, keepdims=True),
            np.broadcast_to(rest - rest.mean(axis=0), places.shape),
            prior=1e-9,
        )
        out: Positions = places.mean(axis=1) + turn @ (self.rest[0] - rest.mean(axis=0))
        return out

    def turn(self, joint: int, above: Floats) -> Floats:
        """World rotations (F, 3, 3) of a joint, given its parent's."""
        bones = self.bones(joint)
        if not bones:
            return above
        rest = self.rest[bones] - self.rest[joint]
        vectors = self.aim.places[:, bones] - self.at[:, [joint]]
        if not _on_a_line(rest):
            return kabsch(vectors, np.broadcast_to(rest, vectors.shape), prior=1e-9 * self.short * above)
        axis = rest[int(np.argmax(np.linalg.norm(rest, axis=1)))]
        signs = np.sign(rest @ axis)
        laid = self.about(joint, axis, np.einsum("k,fka->fa", signs, vectors), above)
        if _on_a_line(rest, share=_EXACTLY):
            return laid
        # Bones close to one line determine the rotation only if it fits them exactly.
        whole = kabsch(vectors, np.broadcast_to(rest, vectors.shape), prior=1e-9 * self.short * laid)
        away = np.linalg.norm(vectors - np.einsum("fab,kb->fka", whole, rest), axis=-1).max(axis=1)
        return np.where((away < _ROUNDING)[:, None, None], whole, laid)

    def bones(self, joint: int) -> list[int]:
        """Nearest known joints below at other positions; behind a joint at this position, hips and shoulders first."""
        direct: list[int] = []
        behind: list[int] = []
        for kid in self.skeleton.children[joint]:
            for end, through in self.ends(kid, joint):
                (behind if through else direct).append(end)
        if direct:
            return direct
        stiff = [
            end for end in behind if self.by_joint.get(end, "").endswith(("hip", "shoulder", "clavicle"))
        ]
        if len(stiff) > 1 and not _on_a_line(self.rest[stiff] - self.rest[joint]):
            return stiff
        return behind

    def ends(self, kid: int, joint: int) -> list[tuple[int, bool]]:
        """Known joints at the end of the bone to a child, and whether a known joint at this position lies between."""
        apart = float(np.linalg.norm(self.rest[kid] - self.rest[joint])) > self.short
        if self.aim.known[kid] and apart:
            return [(kid, False)]
        through = bool(self.aim.known[kid])
        return [
            (end, through or rotation_between)
            for each in self.skeleton.children[kid]
            for end, rotation_between in self.ends(each, joint)
        ]

    def about(self, joint: int, axis: Positions, vectors: Positions, above: Floats) -> Floats:
        """World rotations of a joint with one bone: the smallest from the parent's, then the twist about the bone."""
        long = np.linalg.norm(vectors, axis=-1, keepdims=True) > self.short
        local = np.einsum("fba,fb->fa", above, np.where(long, vectors, above @ axis))
        swing = shortest(np.broadcast_to(axis, local.shape), local)
        evidence = self.evidence(joint, axis, above @ to_matrix(swing))
        if evidence is None:
            self.loose[joint] = axis / np.linalg.norm(axis)
            return above @ to_matrix(swing)
        angle = _followed(evidence, _carried(local, swing), fps=self.fps)
        half = 0.5 * angle[:, None]
        twist = np.concatenate([np.cos(half), np.sin(half) * axis / np.linalg.norm(axis)], axis=-1)
        return above @ to_matrix(multiply(swing, twist))

    def evidence(self, joint: int, axis: Positions, swung: Floats) -> Twists | None:
        """Complex numbers (F,): the argument is the twist, the modulus its weight; None without evidence."""
        role = self.by_joint.get(joint, "")
        side, _, part = role.partition("_")
        unit = axis / np.linalg.norm(axis)
        if part in {"hip", "shoulder"}:
            lower, end = ("knee", "ankle") if part == "hip" else ("elbow", "wrist")
            out = self.hinge(side, (part, lower, end), unit, swung)
            if part == "hip" and out is not None:
                foot = self.pointing(side, ("ankle", "toe"), unit, swung)
                out = out if foot is None else out + _FOOT * foot
            return out
        below = self.below(joint)
        return None if len(below) < 2 else self.across(joint, below, unit, swung)

    def known_role(self, role: str) -> int | None:
        """Joint of a role if it has a target."""
        joint = self.roles.get(role)
        return joint if joint is not None and self.aim.known[joint] else None

    def hinge(self, side: str, limb: tuple[str, str, str], unit: Positions, swung: Floats) -> Twists | None:
        """Evidence of twist from the plane in which a knee or elbow bends."""
        joints = [self.known_role(f"{side}_{part}") for part in limb]
        if any(joint is None for joint in joints):
            return None
        top, mid, end = (int(joint) for joint in joints if joint is not None)
        axis = hinge_axis(self.rest[[top, mid, end]], forward=limb[0] != "hip")
        places = self.aim.places
        upper, lower = (_unit(places[:, b] - places[:, a]) for a, b in ((top, mid), (mid, end)))
        square = np.cross(upper, lower)
        size = np.linalg.norm(square, axis=-1)
        out: Twists = size * _angle(axis, np.einsum("fba,fb->fa", swung, square), unit)
        return out

    def pointing(self, side: str, parts: tuple[str, str], unit: Positions, swung: Floats) -> Twists | None:
        """Evidence of twist from the direction of a foot, taken as fixed to the thigh."""
        a, b = (self.known_role(f"{side}_{part}") for part in parts)
        if a is None or b is None:
            return None
        vectors = _unit(self.aim.places[:, b] - self.aim.places[:, a])
        return _angle(_unit(self.rest[b] - self.rest[a]), np.einsum("fba,fb->fa", swung, vectors), unit)

    def below(self, joint: int) -> list[int]:
        """Known joints two bones further on, if a joint has several bones: shoulders behind collar bones."""
        kids = self.bones(joint)
        if len(kids) < 2:
            return []
        ends = [end for kid in kids for end in self.bones(kid)]
        stiff = [end for end in ends if self.by_joint.get(end, "").endswith(("shoulder", "hip"))]
        return stiff if len(stiff) > 1 else ends

    def across(self, joint: int, ends: list[int], unit: Positions, swung: Floats) -> Twists:
        """Evidence of twist from several joints further on, taken as fixed to this one."""
        rest = self.rest[ends] - self.rest[joint]
        vectors = np.einsum("fba,fkb->fka", swung, self.aim.places[:, ends] - self.at[:, [joint]])
        size = float(np.square(rest - (rest @ unit)[:, None] * unit).sum())
        each = np.stack([_angle(rest[k], vectors[:, k], unit) for k in range(len(ends))])
        out: Twists = (_SURE / max(size, 1e-12)) * each.sum(axis=0)
        return out

    def error(self) -> float:
        """Largest root mean square distance of the joints of a frame from their targets."""
        away = np.square(self.at[:, self.aim.known] - self.aim.places[:, self.aim.known]).sum(axis=-1)
        return float(np.sqrt(away.mean(axis=1)).max(initial=0.0))

    def shared_out(self) -> None:
        """Refine all rotations by rounds of least squares over the joints below each joint."""
        for start in range(0, len(self.at), _CHUNK):
            rows = slice(start, start + _CHUNK)
            _sweep(self.skeleton, self.world[rows], self.at[rows], self.aim.places[rows], self.aim.known)


def _sweep(skeleton: Skeleton, world: Floats, at: Positions, places: Positions, known: Bools) -> None:
    """Rotate each joint with its descendants to reduce the error of the known joints below it; in place."""
    trees = _subtrees(skeleton)
    for _ in range(_SWEEPS):
        shift = (places[:, known] - at[:, known]).mean(axis=1, keepdims=True)
        at += shift
        for joint in range(skeleton.n_joints):
            below = trees[joint]
            ends = [end for end in below if known[end]]
            if not ends:
                continue
            base = at[:, [joint]]
            turn = _nudge(places[:, ends] - base, at[:, ends] - base)
            at[:, below] = base + np.einsum("fab,fkb->fka", turn, at[:, below] - base)
            moved = [joint, *below]
            world[:, moved] = turn[:, None] @ world[:, moved]


def _nudge(targets: Positions, ends: Positions) -> Floats:
    """Rotations (F, 3, 3) that bring vectors (F, K, 3) nearer to targets: one Gauss-Newton step."""
    covariance = np.einsum("fka,fkb->fab", targets, ends)
    square = np.stack(
        [covariance[:, b, a] - covariance[:, a, b] for a, b in ((1, 2), (2, 0), (0, 1))], axis=-1
    )
    even = 0.5 * (covariance + covariance.transpose(0, 2, 1))
    system = (np.trace(even, axis1=1, axis2=2) + _KEEP)[:, None, None] * np.eye(3) - even
    out: Floats = to_matrix(exp(0.5 * np.linalg.solve(system, square[..., None])[..., 0]))
    return out


def _subtrees(skeleton: Skeleton) -> list[list[int]]:
    out: list[list[int]] = [[] for _ in skeleton.names]
    for joint in range(skeleton.n_joints - 1, 0, -1):
        out[int(skeleton.parents[joint])] += [joint, *out[joint]]
    return out


def hinge_axis(limb: Positions, *, forward: bool) -> Positions:
    """Return the axis (3,) about which a limb at rest (3, 3) bends: elbows forwards, knees backwards, facing +Z.

    Examples
    --------
    >>> import numpy as np
    >>> hinge_axis(np.array([[0, 0.9, 0], [0, 0.5, 0], [0, 0.1, 0]]), forward=False).tolist()
    [1.0, 0.0, 0.0]
    """
    upper, lower = _unit(limb[1] - limb[0]), _unit(limb[2] - limb[1])
    to = np.array([0.0, 0.0, 1.0 if forward else -1.0])
    if abs(upper @ to) > 0.9:  # limbs stretched forwards or backwards: arms bend upwards, legs downwards
        to = np.array([0.0, 1.0 if forward else -1.0, 0.0])
    usual = _unit(np.cross(upper, to))
    own = np.cross(upper, lower)
    bend = float(np.linalg.norm(own))
    if bend > _BEND_AT_REST and own @ usual > 0.5 * bend:
        return own / bend
    return usual


def _angle(rest: Positions, vectors: Positions, unit: Positions) -> Twists:
    """Complex numbers (F,): angles about a unit axis from a vector (3,) to others (F, 3), weighted by their lengths."""
    aside = rest - (rest @ unit) * unit
    out: Twists = vectors @ aside + 1j * (vectors @ np.cross(unit, aside))
    return out


def _carried(local: Positions, swing: Quaternions) -> Floats:
    """Angles (F,) about the bone that the smallest rotations add from frame to frame, accumulated."""
    moving = shortest(local[:-1], local[1:])
    there = multiply(conjugate(swing[1:]), multiply(moving, swing[:-1]))
    axis = np.einsum("fba,fb->fa", to_matrix(swing[1:]), _unit(local[1:]))
    along = np.einsum("fa,fa->f", there[:, 1:], axis)
    steps = 2.0 * np.arctan2(along, there[:, 0])
    steps = (steps + np.pi) % (2.0 * np.pi) - np.pi
    return np.concatenate([[0.0], np.cumsum(steps)])


def _followed(evidence: Twists, carried: Floats, *, fps: float) -> Floats:
    """Angles (F,) about a bone: from the evidence where it is strong, continued with the bone's motion where not.

    Penalised least squares of unit complex numbers that are constant while the bone moves without twist.
    """
    from scipy.linalg import solveh_banded

    size = np.abs(evidence)
    unwound = np.exp(-1j * carried)
    goal = evidence + _SHORTEST
    stiffness = _BENT * (_SECONDS * fps) ** 2
    count = len(evidence)
    band = np.zeros((2, count))
    band[0] = size + _SHORTEST + 2.0 * stiffness
    band[0, [0, -1]] -= stiffness
    band[1, :-1] = -stiffness
    if count == 1:
        alone: Floats = np.angle(goal)
        return alone
    goal = goal * unwound
    found = solveh_banded(band, np.stack([goal.real, goal.imag], axis=-1), lower=True)
    out: Floats = np.angle((found[:, 0] + 1j * found[:, 1]) * np.conj(unwound))
    return out


def _on_a_line(bones: Positions, *, share: float = _LINE) -> bool:
    """Return whether bones (K, 3) are on one line and leave a rotation about it undetermined."""
    if len(bones) < 2:
        return True
    spread = np.linalg.svd(bones, compute_uv=False)
    return bool(spread[1] <= share * spread[0])


def _unit(vectors: Positions) -> Positions:
    out: Positions = vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12)
    return out
