"""A C3D file written byte by byte for any of the three processors, as the format's manual defines it."""

from __future__ import annotations

import struct

PROCESSOR = {"intel": 84, "dec": 85, "mips": 86}


def word(kind: str, value: int) -> bytes:
    """Value as 16 bits in the processor's byte order."""
    return struct.pack(">H" if kind == "mips" else "<H", value & 0xFFFF)


def real(kind: str, value: float) -> bytes:
    """32-bit float; a VAX float is four times the IEEE number with its 16-bit halves swapped."""
    if kind == "mips":
        return struct.pack(">f", value)
    if kind == "intel":
        return struct.pack("<f", value)
    plain = struct.pack("<f", 4.0 * value)
    return plain[2:] + plain[:2]


def parameter(kind: str, group: int, name: str, type_: int, dims: list[int], data: bytes) -> bytes:
    """One parameter's record: the offset to the next record, the data, and an empty description."""
    body = struct.pack("bB", type_, len(dims)) + bytes(dims) + data + b"\0"
    return struct.pack("bb", len(name), group) + name.encode() + word(kind, 2 + len(body)) + body


def group(kind: str, number: int, name: str) -> bytes:
    """One group's record, with an empty description."""
    return struct.pack("bb", len(name), -number) + name.encode() + word(kind, 3) + b"\0"


def file(
    kind: str,
    frames: list[list[tuple[float, float, float, float]]],
    *,
    scale: float,
    labels: list[str],
    rate: float = 100.0,
    units: str = "mm",
    screen: str = "",
    analog: int = 0,
    declared: int | None = None,
    more: bytes = b"",
) -> bytes:
    """Complete file: per frame the points as x, y, z, residual, then zeros for the analog samples."""
    count = len(frames) if declared is None else declared
    names = "".join(label.ljust(8)[:8] for label in labels).encode()
    records = group(kind, 1, "POINT") + group(kind, 2, "TRIAL")
    records += parameter(kind, 1, "USED", 2, [], word(kind, len(labels)))
    records += parameter(kind, 1, "FRAMES", 2, [], word(kind, min(count, 65535)))
    records += parameter(kind, 1, "RATE", 4, [], real(kind, rate))
    records += parameter(kind, 1, "UNITS", -1, [len(units)], units.encode())
    records += parameter(kind, 1, "LABELS", -1, [8, len(labels)], names)
    if screen:
        records += parameter(kind, 1, "Y_SCREEN", -1, [len(screen)], screen.encode())
    records += more + b"\0\0"
    section = bytes([1, 80, 0, PROCESSOR[kind]]) + records
    section += b"\0" * (-len(section) % 512)
    blocks = len(section) // 512
    section = section[:2] + bytes([blocks]) + section[3:]
    header = bytes([2, 80]) + word(kind, len(labels)) + word(kind, analog) + word(kind, 1)
    header += word(kind, min(count, 65535)) + word(kind, 10) + real(kind, scale) + word(kind, 2 + blocks)
    header += word(kind, 1 if analog else 0) + real(kind, rate)
    header += b"\0" * (512 - len(header))
    data = bytearray()
    for frame in frames:
        for point in frame:
            for value in point:
                data += real(kind, value) if scale < 0 else word(kind, round(value))
        data += b"".join(real(kind, 0.0) if scale < 0 else word(kind, 0) for _ in range(analog))
    return header + section + bytes(data) + b"\0" * (-len(data) % 512)
