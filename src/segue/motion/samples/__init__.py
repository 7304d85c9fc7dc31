"""Sample clips made from published gait curves, with exact ground truth.

The planted foot is the reference: it stays in place to the last bit, and the body moves along its course above it.
Contacts, speed and turning rate are therefore known exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from segue.arrays import Bools, Floats, frozen
from segue.errors import SettingError
from segue.motion.clip import Clip
from segue.motion.samples.body import body
from segue.motion.samples.plans import SAMPLE_PREFIX, SAMPLES, plan
from segue.motion.samples.poses import frames

__all__ = ["SAMPLES", "SAMPLE_PREFIX", "GaitEvent", "GroundTruth", "ground_truth", "sample"]


@dataclass(frozen=True)
class GaitEvent:
    """An event of a plant: ``kind`` is ``"strike"``, ``"flat"``, ``"heel off"`` or ``"toe off"``."""

    side: str
    kind: str
    seconds: float


@dataclass(frozen=True, eq=False)
class GroundTruth:
    """Exact ground truth of a sample clip.

    Parameters
    ----------
    contacts
        (F, 4) left heel, left toe, right heel, right toe on the ground.
    speed
        (F,) m/s along the course that the pelvis follows; the pelvis itself sways about it within each cycle.
    turning
        (F,) rad/s of that course, positive to the left.
    events
        Gait events within the clip, in order of time.
    """

    contacts: Bools
    speed: Floats
    turning: Floats
    events: tuple[GaitEvent, ...]


def sample(name: str, fps: float = 60.0, *, seconds: float | None = None) -> Clip:
    """Return a sample clip: one of `SAMPLES`.

    Parameters
    ----------
    name
        Such as ``"walk"``, ``"walk_turn_left"``, ``"run"``, ``"speed_up"``, ``"stand"``, ``"start"``, ``"step_touch"``.
    fps
        Frames a second, 10 to 1000. The motion is a function of time, so it is the same at every rate.
    seconds
        Duration; by default 4 to 8 seconds.

    Raises
    ------
    SettingError
        If there is no such clip, or rate or duration are out of range.

    Examples
    --------
    >>> walk = sample("walk")
    >>> walk.fps, walk.seconds, walk.skeleton.names[0]
    (60.0, 6.0, 'Hips')
    """
    return _sample(name, _rate(fps), None if seconds is None else float(seconds))


def ground_truth(name: str, fps: float = 60.0, *, seconds: float | None = None) -> GroundTruth:
    """Return the ground truth of ``sample(name, fps, seconds=seconds)``.

    Examples
    --------
    >>> truth = ground_truth("walk_left")
    >>> float(truth.speed[0]), float(truth.turning[0])
    (1.3, 0.3)
    """
    return _ground_truth(name, _rate(fps), None if seconds is None else float(seconds))


def _rate(fps: float) -> float:
    if not (np.isfinite(fps) and 10 <= fps <= 1000):
        msg = f"sample clips have 10 to 1000 frames a second, not {fps}"
        raise SettingError(msg)
    return float(fps)


@lru_cache(maxsize=64)
def _sample(name: str, fps: float, seconds: float | None) -> Clip:
    rotations, roots = frames(plan(name, seconds), fps)
    return Clip(body(), rotations, roots, fps, name=name)


@lru_cache(maxsize=64)
def _ground_truth(name: str, fps: float, seconds: float | None) -> GroundTruth:
    laid = plan(name, seconds)
    t = np.arange(_sample(name, fps, seconds).n_frames) / fps
    contacts = np.zeros((t.size, 4), dtype=bool)
    events: list[GaitEvent] = []
    for side, column, plants in (("left", 0, laid.left), ("right", 2, laid.right)):
        for plant in plants:
            for offset, (first, last) in enumerate((plant.heel_contact, plant.toe_contact)):
                contacts[:, column + offset] |= (t >= first) & (t <= last)
            moments = {
                "strike": plant.strike,
                "flat": plant.flat,
                "heel off": plant.heel_off,
                "toe off": plant.toe_off,
            }
            if plant.touch:
                del moments["flat"], moments["heel off"]
            events += [GaitEvent(side, kind, at) for kind, at in moments.items() if 0 <= at <= laid.seconds]
    return GroundTruth(
        frozen(contacts, np.bool_),
        frozen(laid.course.speed(t)),
        frozen(laid.course.turning(t)),
        tuple(sorted(events, key=lambda event: event.seconds)),
    )
