"""The record of a motion: the source of every frame, and everything needed to make the motion again.

A JSON document `NAME.origin.json` next to `NAME.bvh` or `NAME.glb`. Its ``segments`` are unbroken stretches and
blends; each has its first frame, its length, and for one or two sources the clip, the first source frame and the
step in source frames per frame.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from segue._version import __version__
from segue.app.in_place import is_marked, made_of, mirror_of
from segue.app.record_document import RecordDocument, Source, origin_of, read_layout
from segue.app.versions import installed
from segue.documents import read_json
from segue.errors import FileError
from segue.graph.walk import Walk
from segue.io.animation_names import split_fragment
from segue.io.digests import file_digest, files_digest
from segue.io.text import write_whole
from segue.library.inputs import kept_in
from segue.measures.seams import seam_ranges
from segue.motion.clip import Clip, Origin, steps_round

FORMAT = 1
"""Version of the record's layout; raised when it changes."""


_ALWAYS = 1_000_000
"""Frames that any record may describe; a longer file may describe one more per two bytes."""


@dataclass(frozen=True, eq=False)
class Record:
    """Contents of a record file.

    ``version`` is that of segue, ``libraries`` those of `segue.app.versions.installed`; both belong to the program that
    made the motion. Records of earlier versions list no libraries.
    """

    command: str
    settings: dict[str, Any]
    sources: tuple[Source, ...]
    motion_sha256: str
    fps: float
    origin: Origin
    version: str = __version__
    bridges: tuple[Mapping[str, Any], ...] = ()
    file_sha256: str = ""
    libraries: Mapping[str, str] = field(default_factory=installed)


def sample_digest(clip: Clip, *, signed: bool = False) -> str:
    """SHA-256 of an embedded clip's rotations, rounded to nine digits, which is the same with all versions of numpy.

    ``signed`` keeps the sign of zeros, as earlier versions of segue did; it differs between versions of numpy.
    """
    rounded = np.round(clip.rotations, 9)
    return hashlib.sha256((rounded if signed else rounded + 0.0).tobytes()).hexdigest()


def source_of(clip: Clip) -> Source:
    """Source entry of a clip from a file or a library, or of an embedded one.

    The digest is of the bytes that were read, even if the file has changed since.
    """
    image = mirror_of(clip)
    mirrored = image is not None
    kept, travels = kept_in(clip) or made_of(clip), is_marked(clip)
    if kept is not None:
        return Source(
            clip.name, kept.library, kept.digest, clip=kept.clip, mirrored=mirrored, root_motion=travels
        )
    if clip.source is None or not clip.source.path:
        return Source(clip.name, f"sample:{image or clip.name}", sample_digest(clip), mirrored=mirrored)
    path = Path(clip.source.path)
    skeleton = clip.source.extra.get("skeleton")
    return Source(
        clip.name,
        str(path.resolve()),
        clip.source.digest or file_digest(path),
        file_digest(Path(skeleton)) if skeleton else "",
        mirrored=mirrored,
        root_motion=travels,
    )


def places_of(path: Path, folder: Path | None) -> list[Path]:
    """Possible paths of a record's file now: its old path, and files of its name below a folder.

    Raises
    ------
    FileError
        If it is not found, or there is no such folder.
    """
    if folder is not None and not folder.is_dir():
        raise FileError(folder, "there is no such folder")
    moved = [] if folder is None else sorted(one for one in folder.rglob("*") if one.name == path.name)
    there = [place for place in (path, *moved) if os.path.isfile(place)]  # noqa: PTH113  # a path may be too long
    if not there:
        raise FileError(path, "is not there any more; name the folder it moved to with --sources")
    return there


def write_record(
    path: Path,
    record: Record,
    *,
    more: Mapping[str, Any] | None = None,
    before: Mapping[str, Any] | None = None,
) -> None:
    """Write a record, atomically; nearby sources get relative paths.

    ``more`` is appended: entries of single commands. ``before`` is the older record of a motion that is about to be
    replaced; it is valid until that motion is replaced.
    """
    document = {
        "segue": record.version,
        "libraries": dict(record.libraries),
        "format": FORMAT,
        "command": record.command,
        "settings": record.settings,
        "sources": [
            {"name": s.name, "path": _relative(s.path, path.parent), "sha256": s.sha256}
            | ({"skeleton_sha256": s.skeleton_sha256} if s.skeleton_sha256 else {})
            | ({"clip": s.clip} if s.clip else {})
            | ({"mirrored": True} if s.mirrored else {})
            | ({"root_motion": True} if s.root_motion else {})
            for s in record.sources
        ],
        "motion": {"frames": len(record.origin.clip), "fps": record.fps, "sha256": record.motion_sha256}
        | ({"file_sha256": record.file_sha256} if record.file_sha256 else {}),
        **_periods(record.origin),
        "segments": segments_of(record.origin),
        **({"bridges": [dict(one) for one in record.bridges]} if record.bridges else {}),
        **(more or {}),
        **({"before": dict(before)} if before is not None else {}),
    }
    write_whole(path, (json.dumps(document, indent=1) + "\n").encode())


def bridges_of(walk: Walk) -> tuple[dict[str, Any], ...]:
    """Bridges of a walk (`segue.graph.bridges`).

    Each has ``seconds`` where it begins in the motion, the clips ``from`` and ``to``, its ``length`` in seconds, and
    ``time_ratio``: frames of the clip entered per frame of the clip left.
    """
    out, at, fps = [], 0, walk.clips[0].fps
    for (_, start, stop), join in zip(walk.plan.pieces(), walk.plan.joins, strict=False):
        at += stop - start
        if join.used is not None and at < walk.n_frames:
            names = walk.clips[join.a_clip].name, walk.clips[join.b_clip].name
            out.append(
                {
                    "seconds": round(at / fps, 6),
                    "from": names[0],
                    "to": names[1],
                    "length": round(join.length / fps, 6),
                    "time_ratio": round(join.used[1] / join.used[0], 6),
                }
            )
        at += join.length
    return tuple(out)


def _relative(path: str, folder: Path) -> str:
    if path.startswith("sample:"):
        return path
    return os.path.relpath(path, folder.resolve())


def _periods(origin: Origin) -> dict[str, Any]:
    """Frames of one cycle of each cyclic source, by name; empty if none is cyclic."""
    cyclic = {name: period for name, period in zip(origin.clips, origin.periods, strict=False) if period}
    return {"periods": cyclic} if cyclic else {}


def segments_of(origin: Origin) -> list[dict[str, Any]]:
    """Alternating unbroken stretches and blends."""
    edges = sorted({0, len(origin.clip), *(edge for pair in seam_ranges(origin) for edge in pair)})
    out = []
    for start, stop in itertools.pairwise(edges):
        rows = slice(start, stop)
        segment: dict[str, Any] = {"start": start, "frames": stop - start, "sources": []}
        for column in (0, 1):
            number = int(origin.clip[start, column])
            if number >= 0:
                frames = _going_on(origin.frame[rows, column], float(origin.period_of(number)))
                segment["sources"].append({"clip": origin.clips[number], "frames": _compact(frames)})
        if len(segment["sources"]) > 1:
            segment["weights"] = np.round(origin.weight[rows, 0], 9).tolist()
        out.append(segment)
    return out


def _going_on(frames: np.ndarray, period: float) -> np.ndarray:
    """Frames of a cyclic source, unwrapped over its rounds; others unchanged."""
    if not period:
        return frames
    steps = steps_round(np.diff(frames), np.full(len(frames) - 1, period))
    return np.concatenate([frames[:1], frames[0] + np.cumsum(steps)])


def _compact(frames: np.ndarray) -> dict[str, Any]:
    """First frame and step if these reproduce all frames, else every frame."""
    step = float(np.round((frames[-1] - frames[0]) / max(len(frames) - 1, 1), 9))
    if np.allclose(frames, frames[0] + step * np.arange(len(frames)), rtol=0, atol=1e-6):
        return {"first": float(frames[0]), "step": step}
    return {"each": np.round(frames, 6).tolist()}


def older_document(path: Path) -> dict[str, Any] | None:
    """Document of an existing record, without the record that it replaced; None if the file is not a record."""
    try:
        read_record(path)
        document = read_json(path, dict[str, Any], lone=True)
    except FileError:
        return None
    document.pop("before", None)
    return document


def read_record(path: Path, *, most: int = 0, motion: Path | None = None) -> Record:
    """Read a record.

    Parameters
    ----------
    path
        The ``.origin.json`` file of a motion.
    most
        Frames that it may describe even if the file is small; the frame count of the motion, if that was read.
    motion
        The motion's file, if the record must match it.

    Raises
    ------
    FileError
        If the file is missing, is no record, belongs to another motion, or has a later layout.
    """
    hint = "it is not a record of segue, which is written beside each motion"
    document = read_layout(path, RecordDocument, newest=FORMAT, hint=hint)
    document = document if motion is None else _of_motion(path, document, motion)
    n_frames = document.motion.frames
    if n_frames > max(most, _ALWAYS + path.stat().st_size // 2):
        raise FileError(path, f"motion.frames is {n_frames}, too many for a record of this size")
    sources = tuple(replace(s, path=_resolved(s.path, path.parent)) for s in document.sources)
    origin = origin_of(path, document)
    motion_part, bridges = document.motion, tuple(document.bridges)
    return Record(
        document.command,
        document.settings,
        sources,
        motion_part.sha256,
        motion_part.fps,
        origin,
        document.segue,
        bridges,
        motion_part.file_sha256,
        document.libraries,
    )


def _of_motion(path: Path, document: RecordDocument, motion: Path) -> RecordDocument:
    """The record, or the one before it, that matches a motion's file; older versions of segue wrote no digest."""
    wanted = document.motion.file_sha256
    table = motion.with_suffix(".qpos.csv")
    files = [motion, table] if motion.suffix.lower() == ".xml" and table.is_file() else [motion]
    if not wanted or wanted == files_digest(files):
        return document
    if document.before is not None:
        return _of_motion(path, document.before, motion)
    msg = f"is not the record of {motion.name} as it lies there, which was changed or replaced since it was made"
    raise FileError(path, msg)


def _resolved(path: str, folder: Path) -> str:
    if path.startswith("sample:"):
        return path
    return str((folder / path).resolve())


def with_record(clip: Clip, path: Path) -> tuple[Clip, Record | None]:
    """Restore the origin of a motion read from a file, if it has a record.

    Raises
    ------
    FileError
        If the record belongs to a different motion file.
    """
    path, _ = split_fragment(path)
    beside = path.with_name(path.stem + ".origin.json")
    if not beside.is_file():
        return clip, None
    record = read_record(beside, most=clip.n_frames, motion=path if path.is_file() else None)
    if len(record.origin.clip) != clip.n_frames:
        msg = (
            f"describes {len(record.origin.clip)} frames, but {path.name} has {clip.n_frames}: not its record"
        )
        raise FileError(beside, msg)
    return clip.with_motion(origin=record.origin), record
