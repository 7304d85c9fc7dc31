"""One page about one motion or two: numbers, curves over time and the worst seams as filmstrips."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from segue.app.measure_numbers import beside
from segue.app.measuring import Measured
from segue.measures.curves import MeasureCurves, measure_curves
from segue.measures.foot_skate import carried_contacts
from segue.measures.seams import seam_ranges
from segue.pictures.filmstrip import filmstrip
from segue.pictures.measure_report import curves_picture, scale_tops
from segue.pictures.report import Figure, ReportTable, Section, report
from segue.pictures.seam_strip import seam_strip

_STRIP = 16


def write_measure_report(
    found: Sequence[Measured], document: Sequence[dict[str, Any]], path: str | Path, *, worst: int = 3
) -> str:
    """Write what was measured of one motion, or of two side by side, as one HTML page; return the page.

    Parameters
    ----------
    found, document
        One or two motions as measured, and their `segue.app.measure_numbers.numbers`.
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
        "Slip of a plant is how far it goes along its path; a low part is one less than 3 cm above where it rests and "
        "slower than 0.3 m/s, whatever contacts say. The path of the same part in the source is taken off for what is "
        "beyond it."
    ),
    (
        "Angular speed is the local turn of a joint, acceleration and jerk are second and third differences of its "
        "place in the world. At seams, jerk stands over the 99th percentile of the sources', knees over their hardest, "
        "and root speed is what lies outside the range of the sources' speeds."
    ),
    (
        "Limbs overlap by so much as capsules of the body pass through one another; with the sources known, beyond "
        "what the same two do there."
    ),
    (
        "Pose novelty: root mean square over the joints of how far a pose is from the nearest captured one, seen from "
        "the root and its heading, in leg lengths: 0 for a captured pose. Beside it stands how far captured poses are "
        "from those of all other source clips."
    ),
)
