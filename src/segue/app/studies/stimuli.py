"""The motions of a study, spliced by the toolkit: one camera, one figure, the same length for all."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from segue.app.stages import motion_digest
from segue.app.studies.motions import Stimulus, StudyPlan
from segue.arrays import Floats, Positions
from segue.errors import FileError
from segue.io.files import save
from segue.io.text import write_whole
from segue.maths.planar import PlanarMotion, fit
from segue.motion.clip import Clip
from segue.motion.facing import heading, moved
from segue.motion.kinematics import world_positions
from segue.motion.resample import cut
from segue.settings import feet_named
from segue.synthesis.splice import splice
from segue.threads import Progress, silent
from segue.transitions.transition import TransitionPoint

FORMATS = (".bvh", ".glb", ".npz")
MANIFEST = "stimuli.json"
_ALIGNED_SECONDS = 1 / 6
"""Seconds before and after the meeting moment over which two motions are aligned on the ground."""


@dataclass(frozen=True)
class Shot:
    """Target of the camera for one motion, in metres: the bounding box of all its stimuli.

    Parameters
    ----------
    centre
        Centre of the box.
    radius
        Half the longest side of the box.
    half
        Half of each side.
    """

    centre: tuple[float, float, float]
    radius: float
    half: tuple[float, float, float]


def make_stimulus(plan: StudyPlan, one: Stimulus, clips: Sequence[Clip]) -> Clip:
    """Make one stimulus: the design's length, the transition in the middle, starting at the origin facing +Z.

    Parameters
    ----------
    plan
        The study.
    one
        The stimulus.
    clips
        The study's clips, as returned by `segue.app.studies.motions.clips_of`.

    Raises
    ------
    SettingError
        If the clips are too short for it.
    """
    design = plan.design
    by_name = {clip.name: clip for clip in clips}
    a, b = by_name[one.a], by_name[one.b]
    alignment = _alignment(a, b, one)
    point = TransitionPoint(one.a, one.b, one.a_frame, one.b_frame, 0.0, one.kind, alignment, 0.0, True)
    length: Any = "timewarped" if one.method == "timewarped" else one.frames / design.fps
    made = splice(a, b, point, length=length, feet=feet_named(design.feet))
    half = (design.frames - 1) // 2
    shown = cut(made, one.a_frame - half, one.a_frame - half + design.frames)
    home = PlanarMotion(-float(heading(shown)[0]))
    start = home.apply(shown.root_positions[0])
    return moved(shown, PlanarMotion(home.turn, -float(start[0]), -float(start[2]))).with_motion(
        name=one.name
    )


def _alignment(a: Clip, b: Clip, one: Stimulus) -> PlanarMotion:
    """Ground motion that aligns the second motion with the first where they meet: in the middle of the blend."""
    back = one.frames // 2 if one.kind == "start_end" else 0
    reach = max(round(_ALIGNED_SECONDS * a.fps), 1)
    here, there = _around(a, one.a_frame + back, reach), _around(b, one.b_frame - back, reach)
    return fit(here, there, np.ones(len(here)))


def _around(clip: Clip, frame: int, reach: int) -> Positions:
    """Positions (N, 3) of all joints around a frame; the clip's ends are repeated."""
    rows = np.clip(np.arange(frame - reach, frame + reach + 1), 0, clip.n_frames - 1)
    return world_positions(clip)[rows].reshape(-1, 3)


def make_stimuli(plan: StudyPlan, clips: Sequence[Clip], *, progress: Progress = silent) -> dict[str, Clip]:
    """Make all stimuli of a study, by name."""
    out = {}
    for number, one in enumerate(plan.stimuli):
        progress("making stimuli", number, len(plan.stimuli))
        out[one.name] = make_stimulus(plan, one, clips)
    progress("making stimuli", len(plan.stimuli), len(plan.stimuli))
    return out


def shots(plan: StudyPlan, made: Mapping[str, Clip]) -> dict[str, Shot]:
    """Camera target of each motion: the same for all its conditions."""
    out = {}
    for motion in plan.motions:
        every = np.concatenate(
            [world_positions(made[one.name]).reshape(-1, 3) for one in plan.of(motion).values()]
        )
        least, most = every.min(axis=0), every.max(axis=0)
        half = 0.5 * (most - least)
        out[motion] = Shot(_triple(0.5 * (least + most)), float(half.max()), _triple(half))
    return out


def _triple(values: Floats) -> tuple[float, float, float]:
    x, y, z = values.tolist()
    return x, y, z


def write_stimuli(
    plan: StudyPlan, made: Mapping[str, Clip], folder: str | Path, *, kind: str = ".bvh", force: bool = False
) -> list[Path]:
    """Write stimuli into a folder, which is created, and their list into ``stimuli.json``; return the written files.

    Raises
    ------
    FileError
        If the folder contains stimuli and ``force`` is False, or cannot be written.
    """
    out = Path(folder)
    if kind not in FORMATS:
        raise FileError(out, f"stimuli are written as {', '.join(FORMATS)}, not {kind!r}")
    if (out / MANIFEST).exists() and not force:
        raise FileError(out / MANIFEST, "exists already; --force overwrites it")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(out, f"cannot be made: {error.strerror or error}") from None
    looks = shots(plan, made)
    written, rows = [], []
    for number, one in enumerate(plan.stimuli, start=1):
        path = out / f"{number:03d}-{_plain(one.name)}{kind}"
        save(made[one.name], path)
        written.append(path)
        rows.append({**asdict(one), "file": path.name, "digest": motion_digest(made[one.name])})
    document = {
        "study": plan.design.name,
        "question": plan.design.question,
        "fps": plan.design.fps,
        "frames": plan.design.frames,
        "transition_frame": (plan.design.frames - 1) // 2,
        "view": asdict(plan.design.view),
        "shots": {motion: asdict(shot) for motion, shot in looks.items()},
        "stimuli": rows,
    }
    write_whole(out / MANIFEST, (json.dumps(document, indent=1) + "\n").encode())
    return [*written, out / MANIFEST]


def _plain(name: str) -> str:
    """Name with characters that any file system allows."""
    return re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-").lower()[:60]
