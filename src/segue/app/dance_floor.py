"""A dance floor: each character has its own place, start and endless walk on one motion graph."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from segue.app.motion_file import write_with_record
from segue.app.record import Record, source_of
from segue.app.record_settings import recorded_settings
from segue.app.stages import Collection, make_graph, motion_digest, require_walkable
from segue.errors import SettingError
from segue.graph.build import MotionGraph
from segue.graph.walk import Walk, check_walk, render
from segue.io.gltf_write import write_floor
from segue.motion.clip import Clip
from segue.motion.facing import moved
from segue.pictures.floor import floor_picture
from segue.pictures.palette import source_colours
from segue.runtime.floor import SPACING, check_spacing, put, scattered, seeds
from segue.settings import Settings
from segue.settings.words import SEED
from segue.threads import Progress, silent

COMMAND = "floor"
"""Name of the command in records."""
MOST = 200
"""Most characters in one file; more do not play smoothly in a browser."""


@dataclass(frozen=True)
class FloorJob:
    """Settings of a floor: number of characters, seconds, seed, metres between characters at the start."""

    count: int
    seconds: float
    seed: int = SEED
    spacing: float = SPACING


@dataclass(frozen=True, eq=False)
class DanceFloor:
    """The characters of a floor.

    Parameters
    ----------
    graph
        The graph of all walks.
    motions
        One motion per character, at its place on the floor.
    walks
        The walk of each.
    seeds
        The seed of each: ``segue wander --seed`` makes the same motion, at the place of its first clip.
    mostly
        Name of the clip that each shows most, which colours it.
    colours
        Colour of every clip shown.
    job, settings
        How it was made.
    """

    graph: MotionGraph
    motions: tuple[Clip, ...]
    walks: tuple[Walk, ...]
    seeds: tuple[int, ...]
    mostly: tuple[str, ...]
    colours: dict[str, str]
    job: FloorJob
    settings: Settings

    @property
    def digest(self) -> str:
        """Digest of all motions."""
        return hashlib.sha256("".join(motion_digest(motion) for motion in self.motions).encode()).hexdigest()


def make_floor(
    collection: Collection,
    settings: Settings,
    *,
    count: int,
    seconds: float,
    seed: int = SEED,
    spacing: float = SPACING,
    progress: Progress = silent,
) -> DanceFloor:
    """Let a number of characters walk on the graph of a collection.

    Raises
    ------
    SettingError
        If the count, the length, the seed or the spacing is impossible.
    NoTransitionError
        If no endless motion is possible with these clips.
    """
    check_floor(count=count, seconds=seconds, seed=seed, spacing=spacing)
    places = scattered(count, seed=seed, spacing=spacing)
    graph = make_graph(collection, settings, progress=progress)
    require_walkable(graph)
    own = seeds(seed, count)
    walks, motions = [], []
    for number, (one, place) in enumerate(zip(own, places, strict=True)):
        progress("walking", number, count)
        walk = graph.wander(seconds=seconds, seed=one)
        motion = render(walk, feet=settings.feet, creep=settings.creep)
        walks.append(walk)
        motions.append(moved(motion, put(motion, place)).with_motion(name=f"character {number + 1}"))
    progress("walking", count, count)
    mostly = tuple(_mostly(motion) for motion in motions)
    shown = dict.fromkeys(name for motion in motions for name in _shown(motion))
    colours = source_colours([clip.name for clip in graph.clips if clip.name in shown])
    job = FloorJob(count, seconds, seed, spacing)
    return DanceFloor(graph, tuple(motions), tuple(walks), tuple(own), mostly, colours, job, settings)


def floor_again(
    record: Record,
    record_file: Path,
    collection: Collection,
    settings: Settings,
    *,
    progress: Progress = silent,
) -> DanceFloor:
    """Make the floor of a record again.

    Raises
    ------
    FileError
        If the record holds settings this version does not know.
    """
    job = recorded_settings(record, record_file, FloorJob, COMMAND)
    return make_floor(collection, settings, **asdict(job), progress=progress)


def write(floor: DanceFloor, out: Path, *, collection: Collection, picture: Path | None = None) -> None:
    """Write a floor as one GLB, each body in the colour of the clip it shows most; a picture if asked for; a record.

    The record's segments are those of the first character; the others are recorded by seed and place.

    Raises
    ------
    FileError
        If a file cannot be written.
    MissingExtraError
        If a picture is asked for and matplotlib is not installed; nothing is written then.
    """
    drawn = None if picture is None else floor_picture(floor.motions, floor.colours)
    first = floor.motions[0]
    record = Record(
        COMMAND,
        {"make": floor.settings.document(), COMMAND: asdict(floor.job)},
        tuple(source_of(clip) for clip in collection.clips),
        floor.digest,
        first.fps,
        first.origin,
    )
    each = [
        {"seed": seed, "place": [float(v) for v in motion.root_positions[0, [0, 2]]]}
        for seed, motion in zip(floor.seeds, floor.motions, strict=True)
    ]
    colours = [floor.colours[name] for name in floor.mostly]
    write_with_record(
        out,
        record,
        lambda there: write_floor(floor.motions, there, colours=colours, names=floor.mostly),
        more={"characters": each},
    )
    if drawn is not None and picture is not None:
        drawn.save(picture)


def check_floor(*, count: int, seconds: float, seed: int, spacing: float = SPACING) -> None:
    """Refuse an impossible floor, before long work.

    Raises
    ------
    SettingError
        If the count is below 1 or above `MOST`; or as raised by `check_spacing` and `segue.graph.walk.check_walk`.
    """
    if not 1 <= count <= MOST:
        msg = f"{count} characters are not possible; give 1 to {MOST} (more are for segue.runtime.crowd)"
        raise SettingError(msg)
    check_spacing(spacing)
    check_walk(seconds=seconds, seed=seed, by="cost")


def _shown(motion: Clip) -> Sequence[str]:
    """Name of the heaviest source clip of each frame."""
    rows = np.arange(motion.n_frames)
    main = motion.origin.clip[rows, np.argmax(motion.origin.weight, axis=1)]
    return [motion.origin.clips[number] for number in main]


def _mostly(motion: Clip) -> str:
    names = _shown(motion)
    return max(dict.fromkeys(names), key=names.count)
