"""How much of a made motion is new: distinct seconds of sources that it plays, and the share of repetitions.

Each frame shows a moment of a source: of the heavier one in a blend, of a cyclic one the moment of its cycle. A
moment that was shown before is repeated, whichever frame of its neighbourhood, one output frame wide, is shown.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from segue.arrays import Bools, Floats, Ints
from segue.motion.clip import Clip, frames_round

MINUTE = 60.0
"""Seconds of the stretch that is looked at for itself."""
TIRING = 0.5
"""Share of a minute that shows what the same minute showed before, from which it is said to repeat itself."""
_STEP = 5.0  # seconds between the minutes that are looked at


@dataclass(frozen=True)
class Repetition:
    """What a made motion repeats.

    Parameters
    ----------
    seconds
        Its length.
    distinct_seconds
        Seconds of source material that it shows.
    share
        Share of its frames that show a moment shown before.
    worst_start
        Seconds at which the minute begins that repeats most of itself; 0 where the motion is shorter.
    worst_share
        Share of that minute that it showed before.
    """

    seconds: float
    distinct_seconds: float
    share: float
    worst_start: float
    worst_share: float

    @property
    def warning(self) -> str:
        """One sentence if a minute repeats itself, else empty; half a minute is too short to decide."""
        if self.seconds < MINUTE / 2 or self.worst_share < TIRING:
            return ""
        long = min(self.seconds, MINUTE)
        where = f"the minute from {self.worst_start:.0f} s" if self.seconds > MINUTE else "the motion"
        new = (1.0 - self.worst_share) * long
        return f"{where} repeats itself: only {new:.0f} s of its {long:.0f} are new; more clips, or another seed, help"


def repetition(clip: Clip) -> Repetition:
    """Measure how much of a made motion repeats itself, by its origin.

    Parameters
    ----------
    clip
        A made motion; one that is read without its record repeats nothing.

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
    """Flags (F,) of the frames whose moment (F, 2), a clip and a step of it, was shown before and left in between.

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
    """Source clip and step of it (F, 2) that each frame shows most of."""
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
