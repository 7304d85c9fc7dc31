"""Read MuJoCo: rows of ``qpos`` and their model become a clip.

A joint of the clip is a body of the model, in the model's order. Its frame is the world's while all of
``qpos`` is zero, so that the rest pose is that of the model. The table is a .csv file, with a header line
that names its columns or with the columns of ``qpos`` alone, optionally preceded by seconds.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from segue.arrays import Floats, Positions, Quaternions
from segue.errors import FileError
from segue.io import units
from segue.io.fresh import finish_moves
from segue.io.mujoco_model import Model, ModelBody, read_model, rest_frames, settings_of
from segue.io.text import LONGEST, TextFile, number, read_text
from segue.maths.quaternions import IDENTITY, conjugate, from_axis_angle, multiply, normalise, rotate
from segue.motion.clip import Clip, SourceFormat
from segue.motion.skeleton import EndSite, Skeleton

SUFFIX = ".qpos.csv"
_RESTING_FPS = 30.0
_NEAR = 1e-4


def is_qpos(path: Path) -> bool:
    """Return whether a file has the extension of a ``qpos`` table."""
    return path.name.lower().endswith(SUFFIX)


def read_qpos(
    path: Path, *, skeleton: Path | None = None, fps: float | None = None, encoding: str | None = None
) -> Clip:
    """Read a clip from a table of ``qpos``, ``NAME.qpos.csv``, or by its model in the same folder, ``NAME.xml``.

    Parameters
    ----------
    path
        The table, or the model.
    skeleton
        The model; by default ``NAME.xml`` next to the table.
    fps
        Frames a second; by default from the column of seconds, or as stated by the model.

    Raises
    ------
    FileError
        If one of the two files is missing or the table does not fit the model.
    """
    finish_moves(path.with_name(_stem(path) + ".xml"))
    if path.suffix.lower() == ".xml":
        path, skeleton = path.with_suffix(SUFFIX), path if skeleton is None else skeleton
        if not path.is_file():
            raise FileError(
                skeleton, f"is a model without a motion: its table {path.name} is not in the same folder"
            )
    asked = skeleton if skeleton is not None else find_model(path)
    model = read_model(asked)
    file = read_text(path, encoding=encoding)
    rows, rate, note = _table(file, model)
    if fps is None:
        # The model's rate is exact, while that of rounded seconds is not: prefer it if the two are close.
        near = rate is None or (model.fps is not None and abs(model.fps - rate) < _NEAR * rate)
        fps = model.fps if near else rate
        note = note if rate else f"rate: {fps:g} frames a second, stated by {asked.name}" if fps else ""
        if fps is None:
            raise FileError(
                path, "states no frame rate, neither in a column 'time' nor in its model; pass fps="
            )
    body, rotations, roots, notes = moved(model, rows)
    source = SourceFormat(
        path=str(path), format="mujoco", metres_per_unit=1.0, up="Z", digest=file.digest,
        notes=(f"skeleton: {asked.name}", *([note] if note else []), *notes), extra=settings_of(model),
    )  # fmt: skip
    return Clip(body, rotations, roots, fps, name=_stem(path), source=source)


def find_model(path: Path) -> Path:
    """Find the model of a table of ``qpos``: the .xml file of the same name in its folder.

    Raises
    ------
    FileError
        If it is not there.
    """
    model = path.with_name(_stem(path) + ".xml")
    if not model.is_file():
        message = f"needs its MuJoCo model: save it as {model.name} in the same folder, or pass skeleton="
        raise FileError(path, message)
    return model


def _stem(path: Path) -> str:
    return path.name[: -len(SUFFIX)] if is_qpos(path) else path.stem


def resting_model(path: Path) -> Clip:
    """Return one frame of a model with all of its ``qpos`` zero, as the body for a motion to be retargeted to.

    Raises
    ------
    FileError
        If it is no model.
    """
    model = read_model(path)
    zero = np.zeros((1, model.n_qpos))
    for body in model.bodies:
        for joint in body.joints:
            if joint.kind == "free":
                zero[0, joint.column : joint.column + 7] = [*body.place, *body.turn]
            elif joint.kind == "ball":
                zero[0, joint.column] = 1.0
    skeleton, rotations, roots, _ = moved(model, zero)
    source = SourceFormat(
        path=str(path),
        format="mujoco",
        metres_per_unit=1.0,
        up="Z",
        digest=model.digest,
        extra=settings_of(model),
    )
    return Clip(skeleton, rotations, roots, model.fps or _RESTING_FPS, name=path.stem, source=source)


def skeleton_of(model: Model) -> Skeleton:
    """Return the skeleton of a model, Y up: one joint per body, in the frames of the world at rest."""
    places, turns, pivots = rest_frames(model)
    offsets = places.copy()
    parents = [body.parent for body in model.bodies]
    offsets[1:] -= places[parents[1:]]
    tips = [
        EndSite(k, units.to_y_up(rotate(turns[k], body.tip - pivots[k]), up="Z"))
        for k, body in enumerate(model.bodies)
        if body.tip is not None
    ]
    return Skeleton([body.name for body in model.bodies], parents, units.to_y_up(offsets, up="Z"), tips)


def moved(model: Model, rows: Floats) -> tuple[Skeleton, Quaternions, Positions, list[str]]:
    """Skeleton, local rotations (F, B, 4), root positions (F, 3) and notes of rows (F, N) of ``qpos``."""
    _, rest, pivots = rest_frames(model)
    skeleton = skeleton_of(model)
    turned = np.empty((len(rows), len(model.bodies), 4))
    slides = []
    roots = np.tile(units.from_y_up(skeleton.offsets[0], up="Z"), (len(rows), 1))
    for k, body in enumerate(model.bodies):
        above = turned[:, body.parent] if body.parent >= 0 else np.tile(IDENTITY, (len(rows), 1))
        turn, shift = body_turn(body, rows)
        turned[:, k] = turn if _is_free(body) else multiply(above, multiply(body.turn, turn))
        if k == 0:
            roots = rows[:, body.joints[0].column : body.joints[0].column + 3] if _is_free(body) else (
                roots + rotate(body.turn, shift)
            )  # fmt: skip
            roots = roots + (rotate(turned[:, 0], pivots[0]) if _is_free(body) else 0.0)
        elif np.abs(shift).max(initial=0.0) > 1e-9:
            slides.append(body.name)
    world = multiply(turned, conjugate(rest))
    local = world.copy()
    parents = skeleton.parents[1:]
    local[:, 1:] = multiply(conjugate(world[:, parents]), world[:, 1:])
    notes = [f"body {name!r} slides; that was left out" for name in slides]
    return skeleton, units.rotations_to_y_up(local, up="Z"), units.to_y_up(roots, up="Z"), notes


def _is_free(body: ModelBody) -> bool:
    return bool(body.joints) and body.joints[0].kind == "free"


def body_turn(body: ModelBody, rows: Floats) -> tuple[Quaternions, Positions]:
    """Rotation (F, 4) and shift (F, 3) of a body by its own joints, applied in order, in its frame."""
    turn, shift = np.tile(IDENTITY, (len(rows), 1)), np.zeros((len(rows), 3))
    for joint in body.joints:
        values = rows[:, joint.column :]
        if joint.kind == "hinge":
            turn = multiply(turn, from_axis_angle(joint.axis, values[:, 0]))
        elif joint.kind == "slide":
            shift = shift + rotate(turn, joint.axis) * values[:, :1]
        else:
            first = 3 if joint.kind == "free" else 0
            turn = multiply(turn, normalise(values[:, first : first + 4]))
    return turn, shift


def _table(file: TextFile, model: Model) -> tuple[Floats, float | None, str]:
    """Rows (F, N) of ``qpos``, the rate from a column of seconds if there is one, and a note."""
    lines = [(k, line) for k, line in enumerate(file.lines, start=1) if line.strip()]
    if not lines:
        raise FileError(file.path, "is empty; a table of qpos has a row a frame")
    cells = _split(lines[0][1])
    head = None if _is_number(cells[0]) and _is_number(cells[-1]) else cells
    body = lines[1:] if head is not None else lines
    if not body:
        raise FileError(file.path, "holds no frames under its head line", line=lines[0][0])
    width = len(_split(body[0][1]))
    timed = head is not None and head[0].lower() in {"time", "seconds", "t"}
    timed = timed or (head is None and width == model.n_qpos + 1)
    if width != model.n_qpos + timed:
        named = "time and " if timed else ""
        message = f"has {width} columns; the model {model.path.name} needs {named}{model.n_qpos} (its qpos)"
        raise FileError(file.path, message, line=body[0][0])
    values = np.empty((len(body), width))
    for row, (line, text) in enumerate(body):
        parts = _split(text)
        if len(parts) != width:
            raise FileError(file.path, f"frame {row} has {len(parts)} columns; it needs {width}", line=line)
        for column, word in enumerate(parts):
            value = number(file, word, line=line, what=f"frame {row}")
            if abs(value) > LONGEST:
                raise FileError(file.path, f"frame {row}: {word[:30]} is no value of a joint", line=line)
            values[row, column] = value
    rows = values[:, timed:]
    _check_turns(file, model, rows, [line for line, _ in body])
    steps = np.diff(values[:, 0]) if timed else np.zeros(0)
    usual = float(np.median(steps)) if steps.size else 0.0
    if not 1e-6 < usual < 1e4:
        return rows, None, ""
    rate = round(1.0 / usual, 3)  # seconds are written with nine decimals
    return rows, rate, f"rate: {rate:g} frames a second, by the times"


def _split(line: str) -> list[str]:
    mark = next((mark for mark in ",;\t" if mark in line), None)
    return [cell.strip() for cell in (next(csv.reader([line], delimiter=mark)) if mark else line.split())]


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _check_turns(file: TextFile, model: Model, rows: Floats, lines: list[int]) -> None:
    """Reject rotations that are not unit quaternions."""
    for body in model.bodies:
        for joint in body.joints:
            if joint.kind not in {"free", "ball"}:
                continue
            first = joint.column + (3 if joint.kind == "free" else 0)
            bad = np.flatnonzero(np.abs(np.linalg.norm(rows[:, first : first + 4], axis=1) - 1.0) > 0.01)
            if bad.size:
                message = (
                    f"frame {bad[0]}: the turn of body {body.name!r} is no unit quaternion (w, x, y, z in columns "
                    f"{first + 1} to {first + 4} of qpos)"
                )
                raise FileError(file.path, message, line=lines[int(bad[0])])
