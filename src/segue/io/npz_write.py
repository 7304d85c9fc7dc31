"""NPZ write: a whole clip as plain numpy arrays, which `numpy.load` reads without pickles.

Keys (``segue_format`` tells the layout's version, 1):

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
``roles_given``     (R, 2)    text, role and joint as a person told them
``origin_clips``    (C,)      text, the sources of a made motion
``origin_clip``     (F, 2)    int64, index into ``origin_clips``, -1 for none
``origin_frame``    (F, 2)    float64, frame of that source
``origin_weight``   (F, 2)    float64, blend weight
``origin_periods``  (C,)      float64, frames of one cycle of each source, 0 for none; absent where none is cyclic
==================  ========  ==========================================================

Where the body has the limbs of a person, the same motion stands beside it under the keys of AMASS (`smpl_write`):
``poses``, ``trans``, ``betas``, ``gender``, ``mocap_framerate``. They are for other programs; segue reads its own.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from segue.io.channels import check_rotations
from segue.io.smpl_write import smpl_arrays
from segue.io.text import write_whole
from segue.motion.clip import Clip

FORMAT = 1
"""Version of the layout, under the key ``segue_format``."""


def write_npz(clip: Clip, path: Path, *, overwrite: bool = True) -> None:
    """Write a clip as NPZ; every number comes back bit for bit, equal clips give equal bytes.

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
    """Arrays of a clip by key."""
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
