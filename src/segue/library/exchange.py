"""Export from and import into a library: motion files, labels, elementary motions, sequences, and other libraries."""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from segue.errors import FileError, SegueError, SettingError, nearest
from segue.io import save
from segue.io.animation_names import split_fragment
from segue.io.formats import WRITABLE
from segue.io.fresh import fresh
from segue.library.clips import ClipEntry, ClipPlace, facts_of, write_clip
from segue.library.element_files import files_of, kept_sequence, range_of, write_elements
from segue.library.elements import KeptSequence
from segue.library.labels import Extent, FileLabel, read_labels, write_labels
from segue.library.library import Imported, Library, chosen, extents
from segue.library.versions import free_name
from segue.motion.clip import Clip
from segue.motion.samples import SAMPLE_PREFIX
from segue.threads import Progress, silent


def import_labels(library: Library, path: str | Path) -> Imported:
    """Import the labels of a table, all or none.

    Raises
    ------
    FileError
        If the table is not valid; names the line.
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
    """Return the labels of clips as rows of a table."""
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
    """Write the labels of all or chosen clips as a table; return their number."""
    entries = chosen(library, names)
    return write_labels(
        file_labels(entries), path, clips=extents(library), seconds=seconds, overwrite=overwrite
    )


LABELS, TRANSITIONS, ELEMENTS = "labels.csv", "MoGra.transitions", "elements.toml"
"""Files written next to exported clips, if they have contents."""


@dataclass(frozen=True)
class Exported:
    """One clip and its exported file; ``error`` is the reason if it was not written."""

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
    """Write clips to files, each in its original format if that can be written, else as BVH.

    Parameters
    ----------
    library
        The library.
    folder
        Target folder; created if missing.
    file_of
        Returns folder and stem of a clip's file for the clip's name.
    names
        Names or patterns; all by default.
    to
        One format for all.
    overwrite
        Whether existing files are replaced.

    Returns
    -------
    Result for each clip; one that is damaged or cannot be written does not stop the others.
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
    """Return the extension of a clip's original format if that can be written, else an empty string."""
    suffix = split_fragment(entry.path)[0].suffix.lower()
    suffix = ".glb" if suffix == ".gltf" else suffix
    return suffix if suffix in WRITABLE else ""


def _free(folder: Path, stem: str, suffix: str, taken: set[str]) -> Path:
    """Return a path unused by other clips of this export, also on case-insensitive file systems."""
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
    """Write labels, transitions and elementary motions next to exported clips; return counts by written file."""
    from segue.library.transition_files import export_transitions

    out: dict[Path, int] = {}
    if any(entry.labels for entry in chosen(library, names)):
        out[folder / LABELS] = export_labels(library, folder / LABELS, names=names)
    with suppress(SettingError):  # there is none, or the format cannot hold a name
        out[folder / TRANSITIONS] = export_transitions(library, folder / TRANSITIONS, names=names)
    with suppress(SettingError):  # there is none
        out[folder / ELEMENTS] = export_elements(library, folder / ELEMENTS, names=names)[0]
    return out


# -- another library ---------------------------------------------------------------------------------------------


def import_library(
    library: Library, other: Library, *, names: Sequence[str] = (), progress: Progress = silent
) -> Imported:
    """Import the clips of another library with labels, tags, given transitions, elements and sequences.

    A clip whose content this library has, under any name, is not copied, but its labels and tags are. A name that
    another clip has gets a number appended. A damaged clip is skipped with the reason.
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
    take_elements(library, other, ours)
    return Imported(tuple(new), tuple(same), tuple(skipped))


def export_library(
    library: Library, path: Path, *, names: Sequence[str], progress: Progress = silent
) -> Imported:
    """Write chosen clips with labels, tags and given transitions to a new library, completely or not at all.

    Raises
    ------
    FileError
        If the file exists already or cannot be written.
    """
    with fresh(path, overwrite=False) as part, Library.open(part) as target:
        return import_library(target, library, names=names, progress=progress)


def _taken(library: Library, clip: Clip, entry: ClipEntry) -> str:
    """Write a clip of another library under a free name, with its source file; the caller holds a transaction."""
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


# -- elementary motions and sequences ------------------------------------------------------------------------------


def import_elements(library: Library, path: str | Path) -> Imported:
    """Import the elementary motions and sequences of a file and of its sources, all or none.

    A clip is found by its name in the library, by its file's name, or by the path it was read from.

    Raises
    ------
    FileError
        If a clip or motion is not in the library, or a range is outside its clip; names the line.
    """
    new: list[str] = []
    same: list[str] = []
    with library.store.writing():
        for file in files_of(Path(path)):
            for number, given in enumerate(file.elements):
                try:
                    entry = _clip_of(library, given.clip, file.path)
                    found = range_of(
                        given,
                        entry.name,
                        Extent(entry.n_frames, entry.fps),
                        motion=partial(library.clip, entry.name),
                    )
                    fresh = library.add_elements([found])
                except SettingError as error:
                    raise file.error("elements", number, str(error)) from None
                (new if fresh else same).append(found.name)
            for name, kept_document in file.sequences.items():
                try:
                    fresh_one = library.add_sequence(kept_sequence(name, kept_document))
                except SettingError as error:
                    raise FileError(file.path, f"the sequence {name!r}: {error}") from None
                (new if fresh_one else same).append(name)
    return Imported(tuple(new), tuple(same))


def _clip_of(library: Library, word: str, file: Path) -> ClipEntry:
    """Return the entry of the clip that a file of elementary motions names.

    Raises
    ------
    SettingError
        If the library does not hold it; names the nearest.
    """
    known = {entry.name: entry for entry in library.clips()}
    there = str((file.parent / word).resolve())
    behind = [word[k + 1 :] for k, letter in enumerate(word) if letter == "#"]  # names may contain "#" too
    for name in (word, Path(word).stem, word.removeprefix(SAMPLE_PREFIX), *behind):
        if name in known:
            return known[name]
    found = next((entry for entry in known.values() if entry.path in {word, there}), None)
    if found is None:
        msg = f"no clip of {library.path.name} is called {word!r}; {nearest(word, known)}"
        raise SettingError(f"{msg}; segue library add takes motion files")
    return found


def export_elements(library: Library, path: str | Path, *, names: Sequence[str] = ()) -> tuple[int, int]:
    """Write the elementary motions of all or chosen clips, and the sequences that play only these, as TOML.

    Clips are named by a path to this library relative to the file, so that every command can read the file.

    Returns
    -------
    Numbers of elementary motions and of sequences.

    Raises
    ------
    SettingError
        If there is none.
    """
    entries = {entry.name: entry for entry in chosen(library, names)}
    held = [one for one in library.elements() if one.clip in entries]
    if not held:
        msg = f"{library.path.name} holds no elementary motion{' of these clips' if names else ''}"
        raise SettingError(
            f"{msg}; segue sequence propose cuts a take, segue library import takes the result"
        )
    words = {one.name for one in held}
    sequences = [one for one in library.sequences() if words.issuperset(one.motions)]
    own = os.path.relpath(library.path.resolve(), Path(path).resolve().parent)
    write_elements(
        Path(path),
        [(one, entries[one.clip].fps) for one in held],
        sequences=sequences,
        word=lambda name: f"{Path(own).as_posix()}#{name}",
    )
    return len(held), len(sequences)


def take_elements(library: Library, other: Library, ours: Mapping[str, str]) -> None:
    """Import the elementary motions of another library's clips, and sequences; ``ours`` maps its clip names to ours.

    One whose name is taken gets a number appended; a sequence is imported if all its motions are.
    """
    known = {one.name for one in library.elements()}
    called: dict[str, str] = {}
    with library.store.writing():
        for one in other.elements():
            if one.clip not in ours:
                continue
            mine = replace(one, clip=ours[one.clip])
            if one.name in known and library.element(one.name) != mine:
                mine = replace(mine, name=_free_word(one.name, known))
            library.add_elements([mine])
            known.add(mine.name)
            called[one.name] = mine.name
        there = {one.name: one for one in library.sequences()}
        for sequence in other.sequences():
            if not set(sequence.motions) <= set(called):
                continue
            motions = [
                {**one, "motion": called[str(one["motion"])]} for one in sequence.document.get("motions", [])
            ]
            mine_too = KeptSequence(sequence.name, {**sequence.document, "motions": motions})
            if sequence.name in there and there[sequence.name] != mine_too:
                mine_too = replace(mine_too, name=_free_word(sequence.name, there))
            library.add_sequence(mine_too)


def _free_word(word: str, taken: Container[str]) -> str:
    number = 2
    while f"{word} ({number})" in taken:
        number += 1
    return f"{word} ({number})"
