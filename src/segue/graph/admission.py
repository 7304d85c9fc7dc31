"""Which transitions enter a graph: the best ones, until what can be reached no longer grows.

Cost only decides what is looked at first. Every candidate is made and measured
(`segue.synthesis.transition_check`), and what it shows decides. Candidates are looked at in bands of rising cost; once
a component exists, only those that lead to clips or moments outside it. Of those that are good enough, the best are
admitted, and worse ones only where they lead to something not reached yet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from segue.arrays import Bools, Floats, Ints
from segue.graph.checking import Checked, check_rows, with_lengths
from segue.graph.jumps import kind_of
from segue.graph.matching import Matches, one_per_sweet_spot
from segue.graph.pairs import Comparison, StoredPairs
from segue.motion.clip import Clip
from segue.synthesis.joins import JOIN_MARGIN, JoinArrays
from segue.synthesis.transition_check import TransitionChecker
from segue.threads import Progress, silent
from segue.transitions.threshold import ChoiceGraph, Components, Jumps, choice_graph, components

CLIP_SECONDS = 10.0
"""Seconds of one clip that count where components are compared: distinct clips are worth more than one long clip."""
GROWS = 0.25
"""Seconds by which a transition must lengthen what is reached of a clip."""
_BANDS = (3.0, 9.0, 27.0, 81.0, 243.0, np.inf)
"""Median next-frame costs up to which candidates are looked at together."""
_A_PAIR, _A_CLIP = 3, 12  # cheapest candidates of a pair of clips, and out of and into a clip, in such a band
_FIRST_A_CLIP = 60  # the same while nothing is reached yet
_FIRST, _MORE = 3000, 1500  # candidates of all pairs, where few clips have more of each
_A_SECOND = 1.0  # transitions for each second reached that give enough to choose from
_TIE = 1e-6  # median next-frame costs: costs that differ by less are the same
_GOLDEN = 0.5 * (5.0**0.5 - 1.0)
_LEVELS = 12  # steps from the best transitions to the worst that are good enough


@dataclass(frozen=True, eq=False)
class CheckedCandidates:
    """Candidates that were checked: rows (P,) of what was matched, in no order, with what was found of each.

    Bridges (`segue.graph.bridges`) are among them, of which ``bridges_tried`` were made and measured. ``moved`` (P, 2)
    are frames by which their points were moved, in the clip left and in the one arrived in (`segue.graph.around`).
    """

    matches: Matches
    rows: Ints
    seen: Checked
    bridges_tried: int = 0
    moved: Ints | None = None

    @property
    def chosen(self) -> Bools:
        """(P,) candidates made elsewhere than where they were found, or at another length."""
        moved = np.zeros(len(self.rows), dtype=bool) if self.moved is None else self.moved.any(axis=1)
        joins = self.seen.joins
        out: Bools = moved | (~joins.bridges & (joins.each != self.matches.joins.each[self.rows]))
        return out

    def jumps(self, *, alone: int = 0) -> Jumps:
        """The candidates as jumps between parts of clips: no piece of clip leads across an unusable frame.

        So many frames of the clip arrived in that play ``alone`` count as part of the jump.
        """
        joins, number = self.seen.joins, self.matches.parts.number
        leaves, arrives = joins.a_start, joins.arrivals + alone
        return Jumps(
            number(joins.a_clip, leaves), leaves, number(joins.b_clip, arrives), arrives, self.seen.share
        )

    def joined(self, rows: Ints, seen: Checked, matches: Matches) -> CheckedCandidates:
        """These and some more."""
        return CheckedCandidates(matches, np.concatenate([self.rows, rows]), _both(self.seen, seen))


class Reach:
    """What can be reached with some of the candidates."""

    def __init__(self, checked: CheckedCandidates, clips: Sequence[Clip]) -> None:
        # A seam is measured with frames of one clip around it: a clip is not left again before they have played.
        self.graph: ChoiceGraph = choice_graph(checked.jumps(alone=JOIN_MARGIN))
        self.clip = checked.matches.parts.clip(self.graph.clip)
        self.fps = clips[0].fps
        self.most = CLIP_SECONDS * self.fps
        self.frames = np.array([clip.n_frames for clip in clips])

    def components(self, admitted: Bools) -> Components:
        """Components with these candidates."""
        return components(self.graph, admitted, clip=self.clip, most=self.most)

    def weight(self, admitted: Bools) -> int:
        """What the best component holds, no clip counted for more than `CLIP_SECONDS`."""
        found = self.components(admitted)
        return int(found.weight[0]) if len(found) else 0

    def enough(self, admitted: Bools) -> bool:
        """Whether a component exists in which there is something to choose from."""
        found = self.components(admitted)
        if not len(found):
            return False
        inside = admitted & (found.node[self.graph.jump_from] == 0) & (found.node[self.graph.jump_to] == 0)
        return int(np.count_nonzero(inside)) >= _A_SECOND * float(found.frames[0]) / self.fps

    def spans(self, admitted: Bools) -> tuple[Ints, Ints]:
        """First and last frame (C,) of each clip that the best component reaches; none where the first is larger."""
        first, last = self.frames.copy(), np.full(len(self.frames), -1)
        inside = self.components(admitted).node == 0
        np.minimum.at(first, self.clip[inside], self.graph.frame[inside])
        np.maximum.at(last, self.clip[inside], self.graph.frame[inside])
        return first, last


def leads_on(joins: JoinArrays, spans: tuple[Ints, Ints], fps: float, *, grows: float = GROWS) -> Bools:
    """(P,) joins that leave a clip later, or enter one earlier, than it is reached; or a clip that is not."""
    first, last = spans
    frames = grows * fps
    later = joins.a_start > last[joins.a_clip] + frames
    earlier = joins.arrivals + JOIN_MARGIN < first[joins.b_clip] - frames
    out: Bools = later | earlier | (last[joins.a_clip] < 0) | (last[joins.b_clip] < 0)
    return out


def check_until_reached(
    matches: Matches,
    clips: Sequence[Clip],
    how: Comparison,
    checker: TransitionChecker,
    *,
    limit: float,
    kept: StoredPairs | None,
    progress: Progress = silent,
) -> CheckedCandidates:
    """Look at candidates in bands of rising cost, those that may lead on.

    Parameters
    ----------
    matches
        Every candidate.
    clips
        Those that were matched.
    how, kept
        As they were compared, and what is kept of it.
    checker
        Measures transitions.
    limit
        Share of what is allowed up to which a transition may be admitted.
    """
    checked = CheckedCandidates(matches, np.zeros(0, dtype=np.int64), _nothing(matches))
    spans, low = None, -np.inf
    for factor in _BANDS:
        high = factor * matches.next_frame_cost if np.isfinite(factor) else np.inf  # frames that rest cost 0
        rows = np.flatnonzero((matches.lowest > low) & (matches.lowest <= high) & np.isfinite(matches.lowest))
        low = high
        rows = one_per_sweet_spot(matches, rows, how.search, how.cost.rate)
        if spans is None:
            a_pair = max(_A_PAIR, _FIRST // len(clips) ** 2)
            rows = _cheapest(matches, rows, a_pair, max(_FIRST_A_CLIP, a_pair))
        else:
            rows = rows[leads_on(matches.joins.take(rows), spans, clips[0].fps)]
            a_pair = max(_A_PAIR, _MORE // len(clips) ** 2)
            rows = _cheapest(matches, rows, a_pair, max(_A_CLIP, a_pair))
        if rows.size:
            checked = look_more(checked, rows, clips, how, checker, kept=kept, progress=progress)
            reach, usable = Reach(checked, clips), checked.seen.passes(limit)
            spans = reach.spans(usable) if reach.enough(usable) else None
    return checked


def look_more(
    checked: CheckedCandidates,
    rows: Ints,
    clips: Sequence[Clip],
    how: Comparison,
    checker: TransitionChecker | None,
    *,
    kept: StoredPairs | None,
    progress: Progress = silent,
) -> CheckedCandidates:
    """Look at some more rows, rising."""
    kind = kind_of(how.search)
    matches = with_lengths(checked.matches, rows, clips, blend=how.blend, kind=kind, kept=kept)
    seen = check_rows(
        matches, rows, clips, cost=how.cost, kind=kind, checker=checker, kept=kept, progress=progress
    )
    return checked.joined(rows, seen, matches)


def check_all(
    matches: Matches,
    rows: Ints,
    clips: Sequence[Clip],
    how: Comparison,
    checker: TransitionChecker | None,
    *,
    kept: StoredPairs | None,
    progress: Progress = silent,
) -> CheckedCandidates:
    """Look at chosen rows, rising, whatever they lead to."""
    nothing = CheckedCandidates(matches, np.zeros(0, dtype=np.int64), _nothing(matches))
    return look_more(nothing, rows, clips, how, checker, kept=kept, progress=progress)


def best_first(checked: CheckedCandidates, clips: Sequence[Clip], *, limit: float, share: float) -> Bools:
    """Flags (P,) of the candidates that are admitted.

    Parameters
    ----------
    checked
        Candidates.
    clips
        Those that were matched.
    limit
        Share of what is allowed that none may exceed.
    share
        Of what can be reached at all, the part that the best transitions alone are to reach: all that are no worse than
        the worst needed for it are admitted.
    """
    usable = checked.seen.passes(limit)
    reach = Reach(checked, clips)
    most = reach.weight(usable)
    if not most:
        return usable
    shown = np.where(checked.seen.good, 0.0, checked.seen.share)
    values = np.unique(shown[usable])
    low, high = 0, len(values) - 1
    while low < high:
        middle = (low + high) // 2
        these = usable & (shown <= values[middle])
        if reach.weight(these) >= share * most and reach.enough(these):
            high = middle
        else:
            low = middle + 1
    admitted: Bools = usable & (shown <= values[low])
    for level in np.linspace(values[low], values[-1], _LEVELS + 1)[1:]:
        spans = reach.spans(admitted)
        more = usable & ~admitted & (shown <= level) & leads_on(checked.seen.joins, spans, clips[0].fps)
        admitted |= more
    # What leads back from a clip may grow what is reached by less than is worth while elsewhere.
    reachable = reach.spans(usable)[1] >= 0
    for more in (
        usable & leads_on(checked.seen.joins, reach.spans(admitted), clips[0].fps, grows=0.0),
        usable,
    ):
        if not (reachable & (reach.spans(admitted)[1] < 0)).any():
            break
        admitted |= more
    return admitted


def joins_at(
    checked: CheckedCandidates, clips: Sequence[Clip], *, levels: Sequence[float]
) -> dict[float, Ints]:
    """Clips that the best component reaches at each quality, best first."""
    reach = Reach(checked, clips)
    out = {}
    for quality in sorted(levels, reverse=True):
        node = reach.components(checked.seen.passes(1.0 / quality)).node
        out[quality] = np.unique(reach.clip[node == 0])
    return out


def _cheapest(matches: Matches, rows: Ints, a_pair: int, a_clip: int) -> Ints:
    """The cheapest few of each ordered pair of clips that are also among the cheapest out of or into a clip; rising."""
    left, entered = matches.joins.a_clip, matches.joins.b_clip
    pairs = left * (int(entered.max(initial=0)) + 1) + entered
    # In a motion that repeats itself exactly thousands cost the same but for rounding: the few that are taken are to
    # lie all over it, not where rounding or the order of rows puts them.
    rows = rows[np.argsort(rows * _GOLDEN % 1.0, kind="stable")]
    costs = np.round(matches.lowest / max(_TIE * matches.next_frame_cost, np.finfo(float).tiny))
    rows = rows[place_in_group(pairs[rows], costs[rows]) < a_pair]
    costs = costs[rows]
    out: Ints = rows[
        (place_in_group(left[rows], costs) < a_clip) | (place_in_group(entered[rows], costs) < a_clip)
    ]
    out.sort()
    return out


def place_in_group(group: Ints, costs: Floats) -> Ints:
    """Place (P,) of each by cost within its group, from 0."""
    order = np.lexsort([costs, group])
    start = np.flatnonzero(np.diff(group[order], prepend=-1))
    out = np.empty(len(group), dtype=np.int64)
    out[order] = np.arange(len(group)) - np.repeat(start, np.diff([*start, len(group)]))
    return out


def _nothing(matches: Matches) -> Checked:
    none = np.zeros(0, dtype=bool)
    return Checked(matches.joins.take(np.zeros(0, dtype=np.int64)), np.zeros(0), none, none)


def _both(a: Checked, b: Checked) -> Checked:
    """Two lots of rows in a row."""
    return Checked(
        a.joins.followed_by(b.joins),
        np.concatenate([a.share, b.share]),
        np.concatenate([a.good, b.good]),
        np.concatenate([a.bad, b.bad]),
    )
