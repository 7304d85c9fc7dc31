"""What every writer refuses."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from segue.errors import FileError
from segue.motion.clip import Clip

_UNIT = 1e-3
"""A quaternion this far from unit length is no rounding: it is wrong."""


def check_rotations(clip: Clip, path: Path) -> None:
    """Raise `FileError` naming joint and frame where a rotation is no unit quaternion."""
    with np.errstate(over="ignore"):
        bad = np.argwhere(np.abs(np.linalg.norm(clip.rotations, axis=-1) - 1.0) > _UNIT)
    if bad.size:
        frame, joint = (int(k) for k in bad[0])
        message = (
            f"clip {clip.name!r}: rotation of joint {clip.skeleton.names[joint]!r} in frame {frame} is "
            f"{clip.rotations[frame, joint].tolist()}, not a unit quaternion; normalise it first"
        )
        raise FileError(path, message)
