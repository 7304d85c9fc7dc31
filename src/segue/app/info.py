"""Contents of motion files: format, rate, unit and axis with their reasons, roles, movement, faults, copies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from segue.app.stages import Collection, read
from segue.costs.point_cloud import PointCloudCost
from segue.errors import FileError, SegueError
from segue.io.markers import MARKER_FORMATS, Markers, read_markers
from segue.library.inputs import in_library
from segue.motion.body import is_human, stature
from segue.motion.clip import Clip
from segue.motion.fault import Fault
from segue.motion.faults import find_faults
from segue.motion.roles import Roles
from segue.motion.roles import roles as roles_of
from segue.motion.samples import SAMPLE_PREFIX
from segue.motion.stance import stance
from segue.motion.tilt import find_tilt
from segue.motion.usable import sound_frames
from segue.threads import Progress, silent
from segue.transitions.copies import same_postures

_COPY_RATE = 15.0  # frames per second at which clips are compared as copies
_COPY_LENGTH = 0.5  # clips whose lengths differ by more than this ratio are not compared as copies


@dataclass(frozen=True)
class ClipInfo:
    """Information about one clip.

    ``rate_from`` is the source of the frame rate, ``notes`` what else was assumed; ``unit`` is in metres; ``roles``
    maps each role to its joint's name. ``height`` (from the legs), ``floor`` (of the soles), its ``slope`` in degrees,
    its ``drift`` (rise in metres per second) and ``on_feet`` (share of sound frames with a foot down) are None for
    skeletons without human legs; slope and drift also if no foot ever rests. Lengths are in metres, ``speed`` is that
    of the root along the ground in m/s.
    """

    name: str
    path: str
    format: str
    frames: int
    fps: float
    rate_from: str
    seconds: float
    joints: int
    unit: float | None
    up: str
    scheme: str
    roles: dict[str, str]
    unknown_roles: tuple[str, ...]
    role_costs: tuple[str, ...]
    height: float | None
    floor: float | None
    speed: float
    on_feet: float | None
    slope: float | None
    drift: float | None
    faults: tuple[Fault, ...]
    faulty_frames: int
    notes: tuple[str, ...]


@dataclass(frozen=True)
class MarkerInfo:
    """One file of markers, which has no skeleton."""

    path: str
    format: str
    frames: int
    fps: float
    seconds: float
    markers: int
    missing: float
    unit: float
    up: str
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Copies:
    """Two clips that hold one motion: their names, and the seconds they share."""

    a: str
    b: str
    seconds: float


@dataclass(frozen=True)
class Info:
    """Everything found in files and folders."""

    clips: tuple[ClipInfo, ...]
    markers: tuple[MarkerInfo, ...]
    copies: tuple[Copies, ...]
    skipped: tuple[tuple[str, str], ...]

    @property
    def frames(self) -> int:
        """Number of frames of all clips."""
        return sum(clip.frames for clip in self.clips)

    @property
    def seconds(self) -> float:
        """Length of all clips in seconds."""
        return sum(clip.seconds for clip in self.clips)

    @property
    def faulty_frames(self) -> int:
        """Number of frames of all clips that will not be played."""
        return sum(clip.faulty_frames for clip in self.clips)


def inspect(
    inputs: Sequence[str],
    *,
    copies: bool = True,
    roles: Mapping[str, str] | None = None,
    progress: Progress = silent,
) -> Info:
    """Inspect files, folders, libraries and embedded clips.

    Parameters
    ----------
    inputs
        As for every command; also marker files.
    copies
        Whether to search for clips that are copies of one another.
    roles
        Role to joint name, set by the user.
    progress
        Called with stage, done, total.

    Raises
    ------
    FileError
        If nothing can be read.

    Examples
    --------
    >>> found = inspect(["sample:walk"])
    >>> found.clips[0].frames, found.clips[0].faults
    (361, ())
    """
    files = [item for item in inputs if in_library(item) is None]
    markers, skipped = _markers(files)
    others = [item for item in inputs if item not in files or Path(item).suffix.lower() not in MARKER_FORMATS]
    collection = _read(others, progress, roles=roles, found=bool(markers or skipped))
    given = []
    for done, clip in enumerate(collection.clips):
        progress("looking for faults", done, len(collection.clips))
        given.append(clip_info(clip))
    progress("looking for faults", len(given), len(given))
    pairs = _copies(collection.clips, progress) if copies else ()
    return Info(tuple(given), tuple(markers), pairs, (*collection.skipped, *skipped))


def _read(
    inputs: Sequence[str], progress: Progress, *, roles: Mapping[str, str] | None, found: bool
) -> Collection:
    """Read clips; no clip is needed if marker files were found."""
    if not inputs and found:
        return Collection(())
    try:
        return read(inputs, roles=roles, progress=progress)
    except FileError:
        if not found:
            raise
        return Collection(())


def clip_info(clip: Clip) -> ClipInfo:
    """Collect the information about one clip."""
    source, found = clip.source, find_faults(clip)
    known = roles_of(clip.skeleton)
    human = is_human(clip.skeleton)
    touching = stance(clip) if human else None
    tilt = find_tilt(clip) if human else None
    notes = source.notes if source is not None else ()
    return ClipInfo(
        name=clip.name,
        path=source.path if source is not None else SAMPLE_PREFIX + clip.name,
        format=(source.format or "made") if source is not None else "embedded",
        frames=clip.n_frames,
        fps=clip.fps,
        rate_from=_rate_from(clip),
        seconds=clip.seconds,
        joints=clip.skeleton.n_joints,
        unit=source.metres_per_unit if source is not None else None,
        up=source.up if source is not None else "Y",
        scheme=known.scheme,
        roles=_named(known, clip),
        unknown_roles=known.unknown,
        role_costs=known.costs,
        height=stature(clip.skeleton) if human else None,
        floor=float(touching.floor[[0, 2]].min()) if touching is not None else None,
        speed=_speed(clip),
        on_feet=float(touching.flags[sound_frames(clip)].any(axis=1).mean())
        if touching is not None
        else None,
        slope=float(np.degrees(tilt.floor.slope)) if tilt is not None else None,
        drift=tilt.drift if tilt is not None else None,
        faults=found.found,
        faulty_frames=int(found.unusable.sum()),
        notes=tuple(note for note in notes if not note.startswith("rate:")),
    )


def _speed(clip: Clip) -> float:
    """Mean ground speed of the root in m/s, as in `segue measure`; 0 for a single frame."""
    length = np.linalg.norm(np.diff(clip.root_positions[:, [0, 2]], axis=0), axis=1).sum()
    return float(length) / clip.seconds if clip.n_frames > 1 else 0.0


def _named(known: Roles, clip: Clip) -> dict[str, str]:
    return {role: clip.skeleton.names[joint] for role, joint in known.items()}


def _rate_from(clip: Clip) -> str:
    source = clip.source
    if source is None:
        return "made at this rate"
    reported = next(
        (note.removeprefix("rate:").strip() for note in source.notes if note.startswith("rate:")), ""
    )
    if reported:
        return reported
    return f"frame time {source.frame_time} in the file" if source.frame_time else "given by the file"


def _copies(clips: Sequence[Clip], progress: Progress) -> tuple[Copies, ...]:
    """Pairs of clips that are copies over their whole length, in any format, at any rate, on any bones."""
    cost = PointCloudCost(rate=_COPY_RATE)
    prepared = [cost.prepare(clip) for clip in clips]
    out = []
    total = len(clips) * (len(clips) - 1) // 2
    done = 0
    for b in range(len(clips)):
        progress("looking for copies", done, total)
        for a in range(b):
            shorter, longer = sorted((clips[a].seconds, clips[b].seconds))
            if shorter >= _COPY_LENGTH * longer and prepared[a].n and prepared[b].n:
                shared = same_postures(prepared[a], prepared[b])
                if shared is not None and shared.whole:
                    out.append(Copies(clips[a].name, clips[b].name, shared.seconds))
        done += b
    progress("looking for copies", total, total)
    return tuple(out)


def _markers(inputs: Sequence[str]) -> tuple[list[MarkerInfo], list[tuple[str, str]]]:
    """Marker files among the inputs and in folders, and those that cannot be read."""
    paths: list[Path] = []
    for item in inputs:
        path = Path(item)
        if path.is_dir():
            paths += sorted(p for p in path.rglob("*") if p.suffix.lower() in MARKER_FORMATS)
        elif path.suffix.lower() in MARKER_FORMATS:
            paths.append(path)
    found, skipped = [], []
    for path in paths:
        try:
            found.append(_marker_info(path, read_markers(path)))
        except SegueError as error:
            if len(inputs) == 1 and not path.is_dir() and str(path) == inputs[0]:
                raise
            skipped.append((str(path), str(error)))
    return found, skipped


def _marker_info(path: Path, markers: Markers) -> MarkerInfo:
    return MarkerInfo(
        str(path),
        markers.format,
        markers.n_frames,
        markers.fps,
        markers.seconds,
        len(markers.names),
        markers.missing,
        markers.metres_per_unit,
        markers.up,
        markers.notes,
    )


def fault_document(fault: Fault, fps: float) -> dict[str, Any]:
    """One fault as a JSON document; frames from 0, half open, and seconds."""
    return {
        "kind": fault.kind,
        "start_frame": fault.start,
        "stop_frame": fault.stop,
        "start_seconds": fault.start / fps,
        "joints": list(fault.joints),
        "sentence": fault.sentence,
        "severity": fault.severity,
    }


@dataclass(frozen=True)
class SampleInfo:
    """An embedded clip with mean and range of its speed (m/s) and turning rate (degrees per second)."""

    name: str
    seconds: float
    frames: int
    fps: float
    speed: float
    speed_range: tuple[float, float]
    turning: float
    turning_range: tuple[float, float]
    on_feet: float


def samples(fps: float = 60.0) -> tuple[SampleInfo, ...]:
    """List the embedded clips with their ground truth.

    Examples
    --------
    >>> walk = next(one for one in samples() if one.name == "walk")
    >>> walk.speed, walk.turning
    (1.3, 0.0)
    """
    from segue.motion.samples import SAMPLES, ground_truth, sample

    out = []
    for name in SAMPLES:
        clip, truth = sample(name, fps), ground_truth(name, fps)
        turning = np.degrees(truth.turning)
        out.append(
            SampleInfo(
                name,
                clip.seconds,
                clip.n_frames,
                clip.fps,
                round(float(truth.speed.mean()), 6),
                (round(float(truth.speed.min()), 6), round(float(truth.speed.max()), 6)),
                round(float(turning.mean()), 6),
                (round(float(turning.min()), 6), round(float(turning.max()), 6)),
                float(truth.contacts.any(axis=1).mean()),
            )
        )
    return tuple(out)
