"""Readers of formats that are more or less than text, by extension; and files that are refused with a reason."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from segue.errors import FileError, SettingError
from segue.io.animation_names import split_fragment
from segue.texts import marked

if TYPE_CHECKING:
    from segue.motion.clip import Clip

MORE_READABLE = (".fbx", ".npz", ".txt", ".csv", ".xml")
"""Extensions that `read_more` makes clips of; .txt is DeepMimic's, .csv and .xml are MuJoCo's."""
_TAKES = {
    ".fbx": ("fps", "unit"),
    ".npz": ("fps", "unit", "up", "skeleton"),
    ".txt": ("fps", "encoding", "unit"),
    ".csv": ("fps", "encoding", "skeleton"),
    ".xml": ("fps", "encoding", "skeleton"),
}
"""Settings that each format leaves open."""
_SNIFFED = 4096


def read_more(path: Path, settings: dict[str, Any]) -> Clip | None:
    """Clip of an FBX, NPZ or DeepMimic file; None if the extension is of another kind.

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
    if suffix in {".npy", ".pkl", ".pickle", ".c3d", ".trc"}:
        _refuse(path, suffix)
    if suffix not in MORE_READABLE:
        return None
    given = {name: value for name, value in settings.items() if value is not None}
    unused = next((name for name in given if name not in _TAKES[suffix]), None)
    if unused is not None:
        msg = f"{path}: a {suffix} file cannot use {unused}=; it takes {', '.join(f'{n}=' for n in _TAKES[suffix])}"
        raise SettingError(msg)
    if suffix == ".fbx":
        from segue.io.fbx_read import read_fbx

        return read_fbx(path, **given)
    if "skeleton" in given:
        given["skeleton"] = Path(given["skeleton"])
    if suffix == ".npz":
        from segue.io.npz import read_npz

        return read_npz(path, **given)
    if suffix in {".csv", ".xml"}:
        from segue.io.mujoco_read import read_qpos

        return read_qpos(path, **given)
    from segue.io.deepmimic import read_deepmimic

    return read_deepmimic(path, **given)


def _refuse(path: Path, suffix: str) -> None:
    """Raise the `FileError` that says why no clip comes of it and what can be done."""
    from segue.io.markers import MARKER_FORMATS, NO_SKELETON
    from segue.io.npz_arrays import PICKLED
    from segue.io.text import read_bytes

    content = read_bytes(path)
    if suffix in MARKER_FORMATS:
        raise FileError(path, NO_SKELETON)
    if suffix == ".npy" and b"'O'" not in content[:_SNIFFED] and b"|O" not in content[:_SNIFFED]:
        raise FileError(
            path, "is a single array without joint names or rate; save a motion's arrays with numpy.savez"
        )
    raise FileError(path, PICKLED)


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
    if suffix == ".csv":
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
