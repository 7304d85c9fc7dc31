"""The record of a steered motion: walker, commands, the examples in every frame; and playing it again.

In addition to the layout of `segue.app.record` it has ``examples``: for each type and transition its examples, each
with its clips; and ``blends``: stretches of frames in which the same types and transitions play. A part of a stretch
has its share of the pose and its generic time, frame by frame, and the weight of each example.

A ground is given as a name with numbers, or as a CSV file of heights.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from segue.app.record import Record, places_of
from segue.app.record_document import Source
from segue.app.record_settings import recorded_settings
from segue.app.stages import motion_digest, write_motion
from segue.app.steering import Steered, read_script, steer_chase, steer_path, steer_script, walker_of
from segue.errors import FileError, SegueError, SettingError
from segue.library.connection import Store
from segue.library.walkers import walker_digest, walker_names
from segue.locomotion.model import Locomotion
from segue.runtime.heights import Ground, HeightGrid, bumps, slope, stairs
from segue.runtime.steered.origins import BlendPart, set_of
from segue.tables import Column, by_head, is_there, rows_of, table_text

COMMAND = "steer"
How: TypeAlias = Literal["script", "path", "chase"]
_DIGITS = 6


@dataclass(frozen=True)
class SteerJob:
    """Everything a steered motion is made from, besides the walker.

    Parameters
    ----------
    how
        ``script``, ``path`` or ``chase``.
    table
        Text of that CSV file.
    fps
        Frame rate.
    seconds
        Length of a scripted motion, if set.
    ground
        Ground as in `ground_of`: words, or the text of a file. Empty for a flat ground.
    """

    how: How
    table: str
    fps: float
    seconds: float | None = None
    ground: str = ""

    @staticmethod
    def of(how: How, file: Path, *, fps: float, seconds: float | None = None, ground: str = "") -> SteerJob:
        """Job of a file, with its text."""
        return SteerJob(how, table_text(file), fps, seconds, ground)


def steered(model: Locomotion, job: SteerJob, *, file: Path) -> Steered:
    """Play a job; ``file`` is the name in errors about its table.

    Raises
    ------
    FileError
        If the table is wrong.
    SettingError
        If the ground is not understood, or the length or the rate is invalid.
    """
    ground = ground_of(job.ground) if job.ground else None
    if job.how == "script":
        commands = read_script(file, model, text=job.table)
        return steer_script(model, commands, fps=job.fps, seconds=job.seconds, ground=ground)
    follow = steer_path if job.how == "path" else steer_chase
    return follow(model, file, fps=job.fps, ground=ground, text=job.table)


def write_steered(made: Steered, out: Path, *, walker: Path, name: str | None, job: SteerJob) -> Path:
    """Write a steered motion and its record, both or none; return the record's path."""
    store = Store(walker, "r", create=False, patience=5.0)
    try:
        chosen = name or walker_names(store)[0]
        digest = walker_digest(store, name=chosen)
    finally:
        store.close()
    source = Source("steered", str(walker.resolve()), digest, clip=chosen)
    settings = {key: getattr(job, key) for key in ("how", "table", "fps", "seconds", "ground")}
    clip = made.clip
    record = Record(COMMAND, settings, (source,), motion_digest(clip), clip.fps, clip.origin)
    return write_motion(clip, out, record, more=blends(made))


def steered_again(record: Record, record_file: Path, *, folder: Path | None = None) -> tuple[Steered, Path]:
    """Steer as recorded; return the motion and the current path of the walker.

    Raises
    ------
    FileError
        If the walker is missing or has changed, or the settings are not understood.
    """
    place = _found(record.sources[0], folder)
    model = walker_of(place, name=record.sources[0].clip)
    job = job_of(record, record_file)
    try:
        return steered(model, job, file=Path(f"its {job.how}")), place
    except SegueError as error:
        raise FileError(record_file, str(error)) from None


def job_of(record: Record, record_file: Path) -> SteerJob:
    """Job of a record.

    Raises
    ------
    FileError
        If its settings are not understood; users may have edited them.
    """
    return recorded_settings(record, record_file, SteerJob)


def _found(source: Source, folder: Path | None) -> Path:
    there = places_of(Path(source.path), folder)
    for place in there:
        store = Store(place, "r", create=False, patience=5.0)
        try:
            held = source.clip in walker_names(store)
            if held and walker_digest(store, name=source.clip) == source.sha256:
                return place
        finally:
            store.close()
    msg = f"the walker {source.clip!r} is gone, or another one since the motion was made: its digest differs"
    raise FileError(there[0], msg)


def blends(made: Steered) -> dict[str, Any]:
    """Record entries of a steered motion: the examples, and their weights in every frame."""
    used: set[int] = set()
    stretches: list[dict[str, Any]] = []
    numbers = [tuple(part.set for part in parts) for parts in made.parts]
    start = 0
    for frame in range(1, len(numbers) + 1):
        if frame < len(numbers) and numbers[frame] == numbers[start]:
            continue
        rows = made.parts[start:frame]
        given = [_part(made.model, [parts[k] for parts in rows]) for k in range(len(numbers[start]))]
        stretches.append({"start": start, "frames": frame - start, "parts": given})
        used.update(numbers[start])
        start = frame
    return {"examples": {str(n): _examples(made.model, n) for n in sorted(used)}, "blends": stretches}


def _part(model: Locomotion, rows: Sequence[BlendPart]) -> dict[str, Any]:
    """One type or transition over a stretch: lists have a value per frame, a single number applies to all frames."""
    names = set_of(model, rows[0].set)[1].names
    weights = np.round([part.weights for part in rows], _DIGITS) + 0.0
    return {
        "of": str(rows[0].set),
        "share": _short(np.round([part.share for part in rows], _DIGITS) + 0.0),
        "at": np.round([part.at for part in rows], _DIGITS).tolist(),
        "weights": {
            name: _short(weights[:, number])
            for number, name in enumerate(names)
            if np.any(weights[:, number])
        },
    }


def _short(values: Any) -> Any:
    """All values, or a single number if they are equal."""
    return float(values[0]) if np.all(values == values[0]) else values.tolist()


def _examples(model: Locomotion, number: int) -> dict[str, Any]:
    """A type or transition: its name, and its examples with their clips and the seconds of their keytimes."""
    word, one, made = set_of(model, number)
    examples = {}
    for k, name in enumerate(one.names):
        keys = np.concatenate([[0.0], np.cumsum(1.0 / one.rates[:, k])])
        pieces = [asdict(piece) for piece in one.pieces[k]] if one.pieces else []
        examples[name] = {"keytimes": np.round(keys, _DIGITS).tolist(), "pieces": pieces}
    return {"name": word, "made": made, "examples": examples}


NAMED: dict[str, tuple[Callable[..., Ground], tuple[str, ...]]] = {
    "slope": (lambda degrees: slope(float(np.radians(degrees))), ("degrees",)),
    "stairs": (stairs, ("rise", "tread")),
    "bumps": (bumps, ("height", "length")),
}
"""Name of a ground to its maker and the names of its numbers."""

_COLUMNS = (Column("x"), Column("z"), Column("height", least=-10_000.0, most=10_000.0))


def ground_words(word: str) -> str:
    """Ground as stored in a record: the text of a file, or the words themselves.

    Raises
    ------
    FileError
        If the file cannot be read or is no grid of heights.
    SettingError
        If it is neither a file nor a name with its numbers.
    """
    name = word.partition(":")[0]
    if name in NAMED and not is_there(word):
        ground_of(word)
        return word
    path = Path(word)
    try:
        text = table_text(path)
    except FileError as error:
        if is_there(path):
            raise
        known = ", ".join(f"{key}:{','.join(of).upper()}" for key, (_, of) in NAMED.items())
        msg = f"is neither a file that can be read nor a ground ({known})"
        raise FileError(path, msg) from error
    _grid(text, path)
    return text if "\n" in text else text + "\n"


def ground_of(words: str) -> Ground:
    r"""Ground from words, as ``"slope:8"``, or from the text of a CSV file x,z,height.

    Raises
    ------
    SettingError
        If they are not understood.
    FileError
        If a table is no grid of heights, with the line.

    Examples
    --------
    >>> round(ground_of("slope:45.0e-1")(0.0, 2.0), 4)
    0.0787
    >>> ground_of("x,z,height\n0,0,0\n0,1,0\n1,0,1\n1,1,1\n")(0.25, 0.5)
    0.25
    """
    if "\n" in words:
        return _grid(words, Path("ground"))
    name, _, given = words.partition(":")
    if name not in NAMED:
        msg = f"there is no ground {name!r}; there are {', '.join(NAMED)}, or a CSV file x,z,height"
        raise SettingError(msg)
    make, of = NAMED[name]
    try:
        numbers = [float(word) for word in given.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) != len(of) or not np.all(np.isfinite(numbers)):
        msg = f"a ground of {name} is given as {name}:{','.join(of).upper()}, not {words!r}"
        raise SettingError(msg)
    return make(*numbers)


def _grid(text: str, path: Path) -> HeightGrid:
    """Grid from a table with one row per grid point, in any order."""
    table = by_head(rows_of(text, path, comments=False), path, _COLUMNS)
    x, z, heights = (table.numbers[column.name] for column in _COLUMNS)
    (xs, i), (zs, j) = np.unique(x, return_inverse=True), np.unique(z, return_inverse=True)
    cell = i * len(zs) + j
    order = np.argsort(cell, kind="stable")
    again = np.flatnonzero(np.diff(cell[order]) == 0)
    if len(again):
        row = int(order[again[0] + 1])
        raise table.error(row, f"there is a height at x {x[row]:g}, z {z[row]:g} already")
    if len(table) != len(xs) * len(zs):
        gap = int(np.flatnonzero(np.append(cell[order], -1) != np.arange(len(cell) + 1))[0])
        place = f"x {xs[gap // len(zs)]:g}, z {zs[gap % len(zs)]:g}"
        raise FileError(path, f"is no grid: there is no height at {place}")
    if min(len(xs), len(zs)) < 2:
        raise FileError(path, "is no grid: it has two or more x and two or more z")
    return HeightGrid.of(xs, zs, heights[order].reshape(len(xs), len(zs)))
