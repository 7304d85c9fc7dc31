"""How planted feet drift in the clips a motion was made from: captures are never quite still."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from segue.arrays import Floats
from segue.maths.planar import wrapped
from segue.maths.quaternions import yaw
from segue.measures.seams import source_rows, sources_by_name
from segue.motion.clip import Clip
from segue.motion.feet import foot_positions
from segue.motion.kinematics import world
from segue.synthesis.holding import turned


def captured_drift(clip: Clip, sources: Sequence[Clip]) -> Floats:
    """Ways (F, 4, 2) on x and z that heels and toes went in the heavier source of each frame, added up from the first.

    Each step is that of the source between its own frames, turned to where the motion lies. Only differences within one
    plant mean something: a foot in the air goes far.

    Raises
    ------
    SettingError
        If a source that the origin names is missing.
    """
    by_name = sources_by_name(clip, sources)
    every = np.arange(clip.n_frames)
    heavier = np.where(clip.origin.weight[:, 0] >= clip.origin.weight[:, 1], 0, 1)
    number, frame = clip.origin.clip[every, heavier], clip.origin.frame[every, heavier]
    steps = np.zeros((clip.n_frames, 4, 2))
    lies = np.zeros(clip.n_frames)
    for k, name in enumerate(clip.origin.clips):
        mine = np.flatnonzero(number == k)
        if not mine.size:
            continue
        source = by_name[name]
        rows = source_rows(source, name, frame[mine])
        ground = foot_positions(source.skeleton, world(source))[:, :, [0, 2]]
        steps[mine] = ground[rows] - ground[np.maximum(rows - 1, 0)]
        lies[mine] = yaw(clip.rotations[mine, 0]) - yaw(source.rotations[rows, 0])
    # Within a blend the heading is of neither clip: where it lies is told by the nearest frame of one clip alone.
    alone = np.flatnonzero(clip.origin.weight.max(axis=1) >= 1.0 - 1e-9)
    if alone.size:
        after = np.minimum(np.searchsorted(alone, every), len(alone) - 1)
        near = np.where(heavier == 0, alone[np.maximum(after - (alone[after] > every), 0)], alone[after])
        lies = wrapped(lies[near])
    out: Floats = np.cumsum(turned(lies[:, None], steps), axis=0)
    return out
