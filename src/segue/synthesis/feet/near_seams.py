"""Levels of feet at seams near each other, searched together.

Feet at near seams are softened together, for it is not known whose correction it is that shows. A foot may then be let
go which another level would have kept in place, had its neighbour been treated over other frames. Where one does more
than a transition alone may do (`segue.synthesis.checks`), all its levels are measured with those of one near seam after
the other, and the best is taken at which no joint shows more than it may.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import TypeAlias

import numpy as np

from segue.arrays import Bools, Floats, Ints
from segue.motion.clip import Clip
from segue.motion.resample import cut
from segue.synthesis import checks
from segue.synthesis.feet.levels import AFTER, FREE, REACH
from segue.synthesis.feet.seam_moves import SLIP, Ranges, SeamMoves
from segue.synthesis.feet.softening import Over

_LOOK = 0.75  # seconds around the seams that are measured
_LESS = 1e-4  # metres: what is better by less than that is no better

OverIn: TypeAlias = Callable[[Clip, Ranges], Over]
"""Which joints show more than they may at the seams of a part of a motion."""


def improved(work: SeamMoves, level: Ints, over_in: OverIn) -> Ints:
    """Levels (S, 2) at which feet at near seams are better off, where one goes or slips farther than it may.

    Parameters
    ----------
    work
        Feet at the seams of a motion.
    level
        (S, 2) at which no joint shows more than it may.
    over_in
        Which joints show at the seams of a part of the motion, as it was blended.
    """
    level, motion = np.array(level), work.motion
    wrong: Bools = np.any(_excess(work, *work.measured(level)) > 0.0, axis=1)
    around = round(_LOOK * motion.fps)
    for first, last in _groups(work.ranges, 2 * round(REACH * motion.fps)):
        if last - first < 2 or not wrong[first:last].any():
            continue
        start = max(work.ranges[first][0] - around, 0)
        rows = slice(start, min(work.ranges[last - 1][1] + around, motion.n_frames))
        seams = [(a - start, b - start) for a, b in work.ranges[first:last]]
        part = cut(motion, rows.start, rows.stop)
        feet = SeamMoves(part, work.own[rows], work.firm[rows], seams, work.keep)
        level[first:last] = _searched(feet, level[first:last], over_in(part, seams))
    return level


def _groups(ranges: Ranges, apart: int) -> Iterator[tuple[int, int]]:
    """Seams, half open, of which each begins no more than so many frames behind the one before it."""
    first = 0
    for k in range(1, len(ranges) + 1):
        if k == len(ranges) or ranges[k][0] - ranges[k - 1][1] > apart:
            yield first, k
            first = k


def _excess(work: SeamMoves, slips: Floats, creeps: Floats) -> Floats:
    """Metres by which planted feet slip or creep more than a transition alone may make them, 0 where less."""
    planted = creeps > 0.0
    out: Floats = np.where(planted, np.maximum(np.maximum(slips - checks.SLIP, creeps - work.most), 0.0), 0.0)
    return out


def _searched(work: SeamMoves, level: Ints, over: Over) -> Ints:
    """Levels (S, 2) of a group of near seams."""
    level = np.array(level)
    for seam, foot in np.argwhere(_excess(work, *work.measured(level)) > 0.0).tolist():
        now = _price(work, level, foot)
        tried = [(_price(work, one, foot), one) for one in _tried(work, level, seam, foot)]
        tried = sorted((one for one in tried if one[0] < now), key=lambda one: one[0])
        for _, one in tried:
            if not over(work.made(one, np.zeros(level.shape, dtype=bool))).any():
                level = one
                break
    return level


def _price(work: SeamMoves, level: Ints, foot: int) -> int:
    """Tenths of a millimetre that a foot slips more than needs no mending and creeps more than it may, at all seams."""
    slips, creeps = (each[:, foot] for each in work.measured(level))
    beyond = np.maximum(slips - SLIP, 0.0).sum() + np.maximum(creeps - work.most, 0.0).sum()
    return round(float(beyond) / _LESS)


def _tried(work: SeamMoves, level: Ints, seam: int, foot: int) -> Iterator[Ints]:
    """Levels (S, 2) with those of a foot at one seam, and at one near it, replaced."""
    reach, (start, stop) = round(REACH * work.motion.fps), work.ranges[seam]
    near = [
        k
        for k, (first, last) in enumerate(work.ranges)
        if k != seam and first <= stop + reach and last >= start - reach
    ]
    for own in range(1, FREE + 1):
        out = np.array(level)
        out[seam, foot] = own
        yield out
    for k, own, other in product(near, AFTER, AFTER):
        out = np.array(level)
        out[seam, foot], out[k, foot] = own, other
        yield out
