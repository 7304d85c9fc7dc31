"""A motion file with its record and sources, measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from segue.app.in_place import as_recorded
from segue.app.record import Record, with_record
from segue.app.record_document import Source
from segue.app.replay import found_source
from segue.app.stages import read, read_in_order
from segue.errors import FileError
from segue.graph.build import unified
from segue.io import load
from segue.io.files import folder_given
from segue.library.inputs import in_library
from segue.measures import Measures, measure
from segue.motion.clip import Clip
from segue.motion.reference import with_roles
from segue.motion.samples import SAMPLE_PREFIX


@dataclass(frozen=True, eq=False)
class Measured:
    """A motion with its origin, its sources (if found) on its body and at its rate, and the measures."""

    motion: Clip
    record: Record | None
    sources: tuple[Clip, ...]
    measures: Measures
    note: str = ""


def measure_file(
    path: str | Path, *, sources: Path | None = None, roles: Mapping[str, str] | None = None
) -> Measured:
    """Measure a motion file; also its seams, if its record and the source files are found.

    Parameters
    ----------
    path
        A motion file, ``sample:NAME``, or one clip of several (``moves.glb#NAME``, ``moves.segue#NAME``).
    sources
        Folder to search for source files that have moved.
    roles
        Role to joint name, set by the user; by default as set when the motion was made.

    Raises
    ------
    FileError
        If the motion cannot be read, or a source has changed.
    """
    alone = _alone(str(path), roles)
    if alone is not None:
        return Measured(alone, None, (), measure(alone))
    path = Path(path)
    motion, record = with_origin(path, roles)
    if record is None:
        note = f"no record ({path.stem}.origin.json) lies beside it: seams are not known"
        return Measured(motion, None, (), measure(motion), note)
    if record.command == "steer":
        return Measured(
            motion, record, (), measure(motion), "steered: it is blended throughout and has no seams"
        )
    clips = sources_of(motion, record, folder=sources, roles=roles)
    return Measured(motion, record, clips, measure(motion, sources=clips))


def motion_and_sources(
    motion: str, *, folder: Path | None = None, roles: Mapping[str, str] | None = None
) -> tuple[Clip, tuple[Clip, ...]]:
    """Read a motion (or ``sample:NAME``, or a library's clip) with its origin, and its sources if it has a record.

    If one source is missing, none are returned: a picture does not need them.
    """
    alone = _alone(motion, roles)
    if alone is not None:
        return alone, ()
    path = Path(motion)
    clip, record = with_origin(path, roles)
    if record is None or record.command == "steer":
        return clip, ()
    try:
        return clip, sources_of(clip, record, folder=folder, roles=roles)
    except FileError:
        return clip, ()


def sources_of(
    motion: Clip, record: Record, *, folder: Path | None = None, roles: Mapping[str, str] | None = None
) -> tuple[Clip, ...]:
    """Read the sources that a motion plays, on its body and at its rate."""
    wanted = played(record)
    clips = read_in_order([found_source(source, folder) for source in wanted]).clips
    return as_sources(motion, record, wanted, clips, roles=roles)


def played(record: Record) -> list[Source]:
    """Sources that a motion plays, each once."""
    used = {record.origin.clips[k] for k in set(record.origin.clip.ravel().tolist()) if k >= 0}
    return list({source.name: source for source in record.sources if source.name in used}.values())


def as_sources(
    motion: Clip,
    record: Record,
    wanted: Sequence[Source],
    clips: Sequence[Clip],
    *,
    roles: Mapping[str, str] | None = None,
) -> tuple[Clip, ...]:
    """Source clips of a record as the motion plays them: with their recorded names, on the motion's body."""
    clips = as_recorded(with_roles(clips, roles or recorded_roles(record), needed=False), wanted)
    named = [clip.renamed(source.name) for clip, source in zip(clips, wanted, strict=True)]
    return on_body(motion, named)


def _alone(word: str, roles: Mapping[str, str] | None) -> Clip | None:
    """Motion without a record: an embedded clip, or one in a library; None for a file."""
    place = in_library(word)
    if place is not None and place.clip is None:
        raise FileError(word, f"is a library; name one clip in it, as {word}#NAME")
    if place is None and not word.startswith(SAMPLE_PREFIX):
        return None
    return read([word], roles=roles).clips[0]


def with_origin(path: Path, roles: Mapping[str, str] | None) -> tuple[Clip, Record | None]:
    """Read a motion, with the origin and roles of its record if there is one."""
    if path.is_dir():
        raise folder_given(path)
    motion, record = with_record(load(path), path)
    if roles is None and record is not None:
        return with_roles([motion], recorded_roles(record), needed=False)[0], record
    return with_roles([motion], roles)[0], record


def recorded_roles(record: Record) -> dict[str, str] | None:
    """Roles that a person set when the motion was made."""
    made = record.settings.get("make", record.settings)  # those of a sequence are next to its script
    roles = made.get("roles") if isinstance(made, dict) else None
    return roles if isinstance(roles, dict) else None


def on_body(motion: Clip, clips: Sequence[Clip]) -> tuple[Clip, ...]:
    """Retarget and resample clips to a motion's skeleton and rate."""
    return unified(clips, skeleton=motion.skeleton, fps=motion.fps)
