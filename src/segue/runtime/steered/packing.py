"""A `Locomotion` in two flat arrays, as read by the kernels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from segue.accel.emitter import LANES
from segue.accel.layouts import named
from segue.arrays import Floats, Ints, aligned, frozen, sealed
from segue.errors import SettingError
from segue.locomotion._kernels import ROW
from segue.locomotion.blend_set import BlendSet, heel_and_toe
from segue.locomotion.model import Locomotion
from segue.maths.quaternions import conjugate, rotate
from segue.motion.feet import foot_points
from segue.motion.kinematics import forward
from segue.motion.limb_ik import Leg
from segue.runtime.standing import _kernels as k

_TRANSITION_EXAMPLES = 16
_MOST_PARAMETERS = 8
_LINE = 8  # numbers in a cache line; every part begins on one


@dataclass(frozen=True)
class SteerSettings:
    """Settings of a steered character.

    Parameters
    ----------
    agility
        1/s: how fast speed and turning rate follow a command; nine tenths of a change take 3.9 / agility seconds.
    beyond
        How far outside the examples' hull parameters may be, in standard deviations of the examples.
    left_over
        Intervals of a shared period that must be left for a transition to begin in it (Park et al., the threshold of
        b1).
    release
        1/s: how fast a foot in the air returns to where the blend has it.
    landing
        1/s: how fast a planted foot's height settles on the ground.
    sinking
        1/s: how fast the root rises after it was lowered for a leg, and follows uneven ground.
    """

    agility: float = 8.0
    beyond: float = 0.25
    left_over: float = 1.0
    release: float = 16.0
    landing: float = 3.0
    sinking: float = 6.0

    def __post_init__(self) -> None:
        """Check the ranges."""
        for name in ("agility", "release", "landing", "sinking"):
            if not getattr(self, name) > 0:
                msg = f"{name} is a rate a second and must be positive, not {getattr(self, name)}"
                raise SettingError(msg)
        if not (self.beyond >= 0 and self.left_over >= 0):
            msg = f"beyond and left_over are 0 or more, not {self.beyond} and {self.left_over}"
            raise SettingError(msg)


@dataclass(frozen=True, eq=False)
class SteerModel:
    """Input of the kernels: ``data`` (float), ``index`` (int), and the length of a state."""

    data: Floats
    index: Ints
    padded: int
    most: int
    state_size: int


@lru_cache(maxsize=4)
def packed(model: Locomotion, settings: SteerSettings) -> SteerModel:
    """Lay out a model; all its characters read the same arrays.

    Raises
    ------
    SettingError
        If the model has more parameters than a state can hold.
    """
    width = len(model.parameters)
    if width > _MOST_PARAMETERS:
        msg = f"at most {_MOST_PARAMETERS} parameters can be steered, not {width}: {', '.join(model.parameters)}"
        raise SettingError(msg)
    joints = model.skeleton.n_joints
    padded = _whole_blocks(joints)
    sets = [node.set for node in model.nodes] + [transition.set for transition in model.transitions]
    too_many = [one for one in sets[len(model.nodes) :] if one.n_examples > _TRANSITION_EXAMPLES]
    if too_many:
        msg = (
            f"a set of transitions has at most {_TRANSITION_EXAMPLES} examples, not {too_many[0].n_examples}"
        )
        raise SettingError(msg)
    most = _whole_blocks(max(one.n_examples for one in sets))
    data: list[Floats] = []
    rows: list[int] = []
    size = 0
    for one in sets:
        parts = _parts(one, padded)
        row = [
            one.n_examples,
            one.n_intervals,
            int(one.cyclic),
            one.parameters.shape[1],
            len(one.around.limits),
        ]
        for part in parts:
            row.append(size)
            data.append(np.pad(part, (0, -len(part) % _LINE)))
            size += len(data[-1])
        rows += row
        assert len(row) == ROW  # noqa: S101  # the kernels' own table
    data.append(_body(model, settings))
    tables = [rows, _transitions(model), *_kinds(model), _legs(model)]
    at = [k.HEAD]
    for table in tables:
        at.append(at[-1] + len(table))
    head = [joints, padded, width, len(model.nodes), len(model.transitions), most, *at[:-1], size]
    index = np.array([*head, *(value for table in tables for value in table)], dtype=np.int64)
    flat = aligned((size + len(data[-1]),), np.float64)
    np.concatenate(data, out=flat)
    room = k.ROOM + 2 * most + 19 * padded + 8 + k.WORKROOM
    return SteerModel(sealed(flat), frozen(index, np.int64), padded, most, room + -room % _LINE)


def _whole_blocks(count: int) -> int:
    """Round a count up to a multiple of `LANES`."""
    return -(-count // LANES) * LANES


def _transitions(model: Locomotion) -> list[int]:
    """Rows of the transitions; their sets come after those of the types."""
    out: list[int] = []
    for number, transition in enumerate(model.transitions):
        shared = [transition.before, transition.after, transition.from_interval, transition.to_interval]
        out += [transition.source, transition.target, len(model.nodes) + number, *shared, 0]
    return out


def _kinds(model: Locomotion) -> tuple[list[int], list[int]]:
    """Next hops from type to type, row by row, and flags of the types that have keytimes to meet."""
    return [hop for hops in model.next_hops() for hop in hops], [int(node.steps) for node in model.nodes]


def _parts(one: BlendSet, padded: int) -> list[Floats]:
    """Parts of a set, in the order of the columns that hold their offsets."""
    turns = in_blocks(one.rotations, padded)
    fitted, around = one.weights, one.around
    more = [(0, 0), (0, _whole_blocks(one.n_examples) - one.n_examples)]  # fill blocks with far examples
    parts = (
        turns,
        one.beside,
        one.rates,
        np.pad(fitted.places.T, more, constant_values=1e9),
        np.pad(fitted.linear, more),
        np.pad(fitted.radial, more),
        np.pad(fitted.reach, more[1:], constant_values=1.0),
        fitted.scale,
        around.normals,
        around.limits,
        around.flat,
    )
    return [np.ravel(part) for part in parts]


def in_blocks(rotations: Floats, padded: int) -> Floats:
    """Reorder rotations (..., 4, J) as (..., blocks, 4, lanes), padded with the identity."""
    lead, joints = rotations.shape[:-2], rotations.shape[-1]
    full = np.zeros((*lead, 4, padded))
    full[..., 0, :] = 1.0
    full[..., :joints] = rotations
    blocks = full.reshape(*lead, 4, padded // LANES, LANES)
    return np.ascontiguousarray(np.moveaxis(blocks, -3, -2))


def _legs(model: Locomotion) -> list[int]:
    """Rows of both legs: indices of hip, knee and ankle in the chain from the root, its length, and the chain."""
    out: list[int] = []
    parents = model.skeleton.parents
    for side in ("left", "right"):
        leg = Leg.of(model.skeleton, side)
        path = [leg.ankle]
        while parents[path[-1]] >= 0:
            path.append(int(parents[path[-1]]))
        path.reverse()
        room = k.LEG_ROW - k.PATH
        if len(path) > room or path.index(leg.hip) == 0:
            msg = f"the {side} leg hangs {len(path)} joints below the root; it must be 1 to {room} below it"
            raise SettingError(msg)
        row = [path.index(leg.hip), path.index(leg.knee), path.index(leg.ankle), len(path), *path]
        out += row + [0] * (k.LEG_ROW - len(row))
    return out


def _body(model: Locomotion, settings: SteerSettings) -> Floats:
    """Settings and body, in the order of the kernels' offsets."""
    skeleton = model.skeleton
    head = np.zeros(k.OFFSETS)
    body = named(k.BODY, head)
    body["rate"], body["beyond"], body["left_over"] = settings.agility, settings.beyond, settings.left_over
    body["release"], body["landing"], body["sinking"] = settings.release, settings.landing, settings.sinking
    body["soles"] = heel_and_toe(skeleton).reshape(2, 2, 3)
    body["heights"] = foot_points(skeleton).rest_heights.reshape(2, 2)
    body["axes"] = [_knee_axis(model, side) for side in ("left", "right")]
    return np.concatenate([head, skeleton.offsets.ravel()])


def _knee_axis(model: Locomotion, side: str) -> Floats:
    """Axis (3,) about which a knee bends, in the thigh's frame: the mean over all examples, weighted by the bend."""
    leg = Leg.of(model.skeleton, side)
    total = np.zeros(3)
    for one in [node.set for node in model.nodes] + [transition.set for transition in model.transitions]:
        for example in range(one.n_examples):
            rotations = np.moveaxis(one.rotations[:, example], 1, 2)
            at = forward(model.skeleton, rotations, one.beside[:, example, :3])
            hip, knee, ankle = (at.positions[:, joint] for joint in (leg.hip, leg.knee, leg.ankle))
            square = np.cross(knee - hip, ankle - knee)
            total += rotate(conjugate(at.rotations[:, leg.hip]), square).sum(axis=0)
    return total / max(float(np.linalg.norm(total)), 1e-12)
