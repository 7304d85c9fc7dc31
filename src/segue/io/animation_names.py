"""Names of animations: ``file.glb#Walk`` is one of the animations of a file that holds several.

A prefix up to a ``|`` that all animations of a file share (Blender's ``Armature|``) is not shown and can be omitted.
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
"""Names that a message lists; the others are only counted."""
_PLAIN = re.compile(r"[\w@%+=:,./\\#~-]+")


def split_fragment(path: str | Path) -> tuple[Path, str | None]:
    """Split ``file.glb#name`` into file and animation name; None without a name, or if a file has this full name.

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
    """Return the name of a clip with its file's extension, placed between the file's stem and an animation's name.

    Examples
    --------
    >>> with_suffix("walk", Path("a/walk.bvh")), with_suffix("walk#Walk", Path("walk.glb"))
    ('walk.bvh', 'walk.glb#Walk')
    """
    stem = well_formed(file.stem)
    rest = name[len(stem) :] if name.startswith(stem) else ""
    return f"{name[: len(name) - len(rest)]}{file.suffix}{rest}"


def without_prefix(names: Sequence[str]) -> list[str]:
    """Remove the longest prefix up to a ``|`` that all names share; a single name is unchanged.

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
    """Animations of one file, in its order: their unique names in the file, and which of them move a body."""

    names: tuple[str, ...]
    moving: tuple[bool, ...]

    @property
    def shown(self) -> list[str]:
        """Names as displayed: without a prefix that all of them share."""
        return without_prefix(self.names)

    @property
    def choices(self) -> list[int]:
        """Indices of the animations that move a body; the first animation if none does."""
        return [index for index, moves in enumerate(self.moving) if moves] or [0]

    @property
    def alone(self) -> bool:
        """Whether the file holds one motion only, so that no ``#NAME`` is needed."""
        return len(self.choices) == 1

    def index(self, file: Path, wanted: str | None) -> int:
        """Find an animation by its full or short name, or by the part after its last ``|``.

        Parameters
        ----------
        file
            For the message.
        wanted
            Its name; None for the only animation of the file that moves a body.

        Raises
        ------
        FileError
            If no animation has that name, or none is given for several, or none of several moves a body. The message
            lists the names, the nearest first.
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
        """Message that lists the names in the form to type."""
        moving = self.choices
        shown = [self.shown[k] for k in [*moving, *(k for k in range(len(self.names)) if k not in moving)]]
        if not any(self.moving) and wanted is None:
            return f"holds {len(shown)} animations and none moves a body: {', '.join(shown[:_LISTED])}"
        if self.alone and (not wanted or len(shown) == 1):
            lacks = (
                f"has no animation {wanted!r}; it holds"
                if wanted
                else "no name follows the #; the file holds"
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
        """Name of the clip: the file's stem, followed by ``#`` and the animation's name if there are several."""
        return file.stem if self.alone and index in self.choices else f"{file.stem}#{self.shown[index]}"

    def others(self, index: int, wanted: str | None) -> str:
        """End of a note that lists the file's other animations; empty if one was named or there is only one."""
        others = [] if wanted is not None else [name for k, name in enumerate(self.shown) if k != index]
        more = f" and {len(others) - _LISTED} more" if len(others) > _LISTED else ""
        return f"; the file also holds {', '.join(others[:_LISTED])}{more}" if others else ""


def typed(word: str) -> str:
    """Quote a word for a shell if necessary.

    Examples
    --------
    >>> typed("a.glb#Walk"), typed("a.glb#Rig|Walk")
    ('a.glb#Walk', '"a.glb#Rig|Walk"')
    """
    return word if _PLAIN.fullmatch(word) else f'"{word}"'


def no_such(path: Path) -> FileError:
    """Return the error for a path that does not exist; it explains a ``#NAME`` after a file that holds one motion."""
    file, mark, _ = str(path).rpartition("#")
    if mark and Path(file).is_file() and Path(file).suffix.lower() not in SEVERAL:
        message = f"there is no such file; {file} holds one motion, and #NAME is for {', '.join(SEVERAL)} and libraries"
        return FileError(path, message)
    return FileError(path, "there is no such file or folder")
