"""The further numbers of `segue measure`, in words and for programs, of one motion or of two side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from segue.measures.quality import Quality


def quality_document(found: Quality, *, known: bool) -> dict[str, Any]:
    """Numbers of one motion; ``known`` where its sources are."""
    import numpy as np

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


def quality_rows(told: dict[str, Any]) -> list[tuple[str, str]]:
    """Rows of a table."""
    ground = told["ground_cm"]
    rows = [
        (
            "ground",
            (
                f"heels and toes up to {ground['deepest_below']:.1f} cm below the floor, planted ones up to "
                f"{ground['highest_above']:.1f} cm above"
            ),
        ),
        (
            "jerk",
            f"{told['jerk']['median']:.0f} m/s^3 median, {told['jerk']['p99']:.0f} at 99 %: fastest joint",
        ),
    ]
    if told["seam_jerk"] is not None:
        rows.append(
            (
                "at seams",
                (
                    f"jerk up to {told['seam_jerk']:.2f} x the sources' 99 %, knees up to {told['seam_knee']:.2f} x "
                    f"their hardest, root {told['seam_root_speed']:.2f} m/s beyond their speeds"
                ),
            )
        )
    beyond = "beyond what the sources do" if told["limbs_beyond_sources"] else "in the capsule body"
    rows.append(("limbs", f"overlap up to {told['limbs_overlap_cm']:.1f} cm {beyond}"))
    if told["bone_error_mm"] > 0.01:
        rows.append(("bones", f"up to {told['bone_error_mm']:.2f} mm longer or shorter"))
    return rows


def beside(one: dict[str, Any], other: dict[str, Any]) -> list[tuple[str, ...]]:
    """Table of the numbers that both motions have, the second beside the first."""
    rows: list[tuple[str, ...]] = [("", one["motion"], other["motion"])]
    for label, keys, unit in (
        ("foot skate along the path", ("skate_cm", "along_path"), "cm"),
        ("planted speed, 95 %", ("planted_speed", "p95"), "m/s"),
        ("seams", ("seams",), ""),
        ("deepest below the floor", ("ground_cm", "deepest_below"), "cm"),
        ("planted parts above it", ("ground_cm", "highest_above"), "cm"),
        ("jerk, 99 %", ("jerk", "p99"), "m/s^3"),
        ("jerk at seams / the sources'", ("seam_jerk",), ""),
        ("knees at seams / the sources'", ("seam_knee",), ""),
        ("limbs overlap", ("limbs_overlap_cm",), "cm"),
        ("root speed, mean", ("root_speed", "mean"), "m/s"),
    ):
        values = [_value(told, keys) for told in (one, other)]
        if any(value is not None for value in values):
            rows.append((label, *("-" if v is None else f"{v:.4g} {unit}".rstrip() for v in values)))
    return rows


def _value(told: dict[str, Any], keys: tuple[str, ...]) -> float | None:
    for key in keys:
        told = told[key]
    return told  # type: ignore[return-value]  # a number by now, or none
