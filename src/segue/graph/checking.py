"""Candidates checked: the ground alignment of each point, and what the finished transition shows.

A check costs more than a comparison, so that only points a threshold may let through are checked, and the results are
kept.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from segue.arrays import Bools, Floats, Ints
from segue.blending.methods import Kind
from segue.costs.protocol import Cost
from segue.graph.matching import Matches, with_alignments
from segue.graph.pairs import CheckedPoints, NothingKept, StoredPairs
from segue.motion.clip import Clip
from segue.synthesis.joins import JoinArrays
from segue.synthesis.transition_check import WORTH, TransitionChecker
from segue.threads import Progress, silent


@dataclass(frozen=True, eq=False)
class Checked:
    """Rows that were checked: their joins, what each shows, and what a person says of it.

    Parameters
    ----------
    joins
        P joins.
    share
        (P,) share of what is allowed that each uses; 0 where seams are not checked.
    good, bad
        (P,) points that a person called good, or bad.
    """

    joins: JoinArrays
    share: Floats
    good: Bools
    bad: Bools

    def passes(self, limit: float = 1.0) -> Bools:
        """(P,) no more is used than a limit, or a person calls the point good; and nobody calls it bad."""
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
    """Alignment and seam of chosen rows of what was matched; known ones are taken, new ones found and kept.

    Parameters
    ----------
    matches
        From `segue.graph.matching.match` with the same ``kept``.
    rows
        (P,) rows whose blend fits into the clips, rising.
    clips
        Those that were matched.
    checker
        Measures transitions between these clips; None lets every one pass.
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
    if checker.worth > WORTH:  # what was kept may have been measured without holding feet
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
    """What is known of joins now."""
    return CheckedPoints(joins.alignment, share, *_nobody(len(joins)), joins.each / clips[0].fps)


def known_of(matches: Matches, rows: Ints, kept: StoredPairs) -> CheckedPoints:
    """What is kept for chosen rows."""
    none = np.full(len(rows), np.nan)
    nothing = CheckedPoints(np.full((len(rows), 3), np.nan), none.copy(), *_nobody(len(rows)), none)
    for pair, mine in _by_pair(matches, rows):
        found = kept.checked(*matches.pairs[pair])
        if found is None:
            continue
        local = rows[mine] - matches.starts[pair]
        nothing.alignment[mine], nothing.share[mine] = found.alignment[local], found.share[local]
        nothing.good[mine], nothing.bad[mine] = found.good[local], found.bad[local]
        nothing.seconds[mine] = found.seconds[local]
    return nothing


def _keep(matches: Matches, rows: Ints, found: CheckedPoints, kept: StoredPairs) -> None:
    """Keep what was found for chosen rows, pair by pair."""
    for pair, mine in _by_pair(matches, rows):
        local = rows[mine] - matches.starts[pair]
        checked = CheckedPoints.nothing((matches.starts[pair + 1] - matches.starts[pair]) // 2)
        checked.alignment[local], checked.share[local] = found.alignment[mine], found.share[mine]
        checked.seconds[local] = found.seconds[mine]
        kept.keep_checked(*matches.pairs[pair], checked)


def _by_pair(matches: Matches, rows: Ints) -> Iterator[tuple[int, slice]]:
    """Pairs that rising rows belong to, each with the stretch of ``rows`` that is its own."""
    pairs = np.searchsorted(matches.starts, rows, side="right") - 1
    edges = np.flatnonzero(np.diff(pairs, prepend=-1, append=-1))
    for start, stop in itertools.pairwise(edges.tolist()):
        yield int(pairs[start]), slice(start, stop)


def _nobody(count: int) -> tuple[Bools, Bools]:
    return np.zeros(count, dtype=bool), np.zeros(count, dtype=bool)
