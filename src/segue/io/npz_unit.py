"""The unit of an SMPL-like translation, whose body has a known size: the pelvis stands on its legs, at human speed."""

from __future__ import annotations

import numpy as np

from segue.arrays import Floats, Positions, Quaternions
from segue.errors import FileError
from segue.io.npz_arrays import Arrays
from segue.motion.kinematics import forward
from segue.motion.skeleton import Skeleton

SCALING = "smpl_scaling"
"""Key of what AIST++ divides a translation by: body units a metre."""
_UNITS = ((0.01, "centimetres"), (0.001, "millimetres"), (0.1, "decimetres"), (0.0254, "inches"))
_HIGH = 4.0
"""Metres that a pelvis may stand over the file's origin before its unit is doubted: an upper floor is believed."""
_FAST = 15.0
"""Metres a second that no body travels through most of a clip."""
_STANDS = (0.6, 1.4)
"""Heights of the pelvis, over that of its body, by which a unit fits: from a squat to a step up."""
_ROWS = 256
_FEW = 8
"""Frames below which no speed is taken."""


def told_scaling(arrays: Arrays) -> float | None:
    """Return the file's units a metre where it tells them.

    Raises
    ------
    FileError
        If what it tells is no positive number.
    """
    if SCALING not in arrays.keys:
        return None
    found = arrays.numbers(SCALING)
    if found.size != 1 or not 1e-6 < float(found.reshape(-1)[0]) < 1e6:
        shown = found.reshape(-1)[:3].tolist()
        raise FileError(arrays.path, f"{SCALING!r} is {shown}; it must be one positive number; pass unit=")
    return float(found.reshape(-1)[0])


def unit_by_body(
    body: Skeleton, rotations: Quaternions, trans: Positions, *, fps: float
) -> tuple[float, str]:
    """Metres per unit of a translation, and the sentence on it; metres wherever a body could move so.

    Parameters
    ----------
    body
        In metres, Y up.
    rotations
        (F, J, 4) local, the root's relative to a world with Y up.
    trans
        (F, 3) the pelvis' place, Y up, in the file's unit.
    fps
        Frames a second.
    """
    rows = np.unique(np.linspace(0, len(trans) - 1, min(len(trans), _ROWS)).astype(np.int64))
    hung = forward(body, rotations[rows], np.zeros((len(rows), 3))).positions
    leg = max(float(np.median(-hung[..., 1].min(axis=1))), 0.1)
    height, speed = float(np.median(trans[:, 1])), _speed(trans, fps)
    if _STANDS[0] < height / leg < _STANDS[1] or (height <= _HIGH and speed <= _FAST):
        return 1.0, ""
    fitting = [
        (abs(np.log(unit * height / leg)), unit, name)
        for unit, name in _UNITS
        if height > 0 and _STANDS[0] < unit * height / leg < _STANDS[1] and unit * speed <= _FAST
    ]
    if not fitting and speed > _FAST:
        fitting = [(0.0, unit, name) for unit, name in _UNITS[:2] if unit * speed <= 0.3 * _FAST][:1]
    if not fitting:
        return 1.0, f"unit: metres, though the pelvis stands {height:.3g} m high; unit= overrides"
    _, unit, name = min(fitting)
    why = (
        f"the pelvis at {height:.4g} stands {leg:.2f} m over its feet"
        if height > _HIGH
        else (f"{speed:.4g} a second is no speed in metres")
    )
    return unit, f"unit: {name} for the translation ({why})"


def _speed(trans: Floats, fps: float) -> float:
    """Median speed in units a second."""
    if len(trans) < _FEW:
        return 0.0
    return float(np.median(np.linalg.norm(np.diff(trans, axis=0), axis=1)) * fps)
