"""JSON of skeletons, source formats and settings; digests of contents, and seals of rows.

Floats are written so that they are read back bit for bit. A tuple becomes ``{"tuple": [...]}``, so that a source format
is restored exactly.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import quote, unquote

import msgspec
import numpy as np

from segue.arrays import frozen
from segue.documents import as_kind, decode_json
from segue.errors import FileError, SettingError, SkeletonError
from segue.motion.clip import Clip, Origin, SourceFormat
from segue.motion.skeleton import EndSite, Skeleton

_LONE = re.compile("[\ud800-\udfff]")
_QUOTED = "quoted:"
"""Prefix of a path in a column whose bytes are not text; no absolute path begins with it."""
Metres = Annotated[float, msgspec.Meta(ge=-1e6, le=1e6)]
Three = tuple[Metres, Metres, Metres]


@dataclass(frozen=True)
class _Skeleton:
    names: list[str]
    parents: list[Annotated[int, msgspec.Meta(ge=-1, le=1 << 30)]]
    offsets: list[Three]
    end_sites: list[tuple[Annotated[int, msgspec.Meta(ge=0, le=1 << 30)], Three]]
    roles_given: list[tuple[str, str]]
    reference: list[tuple[Metres, Metres, Metres, Metres]] | None = None


Channel = Literal["Xposition", "Yposition", "Zposition", "Xrotation", "Yrotation", "Zrotation"]


@dataclass(frozen=True)
class _Source:
    format: str
    metres_per_unit: Annotated[float, msgspec.Meta(gt=0.0, le=1e9)]
    up: str
    channels: list[list[Channel]]
    frame_time: Annotated[
        str, msgspec.Meta(pattern=r"^(|(?=[^eE]*[1-9])\+?\d{0,30}\.?\d{0,60}([eE][-+]?\d{1,2})?)$")
    ]
    digest: str
    notes: list[str]
    extra: dict[str, Any]
    path: str | None = None


@dataclass(frozen=True)
class _Carried:
    """Change by a reader to a static root above moving hips (`segue.io.bvh_read`)."""

    joint: Annotated[int, msgspec.Meta(ge=0)]
    position: Three
    rotation: tuple[Metres, Metres, Metres, Metres]
    offset: Three
    root_offset: Three


def to_json(value: Any) -> str:
    """Return canonical JSON: keys sorted, no blanks, lone surrogates (of file names) as JSON escapes."""
    made = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return _LONE.sub(lambda found: f"\\u{ord(found[0]):04x}", made)


def to_column(path: str) -> str:
    r"""Return a path as SQLite can hold it: unchanged, or quoted if its bytes are not text.

    Examples
    --------
    >>> to_column("a/w.bvh"), from_column(to_column("a/w\udcff.bvh")) == "a/w\udcff.bvh"
    ('a/w.bvh', True)
    """
    return _QUOTED + quote(path, errors="surrogatepass") if _LONE.search(path) else path


def from_column(column: str) -> str:
    """Return the path of a column written by `to_column`."""
    given = column.removeprefix(_QUOTED)
    return column if given == column else unquote(given, errors="surrogatepass")


def digest(*parts: str | bytes) -> str:
    """Return the SHA-256 of parts, each preceded by its length, so that different lists of parts differ in it."""
    out = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        out.update(len(data).to_bytes(8, "little"))
        out.update(data)
    return out.hexdigest()


def seal(*values: object) -> str:
    """Return a short digest of a row's values, stored in the row to recognise damage on disk.

    Examples
    --------
    >>> seal("walk", 1) == seal("walk", 1), seal("walk", 1) == seal("walk", 2)
    (True, False)
    """
    return hashlib.blake2b(repr(values).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def skeleton_document(skeleton: Skeleton) -> str:
    """Return the JSON of a skeleton, from which it is restored bit for bit.

    Examples
    --------
    >>> import segue
    >>> body = segue.sample("walk").skeleton
    >>> skeleton_of(skeleton_document(body)).names == body.names
    True
    """
    return to_json(
        {
            "names": skeleton.names,
            "parents": skeleton.parents.tolist(),
            "offsets": skeleton.offsets.tolist(),
            "end_sites": [[site.joint, np.asarray(site.offset).tolist()] for site in skeleton.end_sites],
            "roles_given": skeleton.roles_given,
        }
        | ({} if skeleton.reference is None else {"reference": skeleton.reference.tolist()})
    )


def skeleton_of(document: str, *, place: str | Path = "library", what: str = "a skeleton") -> Skeleton:
    """Return the skeleton of its JSON; ``place`` and ``what`` name it in errors.

    Raises
    ------
    FileError
        If the document is not one of a skeleton.
    """
    content = decode_json(as_bytes(document), _Skeleton, place, what=what, nul=True)
    sites = [EndSite(joint, frozen(offset)) for joint, offset in content.end_sites]
    if any(site.joint >= len(content.names) for site in sites):
        raise FileError(place, f"{what} has an end site at a joint that it does not have")
    try:
        return Skeleton(
            content.names,
            content.parents,
            content.offsets,
            sites,
            roles_given=content.roles_given,
            reference=content.reference,
        )
    except SkeletonError as error:
        raise FileError(place, f"{what} is invalid: {error}") from None


def as_bytes(document: object) -> bytes:
    """Return the bytes of a column that should hold text."""
    return document if isinstance(document, bytes) else str(document).encode("utf-8", "surrogatepass")


def source_document(source: SourceFormat | None, *, with_path: bool) -> str:
    """Return the JSON of a source format, with or without its path; ``null`` for a clip without a source file."""
    if source is None:
        return "null"
    return to_json(
        {
            "format": source.format,
            "metres_per_unit": source.metres_per_unit,
            "up": source.up,
            "channels": source.channels,
            "frame_time": source.frame_time,
            "digest": source.digest,
            "notes": source.notes,
            "extra": _plain(source.extra),
        }
        | ({"path": source.path} if with_path else {})
    )


def source_of(
    document: str, path: str, *, place: str | Path = "library", n_joints: int = 0
) -> SourceFormat | None:
    """Return the source format of its JSON, with the clip's current ``path`` unless the document has one.

    Raises
    ------
    FileError
        If the document is not one of a source format.
    """
    if document == "null":
        return None
    what = "a clip's source"
    content = decode_json(as_bytes(document), _Source, place, what=what, nan=True, nul=True, lone=True)
    if any(len(set(row)) < len(row) for row in content.channels):
        raise FileError(place, f"{what} names a channel of a joint twice")
    extra = _back(content.extra)
    if "carried" in extra:
        carried = as_kind(extra["carried"], _Carried, place, what=what)
        if carried.joint >= n_joints:
            raise FileError(place, f"{what} names joint {carried.joint} of {n_joints}")
    return SourceFormat(
        path=path if content.path is None else content.path,
        format=content.format,
        metres_per_unit=content.metres_per_unit,
        up=content.up,
        channels=tuple(tuple(names) for names in content.channels),
        frame_time=content.frame_time,
        digest=content.digest,
        notes=tuple(content.notes),
        extra=extra,
    )


def _plain(value: Any) -> Any:
    """Return a value as JSON types, with tuples marked as such."""
    if isinstance(value, tuple):
        return {"tuple": [_plain(item) for item in value]}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items() if _is_plain(item)}
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    return value


def _is_plain(value: Any) -> bool:
    """Return whether a value can be stored; objects that other packages put into ``extra`` are left out."""
    return value is None or isinstance(
        value, str | int | float | bool | tuple | list | Mapping | np.ndarray | np.generic
    )


def _back(value: Any) -> Any:
    if isinstance(value, list):
        return [_back(item) for item in value]
    if isinstance(value, dict):
        if value.keys() == {"tuple"} and isinstance(value["tuple"], list):
            return tuple(_back(item) for item in value["tuple"])
        return {key: _back(item) for key, item in value.items()}
    return value


def origin_bytes(clip: Clip) -> bytes | None:
    """Return the bytes of a clip's origin; None if each frame is its own origin."""
    origin, own = clip.origin, Origin.of(clip.name, clip.n_frames)
    if (
        origin.clips == own.clips
        and np.array_equal(origin.clip, own.clip)
        and np.array_equal(origin.frame, own.frame)
        and np.array_equal(origin.weight, own.weight)
        and not origin.periods
    ):
        return None
    names = to_json(origin.clips).encode("utf-8", "surrogatepass")
    return b"".join(
        [
            len(names).to_bytes(8, "little"),
            names,
            origin.clip.astype("<i8").tobytes(),
            origin.frame.astype("<f8").tobytes(),
            origin.weight.astype("<f8").tobytes(),
            np.array(origin.periods, dtype="<f8").tobytes(),
        ]
    )


def origin_of(data: bytes | None, name: str, n_frames: int, *, place: str | Path = "library") -> Origin:
    """Return the origin of its bytes; for None, the clip's own frames.

    Raises
    ------
    FileError
        If the bytes do not hold an origin of ``n_frames`` frames.
    """
    if data is None:
        return Origin.of(name, n_frames)
    start = 8 + int.from_bytes(data[:8], "little")
    names = decode_json(data[8:start], list[str], place, what="a clip's origin", nul=True, lone=True)
    size, rest = 16 * n_frames, len(data) - start - 48 * n_frames
    if rest not in {0, 8 * len(names)}:
        raise FileError(place, f"holds an origin of clip {name!r} that does not fit its {n_frames} frames")
    clip, frame, weight = (data[start + k * size : start + (k + 1) * size] for k in range(3))
    try:
        return Origin(
            tuple(names),
            frozen(np.frombuffer(clip, "<i8").reshape(n_frames, 2), np.int64),
            frozen(np.frombuffer(frame, "<f8").reshape(n_frames, 2)),
            frozen(np.frombuffer(weight, "<f8").reshape(n_frames, 2)),
            tuple(np.frombuffer(data[start + 3 * size :], "<f8").tolist()),
        ).checked()
    except SettingError as error:
        raise FileError(place, f"holds an invalid origin of clip {name!r}: {error}") from None


@dataclass(frozen=True)
class Content:
    """Stored content of a clip, everything but its name and place, with a digest."""

    body: str
    source: str
    origin: bytes | None
    fps: float
    roots: bytes
    rotations: bytes

    @cached_property
    def digest(self) -> str:
        """SHA-256 of all fields."""
        return digest(self.body, self.source, self.origin or b"", self.fps.hex(), self.roots, self.rotations)


def content_of(clip: Clip, *, from_file: bool) -> Content:
    """Return the content of a clip; unless it is stored as read from a file, this includes the path of its source."""
    return Content(
        skeleton_document(clip.skeleton),
        source_document(clip.source, with_path=not from_file),
        origin_bytes(clip),
        clip.fps,
        clip.root_positions.astype("<f8").tobytes(),
        clip.rotations.astype("<f8").tobytes(),
    )


def clip_of_content(
    content: Content, *, name: str, n_frames: int, path: str, place: str | Path = "library"
) -> Clip:
    """Return the clip of its content, without comparing digests.

    Raises
    ------
    FileError
        If the content is not a valid clip; names ``place``.
    """
    skeleton = skeleton_of(content.body, place=place, what=f"the skeleton of clip {name!r}")
    sizes = {"rotations": 32 * skeleton.n_joints * n_frames, "root positions": 24 * n_frames}
    for (kind, size), data in zip(sizes.items(), (content.rotations, content.roots), strict=True):
        if not isinstance(data, bytes) or len(data) != size:
            raise FileError(place, f"the {kind} of clip {name!r} are not those of {n_frames} frames")
    try:
        return Clip(
            skeleton,
            frozen(np.frombuffer(content.rotations, "<f8").reshape(n_frames, skeleton.n_joints, 4)),
            frozen(np.frombuffer(content.roots, "<f8").reshape(n_frames, 3)),
            content.fps,
            name=name,
            origin=origin_of(content.origin, name, n_frames, place=place),
            source=source_of(content.source, path, place=place, n_joints=skeleton.n_joints),
        )
    except SettingError as error:
        raise FileError(place, str(error)) from None
