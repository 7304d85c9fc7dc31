"""Measures other than seams and feet: ground, jerk, knees, limbs that pass through the body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from segue.arrays import Floats
from segue.measures.foot_skate import carried_contacts
from segue.measures.ground import GroundFit, ground_fit
from segue.measures.intersection import beyond_sources, intersections
from segue.measures.smoothness import SeamSmoothness, jerks, seam_smoothness
from segue.motion.clip import Clip
from segue.motion.kinematics import world_positions


@dataclass(frozen=True, eq=False)
class Quality:
    """Further numbers about one motion.

    Parameters
    ----------
    ground
        How feet meet the floor.
    jerk
        (F-3,) m/s^3, the largest of any joint.
    seams
        Each seam compared with its sources; empty without them.
    limbs
        (F,) metres: how deep segments overlap; with sources, beyond what the same two ever do there.
    bone_error
        Metres: the largest difference of a bone's length from the skeleton's in any frame.
    """

    ground: GroundFit
    jerk: Floats
    seams: tuple[SeamSmoothness, ...]
    limbs: Floats
    bone_error: float


def quality(clip: Clip, *, sources: Sequence[Clip] = ()) -> Quality:
    """Measure ground, jerk, knees, limbs and bones of a motion.

    Parameters
    ----------
    clip
        Any motion with the leg roles.
    sources
        The clips it was made from, on its skeleton and at its rate.

    Examples
    --------
    >>> import segue
    >>> found = quality(segue.sample("walk"))
    >>> found.bone_error < 1e-9, found.seams
    (True, ())
    """
    planted = carried_contacts(clip, sources) if sources else None
    limbs = beyond_sources(clip, sources) if sources else intersections(clip).deepest
    jerk = jerks(clip).max(axis=1, initial=0.0) if clip.n_frames > 3 else np.zeros(0)
    return Quality(
        ground_fit(clip, planted=planted),
        jerk,
        tuple(seam_smoothness(clip, sources)),
        limbs,
        _bone_error(clip),
    )


def _bone_error(clip: Clip) -> float:
    at = world_positions(clip)
    bones = np.linalg.norm(at[:, 1:] - at[:, clip.skeleton.parents[1:]], axis=-1)
    return float(np.abs(bones - np.linalg.norm(clip.skeleton.offsets[1:], axis=-1)).max(initial=0.0))
