"""The container of binary FBX 7.4: nested records of typed properties, each with the offset of its end.

This module does not know skeletons; `fbx_write` does.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

VERSION = 7400
_HEAD = b"Kaydara FBX Binary  \x00\x1a\x00" + struct.pack("<I", VERSION)
# The identity of a file is tied to its creation time; a fixed pair makes equal clips give equal bytes at any time.
CREATION_TIME = "1970-01-01 10:00:00:000"
FILE_ID = bytes.fromhex("28b32aebb624ccc2bfc8b02aa92bfcf1")
_FOOT_ID = bytes.fromhex("fabcab09d0c8d466b176fb831cf7267e")
_FOOT_MAGIC = bytes.fromhex("f85a8c6adef5d97eece90ce3758f290b")
_END_OF_BLOCK = bytes(13)
_ALWAYS_BLOCKS = frozenset({"AnimationStack", "AnimationLayer"})
"""Records that must end with an empty record even if they have no children: without it Autodesk's library
loads the file but finds no animation."""


@dataclass(frozen=True)
class FbxRecord:
    """A named record: encoded properties and child records."""

    name: str
    properties: tuple[bytes, ...] = ()
    children: tuple[FbxRecord, ...] = ()


def whole(value: int) -> bytes:
    """Encode a 32-bit integer property."""
    return b"I" + struct.pack("<i", value)


def long(value: int) -> bytes:
    """Encode a 64-bit integer property (identities and times)."""
    return b"L" + struct.pack("<q", value)


def double(value: float) -> bytes:
    """Encode a double property."""
    return b"D" + struct.pack("<d", value)


def truth(value: bool) -> bytes:
    """Encode a boolean property."""
    return b"C" + struct.pack("<B", int(value))


def text(value: str) -> bytes:
    """Encode a UTF-8 text property."""
    content = value.encode()
    return b"S" + struct.pack("<I", len(content)) + content


def raw(value: bytes) -> bytes:
    """Encode a bytes property."""
    return b"R" + struct.pack("<I", len(value)) + value


def array(values: npt.NDArray[Any]) -> bytes:
    """Encode an array property of int32, int64, float32 or float64, deflated if that is shorter."""
    code = {"i4": b"i", "i8": b"l", "f4": b"f", "f8": b"d"}[values.dtype.str[1:]]
    plain = np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("<")).tobytes()
    packed = zlib.compress(plain, 6)
    deflated = len(packed) < len(plain)
    content = packed if deflated else plain
    return code + struct.pack("<III", values.size, int(deflated), len(content)) + content


def encode(records: tuple[FbxRecord, ...]) -> bytes:
    """Encode a complete file: header, records, footer."""
    out = bytearray(_HEAD)
    for record in records:
        _append(out, record)
    out += _END_OF_BLOCK
    out += _FOOT_ID + bytes(4)
    # At least one byte of padding, up to the next multiple of 16.
    out += bytes(16 - len(out) % 16)
    out += struct.pack("<I", VERSION) + bytes(120) + _FOOT_MAGIC
    return bytes(out)


def _append(out: bytearray, record: FbxRecord) -> None:
    """Append a record; its end offset is filled in last."""
    start = len(out)
    name = record.name.encode("ascii")
    size = sum(map(len, record.properties))
    out += struct.pack("<IIIB", 0, len(record.properties), size, len(name)) + name
    for content in record.properties:
        out += content
    for child in record.children:
        _append(out, child)
    if record.children or not record.properties or record.name in _ALWAYS_BLOCKS:
        out += _END_OF_BLOCK
    struct.pack_into("<I", out, start, len(out))
