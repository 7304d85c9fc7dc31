"""The main job, top to bottom: files in, one long motion out."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from segue.app.record import Record, source_of, write_record
from segue.app.told import with_roles
from segue.blending.methods import Blend
from segue.costs.registry import cost as cost_by_name
from segue.errors import FileError, NoTransitionError, SettingError, nearest
from segue.graph.build import build_graph
from segue.graph.matching import Progress, silent
from segue.graph.motion_graph import MotionGraph
from segue.graph.render import render
from segue.graph.stitch import Stitched, stitch
from segue.io import load, load_folder, save
from segue.io.files import READABLE, motion_files
from segue.motion.clip import Clip
from segue.motion.samples import SAMPLES, sample
from segue.motion.skeleton import Skeleton
from segue.transitions.threshold import given_threshold

SAMPLE_PREFIX = "sample:"
"""``sample:walk`` names an embedded clip wherever a file is asked for; ``sample:`` alone names them all."""


@dataclass(frozen=True, eq=False)
class Collection:
    """Clips read, where each came from, and what was left out and why."""

    clips: tuple[Clip, ...]
    skipped: tuple[tuple[str, str], ...] = ()

    def clip(self, name: str) -> Clip:
        """Clip by name."""
        return next(clip for clip in self.clips if clip.name == name)


@dataclass(frozen=True)
class Settings:
    """What decides a motion besides its sources; stored beside it. ``roles`` are those that a person told."""

    cost: str = "point_cloud"
    cost_settings: dict[str, Any] = field(default_factory=dict)
    threshold: float | str = "auto"
    share: float = 0.6
    blend_seconds: float = 1.0 / 3.0
    root: str = "position"
    skeleton: str | None = None
    fps: float | None = None
    check_seams: bool = True
    roles: dict[str, str] | None = None

    def __post_init__(self) -> None:
        """Refuse what is impossible before anything is read or compared."""
        _ = self.blend
        cost_by_name(self.cost, **self.cost_settings)
        if not isinstance(self.threshold, str):
            given_threshold(self.threshold)
        elif self.threshold not in {"auto", "knee"}:
            msg = f"threshold {self.threshold!r} is not known; give a number, auto or knee"
            raise SettingError(msg)
        if not 0 < self.share <= 1:
            msg = f"share {self.share}: the part of the reachable frames to keep lies above 0 and up to 1"
            raise SettingError(msg)
        if self.fps is not None and not 1 <= self.fps <= 1000:
            msg = f"a result of {self.fps} frames a second is not possible; choose 1 to 1000"
            raise SettingError(msg)

    @property
    def blend(self) -> Blend:
        """The way across."""
        return Blend(seconds=self.blend_seconds, root=self.root)  # type: ignore[arg-type]  # checked by Blend


def read(
    inputs: Sequence[str], *, roles: Mapping[str, str] | None = None, progress: Progress = silent
) -> Collection:
    """Read files, folders (all motion files below them) and embedded clips; ``roles`` as `with_roles` takes them.

    Raises
    ------
    FileError
        If nothing at all can be read; says why for the first files.
    """
    paths = [Path(item) for item in inputs if not item.startswith(SAMPLE_PREFIX)]
    loaded, skipped = load_folder(
        paths, on_file=lambda _, done, total: progress("reading files", done, total)
    )
    by_file = {_place(clip): clip for clip in loaded}
    clips: dict[str, Clip] = {}
    for item in inputs:
        if item.startswith(SAMPLE_PREFIX):
            word = item.removeprefix(SAMPLE_PREFIX)
            clips |= {SAMPLE_PREFIX + name: sample(name) for name in ([word] if word else SAMPLES)}
        else:
            places = [str(path.resolve()) for path in motion_files([item])]
            clips |= {place: by_file[place] for place in places if place in by_file}
    if not clips:
        if len(skipped) == 1:
            load(skipped[0][0])  # its own error says most
        first = "; ".join(why for _, why in skipped[:3])
        where = ", ".join(inputs) or "(nothing given)"
        raise FileError(where, first or f"no motion files here; segue reads {', '.join(READABLE)}")
    told = with_roles(list(clips.values()), roles)
    return Collection(told, tuple((str(path), why) for path, why in skipped))


def _place(clip: Clip) -> str:
    """Where a clip was read: its file's full path, or ``sample:NAME``."""
    path = clip.source.path if clip.source is not None else ""
    return str(Path(path).resolve()) if path else SAMPLE_PREFIX + clip.name


def read_in_order(
    inputs: Sequence[str], *, roles: Mapping[str, str] | None = None, progress: Progress = silent
) -> Collection:
    """Read files and embedded clips in the order given, the same one again where it is named again.

    Raises
    ------
    FileError
        If one of them cannot be read, or is a folder.
    """
    for item in inputs:
        if Path(item).is_dir():
            raise FileError(item, "is a folder; name the files in the order they are to be played")
        if item == SAMPLE_PREFIX:
            raise FileError(
                item, f"stands for all embedded clips; name them one by one: {', '.join(SAMPLES)}"
            )
    found = read(list(dict.fromkeys(inputs)), roles=roles, progress=progress)
    if found.skipped:
        load(found.skipped[0][0])  # its own error says most
    by_item = {_place(clip): clip for clip in found.clips}
    keys = [item if item.startswith(SAMPLE_PREFIX) else str(Path(item).resolve()) for item in inputs]
    return Collection(tuple(by_item[key] for key in keys))


def make_graph(collection: Collection, settings: Settings, *, progress: Progress = silent) -> MotionGraph:
    """Clips to motion graph."""
    return build_graph(
        collection.clips,
        cost=cost_by_name(settings.cost, **settings.cost_settings),
        threshold=settings.threshold,  # type: ignore[arg-type]  # checked by build_graph
        share=settings.share,
        blend=settings.blend,
        skeleton=_body(collection, settings),
        fps=settings.fps,
        check_seams=settings.check_seams,
        progress=progress,
    )


def make_stitch(
    collection: Collection, settings: Settings, *, progress: Progress = silent
) -> tuple[Stitched, Clip]:
    """Clips in the order read to one motion."""
    made = stitch(
        collection.clips,
        cost=cost_by_name(settings.cost, **settings.cost_settings),
        blend=settings.blend,
        threshold=None if isinstance(settings.threshold, str) else settings.threshold,
        skeleton=_body(collection, settings),
        fps=settings.fps,
        progress=progress,
    )
    return made, render(made.walk)


def _body(collection: Collection, settings: Settings) -> Skeleton | None:
    """Skeleton asked for by the name of one of the clips."""
    if settings.skeleton is None:
        return None
    names = [clip.name for clip in collection.clips]
    if settings.skeleton not in names:
        msg = f"no clip is called {settings.skeleton!r}; {nearest(settings.skeleton, names)}"
        raise SettingError(msg)
    return collection.clip(settings.skeleton).skeleton


def require_walkable(graph: MotionGraph) -> None:
    """Say what is missing if a graph has no component to walk in.

    Raises
    ------
    NoTransitionError
        With the best cost, the threshold and what to change.
    """
    if graph.obstacle:
        raise NoTransitionError(graph.obstacle)


def record_path(path: Path) -> Path:
    """Where the record of a motion file lies."""
    return path.with_name(path.stem + ".origin.json")


def beside(path: Path) -> tuple[Path, ...]:
    """Files that are written along with a motion: a MuJoCo model's positions, and the record, which comes last."""
    qpos = (path.with_suffix(".qpos.csv"),) if path.suffix.lower() == ".xml" else ()
    return (*qpos, record_path(path))


def write(
    motion: Clip, path: Path, *, collection: Collection, command: str, settings: dict[str, Any]
) -> Path:
    """Write a motion and the record beside it, both or none; return the record's path."""
    sources = tuple(source_of(clip) for clip in collection.clips)
    record = Record(command, settings, sources, motion_digest(motion), motion.fps, motion.origin)
    save(motion.with_motion(name=path.stem), path)
    try:
        write_record(record_path(path), record)
    except BaseException:
        for made in (path, *beside(path)[:-1]):  # beside an older record it would tell a wrong story
            made.unlink(missing_ok=True)
        raise
    return record_path(path)


def motion_digest(clip: Clip) -> str:
    """Digest of a motion's numbers, rounded to 1e-6 so that it does not depend on a processor's last bits."""
    parts = [np.round(array, 6) + 0.0 for array in (clip.rotations, clip.root_positions)]
    return hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest()
