"""Arrays of an .npz archive, unpacked one at a time, never pickles and never larger than the file can hold.

Also finds the unit of an SMPL-like translation, from the body's known size: the pelvis height must fit its
legs, and its speed must be human.
"""

from __future__ import annotations

import ast
import hashlib
import io
import lzma
import math
import re
import struct
import zipfile
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from segue.arrays import Floats, Positions, Quaternions
from segue.errors import FileError
from segue.io.text import read_bytes
from segue.motion.kinematics import forward
from segue.motion.skeleton import Skeleton

_EXPANSION = 8
"""Largest size of an array, as a multiple of the file's size; a larger claim means a broken file."""
_SPARE = 8 << 20
_SPARE_ALL, _EXPANSION_ALL = 32 << 20, 12
"""The same for all arrays read from a file."""
_HEADER = 20_000
_UNPACKED = "cannot be unpacked; the file is broken or cut short"
_BROKEN = (
    ValueError, TypeError, KeyError, EOFError, OSError, SyntaxError, OverflowError, MemoryError, RuntimeError,
    IndexError, AttributeError, struct.error, zipfile.BadZipFile, zlib.error, lzma.LZMAError,
)  # fmt: skip
"""Exceptions raised by unpacking a broken file."""
_TYPE = re.compile(r"[<>|=]?[?fiubcUS]\d*")
"""Types of plain numbers and text; numpy accepts more, some of them with a warning."""
PICKLED = (
    "is a pickle: opening it would run code from the file, so segue never does; "
    "save its arrays with numpy.savez where you trust it, and load that .npz"
)


@dataclass(frozen=True)
class Arrays:
    """An open archive: its keys in file order; arrays are unpacked on demand."""

    path: Path
    archive: zipfile.ZipFile
    digest: str
    keys: tuple[str, ...]
    size: int
    entries: dict[str, zipfile.ZipInfo] = field(default_factory=dict)
    unpacked: list[int] = field(default_factory=list)
    """Bytes of each array read so far."""

    def array(self, key: str) -> npt.NDArray[Any]:
        """Return one array; `FileError` if it is pickled, broken or claims more than the file can hold."""
        info = self.entries[key]
        if info.file_size > _SPARE + _EXPANSION * self.size:
            message = (
                f"its key {key!r} claims {info.file_size} bytes in a file of {self.size}; the file is broken"
            )
            raise FileError(self.path, message)
        self.unpacked.append(info.file_size)
        claimed = sum(self.unpacked)
        if claimed > _SPARE_ALL + _EXPANSION_ALL * self.size:
            message = (
                f"its arrays up to {key!r} claim {claimed} bytes in a file of {self.size}; the file is broken"
            )
            raise FileError(self.path, message)
        try:
            with self.archive.open(info) as stream:
                content = stream.read(info.file_size + 1)
        except _BROKEN:
            raise FileError(self.path, f"its key {key!r} {_UNPACKED}") from None
        return _checked(self.path, f"its key {key!r}", content)

    def numbers(self, key: str) -> Floats:
        """Return one array as float64; `FileError` if it holds anything but real numbers."""
        found = self.array(key)
        if found.dtype.kind not in "fiub":
            raise FileError(
                self.path, f"its key {key!r} holds {found.dtype} values where numbers are expected"
            )
        out: Floats = found.astype(np.float64, copy=False)
        return out


def array_of(path: Path, content: bytes) -> npt.NDArray[Any]:
    """Return the array of the bytes of an .npy file; `FileError` if it is pickled or broken."""
    return _checked(path, "its array", content)


def _checked(path: Path, what: str, content: bytes) -> npt.NDArray[Any]:
    try:
        return _array(content)
    except _PickledError:
        raise FileError(path, f"{what} {PICKLED}") from None
    except _BROKEN:
        raise FileError(path, f"{what} {_UNPACKED}") from None


class _PickledError(ValueError):
    """The array holds Python objects."""


def _array(content: bytes) -> npt.NDArray[Any]:
    """Array of the bytes of an .npy file; its size is checked before allocation."""
    if content[:6] != b"\x93NUMPY" or len(content) < 12:
        raise ValueError(content[:6])
    wide = content[6] > 1
    (length,) = struct.unpack_from("<I" if wide else "<H", content, 8)
    begin = 12 if wide else 10
    if length > _HEADER:
        raise ValueError(length)
    given = ast.literal_eval(content[begin : begin + length].decode("latin-1").strip())
    shape, fortran, described = tuple(given["shape"]), bool(given["fortran_order"]), given["descr"]
    if "O" in str(described):
        raise _PickledError
    if not isinstance(described, str) or not _TYPE.fullmatch(described):
        raise ValueError(described)
    dtype = np.dtype(described)
    if (
        dtype.kind not in "fiubcUS"
        or not all(type(side) is int and side >= 0 for side in shape)
        or len(shape) > 8
    ):
        raise ValueError(shape)
    start = begin + length
    if dtype.itemsize == 0 or math.prod(shape) * dtype.itemsize != len(content) - start:
        raise ValueError(shape)
    flat = np.frombuffer(content, dtype=dtype, offset=start)
    return flat.reshape(shape, order="F" if fortran else "C")


def open_arrays(path: Path, *, trusted: bool = False) -> Arrays:
    """Open an .npz archive; one that segue itself has just written may be of any size.

    Raises
    ------
    FileError
        If it is missing, a folder, or no archive of arrays.
    """
    content = read_bytes(path)
    if content[:6] == b"\x93NUMPY":
        raise FileError(path, "is a single .npy array under the name of an archive; save it with numpy.savez")
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
        entries = {
            info.filename.removesuffix(".npy"): info
            for info in archive.infolist()
            if info.filename.endswith(".npy") and not info.is_dir()
        }
    except (zipfile.BadZipFile, ValueError, OSError, RuntimeError, IndexError):
        raise FileError(path, "is no .npz archive (a zip of arrays), or it is cut short") from None
    if not entries:
        raise FileError(path, "is an archive without arrays")
    return Arrays(
        path,
        archive,
        hashlib.sha256(content).hexdigest(),
        tuple(entries),
        1 << 50 if trusted else len(content),
        entries,
    )


SCALING = "smpl_scaling"
"""Key of AIST++'s divisor of a translation: body units per metre."""
_UNITS = ((0.01, "centimetres"), (0.001, "millimetres"), (0.1, "decimetres"), (0.0254, "inches"))
_HIGH = 4.0
"""Metres above the file's origin up to which a pelvis is plausible, such as on an upper floor."""
_FAST = 15.0
"""Metres a second that no body exceeds through most of a clip."""
_STANDS = (0.6, 1.4)
"""Range of the pelvis height over that of the body for a fitting unit: from a squat to a step up."""
_ROWS = 256
_FEW = 8
"""Frames below which no speed is computed."""


def given_scaling(arrays: Arrays) -> float | None:
    """Return the file's units per metre if it states them.

    Raises
    ------
    FileError
        If the value is no positive number.
    """
    if SCALING not in arrays.keys:
        return None
    found = arrays.numbers(SCALING)
    if found.size != 1 or not 1e-6 < float(found.reshape(-1)[0]) < 1e6:
        shown = found.reshape(-1)[:3].tolist()
        raise FileError(arrays.path, f"{SCALING!r} is {shown}; it must be one positive number; pass unit=")
    return float(found.reshape(-1)[0])


def unit_by_body(
    body: Skeleton, rotations: Quaternions, trans: Positions, *, fps: float
) -> tuple[float, str]:
    """Infer metres per unit of a translation; return them with a note. Metres are kept whenever plausible.

    Parameters
    ----------
    body
        The body in metres, Y up.
    rotations
        (F, J, 4) local rotations, the root's relative to a world with Y up.
    trans
        (F, 3) pelvis positions, Y up, in the file's unit.
    fps
        Frames a second.
    """
    rows = np.unique(np.linspace(0, len(trans) - 1, min(len(trans), _ROWS)).astype(np.int64))
    hung = forward(body, rotations[rows], np.zeros((len(rows), 3))).positions
    leg = max(float(np.median(-hung[..., 1].min(axis=1))), 0.1)
    height, speed = float(np.median(trans[:, 1])), _speed(trans, fps)
    if _STANDS[0] < height / leg < _STANDS[1] or (height <= _HIGH and speed <= _FAST):
        return 1.0, ""
    fitting = [
        (abs(np.log(unit * height / leg)), unit, name)
        for unit, name in _UNITS
        if height > 0 and _STANDS[0] < unit * height / leg < _STANDS[1] and unit * speed <= _FAST
    ]
    if not fitting and speed > _FAST:
        fitting = [(0.0, unit, name) for unit, name in _UNITS[:2] if unit * speed <= 0.3 * _FAST][:1]
    if not fitting:
        return 1.0, f"unit: metres, though the pelvis is {height:.3g} m high; unit= overrides"
    _, unit, name = min(fitting)
    why = (
        f"the pelvis at {height:.4g} is {leg:.2f} m above its feet"
        if height > _HIGH
        else (f"{speed:.4g} a second is no speed in metres")
    )
    return unit, f"unit: {name} for the translation ({why})"


def _speed(trans: Floats, fps: float) -> float:
    """Median speed in units a second."""
    if len(trans) < _FEW:
        return 0.0
    return float(np.median(np.linalg.norm(np.diff(trans, axis=0), axis=1)) * fps)
