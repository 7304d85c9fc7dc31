"""Search levels of feet at seams near each other together.

Feet at near seams are softened together, because it is unknown whose correction exceeds a limit. A foot may then be let
go that another level would have kept in place, had its neighbour been treated over other frames. Where a foot exceeds
the limits of a single transition (`segue.synthesis.checks`), all its levels are measured with those of each near seam
in turn, and the best is taken at which no joint exceeds its limit.
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

_LESS = 1e-4  # metres: a smaller improvement does not count

OverIn: TypeAlias = Callable[[Clip, Ranges], Over]
"""Test of joints against their limits at the seams of a part of a motion."""


def improved(work: SeamMoves, level: Ints, over: Over, over_in: OverIn) -> Ints:
    """Return levels (S, 2) at which feet at near seams are better, where one creeps or slips beyond its limit.

    Parameters
    ----------
    work
        Feet at the seams of a motion.
    level
        (S, 2) at which no joint exceeds its limit.
    over, over_in
        Tests of joints at the seams of the motion, and at some seams in a part of it.
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
        # Corrections of seams farther away affect no frame that may change.
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
    """Seams, half open, within ``apart`` frames of seams ``first`` to ``last``."""
    start, stop = ranges[first, 0] - apart, ranges[last, 1] + apart
    found = np.flatnonzero((ranges[:, 0] <= stop) & (ranges[:, 1] >= start))
    return int(found[0]), int(found[-1]) + 1


def _shown(work: SeamMoves, level: Ints, better: Ints, over: Over) -> Ints:
    """Better levels (S, 2), reset near seams at which the complete motion exceeds limits."""
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
    """Metres by which planted feet slip or creep beyond the limits of a single transition, 0 where less."""
    planted = creeps > 0.0
    out: Floats = np.where(planted, np.maximum(np.maximum(slips - checks.SLIP, creeps - work.most), 0.0), 0.0)
    return out


def _searched(work: SeamMoves, level: Ints, over: Over, *, seam: int, near: slice) -> Ints:
    """Levels (S, 2) of some seams at which one of them is best, its own and those near it changed.

    No joint may exceed its limit that does not before: some do because corrections farther away are left out.
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
    """Tenths of a millimetre by which slip and creep of a foot exceed their limits, summed over all seams."""
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
