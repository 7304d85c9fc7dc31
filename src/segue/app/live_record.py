"""The record of a live run: what steered it, its seed and commands; and the run played again.

A live character is steered by a walker, a motion matcher or the walk of a graph, each made of clips.
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
"""Steps of a run that is played again."""


@dataclass(frozen=True)
class LiveJob:
    """All that a live run is made from, besides its clips.

    Parameters
    ----------
    controller
        What steers it.
    seed
        What it begins with.
    rows
        How many steps, seconds of each, and what is wanted from the first of them on, or None.
    make
        How the graph is built, for a walk of one.
    name
        What the motion is called.
    """

    controller: LiveKind
    seed: int
    rows: list[tuple[int, float, dict[str, Any] | None]]
    make: dict[str, Any] = field(default_factory=dict)
    name: str = "live run"


def live_settings(
    live: LiveCharacter[Any], controller: LiveKind, *, name: str, make: Settings | None = None
) -> dict[str, Any]:
    """Settings of a record of a run so far."""
    made = {} if make is None else {"make": make.document()}
    return {"controller": controller, "seed": live.seed, "rows": live.rows, "name": name, **made}


def live_again(
    record: Record, record_file: Path, clips: Sequence[Clip], *, progress: Progress = silent
) -> Clip:
    """Play the run of a record again; its clips are those of the record.

    Raises
    ------
    FileError
        If its settings are not understood, or what it wants is not possible with these clips.
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
    """Make what characters of a kind are made from; this takes seconds.

    Parameters
    ----------
    kind
        One of `LIVE_KINDS`.
    clips
        What it is made of.
    settings
        How the graph is built, where it is one.

    Raises
    ------
    SettingError
        If the clips do not hold what it needs.
    """
    if kind == "locomotion":
        return build_locomotion(clips)
    if kind == "matcher":
        return MotionMatcher(list(clips))
    return make_graph(Collection(tuple(clips)), settings or Settings(), progress=progress)


def live_character(model: LiveModel, *, seed: int) -> LiveCharacter[Any]:
    """Character that begins with a seed.

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
    """Clip of the example that makes most of a pose."""
    return _plain(player.sources[0].clip)


def _plain(name: str) -> str:
    """Clip of a mirror image."""
    return name.removesuffix(" (mirrored)")
