"""Elementary motions and sequences as TOML files, written by hand or exported from a library.

A file holds ``[[elements]]``: each a name, a clip (a file in the same folder, ``moves.segue#jab``, ``sample:walk``, or
the name of a clip in the importing library), ``seconds`` or ``frames`` of the clip, ``core`` in seconds or
``core_frames``, and ``tags``. A sequence consists of ``[[motions]]``, each with ``motion``, ``at``, ``priority`` and
``smoothness``, and of ``smoothness`` and ``method`` for the entire sequence; ``sources`` names further files of
elements and libraries. ``[sequences.NAME]`` holds further sequences.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import msgspec

from segue.documents import as_kind, decode_toml, toml_text
from segue.errors import FileError, SettingError
from segue.io.text import write_whole
from segue.library.elements import KeptSequence, checked_element
from segue.library.labels import Extent, checked_frames, frames_between, worded
from segue.motion.clip import Clip
from segue.sequencing.proposing import ElementRange, proposed_core
from segue.sequencing.script import SMOOTHNESS, Placement, SequenceMethod, SequenceScript
from segue.tables import table_text

MOST = 10_000
"""Most elementary motions, or motions of a sequence, in one file."""
_DEEPEST = 8  # most levels of nested sources
LONGEST = 3600.0
"""Most seconds of a sequence."""
_Word = Annotated[str, msgspec.Meta(min_length=1, max_length=1000)]
_Second = Annotated[float, msgspec.Meta(ge=0.0, le=1e6)]
_Frame = Annotated[int, msgspec.Meta(ge=0, le=1_000_000_000)]
_Share = Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]
_At = Annotated[float, msgspec.Meta(ge=0.0, le=LONGEST)]
_Priority = Annotated[int, msgspec.Meta(ge=-1_000_000, le=1_000_000)]
_ELEMENTS_HINT = (
    '[[elements]] with name = "jab", clip = "take.bvh", seconds = [1.0, 2.5] and core = [1.4, 1.9] would work'
)
_MOTIONS_HINT = '[[motions]] with motion = "jab" and at = 1.5 would work'


class GivenElement(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An elementary motion as given in a file: a clip by name or word, and a range in seconds or frames."""

    name: _Word
    clip: _Word
    seconds: tuple[_Second, _Second] | None = None
    frames: tuple[_Frame, _Frame] | None = None
    core: tuple[_Second, _Second] | None = None
    core_frames: tuple[_Frame, _Frame] | None = None
    tags: Annotated[list[_Word], msgspec.Meta(max_length=100)] = []  # a copy for each


class ScriptedMotion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One motion of a sequence: ``at`` is the second at which its core begins, None for as soon as possible."""

    motion: _Word
    at: _At | None = None
    priority: _Priority = 0
    smoothness: _Share | None = None


class SequenceDocument(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A sequence: its motions in any order, its smoothness (0 to 1), and the method that joins the motions."""

    motions: Annotated[list[ScriptedMotion], msgspec.Meta(min_length=1, max_length=MOST)]
    smoothness: _Share = SMOOTHNESS
    method: SequenceMethod = "optimal"

    @property
    def script(self) -> SequenceScript:
        """Script of the document."""
        placed = (Placement(one.motion, one.at, one.priority, one.smoothness) for one in self.motions)
        return SequenceScript(tuple(placed), self.smoothness, self.method)


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    elements: Annotated[list[GivenElement], msgspec.Meta(max_length=MOST)] = []
    sources: Annotated[list[_Word], msgspec.Meta(max_length=1000)] = []
    motions: Annotated[list[ScriptedMotion], msgspec.Meta(max_length=MOST)] = []
    smoothness: _Share = SMOOTHNESS
    method: SequenceMethod = "optimal"
    sequences: dict[_Word, SequenceDocument] = {}  # a copy for each


@dataclass(frozen=True)
class ElementFile:
    """A file of elementary motions and sequences.

    Parameters
    ----------
    path
        The file.
    elements
        Elementary motions as given.
    sources
        Further files and libraries of elementary motions, as named in the file.
    sequences
        Sequences by name; one at the top level is named after the file's stem.
    lines
        Line of each ``[[elements]]`` and each ``[[motions]]``, from 1; fewer if they are not written as such tables.
    """

    path: Path
    elements: tuple[GivenElement, ...]
    sources: tuple[str, ...] = ()
    sequences: Mapping[str, SequenceDocument] = field(default_factory=dict)
    lines: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    def error(self, table: str, number: int, message: str) -> FileError:
        """Return an error for one table of the file, with its line if known."""
        lines = self.lines.get(table, ())
        if number < len(lines):
            return FileError(self.path, message, line=lines[number])
        return FileError(self.path, f"{table}[{number}]: {message}")


def read_elements(path: str | Path, *, text: str | None = None) -> ElementFile:
    r"""Read a file of elementary motions and sequences; ``text`` is its text if already read.

    Raises
    ------
    FileError
        If it cannot be read, does not fit (with the place in it), or two elementary motions have one name.

    Examples
    --------
    >>> text = '[[elements]]\nname = "step"\nclip = "sample:walk"\nseconds = [1.0, 2.0]\n'
    >>> read_elements("moves.toml", text=text).elements[0].seconds
    (1.0, 2.0)
    """
    path = Path(path)
    words = table_text(path) if text is None else text
    document = decode_toml(words.encode("utf-8", "surrogatepass"), dict[str, Any], path, hint=_ELEMENTS_HINT)
    known = as_kind(document, _File, path, hint=_MOTIONS_HINT if "motions" in document else _ELEMENTS_HINT)
    lines = {
        table: tuple(
            number
            for number, line in enumerate(words.split("\n"), 1)
            if re.match(rf"\s*\[\[\s*{table}\s*\]\]", line)
        )
        for table in ("elements", "motions")
    }
    sequences = dict(known.sequences)
    if known.motions:
        if path.stem in sequences:
            raise FileError(path, f"holds two sequences {path.stem!r}: one at its top, one in [sequences]")
        sequences[path.stem] = SequenceDocument(known.motions, known.smoothness, known.method)
    out = ElementFile(path, tuple(known.elements), tuple(known.sources), sequences, lines)
    if not (out.elements or out.sequences):
        raise FileError(path, f"holds neither elementary motions nor a sequence; {_ELEMENTS_HINT}")
    first: dict[str, int] = {}
    for number, one in enumerate(out.elements):
        if one.name in first:
            raise out.error("elements", number, f"the name {one.name!r} is given twice; names are unique")
        first[one.name] = number
    return out


def files_of(path: Path) -> tuple[ElementFile, ...]:
    """Return a file and the TOML files that it names as sources, sources first, each once.

    Raises
    ------
    FileError
        As `read_elements`; or if files name one another in a circle or nest too deep.
    """
    out: dict[Path, ElementFile] = {}

    def take(one: Path, asking: tuple[Path, ...]) -> None:
        file = read_elements(one)
        if len(asking) > _DEEPEST or one.resolve() in asking:
            raise FileError(asking[-1], f"its sources lead to {one.name} and back")
        for word in file.sources:
            if Path(word).suffix.lower() == ".toml":
                take(file.path.parent / word, (*asking, one.resolve()))
        out.setdefault(one.resolve(), file)

    take(path, ())
    return tuple(out.values())


def range_of(given: GivenElement, clip: str, extent: Extent, *, motion: Callable[[], Clip]) -> ElementRange:
    """Return the range of an elementary motion in its clip; a core that is not given is proposed.

    Parameters
    ----------
    given
        The elementary motion as given in a file.
    clip
        Name of the clip.
    extent
        Length of the clip.
    motion
        Returns the clip; called only if the core must be proposed.

    Raises
    ------
    SettingError
        If a range is outside the clip, or given both in seconds and in frames.
    """
    for one, other in (("seconds", "frames"), ("core", "core_frames")):
        if getattr(given, one) is not None and getattr(given, other) is not None:
            msg = f"{given.name!r} is given {one} and {other}; one of them is enough"
            raise SettingError(msg)
    try:
        if given.seconds is not None:
            start, stop = frames_between(*_to_end(given.seconds, extent), extent)
        else:
            start, stop = checked_frames(*(given.frames or (0, extent.n_frames)), extent.n_frames)
        if given.core is not None:
            first, last = (round(second * extent.fps) for second in given.core)
        elif given.core_frames is not None:
            first, last = given.core_frames
        else:
            first, last = proposed_core(motion(), start_frame=start, stop_frame=stop)
    except SettingError as error:
        msg = f"{given.name!r}: {error}"
        raise SettingError(msg) from None
    if not start <= first <= last <= stop:
        seconds = given.core is not None
        unit = "s" if seconds else ""
        scale = extent.fps if seconds else 1
        msg = (
            f"the core of {given.name!r} ({_span(first, last, scale)}{unit}) must lie within its range "
            f"({_span(start, stop, scale)}{unit}); both count from the beginning of the clip"
        )
        raise SettingError(msg)
    found = ElementRange(given.name, clip, start, stop, first, last, tuple(given.tags))
    return checked_element(found, extent.n_frames)


def _to_end(seconds: tuple[float, float], extent: Extent) -> tuple[float, float | None]:
    """Return seconds for `frames_between`; a stop at the displayed length of the clip includes the last frame."""
    start, stop = seconds
    last = (extent.n_frames - 1) / extent.fps
    return start, None if last - 1e-9 <= stop <= last + 0.005 + 1 / extent.fps else stop


def _span(first: float, last: float, scale: float) -> str:
    return f"{first / scale:g} to {last / scale:g}{' ' if scale != 1 else ''}"


def elements_text(
    elements: Iterable[tuple[ElementRange, float]],
    *,
    sequences: Iterable[KeptSequence] = (),
    word: Callable[[str], str] = str,
) -> str:
    r"""Return elementary motions, each with the rate of its clip, and sequences as TOML for `read_elements`.

    Ranges are written in frames, which are exact, with seconds as comments for readers.

    Examples
    --------
    >>> print(elements_text([(ElementRange("step", "walk", 60, 120, 80, 100), 60.0)]))
    # Elementary motions: a name, a clip, its frames (half open) and those of its core, which is kept as it is.
    <BLANKLINE>
    [[elements]]
    name = "step"
    clip = "walk"
    frames = [60, 120]       # 1.00 to 2.00 s
    core_frames = [80, 100]  # 1.33 to 1.67 s
    <BLANKLINE>
    """
    lines = [
        "# Elementary motions: a name, a clip, its frames (half open) and those of its core, which is kept as it is."
    ]
    for one, fps in elements:
        spans = {
            "frames": (one.start_frame, one.stop_frame),
            "core_frames": (one.core_start_frame, one.core_stop_frame),
        }
        rows = [f"{key} = [{a}, {b}]" for key, (a, b) in spans.items()]
        width = max(map(len, rows))
        lines += [
            "",
            "[[elements]]",
            f"name = {toml_text(one.name)}",
            f"clip = {toml_text(word(one.clip))}",
            *(
                f"{row.ljust(width)}  # {a / fps:.2f} to {b / fps:.2f} s"
                for row, (a, b) in zip(rows, spans.values(), strict=True)
            ),
            *([f"tags = [{', '.join(map(toml_text, one.tags))}]"] if one.tags else []),
        ]
    for sequence in sequences:
        lines += ["", *_sequence_lines(sequence)]
    return "\n".join(lines) + "\n"


def _sequence_lines(sequence: KeptSequence) -> list[str]:
    document = as_kind(sequence.document, SequenceDocument, None, what=f"the sequence {sequence.name!r}")
    name = toml_text(sequence.name)
    lines = [
        f"[sequences.{name}]",
        f"smoothness = {document.smoothness!r}",
        f"method = {toml_text(document.method)}",
    ]
    for one in document.motions:
        lines += ["", f"[[sequences.{name}.motions]]", f"motion = {toml_text(one.motion)}"]
        lines += [f"at = {one.at!r}"] if one.at is not None else []
        lines += [f"priority = {one.priority}"] if one.priority else []
        lines += [f"smoothness = {one.smoothness!r}"] if one.smoothness is not None else []
    return lines


def write_elements(
    path: Path,
    elements: Iterable[tuple[ElementRange, float]],
    *,
    sequences: Iterable[KeptSequence] = (),
    word: Callable[[str], str] = str,
) -> None:
    """Write elementary motions and sequences as a TOML file, completely or not at all."""
    text = elements_text(elements, sequences=sequences, word=word)
    write_whole(path, text.encode("utf-8", "replace"))


def kept_sequence(name: str, given: SequenceDocument) -> KeptSequence:
    """Return a sequence as stored in a library.

    Raises
    ------
    SettingError
        If its name is not valid.
    """
    return KeptSequence(worded(name, "name of a sequence"), msgspec.to_builtins(given))


def sequence_document(sequence: KeptSequence, place: Path) -> SequenceDocument:
    """Return the typed document of a sequence stored in a library.

    Raises
    ------
    FileError
        If it does not fit; ``place`` is the library.
    """
    return as_kind(sequence.document, SequenceDocument, place, what=f"the sequence {sequence.name!r}")
