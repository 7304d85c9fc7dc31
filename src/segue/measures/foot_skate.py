"""Measure how far planted feet slide.

A plant is an unbroken stretch in which the heel or the toe of one foot is on the ground. Its slide on the ground
plane is measured from its first place to its last, and along its path (dynamics-weighted point clouds, §5).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from segue.arrays import Bools, Floats
from segue.measures.seams import seam_ranges, source_rows, sources_by_name
from segue.motion.clip import Clip
from segue.motion.contacts import contacts
from segue.motion.feet import FOOT_PARTS, foot_positions
from segue.motion.flags import column_runs
from segue.motion.kinematics import world
from segue.motion.stance import stance

PARTS = tuple(part.replace("_", " ") for part in FOOT_PARTS)
"""Foot parts in words, in the order of `FOOT_PARTS`."""


@dataclass(frozen=True)
class PlantSlide:
    """One plant: frames ``start`` to ``stop`` (half open), slide in metres from start to end and along the path."""

    part: str
    start: int
    stop: int
    start_to_end: float
    along_path: float


def foot_skate(clip: Clip, *, planted: Bools | None = None) -> list[PlantSlide]:
    """Measure the slide of every plant of a clip.

    Parameters
    ----------
    clip
        Any clip with the leg roles.
    planted
        (F, 4) flags in the order of `PARTS`; by default found in the clip itself (`segue.motion.stance`), however fast
        its feet slide. For a made motion, pass the contacts of its sources (`carried_contacts`).

    Examples
    --------
    >>> import segue
    >>> slides = foot_skate(segue.sample("walk"))
    >>> max(slide.start_to_end for slide in slides) < 0.02
    True
    """
    flags = stance(clip).flags if planted is None else planted
    ground = foot_positions(clip.skeleton, world(clip))[:, :, [0, 2]]
    out = []
    for part, start, stop in column_runs(flags):
        at = ground[start:stop, part]
        path = float(np.linalg.norm(np.diff(at, axis=0), axis=1).sum())
        out.append(PlantSlide(PARTS[part], start, stop, float(np.linalg.norm(at[-1] - at[0])), path))
    return out


def source_contacts(clip: Clip, sources: Sequence[Clip]) -> tuple[Bools, Bools]:
    """Return contacts (F, 4) of the first and second source of every frame; false where there is no second.

    Raises
    ------
    SettingError
        If a source named by the origin is missing.
    """
    by_name = sources_by_name(clip, sources)
    found = {}
    out = (np.zeros((clip.n_frames, 4), dtype=bool), np.zeros((clip.n_frames, 4), dtype=bool))
    for number, name in enumerate(clip.origin.clips):
        for column in (0, 1):
            rows = (clip.origin.clip[:, column] == number).nonzero()[0]
            if rows.size == 0:
                continue
            source = by_name[name]
            if name not in found:
                found[name] = contacts(source).flags
            out[column][rows] = found[name][source_rows(source, name, clip.origin.frame[rows, column])]
    return out


def carried_contacts(clip: Clip, sources: Sequence[Clip]) -> Bools:
    """Return contacts (F, 4) that a made motion should have: those of the heavier source of each frame."""
    first, second = source_contacts(clip, sources)
    heavier = clip.origin.weight[:, 0] >= clip.origin.weight[:, 1]
    return np.where(heavier[:, None], first, second)


def planted_speeds(clip: Clip, sources: Sequence[Clip]) -> Floats:
    """Return ground speeds in m/s of foot parts planted in both sources, at every blended frame of every seam."""
    first, second = source_contacts(clip, sources)
    ground = foot_positions(clip.skeleton, world(clip))[:, :, [0, 2]]
    speed = np.linalg.norm(np.diff(ground, axis=0), axis=2) * clip.fps
    both = first & second
    rows = np.concatenate(
        [np.zeros(0, dtype=np.int64), *(np.arange(a, b) for a, b in seam_ranges(clip.origin))]
    )
    rows = rows[(rows > 0) & (rows < clip.n_frames)]
    out: Floats = speed[rows - 1][both[rows] & both[rows - 1]]
    return out
