"""Read NPZ: motion of SMPL-like bodies (AMASS and similar), and global rotations with joint positions.

AMASS stores axis-angle vectors relative to the parent in a joint order that the three models share, the pelvis'
translation, and Z up; the models' own rest pose has Y up and faces +Z, so only the world is rotated, not the
rest pose. These files hold no rest offsets: segue's own body is used unless the model's joints are given.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from segue.arrays import Floats, Positions, Quaternions
from segue.errors import FileError, SettingError
from segue.io import units
from segue.io.npz_arrays import SCALING, Arrays, given_scaling, open_arrays, unit_by_body
from segue.io.npz_global import is_global, read_global
from segue.io.npz_positions import positions_key, read_positions
from segue.io.npz_segue import KEYS, read_segue_npz
from segue.io.smpl_body import LAYOUTS, read_rest, smpl_skeleton
from segue.io.up_axis import find_world_up
from segue.maths.quaternions import exp, from_matrix, log
from segue.motion.clip import Clip, SourceFormat
from segue.motion.skeleton import Skeleton

_RATES = ("mocap_framerate", "mocap_frame_rate", "framerate", "frame_rate", "mocap_fps", "fps")
_POSES = ("poses", "pose", "fullpose", "full_pose", "smpl_poses")
_TRANS = ("trans", "transl", "translation", "smpl_trans", "root_translation")
_PARTS: tuple[tuple[tuple[str, ...], int], ...] = (
    (("root_orient", "global_orient"), 3),
    (("pose_body", "body_pose"), 63),
    (("pose_jaw", "jaw_pose"), 3),
    (("leye_pose",), 3),
    (("reye_pose",), 3),
    (("left_hand_pose",), 45),
    (("right_hand_pose",), 45),
)
"""Keys of a pose in parts, in the joints' order, and the widths; eyes and hands may also be combined."""
_FAR = 1e5
"""Metres and radians beyond which a number is invalid."""


def read_npz(
    path: Path,
    *,
    skeleton: Path | None = None,
    fps: float | None = None,
    unit: float | None = None,
    up: str | None = None,
) -> Clip:
    """Read a clip from an .npz archive of arrays.

    Parameters
    ----------
    path
        The archive, with the keys of AMASS, SMPL, SMPL+H or SMPL-X (one pose array or parts), ``global_rot_mats``
        with ``posed_joints``, or joint positions (`segue.io.npz_positions`).
    skeleton
        Rest positions of the user's own model, .npz or .json with the key ``J``: (N, 3) metres, Y up.
    fps, unit, up
        Values that the file lacks or states wrongly; ``unit`` in metres per file unit.

    Raises
    ------
    FileError
        With the keys found and the keys needed, or the frame of an invalid value.
    """
    unit, up, fps = units.checked_unit(unit), units.checked_up(up), units.checked_fps(fps)
    arrays = open_arrays(path)
    if "segue_format" in arrays.keys:
        return _own(arrays, skeleton=skeleton, fps=fps, unit=unit, up=up)
    if is_global(arrays):
        if skeleton is not None:
            raise FileError(path, "holds its own joint positions; skeleton= is for SMPL-like motion")
        return read_global(arrays, fps=fps, unit=unit, up=up)
    if not _has_poses(arrays) and positions_key(arrays) is not None:
        if skeleton is not None:
            message = "holds joint positions; its body is grown from them, skeleton= is for SMPL-like motion"
            raise FileError(path, message)
        return read_positions(arrays, fps=fps, unit=unit, up=up)
    vectors, trans, notes = _motion(arrays)
    scaling = given_scaling(arrays) if unit is None else None
    scale = unit or 1.0 / (scaling or 1.0)
    trans = trans * scale
    notes += [f"unit: {SCALING!r} of {scaling:g} to the metre"] if scaling else []
    n_joints = vectors.shape[1]
    rest = None if skeleton is None else read_rest(skeleton, n_joints)
    body = smpl_skeleton(n_joints, rest=rest)
    rotations = exp(vectors / 2.0) if vectors.ndim == 3 else from_matrix(vectors)
    if rest is None:
        notes.append("rest offsets: segue's own body; the licensed model's go in with skeleton= (key 'J')")
    else:
        # The models rotate the pelvis about its rest position, which is added to the unrotated translation.
        trans = trans + rest[0]
        notes.append(f"rest offsets: from {skeleton}")
    if up is None:
        up, note = _up(body, rotations, trans)
        notes.append(note)
    rotations = units.rotations_to_y_up(rotations, up=up, rest="Y")
    rate, note = _rate(arrays, fps)
    if unit is None and scaling is None:
        moved = trans if rest is None else trans - rest[0]
        found, why = unit_by_body(body, rotations, units.to_y_up(moved, up=up), fps=rate)
        if found != 1.0:
            trans, scale = trans + (found - 1.0) * moved, found
        notes += [why] if why else []
    source = SourceFormat(
        path=str(path),
        format="npz",
        metres_per_unit=scale,
        up=up,
        digest=arrays.digest,
        notes=(*notes, *([note] if note else [])),
    )
    return Clip(body, rotations, units.to_y_up(trans, up=up), rate, name=path.stem, source=source)


def _own(
    arrays: Arrays, *, skeleton: Path | None, fps: float | None, unit: float | None, up: str | None
) -> Clip:
    """Read segue's own archive, which states everything."""
    if skeleton is not None or unit not in {None, 1.0} or up not in {None, "Y"}:
        msg = f"{arrays.path}: holds its own skeleton in metres, Y up; skeleton=, unit= and up= are for other files"
        raise SettingError(msg)
    known = {key: arrays.array(key) for key in arrays.keys if key in KEYS}
    return read_segue_npz(arrays.path, known, fps=fps, digest=arrays.digest)


def _has_poses(arrays: Arrays) -> bool:
    """Whether there are rotations (one array or parts) with translations, which are more complete than positions."""
    whole = _first(arrays, _POSES) is not None or _first(arrays, _PARTS[0][0]) is not None
    return whole and _first(arrays, _TRANS) is not None


def _first(arrays: Arrays, names: Sequence[str]) -> str | None:
    return next((name for name in names if name in arrays.keys), None)


def _motion(arrays: Arrays) -> tuple[Floats, Positions, list[str]]:
    """Axis-angle vectors (F, J, 3) or matrices (F, J, 3, 3), translations (F, 3), notes."""
    poses_key, trans_key = _first(arrays, _POSES), _first(arrays, _TRANS)
    root_key = _first(arrays, _PARTS[0][0])
    if trans_key is None or (poses_key is None and root_key is None):
        message = (
            f"has the keys {_listed(arrays.keys)}; a motion needs 'poses' (or 'root_orient' and 'pose_body', or "
            "'global_orient' and 'body_pose') with 'trans' (or 'transl') and a frame rate such as 'mocap_framerate', "
            "or joint positions as 'joints' (frames, joints, 3) with 'joint_names'"
        )
        raise FileError(arrays.path, message)
    trans = _checked(arrays, trans_key, arrays.numbers(trans_key))
    if trans.ndim == 3 and trans.shape[1] == 1:
        trans = trans[:, 0]
    if trans.ndim != 2 or trans.shape[1] != 3 or not len(trans):
        message = f"{trans_key!r} has the shape {trans.shape}; it must be (frames, 3)"
        raise FileError(arrays.path, message)
    if poses_key is not None:
        vectors = _shaped(arrays, poses_key, _checked(arrays, poses_key, arrays.numbers(poses_key)))
        taken = repr(poses_key)
    else:
        vectors, taken = _parts(arrays, len(trans))
    if len(vectors) != len(trans):
        message = (
            f"{taken} has {len(vectors)} frames and {trans_key!r} has {len(trans)}; they must be as many"
        )
        raise FileError(arrays.path, message)
    layout = LAYOUTS[vectors.shape[1]][0]
    return vectors, trans, [f"layout: {layout}, {vectors.shape[1]} joints ({taken} and {trans_key!r})"]


def _listed(keys: Sequence[str]) -> str:
    shown = ", ".join(repr(key[:40]) for key in keys[:12])
    return shown + (f" and {len(keys) - 12} more" if len(keys) > 12 else "")


def _checked(arrays: Arrays, key: str, values: Floats) -> Floats:
    """Return values, checked to be finite and within the limit in every frame."""
    frames = values.reshape(len(values), -1) if values.ndim and values.size else np.zeros((1, 0))
    bad = np.flatnonzero(~(np.abs(frames) <= _FAR).all(axis=1))
    if bad.size:
        found = frames[bad[0]][~(np.abs(frames[bad[0]]) <= _FAR)][0]
        message = (
            f"{key!r}: frame {bad[0]} holds {found:g} ({bad.size} such frame{'s' * (bad.size > 1)}); cut these frames "
            "out or fill them before loading"
        )
        raise FileError(arrays.path, message)
    return values


def _shaped(arrays: Arrays, key: str, values: Floats) -> Floats:
    """Poses as (F, J, 3) axis-angle vectors or (F, J, 3, 3) matrices."""
    if not values.ndim or not values.size:
        raise FileError(arrays.path, f"{key!r} holds no frames")
    if values.ndim == 2 and values.shape[1] % 3 == 0 and values.shape[1] // 3 in LAYOUTS:
        return values.reshape(len(values), -1, 3)
    vectors = values.ndim == 3 and values.shape[2] == 3
    if (vectors or (values.ndim == 4 and values.shape[2:] == (3, 3))) and values.shape[1] in LAYOUTS:
        return values
    wanted = ", ".join(str(3 * joints) for joints in LAYOUTS)
    message = (
        f"{key!r} has the shape {values.shape}; SMPL-like poses are (frames, {wanted}) axis-angle values"
    )
    raise FileError(arrays.path, message)


def _parts(arrays: Arrays, n_frames: int) -> tuple[Floats, str]:
    """Join a pose stored in parts; a missing part is zero. Also returns the keys used."""
    found: list[Floats] = []
    taken: list[str] = []
    for names, width in _parts_of(arrays):
        key = _first(arrays, names)
        if key is None:
            found.append(np.zeros((n_frames, width)))
            continue
        given = _checked(arrays, key, arrays.numbers(key))
        values = _vectors(given, width)
        # SMPL's own body pose has two more joints, the hands.
        if values.shape != (n_frames, width) and not (width == 63 and values.shape == (n_frames, 69)):
            wanted = (n_frames, width)
            message = (
                f"{key!r} has the shape {given.shape}; with {n_frames} translations it must be {wanted} "
                f"axis-angle values, or {(n_frames, width // 3, 3, 3)} matrices"
            )
            raise FileError(arrays.path, message)
        found.append(values)
        taken.append(repr(key))
    joined = np.concatenate(found, axis=1)
    joints = joined.shape[1] // 3
    if joints not in LAYOUTS:
        message = (
            f"the parts {', '.join(taken)} make {joints} joints; layouts have {', '.join(map(str, LAYOUTS))}"
        )
        raise FileError(arrays.path, message)
    return joined.reshape(n_frames, joints, 3), ", ".join(taken)


def _vectors(values: Floats, width: int) -> Floats:
    """Axis-angle values (F, 3 J) of a part of a pose: unchanged, or of rotation matrices (F, J, 3, 3)."""
    alone = values.ndim == 3 and width == 3 and values.shape[1:] == (3, 3)
    if not values.ndim or not values.size:
        return np.zeros((len(values) if values.ndim else 1, 0))
    if (alone or values.ndim == 4) and values.shape[-2:] == (3, 3):
        values = 2.0 * log(from_matrix(values))
    return values.reshape(len(values), -1)


def _parts_of(arrays: Arrays) -> list[tuple[tuple[str, ...], int]]:
    """Parts of this file's pose; hands, jaw and eyes only if it has them."""
    parts = list(_PARTS[:2])
    hands = _first(arrays, ("pose_hand", "hand_pose"))
    if hands is None and _first(arrays, ("left_hand_pose", "right_hand_pose")) is None:
        return parts
    face = ("pose_jaw", "jaw_pose", "pose_eye", "leye_pose", "reye_pose")
    if _first(arrays, face) is not None:
        parts.append(_PARTS[2])
        parts += [(("pose_eye",), 6)] if "pose_eye" in arrays.keys else list(_PARTS[3:5])
    return [*parts, ((hands,), 90)] if hands is not None else [*parts, *_PARTS[5:]]


def _rate(arrays: Arrays, fps: float | None) -> tuple[float, str]:
    if fps is not None:
        return fps, ""
    key = _first(arrays, _RATES)
    if key is None:
        message = f"holds no frame rate (looked for {', '.join(_RATES)}); pass fps=, as convert --in-fps does"
        raise FileError(arrays.path, message)
    found = arrays.numbers(key)
    if found.size != 1 or not 0 < float(found.reshape(-1)[0]) < 1e5:
        raise FileError(arrays.path, f"{key!r} is {found.reshape(-1)[:3].tolist()}, no frame rate; pass fps=")
    return float(found.reshape(-1)[0]), f"rate: {float(found.reshape(-1)[0]):g} frames a second ({key!r})"


def _up(body: Skeleton, rotations: Quaternions, trans: Positions) -> tuple[str, str]:
    """Up axis of the world and a note: Z as in AMASS, unless the body stands along another axis."""
    world = units.sampled_world(body, rotations, trans)
    up, shown = find_world_up(body, units.limbs(body), world, usual="Z")
    if shown:
        return up, f"up: {up}, the body stands along it (AMASS itself has Z up; up= overrides)"
    return up, f"up: {up}, as AMASS has it"
