"""Goals of a directed walk: a path to follow, first and last frames, labels to show, points to pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from segue.errors import SettingError, nearest
from segue.graph.build import MotionGraph
from segue.maths.paths import GroundPath

LONGEST = 3600.0
"""Longest duration of a directed walk in seconds."""
_FASTEST = 15.0  # m/s; no person runs faster


@dataclass(frozen=True)
class Pass:
    """Be at the ground point (x, z), in metres, ``seconds`` after the start at (0, 0), or at the path's start."""

    x: float
    z: float
    seconds: float


@dataclass(frozen=True)
class Show:
    """Show motion of one label between two moments, in seconds (``along=False``) or metres of the path."""

    label: str
    start: float
    stop: float
    along: bool = False


Ranges = Mapping[str, Sequence[tuple[str, int, int]]]
"""Label to ranges of its frames: clip name, first frame, frame after the last, at the graph's rate."""


@dataclass(frozen=True, eq=False)
class Goals:
    """Goals of a directed walk; each is optional, but one of them must determine the end.

    Parameters
    ----------
    path
        Path on the ground in metres; the walk ends where it ends.
    start, end
        Clip, and its frame at the graph's rate (None: its first, its last), shown first and last.
    passes
        Points to pass at given times.
    shows
        Labels to show at given times or along the path.
    labels
        Frames of each label.
    seconds
        Exact length of a walk without a path or an end frame.

    Examples
    --------
    >>> Goals(seconds=5.0, shows=(Show("walk", 0.0, 5.0),), labels={"walk": [("a", 0, 90)]}).last_time
    5.0
    """

    path: GroundPath | None = None
    start: tuple[str, int | None] | None = None
    end: tuple[str, int | None] | None = None
    passes: tuple[Pass, ...] = ()
    shows: tuple[Show, ...] = ()
    labels: Ranges = field(default_factory=dict)
    seconds: float | None = None

    @property
    def last_time(self) -> float:
        """Seconds of the last goal with a time."""
        times = [one.seconds for one in self.passes] + [one.stop for one in self.shows if not one.along]
        return max([*times, self.seconds or 0.0])


def check_goals(goals: Goals) -> None:
    """Refuse contradictory goals, independently of the graph.

    Raises
    ------
    SettingError
        If no goal or more than one determines the end of the walk, a time or a range is impossible, or a
        label has no frame.
    """
    numbers = [v for one in goals.passes for v in (one.x, one.z, one.seconds)]
    numbers += [v for one in goals.shows for v in (one.start, one.stop)] + [goals.seconds or 0.0]
    if not np.isfinite(numbers).all() or (goals.seconds is not None and goals.seconds <= 0):
        msg = "times, lengths and points of a walk are finite numbers, and a walk lasts some time"
        raise SettingError(msg)
    for point in goals.passes:
        if not 0 < point.seconds <= LONGEST:
            msg = f"the point {point.x:g},{point.z:g} at {point.seconds:g} s: a time lies above 0 s, up to {LONGEST:g}"
            raise SettingError(msg)
    for show in goals.shows:
        unit = "m" if show.along else "s"
        if not 0 <= show.start < show.stop <= LONGEST:
            asked = f"{show.label!r} from {show.start:g} to {show.stop:g} {unit}"
            msg = f"{asked} is no stretch; give a start from 0 and a later end"
            raise SettingError(msg)
        if show.along and goals.path is None:
            msg = f"{show.label!r} is asked for along a path, and there is no path"
            raise SettingError(msg)
        if show.label not in goals.labels:
            known = (
                nearest(show.label, goals.labels)
                if goals.labels
                else "no clip here has labels; give some with --labels"
            )
            msg = f"no frame is labelled {show.label!r}; {known}"
            raise SettingError(msg)
    _check_end(goals)


def _check_end(goals: Goals) -> None:
    if goals.path is not None:
        check_path(goals.path)
    if goals.seconds is not None:
        _check_length(goals)
    elif goals.path is None and goals.end is None and not goals.last_time:
        what = "a path, a frame to end at, a point or a label at a time, or seconds"
        msg = f"the end of the walk is undetermined: give {what}"
        raise SettingError(msg)


def check_path(path: GroundPath) -> None:
    """Refuse a path too long for the maximum duration of a walk.

    Raises
    ------
    SettingError
        If it is too long.
    """
    if path.length > LONGEST * _FASTEST:
        msg = (
            f"the path is {path.length:,.0f} m long; a walk lasts up to {LONGEST:g} s, "
            f"and nobody gets farther than {LONGEST * _FASTEST:,.0f} m in that time"
        )
        raise SettingError(msg)


def _check_length(goals: Goals) -> None:
    if goals.path is not None or goals.end is not None:
        other = "the path ends" if goals.path is not None else "the frame to end at comes"
        msg = f"a walk ends where {other}, not after {goals.seconds:g} s; leave one of the two out"
        raise SettingError(msg)
    if goals.seconds is not None and not goals.last_time <= goals.seconds <= LONGEST:
        msg = (
            f"a walk of {goals.seconds:g} s is not possible here: up to {LONGEST:g} s, and not before the last moment "
            f"something is asked for, {goals.last_time:g} s"
        )
        raise SettingError(msg)


def frame_of(graph: MotionGraph, given: tuple[str, int | None], *, last: bool) -> tuple[int, int]:
    """Return clip index and frame of a start or an end; refuse frames that do not exist.

    Raises
    ------
    SettingError
        With the nearest clip names, or the number of frames of the clip.
    """
    names = [clip.name for clip in graph.clips]
    name, frame = given
    if name not in names:
        why = graph.report.dropped_clips.get(name)
        msg = (
            f"clip {name!r} cannot be used: {why}"
            if why
            else f"no clip is called {name!r}; {nearest(name, names)}"
        )
        raise SettingError(msg)
    clip = names.index(name)
    count = graph.clips[clip].n_frames
    if frame is None:
        return clip, count - 1 if last else 0
    if not 0 <= frame < count:
        msg = f"clip {name!r} has frames 0 to {count - 1} at {graph.fps:g} a second; {frame} is none of them"
        raise SettingError(msg)
    return clip, frame
