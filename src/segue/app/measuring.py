"""A motion file, its record and its sources, measured together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from segue.app.record import Record, with_record
from segue.app.replay import found_source
from segue.app.stages import SAMPLE_PREFIX, read
from segue.errors import FileError
from segue.graph.build import unified
from segue.io import load
from segue.measures import Measures, measure
from segue.motion.clip import Clip, Origin


@dataclass(frozen=True, eq=False)
class Measured:
    """A motion with its origin, the sources brought to its body and rate (if found), and what was measured."""

    motion: Clip
    record: Record | None
    sources: tuple[Clip, ...]
    measures: Measures
    note: str = ""


def measure_file(path: Path, *, sources: Path | None = None) -> Measured:
    """Measure a motion file; with its record beside it and the source files in reach, its seams too.

    Parameters
    ----------
    path
        A motion file, or ``sample:NAME``.
    sources
        Folder in which to look for source files that have moved.

    Raises
    ------
    FileError
        If the motion cannot be read, or a source has changed.
    """
    if str(path).startswith(SAMPLE_PREFIX):
        motion = read([str(path)]).clips[0]
        return Measured(motion, None, (), measure(motion))
    motion, record = with_record(load(path), path)
    if record is None:
        note = f"no record ({path.stem}.origin.json) lies beside it: seams are not known"
        return Measured(motion, None, (), measure(motion), note)
    clips = sources_of(motion, record, folder=sources)
    return Measured(motion, record, clips, measure(motion, sources=clips))


def motion_and_sources(motion: str, *, folder: Path | None = None) -> tuple[Clip, tuple[Clip, ...]]:
    """Read a motion (or ``sample:NAME``) with its origin, and its sources if a record tells them.

    Sources that cannot be found any more are left out altogether: a picture does not need them.
    """
    if motion.startswith(SAMPLE_PREFIX):
        return read([motion]).clips[0], ()
    path = Path(motion)
    clip, record = with_record(load(path), path)
    if record is None:
        return clip, ()
    try:
        return clip, sources_of(clip, record, folder=folder)
    except FileError:
        return clip, ()


def sources_of(motion: Clip, record: Record, *, folder: Path | None = None) -> tuple[Clip, ...]:
    """Read the sources that a motion really plays, on its body and at its rate."""
    used = {record.origin.clips[k] for k in set(record.origin.clip.ravel().tolist()) if k >= 0}
    wanted = list({source.name: source for source in record.sources if source.name in used}.values())
    clips = read([found_source(source, folder) for source in wanted]).clips
    named = [
        clip.with_motion(name=source.name, origin=Origin.of(source.name, clip.n_frames))
        for clip, source in zip(clips, wanted, strict=True)
    ]
    return on_body(motion, named)


def on_body(motion: Clip, clips: Sequence[Clip]) -> tuple[Clip, ...]:
    """Bring clips to a motion's skeleton and rate."""
    return unified(clips, skeleton=motion.skeleton, fps=motion.fps)
