"""Propose elementary motions of a take: cut at the rests between bursts, with the active middle of each as core.

A take is active where either half of the body is fast. It is cut at its rests, each at the calmest moment, preferably
with both feet on the ground. Longer pieces are cut at the calmest moment within them. The core of a piece is the
stretch around its fastest moment above half of that speed, without the steps before and after: those are preparation
and recuperation, by which it is joined to others.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from segue.arrays import Bools, Floats
from segue.errors import SettingError
from segue.measures.curves import half_speeds
from segue.motion.clip import Clip
from segue.motion.faults import unusable_frames
from segue.motion.flags import runs
from segue.motion.keytimes import keytimes

_EASE = 0.1  # seconds over which speed is averaged
_CALM, _BUSY = 5.0, 95.0  # percentiles of a take's speed taken as rest and as burst
_REST, _BURST = 0.2, 0.5  # shares between the two: below the first is rest, a burst exceeds the second
_BRIEFEST = 0.1  # seconds of a rest, of a core, and of the parts before and after a core
_HALF = 0.5  # of the speed of the fastest moment: above is the active middle
_STANDING = 0.25  # of the burst's speed: how much faster a cut with both feet planted may be


@dataclass(frozen=True)
class ElementRange:
    """Range of an elementary motion in a clip; frames at the clip's own rate, half open.

    Parameters
    ----------
    name
        Its name in scripts.
    clip
        Name of the clip.
    start_frame, stop_frame
        Its first frame, and the frame after its last.
    core_start_frame, core_stop_frame
        Its core within them, in the same form.
    tags
        Tags by which it can be found.
    """

    name: str
    clip: str
    start_frame: int
    stop_frame: int
    core_start_frame: int
    core_stop_frame: int
    tags: tuple[str, ...] = ()


def propose(clip: Clip, *, shortest: float = 0.8, longest: float = 4.0) -> tuple[ElementRange, ...]:
    """Cut a take into elementary motions.

    Parameters
    ----------
    clip
        The take.
    shortest, longest
        Seconds of a piece; one may last longer where it has no calmer moment to cut at.

    Returns
    -------
    Ranges in order, named by the clip and a number; stretches at rest between them are left out, as are frames without
    motion at their ends.

    Raises
    ------
    SettingError
        If the seconds are not a possible range.

    Examples
    --------
    >>> import segue
    >>> [one.name for one in propose(segue.sample("walk"))]
    ['walk 1', 'walk 2']
    """
    if not 0.3 <= shortest <= longest <= 3600.0:
        msg = (
            f"an elementary motion cannot last {shortest:g} to {longest:g} s; give 0.3 s or more, and a longest that "
            "is no less than the shortest"
        )
        raise SettingError(msg)
    speed, standing = _activity(clip), _standing(clip)
    low, high = np.percentile(speed, [_CALM, _BUSY])
    rest, burst = low + _REST * (high - low), low + _BURST * (high - low)
    calm = np.where(standing, speed, speed + _STANDING * (high - low))
    least = max(round(shortest * clip.fps), 2)
    cuts = [0, *_rests(speed < rest, calm, round(_BRIEFEST * clip.fps)), clip.n_frames]
    pieces = []
    for start, stop in _joined(cuts, least):
        pieces += _split(calm, start, stop, least, round(longest * clip.fps))
    kept = [(a, b) for a, b in pieces if speed[a:b].max() >= min(burst, high) or len(pieces) == 1]
    out = []
    sound = np.flatnonzero(~unusable_frames(clip))
    for number, (begin, end) in enumerate(kept, 1):
        within = sound[(sound >= begin) & (sound < end)]
        if within.size < least // 2:
            continue
        start, stop = int(within[0]), int(within[-1]) + 1
        first, last = _core(speed, standing_by_foot(clip), start, stop, clip.fps)
        out.append(ElementRange(f"{clip.name} {number}", clip.name, start, stop, first, last))
    return tuple(out)


def proposed_core(clip: Clip, *, start_frame: int = 0, stop_frame: int | None = None) -> tuple[int, int]:
    """Return the core of a stretch of a clip: first frame, and the frame after the last.

    Raises
    ------
    SettingError
        If the stretch is not within the clip.

    Examples
    --------
    >>> import segue
    >>> first, last = proposed_core(segue.sample("stop"))
    >>> 0 < first < last < segue.sample("stop").n_frames
    True
    """
    stop = clip.n_frames if stop_frame is None else stop_frame
    if not 0 <= start_frame < stop <= clip.n_frames:
        msg = f"frames {start_frame} up to {stop} are no range in a clip of {clip.n_frames} frames"
        raise SettingError(msg)
    return _core(_activity(clip), standing_by_foot(clip), start_frame, stop, clip.fps)


def standing_by_foot(clip: Clip) -> Bools:
    """Return flags (F, 2) of whether the left and the right foot support the body."""
    return keytimes(clip).support


def _standing(clip: Clip) -> Bools:
    return np.asarray(standing_by_foot(clip).all(axis=1))


def _activity(clip: Clip) -> Floats:
    """Speed (F,) of the faster half of the body, smoothed by a moving average."""
    found = half_speeds(clip)
    speed = np.maximum(found.lower, found.upper)
    width = 2 * round(_EASE * clip.fps / 2) + 1
    padded = np.pad(speed, width // 2, mode="edge")
    out: Floats = np.convolve(padded, np.full(width, 1.0 / width), mode="valid")
    return out


def _rests(resting: Bools, calm: Floats, briefest: int) -> list[int]:
    """Calmest frame of each rest within a take; rests at its ends separate nothing."""
    n = len(resting)
    found = [(a, b) for a, b in runs(resting) if b - a >= briefest]
    return [a + int(np.argmin(calm[a:b])) for a, b in found if a > 0 and b < n]


def _joined(cuts: list[int], least: int) -> list[tuple[int, int]]:
    """Pieces between cuts; one that is too short joins the one before."""
    out: list[tuple[int, int]] = []
    for start, stop in pairwise(cuts):
        if start == stop:
            continue
        if out and (stop - start < least or out[-1][1] - out[-1][0] < least):
            out[-1] = out[-1][0], stop
        else:
            out.append((start, stop))
    return out


def _split(calm: Floats, start: int, stop: int, least: int, most: int) -> list[tuple[int, int]]:
    """Cut a piece at its calmest moment until no part is too long."""
    if stop - start <= most or stop - start < 2 * least:
        return [(start, stop)]
    middle = start + least + int(np.argmin(calm[start + least : stop - least + 1]))
    return [*_split(calm, start, middle, least, most), *_split(calm, middle, stop, least, most)]


def _core(speed: Floats, standing: Bools, start: int, stop: int, fps: float) -> tuple[int, int]:
    """Active middle of a stretch: above half of its highest speed, without the steps before and after."""
    margin = min(max(round(_BRIEFEST * fps), 1), max((stop - start - 1) // 3, 0))
    inner = slice(start + margin, stop - margin)
    peak = inner.start + int(np.argmax(speed[inner]))
    low = float(speed[start:stop].min())
    active = speed >= low + _HALF * (speed[peak] - low)
    first, last = peak, peak + 1
    while first > inner.start and active[first - 1]:
        first -= 1
    while last < inner.stop and active[last]:
        last += 1
    for foot in (0, 1):
        for a, b in runs(~standing[start:stop, foot]):
            if start + b <= peak:
                first = max(first, start + b)
            elif start + a > peak:
                last = min(last, start + a)
    least = min(max(round(_BRIEFEST * fps), 1), inner.stop - inner.start)
    if last - first < least:
        first = min(max(inner.start, peak - least // 2), inner.stop - least)
        last = first + least
    return first, last
