"""Which clips of a library are meant, and how long they are; no frame is read."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from segue.library.label_files import Extent

if TYPE_CHECKING:
    from segue.library.clips import ClipEntry
    from segue.library.library import Library


def chosen(library: Library, names: Sequence[str]) -> tuple[ClipEntry, ...]:
    """Entries of clips by their names or by patterns (``16_*``), each once; all where none is named.

    Raises
    ------
    SettingError
        If a name or a pattern means no clip; names the nearest.
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
    """How long each clip is."""
    return {entry.name: Extent(entry.n_frames, entry.fps) for entry in library.clips()}
