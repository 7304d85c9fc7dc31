"""Marker files: points in space without a skeleton, to view and convert; segue makes no motion from them.

`read_markers` reads C3D and TRC; `write_trc` and `write_marker_csv` write files for other tools.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from segue.errors import FileError
from segue.io import units
from segue.io.formats import FORMATS, function_of
from segue.io.marker_data import Markers
from segue.io.text import decimal, write_whole

__all__ = ["MARKER_FORMATS", "Markers", "read_markers", "write_marker_csv", "write_trc"]

MARKER_FORMATS = tuple(suffix for suffix, row in FORMATS.items() if row.markers)
"""Extensions that `read_markers` reads."""


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
        Values that the file lacks or states wrongly: frames a second, metres per file unit, ``"Y"``, ``"-Y"`` ...
    encoding
        Text encoding (.trc); UTF-8 unless a byte order mark indicates another.

    Raises
    ------
    FileError
        With the fault and a remedy.

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


def write_trc(markers: Markers, path: str | Path, *, overwrite: bool = True) -> None:
    """Write markers as .trc in millimetres, Y up; columns of an unseen marker are empty.

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
    """Write markers as .csv: seconds, then x, y, z of each marker in metres, Y up; cells of an unseen marker are empty.

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
