"""Goals of directed walks: paths and labels from files, frames of clips, points at times; and from records."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np

from segue.app.called import called
from segue.app.record import Record
from segue.app.record_settings import recorded_settings
from segue.documents import read_toml
from segue.errors import FileError, SettingError, nearest
from segue.graph.build import MotionGraph
from segue.graph.goals import Goals, Pass, Show, check_path
from segue.graph.search.directed import direct
from segue.graph.walk import Walk
from segue.io.ground_paths import read_ground_path
from segue.library.inputs import kept_in, open_library
from segue.maths.paths import GroundPath
from segue.motion.clip import Clip

_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_PASS = re.compile(rf"\s*({_NUMBER})\s*,\s*({_NUMBER})\s*@\s*({_NUMBER})\s*s?\s*")
_SHOW = re.compile(rf"\s*(.+?)\s*@\s*({_NUMBER})\s*(?:-|\.\.)\s*({_NUMBER})\s*s?\s*")
Labels = dict[str, list[tuple[str, int, int]]]


@dataclass(frozen=True, eq=False)
class DirectRequest:
    """Goals of a directed walk as a user writes them; see `read_asked`."""

    path: str | None = None
    unit: float | None = None
    start: str | None = None
    end: str | None = None
    through: Sequence[str] = ()
    show: Sequence[str] = ()
    labels: Path | None = None
    seconds: float | None = None


def read_asked(asked: DirectRequest) -> tuple[Goals, str]:
    """Read the goals that need no clips, with a note on the path, so that errors are reported before long work.

    Raises
    ------
    SettingError
        If a word is not understood; explains the syntax.
    FileError
        If the path's file cannot be read.
    """
    path, shows, note = None, [_show(word) for word in asked.show], ""
    if asked.unit is not None and not 0 < asked.unit < 1e6:
        msg = f"--unit {asked.unit:g}: give the metres that one unit of the path's file stands for, above 0"
        raise SettingError(msg)
    if asked.path is not None:
        drawn = read_ground_path(asked.path, unit=asked.unit)
        try:
            path = GroundPath.through(np.round(drawn.points, 6))
            check_path(path)
        except SettingError as error:
            raise FileError(asked.path, str(error)) from None
        shows += _along(drawn.points, drawn.labels)
        note = f"{path.length:.2f} m" + (f", {drawn.note}" if drawn.note else "")
    elif asked.unit is not None:
        msg = "--unit sets the scale of a path; give --path too"
        raise SettingError(msg)
    passes = tuple(_pass(word) for word in asked.through)
    goals = Goals(path, _place(asked.start), _place(asked.end), passes, tuple(shows), {}, asked.seconds)
    if path is None and goals.end is None and not goals.last_time and goals.seconds is None:
        msg = (
            "no goal is given: give a path (--path), a clip or frame to end at (--to), a point at a time "
            "(--through), labels at times (--show), or a length (--seconds)"
        )
        raise SettingError(msg)
    return goals, note


def with_clips(goals: Goals, asked: DirectRequest, clips: Sequence[Clip], graph: MotionGraph) -> Goals:
    """Add the labels of clips, libraries and a file to goals, and convert frames to the graph's rate."""
    labels = labels_of(clips, asked.labels)
    rates = {clip.name: graph.fps / clip.fps for clip in clips}
    ready: Labels = {
        word: [(name, round(a * rates[name]), round(b * rates[name])) for name, a, b in ranges]
        for word, ranges in labels.items()
    }
    ends = [_at_rate(one and (called(one[0], clips), one[1]), rates) for one in (goals.start, goals.end)]
    return replace(goals, labels=ready, start=ends[0], end=ends[1])


def _at_rate(
    given: tuple[str, int | None] | None, rates: Mapping[str, float]
) -> tuple[str, int | None] | None:
    if given is None or given[1] is None:
        return given
    return given[0], round(given[1] * rates.get(given[0], 1.0))


def labels_of(clips: Sequence[Clip], file: Path | None) -> Labels:
    """Ranges of frames, at each clip's own rate, of each label: from the clips' libraries and from a file.

    The file is a table as written by `segue library export` (.csv), or lists of clips under labels (.toml):
    ``walk = ["16_15", "16_21:0-120"]``.

    Raises
    ------
    FileError
        If the file cannot be read, or names an unknown clip.
    """
    out: Labels = {}
    by_library: dict[str, list[Clip]] = {}
    for clip in clips:
        kept = kept_in(clip)
        if kept is not None:
            by_library.setdefault(kept.library, []).append(clip)
    for place, mine in by_library.items():
        with open_library(Path(place)) as library:
            entries = {entry.name: entry for entry in library.clips()}
        for clip in mine:
            kept = kept_in(clip)
            entry = entries.get(kept.clip) if kept is not None else None
            for label in () if entry is None else entry.labels:
                out.setdefault(label.text, []).append((clip.name, label.start_frame, label.stop_frame))
    if file is not None:
        for word, ranges in _labels_in(file, clips).items():
            out.setdefault(word, []).extend(ranges)
    return out


def _labels_in(file: Path, clips: Sequence[Clip]) -> Labels:
    from segue.library.labels import Extent, checked_frames, read_labels

    extents = {clip.name: Extent(clip.n_frames, clip.fps) for clip in clips}
    out: Labels = {}
    if file.suffix.lower() != ".toml":
        for one in read_labels(file, extents):
            out.setdefault(one.text, []).append((one.clip, one.start_frame, one.stop_frame))
        return out
    document = read_toml(file, dict[str, list[str]], hint='lists of clips are WORD = ["walk", "turn:0-120"]')
    for word, places in document.items():
        for place in places:
            name, _, frames = (
                place.rpartition(":") if re.search(r":[0-9]{1,12}-[0-9]{1,12}$", place) else (place, "", "")
            )
            name = called(name, clips)
            if name not in extents:
                raise FileError(file, f"{word}: no clip is called {name!r}; {nearest(name, extents)}")
            start, stop = (int(part) for part in frames.split("-")) if frames else (None, None)
            try:
                out.setdefault(word, []).append((name, *checked_frames(start, stop, extents[name].n_frames)))
            except SettingError as error:
                raise FileError(file, f"{word}: clip {name!r}: {error}") from None
    return out


def _pass(word: str) -> Pass:
    found = _PASS.fullmatch(word)
    if found is None:
        msg = f"--through {word!r} is no point at a time; write x,z@seconds, as 2.5,-1@4"
        raise SettingError(msg)
    x, z, seconds = (float(part) for part in found.groups())
    if not seconds > 0:
        msg = f"--through {word!r}: the time lies above 0 s"
        raise SettingError(msg)
    return Pass(x, z, seconds)


def _show(word: str) -> Show:
    found = _SHOW.fullmatch(word)
    if found is None:
        msg = f"--show {word!r} is no label at a time; write LABEL@start-stop in seconds, as dance@2-5"
        raise SettingError(msg)
    label, start, stop = found.groups()
    return Show(label, float(start), float(stop))


def _place(word: str | None) -> tuple[str, int | None] | None:
    """Clip and frame of ``walk``, ``walk.bvh:120`` or ``walk:last``."""
    if word is None:
        return None
    name, colon, frame = word.rpartition(":")
    if not colon or not frame.isascii() or not frame.isdigit():
        return word, None
    return name, int(frame)


def _along(points: np.ndarray, labels: Sequence[str]) -> list[Show]:
    """Labels along a path by arc length, adjacent stretches of one label merged."""
    lengths = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))])
    out: list[Show] = []
    for k, label in enumerate(labels[:-1]):
        start, stop = float(lengths[k]), float(lengths[k + 1])
        if not label or stop <= start:
            continue
        if out and out[-1].label == label and out[-1].stop == start:
            out[-1] = replace(out[-1], stop=stop)
        else:
            out.append(Show(label, start, stop, along=True))
    return out


# -- records ---------------------------------------------------------------------------------------------------


def goals_document(goals: Goals, states: int) -> dict[str, Any]:
    """Goals as stored in a record, with the number of states that the search expanded until it found the walk."""
    asked = {show.label for show in goals.shows}
    return {
        "path": None if goals.path is None else goals.path.points.tolist(),
        "start": goals.start,
        "end": goals.end,
        "passes": [[one.x, one.z, one.seconds] for one in goals.passes],
        "shows": [[one.label, one.start, one.stop, one.along] for one in goals.shows],
        "labels": {word: list(ranges) for word, ranges in goals.labels.items() if word in asked},
        "seconds": goals.seconds,
        "states": states,
    }


_Metres = Annotated[float, msgspec.Meta(ge=-1e6, le=1e6)]
_Seconds = Annotated[float, msgspec.Meta(ge=0.0, le=1e6)]
_Frame = Annotated[int, msgspec.Meta(ge=0, le=1 << 40)]


@dataclass(frozen=True)
class _GivenGoals:
    """Goals as written by `goals_document`."""

    path: list[tuple[_Metres, _Metres]] | None
    start: tuple[str, _Frame | None] | None
    end: tuple[str, _Frame | None] | None
    passes: list[tuple[_Metres, _Metres, _Seconds]]
    shows: list[tuple[str, _Seconds, _Seconds, bool]]
    labels: dict[str, list[tuple[str, _Frame, _Frame]]]
    seconds: _Seconds | None
    states: Annotated[int, msgspec.Meta(ge=1, le=1 << 40)]


def directed_again(graph: MotionGraph, record: Record, record_file: Path) -> Walk:
    """Find the walk of a record again.

    Raises
    ------
    FileError
        If the record holds goals unknown to this version.
    SettingError
        If they are not goals of a walk on this graph.
    """
    given = recorded_settings(record, record_file, _GivenGoals, "goals")
    goals = Goals(
        None if given.path is None else GroundPath.through(given.path),
        given.start,
        given.end,
        tuple(Pass(*one) for one in given.passes),
        tuple(Show(*one) for one in given.shows),
        given.labels,
        given.seconds,
    )
    return direct(graph, goals, budget=None, most_states=given.states).walk
