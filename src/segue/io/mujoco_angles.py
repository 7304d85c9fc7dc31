"""MuJoCo write, for a given model: a clip on the body of a robot as rows of the robot's own ``qpos``.

A hinge turns about one axis. Up to three hinges in a row whose axes differ (hip pitch, roll and yaw) are found
together, so that the last of their bodies is turned as the clip has it, or as near as they can. Ranges are kept.
"""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np

from segue.arrays import Floats, Quaternions
from segue.errors import FileError
from segue.io import units
from segue.io.csv_write import table_text, timed
from segue.io.mujoco_model import Model, ModelJoint, read_model, rest_frames
from segue.io.text import write_whole
from segue.maths.quaternions import (
    IDENTITY,
    conjugate,
    from_axis_angle,
    half_angle,
    log,
    multiply,
    rotate,
    unroll,
)
from segue.motion.clip import Clip
from segue.motion.kinematics import world
from segue.texts import shown

_STEPS = 24
_DAMPING = 1e-9
_PARALLEL = 0.9
"""Cosine between two axes from which hinges do the same work and are not found together."""
_FAR = np.radians(10.0)
_log = logging.getLogger("segue.io")


def write_qpos(clip: Clip, path: Path, *, overwrite: bool = True) -> None:
    """Write a clip as a table of the ``qpos`` of the model whose body it has: seconds, then the model's joints.

    Parameters
    ----------
    clip
        A motion read from such a table, or carried over to a model's body.
    path
        ``NAME.qpos.csv``.
    overwrite
        Whether an existing file may be replaced.

    Raises
    ------
    FileError
        If the clip's body is not that of a model, or the file cannot be written.
    """
    source = clip.source
    if source is None or not source.extra.get("mujoco"):
        message = "is for the body of a MuJoCo model; carry the motion over with --skeleton robot.xml, or write .xml"
        raise FileError(path, message)
    model = read_model(Path(source.extra["skeleton"]))
    if tuple(body.name for body in model.bodies) != clip.skeleton.names:
        raise FileError(path, f"the bodies of {model.path} are not the joints of clip {clip.name!r}")
    rows, far = qpos_of(clip, model)
    if far:
        where, (name, degrees) = shown(str(path)), far
        _log.warning(
            "%s: hinges cannot follow; farthest off is %s, by up to %.0f degrees", where, shown(name), degrees
        )
    names = ["time", *columns(model)]
    write_whole(path, table_text(names, timed(clip, rows)), overwrite=overwrite)


def columns(model: Model) -> list[str]:
    """Name of each column of ``qpos``; those of bodies outside the tree that moves are numbered."""
    out = [f"qpos{k}" for k in range(model.n_qpos)]
    for body in model.bodies:
        for joint in body.joints:
            if joint.kind in {"hinge", "slide"}:
                out[joint.column] = joint.name
                continue
            first = joint.column
            if joint.kind == "free":
                out[first : first + 3] = ["root_x", "root_y", "root_z"]
                first += 3
            out[first : first + 4] = [f"{joint.name}_q{part}" for part in "wxyz"]
    return out


def qpos_of(clip: Clip, model: Model) -> tuple[Floats, tuple[str, float] | None]:
    """Rows (F, N) of ``qpos``; and the body that is farthest from the clip's turn, if it is more than ten degrees."""
    _, rest, pivots = rest_frames(model)
    at = world(clip)
    wanted = multiply(units.rotations_from_y_up(at.rotations, up="Z"), rest)
    rows = np.zeros((clip.n_frames, model.n_qpos))
    got = np.empty_like(wanted)
    done: set[int] = set()
    for k, body in enumerate(model.bodies):
        if k in done:
            continue
        above = got[:, body.parent] if body.parent >= 0 else np.tile(IDENTITY, (clip.n_frames, 1))
        if body.joints and body.joints[0].kind == "free":
            got[:, k] = unroll(wanted[:, k][:, None])[:, 0]
            place = units.from_y_up(clip.root_positions, up="Z") - rotate(wanted[:, k], pivots[k])
            rows[:, body.joints[0].column : body.joints[0].column + 7] = np.concatenate(
                [place, got[:, k]], axis=1
            )
        elif body.joints and body.joints[0].kind == "ball":
            turn = multiply(conjugate(multiply(above, body.turn)), wanted[:, k])
            rows[:, body.joints[0].column : body.joints[0].column + 4] = unroll(turn[:, None])[:, 0]
            got[:, k] = wanted[:, k]
        else:
            if k == 0:
                _slide(clip, model, rows)
            chain = _chain(model, k)
            done |= set(chain)
            _solve(model, chain, above, wanted, rows, got)
    off = 2.0 * half_angle(got, wanted)
    worst = int(off.max(axis=0).argmax())
    far = float(off[:, worst].max())
    return rows, (model.bodies[worst].name, float(np.degrees(far))) if far > _FAR else None


def _slide(clip: Clip, model: Model, rows: Floats) -> None:
    """Fill the columns of slides that move the root, which stand before its hinges."""
    body = model.bodies[0]
    way = units.from_y_up(clip.root_positions - clip.skeleton.offsets[0], up="Z")
    for joint in body.joints:
        if joint.kind == "slide":
            rows[:, joint.column] = rotate(conjugate(body.turn), way) @ joint.axis


def _chain(model: Model, first: int) -> list[int]:
    """Bodies whose hinges are found together: each the only child of the one before, at most three axes that differ."""
    chain, axes = [first], _axes(model, first)
    while True:
        below = [k for k, body in enumerate(model.bodies) if body.parent == chain[-1]]
        more = _axes(model, below[0]) if len(below) == 1 else []
        if not more or not axes or len(axes) + len(more) > 3:
            return chain
        if any(abs(float(a @ b)) > _PARALLEL for a in axes for b in more):
            return chain
        chain.append(below[0])
        axes += more


def _hinges(model: Model, body: int) -> list[ModelJoint]:
    return [joint for joint in model.bodies[body].joints if joint.kind == "hinge"]


def _axes(model: Model, body: int) -> list[Floats]:
    """Axes of a body's hinges in the world at rest."""
    turns = rest_frames(model)[1]
    return [rotate(turns[body], joint.axis) for joint in _hinges(model, body)]


def _solve(
    model: Model, chain: list[int], above: Quaternions, wanted: Quaternions, rows: Floats, got: Quaternions
) -> None:
    """Find the angles of a chain by least squares in the last body's turn; fill ``rows`` and ``got``."""
    joints = [joint for k in chain for joint in _hinges(model, k)]
    low = np.array([joint.span[0] for joint in joints])
    high = np.array([joint.span[1] for joint in joints])
    angles = np.clip(np.zeros((len(rows), len(joints))), low, high)
    for _ in range(_STEPS if joints else 0):
        turns, axes = _forward(model, chain, above, angles)
        error = 2.0 * log(unroll_to_identity(multiply(wanted[:, chain[-1]], conjugate(turns[-1]))))
        jacobian = np.stack(axes, axis=-1)
        square = np.einsum("fij,fik->fjk", jacobian, jacobian) + _DAMPING * np.eye(len(joints))
        step = np.linalg.solve(square, np.einsum("fij,fi->fj", jacobian, error)[..., None])[..., 0]
        angles = np.clip(angles + np.clip(step, -1.0, 1.0), low, high)
        if np.abs(step).max(initial=0.0) < 1e-13:
            break
    free = ~np.isfinite(high - low)
    angles[:, free] = np.unwrap(angles[:, free], axis=0)
    turns, _ = _forward(model, chain, above, angles)
    for k, turn in zip(chain, turns, strict=True):
        got[:, k] = turn
    for column, joint in enumerate(joints):
        rows[:, joint.column] = angles[:, column]


def unroll_to_identity(turns: Quaternions) -> Quaternions:
    """Turns (..., 4) with the sign that is nearer to no turn at all."""
    out: Quaternions = np.where(turns[..., :1] < 0, -turns, turns)
    return out


def _forward(
    model: Model, chain: list[int], above: Quaternions, angles: Floats
) -> tuple[list[Quaternions], list[Floats]]:
    """World turns (F, 4) of a chain's bodies, and the world axes (F, 3) of its hinges."""
    turns, axes, column = [], [], 0
    at = above
    for k in chain:
        at = multiply(at, model.bodies[k].turn)
        for joint in _hinges(model, k):
            axes.append(rotate(at, joint.axis))
            at = multiply(at, from_axis_angle(joint.axis, angles[:, column]))
            column += 1
        turns.append(at)
    return turns, axes
