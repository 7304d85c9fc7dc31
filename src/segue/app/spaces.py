"""Small spaces from files: fitted to clips and written; motions made in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from segue.app.record import Record, places_of, source_of
from segue.app.record_document import Source
from segue.app.record_settings import recorded_settings
from segue.app.space_document import SpaceFile, read_space, write_space
from segue.app.stages import Collection, motion_digest, read, write_motion
from segue.arrays import Floats
from segue.errors import FileError, SegueError, SettingError
from segue.io.digests import file_digest
from segue.manifold.curves import Route, at_random, resampled_curve, row_of, stretch, through
from segue.manifold.embedding import NEIGHBOURS, By
from segue.manifold.making import MOST_FRAMES, NAME, motion_of
from segue.manifold.poses import RATE
from segue.manifold.space import Space, fit_space, smoothed
from segue.manifold.training import Trainer
from segue.motion.clip import Clip
from segue.settings import DEFAULTS, SeamFeet
from segue.settings.words import SEED
from segue.tables import Column, by_head, rows_of, table_text
from segue.threads import Progress, silent

COMMAND = "manifold"
"""Name of the command in records."""
How: TypeAlias = Literal["clip", "visit", "random", "curve"]
_LONGEST = 3600.0


@dataclass(frozen=True)
class SpaceJob:
    """Everything a motion in a small space is made from, besides the space.

    Parameters
    ----------
    how
        ``"clip"``: the poses of a clip, ``"visit"``: moments of clips in turn, ``"random"``: random moments,
        ``"curve"``: a table of coordinates.
    clip
        Name of the clip; the first by default.
    visits
        Moments: clip and seconds.
    count, seed
        Number of random moments, and the seed.
    table
        Text of the table of coordinates.
    route
        Between visited moments: forward along captured poses, or straight.
    seconds
        Length of the motion; by default at the captured pace.
    fps
        Frame rate; by default that of the space.
    feet
        As in `segue.manifold.making.motion_of`.
    """

    how: How = "clip"
    clip: str | None = None
    visits: tuple[tuple[str, float], ...] = ()
    count: int = 0
    seed: int = 1
    table: str = ""
    route: Route = "forward"
    seconds: float | None = None
    fps: float | None = None
    feet: SeamFeet = DEFAULTS.feet

    def __post_init__(self) -> None:
        """Refuse impossible numbers."""
        if self.seconds is not None and not 0 < self.seconds <= _LONGEST:
            msg = f"a motion of {self.seconds:g} s is not possible; give more than 0 and up to {_LONGEST:g}"
            raise SettingError(msg)
        if self.fps is not None and not 1 <= self.fps <= 1000:
            msg = f"{self.fps:g} frames a second are not possible here; give 1 to 1000"
            raise SettingError(msg)
        if self.seed < 0:
            msg = f"seed {self.seed} is negative; give 0 or more"
            raise SettingError(msg)


@dataclass(frozen=True, eq=False)
class FittedSpace:
    """A space, and the clips it was fitted to."""

    space: Space
    collection: Collection


def fit_files(
    inputs: Sequence[str],
    out: Path,
    *,
    by: By = "isomap",
    dimensions: int | None = None,
    neighbours: int = NEIGHBOURS,
    fps: float = RATE,
    trainer: Trainer = "sklearn",
    seed: int = SEED,
    roles: Mapping[str, str] | None = None,
    progress: Progress = silent,
) -> FittedSpace:
    """Read clips, fit a small space to them and write it.

    Raises
    ------
    FileError
        If nothing can be read, or the space cannot be written.
    SettingError
        As `segue.manifold.space.fit_space`.
    MissingExtraError
        Without scikit-learn.
    """
    collection = read(inputs, roles=roles, progress=progress)
    settings = {
        "by": by,
        "dimensions": dimensions,
        "neighbours": neighbours,
        "fps": fps,
        "trainer": trainer,
        "seed": seed,
    }
    space = fit_space(collection.clips, progress=progress, **settings)  # type: ignore[arg-type]
    sources = tuple(source_of(clip) for clip in collection.clips)
    write_space(out, SpaceFile(space, sources, {**settings, "roles": None if roles is None else dict(roles)}))
    return FittedSpace(space, collection)


def made_motion(space: Space, job: SpaceJob, *, file: str | Path = "its table") -> Clip:
    """Motion of a job in a space; ``file`` is the name in errors about its table.

    Raises
    ------
    SettingError
        If a moment is not in the space, or a number is not possible.
    FileError
        If the table is wrong.
    """
    curve = _curve(space, job, file)
    rate = space.fps if job.fps is None else job.fps
    seconds = job.seconds
    frames = (len(curve) - 1) / space.fps * rate if seconds is None else seconds * rate
    if frames > MOST_FRAMES:
        msg = f"a motion of {frames:.0f} frames is longer than {MOST_FRAMES}; ask for fewer seconds or frames a second"
        raise SettingError(msg)
    if seconds is not None or rate != space.fps:
        curve = resampled_curve(curve, rate / space.fps, seconds=seconds, rate=rate)
    return motion_of(space, curve, fps=rate, feet=job.feet)


def _curve(space: Space, job: SpaceJob, file: str | Path) -> Floats:
    """Coordinates of a job, one row per pose."""
    if job.how == "clip":
        return smoothed(space.coordinates[stretch(space, job.clip)])
    if job.how == "curve":
        return _table_curve(space, job.table, file)
    if job.how == "random":
        rows = at_random(space, job.count, rng=np.random.default_rng(job.seed))
    else:
        rows = [row_of(space, clip, seconds) for clip, seconds in job.visits]
    return through(space, rows, route=job.route)


def _table_curve(space: Space, text: str, file: str | Path) -> Floats:
    """Coordinates interpolated between the points of a table (seconds,x1,x2,...), one row per pose."""
    names = [f"x{k + 1}" for k in range(space.dimensions)]
    columns = [
        Column("seconds", least=0.0, most=_LONGEST),
        *(Column(name, least=-1e6, most=1e6) for name in names),
    ]
    table = by_head(rows_of(text, file), Path(file), columns)
    seconds = table.numbers["seconds"]
    if len(table) < 2:
        raise FileError(file, f"a curve needs two points or more; it holds {len(table)}")
    for row in np.flatnonzero(np.diff(seconds) <= 0).tolist():
        raise table.error(row + 1, f"seconds must rise; {seconds[row + 1]:g} comes after {seconds[row]:g}")
    at = seconds[0] + np.arange(round((seconds[-1] - seconds[0]) * space.fps) + 1) / space.fps
    return np.stack([np.interp(at, seconds, table.numbers[name]) for name in names], axis=1)


def curve_text(path: Path) -> str:
    """Text of a table of coordinates.

    Raises
    ------
    FileError
        If it cannot be read.
    """
    return table_text(path)


def write_made(motion: Clip, out: Path, *, space: Path, job: SpaceJob) -> Path:
    """Write a motion made in a space and its record, both or none; return the record's path."""
    source = Source(NAME, str(space.resolve()), file_digest(space))
    record = Record(COMMAND, asdict(job), (source,), motion_digest(motion), motion.fps, motion.origin)
    return write_motion(motion, out, record)


def made_again(
    record: Record, record_file: Path, *, folder: Path | None = None
) -> tuple[Clip, Path, SpaceJob]:
    """Make the motion of a record again: the motion, the current path of its space, and the job.

    Raises
    ------
    FileError
        If the space is missing or has changed, or the settings are not understood.
    """
    there = places_of(Path(record.sources[0].path), folder)
    place = next((one for one in there if file_digest(one) == record.sources[0].sha256), None)
    if place is None:
        raise FileError(
            there[0], "has changed since the motion was made: its digest differs from the record's"
        )
    job = recorded_settings(record, record_file, SpaceJob)
    try:
        return made_motion(read_space(place).space, job), place, job
    except FileError:
        raise
    except SegueError as error:
        raise FileError(record_file, str(error)) from None


def facts(kept: SpaceFile) -> dict[str, Any]:
    """Report of a space."""
    space = kept.space
    count = np.bincount(space.clip, minlength=len(space.clips))
    return {
        "by": space.by,
        "dimensions": space.dimensions,
        "poses": len(space.clip),
        "fps": space.fps,
        "joints": space.skeleton.n_joints,
        "neighbours": space.neighbours,
        "clips": {name: int(number) for name, number in zip(space.clips, count, strict=True)},
        "residual_variances": {fit.by: [round(v, 6) for v in fit.variances] for fit in space.fits},
        "knees": {fit.by: fit.knee for fit in space.fits},
        "pieces": {fit.by: fit.parts for fit in space.fits},
        "held_out": [
            {
                "split": one.by,
                "poses": one.poses,
                "decoder_cm": round(100 * one.decoder, 3),
                "principal_components_cm": round(100 * one.linear, 3),
                "training_cm": round(100 * one.training, 3),
            }
            for one in space.held_out
        ],
        "hidden": list(space.network.hidden),
        "sources": [{"name": one.name, "path": one.path} for one in kept.sources],
        "settings": dict(kept.settings),
    }
