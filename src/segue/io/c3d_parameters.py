"""The parameter section of a C3D file: named values in groups, each with its dimensions."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from segue.errors import FileError

FULL = 65535
"""The largest count that 16 bits hold."""
_KINDS = {84: "intel", 85: "dec", 86: "mips"}
_MOST = 5000


def floats(content: bytes, kind: str) -> npt.NDArray[np.float32]:
    """32-bit floats of a processor: ``"intel"``, ``"dec"`` or ``"mips"``."""
    whole = content[: len(content) // 4 * 4]
    if kind == "mips":
        return np.frombuffer(whole, dtype=">f4").astype(np.float32)
    if kind == "intel":
        return np.frombuffer(whole, dtype="<f4").astype(np.float32)
    # A VAX float is an IEEE float with its halves swapped and an exponent two higher.
    words = np.frombuffer(whole, dtype="<u2").reshape(-1, 2)[:, ::-1]
    with np.errstate(invalid="ignore"):
        return (np.ascontiguousarray(words).view("<f4").reshape(-1) / 4.0).astype(np.float32)


@dataclass
class Parameters:
    """Values by ``GROUP:NAME``: arrays of numbers, or lists of texts."""

    kind: str
    values: dict[str, npt.NDArray[Any] | list[str]] = field(default_factory=dict)

    @property
    def order(self) -> str:
        """Byte order for `struct` and numpy."""
        return ">" if self.kind == "mips" else "<"

    def number(self, name: str, default: float) -> float:
        """First number of a parameter; the default where it is missing or no finite number."""
        found = self.values.get(name)
        if isinstance(found, list) or found is None or not found.size:
            return default
        value = float(found.reshape(-1)[0])
        return value if np.isfinite(value) else default

    def count(self, name: str, default: int) -> int:
        """First number of a parameter as a count: 16 bits that writers fill without a sign."""
        value = self.number(name, float(default))
        whole = int(value) if abs(value) < 1e9 else default
        return whole & FULL if -FULL <= whole < 0 else whole

    def trial(self) -> int:
        """Frames that TRIAL:ACTUAL_START_FIELD and ACTUAL_END_FIELD tell (pairs of words, the low one first), or 0."""
        ends = []
        for name in ("TRIAL:ACTUAL_START_FIELD", "TRIAL:ACTUAL_END_FIELD"):
            found = self.values.get(name)
            if (
                isinstance(found, list)
                or found is None
                or found.dtype.kind != "i"
                or found.size not in {1, 2}
            ):
                return 0
            words = [int(word) & FULL for word in found.reshape(-1)]
            ends.append(words[0] + (words[1] << 16 if len(words) == 2 else 0))
        return max(ends[1] - ends[0] + 1, 0)


def text(parameters: Parameters, name: str) -> str:
    """First text of a parameter, or nothing."""
    found = parameters.values.get(name)
    return found[0] if isinstance(found, list) and found else ""


def texts(parameters: Parameters, name: str) -> list[str]:
    """All texts of a parameter and of those that continue it (LABELS, LABELS2, LABELS3, ...)."""
    out: list[str] = []
    for number in ["", *range(2, 100)]:
        found = parameters.values.get(f"{name}{number}")
        if not isinstance(found, list):
            break
        out += found
    return out


def read_parameters(path: Path, content: bytes) -> Parameters:
    """Read the parameter section; whatever does not fit into the file ends it.

    Raises
    ------
    FileError
        If the section lies outside the file or its processor is unknown.
    """
    start = (content[0] - 1) * 512
    if start < 512 or start + 4 > len(content):
        raise FileError(
            path, f"says its parameters begin in block {content[0]}, which is outside of the file"
        )
    kind = _KINDS.get(content[start + 3])
    if kind is None:
        known = ", ".join(f"{number} ({name})" for number, name in _KINDS.items())
        raise FileError(path, f"says it was written by processor {content[start + 3]}; known are {known}")
    parameters = Parameters(kind)
    groups: dict[int, str] = {}
    found: list[tuple[int, str, int]] = []
    for group, name, place in _records(content, start + 4, parameters.order):
        if group < 0:
            groups[-group] = name
        elif group > 0:
            found.append((group, name, place))
    for group, name, place in found:
        value = _value(content, place, parameters)
        if value is not None:
            parameters.values[f"{groups.get(group, group)}:{name}"] = value
    return parameters


def _records(content: bytes, at: int, order: str) -> Iterator[tuple[int, str, int]]:
    """Group number (negative where the record names a group), name, and where the record's content begins."""
    for _ in range(_MOST):
        if at + 4 > len(content):
            return
        length, group = struct.unpack_from("bb", content, at)
        after = at + 2 + abs(length)
        if length == 0 or after + 2 > len(content):
            return
        yield group, content[at + 2 : after].decode("latin-1").strip().upper(), after + 2
        (step,) = struct.unpack_from(f"{order}H", content, after)
        if step == 0:
            return
        at = after + step


def _value(content: bytes, at: int, parameters: Parameters) -> npt.NDArray[Any] | list[str] | None:
    """Value of a parameter whose type stands at a place; None if it does not fit."""
    if at + 2 > len(content):
        return None
    kind, n_dims = struct.unpack_from("bB", content, at)
    sides = list(content[at + 2 : at + 2 + n_dims])
    place = at + 2 + n_dims
    count = 1
    for side in sides:
        count *= side
    size = {-1: 1, 1: 1, 2: 2, 4: 4}.get(kind, 0)
    if len(sides) != n_dims or size == 0 or place + count * size > len(content):
        return None
    block = content[place : place + count * size]
    if kind == -1:
        width = sides[0] if sides else 1
        rows = count // width if width else 0
        return [block[k * width : (k + 1) * width].decode("latin-1").strip("\x00 ") for k in range(rows)]
    if kind == 4:
        return floats(block, parameters.kind)
    return np.frombuffer(block, dtype=f"{parameters.order}i2" if kind == 2 else "i1")
