"""Run `segue wander FOLDER` with its defaults, step by step in one process.

Only this module of these benchmarks depends on how files become a finished motion.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from segue.app import stages
from segue.app.in_place import mirror_of
from segue.app.material import graph_of, with_root_motion
from segue.errors import SegueError
from segue.graph.build import MotionGraph
from segue.graph.walk import render
from segue.motion.clip import Clip
from segue.settings import Settings


@dataclass(frozen=True, eq=False)
class Built:
    """A set of clips, read and made into a graph once.

    ``refused`` is the error message of the command, empty where a motion is made; ``reached`` holds the names of
    the clips that a motion may play; ``unusable`` the reasons why clips that were read cannot be compared,
    ``outside`` the reasons why comparable clips are not reached.
    """

    read: stages.Collection
    settings: Settings
    graph: MotionGraph | None
    refused: str
    unusable: dict[str, str]
    outside: dict[str, str]
    seconds: float

    @property
    def sources(self) -> tuple[Clip, ...]:
        """Clips on one body at one rate, as played."""
        return () if self.graph is None else self.graph.clips

    @property
    def reached(self) -> tuple[str, ...]:
        """Names of the clips that a motion may play, directly or as mirror images."""
        if self.graph is None or self.refused:
            return ()
        inside = set(self.graph.clips_reached)
        image = {clip.name: mirror_of(clip) or clip.name for clip in self.read.clips}
        return tuple(sorted({image[name] for name in inside}))

    @property
    def usable(self) -> list[Clip]:
        """Clips as read that can be compared, without mirror images."""
        return [clip for clip in self.originals if clip.name not in self.unusable]

    @property
    def originals(self) -> list[Clip]:
        """Clips as read, without mirror images."""
        return [clip for clip in self.read.clips if mirror_of(clip) is None]

    @property
    def bodies(self) -> Counter[tuple[Any, ...]]:
        """Number of usable clips of each body; bodies are equal if joint names and tree are."""
        return Counter((clip.skeleton.names, tuple(clip.skeleton.parents.tolist())) for clip in self.usable)


def built(path: str) -> Built:
    """Read a folder or a file and make its graph; an error of the command is kept as its message."""
    began = time.perf_counter()
    settings = Settings()
    read, graph, refused = stages.Collection(()), None, ""
    try:
        read = stages.read([path], roles=settings.roles)
        read, _ = with_root_motion(read)
        settings = stages.with_verdicts(settings, read)
        read, graph, _ = graph_of(read, settings)
        stages.require_walkable(graph)
    except SegueError as error:
        refused = str(error)
    seconds = time.perf_counter() - began
    unusable, outside = _left(read, graph)
    return Built(read, settings, graph, refused, unusable, outside, seconds)


def _left(read: stages.Collection, graph: MotionGraph | None) -> tuple[dict[str, str], dict[str, str]]:
    """Reasons why clips cannot be compared, and why others are not reached."""
    if graph is None:
        return {clip.name: "no graph was made" for clip in read.clips}, {}
    compared = {clip.name for clip in graph.clips}
    why, short = graph.report.dropped_clips, graph.report.short_clips
    unusable = {
        clip.name: short.get(clip.name) or why.get(clip.name, "not compared")
        for clip in read.clips
        if clip.name in short or clip.name not in compared
    }
    return unusable, {name: reason for name, reason in why.items() if name not in unusable}


def made(found: Built, *, seconds: float, seed: int) -> Clip:
    """Return the finished motion: walked, blended, with feet corrected as in the command."""
    assert found.graph is not None
    walk = found.graph.wander(seconds=seconds, seed=seed)
    return render(walk, feet=found.settings.feet)


def keep(motion: Clip, found: Built, path: Path, *, seconds: float, seed: int) -> None:
    """Write a motion and its record, as the command does."""
    path.parent.mkdir(parents=True, exist_ok=True)
    recorded = {
        "make": asdict(found.settings),
        "walk": {"seconds": seconds, "seed": seed, "by": "cost", "start": None},
    }
    stages.write(motion, path, collection=found.read, command="wander", settings=recorded)
