"""Inputs on the command line: an embedded clip, a library, a clip in a library, or a file or folder.

``sample:walk`` is an embedded clip, ``sample:`` all of them. A library is recognised by its bytes and represents all
its clips, as does a folder or a file of several animations; ``moves.segue#walk`` is the clip of that name in it,
``moves.segue#walk@2`` its second version.

A graph of clips of a library reads the compared pairs stored there, and stores new ones.
"""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from segue.errors import FileError, SettingError
from segue.io.library_mark import is_library
from segue.library.connection import Store
from segue.library.documents import digest, skeleton_document
from segue.motion.clip import Clip
from segue.motion.samples import SAMPLE_PREFIX
from segue.motion.skeleton import Skeleton
from segue.threads import silent

if TYPE_CHECKING:
    from segue.library.clips import ClipEntry
    from segue.library.library import Library
    from segue.library.pair_rows import LibraryPairs


IN_LIBRARY = "library"
"""Key in `SourceFormat.extra` for the `KeptClip` of a clip read from a library."""
READ_FROM = "read_from"
"""Key for the `KeptClip` of the original of a clip that was changed after it was read."""
_SUFFIX = ".segue"


@dataclass(frozen=True)
class KeptClip:
    """Place of a clip in a library: the library's full path, the clip's name in it, the SHA-256 of its content."""

    library: str
    clip: str
    digest: str


@dataclass(frozen=True)
class InLibrary:
    """A library, or one clip in it."""

    path: Path
    clip: str | None = None

    @property
    def word(self) -> str:
        """Full name on the command line."""
        return str(self.path.resolve()) + ("" if self.clip is None else f"#{self.clip}")

    def holds(self, word: str) -> bool:
        """Return whether a full name is a clip of this library, or this clip."""
        return word == self.word if self.clip is not None else word.startswith(f"{self.word}#")


def in_library(item: str | Path) -> InLibrary | None:
    """Return the library, and the clip in it, that an input names; None if it names something else.

    Raises
    ------
    FileError
        If a file has the extension of a library but is not one.

    Examples
    --------
    >>> in_library("sample:walk") is in_library("walk.bvh") is None
    True
    """
    text = str(item)
    if text.startswith(SAMPLE_PREFIX):
        return None
    cuts = [len(text), *(k for k, letter in enumerate(text) if letter == "#")]
    for cut in cuts:
        path = Path(text[:cut])
        if cut and is_library(path):
            return InLibrary(path, text[cut + 1 :] if cut < len(text) else None)
        if cut and path.suffix.lower() == _SUFFIX and path.is_file():
            open_library(path).close()  # raises an error that names its type
    return None


def open_library(path: Path) -> Library:
    """Open a library for reading.

    Raises
    ------
    FileError
        If it is not a library, or cannot be read.
    """
    from segue.library.library import Library

    return Library.open(path, mode="r")


def in_order(library: Library) -> tuple[ClipEntry, ...]:
    """Return the entries of a library's clips in the order in which their names were first added."""
    first: dict[str, int] = {}
    for entry in library.clips(old=True):
        first[entry.name] = min(entry.id, first.get(entry.name, entry.id))
    return tuple(sorted(library.clips(), key=lambda entry: first[entry.name]))


def from_library(
    places: Sequence[InLibrary], *, on_clip: Callable[[int, int], None] = silent
) -> tuple[dict[str, Clip], tuple[tuple[str, str], ...]]:
    """Return clips of libraries by their full names on the command line, and damaged clips with the reason.

    ``on_clip`` is called before each clip with its number and their count.

    Raises
    ------
    FileError
        If a library cannot be read or holds no clips, or a clip named in ``places`` is damaged.
    SettingError
        If a library does not hold one of the clips; names the nearest.
    """
    out: dict[str, Clip] = {}
    skipped: list[tuple[str, str]] = []
    with ExitStack() as stack:
        libraries: dict[Path, Library] = {}
        wanted: list[tuple[Library, ClipEntry, InLibrary]] = []
        for place in places:
            path = place.path.resolve()
            if path not in libraries:
                libraries[path] = stack.enter_context(open_library(place.path))
            library = libraries[path]
            if place.clip is not None:
                wanted.append((library, _entry(library, place.clip), place))
                continue
            entries = in_order(library)
            if not entries:
                raise FileError(place.path, "holds no clips yet; add some with segue library add")
            wanted += [(library, entry, InLibrary(place.path, entry.name)) for entry in entries]
        named = {place.word for place in places}
        for number, (library, entry, place) in enumerate(wanted):
            on_clip(number, len(wanted))
            try:
                out[place.word] = kept(library, entry, place)
            except FileError as error:
                if place.word in named:
                    raise
                skipped.append((place.word, str(error)))
    return out, tuple(skipped)


def _entry(library: Library, word: str) -> ClipEntry:
    """Return the entry of a clip by name, or by name and version (``walk@2``)."""
    try:
        return library.entry(word)
    except SettingError:
        versioned = re.fullmatch(r"(.+)@(\d{1,9})", word, re.DOTALL)
        if versioned is None or all(entry.name != versioned[1] for entry in library.clips()):
            raise
        return library.entry(versioned[1], version=int(versioned[2]))


def kept(library: Library, entry: ClipEntry, place: InLibrary) -> Clip:
    """Return a clip with its place in the library in its source, and with itself as the origin of its frames."""
    clip = library.clip(entry.name, version=entry.version)
    where = KeptClip(str(place.path.resolve()), entry.name, entry.digest)
    extra: Mapping[str, Any] = clip.source.extra if clip.source is not None else {}
    return clip.renamed(entry.name).with_source(path=place.word, extra={**extra, IN_LIBRARY: where})


def word_of(library: Library, name: str, digest: str) -> str | None:
    """Return the command-line name of the clip with this content, preferring this name; None if there is none."""
    same = [entry for entry in library.clips(old=True) if entry.digest == digest]
    if not same:
        return None
    best = max(same, key=lambda entry: (entry.name == name, entry.current, entry.version))
    return f"{library.path}#{best.name}" + ("" if best.current else f"@{best.version}")


def kept_in(clip: Clip) -> KeptClip | None:
    """Return the place of a clip in a library; None if it was not read from one."""
    found = clip.source.extra.get(IN_LIBRARY) if clip.source is not None else None
    return found if isinstance(found, KeptClip) else None


PATIENCE = 2.0
"""Seconds to wait for another process that writes: storing compared pairs is optional."""
_log = logging.getLogger("segue.library")


@contextmanager
def kept_pairs(
    clips: Sequence[Clip], verdicts: Sequence[Sequence[Any]] | None = None
) -> Iterator[LibraryPairs | None]:
    """Yield the store of compared pairs for a graph of clips; None if no clip was read from a library.

    Of several libraries, the one with most of the clips is used. If it cannot be written, it is only read, and a log
    message reports that new pairs are not stored.

    Parameters
    ----------
    clips
        Clips as `segue.app.stages.read` returns them.
    verdicts
        Verdicts on points: clip and frame left, clip and frame entered, good or bad; by default the library's.
    """
    library = _opened(clips)
    if library is None:
        yield None
        return
    with library:
        place = str(library.path.resolve())
        find = _Finder(library.store, place)
        from segue.library.pair_rows import LibraryPairs

        pairs = LibraryPairs(library.store, find, must_keep=False, verdicts=verdicts)
        with pairs:
            yield pairs
        if pairs.trouble:
            _log.warning("%s; what was compared now is not kept", pairs.trouble)


def verdicts_of(clips: Sequence[Clip]) -> tuple[tuple[str, int, str, int, bool], ...]:
    """Return a person's verdicts on points between clips read from a library, by the names of ``clips``."""
    library = _opened(clips, mode="r")
    if library is None:
        return ()
    with library, library.store.reading() as db:
        find = _Finder(library.store, str(library.path.resolve()))
        names = {number: clip.name for clip in clips if (number := find(clip)) is not None}
        rows = db.execute("SELECT a_clip, a_frame, b_clip, b_frame, good FROM verdict")
        return tuple(
            (names[a], a_frame, names[b], b_frame, bool(good))
            for a, a_frame, b, b_frame, good in rows
            if a in names and b in names
        )


def _opened(clips: Sequence[Clip], mode: str = "w") -> Library | None:
    """Open the library that most of the clips come from, for writing if possible; None if there is none."""
    from segue.library.library import Library

    places = Counter(kept.library for clip in clips if (kept := kept_in(clip)) is not None)
    if not places:
        return None
    place = places.most_common(1)[0][0]
    if mode == "w":
        try:
            return Library.open(place, create=False, patience=PATIENCE, say=silent)
        except FileError as error:
            _log.info("%s", error)
    return Library.open(place, mode="r")


class _Finder:
    """Finds the id of a clip in one library; None if the clip was changed since it was read."""

    def __init__(self, store: Store, place: str) -> None:
        self._store = store
        self._place = place
        self._digests: dict[int, tuple[Skeleton, str]] = {}

    def __call__(self, clip: Clip) -> int | None:
        kept = kept_in(clip)
        if kept is None or kept.library != self._place:
            return None
        return self._row(clip, kept)

    def _row(self, clip: Clip, kept: KeptClip) -> int | None:
        body = clip.skeleton
        if id(body) not in self._digests:
            self._digests[id(body)] = body, digest(skeleton_document(body))
        found: int | None = self._store.value(
            "SELECT clip.id FROM clip JOIN skeleton ON skeleton.id = skeleton_id WHERE name = ? AND current "
            "AND content_sha256 = ? AND skeleton.digest = ? AND n_frames = ? AND fps = ?",
            *(kept.clip, kept.digest, self._digests[id(body)][1], clip.n_frames, clip.fps),
        )
        return found
