"""Rotations that put the joints of a skeleton at given positions, frame by frame and without jumps in between.

From the root outwards, each joint is turned until its bones point to where their ends are to be. Several bones that do
not lie on one line fix a rotation by least squares (Kabsch 1976). One bone leaves its twist open: knees and elbows show
it by the plane in which they bend, feet a little; where a limb is nearly straight the twist goes on as it was; where
nothing shows it, the bone turns the shortest way. What error is left, from noise or bones of another length, is
shared out by rounds of least squares over all joints below each joint.
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
"""Complex numbers: an angle about a bone and how sure it is."""
_SHORT = 1e-5  # of the leg: bones shorter than this have no direction
_LINE = 0.05  # as a share of the largest spread: bones that spread less to the side lie on a line
_EXACTLY, _ROUNDING = (
    1e-5,
    1e-6,
)  # and so little that they show nothing; metres that exact positions may be off
_SECONDS = 0.1  # over which a straight limb takes its turn from bent frames around
_BENT = 0.01  # squared sine of a bend from which it shows the twist itself
_FOOT = 0.02  # what a foot shows of its thigh's twist, beside a knee bent by a right angle
_SURE = 100.0  # what joints two bones on show of a twist
_SHORTEST = 1e-4  # and the shortest way
_BEND_AT_REST = 0.1  # sine of a bend of the rest pose from which it shows the hinge
_SWEEPS = 2
_KEEP = 3e-4  # square metres: what keeps a joint's rotation where the joints below show little
_GOOD = 1e-4  # metres: a fit nearer than this is not gone over again
_CHUNK = 4096


@dataclass(frozen=True, eq=False)
class Aim:
    """Where joints are to be: positions (F, J, 3), and which joints (J,) have one."""

    places: Positions
    known: Bools


def kabsch(targets: Positions, rest: Positions, *, prior: Floats | float = 0.0) -> Floats:
    """Rotation matrices (F, 3, 3) that lay vectors (F, K, 3) on targets (F, K, 3) with the least squared distance.

    ``prior`` (F, 3, 3), or a number of times the identity, is what an orientation to stay near to weighs.

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
    """Local rotations (F, J, 4) and root positions (F, 3) that put known joints nearest to where they are to be."""
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
        """Joints whose twist about their one bone nothing shows, and the bone's direction at rest."""

    def outwards(self) -> None:
        """Lay each joint's bones on the lines to their ends, parents before children."""
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
        """Share out the twist of a joint that is known, a chest or a wrist, among joints above whose own is not."""
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
        """Root positions (F, 3): where it is to be, else by the nearest known joints as in the rest pose."""
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
        """World rotations (F, 3, 3) of a joint below a parent's."""
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
        # Bones that spread little tell a turn only where they are where they must be.
        whole = kabsch(vectors, np.broadcast_to(rest, vectors.shape), prior=1e-9 * self.short * laid)
        away = np.linalg.norm(vectors - np.einsum("fab,kb->fka", whole, rest), axis=-1).max(axis=1)
        return np.where((away < _ROUNDING)[:, None, None], whole, laid)

    def bones(self, joint: int) -> list[int]:
        """Nearest known joints below, not at the joint itself; behind one that is, hips and shoulders first."""
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
        """Known joints at the end of the bone to a child, and whether a known joint at the same place lies between."""
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
        """World rotations of a joint of one bone: the shortest from the parent's, then about the bone."""
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
        """Complex numbers (F,): their angle is the twist, their size how sure it is; None if nothing shows it."""
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
        """Joint of a role if it is known where it is to be."""
        joint = self.roles.get(role)
        return joint if joint is not None and self.aim.known[joint] else None

    def hinge(self, side: str, limb: tuple[str, str, str], unit: Positions, swung: Floats) -> Twists | None:
        """Evidence of the plane in which a knee or elbow bends."""
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
        """Evidence of where a foot points, taken as fixed to the thigh."""
        a, b = (self.known_role(f"{side}_{part}") for part in parts)
        if a is None or b is None:
            return None
        vectors = _unit(self.aim.places[:, b] - self.aim.places[:, a])
        return _angle(_unit(self.rest[b] - self.rest[a]), np.einsum("fba,fb->fa", swung, vectors), unit)

    def below(self, joint: int) -> list[int]:
        """Known joints two bones on, of a joint whose bones end at one place: shoulders behind collar bones."""
        kids = self.bones(joint)
        if len(kids) < 2:
            return []
        ends = [end for kid in kids for end in self.bones(kid)]
        stiff = [end for end in ends if self.by_joint.get(end, "").endswith(("shoulder", "hip"))]
        return stiff if len(stiff) > 1 else ends

    def across(self, joint: int, ends: list[int], unit: Positions, swung: Floats) -> Twists:
        """Evidence of several joints further on, taken as fixed to this one."""
        rest = self.rest[ends] - self.rest[joint]
        vectors = np.einsum("fba,fkb->fka", swung, self.aim.places[:, ends] - self.at[:, [joint]])
        size = float(np.square(rest - (rest @ unit)[:, None] * unit).sum())
        each = np.stack([_angle(rest[k], vectors[:, k], unit) for k in range(len(ends))])
        out: Twists = (_SURE / max(size, 1e-12)) * each.sum(axis=0)
        return out

    def error(self) -> float:
        """Largest root mean square distance of a frame from where its joints are to be."""
        away = np.square(self.at[:, self.aim.known] - self.aim.places[:, self.aim.known]).sum(axis=-1)
        return float(np.sqrt(away.mean(axis=1)).max(initial=0.0))

    def shared_out(self) -> None:
        """Rounds of least squares over the joints below each joint."""
        for start in range(0, len(self.at), _CHUNK):
            rows = slice(start, start + _CHUNK)
            _sweep(self.skeleton, self.world[rows], self.at[rows], self.aim.places[rows], self.aim.known)


def _sweep(skeleton: Skeleton, world: Floats, at: Positions, places: Positions, known: Bools) -> None:
    """Turn each joint, with all that hangs on it, so that known joints below come nearest; in place."""
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
    """Joints below each joint."""
    out: list[list[int]] = [[] for _ in skeleton.names]
    for joint in range(skeleton.n_joints - 1, 0, -1):
        out[int(skeleton.parents[joint])] += [joint, *out[joint]]
    return out


def hinge_axis(limb: Positions, *, forward: bool) -> Positions:
    """Axis (3,) about which the lower bone of a limb at rest (3, 3) bends: elbows forwards, knees backwards, facing +Z.

    Examples
    --------
    >>> import numpy as np
    >>> hinge_axis(np.array([[0, 0.9, 0], [0, 0.5, 0], [0, 0.1, 0]]), forward=False).tolist()
    [1.0, 0.0, 0.0]
    """
    upper, lower = _unit(limb[1] - limb[0]), _unit(limb[2] - limb[1])
    to = np.array([0.0, 0.0, 1.0 if forward else -1.0])
    if abs(upper @ to) > 0.9:  # arms stretched to the front bend upwards, legs so bend downwards
        to = np.array([0.0, 1.0 if forward else -1.0, 0.0])
    usual = _unit(np.cross(upper, to))
    own = np.cross(upper, lower)
    bend = float(np.linalg.norm(own))
    if bend > _BEND_AT_REST and own @ usual > 0.5 * bend:
        return own / bend
    return usual


def _angle(rest: Positions, vectors: Positions, unit: Positions) -> Twists:
    """Complex numbers (F,) of the turns about a unit axis from a vector (3,) to others (F, 3), times their lengths."""
    aside = rest - (rest @ unit) * unit
    out: Twists = vectors @ aside + 1j * (vectors @ np.cross(unit, aside))
    return out


def _carried(local: Positions, swing: Quaternions) -> Floats:
    """Angles (F,) that the shortest turns themselves go round about the bone, summed from frame to frame."""
    moving = shortest(local[:-1], local[1:])
    there = multiply(conjugate(swing[1:]), multiply(moving, swing[:-1]))
    axis = np.einsum("fba,fb->fa", to_matrix(swing[1:]), _unit(local[1:]))
    along = np.einsum("fa,fa->f", there[:, 1:], axis)
    steps = 2.0 * np.arctan2(along, there[:, 0])
    steps = (steps + np.pi) % (2.0 * np.pi) - np.pi
    return np.concatenate([[0.0], np.cumsum(steps)])


def _followed(evidence: Twists, carried: Floats, *, fps: float) -> Floats:
    """Angles (F,) about a bone: those of the evidence where it is sure, kept as the bone moves where it is not.

    Penalised least squares of unit complex numbers that stay the same while the bone moves without a twist.
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
    """Tell whether bones (K, 3) leave a turn open."""
    if len(bones) < 2:
        return True
    spread = np.linalg.svd(bones, compute_uv=False)
    return bool(spread[1] <= share * spread[0])


def _unit(vectors: Positions) -> Positions:
    out: Positions = vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12)
    return out
