"""Sets of clips below a folder by rule, and the third of them that is held out of tuning.

A set is every folder that directly holds motion files (as `segue.io.files.motion_files` finds them), every folder
above these that holds more than one of them, up to the given folder, and every single clip longer than 5 s, unless
its folder holds nothing else and is the same set. A clip of a glTF file with several animations is
``file.glb#name``.

Held out is the first third of the sets' relative names, sorted and then shuffled by numpy's
``default_rng(20261128)``.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from segue.io.animation_names import split_fragment
from segue.io.files import load, motion_files

LONG = 5.0
"""Seconds from which a clip is a set of its own."""
LEFT_OUT_SEED = 20261128
WHOLE = "all"
"""Name of the set of everything."""


@dataclass(frozen=True)
class ClipSet:
    """One set: its name relative to the top folder, the argument of `segue wander`, and its number of clips."""

    name: str
    path: str
    clips: int
    left_out: bool


def sets_below(top: Path) -> list[ClipSet]:
    """Return every set below a folder, folders before single clips, each sorted by name."""
    files = motion_files([top])
    folders = _folders(top, files)
    single = _singles(files, folders)
    counts = {_name(top, folder): (str(folder), count) for folder, count in sorted(folders.items())}
    found = {**counts, **{_name(top, path): (str(path), 1) for path in single}}
    out = left_out(list(found))
    return [ClipSet(name, path, count, name in out) for name, (path, count) in found.items()]


def folders_below(top: Path) -> list[ClipSet]:
    """Return the folders below a folder that hold several clips, without the held-out third."""
    folders = {
        _name(top, folder): (str(folder), count)
        for folder, count in sorted(_folders(top, motion_files([top])).items())
        if count > 1 and folder != top
    }
    out = left_out(list(folders))
    return [ClipSet(name, path, count, name in out) for name, (path, count) in folders.items()]


def left_out(names: list[str]) -> set[str]:
    """Return the third of some names that the fixed seed holds out."""
    order = np.random.default_rng(LEFT_OUT_SEED).permutation(sorted(names))
    return set(order[: len(names) // 3].tolist())


def _folders(top: Path, files: list[Path]) -> dict[Path, int]:
    """Folders that are sets, and the number of clips below each."""
    direct = Counter(split_fragment(path)[0].parent for path in files)
    below: dict[Path, list[Path]] = {}
    for folder in direct:
        for above in (folder, *folder.parents):
            below.setdefault(above, []).append(folder)
            if above == top:
                break
    return {
        folder: sum(direct[one] for one in held)
        for folder, held in below.items()
        if folder in direct or len(held) > 1
    }


def _singles(files: list[Path], folders: dict[Path, int]) -> list[Path]:
    """Clips longer than `LONG` that are not the only clip of their folder."""
    return [
        path
        for path in files
        if folders.get(split_fragment(path)[0].parent, 0) != 1 and _seconds(path) > LONG
    ]


def _seconds(path: Path) -> float:
    """Length of a clip; 0 if it cannot be read, which the sets of its folders report."""
    try:
        return load(path).seconds
    except Exception:  # noqa: BLE001  # any error is reported by the sets of the folders above
        return 0.0


def _name(top: Path, path: Path) -> str:
    return WHOLE if path == top else str(path.relative_to(top))
