"""Transitions as text files in the MoGra format: reading, writing, import into and export from a library."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from segue.arrays import Bools, Floats, Ints
from segue.costs.protocol import Cost, Prepared
from segue.costs.registry import cost as cost_named
from segue.errors import FileError, SegueError, SettingError, nearest
from segue.io.text import write_whole
from segue.library.library import Imported, Library, chosen
from segue.library.points import take_verdicts
from segue.settings import SearchSettings
from segue.tables import lines_of, table_text
from segue.transitions.pruning import blend_cells
from segue.transitions.transition import TransitionPoint

_HEAD = re.compile(r"transitions\s*:\s*(.*)", re.IGNORECASE)
_TITLE = re.compile(
    r"mogra\s*\.\s*transitions\s*:?", re.IGNORECASE
)  # optional first line: the name of the format
_NAME = re.compile(r'"([^"]*)"|(\S+)')
_MOST_WORDS = 100  # of two names
_LONGEST = 15  # most digits of a frame or a count


@dataclass(frozen=True, slots=True)
class GivenTransition:
    """One transition of a file: from ``a_frame`` of clip A to ``b_frame`` of clip B.

    ``verified`` is False for a mirror that the reader added. ``line`` is its line in the file, 0 if it has none, and is
    ignored when transitions are compared.

    Examples
    --------
    >>> GivenTransition("walk", "run", 40, 12).mirror()
    GivenTransition(a_clip='run', b_clip='walk', a_frame=12, b_frame=40, verified=False)
    """

    a_clip: str
    b_clip: str
    a_frame: int
    b_frame: int
    verified: bool = True
    line: int = field(default=0, compare=False, repr=False)

    @property
    def key(self) -> tuple[str, str, int, int]:
        """Both clips and frames, which identify the transition."""
        return self.a_clip, self.b_clip, self.a_frame, self.b_frame

    def mirror(self) -> GivenTransition:
        """Return the transition back, unverified."""
        return GivenTransition(
            self.b_clip, self.a_clip, self.b_frame, self.a_frame, verified=False, line=self.line
        )


def read_mogra(path: str | Path, frames: Mapping[str, int] | None = None) -> tuple[GivenTransition, ...]:
    r"""Read a file of transitions, and add the mirror of each, unverified, unless the file contains it.

    Parameters
    ----------
    path
        The file, usually called ``MoGra.transitions``.
    frames
        Number of frames of each known motion, by name. The file may also use file names (``walk.bvh`` for ``walk``).
        None allows any name and any frame.

    Returns
    -------
    The transitions in the order of the file, each once, followed by the mirrors.

    Raises
    ------
    FileError
        With the line: if a count is wrong, a motion is unknown (names the nearest), a frame is outside its motion, or a
        line is not a pair of frames.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "MoGra.transitions"
    >>> _ = path.write_text("Transitions: 2 walk run\n40 12\n95 3\n")
    >>> given = read_mogra(path, {"walk": 120, "run": 60})
    >>> [(one.a_clip, one.a_frame, one.verified) for one in given]
    [('walk', 40, True), ('walk', 95, True), ('run', 12, False), ('run', 3, False)]
    """
    file = Path(path)
    document: dict[tuple[str, str, int, int], GivenTransition] = {}
    block: _PairBlock | None = None
    for line, text in enumerate(lines_of(table_text(file), file), 1):
        words = text.strip()
        if not words or (block is None and _TITLE.fullmatch(words)):
            continue
        head = _HEAD.fullmatch(words)
        if head is not None:
            _complete(file, block, line)
            block = _block(file, head[1], line, frames)
            continue
        if block is None:
            raise FileError(file, "a block begins with 'Transitions: N A B'", line=line)
        one = block.transition(file, words, line, frames)
        document.setdefault(one.key, one)
    _complete(file, block, None)
    if block is None:
        raise FileError(file, "holds no transitions; a block begins with 'Transitions: N A B'")
    mirrors = {one.mirror().key: one.mirror() for one in document.values()}
    return (*document.values(), *(one for key, one in mirrors.items() if key not in document))


@dataclass
class _PairBlock:
    line: int
    count: int
    a: str
    b: str
    found: int = 0

    def transition(
        self, file: Path, words: str, line: int, frames: Mapping[str, int] | None
    ) -> GivenTransition:
        """Return the transition of one line of the block."""
        parts = words.split()
        if len(parts) != 2 or not all(_whole(part) for part in parts):
            message = f"{words[:40]!r} is not two frames 'A_i B_j', whole numbers from 0"
            raise FileError(file, message, line=line)
        if self.found == self.count:
            message = f"the block has more transitions than the {self.count} stated in line {self.line}"
            raise FileError(file, message, line=line)
        self.found += 1
        a_frame, b_frame = (int(part) for part in parts)
        for name, frame in ((self.a, a_frame), (self.b, b_frame)):
            if frames is not None and frame >= frames[name]:
                message = f"motion {name!r} has frames 0 to {frames[name] - 1}, not {frame}"
                raise FileError(file, message, line=line)
        return GivenTransition(self.a, self.b, a_frame, b_frame, line=line)


def _whole(word: str) -> bool:
    return word.isascii() and word.isdigit() and len(word) <= _LONGEST


def _complete(file: Path, block: _PairBlock | None, line: int | None) -> None:
    """Refuse a block with fewer transitions than its head states."""
    if block is not None and block.found < block.count:
        where = "before the file ends" if line is None else f"before the block of line {line}"
        raise FileError(
            file, f"states {block.count} transitions, but has {block.found} {where}", line=block.line
        )


def _block(file: Path, words: str, line: int, frames: Mapping[str, int] | None) -> _PairBlock:
    count, _, names = words.replace("\t", " ").partition(" ")
    if not _whole(count):
        message = f"'Transitions: {words[:40]}': a whole number and two motions follow, as in 'Transitions: 2 walk run'"
        raise FileError(file, message, line=line)
    a, b = _two_names(file, names.strip(), line, frames)
    return _PairBlock(line, int(count), a, b)


def _two_names(file: Path, text: str, line: int, frames: Mapping[str, int] | None) -> tuple[str, str]:
    """Return the names of two motions; names with blanks and no quotes if only one split gives two known names."""
    words = [quoted or plain for quoted, plain in _NAME.findall(text)]
    if len(words) == 2:
        a, b = (_known(file, word, line, frames) for word in words)
        return a, b
    plain = text.split(maxsplit=_MOST_WORDS)
    parted = [(" ".join(plain[:k]), " ".join(plain[k:])) for k in range(1, len(plain))]
    fits = [
        pair
        for pair in parted
        if frames is not None and all(_name_of(word, frames) is not None for word in pair)
    ]
    if frames is not None and len(fits) == 1:
        a, b = (_known(file, word, line, frames) for word in fits[0])
        return a, b
    message = f"{text[:60]!r} names {len(words)} motions where there are two; put names with blanks in double quotes"
    raise FileError(file, message, line=line)


def _known(file: Path, word: str, line: int, frames: Mapping[str, int] | None) -> str:
    """Return the known name of a motion; without ``frames``, the word itself."""
    if frames is None:
        return word
    name = _name_of(word, frames)
    if name is None:
        raise FileError(file, f"no motion is called {word!r}; {nearest(word, frames)}", line=line)
    return name


def _name_of(word: str, frames: Mapping[str, int]) -> str | None:
    """Return the known name of a word: the word itself, or a file's name without folder and extension."""
    return next((name for name in (word, Path(word.replace("\\", "/")).stem) if name in frames), None)


def mogra_text(transitions: Iterable[GivenTransition]) -> str:
    """Return the text of a file of transitions: a block for each pair of clips, in the order in which pairs occur.

    Unverified transitions are left out: readers add mirrors themselves.

    Raises
    ------
    SettingError
        If a name contains double quotes or characters that cannot be printed, such as line ends.

    Examples
    --------
    >>> print(mogra_text([GivenTransition("walk", "run fast", 40, 12)]), end="")
    Transitions: 1 walk "run fast"
    40 12
    """
    blocks: dict[tuple[str, str], list[str]] = {}
    for one in transitions:
        if one.verified:
            blocks.setdefault((one.a_clip, one.b_clip), []).append(f"{one.a_frame} {one.b_frame}")
    texts = []
    for pair, lines in blocks.items():
        rows = list(dict.fromkeys(lines))
        texts.append("\n".join([f"Transitions: {len(rows)} {' '.join(map(_quoted, pair))}", *rows, ""]))
    return "\n".join(texts)


def write_mogra(transitions: Iterable[GivenTransition], path: str | Path, *, overwrite: bool = True) -> int:
    """Write a file of transitions, completely or not at all; return their number.

    Raises
    ------
    FileError
        If it exists and must not be replaced, or cannot be written.
    SettingError
        If there is no verified transition, or the format cannot hold a name.
    """
    given = {one.key: one for one in transitions if one.verified}
    if not given:
        raise SettingError("there is no verified transition to write")
    write_whole(Path(path), mogra_text(given.values()).encode(), overwrite=overwrite)
    return len(given)


def _quoted(name: str) -> str:
    if '"' in name or any(not letter.isprintable() for letter in name) or not name.strip():
        msg = f"clip {name!r}: the format cannot hold its name; names are printable, not blank, without double quotes"
        raise SettingError(msg)
    return f'"{name}"' if any(letter.isspace() for letter in name) else name


BY = "mogra"
"""Author (``by``) of transitions imported from a file."""


def import_transitions(library: Library, path: str | Path) -> Imported:
    """Import the transitions of a file with their mirrors, all or none; mirrors are unverified.

    Cost, mean cost along a blend of a third of a second, and alignment are computed with the default cost. Near the
    ends of a clip, where the window does not fit, the cost is NaN.

    Raises
    ------
    FileError
        If the file is not valid; names the line.
    SkeletonError
        If two bodies cannot be compared.
    """
    given = read_mogra(path, {entry.name: entry.n_frames for entry in library.clips()})
    known = {_key_of(point) for point in library.points(told=True, verified=None)}
    points = placed(library, given)
    library.tell(points, by=BY)
    words = [(one, f"{one.a_clip} {one.a_frame} to {one.b_clip} {one.b_frame}") for one in given]
    return Imported(
        tuple(word for one, word in words if one.key not in known),
        tuple(word for one, word in words if one.key in known),
    )


def _key_of(point: TransitionPoint) -> tuple[str, str, int, int]:
    return point.a_clip, point.b_clip, point.a_frame, point.b_frame


def placed(
    library: Library, given: Sequence[GivenTransition], *, cost: Cost | None = None
) -> tuple[TransitionPoint, ...]:
    """Return given transitions as points, with cost and alignment computed."""
    how = cost_named("point_cloud") if cost is None else cost
    names = dict.fromkeys(name for one in given for name in (one.a_clip, one.b_clip))
    prepared = {name: how.prepare(library.clip(name)) for name in names}
    by_pair: dict[tuple[str, str], list[int]] = {}
    for index, one in enumerate(given):
        by_pair.setdefault((one.a_clip, one.b_clip), []).append(index)
    out: list[TransitionPoint | None] = [None] * len(given)
    for (a, b), indices in by_pair.items():
        rows = _rows(prepared[a], [given[k].a_frame for k in indices])
        columns = _rows(prepared[b], [given[k].b_frame for k in indices])
        costs, means = _costs(how, (prepared[a], prepared[b]), rows, columns)
        for k, row, column, price, mean in zip(indices, rows, columns, costs, means, strict=True):
            place = how.alignment(prepared[a], prepared[b], int(row), int(column))
            one = given[k]
            out[k] = TransitionPoint(
                a, b, one.a_frame, one.b_frame, float(price), "aligned", place, float(mean), one.verified
            )
    return tuple(point for point in out if point is not None)


def _rows(prepared: Prepared, frames: Sequence[int]) -> Ints:
    """Return the row of each frame; it is out of range where the window does not fit around the frame."""
    at = np.rint(np.asarray(frames) * (prepared.rate / prepared.fps)).astype(np.int64)
    out: Ints = at - prepared.first
    return out


def _costs(how: Cost, pair: tuple[Prepared, Prepared], rows: Ints, columns: Ints) -> tuple[Floats, Floats]:
    """Return costs at points, NaN where the window does not fit, and means along the blend over fitting windows.

    As in the search, a mean is infinite where the blend does not fit into the clips.
    """
    a, b = pair
    blend = blend_cells("centre", SearchSettings().length(how.rate))[0]
    steps = blend.first[0] + np.arange(blend.count)
    i, j = rows[:, None] + steps, columns[:, None] + steps
    inside = (i >= 0) & (i < a.n) & (j >= 0) & (j < b.n)
    cells = np.full(i.shape, np.nan)
    if inside.any():
        cells[inside] = how.pairs(a, b, i[inside], j[inside])
    middle = blend.count // 2
    fits = _fits(i, a) & _fits(j, b) & inside.any(axis=1)
    means = np.full(len(rows), np.inf)
    means[fits] = np.nanmean(cells[fits], axis=1)
    return cells[:, middle], means


def _fits(rows: Ints, prepared: Prepared) -> Bools:
    """Return flags of blends that lie within a clip; row 0 is the first frame whose window fits."""
    first, last = rows[:, 0] + prepared.first, rows[:, -1] + prepared.first
    out: Bools = (first >= 0) & (last < prepared.cost_frames)
    return out


def export_transitions(
    library: Library, path: str | Path, *, names: Sequence[str] = (), overwrite: bool = True
) -> int:
    """Write the verified points between all or chosen clips, given and computed, to a file; return their number.

    Raises
    ------
    SettingError
        If there is none.
    """
    entries = {entry.name: number for number, entry in enumerate(chosen(library, names))}
    points = [point for point in library.points() if point.a_clip in entries and point.b_clip in entries]
    if not points:
        msg = (
            f"{library.path}: holds no verified transition between these clips; segue library match "
            f"{library.path} finds some, segue library import takes some from a file"
        )
        raise SettingError(msg)
    points.sort(key=lambda p: (entries[p.a_clip], entries[p.b_clip], p.a_frame, p.b_frame))
    given = [GivenTransition(p.a_clip, p.b_clip, p.a_frame, p.b_frame) for p in points]
    return write_mogra(given, path, overwrite=overwrite)


def take_given_points(library: Library, other: Library, names: Mapping[str, str]) -> int:
    """Import given transitions and verdicts of another library; ``names`` maps its clips to those of this one.

    Verdicts of this library take precedence.
    """
    try:
        points = other.points(told=True, verified=None)
        take_verdicts(library.store, other.store, names)
    except SegueError:  # a damaged table: its transitions are lost, the clips are not
        return 0
    ours = [
        replace(point, a_clip=names[point.a_clip], b_clip=names[point.b_clip])
        for point in points
        if point.a_clip in names and point.b_clip in names
    ]
    return library.tell(ours, by=other.path.name) if ours else 0
