"""The open project: a library, a folder or the embedded clips; and the motions made from them.

The list of clips needs no frames, so that it is available immediately. A clip's frames are read on first use, as by
every command, and recently used clips are cached.
"""

from __future__ import annotations

import itertools
import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, Literal

from segue.errors import FileError, SegueError, SettingError, nearest
from segue.io.animation_names import split_fragment
from segue.io.files import load, motion_files, save
from segue.io.library_mark import is_library
from segue.motion.clip import Clip
from segue.motion.samples import SAMPLE_PREFIX, SAMPLES, sample
from segue.studio.corrections import Corrections
from segue.studio.recent import Recent

if TYPE_CHECKING:
    from segue.app.stages import Collection
    from segue.library.library import Library

_CLIPS, _MADE = 160, 60
"""Most clips and most made motions kept in memory."""
ProjectKind = Literal["library", "folder", "samples"]


@dataclass(frozen=True, eq=False)
class MadeMotion:
    """A made motion.

    Parameters
    ----------
    clip
        The motion.
    sources
        Clips that it was made of, on its body and at its rate.
    command, settings
        Command and settings, as stored in a record.
    read
        The sources as they were read, if they differ.
    bridges
        Bridges, as returned by `segue.app.record.bridges_of`.
    more
        Further entries of its record.
    """

    clip: Clip
    sources: tuple[Clip, ...]
    command: str
    settings: dict[str, Any]
    read: tuple[Clip, ...] = ()
    bridges: tuple[Mapping[str, Any], ...] = ()
    more: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Listed:
    """A clip of the list before it is read: its name, and the word that names it on the command line."""

    name: str
    word: str
    seconds: float = 0.0
    frames: int = 0
    fps: float = 0.0
    faulty_frames: int = 0
    tags: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    problem: str = ""


@dataclass
class Project:
    """An opened library or folder, or the embedded clips.

    Parameters
    ----------
    path
        The library or folder; None for the embedded clips.
    export_folder
        The only folder that motions are written to.

    Raises
    ------
    FileError
        If the path is neither a library nor a folder.

    Examples
    --------
    >>> project = Project(None, Path("exports"))
    >>> project.kind, project.clip("walk").n_frames
    ('samples', 361)
    """

    path: Path | None
    export_folder: Path
    kind: ProjectKind = "samples"
    _dropped: list[Listed] = field(default_factory=list)
    _listed: tuple[Listed, ...] | None = None
    _lengths: dict[str, tuple[float, int, float]] = field(default_factory=dict)
    _problems: dict[str, str] = field(default_factory=dict)
    _closed: bool = False

    def __post_init__(self) -> None:
        if self.path is not None:
            self.path = self.path.resolve()
            if self.path.is_dir():
                self.kind = "folder"
            elif is_library(self.path):
                self.kind = "library"
            elif self.path.exists():
                raise FileError(
                    self.path, "is neither a library nor a folder of motion files; name one of them"
                )
            else:
                raise FileError(
                    self.path, "there is no such library or folder; segue library add makes a library"
                )
        self._lock = RLock()
        self._clips: Recent[Clip] = Recent(_CLIPS)
        self.made: Recent[MadeMotion] = Recent(_MADE)
        self._room: Path | None = None
        self.corrections = Corrections()
        self._kept = itertools.count(1)

    @property
    def name(self) -> str:
        """Name for display."""
        return "embedded clips" if self.path is None else self.path.name

    @property
    def writable(self) -> bool:
        """Whether labels and tags can be stored."""
        return self.kind == "library"

    def close(self) -> None:
        """Delete dropped files."""
        self._closed = True
        if self._room is not None:
            shutil.rmtree(self._room, ignore_errors=True)

    # -- clips -------------------------------------------------------------------------------------------------

    def library(self, mode: Literal["r", "w"] = "r") -> Library:
        """Return the open library; the caller closes it.

        Raises
        ------
        SettingError
            If no library is open.
        """
        if self.kind != "library" or self.path is None:
            msg = (
                "labels, tags and roles are kept in a library; make one with segue library add, and open that"
            )
            raise SettingError(msg)
        from segue.library.library import Library

        return Library.open(self.path, mode=mode, create=False)

    def listed(self) -> tuple[Listed, ...]:
        """Return every clip, without reading frames."""
        with self._lock:
            if self._listed is None:
                self._listed = self._looked_up()
            return (*(self._with_length(one) for one in self._listed), *self._dropped)

    def _with_length(self, one: Listed) -> Listed:
        if one.name in self._problems:
            return replace(one, problem=self._problems[one.name])
        known = self._lengths.get(one.name)
        if known is None or one.frames:
            return one
        return replace(one, seconds=known[0], frames=known[1], fps=known[2])

    def survey(self, found: Callable[[], None], *, every: int = 50) -> None:
        """Read clips of unknown length one after the other, and call back every ``every`` clips.

        A library stores the lengths of its clips; those of a folder are only in the files.
        """
        new = 0
        for one in self.listed():
            if self._closed:
                return
            if one.frames or one.problem:
                continue
            try:
                clip = self._clips.get(one.name) or _read(one.word)
            except SegueError as error:
                self._problems[one.name] = str(error)
            else:
                self._lengths[one.name] = (clip.seconds, clip.n_frames, clip.fps)
            new += 1
            if new % every == 0:
                found()
        if new % every:
            found()

    def in_library(self, name: str) -> bool:
        """Return whether a clip is in the open library, which then stores its labels, tags and corrections."""
        return self.kind == "library" and all(one.name != name for one in self._dropped)

    def refresh(self) -> None:
        """Discard the list of clips, so that it is read again."""
        with self._lock:
            self._listed = None

    def _looked_up(self) -> tuple[Listed, ...]:
        if self.kind == "samples":
            return tuple(Listed(name, f"{SAMPLE_PREFIX}{name}") for name in SAMPLES)
        if self.kind == "folder":
            return _files([] if self.path is None else [self.path])
        with self.library() as library:
            return tuple(
                Listed(
                    entry.name,
                    f"{self.path}#{entry.name}",
                    entry.seconds,
                    entry.n_frames,
                    entry.fps,
                    entry.unusable,
                    entry.tags,
                    tuple(dict.fromkeys(label.text for label in entry.labels)),
                )
                for entry in library.clips()
            )

    def find(self, name: str) -> Listed:
        """Return the listed clip of a name.

        Raises
        ------
        SettingError
            If there is none; the message suggests the nearest name.
        """
        known = {one.name: one for one in self.listed()}
        if name not in known:
            raise SettingError(f"no clip is called {name!r}; {nearest(name, known)}")
        return known[name]

    def clip(self, name: str) -> Clip:
        """Return a clip by name, read if it is not in memory.

        Raises
        ------
        SettingError
            If no clip has that name.
        FileError
            If the clip cannot be read.
        """
        kept = self._clips.get(name)
        if kept is None:
            one = self.find(name)
            kept = self.read_again(one)
        return kept

    def read_again(self, one: Listed) -> Clip:
        """Read a clip with the roles and contacts set by the user in this run."""
        clip = self.corrections.applied(one.name, _read(one.word, self.corrections.roles.get(one.name)))
        kept = clip if clip.name == one.name else clip.with_motion(name=one.name)
        self._clips.put(one.name, kept)
        return kept

    def readable(self, names: list[str]) -> tuple[Collection, tuple[str, ...]]:
        """Return the readable clips of some names, and the reasons why others cannot be read."""
        from segue.app.stages import Collection

        if not names:
            raise SettingError("there is no clip to make this of; import or drop motion files first")
        clips, skipped = [], []
        for name in names:
            try:
                clips.append(self.clip(name))
            except SegueError as error:
                skipped.append(str(error))
        if not clips:
            raise SettingError(skipped[0])
        return Collection(tuple(clips)), tuple(skipped)

    def room(self) -> Path:
        """Return the temporary folder of this run for dropped files."""
        with self._lock:
            if self._room is None:
                self._room = Path(tempfile.mkdtemp(prefix="segue-studio-"))
            return self._room

    def add_files(self, paths: list[Path]) -> tuple[list[str], list[str]]:
        """Add files to the library if one is open, else to this run; return new names, and reasons for refusals."""
        if self.kind == "library":
            with self.library("w") as library:
                found = library.add(paths)
            self.refresh()
            return [*found.new, *found.changed], list(found.skipped.values())
        added, refused = [], []
        with self._lock:
            taken = {one.name for one in self.listed()}
            for one in _files(paths):
                name = _free(one.name, taken)
                try:
                    clip = _read(one.word).with_motion(name=name)
                except SegueError as error:
                    refused.append(str(error))
                    continue
                self._clips.put(name, clip)
                self._dropped.append(Listed(name, one.word, clip.seconds, clip.n_frames, clip.fps))
                taken.add(name)
                added.append(name)
        return added, refused

    def add_clip(self, clip: Clip) -> str:
        """Add a motion to the library if one is open, else to this run; return its name, numbered if taken."""
        with self._lock:
            name = _free(clip.name, {one.name for one in self.listed()})
            named = clip if name == clip.name else clip.with_motion(name=name)
            if self.kind == "library":
                with self.library("w") as library:
                    library.add(named)
                self.refresh()
            else:
                path = self.room() / f"{next(self._kept)}.bvh"
                save(named, path)
                self._dropped.append(Listed(name, str(path), clip.seconds, clip.n_frames, clip.fps))
            return name

    # -- motions -----------------------------------------------------------------------------------------------

    def motion(self, word: str) -> Clip:
        """Return a motion by its word: ``clip:NAME``, or ``made:NUMBER``.

        Raises
        ------
        SettingError
            If there is none, or it is no longer in memory.
        """
        kind, _, rest = word.partition(":")
        if kind == "clip":
            return self.clip(rest)
        return self.made_motion(word).clip

    def made_motion(self, word: str) -> MadeMotion:
        """Return a made motion by its word ``made:NUMBER``."""
        kind, _, rest = word.partition(":")
        found = self.made.get(int(rest)) if kind == "made" and rest.isdecimal() else None
        if found is None:
            msg = f"there is no motion {word!r} any more; make it again"
            raise SettingError(msg)
        return found


def _read(word: str, roles: Mapping[str, str] | None = None) -> Clip:
    """Read one clip like `segue.app.stages.read`, but without importing the modules that build graphs."""
    from segue.library.inputs import from_library, in_library
    from segue.motion.reference import with_roles

    if word.startswith(SAMPLE_PREFIX):
        clip = sample(word.removeprefix(SAMPLE_PREFIX))
    elif (place := in_library(word)) is not None:
        clip = from_library([place])[0][place.word]
    else:
        clip = load(word)
    return with_roles([clip], roles)[0]


def _files(paths: list[Path]) -> tuple[Listed, ...]:
    """Return the motion files of some files and folders under unique names."""
    out, taken = [], set[str]()
    for path in motion_files(paths):
        file, animation = split_fragment(path)
        name = _free(animation or file.stem, taken)
        taken.add(name)
        out.append(Listed(name, str(path)))
    return tuple(out)


def _free(name: str, taken: set[str]) -> str:
    """Return a name that is not taken: the given one, or with a number appended."""
    return next(
        word
        for word in itertools.chain([name], (f"{name} ({k})" for k in itertools.count(2)))
        if word not in taken
    )
