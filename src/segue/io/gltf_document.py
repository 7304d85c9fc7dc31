"""glTF containers: the JSON and the buffers of a .glb or .gltf, every declared size checked against the actual bytes.

Nothing is fetched: a buffer is the file's own binary chunk, a data URI, or a file in the same folder or below it.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote, unquote_to_bytes

import numpy as np

from segue.arrays import Floats
from segue.documents import decode_json
from segue.errors import FileError
from segue.io.text import read_bytes

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")
_JSON, _BIN = b"JSON", b"BIN\0"
_CHUNK = "its JSON chunk (from byte 20)"
_SHOWN = 60


@dataclass(frozen=True)
class At:
    """A value in the JSON with its path, so that every error reports it: ``accessors[3].count``."""

    file: Path
    where: str
    value: Any

    def get(self, key: str) -> At:
        """Return a member of an object; its value is None if the object lacks it."""
        where = f"{self.where}.{key}" if self.where else key
        if self.value is None:
            return At(self.file, where, None)
        if not isinstance(self.value, dict):
            raise self.wrong("an object")
        return At(self.file, where, self.value.get(key))

    def item(self, index: int) -> At:
        """Return a member of an array; an index beyond its end is an error."""
        count = len(self.value) if isinstance(self.value, list) else 0
        if not 0 <= index < count:
            raise self.error(f"has {count} entries; there is no number {index}")
        return At(self.file, f"{self.where}[{index}]", self.value[index])

    def items(self) -> Iterator[At]:
        """Yield the members of an array; none if it is missing."""
        if self.value is not None and not isinstance(self.value, list):
            raise self.wrong("an array")
        for index, value in enumerate(self.value or []):
            yield At(self.file, f"{self.where}[{index}]", value)

    def integer(self, default: int | None = None, *, low: int = 0) -> int:
        """Return an integer of at least ``low``; ``default`` if it is missing."""
        if self.value is None and default is not None:
            return default
        if not isinstance(self.value, int) or isinstance(self.value, bool) or not low <= self.value < 2**53:
            raise self.wrong(f"a whole number from {low}")
        return self.value

    def text(self, default: str = "") -> str:
        """Return a string; ``default`` if it is missing."""
        if self.value is None:
            return default
        if not isinstance(self.value, str):
            raise self.wrong("text")
        # JSON may escape NUL or half a surrogate pair, which are invalid in file names and terminals.
        return self.value.encode("utf-8", "replace").decode().replace("\0", "?")

    def numbers(self, default: tuple[float, ...]) -> Floats:
        """Return as many finite numbers as the default has; the default if they are missing."""
        if self.value is None:
            return np.array(default)
        count = len(default)
        given = self.value if isinstance(self.value, list) and len(self.value) == count else [None]
        if any(isinstance(v, bool) or not isinstance(v, int | float) or abs(v) > 1e30 for v in given):
            raise self.wrong(f"{count} numbers")
        values = np.array(given, dtype=np.float64)
        if not np.isfinite(values).all():
            raise self.wrong(f"{count} finite numbers")
        return values

    def error(self, message: str) -> FileError:
        """Return the error with the path of this value."""
        return FileError(self.file, f"{self.where or 'the document'} {message}")

    def wrong(self, wanted: str) -> FileError:
        """Return the error for a value of the wrong kind."""
        shown = repr(self.value) if not isinstance(self.value, dict | list) else type(self.value).__name__
        shown = shown if len(shown) <= _SHOWN else shown[:_SHOWN] + "…"
        return self.error("is missing" if self.value is None else f"is {shown}; it must be {wanted}")


@dataclass(eq=False)
class Document:
    """One glTF file: its JSON, and its buffers, read when first asked for."""

    path: Path
    root: At
    binary: memoryview | None
    size: int
    digest: str
    buffers: dict[int, memoryview] = field(default_factory=dict)
    known: dict[tuple[object, ...], Floats] = field(default_factory=dict)
    """Key times and values read so far: channels share them."""
    moving: dict[str, Any] = field(default_factory=dict)
    """Channels that move nodes, by the JSON path of their animation, as far as they were read."""
    decoded: int = 0
    """Bytes of numbers decoded so far, which are limited in proportion to the file."""

    def list(self, key: str) -> list[At]:
        """Return the entries of a top-level array."""
        return list(self.root.get(key).items())

    def buffer(self, index: int) -> memoryview:
        """Return the bytes of a buffer, exactly its declared length."""
        if index not in self.buffers:
            at = self.root.get("buffers").item(index)
            self.buffers[index] = self._buffer(at, index)
            self.size += 0 if self.binary is not None and index == 0 else len(self.buffers[index])
        return self.buffers[index]

    def _buffer(self, at: At, index: int) -> memoryview:
        length = at.get("byteLength").integer(low=1)
        uri = at.get("uri")
        if uri.value is None:
            if index or self.binary is None:
                raise at.error("has no uri, and the file has no binary chunk for it")
            content = self.binary
        elif uri.text().startswith("data:"):
            content = memoryview(_data(uri))
        else:
            content = memoryview(_beside(self.path, uri, length))
        if len(content) < length:
            raise at.error(
                f"declares byteLength {length}, but {len(content)} bytes are there; the file is cut short"
            )
        return content[:length]

    @property
    def whole(self) -> bool:
        """Whether all buffers are in the file, and the decoded numbers take no more bytes than it and `_LARGE`."""
        beside = any(str(at.get("uri").value or "data:")[:5] != "data:" for at in self.list("buffers"))
        return not beside and self.decoded <= self.size <= _LARGE


_last: Document | None = None
"""Document read last: the animations of a file are read one after another, and shared data is decoded once."""
_LARGE = 64_000_000
"""Size in bytes of the largest file that is cached."""


def read_document(path: Path) -> Document:
    """Read a .glb or .gltf, distinguished by its first bytes.

    Raises
    ------
    FileError
        With the byte or line where the file is cut short or is no glTF 2.0.
    """
    global _last  # noqa: PLW0603  # one slot, replaced atomically: threads may read concurrently
    content = read_bytes(path)
    digest = hashlib.sha256(content).hexdigest()
    last = _last
    if last is not None and (last.path, last.digest) == (path, digest) and last.whole:
        return last
    text: memoryview = memoryview(content)
    binary: memoryview | None = None
    start = 0
    if content[:4] == b"glTF":
        text, binary, start = _chunks(path, content)
    root = At(path, "", _parsed(path, text, start))
    version = root.get("asset").get("version").text()
    if not version.startswith("2."):
        message = f"declares version {version!r}" if version else "does not declare asset.version"
        raise FileError(path, f"{message}; glTF 2.0 can be read")
    _last = Document(path, root, binary, len(content), digest)
    return _last


def _chunks(path: Path, content: bytes) -> tuple[memoryview, memoryview | None, int]:
    """JSON and binary chunk of a GLB, and the byte at which the JSON begins."""
    if len(content) < 20:
        raise FileError(path, f"ends at byte {len(content)}, within the GLB header; the file is cut short")
    version, total = struct.unpack_from("<II", content, 4)
    if version != 2:
        raise FileError(path, f"is GLB version {version} (byte 4); version 2 can be read")
    if total > len(content):
        message = f"declares a length of {total} bytes (byte 8), but {len(content)} are there; the file is cut short"
        raise FileError(path, message)
    view = memoryview(content)
    parts: dict[bytes, tuple[memoryview, int]] = {}
    at = 12
    while at + 8 <= total:
        size, kind = struct.unpack_from("<I4s", content, at)
        if at + 8 + size > total:
            message = (
                f"chunk at byte {at} declares {size} bytes, but {total - at - 8} are left; it is cut short"
            )
            raise FileError(path, message)
        parts.setdefault(kind, (view[at + 8 : at + 8 + size], at + 8))
        at += 8 + size + (-size % 4)
    if _JSON not in parts:
        raise FileError(path, "has no JSON chunk at byte 12; that is no GLB")
    text, start = parts[_JSON]
    return text, parts[_BIN][0] if _BIN in parts else None, start


def _parsed(path: Path, content: memoryview, start: int) -> Any:
    """Decode the JSON; ``start`` is its first byte in a GLB, 0 in a text file."""
    try:
        str(content, "utf-8")
    except UnicodeDecodeError as error:
        raise FileError(path, f"byte {start + error.start} is not UTF-8; that is no glTF") from None
    return decode_json(
        bytes(content), dict[str, Any], path, what=_CHUNK if start else "", lone=True, nul=True
    )


def distinct_names(names: list[str], nameless: str) -> list[str]:
    """Make names unique: unnamed ones become ``nameless`` and their index, duplicates get a number appended.

    Examples
    --------
    >>> distinct_names(["a", "", "a"], "node")
    ['a', 'node1', 'a_2']
    """
    taken, seen = set(names), set[str]()
    numbers: dict[str, int] = {}
    out = []
    for index, name in enumerate(names):
        base = name or f"{nameless}{index}"
        own = base
        while own in seen or (own != name and own in taken):
            numbers[base] = numbers.get(base, 1) + 1
            own = f"{base}_{numbers[base]}"
        seen.add(own)
        out.append(own)
    return out


def _data(uri: At) -> bytes:
    header, comma, body = uri.text().partition(",")
    if not comma:
        raise uri.error("is a data URI without a comma")
    if not header.endswith(";base64"):
        return unquote_to_bytes(body)
    try:
        return base64.b64decode(body, validate=True)
    except (binascii.Error, ValueError) as error:
        raise uri.error(f"is not base64: {error}") from None


def buffer_digests(path: Path) -> list[str]:
    """SHA-256 of the external files that a .gltf reads; none if it cannot be read, which its reader reports."""
    try:
        found = []
        for at in read_document(path).list("buffers"):
            uri = at.get("uri")
            if uri.text() and not uri.text().startswith("data:"):
                with _file_beside(path, uri, at.get("byteLength").integer(low=1)).open("rb") as stream:
                    found.append(hashlib.file_digest(stream, "sha256").hexdigest())
    except (FileError, OSError):
        return []
    return found


def _beside(path: Path, uri: At, length: int) -> bytes:
    """First ``length`` bytes of a file in the folder of the document or below it."""
    try:
        with _file_beside(path, uri, length).open("rb") as stream:
            return stream.read(length)
    except OSError as error:
        name = uri.text()[:_SHOWN]
        raise uri.error(f"names {name!r}, which cannot be read: {error.strerror or error}") from None


def _file_beside(path: Path, uri: At, length: int) -> Path:
    """Path of a regular file in the folder of the document or below it; nothing else is ever opened."""
    text = uri.text()
    if _SCHEME.match(text):
        raise uri.error(f"is {text[:_SHOWN]!r}; only files in the folder of the .gltf and data URIs are read")
    name = unquote(text)
    folder = path.resolve().parent
    try:
        place = (folder / name).resolve()
        inside = place.is_relative_to(folder) and "\\" not in name
        there = inside and place.is_file()
        size = place.stat().st_size if there else 0
    except (OSError, ValueError):
        raise uri.error(f"is {text[:_SHOWN]!r}, which is no file name") from None
    if not inside:
        raise uri.error(f"is {text[:_SHOWN]!r}, which lies outside the folder of the .gltf")
    if not there:
        raise uri.error(f"names {name[:_SHOWN]!r}, but there is no such file in the folder of the .gltf")
    if size < length:
        raise uri.error(f"names {name[:_SHOWN]!r} of {size} bytes where {length} are needed; it is cut short")
    return place
