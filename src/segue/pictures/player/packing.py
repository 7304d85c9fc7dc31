"""Poses packed into few bytes for a page.

Root positions and quaternions are quantised to integers. Every channel is stored as second differences over frames,
folded to non-negative numbers (0, -1, 1, -2 become 0, 1, 2, 3), split into planes of bytes, lowest first, compressed
with zlib and written as base64. A component of a joint's quaternions that never comes near zero is left out: its
magnitude follows from the others, and its sign is constant. The step is as large as possible while every joint stays
within `WITHIN` metres of its place.

``client/stage/src/motion.ts`` reads this format.
"""

from __future__ import annotations

import base64
import zlib
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from segue.arrays import Floats
from segue.errors import SettingError
from segue.maths.quaternions import normalise, unroll
from segue.motion.clip import Clip
from segue.motion.kinematics import world_positions
from segue.summaries import one_line

WITHIN = 7e-5
"""Metres by which a joint may move through packing."""
_ROOT_STEP = 2.0**-16
_STEP = 2.0**-13
_FINEST = 2.0**-22
_FULL = 0.4  # a component whose magnitude never falls below this can be left out
_FARTHEST = 2.0**30  # of an integer; its second difference fits into 32 bits

Wholes = npt.NDArray[np.int64]


@one_line
@dataclass(frozen=True, eq=False)
class Packed:
    """A motion as packed text.

    Parameters
    ----------
    fps, frames, joints
        Rate and shape.
    root_step
        Metres of one integer unit of the root's position.
    step
        One integer unit of a quaternion's component.
    left_out
        For each joint: 1 + the component (w x y z) that is left out, negative if that is negative; 0 for none.
    planes
        Bytes for each number.
    data
        The planes, deflated, as base64.
    error
        Largest distance in metres of a joint from its original position.
    """

    fps: float
    frames: int
    joints: int
    root_step: float
    step: float
    left_out: tuple[int, ...]
    planes: int
    data: str
    error: float

    def document(self) -> dict[str, object]:
        """Return the form stored in a page."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def packed(clip: Clip, *, within: float = WITHIN) -> Packed:
    """Pack a clip's poses.

    Parameters
    ----------
    clip
        Any motion.
    within
        Metres by which a joint may move.

    Raises
    ------
    SettingError
        If ``within`` is not above 0 or cannot be reached.

    Examples
    --------
    >>> import segue
    >>> small = packed(segue.sample("walk"))
    >>> small.error < 1e-4, len(small.data) < 60_000
    (True, True)
    """
    if not within > 0:
        msg = f"within is {within}; it must be above 0 metres"
        raise SettingError(msg)
    rotations = unroll(normalise(clip.rotations))
    left_out = _left_out(rotations)
    exact = world_positions(clip)
    root_step = min(_ROOT_STEP, within)
    step = _STEP
    while step >= _FINEST:
        wholes = _wholes(clip.root_positions, rotations, root_step, step)
        back = clip.with_motion(_rotations_of(wholes, step, left_out), wholes[:3].T * root_step)
        error = float(np.linalg.norm(world_positions(back) - exact, axis=-1).max())
        if error <= within:
            content, planes = _bytes(wholes[_kept(left_out)])
            data = base64.b64encode(zlib.compress(content, 9)).decode()
            shape = clip.n_frames, clip.skeleton.n_joints
            return Packed(clip.fps, *shape, root_step, step, left_out, planes, data, error)
        # The error is proportional to the step; its remainder depends on the root's.
        step *= max(0.9 * within / error, 0.25) if error < 8 * within else 0.25
    msg = f"clip {clip.name!r} cannot be packed within {within:g} m: its joints stand too far apart"
    raise SettingError(msg)


def _left_out(rotations: Floats) -> tuple[int, ...]:
    """Component of each joint that stays farthest from zero, in the form of `Packed.left_out`."""
    low, high = rotations.min(axis=0), rotations.max(axis=0)
    size = np.where(low > 0, low, np.where(high < 0, -high, 0.0))
    best = np.argmax(size, axis=1)
    rows = np.arange(len(best))
    signs = np.where(size[rows, best] >= _FULL, np.sign(low[rows, best]), 0)
    return tuple(((1 + best) * signs).astype(int).tolist())


def _kept(left_out: tuple[int, ...]) -> list[int]:
    gone = {3 + 4 * joint + abs(code) - 1 for joint, code in enumerate(left_out) if code}
    return [channel for channel in range(3 + 4 * len(left_out)) if channel not in gone]


def _wholes(roots: Floats, rotations: Floats, root_step: float, step: float) -> Wholes:
    """Quantised integers (C, F), one row for each channel: root x y z, then w x y z for each joint."""
    if np.abs(roots).max() / root_step > _FARTHEST:
        msg = f"a root {np.abs(roots).max():.3g} m from the origin is too far away to be packed"
        raise SettingError(msg)
    place = np.rint(roots / root_step)
    turn = np.rint(rotations / step).reshape(len(roots), -1)
    return np.concatenate([place, turn], axis=1).T.astype(np.int64)


def _rotations_of(wholes: Wholes, step: float, left_out: tuple[int, ...]) -> Floats:
    """Rotations that a page reconstructs from the integers."""
    rotations = (wholes[3:].T * step).reshape(wholes.shape[1], -1, 4)
    for joint, code in enumerate(left_out):
        if code:
            others = np.delete(rotations[:, joint], abs(code) - 1, axis=1)
            rest = np.sqrt(np.maximum(1.0 - (others**2).sum(axis=1), 0.0))
            rotations[:, joint, abs(code) - 1] = np.sign(code) * rest
    out: Floats = normalise(np.asarray(rotations))
    return out


def _bytes(wholes: Wholes) -> tuple[bytes, int]:
    """Planes of bytes, and the number of bytes for each number."""
    bends = wholes.copy()
    bends[:, 1:] -= wholes[:, :-1]
    bends[:, 2:] -= np.diff(wholes, axis=1)[:, :-1]
    folded = np.where(bends >= 0, 2 * bends, -2 * bends - 1).astype(np.uint64)
    planes = max(1, -(-int(folded.max()).bit_length() // 8))
    content = b"".join(
        ((folded >> np.uint64(8 * k)) & np.uint64(255)).astype(np.uint8).tobytes() for k in range(planes)
    )
    return content, planes
