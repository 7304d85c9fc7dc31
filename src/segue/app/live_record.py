"""The record of a live run: its kind of controller, seed and commands; and playing the run again.

A live character is steered by a walker, a motion matcher or the walk of a graph, each made from clips.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from segue.app.live import LONGEST, LiveCharacter
from segue.app.record import Record
from segue.app.record_settings import recorded_settings
from segue.app.stages import Collection, make_graph
from segue.errors import FileError, SegueError, SettingError
from segue.graph.build import MotionGraph
from segue.locomotion.build import build_locomotion
from segue.locomotion.edits import clip_of
from segue.locomotion.model import Locomotion
from segue.motion.clip import Clip
from segue.runtime.graph_player import GraphPlayer, Request
from segue.runtime.motion_matcher import MotionMatcher
from segue.runtime.protocol import Recording
from segue.runtime.steered.player import Command, LocomotionPlayer
from segue.settings import BEFORE, Settings
from segue.threads import Progress, silent

COMMAND = "live"
_MOST = int(240 * LONGEST)
"""Most steps of a run that is played again."""


@dataclass(frozen=True)
class LiveJob:
    """Everything a live run is made from, besides its clips.

    Parameters
    ----------
    controller
        Kind of controller.
    seed
        Seed of the controller.
    rows
        Number of steps, seconds of each, and the intent of the first, or None.
    make
        Settings of the graph, if the controller walks one.
    name
        Name of the motion.
    """

    controller: LiveKind
    seed: int
    rows: list[tuple[int, float, dict[str, Any] | None]]
    make: dict[str, Any] = field(default_factory=dict)
    name: str = "live run"


def live_settings(
    live: LiveCharacter[Any], controller: LiveKind, *, name: str, make: Settings | None = None
) -> dict[str, Any]:
    """Settings of the record of a run so far."""
    made = {} if make is None else {"make": make.document()}
    return {"controller": controller, "seed": live.seed, "rows": live.rows, "name": name, **made}


def live_again(
    record: Record, record_file: Path, clips: Sequence[Clip], *, progress: Progress = silent
) -> Clip:
    """Play the run of a record again, from the record's clips.

    Raises
    ------
    FileError
        If its settings are not understood, or its commands are impossible with these clips.
    """
    job = recorded_settings(record, record_file, LiveJob)
    settings = recorded_settings(record, record_file, Settings, "make", usual=BEFORE) if job.make else None
    steps: list[list[Any]] = []
    for count, dt, intent in job.rows:
        if not (1 <= count <= _MOST - len(steps) and 0.0 <= dt <= 1.0):
            raise FileError(record_file, f"settings.rows: {count} steps of {dt:g} s are none of a live run")
        steps.append([dt, intent])
        steps += [[dt, None]] * (count - 1)
    try:
        recording: Recording[Any] = Recording.of(
            {"seed": job.seed, "steps": steps}, Request if job.controller == "graph" else Command
        )
    except SettingError as error:
        raise FileError(record_file, f"settings.rows {error}") from None
    try:
        model = live_model(job.controller, clips, settings=settings, progress=progress)
        return live_character(model, seed=job.seed).played(recording, job.name)
    except SegueError as error:
        raise FileError(record_file, str(error)) from None


LiveKind: TypeAlias = Literal["locomotion", "matcher", "graph"]
LIVE_KINDS: tuple[LiveKind, ...] = get_args(LiveKind)
LiveModel: TypeAlias = Locomotion | MotionMatcher | MotionGraph


def live_model(
    kind: LiveKind, clips: Sequence[Clip], *, settings: Settings | None = None, progress: Progress = silent
) -> LiveModel:
    """Make the shared model for characters of a kind; this takes seconds.

    Parameters
    ----------
    kind
        One of `LIVE_KINDS`.
    clips
        Its clips.
    settings
        Settings of the graph, if it is one.

    Raises
    ------
    SettingError
        If the clips lack what the kind needs.
    """
    if kind == "locomotion":
        return build_locomotion(clips)
    if kind == "matcher":
        return MotionMatcher(list(clips))
    return make_graph(Collection(tuple(clips)), settings or Settings(), progress=progress)


def live_character(model: LiveModel, *, seed: int) -> LiveCharacter[Any]:
    """Make a character with a seed.

    Raises
    ------
    SettingError
        If the graph cannot be walked.

    Examples
    --------
    >>> import segue
    >>> walks = [segue.sample("walk"), segue.sample("walk_fast")]
    >>> live_character(live_model("graph", walks), seed=1).sources
    ('walk', 'walk_fast')
    """
    if isinstance(model, MotionGraph):
        graph = model
        if not graph.clips_reached:
            raise SettingError(graph.obstacle or "no clip of this graph can be walked")
        names = tuple(clip.name for clip in graph.clips)
        return LiveCharacter(
            lambda: GraphPlayer(graph), seed=seed, sources=names, shown=lambda player: player.source[0]
        )
    if isinstance(model, MotionMatcher):
        matcher = model
        return LiveCharacter(
            matcher.twin, seed=seed, sources=matcher.clips, shown=lambda player: _plain(player.source)
        )
    walker = model
    sources = tuple(dict.fromkeys(_plain(clip_of(name)) for node in walker.nodes for name in node.set.names))
    return LiveCharacter(lambda: LocomotionPlayer(walker), seed=seed, sources=sources, shown=_heaviest)


def _heaviest(player: Any) -> str:
    """Name of the clip whose example has the most weight in a pose."""
    return _plain(player.sources[0].clip)


def _plain(name: str) -> str:
    """Remove the mark of a mirror image from a clip's name."""
    return name.removesuffix(" (mirrored)")
