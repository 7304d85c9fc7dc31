"""Twenty elementary motions of fights, dances, walks and jumps, cut from captures, on one body."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
from _data import require_data

import segue
from segue.arrays import Bools
from segue.measures.curves import half_speeds
from segue.motion.clip import Clip
from segue.motion.feet import foot_positions
from segue.motion.kinematics import world, world_positions
from segue.motion.resample import cut
from segue.motion.roles import roles
from segue.motion.skeleton import Skeleton
from segue.sequencing.elements import ElementaryMotion
from segue.sequencing.script import Placement, SequenceMethod, SequenceScript
from segue.sequencing.sequence import MotionSequence, make_sequence

CORE = 0.25
"""Seconds of a core before and after the moment at which hands and feet are fastest."""
BODY = "05_02"
CUTS: tuple[tuple[str, float, float], ...] = (
    ("17_10", 3.0, 5.5),
    ("17_10", 7.0, 9.5),
    ("17_10", 14.0, 16.5),
    ("Boxing_Toes", 0.0, 1.65),
    ("Boxing_Toes", 2.4, 5.0),
    ("Boxing_Toes", 14.35, 16.5),
    ("Boxing_Toes", 16.4, 19.0),
    ("05_02", 1.6, 3.2),
    ("05_02", 2.9, 4.6),
    ("05_02", 4.2, 7.0),
    ("05_16", 0.2, 2.6),
    ("05_16", 1.8, 4.3),
    ("14_27", 0.3, 2.4),
    ("14_27", 9.6, 12.2),
    ("60_12", 6.0, 8.4),
    ("61_12", 0.4, 2.8),
    ("61_12", 4.8, 7.2),
    ("127_04", 0.0, 1.65),
    ("127_19", 1.0, 3.6),
    ("127_25", 0.0, 1.9),
)
"""Clip, and the seconds of it that form one elementary motion."""


@lru_cache(maxsize=32)
def clip_named(name: str) -> Clip:
    data = require_data()
    if name.startswith(("60_", "61_")):
        return segue.load(data / "cmu" / "daz_scaled" / f"{name}_scaled.bvh")
    if name == "Boxing_Toes":
        return segue.load(data / "misc" / "assimp" / "Boxing_Toes.bvh")
    folder: Path = data / "asf_amc" / name.split("_", maxsplit=1)[0]
    return segue.load(folder / f"{name}.amc", skeleton=folder / f"{folder.name}.asf")


def body() -> Skeleton:
    return clip_named(BODY).skeleton


def elements() -> dict[str, ElementaryMotion]:
    """Return the elementary motions, named by clip and number."""
    out = {}
    for name, begin, end in CUTS:
        clip = clip_named(name)
        number = 1 + sum(other.startswith(f"{name}:") for other in out)
        piece = cut(clip, round(begin * clip.fps), min(round(end * clip.fps), clip.n_frames))
        one = f"{name}:{number}"
        out[one] = ElementaryMotion(one, piece, _core(piece))
    return out


FPS = 60.0
"""Rate at which pairs are joined, as on the timeline of the studio."""


def pair(
    first: ElementaryMotion, second: ElementaryMotion, *, gap: float, method: SequenceMethod = "optimal"
) -> MotionSequence:
    """Return two elements whose cores are the given seconds apart."""
    script = SequenceScript(
        (Placement("first", at=1.0), Placement("second", at=1.0 + first.core_seconds + gap)), method=method
    )
    return make_sequence({"first": first, "second": second}, script, skeleton=body(), fps=FPS)


def between(made: MotionSequence, number: int = 0) -> slice:
    """Return the rows of a sequence from the end of a core to the start of the next."""
    cores = made.cores
    return slice(
        cores[number].end_frame - 1 - made.first_frame, cores[number + 1].begin_frame + 1 - made.first_frame
    )


def planted(made: MotionSequence) -> Bools:
    """Return flags (F, 4) of the heels and toes that are planted in the motion that controls the foot."""
    out = np.zeros((made.clip.n_frames, 4), dtype=bool)
    for k, one in enumerate(made.placed):
        begin = one.start if one.pair is None else one.begun + one.pair.n_frames
        end = one.start + one.motion.n_frames if k + 1 == len(made.placed) else made.placed[k + 1].begun
        rows = np.arange(begin, end)
        out[rows - made.first_frame] = one.motion.motion.planted[rows - one.start]
        if one.pair is not None:
            out[one.begun - made.first_frame : begin - made.first_frame] = one.pair.planted
    return out


def skate(made: MotionSequence, rows: slice) -> float:
    """Return metres that planted heels and toes move along the ground within rows."""
    ground = foot_positions(made.clip.skeleton, world(made.clip))[..., ::2]
    flags = planted(made)
    steps = np.linalg.norm(np.diff(ground, axis=0), axis=-1) * (flags[1:] & flags[:-1])
    return float(steps[rows.start : rows.stop - 1].sum())


def peak_change(made: MotionSequence, rows: slice) -> float:
    """Return the largest change of speed in m/s^2, of the lower or the upper body (figure 5), within rows."""
    speeds = half_speeds(made.clip)
    changes = [np.abs(np.diff(curve[rows])).max() for curve in (speeds.lower, speeds.upper)]
    return float(max(changes)) * made.fps


def _core(clip: Clip) -> tuple[int, int]:
    """The moment in the middle third at which hands and feet are fastest, with the margin on both sides."""
    found = roles(clip.skeleton)
    limbs = [found[role] for role in ("left_wrist", "right_wrist", "left_ankle", "right_ankle")]
    speed = np.linalg.norm(np.diff(world_positions(clip)[:, limbs], axis=0), axis=-1).mean(axis=1)
    third = len(speed) // 3
    middle = third + int(np.argmax(speed[third : 2 * third]))
    reach = round(CORE * clip.fps)
    return max(middle - reach, 0), min(middle + reach, clip.n_frames)
