"""Checks of candidates: the ground alignment of each point, and the quality of the finished transition.

A check takes longer than a comparison, so that only points that a threshold may admit are checked, and the
results are stored.

If each transition has its own blend length, `with_lengths` finds it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from segue.arrays import Bools, Floats, Ints
from segue.blending.durations import blend_length
from segue.blending.methods import Kind, LengthMethod
from segue.costs.protocol import Cost
from segue.graph.matching import Matches, with_alignments
from segue.graph.pairs import CheckedPoints, NothingKept, PairJumps, StoredPairs
from segue.motion.clip import Clip
from segue.settings import Blend
from segue.synthesis.joins import JoinArrays
from segue.synthesis.transition_check import WORTH, TransitionChecker
from segue.threads import Progress, silent


@dataclass(frozen=True, eq=False)
class Checked:
    """Rows that were checked: their joins, the quality of each, and the user's verdicts.

    Parameters
    ----------
    joins
        P joins.
    share
        (P,) share of the bounds that each uses; 0 if seams are not checked.
    good, bad
        (P,) points with the verdict good, or bad.
    """

    joins: JoinArrays
    share: Floats
    good: Bools
    bad: Bools

    def passes(self, limit: float = 1.0) -> Bools:
        """(P,) flags: at most ``limit`` of the bounds is used or the verdict is good; and the verdict is not bad."""
        within: Bools = (self.share <= limit) | self.good
        return within & ~self.bad

    def __len__(self) -> int:
        return len(self.share)


def check_rows(
    matches: Matches,
    rows: Ints,
    clips: Sequence[Clip],
    *,
    cost: Cost,
    kind: Kind,
    checker: TransitionChecker | None,
    kept: StoredPairs | None = None,
    progress: Progress = silent,
) -> Checked:
    """Return alignment and seam of chosen rows of the matches; known ones are reused, new ones computed and stored.

    Parameters
    ----------
    matches
        From `segue.graph.matching.match` with the same ``kept``.
    rows
        (P,) rows whose blend fits into the clips, ascending.
    clips
        The matched clips.
    checker
        Measures transitions between these clips; None passes every one.
    """
    kept = NothingKept() if kept is None else kept
    known = known_of(matches, rows, kept)
    new = np.isnan(known.alignment[:, 0])
    alignment, share = known.alignment.copy(), known.share.copy()
    meet = checker is None or checker.feet != "free"
    alignment[new] = with_alignments(matches, rows[new], clips, cost, kind=kind, meet=meet).alignment
    joins = replace(matches.joins.take(rows), alignment=alignment)
    if checker is None:
        _keep(matches, rows[new], _checked(joins.take(np.flatnonzero(new)), share[new], clips), kept)
        return Checked(joins, np.zeros(len(rows)), known.good, known.bad)
    if checker.worth > WORTH:  # stored values may have been measured without correcting feet
        share[share > WORTH] = np.nan
    unmeasured = np.flatnonzero(np.isnan(share))

    def found(part: Ints, shares: Floats) -> None:
        mine = unmeasured[part]
        share[mine] = shares
        order = np.argsort(mine)
        _keep(matches, rows[mine[order]], _checked(joins.take(mine[order]), shares[order], clips), kept)

    if len(unmeasured):
        checker.check(joins.take(unmeasured), progress=progress, found=found)
    return Checked(joins, share, known.good, known.bad)


def _checked(joins: JoinArrays, share: Floats, clips: Sequence[Clip]) -> CheckedPoints:
    return CheckedPoints(joins.alignment, share, *_nobody(len(joins)), joins.each / clips[0].fps)


def known_of(matches: Matches, rows: Ints, kept: StoredPairs) -> CheckedPoints:
    """Stored results of chosen rows."""
    out = CheckedPoints.nothing(len(rows))
    for jumps, mine in _by_pair(matches, rows):
        found = kept.checked(jumps)
        if found is not None:
            for name, column in vars(out).items():
                column[mine] = getattr(found, name)
    return out


def _keep(matches: Matches, rows: Ints, found: CheckedPoints, kept: StoredPairs) -> None:
    for jumps, mine in _by_pair(matches, rows):
        kept.keep_checked(jumps, CheckedPoints(*(column[mine] for column in vars(found).values())))


def _by_pair(matches: Matches, rows: Ints) -> Iterator[tuple[PairJumps, slice]]:
    """Jumps of each pair that ascending rows belong to, with its slice of ``rows``."""
    pairs = np.searchsorted(matches.starts, rows, side="right") - 1
    edges = np.flatnonzero(np.diff(pairs, prepend=-1, append=-1))
    for start, stop in itertools.pairwise(edges.tolist()):
        pair, mine = int(pairs[start]), rows[start:stop]
        jumps = PairJumps(
            matches.pairs[pair],
            int(matches.points[pair]),
            matches.number[mine],
            matches.cells[mine],
            matches.cost[mine],
            matches.diagonal[mine],
        )
        yield jumps, slice(start, stop)


def _nobody(count: int) -> tuple[Bools, Bools]:
    return np.zeros(count, dtype=bool), np.zeros(count, dtype=bool)


def with_lengths(
    matches: Matches,
    rows: Ints,
    clips: Sequence[Clip],
    *,
    blend: Blend,
    kind: Kind,
    kept: StoredPairs | None = None,
) -> Matches:
    """Give chosen rows the length found at their points, shortened where sound frames do not suffice.

    Nothing changes if all lengths are the same. Stored lengths are reused.

    Parameters
    ----------
    matches
        From `segue.graph.matching.match` with the same ``blend`` and ``kept``.
    rows
        (P,) rows whose blend fits into the clips, ascending.
    """
    if blend.length == "fixed":
        return matches
    seconds = known_of(matches, rows, NothingKept() if kept is None else kept).seconds
    joins = matches.joins
    for k in np.flatnonzero(np.isnan(seconds)):
        row = rows[k]
        seconds[k] = blend_length(
            clips[joins.a_clip[row]],
            clips[joins.b_clip[row]],
            a_frame=int(matches.a_frames[row]),
            b_frame=int(matches.b_frames[row]),
            kind=kind,
            method=cast("LengthMethod", blend.length),
        ).seconds
    fits = blend.frames(clips[0].fps)
    return replace(matches, joins=_lasting(matches, rows, seconds, clips, kind=kind, fits=fits))


def _lasting(
    matches: Matches, rows: Ints, seconds: Floats, clips: Sequence[Clip], *, kind: Kind, fits: int
) -> JoinArrays:
    """All joins, with new lengths for the chosen rows.

    The length ``fits``, which the search used, fits everywhere, and so do all shorter ones.
    """
    joins = matches.joins
    wanted = np.rint(seconds * clips[0].fps).astype(np.int64)
    few = joins.take(rows)
    while True:
        first_a, first_b = _starts(matches, rows, wanted, kind)
        few = replace(few, a_start=first_a, b_start=first_b, lengths=wanted)
        inside = few.fit(clips)
        for clip, start in ((few.a_clip, first_a), (few.b_clip, first_b)):
            inside &= matches.parts.clear(clip, start - 2, start + wanted + 2)
        too_long = ~inside & (wanted > fits)
        if not too_long.any():
            break
        wanted = wanted - too_long
    lengths, a_start, b_start = joins.each.copy(), joins.a_start.copy(), joins.b_start.copy()
    lengths[rows], a_start[rows], b_start[rows] = wanted, few.a_start, few.b_start
    return replace(
        joins,
        a_start=a_start,
        b_start=b_start,
        length=int(np.max(wanted, initial=0)) if len(rows) else joins.length,
        lengths=lengths,
    )


def _starts(matches: Matches, rows: Ints, lengths: Ints, kind: Kind) -> tuple[Ints, Ints]:
    """First frames (P,) of blends, as in `segue.blending.methods.blend_starts`."""
    a, b = matches.a_frames[rows], matches.b_frames[rows]
    if kind == "start_end":
        return a, b - np.maximum(lengths - 1, 0)
    before = np.maximum(lengths // 2 - 1, 0)
    return a - before, b - before
