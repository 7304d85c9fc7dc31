"""What was measured of one motion, as a document for programs and as rows of two motions side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from segue.app.measuring import Measured
from segue.measures.novelty import PoseNovelty, pose_novelty
from segue.measures.quality import Quality, quality
from segue.measures.repetition import repetition
from segue.measures.slip import slips
from segue.motion.clip import Clip


def numbers(found: Measured, *, worst: int = 3) -> dict[str, Any]:
    """Every number about a motion, with its unit in its name; ``worst`` seams are named."""
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
    """How much of a made motion is new, as a document."""
    found = repetition(motion)
    return {
        "distinct_seconds": found.distinct_seconds,
        "share_repeated": found.share,
        "worst_minute_from": found.worst_start,
        "worst_minute_share": found.worst_share,
        "warning": found.warning or None,
    }


def slipped(motion: Clip, sources: Sequence[Clip]) -> dict[str, Any]:
    """Millimetres along the path of plants by contacts, and of parts that are low, and beyond the sources' own."""
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
    """In leg lengths; what captured poses are from other clips beside it, where there is more than one source."""
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
    """Table of the numbers that motions have, one motion a column, the first row their names."""
    rows: list[tuple[str, ...]] = [("", *(given["motion"] for given in documents))]
    for label, keys, unit in _ROWS:
        values = [_value(given, keys) for given in documents]
        if any(value is not None for value in values):
            rows.append((label, *("-" if v is None else f"{_shown(v)} {unit}".rstrip() for v in values)))
    return rows


def _shown(value: float) -> str:
    """Four digits, without powers of ten, and nothing of what rounding leaves."""
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
    return document  # type: ignore[return-value]  # a number by now, or none
