"""The record of one transition between two clips, as the studio makes it; and the transition made again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from segue.app.crossing import clip_pair, cross, point_of_frames
from segue.app.record import Record
from segue.app.record_settings import recorded_settings
from segue.costs.protocol import Cost
from segue.costs.registry import as_document, cost_from
from segue.errors import FileError, SegueError
from segue.motion.clip import Clip
from segue.settings import DEFAULTS

COMMAND = "cross"


@dataclass(frozen=True)
class CrossJob:
    """All that one transition is made from, besides its clips.

    Parameters
    ----------
    a, b
        Names of the clip left and of the clip arrived in.
    a_frame, b_frame
        The frames that lie on each other.
    length
        Seconds of the blend, or the method that chooses them.
    way, feet
        How they are blended, and what is done about planted feet.
    cost
        The cost by which they are laid onto each other, as `segue.costs.registry.as_document` gives it.
    """

    a: str
    b: str
    a_frame: int
    b_frame: int
    length: float | str
    way: str = DEFAULTS.way
    feet: str = DEFAULTS.feet
    cost: dict[str, Any] | None = None

    def document(self, cost: Cost) -> dict[str, Any]:
        """Settings of a record."""
        return {**asdict(self), "cost": as_document(cost)}


def crossed_again(record: Record, record_file: Path, clips: Sequence[Clip]) -> Clip:
    """Make the transition of a record again; its clips are those of the record.

    Raises
    ------
    FileError
        If its settings are not understood, or do not fit its clips.
    """
    job = recorded_settings(record, record_file, CrossJob)
    named = {clip.name: clip for clip in clips}
    if job.a not in named or job.b not in named:
        raise FileError(record_file, f"tells of {job.a!r} and {job.b!r}, which are not its sources")
    try:
        cost = cost_from(job.cost or {"name": DEFAULTS.cost})
        pair = clip_pair(named[job.a], named[job.b], cost=cost)
        point = point_of_frames(pair, job.a_frame, job.b_frame)
        made = cross(pair, point, length=job.length, way=job.way, feet=job.feet)  # type: ignore[arg-type]  # checked there
    except SegueError as error:
        raise FileError(record_file, str(error)) from None
    return made.motion
