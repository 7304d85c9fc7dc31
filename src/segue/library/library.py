"""The interface of a library."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from segue.library import clips, labels
from segue.library.choreography import Choreography
from segue.library.clips import ClipEntry
from segue.library.connection import Mode, Say, Store
from segue.library.labels import Extent
from segue.library.transitions import Transitions
from segue.motion.clip import Clip
from segue.threads import Progress, silent

if TYPE_CHECKING:
    from types import TracebackType

    from segue.library.adding import Added
    from segue.library.checking import CheckReport, Stats
    from segue.library.salvaging import Salvaged
    from segue.motion.contacts import Plant


class Library(Transitions, Choreography):
    """One file that holds a motion collection: clips with their skeletons, labels and tags, and computed results.

    Use it as a context manager: closing merges the write-ahead log into the file.

    Examples
    --------
    >>> import segue, tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> (folder / "clips").mkdir()
    >>> segue.save(segue.sample("walk"), folder / "clips" / "walk.bvh")
    >>> with segue.Library.open(folder / "moves.segue") as library:
    ...     added = library.add(folder / "clips")
    ...     _ = library.label("walk", "steady", start_frame=60, stop_frame=120)
    ...     [(entry.name, entry.n_frames, entry.labels[0].text) for entry in library.clips()]
    [('walk', 361, 'steady')]
    """

    def __init__(self, store: Store) -> None:
        self.store = store

    def __repr__(self) -> str:
        return f"<Library {self.path.name!r}>"

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        mode: Mode = "w",
        create: bool = True,
        patience: float = 30.0,
        say: Say | None = None,
    ) -> Library:
        """Open a library file.

        Parameters
        ----------
        path
            The file; usually ``.segue``, recognised by its bytes.
        mode
            ``"w"`` to read and write, ``"r"`` to read only.
        create
            Whether a missing file is created; never with ``mode="r"``.
        patience
            Seconds to wait for another process that writes before an error is raised.
        say
            Called with messages, such as, after half a second, that it waits; by default they are logged.

        Raises
        ------
        FileError
            If there is no such file, it is not a library, or a later version wrote it.
        """
        return cls(Store(Path(path), mode, create=create, patience=patience, say=say))

    @property
    def path(self) -> Path:
        """The file."""
        return self.store.path

    def close(self) -> None:
        """Close the file; writing after that is an error."""
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def add(
        self,
        inputs: str | Path | Clip | Sequence[str | Path | Clip],
        *,
        roles: str | Path | Mapping[str, str] | None = None,
        progress: Progress = silent,
        **settings: Any,
    ) -> Added:
        """Add the motions of files and folders, or clips; clips already in the library stay unchanged.

        Parameters
        ----------
        inputs
            Files and folders, which are searched recursively; ``"sample:walk"`` for an embedded clip; clips.
        roles
            As for `segue.load`; a body with none of the named joints keeps its detected roles.
        progress
            Called with stage, done, total.
        settings
            More settings of `segue.load`, for what files do not state or state wrongly; they are stored with the clips
            and apply when a changed file is read again.

        Returns
        -------
        Added
            Names of clips that are new, same, changed or renamed, and the files that were skipped with the reason.

        Raises
        ------
        FileError
            If a path does not exist, or the library cannot be written. Clips added before that are kept.
        """
        from segue.library import adding, versions

        given = versions.settings_given(roles, settings)
        return adding.add(self.store, inputs, given=given, progress=progress)

    def clips(self, *, old: bool = False) -> tuple[ClipEntry, ...]:
        """Return the entries of all clips, sorted by name, with labels and tags; ``old`` lists earlier versions too."""
        return clips.entries(self.store, old=old)

    def entry(self, name: str, *, version: int | None = None) -> ClipEntry:
        """Return the entry of one clip; raise a `SettingError` that names the nearest if there is none."""
        return clips.entry(self.store, name, version=version)

    def clip(self, name: str, *, version: int | None = None) -> Clip:
        """Return a clip by name, exactly as `segue.load` returned it when it was added, with user-set contacts.

        Raises
        ------
        SettingError
            If there is none of that name.
        FileError
            If its bytes in the library differ from those that were added.
        """
        from segue.library import checking

        return checking.read_clip(self.store, name, version=version)

    def contacts(self, name: str) -> tuple[tuple[Plant, ...], bool]:
        """Return the plants of heels and toes of a clip, and whether the user set them or segue found them."""
        from segue.library import contacts

        with self.store.reading():
            found = self.entry(name)
            return contacts.plants_of(self.store, found.id), contacts.are_set(self.store, found.id)

    def set_contacts(self, name: str, plants: Iterable[Sequence[Any]] | None) -> None:
        """Set when heels and toes of a clip are on the ground; None restores the contacts found in its motion.

        Parameters
        ----------
        name
            The clip.
        plants
            Part (``left_heel``, ``left_toe``, ``right_heel`` or ``right_toe``) and frames, half open, of each plant.

        Raises
        ------
        SettingError
            If there is no such clip, a part is unknown, or frames are outside the clip.
        """
        from segue.library import contacts
        from segue.library.clips import facts_of

        with self.store.writing():
            found = self.entry(name)
            rows = (
                facts_of(self.clip(name).with_contacts(None)).plants
                if plants is None
                else contacts.checked_plants(plants, name=name, n_frames=found.n_frames)
            )
            contacts.write_contacts(self.store, found.id, rows, by_person=plants is not None)

    def remove(self, name: str, *, old: bool = False) -> int:
        """Remove a clip with all its versions, or with ``old`` only the earlier ones; return the number removed."""
        return clips.remove_clip(self.store, name, old=old)

    def label(
        self, name: str, text: str, *, start_frame: int = 0, stop_frame: int | None = None, by: str = ""
    ) -> bool:
        """Label frames of a clip, half open, the entire clip by default; return whether the label is new.

        Raises
        ------
        SettingError
            If there is no such clip, or the range is outside it.
        """
        with self.store.writing():
            found = self.entry(name)
            label = labels.checked_label(
                found.name, found.n_frames, text=text, start_frame=start_frame, stop_frame=stop_frame, by=by
            )
            return labels.write_label(self.store, found.id, label)

    def unlabel(
        self, name: str, text: str, *, start_frame: int | None = None, stop_frame: int | None = None
    ) -> int:
        """Remove labels of one text from a clip, all or those with exactly this range; return the number removed."""
        with self.store.writing():
            found = self.entry(name)
            return labels.remove_labels(
                self.store,
                found.id,
                name=found.name,
                text=text,
                start_frame=start_frame,
                stop_frame=stop_frame,
            )

    def tag(self, name: str, text: str) -> bool:
        """Tag a clip; return whether the tag is new."""
        with self.store.writing():
            return labels.write_tag(self.store, self.entry(name).id, labels.worded(text, "tag"))

    def untag(self, name: str, text: str) -> None:
        """Remove a tag from a clip."""
        with self.store.writing():
            found = self.entry(name)
            labels.remove_tag(self.store, found.id, name=found.name, text=text)

    def check(self, *, progress: Progress = silent) -> CheckReport:
        """Read the complete library and compare it with its digests; report intact and damaged contents."""
        from segue.library import checking

        return checking.check(self.store, progress=progress)

    def salvage(self, path: str | Path, *, progress: Progress = silent) -> Salvaged:
        """Write all undamaged contents to a new library; a damaged clip is read again from its file if that exists.

        Raises
        ------
        FileError
            If the new file exists already or cannot be written.
        """
        from segue.library import salvaging

        return salvaging.salvage(self.store, Path(path), progress=progress)

    def copy(self, path: str | Path) -> None:
        """Copy the library to a new file, even if its own file was removed while it was open.

        Raises
        ------
        FileError
            If the new file exists already or cannot be written.
        """
        from segue.library import salvaging

        salvaging.copy(self.store, Path(path))

    def stats(self) -> Stats:
        """Count the contents of the library."""
        from segue.library import checking

        return checking.stats(self.store)

    def compact(self) -> int:
        """Free the disk space of removed rows; return the number of bytes released."""
        from segue.library import checking

        return checking.compact(self.store)


@dataclass(frozen=True)
class Imported:
    """Result of an import: items that are ``new``, the ``same`` as before, and skipped with the reason."""

    new: tuple[str, ...] = ()
    same: tuple[str, ...] = ()
    skipped: tuple[tuple[str, str], ...] = ()


def chosen(library: Library, names: Sequence[str]) -> tuple[ClipEntry, ...]:
    """Return the entries of clips by names or patterns (``16_*``), each once; all clips if none is given.

    Raises
    ------
    SettingError
        If a name or pattern matches no clip; names the nearest.
    """
    everything = library.clips()
    known = {entry.name: entry for entry in everything}
    out: dict[str, ClipEntry] = {} if names else known
    for name in names:
        found = [name] if name in known else [other for other in known if fnmatchcase(other, name)]
        if not found:
            library.entry(name)  # its error names the nearest
        out |= {one: known[one] for one in found}
    return tuple(out.values())


def extents(library: Library) -> dict[str, Extent]:
    """Return the length of each clip by name."""
    return {entry.name: Extent(entry.n_frames, entry.fps) for entry in library.clips()}
