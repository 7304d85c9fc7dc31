"""How much is in a library, and the room it takes on the disk."""

from __future__ import annotations

from dataclasses import dataclass

from segue.library.connection import Store

_COUNTS = {
    "clips": "SELECT count(*) FROM clip WHERE current",
    "older": "SELECT count(*) FROM clip WHERE NOT current",
    "frames": "SELECT coalesce(sum(n_frames), 0) FROM clip WHERE current",
    "seconds": "SELECT coalesce(sum((n_frames - 1) / fps), 0.0) FROM clip WHERE current",
    "unusable": "SELECT coalesce(sum(unusable), 0) FROM clip WHERE current",
    "skeletons": "SELECT count(*) FROM skeleton",
    "labels": "SELECT count(*) FROM label JOIN clip ON clip.id = clip_id WHERE current",
    "tags": "SELECT count(*) FROM tag JOIN clip ON clip.id = clip_id WHERE current",
    "pairs": "SELECT count(*) FROM pair",
    "points": "SELECT count(*) FROM point",
}


@dataclass(frozen=True)
class Stats:
    """Counts of a library.

    Of its current clips: ``clips``, ``frames``, ``seconds``, ``unusable`` frames, ``labels``, ``tags``. Further
    ``older`` versions, ``skeletons``, compared ``pairs``, transition ``points``; ``bytes`` of the file, and ``free``
    bytes in it that `Library.compact` gives back.
    """

    clips: int
    older: int
    frames: int
    seconds: float
    unusable: int
    skeletons: int
    labels: int
    tags: int
    pairs: int
    points: int
    bytes: int
    free: int


def stats(store: Store) -> Stats:
    """Count what is in a library, in one view of it."""
    with store.reading():
        counts = {name: store.value(sql) for name, sql in _COUNTS.items()}
        page = store.value("PRAGMA page_size")
        return Stats(
            **counts,
            bytes=page * store.value("PRAGMA page_count"),
            free=page * store.value("PRAGMA freelist_count"),
        )


def compact(store: Store) -> int:
    """Write the file anew without the room of what was removed; return how many bytes it lost."""
    before = stats(store).bytes
    store.begin()  # waits for other writers, and refuses where nothing may be written
    store.rollback()
    with store.errors():
        store.db.execute("VACUUM")
        store.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return before - stats(store).bytes
