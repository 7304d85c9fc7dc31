"""Measure how much of a made motion is new: distinct seconds of sources that it plays, and the share of repetitions.

Each frame shows a moment of a source: of the heavier one in a blend, and for a cyclic source the moment of its cycle.
Moments are rounded to steps of one output frame; a moment is repeated if its step was shown before.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from segue.arrays import Bools, Floats, Ints
from segue.motion.clip import Clip, frames_round

MINUTE = 60.0
"""Seconds of the stretches in which repetition is measured separately."""
TIRING = 0.5
"""Share of repeated frames in a minute from which the motion is reported as repetitive."""
_STEP = 5.0  # seconds between the starts of these minutes


@dataclass(frozen=True)
class Repetition:
    """Repetition in a made motion.

    Parameters
    ----------
    seconds
        Length of the motion.
    distinct_seconds
        Seconds of distinct source material in it.
    share
        Share of its frames that show a moment shown before.
    worst_start
        Start in seconds of the minute with the largest share of repetition; 0 where the motion is shorter.
    worst_share
        Share of repeated frames in that minute.
    """

    seconds: float
    distinct_seconds: float
    share: float
    worst_start: float
    worst_share: float

    @property
    def warning(self) -> str:
        """One sentence if a minute is repetitive, otherwise empty; less than half a minute is too short to decide."""
        if self.seconds < MINUTE / 2 or self.worst_share < TIRING:
            return ""
        long = min(self.seconds, MINUTE)
        where = f"the minute from {self.worst_start:.0f} s" if self.seconds > MINUTE else "the motion"
        new = (1.0 - self.worst_share) * long
        return f"{where} repeats itself: only {new:.0f} s of its {long:.0f} are new; more clips, or another seed, help"


def repetition(clip: Clip) -> Repetition:
    """Measure how much of a made motion is repeated, by its origin.

    Parameters
    ----------
    clip
        A made motion; one read without its record has no repetition.

    Examples
    --------
    >>> import segue
    >>> from segue.motion.resample import cut
    >>> walk = segue.sample("walk")
    >>> found = repetition(walk)
    >>> found.distinct_seconds == walk.n_frames / walk.fps, found.share
    (True, 0.0)
    """
    moments = _moments(clip)
    again = repeats(moments)
    length = round(MINUTE * clip.fps)
    starts = range(0, max(clip.n_frames - length, 0) + 1, max(round(_STEP * clip.fps), 1))
    shares = [float(repeats(moments[start : start + length]).mean()) for start in starts]
    worst = int(np.argmax(shares))
    return Repetition(
        clip.seconds,
        float((~again).sum()) / clip.fps,
        float(again.mean()),
        starts[worst] / clip.fps,
        shares[worst],
    )


def repeats(moments: Ints) -> Bools:
    """Return flags (F,) of frames whose moment (F, 2), clip and step, was shown before and left in between.

    Examples
    --------
    >>> import numpy as np
    >>> repeats(np.array([[0, 1], [0, 2], [0, 2], [0, 1], [1, 1]])).astype(int).tolist()
    [0, 0, 0, 1, 0]
    """
    begins = np.ones(len(moments), dtype=bool)
    begins[1:] = (moments[1:] != moments[:-1]).any(axis=1)
    _, first = np.unique(moments[begins], axis=0, return_index=True)
    seen = np.ones(int(begins.sum()), dtype=bool)
    seen[first] = False
    out: Bools = seen[np.cumsum(begins) - 1]
    return out


def _moments(clip: Clip) -> Ints:
    """Source clip and step (F, 2) of the largest weight in each frame."""
    origin, rows = clip.origin, np.arange(clip.n_frames)
    heavier = np.argmax(origin.weight, axis=1)
    number, frame = origin.clip[rows, heavier], origin.frame[rows, heavier]
    frame = frames_round(frame, origin.period_of(number))
    steps = np.ones(len(origin.clips))
    along = number[1:] == number[:-1]
    for k in range(len(steps)):
        moves: Floats = np.diff(frame)[along & (number[1:] == k)]
        moves = moves[moves > 0]
        steps[k] = float(np.median(moves)) if moves.size else 1.0
    return np.column_stack([number, np.floor(frame / steps[number] + 0.5).astype(np.int64)])
