"""Elementary motions and sequences of the opened project: in its library, else in memory until the studio closes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from threading import RLock

from segue.app.demo import DEMO_ELEMENTS, DEMO_NAME, DEMO_SEQUENCE
from segue.app.elements import Elements, motion_of
from segue.app.sequencing import ScriptedSequence
from segue.app.stages import Collection
from segue.errors import SettingError, nearest
from segue.library.element_files import SequenceDocument, kept_sequence, sequence_document
from segue.library.elements import checked_element, unknown
from segue.motion.clip import Clip
from segue.sequencing.elements import ElementaryMotion
from segue.sequencing.proposing import ElementRange
from segue.studio.project import Project
from segue.studio.recent import Recent

_MOTIONS = 400
"""Most elementary motions kept in memory with their frames."""


class ElementStore:
    """Elementary motions and sequences by name.

    Examples
    --------
    >>> from pathlib import Path
    >>> store = ElementStore(Project(None, Path("exports")))
    >>> store.ranges()["stride"].clip, list(store.sequences())
    ('walk', ['first steps'])
    """

    def __init__(self, project: Project) -> None:
        self.project = project
        self._lock = RLock()
        embedded = project.kind == "samples"
        self._ranges = {one.name: one for one in DEMO_ELEMENTS} if embedded else {}
        self._sequences = {DEMO_NAME: DEMO_SEQUENCE} if embedded else {}
        self._read = False
        self._motions: Recent[tuple[Clip, ElementaryMotion]] = Recent(_MOTIONS)

    @property
    def kept(self) -> bool:
        """Whether motions and sequences are stored in a library."""
        return self.project.kind == "library"

    def ranges(self, *, again: bool = False) -> dict[str, ElementRange]:
        """Return the elementary motions by name; ``again`` reads the library again."""
        with self._lock:
            if self.kept and (again or not self._read):
                with self.project.library() as library:
                    self._ranges = {one.name: one for one in library.elements()}
                    path = library.store.path
                    self._sequences = {one.name: sequence_document(one, path) for one in library.sequences()}
                self._read = True
            return dict(self._ranges)

    def sequences(self) -> dict[str, SequenceDocument]:
        """Return the sequences by name."""
        self.ranges()
        with self._lock:
            return dict(self._sequences)

    def sequence(self, name: str) -> SequenceDocument:
        """Return a sequence.

        Raises
        ------
        SettingError
            If no sequence has that name.
        """
        known = self.sequences()
        if name not in known:
            raise SettingError(f"no sequence is called {name!r}; {nearest(name, known)}")
        return known[name]

    def element(self, name: str) -> ElementRange:
        """Return the range of an elementary motion.

        Raises
        ------
        SettingError
            If no elementary motion has that name.
        """
        known = self.ranges()
        if name not in known:
            raise SettingError(unknown(name, known))
        return known[name]

    def with_cores(
        self, names: Iterable[str], cores: Mapping[str, tuple[int, int]]
    ) -> dict[str, ElementRange]:
        """Return the ranges of elementary motions, with cores replaced by those given (half open, from motion start).

        Raises
        ------
        SettingError
            If a name is unknown, or a core does not lie within its motion.
        """
        out = {}
        for name in names:
            one = self.element(name)
            if name in cores:
                first, stop = cores[name]
                found = replace(
                    one,
                    core_start_frame=one.start_frame + first,
                    core_stop_frame=one.start_frame + stop,
                )
                one = checked_element(found, one.stop_frame)
            out[name] = one
        return out

    def motion(self, element: ElementRange) -> ElementaryMotion:
        """Return an elementary motion with its frames: the same object while range and clip are the same."""
        clip = self.project.clip(element.clip)
        known = self._motions.get(element)
        if known is not None and known[0] is clip:
            return known[1]
        checked_element(element, clip.n_frames)
        made = motion_of(element, clip)
        self._motions.put(element, (clip, made))
        return made

    def script(
        self, name: str, document: SequenceDocument, cores: Mapping[str, tuple[int, int]]
    ) -> ScriptedSequence:
        """Return a sequence with the elementary motions that it plays."""
        ranges = self.with_cores(dict.fromkeys(one.motion for one in document.motions), cores)
        motions = {word: self.motion(one) for word, one in ranges.items()}
        clips = {one.clip: self.project.clip(one.clip) for one in ranges.values()}
        return ScriptedSequence(name, document, Elements(motions, ranges, Collection(tuple(clips.values()))))

    def keep(self, name: str, document: SequenceDocument, cores: Mapping[str, tuple[int, int]]) -> None:
        """Keep a sequence, replacing one of the same name, and the cores of its motions."""
        ranges = self.with_cores(dict.fromkeys(one.motion for one in document.motions), cores)
        kept = kept_sequence(name, document)
        with self._lock:
            known = self.ranges()
            others = [one for word, one in ranges.items() if known[word] != one]
            if self.kept:
                with self.project.library("w") as library:
                    if others:
                        library.add_elements(others)
                    library.add_sequence(kept)
            self._ranges.update({one.name: one for one in others})
            self._sequences[kept.name] = document

    def forget(self, name: str) -> None:
        """Remove a sequence, if there is one of that name."""
        with self._lock:
            if name not in self.sequences():
                return
            if self.kept:
                with self.project.library("w") as library:
                    library.remove_sequence(name)
            del self._sequences[name]

    def add(self, elements: Iterable[ElementRange]) -> None:
        """Keep elementary motions."""
        found = list(elements)
        with self._lock:
            if self.kept:
                with self.project.library("w") as library:
                    library.add_elements(found)
            self._ranges.update({one.name: one for one in found})

    def remove(self, name: str) -> None:
        """Remove an elementary motion.

        Raises
        ------
        SettingError
            If no elementary motion has that name, or a sequence plays it.
        """
        with self._lock:
            self.element(name)
            for sequence, document in self.sequences().items():
                if any(one.motion == name for one in document.motions):
                    msg = f"{name!r} is played by the sequence {sequence!r}; remove it there first"
                    raise SettingError(msg)
            if self.kept:
                with self.project.library("w") as library:
                    library.remove_element(name)
            del self._ranges[name]
