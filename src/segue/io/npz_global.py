"""Read NPZ archives of world rotations and world positions of joints: the skeleton is inferred from the motion.

The parent of a joint is the joint in whose frame it does not move. Only earlier joints can be parents, as in
every exporter that lists a tree; if several fit, the nearest is taken.
"""

from __future__ import annotations

import numpy as np

from segue.arrays import Floats, Ints, Positions
from segue.errors import FileError
from segue.io import units
from segue.io.npz_arrays import Arrays
from segue.io.up_axis import find_axes
from segue.maths.quaternions import conjugate, from_matrix, multiply
from segue.motion.clip import Clip, SourceFormat
from segue.motion.skeleton import Skeleton

ROTATIONS, POSITIONS = "global_rot_mats", "posed_joints"
NOMINAL_FPS = 30.0
_LOOSE = 2e-3
"""Metres a joint may move in its parent's frame in a valid skeleton."""
_FAR = 1e5
_MOST_JOINTS = 512


def is_global(arrays: Arrays) -> bool:
    """Return whether the archive has this layout."""
    return ROTATIONS in arrays.keys and POSITIONS in arrays.keys


def read_global(arrays: Arrays, *, fps: float | None, unit: float | None, up: str | None) -> Clip:
    """Read a clip from world rotations (F, J, 3, 3) and world positions (F, J, 3); the root is joint 0."""
    matrices, positions = _checked(arrays)
    parents, loose = find_parents(matrices, positions)
    if loose > _LOOSE:
        message = (
            f"no tree of joints fits: a joint moves {100 * loose:.1f} cm in the frame of every earlier one"
        )
        raise FileError(arrays.path, message)
    names, known = _names(parents)
    turned = np.einsum(
        "fjba,fjb->fja", matrices[:, parents[1:]], positions[:, 1:] - positions[:, parents[1:]]
    )
    offsets = np.vstack([positions[:1, 0] * 0.0, turned.mean(axis=0)])
    world = from_matrix(matrices)
    local = np.array(world)
    local[:, 1:] = multiply(conjugate(world[:, parents[1:]]), world[:, 1:])
    skeleton = Skeleton(names, parents, offsets)
    notes = [
        f"layout: world rotations and positions of {len(names)} joints; {known}, its tree found from the motion"
    ]
    legs = units.limbs(skeleton)
    seen = units.sampled_world(skeleton, local, positions[:, 0])
    axes, note = find_axes(skeleton, legs, seen, asked=up)
    notes += [note] if note else []
    if fps is None:
        fps = NOMINAL_FPS
        notes.append(f"rate: {NOMINAL_FPS:g} frames a second, nominal; such files hold none")
    scale, note = (unit, "") if unit else units.given_unit(skeleton, 1.0, 0.0)
    notes += [note] if note else []
    source = SourceFormat(
        path=str(arrays.path),
        format="npz",
        metres_per_unit=scale,
        up=axes.up,
        digest=arrays.digest,
        notes=tuple(notes),
    )
    return Clip(
        units.to_metres(skeleton, unit=scale, up=axes.up, rest=axes.rest),
        units.rotations_to_y_up(local, up=axes.up, rest=axes.rest),
        units.to_y_up(positions[:, 0], up=axes.up) * scale,
        fps,
        name=arrays.path.stem,
        source=source,
    )


def _checked(arrays: Arrays) -> tuple[Floats, Positions]:
    matrices, positions = arrays.numbers(ROTATIONS), arrays.numbers(POSITIONS)
    if (
        positions.ndim != 3
        or positions.shape[2] != 3
        or matrices.shape != (*positions.shape, 3)
        or not len(positions)
        or not 1 <= positions.shape[1] <= _MOST_JOINTS
    ):
        message = (
            f"{ROTATIONS!r} and {POSITIONS!r} have the shapes {matrices.shape} and {positions.shape}; "
            "they must be (frames, joints, 3, 3) and (frames, joints, 3)"
        )
        raise FileError(arrays.path, message)
    bad = np.flatnonzero(~(np.abs(positions) <= _FAR).all(axis=(1, 2)))
    if bad.size:
        raise FileError(arrays.path, f"{POSITIONS!r}: frame {bad[0]} holds values that are no positions")
    finite = np.abs(np.where(np.isfinite(matrices), matrices, 9.0)) < 2.0
    eye = np.einsum("fjab,fjcb->fjac", np.where(finite, matrices, 0.0), np.where(finite, matrices, 0.0))
    bad = np.flatnonzero((np.abs(eye - np.eye(3)) > 1e-2).any(axis=(1, 2, 3)) | ~finite.all(axis=(1, 2, 3)))
    if bad.size:
        raise FileError(arrays.path, f"{ROTATIONS!r}: frame {bad[0]} holds a matrix that is no rotation")
    return matrices, positions


def find_parents(matrices: Floats, positions: Positions) -> tuple[Ints, float]:
    """Parent of each joint (J,), -1 for joint 0, and the largest motion of a joint in its parent's frame.

    Parameters
    ----------
    matrices
        (F, J, 3, 3) world rotations.
    positions
        (F, J, 3) world positions.
    """
    count = len(positions)
    rows = np.unique(np.linspace(0, count - 1, min(count, 64)).astype(np.int64))
    turn, place = matrices[rows], positions[rows]
    parents = np.full(place.shape[1], -1, dtype=np.int64)
    loosest = 0.0
    for joint in range(1, place.shape[1]):
        away = np.einsum("fpba,fpb->fpa", turn[:, :joint], place[:, joint, None] - place[:, :joint])
        moves = np.linalg.norm(away - away.mean(axis=0), axis=-1).max(axis=0)
        fits = moves <= 4.0 * moves.min() + 1e-6
        parents[joint] = int(np.argmin(np.where(fits, np.linalg.norm(away.mean(axis=0), axis=-1), np.inf)))
        loosest = max(loosest, float(moves[parents[joint]]))
    return parents, loosest


_ARM = ("{S}Shoulder", "{S}Arm", "{S}ForeArm", "{S}Hand", "{S}HandThumbEnd", "{S}HandMiddleEnd")
_LEG = ("{S}UpLeg", "{S}Leg", "{S}Foot", "{S}ToeBase")
_SOMA = (
    ["Hips", "Spine1", "Spine2", "Chest", "Neck1", "Neck2", "Head", "Jaw", "LeftEye", "RightEye"]
    + [part.format(S=side) for side in ("Left", "Right") for part in _ARM]
    + [part.format(S=side) for side in ("Left", "Right") for part in _LEG]
)
_SOMA_PARENTS = (-1, 0, 1, 2, 3, 4, 5, 6, 6, 6, 3, 10, 11, 12, 13, 13, 3, 16, 17, 18, 19, 19,
                 0, 22, 23, 24, 0, 26, 27, 28)  # fmt: skip
_ROBOT_LEG = ("hip_pitch", "hip_roll", "hip_yaw", "knee", "ankle_pitch", "ankle_roll", "toe")
_ROBOT_ARM = (
    "shoulder_pitch", "shoulder_roll", "shoulder_yaw", "elbow", "wrist_roll", "wrist_pitch", "wrist_yaw", "hand",
)  # fmt: skip
_ROBOT = (
    ["pelvis"]
    + [f"{side}_{part}" for side in ("left", "right") for part in _ROBOT_LEG]
    + ["waist_yaw", "waist_roll", "waist_pitch"]
    + [f"{side}_{part}" for side in ("left", "right") for part in _ROBOT_ARM]
)
_ROBOT_PARENTS = (-1, 0, 1, 2, 3, 4, 5, 6, 0, 8, 9, 10, 11, 12, 13, 0, 15, 16,
                  17, 18, 19, 20, 21, 22, 23, 24, 17, 26, 27, 28, 29, 30, 31, 32)  # fmt: skip


def _names(parents: Ints) -> tuple[list[str], str]:
    """Joint names of a known tree, else numbers; and a description."""
    tree = tuple(int(p) for p in parents)
    # Eyes and jaw do not move relative to the head and each other, so their inferred parents may differ.
    if len(tree) == len(_SOMA) and tree[10:] == _SOMA_PARENTS[10:] and tree[:7] == _SOMA_PARENTS[:7]:
        return list(_SOMA), "a human body of 30 joints"
    if len(tree) == len(_ROBOT) and tree == _ROBOT_PARENTS:
        return list(_ROBOT), "a humanoid robot of 34 joints"
    return [f"joint_{k}" for k in range(len(tree))], "names unknown (numbered)"
