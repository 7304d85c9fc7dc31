"""Names of animations: ``file.glb#Walk`` is one of the animations of a file that holds several.

A prefix up to a ``|`` that all animations of a file share (Blender's ``Armature|``) is not shown and need not be typed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from segue.errors import FileError
from segue.texts import well_formed

SEVERAL = (".fbx", ".glb", ".gltf", ".vrma")
"""Extensions of files that may hold several animations."""
_FRAGMENT = re.compile(r"(.+\.(?:fbx|glb|gltf|vrma))#(.*)", re.IGNORECASE | re.DOTALL)
_LISTED = 6
"""Names that a message lists; the others are counted."""
_PLAIN = re.compile(r"[\w@%+=:,./\\#~-]+")


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


def with_suffix(name: str, file: Path) -> str:
    """Name of a clip with its file's extension: behind the file's stem, before an animation's name.

    Examples
    --------
    >>> with_suffix("walk", Path("a/walk.bvh")), with_suffix("walk#Walk", Path("walk.glb"))
    ('walk.bvh', 'walk.glb#Walk')
    """
    stem = well_formed(file.stem)
    rest = name[len(stem) :] if name.startswith(stem) else ""
    return f"{name[: len(name) - len(rest)]}{file.suffix}{rest}"


def without_prefix(names: Sequence[str]) -> list[str]:
    """Names without the longest prefix up to a ``|`` that all of them share; one name alone keeps its own.

    Examples
    --------
    >>> without_prefix(["Rig|Walk", "Rig|Run"]), without_prefix(["Rig|Walk", "Run"])
    (['Walk', 'Run'], ['Rig|Walk', 'Run'])
    """
    first, last = (min(names), max(names)) if names else ("", "")
    differ = next(
        (k for k, pair in enumerate(zip(first, last, strict=False)) if len(set(pair)) > 1), len(first)
    )
    cut = first.rfind("|", 0, differ) + 1
    short = [name[cut:] for name in names]
    # A short name must not be empty, nor the full name of another animation.
    unclear = not all(short) or bool(set(short) & set(names))
    return list(names) if len(names) < 2 or not cut or unclear else short


@dataclass(frozen=True)
class Animations:
    """Animations of one file, in its order: the names it gives them, each once, and which of them move a body."""

    names: tuple[str, ...]
    moving: tuple[bool, ...]

    @property
    def shown(self) -> list[str]:
        """Names as they are shown: without a prefix that all of them share."""
        return without_prefix(self.names)

    @property
    def choices(self) -> list[int]:
        """Indices of those that move a body; the first where none does."""
        return [index for index, moves in enumerate(self.moving) if moves] or [0]

    @property
    def alone(self) -> bool:
        """Whether the file stands for one motion and needs no name behind it."""
        return len(self.choices) == 1

    def index(self, file: Path, wanted: str | None) -> int:
        """Index of an animation by its full or short name, or by what stands behind its last ``|``.

        Parameters
        ----------
        file
            For the message.
        wanted
            The name; None for the only animation of the file that moves a body.

        Raises
        ------
        FileError
            If there is none of that name, or several and no name, or several of which none moves a body; lists them,
            the nearest first.
        """
        if wanted is None and self.alone and (any(self.moving) or len(self.names) == 1):
            return self.choices[0]
        last = [name.rpartition("|")[2] for name in self.names]
        as_path = [str(Path(f"#{name}"))[1:] for name in self.shown]  # paths write a//b as a/b
        for known in (list(self.names), self.shown, last, as_path):
            if wanted is not None and known.count(wanted) == 1:
                return known.index(wanted)
        raise FileError(file, self._choose(file, wanted))

    def _choose(self, file: Path, wanted: str | None) -> str:
        """Say which names there are, as they can be typed."""
        moving = self.choices
        shown = [self.shown[k] for k in [*moving, *(k for k in range(len(self.names)) if k not in moving)]]
        if not any(self.moving) and wanted is None:
            return f"holds {len(shown)} animations and none moves a body: {', '.join(shown[:_LISTED])}"
        if self.alone and (not wanted or len(shown) == 1):
            lacks = (
                f"has no animation {wanted!r}; it holds"
                if wanted
                else "no name stands behind the #; the file holds"
            )
            return f"{lacks} one, {shown[0]!r}, and needs no #NAME"
        holds = (
            f"holds {len(shown)} animations"
            if not wanted
            else f"has no animation {wanted!r}; it holds {len(shown)}"
        )
        near = get_close_matches(wanted or "", shown, n=_LISTED, cutoff=0.4)
        listed = [*near, *(name for name in shown if name not in near)]
        more = f" and {len(listed) - _LISTED} more" if len(listed) > _LISTED else ""
        return f"{holds}; name one of them, as {typed(f'{file}#{listed[0]}')}: {', '.join(listed[:_LISTED])}{more}"

    def clip_name(self, file: Path, index: int) -> str:
        """Name of the clip: the file's, with the animation's behind it where there are several."""
        return file.stem if self.alone and index in self.choices else f"{file.stem}#{self.shown[index]}"

    def others(self, index: int, wanted: str | None) -> str:
        """Say what else the file holds, for the end of a note; empty where an animation was named, or is alone."""
        others = [] if wanted is not None else [name for k, name in enumerate(self.shown) if k != index]
        more = f" and {len(others) - _LISTED} more" if len(others) > _LISTED else ""
        return f"; the file also holds {', '.join(others[:_LISTED])}{more}" if others else ""


def typed(word: str) -> str:
    """Word as it can be typed in a shell: in quotes where it needs them.

    Examples
    --------
    >>> typed("a.glb#Walk"), typed("a.glb#Rig|Walk")
    ('a.glb#Walk', '"a.glb#Rig|Walk"')
    """
    return word if _PLAIN.fullmatch(word) else f'"{word}"'


def no_such(path: Path) -> FileError:
    """Error for a path at which nothing lies; says what a # behind a file with one motion is mistaken for."""
    file, mark, _ = str(path).rpartition("#")
    if mark and Path(file).is_file() and Path(file).suffix.lower() not in SEVERAL:
        message = f"there is no such file; {file} holds one motion, and #NAME is for {', '.join(SEVERAL)} and libraries"
        return FileError(path, message)
    return FileError(path, "there is no such file or folder")
