"""Classification of clips: walk, run, jump, standing, or a body near the ground."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from segue.arrays import Bools, Floats
from segue.motion.clip import Clip
from segue.motion.feet import foot_positions, leg_length
from segue.motion.flags import runs
from segue.motion.kinematics import world
from segue.motion.roles import NEEDED, roles
from segue.motion.usable import sound_frames

Kind: TypeAlias = Literal["walk", "run", "jump", "stand", "low", "other"]
PLURAL = {
    "walk": "walks",
    "run": "runs",
    "jump": "jumps",
    "stand": "standing clips",
    "low": "clips near the ground",
    "other": "clips",
}
"""Plural noun for each kind."""
_CLEAR = 0.035  # leg lengths above its resting height from which a foot part is in the air
_SHORTEST = 0.05  # shortest flight in seconds
_RISES = 0.14  # leg lengths by which the root rises above standing height in a jump
_LOW = 0.6  # leg lengths: a median root height below this means a body that sits, lies or crawls
_MOVES = 0.5  # leg lengths a second over the ground: slower is standing
_RUNS = 2.2  # leg lengths a second: with flights, a faster clip is a run
_SURELY = 3.0  # leg lengths a second: faster is a run in any case


def clip_kind(clip: Clip) -> Kind:
    """Classify a clip by most of its frames; a clip that contains a jump is a jump.

    Parameters
    ----------
    clip
        Any clip; one whose legs are unknown is ``"other"``.

    Examples
    --------
    >>> import segue
    >>> [clip_kind(segue.sample(name)) for name in ("walk", "run", "stand")]
    ['walk', 'run', 'stand']
    """
    if not set(NEEDED) <= roles(clip.skeleton).keys():
        return "other"
    leg = leg_length(clip.skeleton)
    sound = sound_frames(clip)
    root = clip.root_positions[sound, 1]
    feet = foot_positions(clip.skeleton, world(clip))[sound, :, 1]
    if float(np.median(root - feet.min(axis=1))) < _LOW * leg:
        return "low"
    flights = _flights(feet, _CLEAR * leg, clip.fps)
    standing = float(np.median(root[~flights])) if (~flights).any() else float(np.median(root))
    if any(root[start:stop].max() > standing + _RISES * leg for start, stop in runs(flights)):
        return "jump"
    speed = _speed(clip) / leg
    if speed < _MOVES:
        return "stand"
    return "run" if speed > _SURELY or (flights.any() and speed > _RUNS) else "walk"


def _flights(heights: Floats, clear: float, fps: float) -> Bools:
    """Flags (F,) of flights, from heights (F, 4) of the foot parts; those under `_SHORTEST` are left out."""
    flying: Bools = np.all(heights > np.percentile(heights, 5, axis=0) + clear, axis=1)
    out = np.zeros(len(heights), dtype=bool)
    for start, stop in runs(flying):
        out[start:stop] = stop - start >= _SHORTEST * fps
    return out


def _speed(clip: Clip) -> float:
    """Median ground speed of the root in m/s."""
    if clip.n_frames < 2:
        return 0.0
    moves = np.diff(clip.root_positions[:, [0, 2]], axis=0)
    return float(np.median(np.linalg.norm(moves, axis=1))) * clip.fps
