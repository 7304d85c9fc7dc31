"""Choose place and length of a transition together, by the quality of the finished seam.

Points are found by cost, which depends neither on the length of a blend nor on feet and knees in it. Around
each transition of a graph others are tried: slightly earlier or later in both clips, slightly later in one of
them, shorter and longer. Each has a price (`segue.synthesis.seam_price`); the few with the lowest foreseen
price are made, and the one of lowest price replaces the transition if it passes as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from segue.arrays import Bools, Floats, Ints
from segue.costs.protocol import Cost
from segue.graph.admission import CheckedCandidates, Reach, leads_on, place_in_group
from segue.graph.checking import Checked
from segue.graph.matching import Matches
from segue.graph.pairs import Comparison
from segue.motion.clip import Clip
from segue.synthesis.feet.alignment import feet_met
from segue.synthesis.joins import JOIN_MARGIN, JoinArrays
from segue.synthesis.seam_price import SeamPricer
from segue.threads import Progress, silent

LATER = (0.0, -0.2, -0.1, -1.0 / 15.0, 1.0 / 15.0, 0.1, 0.2)
"""Seconds by which both clips are left and entered later."""
APART = (0.0, -1.0 / 15.0, 1.0 / 15.0)
"""Seconds by which B is entered later than where it looks most like A."""
RATIOS = (1.0, 0.6, 0.8, 1.35, 1.8)
"""Lengths, as shares of the requested length."""
MADE = 3
"""Number of candidates made around a transition: those of lowest foreseen price."""
COMFORTABLE = 0.5
"""Share of the bounds that a transition of lower price may use even if the original one uses less."""
NEAR = 0.1
"""Seconds from a point with the verdict bad within which no transition is moved."""
_AT_ONCE = 128  # transitions processed per batch


@dataclass(frozen=True, eq=False)
class Around:
    """Joins around some transitions.

    Parameters
    ----------
    joins
        Q joins, grouped by transition; their alignments are approximate.
    of
        (Q,) number of the transition that each belongs to.
    moved
        (Q, 2) frames by which the point of each is moved, in A and in B.
    """

    joins: JoinArrays
    of: Ints
    moved: Ints

    def take(self, rows: Ints) -> Around:
        """Return the chosen rows."""
        return Around(self.joins.take(rows), self.of[rows], self.moved[rows])


def around(joins: JoinArrays, clips: Sequence[Clip], matches: Matches) -> Around:
    """Joins around each transition that fit into sound frames of both clips, without the transition itself.

    Parameters
    ----------
    joins
        P transitions; bridges get no alternatives.
    clips
        The matched clips.
    matches
        Used for the sound frames.

    Returns
    -------
    `Around`, without alignments.
    """
    fps, plain = clips[0].fps, np.flatnonzero(~joins.bridges & (joins.each > 0))
    later, apart = (np.unique(np.rint(np.array(part) * fps).astype(np.int64)) for part in (LATER, APART))
    k, both, entered, ratio = np.meshgrid(plain, later, apart, np.array(RATIOS), indexing="ij")
    of, both, entered = (part.ravel() for part in (k, both, entered))
    lengths = np.maximum(np.rint(joins.each[of] * ratio.ravel()).astype(np.int64), 2)
    lengths = np.where(ratio.ravel() == 1.0, joins.each[of], lengths)
    base = joins.take(of)
    back = np.maximum(base.each // 2 - 1, 0) - np.maximum(lengths // 2 - 1, 0)
    moved = np.column_stack([both, both + entered])
    tried = JoinArrays(
        base.a_clip,
        base.a_start + back + moved[:, 0],
        base.b_clip,
        base.b_start + back + moved[:, 1],
        base.alignment,
        int(np.max(lengths, initial=0)),
        lengths,
    )
    good = tried.fit(clips) & ~((moved == 0).all(axis=1) & (lengths == base.each))
    for clip, start in ((tried.a_clip, tried.a_start), (tried.b_clip, tried.b_start)):
        good &= matches.parts.clear(clip, start - JOIN_MARGIN, start + lengths + JOIN_MARGIN)
    rows = np.flatnonzero(good)
    return Around(tried.take(rows), of[rows], moved[rows])


def cheapest_around(
    joins: JoinArrays, clips: Sequence[Clip], matches: Matches, pricer: SeamPricer, cost: Cost
) -> tuple[Around, Floats, Floats]:
    """Find the join of lowest price around each transition, where it is lower than the transition's own.

    Parameters
    ----------
    joins
        P transitions with their alignments.
    clips, matches, cost
        As in `around`, and the cost used for matching.
    pricer
        Prices seams of these clips.

    Returns
    -------
    The best joins (Q of them), the price (Q,) of each, and the price (P,) of every transition itself.
    """
    own = pricer.price(joins)
    tried = around(joins, clips, matches)
    tried = replace(tried, joins=replace(tried.joins, alignment=pricer.roughly_aligned(tried.joins)))
    few = tried.take(np.flatnonzero(place_in_group(tried.of, pricer.foreseen(tried.joins)) < MADE))
    few = replace(few, joins=aligned(few.joins, matches, cost))
    if pricer.feet != "free":
        few = replace(few, joins=feet_met(clips, few.joins))
    price = pricer.price(few.joins)
    best = np.flatnonzero((place_in_group(few.of, price) == 0) & (price < own[few.of]))
    return few.take(best), price[best], own


def aligned(joins: JoinArrays, matches: Matches, cost: Cost) -> JoinArrays:
    """Align each join on the ground by the cost, at the frames where its motions meet."""
    alignment = np.empty((len(joins), 3))
    middle, ratio = np.maximum(joins.each // 2 - 1, 0), matches.parts.fps / cost.rate
    for k in range(len(joins)):
        a, b = (matches.prepared[int(clip[k])] for clip in (joins.a_clip, joins.b_clip))
        i, j = (
            min(max(round((start[k] + middle[k]) / ratio), 0), one.cost_frames - 1) - one.first
            for one, start in ((a, joins.a_start), (b, joins.b_start))
        )
        motion = cost.alignment(a, b, i, j)
        alignment[k] = motion.turn, motion.x, motion.z
    return replace(joins, alignment=alignment)


def chosen_by_what_shows(
    checked: CheckedCandidates,
    admitted: Bools,
    clips: Sequence[Clip],
    how: Comparison,
    pricer: SeamPricer,
    *,
    limit: float,
    progress: Progress = silent,
) -> CheckedCandidates:
    """Replace each admitted transition by the join of lowest price around it, where that passes too.

    A transition without which less would be reached stays unchanged: the reached part shrinks by at most a
    quarter of a second at either end of a clip. Bridges stay as they are, and so do points with the verdict
    good; no transition is moved close to a point with the verdict bad.

    Parameters
    ----------
    checked
        Candidates.
    admitted
        (P,) flags of those that enter the graph.
    clips, how
        The matched clips, and the settings of the comparison.
    pricer
        Prices seams of these clips.
    limit
        Highest share of the bounds that an admitted transition may use.
    progress
        Called with stage, done, total.
    """
    graph = Reach(checked, clips)
    node = graph.components(admitted).node
    used = (
        admitted
        & (node[graph.graph.jump_from] >= 0)
        & (node[graph.graph.jump_from] == node[graph.graph.jump_to])
    )
    rows = np.flatnonzero(used & ~checked.seen.joins.bridges & ~checked.seen.good)
    plain, changed = checked.seen, checked
    bad = plain.joins.take(np.flatnonzero(plain.bad))
    parts = [np.zeros(0, dtype=np.int64)]
    for start in range(0, len(rows), _AT_ONCE):
        progress("choosing places and lengths", start, len(rows))
        some = rows[start : start + _AT_ONCE]
        best, _, _ = cheapest_around(plain.joins.take(some), clips, checked.matches, pricer, how.cost)
        share = pricer.check(best.joins).share
        passes = share <= np.maximum(plain.share[some[best.of]], min(COMFORTABLE, limit))
        fine = np.flatnonzero(passes & ~_near(best.joins, bad, NEAR * clips[0].fps))
        changed = _with(changed, some[best.of[fine]], best.take(fine), share[fine])
        parts.append(some[best.of[fine]])
    if len(rows):
        progress("choosing places and lengths", len(rows), len(rows))
    return _reaching(changed, checked, np.concatenate(parts), admitted, clips)


def _near(joins: JoinArrays, others: JoinArrays, frames: float) -> Bools:
    """(P,) joins whose motions meet, in both clips, within ``frames`` of where those of some other join do."""
    out = np.zeros(len(joins), dtype=bool)
    at = [(one.a_start + one.each // 2, one.b_start + one.each // 2) for one in (joins, others)]
    for k in range(len(others)):
        same = (joins.a_clip == others.a_clip[k]) & (joins.b_clip == others.b_clip[k])
        out |= same & (np.abs(at[0][0] - at[1][0][k]) <= frames) & (np.abs(at[0][1] - at[1][1][k]) <= frames)
    return out


def _reaching(
    changed: CheckedCandidates, plain: CheckedCandidates, rows: Ints, admitted: Bools, clips: Sequence[Clip]
) -> CheckedCandidates:
    """Undo changes of rows that reached farther before the change."""
    before = Reach(plain, clips).spans(admitted)[1] >= 0
    while True:
        spans = Reach(changed, clips).spans(admitted)
        farther = rows[leads_on(plain.seen.joins.take(rows), spans, clips[0].fps)]
        if not farther.size:
            break
        changed, rows = _plain_again(changed, plain, farther), np.setdiff1d(rows, farther)
    return plain if (before & (spans[1] < 0)).any() else changed


def _with(checked: CheckedCandidates, rows: Ints, around: Around, share: Floats) -> CheckedCandidates:
    seen, joins = checked.seen, checked.seen.joins
    columns = {
        name: _put(getattr(joins, name), rows, getattr(around.joins, name))
        for name in ("a_start", "b_start", "alignment")
    }
    lengths = _put(joins.each, rows, around.joins.each)
    longest = max(joins.length, int(np.max(lengths, initial=0)))
    joins = replace(joins, **columns, lengths=lengths, length=longest)
    moved = np.zeros((len(checked.rows), 2), dtype=np.int64) if checked.moved is None else checked.moved
    return replace(
        checked,
        seen=Checked(joins, _put(seen.share, rows, share), seen.good, seen.bad),
        moved=_put(moved, rows, around.moved),
    )


def _plain_again(checked: CheckedCandidates, plain: CheckedCandidates, rows: Ints) -> CheckedCandidates:
    """Candidates with chosen rows restored."""
    joins = plain.seen.joins.take(rows)
    nowhere = np.zeros((len(rows), 2), dtype=np.int64)
    return _with(checked, rows, Around(joins, rows, nowhere), plain.seen.share[rows])


def _put(whole: np.ndarray, rows: Ints, part: np.ndarray) -> np.ndarray:
    out = np.array(whole)
    out[rows] = part
    return out
