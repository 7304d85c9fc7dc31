"""Many files into another format, rate, stretch, unit or body: each separately, so that one bad file stops no other."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from segue.app.in_place import travelling
from segue.errors import FileError, SegueError, SettingError, nearest
from segue.io import load, motion_files, save
from segue.io.amc import resting_body
from segue.io.animation_names import split_fragment, typed
from segue.io.formats import WRITABLE, as_kept
from segue.io.mujoco_read import SUFFIX as QPOS
from segue.io.mujoco_read import resting_model
from segue.io.units import checked_fps, checked_unit, checked_up
from segue.library.inputs import from_library, in_library, in_order, open_library
from segue.motion.clip import Clip
from segue.motion.reference import with_roles
from segue.motion.resample import ON_A_FRAME, cut, resampled
from segue.motion.samples import SAMPLE_PREFIX, SAMPLES, sample
from segue.motion.tilt import on_level_floor
from segue.settings import DEFAULTS, SeamFeet
from segue.synthesis.from_positions import on_same_body
from segue.synthesis.retarget import retarget
from segue.synthesis.root_motion import is_in_place
from segue.threads import Progress, silent


@dataclass(frozen=True)
class Changes:
    """Changes to each clip between reading and writing.

    Applied in this order: roles, level, root motion, trim, body, in place, frame rate.

    Parameters
    ----------
    root_motion
        Root motion is added to clips in place (`segue.synthesis.root_motion`); other clips are unchanged.
    level
        The floor is made level, still and at height 0 (`segue.motion.tilt`).
    trim
        Seconds of the clip to keep, both ends included; None for its own start or end.
    body
        A clip whose skeleton the motion is retargeted to.
    in_place
        The root stays above the origin on the ground; its height and rotations are kept.
    fps
        Frame rate.
    unit, up
        Metres per file unit, and up axis, of the written file (BVH).
    roles
        Role to joint name, set by the user; applied before all else. A motion that has none of the joints fails.
    """

    trim: tuple[float | None, float | None] = (None, None)
    body: Clip | None = None
    in_place: bool = False
    fps: float | None = None
    unit: float | None = None
    up: str | None = None
    roles: Mapping[str, str] | None = None
    root_motion: bool = False
    level: bool = False

    def __post_init__(self) -> None:
        """Refuse impossible settings before any file is read."""
        checked_fps(self.fps)
        checked_unit(self.unit)
        checked_up(self.up)
        if self.in_place and self.root_motion:
            raise SettingError("a motion cannot be put in place and get its root motion back; choose one")
        start, end = self.trim
        if not all(end is None or np.isfinite(end) for end in self.trim):
            raise SettingError(f"trim {self.trim}: start and end are seconds")
        if (start or 0.0) < 0 or (end is not None and end < (start or 0.0)):
            until = "the end" if end is None else f"{end:g} s"
            msg = f"trim from {start or 0:g} s to {until}: it goes from 0 or later to a later time"
            raise SettingError(msg)


@dataclass(frozen=True)
class Job:
    """One motion to read and the file to write."""

    source: str
    target: Path


@dataclass(frozen=True)
class Done:
    """Result of one job: ``error`` is the reason if nothing was written.

    ``root_motion`` is whether root motion was added, None if not asked for; ``level`` describes what was done to the
    floor.
    """

    source: str
    target: Path
    clip: Clip | None = None
    error: str = ""
    root_motion: bool | None = None
    level: str = ""

    @property
    def notes(self) -> tuple[str, ...]:
        """Assumptions of the reader where the file is ambiguous."""
        return self.clip.source.notes if self.clip is not None and self.clip.source is not None else ()


@dataclass
class _Names:
    """Targets already assigned, so that walk.bvh and walk.amc do not become one file."""

    taken: set[Path] = field(default_factory=set)

    def free(self, folder: Path, stem: str, kind: str, suffix: str) -> Path:
        """Return an unused path: if the plain one is taken, with the source's kind in its name, then a number."""
        target, count = folder / f"{stem}{suffix}", 2
        if target in self.taken:
            target = folder / f"{stem}_{kind}{suffix}"
        while target in self.taken:
            target, count = folder / f"{stem}_{kind}_{count}{suffix}", count + 1
        self.taken.add(target)
        return target


def converted(clip: Clip, changes: Changes) -> Clip:
    """Apply the changes to one clip.

    Raises
    ------
    SettingError
        If the clip has no frame in the trimmed stretch.
    SkeletonError
        If it cannot be retargeted to the other body.

    Examples
    --------
    >>> from segue.motion.samples import sample
    >>> made = converted(sample("walk"), Changes(trim=(0.5, 1.5), fps=24, in_place=True))
    >>> made.n_frames, bool(made.root_positions[:, [0, 2]].any())
    (25, False)
    """
    clip = on_level_floor(clip)[0] if changes.level else clip
    if changes.root_motion:  # before trimming: a complete cycle has more information
        clip = travelling([clip])[0][0]
    clip = trimmed(clip, *changes.trim)
    if changes.body is not None:
        clip = on_body(clip, changes.body)
    if changes.in_place:
        clip = in_place(clip)
    return clip if changes.fps is None else resampled(clip, changes.fps)


def trimmed(clip: Clip, start: float | None, end: float | None) -> Clip:
    """Return the frames from ``start`` to ``end`` seconds, both included; None for the clip's own ends.

    Raises
    ------
    SettingError
        If a time lies outside the clip or no frame lies between them.
    """
    if start is None and end is None:
        return clip
    for time in (start, end):
        if time is not None and not -ON_A_FRAME <= time * clip.fps <= clip.n_frames - 1 + ON_A_FRAME:
            msg = f"clip {clip.name!r} lasts from 0 to {clip.seconds:.6g} s; {time:g} s lies outside"
            raise SettingError(msg)
    first = int(np.ceil((start or 0.0) * clip.fps - ON_A_FRAME))
    last = clip.n_frames - 1 if end is None else int(np.floor(end * clip.fps + ON_A_FRAME))
    if first > last:
        msg = (
            f"clip {clip.name!r} has no frame from {start or 0:g} to {end:g} s; "
            f"its frames are {1 / clip.fps:.4g} s apart"
        )
        raise SettingError(msg)
    return cut(clip, first, last + 1)


def in_place(clip: Clip) -> Clip:
    """Keep the root over the origin on the ground: the motion on a treadmill."""
    return clip.with_motion(root_positions=clip.root_positions * np.array([0.0, 1.0, 0.0]))


def on_body(clip: Clip, body: Clip, *, feet: SeamFeet = DEFAULTS.feet, hands: float = 0.0) -> Clip:
    """Retarget, in the format of the body's own file; see `segue.synthesis.retarget.retarget`."""
    measured = clip.source is not None and "positions" in clip.source.extra
    same = on_same_body(clip, body.skeleton) if measured else None
    moved = retarget(clip, body.skeleton, feet=feet, hands=hands) if same is None else same
    if moved is clip or body.source is None:
        return moved
    given = clip.source
    return moved.with_source(
        body.source,
        path=given.path if given else "",
        digest=given.digest if given else "",
        notes=given.notes if given else (),
        frame_time=given.frame_time if given else "",
    )


def body_of(
    name: str, inputs: Sequence[str], *, roles: Mapping[str, str] | None = None, **settings: Any
) -> Clip:
    """Return the clip whose skeleton ``name`` means: a motion file, a library or embedded clip, or an input's stem.

    ``roles`` apply if the body has such joints.

    Raises
    ------
    FileError
        If it is none of them, or cannot be read.
    """
    return with_roles([_body(name, inputs, settings)], roles, needed=False)[0]


def _body(name: str, inputs: Sequence[str], settings: dict[str, Any]) -> Clip:
    place = in_library(name)
    if place is not None and place.clip is None:
        raise FileError(name, f"is a library; name the clip whose body is meant, as {name}#NAME")
    if place is not None or name.startswith(SAMPLE_PREFIX):
        return read_motion(name, {})
    if Path(name).suffix.lower() == ".asf" and Path(name).exists():
        return resting_body(Path(name))
    if Path(name).suffix.lower() == ".xml" and Path(name).exists():
        return resting_model(Path(name))
    if split_fragment(name)[0].exists():
        return load(as_kept(name), **settings)  # any of several animations has the body
    words = [motion for item in inputs if not item.startswith(SAMPLE_PREFIX) for motion in _motions(item)]
    found = next(
        (word for word, _, stem, _ in words if name in {stem, Path(word).stem, split_fragment(word)[1]}), None
    )
    if found is None:
        stems = [stem for _, _, stem, _ in words]
        raise FileError(name, f"is neither a motion file nor the name of an input; {nearest(name, stems)}")
    return read_motion(found, settings)


def plan(inputs: Sequence[str], out: Path, *, to: str | None = None) -> list[Job]:
    """List the files to read and the file that each is written to.

    An output with a known extension is one file; anything else is a folder, which keeps the subfolders of an input
    folder.

    Parameters
    ----------
    inputs
        Motion files, folders, files of several animations, one of them (``moves.glb#Walk``), libraries, clips in them
        (``moves.segue#walk``), embedded clips (``sample:walk``, ``sample:`` for all).
    out
        A file, or a folder, which is created if missing.
    to
        Extension for files in a folder, with or without the dot; by default .bvh.

    Raises
    ------
    FileError
        If there is nothing to read.
    SettingError
        If the extension cannot be written, or contradicts the file name.
    """
    suffix = None if to is None else "." + to.lower().removeprefix(".")
    if suffix not in {None, QPOS, *WRITABLE}:
        msg = f"{to!r} cannot be written; formats that can: {', '.join(WRITABLE)}"
        raise SettingError(msg)
    motions = [motion for item in inputs for motion in _motions(item)]
    if not motions:
        raise FileError(", ".join(inputs) or "(nothing given)", "there are no motion files here")
    if out.suffix.lower() in WRITABLE and not out.is_dir():
        if suffix is not None and not out.name.lower().endswith(suffix):
            msg = f"--format {to} contradicts {out.name}; name a folder, or leave one of them out"
            raise SettingError(msg)
        if len(motions) > 1:
            one = f" or one of them, as {typed(motions[0][0])}" if len(inputs) == 1 else ""
            raise FileError(out, f"is one file for {len(motions)} motions; name a folder{one}")
        return [Job(motions[0][0], out)]
    if out.is_file() or (out.suffix and not out.exists() and len(motions) == 1):
        raise FileError(out, f"is no folder and has no extension that can be written: {', '.join(WRITABLE)}")
    names = _Names()
    return [
        Job(source, names.free(out / below, stem, kind, suffix or ".bvh"))
        for source, below, stem, kind in motions
    ]


def _motions(item: str) -> list[tuple[str, Path, str, str]]:
    """Return each motion of an input: the word that loads it, its folder below the input, its stem and its kind."""
    if item.startswith(SAMPLE_PREFIX):
        word = item.removeprefix(SAMPLE_PREFIX)
        return [(SAMPLE_PREFIX + name, Path(), name, "sample") for name in ([word] if word else SAMPLES)]
    place = in_library(item)
    if place is not None:
        with open_library(place.path) as library:
            names = [place.clip] if place.clip is not None else [entry.name for entry in in_order(library)]
        return [(f"{place.path}#{name}", *file_of(name), "library") for name in names]
    root = Path(item)
    found = []
    for path in motion_files([item]):
        file, animation = split_fragment(path)
        below = file.parent.relative_to(root) if root.is_dir() else Path()
        stem = file.stem if animation is None else f"{file.stem}_{animation}"
        found.append((str(path), below, _plain(stem), file.suffix[1:].lower()))
    return found


def file_of(name: str) -> tuple[Path, str]:
    """Return the folder and stem of the file that a library's clip is written to; folders in its name are kept.

    Examples
    --------
    >>> file_of("16/16_01")[0].as_posix(), file_of("16/16_01")[1], file_of("../a:b")[1]
    ('16', '16_01', 'a_b')
    """
    *folders, stem = [_plain(part) for part in name.split("/")]
    return Path(*(part for part in folders if part.strip("._ "))), stem if stem.strip("._ ") else "clip"


def _plain(stem: str) -> str:
    """Replace characters that some file systems do not allow in a name."""
    return re.sub(r'[<>:"/\\|?*\x00-\x1f]', "_", stem)


def convert(
    jobs: Sequence[Job],
    changes: Changes,
    *,
    settings: dict[str, Any] | None = None,
    force: bool = False,
    progress: Progress = silent,
) -> list[Done]:
    """Read, change and write each file; an error is in `Done.error` and stops no other file.

    Parameters
    ----------
    jobs
        From `plan`.
    changes
        Changes to each clip.
    settings
        As for `segue.load`.
    force
        Whether existing files are overwritten.
    progress
        Called with stage, done, total.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> [done.target.name for done in convert(plan(["sample:walk"], folder, to="glb"), Changes())]
    ['walk.glb']
    """
    out = []
    for index, job in enumerate(jobs):
        progress("converting", index, len(jobs))
        out.append(_one(job, changes, settings or {}, force=force))
    progress("converting", len(jobs), len(jobs))
    return out


def _one(job: Job, changes: Changes, settings: dict[str, Any], *, force: bool) -> Done:
    try:
        if job.target.exists() and not force:
            raise FileError(job.target, "exists already; --force overwrites it")
        read = with_roles([read_motion(job.source, settings)], changes.roles)[0]
        clip = converted(read, changes)
        job.target.parent.mkdir(parents=True, exist_ok=True)
        save(clip, job.target, unit=changes.unit, up=changes.up, overwrite=force)
    except SegueError as error:
        return Done(job.source, job.target, error=named(job.source, str(error)))
    except OSError as error:
        return Done(job.source, job.target, error=f"{job.target}: {error.strerror or error}")
    moved = is_in_place(read) if changes.root_motion else None
    level = on_level_floor(read)[1] if changes.level else ""
    return Done(job.source, job.target, clip, root_motion=moved, level=level)


def read_motion(word: str, settings: dict[str, Any]) -> Clip:
    """Read one motion from a file, a library or the package."""
    if word.startswith(SAMPLE_PREFIX):
        return sample(word.removeprefix(SAMPLE_PREFIX))
    place = in_library(word)
    if place is None:
        return load(word, **settings)
    if settings:
        msg = f"{word}: clips of a library are read already; give {', '.join(settings)} when a clip is added"
        raise SettingError(msg)
    (clip,) = from_library([place])[0].values()
    return clip


def named(source: str, message: str) -> str:
    """Prefix a message with the file's name unless it contains it."""
    return message if source in message else f"{source}: {message}"
