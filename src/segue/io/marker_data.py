"""Marker positions as data, and the units of marker files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from segue.arrays import Positions, frozen
from segue.errors import SettingError
from segue.motion.clip import FASTEST, SLOWEST

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
        (F, M, 3) metres, Y up; NaN where a marker was not seen.
    fps
        Frames a second.
    path, format
        Source file and its format.
    unit, metres_per_unit
        The file's unit by name (empty if it states none) and its length.
    up
        The file's up axis, one of `segue.io.units.UP_AXES`.
    notes
        Choices made by the reader, one sentence each.
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
        given = {
            "names": tuple(names), "positions": held, "fps": float(fps), "path": path, "format": format, "unit": unit,
            "metres_per_unit": metres_per_unit, "up": up, "notes": tuple(notes),
        }  # fmt: skip
        for key, value in given.items():
            object.__setattr__(self, key, value)

    @property
    def n_frames(self) -> int:
        """Return the number of frames F."""
        return int(self.positions.shape[0])

    @property
    def seconds(self) -> float:
        """Return the duration: F frames span (F-1)/fps seconds."""
        return max(self.n_frames - 1, 0) / self.fps

    @property
    def missing(self) -> float:
        """Return the share of samples in which a marker was not seen, 0 to 1."""
        return float(np.isnan(self.positions[..., 0]).mean()) if self.positions.size else 0.0


def unit_of(word: str, positions: Positions) -> tuple[float, str, str]:
    """Return metres per unit, the unit's name and a note, for the unit that a file names."""
    name = word.strip().lower()
    name = _SPELT.get(name, name)
    if name in UNITS:
        return UNITS[name], name, f"unit: {name}, stated by the file"
    seen = np.abs(positions[np.isfinite(positions)])
    largest = float(seen.max()) if seen.size else 0.0
    name = "mm" if largest > 30.0 else "m"
    text = f"{word.strip()[:20]!r} is no known unit" if word.strip() else "the file states none"
    return UNITS[name], name, f"unit: {name}, by the size of the positions (up to {largest:.4g}; {text})"
