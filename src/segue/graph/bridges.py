"""Bridges: longer blends with time warping, where no direct transition connects.

If no transition of the requested quality leads into a clip, or out of it again, blends of up to 1.5 s are
made around the lowest-cost points between it and the reached clips. The steps of both motions are matched:
the side with fewer frames is played slower. Each bridge is measured like any transition
(`segue.synthesis.transition_check`), and enters the graph only if it passes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from segue.arrays import Bools, Floats, Ints
from segue.graph.admission import GROWS, CheckedCandidates, Reach, place_in_group
from segue.graph.checking import Checked, known_of
from segue.graph.jumps import kind_of
from segue.graph.matching import Matches
from segue.graph.pairs import Comparison, NothingKept, StoredPairs
from segue.motion.clip import Clip
from segue.synthesis.checks import MISMATCH
from segue.synthesis.feet.alignment import feet_met
from segue.synthesis.joins import JOIN_MARGIN, JoinArrays
from segue.synthesis.transition_check import TransitionChecker
from segue.threads import Progress, silent

LENGTHS = (0.5, 0.75, 1.0, 1.5)
"""Durations of bridges in seconds; that of a usual blend is tried too, with time warping."""
RATIOS = (1.0, 0.85, 1.0 / 0.85, 0.7, 1.0 / 0.7)
"""Frames of the clip entered for each frame of the clip left."""
SHIFTS = (0.0, -0.1, 0.1, -0.2, 0.2, -0.4, 0.4)
"""Seconds from a point to the middle of a bridge; motions alike at a point are alike near it."""
MOST = 2000
"""Most bridges made and measured in one build."""
_ROUNDS = 2  # a bridge may lead to the start of the next one
_LARGE = 2.0  # seconds at the beginning or end of a clip that are worth a bridge
_POINTS = 24  # lowest-cost points checked per clip and direction
_ALL_POINTS = 2000  # the same for all together, if many are not reached
_A_POINT = 6  # bridges tried around one point
_APART = 0.5  # seconds between points of one pair of clips
_THIRDS = 3  # parts of a stretch, so that bridges are spread over it
_A_THIRD = 60  # bridges tried per clip, direction and third
_BEST = 2  # bridges kept per clip, direction and third
_WORST = 1.0 / 0.3  # share of the bounds beyond which none is kept, even for the report


@dataclass(frozen=True)
class _Wanted:
    """A stretch of a clip that a bridge must enter, or leave."""

    clip: int
    enters: bool
    first: int
    last: int  # frames at which it may be entered, or left


@dataclass(frozen=True, eq=False)
class _Points:
    """Points for bridges: (P,) row of the matches, index of the want it serves, and frames by which it is shifted."""

    rows: Ints
    of: Ints
    shift: Ints
    alignment: Floats


def around_points(
    matches: Matches, rows: Ints, *, lengths: Ints, ratios: Floats, shift: Ints | int = 0
) -> JoinArrays:
    """Blends of given lengths and ratios (P,), each around a point (P,): a row of the matches.

    The frames that meet at the point meet in the middle of the blend, or those ``shift`` frames after both;
    alignments are those of ``matches``.
    """
    joins = matches.joins.take(rows)
    used = np.rint(lengths[:, None] * np.minimum(np.column_stack([1.0 / ratios, ratios]), 1.0))
    uses = np.maximum(used.astype(np.int64), 2)
    half = np.maximum(joins.each // 2 - 1, 0) + shift
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
    checked: CheckedCandidates,
    clips: Sequence[Clip],
    how: Comparison,
    checker: TransitionChecker,
    *,
    limit: float,
    kept: StoredPairs | None = None,
    progress: Progress = silent,
) -> CheckedCandidates:
    """Add bridges to and from clips that the candidates do not reach.

    Parameters
    ----------
    checked
        Checked candidates, without bridges.
    clips
        The matched clips.
    how, kept
        Settings of the comparison, and its stored results; bridges are not stored.
    checker
        Measures transitions.
    limit
        Highest share of the bounds that an admitted transition may use.

    Returns
    -------
    The same candidates, followed by the best bridges of each clip and direction, whose rows are those of the
    points they are made around. If everything is reached, ``checked`` itself.
    """
    kept = NothingKept() if kept is None else kept
    matches, left, tried = checked.matches, MOST, np.zeros(0, dtype=np.int64)
    for _ in range(_ROUNDS):
        spans = Reach(checked, clips).spans(checked.seen.passes(limit))
        wanted = _not_reached(matches, spans, clips)
        if not wanted or not left:
            break
        points = _shifted(matches, *_cheapest(matches, wanted, spans, kept), how)
        joins, rows, of = _variants(matches, points, wanted, spans, clips, how)
        unlike = checker.mismatch(joins) / MISMATCH
        hopeless = np.isin(_keys(joins, rows), tried) | (unlike > limit)
        chosen = _promising(joins, rows, unlike, of, wanted, hopeless)[:left]
        if not chosen.size:
            break
        joins, rows, of = joins.take(chosen), rows[chosen], of[chosen]
        tried, left = np.concatenate([tried, _keys(joins, rows)]), left - len(rows)
        share = checker.check(joins, progress=_named(progress)).share
        best = _best(joins, share, of, wanted)
        nobody = np.zeros(len(best), dtype=bool)
        more = checked.joined(rows[best], Checked(joins.take(best), share[best], nobody, nobody), matches)
        checked = replace(more, bridges_tried=checked.bridges_tried + len(rows))
    return checked


def _not_reached(matches: Matches, spans: tuple[Ints, Ints], clips: Sequence[Clip]) -> list[_Wanted]:
    """Stretches to be entered and left: clips that are not reached, then long beginnings and ends of others."""
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
    return [*whole, *parts][: _ALL_POINTS // 2]


def _cheapest(
    matches: Matches, wanted: list[_Wanted], spans: tuple[Ints, Ints], kept: StoredPairs
) -> tuple[Ints, Ints]:
    """Rows (P,) of the lowest-cost points of each want, lowest first, and the index of the want (P,) of each."""
    joins, (first, last) = matches.joins, spans
    middle = np.maximum(joins.each // 2 - 1, 0)
    reached, apart = last >= 0, max(_APART * matches.parts.fps, 1.0)
    a_want = max(min(_POINTS, _ALL_POINTS // max(len(wanted), 1)), 1)
    orders = [np.argsort(clip, kind="stable") for clip in (joins.a_clip, joins.b_clip)]
    edges = [
        np.searchsorted(clip[order], np.arange(len(last) + 1))
        for clip, order in zip((joins.a_clip, joins.b_clip), orders, strict=True)
    ]
    rows = [np.zeros(0, dtype=np.int64)]
    for one in wanted:
        some = orders[one.enters][slice(*edges[one.enters][one.clip : one.clip + 2])]
        a_at, b_at = joins.a_start[some] + middle[some], joins.b_start[some] + middle[some]
        other, at = (joins.a_clip[some], b_at) if one.enters else (joins.b_clip[some], a_at)
        leads = a_at >= first[other] if one.enters else b_at <= last[other]
        good = (at >= one.first) & (at <= one.last) & ((reached[other] & leads) | ~reached.any())
        groups = other[good] * 10**6 + (at[good] / apart).astype(np.int64)
        some = some[good]
        some = some[place_in_group(groups, matches.cost[some]) == 0]
        some = some[~known_of(matches, some, kept).bad]
        rows.append(some[np.argsort(matches.cost[some], kind="stable")][:a_want])
    return np.concatenate(rows), np.repeat(np.arange(len(wanted)), [len(some) for some in rows[1:]])


def _shifted(matches: Matches, rows: Ints, of: Ints, how: Comparison) -> _Points:
    """Points, and the same shifted in both clips by `SHIFTS`, each with its own ground alignment."""
    ratio = matches.parts.fps / how.cost.rate
    middle = np.maximum(matches.joins.each // 2 - 1, 0) / ratio if kind_of(how.search) != "aligned" else None
    found: list[tuple[int, int, int, float, float, float]] = []
    for row, want in zip(rows.tolist(), of.tolist(), strict=True):
        a, b = (matches.prepared[int(clip[row])] for clip in (matches.joins.a_clip, matches.joins.b_clip))
        i, j = matches.cells[row].tolist()
        if middle is not None:  # the frames that meet in the middle of the blend, not at its ends
            i, j = i + round(middle[row]), j - round(middle[row])
        for seconds in SHIFTS:
            step = round(seconds * how.cost.rate)
            if 0 <= i + step < len(a.frames) and 0 <= j + step < len(b.frames):
                motion = how.cost.alignment(a, b, i + step, j + step)
                found.append((row, want, round(step * ratio), motion.turn, motion.x, motion.z))
    table = np.array(found, dtype=np.float64).reshape(-1, 6)
    whole = table[:, :3].astype(np.int64)
    return _Points(whole[:, 0], whole[:, 1], whole[:, 2], table[:, 3:])


def _variants(
    matches: Matches,
    points: _Points,
    wanted: list[_Wanted],
    spans: tuple[Ints, Ints],
    clips: Sequence[Clip],
    how: Comparison,
) -> tuple[JoinArrays, Ints, Ints]:
    """Blends of each length and ratio around each point that fit and connect as wanted."""
    fps = clips[0].fps
    usual = how.blend.frames(fps)
    lengths = sorted({usual, *(round(seconds * fps) for seconds in LENGTHS)} - {0, 1})
    variants = [(n, ratio) for n in lengths for ratio in RATIOS if (n, ratio) != (usual, 1.0)]
    point, variant = (part.ravel() for part in np.indices((len(points.rows), len(variants))))
    n, ratio = (np.array(column) for column in zip(*variants, strict=True))
    rows, of = points.rows[point], points.of[point]
    joins = around_points(matches, rows, lengths=n[variant], ratios=ratio[variant], shift=points.shift[point])
    joins = replace(joins, alignment=points.alignment[point])
    good = np.flatnonzero(_possible(joins, matches, clips) & _leads(joins, of, wanted, spans))
    fit = joins.take(good)
    return fit if how.seams.feet == "free" else feet_met(clips, fit), rows[good], of[good]


def _promising(
    joins: JoinArrays, rows: Ints, unlike: Floats, of: Ints, wanted: list[_Wanted], hopeless: Bools
) -> Ints:
    """Blends worth making, the best of each want and each third of its stretch first."""
    chosen = np.flatnonzero(~hopeless)
    group = of[chosen] * _THIRDS + _third(joins.take(chosen), of[chosen], wanted)
    near = place_in_group(group * 10**9 + rows[chosen], unlike[chosen]) < _A_POINT
    chosen, group = chosen[near], group[near]
    turn = place_in_group(group, unlike[chosen])
    order = np.lexsort([unlike[chosen], turn])
    out: Ints = chosen[order[turn[order] < _A_THIRD]]
    return out


def _third(joins: JoinArrays, of: Ints, wanted: list[_Wanted]) -> Ints:
    """Third (P,) of the wanted stretch in which each join enters or leaves it."""
    low, high = (np.array(column, dtype=np.int64)[of] for column in _edges(wanted))
    enters = np.array([one.enters for one in wanted], dtype=bool)[of]
    at = np.where(enters, joins.arrivals, joins.a_start)
    out: Ints = np.clip(_THIRDS * (at - low) // np.maximum(high - low + 1, 1), 0, _THIRDS - 1)
    return out


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


def _best(joins: JoinArrays, share: Floats, of: Ints, wanted: list[_Wanted]) -> Ints:
    """Bridges to keep: the best few of each want and each third of its stretch."""
    group = of * _THIRDS + _third(joins, of, wanted)
    out: Ints = np.flatnonzero((place_in_group(group, share) < _BEST) & (share <= _WORST))
    return out


def _keys(joins: JoinArrays, rows: Ints) -> Ints:
    """Numbers (P,) that identify bridges."""
    out = rows
    for column in (joins.a_start, joins.each, *joins.uses.T):
        out = out * 1000003 + column
    return out


def _named(progress: Progress) -> Progress:
    return lambda _, done, total: progress("trying bridges", done, total)
