"""Measure how far feet slip, by contacts and by a simple rule of height and speed, and how far in the sources.

A held foot can be still where contacts are detected and slide before and after, where they are not. The plain rule
(`segue.measures.low_feet`) does not depend on contact detection: both are reported. A captured foot slips too; only
the slip beyond the source's was added.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from segue.arrays import Bools, Floats
from segue.measures.foot_skate import carried_contacts
from segue.measures.low_feet import low_feet
from segue.measures.seams import source_rows, sources_by_name
from segue.motion.clip import Clip
from segue.motion.feet import FOOT_PARTS, foot_positions
from segue.motion.flags import column_runs
from segue.motion.kinematics import world
from segue.motion.stance import stance


class Slip(NamedTuple):
    """One plant: part of a foot, frames ``start`` to ``stop`` (half open), metres along its path and its source's."""

    part: str
    start: int
    stop: int
    along_path: float
    source: float

    @property
    def beyond(self) -> float:
        """Metres along the path beyond the source's own; less than 0 where the source slips more."""
        return self.along_path - self.source


class Slips(NamedTuple):
    """Slips of a motion: of the plants of contacts, and of parts that are low by the plain rule."""

    contacts: tuple[Slip, ...]
    low: tuple[Slip, ...]


def slips(clip: Clip, sources: Sequence[Clip] = ()) -> Slips:
    """Measure the slip of every plant of a motion by both rules.

    Parameters
    ----------
    clip
        Any motion with the leg roles.
    sources
        The clips it was made from, on its skeleton and at its rate: their contacts count (`carried_contacts`), and each
        plant includes its source's own slip. Without them contacts are found in the motion, and that slip is NaN.

    Raises
    ------
    SettingError
        If a source named by the origin is missing.

    Examples
    --------
    >>> import segue
    >>> found = slips(segue.sample("walk"))
    >>> len(found.contacts) > 4, max(one.along_path for one in found.contacts) < 0.02
    (True, True)
    """
    planted = carried_contacts(clip, sources) if sources else stance(clip).flags
    own = source_lengths(clip, sources) if sources else np.full((clip.n_frames, len(FOOT_PARTS)), np.nan)
    ground = foot_positions(clip.skeleton, world(clip))[:, :, [0, 2]]
    steps = np.zeros((clip.n_frames, len(FOOT_PARTS)))
    steps[1:] = np.linalg.norm(np.diff(ground, axis=0), axis=-1)
    return Slips(_plants(planted, steps, own), _plants(low_feet(clip), steps, own))


def source_lengths(clip: Clip, sources: Sequence[Clip]) -> Floats:
    """Return lengths (F, 4) in metres of the steps of heels and toes into each frame, in its heavier source.

    Raises
    ------
    SettingError
        If a source named by the origin is missing.
    """
    by_name, every = sources_by_name(clip, sources), np.arange(clip.n_frames)
    heavier = np.where(clip.origin.weight[:, 0] >= clip.origin.weight[:, 1], 0, 1)
    number, frame = clip.origin.clip[every, heavier], clip.origin.frame[every, heavier]
    out = np.zeros((clip.n_frames, len(FOOT_PARTS)))
    for k, name in enumerate(clip.origin.clips):
        mine = np.flatnonzero(number == k)
        if mine.size:
            source = by_name[name]
            rows = source_rows(source, name, frame[mine])
            ground = foot_positions(source.skeleton, world(source))[:, :, [0, 2]]
            out[mine] = np.linalg.norm(ground[rows] - ground[np.maximum(rows - 1, 0)], axis=-1)
    return out


def _plants(flags: Bools, steps: Floats, own: Floats) -> tuple[Slip, ...]:
    """Unbroken stretches of flags (F, 4), with the sums of the steps (F, 4) into all their frames but the first."""
    known = not np.isnan(own).any()
    return tuple(
        Slip(
            FOOT_PARTS[part].replace("_", " "),
            start,
            stop,
            float(steps[start + 1 : stop, part].sum()),
            float(own[start + 1 : stop, part].sum()) if known else np.nan,
        )
        for part, start, stop in column_runs(flags)
    )
