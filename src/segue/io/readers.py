"""Readers of formats that are more or less than text, by extension; and files that are refused with a reason."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from segue.errors import FileError, SettingError
from segue.io.animation_names import split_fragment
from segue.texts import marked

if TYPE_CHECKING:
    from segue.motion.clip import Clip

MORE_READABLE = (".fbx", ".npz", ".txt", ".csv", ".npy", ".xml")
"""Extensions that `read_more` makes clips of; .txt is DeepMimic's, .npy and .csv hold joint positions, .xml and
.qpos.csv are MuJoCo's."""
_TAKES = {
    ".fbx": ("fps", "unit"),
    ".npz": ("fps", "unit", "up", "skeleton"),
    ".txt": ("fps", "encoding", "unit"),
    ".csv": ("fps", "encoding", "unit", "up"),
    ".qpos.csv": ("fps", "encoding", "skeleton"),
    ".npy": ("fps", "unit", "up"),
    ".xml": ("fps", "encoding", "skeleton"),
}
"""Settings that each format leaves open."""
_READERS = {
    ".fbx": ("fbx_read", "read_fbx"),
    ".npz": ("npz", "read_npz"),
    ".txt": ("deepmimic", "read_deepmimic"),
    ".csv": ("csv_positions", "read_csv"),
    ".qpos.csv": ("mujoco_read", "read_qpos"),
    ".npy": ("npz_positions", "read_npy"),
    ".xml": ("mujoco_read", "read_qpos"),
}
"""Module and function that read each; loaded when a file is read."""
_SNIFFED = 4096


def read_more(path: Path, settings: dict[str, Any]) -> Clip | None:
    """Clip of an FBX, NPZ, NPY, DeepMimic, CSV or MuJoCo file; None if the extension is of another kind.

    Parameters
    ----------
    path
        The file.
    settings
        As of `load`; those that are None were not given.

    Raises
    ------
    SettingError
        If the format cannot use a setting.
    FileError
        For files that hold no skeleton (markers) or would run code (pickles), too.
    """
    suffix = split_fragment(path)[0].suffix.lower()
    if suffix in {".pkl", ".pickle", ".c3d", ".trc"}:
        _refuse(path, suffix)
    if suffix not in MORE_READABLE:
        return None
    kind = _kind(path, suffix)
    given = {name: value for name, value in settings.items() if value is not None}
    unused = next((name for name in given if name not in _TAKES[kind]), None)
    if unused is not None:
        msg = (
            f"{path}: a {kind} file cannot use {unused}=; it takes {', '.join(f'{n}=' for n in _TAKES[kind])}"
        )
        raise SettingError(msg)
    if "skeleton" in given:
        given["skeleton"] = Path(given["skeleton"])
    module, function = _READERS[kind]
    clip: Clip = getattr(import_module(f"segue.io.{module}"), function)(path, **given)
    return clip


def _kind(path: Path, suffix: str) -> str:
    """Extension by which a file is read: a table is one of a MuJoCo model's joints, or of joint positions."""
    if suffix != ".csv" or path.name.lower().endswith(".qpos.csv"):
        return ".qpos.csv" if suffix == ".csv" else suffix
    from segue.io.csv_positions import is_positions_table

    return ".qpos.csv" if path.with_suffix(".xml").is_file() and not is_positions_table(path) else ".csv"


def _refuse(path: Path, suffix: str) -> None:
    """Raise the `FileError` that says why no clip comes of it and what can be done."""
    from segue.io.markers import MARKER_FORMATS, NO_SKELETON
    from segue.io.npz_arrays import PICKLED
    from segue.io.text import read_bytes

    read_bytes(path)
    if suffix in MARKER_FORMATS:
        raise FileError(path, NO_SKELETON)
    raise FileError(path, PICKLED)


def is_motion_data(path: Path) -> bool:
    """Tell of a .txt, .csv or .npy file whether it begins as motion does; others in a folder of clips are none."""
    suffix = path.suffix.lower()
    if suffix == ".txt":
        return is_motion_text(path)
    if suffix == ".csv":
        from segue.io.csv_positions import is_positions_table

        return path.name.lower().endswith(".qpos.csv") or is_positions_table(path)
    if suffix == ".npy":
        from segue.io.npz_positions import is_positions_array

        return is_positions_array(path)
    return True


def skeleton_file(path: Path) -> Path | None:
    """File beside a motion file that holds its skeleton; None where the format needs none.

    Raises
    ------
    FileError
        If it does not lie there.
    """
    suffix = path.suffix.lower()
    if suffix == ".amc":
        from segue.io.amc import find_asf

        return find_asf(path)
    if suffix == ".csv" and _kind(path, suffix) == ".qpos.csv":
        from segue.io.mujoco_read import find_model

        return find_model(path)
    return None


def is_motion_text(path: Path) -> bool:
    """Tell whether a .txt file begins as DeepMimic text does; other text in a folder of clips is no motion."""
    try:
        with path.open("rb") as stream:
            head = stream.read(_SNIFFED)
    except OSError:
        return False
    found = marked(head)
    if found is not None:
        head = head[found[1] :].decode(found[0], errors="ignore").encode()
    return head.lstrip(b" \t\r\n").startswith(b"{") and (b'"Frames"' in head or b'"Loop"' in head)
