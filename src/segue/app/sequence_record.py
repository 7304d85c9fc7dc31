"""The record of a sequence, made from a script or played live, and making it again.

In addition to the layout of `segue.app.record`, whose frames describe the lower body, it has ``upper``: segments of the
upper body in the same layout; and the decisions: motions, pairs and rejected motions, or the answers to requests.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import msgspec

from segue.app.elements import Elements, motion_of
from segue.app.record import Record, segments_of, source_of
from segue.app.record_settings import recorded_settings
from segue.app.sequence_facts import answer_facts, facts
from segue.app.sequence_requests import read_requests
from segue.app.sequencing import LiveSequence, ScriptedSequence, loop_of, make, play, player_of
from segue.app.stages import Collection, motion_digest, write_motion
from segue.errors import FileError, SegueError
from segue.library.element_files import SequenceDocument
from segue.motion.clip import Clip, Origin
from segue.motion.reference import with_roles
from segue.motion.resample import cut
from segue.sequencing.proposing import ElementRange
from segue.sequencing.script import SMOOTHNESS, SequenceMethod
from segue.sequencing.sequence import MotionSequence

MADE, LIVE = "sequence", "sequence-live"
"""Command names in records, of a scripted and of a live sequence."""
COMMANDS = (MADE, LIVE)
_Frame = Annotated[int, msgspec.Meta(ge=0, le=1 << 40)]
_Rate = Annotated[float, msgspec.Meta(ge=1.0, le=1000.0)]


@dataclass(frozen=True)
class RecordedElement:
    """An elementary motion in a record: its clip, its frames, and those of its core."""

    name: str
    clip: str
    frames: tuple[_Frame, _Frame]
    core: tuple[_Frame, _Frame]


@dataclass(frozen=True)
class SequenceJob:
    """Everything a scripted sequence is made from, besides its clips.

    ``body`` is the clip whose skeleton it has, ``roles`` are those set by the user.
    """

    name: str
    script: SequenceDocument
    elements: list[RecordedElement]
    body: str | None = None
    fps: _Rate | None = None
    roles: dict[str, str] | None = None


@dataclass(frozen=True)
class LiveSequenceJob:
    """Everything a live sequence is made from, besides its clips.

    ``requests`` is the text of the table, ``idle`` the clip of the loop, ``idle_frames`` the part of it that is looped,
    None for all of it; ``roles`` are those set by the user.
    """

    requests: str
    elements: list[RecordedElement]
    idle: str
    idle_frames: tuple[_Frame, _Frame] | None = None
    smoothness: Annotated[float, msgspec.Meta(ge=0.0, le=1.0)] = SMOOTHNESS
    method: SequenceMethod = "optimal"
    fps: _Rate | None = None
    seconds: float | None = None
    roles: dict[str, str] | None = None


def recorded_elements(elements: Elements, names: Sequence[str] = ()) -> list[RecordedElement]:
    """Elementary motions as entries of a record, all or those named."""
    chosen = [elements.ranges[name] for name in names or elements.ranges]
    return [
        RecordedElement(
            one.name,
            one.clip,
            (one.start_frame, one.stop_frame),
            (one.core_start_frame, one.core_stop_frame),
        )
        for one in chosen
    ]


def write_sequence(made: MotionSequence, out: Path, *, job: SequenceJob, clips: Sequence[Clip]) -> Path:
    """Write a scripted sequence and its record, both or none; return the record's path."""
    return _written(made.clip, out, MADE, msgspec.to_builtins(job), clips, sequence_facts_of(made))


def sequence_facts_of(made: MotionSequence) -> dict[str, Any]:
    """Additional record entries of a scripted sequence: the upper body's segments and the decisions."""
    return {**_upper(made.upper_origin), "decided": facts(made)}


def job_of(script: ScriptedSequence) -> dict[str, Any]:
    """Record settings of a scripted sequence with its own body and rate."""
    job = SequenceJob(script.name, script.document, recorded_elements(script.elements))
    plain: dict[str, Any] = msgspec.to_builtins(job)
    return plain


def write_live(made: LiveSequence, out: Path, *, job: LiveSequenceJob, clips: Sequence[Clip]) -> Path:
    """Write a live sequence and its record, both or none; return the record's path."""
    return _written(made.clip, out, LIVE, msgspec.to_builtins(job), clips, live_facts_of(made))


def live_facts_of(made: LiveSequence) -> dict[str, Any]:
    """Additional record entries of a live sequence: the upper body's segments and the answers."""
    return {**_upper(made.upper_origin), "answers": [answer_facts(one) for one in made.answers]}


def _upper(origin: Origin) -> dict[str, Any]:
    return {"upper": segments_of(origin)}


def _written(
    clip: Clip, out: Path, command: str, settings: dict[str, Any], clips: Sequence[Clip], more: dict[str, Any]
) -> Path:
    sources = tuple(source_of(one) for one in clips)
    record = Record(command, settings, sources, motion_digest(clip), clip.fps, clip.origin)
    return write_motion(clip, out, record, more=more)


def written_again(record: Record, record_file: Path, out: Path, *, clips: Collection) -> Clip:
    """Make the motion of a record again from the clips it names, and write it with its record.

    Raises
    ------
    FileError
        If the settings are not understood, or name something that the clips lack.
    """
    try:
        if record.command == MADE:
            job = recorded_settings(record, record_file, SequenceJob)
            clips = _with_given_roles(clips, job.roles)
            elements = _elements(job.elements, clips)
            body = None if job.body is None else clips.clip(job.body).skeleton
            made = make(ScriptedSequence(job.name, job.script, elements), body=body, fps=job.fps)
            write_sequence(made, out, job=job, clips=clips.clips)
            return made.clip
        live_job = recorded_settings(record, record_file, LiveSequenceJob)
        clips = _with_given_roles(clips, live_job.roles)
        live = live_again(live_job, clips)
        write_live(live, out, job=live_job, clips=clips.clips)
    except StopIteration:  # no clip has the name
        raise FileError(record_file, "names a clip that is none of its sources") from None
    except SegueError as error:
        raise FileError(record_file, str(error)) from None
    return live.clip


def live_again(job: LiveSequenceJob, clips: Collection) -> LiveSequence:
    """Play a live sequence: the same job and clips give the same frames."""
    elements = _elements(job.elements, clips)
    clip = clips.clip(job.idle)
    loop = loop_of(clip if job.idle_frames is None else cut(clip, *job.idle_frames))
    player = player_of(elements, loop, smoothness=job.smoothness, method=job.method, fps=job.fps)
    requests = read_requests("requests", elements.motions, text=job.requests) if job.requests.strip() else []
    return play(player, requests, seconds=job.seconds)


def _with_given_roles(clips: Collection, roles: Mapping[str, str] | None) -> Collection:
    """Clips with the roles of a record; a body without such joints is unchanged."""
    return Collection(with_roles(clips.clips, roles, needed=False), clips.skipped)


def _elements(given: Sequence[RecordedElement], clips: Collection) -> Elements:
    ranges = {one.name: ElementRange(one.name, one.clip, *one.frames, *one.core) for one in given}
    motions = {name: motion_of(one, clips.clip(one.clip)) for name, one in ranges.items()}
    return Elements(motions, ranges, clips)
