"""All errors that segue raises on purpose.

Each message states what is wrong, where, and how to fix it. The command line prints the message and exits with code 2;
a program catches `SegueError`.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from os import PathLike, fspath
from pathlib import Path

from segue.texts import shown


class SegueError(Exception):
    """A mistake that the user can fix; the message says how."""

    def __init__(self, *given: object) -> None:
        super().__init__(*(shown(part) if isinstance(part, str) else part for part in given))


class FileError(SegueError):
    """A file cannot be read or written; has the path and, if known, the line (from 1)."""

    def __init__(self, path: str | Path, message: str, *, line: int | None = None) -> None:
        self.path = Path(path)
        self.line = line
        where = shown(str(self.path)) + ("" if line is None else f":{line}")
        super().__init__(f"{where}: {message}")


class SettingError(SegueError):
    """A setting is out of range or unknown; the message gives the possible values."""


class SkeletonError(SegueError):
    """A skeleton lacks what a function needs, or two skeletons do not fit."""


class NoTransitionError(SegueError):
    """No transition exists under the threshold; the message gives the best cost and what to change."""


class NoPointError(NoTransitionError, IndexError):
    """A point is taken from a search that found none; also an `IndexError`; the message gives the reason."""


class StoppedError(SegueError):
    """Work was stopped before its end; it leaves no files."""


EXTRAS = {
    "plot": ("matplotlib",),
    "fbx": ("ufbx",),
    "usd": ("usd-core",),
    "scale": ("dask[distributed]",),
    "learn": ("scikit-learn",),
    "gpu": ("torch",),
    "studio": ("starlette", "uvicorn", "websockets"),
    "study": ("statsmodels",),
}
"""Packages of each extra: segue is not on a package index, so that users install these by name."""
_MODULES = {"usd-core": "pxr", "dask[distributed]": "distributed", "scikit-learn": "sklearn"}


def installing(extra: str) -> str:
    """Return the command that installs an extra, by the names of its packages.

    Examples
    --------
    >>> installing("plot"), installing("scale")
    ('pip install matplotlib', "pip install 'dask[distributed]'")
    """
    names = [f"'{name}'" if "[" in name else name for name in EXTRAS.get(extra, (f"segue[{extra}]",))]
    return f"pip install {' '.join(names)}"


class MissingExtraError(SegueError):
    """An optional dependency is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        names = " and ".join(name.partition("[")[0] for name in EXTRAS.get(extra, (extra,)))
        super().__init__(f"{what} needs {names}: {installing(extra)}")


def require_extra(what: str, extra: str) -> None:
    """Raise `MissingExtraError` before work begins if an extra is not installed; loads nothing.

    Raises
    ------
    MissingExtraError
        With the command that installs it.
    """
    for name in EXTRAS.get(extra, ()):
        try:
            found = find_spec(_MODULES.get(name, name))
        except (ImportError, ValueError):
            found = None
        if found is None:
            raise MissingExtraError(what, extra)


def loaded(*motions: object) -> None:
    """Refuse a path or a list of clips where a motion is wanted.

    Raises
    ------
    SettingError
        Names the function that reads the path, or states that one clip is wanted.

    Examples
    --------
    >>> loaded("walk.bvh")
    Traceback (most recent call last):
    segue.errors.SettingError: 'walk.bvh' is no clip but a path; read it first: segue.load('walk.bvh')
    """
    for one in motions:
        if isinstance(one, str | PathLike):
            path = fspath(one)
            reader = "load_folder" if Path(str(path)).is_dir() else "load"
            msg = f"{path!r} is no clip but a path; read it first: segue.{reader}({path!r})"
            raise SettingError(msg)
        if isinstance(one, list | tuple):
            msg = (
                f"one clip is wanted; given: a {type(one).__name__} of {len(one)}; segue.load_folder returns two: the "
                "clips, and the files that were skipped"
            )
            raise SettingError(msg)


def all_loaded(motions: object) -> None:
    """Refuse a value that is not a list of motions: a path, one clip, or a list that holds a path.

    Raises
    ------
    SettingError
        States what is wanted.

    Examples
    --------
    >>> all_loaded(["walk.bvh"])
    Traceback (most recent call last):
    segue.errors.SettingError: 'walk.bvh' is no clip but a path; read it first: segue.load('walk.bvh')
    """
    if isinstance(motions, str | PathLike):
        loaded(motions)
    if not isinstance(motions, Iterable):
        msg = f"a list of clips is wanted; given: {motions!r}"
        raise SettingError(msg)
    if isinstance(motions, Sequence):  # other iterables can be read only once
        loaded(*motions)


def nearest(name: str, known: Iterable[str], *, count: int = 3) -> str:
    """Return a phrase that names the known words nearest to a misspelt one, for the end of a message."""
    words = list(known)
    close = difflib.get_close_matches(name, words, n=count, cutoff=0.4)
    if not close:  # the user may give an animation's name without its file
        behind = {word.rpartition("#")[2]: word for word in reversed(words)}
        close = [
            behind[part] for part in difflib.get_close_matches(name, behind, n=count, cutoff=0.4)
        ] or words[:count]
    return f"nearest: {', '.join(close)}" if close else "none are known"
