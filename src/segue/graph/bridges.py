"""Bridges: longer blends in a time of their own, for what no direct transition connects.

Where no transition leads into a clip, or out of it again, at the quality asked for, blends of up to 1.5 s are made
around the cheapest points between it and what is reached. The steps of both motions are matched: the side whose frames
are fewer is played slower. Each is measured as any transition is (`segue.synthesis.transition_check`), and enters the
graph only if it passes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from segue.arrays import Bools, Floats, Ints
from segue.graph.admission import GROWS, Looked, Reach, place_in_group
from segue.graph.looking import Seen, known_of
from segue.graph.matching import Matches, kind_of, with_alignments
from segue.graph.pairs import Comparison, Kept, NothingKept, Progress, silent
from segue.motion.clip import Clip
from segue.synthesis.joins import JOIN_MARGIN, JoinArrays
from segue.synthesis.transition_check import TransitionChecker

LENGTHS = (0.5, 0.75, 1.0, 1.5)
"""Seconds that bridges last; those as long as a usual blend are tried too, with time warped."""
RATIOS = (1.0, 0.85, 1.0 / 0.85, 0.7, 1.0 / 0.7)
"""Frames of the clip entered for each frame of the clip left, the nearest to none first."""
MOST = 2000
"""Bridges that are made and measured in one build."""
_ROUNDS = 2  # what a bridge leads to may be where the next one starts
_LARGE = 2.0  # seconds at the beginning or end of a clip that are worth a bridge
_POINTS = 8  # cheapest points tried for each clip and direction
_APART = 0.5  # seconds between points of one pair of clips
_BEST = 3  # bridges kept for each clip and direction
_WORST = 1.0 / 0.3  # share of what is allowed beyond which none is kept, even to be reported


@dataclass(frozen=True)
class _Wanted:
    """A stretch of a clip that is to be led into, or out of."""

    clip: int
    enters: bool
    first: int
    last: int  # frames at which it may be entered, or left


def around_points(matches: Matches, rows: Ints, *, lengths: Ints, ratios: Floats) -> JoinArrays:
    """Blends of some lengths and ratios (P,), each around a point (P,): a row of what was matched.

    The frames that meet there meet in the middle; alignments are those of ``matches``.
    """
    joins = matches.joins.take(rows)
    used = np.rint(lengths[:, None] * np.minimum(np.column_stack([1.0 / ratios, ratios]), 1.0))
    uses = np.maximum(used.astype(np.int64), 2)
    half = np.maximum(joins.each // 2 - 1, 0)
    share = (lengths // 2 - 1) / np.maximum(lengths - 1, 1)
    back = np.rint(share[:, None] * (uses - 1)).astype(np.int64)
    return replace(
        joins,
        a_start=joins.a_start + half - back[:, 0],
        b_start=joins.b_start + half - back[:, 1],
        length=int(np.max(lengths, initial=0)),
        lengths=lengths,
        used=uses,
    )


def look_for_bridges(
    looked: Looked,
    clips: Sequence[Clip],
    how: Comparison,
    checker: TransitionChecker,
    *,
    limit: float,
    kept: Kept | None = None,
    progress: Progress = silent,
) -> Looked:
    """Candidates and, where some clips are not reached with them, bridges to and from those.

    Parameters
    ----------
    looked
        Candidates that were looked at, without bridges.
    clips
        Those that were matched.
    how, kept
        As they were compared, and what is kept of it; bridges are not kept.
    checker
        Measures transitions.
    limit
        Share of what is allowed up to which a transition may be admitted.

    Returns
    -------
    The same candidates, followed by the best bridges of each clip and direction; their rows are those of the points
    that they are made around. Where everything is reached, ``looked`` itself.
    """
    kept = NothingKept() if kept is None else kept
    left, tried = MOST, np.zeros(0, dtype=np.int64)
    for _ in range(_ROUNDS):
        reach, usable = Reach(looked, clips), looked.seen.passes(limit)
        spans = reach.spans(usable)
        wanted = _not_reached(looked.matches, spans, clips)
        if not wanted or not left:
            break
        rows, of = _points(looked.matches, wanted, spans, clips, kept)
        joins, rows, of = _trials(looked.matches, rows, of, wanted, spans, clips, how, most=left)
        new = ~np.isin(_keys(joins, rows), tried)
        if not new.any():
            break
        joins, rows, of = joins.take(np.flatnonzero(new)), rows[new], of[new]
        tried = np.concatenate([tried, _keys(joins, rows)])
        left -= len(rows)
        joins = _aligned(looked.matches, joins, rows, how)
        share = checker.check(joins, progress=_named(progress)).share
        best = _best(joins, share, of, wanted, limit)
        nobody = np.zeros(len(best), dtype=bool)
        seen = Seen(joins.take(best), share[best], nobody, nobody)
        more = looked.joined(rows[best], seen, looked.matches)
        looked = replace(more, bridges_tried=looked.bridges_tried + len(rows))
    return looked


def _not_reached(matches: Matches, spans: tuple[Ints, Ints], clips: Sequence[Clip]) -> list[_Wanted]:
    """What is to be led into and out of: clips that are not reached, and then long beginnings and ends of others."""
    first, last = spans
    whole, parts = [], []
    large, grows = _LARGE * matches.parts.fps, round(GROWS * matches.parts.fps)
    for number, clip in enumerate(clips):
        end = clip.n_frames - 1
        if clip.name in matches.short:
            continue
        if last[number] < 0:
            whole += [_Wanted(number, enters, 0, end) for enters in (True, False)]
            continue
        if first[number] > large:
            parts.append(_Wanted(number, True, 0, int(first[number]) - grows))
        if end - last[number] > large:
            parts.append(_Wanted(number, False, int(last[number]) + grows, end))
    return [*whole, *parts]


def _points(
    matches: Matches, wanted: list[_Wanted], spans: tuple[Ints, Ints], clips: Sequence[Clip], kept: Kept
) -> tuple[Ints, Ints]:
    """Rows (P,) of the cheapest points of each want, the cheapest first, and the want (P,) each is of."""
    joins, (first, last) = matches.joins, spans
    middle = np.maximum(joins.each // 2 - 1, 0)
    a_at, b_at = joins.a_start + middle, joins.b_start + middle
    reached = last >= 0
    anywhere = not reached.any()
    rows, of = [], []
    for number, one in enumerate(wanted):
        own, other = (joins.b_clip, joins.a_clip) if one.enters else (joins.a_clip, joins.b_clip)
        at, there = (b_at, a_at) if one.enters else (a_at, b_at)
        leads = there >= first[other] if one.enters else there <= last[other]
        mine = np.flatnonzero(
            (own == one.clip)
            & (at >= one.first)
            & (at <= one.last)
            & ((reached[other] & leads) | (anywhere & (other != one.clip)))
        )
        apart = np.maximum(_APART * clips[0].fps, 1.0)
        groups = other[mine] * 10**6 + (at[mine] / apart).astype(np.int64)
        mine = mine[place_in_group(groups, matches.cost[mine]) == 0]
        mine = np.sort(mine[np.argsort(matches.cost[mine], kind="stable")][: 2 * _POINTS])
        mine = mine[~known_of(matches, mine, kept).bad]
        mine = mine[np.argsort(matches.cost[mine], kind="stable")][:_POINTS]
        rows.append(mine)
        of.append(np.full(len(mine), number))
    return np.concatenate([np.zeros(0, dtype=np.int64), *rows]), np.concatenate(
        [np.zeros(0, dtype=np.int64), *of]
    )


def _trials(
    matches: Matches,
    rows: Ints,
    of: Ints,
    wanted: list[_Wanted],
    spans: tuple[Ints, Ints],
    clips: Sequence[Clip],
    how: Comparison,
    *,
    most: int,
) -> tuple[JoinArrays, Ints, Ints]:
    """Bridges to be tried: each length and ratio around each point that fits, as many as may be made."""
    fps = clips[0].fps
    usual = how.blend.frames(fps)
    lengths = sorted({usual, *(round(seconds * fps) for seconds in LENGTHS)} - {0, 1})
    ways = [(n, ratio) for n in lengths for ratio in RATIOS if (n, ratio) != (usual, 1.0)]
    place = np.arange(len(rows)) - np.searchsorted(of, of)
    point, way = (part.ravel() for part in np.indices((len(rows), len(ways))))
    n, ratio = (np.array(column) for column in zip(*ways, strict=True))
    rows, of = rows[point], of[point]
    joins = around_points(matches, rows, lengths=n[way], ratios=ratio[way])
    good = _possible(joins, matches, clips) & _leads(joins, of, wanted, spans)
    # As many of each want: of its cheapest points those whose time is warped least, first.
    order = place[point] + 0.5 * way
    chosen = np.flatnonzero(good)
    a_want = most // max(len(np.unique(of[chosen])), 1)
    chosen = chosen[place_in_group(of[chosen], order[chosen]) < max(a_want, 1)][:most]
    return joins.take(chosen), rows[chosen], of[chosen]


def _possible(joins: JoinArrays, matches: Matches, clips: Sequence[Clip]) -> Bools:
    """(P,) joins that lie, with two frames around them, within sound frames of both clips."""
    out: Bools = joins.fit(clips)
    for clip, start, stop in (
        (joins.a_clip, joins.a_start, joins.stops),
        (joins.b_clip, joins.b_start, joins.arrivals),
    ):
        out = out & matches.parts.clear(clip, start - JOIN_MARGIN, stop + JOIN_MARGIN)
    return out


def _leads(joins: JoinArrays, of: Ints, wanted: list[_Wanted], spans: tuple[Ints, Ints]) -> Bools:
    """(P,) joins that lead from what is reached to what is wanted, or back."""
    first, last = spans
    enters = np.array([one.enters for one in wanted], dtype=bool)[of]
    low, high = (np.array(column, dtype=np.int64)[of] for column in _edges(wanted))
    reached = (last >= 0).any()
    into = (joins.arrivals <= high) & (~reached | (joins.a_start >= first[joins.a_clip]))
    out = (joins.a_start >= low) & (~reached | (joins.arrivals <= last[joins.b_clip]))
    return np.where(enters, into, out)


def _edges(wanted: list[_Wanted]) -> tuple[list[int], list[int]]:
    return [one.first for one in wanted], [one.last for one in wanted]


def _aligned(matches: Matches, joins: JoinArrays, rows: Ints, how: Comparison) -> JoinArrays:
    """Bridges with the ground alignment of the point each is made around."""
    points, index = np.unique(rows, return_inverse=True)
    found = with_alignments(matches, points, how.cost, kind=kind_of(how.search))
    return replace(joins, alignment=found.alignment[index])


def _best(joins: JoinArrays, share: Floats, of: Ints, wanted: list[_Wanted], limit: float) -> Ints:
    """Bridges that are kept of each want: the best few, and the one that gains most of the clip."""
    kept = place_in_group(of, share) < _BEST
    enters = np.array([one.enters for one in wanted], dtype=bool)[of]
    gain = np.where(enters, joins.arrivals, -joins.a_start).astype(np.float64)
    passing = np.flatnonzero(share <= limit)
    kept[passing[place_in_group(of[passing], gain[passing]) == 0]] = True
    out: Ints = np.flatnonzero(kept & (share <= max(limit, _WORST)))
    return out


def _keys(joins: JoinArrays, rows: Ints) -> Ints:
    """Numbers (P,) that tell bridges apart."""
    out = rows
    for column in (joins.each, *joins.uses.T):
        out = out * 4096 + column
    return out


def _named(progress: Progress) -> Progress:
    return lambda _, done, total: progress("trying bridges", done, total)
