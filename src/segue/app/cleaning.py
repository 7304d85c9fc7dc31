"""One motion with its planted feet held in place; floor, repair and smoothing if asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from segue.app.measuring import motion_and_sources
from segue.errors import SettingError
from segue.io import save
from segue.measures.foot_skate import carried_contacts
from segue.measures.seams import seam_ranges
from segue.motion.floors import Floor
from segue.settings import DEFAULTS, SeamFeet, feet_named
from segue.synthesis.feet.planting import EASE, Heights, PlantedFeet, plant_feet
from segue.synthesis.feet.steps import kept_motion
from segue.synthesis.repairing import Repaired
from segue.synthesis.repairing import repair as repaired
from segue.synthesis.smoothing import smooth as smoothed


@dataclass(frozen=True, eq=False)
class Cleaned:
    """Result of cleaning a motion.

    Parameters
    ----------
    feet
        Its feet, before and after.
    known_from
        Where its plants are taken from.
    seconds
        Its length.
    repaired
        What was repaired; None if not asked for.
    cutoff
        Hz of the low-pass filter, or None.
    """

    feet: PlantedFeet
    known_from: str
    seconds: float
    repaired: Repaired | None = None
    cutoff: float | None = None


def clean(
    motion: str,
    out: Path,
    *,
    ease: float = EASE,
    seams_only: bool = False,
    sources: Path | None = None,
    roles: Mapping[str, str] | None = None,
    floor: Floor | Literal["found"] | None = None,
    heights: Heights = "floor",
    smooth: float | None = None,
    repair: bool = False,
    feet: SeamFeet = DEFAULTS.feet,
    creep: float = DEFAULTS.creep,
) -> Cleaned:
    """Hold planted feet of a motion file at one place and write it.

    Parameters
    ----------
    motion
        A motion file, ``sample:NAME``, or one clip of several (``moves.glb#NAME``, ``moves.segue#NAME``). With a
        record, the plants of its sources are held; else the plants detected in the motion itself.
    out
        File to write.
    ease
        Seconds over which a foot's move fades before and after its plant.
    seams_only
        Hold only plants that touch a seam of the record.
    sources
        Folder to search for source files that have moved.
    roles
        Role to joint name, set by the user.
    floor
        The floor of the feet, see `segue.synthesis.feet.planting.plant_feet`.
    heights
        Whether planted feet are put on that floor, or keep their captured heights.
    smooth
        Hz above which jitter is filtered out (`segue.synthesis.smoothing`); by default nothing is filtered.
    feet
        Motion that planted feet retain: a little creep with its tremor, or none (``"locked"``).
    creep
        Metres that natural planted feet may creep from end to end.
    repair
        Whether flagged glitches and dropouts are repaired first (`segue.synthesis.repairing`).

    Raises
    ------
    FileError
        If the motion cannot be read.
    SkeletonError
        If its legs are unknown.
    """
    if feet_named(feet) == "free":
        msg = "there is nothing to clean with feet='free'; choose 'natural' or 'locked'"
        raise SettingError(msg)
    keep = kept_motion(feet_named(feet), creep)
    clip, clips = motion_and_sources(motion, folder=sources, roles=roles)
    mended = repaired(clip) if repair else None
    clip = clip if mended is None else mended.clip
    if smooth is not None:
        clip = smoothed(clip, cutoff=smooth, feet="free")
    planted = carried_contacts(clip, clips) if clips else None
    within = seam_ranges(clip.origin) if seams_only else None
    done = plant_feet(
        clip, planted=planted, within=within, ease=ease, floor=floor, heights=heights, keep=keep
    )
    save(done.clip.with_motion(name=out.stem), out)
    known = f"{len(clips)} sources of its record" if clips else "the motion itself"
    return Cleaned(done, known, clip.seconds, mended, smooth)
