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
from segue.synthesis.feet.seam_moves import LOOK, SLIP, Ranges, SeamMoves
from segue.synthesis.feet.softening import Over

_LESS = 1e-4  # metres: what is better by less than that is no better

OverIn: TypeAlias = Callable[[Clip, Ranges], Over]
"""Which joints show more than they may at the seams of a part of a motion."""


def improved(work: SeamMoves, level: Ints, over: Over, over_in: OverIn) -> Ints:
    """Levels (S, 2) at which feet at near seams are better off, where one goes or slips farther than it may.

    Parameters
    ----------
    work
        Feet at the seams of a motion.
    level
        (S, 2) at which no joint shows more than it may.
    over, over_in
        Which joints show at the seams of the motion, and at some in a part of it.
    """
    ranges, motion = np.array(work.ranges).reshape(-1, 2), work.motion
    if len(ranges) < 2:
        return level
    reach, around = round(REACH * motion.fps), round(LOOK * motion.fps)
    better = np.array(level)
    for seam in np.flatnonzero(_excess(work, *work.measured(level)).any(axis=1)).tolist():
        near = _within(ranges, seam, seam, reach)
        if near == (seam, seam + 1):
            continue
        # Corrections of seams that are farther off reach no frame that may change.
        first, last = _within(ranges, near[0], near[1] - 1, 2 * reach)
        start = max(int(ranges[first, 0]) - around, 0)
        rows = slice(start, min(int(ranges[last - 1, 1]) + around, motion.n_frames))
        seams = [(int(a) - start, int(b) - start) for a, b in ranges[first:last]]
        part = cut(motion, rows.start, rows.stop)
        feet = SeamMoves(part, work.own[rows], work.firm[rows], seams, work.keep)
        inner = slice(near[0] - first, near[1] - first)
        better[first:last] = _searched(
            feet, better[first:last], over_in(part, seams), seam=seam - first, near=inner
        )
    return _shown(work, level, better, over)


def _within(ranges: Ints, first: int, last: int, apart: int) -> tuple[int, int]:
    """Seams, half open, that lie within so many frames of the first or of the last of some."""
    start, stop = ranges[first, 0] - apart, ranges[last, 1] + apart
    found = np.flatnonzero((ranges[:, 0] <= stop) & (ranges[:, 1] >= start))
    return int(found[0]), int(found[-1]) + 1


def _shown(work: SeamMoves, level: Ints, better: Ints, over: Over) -> Ints:
    """Better levels (S, 2), and those from before near seams that show in the whole motion."""
    ranges, reach = np.array(work.ranges), 2 * round(REACH * work.motion.fps)
    while (better != level).any():
        shows = np.flatnonzero(over(work.made(better)).any(axis=1))
        if not shows.size:
            break
        before = np.array(better)
        for seam in shows.tolist():
            near = slice(*_within(ranges, seam, seam, reach))
            better[near] = level[near]
        if (before == better).all():
            return level
    return better


def _excess(work: SeamMoves, slips: Floats, creeps: Floats) -> Floats:
    """Metres by which planted feet slip or creep more than a transition alone may make them, 0 where less."""
    planted = creeps > 0.0
    out: Floats = np.where(planted, np.maximum(np.maximum(slips - checks.SLIP, creeps - work.most), 0.0), 0.0)
    return out


def _searched(work: SeamMoves, level: Ints, over: Over, *, seam: int, near: slice) -> Ints:
    """Levels (S, 2) of some seams at which one of them is best off, its own and those near it changed.

    No joint may show that does not show before: without what is done farther off some do.
    """
    allowed: Bools | None = None
    for foot in np.flatnonzero(_excess(work, *work.measured(level))[seam] > 0.0).tolist():
        allowed = over(work.made(level)) if allowed is None else allowed
        now = _price(work, level, foot)
        tried = [(_price(work, one, foot), one) for one in _tried(level, seam, near, foot)]
        tried = sorted((one for one in tried if one[0] < now), key=lambda one: one[0])
        for _, one in tried:
            if not (over(work.made(one)) & ~allowed).any():
                level = one
                break
    return level


def _price(work: SeamMoves, level: Ints, foot: int) -> int:
    """Tenths of a millimetre that a foot slips more than needs no mending and creeps more than it may, at all seams."""
    slips, creeps = (each[:, foot] for each in work.measured(level))
    beyond = np.maximum(slips - SLIP, 0.0).sum() + np.maximum(creeps - work.most, 0.0).sum()
    return round(float(beyond) / _LESS)


def _tried(level: Ints, seam: int, near: slice, foot: int) -> Iterator[Ints]:
    """Levels (S, 2) with those of a foot at one seam, and at one near it, replaced."""
    for own in range(1, FREE + 1):
        out = np.array(level)
        out[seam, foot] = own
        yield out
    for k, own, other in product(range(near.start, near.stop), AFTER, AFTER):
        if k != seam:
            out = np.array(level)
            out[seam, foot], out[k, foot] = own, other
            yield out
