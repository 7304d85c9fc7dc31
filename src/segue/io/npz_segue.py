"""NPZ in segue's own layout: a complete clip as plain numpy arrays, which `numpy.load` reads without pickles.

Arrays are checked when read and returned bit for bit.

Keys (``segue_format`` is the layout's version, 1):

==================  ========  ==========================================================
``segue_format``    ()        int64, 1
``name``            ()        text
``fps``             ()        float64, frames a second
``rotations``       (F, J, 4) float64, local unit quaternions wxyz
``root_positions``  (F, 3)    float64, metres, Y up
``names``           (J,)      text
``parents``         (J,)      int64, -1 for the root, which is joint 0
``offsets``         (J, 3)    float64, metres in the parent's frame
``end_joints``      (E,)      int64, the joint of each bone tip
``end_offsets``     (E, 3)    float64, metres in that joint's frame
``roles_given``     (R, 2)    text, role and joint as set by the user
``origin_clips``    (C,)      text, the sources of a made motion
``origin_clip``     (F, 2)    int64, index into ``origin_clips``, -1 for none
``origin_frame``    (F, 2)    float64, frame of that source
``origin_weight``   (F, 2)    float64, blend weight
``origin_periods``  (C,)      float64, frames of one cycle of each source, 0 for none; absent where none is cyclic
==================  ========  ==========================================================

If the body has human limbs, the file also holds the motion under the keys of AMASS (`smpl_body`):
``poses``, ``trans``, ``betas``, ``gender``, ``mocap_framerate``. They are for other programs; segue ignores them.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from segue.errors import FileError, SettingError, SkeletonError
from segue.io.channels import check_rotations
from segue.io.smpl_body import smpl_arrays
from segue.io.text import write_whole
from segue.motion.clip import Clip, Origin, SourceFormat
from segue.motion.roles import given
from segue.motion.skeleton import EndSite, Skeleton

# Kind of values (f floats, i integers, U text) and number of axes of each array.
_LAYOUT = {
    "fps": ("fi", 0),
    "rotations": ("f", 3),
    "root_positions": ("f", 2),
    "names": ("U", 1),
    "parents": ("iu", 1),
    "offsets": ("f", 2),
}
_OPTIONAL = {
    "name": ("U", 0),
    "end_joints": ("iu", 1),
    "end_offsets": ("f", 2),
    "roles_given": ("U", 2),
    "origin_clips": ("U", 1),
    "origin_clip": ("iu", 2),
    "origin_frame": ("f", 2),
    "origin_weight": ("f", 2),
    "origin_periods": ("f", 1),
}
KEYS = frozenset({"segue_format", *_LAYOUT, *_OPTIONAL})
"""Arrays that are read; others in a file are not unpacked."""
_Arrays = Mapping[str, npt.NDArray[Any]]


def read_segue_npz(path: Path, arrays: _Arrays, *, fps: float | None = None, digest: str = "") -> Clip:
    """Make a clip of the arrays of an NPZ file that holds ``segue_format``.

    Parameters
    ----------
    path
        For messages, and the clip's name if the file holds none.
    arrays
        Arrays by key, as returned by `numpy.load` without pickles.
    fps
        Frames a second instead of the file's.
    digest
        SHA-256 of the file, kept in the clip's source.

    Raises
    ------
    FileError
        With the key of the array that is missing or does not fit.

    Examples
    --------
    >>> import segue
    >>> from segue.io.npz_segue import arrays_of
    >>> walk = segue.sample("walk")
    >>> read_segue_npz(Path("walk.npz"), arrays_of(walk)).n_frames == walk.n_frames
    True
    """
    arrays = _checked(path, arrays)
    try:
        skeleton = Skeleton(
            [_text(name) for name in arrays["names"]],
            arrays["parents"],
            arrays["offsets"],
            _end_sites(path, arrays),
        )
        skeleton = given(skeleton, _roles(path, arrays))
        name = _text(arrays["name"]) if "name" in arrays else path.stem
        clip = Clip(
            skeleton,
            arrays["rotations"],
            arrays["root_positions"],
            float(arrays["fps"]) if fps is None else fps,
            name=name,
            origin=_origin(path, arrays),
            source=SourceFormat(path=str(path), format="npz", metres_per_unit=1.0, up="Y", digest=digest),
        )
    except (SettingError, SkeletonError) as error:
        raise FileError(path, str(error)) from None
    check_rotations(clip, path)
    return clip


def _checked(path: Path, arrays: _Arrays) -> dict[str, npt.NDArray[Any]]:
    """Known arrays, each checked for kind and number of axes."""
    version = arrays["segue_format"]
    if version.shape != () or version.dtype.kind not in "iu" or int(version) != FORMAT:
        shown = version.tolist() if version.size < 4 else f"an array of shape {version.shape}"
        message = (
            f"segue_format is {shown}; this version reads {FORMAT}: write the file again or update segue"
        )
        raise FileError(path, message)
    checked = {}
    for key, (kinds, axes) in {**_LAYOUT, **_OPTIONAL}.items():
        if key not in arrays:
            if key in _OPTIONAL:
                continue
            raise FileError(path, f"holds no array {key!r}; needed are {', '.join(_LAYOUT)}")
        value = arrays[key]
        if value.ndim != axes or value.dtype.kind not in kinds:
            wanted = {"f": "floats", "i": "integers", "U": "text"}[kinds[0]]
            message = f"{key!r} has {value.ndim} axes of {value.dtype}; it must have {axes} of {wanted}"
            raise FileError(path, message)
        checked[key] = value
    return checked


def _end_sites(path: Path, arrays: _Arrays) -> list[EndSite]:
    joints, offsets = arrays.get("end_joints"), arrays.get("end_offsets")
    if joints is None or offsets is None:
        return []
    fits = offsets.shape == (len(joints), 3) and np.isfinite(offsets).all()
    if not fits or np.any((joints < 0) | (joints >= len(arrays["names"]))):
        message = f"end_joints {joints.shape} and end_offsets {offsets.shape} do not tell tips of the joints"
        raise FileError(path, message)
    return [EndSite(int(joint), np.array(offset)) for joint, offset in zip(joints, offsets, strict=True)]


def _roles(path: Path, arrays: _Arrays) -> dict[str, str]:
    rows = arrays.get("roles_given")
    if rows is None or not len(rows):
        return {}
    if rows.shape[1] != 2:
        raise FileError(path, f"roles_given {rows.shape} does not tell pairs of a role and a joint")
    return {str(role): _text(name) for role, name in rows}


def _origin(path: Path, arrays: _Arrays) -> Origin | None:
    keys = ("origin_clips", "origin_clip", "origin_frame", "origin_weight")
    if any(key not in arrays for key in keys):
        return None
    clips = tuple(_text(name) for name in arrays["origin_clips"])
    periods = tuple(float(value) for value in arrays.get("origin_periods", ()))
    if len(periods) not in (0, len(clips)) or not all(0 <= value < np.inf for value in periods):
        raise FileError(
            path, f"origin_periods {periods} does not tell a number of frames for each of {len(clips)} clips"
        )
    return Origin(
        clips,
        arrays["origin_clip"],
        arrays["origin_frame"],
        arrays["origin_weight"],
        periods,
    ).checked()


def _text(value: object) -> str:
    """Name that every file and terminal can hold: arrays may hold half a surrogate pair, and NUL."""
    return str(value).encode("utf-8", "replace").decode().replace("\0", "?")


FORMAT = 1
"""Version of the layout, under the key ``segue_format``."""


def write_npz(clip: Clip, path: Path, *, overwrite: bool = True) -> None:
    """Write a clip as NPZ; every number is stored exactly, and equal clips give equal bytes.

    Raises
    ------
    FileError
        If a rotation is no unit quaternion or the file cannot be written.

    Examples
    --------
    >>> import numpy as np, segue, tempfile
    >>> path = Path(tempfile.mkdtemp()) / "walk.npz"
    >>> walk = segue.sample("walk")
    >>> write_npz(walk, path)
    >>> with np.load(path, allow_pickle=False) as arrays:
    ...     bool(np.array_equal(arrays["rotations"], walk.rotations))
    True
    """
    check_rotations(clip, path)
    content = io.BytesIO()
    arrays: dict[str, Any] = arrays_of(clip) | smpl_arrays(clip)
    np.savez_compressed(content, **arrays)
    write_whole(path, content.getvalue(), overwrite=overwrite)


def arrays_of(clip: Clip) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays of a clip by key."""
    skeleton, origin = clip.skeleton, clip.origin
    periods = {"origin_periods": np.array(origin.periods)} if origin.periods else {}
    return {
        "segue_format": np.array(FORMAT, dtype=np.int64),
        "name": np.array(clip.name),
        "fps": np.array(clip.fps),
        "rotations": clip.rotations,
        "root_positions": clip.root_positions,
        "names": np.array(skeleton.names),
        "parents": skeleton.parents,
        "offsets": skeleton.offsets,
        "end_joints": np.array([site.joint for site in skeleton.end_sites], dtype=np.int64),
        "end_offsets": np.array([site.offset for site in skeleton.end_sites], dtype=np.float64).reshape(
            -1, 3
        ),
        "roles_given": np.array(skeleton.roles_given, dtype=np.str_).reshape(-1, 2),
        "origin_clips": np.array(origin.clips, dtype=np.str_),
        "origin_clip": origin.clip,
        "origin_frame": origin.frame,
        "origin_weight": origin.weight,
        **periods,
    }
