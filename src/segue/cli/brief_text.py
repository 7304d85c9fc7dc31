"""The five-line summary of a made motion: file, share of the input used, seams, feet, record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from segue.cli.output import counted, table


def brief(document: dict[str, Any], made_from: str, asked: str = "") -> str:
    """Return the lines of the summary.

    Parameters
    ----------
    document
        The ``--json`` document of the motion: ``written``, whose last file is the record, ``seconds``, ``frames``,
        ``fps``, and the numbers of `segue.cli.motion_text.quality`.
    made_from
        How much of the input was used.
    asked
        How close the motion comes to the request; no row if empty.
    """
    rows = [("made of", made_from), ("asked", asked), ("seams", seams(document)), ("feet", feet(document))]
    rows = [row for row in rows if row[1]]
    return "\n".join([head(document), table(rows), record(document["written"])])


def head(document: Mapping[str, Any]) -> str:
    """Return file, seconds, frames and rate."""
    return f"{document['written'][0]}: {extent(document)}"


def extent(document: Mapping[str, Any]) -> str:
    """Return seconds, frames and rate."""
    frames = counted(document["frames"], "frame")
    return f"{round(document['seconds'], 2):.7g} s, {frames} at {document['fps']:g} fps"


def of_clips(played: int, read: int, share: float | None = None) -> str:
    """Return how many of the clips read are played, and the share of their motion within reach."""
    words = f"{played} of {counted(read, 'clip')}"
    return words if share is None else f"{words}; {share:.0%} of what they hold is within reach"


def seams(document: dict[str, Any]) -> str:
    """Return the number of seams, how many are within bounds, and the worst."""
    count, within = document["seams"], document["seams_within_bounds"]
    if not count:
        return "none"
    kept = "all within bounds" if within == count else f"{count - within} beyond bounds"
    worst = document["worst_seams"][0]
    return (
        f"{count}, {kept}; the worst at {worst['seconds']:.2f} s: "
        f"{worst['share_of_bounds']:.0%} of what is allowed"
    )


def feet(document: dict[str, Any]) -> str:
    """Return how far planted feet slide."""
    if not document["plants"]:
        return "none is planted"
    return f"planted ones slide {10 * document['skate_cm']['start_to_end']:.1f} mm on average"


def record(written: Sequence[str]) -> str:
    """Return the name of the record, other files written, and the option that prints more."""
    also = f"; also {', '.join(written[1:-1])}" if len(written) > 2 else ""
    return f"record: {written[-1]}{also} (-v prints more)"
