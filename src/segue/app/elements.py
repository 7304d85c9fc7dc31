"""Elementary motions: read from files and libraries with their clips, or proposed from takes."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from segue.app.stages import Collection as Clips
from segue.app.stages import named_apart, read, read_in_order
from segue.errors import FileError, SegueError, SettingError
from segue.io.library_mark import is_library
from segue.library.element_files import (
    GivenElement,
    SequenceDocument,
    files_of,
    range_of,
    sequence_document,
    write_elements,
)
from segue.library.elements import unknown
from segue.library.inputs import open_library
from segue.library.labels import Extent
from segue.motion.clip import Clip
from segue.motion.keytimes import keytimes
from segue.motion.reference import with_roles
from segue.motion.resample import cut
from segue.motion.samples import SAMPLE_PREFIX
from segue.sequencing.elements import ElementaryMotion
from segue.sequencing.phases import foot_phases
from segue.sequencing.proposing import ElementRange, propose
from segue.threads import Progress, silent


@dataclass(frozen=True, eq=False)
class Elements:
    """Elementary motions and their sources.

    Parameters
    ----------
    motions
        By name, each with its frames.
    ranges
        The range of each in its clip.
    clips
        The clips that contain them.
    sequences
        Sequences in the same files and libraries, by name.
    """

    motions: Mapping[str, ElementaryMotion]
    ranges: Mapping[str, ElementRange]
    clips: Clips
    sequences: Mapping[str, SequenceDocument] = field(default_factory=dict)

    def motion(self, name: str) -> ElementaryMotion:
        """Elementary motion by name; `SettingError` names the nearest where there is none."""
        if name not in self.motions:
            raise SettingError(unknown(name, self.motions))
        return self.motions[name]


@dataclass(frozen=True)
class _Given:
    """One elementary motion before its clip is read: the word of the clip, its range, and a maker of its errors."""

    name: str
    word: str
    known: ElementRange | GivenElement
    wrong: Callable[[str], SegueError]


def held_in(words: Sequence[str | Path]) -> tuple[Mapping[str, SequenceDocument], tuple[str, ...]]:
    """Sequences of libraries and of TOML files, and the names of their elementary motions; no clip is read.

    Raises
    ------
    FileError
        As in `read_motions`.
    """
    given: dict[str, _Given] = {}
    sequences: dict[str, SequenceDocument] = {}
    for word in words:
        _gather(Path(word), given, sequences)
    return sequences, tuple(given)


def read_motions(
    words: Sequence[str | Path],
    *,
    wanted: Collection[str] | None = None,
    roles: Mapping[str, str] | None = None,
    progress: Progress = silent,
) -> Elements:
    """Read elementary motions from libraries and TOML files, and from the sources that these files name.

    Parameters
    ----------
    words
        Libraries and files.
    wanted
        Names of those needed; by default all. Clips of others are not read.
    roles
        As in `segue.motion.reference.with_roles`.
    progress
        Called with stage, done, total.

    Raises
    ------
    FileError
        With the line: an unreadable file, an unknown clip, a range outside its clip, or a name that two elementary
        motions share.
    SettingError
        If a wanted name is unknown; names the nearest. If roles name joints that no body has.
    """
    given: dict[str, _Given] = {}
    sequences: dict[str, SequenceDocument] = {}
    for word in words:
        _gather(Path(word), given, sequences)
    for name in wanted or ():
        if name not in given:
            raise SettingError(unknown(name, given))
    chosen = [one for one in given.values() if wanted is None or one.name in wanted]
    clips = _clips(chosen, roles, progress)
    motions, ranges = {}, {}
    for one in chosen:
        clip = clips[one.word]
        found = _range(one, clip)
        ranges[one.name] = replace(found, clip=clip.name)
        motions[one.name] = motion_of(ranges[one.name], clip)
    return Elements(motions, ranges, Clips(tuple(clips.values())), sequences)


def _range(given: _Given, clip: Clip) -> ElementRange:
    if isinstance(given.known, ElementRange):
        return given.known
    try:
        return range_of(given.known, clip.name, Extent(clip.n_frames, clip.fps), motion=lambda: clip)
    except SettingError as error:
        raise given.wrong(str(error)) from None


def motion_of(element: ElementRange, clip: Clip) -> ElementaryMotion:
    """Elementary motion of a range of a clip."""
    core = element.core_start_frame - element.start_frame, element.core_stop_frame - element.start_frame
    frames = cut(clip, element.start_frame, element.stop_frame).with_motion(name=element.name)
    return ElementaryMotion(element.name, frames, core, element.tags)


def _gather(path: Path, given: dict[str, _Given], sequences: dict[str, SequenceDocument]) -> None:
    if is_library(path):
        _gather_library(path, given, sequences)
        return
    if path.suffix.lower() != ".toml":
        what = (
            "is a folder" if path.is_dir() else "is neither a library nor a .toml file of elementary motions"
        )
        raise FileError(path, what if path.exists() else "there is no such file")
    for file in files_of(path):
        for number, one in enumerate(file.elements):

            def wrong(message: str, file=file, number=number) -> FileError:  # type: ignore[no-untyped-def]
                return file.error("elements", number, message)  # type: ignore[no-any-return]

            if one.name in given:
                raise wrong(
                    f"the name {one.name!r} is given to another elementary motion too; names are unique"
                )
            given[one.name] = _Given(one.name, _word(one.clip, file.path.parent), one, wrong)
        for word in file.sources:
            there = file.path.parent / word
            if is_library(there):
                _gather_library(there, given, {})
            elif there.suffix.lower() != ".toml":
                raise FileError(
                    file.path, f"sources: {word!r} is neither a library nor a .toml file that is there"
                )
        sequences.update(file.sequences)


def _gather_library(path: Path, given: dict[str, _Given], sequences: dict[str, SequenceDocument]) -> None:
    with open_library(path) as library:
        for one in library.elements():
            if one.name in given:
                raise FileError(path, f"holds an elementary motion {one.name!r}, as another source does")

            def wrong(message: str) -> FileError:
                return FileError(path, message)

            given[one.name] = _Given(one.name, f"{path.resolve()}#{one.clip}", one, wrong)
        for sequence in library.sequences():
            sequences[sequence.name] = sequence_document(sequence, path)


def _word(clip: str, folder: Path) -> str:
    """Word of a clip as on the command line; paths are relative to the folder of the file that names it."""
    return clip if clip.startswith(SAMPLE_PREFIX) else str((folder / clip).resolve())


def _clips(given: Sequence[_Given], roles: Mapping[str, str] | None, progress: Progress) -> dict[str, Clip]:
    found: dict[str, Clip] = {}
    words = list(dict.fromkeys(one.word for one in given))
    for number, word in enumerate(words):
        progress("reading clips", number, len(words))
        try:
            (found[word],) = read_in_order([word]).clips
        except SegueError as error:
            raise next(one for one in given if one.word == word).wrong(str(error)) from None
    return dict(zip(found, with_roles(named_apart(list(found.values())), roles), strict=True))


def element_facts(elements: Elements) -> list[dict[str, Any]]:
    """Elementary motions as plain values: range, core and foot phases in seconds of their clips, and tags."""
    rates = {clip.name: clip.fps for clip in elements.clips.clips}
    out = []
    for name, one in elements.ranges.items():
        fps = rates[one.clip]
        spans = ((one.start_frame, one.stop_frame), (one.core_start_frame, one.core_stop_frame))
        (start, stop), (first, last) = ((a / fps, b / fps) for a, b in spans)
        phases = foot_phases(keytimes(elements.motions[name].clip).support, fps)
        out.append(
            {
                "name": name,
                "clip": one.clip,
                "seconds": [start, stop],
                "core": [first, last],
                "tags": list(one.tags),
                "phases": [
                    {
                        "foot": phase.foot,
                        "seconds": [start + phase.begin_frame / fps, start + phase.end_frame / fps],
                    }
                    for phase in phases
                ],
            }
        )
    return out


def proposed(
    inputs: Sequence[str],
    *,
    shortest: float,
    longest: float,
    roles: Mapping[str, str] | None = None,
    progress: Progress = silent,
) -> tuple[Clips, tuple[ElementRange, ...]]:
    """Takes cut into elementary motions; bodies with unknown legs are added to the skipped clips.

    Raises
    ------
    FileError
        If nothing can be read, or no take has legs.
    SettingError
        If the seconds are not a valid range, or roles name joints that no body has.
    """
    clips = read(inputs, roles=roles, progress=progress)
    out: list[ElementRange] = []
    kept, skipped = [], list(clips.skipped)
    for clip in clips.clips:
        try:
            out += propose(clip, shortest=shortest, longest=longest)
        except SettingError:
            raise
        except SegueError as error:
            skipped.append((clip.name, f"{clip.name}: {error}"))
        else:
            kept.append(clip)
    if not kept:
        raise FileError(", ".join(inputs), "; ".join(why for _, why in skipped[:3]))
    return Clips(tuple(kept), tuple(skipped)), tuple(out)


def write_proposed(path: Path, clips: Clips, elements: Sequence[ElementRange]) -> None:
    """Write them as TOML; clips are named relative to the file."""
    by_name = {clip.name: clip for clip in clips.clips}
    write_elements(
        path,
        [(one, by_name[one.clip].fps) for one in elements],
        word=lambda name: seen_from(path.parent, by_name[name]),
    )


def seen_from(folder: Path, clip: Clip) -> str:
    """Word of a clip relative to a folder.

    Examples
    --------
    >>> from segue.motion.samples import sample
    >>> seen_from(Path(), sample("walk"))
    'sample:walk'
    """
    if clip.source is None or not clip.source.path:
        return f"{SAMPLE_PREFIX}{clip.name}"
    try:
        return Path(os.path.relpath(Path(clip.source.path).resolve(), folder.resolve())).as_posix()
    except ValueError:  # another drive
        return clip.source.path
