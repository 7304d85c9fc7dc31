"""Paths of glTF motions: ``file.glb`` is a file's first animation, ``file.glb#name`` the one of that name."""

from __future__ import annotations

import re
from pathlib import Path

from segue.errors import SegueError

_FRAGMENT = re.compile(r"(.+\.(?:glb|gltf|vrma))#(.*)", re.IGNORECASE | re.DOTALL)
_SUFFIXES = {".glb", ".gltf", ".vrma"}


def split_fragment(path: str | Path) -> tuple[Path, str | None]:
    """File and animation name of ``file.glb#name``; no name where none is given or a file is really called so.

    Examples
    --------
    >>> split_fragment("moves.glb#Walk")[1], split_fragment("moves.glb")[1]
    ('Walk', None)
    """
    match = _FRAGMENT.fullmatch(str(path))
    if match is None or Path(path).is_file():
        return Path(path), None
    return Path(match[1]), match[2]


def is_gltf(path: Path) -> bool:
    """Tell whether a path names a glTF file, or one of its animations."""
    return split_fragment(path)[0].suffix.lower() in _SUFFIXES


def each_animation(path: Path) -> list[Path]:
    """One path for each animation of a file; the file itself where it holds one, none, or cannot be read."""
    from segue.io.gltf_read import animations

    try:
        names = animations(path)
    except SegueError:
        names = []
    return [Path(f"{path}#{name}") for name in names] if len(names) > 1 else [path]
