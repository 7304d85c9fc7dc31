"""Replay: a motion made again from its record, with seed, settings and digests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from segue.app import (
    crossing,
    dance_floor,
    live_record,
    looping,
    sequence_record,
    spaces,
    steer_record,
)
from segue.app.directing import directed_again
from segue.app.in_place import as_recorded
from segue.app.record import (
    Record,
    places_of,
    read_record,
    sample_digest,
    source_of,
)
from segue.app.record_document import Source
from segue.app.record_settings import recorded_settings, recorded_words
from segue.app.stages import (
    Collection,
    make_graph,
    make_stitch,
    motion_digest,
    read_in_order,
    require_walkable,
    write,
    write_motion,
)
from segue.app.versions import Differing, differing, in_words
from segue.costs.registry import cost_of
from segue.errors import FileError, SettingError
from segue.graph.walk import render, wander
from segue.io.animation_names import split_fragment
from segue.io.digests import file_digest
from segue.io.formats import as_kept, skeleton_file
from segue.io.library_mark import is_library
from segue.library.inputs import open_library, word_of
from segue.motion.clip import Clip
from segue.settings import BEFORE, Settings
from segue.threads import Progress, silent

COMMANDS = (
    "wander",
    "stitch",
    "walk",
    *looping.COMMANDS,
    dance_floor.COMMAND,
    steer_record.COMMAND,
    *sequence_record.COMMANDS,
    spaces.COMMAND,
    live_record.COMMAND,
    crossing.COMMAND,
)
"""Commands whose motions can be made again."""
_OF_CLIPS = {*sequence_record.COMMANDS, live_record.COMMAND, crossing.COMMAND}
"""Commands whose motions are made from clips without building a graph."""


def replay(
    record_file: Path, *, sources: Path | None = None, progress: Progress = silent
) -> tuple[Clip, Collection, Record, bool]:
    """Make the motion of a record again.

    Parameters
    ----------
    record_file
        The `.origin.json` file of a motion.
    sources
        Folder to search for source files that have moved.
    progress
        Called with stage, done, total.

    Returns
    -------
    tuple
        The motion, its source clips, the record, and whether the motion's digest agrees with the record's.

    Raises
    ------
    FileError
        If a source is missing or its digest differs from the recorded one.
    """
    record = read_record(record_file)
    settings, walk = _settings(record, record_file)
    if record.command == "stitch":
        inputs = [found_source(source, sources) for source in record.sources]
        collection = read_in_order(inputs, roles=settings.roles, progress=progress)
        _, motion = make_stitch(collection, settings, progress=progress)
    else:
        collection = _collected(record, settings, sources, progress)
        graph = make_graph(collection, settings, progress=progress)
        if record.command == "walk":
            made = directed_again(graph, record, record_file)
        else:
            require_walkable(graph)
            made = graph.wander(**walk)
        motion = render(made, feet=settings.feet, creep=settings.creep)
    return motion, collection, record, motion_digest(motion) == record.motion_sha256


@dataclass(frozen=True, eq=False)
class Again:
    """A motion made again.

    Parameters
    ----------
    motion
        The motion; of a dance floor the first.
    same
        Whether its digest agrees with the record's.
    libraries
        Versions of libraries in the record; empty if an earlier version of segue wrote it.
    differing
        Versions that made the motion and differ from the installed ones (`segue.app.versions`).
    """

    motion: Clip
    same: bool
    libraries: Mapping[str, str]
    differing: tuple[Differing, ...]


def write_again(
    record_file: Path, out: Path, *, sources: Path | None = None, progress: Progress = silent
) -> Again:
    """Make the motion of a record again, from any command, and write it with its record.

    Raises
    ------
    FileError
        If a source or a walker is missing or its digest differs from the recorded one.
    """
    record = read_record(record_file)
    if record.command not in COMMANDS:
        msg = f"was written by {record.command!r}, which cannot be replayed; replay supports {', '.join(COMMANDS)}"
        raise FileError(record_file, msg)
    if sources is not None and not sources.is_dir():
        raise FileError(sources, "there is no such folder")
    motion, same = _written_again(record, record_file, out, sources=sources, progress=progress)
    return Again(motion, same, record.libraries, differing(record.version, record.libraries))


def _written_again(
    record: Record, record_file: Path, out: Path, *, sources: Path | None, progress: Progress
) -> tuple[Clip, bool]:
    """Write the motion of a record; also return whether its digest matches."""
    if record.command == steer_record.COMMAND:
        made, walker = steer_record.steered_again(record, record_file, folder=sources)
        job = steer_record.job_of(record, record_file)
        steer_record.write_steered(made, out, walker=walker, name=record.sources[0].clip, job=job)
        return made.clip, motion_digest(made.clip) == record.motion_sha256
    if record.command == spaces.COMMAND:
        motion, space, curve = spaces.made_again(record, record_file, folder=sources)
        spaces.write_made(motion, out, space=space, job=curve)
        return motion, motion_digest(motion) == record.motion_sha256
    if record.command in looping.COMMANDS:
        word = found_source(record.sources[0], sources)
        motion = looping.made_again(record, record_file, word, out)
        return motion, motion_digest(motion) == record.motion_sha256
    if record.command in _OF_CLIPS:
        return _made_of_clips(record, record_file, out, sources=sources, progress=progress)
    if record.command == dance_floor.COMMAND:
        if out.suffix.lower() != ".glb":
            raise FileError(out, "a floor is written as .glb; name such a file with -o")
        settings, _ = _settings(record, record_file)
        collection = _collected(record, settings, sources, progress)
        floor = dance_floor.floor_again(record, record_file, collection, settings, progress=progress)
        dance_floor.write(floor, out, collection=collection)
        return floor.motions[0], floor.digest == record.motion_sha256
    motion, collection, found, same = replay(record_file, sources=sources, progress=progress)
    write(
        motion,
        out,
        collection=collection,
        command=found.command,
        settings=found.settings,
        bridges=found.bridges,
    )
    return motion, same


def _made_of_clips(
    record: Record, record_file: Path, out: Path, *, sources: Path | None, progress: Progress
) -> tuple[Clip, bool]:
    """Write a motion made from clips without a graph: a sequence, a live run, one transition."""
    collection = _named_clips(record, sources, roles=None, progress=progress)
    if record.command in sequence_record.COMMANDS:
        motion = sequence_record.written_again(record, record_file, out, clips=collection)
        return motion, motion_digest(motion) == record.motion_sha256
    clips = collection.clips
    if record.command == live_record.COMMAND:
        motion = live_record.live_again(record, record_file, clips, progress=progress)
    else:
        motion = crossing.crossed_again(record, record_file, clips)
    digest, found = motion_digest(motion), tuple(source_of(clip) for clip in clips)
    write_motion(
        motion, out, Record(record.command, record.settings, found, digest, motion.fps, motion.origin)
    )
    return motion, digest == record.motion_sha256


def _settings(record: Record, path: Path) -> tuple[Settings, dict[str, Any]]:
    """Settings of the graph, and arguments of the walk."""
    settings = recorded_settings(record, path, Settings, "make", usual=BEFORE)
    try:
        cost_of(settings)
    except SettingError as error:
        raise FileError(path, f"settings.make: {error}") from None
    if record.command in {"stitch", "walk", "floor"}:
        return settings, {}
    return settings, recorded_words(record, path, wander, "walk", more=True)


def found_source(source: Source, folder: Path | None) -> str:
    """Path of a source now, with its digest checked, as `read` takes it."""
    if source.path.startswith("sample:"):
        return source.path
    path, animation = split_fragment(source.path)
    there = places_of(path, folder)
    if source.clip:
        return _found_in_library(source, there)
    same = next((place for place in there if file_digest(place) == source.sha256), None)
    if same is None:
        changed = "has changed since the motion was made: its digest differs from the record's"
        raise FileError(there[0], changed)
    if source.skeleton_sha256:
        skeleton = skeleton_file(same)
        if skeleton is not None and file_digest(skeleton) != source.skeleton_sha256:
            msg = f"this skeleton of {same.name} has changed since the motion was made"
            raise FileError(skeleton, msg)
    return as_kept(same) if animation is None else f"{same}#{animation}"


def _found_in_library(source: Source, there: Sequence[Path]) -> str:
    """Clip of a library with the recorded content, under any name and in any version."""
    for path in there:
        if is_library(path):
            with open_library(path) as library:
                word = word_of(library, source.clip, source.sha256)
            if word is not None:
                return word
    msg = (
        f"clip {source.clip!r} has changed since the motion was made, or is gone: no version that is kept has the "
        "digest of the record"
    )
    raise FileError(there[0], msg)


def _collected(record: Record, settings: Settings, folder: Path | None, progress: Progress) -> Collection:
    return _named_clips(record, folder, roles=settings.roles, progress=progress)


def _named_clips(
    record: Record, folder: Path | None, *, roles: Mapping[str, str] | None, progress: Progress
) -> Collection:
    """Clips of a record under their recorded names, mirrored where recorded."""
    inputs = [found_source(source, folder) for source in record.sources]
    collection = _renamed(read_in_order(inputs, roles=roles, progress=progress), record)
    _check_samples(collection, record)
    return collection


def _renamed(collection: Collection, record: Record) -> Collection:
    """Give clips their recorded names, which depend on the other clips read with them."""
    clips = [
        clip if clip.name == source.name else clip.renamed(source.name)
        for clip, source in zip(as_recorded(collection.clips, record.sources), record.sources, strict=True)
    ]
    return Collection(tuple(clips), collection.skipped)


def _check_samples(collection: Collection, record: Record) -> None:
    for clip, source in zip(collection.clips, record.sources, strict=True):
        if not source.path.startswith("sample:") or source_of(clip).sha256 == source.sha256:
            continue
        if sample_digest(clip, signed=True) == source.sha256:  # from a record of an earlier version
            continue
        others = in_words(differing(record.version, record.libraries))
        if record.libraries and not others:
            raise FileError(source.path, "is not the recorded sample, although all versions agree")
        made = f"{others or 'another version of segue or numpy'} made the sample differently"
        raise FileError(source.path, f"{made}, so that the motion cannot be made again")
