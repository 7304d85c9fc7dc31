"""Calls about motions on the stage: measure, export, keep as a clip."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

import numpy as np

from segue.app.record import Record, source_of, write_record
from segue.app.stages import motion_digest, write_motion
from segue.arrays import Bools, Floats
from segue.errors import FileError, SegueError, SettingError, SkeletonError
from segue.io.formats import WRITABLE
from segue.measures.curves import MeasureCurves, measure_curves, peak_curves
from segue.measures.foot_skate import carried_contacts, foot_skate
from segue.motion.clip import Clip, Origin
from segue.studio.calls_of_graphs import seam_views
from segue.studio.messages import ImportView, Span
from segue.studio.motion_messages import ExportAsk, ExportView, Lane, MeasuresView, MotionAsk
from segue.studio.packing import contact_spans, origin_spans
from segue.studio.project import MadeMotion
from segue.studio.run_messages import KeepAsk
from segue.studio.sentences import with_remedy
from segue.studio.state import Studio

_VALUES = 1600
"""Most values of a lane that are sent; of a longer motion the largest of each group of frames."""
_NAME = re.compile(r"[\w\-. ()+@,äöüßéèñ]{1,80}")
Tone = Literal["left", "right", "trunk", "warm"]


def measures(studio: Studio, ask: MotionAsk) -> MeasuresView:
    """Return the measures of a motion by frame; without known legs only those that need none."""
    motion = studio.motion(ask.word)
    step = max(1, -(-motion.n_frames // _VALUES))
    seams = seam_views(motion)
    facts, missing = {"seams": str(len(seams))}, ""
    try:
        found = measure_curves(motion, planted=_planted(studio.made(ask.word), motion))
    except SkeletonError as error:
        lanes = _peak_lanes(*peak_curves(motion)[1:], step)
        missing = f"feet are not measured: {with_remedy(error)}"
    else:
        lanes = [*_foot_lanes(found, step), *_peak_lanes(found.acceleration, found.jerk, step)]
        slides = foot_skate(motion, planted=found.planted)
        worst = max((slide.start_to_end for slide in slides), default=0.0)
        facts |= {"planted feet slide at most": f"{1000 * worst:.1f} mm", "plants": str(len(slides))}
    return MeasuresView(
        motion.fps / step,
        motion.seconds,
        lanes,
        seams,
        [Span(start, stop, part) for part, spans in contact_spans(motion).items() for start, stop in spans],
        [
            Span(start, stop, motion.origin.clips[number])
            for number, start, stop in origin_spans(motion.origin)
        ],
        facts,
        missing,
    )


def _planted(made: MadeMotion | None, motion: Clip) -> Bools | None:
    """Return the contacts that a motion takes over from its sources; None if they must be detected in it."""
    if made is None:
        return None
    try:
        return carried_contacts(motion, made.sources)
    except SegueError:  # a rate different from the sources, or a body without known legs
        return None


def _foot_lanes(found: MeasureCurves, step: int) -> list[Lane]:
    speeds = np.where(found.planted, found.foot_speed, 0.0)
    return [
        _lane("Foot speed, left", "cm/s", "left", 100.0 * speeds[:, :2].max(axis=1), step),
        _lane("Foot speed, right", "cm/s", "right", 100.0 * speeds[:, 2:].max(axis=1), step),
    ]


def _peak_lanes(acceleration: Floats, jerk: Floats, step: int) -> list[Lane]:
    return [
        _lane("Peak acceleration", "m/s²", "trunk", acceleration, step),
        _lane("Peak jerk", "m/s³", "warm", jerk, step),
    ]


def _lane(title: str, unit: str, tone: Tone, values: Floats, step: int) -> Lane:
    """Return a lane with the largest value of each group of frames, so that no peak is lost."""
    groups = np.maximum.reduceat(values, np.arange(0, len(values), step))
    peak = int(np.argmax(values))
    typical = float(np.median(values[values > 0])) if (values > 0).any() else 0.0
    rounded = np.round(groups, 4).tolist()
    return Lane(title, unit, tone, rounded, typical, float(values[peak]), peak)


def export(studio: Studio, ask: ExportAsk) -> ExportView:
    """Write a motion into the export folder, with its record if it was made here."""
    motion = studio.motion(ask.word)
    path = export_path(studio.project.export_folder, ask.name, ask.format)
    if path.exists() and not ask.replace:
        raise FileError(path.name, "is there already; choose another name, or replace it")
    made = studio.made(ask.word)
    record, more = _record(motion, made), {} if made is None else made.more
    path.parent.mkdir(parents=True, exist_ok=True)
    before = _there(path)
    if ask.format == ".json":
        write_record(path, record, more=more)
    elif ask.format == ".html":
        from segue.pictures.player.page import film_page

        film_page([motion], path, title=ask.name)
    else:
        write_motion(motion, path, record, more=more)
    after = _there(path)
    files = sorted(name for name, stamp in after.items() if before.get(name) != stamp)
    return ExportView(
        files,
        sum((path.parent / name).stat().st_size for name in files),
        str(path.parent),
    )


def keep(studio: Studio, ask: KeepAsk) -> ImportView:
    """Keep a made motion as a clip: in the library if one is open, else for this run."""
    motion = studio.motion(ask.word)
    if not _NAME.fullmatch(ask.name) or ask.name.strip(". ") != ask.name:
        raise SettingError(f"{ask.name[:80]!r} is no name for a clip: use letters, digits, blanks, - and _")
    clip = motion.with_motion(name=ask.name, origin=Origin.of(ask.name, motion.n_frames))
    return ImportView([studio.project.add_clip(clip)], [])


def _there(path: Path) -> dict[str, int]:
    stem = path.name.split(".")[0]
    return {one.name: one.stat().st_mtime_ns for one in path.parent.iterdir() if one.name.startswith(stem)}


def _record(motion: Clip, made: MadeMotion | None) -> Record:
    """Return the record of a motion: sources and settings of a made motion; a clip is its own source."""
    of = MadeMotion(motion, (motion,), "clip", {}) if made is None else made
    sources = tuple(source_of(clip) for clip in of.read or of.sources)
    digest = motion_digest(motion)
    return Record(of.command, of.settings, sources, digest, motion.fps, motion.origin, bridges=of.bridges)


def export_path(folder: Path, name: str, suffix: str) -> Path:
    """Return the path of a file in the export folder.

    Raises
    ------
    SettingError
        If the name is not a plain file name, or the format cannot be written.

    Examples
    --------
    >>> export_path(Path("out"), "walk to run", ".glb").name
    'walk to run.glb'
    """
    if suffix not in {*WRITABLE, ".json", ".html"}:
        raise SettingError(f"motions are not written as {suffix!r} here; choose one of the list")
    return plain_path(folder, name, suffix)


def plain_path(folder: Path, name: str, suffix: str) -> Path:
    """Return the path of a plain file name in a folder.

    Raises
    ------
    SettingError
        If the name is not plain, or leads out of the folder.
    """
    if not _NAME.fullmatch(name) or name.strip(". ") != name or Path(name).name != name:
        raise SettingError(f"{name[:80]!r} is no name for a file here: use letters, digits, blanks, - and _")
    path = folder / f"{name}{suffix}"
    if path.resolve().parent != folder.resolve():
        raise SettingError(f"{name!r} leads out of the export folder")
    return path
