"""Methods of `Library` for elementary motions and sequences."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from segue.errors import SettingError

if TYPE_CHECKING:
    from segue.library.connection import Store
    from segue.library.elements import KeptSequence
    from segue.sequencing.proposing import ElementRange


class Choreography:
    """Base class of `Library` with the methods for elementary motions and sequences."""

    store: Store

    def elements(self, clip: str | None = None) -> tuple[ElementRange, ...]:
        """Return the elementary motions of all clips, or of one, in the order of their frames."""
        from segue.library import elements
        from segue.library.clips import entry

        with self.store.reading():
            number = None if clip is None else entry(self.store, clip).id
            return tuple(elements.elements(self.store, clip_id=number).values())

    def element(self, name: str) -> ElementRange:
        """Return one elementary motion by name.

        Raises
        ------
        SettingError
            If there is none; names the nearest.
        """
        from segue.library.elements import elements, unknown

        known = elements(self.store)
        if name not in known:
            raise SettingError(unknown(name, known))
        return known[name]

    def add_elements(self, elements: Iterable[ElementRange]) -> tuple[str, ...]:
        """Store elementary motions, all or none, replacing those of the same name; return the names of new ones.

        Raises
        ------
        SettingError
            If a clip is not in the library, a range is outside its clip, or a name belongs to a motion of another clip.

        Examples
        --------
        >>> import segue, tempfile, pathlib
        >>> from segue.sequencing.proposing import propose
        >>> walk = segue.sample("walk")
        >>> with segue.Library.open(pathlib.Path(tempfile.mkdtemp()) / "moves.segue") as library:
        ...     added = library.add("sample:walk")
        ...     new = library.add_elements(propose(walk))
        ...     again = library.add_elements(propose(walk))
        >>> new, again
        (('walk 1', 'walk 2'), ())
        """
        from segue.library.clips import entry
        from segue.library.elements import checked_element, write_element

        new = []
        with self.store.writing():
            for one in elements:
                clip = entry(self.store, one.clip)
                element = checked_element(one, clip.n_frames)
                if write_element(self.store, element, clip.id):
                    new.append(element.name)
        return tuple(new)

    def remove_element(self, name: str) -> None:
        """Remove an elementary motion.

        Raises
        ------
        SettingError
            If there is none of that name, or a sequence plays it.
        """
        from segue.library import elements

        elements.remove_element(self.store, name)

    def sequences(self) -> tuple[KeptSequence, ...]:
        """Return all sequences, sorted by name."""
        from segue.library import elements

        return tuple(elements.sequences(self.store).values())

    def add_sequence(self, sequence: KeptSequence) -> bool:
        """Store a sequence, replacing one of the same name; return whether the library changed.

        Raises
        ------
        SettingError
            If it plays a motion that is not in the library.
        """
        from segue.library import elements

        return elements.write_sequence(self.store, sequence)

    def remove_sequence(self, name: str) -> None:
        """Remove a sequence; its elementary motions stay.

        Raises
        ------
        SettingError
            If there is none of that name.
        """
        from segue.library import elements

        elements.remove_sequence(self.store, name)
