"""The JSON document of a record: types and ranges of its entries, and the origin made from its segments."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec
import numpy as np

from segue.arrays import Floats, frozen
from segue.documents import read_json
from segue.errors import FileError
from segue.motion.clip import Origin, frames_round

_Count = Annotated[int, msgspec.Meta(ge=0, le=1 << 40)]
_Frame = Annotated[float, msgspec.Meta(ge=-1e9, le=1e9)]
_Share = Annotated[float, msgspec.Meta(ge=-1.0, le=2.0)]
_Rate = Annotated[float, msgspec.Meta(gt=0.0, le=1e5)]


@dataclass(frozen=True)
class Head:
    """First entries of every layout."""

    format: int
    segue: str


T = TypeVar("T", bound=Head)


def read_layout(path: Path, kind: type[T], *, newest: int, hint: str) -> T:
    """Read a document that begins with a `Head`; a later layout than the newest known raises a clear error.

    Raises
    ------
    FileError
        If the file is missing, no such document, or of a later layout.
    """
    try:
        head: Head = (document := read_json(path, kind, hint=hint, lone=True))
    except FileError as error:
        try:  # a later layout may have entries unknown here
            head = read_json(path, Head, lone=True)
        except FileError:
            raise error from None
        if head.format <= newest:
            raise
    if head.format > newest:
        later = f"was written by segue {head.segue} in layout {head.format}; this one reads up to {newest}"
        raise FileError(path, later)
    return document


@dataclass(frozen=True)
class _Motion:
    frames: Annotated[int, msgspec.Meta(ge=1, le=1 << 40)]
    fps: _Rate
    sha256: str
    file_sha256: str = ""


@dataclass(frozen=True)
class _Frames:
    """Source frames: either the first and the step, or each."""

    first: _Frame | None = None
    step: _Frame | None = None
    each: list[_Frame] | None = None


@dataclass(frozen=True)
class _Part:
    clip: str
    frames: _Frames


@dataclass(frozen=True)
class _Segment:
    start: _Count
    frames: _Count
    sources: Annotated[list[_Part], msgspec.Meta(max_length=2)]
    weights: list[_Share] | None = None


@dataclass(frozen=True)
class Source:
    """A source clip of a motion: its name, its path, and digests of the file and its skeleton file.

    For a clip in a library, ``path`` is the library, ``clip`` its name there, and the digest is that of its content.
    ``mirrored`` means that its mirror image was played, ``root_motion`` that root motion was added.
    """

    name: str
    path: str
    sha256: str
    skeleton_sha256: str = ""
    clip: str = ""
    mirrored: bool = False
    root_motion: bool = False


@dataclass(frozen=True)
class RecordDocument(Head):
    """The parts of a record file that are read; further entries are for people."""

    command: str
    settings: dict[str, Any]
    sources: Annotated[list[Source], msgspec.Meta(min_length=1)]
    motion: _Motion
    segments: list[_Segment]
    periods: dict[str, Annotated[float, msgspec.Meta(ge=0.0, le=1e9)]] = field(default_factory=dict)
    bridges: list[dict[str, str | float]] = field(default_factory=list)
    before: RecordDocument | None = None
    libraries: dict[str, Annotated[str, msgspec.Meta(max_length=64)]] = field(default_factory=dict)


def origin_of(path: Path, document: RecordDocument) -> Origin:
    """Origin made from the segments, which must follow one another without a gap."""
    names = [source.name for source in document.sources]
    if document.command == "stitch" and len(names) > len(document.segments):
        many = f"names {len(names)} clips in {len(document.segments)} segments"
        raise FileError(path, f"{many}; each clip of a stitched motion plays in a segment of its own")
    n_frames = document.motion.frames
    clip = np.full((n_frames, 2), -1, dtype=np.int64)
    frame, weight = np.zeros((n_frames, 2)), np.zeros((n_frames, 2))
    at = 0
    for number, segment in enumerate(document.segments):
        rows = slice(at, at + segment.frames)
        if segment.start != at or rows.stop > n_frames:
            there = f"covers frames {segment.start} to {segment.start + segment.frames}"
            raise FileError(path, f"segments[{number}] {there}; it must begin at {at} and end by {n_frames}")
        for column, part in enumerate(segment.sources):
            if part.clip not in names:
                why = f"names the clip {part.clip!r}, which is none of its sources"
                raise FileError(path, f"segments[{number}] {why}")
            clip[rows, column] = names.index(part.clip)
            frame[rows, column] = _each(path, f"segments[{number}].sources[{column}]", part, segment.frames)
        shares = [1.0] * segment.frames if segment.weights is None else segment.weights
        if len(shares) != segment.frames:
            why = f"holds {len(shares)} weights for {segment.frames} frames"
            raise FileError(path, f"segments[{number}] {why}")
        weight[rows, 0] = shares
        weight[rows, 1] = 1.0 - weight[rows, 0]
        at = rows.stop
    if at != n_frames:
        raise FileError(path, f"its segments cover {at} frames, but its motion has {n_frames}")
    if not document.periods:
        return Origin(tuple(names), frozen(clip, np.int64), frozen(frame), frozen(weight))
    lengths = tuple(document.periods.get(name, 0.0) for name in names)
    origin = Origin(tuple(names), frozen(clip, np.int64), frozen(frame), frozen(weight), lengths)
    return replace(origin, frame=frozen(frames_round(frame, origin.period_of(clip))))


def _each(path: Path, where: str, part: _Part, count: int) -> Floats:
    """Source frames (count,) of a part."""
    given = part.frames
    if given.each is None and given.first is not None and given.step is not None:
        out: Floats = given.first + given.step * np.arange(count, dtype=np.float64)
        return out
    if given.each is None or len(given.each) != count:
        raise FileError(path, f"{where}.frames needs first and step, or each with {count} values")
    return np.array(given.each)
