"""Measures of one motion: a document for programs, a table of motions side by side, and a page.

The page shows the numbers, curves over time and the worst seams as filmstrips.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from segue.app.measuring import Measured
from segue.measures.curves import MeasureCurves, measure_curves
from segue.measures.foot_skate import carried_contacts
from segue.measures.novelty import PoseNovelty, pose_novelty
from segue.measures.quality import Quality, quality
from segue.measures.repetition import repetition
from segue.measures.seams import seam_ranges
from segue.measures.slip import slips
from segue.motion.clip import Clip
from segue.pictures.filmstrip import filmstrip
from segue.pictures.measure_report import curves_picture, scale_tops
from segue.pictures.report import Figure, ReportTable, Section, report
from segue.pictures.seam_strip import seam_strip


def numbers(found: Measured, *, worst: int = 3) -> dict[str, Any]:
    """Every number about a motion, with its unit in its name; the ``worst`` seams are listed."""
    measures, motion = found.measures, found.motion
    start_to_end, along = measures.mean_slide
    names = motion.skeleton.names
    planted = measures.planted_speeds
    return {
        "motion": motion.name,
        "seconds": motion.seconds,
        "fps": motion.fps,
        "plants": len(measures.plants),
        "skate_cm": {"start_to_end": 100 * start_to_end, "along_path": 100 * along},
        "slip_mm": slipped(motion, found.sources),
        "root_speed": {
            "mean": float(measures.root_speed.mean()) if measures.root_speed.size else 0.0,
            "max": float(measures.root_speed.max()) if measures.root_speed.size else 0.0,
        },
        "planted_speed": {
            "median": float(np.median(planted)) if planted.size else None,
            "p95": float(np.percentile(planted, 95)) if planted.size else None,
        },
        "seams": measures.n_seams,
        "seams_measured": len(measures.seams),
        "seams_within_bounds": sum(seam.badness(measures.bounds) <= 1.0 for seam in measures.seams),
        "worst_seams": [
            {
                "number": [s.start for s in measures.seams].index(seam.start) + 1,
                "seconds": seam.seconds,
                "from": seam.a_clip,
                "to": seam.b_clip,
                "speed_joint": names[int(np.argmax(seam.speed_share(measures.bounds)))],
                "speed_share": float(np.max(seam.speed_share(measures.bounds))),
                "acceleration_joint": names[int(np.argmax(seam.acceleration_ratio))],
                "acceleration_ratio": float(np.max(seam.acceleration_ratio)),
            }
            for seam in measures.worst_seams(worst)
        ],
        **_quality(quality(motion, sources=found.sources), known=bool(found.sources)),
        "repetition": repeated(motion) if found.record is not None else None,
        "pose_novelty": _novelty(pose_novelty(motion, found.sources)) if found.sources else None,
    }


def repeated(motion: Clip) -> dict[str, Any]:
    """Repetition of a made motion, as a document."""
    found = repetition(motion)
    return {
        "distinct_seconds": found.distinct_seconds,
        "share_repeated": found.share,
        "worst_minute_from": found.worst_start,
        "worst_minute_share": found.worst_share,
        "warning": found.warning or None,
    }


def slipped(motion: Clip, sources: Sequence[Clip]) -> dict[str, Any]:
    """Millimetres along the path of plants by contacts, and of low parts; also beyond the sources' own."""
    found = slips(motion, sources)
    return {
        word: {
            "plants": len(plants),
            **_spread("", [1000 * one.along_path for one in plants]),
            **_spread("beyond_", [1000 * one.beyond for one in plants] if sources else []),
        }
        for word, plants in zip(("contacts", "low"), found, strict=True)
    }


def _spread(word: str, values: Sequence[float]) -> dict[str, float | None]:
    known = len(values) > 0
    return {
        f"{word}median": float(np.median(values)) if known else None,
        f"{word}p95": float(np.percentile(values, 95)) if known else None,
    }


def _quality(found: Quality, *, known: bool) -> dict[str, Any]:
    ground, seams = found.ground, found.seams
    return {
        "ground_cm": {
            "deepest_below": 100 * float(ground.penetration.max(initial=0.0)),
            "highest_above": 100 * float(ground.floating.max(initial=0.0)),
        },
        "jerk": {
            "median": float(np.median(found.jerk)) if found.jerk.size else 0.0,
            "p99": float(np.percentile(found.jerk, 99)) if found.jerk.size else 0.0,
        },
        "seam_jerk": max((seam.jerk for seam in seams), default=None),
        "seam_knee": max((seam.knee for seam in seams), default=None),
        "seam_root_speed": max((seam.root_speed for seam in seams), default=None),
        "limbs_overlap_cm": 100 * float(found.limbs.max(initial=0.0)),
        "limbs_beyond_sources": known,
        "bone_error_mm": 1000 * found.bone_error,
    }


def _novelty(found: PoseNovelty) -> dict[str, Any]:
    """Pose novelty in leg lengths; with several sources also that of captured poses from other clips."""
    known = bool(found.captured.size)
    return {
        "median": float(np.median(found.apart)),
        "p95": float(np.percentile(found.apart, 95)),
        "most": float(found.apart.max()),
        "captured_median": float(np.median(found.captured)) if known else None,
        "captured_p95": float(np.percentile(found.captured, 95)) if known else None,
        "beyond_captured_p95": found.beyond if known else None,
    }


def beside(*documents: dict[str, Any]) -> list[tuple[str, ...]]:
    """Table of the numbers of motions, one motion per column; the first row has their names."""
    rows: list[tuple[str, ...]] = [("", *(given["motion"] for given in documents))]
    for label, keys, unit in _ROWS:
        values = [_value(given, keys) for given in documents]
        if any(value is not None for value in values):
            rows.append((label, *("-" if v is None else f"{_shown(v)} {unit}".rstrip() for v in values)))
    return rows


def _shown(value: float) -> str:
    """Four digits, no exponent, no rounding residue."""
    if not np.isfinite(value):
        return "-"
    return f"{value:.0f}" if abs(value) >= 1000 else f"{round(value, 5):.4g}"


_ROWS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("length", ("seconds",), "s"),
    ("foot skate along the path", ("skate_cm", "along_path"), "cm"),
    ("foot skate start to end", ("skate_cm", "start_to_end"), "cm"),
    ("slip of a plant by contacts, median", ("slip_mm", "contacts", "median"), "mm"),
    ("slip of a plant by contacts, 95 %", ("slip_mm", "contacts", "p95"), "mm"),
    ("beyond its source's own, median", ("slip_mm", "contacts", "beyond_median"), "mm"),
    ("beyond its source's own, 95 %", ("slip_mm", "contacts", "beyond_p95"), "mm"),
    ("slip of a low part, median", ("slip_mm", "low", "median"), "mm"),
    ("slip of a low part, 95 %", ("slip_mm", "low", "p95"), "mm"),
    ("low part beyond its source's own, median", ("slip_mm", "low", "beyond_median"), "mm"),
    ("low part beyond its source's own, 95 %", ("slip_mm", "low", "beyond_p95"), "mm"),
    ("planted speed, median", ("planted_speed", "median"), "m/s"),
    ("planted speed, 95 %", ("planted_speed", "p95"), "m/s"),
    ("seams", ("seams",), ""),
    ("seams within bounds", ("seams_within_bounds",), ""),
    ("deepest below the floor", ("ground_cm", "deepest_below"), "cm"),
    ("planted parts above it", ("ground_cm", "highest_above"), "cm"),
    ("jerk, median", ("jerk", "median"), "m/s^3"),
    ("jerk, 99 %", ("jerk", "p99"), "m/s^3"),
    ("jerk at seams / the sources'", ("seam_jerk",), ""),
    ("knees at seams / the sources'", ("seam_knee",), ""),
    ("root speed at seams beyond the sources'", ("seam_root_speed",), "m/s"),
    ("limbs overlap", ("limbs_overlap_cm",), "cm"),
    ("bones longer or shorter", ("bone_error_mm",), "mm"),
    ("seconds that are new", ("repetition", "distinct_seconds"), "s"),
    ("share that is repeated", ("repetition", "share_repeated"), ""),
    ("pose novelty, median", ("pose_novelty", "median"), "leg lengths"),
    ("pose novelty, 95 %", ("pose_novelty", "p95"), "leg lengths"),
    ("captured from other clips, 95 %", ("pose_novelty", "captured_p95"), "leg lengths"),
    ("root speed, mean", ("root_speed", "mean"), "m/s"),
    ("root speed, most", ("root_speed", "max"), "m/s"),
)


def _value(document: dict[str, Any] | None, keys: tuple[str, ...]) -> float | None:
    for key in keys:
        if document is None:
            return None
        document = document[key]
    return document  # type: ignore[return-value]  # a number here, or None


_STRIP = 16


def write_measure_report(
    found: Sequence[Measured], document: Sequence[dict[str, Any]], path: str | Path, *, worst: int = 3
) -> str:
    """Write the measures of one motion, or of two side by side, as one HTML page; return the page.

    Parameters
    ----------
    found, document
        One or two measured motions, and their `segue.app.measure_numbers.numbers`.
    path
        File to write (.html).
    worst
        How many of the worst seams of each are shown.

    Raises
    ------
    FileError
        If the file does not end in .html or its folder does not exist.
    MissingExtraError
        If matplotlib is not installed.
    """
    sections = [
        Section("Numbers", tuple(_numbers(found, document))),
        Section("Over time", tuple(_curves(found))),
        Section("The worst seams", tuple(_seams(found, worst))),
        Section("What the numbers are", _WORDS),
    ]
    names = " beside ".join(one.motion.name for one in found)
    lengths = " and ".join(
        f"{one.motion.seconds:.2f} s at {one.motion.fps:g} frames a second" for one in found
    )
    return report(f"{names}, measured", sections, path, summary=f"{lengths}.")


def _numbers(found: Sequence[Measured], values: Sequence[dict[str, Any]]) -> Iterator[str | ReportTable]:
    head, *rows = beside(*values)
    yield ReportTable(
        (head, *rows), "Of joints the one that does most; of plants their mean. Words are explained below."
    )
    for one in found:
        if one.note:
            yield f"{one.motion.name}: {one.note}."
    for one, document in zip(found, values, strict=True):
        if document["seams_measured"]:
            yield (
                f"{one.motion.name}: {document['seams_within_bounds']} of {document['seams_measured']} seams are "
                f"within bounds: angular speed {one.measures.bounds.speed_factor:g} times the sources' and 10 °/s, "
                f"acceleration {one.measures.bounds.acceleration_factor:g} times."
            )


def _planted(one: Measured) -> Any:
    return carried_contacts(one.motion, one.sources) if one.sources else None


def _curves(found: Sequence[Measured]) -> Iterator[str | Figure]:
    known: list[MeasureCurves | None] = [
        measure_curves(one.motion, planted=_planted(one)) if one.motion.n_frames > 1 else None
        for one in found
    ]
    drawn = [curves for curves in known if curves is not None]
    tops = scale_tops(*drawn) if drawn else ()
    for one, curves in zip(found, known, strict=True):
        name = one.motion.name
        if curves is None:
            yield f"{name} is a single frame: nothing changes over time."
            continue
        picture = curves_picture(curves, seams=seam_ranges(one.motion.origin), tops=tops, title=name)
        yield Figure(
            picture,
            f"Five panels over the {one.motion.seconds:.1f} seconds of {name}: angular speed, acceleration, jerk, feet "
            f"along the ground with their plants, and feet below and above the floor; {picture.notes['seams']} seams.",
            f"{name}. Blends stand on yellow. Of all joints the one that does most in each frame; green bars are "
            "planted heels and toes"
            + (", carried over from the sources." if one.sources else ", found in the motion itself."),
        )
    if len(drawn) > 1:
        yield "Both have the same scales."


def _seams(found: Sequence[Measured], worst: int) -> Iterator[str | Figure]:
    for one in found:
        motion, measures = one.motion, one.measures
        planted = _planted(one)
        if not measures.seams or not worst:
            yield Figure(
                filmstrip(motion, count=_STRIP, contacts=planted),
                f"Filmstrip of {motion.name}.",
                f"{motion.name} has no seams that are known. The whole motion.",
            )
            continue
        for seam in measures.worst_seams(worst):
            middle = (seam.start + max(seam.stop - 1, seam.start)) // 2
            share = seam.badness(measures.bounds)
            words = (
                f"{motion.name}, {seam.seconds:.2f} s, {seam.a_clip} to {seam.b_clip}: {share:.0%} of what a seam may "
                "do."
            )
            strip = seam_strip(motion, middle, sources=one.sources, contacts=planted)
            yield Figure(
                strip,
                f"Figures around a seam and curves of its worst joints. {words}",
                f"{words} Dashed lines are the bounds, from the sources half a second around the seam.",
            )


_WORDS = (
    (
        "Foot skate: how far heels and toes slide along the ground while they are planted, mean over all plants. With "
        "the sources known, what they had planted counts, and planted speed is that of parts planted in both at a "
        "blend."
    ),
    (
        "Slip of a plant is the length of its path along the ground. A low part is less than 3 cm above its resting "
        "height and slower than 0.3 m/s, regardless of contacts. Slip beyond the source's own is that length less the "
        "path length of the same part in the source."
    ),
    (
        "Angular speed is that of a joint's local rotation; acceleration and jerk are the second and third differences "
        "of its position in the world. At seams, jerk is relative to the 99th percentile of the sources', knee "
        "acceleration to their maximum, and root speed is the excess over the range of the sources' speeds."
    ),
    (
        "Limb overlap is how deep capsules of the body penetrate one another; if the sources are known, how much "
        "deeper than the same two do there."
    ),
    (
        "Pose novelty: root mean square over the joints of how far a pose is from the nearest captured one, seen from "
        "the root and its heading, in leg lengths: 0 for a captured pose. Beside it stands how far captured poses are "
        "from those of all other source clips."
    ),
)
