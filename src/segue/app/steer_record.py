"""The record beside a steered motion: walker, commands, which examples made every frame; and playing it again.

To the layout of `segue.app.record` it adds ``examples``: for each type and transition its examples, and for each of
these the clips it comes from; and ``blends``: stretches of frames in which the same types and transitions play. A part
of a stretch says its share of the pose and its generic time, frame by frame, and the weight of each example.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from segue.app.grounds import ground_of
from segue.app.record import Record, places_of
from segue.app.record_document import Source
from segue.app.record_settings import recorded_settings
from segue.app.stages import motion_digest, write_motion
from segue.app.steering import Steered, read_script, steer_chase, steer_path, steer_script, walker_of
from segue.errors import FileError, SegueError
from segue.library.connection import Store
from segue.library.walkers import walker_digest, walker_names
from segue.locomotion.model import Locomotion
from segue.runtime.steered.origins import BlendPart, set_of
from segue.tables import table_text

COMMAND = "steer"
How: TypeAlias = Literal["script", "path", "chase"]
HOW: tuple[How, ...] = get_args(How)
_DIGITS = 6


@dataclass(frozen=True)
class SteerJob:
    """All that a steered motion is made from, besides the walker.

    Parameters
    ----------
    how
        ``script``, ``path`` or ``chase``.
    table
        Text of that CSV file.
    fps
        Frame rate.
    seconds
        Length of a scripted motion, if it was told.
    ground
        Words of the ground (`segue.app.grounds`); of a file its text. Empty where it is flat.
    """

    how: How
    table: str
    fps: float
    seconds: float | None = None
    ground: str = ""

    @staticmethod
    def of(how: How, file: Path, *, fps: float, seconds: float | None = None, ground: str = "") -> SteerJob:
        """Job of a file; its text is kept."""
        return SteerJob(how, table_text(file), fps, seconds, ground)


def steered(model: Locomotion, job: SteerJob, *, file: Path) -> Steered:
    """Play a job; ``file`` is named where its table is wrong.

    Raises
    ------
    FileError
        If the table is wrong.
    SettingError
        If the ground is not understood, or the length or the rate is none.
    """
    ground = ground_of(job.ground) if job.ground else None
    if job.how == "script":
        commands = read_script(file, model, text=job.table)
        return steer_script(model, commands, fps=job.fps, seconds=job.seconds, ground=ground)
    follow = steer_path if job.how == "path" else steer_chase
    return follow(model, file, fps=job.fps, ground=ground, text=job.table)


def write_steered(made: Steered, out: Path, *, walker: Path, name: str | None, job: SteerJob) -> Path:
    """Write a steered motion and the record beside it, both or none; return the record's path."""
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
    """Steer as a record says; the motion, and where the walker lies now.

    Raises
    ------
    FileError
        If the walker is gone or another one by now, or the settings are not understood.
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
        If its settings are not understood; people edit records.
    """
    return recorded_settings(record, record_file, SteerJob)


def _found(source: Source, folder: Path | None) -> Path:
    """Library file that holds the recorded walker, its digest checked."""
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
    """Examples of a steered motion and what made every frame, for its record."""
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
    """One type or transition over a stretch: lists go frame by frame, a single number holds for all of them."""
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
    """All values, or the one that all of them are."""
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
