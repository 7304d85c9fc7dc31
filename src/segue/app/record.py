"""The record beside a motion: where every frame came from, and all that is needed to make it again.

A JSON document `NAME.origin.json` beside `NAME.bvh` or `NAME.glb`. Its ``segments`` are unbroken stretches and blends;
each says its first frame, its length, and for one or two sources the clip, the source frame it starts at and the
source frames it advances per frame.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from segue._version import __version__
from segue.app.in_place import is_marked
from segue.app.inputs import kept_in
from segue.app.mirrored import made_of, mirror_of
from segue.arrays import frozen
from segue.errors import FileError
from segue.graph.walk import Walk
from segue.io.animation_names import split_fragment
from segue.io.text import write_whole
from segue.measures.seams import seam_ranges
from segue.motion.clip import Clip, Origin, frames_round, steps_round

FORMAT = 1
"""Number of the record's layout; raised when it changes."""


@dataclass(frozen=True)
class Source:
    """A clip a motion was made from: its name, where it was read, and digests of the file and its skeleton file.

    Of a clip in a library ``path`` is the library, ``clip`` its name there, and the digest that of its content.
    ``mirrored`` says that its mirror image was played, ``root_motion`` that its root's motion was brought back.
    """

    name: str
    path: str
    sha256: str
    skeleton_sha256: str = ""
    clip: str = ""
    mirrored: bool = False
    root_motion: bool = False


@dataclass(frozen=True, eq=False)
class Record:
    """What `write_record` writes and `read_record` reads."""

    command: str
    settings: dict[str, Any]
    sources: tuple[Source, ...]
    motion_sha256: str
    fps: float
    origin: Origin
    version: str = __version__
    bridges: tuple[Mapping[str, Any], ...] = ()


def file_digest(path: Path) -> str:
    """SHA-256 of a file; of the whole file where the path names one animation in it."""
    path, _ = split_fragment(path)
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise FileError(path, f"cannot be read: {error.strerror}") from None


def source_of(clip: Clip) -> Source:
    """Source entry of a clip that was read from a file or a library, or of an embedded one.

    The digest is of the bytes that were read, whatever the file holds by now.
    """
    image = mirror_of(clip)
    mirrored = image is not None
    kept, travels = kept_in(clip) or made_of(clip), is_marked(clip)
    if kept is not None:
        return Source(
            clip.name, kept.library, kept.digest, clip=kept.clip, mirrored=mirrored, root_motion=travels
        )
    if clip.source is None or not clip.source.path:
        digest = hashlib.sha256(np.round(clip.rotations, 9).tobytes()).hexdigest()
        return Source(clip.name, f"sample:{image or clip.name}", digest, mirrored=mirrored)
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


def write_record(path: Path, record: Record, *, more: Mapping[str, Any] | None = None) -> None:
    """Write a record, whole or not at all; sources are named relative to it where they lie near.

    ``more`` is written at its end: what only some commands tell.
    """
    document = {
        "segue": record.version,
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
        "motion": {"frames": len(record.origin.clip), "fps": record.fps, "sha256": record.motion_sha256},
        **_periods(record.origin),
        "segments": _segments(record.origin),
        **({"bridges": [dict(one) for one in record.bridges]} if record.bridges else {}),
        **(more or {}),
    }
    write_whole(path, (json.dumps(document, indent=1) + "\n").encode())


def bridges_of(walk: Walk) -> tuple[dict[str, Any], ...]:
    """Bridges that a walk plays (`segue.graph.bridges`).

    Each with ``seconds`` at which it begins in the motion, the clips ``from`` and ``to`` which it leads, its ``length``
    in seconds, and ``time_ratio``: frames of the clip entered for each frame of the clip left.
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
    """Frames of one cycle of each cyclic source, by its name; nothing where none is cyclic."""
    cyclic = {name: period for name, period in zip(origin.clips, origin.periods, strict=False) if period}
    return {"periods": cyclic} if cyclic else {}


def _segments(origin: Origin) -> list[dict[str, Any]]:
    """Unbroken stretches and blends in turn."""
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
    """Frames of a cyclic source counted on over the ends of its rounds; others as they are."""
    if not period:
        return frames
    steps = steps_round(np.diff(frames), np.full(len(frames) - 1, period))
    return np.concatenate([frames[:1], frames[0] + np.cumsum(steps)])


def _compact(frames: np.ndarray) -> dict[str, Any]:
    """First frame and step where they tell all, else every frame."""
    step = float(np.round((frames[-1] - frames[0]) / max(len(frames) - 1, 1), 9))
    if np.allclose(frames, frames[0] + step * np.arange(len(frames)), rtol=0, atol=1e-6):
        return {"first": float(frames[0]), "step": step}
    return {"each": np.round(frames, 6).tolist()}


def read_record(path: Path) -> Record:
    """Read a record.

    Raises
    ------
    FileError
        If the file is missing, is no record, or was written by a later layout.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        if document["format"] > FORMAT:
            later = (
                f"was written by segue {document['segue']} in layout {document['format']}; "
                f"this one reads up to {FORMAT}"
            )
            raise FileError(path, later)
        sources = tuple(
            Source(
                s["name"],
                _resolved(s["path"], path.parent),
                s["sha256"],
                s.get("skeleton_sha256", ""),
                s.get("clip", ""),
                bool(s.get("mirrored", False)),
                bool(s.get("root_motion", False)),
            )
            for s in document["sources"]
        )
        return Record(
            document["command"],
            document["settings"],
            sources,
            document["motion"]["sha256"],
            float(document["motion"]["fps"]),
            _origin(document, [source.name for source in sources]),
            document["segue"],
            tuple(document.get("bridges", ())),
        )
    except OSError as error:
        raise FileError(path, f"cannot be read: {error.strerror}") from None
    except json.JSONDecodeError as error:
        raise FileError(path, f"is not JSON: {error.msg}", line=error.lineno) from None
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise FileError(
            path, f"is not a record of segue ({error!r}); it is written beside each motion"
        ) from None


def _resolved(path: str, folder: Path) -> str:
    if path.startswith("sample:"):
        return path
    return str((folder / path).resolve())


def _origin(document: Mapping[str, Any], names: list[str]) -> Origin:
    segments, n_frames, periods = (
        document["segments"],
        document["motion"]["frames"],
        document.get("periods", {}),
    )
    clip = np.full((n_frames, 2), -1, dtype=np.int64)
    frame, weight = np.zeros((n_frames, 2)), np.zeros((n_frames, 2))
    for segment in segments:
        start, count = segment["start"], segment["frames"]
        rows = slice(start, start + count)
        for column, source in enumerate(segment["sources"]):
            clip[rows, column] = names.index(source["clip"])
            told = source["frames"]
            frame[rows, column] = (
                told["each"] if "each" in told else told["first"] + told["step"] * np.arange(count)
            )
        weights = np.asarray(segment.get("weights", np.ones(count)), dtype=np.float64)
        weight[rows, 0] = weights
        weight[rows, 1] = 1.0 - weights
    if not periods:
        return Origin(tuple(names), frozen(clip, np.int64), frozen(frame), frozen(weight))
    lengths = tuple(float(periods.get(name, 0.0)) for name in names)
    origin = Origin(tuple(names), frozen(clip, np.int64), frozen(frame), frozen(weight), lengths)
    return replace(origin, frame=frozen(frames_round(frame, origin.period_of(clip))))


def unknown_settings(record: Record, record_file: Path, error: Exception) -> FileError:
    """What is raised where a record holds settings that this version does not know."""
    why = f"holds settings this version does not know ({error}); it was written by segue {record.version}"
    return FileError(record_file, why)


def wrong_kind(told: Mapping[str, Any], kinds: Mapping[str, tuple[type, ...]]) -> str:
    """Name the first setting that is of no kind it can be; empty if there is none. People edit records."""
    for key, value in told.items():
        flag = isinstance(value, bool) and bool not in kinds.get(key, (bool,))
        if flag or not isinstance(value, kinds.get(key, object)):
            names = " or ".join({"NoneType": "null"}.get(kind.__name__, kind.__name__) for kind in kinds[key])
            return f"{key} is {value!r}; it must be {names}"
    roles = told.get("roles") or {}
    wrong = next((role for role, name in roles.items() if not isinstance(name, str)), None)
    return "" if wrong is None else f"the role {wrong!r} is {roles[wrong]!r}; it must be the name of a joint"


def with_record(clip: Clip, path: Path) -> tuple[Clip, Record | None]:
    """Give a motion read from a file its origin back, if its record lies beside it.

    Raises
    ------
    FileError
        If the record tells another number of frames than the motion has.
    """
    path, _ = split_fragment(path)
    beside = path.with_name(path.stem + ".origin.json")
    if not beside.is_file():
        return clip, None
    record = read_record(beside)
    if len(record.origin.clip) != clip.n_frames:
        msg = f"tells of {len(record.origin.clip)} frames, {path.name} has {clip.n_frames}: not its record"
        raise FileError(beside, msg)
    return clip.with_motion(origin=record.origin), record
