"""Points looked at closely: the ground alignment of each, and what its blended frames would measure.

Looking costs more than comparing, so that only points a threshold may let through are looked at, and what was found is
kept.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from segue.arrays import Bools, Floats, Ints
from segue.blending.methods import Blend, Kind
from segue.costs.protocol import Cost
from segue.graph.matching import Matches, with_alignments
from segue.graph.pairs import Kept, Looked, NothingKept, Progress, silent
from segue.measures.seams import SeamBounds
from segue.motion.clip import Clip
from segue.synthesis.seam_check import JoinArrays, seam_badness


@dataclass(frozen=True, eq=False)
class Seen:
    """Rows that were looked at: their joins, (P,) badness (0 where seams are not checked), (P,) called good or bad."""

    joins: JoinArrays
    badness: Floats
    good: Bools
    bad: Bools

    @property
    def passes(self) -> Bools:
        """(P,) the seam is within bounds or a person calls the point good, and nobody calls it bad."""
        within: Bools = (self.badness <= 1.0) | self.good
        return within & ~self.bad


def look_at(
    matches: Matches,
    rows: Ints,
    clips: Sequence[Clip],
    *,
    cost: Cost,
    blend: Blend,
    bounds: SeamBounds,
    kind: Kind,
    check_seams: bool = True,
    kept: Kept | None = None,
    progress: Progress = silent,
) -> Seen:
    """Alignment and seam of chosen rows of what was matched; known ones are taken, new ones found and kept.

    Parameters
    ----------
    matches
        From `segue.graph.matching.match` with the same ``kept``.
    rows
        (P,) rows whose blend fits into the clips, rising.
    clips
        Those that were matched.
    """
    kept = NothingKept() if kept is None else kept
    known = known_of(matches, rows, kept)
    new = np.isnan(known.alignment[:, 0])
    alignment, badness = known.alignment.copy(), known.badness.copy()
    alignment[new] = with_alignments(matches, rows[new], cost, kind=kind).alignment
    joins = replace(matches.joins.take(rows), alignment=alignment)
    if not check_seams:
        _keep(matches, rows[new], _looked(joins.take(np.flatnonzero(new)), badness[new], clips), kept)
        return Seen(joins, np.zeros(len(rows)), known.good, known.bad)
    unmeasured = np.flatnonzero(np.isnan(badness))

    def found(part: Ints, shares: Floats) -> None:
        mine = unmeasured[part]
        badness[mine] = shares
        order = np.argsort(mine)
        _keep(matches, rows[mine[order]], _looked(joins.take(mine[order]), shares[order], clips), kept)

    if len(unmeasured):
        _measure(clips, joins.take(unmeasured), blend, bounds, progress, found)
    return Seen(joins, badness, known.good, known.bad)


def _looked(joins: JoinArrays, badness: Floats, clips: Sequence[Clip]) -> Looked:
    """What is known of joins now."""
    return Looked(joins.alignment, badness, *_nobody(len(joins)), joins.each / clips[0].fps)


def _measure(
    clips: Sequence[Clip],
    joins: JoinArrays,
    blend: Blend,
    bounds: SeamBounds,
    progress: Progress,
    found: Callable[[Ints, Floats], None],
) -> None:
    """Measure joins with no more clips than they join."""
    used, numbers = np.unique(np.concatenate([joins.a_clip, joins.b_clip]), return_inverse=True)
    few = replace(joins, a_clip=numbers[: len(joins)], b_clip=numbers[len(joins) :])
    seam_badness(
        [clips[number] for number in used], few, blend=blend, bounds=bounds, progress=progress, found=found
    )


def known_of(matches: Matches, rows: Ints, kept: Kept) -> Looked:
    """What is kept for chosen rows."""
    none = np.full(len(rows), np.nan)
    nothing = Looked(np.full((len(rows), 3), np.nan), none.copy(), *_nobody(len(rows)), none)
    for pair, mine in _by_pair(matches, rows):
        found = kept.looked(*matches.pairs[pair])
        if found is None:
            continue
        local = rows[mine] - matches.starts[pair]
        nothing.alignment[mine], nothing.badness[mine] = found.alignment[local], found.badness[local]
        nothing.good[mine], nothing.bad[mine] = found.good[local], found.bad[local]
        nothing.seconds[mine] = found.seconds[local]
    return nothing


def _keep(matches: Matches, rows: Ints, found: Looked, kept: Kept) -> None:
    """Keep what was found for chosen rows, pair by pair."""
    for pair, mine in _by_pair(matches, rows):
        local = rows[mine] - matches.starts[pair]
        looked = Looked.nothing((matches.starts[pair + 1] - matches.starts[pair]) // 2)
        looked.alignment[local], looked.badness[local] = found.alignment[mine], found.badness[mine]
        looked.seconds[local] = found.seconds[mine]
        kept.keep_looked(*matches.pairs[pair], looked)


def _by_pair(matches: Matches, rows: Ints) -> Iterator[tuple[int, slice]]:
    """Pairs that rising rows belong to, each with the stretch of ``rows`` that is its own."""
    pairs = np.searchsorted(matches.starts, rows, side="right") - 1
    edges = np.flatnonzero(np.diff(pairs, prepend=-1, append=-1))
    for start, stop in itertools.pairwise(edges.tolist()):
        yield int(pairs[start]), slice(start, stop)


def _nobody(count: int) -> tuple[Bools, Bools]:
    return np.zeros(count, dtype=bool), np.zeros(count, dtype=bool)
