"""Motions retargeted to one body, file by file, with measures of their feet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from segue.app.convert import Job, named, on_body, read_motion
from segue.errors import FileError, SegueError, SettingError, SkeletonError
from segue.io import save
from segue.measures.foot_skate import foot_skate
from segue.motion.clip import Clip
from segue.motion.contacts import contacts
from segue.motion.reference import with_roles
from segue.motion.roles import NEEDED, require
from segue.settings import DEFAULTS, SeamFeet, feet_named
from segue.synthesis.retarget.partners import Partners, partners
from segue.threads import Progress, silent


@dataclass(frozen=True)
class Retargeted:
    """Result for one motion: ``error`` is the reason if nothing was written.

    Parameters
    ----------
    source, target
        The source, and the file written.
    clip
        The retargeted motion.
    fit
        The source joint of each joint.
    plants
        Number of plants of heels and toes in the motion.
    slid_before, slid_after
        Median metres of a plant's path along the ground, in the source motion (scaled to the size of the other body)
        and in the retargeted motion; 0 without plants.
    own_body
        The motion was on this body already and is unchanged.
    """

    source: str
    target: Path
    clip: Clip | None = None
    fit: Partners | None = None
    plants: int = 0
    slid_before: float = 0.0
    slid_after: float = 0.0
    own_body: bool = False
    error: str = ""


def retarget_all(
    jobs: Sequence[Job],
    body: Clip,
    *,
    feet: SeamFeet = DEFAULTS.feet,
    hands: float = 0.0,
    roles: Mapping[str, str] | None = None,
    settings: dict[str, Any] | None = None,
    force: bool = False,
    progress: Progress = silent,
) -> list[Retargeted]:
    """Retarget each motion to a body and write it; a failure stops no other.

    Parameters
    ----------
    jobs
        From `segue.app.convert.plan`.
    body
        A clip on the body, from `segue.app.convert.body_of`; files are written in its unit and axes.
    feet, hands
        As for `segue.synthesis.retarget.retarget`.
    roles
        Role to joint name, set by the user.
    settings
        As for `segue.load`.
    force
        Whether existing files are overwritten.
    progress
        Called with stage, done, total.

    Raises
    ------
    SettingError
        If ``feet`` is unknown or ``hands`` is not 0 to 1.
    SkeletonError
        If the body's legs are unknown.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from segue.app.convert import plan
    >>> from segue.motion.samples import sample
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> done = retarget_all(plan(["sample:walk"], folder), sample("walk"))
    >>> done[0].target.name, done[0].own_body
    ('walk.bvh', True)
    """
    feet = feet_named(feet)
    if not 0.0 <= hands <= 1.0:
        msg = f"hands={hands:g}: choose 0 (arms keep their directions) to 1 (hands keep their places)"
        raise SettingError(msg)
    try:
        require(body.skeleton, *NEEDED)
    except SkeletonError as error:
        msg = f"{body.name!r} cannot be a retarget target: {error}"
        raise SkeletonError(msg) from error
    out = []
    for index, job in enumerate(jobs):
        progress("retargeting", index, len(jobs))
        try:
            out.append(_one(job, body, feet, hands, roles, settings or {}, force=force))
        except SegueError as error:
            out.append(Retargeted(job.source, job.target, error=named(job.source, str(error))))
        except OSError as error:
            out.append(Retargeted(job.source, job.target, error=f"{job.target}: {error.strerror or error}"))
    progress("retargeting", len(jobs), len(jobs))
    return out


def _one(
    job: Job,
    body: Clip,
    feet: SeamFeet,
    hands: float,
    roles: Mapping[str, str] | None,
    settings: dict[str, Any],
    *,
    force: bool,
) -> Retargeted:
    if job.target.exists() and not force:
        raise FileError(job.target, "exists already; --force overwrites it")
    # Roles set by the user may apply to the target body only, but must match something.
    body_has_roles = bool(body.skeleton.roles_given)
    clip = with_roles([read_motion(job.source, settings)], roles, needed=not body_has_roles)[0]
    made = on_body(clip, body, feet=feet, hands=hands)
    fit = partners(clip.skeleton, body.skeleton)
    job.target.parent.mkdir(parents=True, exist_ok=True)
    save(made, job.target, overwrite=force)
    planted = contacts(clip).flags
    before, after = (
        np.array([plant.along_path for plant in foot_skate(each, planted=planted)]) for each in (clip, made)
    )
    return Retargeted(
        job.source,
        job.target,
        made,
        fit,
        before.size,
        fit.scale * float(np.median(before)) if before.size else 0.0,
        float(np.median(after)) if after.size else 0.0,
        made is clip,
    )
