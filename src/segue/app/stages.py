"""The main job, top to bottom: files in, one long motion out."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from segue.app.called import called
from segue.app.in_place import image_of
from segue.app.motion_file import write_with_record
from segue.app.record import Record, source_of
from segue.costs.registry import cost_of
from segue.errors import FileError, NoTransitionError, SettingError, SkeletonError, nearest
from segue.graph.build import MotionGraph, graph_from
from segue.graph.stitch import Stitched, stitch
from segue.graph.walk import render
from segue.io import load, load_folder, save
from segue.io.files import motion_files
from segue.io.formats import READABLE, one_animation
from segue.library.inputs import from_library, in_library
from segue.motion.clip import Clip
from segue.motion.reference import with_roles
from segue.motion.samples import SAMPLE_PREFIX, SAMPLES, sample
from segue.motion.skeleton import Skeleton
from segue.settings import Settings
from segue.threads import Progress, silent


@dataclass(frozen=True, eq=False)
class Collection:
    """Clips with their sources, and the clips left out with the reason."""

    clips: tuple[Clip, ...]
    skipped: tuple[tuple[str, str], ...] = ()

    def clip(self, name: str) -> Clip:
        """Clip by name; ``StopIteration`` if there is none."""
        return next(clip for clip in self.clips if clip.name == name)


def read(
    inputs: Sequence[str], *, roles: Mapping[str, str] | None = None, progress: Progress = silent
) -> Collection:
    """Read files (all their animations), folders (all motion files below them), libraries and their clips, and samples.

    Clips with duplicate names are renamed. ``roles`` are as in `with_roles`.

    Raises
    ------
    FileError
        If nothing can be read; gives the reasons for the first files.
    """
    clips, skipped = _read(inputs, progress)
    return Collection(with_roles(named_apart(list(clips.values())), roles), skipped)


def _read(inputs: Sequence[str], progress: Progress) -> tuple[dict[str, Clip], tuple[tuple[str, str], ...]]:
    """Clips by their paths, in the order of the inputs, and the skipped files with the reasons."""
    kept = {item: place for item in inputs if (place := in_library(item)) is not None}
    paths = [Path(item) for item in inputs if not item.startswith(SAMPLE_PREFIX) and item not in kept]
    loaded, bad = load_folder(paths, on_file=lambda _, done, total: progress("reading files", done, total))
    if paths:
        progress("reading files", len(loaded) + len(bad), len(loaded) + len(bad))
    given, damaged = from_library(
        list(kept.values()), on_clip=lambda done, total: progress("reading clips", done, total)
    )
    by_file = {str(Path(clip.source.path).resolve()): clip for clip in loaded if clip.source is not None}
    clips: dict[str, Clip] = {}
    for item in inputs:
        if item.startswith(SAMPLE_PREFIX):
            word = item.removeprefix(SAMPLE_PREFIX)
            clips |= {SAMPLE_PREFIX + name: sample(name) for name in ([word] if word else SAMPLES)}
        elif item in kept:
            clips |= {place: clip for place, clip in given.items() if kept[item].holds(place)}
        else:
            places = [str(path.resolve()) for path in motion_files([item])]
            clips |= {place: by_file[place] for place in places if place in by_file}
    skipped = (*((str(path), why) for path, why in bad), *damaged)
    if not clips:
        if len(bad) == 1 and not damaged:
            load(bad[0][0])  # its own error is the most precise
        first = "; ".join(why for _, why in skipped[:3])
        where = ", ".join(inputs) or "(nothing given)"
        raise FileError(where, first or f"no motion files here; segue reads {', '.join(READABLE)}")
    return clips, skipped


def named_apart(clips: Sequence[Clip]) -> tuple[Clip, ...]:
    """Clips of several inputs under unique names: a duplicate name gets a number as suffix.

    Embedded clips keep their names, by which they are found again.
    """
    taken = {clip.name for clip in clips if clip.source is None}
    out = []
    for clip in clips:
        name, count = clip.name, 2
        while clip.source is not None and name in taken:
            name, count = f"{clip.name} ({count})", count + 1
        taken.add(name)
        # A made motion that is read again is its own source, whatever its origin.
        alone = name == clip.name and (clip.source is None or clip.origin.clips == (name,))
        out.append(clip if alone else clip.renamed(name))
    return tuple(out)


def read_in_order(
    inputs: Sequence[str], *, roles: Mapping[str, str] | None = None, progress: Progress = silent
) -> Collection:
    """Read files, clips of libraries and embedded clips in the given order; a repeated input gives the clip again.

    Raises
    ------
    FileError
        If one of them cannot be read, or is a folder, a library or a file of several animations.
    """
    keys = [_key(item) for item in inputs]
    clips, skipped = _read(list(dict.fromkeys(inputs)), progress)
    if skipped:
        load(skipped[0][0])  # its own error is the most precise
    given = with_roles(named_apart(list(clips.values())), roles)
    by_key = dict(zip(clips, given, strict=True))
    return Collection(tuple(by_key[key] for key in keys))


def _key(item: str) -> str:
    """Path of the one clip that an input names."""
    if item == SAMPLE_PREFIX:
        msg = f"stands for all embedded clips; name them one by one: {', '.join(SAMPLES)}"
        raise FileError(item, msg)
    if item.startswith(SAMPLE_PREFIX):
        return item
    if Path(item).is_dir():
        raise FileError(item, "is a folder; name the files in the order they are to be played")
    place = in_library(item)
    if place is None:
        return str(one_animation(Path(item)).resolve())
    if place.clip is None:
        raise FileError(
            item, f"is a library; name its clips in the order they are to be played, as {item}#NAME"
        )
    return place.word


def with_verdicts(settings: Settings, collection: Collection) -> Settings:
    """Settings with the verdicts on points between clips of a library, so that a record has them."""
    from segue.library.inputs import verdicts_of

    return replace(settings, verdicts=verdicts_of(collection.clips))


def make_graph(collection: Collection, settings: Settings, *, progress: Progress = silent) -> MotionGraph:
    """Build a motion graph from clips; pairs of library clips are compared once and stored."""
    from segue.library.inputs import kept_pairs

    with kept_pairs(collection.clips, settings.verdicts) as store:
        return graph_from(
            collection.clips,
            settings,
            cost=cost_of(settings),
            skeleton=_body(collection, settings),
            store=store,
            progress=progress,
        )


def make_stitch(
    collection: Collection, settings: Settings, *, progress: Progress = silent
) -> tuple[Stitched, Clip]:
    """Join clips to one motion in their order."""
    made = stitch(
        collection.clips,
        cost=cost_of(settings),
        blend=settings.blend,
        threshold=None if isinstance(settings.threshold, str) else settings.threshold,
        skeleton=_body(collection, settings),
        fps=settings.fps,
        progress=progress,
    )
    return made, render(made.walk, feet=settings.feet, creep=settings.creep)


def _body(collection: Collection, settings: Settings) -> Skeleton | None:
    if settings.skeleton is None:
        return None
    names = [clip.name for clip in collection.clips]
    name = called(settings.skeleton, collection.clips)
    if name not in names:
        msg = f"no clip is called {name!r}; {nearest(name, names)}"
        raise SettingError(msg)
    return collection.clip(name).skeleton


def require_walkable(graph: MotionGraph) -> None:
    """Raise an error with the reason if a graph has no component to walk in.

    Raises
    ------
    NoTransitionError
        With the best cost, the threshold and the settings to change.
    """
    if graph.obstacle:
        raise NoTransitionError(graph.obstacle)


def write(
    motion: Clip,
    path: Path,
    *,
    collection: Collection,
    command: str,
    settings: dict[str, Any],
    bridges: Sequence[Mapping[str, Any]] = (),
) -> Path:
    """Write a motion and its record, both or none; return the record's path.

    ``bridges`` are those that the motion plays (`segue.app.record.bridges_of`).
    """
    sources = tuple(source_of(clip) for clip in collection.clips)
    record = Record(
        command, settings, sources, motion_digest(motion), motion.fps, motion.origin, bridges=tuple(bridges)
    )
    return write_motion(motion, path, record)


def write_motion(motion: Clip, path: Path, record: Record, *, more: Mapping[str, Any] | None = None) -> Path:
    """Write a motion and its record, both or none; return the record's path."""
    named = motion.with_motion(name=path.stem)
    return write_with_record(path, record, lambda there: save(named, there), more=more)


def motion_digest(clip: Clip) -> str:
    """Digest of a motion's numbers, rounded to 1e-6 so that last bits, which depend on the processor, do not count."""
    parts = [np.round(array, 6) + 0.0 for array in (clip.rotations, clip.root_positions)]
    return hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest()


def doubled(collection: Collection) -> Collection:
    """Collection with mirror images after the clips; bodies with unknown hips have none.

    Examples
    --------
    >>> [clip.name for clip in doubled(read(["sample:walk"])).clips]
    ['walk', 'walk (mirrored)']
    """
    images = []
    for clip in collection.clips:
        try:
            images.append(image_of(clip))
        except SkeletonError:
            continue  # a graph leaves such a clip out, and reports why
    return Collection((*collection.clips, *images), collection.skipped)
