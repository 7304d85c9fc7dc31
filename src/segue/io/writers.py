"""Which function writes which extension, loaded when it is needed, and which unit and axes a format has."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol, cast

from segue.errors import SettingError

if TYPE_CHECKING:
    from segue.motion.clip import Clip


class Writer(Protocol):
    """Writes a clip to a path in one format without settings."""

    def __call__(self, clip: Clip, path: Path, /, *, overwrite: bool) -> None:
        """Write, whole or not at all."""


class _Format(NamedTuple):
    module: str
    function: str
    metres_per_unit: float = 1.0
    up: str = "Y"


_USD = _Format("usd_write", "write_usd")
_FORMATS = {
    ".csv": _Format("csv_write", "write_csv"),
    ".fbx": _Format("fbx_write", "write_fbx", metres_per_unit=0.01),
    ".glb": _Format("gltf_write", "write_glb"),
    ".npz": _Format("npz_write", "write_npz"),
    ".usd": _USD,
    ".usda": _USD,
    ".usdc": _USD,
    ".vrma": _Format("vrma_write", "write_vrma"),
    ".xml": _Format("mujoco_write", "write_mujoco", up="Z"),
}
WRITABLE = tuple(sorted([*_FORMATS, ".bvh"]))
"""Extensions that `segue.io.save` writes."""


def writer(suffix: str) -> Writer:
    """Give the writer of an extension whose unit and axes are fixed."""
    told = _FORMATS[suffix]
    return cast("Writer", getattr(import_module(f"segue.io.{told.module}"), told.function))


def check_fixed(path: Path, *, unit: float | None, up: str | None) -> None:
    """Refuse a unit or an up axis that the format cannot follow.

    Raises
    ------
    SettingError
        Says which unit and axis the format has.
    """
    told = _FORMATS[path.suffix.lower()]
    if unit not in {None, told.metres_per_unit} or (up or told.up).upper() != told.up:
        length = {1.0: "metres", 0.01: "centimetres"}[told.metres_per_unit]
        msg = f"{path}: {path.suffix} is written in {length} with {told.up} up; unit= and up= are for .bvh"
        raise SettingError(msg)
