"""Formats that segue reads and writes: one row for each extension.

A row names the functions of a format as ``module:function`` of `segue.io`; they are imported when a file is
read or written. A new format needs a module and a row.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from segue.errors import FileError, SegueError, SettingError
from segue.io.animation_names import split_fragment

if TYPE_CHECKING:
    from segue.io.animation_names import Animations
    from segue.motion.clip import Clip


@dataclass(frozen=True)
class Format:
    """Functions and settings for an extension; an empty field means that segue does not support it.

    Parameters
    ----------
    reader
        Function that reads a clip from a path.
    takes
        Settings of `segue.io.load` that it takes, besides roles: the properties that the format leaves open.
    writer
        Function that writes a clip to a path.
    unit, up
        Metres per unit and up axis in which it is written; None if the user may choose them.
    refuses
        Error message on why such a file gives no clip, with a remedy.
    skeleton_file
        Function that finds the file with the skeleton of a motion file.
    animations
        Function that lists the animations of a file, which may hold several.
    begins
        Function that returns whether a file begins like motion; in a folder, other files of that extension are skipped.
    markers
        Function that reads the markers of a file (`segue.io.markers.read_markers`).
    """

    reader: str = ""
    takes: tuple[str, ...] = ()
    writer: str = ""
    unit: float | None = 1.0
    up: str | None = "Y"
    refuses: str = ""
    skeleton_file: str = ""
    animations: str = ""
    begins: str = ""
    markers: str = ""


_GLTF, _IN_GLTF = "gltf_read:read_gltf", "gltf_read:animations_in"
_SIZES = ("fps", "unit", "up")
_QPOS = ("fps", "encoding", "skeleton")
FORMATS: dict[str, Format] = {
    ".amc": Format(
        "amc:read_amc", ("fps", "encoding", "unit", "up", "skeleton"), skeleton_file="amc:find_asf"
    ),
    ".bvh": Format(
        "bvh_read:read_bvh",
        ("fps", "encoding", "unit", "up", "root_position"),
        writer="bvh_write:write_bvh",
        unit=None,
        up=None,
    ),
    ".glb": Format(_GLTF, _SIZES, writer="gltf_write:write_glb", animations=_IN_GLTF),
    ".gltf": Format(_GLTF, _SIZES, animations=_IN_GLTF),
    ".vrma": Format(_GLTF, _SIZES, writer="vrma_write:write_vrma", animations=_IN_GLTF),
    ".fbx": Format(
        "fbx_read:read_fbx",
        ("fps", "unit"),
        writer="fbx_write:write_fbx",
        unit=0.01,
        animations="fbx_read:animations_in",
    ),
    ".npz": Format("npz:read_npz", (*_SIZES, "skeleton"), writer="npz_segue:write_npz"),
    ".txt": Format(
        "deepmimic:read_deepmimic", ("fps", "encoding", "unit"), begins="deepmimic:is_motion_text"
    ),
    ".csv": Format(
        "csv_positions:read_csv",
        ("fps", "encoding", "unit", "up"),
        writer="csv_write:write_csv",
        begins="csv_positions:is_positions_table",
    ),
    ".npy": Format("npz_positions:read_npy", _SIZES, begins="npz_positions:is_positions_array"),
    ".xml": Format("mujoco_read:read_qpos", _QPOS, writer="mujoco_write:write_mujoco", up="Z"),
    ".qpos.csv": Format(
        "mujoco_read:read_qpos",
        _QPOS,
        writer="mujoco_write:write_qpos",
        skeleton_file="mujoco_read:find_model",
    ),
    ".usd": Format(writer="usd_write:write_usd"),
    ".usda": Format(writer="usd_write:write_usd"),
    ".usdc": Format(writer="usd_write:write_usd"),
    ".asf": Format(refuses="asf:NO_MOTION"),
    ".c3d": Format(markers="c3d:read_c3d", refuses="marker_data:NO_SKELETON"),
    ".trc": Format(markers="trc:read_trc", refuses="marker_data:NO_SKELETON"),
    ".pkl": Format(refuses="npz_arrays:PICKLED"),
    ".pickle": Format(refuses="npz_arrays:PICKLED"),
}
"""Formats by extension; that of a table of a MuJoCo model's joints has two parts."""
_TWO_PARTS = ".qpos.csv"
READABLE = tuple(suffix for suffix, row in FORMATS.items() if row.reader and suffix != _TWO_PARTS)
"""Extensions of motion files that `segue.io.load` reads."""
WRITABLE = tuple(sorted(suffix for suffix, row in FORMATS.items() if row.writer and suffix != _TWO_PARTS))
"""Extensions that `segue.io.save` writes."""


def read_format(path: Path, settings: dict[str, Any]) -> Clip | None:
    """Read a clip from a file; return None for an unknown extension.

    Parameters
    ----------
    path
        The file.
    settings
        As for `segue.io.load`; None means not set.

    Raises
    ------
    SettingError
        If the format cannot use a setting.
    FileError
        If such files, or this one, give no clip.
    """
    kind = _kind(path)
    row = FORMATS.get(kind, Format())
    if row.refuses:
        from segue.io.text import read_bytes

        read_bytes(path)
        raise FileError(path, function_of(row.refuses))
    if not row.reader:
        return None
    given = {name: value for name, value in settings.items() if value is not None}
    unused = next((name for name in given if name not in row.takes), None)
    if unused is not None:
        takes = ", ".join(f"{name}=" for name in row.takes)
        raise SettingError(f"{path}: a {kind} file cannot use {unused}=; it takes {takes}")
    if "skeleton" in given:
        given["skeleton"] = Path(given["skeleton"])
    read: Callable[..., Clip] = function_of(row.reader)
    return read(path, **given)


def write_format(clip: Clip, path: Path, *, unit: float | None, up: str | None, overwrite: bool) -> None:
    """Write a clip in the format of its extension, one of `WRITABLE`.

    Raises
    ------
    SettingError
        If the format does not support the unit or up axis; the message states those it has.
    FileError
        If it cannot be written.
    """
    row = FORMATS[path.suffix.lower()]
    chosen: dict[str, Any] = {}
    if row.unit is None or row.up is None:
        chosen = {"unit": unit, "up": up}
    elif unit not in {None, row.unit} or (up or row.up).upper() != row.up:
        length = {1.0: "metres", 0.01: "centimetres"}[row.unit]
        msg = f"{path}: {path.suffix} is written in {length} with {row.up} up; unit= and up= are for .bvh"
        raise SettingError(msg)
    if path.name.lower().endswith(_TWO_PARTS):
        row = FORMATS[_TWO_PARTS]
    function_of(row.writer)(clip, path, overwrite=overwrite, **chosen)


def function_of(place: str) -> Any:
    """Return a function or string of a module of this package, given as ``module:name``."""
    module, _, name = place.partition(":")
    return getattr(import_module(f"segue.io.{module}"), name)


def _kind(path: Path) -> str:
    """Extension that selects the reader: a .csv is a table of a MuJoCo model's joints, or of joint positions."""
    suffix = split_fragment(path)[0].suffix.lower()
    if suffix != ".csv":
        return suffix
    if path.name.lower().endswith(_TWO_PARTS):
        return _TWO_PARTS
    model = path.with_suffix(".xml").is_file() and not function_of(FORMATS[".csv"].begins)(path)
    return _TWO_PARTS if model else ".csv"


def is_motion_data(path: Path) -> bool:
    """Return whether a .txt, .csv or .npy file begins like motion; other such files in a folder are skipped."""
    if path.name.lower().endswith(_TWO_PARTS):
        return True
    row = FORMATS.get(path.suffix.lower(), Format())
    return not row.begins or bool(function_of(row.begins)(path))


def skeleton_file(path: Path) -> Path | None:
    """Find the file in the folder of a motion file that holds its skeleton; None if the format needs none.

    Raises
    ------
    FileError
        If it is not there.
    """
    row = FORMATS.get(_kind(path), Format())
    if not row.skeleton_file:
        return None
    found: Path = function_of(row.skeleton_file)(path)
    return found


def animations_of(file: Path) -> Animations | None:
    """List the animations of a file; None if its format has one motion.

    Raises
    ------
    FileError, MissingExtraError
        If the file cannot be read.
    """
    row = FORMATS.get(split_fragment(file)[0].suffix.lower(), Format())
    if not row.animations:
        return None
    found: Animations = function_of(row.animations)(file)
    return found


def each_animation(path: Path) -> list[Path]:
    """Return one path for each animation that a path names, with its short name.

    The path itself is returned if it names one motion, or if the file cannot be read: its reader reports the reason.
    """
    file, wanted = split_fragment(path)
    try:
        found = animations_of(file)
        if found is None or found.alone or not found.names:
            return [path]
        indices = range(len(found.names)) if wanted is None else [found.index(file, wanted)]
    except SegueError:
        return [path]
    return [Path(f"{file}#{found.shown[index]}") for index in indices]


def one_animation(path: Path) -> Path:
    """Path of the one motion that a path names, in the form of `each_animation`.

    Raises
    ------
    FileError
        If it names several; the message lists them.
    """
    each = each_animation(path)
    if len(each) > 1 and (found := animations_of(path)) is not None:
        found.index(path, None)
    return each[0]


def in_full(path: Path) -> Path:
    """Return the path with the animation's full name in the file, which does not depend on the other animations."""
    file, wanted = split_fragment(path)
    if wanted is None:
        return path
    try:
        found = animations_of(file)
        return path if found is None else Path(f"{file}#{found.names[found.index(file, wanted)]}")
    except SegueError:
        return path


def as_kept(path: str | Path) -> str:
    """Resolve a path of a record or library, where a file may represent its first animation that moves a body."""
    each = each_animation(Path(path))
    if len(each) == 1:
        return str(path)
    found = animations_of(Path(path))
    return str(path) if found is None else str(each[found.choices[0]])
