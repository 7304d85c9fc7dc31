"""Out of a library and into it: motion files with what is written beside them, labels, and another library."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from segue.errors import FileError, SegueError, SettingError
from segue.graph.progress import Progress, silent
from segue.io import save
from segue.io.animation_names import split_fragment
from segue.io.formats import WRITABLE
from segue.io.fresh import fresh
from segue.library.clips import ClipEntry, ClipPlace, facts_of, write_clip
from segue.library.labels import FileLabel, read_labels, write_labels
from segue.library.library import Imported, Library, chosen, extents
from segue.library.versions import free_name
from segue.motion.clip import Clip


def import_labels(library: Library, path: str | Path) -> Imported:
    """Take the labels of a table, all or none.

    Raises
    ------
    FileError
        With the line that is wrong.
    """
    new: list[str] = []
    same: list[str] = []
    with library.store.writing():
        for one in read_labels(path, extents(library)):
            fresh = library.label(
                one.clip, one.text, start_frame=one.start_frame, stop_frame=one.stop_frame, by=Path(path).name
            )
            (new if fresh else same).append(f"{one.clip} {one.start_frame}:{one.stop_frame} {one.text}")
    return Imported(tuple(new), tuple(same))


def file_labels(entries: Iterable[ClipEntry]) -> tuple[FileLabel, ...]:
    """Labels of clips as a table holds them."""
    return tuple(
        FileLabel(entry.name, label.text, label.start_frame, label.stop_frame)
        for entry in entries
        for label in entry.labels
    )


def export_labels(
    library: Library,
    path: str | Path,
    *,
    names: Sequence[str] = (),
    seconds: bool = False,
    overwrite: bool = True,
) -> int:
    """Write the labels of all or chosen clips as a table; return how many."""
    entries = chosen(library, names)
    return write_labels(
        file_labels(entries), path, clips=extents(library), seconds=seconds, overwrite=overwrite
    )


LABELS, TRANSITIONS = "labels.csv", "MoGra.transitions"
"""Files that are written beside exported clips, if there is something to write."""


@dataclass(frozen=True)
class Exported:
    """One clip and the file it was written to; ``error`` is the reason if it was not."""

    clip: str
    target: Path
    error: str = ""
    note: str = ""


# -- clips -------------------------------------------------------------------------------------------------------


def export_clips(
    library: Library,
    folder: Path,
    *,
    file_of: Callable[[str], tuple[Path, str]],
    names: Sequence[str] = (),
    to: str | None = None,
    overwrite: bool = False,
    progress: Progress = silent,
) -> tuple[Exported, ...]:
    """Write clips to files, each in the format it came in where that can be written, else as BVH.

    Parameters
    ----------
    library
        Open for reading at least.
    folder
        Made where it is missing.
    file_of
        Folder and stem of a clip's file by the clip's name.
    names
        Names or patterns; all by default.
    to
        One format for all.
    overwrite
        Whether files that exist are replaced.

    Returns
    -------
    What became of each; one that is damaged or cannot be written stops no other.
    """
    suffix = None if to is None else "." + to.lower().removeprefix(".")
    if suffix is not None and suffix not in WRITABLE:
        msg = f"{to!r} cannot be written; formats that can: {', '.join(WRITABLE)}"
        raise SettingError(msg)
    entries = chosen(library, names)
    out = []
    taken: set[str] = set()
    for number, entry in enumerate(entries):
        progress("writing clips", number, len(entries))
        own = own_suffix(entry)
        below, stem = file_of(entry.name)
        target = _free(folder / below, stem, suffix or own or ".bvh", taken)
        out.append(_written(library, entry, target, overwrite=overwrite, own=suffix is not None or bool(own)))
    progress("writing clips", len(entries), len(entries))
    return tuple(out)


def own_suffix(entry: ClipEntry) -> str:
    """Extension of the format a clip came in, if it can be written; else empty."""
    suffix = split_fragment(entry.path)[0].suffix.lower()
    suffix = ".glb" if suffix == ".gltf" else suffix
    return suffix if suffix in WRITABLE else ""


def _free(folder: Path, stem: str, suffix: str, taken: set[str]) -> Path:
    """Give a path that no other clip of this export has, on systems that know no case too."""
    target, count = folder / f"{stem}{suffix}", 2
    while str(target).lower() in taken:
        target, count = folder / f"{stem}_{count}{suffix}", count + 1
    taken.add(str(target).lower())
    return target


def _written(library: Library, entry: ClipEntry, target: Path, *, overwrite: bool, own: bool) -> Exported:
    try:
        if target.exists() and not overwrite:
            raise FileError(target, "exists already; --force overwrites it")
        clip = library.clip(entry.name)
        target.parent.mkdir(parents=True, exist_ok=True)
        save(clip, target, overwrite=overwrite)
    except SegueError as error:
        return Exported(entry.name, target, error=str(error))
    except OSError as error:
        return Exported(entry.name, target, error=f"{target}: {error.strerror or error}")
    came = clip.source.format if clip.source is not None else ""
    return Exported(entry.name, target, note="" if own else f"{came or 'made here'}, which is not written")


def export_words(library: Library, folder: Path, names: Sequence[str]) -> dict[Path, int]:
    """Write labels and verified transitions of clips beside their files; files and counts of what there was."""
    from segue.library.transition_files import export_transitions

    out: dict[Path, int] = {}
    if any(entry.labels for entry in chosen(library, names)):
        out[folder / LABELS] = export_labels(library, folder / LABELS, names=names)
    with suppress(SettingError):  # there is none, or a name cannot stand in the format
        out[folder / TRANSITIONS] = export_transitions(library, folder / TRANSITIONS, names=names)
    return out


# -- another library ---------------------------------------------------------------------------------------------


def import_library(
    library: Library, other: Library, *, names: Sequence[str] = (), progress: Progress = silent
) -> Imported:
    """Take the clips of another library with labels, tags and told transitions, each whole or not at all.

    A clip with the same content is there already, under whatever name; its labels and tags are taken all the same. A
    name that another clip has gets a number behind it. A damaged clip is skipped with the reason.
    """
    from segue.library.transition_files import take_given_points

    by_digest = {entry.digest: entry.name for entry in library.clips()}
    ours: dict[str, str] = {}
    new: list[str] = []
    same: list[str] = []
    skipped: list[tuple[str, str]] = []
    entries = chosen(other, names)
    for number, entry in enumerate(entries):
        progress("taking clips", number, len(entries))
        known = by_digest.get(entry.digest)
        try:
            clip = None if known is not None else other.clip(entry.name)
        except FileError as error:
            skipped.append((entry.name, str(error)))
            continue
        with library.store.writing():
            name = known or ""
            if clip is not None:
                name = _taken(library, clip, entry)
            _words(library, name, entry)
        by_digest[entry.digest] = ours[entry.name] = name
        (same if clip is None else new).append(name)
    progress("taking clips", len(entries), len(entries))
    take_given_points(library, other, ours)
    return Imported(tuple(new), tuple(same), tuple(skipped))


def export_library(
    library: Library, path: Path, *, names: Sequence[str], progress: Progress = silent
) -> Imported:
    """Write chosen clips with labels, tags and told transitions into a new library, whole or not at all.

    Raises
    ------
    FileError
        If the file exists already or cannot be written.
    """
    with fresh(path, overwrite=False) as part, Library.open(part) as target:
        return import_library(target, library, names=names, progress=progress)


def _taken(library: Library, clip: Clip, entry: ClipEntry) -> str:
    """Write a clip of another library under a free name, with what is known of its file; the caller holds a step."""
    place = ClipPlace(
        path=entry.path,
        file_sha256=entry.file_sha256,
        skeleton_file_sha256=entry.skeleton_file_sha256,
        told=entry.told,
    )
    name = free_name(library.store, entry.name, entry.path)
    write_clip(library.store, clip, place.with_facts(facts_of(clip)), name=name)
    return name


def _words(library: Library, name: str, entry: ClipEntry) -> None:
    for label in entry.labels:
        library.label(
            name, label.text, start_frame=label.start_frame, stop_frame=label.stop_frame, by=label.by
        )
    for tag in entry.tags:
        library.tag(name, tag)
