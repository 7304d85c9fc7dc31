"""Pairs for a graph of clips that were read from a library: what it has is used, what is new is kept in it."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from segue.errors import FileError
from segue.library.connection import Store
from segue.library.documents import digest, skeleton_document
from segue.library.inputs import Kept, kept_in
from segue.library.library import Library
from segue.library.pair_rows import LibraryPairs
from segue.motion.clip import Clip
from segue.motion.skeleton import Skeleton

PATIENCE = 2.0
"""Seconds to wait for another process that writes: what was compared is worth keeping, and no more."""
_log = logging.getLogger("segue.library")


@contextmanager
def kept_pairs(
    clips: Sequence[Clip], said: Sequence[Sequence[Any]] | None = None
) -> Iterator[LibraryPairs | None]:
    """Store for a graph of some clips; None if none was read from a library.

    Of several libraries the one that most of them come from is asked. If it cannot be written, it is read, and it is
    logged that nothing was kept.

    Parameters
    ----------
    clips
        Clips as `segue.app.stages.read` gives them.
    said
        What a person said of points: clip and frame left, clip and frame entered, good or bad; by default what the
        library holds of it.
    """
    library = _opened(clips)
    if library is None:
        yield None
        return
    with library:
        place = str(library.path.resolve())
        find = _Finder(library.store, place)
        pairs = LibraryPairs(library.store, find, must_keep=False, said=said)
        with pairs:
            yield pairs
        if pairs.trouble:
            _log.warning("%s; what was compared now is not kept", pairs.trouble)


def said_of(clips: Sequence[Clip]) -> tuple[tuple[str, int, str, int, bool], ...]:
    """What a person said of points between clips that were read from a library, by the names they have here."""
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
    """Library that most of the clips come from, for writing if that can be."""
    places = Counter(kept.library for clip in clips if (kept := kept_in(clip)) is not None)
    if not places:
        return None
    place = places.most_common(1)[0][0]
    if mode == "w":
        try:
            return Library.open(place, create=False, patience=PATIENCE, say=lambda _: None)
        except FileError as error:
            _log.info("%s", error)
    return Library.open(place, mode="r")


class _Finder:
    """Row of a clip in one library, if it is as it was read."""

    def __init__(self, store: Store, place: str) -> None:
        self._store = store
        self._place = place
        self._digests: dict[int, tuple[Skeleton, str]] = {}

    def __call__(self, clip: Clip) -> int | None:
        kept = kept_in(clip)
        if kept is None or kept.library != self._place:
            return None
        return self._row(clip, kept)

    def _row(self, clip: Clip, kept: Kept) -> int | None:
        body = clip.skeleton
        if id(body) not in self._digests:
            self._digests[id(body)] = body, digest(skeleton_document(body))
        found: int | None = self._store.value(
            "SELECT clip.id FROM clip JOIN skeleton ON skeleton.id = skeleton_id WHERE name = ? AND current "
            "AND content_sha256 = ? AND skeleton.digest = ? AND n_frames = ? AND fps = ?",
            *(kept.clip, kept.digest, self._digests[id(body)][1], clip.n_frames, clip.fps),
        )
        return found
