"""Read joint positions in .npz archives and .npy arrays, as written by motion generators and pose estimators."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from segue.arrays import Positions
from segue.errors import FileError
from segue.file_bytes import file_bytes
from segue.io.joint_positions import FEWEST, RawPositions, clip_of
from segue.io.npz_arrays import Arrays, array_of
from segue.io.text import read_bytes
from segue.motion.clip import Clip
from segue.motion.positions.layouts import LAYOUTS

KEYS = (
    "joints", "positions", "joints3d", "joints_3d", "joint_positions", "keypoints3d", "keypoints_3d", "keypoints",
    "xyz", "posed_joints", "global_positions", "world_positions", "positions_3d", "poses_3d", "pose3d", "kp3d",
    "landmarks", "world_landmarks", "motion", "pred_joints", "pred_xyz", "new_joints", "j3d",
)  # fmt: skip
"""Keys of positions; the first present is taken."""
NAMES = (
    "joint_names",
    "names",
    "joints_names",
    "keypoint_names",
    "landmark_names",
    "bone_names",
    "labels",
    "joint_name",
)
PARENTS = ("parents", "parent", "kintree_table", "joint_parents", "skeleton_parents")
_RATES = (
    "fps",
    "framerate",
    "frame_rate",
    "mocap_framerate",
    "mocap_frame_rate",
    "mocap_fps",
    "rate",
    "frequency",
)
_HINTS = {
    2: "; positions in a picture (two values) are no motion in space",
    251: "; these look like KIT-ML's features, turn them into joints first",
    263: "; these look like HumanML3D's features, turn them into joints first",
}
"""Hints for arrays with a last axis of this length."""
_TIMES = ("frame_time", "frametime", "dt", "timestep")


def positions_key(arrays: Arrays) -> str | None:
    """Return the key of an archive's joint positions; None if it has none."""
    names = {key.lower(): key for key in arrays.keys}
    return next((names[key] for key in KEYS if key in names), None)


def read_positions(arrays: Arrays, *, fps: float | None, unit: float | None, up: str | None) -> Clip:
    """Read a clip from an archive of joint positions (F, J, 3), optionally with names, parents and rate.

    Raises
    ------
    FileError
        If the shapes do not fit, or the joints cannot be identified.
    """
    key = positions_key(arrays)
    if key is None:
        raise FileError(arrays.path, f"holds no joint positions (looked for {', '.join(KEYS)})")
    found = arrays.numbers(key)
    names = _names(arrays)
    points, notes = _shaped(arrays.path, repr(key), found, count=None if names is None else len(names))
    raw = RawPositions(
        arrays.path,
        "npz",
        arrays.digest,
        points,
        names=names,
        parents=_parents(arrays, points.shape[1]),
        fps=_fps(arrays) if fps is None else None,
        notes=(f"positions: {key!r}, {points.shape[0]} frames", *notes),
    )
    return clip_of(raw, fps=fps, unit=unit, up=up)


def read_npy(
    path: Path, *, fps: float | None = None, unit: float | None = None, up: str | None = None
) -> Clip:
    """Read a clip from a single array (F, J, 3) of joint positions in a layout known by its count.

    Raises
    ------
    FileError
        If the array is of another shape or kind.
    """
    content = read_bytes(path)
    found = array_of(path, content)
    if found.dtype.kind not in "fiu":
        raise FileError(path, f"is a single array of {found.dtype}; joint positions are numbers")
    points, notes = _shaped(path, "its single array", found.astype(np.float64), count=None)
    raw = RawPositions(path, "npy", hashlib.sha256(content).hexdigest(), points, notes=tuple(notes))
    return clip_of(raw, fps=fps, unit=unit, up=up)


def is_positions_array(path: Path) -> bool:
    """Return whether an .npy file holds joint positions in a layout known by its count, judged by its header."""
    import ast

    try:
        head = file_bytes(path, most=512)
        given = ast.literal_eval(head[10:].split(b"\n")[0].decode("latin-1").strip())
        shape = tuple(given["shape"])
        kind = np.dtype(given["descr"]).kind
    except (FileError, ValueError, SyntaxError, KeyError, TypeError, MemoryError, RecursionError):
        return False
    known = {len(layout.names) for layout in LAYOUTS}
    return kind == "f" and len(shape) == 3 and shape[1] in known and shape[2] == 3


def _shaped(
    path: Path, what: str, found: npt.NDArray[np.float64], *, count: int | None
) -> tuple[Positions, list[str]]:
    """Positions (F, J, 3) of an array that may have leading axes of length 1, flat rows, or a trailing confidence."""
    values = found
    while values.ndim > 3 and values.shape[0] == 1:
        values = values[0]
    known = {count} if count is not None else {len(layout.names) for layout in LAYOUTS}
    if values.ndim == 2 and values.shape[1] == 3 and values.shape[0] in known:
        values = values[None]
    elif values.ndim == 2 and values.shape[1] % 3 == 0 and values.shape[1] // 3 in known:
        values = values.reshape(len(values), -1, 3)
    if values.ndim == 3 and values.shape[2] == 4:
        share = values[..., 3]
        if np.nanmin(share, initial=0.0) >= 0.0 and np.nanmax(share, initial=0.0) <= 1.0:
            unseen = share <= 0.0
            points = np.array(values[..., :3])
            points[unseen] = np.nan
            return points, [
                f"fourth values: taken as confidence; {int(unseen.sum())} positions of 0 not seen"
            ]
    if values.ndim != 3 or values.shape[2] != 3 or values.shape[1] < FEWEST or not len(values):
        hint = _HINTS.get(found.shape[-1] if found.ndim else 0, "")
        message = f"{what} has the shape {found.shape}; joint positions are (frames, joints, 3){hint}"
        raise FileError(path, message)
    return values, []


def _names(arrays: Arrays) -> tuple[str, ...] | None:
    lower = {key.lower(): key for key in arrays.keys}
    key = next((lower[name] for name in NAMES if name in lower), None)
    if key is None:
        return None
    found = arrays.array(key).reshape(-1)
    if found.dtype.kind not in "US" or not found.size:
        return None
    words = [
        (word.decode("utf-8", errors="replace") if isinstance(word, bytes) else str(word)).strip()
        for word in found.tolist()
    ]
    out: list[str] = []
    for place, word in enumerate(words):
        name = word or f"joint_{place}"
        out.append(f"{name}_{place}" if name in out else name)
    return tuple(out)


def _parents(arrays: Arrays, count: int) -> tuple[int, ...] | None:
    lower = {key.lower(): key for key in arrays.keys}
    key = next((lower[name] for name in PARENTS if name in lower), None)
    if key is None:
        return None
    found: npt.NDArray[Any] = arrays.array(key)
    if found.dtype.kind not in "iuf":
        return None
    if found.ndim == 2 and found.shape[0] == 2:
        found = found[0]  # SMPL's table: parents in row 0, joints in row 1
    if found.shape != (count,):
        raise FileError(
            arrays.path, f"{key!r} has the shape {found.shape}; {count} joints need as many parents"
        )
    values = np.nan_to_num(found.astype(np.float64), nan=-1.0)
    return tuple(int(v) if 0 <= v < count else -1 for v in values.tolist())


def _fps(arrays: Arrays) -> float | None:
    lower = {key.lower(): key for key in arrays.keys}
    for names, turn in ((_RATES, False), (_TIMES, True)):
        key = next((lower[name] for name in names if name in lower), None)
        if key is None:
            continue
        found = arrays.numbers(key).reshape(-1)
        if found.size == 1 and 1e-5 < found[0] < 1e5:
            return float(1.0 / found[0] if turn else found[0])
        raise FileError(arrays.path, f"{key!r} is {found[:3].tolist()}, no frame rate; pass fps=")
    return None
