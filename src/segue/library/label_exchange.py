"""Labels of a library from a table and into one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from segue.library.choosing import chosen, extents
from segue.library.label_files import ToldLabel, read_labels, write_labels

if TYPE_CHECKING:
    from segue.library.clips import ClipEntry
    from segue.library.library import Library


@dataclass(frozen=True)
class Imported:
    """What became of what a file holds: what is ``new``, the ``same`` as before, and skipped with the reason."""

    new: tuple[str, ...] = ()
    same: tuple[str, ...] = ()
    skipped: tuple[tuple[str, str], ...] = ()


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


def told_labels(entries: Iterable[ClipEntry]) -> tuple[ToldLabel, ...]:
    """Labels of clips as a table holds them."""
    return tuple(
        ToldLabel(entry.name, label.text, label.start_frame, label.stop_frame)
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
        told_labels(entries), path, clips=extents(library), seconds=seconds, overwrite=overwrite
    )
