"""Marker files: points in space without a skeleton, to look at and to convert; no motion can be made of them here.

`read_markers` reads C3D and TRC; `write_trc` and `write_marker_csv` write what other tools open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from segue.arrays import Positions, frozen
from segue.errors import FileError, SettingError
from segue.io import units
from segue.io.formats import FORMATS, function_of
from segue.io.text import decimal, write_whole
from segue.motion.clip import FASTEST, SLOWEST

MARKER_FORMATS = tuple(suffix for suffix, row in FORMATS.items() if row.markers)
"""Extensions that `read_markers` reads."""
UNITS = {"mm": 0.001, "cm": 0.01, "dm": 0.1, "m": 1.0, "in": 0.0254, "ft": 0.3048}
"""Metres per unit, by the names that marker files use."""
NO_SKELETON = (
    "holds markers and no skeleton, so no clip can be made of it; look at it with 'segue info', write it as .trc or "
    ".csv with segue.io.markers, and fit a skeleton to the markers in a capture tool before loading"
)
_SPELT = {
    "millimeters": "mm", "millimetres": "mm", "centimeters": "cm", "centimetres": "cm", "meters": "m", "metres": "m",
    "meter": "m", "metre": "m", "inches": "in", "inch": "in", "feet": "ft",
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Markers:
    """Marker positions over time.

    Parameters
    ----------
    names
        M marker names, each once.
    positions
        (F, M, 3) metres, Y up; not a number where a marker was not seen.
    fps
        Frames a second.
    path, format
        Where they came from.
    unit, metres_per_unit
        The file's unit by name (empty if it tells none) and its length.
    up
        The file's up axis, one of `segue.io.units.UP_AXES`.
    notes
        What was taken, a sentence each.
    """

    names: tuple[str, ...]
    positions: Positions
    fps: float
    path: str = ""
    format: str = ""
    unit: str = ""
    metres_per_unit: float = 1.0
    up: str = "Y"
    notes: tuple[str, ...] = ()

    def __init__(
        self,
        names: Sequence[str],
        positions: npt.ArrayLike,
        fps: float,
        *,
        path: str = "",
        format: str = "",  # noqa: A002  (as in SourceFormat)
        unit: str = "",
        metres_per_unit: float = 1.0,
        up: str = "Y",
        notes: Sequence[str] = (),
    ) -> None:
        held = frozen(positions)
        if held.ndim != 3 or held.shape[1:] != (len(names), 3):
            msg = f"{len(names)} markers need positions (F, {len(names)}, 3), not {held.shape}"
            raise SettingError(msg)
        if not SLOWEST <= fps <= FASTEST:
            msg = f"{fps} is not a frame rate; it lies from {SLOWEST:g} to {FASTEST:g} frames a second"
            raise SettingError(msg)
        told = {
            "names": tuple(names), "positions": held, "fps": float(fps), "path": path, "format": format, "unit": unit,
            "metres_per_unit": metres_per_unit, "up": up, "notes": tuple(notes),
        }  # fmt: skip
        for key, value in told.items():
            object.__setattr__(self, key, value)

    @property
    def n_frames(self) -> int:
        """Number of frames F."""
        return int(self.positions.shape[0])

    @property
    def seconds(self) -> float:
        """Length: F frames span (F-1)/fps seconds."""
        return max(self.n_frames - 1, 0) / self.fps

    @property
    def missing(self) -> float:
        """Share of samples in which a marker was not seen, 0 to 1."""
        return float(np.isnan(self.positions[..., 0]).mean()) if self.positions.size else 0.0


def read_markers(
    path: str | Path,
    *,
    fps: float | None = None,
    unit: float | None = None,
    up: str | None = None,
    encoding: str | None = None,
) -> Markers:
    """Read the markers of a .c3d or .trc file.

    Parameters
    ----------
    path
        The file.
    fps, unit, up
        What the file tells wrong or not: frames a second, metres per file unit, ``"Y"``, ``"Z"``, ``"-Y"`` ...
    encoding
        Of text (.trc); UTF-8 unless a byte order mark tells another.

    Raises
    ------
    FileError
        With what is wrong and what would work.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "two.trc"
    >>> write_trc(Markers(("LASI", "RASI"), [[[0.1, 1.0, 0.0], [-0.1, 1.0, 0.0]]], 100.0), path)
    >>> read_markers(path).positions[0, 0].tolist()
    [0.1, 1.0, 0.0]
    """
    path = Path(path)
    unit, up, fps = units.checked_unit(unit), units.checked_up(up), units.checked_fps(fps)
    suffix = path.suffix.lower()
    if suffix not in MARKER_FORMATS:
        raise FileError(path, f"is no marker file; those that can be read: {', '.join(MARKER_FORMATS)}")
    text = {"encoding": encoding} if suffix == ".trc" else {}
    found: Markers = function_of(FORMATS[suffix].markers)(path, fps=fps, unit=unit, up=up, **text)
    return found


def unit_of(word: str, positions: Positions) -> tuple[float, str, str]:
    """Metres per unit, the unit's name and the sentence to note, of the word a file has for its unit."""
    name = word.strip().lower()
    name = _SPELT.get(name, name)
    if name in UNITS:
        return UNITS[name], name, f"unit: {name}, told by the file"
    seen = np.abs(positions[np.isfinite(positions)])
    largest = float(seen.max()) if seen.size else 0.0
    name = "mm" if largest > 30.0 else "m"
    told = f"{word.strip()[:20]!r} is no known unit" if word.strip() else "the file tells none"
    return UNITS[name], name, f"unit: {name}, by the size of the positions (up to {largest:.4g}; {told})"


def write_trc(markers: Markers, path: str | Path, *, overwrite: bool = True) -> None:
    """Write markers as .trc in millimetres, Y up; a marker not seen leaves its columns empty.

    Raises
    ------
    FileError
        If the file cannot be written or must not be replaced.
    """
    path = Path(path)
    rate, count = decimal(f"{markers.fps:.10g}"), markers.n_frames
    lines = [
        f"PathFileType\t4\t(X/Y/Z)\t{path.name}",
        "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames",
        f"{rate}\t{rate}\t{count}\t{len(markers.names)}\tmm\t{rate}\t1\t{count}",
        "Frame#\tTime\t" + "".join(f"{_one_line(name)}\t\t\t" for name in markers.names).rstrip("\t"),
        "\t\t" + "\t".join(f"{axis}{k + 1}" for k in range(len(markers.names)) for axis in "XYZ"),
        "",
    ]
    for frame, row in enumerate(markers.positions.reshape(count, -1)):
        cells = "\t".join("" if np.isnan(value) else f"{1000.0 * value:.6f}" for value in row)
        lines.append(f"{frame + 1}\t{decimal(f'{frame / markers.fps:.9g}')}\t{cells}")
    write_whole(path, ("\n".join(lines) + "\n").encode("utf-8"), overwrite=overwrite)


def write_marker_csv(markers: Markers, path: str | Path, *, overwrite: bool = True) -> None:
    """Write markers as .csv: seconds, then x, y, z of each marker in metres, Y up; empty where one was not seen.

    Raises
    ------
    FileError
        If the file cannot be written or must not be replaced.
    """
    heads = [f'"{_one_line(name)} {axis}"' for name in markers.names for axis in "xyz"]
    lines = [",".join(["seconds", *heads])]
    for frame, row in enumerate(markers.positions.reshape(markers.n_frames, -1)):
        cells = ["" if np.isnan(value) else decimal(f"{value:.9g}") for value in row]
        lines.append(",".join([decimal(f"{frame / markers.fps:.9g}"), *cells]))
    write_whole(Path(path), ("\n".join(lines) + "\n").encode("utf-8"), overwrite=overwrite)


def _one_line(name: str) -> str:
    return " ".join(name.replace('"', "'").split())
