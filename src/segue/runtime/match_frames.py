"""Frames of clips as a motion matcher compares and plays them: poses relative to a guide, and their features.

A guide follows the root without its sway. After a clip's end it is extrapolated, so that the last second of a clip can
be played as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from segue.arrays import Bools, Floats, Ints, Quaternions, frozen
from segue.errors import SettingError
from segue.maths.quaternions import from_yaw, multiply
from segue.motion.clip import Clip
from segue.motion.facing import heading
from segue.motion.kinematics import world
from segue.motion.roles import require

AHEAD: tuple[float, ...] = (1 / 3, 2 / 3, 1.0)
"""Times in seconds at which the future is compared."""
SHORTEST = 0.5
"""Shortest clip in seconds; the last half of this time is played but never jumped to."""
_TAIL = SHORTEST / 2
_SWAY = 0.15  # seconds: standard deviation of the Gaussian that removes the sway of steps from a guide
_LAST = 0.3  # seconds before the end from which the guide's speed after the end is taken
_FOOT, _STEP, _PACE, _AWAY, _TURNED = range(5)
_GROUPS = np.repeat([_FOOT, _STEP, _PACE], [6, 6, 2]).tolist() + [_AWAY, _AWAY, _TURNED] * len(AHEAD)


@dataclass(frozen=True, eq=False)
class MatchFrames:
    """All frames of all clips, concatenated, at one rate.

    Parameters
    ----------
    rotations
        (F, J, 4) local rotations, the root's relative to the guide's heading.
    roots
        (F, 3) metres left of the guide, above the ground, and ahead of the guide.
    moves
        (F, 3) the guide's speed to the left and ahead in metres a second, and its turning rate in radians a second.
    features
        (F, 23) divided by ``scale``: ankles relative to the guide (left foot first: left, ahead, up), their velocities,
        the guide's velocity, and its place and turn at each of `AHEAD`.
    scale
        (23,) spread of each group of features over all frames, divided by the group's weight.
    last
        (F,) last frame of the clip to which each frame belongs.
    open
        (F,) whether a frame may be jumped to.
    """

    rotations: Quaternions
    roots: Floats
    moves: Floats
    features: Floats
    scale: Floats
    last: Ints
    open: Bools


def match_frames(clips: Sequence[Clip], fps: float, *, future: float) -> MatchFrames:
    """Lay out clips of one body at rate ``fps``; ``future`` is the weight of the guide's future places.

    Raises
    ------
    SettingError
        If all clips are too short.
    """
    parts = [_of_clip(clip) for clip in clips if clip.seconds >= SHORTEST]
    if not parts:
        msg = f"no clip of {len(clips)} is long enough to be matched: {SHORTEST:g} s"
        raise SettingError(msg)
    lengths = np.cumsum([len(part[0]) for part in parts])
    last = np.concatenate([np.full(len(part[0]), end - 1) for part, end in zip(parts, lengths, strict=True)])
    rotations, roots, moves, features = (np.concatenate([part[k] for part in parts]) for k in range(4))
    groups = np.array(_GROUPS)
    scale = np.ones(features.shape[1])
    for group in range(_TURNED + 1):
        one = groups == group  # scaled together, so that features of one unit keep their proportions
        scale[one] = max(float(np.sqrt(features[:, one].var(axis=0).mean())), 1e-3)
    scale[groups >= _AWAY] /= future
    return MatchFrames(
        frozen(rotations),
        frozen(roots),
        frozen(moves),
        frozen(features / scale),
        frozen(scale),
        frozen(last, np.int64),
        frozen(np.arange(len(last)) + round(_TAIL * fps) <= last, np.bool_),
    )


def _of_clip(clip: Clip) -> tuple[Quaternions, Floats, Floats, Floats]:
    """Rotations and roots relative to the guide, the guide's velocity, and features of one clip."""
    count, fps = clip.n_frames, clip.fps
    guide = _guide(clip)
    place, facing = guide[:count, :2], guide[:count, 2]
    rotations = np.array(clip.rotations)
    rotations[:, 0] = multiply(from_yaw(-facing), rotations[:, 0])
    beside = seen(clip.root_positions[:, [0, 2]] - place, facing)
    roots = np.column_stack([beside[:, 0], clip.root_positions[:, 1], beside[:, 1]])
    speeds = np.gradient(guide, 1.0 / fps, axis=0)[:count]
    moves = np.column_stack([seen(speeds[:, :2], facing), speeds[:, 2]])
    found = require(clip.skeleton, "left_ankle", "right_ankle")
    ankles = world(clip).positions[:, list(found.values())]
    feet = [
        np.column_stack([seen(ankles[:, side][:, [0, 2]] - place, facing), ankles[:, side, 1]])
        for side in range(2)
    ]
    steps = [np.gradient(foot, 1.0 / fps, axis=0) for foot in feet]
    future = []
    for seconds in AHEAD:
        to = np.arange(count) + round(seconds * fps)
        future.append(np.column_stack([seen(guide[to, :2] - place, facing), guide[to, 2] - facing]))
    return rotations, roots, moves, np.column_stack([*feet, *steps, moves[:, :2], *future])


def _guide(clip: Clip) -> Floats:
    """Ground place and heading (F, 3) of a guide, extended by a second after the clip's end."""
    from scipy.ndimage import gaussian_filter1d

    trace = np.column_stack([clip.root_positions[:, [0, 2]], heading(clip)])
    wide = _SWAY * clip.fps
    pad = min(clip.n_frames - 1, round(3 * wide))
    before = 2 * trace[0] - trace[pad:0:-1]  # point reflection at the ends keeps the speed there
    after = 2 * trace[-1] - trace[-2 : -2 - pad : -1]
    smooth = gaussian_filter1d(np.vstack([before, trace, after]), wide, axis=0)[pad : pad + clip.n_frames]
    back = max(min(clip.n_frames - 1, round(_LAST * clip.fps)), 1)
    pace = seen((smooth[-1:, :2] - smooth[-1 - back, :2]), smooth[-1:, 2])[0] * clip.fps / back
    turn = (smooth[-1, 2] - smooth[-1 - back, 2]) * clip.fps / back
    dt = 1.0 / clip.fps
    faces = smooth[-1, 2] + turn * dt * np.arange(1, round(AHEAD[-1] * clip.fps) + 1)
    steps = seen(np.tile(pace * dt, (len(faces), 1)), -(faces - turn * dt / 2))
    return np.vstack([smooth, np.column_stack([smooth[-1, :2] + np.cumsum(steps, axis=0), faces])])


def seen(ground: Floats, facing: Floats) -> Floats:
    """Rotate ground vectors (F, 2), x and z, into headings (F,): components to the left, ahead."""
    s, c = np.sin(facing), np.cos(facing)
    return np.column_stack([c * ground[:, 0] - s * ground[:, 1], s * ground[:, 0] + c * ground[:, 1]])
